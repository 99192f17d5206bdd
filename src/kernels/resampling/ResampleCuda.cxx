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
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include "device/StreamPool.h"
#include "kernels/coefficients/DeviceArrayBackends.h"
#include "kernels/common/HostCopies.h"
#include "kernels/evaluation/EvaluationCuda.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/resampling/GatherSource.h"
#include "kernels/resampling/MapShape.h"
#include "kernels/resampling/PlanScanlines.h"
#include "kernels/resampling/ResampleBackends.h"
#include "kernels/transforms/AffineScanlinesCuda.h"
#include "kernels/transforms/StagesCuda.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Points of the samples of a slab, in device memory. SetSlab() sets the arguments that differ between slabs. */
template <unsigned int VDimension>
class SlabCoordinates
{
public:
  SlabCoordinates(const ResampleDescriptor &        descriptor,
                  const MemoryPlan &                plan,
                  const Stream &                    stream,
                  Uploader &                        uploader,
                  EvaluationArguments<VDimension> & arguments)
    : m_Descriptor(descriptor)
    , m_Table(plan.tableBytes, stream)
    , m_Arguments(arguments)
  {
    char * at = static_cast<char *>(m_Table.Data());
    if (descriptor.chain != nullptr)
    {
      UploadStages(*descriptor.chain, at, uploader, stream, arguments);
    }
    else if (MakesScanlinesOnDevice(descriptor))
    {
      const AffineScanlines<VDimension> scanlines = ScanlinesOf<VDimension>(*descriptor.scanlineChain);
      auto * const                      ends = reinterpret_cast<ScanlineEnds<VDimension> *>(at);
      auto * const                      alphas = reinterpret_cast<double *>(ends + descriptor.lines);
      LaunchMapScanlines(scanlines, descriptor.lines, ends, alphas, stream);
      arguments.alphas = alphas;
      m_Ends = ends;
    }
    else if (!descriptor.indexProvider)
    {
      const auto          number = static_cast<std::size_t>(descriptor.samples);
      const std::size_t   endBytes = plan.tableBytes - number * sizeof(double);
      std::vector<double> alphas(number);
      for (std::size_t i = 0; i < number; ++i)
      {
        alphas[i] = static_cast<double>(descriptor.lineOffset + static_cast<std::int64_t>(i)) / arguments.lineLength;
      }
      uploader.Copy(at, descriptor.scanlineEnds, endBytes, stream);
      uploader.Copy(at + endBytes, alphas.data(), number * sizeof(double), stream);
      arguments.alphas = reinterpret_cast<const double *>(at + endBytes);
      m_Ends = reinterpret_cast<const ScanlineEnds<VDimension> *>(at);
    }
    else
    {
      arguments.coordinates = Coordinates::Indices;
      arguments.pointType = ScalarType::Float64;
    }
  }

  /** Sets the arguments of a slab. If the host computes the indices, they follow the output of the slab.
   *
   * \param[in] first first line
   * \param[in] lines number of lines
   * \param[in] indices memory for them on the device */
  void
  SetSlab(std::int64_t             first,
          std::int64_t             lines,
          void *                   indices,
          const Stream &           stream,
          Uploader &               uploader,
          const ExecutionContext & context)
  {
    m_Arguments.firstLine = first;
    m_Arguments.ends = m_Ends + (m_Ends != nullptr ? first : 0);
    if (m_Descriptor.indexProvider)
    {
      // While the device processes the previous slab.
      const std::int64_t lineNumbers = m_Descriptor.samples * VDimension;
      m_Indices.resize(static_cast<std::size_t>(lines * lineNumbers));
      context.ParallelFor(lines, [&](std::int64_t begin, std::int64_t end) {
        m_Descriptor.indexProvider(first + begin, end - begin, m_Indices.data() + begin * lineNumbers);
      });
      uploader.Copy(indices, m_Indices.data(), m_Indices.size() * sizeof(double), stream);
      m_Arguments.points = indices;
    }
  }

private:
  const ResampleDescriptor &        m_Descriptor;
  DeviceBuffer                      m_Table;
  EvaluationArguments<VDimension> & m_Arguments;
  const ScanlineEnds<VDimension> *  m_Ends{ nullptr };
  std::vector<double>               m_Indices;
};

/** Sets the lane axis, the steps and the tiles of a resampling along scanlines. */
template <unsigned int VDimension>
void
PlanLines(const ResampleDescriptor &        descriptor,
          const SourceDescriptor &          source,
          const ExecutionContext &          context,
          EvaluationArguments<VDimension> & arguments)
{
  if (MakesScanlinesOnDevice(descriptor))
  {
    PlanScanlines(descriptor, source, ScanlinesOf<VDimension>(*descriptor.scanlineChain), arguments);
    return;
  }
  arguments.tiles = PlanMapTiles(descriptor, source, context); // MakeResampleArguments() has set all others
}

/** Enqueues the copy of a default pixel with several components. The buffer is empty if there is none. */
DeviceBuffer
UploadDefaults(const ResampleDescriptor & descriptor,
               const SampleSource &       source,
               const Stream &             stream,
               Uploader &                 uploader)
{
  const std::size_t bytes =
    descriptor.defaultPixels != nullptr ? source.GetDescriptor().components * sizeof(std::uint64_t) : 0;
  DeviceBuffer defaults(bytes, stream);
  if (bytes > 0)
  {
    uploader.Copy(defaults.Data(), descriptor.defaultPixels, bytes, stream);
  }
  return defaults;
}

/** Computes slabs of scanlines. While a slab is computed, the previous one is copied to the host. */
template <unsigned int VDimension>
void
ResampleSlabs(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              const GatherTexture *      gathered,
              void *                     output,
              const MemoryPlan &         plan,
              const ExecutionContext &   context)
{
  // One stream per slab buffer.
  const std::array<Stream, 2> streams;
  const CopyThreads           threads = CopyThreadsOf(context);
  std::array<Uploader, 2>     uploaders{ Uploader(threads), Uploader(threads) };
  Downloader                  downloader(threads);
  auto                        arguments = MakeResampleArguments<VDimension>(descriptor, source);
  PlanLines(descriptor, source.GetDescriptor(), context, arguments);
  if (gathered != nullptr)
  {
    arguments.texture = gathered->Get();
  }
  SlabCoordinates<VDimension> coordinates(descriptor, plan, streams[0], uploaders[0], arguments);
  const DeviceBuffer          defaults = UploadDefaults(descriptor, source, streams[0], uploaders[0]);
  arguments.defaultPixels = static_cast<const std::uint64_t *>(defaults.Data());
  const bool                        isThere = IsInDeviceMemory(output);
  const std::size_t                 slabBytes = isThere && !descriptor.indexProvider ? 0 : plan.slabBytes;
  const std::array<DeviceBuffer, 2> slabs{ DeviceBuffer(slabBytes, streams[0]), DeviceBuffer(slabBytes, streams[1]) };
  streams[0].Synchronize();
  const StreamJoin join(streams[1]); // this stream reads the table, which the first stream frees

  const std::int64_t lineBytes =
    descriptor.samples * arguments.components * static_cast<std::int64_t>(SizeOf(descriptor.output));
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
      const std::int64_t lines = std::min(plan.slabLines, descriptor.lines - first);
      char * const       memory = static_cast<char *>(slabs[slot].Data());
      // Indices are doubles, so they begin at a multiple of eight bytes.
      coordinates.SetSlab(
        first, lines, memory + (plan.slabLines * lineBytes + 7) / 8 * 8, streams[slot], uploaders[slot], context);
      arguments.output = memoryOf(slab);
      arguments.count = lines * arguments.samples;
      LaunchEvaluation(
        descriptor.interpolation, source.GetDescriptor(), Derivatives::None, arguments, lines, streams[slot].Get());
    }
    if (slab > 0)
    {
      const std::int64_t first = (slab - 1) * plan.slabLines;
      const std::int64_t lines = std::min(plan.slabLines, descriptor.lines - first);
      downloader.Copy(static_cast<char *>(output) + first * lineBytes,
                      memoryOf(slab - 1),
                      static_cast<std::size_t>(lines * lineBytes),
                      streams[(slab - 1) % 2]);
      context.Report(static_cast<double>(slab) / static_cast<double>(count));
    }
  }
}

/** The allocations of a resampling, and the texture from which its source is gathered. */
struct DevicePlan
{
  MemoryPlan            memory;
  const GatherTexture * gathered;
};

/** A plan, and the device memory that remains. */
struct PlanAndSpare
{
  MemoryPlan  plan;
  std::size_t spare;
};

/** \exception DeviceError the memory is too small */
PlanAndSpare
PlanWithin(const ResampleDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  // The sources exist already: only memory that is allocated here counts against the free memory.
  const SourceDescriptor &   samples = source.GetDescriptor();
  const SampleSource * const beyond = descriptor.extrapolation != &source ? descriptor.extrapolation : nullptr;
  const std::size_t          outside = beyond != nullptr ? beyond->GetDescriptor().Bytes() : 0;
  std::size_t                available = AvailableDeviceMemory(context.device, samples.Bytes() + outside);
  available = context.memoryLimit > 0 ? std::min(available, context.memoryLimit) : available;
  available -= std::min(available, outside);
  const MemoryPlan plan = PlanResample(samples, descriptor, available, true);
  if (!plan.fits)
  {
    throw DeviceError(DeviceError::Kind::OutOfMemory, plan.reason);
  }
  return { plan, available - std::min(available, plan.PeakBytes()) };
}

/** \exception DeviceError the memory is too small */
DevicePlan
PlanOnDevice(const ResampleDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  const PlanAndSpare found = PlanWithin(descriptor, source, context);
  return { found.plan, GatherTextureOf(descriptor, source, [&found] { return found.spare; }) };
}

/** The same if the output exists already, so that only a table is allocated. Free memory is queried only if the table
 * is large, or if there is a limit: the query takes as long as the kernel of a small image.
 *
 * \exception DeviceError the memory is too small */
DevicePlan
PlanInPlace(const ResampleDescriptor & descriptor,
            const SampleSource &       source,
            const Stream &             stream,
            const ExecutionContext &   context)
{
  constexpr std::size_t largest = std::size_t{ 64 } << 20;
  const char * const    limit = std::getenv("CUDASPLINE_MEMORY_LIMIT");
  const MemoryPlan      plan =
    PlanResample(source.GetDescriptor(), descriptor, std::numeric_limits<std::size_t>::max(), true);
  if (!plan.fits || plan.tableBytes > largest || context.memoryLimit > 0 || (limit != nullptr && *limit != '\0'))
  {
    RefuseCapture(stream.Get());
    stream.Synchronize(); // memory that the stream frees is then available
    return PlanOnDevice(descriptor, source, context);
  }
  return { plan, GatherTextureOf(descriptor, source, [&] {
             stream.Synchronize(); // the pixels of the texture are then complete
             return PlanWithin(descriptor, source, context).spare;
           }) };
}

/** Computes the whole output at once into an array on the device.
 *
 * \param[in] waits whether the result is complete on return, not only enqueued */
template <unsigned int VDimension>
void
ResampleInPlace(const ResampleDescriptor & descriptor,
                const SampleSource &       source,
                const DevicePlan &         plan,
                void *                     output,
                const Stream &             stream,
                bool                       waits,
                const ExecutionContext &   context)
{
  Uploader uploader(CopyThreadsOf(context));
  auto     arguments = MakeResampleArguments<VDimension>(descriptor, source);
  if (plan.gathered != nullptr)
  {
    arguments.texture = plan.gathered->Get();
  }
  const DeviceBuffer defaults = UploadDefaults(descriptor, source, stream, uploader);
  arguments.defaultPixels = static_cast<const std::uint64_t *>(defaults.Data());
  PlanLines(descriptor, source.GetDescriptor(), context, arguments);
  SlabCoordinates<VDimension> coordinates(descriptor, plan.memory, stream, uploader, arguments);
  coordinates.SetSlab(0, descriptor.lines, nullptr, stream, uploader, context);
  arguments.output = output;
  arguments.count = descriptor.lines * arguments.samples;
  EnqueueReading(source, stream, [&] {
    LaunchEvaluation(
      descriptor.interpolation, source.GetDescriptor(), Derivatives::None, arguments, descriptor.lines, stream.Get());
  });
  if (waits)
  {
    stream.Synchronize();
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
  const DevicePlan  plan = PlanOnDevice(descriptor, source, context);
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    ResampleSlabs<decltype(dimension)::value>(descriptor, source, plan.gathered, output, plan.memory, context);
  });
}

void
ResampleArrayOnCuda(const ResampleDescriptor & descriptor,
                    const SampleSource &       source,
                    void *                     output,
                    StreamHandle               caller,
                    DeviceWork &               work,
                    const ExecutionContext &   context)
{
  const Stream &     stream = work.StreamAfter(caller);
  const bool         isAffine = descriptor.chain != nullptr && HasAffineScanlines(*descriptor.chain);
  ResampleDescriptor described = descriptor;
  described.chain = isAffine ? nullptr : descriptor.chain;
  described.scanlineChain = isAffine ? descriptor.chain : nullptr;
  // Host memory is read before this function returns.
  const bool waits = caller == nullptr || !isAffine || descriptor.defaultPixels != nullptr;
  if (waits || !source.IsFreedInOrderOf(caller))
  {
    RefuseCapture(caller);
  }
  const DevicePlan plan = PlanInPlace(described, source, stream, context);
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    ResampleInPlace<decltype(dimension)::value>(described, source, plan, output, stream, waits, context);
  });
}

} // namespace itk::CudaSpline
