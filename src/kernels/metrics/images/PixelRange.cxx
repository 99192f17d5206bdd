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
#include "kernels/metrics/images/PixelRange.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
template <typename TPixel>
PixelRange
FindOnHost(const TPixel * pixels, const std::uint8_t * inside, std::int64_t count, const ExecutionContext & context)
{
  constexpr std::int64_t  block = 65536; // enough work for a thread
  const std::int64_t      blocks = (count + block - 1) / block;
  std::vector<PixelRange> ranges(static_cast<std::size_t>(blocks));
  context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
    {
      PixelRange range;
      for (std::int64_t n = b * block; n < std::min((b + 1) * block, count); ++n)
      {
        if (inside == nullptr || inside[n] != 0)
        {
          range.Add(static_cast<double>(pixels[n]));
        }
      }
      ranges[static_cast<std::size_t>(b)] = range;
    }
  });
  PixelRange range;
  for (const PixelRange & part : ranges)
  {
    range.Add(part);
  }
  return range;
}
} // namespace

PixelRange
FindPixelRange(const void *         pixels,
               ScalarType           type,
               const std::uint8_t * inside,
               std::int64_t         count,
               const Residence &    residence)
{
  if (residence.IsOnDevice())
  {
    return FindPixelRangeOnCuda(pixels, type, inside, count, residence);
  }
  return type == ScalarType::Float32
           ? FindOnHost(static_cast<const float *>(pixels), inside, count, residence.GetContext())
           : FindOnHost(static_cast<const double *>(pixels), inside, count, residence.GetContext());
}

#if !defined(CUDASPLINE_HAS_CUDA)
PixelRange
FindPixelRangeOnCuda(const void *, ScalarType, const std::uint8_t *, std::int64_t, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
