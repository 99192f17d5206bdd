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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/coefficients/DeviceArrayBackends.h"
#include "kernels/common/HostCopies.h"
#include "kernels/evaluation/EvaluationBackends.h"
#include "kernels/evaluation/EvaluationCuda.h"
#include "kernels/evaluation/MethodDispatch.h"

#include <algorithm>
#include <array>

namespace itk::CudaSpline
{

namespace
{

/** An array of results: its host memory, and its bytes per point. The memory is null if the results are not requested.
 */
struct ResultArray
{
  char *       host{ nullptr };
  std::int64_t bytes{ 0 };
};

/** The arrays of results in the order of the buffer. The widest elements are first, so that all arrays are aligned. */
std::array<ResultArray, 4>
ResultArrays(const PointsDescriptor & descriptor, unsigned int dimension)
{
  const auto element = static_cast<std::int64_t>(SizeOf(descriptor.output));
  const auto array = [](void * host, std::int64_t bytes) {
    return ResultArray{ static_cast<char *>(host), host != nullptr ? bytes : 0 };
  };
  return { array(descriptor.hessians, element * SymmetricEntries(dimension)),
           array(descriptor.gradients, element * dimension),
           array(descriptor.values, element),
           array(descriptor.inside, 1) };
}

/** Evaluates host arrays. While the results of a chunk of points are copied to the host, the next one is computed. */
template <unsigned int VDimension>
void
SampleChunks(const PointsDescriptor & descriptor,
             const SampleSource &     source,
             const MemoryPlan &       plan,
             const ExecutionContext & context)
{
  const std::array<Stream, 2>       streams;
  const std::array<DeviceBuffer, 2> buffers{ DeviceBuffer(plan.slabBytes, streams[0]),
                                             DeviceBuffer(plan.slabBytes, streams[1]) };
  const CopyThreads                 threads = CopyThreadsOf(context);
  std::array<Uploader, 2>           uploaders{ Uploader(threads), Uploader(threads) };
  Downloader                        downloader(threads);
  const auto                        pointBytes = static_cast<std::int64_t>(SizeOf(descriptor.pointType)) * VDimension;
  const auto                        results = ResultArrays(descriptor, VDimension);
  auto                              arguments = MakePointsArguments<VDimension>(descriptor, source);

  const std::int64_t chunks = (descriptor.count + plan.slabLines - 1) / plan.slabLines;
  for (std::int64_t chunk = 0; chunk <= chunks; ++chunk)
  {
    const auto slot = static_cast<std::size_t>(chunk % 2);
    if (chunk < chunks)
    {
      const std::int64_t first = chunk * plan.slabLines;
      arguments.count = std::min(plan.slabLines, descriptor.count - first);
      char * at = static_cast<char *>(buffers[slot].Data());
      uploaders[slot].Copy(at,
                           static_cast<const char *>(descriptor.points) + first * pointBytes,
                           static_cast<std::size_t>(arguments.count * pointBytes),
                           streams[slot]);
      arguments.points = at;
      at += plan.slabLines * pointBytes;
      std::array<char *, 4> device{};
      for (std::size_t i = 0; i < results.size(); ++i)
      {
        device[i] = results[i].host != nullptr ? at : nullptr;
        at += plan.slabLines * results[i].bytes;
      }
      arguments.hessians = device[0];
      arguments.gradients = device[1];
      arguments.output = device[2];
      arguments.inside = reinterpret_cast<std::uint8_t *>(device[3]);
      LaunchEvaluation(descriptor.interpolation,
                       source.GetDescriptor(),
                       descriptor.derivatives,
                       arguments,
                       LinesOfPoints(arguments.count),
                       streams[slot].Get());
    }
    if (chunk > 0)
    {
      const std::int64_t first = (chunk - 1) * plan.slabLines;
      const std::int64_t count = std::min(plan.slabLines, descriptor.count - first);
      const char *       at = static_cast<const char *>(buffers[1 - slot].Data()) + plan.slabLines * pointBytes;
      for (const ResultArray & result : results)
      {
        if (result.host != nullptr)
        {
          downloader.Copy(
            result.host + first * result.bytes, at, static_cast<std::size_t>(count * result.bytes), streams[1 - slot]);
        }
        at += plan.slabLines * result.bytes;
      }
      context.Report(static_cast<double>(chunk) / static_cast<double>(chunks));
    }
  }
}

/** Evaluates device arrays with one launch in the stream of the caller. The source is freed after it. */
template <unsigned int VDimension>
void
SampleInPlace(const PointsDescriptor & descriptor, const SampleSource & source)
{
  const Stream       stream = Stream::Of(static_cast<StreamHandle>(descriptor.stream));
  const bool         isMasked = MakesUnwantedValues(descriptor);
  const DeviceBuffer unwanted(isMasked ? static_cast<std::size_t>(descriptor.count) * SizeOf(descriptor.output) : 0,
                              stream);
  auto arguments = MakePointsArguments<VDimension>(descriptor, source);
  arguments.points = descriptor.points;
  arguments.output = isMasked ? unwanted.Data() : descriptor.values;
  arguments.gradients = descriptor.gradients;
  arguments.hessians = descriptor.hessians;
  arguments.inside = descriptor.inside;
  arguments.count = descriptor.count;
  EnqueueReading(source, stream, [&] {
    LaunchEvaluation(descriptor.interpolation,
                     source.GetDescriptor(),
                     descriptor.derivatives,
                     arguments,
                     LinesOfPoints(descriptor.count),
                     stream.Get());
  });
  stream.SynchronizeIfDefault();
}

} // namespace

void
SamplePointsOnCuda(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    if (descriptor.onDevice)
    {
      SampleInPlace<VDimension>(descriptor, source);
      return;
    }
    const std::size_t present = source.GetDescriptor().Bytes();
    const MemoryPlan  plan =
      PlanPoints(source.GetDescriptor(), descriptor, AvailableDeviceMemory(context.device, present));
    if (!plan.fits)
    {
      throw DeviceError(DeviceError::Kind::OutOfMemory, plan.reason);
    }
    SampleChunks<VDimension>(descriptor, source, plan, context);
  });
}

} // namespace itk::CudaSpline
