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
#include "PublishedPrefilter.h"

#include "PublishedRecursion.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <cuda_runtime_api.h>

using namespace itk::CudaSpline;

namespace
{
/** One thread per line. The lines of a plane of the other two axes are numbered along the faster of these first. */
__global__ void
PublishedPrefilterKernel(float *      samples,
                         std::int64_t count,
                         std::int64_t stride,
                         std::int64_t fast,
                         std::int64_t fastStride,
                         std::int64_t slow,
                         std::int64_t slowStride)
{
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  const std::int64_t j = blockIdx.y * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
  if (i < fast && j < slow)
  {
    PublishedRecursion(samples + i * fastStride + j * slowStride, count, stride);
  }
}

std::size_t
BytesOf(const std::array<std::int64_t, 3> & size)
{
  return static_cast<std::size_t>(size[0] * size[1] * size[2]) * sizeof(float);
}
} // namespace

PublishedPrefilter::PublishedPrefilter(const std::array<std::int64_t, 3> & size,
                                       unsigned int                        axis,
                                       const float *                       pixels,
                                       const ExecutionContext &            context)
  : m_Size(size)
  , m_Axis(axis)
  , m_Scope(context.device)
  , m_Pixels(BytesOf(size), m_Stream)
  , m_Samples(BytesOf(size), m_Stream)
{
  CheckCuda(cudaMemcpyAsync(m_Pixels.Data(), pixels, m_Pixels.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
            "cudaMemcpyAsync");
  m_Stream.Synchronize();
  CheckCuda(cudaEventCreate(&m_Begin), "cudaEventCreate");
  CheckCuda(cudaEventCreate(&m_End), "cudaEventCreate");
}

PublishedPrefilter::~PublishedPrefilter()
{
  for (CUevent_st * const event : { m_Begin, m_End })
  {
    if (event != nullptr)
    {
      static_cast<void>(cudaEventDestroy(event));
    }
  }
}

double
PublishedPrefilter::Time(unsigned int width, unsigned int height)
{
  CheckCuda(
    cudaMemcpyAsync(m_Samples.Data(), m_Pixels.Data(), m_Pixels.Bytes(), cudaMemcpyDeviceToDevice, m_Stream.Get()),
    "cudaMemcpyAsync");
  CheckCuda(cudaEventRecord(m_Begin, m_Stream.Get()), "cudaEventRecord");
  const std::int64_t strides[3] = { 1, m_Size[0], m_Size[0] * m_Size[1] };
  for (unsigned int d = 0; d < 3; ++d)
  {
    if ((m_Axis < 3 && m_Axis != d) || m_Size[d] < 2)
    {
      continue;
    }
    const unsigned int fast = d == 0 ? 1 : 0;
    const unsigned int slow = d == 2 ? 1 : 2;
    const unsigned int threads = width > 0 ? width : (d == 0 ? 32 : 64);
    const unsigned int rows = width > 0 ? height : (d == 0 ? 1 : 8);
    const dim3         block(threads, m_Size[slow] > 1 ? rows : 1);
    const dim3         grid(static_cast<unsigned int>((m_Size[fast] + block.x - 1) / block.x),
                    static_cast<unsigned int>((m_Size[slow] + block.y - 1) / block.y));
    PublishedPrefilterKernel<<<grid, block, 0, m_Stream.Get()>>>(static_cast<float *>(m_Samples.Data()),
                                                                 m_Size[d],
                                                                 strides[d],
                                                                 m_Size[fast],
                                                                 strides[fast],
                                                                 m_Size[slow],
                                                                 strides[slow]);
    CheckCuda(cudaGetLastError(), "PublishedPrefilterKernel");
  }
  CheckCuda(cudaEventRecord(m_End, m_Stream.Get()), "cudaEventRecord");
  m_Stream.Synchronize();
  float milliseconds = 0.0F;
  CheckCuda(cudaEventElapsedTime(&milliseconds, m_Begin, m_End), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

void
PublishedPrefilter::Read(float * coefficients)
{
  CheckCuda(cudaMemcpyAsync(coefficients, m_Samples.Data(), m_Samples.Bytes(), cudaMemcpyDeviceToHost, m_Stream.Get()),
            "cudaMemcpyAsync");
  m_Stream.Synchronize();
}
