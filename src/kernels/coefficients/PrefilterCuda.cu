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
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/LineFilterCuda.h"
#include "kernels/coefficients/PixelsCuda.h"
#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/coefficients/StoreCoefficients.h"
#include "kernels/common/HostCopies.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Number of streams that convert pieces: one piece is copied while others are converted. */
constexpr std::size_t ConversionStreams = 4;

/** Minimum number of bytes for which several streams pay. */
constexpr std::size_t BytesForStreams = 16 * StagingBytes;

/** Copies samples to the device as real elements. They are copied without conversion, and converted there piece by
 * piece.
 *
 * \param[in] descriptor of the data on the device: its number of samples is the distance between planes
 * \param[in] pixels the first sample
 * \param[in] count samples, each with all of its components
 * \param[out] elements position of the first sample in the first plane
 * \param[in] own number of additional streams; 0: none. The work in \p stream is completed before their work begins,
 * and their work is completed on return */
template <typename TReal>
void
UploadAsReal(const SourceDescriptor & descriptor,
             const void *             pixels,
             std::int64_t             count,
             TReal *                  elements,
             const ExecutionContext & context,
             const Stream &           stream,
             Uploader &               uploader,
             std::size_t              own = 0)
{
  const std::size_t size = SizeOf(descriptor.pixel);
  const std::size_t bytes = static_cast<std::size_t>(count) * descriptor.components * size;
  const bool        convert = IsConverted(descriptor);
  if (convert && IsInDeviceMemory(pixels))
  {
    LaunchConvert(pixels, descriptor, 0, count * descriptor.components, elements, stream);
    context.Report(1.0);
    return;
  }
  const DeviceBuffer raw(convert ? RawBytes(bytes) : 0, stream); // a piece for each lane
  if (own > 0)
  {
    stream.Synchronize(); // memory that was allocated in this stream is used in the others
  }
  const std::vector<Stream> streams(own); // a lane always uses the same one
  const auto                streamOf = [&](unsigned int lane) -> const Stream & {
    return streams.empty() ? stream : streams[lane % streams.size()];
  };
  for (std::size_t begin = 0; begin < bytes; begin += TransferChunkBytes)
  {
    const std::size_t  length = std::min(TransferChunkBytes, bytes - begin);
    const char * const from = static_cast<const char *>(pixels) + begin;
    if (convert)
    {
      uploader.Copy(
        from, length, streamOf, [&](const void * staged, std::size_t at, std::size_t pieceBytes, unsigned int lane) {
          char * const piece = static_cast<char *>(raw.Data()) + lane * StagingBytes;
          CheckCuda(cudaMemcpyAsync(piece, staged, pieceBytes, cudaMemcpyHostToDevice, streamOf(lane).Get()),
                    "cudaMemcpyAsync");
          LaunchConvert(piece,
                        descriptor,
                        static_cast<std::int64_t>((begin + at) / size),
                        static_cast<std::int64_t>(pieceBytes / size),
                        elements,
                        streamOf(lane));
        });
    }
    else
    {
      uploader.Copy(reinterpret_cast<char *>(elements) + begin, from, length, stream);
    }
    context.Report(static_cast<double>(begin + length) / static_cast<double>(bytes));
  }
  for (const Stream & lane : streams) // reports failures of the streams, which their destructors would ignore
  {
    lane.Synchronize();
  }
}

/** Returns elements of real type on the device, filtered if the descriptor requests it. */
template <typename TReal>
DeviceBuffer
MakeRealElements(const SourceDescriptor & descriptor,
                 const void *             pixels,
                 const ExecutionContext & context,
                 const Stream &           stream,
                 Uploader &               uploader)
{
  DeviceBuffer  elements(descriptor.ElementBytes(), stream);
  TReal * const samples = static_cast<TReal *>(elements.Data());
  UploadAsReal(descriptor,
               pixels,
               descriptor.Count(),
               samples,
               context.Part(0.0, 0.8),
               stream,
               uploader,
               IsConverted(descriptor) && descriptor.PixelBytes() >= BytesForStreams ? ConversionStreams : 0);
  if (descriptor.NeedsFilter())
  {
    DeviceBuffer other(descriptor.ElementBytes(), stream);
    if (LaunchPrefilter(descriptor, samples, static_cast<TReal *>(other.Data()), stream) != samples)
    {
      std::swap(elements, other);
    }
  }
  return elements;
}

/** Returns the slowest axis with more than one sample. */
unsigned int
SlowestAxis(const SourceDescriptor & descriptor)
{
  unsigned int slowest = 0;
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    slowest = descriptor.size[axis] > 1 ? axis : slowest;
  }
  return slowest;
}

template <typename TReal>
void
FilterInPlace(const SourceDescriptor & descriptor, TReal * elements, const Stream & stream)
{
  const DeviceBuffer  other(descriptor.ElementBytes(), stream);
  const TReal * const filtered = LaunchPrefilter(descriptor, elements, static_cast<TReal *>(other.Data()), stream);
  if (filtered != elements) // after an odd number of passes
  {
    CheckCuda(cudaMemcpyAsync(elements, filtered, descriptor.ElementBytes(), cudaMemcpyDeviceToDevice, stream.Get()),
              "cudaMemcpyAsync");
  }
}

template <typename TReal>
void
PrefilterSlabs(const SourceDescriptor & descriptor,
               const void *             pixels,
               TReal *                  coefficients,
               std::int64_t             slabLength,
               const ExecutionContext & context)
{
  const DeviceScope  scope(context.device);
  const Stream       stream;
  Uploader           uploader(CopyThreadsOf(context));
  Downloader         downloader(CopyThreadsOf(context));
  const unsigned int axis = SlowestAxis(descriptor);
  const std::int64_t length = descriptor.size[axis];
  const std::int64_t slice = descriptor.Count() / length;
  const std::int64_t reach = ReachOfPrefilter(descriptor);
  const auto         samplesOf = [reach](std::int64_t wanted) { // in complete segments, plus the reach at either end
    return (wanted + LineSegmentLength - 1) / LineSegmentLength * LineSegmentLength + 2 * reach;
  };
  const std::int64_t most = samplesOf(std::min(slabLength, length));
  DeviceBuffer       first(static_cast<std::size_t>(most * slice) * sizeof(TReal), stream);
  DeviceBuffer       second(static_cast<std::size_t>(most * slice) * sizeof(TReal), stream);
  for (std::int64_t begin = 0; begin < length; begin += slabLength)
  {
    const auto part =
      context.Part(static_cast<double>(begin) / static_cast<double>(length),
                   static_cast<double>(std::min(length, begin + slabLength)) / static_cast<double>(length));
    const std::int64_t wanted = std::min(slabLength, length - begin);
    SourceDescriptor   slab = descriptor;
    TReal * const      samples = static_cast<TReal *>(first.Data());
    slab.size[axis] = samplesOf(wanted);
    // The slices of the extended image. Slices that are consecutive in memory are copied together.
    for (std::int64_t n = 0; n < slab.size[axis];)
    {
      const std::int64_t from = FoldIndex(begin - reach + n, length, descriptor.extension[axis]);
      std::int64_t       run = 1;
      while (n + run < slab.size[axis] &&
             FoldIndex(begin - reach + n + run, length, descriptor.extension[axis]) == from + run)
      {
        ++run;
      }
      const auto * const at =
        static_cast<const char *>(pixels) + static_cast<std::size_t>(from * slice) * SizeOf(descriptor.pixel);
      UploadAsReal(slab,
                   at,
                   run * slice,
                   samples + n * slice,
                   part.Part(0.5 * static_cast<double>(n) / static_cast<double>(slab.size[axis]),
                             0.5 * static_cast<double>(n + run) / static_cast<double>(slab.size[axis])),
                   stream,
                   uploader);
      n += run;
    }
    const TReal * const filtered =
      LaunchPrefilter(slab, samples, static_cast<TReal *>(second.Data()), stream, { axis, reach, wanted });
    downloader.Copy(
      coefficients + begin * slice, filtered, static_cast<std::size_t>(wanted * slice) * sizeof(TReal), stream);
    part.Report(1.0);
  }
}

/** Converts planes of components to pixels. */
void
InterleaveComponents(const SampleSource & source, void * pixels, const Stream & stream)
{
  const SourceDescriptor & descriptor = source.GetDescriptor();
  if (descriptor.element == ScalarType::Float64)
  {
    LaunchInterleave(static_cast<const double *>(source.GetData()), descriptor, static_cast<double *>(pixels), stream);
  }
  else
  {
    LaunchInterleave(static_cast<const float *>(source.GetData()), descriptor, static_cast<float *>(pixels), stream);
  }
}

} // namespace

void
PrefilterInPlaceOnCuda(const SourceDescriptor & descriptor, void * elements, const ExecutionContext & context)
{
  context.Report(0.0);
  const DeviceScope scope(context.device);
  const Stream      stream;
  if (descriptor.element == ScalarType::Float64)
  {
    FilterInPlace(descriptor, static_cast<double *>(elements), stream);
  }
  else
  {
    FilterInPlace(descriptor, static_cast<float *>(elements), stream);
  }
  stream.Synchronize();
  context.Report(1.0);
}

void
PrefilterSlabsOnCuda(const SourceDescriptor & descriptor,
                     const void *             pixels,
                     void *                   coefficients,
                     std::int64_t             slabLength,
                     const ExecutionContext & context)
{
  context.Report(0.0);
  if (descriptor.element == ScalarType::Float64)
  {
    PrefilterSlabs(descriptor, pixels, static_cast<double *>(coefficients), slabLength, context);
  }
  else
  {
    PrefilterSlabs(descriptor, pixels, static_cast<float *>(coefficients), slabLength, context);
  }
}

std::shared_ptr<const SampleSource>
PrefilterOnCuda(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  context.Report(0.0);
  const DeviceScope scope(context.device);
  if (!descriptor.NeedsPreparation() && descriptor.storage == CoefficientStorage::Element && IsInDeviceMemory(pixels))
  {
    context.Report(1.0);
    return std::make_shared<SampleSource>(
      descriptor, Backend::Cuda, context.device, std::shared_ptr<const void>(pixels, [](const void *) {})); // borrowed
  }
  const Stream stream;
  DeviceBuffer elements;
  Uploader     uploader(CopyThreadsOf(context));
  if (descriptor.element == ScalarType::Float32 && descriptor.NeedsPreparation())
  {
    elements = MakeRealElements<float>(descriptor, pixels, context, stream, uploader);
  }
  else if (descriptor.element == ScalarType::Float64 && descriptor.NeedsPreparation())
  {
    elements = MakeRealElements<double>(descriptor, pixels, context, stream, uploader);
  }
  else
  {
    const std::size_t bytes = descriptor.Bytes(); // elements are pixels
    elements = DeviceBuffer(bytes, stream);
    uploader.Copy(elements.Data(), pixels, bytes, stream);
  }
  std::shared_ptr<const SampleSource> source;
  if (descriptor.storage == CoefficientStorage::Element)
  {
    stream.Synchronize();
    const auto owner = std::make_shared<DeviceBuffer>(std::move(elements));
    source = std::make_shared<SampleSource>(
      descriptor, Backend::Cuda, context.device, std::shared_ptr<const void>(owner, owner->Data()));
  }
  else
  {
    source = StoreOnCuda(descriptor, std::move(elements), context.device, stream);
  }
  context.Report(1.0);
  return source;
}

void
DownloadFromCuda(const SampleSource & source, void * elements, const ExecutionContext & context)
{
  const DeviceScope scope(source.GetDevice());
  const Stream      stream;
  const std::size_t bytes = source.GetDescriptor().Bytes();
  DeviceBuffer      interleaved;
  if (source.GetDescriptor().components > 1)
  {
    interleaved = DeviceBuffer(bytes, stream);
    InterleaveComponents(source, interleaved.Data(), stream);
  }
  const void * const from = interleaved.Data() != nullptr ? interleaved.Data() : source.GetData();
  DownloadThroughStaging(elements, from, bytes, stream, CopyThreadsOf(context));
  context.Report(1.0);
}

} // namespace itk::CudaSpline
