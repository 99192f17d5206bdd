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
#include "Winsorize.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace CudaSplineRegister
{

namespace
{

template <typename TPixel>
Volume
CutTo(const Volume & image, const std::array<double, 2> & values)
{
  const auto         lower = static_cast<TPixel>(values[0]);
  const auto         upper = static_cast<TPixel>(values[1]);
  const auto * const from = static_cast<const TPixel *>(image.pixels.get());
  const auto         count = static_cast<std::int64_t>(image.grid.GetNumberOfVoxels());
  Volume             cut = Volume::Allocate(image.grid, image.type);
  auto * const       to = static_cast<TPixel *>(cut.pixels.get());
  itk::CudaSplineDetail::OnItkThreads([&](const auto & context) {
    context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      std::transform(from + begin, from + end, to + begin, [lower, upper](TPixel value) {
        return std::min(std::max(lower, value), upper); // one that is not a number becomes the lower
      });
    });
  });
  return cut;
}

} // namespace

Volume
Winsorize(const Volume & image, const std::array<double, 2> & quantiles)
{
  const auto values = itk::CudaSplineDetail::FindQuantiles(
    image.pixels.get(), image.type, static_cast<std::int64_t>(image.grid.GetNumberOfVoxels()), quantiles);
  if (!values)
  {
    return image; // all values are the same
  }
  return image.type == ScalarType::Float32 ? CutTo<float>(image, *values) : CutTo<double>(image, *values);
}

} // namespace CudaSplineRegister
