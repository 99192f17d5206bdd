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
#include "itkCudaSpline/kernels/common/Residence.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/HostCopies.h"
#include "kernels/common/ResidenceBackends.h"

#include <cstring>
#include <new>

namespace itk::CudaSpline
{

namespace
{
constexpr std::align_val_t HostAlignment{ 64 }; // a cache line of the host, and the widest vectors
}

Residence::Residence(const ExecutionContext & context, const std::vector<int> & others)
  : m_Context(context)
  , m_Stream(context.backend == Backend::Cuda ? MakeResidentStream(context) : nullptr)
  , m_Group(m_Stream != nullptr && !others.empty() ? MakeDeviceGroup(context.device, m_Stream, others) : nullptr)
{}

void
Residence::Wait() const
{
  if (this->IsOnDevice())
  {
    WaitOnDevice(*this);
  }
}

void
Residence::Follow(StreamHandle stream) const
{
  if (this->IsOnDevice())
  {
    FollowOnDevice(stream, *this);
  }
}

ResidentArray::ResidentArray(std::size_t bytes, const Residence & residence, const std::vector<std::size_t> & starts)
  : m_Bytes(bytes)
{
  if (bytes == 0)
  {
    return;
  }
  if (residence.IsOnDevice())
  {
    m_Data = AllocateOnDevice(bytes, residence, starts);
  }
  else
  {
    m_Data = { ::operator new(bytes, HostAlignment), [](void * memory) { ::operator delete(memory, HostAlignment); } };
  }
}

void
Upload(void * to, const void * fromHost, std::size_t bytes, const Residence & residence)
{
  residence.IsOnDevice() ? UploadToDevice(to, fromHost, bytes, residence)
                         : CopyOnHost(residence.GetContext(), to, fromHost, bytes);
}

void
Download(void * toHost, const void * from, std::size_t bytes, const Residence & residence)
{
  residence.IsOnDevice() ? DownloadFromDevice(toHost, from, bytes, residence)
                         : CopyOnHost(residence.GetContext(), toHost, from, bytes);
}

void
CopyResident(void * to, const void * from, std::size_t bytes, const Residence & residence)
{
  residence.IsOnDevice() ? CopyOnDevice(to, from, bytes, residence)
                         : CopyOnHost(residence.GetContext(), to, from, bytes);
}

void
ClearResident(void * to, std::size_t bytes, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    ClearOnDevice(to, bytes, residence);
    return;
  }
  constexpr std::int64_t block = std::int64_t(1) << 18; // enough work for a thread
  const auto             length = static_cast<std::int64_t>(bytes);
  residence.GetContext().ParallelFor((length + block - 1) / block, [=](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * block;
    const std::int64_t last = end * block < length ? end * block : length;
    std::memset(static_cast<char *>(to) + first, 0, static_cast<std::size_t>(last - first));
  });
}

void
RepeatedSteps::Run(const Residence & residence)
{
  m_HasBegun = false;
  // The first run loads the kernels, which is not allowed in a stream that is captured.
  if (!residence.IsOnDevice() || !m_HasRun)
  {
    m_HasBegun = true;
    m_Enqueue();
    m_HasRun = true;
    return;
  }
  if (m_Graph == nullptr)
  {
    m_Graph = RecordOnDevice(m_Enqueue, residence);
  }
  m_HasBegun = true;
  LaunchOnDevice(m_Graph, residence);
}

#if !defined(CUDASPLINE_HAS_CUDA)
namespace
{
[[noreturn]] void
ThrowUnavailable()
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
} // namespace

std::shared_ptr<const Stream>
MakeResidentStream(const ExecutionContext &)
{
  ThrowUnavailable();
}

std::shared_ptr<const DeviceGroup>
MakeDeviceGroup(int, const std::shared_ptr<const Stream> &, const std::vector<int> &)
{
  ThrowUnavailable();
}

bool
CanShareMemory(const std::vector<int> &)
{
  ThrowUnavailable();
}

bool
IsForAllDevices(const void *, const Residence &)
{
  return true;
}

std::unique_ptr<void, std::function<void(void *)>>
AllocateOnDevice(std::size_t, const Residence &, const std::vector<std::size_t> &)
{
  ThrowUnavailable();
}

void
WaitOnDevice(const Residence &)
{
  ThrowUnavailable();
}

void
FollowOnDevice(StreamHandle, const Residence &)
{
  ThrowUnavailable();
}

void
UploadToDevice(void *, const void *, std::size_t, const Residence &)
{
  ThrowUnavailable();
}

void
DownloadFromDevice(void *, const void *, std::size_t, const Residence &)
{
  ThrowUnavailable();
}

void
CopyOnDevice(void *, const void *, std::size_t, const Residence &)
{
  ThrowUnavailable();
}

void
ClearOnDevice(void *, std::size_t, const Residence &)
{
  ThrowUnavailable();
}

std::function<void(const PageTable::Move &, void *)>
MakePageCopies(std::size_t, std::size_t, const Residence &)
{
  ThrowUnavailable();
}

std::shared_ptr<const void>
RecordOnDevice(const std::function<void()> &, const Residence &)
{
  ThrowUnavailable();
}

void
LaunchOnDevice(const std::shared_ptr<const void> &, const Residence &)
{
  ThrowUnavailable();
}
#endif

} // namespace itk::CudaSpline
