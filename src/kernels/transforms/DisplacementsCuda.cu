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
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include "kernels/common/HostCopies.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/transforms/AffineScanlinesCuda.h"
#include "kernels/transforms/DisplacementBackends.h"
#include "kernels/transforms/StagesCuda.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>

namespace itk::CudaSpline
{

namespace
{

/** One thread per vector. */
template <unsigned int VDimension>
__global__ void __launch_bounds__(128)
  DisplacementKernel(const __grid_constant__ EvaluationArguments<VDimension> arguments, std::int64_t lines)
{
  const std::int64_t sample = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  const std::int64_t row = std::int64_t{ blockIdx.y } * blockDim.y + threadIdx.y;
  const std::int64_t line = std::int64_t{ blockIdx.z } * gridDim.y * blockDim.y + row;
  if (sample < arguments.samples && line < lines)
  {
    StoreDisplacement(arguments, line, sample);
  }
}

template <unsigned int VDimension>
void
LaunchDisplacements(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, StreamHandle stream)
{
  constexpr std::int64_t most = 65535; // blocks along the second and third axis of a grid
  const dim3             block(32, 4, 1);
  const std::int64_t     rows = (lines + block.y - 1) / block.y;
  const std::int64_t     down = std::min(rows, most);
  const std::int64_t     deep = (rows + down - 1) / down;
  if (deep > most)
  {
    throw DeviceError(DeviceError::Kind::Other, "A slab of the output has more lines than a grid of blocks can hold.");
  }
  const dim3 grid(static_cast<unsigned int>((arguments.samples + block.x - 1) / block.x),
                  static_cast<unsigned int>(down),
                  static_cast<unsigned int>(deep));
  DisplacementKernel<<<grid, block, 0, stream>>>(arguments, lines);
  CheckCuda(cudaGetLastError(), "DisplacementKernel");
}

/** Computes slabs of scanlines. While a slab is computed, the previous one is copied to the host. */
template <unsigned int VDimension>
void
MakeSlabs(const DisplacementDescriptor & descriptor,
          void *                         output,
          const MemoryPlan &             plan,
          const ExecutionContext &       context)
{
  const std::array<Stream, 2> streams;
  const CopyThreads           threads = CopyThreadsOf(context);
  Uploader                    uploader(threads);
  Downloader                  downloader(threads);
  auto                        arguments = MakeDisplacementArguments<VDimension>(descriptor);
  const DeviceBuffer          table(plan.tableBytes, streams[0]);
  if (descriptor.chain != nullptr)
  {
    UploadStages(*descriptor.chain, static_cast<char *>(table.Data()), uploader, streams[0], arguments);
  }
  else if (descriptor.scanlineEnds != nullptr)
  {
    uploader.Copy(table.Data(), descriptor.scanlineEnds, plan.tableBytes, streams[0]);
  }
  else
  {
    LaunchMoveScanlines(ScanlinesOf<VDimension>(*descriptor.scanlineChain),
                        descriptor.lines,
                        static_cast<ScanlineEnds<VDimension> *>(table.Data()),
                        streams[0]);
  }
  const auto * const                ends = static_cast<const ScanlineEnds<VDimension> *>(table.Data());
  const bool                        isThere = IsInDeviceMemory(output);
  const std::size_t                 slabBytes = isThere ? 0 : plan.slabBytes;
  const std::array<DeviceBuffer, 2> slabs{ DeviceBuffer(slabBytes, streams[0]), DeviceBuffer(slabBytes, streams[1]) };
  streams[0].Synchronize();
  const StreamJoin join(streams[1]); // this stream reads the table, which the first stream frees

  const std::int64_t lineBytes = descriptor.samples * VDimension * static_cast<std::int64_t>(SizeOf(descriptor.output));
  const std::int64_t count = (descriptor.lines + plan.slabLines - 1) / plan.slabLines;
  const auto         memoryOf = [&](std::int64_t slab) {
    return isThere ? static_cast<char *>(output) + slab * plan.slabLines * lineBytes
                           : static_cast<char *>(slabs[static_cast<std::size_t>(slab % 2)].Data());
  };
  for (std::int64_t slab = 0; slab <= count; ++slab)
  {
    if (slab < count)
    {
      const auto         slot = static_cast<std::size_t>(slab % 2);
      const std::int64_t first = slab * plan.slabLines;
      arguments.firstLine = first;
      arguments.ends = ends + (descriptor.chain != nullptr ? 0 : first);
      arguments.output = memoryOf(slab);
      LaunchDisplacements(arguments, std::min(plan.slabLines, descriptor.lines - first), streams[slot].Get());
    }
    if (slab > 0)
    {
      const std::int64_t first = (slab - 1) * plan.slabLines;
      const std::int64_t lines = std::min(plan.slabLines, descriptor.lines - first);
      const auto         slot = static_cast<std::size_t>((slab - 1) % 2);
      downloader.Copy(static_cast<char *>(output) + first * lineBytes,
                      memoryOf(slab - 1),
                      static_cast<std::size_t>(lines * lineBytes),
                      streams[slot]);
      context.Report(static_cast<double>(slab) / static_cast<double>(count));
    }
  }
}

} // namespace

void
MakeDisplacementsOnCuda(const DisplacementDescriptor & descriptor, void * output, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const MemoryPlan  plan = PlanDisplacements(descriptor, AvailableDeviceMemory(context.device));
  if (!plan.fits)
  {
    throw DeviceError(DeviceError::Kind::OutOfMemory, plan.reason);
  }
  DispatchDimension(descriptor.dimension,
                    [&](auto dimension) { MakeSlabs<decltype(dimension)::value>(descriptor, output, plan, context); });
}

} // namespace itk::CudaSpline
