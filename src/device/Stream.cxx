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
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/DeviceStart.h"

#include "device/DeviceHealth.h"
#include "device/Driver.h"
#include "device/StartLock.h"
#include "device/StreamPool.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Devices whose contexts have been entered, with one bit each: entering them again starts nothing. */
std::atomic<std::uint64_t> enteredDevices{ 0 };

std::uint64_t
BitOf(int device)
{
  return device >= 0 && device < 64 ? std::uint64_t{ 1 } << device : 0;
}
} // namespace

DeviceScope::DeviceScope(int device)
  : m_Device(device)
{
  PrepareForCuda();
  std::optional<StartLock> lock;
  // A start in the background holds the lock itself. It loads kernels under the lock, for which this does not wait.
  if ((enteredDevices & BitOf(m_Device)) == 0 && GetDeviceState(m_Device) == DeviceState::Stopped)
  {
    lock.emplace();
  }
  CheckCuda(cudaInitDevice(m_Device, 0, 0), "cudaInitDevice");
  CheckCuda(EnterContext(m_Device, &m_Previous), "cuCtxSetCurrent");
  enteredDevices |= BitOf(m_Device);
  m_IsCurrent = true;
}

DeviceScope::DeviceScope(int device, std::nothrow_t) noexcept
  : m_Device(device)
{
  int error = cudaInitDevice(m_Device, 0, 0);
  if (error == cudaSuccess)
  {
    error = EnterContext(m_Device, &m_Previous);
  }
  IgnoreCuda(error);
  m_IsCurrent = error == cudaSuccess;
}

DeviceScope::~DeviceScope()
{
  if (m_IsCurrent && !IsForkedChild()) // in a child the contexts belong to the parent
  {
    LeaveContext(m_Device, m_Previous);
  }
}

namespace
{
/** Returns a stream to the pool after its last owner: the Stream, or a buffer that outlives it. */
struct StreamReturn
{
  int  device;
  bool isDone;   ///< the Stream has waited for it without an error
  bool isShared; ///< buffers still had it then, and are freed later

  void
  operator()(cudaStream_t stream) const noexcept
  {
    ReturnStream(device, stream, isDone, isShared);
  }
};
} // namespace

Stream::Stream()
{
  PrepareForCuda();
  int device = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  m_Handle = std::shared_ptr<CUstream_st>(TakeStream(device), StreamReturn{ device, false, false });
}

Stream
Stream::Of(StreamHandle stream)
{
  return Stream(std::shared_ptr<CUstream_st>(stream, [](CUstream_st *) {}));
}

Stream::~Stream()
{
  auto * const toReturn =
    m_Handle ? std::get_deleter<StreamReturn>(m_Handle) : nullptr; // null: the stream belongs to the caller
  if (toReturn != nullptr && !IsForkedChild())
  {
    const DeviceScope scope(toReturn->device, std::nothrow);
    const cudaError_t error = cudaStreamSynchronize(m_Handle.get());
    IgnoreCuda(error);
    toReturn->isDone = error == cudaSuccess;
    toReturn->isShared = m_Handle.use_count() > 1;
  }
}

void
Stream::Synchronize() const
{
  CheckCuda(cudaStreamSynchronize(m_Handle.get()), "cudaStreamSynchronize");
}

StreamJoin::~StreamJoin()
{
  if (!IsForkedChild()) // in a child the stream belongs to the parent
  {
    IgnoreCuda(cudaStreamSynchronize(m_Stream.Get()));
  }
}

Event::Event()
{
  PrepareForCuda();
  CheckCuda(cudaGetDevice(&m_Device), "cudaGetDevice");
  CheckCuda(cudaEventCreateWithFlags(&m_Handle, cudaEventDisableTiming | cudaEventBlockingSync),
            "cudaEventCreateWithFlags");
}

Event::Event(Event && other) noexcept
  : m_Device(other.m_Device)
  , m_Handle(std::exchange(other.m_Handle, nullptr))
{}

Event &
Event::operator=(Event && other) noexcept
{
  std::swap(m_Device, other.m_Device);
  std::swap(m_Handle, other.m_Handle);
  return *this;
}

Event::~Event()
{
  if (m_Handle != nullptr && !IsForkedChild()) // in a child the event belongs to the parent
  {
    const DeviceScope scope(m_Device, std::nothrow);
    IgnoreCuda(cudaEventDestroy(m_Handle));
  }
}

void
Event::Record(const Stream & stream)
{
  CheckCuda(cudaEventRecord(m_Handle, stream.Get()), "cudaEventRecord");
}

void
Event::RecordBehind(StreamHandle stream)
{
  // In the same stream this does not wait. The handle of a destroyed stream may be reused for a new one.
  CheckCuda(cudaStreamWaitEvent(stream, m_Handle, 0), "cudaStreamWaitEvent");
  CheckCuda(cudaEventRecord(m_Handle, stream), "cudaEventRecord");
}

void
Event::Synchronize() const
{
  CheckCuda(cudaEventSynchronize(m_Handle), "cudaEventSynchronize");
}

StreamMarks::~StreamMarks()
{
  if (IsForkedChild())
  {
    return; // the streams belong to the parent
  }
  for (const auto & [stream, event] : m_Events)
  {
    try
    {
      event.Synchronize();
    }
    catch (const DeviceError &)
    {
      // A lost device has no work to wait for.
    }
  }
}

void
StreamMarks::Prepare(StreamHandle stream)
{
  RefuseCapture(stream);
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Events[stream];
}

void
StreamMarks::Set(StreamHandle stream)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Events.at(stream).RecordBehind(stream);
}

} // namespace itk::CudaSpline
