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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** Calls \p body for each piece of \p bytes, on at most as many lanes as there are pieces. Each lane takes the next
 * piece. */
template <typename TBody>
void
ForPieces(const CopyThreads & threads, unsigned int lanes, std::size_t bytes, const TBody & body)
{
  std::atomic<std::size_t> next{ 0 };
  const auto               take = [&next, bytes](std::size_t & at, std::size_t & length) {
    at = next.fetch_add(StagingBytes, std::memory_order_relaxed);
    length = at < bytes ? std::min(StagingBytes, bytes - at) : 0;
    return length > 0;
  };
  if (lanes == 1 || !threads.run)
  {
    body(0, take);
    return;
  }
  int device = 0; // a thread of the pool has its own current device
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  threads.run(lanes, [&](unsigned int lane) {
    const DeviceScope scope(device);
    body(lane, take);
  });
}
} // namespace

bool
IsInDeviceMemory(const void * memory)
{
  cudaPointerAttributes attributes{};
  CheckCuda(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeDevice;
}

StagingLanes::StagingLanes(CopyThreads threads)
  : m_Threads(std::move(threads))
{}

StagingLanes::~StagingLanes()
{
  // The buffers return to the pool: no operation may read or write them any more.
  for (const Lane & lane : m_Lanes)
  {
    for (const Event & passed : lane.passed)
    {
      try
      {
        passed.Synchronize();
      }
      catch (const DeviceError &)
      {
        // A lost device does not copy any more.
      }
    }
  }
}

unsigned int
StagingLanes::Prepare(std::size_t bytes)
{
  const std::size_t pieces = (bytes + StagingBytes - 1) / StagingBytes;
  const auto        lanes =
    static_cast<unsigned int>(std::clamp<std::size_t>(pieces, 1, std::clamp(m_Threads.count, 1U, MaximumCopyLanes)));
  while (m_Lanes.size() < lanes)
  {
    Lane lane;
    for (PinnedBuffer & buffer : lane.buffers)
    {
      buffer = PinnedBuffer(StagingBytes);
    }
    m_Lanes.push_back(std::move(lane));
  }
  return lanes;
}

void
Uploader::Copy(void * device, const void * host, std::size_t bytes, const Stream & stream)
{
  if (IsInDeviceMemory(host))
  {
    CheckCuda(cudaMemcpyAsync(device, host, bytes, cudaMemcpyDeviceToDevice, stream.Get()), "cudaMemcpyAsync");
    return;
  }
  this->Copy(
    host,
    bytes,
    [&stream](unsigned int) -> const Stream & { return stream; },
    [device, &stream](const void * staged, std::size_t at, std::size_t length, unsigned int) {
      CheckCuda(cudaMemcpyAsync(static_cast<char *>(device) + at, staged, length, cudaMemcpyHostToDevice, stream.Get()),
                "cudaMemcpyAsync");
    });
}

void
Uploader::Copy(const void * host, std::size_t bytes, const StreamOfLane & streamOf, const Enqueue & enqueue)
{
  const unsigned int lanes = m_Staging.Prepare(bytes);
  ForPieces(m_Staging.GetThreads(), lanes, bytes, [&](unsigned int number, const auto & take) {
    StagingLanes::Lane & lane = m_Staging.GetLane(number);
    std::size_t          at = 0;
    std::size_t          length = 0;
    while (take(at, length))
    {
      void * const staged = lane.buffers[lane.next].Data();
      lane.passed[lane.next].Synchronize(); // the previous content of the buffer has been transferred
      std::memcpy(staged, static_cast<const char *>(host) + at, length);
      enqueue(staged, at, length, number);
      lane.passed[lane.next].Record(streamOf(number));
      lane.next = 1 - lane.next;
    }
  });
}

void
Downloader::Copy(void * host, const void * device, std::size_t bytes, const Stream & stream)
{
  if (host == device)
  {
    stream.Synchronize(); // it was computed in that stream
    return;
  }
  if (IsInDeviceMemory(host))
  {
    CheckCuda(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToDevice, stream.Get()), "cudaMemcpyAsync");
    stream.Synchronize();
    return;
  }
  const unsigned int lanes = m_Staging.Prepare(bytes);
  if (bytes <= StagingBytes)
  {
    // Nothing overlaps. Waiting for the stream wakes this thread some ten microseconds sooner than waiting for an
    // event.
    void * const staged = m_Staging.GetLane(0).buffers[0].Data();
    CheckCuda(cudaMemcpyAsync(staged, device, bytes, cudaMemcpyDeviceToHost, stream.Get()), "cudaMemcpyAsync");
    stream.Synchronize();
    std::memcpy(host, staged, bytes);
    return;
  }
  ForPieces(m_Staging.GetThreads(), lanes, bytes, [&](unsigned int number, const auto & take) {
    StagingLanes::Lane & lane = m_Staging.GetLane(number);
    std::size_t          at = 0;
    std::size_t          length = 0;
    std::size_t          lastAt = 0;
    std::size_t          lastLength = 0; // of the piece that is being transferred
    bool                 more = true;
    while (more || lastLength > 0)
    {
      more = more && take(at, length);
      if (more)
      {
        CheckCuda(cudaMemcpyAsync(lane.buffers[lane.next].Data(),
                                  static_cast<const char *>(device) + at,
                                  length,
                                  cudaMemcpyDeviceToHost,
                                  stream.Get()),
                  "cudaMemcpyAsync");
        lane.passed[lane.next].Record(stream);
      }
      if (lastLength > 0)
      {
        lane.passed[1 - lane.next].Synchronize();
        std::memcpy(static_cast<char *>(host) + lastAt, lane.buffers[1 - lane.next].Data(), lastLength);
      }
      lastAt = at;
      lastLength = more ? length : 0;
      lane.next = 1 - lane.next;
    }
  });
}

void
DownloadThroughStaging(void *              host,
                       const void *        device,
                       std::size_t         bytes,
                       const Stream &      stream,
                       const CopyThreads & threads)
{
  Downloader(threads).Copy(host, device, bytes, stream);
}

} // namespace itk::CudaSpline
