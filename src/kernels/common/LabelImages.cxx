/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#include "itkCudaSpline/kernels/common/LabelImages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

// Pixels of the sample that is checked first.
constexpr std::int64_t PixelsOfSample = 4096;

/** Returns whether a value may be a label. Real values have to be integers whose neighbours a float represents. */
template <typename TPixel>
bool
MayBeLabel(TPixel value)
{
  if constexpr (std::is_floating_point_v<TPixel>)
  {
    constexpr TPixel largest = 16777216; // 2^24
    return std::abs(value) <= largest && std::trunc(value) == value;
  }
  return true;
}

/** Number of distinct values of every stride-th pixel; \p most + 1 if there are more than \p most, or if one cannot be
 * a label. */
template <typename TPixel>
std::int64_t
CountValues(const TPixel * pixels, std::int64_t count, std::int64_t stride, std::int64_t most)
{
  std::vector<TPixel> values; // sorted
  TPixel              last{};
  for (std::int64_t i = 0; i < count; i += stride)
  {
    const TPixel value = pixels[i];
    if (i > 0 && value == last) // as for most neighbours in label images
    {
      continue;
    }
    last = value;
    if (!MayBeLabel(value))
    {
      return most + 1;
    }
    const auto at = std::lower_bound(values.begin(), values.end(), value);
    if (at == values.end() || *at != value)
    {
      if (static_cast<std::int64_t>(values.size()) == most)
      {
        return most + 1;
      }
      values.insert(at, value);
    }
  }
  return static_cast<std::int64_t>(values.size());
}

} // namespace

bool
LooksLikeLabels(const void * pixels, ScalarType type, std::int64_t count)
{
  const std::int64_t most = std::min(MaxLabelValues, count / MinPixelsOfLabel);
  if (most == 0)
  {
    return false;
  }
  // An image with one value does not change, for any interpolation. An image with two real values becomes a soft mask.
  const std::int64_t fewest = IsReal(type) ? 3 : 2;
  // Integers are compared by their bits: signs do not matter.
  const auto areFew = [&](const auto * values) {
    if (CountValues(values, count, std::max<std::int64_t>(1, count / PixelsOfSample), most) > most)
    {
      return false;
    }
    const std::int64_t found = CountValues(values, count, 1, most);
    return found >= fewest && found <= most;
  };
  if (IsReal(type))
  {
    return type == ScalarType::Float32 ? areFew(static_cast<const float *>(pixels))
                                       : areFew(static_cast<const double *>(pixels));
  }
  switch (SizeOf(type))
  {
    case 1:
      return areFew(static_cast<const std::uint8_t *>(pixels));
    case 2:
      return areFew(static_cast<const std::uint16_t *>(pixels));
    case 4:
      return areFew(static_cast<const std::uint32_t *>(pixels));
    default:
      return areFew(static_cast<const std::uint64_t *>(pixels));
  }
}

} // namespace itk::CudaSpline
