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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/metrics/images/PixelRange.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
constexpr int          Threads = 256;
constexpr std::int64_t MaxBlocks = 1024; // the host reads their ranges, 16 KiB

/** Computes a range per block with a fixed tree. */
template <typename TPixel>
__global__ void
__launch_bounds__(Threads)
  PixelRangeKernel(const TPixel * pixels, const std::uint8_t * inside, std::int64_t count, PixelRange * ranges)
{
  PixelRange range;
  for (std::int64_t n = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; n < count;
       n += std::int64_t{ gridDim.x } * Threads)
  {
    if (inside == nullptr || inside[n] != 0)
    {
      range.Add(static_cast<double>(pixels[n]));
    }
  }
  __shared__ double lowest[Threads];
  __shared__ double highest[Threads];
  lowest[threadIdx.x] = range.lowest;
  highest[threadIdx.x] = range.highest;
  for (unsigned int half = Threads / 2; half > 0; half /= 2)
  {
    __syncthreads();
    if (threadIdx.x < half)
    {
      PixelRange other;
      other.lowest = lowest[threadIdx.x + half];
      other.highest = highest[threadIdx.x + half];
      range.Add(other);
      lowest[threadIdx.x] = range.lowest;
      highest[threadIdx.x] = range.highest;
    }
  }
  if (threadIdx.x == 0)
  {
    ranges[blockIdx.x] = range;
  }
}
} // namespace

PixelRange
FindPixelRangeOnCuda(const void *         pixels,
                     ScalarType           type,
                     const std::uint8_t * inside,
                     std::int64_t         count,
                     const Residence &    residence)
{
  const DeviceScope   scope(residence.GetContext().device);
  const auto          blocks = std::clamp<std::int64_t>((count + Threads - 1) / Threads, 1, MaxBlocks);
  const ResidentArray partial(static_cast<std::size_t>(blocks) * sizeof(PixelRange), residence);
  const auto          launch = [&](const auto * of) {
    PixelRangeKernel<<<static_cast<unsigned int>(blocks), Threads, 0, residence.GetStream().Get()>>>(
      of, inside, count, partial.As<PixelRange>());
  };
  type == ScalarType::Float32 ? launch(static_cast<const float *>(pixels))
                              : launch(static_cast<const double *>(pixels));
  CheckCuda(cudaGetLastError(), "PixelRangeKernel");
  std::vector<PixelRange> ranges(static_cast<std::size_t>(blocks));
  Download(ranges.data(), partial.Data(), partial.Bytes(), residence);
  PixelRange range;
  for (const PixelRange & part : ranges)
  {
    range.Add(part);
  }
  return range;
}

} // namespace itk::CudaSpline
