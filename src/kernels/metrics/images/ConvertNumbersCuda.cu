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
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/metrics/images/ConvertNumbers.h"

#include <cuda_runtime.h>

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
constexpr int          Threads = 256;
constexpr std::int64_t MaxBlocks = 4096;

template <typename TFrom, typename TTo>
__global__ void
__launch_bounds__(Threads) ConvertNumbersKernel(const TFrom * from, TTo * to, std::int64_t count)
{
  for (std::int64_t n = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; n < count;
       n += std::int64_t{ gridDim.x } * Threads)
  {
    to[n] = static_cast<TTo>(from[n]);
  }
}

template <typename TFrom, typename TTo>
void
Launch(const void * from, void * to, std::int64_t count, const Stream & stream)
{
  const auto blocks =
    static_cast<unsigned int>(std::clamp<std::int64_t>((count + Threads - 1) / Threads, 1, MaxBlocks));
  ConvertNumbersKernel<<<blocks, Threads, 0, stream.Get()>>>(
    static_cast<const TFrom *>(from), static_cast<TTo *>(to), count);
  CheckCuda(cudaGetLastError(), "ConvertNumbersKernel");
}
} // namespace

void
ConvertNumbersOnCuda(const void * from, ScalarType type, void * to, std::int64_t count, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  type == ScalarType::Float32 ? Launch<float, double>(from, to, count, residence.GetStream())
                              : Launch<double, float>(from, to, count, residence.GetStream());
}

} // namespace itk::CudaSpline
