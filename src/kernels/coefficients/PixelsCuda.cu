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
#include "kernels/coefficients/PixelsCuda.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/math/PixelAccess.h"

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

namespace
{

constexpr int ThreadsOfBlock = 256;

/** Converts numbers of any type to real elements, in one plane for each component. */
template <typename TReal>
__global__ void
ConvertKernel(const void * numbers,
              ScalarType   type,
              std::int64_t first,
              std::int64_t count,
              unsigned int components,
              std::int64_t plane,
              TReal *      elements)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < count)
  {
    const std::int64_t at = first + i;
    elements[components == 1 ? at : at % components * plane + at / components] = LoadScalar<TReal>(numbers, type, i);
  }
}

/** Converts elements back to pixels. */
template <typename TReal>
__global__ void
InterleaveKernel(const TReal * planes, std::int64_t count, unsigned int components, std::int64_t plane, TReal * pixels)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < count)
  {
    pixels[i] = planes[i % components * plane + i / components];
  }
}

/** Returns the number of blocks. The numbers fit into the memory of a device, so the blocks fit into a grid. */
unsigned int
BlocksFor(std::int64_t count)
{
  return static_cast<unsigned int>((count + ThreadsOfBlock - 1) / ThreadsOfBlock);
}

} // namespace

template <typename TReal>
void
LaunchConvert(const void *             numbers,
              const SourceDescriptor & descriptor,
              std::int64_t             first,
              std::int64_t             count,
              TReal *                  elements,
              const Stream &           stream)
{
  ConvertKernel<TReal><<<BlocksFor(count), ThreadsOfBlock, 0, stream.Get()>>>(
    numbers, descriptor.pixel, first, count, descriptor.components, descriptor.Count(), elements);
  CheckCuda(cudaGetLastError(), "ConvertKernel");
}

template <typename TReal>
void
LaunchInterleave(const TReal * planes, const SourceDescriptor & descriptor, TReal * pixels, const Stream & stream)
{
  const std::int64_t count = descriptor.Elements();
  InterleaveKernel<TReal><<<BlocksFor(count), ThreadsOfBlock, 0, stream.Get()>>>(
    planes, count, descriptor.components, descriptor.Count(), pixels);
  CheckCuda(cudaGetLastError(), "InterleaveKernel");
}

template void
LaunchConvert<float>(const void *, const SourceDescriptor &, std::int64_t, std::int64_t, float *, const Stream &);
template void
LaunchConvert<double>(const void *, const SourceDescriptor &, std::int64_t, std::int64_t, double *, const Stream &);
template void
LaunchInterleave<float>(const float *, const SourceDescriptor &, float *, const Stream &);
template void
LaunchInterleave<double>(const double *, const SourceDescriptor &, double *, const Stream &);

} // namespace itk::CudaSpline
