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
#include "DeviceGaussian.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/gaussian/GaussianPasses.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

using namespace itk::CudaSpline;

namespace
{
std::size_t
NotesOf(const GaussianDescriptor & descriptor)
{
  std::size_t bytes = 0;
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    bytes = std::max(bytes, GaussianNotesBytes(LinesOf(descriptor, axis)));
  }
  return bytes;
}
} // namespace

DeviceGaussian::DeviceGaussian(const GaussianDescriptor & descriptor,
                               const void *               pixels,
                               const ExecutionContext &   context)
  : m_Descriptor(descriptor)
  , m_Scope(context.device)
  , m_Samples(static_cast<std::size_t>(descriptor.Count()) * sizeof(float), m_Stream)
  , m_Planes(static_cast<std::size_t>(descriptor.Count()) * descriptor.dimension * sizeof(float), m_Stream)
  , m_Notes(NotesOf(descriptor), m_Stream)
{
  CheckCuda(cudaMemcpyAsync(m_Samples.Data(), pixels, m_Samples.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
            "cudaMemcpyAsync");
  m_Stream.Synchronize();
  CheckCuda(cudaEventCreate(&m_Begin), "cudaEventCreate");
  CheckCuda(cudaEventCreate(&m_End), "cudaEventCreate");
}

DeviceGaussian::~DeviceGaussian()
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
DeviceGaussian::Time(const TEnqueue & enqueue)
{
  CheckCuda(cudaEventRecord(m_Begin, m_Stream.Get()), "cudaEventRecord");
  enqueue();
  CheckCuda(cudaEventRecord(m_End, m_Stream.Get()), "cudaEventRecord");
  m_Stream.Synchronize();
  float milliseconds = 0.0F;
  CheckCuda(cudaEventElapsedTime(&milliseconds, m_Begin, m_End), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

double
DeviceGaussian::TimeSmoothing()
{
  return this->Time([this] {
    LaunchGaussianPasses(m_Descriptor,
                         SmoothingPasses(m_Descriptor),
                         static_cast<const float *>(m_Samples.Data()),
                         static_cast<float *>(m_Planes.Data()),
                         static_cast<double *>(m_Notes.Data()),
                         m_Stream);
  });
}

double
DeviceGaussian::TimeGradient()
{
  return this->Time([this] {
    for (unsigned int component = 0; component < m_Descriptor.dimension; ++component)
    {
      LaunchGaussianPasses(m_Descriptor,
                           GradientPasses(m_Descriptor, component),
                           static_cast<const float *>(m_Samples.Data()),
                           static_cast<float *>(m_Planes.Data()) + component * m_Descriptor.Count(),
                           static_cast<double *>(m_Notes.Data()),
                           m_Stream);
    }
  });
}
