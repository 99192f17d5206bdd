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
#include "itkCudaSpline/math/PixelAccess.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/common/HostCopies.h"
#include "kernels/gaussian/GaussianLines.cuh"
#include "kernels/gaussian/GaussianPasses.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
constexpr int PixelThreads = 256;

unsigned int
BlocksOf(std::int64_t count, int threads)
{
  const std::int64_t blocks = (count + threads - 1) / threads;
  if (blocks > 0x7fffffff)
  {
    throw DeviceError(DeviceError::Kind::Other, "The image has more pixels than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

/** Filters all lines of an axis of a volume. */
template <typename TIn>
void
LaunchLines(const GaussianDescriptor & descriptor,
            const GaussianPass &       pass,
            const TIn *                input,
            float *                    output,
            double *                   notes,
            const Stream &             stream)
{
  const GaussianLines lines = LinesOf(descriptor, pass.axis);
  const unsigned int  blocks = BlocksOf(lines.inner * lines.outer, GaussianThreads);
  if (pass.axis == 0)
  {
    GaussianLinesKernel<TIn, true>
      <<<blocks, GaussianThreads, 0, stream.Get()>>>(input, output, notes, lines, pass.filter);
  }
  else
  {
    GaussianLinesKernel<TIn, false>
      <<<blocks, GaussianThreads, 0, stream.Get()>>>(input, output, notes, lines, pass.filter);
  }
  CheckCuda(cudaGetLastError(), "GaussianLinesKernel");
}

/** Runs the filters of an operation, from samples of float or double into a volume of floats. */
void
LaunchPasses(const GaussianDescriptor &        descriptor,
             const std::vector<GaussianPass> & passes,
             const void *                      samples,
             ScalarType                        element,
             float *                           volume,
             double *                          notes,
             const Stream &                    stream)
{
  if (element == ScalarType::Float32)
  {
    LaunchGaussianPasses(descriptor, passes, static_cast<const float *>(samples), volume, notes, stream);
    return;
  }
  LaunchLines(descriptor, passes[0], static_cast<const double *>(samples), volume, notes, stream);
  LaunchGaussianPasses(descriptor, { passes.begin() + 1, passes.end() }, volume, volume, notes, stream);
}

/** Converts floats to pixels of any type. */
__global__ void
StoreGaussianKernel(const float * floats, std::int64_t count, void * pixels, ScalarType type)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * PixelThreads + threadIdx.x;
  if (i < count)
  {
    StoreScalar(pixels, type, i, floats[i]);
  }
}

/** Arguments to convert the components of a gradient to an output. */
template <unsigned int VDimension>
struct GradientArguments
{
  const float * planes;
  std::int64_t  plane; // pixels of a plane
  std::int64_t  first; // first pixel
  std::int64_t  count;
  std::int64_t  pixelStride;
  std::int64_t  componentStride;
  double        spacing[VDimension];
  double        direction[VDimension * VDimension];
  bool          isRotated;
  bool          isDouble; // whether the output is double
  void *        output;
};

template <unsigned int VDimension>
__global__ void
GaussianGradientKernel(const __grid_constant__ GradientArguments<VDimension> arguments)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * PixelThreads + threadIdx.x;
  if (i >= arguments.count)
  {
    return;
  }
  float gradient[VDimension];
#pragma unroll
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    gradient[d] =
      GaussianGradientComponent(arguments.planes[d * arguments.plane + arguments.first + i], arguments.spacing[d]);
  }
#pragma unroll
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const std::int64_t at = i * arguments.pixelStride + d * arguments.componentStride;
    const double       value = arguments.isRotated
                                 ? GaussianGradientAlong<VDimension>(arguments.direction + d * VDimension, gradient)
                                 : static_cast<double>(gradient[d]);
    if (arguments.isDouble)
    {
      static_cast<double *>(arguments.output)[at] = value;
    }
    else
    {
      static_cast<float *>(arguments.output)[at] = RoundedToSingle(value);
    }
  }
}

/** Divides the components by the spacing, and stores their magnitude. */
__global__ void
GaussianMagnitudeKernel(const __grid_constant__ GradientArguments<MaximumDimension> arguments,
                        unsigned int                                                dimension,
                        ScalarType                                                  type)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * PixelThreads + threadIdx.x;
  if (i >= arguments.count)
  {
    return;
  }
  float gradient[MaximumDimension];
  for (unsigned int d = 0; d < dimension; ++d)
  {
    gradient[d] =
      GaussianGradientComponent(arguments.planes[d * arguments.plane + arguments.first + i], arguments.spacing[d]);
  }
  StoreGaussianMagnitude(gradient, 1, dimension, arguments.output, type, i);
}

/** Computes some pixels of the magnitude from the planes of the gradient. */
void
LaunchMagnitude(const GaussianDescriptor & descriptor,
                const float *              planes,
                std::int64_t               first,
                std::int64_t               count,
                void *                     output,
                const Stream &             stream)
{
  GradientArguments<MaximumDimension> arguments{};
  arguments.planes = planes;
  arguments.plane = descriptor.Count();
  arguments.first = first;
  arguments.count = count;
  std::copy_n(descriptor.spacing.begin(), descriptor.dimension, arguments.spacing);
  arguments.output = output;
  GaussianMagnitudeKernel<<<BlocksOf(count, PixelThreads), PixelThreads, 0, stream.Get()>>>(
    arguments, descriptor.dimension, descriptor.output);
  CheckCuda(cudaGetLastError(), "GaussianMagnitudeKernel");
}

template <unsigned int VDimension>
void
LaunchGradient(const GaussianDescriptor & descriptor,
               const float *              planes,
               std::int64_t               first,
               std::int64_t               count,
               void *                     output,
               std::int64_t               pixelStride,
               std::int64_t               componentStride,
               const Stream &             stream)
{
  GradientArguments<VDimension> arguments{};
  arguments.planes = planes;
  arguments.plane = descriptor.Count();
  arguments.first = first;
  arguments.count = count;
  arguments.pixelStride = pixelStride;
  arguments.componentStride = componentStride;
  std::copy_n(descriptor.spacing.begin(), VDimension, arguments.spacing);
  std::copy_n(descriptor.direction.begin(), VDimension * VDimension, arguments.direction);
  arguments.isRotated = descriptor.isRotated;
  arguments.isDouble = descriptor.output == ScalarType::Float64;
  arguments.output = output;
  GaussianGradientKernel<<<BlocksOf(count, PixelThreads), PixelThreads, 0, stream.Get()>>>(arguments);
  CheckCuda(cudaGetLastError(), "GaussianGradientKernel");
}

/** Computes some pixels of the gradient from its planes. */
void
CombinePlanes(const GaussianDescriptor & descriptor,
              const float *              planes,
              std::int64_t               first,
              std::int64_t               count,
              void *                     output,
              std::int64_t               pixelStride,
              std::int64_t               componentStride,
              const Stream &             stream)
{
  switch (descriptor.dimension)
  {
    case 2:
      return LaunchGradient<2>(descriptor, planes, first, count, output, pixelStride, componentStride, stream);
    case 3:
      return LaunchGradient<3>(descriptor, planes, first, count, output, pixelStride, componentStride, stream);
    default:
      return LaunchGradient<4>(descriptor, planes, first, count, output, pixelStride, componentStride, stream);
  }
}

/** Allocates the notes for the axis that needs most memory. */
DeviceBuffer
MakeNotes(const GaussianDescriptor & descriptor, const Stream & stream)
{
  std::size_t bytes = 0;
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    bytes = std::max(bytes, GaussianNotesBytes(LinesOf(descriptor, axis)));
  }
  return DeviceBuffer(bytes, stream);
}

/** Uploads the pixels in a type that represents them. */
std::shared_ptr<const SampleSource>
UploadPixels(const GaussianDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  SourceDescriptor source;
  source.dimension = descriptor.dimension;
  source.size = descriptor.size;
  source.pixel = descriptor.pixel;
  source.element = GaussianElementOf(descriptor.pixel);
  return PrefilterOnCuda(source, pixels, context);
}

/** Returns the filtered components of a gradient, plane by plane. The pixels on the device are freed before it returns.
 */
DeviceBuffer
MakePlanes(const GaussianDescriptor & descriptor,
           const void *               pixels,
           const Stream &             stream,
           const ExecutionContext &   context)
{
  const auto         source = UploadPixels(descriptor, pixels, context);
  const std::int64_t count = descriptor.Count();
  DeviceBuffer       planes(static_cast<std::size_t>(count) * descriptor.dimension * sizeof(float), stream);
  const DeviceBuffer notes = MakeNotes(descriptor, stream);
  for (unsigned int component = 0; component < descriptor.dimension; ++component)
  {
    LaunchPasses(descriptor,
                 GradientPasses(descriptor, component),
                 source->GetData(),
                 source->GetDescriptor().element,
                 static_cast<float *>(planes.Data()) + component * count,
                 static_cast<double *>(notes.Data()),
                 stream);
  }
  stream.Synchronize(); // the source is freed
  return planes;
}

/** Computes an output slab by slab, and copies it to its memory.
 *
 * \param[in] compute launches a slab: its first pixel, its pixels, and its memory */
template <typename TCompute>
void
StoreInSlabs(std::int64_t             count,
             std::size_t              size,
             void *                   output,
             const Stream &           stream,
             const ExecutionContext & context,
             const TCompute &         compute)
{
  const bool         isThere = IsInDeviceMemory(output);
  Downloader         downloader(CopyThreadsOf(context));
  const auto         slab = std::min<std::int64_t>(count, static_cast<std::int64_t>(TransferChunkBytes / size));
  const DeviceBuffer stored(isThere ? 0 : static_cast<std::size_t>(slab) * size, stream);
  for (std::int64_t first = 0; first < count; first += slab)
  {
    const std::int64_t wanted = std::min(slab, count - first);
    char * const       to = static_cast<char *>(output) + static_cast<std::size_t>(first) * size;
    void * const       from = isThere ? to : stored.Data();
    compute(first, wanted, from);
    downloader.Copy(to, from, static_cast<std::size_t>(wanted) * size, stream);
    context.Report(static_cast<double>(first + wanted) / static_cast<double>(count));
  }
}
} // namespace

void
LaunchGaussianPasses(const GaussianDescriptor &        descriptor,
                     const std::vector<GaussianPass> & passes,
                     const float *                     samples,
                     float *                           volume,
                     double *                          notes,
                     const Stream &                    stream)
{
  for (const GaussianPass & pass : passes)
  {
    LaunchLines(descriptor, pass, samples, volume, notes, stream);
    samples = volume;
  }
}

void
SmoothOnCuda(const GaussianDescriptor & descriptor,
             const void *               pixels,
             void *                     output,
             const ExecutionContext &   context)
{
  const DeviceScope  scope(context.device);
  const Stream       stream;
  const std::int64_t count = descriptor.Count();
  const bool         isThere = descriptor.output == ScalarType::Float32 && IsInDeviceMemory(output);
  DeviceBuffer       volume;
  {
    const auto source = UploadPixels(descriptor, pixels, context.Part(0.0, 0.5));
    volume = DeviceBuffer(isThere ? 0 : static_cast<std::size_t>(count) * sizeof(float), stream);
    const DeviceBuffer notes = MakeNotes(descriptor, stream);
    LaunchPasses(descriptor,
                 SmoothingPasses(descriptor),
                 source->GetData(),
                 source->GetDescriptor().element,
                 static_cast<float *>(isThere ? output : volume.Data()),
                 static_cast<double *>(notes.Data()),
                 stream);
    stream.Synchronize();
  }
  context.Report(0.6);
  if (isThere)
  {
    return;
  }

  // The pixels are needed until all results have been copied: if that fails, another backend filters them. This also
  // holds if they are filtered in place.
  const std::size_t             size = SizeOf(descriptor.output);
  const std::size_t             bytes = static_cast<std::size_t>(count) * size;
  const std::unique_ptr<char[]> kept(pixels == output ? new char[bytes] : nullptr);
  char * const                  to = kept != nullptr ? kept.get() : static_cast<char *>(output);
  const float * const           floats = static_cast<const float *>(volume.Data());
  Downloader                    downloader(CopyThreadsOf(context));
  const bool                    isStored = descriptor.output != ScalarType::Float32;
  const auto   slab = std::min<std::int64_t>(count, static_cast<std::int64_t>(TransferChunkBytes / size));
  DeviceBuffer stored(isStored ? static_cast<std::size_t>(slab) * size : 0, stream);
  for (std::int64_t first = 0; first < count; first += slab)
  {
    const std::int64_t wanted = std::min(slab, count - first);
    const void *       from = floats + first;
    if (isStored)
    {
      StoreGaussianKernel<<<BlocksOf(wanted, PixelThreads), PixelThreads, 0, stream.Get()>>>(
        floats + first, wanted, stored.Data(), descriptor.output);
      CheckCuda(cudaGetLastError(), "StoreGaussianKernel");
      from = stored.Data();
    }
    downloader.Copy(to + static_cast<std::size_t>(first) * size, from, static_cast<std::size_t>(wanted) * size, stream);
    context.Report(0.6 + 0.4 * static_cast<double>(first + wanted) / static_cast<double>(count));
  }
  if (kept != nullptr)
  {
    CopyOnHost(context, output, kept.get(), bytes);
  }
}

void
GradientOnCuda(const GaussianDescriptor & descriptor,
               const void *               pixels,
               void *                     output,
               const ExecutionContext &   context)
{
  const DeviceScope  scope(context.device);
  const Stream       stream;
  const DeviceBuffer planes = MakePlanes(descriptor, pixels, stream, context.Part(0.0, 0.3));
  const auto * const filtered = static_cast<const float *>(planes.Data());
  const std::size_t  size = SizeOf(descriptor.output) * descriptor.dimension;
  StoreInSlabs(descriptor.Count(),
               size,
               output,
               stream,
               context.Part(0.3, 1.0),
               [&](std::int64_t first, std::int64_t count, void * stored) {
                 CombinePlanes(descriptor, filtered, first, count, stored, descriptor.dimension, 1, stream);
               });
}

void
GradientMagnitudeOnCuda(const GaussianDescriptor & descriptor,
                        const void *               pixels,
                        void *                     output,
                        const ExecutionContext &   context)
{
  const DeviceScope  scope(context.device);
  const Stream       stream;
  const DeviceBuffer planes = MakePlanes(descriptor, pixels, stream, context.Part(0.0, 0.3));
  const auto * const filtered = static_cast<const float *>(planes.Data());
  StoreInSlabs(descriptor.Count(),
               SizeOf(descriptor.output),
               output,
               stream,
               context.Part(0.3, 1.0),
               [&](std::int64_t first, std::int64_t count, void * stored) {
                 LaunchMagnitude(descriptor, filtered, first, count, stored, stream);
               });
}

void
SmoothResidentOnCuda(const GaussianDescriptor & descriptor,
                     std::size_t                notesBytes,
                     const void *               pixels,
                     void *                     output,
                     void *                     scratch,
                     const Residence &          residence)
{
  const DeviceScope  scope(residence.GetContext().device);
  const Stream &     stream = residence.GetStream();
  const std::int64_t count = descriptor.Count();
  auto * const       notes = static_cast<double *>(scratch);
  const bool         isStored = descriptor.output != ScalarType::Float32;
  auto * const       volume =
    isStored ? reinterpret_cast<float *>(static_cast<char *>(scratch) + notesBytes) : static_cast<float *>(output);
  LaunchPasses(descriptor, SmoothingPasses(descriptor), pixels, descriptor.pixel, volume, notes, stream);
  if (isStored)
  {
    StoreGaussianKernel<<<BlocksOf(count, PixelThreads), PixelThreads, 0, stream.Get()>>>(
      volume, count, output, descriptor.output);
    CheckCuda(cudaGetLastError(), "StoreGaussianKernel");
  }
}

void
GradientResidentOnCuda(const GaussianDescriptor & descriptor,
                       std::size_t                notesBytes,
                       const void *               pixels,
                       void *                     gradients,
                       std::int64_t               pixelStride,
                       std::int64_t               componentStride,
                       void *                     scratch,
                       const Residence &          residence)
{
  const DeviceScope  scope(residence.GetContext().device);
  const Stream &     stream = residence.GetStream();
  const std::int64_t count = descriptor.Count();
  auto * const       notes = static_cast<double *>(scratch);
  auto * const       planes = reinterpret_cast<float *>(static_cast<char *>(scratch) + notesBytes);
  for (unsigned int component = 0; component < descriptor.dimension; ++component)
  {
    LaunchPasses(descriptor,
                 GradientPasses(descriptor, component),
                 pixels,
                 descriptor.pixel,
                 planes + component * count,
                 notes,
                 stream);
  }
  CombinePlanes(descriptor, planes, 0, count, gradients, pixelStride, componentStride, stream);
}

std::shared_ptr<const SampleSource>
GradientSourceOnCuda(const GaussianDescriptor & descriptor,
                     const SourceDescriptor &   source,
                     const void *               pixels,
                     const ExecutionContext &   context)
{
  const DeviceScope  scope(context.device);
  const Stream       stream;
  const DeviceBuffer planes = MakePlanes(descriptor, pixels, stream, context);
  const auto         elements = std::make_shared<DeviceBuffer>(source.ElementBytes(), stream);
  CombinePlanes(descriptor,
                static_cast<const float *>(planes.Data()),
                0,
                descriptor.Count(),
                elements->Data(),
                1,
                descriptor.Count(),
                stream);
  stream.Synchronize();
  return std::make_shared<SampleSource>(
    source, Backend::Cuda, context.device, std::shared_ptr<const void>(elements, elements->Data()));
}

} // namespace itk::CudaSpline
