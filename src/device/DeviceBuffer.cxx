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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"
#include "device/DevicePool.h"

#include <cuda_runtime_api.h>

#include <utility>

namespace itk::CudaSpline
{

DeviceBuffer::DeviceBuffer(std::size_t bytes, const Stream & stream)
  : m_Bytes(bytes)
  , m_Stream(stream.Share())
{
  if (bytes > 0)
  {
    int device = 0;
    CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
    CheckCuda(cudaMallocFromPoolAsync(&m_Data, bytes, DevicePool(device), stream.Get()), "cudaMallocFromPoolAsync");
  }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer && other) noexcept
  : m_Data(std::exchange(other.m_Data, nullptr))
  , m_Bytes(std::exchange(other.m_Bytes, 0))
  , m_Stream(std::move(other.m_Stream))
{}

DeviceBuffer &
DeviceBuffer::operator=(DeviceBuffer && other) noexcept
{
  if (this != &other)
  {
    this->Free();
    m_Data = std::exchange(other.m_Data, nullptr);
    m_Bytes = std::exchange(other.m_Bytes, 0);
    m_Stream = std::move(other.m_Stream);
  }
  return *this;
}

DeviceBuffer::~DeviceBuffer()
{
  this->Free();
}

void
DeviceBuffer::Free() noexcept
{
  if (m_Data != nullptr)
  {
    if (!IsForkedChild())
    {
      IgnoreCuda(cudaFreeAsync(m_Data, m_Stream.get()));
    }
    m_Data = nullptr;
  }
}

} // namespace itk::CudaSpline
