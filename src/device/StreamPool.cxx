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
#include "device/StreamPool.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
struct Pool
{
  std::mutex                               mutex;
  std::map<int, std::vector<cudaStream_t>> ofDevice;
};

/** Never destroyed: at exit the CUDA runtime may be destroyed first. */
Pool &
GetPool()
{
  static Pool * const pool = new Pool;
  return *pool;
}

/** \return null if there is none */
cudaStream_t
TakeKept(int device)
{
  Pool &                            pool = GetPool();
  const std::lock_guard<std::mutex> lock(pool.mutex);
  std::vector<cudaStream_t> &       kept = pool.ofDevice[device];
  if (kept.empty())
  {
    return nullptr;
  }
  auto * const stream = kept.back();
  kept.pop_back();
  return stream;
}

/** \return false if there are enough, or if there is no memory to store it */
bool
Keep(int device, cudaStream_t stream) noexcept
{
  try
  {
    Pool &                            pool = GetPool();
    const std::lock_guard<std::mutex> lock(pool.mutex);
    std::vector<cudaStream_t> &       kept = pool.ofDevice[device];
    if (kept.size() >= MaxKeptStreams)
    {
      return false;
    }
    kept.push_back(stream);
    return true;
  }
  catch (...)
  {
    return false;
  }
}
} // namespace

StreamHandle
TakeStream(int device)
{
  cudaStream_t stream = nullptr;
  if (!IsForkedChild()) // this check comes first: in a child, a thread that only the parent has may hold the lock
  {
    if (!LostDeviceReason().empty())
    {
      ReleaseStreams();
    }
    stream = TakeKept(device);
  }
  if (stream == nullptr)
  {
    // Not blocking: work of other libraries in the legacy default stream does not delay this stream.
    CheckCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  return stream;
}

void
ReturnStream(int device, StreamHandle stream, bool isDone, bool hasFreed) noexcept
{
  if (IsForkedChild())
  {
    return; // the stream belongs to the parent
  }
  const DeviceScope scope(device, std::nothrow);
  if (isDone && hasFreed)
  {
    const cudaError_t error = cudaStreamSynchronize(stream);
    IgnoreCuda(error);
    isDone = error == cudaSuccess;
  }
  if (!isDone || !LostDeviceReason().empty() || !Keep(device, stream))
  {
    IgnoreCuda(cudaStreamDestroy(stream));
  }
}

void
ReleaseStreams() noexcept
{
  if (IsForkedChild())
  {
    return; // the streams belong to the parent
  }
  std::map<int, std::vector<cudaStream_t>> kept;
  {
    const std::lock_guard<std::mutex> lock(GetPool().mutex);
    kept.swap(GetPool().ofDevice);
  }
  for (const auto & [device, streams] : kept)
  {
    const DeviceScope scope(device, std::nothrow);
    for (auto * const stream : streams)
    {
      IgnoreCuda(cudaStreamSynchronize(stream)); // a pool counts memory as free only after a wait
      IgnoreCuda(cudaStreamDestroy(stream));
    }
  }
}

void
RefuseCapture(StreamHandle stream)
{
  auto capture = cudaStreamCaptureStatusNone;
  CheckCuda(cudaStreamIsCapturing(stream, &capture), "cudaStreamIsCapturing");
  if (capture != cudaStreamCaptureStatusNone)
  {
    throw std::invalid_argument(
      "A stream that is being captured into a graph cannot run other work, because its completion cannot be observed.");
  }
}

void
WaitInStream(StreamHandle waiting, StreamHandle other)
{
  RefuseCapture(other);
  cudaEvent_t event = nullptr;
  CheckCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  // Destroyed immediately: the streams keep what they need.
  const auto destroy = [](cudaEvent_t made) { IgnoreCuda(cudaEventDestroy(made)); };
  const std::unique_ptr<CUevent_st, decltype(destroy)> owner(event, destroy);
  CheckCuda(cudaEventRecord(event, other), "cudaEventRecord");
  CheckCuda(cudaStreamWaitEvent(waiting, event, 0), "cudaStreamWaitEvent");
}

} // namespace itk::CudaSpline
