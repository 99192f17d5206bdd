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
#include "DevicePrefilter.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/coefficients/LineFilterCuda.h"

#include <cuda_runtime_api.h>

using namespace itk::CudaSpline;

DevicePrefilter::DevicePrefilter(const SourceDescriptor & descriptor,
                                 unsigned int             axis,
                                 const void *             pixels,
                                 const ExecutionContext & context)
  : m_Descriptor(descriptor)
  , m_Axis(axis)
  , m_Scope(context.device)
  , m_Pixels(descriptor.Bytes(), m_Stream)
  , m_Samples(descriptor.Bytes(), m_Stream)
  , m_Other(descriptor.Bytes(), m_Stream)
{
  CheckCuda(cudaMemcpyAsync(m_Pixels.Data(), pixels, descriptor.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
            "cudaMemcpyAsync");
  m_Stream.Synchronize();
  CheckCuda(cudaEventCreate(&m_Begin), "cudaEventCreate");
  CheckCuda(cudaEventCreate(&m_End), "cudaEventCreate");
}

DevicePrefilter::~DevicePrefilter()
{
  for (CUevent_st * const event : { m_Begin, m_End })
  {
    if (event != nullptr)
    {
      static_cast<void>(cudaEventDestroy(event));
    }
  }
}

template <typename TEnqueue>
double
DevicePrefilter::Time(const TEnqueue & enqueue)
{
  CheckCuda(
    cudaMemcpyAsync(m_Samples.Data(), m_Pixels.Data(), m_Descriptor.Bytes(), cudaMemcpyDeviceToDevice, m_Stream.Get()),
    "cudaMemcpyAsync");
  CheckCuda(cudaEventRecord(m_Begin, m_Stream.Get()), "cudaEventRecord");
  enqueue();
  CheckCuda(cudaEventRecord(m_End, m_Stream.Get()), "cudaEventRecord");
  m_Stream.Synchronize();
  float milliseconds = 0.0F;
  CheckCuda(cudaEventElapsedTime(&milliseconds, m_Begin, m_End), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

template <typename TReal>
void
DevicePrefilter::Filter()
{
  auto * const samples = static_cast<TReal *>(m_Samples.Data());
  auto * const other = static_cast<TReal *>(m_Other.Data());
  if (m_Axis < m_Descriptor.dimension)
  {
    LaunchAxisPrefilter<TReal>(m_Descriptor, m_Axis, samples, other, m_Stream);
  }
  else
  {
    LaunchPrefilter<TReal>(m_Descriptor, samples, other, m_Stream);
  }
}

double
DevicePrefilter::TimeFilter()
{
  return this->Time([this] {
    if (m_Descriptor.element == ScalarType::Float64)
    {
      this->Filter<double>();
    }
    else
    {
      this->Filter<float>();
    }
  });
}

double
DevicePrefilter::TimeCopy()
{
  return this->Time([this] {
    CheckCuda(
      cudaMemcpyAsync(m_Other.Data(), m_Samples.Data(), m_Descriptor.Bytes(), cudaMemcpyDeviceToDevice, m_Stream.Get()),
      "cudaMemcpyAsync");
  });
}
