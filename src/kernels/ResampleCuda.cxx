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
#include "itkCudaSpline/kernels/MemoryPlan.h"

#include "kernels/EvaluationBackends.h"
#include "kernels/EvaluationCuda.h"
#include "kernels/HostCopies.h"
#include "kernels/MethodDispatch.h"

#include <algorithm>
#include <array>

namespace itk::CudaSpline
{

namespace
{

/** Slabs of scanlines: while one is computed, the one before travels to the host. */
template <unsigned int VDimension>
void
ResampleSlabs(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              void *                     output,
              const MemoryPlan &         plan,
              const ExecutionContext &   context)
{
  // One stream a slab buffer.
  const std::array<Stream, 2> streams;
  const DeviceBuffer          table(plan.tableBytes, streams[0]);
  const HostCopy              copy = ParallelHostCopy(context);
  {
    Uploader uploader(copy);
    uploader.Copy(table.Data(), descriptor.scanlineEnds, plan.tableBytes, streams[0]);
  }
  const std::array<DeviceBuffer, 2> slabs{ DeviceBuffer(plan.slabBytes, streams[0]),
                                           DeviceBuffer(plan.slabBytes, streams[1]) };
  streams[0].Synchronize();
  const StreamJoin join(streams[1]); // it reads the table, which the first stream frees

  const std::int64_t lineBytes = descriptor.samples * static_cast<std::int64_t>(SizeOf(descriptor.output));
  const std::int64_t count = (descriptor.lines + plan.slabLines - 1) / plan.slabLines;
  auto               arguments = MakeResampleArguments<VDimension>(descriptor, source);
  for (std::int64_t slab = 0; slab <= count; ++slab)
  {
    if (slab < count)
    {
      const std::int64_t first = slab * plan.slabLines;
      arguments.ends = static_cast<const ScanlineEnds<VDimension> *>(table.Data()) + first;
      arguments.output = slabs[slab % 2].Data();
      const std::int64_t lines = std::min(plan.slabLines, descriptor.lines - first);
      arguments.count = lines * arguments.samples;
      LaunchEvaluation(
        descriptor.interpolation, source.GetDescriptor(), Derivatives::None, arguments, lines, streams[slab % 2].Get());
    }
    if (slab > 0)
    {
      const std::int64_t first = (slab - 1) * plan.slabLines;
      const std::int64_t lines = std::min(plan.slabLines, descriptor.lines - first);
      DownloadThroughStaging(static_cast<char *>(output) + first * lineBytes,
                             slabs[(slab - 1) % 2].Data(),
                             static_cast<std::size_t>(lines * lineBytes),
                             streams[(slab - 1) % 2],
                             copy);
      context.Report(static_cast<double>(slab) / static_cast<double>(count));
    }
  }
}

} // namespace

void
ResampleOnCuda(const ResampleDescriptor & descriptor,
               const SampleSource &       source,
               void *                     output,
               const ExecutionContext &   context)
{
  const DeviceScope scope(context.device);
  // The source is there already: only what is allocated here counts against the free memory.
  const SourceDescriptor & samples = source.GetDescriptor();
  const MemoryPlan         plan =
    PlanResample(samples, descriptor, AvailableDeviceMemory(context.device, samples.Bytes()), true);
  if (!plan.fits)
  {
    throw DeviceError(DeviceError::Kind::OutOfMemory, plan.reason);
  }
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    ResampleSlabs<decltype(dimension)::value>(descriptor, source, output, plan, context);
  });
}

} // namespace itk::CudaSpline
