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
#include "kernels/coefficients/DeviceArrayBackends.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/StreamPool.h"
#include "kernels/coefficients/LineFilterCuda.h"
#include "kernels/coefficients/PixelsCuda.h"
#include "kernels/coefficients/StoreCoefficients.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

void
CopyOnDevice(void * to, const void * from, std::size_t bytes, const Stream & stream)
{
  CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.Get()), "cudaMemcpyAsync");
}

/** Converts pixels to elements in planes, without filtering them. */
template <typename TReal>
DeviceBuffer
ElementsOf(const SourceDescriptor & descriptor, const void * pixels, const Stream & stream)
{
  DeviceBuffer elements(descriptor.ElementBytes(), stream);
  if (IsConverted(descriptor))
  {
    LaunchConvert(pixels, descriptor, 0, descriptor.Elements(), static_cast<TReal *>(elements.Data()), stream);
  }
  else
  {
    CopyOnDevice(elements.Data(), pixels, descriptor.ElementBytes(), stream);
  }
  return elements;
}

/** Returns whether the filters can read numbers from their original memory: they are elements, and their address is
 * aligned for the widest copies. */
bool
CanFilterOriginal(const SourceDescriptor & descriptor, const void * numbers)
{
  constexpr std::uintptr_t widest = 16;
  return !IsConverted(descriptor) && reinterpret_cast<std::uintptr_t>(numbers) % widest == 0;
}

/** Converts pixels to elements, and filters them if the descriptor requests it. */
template <typename TReal>
DeviceBuffer
FilteredElementsOf(const SourceDescriptor & descriptor, const void * pixels, const Stream & stream)
{
  if (!descriptor.NeedsFilter())
  {
    return ElementsOf<TReal>(descriptor, pixels, stream);
  }
  const int passes = PrefilterPasses<TReal>(descriptor);
  if (passes > 0 && CanFilterOriginal(descriptor, pixels))
  {
    DeviceBuffer       coefficients(descriptor.ElementBytes(), stream);
    const DeviceBuffer between(passes > 1 ? descriptor.ElementBytes() : 0, stream);
    LaunchPrefilterTo(descriptor,
                      static_cast<const TReal *>(pixels),
                      static_cast<TReal *>(coefficients.Data()),
                      static_cast<TReal *>(between.Data()),
                      stream);
    return coefficients;
  }
  DeviceBuffer  elements = ElementsOf<TReal>(descriptor, pixels, stream);
  DeviceBuffer  other(descriptor.ElementBytes(), stream);
  TReal * const samples = static_cast<TReal *>(elements.Data());
  if (LaunchPrefilter(descriptor, samples, static_cast<TReal *>(other.Data()), stream) != samples)
  {
    std::swap(elements, other);
  }
  return elements;
}

/** Filters from the memory of the pixels directly to the memory of the coefficients. Does nothing and returns false if
 * one of them cannot be accessed in this way, or if the first pass would overwrite its input. */
template <typename TReal>
bool
PrefilterBetween(const SourceDescriptor & descriptor, const void * pixels, TReal * coefficients, const Stream & stream)
{
  const int passes = descriptor.NeedsFilter() ? PrefilterPasses<TReal>(descriptor) : 0;
  if (passes == 0 || !CanFilterOriginal(descriptor, pixels) || !CanFilterOriginal(descriptor, coefficients) ||
      (pixels == coefficients && passes % 2 == 1))
  {
    return false;
  }
  const DeviceBuffer between(passes > 1 ? descriptor.ElementBytes() : 0, stream);
  LaunchPrefilterTo(
    descriptor, static_cast<const TReal *>(pixels), coefficients, static_cast<TReal *>(between.Data()), stream);
  return true;
}

template <typename TReal>
void
PrefilterArray(const SourceDescriptor & descriptor,
               unsigned int             axis,
               const void *             pixels,
               TReal *                  coefficients,
               const Stream &           stream)
{
  const bool isWhole = axis == MaximumDimension;
  if (isWhole && PrefilterBetween(descriptor, pixels, coefficients, stream))
  {
    return;
  }
  if (!isWhole && descriptor.NeedsFilter() && descriptor.size[axis] > 1)
  {
    const bool         isApart = pixels != coefficients && CanFilterOriginal(descriptor, pixels);
    const DeviceBuffer elements = isApart ? DeviceBuffer() : ElementsOf<TReal>(descriptor, pixels, stream);
    LaunchAxisPrefilter(
      descriptor, axis, static_cast<const TReal *>(isApart ? pixels : elements.Data()), coefficients, stream);
    return;
  }
  const DeviceBuffer elements =
    isWhole ? FilteredElementsOf<TReal>(descriptor, pixels, stream) : ElementsOf<TReal>(descriptor, pixels, stream);
  if (descriptor.components > 1)
  {
    LaunchInterleave(static_cast<const TReal *>(elements.Data()), descriptor, coefficients, stream);
  }
  else
  {
    CopyOnDevice(coefficients, elements.Data(), descriptor.ElementBytes(), stream);
  }
}

/** Returns a source of borrowed pixels. */
std::shared_ptr<SampleSource>
Borrowed(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  return std::make_shared<SampleSource>(
    descriptor, Backend::Cuda, context.device, std::shared_ptr<const void>(pixels, [](const void *) {}));
}

} // namespace

const Stream &
DeviceWork::StreamAfter(StreamHandle caller)
{
  if (std::find(m_Callers.begin(), m_Callers.end(), caller) == m_Callers.end())
  {
    WaitInStream(m_Stream.Get(), caller);
    m_Callers.push_back(caller);
  }
  return m_Stream;
}

std::shared_ptr<DeviceWork>
MakeDeviceWork(int device)
{
  return std::make_shared<DeviceWork>(device);
}

std::shared_ptr<DeviceWork>
MakeDeviceWorkIn(int device, StreamHandle caller)
{
  return std::make_shared<DeviceWork>(device, caller);
}

void
WaitFor(const DeviceWork & work)
{
  work.GetStream().Synchronize();
}

std::shared_ptr<const SampleSource>
SourceOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             bool                     borrow,
             StreamHandle             caller,
             DeviceWork &             work,
             const ExecutionContext & context)
{
  context.Report(0.0);
  const Stream & stream = work.StreamAfter(caller);
  const auto     inOrder = [&](const std::shared_ptr<SampleSource> & made) {
    made->FreeInOrderOf(work.CallersStream());
    return made;
  };
  const auto makeOf = [&](DeviceBuffer && buffer) {
    const auto owner = std::make_shared<DeviceBuffer>(std::move(buffer));
    return inOrder(std::make_shared<SampleSource>(
      descriptor, Backend::Cuda, context.device, std::shared_ptr<const void>(owner, owner->Data())));
  };
  std::shared_ptr<const SampleSource> source;
  if (!descriptor.NeedsPreparation() && !borrow)
  {
    DeviceBuffer copy(descriptor.PixelBytes(), stream);
    CopyOnDevice(copy.Data(), pixels, descriptor.PixelBytes(), stream);
    source = makeOf(std::move(copy));
  }
  else if (!descriptor.NeedsPreparation())
  {
    source = inOrder(Borrowed(descriptor, pixels, context));
  }
  else
  {
    DeviceBuffer elements = descriptor.element == ScalarType::Float64
                              ? FilteredElementsOf<double>(descriptor, pixels, stream)
                              : FilteredElementsOf<float>(descriptor, pixels, stream);
    source = descriptor.storage == CoefficientStorage::Element
               ? makeOf(std::move(elements))
               : StoreOnCuda(descriptor, std::move(elements), context.device, stream);
  }
  work.Keep(source);
  context.Report(1.0);
  return source;
}

std::shared_ptr<const SampleSource>
BorrowOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             StreamHandle             caller,
             const ExecutionContext & context)
{
  context.Report(0.0);
  const DeviceScope scope(context.device);
  RefuseCapture(caller);
  CheckCuda(cudaStreamSynchronize(caller), "cudaStreamSynchronize");
  context.Report(1.0);
  return Borrowed(descriptor, pixels, context);
}

void
PrefilterArrayOnCuda(const SourceDescriptor & descriptor,
                     unsigned int             axis,
                     const void *             pixels,
                     void *                   coefficients,
                     StreamHandle             caller,
                     const ExecutionContext & context)
{
  context.Report(0.0);
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(caller);
  if (descriptor.element == ScalarType::Float64)
  {
    PrefilterArray(descriptor, axis, pixels, static_cast<double *>(coefficients), stream);
  }
  else
  {
    PrefilterArray(descriptor, axis, pixels, static_cast<float *>(coefficients), stream);
  }
  stream.SynchronizeIfDefault();
  context.Report(1.0);
}

} // namespace itk::CudaSpline
