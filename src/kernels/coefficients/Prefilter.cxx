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
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/math/FirFilter.h"

#include "device/LargePages.h"
#include "kernels/coefficients/ElementWeight.h"
#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/coefficients/StoreCoefficients.h"
#include "kernels/common/HostCopies.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
void
CheckTexture(const SourceDescriptor & descriptor)
{
  if (descriptor.dimension > 3)
  {
    throw std::invalid_argument("The image has " + std::to_string(descriptor.dimension) +
                                " dimensions; textures support 1 to 3.");
  }
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    if (descriptor.extension[d] == Extension::GridConstant)
    {
      throw std::invalid_argument("Extension GridConstant (axis " + std::to_string(d) +
                                  ") is not supported with storage Texture; use storage Element.");
    }
  }
  const int entries = descriptor.tableEntries;
  if (entries != 0 && (entries < SmallestTable || entries > LargestTable))
  {
    throw std::invalid_argument("The table of weights has " + std::to_string(entries) + " entries; " +
                                std::to_string(SmallestTable) + " to " + std::to_string(LargestTable) +
                                " are supported.");
  }
}

void
Check(const SourceDescriptor & descriptor, const ExecutionContext & context)
{
  if (descriptor.order > MaximumSplineOrder)
  {
    throw std::invalid_argument("Spline orders 0 to 5 are supported; the order is " + std::to_string(descriptor.order) +
                                ".");
  }
  if (descriptor.dimension < 1 || descriptor.dimension > MaximumDimension)
  {
    throw std::invalid_argument("Images of 1 to 4 dimensions are supported; the dimension is " +
                                std::to_string(descriptor.dimension) + ".");
  }
  for (const std::int64_t size : descriptor.size)
  {
    if (size < 1)
    {
      throw std::invalid_argument("The image is empty: one of its sizes is " + std::to_string(size) + ".");
    }
  }
  if (descriptor.order >= 2 && !IsReal(descriptor.element))
  {
    throw std::invalid_argument(std::string("B-spline coefficients must be float32 or float64, not ") +
                                NameOf(descriptor.element) + ".");
  }
  if (descriptor.element != descriptor.pixel && !IsReal(descriptor.element))
  {
    throw std::invalid_argument(std::string("Pixels of type ") + NameOf(descriptor.pixel) + " cannot be converted to " +
                                NameOf(descriptor.element) +
                                "; convert them to float32 or float64, or keep their type.");
  }
  if (descriptor.components < 1)
  {
    throw std::invalid_argument("The image has " + std::to_string(descriptor.components) +
                                " components per pixel; at least 1 is needed.");
  }
  if (descriptor.components > 1 && !IsReal(descriptor.element))
  {
    throw std::invalid_argument(std::string("Pixels with several components cannot be stored as ") +
                                NameOf(descriptor.element) + "; use float32 or float64 elements.");
  }
  if (descriptor.isInterleaved &&
      (descriptor.order >= 2 || descriptor.storage != CoefficientStorage::Element || context.backend != Backend::Cpu))
  {
    throw std::invalid_argument("Interleaved components are supported only for orders 0 and 1, with storage Element, "
                                "on the Cpu backend; the order is " +
                                std::to_string(descriptor.order) + ", the storage " + NameOf(descriptor.storage) +
                                " and the backend " + NameOf(context.backend) + ".");
  }
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    if (descriptor.order >= 2 && !HasCoefficients(descriptor.extension[d]))
    {
      throw std::invalid_argument(std::string("Extension ") + NameOf(descriptor.extension[d]) +
                                  " is not supported by B-splines of orders 2 to 5; use Mirror, Reflect or GridWrap.");
    }
  }
  if (descriptor.storage != CoefficientStorage::Element &&
      (descriptor.element != ScalarType::Float32 || descriptor.components > 1))
  {
    throw std::invalid_argument(std::string("Storage ") + NameOf(descriptor.storage) +
                                " supports only float32 elements with one component; the elements are " +
                                NameOf(descriptor.element) + " with " + std::to_string(descriptor.components) + ".");
  }
  if (IsPacked(descriptor.storage) && descriptor.order != 3)
  {
    throw std::invalid_argument(std::string("Storage ") + NameOf(descriptor.storage) +
                                " supports only B-splines of order 3; the order is " +
                                std::to_string(descriptor.order) + ".");
  }
  if (descriptor.storage == CoefficientStorage::Texture)
  {
    CheckTexture(descriptor);
  }
  if (descriptor.NeedsFilter() && descriptor.method.kind == PrefilterMethod::Kind::Fir)
  {
    CheckHalfTapCount(descriptor.method.taps);
  }
  if (context.backend != Backend::Cpu && context.backend != Backend::Cuda)
  {
    throw std::invalid_argument(std::string("Backend ") + NameOf(context.backend) +
                                " cannot run kernels; use Cpu or Cuda.");
  }
}

/** Checks the descriptor. Coefficients are returned as they were computed. */
void
CheckElements(const SourceDescriptor & descriptor)
{
  if (descriptor.storage != CoefficientStorage::Element)
  {
    throw std::invalid_argument(std::string("Storage ") + NameOf(descriptor.storage) +
                                " is not supported for coefficients that are returned; use storage Element.");
  }
}

/** Converts planes of components to pixels. */
template <typename TReal>
void
Interleave(const SourceDescriptor & descriptor, const TReal * planes, TReal * pixels, const ExecutionContext & context)
{
  const std::int64_t plane = descriptor.Count();
  const auto         components = static_cast<std::int64_t>(descriptor.components);
  context.ParallelFor(plane, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      for (std::int64_t c = 0; c < components; ++c)
      {
        pixels[i * components + c] = planes[c * plane + i];
      }
    }
  });
}

std::shared_ptr<void>
AllocateElements(const SourceDescriptor & descriptor)
{
  // Not a std::vector: it would write the elements twice, and this thread would touch every page first.
  std::shared_ptr<void> elements(::operator new(descriptor.ElementBytes()),
                                 [](void * memory) { ::operator delete(memory); });
  AdviseLargePages(elements.get(), descriptor.ElementBytes());
  return elements;
}
} // namespace

void
CheckSourceDescriptor(const SourceDescriptor & descriptor, const ExecutionContext & context)
{
  Check(descriptor, context);
}

std::shared_ptr<const SampleSource>
MakeSource(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  Check(descriptor, context);
  if (context.backend == Backend::Cuda)
  {
    return PrefilterOnCuda(descriptor, pixels, context);
  }
  if (descriptor.storage != CoefficientStorage::Element)
  {
    SourceDescriptor computed = descriptor;
    computed.storage = CoefficientStorage::Element;
    const auto elements = MakeSource(computed, pixels, context.Part(0.0, 0.9));
    auto       source = StoreOnCpu(descriptor, static_cast<const float *>(elements->GetData()), context);
    context.Report(1.0);
    return source;
  }
  if (!descriptor.NeedsPreparation())
  {
    return std::make_shared<SampleSource>(
      descriptor, Backend::Cpu, 0, std::shared_ptr<const void>(pixels, [](const void *) {}));
  }
  const std::shared_ptr<void> elements = AllocateElements(descriptor);
  PrefilterOnCpu(descriptor, pixels, elements.get(), context);
  return std::make_shared<SampleSource>(descriptor, Backend::Cpu, 0, elements);
}

void
Prefilter(const SourceDescriptor & descriptor,
          const void *             pixels,
          void *                   coefficients,
          const ExecutionContext & context)
{
  Check(descriptor, context);
  CheckElements(descriptor);
  AdviseLargePages(coefficients, descriptor.ElementBytes());
  if (descriptor.components > 1 && context.backend == Backend::Cpu)
  {
    const auto         source = MakeSource(descriptor, pixels, context.Part(0.0, 0.9));
    const void * const from = source->GetData();
    if (descriptor.element == ScalarType::Float32)
    {
      Interleave(descriptor, static_cast<const float *>(from), static_cast<float *>(coefficients), context);
    }
    else
    {
      Interleave(descriptor, static_cast<const double *>(from), static_cast<double *>(coefficients), context);
    }
    context.Report(1.0);
    return;
  }
  if (context.backend == Backend::Cuda)
  {
    const std::int64_t slabLength = PlanPrefilter(descriptor, AvailableDeviceMemory(context.device)).slabLines;
    if (slabLength > 0)
    {
      // With filtering in place, a slab would find coefficients instead of samples beyond its ends.
      const bool                  inPlace = pixels == coefficients;
      const std::shared_ptr<void> kept = inPlace ? AllocateElements(descriptor) : nullptr;
      if (inPlace)
      {
        CopyOnHost(context, kept.get(), pixels, descriptor.PixelBytes());
      }
      PrefilterSlabsOnCuda(descriptor, inPlace ? kept.get() : pixels, coefficients, slabLength, context);
      return;
    }
    const auto source = PrefilterOnCuda(descriptor, pixels, context.Part(0.0, 0.9));
    DownloadFromCuda(*source, coefficients, context.Part(0.9, 1.0));
    return;
  }
  PrefilterOnCpu(descriptor, pixels, coefficients, context);
}

void
PrefilterInPlace(const SourceDescriptor & descriptor, void * elements, const ExecutionContext & context)
{
  Check(descriptor, context);
  CheckElements(descriptor);
  if (descriptor.pixel != descriptor.element || !IsReal(descriptor.element))
  {
    throw std::invalid_argument(std::string("Samples of type ") + NameOf(descriptor.pixel) +
                                " cannot be filtered in place; use float32 or float64.");
  }
  if (context.backend == Backend::Cuda)
  {
    PrefilterInPlaceOnCuda(descriptor, elements, context);
    return;
  }
  // A plane is an image with one component.
  SourceDescriptor plane = descriptor;
  plane.components = 1;
  for (unsigned int component = 0; component < descriptor.components; ++component)
  {
    char * const at = static_cast<char *>(elements) + component * plane.Bytes();
    PrefilterOnCpu(plane,
                   at,
                   at,
                   context.Part(static_cast<double>(component) / descriptor.components,
                                static_cast<double>(component + 1) / descriptor.components));
  }
}

OperationWork
CountSourceWork(const SourceDescriptor & source)
{
  OperationWork work;
  const auto    count = static_cast<double>(source.Elements());
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Source),
                       source.dimension,
                       static_cast<std::uint64_t>(source.pixel),
                       static_cast<std::uint64_t>(source.element),
                       source.NeedsFilter() ? source.order : 0,
                       static_cast<std::uint64_t>(source.method.kind),
                       static_cast<std::uint64_t>(source.storage) });
  work.uploadBytes = static_cast<double>(source.PixelBytes());
  work.convertSamples = (source.element != source.pixel ? count : 0.0) +
                        (source.storage != CoefficientStorage::Element ? 2.0 * count : 0.0); // measured, and stored
  if (source.NeedsFilter())
  {
    const auto axes = std::count_if(source.size.begin(), source.size.end(), [](std::int64_t size) { return size > 1; });
    // One pole is about the same work as eight taps.
    const unsigned int poles = source.order / 2;
    const double passes = source.method.kind == PrefilterMethod::Kind::Fir ? std::max(1.0, source.method.taps / 8.0)
                                                                           : static_cast<double>(poles);
    work.filterPasses = count * static_cast<double>(axes) * passes * WeightOf(source);
  }
  return work;
}

OperationWork
CountPrefilterWork(const SourceDescriptor & source)
{
  OperationWork work = CountSourceWork(source);
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Prefilter), work.kind });
  work.downloadBytes = static_cast<double>(source.Bytes());
  return work;
}

#if !defined(CUDASPLINE_HAS_CUDA)
std::shared_ptr<const SampleSource>
PrefilterOnCuda(const SourceDescriptor &, const void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
PrefilterInPlaceOnCuda(const SourceDescriptor &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
PrefilterSlabsOnCuda(const SourceDescriptor &, const void *, void *, std::int64_t, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
DownloadFromCuda(const SampleSource &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
