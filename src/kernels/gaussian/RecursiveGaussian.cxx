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
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/gaussian/ResidentGaussian.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/LargePages.h"
#include "kernels/common/MemoryBudget.h"
#include "kernels/gaussian/GaussianPasses.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
void
Check(const GaussianDescriptor & descriptor, const ExecutionContext & context)
{
  if (descriptor.dimension < 2 || descriptor.dimension > MaximumDimension)
  {
    throw std::invalid_argument("Images of 2 to 4 dimensions are supported; the dimension is " +
                                std::to_string(descriptor.dimension) + ".");
  }
  if (descriptor.onlyAxis >= static_cast<int>(descriptor.dimension))
  {
    throw std::invalid_argument("Axis " + std::to_string(descriptor.onlyAxis) + " does not exist; the image has " +
                                std::to_string(descriptor.dimension) + " axes, numbered from 0.");
  }
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    if (descriptor.onlyAxis >= 0 && descriptor.onlyAxis != static_cast<int>(axis))
    {
      continue;
    }
    if (descriptor.size[axis] < SmallestGaussianLine)
    {
      throw std::invalid_argument("Axis " + std::to_string(axis) + " has " + std::to_string(descriptor.size[axis]) +
                                  " samples; a recursive Gaussian needs at least " +
                                  std::to_string(SmallestGaussianLine) + ".");
    }
    if (!(descriptor.sigma[axis] > 0.0))
    {
      throw std::invalid_argument("The sigma of the Gaussian along axis " + std::to_string(axis) + " is " +
                                  std::to_string(descriptor.sigma[axis]) + "; it must be above 0.");
    }
    if (descriptor.spacing[axis] == 0.0)
    {
      throw std::invalid_argument("The spacing along axis " + std::to_string(axis) + " is 0; it must not be 0.");
    }
  }
  if (context.backend != Backend::Cpu && context.backend != Backend::Cuda)
  {
    throw std::invalid_argument(std::string("Backend ") + NameOf(context.backend) +
                                " cannot run kernels; use Cpu or Cuda.");
  }
}

void
CheckGradient(const GaussianDescriptor & descriptor, const ExecutionContext & context)
{
  Check(descriptor, context);
  if (!IsReal(descriptor.output))
  {
    throw std::invalid_argument(std::string("Gradients must be float32 or float64, not ") + NameOf(descriptor.output) +
                                ".");
  }
}
} // namespace

std::vector<GaussianPass>
SmoothingPasses(const GaussianDescriptor & descriptor)
{
  std::vector<GaussianPass> passes;
  if (descriptor.onlyAxis >= 0)
  {
    const auto axis = static_cast<unsigned int>(descriptor.onlyAxis);
    passes.push_back(
      { axis,
        MakeRecursiveGaussian(
          descriptor.order, descriptor.sigma[axis], descriptor.spacing[axis], descriptor.normalizeAcrossScale) });
    return passes;
  }
  for (unsigned int i = 0; i < descriptor.dimension; ++i)
  {
    const unsigned int axis = i == 0 ? descriptor.dimension - 1 : i - 1;
    passes.push_back(
      { axis,
        MakeRecursiveGaussian(
          GaussianOrder::Zero, descriptor.sigma[axis], descriptor.spacing[axis], descriptor.normalizeAcrossScale) });
  }
  return passes;
}

std::vector<GaussianPass>
GradientPasses(const GaussianDescriptor & descriptor, unsigned int component)
{
  const unsigned int        last = descriptor.dimension - 1;
  std::vector<GaussianPass> passes;
  passes.push_back({ component,
                     MakeRecursiveGaussian(GaussianOrder::First,
                                           descriptor.sigma[last],
                                           descriptor.spacing[component],
                                           descriptor.normalizeAcrossScale) });
  for (unsigned int i = 0; i < last; ++i)
  {
    const unsigned int axis = i < component ? i : i + 1;
    passes.push_back(
      { axis,
        MakeRecursiveGaussian(
          GaussianOrder::Zero, descriptor.sigma[i], descriptor.spacing[axis], descriptor.normalizeAcrossScale) });
  }
  return passes;
}

void
SmoothByGaussian(const GaussianDescriptor & descriptor,
                 const void *               pixels,
                 void *                     output,
                 const ExecutionContext &   context)
{
  Check(descriptor, context);
  context.Report(0.0);
  AdviseLargePages(output, static_cast<std::size_t>(descriptor.Count()) * SizeOf(descriptor.output));
  if (context.backend == Backend::Cuda)
  {
    SmoothOnCuda(descriptor, pixels, output, context);
  }
  else
  {
    SmoothOnCpu(descriptor, pixels, output, context);
  }
  context.Report(1.0);
}

void
MakeGaussianGradient(const GaussianDescriptor & descriptor,
                     const void *               pixels,
                     void *                     gradients,
                     const ExecutionContext &   context)
{
  CheckGradient(descriptor, context);
  context.Report(0.0);
  AdviseLargePages(gradients,
                   static_cast<std::size_t>(descriptor.Count()) * descriptor.dimension * SizeOf(descriptor.output));
  if (context.backend == Backend::Cuda)
  {
    GradientOnCuda(descriptor, pixels, gradients, context);
  }
  else
  {
    GradientOnCpu(descriptor, pixels, gradients, descriptor.dimension, 1, context);
  }
  context.Report(1.0);
}

void
MakeGaussianGradientMagnitude(const GaussianDescriptor & descriptor,
                              const void *               pixels,
                              void *                     output,
                              const ExecutionContext &   context)
{
  Check(descriptor, context);
  context.Report(0.0);
  AdviseLargePages(output, static_cast<std::size_t>(descriptor.Count()) * SizeOf(descriptor.output));
  (context.backend == Backend::Cuda ? GradientMagnitudeOnCuda
                                    : GradientMagnitudeOnCpu)(descriptor, pixels, output, context);
  context.Report(1.0);
}

std::shared_ptr<const SampleSource>
MakeGaussianGradientSource(const GaussianDescriptor & descriptor,
                           const SourceDescriptor &   source,
                           const void *               pixels,
                           const ExecutionContext &   context)
{
  CheckGradient(descriptor, context);
  if (source.dimension != descriptor.dimension || source.size != descriptor.size ||
      source.components != descriptor.dimension || source.element != descriptor.output ||
      source.storage != CoefficientStorage::Element || source.NeedsFilter())
  {
    throw std::invalid_argument("The source of a gradient must have the size of the image, one component per axis, and "
                                "elements of the type of the gradient.");
  }
  context.Report(0.0);
  std::shared_ptr<const SampleSource> made;
  if (context.backend == Backend::Cuda)
  {
    made = GradientSourceOnCuda(descriptor, source, pixels, context);
  }
  else
  {
    const std::shared_ptr<void> planes(::operator new(source.ElementBytes()),
                                       [](void * memory) { ::operator delete(memory); });
    AdviseLargePages(planes.get(), source.ElementBytes());
    GradientOnCpu(descriptor, pixels, planes.get(), 1, descriptor.Count(), context);
    made = std::make_shared<SampleSource>(source, Backend::Cpu, 0, planes);
  }
  context.Report(1.0);
  return made;
}

namespace
{
void
CheckResident(const GaussianDescriptor & descriptor)
{
  if (descriptor.pixel != ScalarType::Float32 && descriptor.pixel != ScalarType::Float64)
  {
    throw std::invalid_argument(
      std::string(
        "Images that remain in the memory of a backend must have float32 or float64 pixels to be smoothed, not ") +
      NameOf(descriptor.pixel) + ".");
  }
}

/** Returns the components of a pixel of the result. */
unsigned int
ComponentsOf(const GaussianDescriptor & descriptor, GaussianOperation operation)
{
  const bool isGradient = operation == GaussianOperation::Gradient || operation == GaussianOperation::GradientSource;
  return isGradient ? descriptor.dimension : 1;
}

/** Returns the bytes of the notes of the axis that needs most. */
std::size_t
NotesBytes(const GaussianDescriptor & descriptor)
{
  std::size_t bytes = 0;
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    bytes = std::max(bytes, GaussianNotesBytes(LinesOf(descriptor, axis)));
  }
  return bytes;
}
} // namespace

std::size_t
CountResidentGaussianScratch(const GaussianDescriptor & descriptor, GaussianOperation operation, Backend backend)
{
  const std::size_t volumes = operation == GaussianOperation::Smoothing ? 1 : descriptor.dimension;
  return backend == Backend::Cuda
           ? NotesBytes(descriptor) + volumes * static_cast<std::size_t>(descriptor.Count()) * sizeof(float)
           : 0;
}

void
SmoothResident(const GaussianDescriptor & descriptor,
               const void *               pixels,
               void *                     output,
               void *                     scratch,
               const Residence &          residence)
{
  Check(descriptor, residence.GetContext());
  CheckResident(descriptor);
  if (descriptor.output != descriptor.pixel)
  {
    throw std::invalid_argument(std::string("Smoothing in the memory of a backend cannot convert ") +
                                NameOf(descriptor.pixel) + " pixels to " + NameOf(descriptor.output) +
                                "; the types must be equal.");
  }
  ExecutionContext quiet = residence.GetContext();
  quiet.progress = nullptr;
  residence.IsOnDevice() ? SmoothResidentOnCuda(descriptor, NotesBytes(descriptor), pixels, output, scratch, residence)
                         : SmoothOnCpu(descriptor, pixels, output, quiet);
}

void
MakeResidentGradient(const GaussianDescriptor & descriptor,
                     const void *               pixels,
                     void *                     gradients,
                     void *                     scratch,
                     const Residence &          residence,
                     GradientLayout             layout)
{
  CheckGradient(descriptor, residence.GetContext());
  CheckResident(descriptor);
  ExecutionContext quiet = residence.GetContext();
  quiet.progress = nullptr;
  const bool         isPlanes = layout == GradientLayout::Planes;
  const std::int64_t ofPixel = isPlanes ? 1 : descriptor.dimension;
  const std::int64_t ofComponent = isPlanes ? descriptor.Count() : 1;
  residence.IsOnDevice()
    ? GradientResidentOnCuda(
        descriptor, NotesBytes(descriptor), pixels, gradients, ofPixel, ofComponent, scratch, residence)
    : GradientOnCpu(descriptor, pixels, gradients, ofPixel, ofComponent, quiet);
}

MemoryPlan
PlanGaussian(const GaussianDescriptor & descriptor, GaussianOperation operation, std::size_t budget)
{
  const auto        count = static_cast<std::size_t>(descriptor.Count());
  const ScalarType  element = GaussianElementOf(descriptor.pixel);
  const std::size_t size = SizeOf(descriptor.output);
  std::size_t       making = count * SizeOf(element); // the pixels, and everything that exists at the same time
  const std::size_t notes = NotesBytes(descriptor);
  // Pieces of raw pixels are freed when the volumes are made, so the maximum of the two counts.
  const std::size_t raw = element != descriptor.pixel ? RawBytes(count * SizeOf(descriptor.pixel)) : 0;
  MemoryPlan        plan;
  if (operation == GaussianOperation::Smoothing)
  {
    plan.sourceBytes = count * sizeof(float);
    plan.tableBytes = descriptor.output != ScalarType::Float32 ? std::min(count * size, TransferChunkBytes) : 0;
  }
  else
  {
    plan.sourceBytes = count * descriptor.dimension * sizeof(float);
    plan.tableBytes = count * ComponentsOf(descriptor, operation) * size;
    plan.tableBytes =
      operation == GaussianOperation::GradientSource ? plan.tableBytes : std::min(plan.tableBytes, TransferChunkBytes);
  }
  making += std::max(raw, plan.sourceBytes + notes);
  plan.workspaceBytes = making > plan.sourceBytes ? making - plan.sourceBytes : 0;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountGaussianWork(const GaussianDescriptor & descriptor, GaussianOperation operation)
{
  // A pass takes about as long as two poles in double precision.
  constexpr double poles = 4.0;
  const auto       count = static_cast<double>(descriptor.Count());
  const double     components = operation == GaussianOperation::Smoothing ? 1.0 : descriptor.dimension;
  OperationWork    work;
  const bool       isOneAxis = operation == GaussianOperation::Smoothing && descriptor.onlyAxis >= 0;
  const double     axes = isOneAxis ? 1.0 : descriptor.dimension;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Gaussian),
                       static_cast<std::uint64_t>(operation),
                       isOneAxis ? 0U : descriptor.dimension,
                       static_cast<std::uint64_t>(descriptor.pixel) });
  work.uploadBytes = count * static_cast<double>(SizeOf(descriptor.pixel));
  work.convertSamples = descriptor.pixel != GaussianElementOf(descriptor.pixel) ? count : 0.0;
  work.filterPasses = count * axes * components * poles;
  work.downloadBytes = operation == GaussianOperation::GradientSource
                         ? 0.0
                         : count * ComponentsOf(descriptor, operation) * static_cast<double>(SizeOf(descriptor.output));
  return work;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
SmoothOnCuda(const GaussianDescriptor &, const void *, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
GradientOnCuda(const GaussianDescriptor &, const void *, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
GradientMagnitudeOnCuda(const GaussianDescriptor &, const void *, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

std::shared_ptr<const SampleSource>
GradientSourceOnCuda(const GaussianDescriptor &, const SourceDescriptor &, const void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
SmoothResidentOnCuda(const GaussianDescriptor &, std::size_t, const void *, void *, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
GradientResidentOnCuda(const GaussianDescriptor &,
                       std::size_t,
                       const void *,
                       void *,
                       std::int64_t,
                       std::int64_t,
                       void *,
                       const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
