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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceGroup.h"
#include "device/DeviceHealth.h"
#include "device/StreamPool.h"
#include "kernels/common/HostCopies.h"
#include "kernels/common/ResidenceBackends.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <initializer_list>
#include <new>
#include <utility>

namespace itk::CudaSpline
{

std::shared_ptr<const Stream>
MakeResidentStream(const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  return std::make_shared<const Stream>();
}

std::shared_ptr<const DeviceGroup>
MakeDeviceGroup(int device, const std::shared_ptr<const Stream> & stream, const std::vector<int> & others)
{
  return std::make_shared<const DeviceGroup>(device, stream, others);
}

bool
CanShareMemory(const std::vector<int> & devices)
{
  return DeviceGroup::CanShareMemory(devices);
}

bool
IsForAllDevices(const void * memory, const Residence & residence)
{
  return residence.GetGroup() == nullptr || residence.GetGroup()->IsMapped(memory);
}

std::unique_ptr<void, std::function<void(void *)>>
AllocateOnDevice(std::size_t bytes, const Residence & residence, const std::vector<std::size_t> & starts)
{
  if (residence.GetGroup() != nullptr)
  {
    return DeviceGroup::Allocate(bytes, starts, residence.GetGroup());
  }
  const DeviceScope scope(residence.GetContext().device);
  auto              buffer = std::make_shared<DeviceBuffer>(bytes, residence.GetStream());
  void * const      data = buffer->Data();
  return { data, [owner = std::move(buffer)](void *) mutable { owner.reset(); } };
}

void
WaitOnDevice(const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  residence.GetStream().Synchronize();
  if (residence.GetGroup() != nullptr)
  {
    residence.GetGroup()->Wait(); // the stream has waited for the others; this reports their errors
  }
}

void
FollowOnDevice(StreamHandle stream, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  WaitInStream(residence.GetStream().Get(), stream);
}

void
UploadToDevice(void * to, const void * fromHost, std::size_t bytes, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  Uploader          uploader(CopyThreadsOf(residence.GetContext()));
  uploader.Copy(to, fromHost, bytes, residence.GetStream());
}

void
DownloadFromDevice(void * toHost, const void * from, std::size_t bytes, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  DownloadThroughStaging(toHost, from, bytes, residence.GetStream(), CopyThreadsOf(residence.GetContext()));
  if (residence.GetGroup() != nullptr)
  {
    residence.GetGroup()->Wait();
  }
}

namespace
{
/** Enqueues an operation on bytes: on all devices, each in its own memory, if all of them map the arrays. */
template <typename TEnqueue>
void
EnqueueBytes(std::initializer_list<const void *> arrays,
             std::size_t                         bytes,
             const Residence &                   residence,
             const TEnqueue &                    enqueue)
{
  const DeviceGroup * const group = residence.GetGroup().get();
  const auto                isForAll = [&](const void * array) { return IsForAllDevices(array, residence); };
  if (group == nullptr || bytes < MinStripedBytes || !std::all_of(arrays.begin(), arrays.end(), isForAll))
  {
    const DeviceScope scope(residence.GetContext().device);
    enqueue(0, bytes, residence.GetStream().Get());
    return;
  }
  constexpr std::size_t page = std::size_t(1) << 21; // usual granularity of device memory
  group->Run(static_cast<std::int64_t>((bytes + page - 1) / page), [&](const DeviceShare & share) {
    const std::size_t first = static_cast<std::size_t>(share.items.first) * page;
    enqueue(first, std::min(static_cast<std::size_t>(share.items.count) * page, bytes - first), share.stream.Get());
  });
}
} // namespace

void
CopyOnDevice(void * to, const void * from, std::size_t bytes, const Residence & residence)
{
  EnqueueBytes({ to, from }, bytes, residence, [=](std::size_t first, std::size_t count, StreamHandle stream) {
    CheckCuda(cudaMemcpyAsync(static_cast<char *>(to) + first,
                              static_cast<const char *>(from) + first,
                              count,
                              cudaMemcpyDeviceToDevice,
                              stream),
              "cudaMemcpyAsync");
  });
}

void
ClearOnDevice(void * to, std::size_t bytes, const Residence & residence)
{
  EnqueueBytes({ to }, bytes, residence, [=](std::size_t first, std::size_t count, StreamHandle stream) {
    CheckCuda(cudaMemsetAsync(static_cast<char *>(to) + first, 0, count, stream), "cudaMemsetAsync");
  });
}

namespace
{
/** Owns a recorded graph. */
struct Graph
{
  int             device;
  cudaGraph_t     recorded{ nullptr };
  cudaGraphExec_t executable{ nullptr };

  explicit Graph(int number)
    : device(number)
  {}
  Graph(const Graph &) = delete;
  Graph &
  operator=(const Graph &) = delete;
  ~Graph()
  {
    const DeviceScope scope(device, std::nothrow);
    if (executable != nullptr)
    {
      IgnoreCuda(cudaGraphExecDestroy(executable));
    }
    if (recorded != nullptr)
    {
      IgnoreCuda(cudaGraphDestroy(recorded));
    }
  }
};
} // namespace

std::shared_ptr<const void>
RecordOnDevice(const std::function<void()> & enqueue, const Residence & residence)
{
  const DeviceScope  scope(residence.GetContext().device);
  const StreamHandle stream = residence.GetStream().Get();
  auto               graph = std::make_shared<Graph>(residence.GetContext().device);
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try
  {
    enqueue();
  }
  catch (...)
  {
    IgnoreCuda(cudaStreamEndCapture(stream, &graph->recorded)); // makes the stream usable again
    throw;
  }
  CheckCuda(cudaStreamEndCapture(stream, &graph->recorded), "cudaStreamEndCapture");
  CheckCuda(cudaGraphInstantiate(&graph->executable, graph->recorded, 0), "cudaGraphInstantiate");
  return graph;
}

void
LaunchOnDevice(const std::shared_ptr<const void> & graph, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  CheckCuda(cudaGraphLaunch(static_cast<const Graph *>(graph.get())->executable, residence.GetStream().Get()),
            "cudaGraphLaunch");
}

} // namespace itk::CudaSpline
