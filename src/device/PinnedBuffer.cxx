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
#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Maximum number of bytes that are kept: the staging buffers of four operations. */
constexpr std::size_t KeptBytes = std::size_t(128) << 20;

struct Kept
{
  void * data;
  int    device;
};

struct Pool
{
  std::mutex                       mutex;
  std::multimap<std::size_t, Kept> buffers; ///< by size
  std::size_t                      bytes{ 0 };
};

/** Never destroyed: at exit the CUDA runtime may be destroyed first. */
Pool &
GetPool()
{
  static Pool * const pool = new Pool;
  return *pool;
}

void
Free(const Kept & buffer)
{
  const DeviceScope scope(buffer.device, std::nothrow);
  IgnoreCuda(cudaFreeHost(buffer.data));
}
} // namespace

PinnedBuffer::PinnedBuffer(std::size_t bytes)
  : m_Bytes(bytes)
{
  {
    Pool &                            pool = GetPool();
    const std::lock_guard<std::mutex> lock(pool.mutex);
    const auto                        kept = pool.buffers.find(bytes);
    if (kept != pool.buffers.end())
    {
      m_Data = kept->second.data;
      m_Device = kept->second.device;
      pool.bytes -= bytes;
      pool.buffers.erase(kept);
    }
  }
  if (m_Data == nullptr && bytes > 0)
  {
    CheckCuda(cudaGetDevice(&m_Device), "cudaGetDevice");
    // Portable, so that the buffer can be used for another device later.
    CheckCuda(cudaHostAlloc(&m_Data, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  }
}

PinnedBuffer::PinnedBuffer(PinnedBuffer && other) noexcept
  : m_Data(std::exchange(other.m_Data, nullptr))
  , m_Bytes(std::exchange(other.m_Bytes, 0))
  , m_Device(other.m_Device)
{}

PinnedBuffer &
PinnedBuffer::operator=(PinnedBuffer && other) noexcept
{
  std::swap(m_Data, other.m_Data);
  std::swap(m_Bytes, other.m_Bytes);
  std::swap(m_Device, other.m_Device);
  return *this;
}

PinnedBuffer::~PinnedBuffer()
{
  if (m_Data == nullptr || IsForkedChild())
  {
    return; // in a child the memory belongs to the parent, of which a thread may hold the lock
  }
  Pool & pool = GetPool();
  try
  {
    const std::lock_guard<std::mutex> lock(pool.mutex);
    if (pool.bytes + m_Bytes <= KeptBytes)
    {
      pool.buffers.emplace(m_Bytes, Kept{ m_Data, m_Device });
      pool.bytes += m_Bytes;
      return;
    }
  }
  catch (...)
  {
    // The buffer is not kept, but freed below.
  }
  Free({ m_Data, m_Device });
}

void
ReleasePinnedMemory()
{
  if (IsForkedChild())
  {
    return; // the memory belongs to the parent
  }
  Pool &                            pool = GetPool();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  for (const auto & buffer : pool.buffers)
  {
    Free(buffer.second);
  }
  pool.buffers.clear();
  pool.bytes = 0;
}

} // namespace itk::CudaSpline
