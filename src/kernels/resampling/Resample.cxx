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
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/LargePages.h"
#include "kernels/coefficients/DeviceArrayBackends.h"
#include "kernels/common/HostLoop.h"
#include "kernels/evaluation/EvaluationBackends.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/TapCounts.h"
#include "kernels/transforms/TransformStages.h"

#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Lines whose indices somebody else computes: each thread has those of one line. */
template <unsigned int VDimension>
void
ResampleProvided(const ResampleDescriptor &              descriptor,
                 const SampleSource &                    source,
                 const EvaluationArguments<VDimension> & arguments,
                 void *                                  output,
                 const ExecutionContext &                context)
{
  const std::int64_t lineBytes =
    arguments.samples * arguments.components * static_cast<std::int64_t>(SizeOf(descriptor.output));
  RunInParts(descriptor.lines, 1, context, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> indices(static_cast<std::size_t>(arguments.samples) * VDimension);
    auto                line = arguments;
    line.coordinates = Coordinates::Indices;
    line.pointType = ScalarType::Float64;
    line.points = indices.data();
    line.count = arguments.samples;
    for (std::int64_t i = begin; i < end; ++i)
    {
      descriptor.indexProvider(i, 1, indices.data());
      line.output = static_cast<char *>(output) + i * lineBytes;
      EvaluateOnCpu(descriptor.interpolation, source.GetDescriptor(), Derivatives::None, line, 1, ExecutionContext());
    }
  });
}

/** Refuses samples for the outside that are not those of the source's image. */
void
CheckExtrapolation(const ResampleDescriptor & descriptor, const SampleSource & source)
{
  if (descriptor.extrapolation == nullptr)
  {
    return;
  }
  const SourceDescriptor & inside = source.GetDescriptor();
  const SourceDescriptor & outside = descriptor.extrapolation->GetDescriptor();
  if (descriptor.extrapolation->GetBackend() != source.GetBackend() ||
      descriptor.extrapolation->GetDevice() != source.GetDevice() || outside.NeedsFilter() ||
      outside.storage != CoefficientStorage::Element || outside.size != inside.size || outside.start != inside.start ||
      outside.components != inside.components)
  {
    throw std::invalid_argument("Samples that continue outside are those of the same image, on the same backend.");
  }
}

void
ResampleOnCpu(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              void *                     output,
              const ExecutionContext &   context)
{
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    static_assert(sizeof(ScanlineEnds<VDimension>) == sizeof(double) * 2 * VDimension,
                  "The table is read as an array of doubles.");
    auto arguments = MakeResampleArguments<VDimension>(descriptor, source);
    arguments.defaultPixels = descriptor.defaultPixels;
    if (descriptor.indexProvider)
    {
      ResampleProvided(descriptor, source, arguments, output, context);
      return;
    }
    std::vector<TransformStage<VDimension>> stages;
    if (descriptor.chain != nullptr)
    {
      SetGrids(*descriptor.chain, arguments);
      for (const TransformChain::Stage & stage : descriptor.chain->stages)
      {
        stages.push_back(MakeStage<VDimension>(stage, DisplacementsOf(stage)));
      }
      arguments.stages = stages.data();
    }
    arguments.ends = reinterpret_cast<const ScanlineEnds<VDimension> *>(descriptor.scanlineEnds);
    arguments.output = output;
    arguments.count = descriptor.samples * descriptor.lines;
    EvaluateOnCpu(
      descriptor.interpolation, source.GetDescriptor(), Derivatives::None, arguments, descriptor.lines, context);
  });
}

} // namespace

namespace
{
void
CheckMode(const InterpolationDescriptor & method, const SourceDescriptor & samples)
{
  const std::string mode = std::string("Mode ") + NameOf(method.mode);
  if ((samples.storage == CoefficientStorage::Texture) != (method.mode != EvaluationMode::Exact))
  {
    throw std::invalid_argument(mode + " does not read coefficients of storage " + NameOf(samples.storage) + ".");
  }
  if (method.mode == EvaluationMode::Exact)
  {
    return;
  }
  const bool isSpline = method.interpolation == Interpolation::BSpline && samples.order >= 1;
  const bool isLinear = method.interpolation == Interpolation::Linear && samples.order <= 1;
  if (!isSpline && !isLinear)
  {
    throw std::invalid_argument(
      mode + " is for B-splines of orders 1 to 5, whose weights are all of one sign, not for " +
      (method.interpolation == Interpolation::BSpline ? "order 0" : NameOf(method.interpolation)) + ".");
  }
  if (method.mode == EvaluationMode::TextureTable && samples.order >= 2 && samples.tableEntries == 0)
  {
    throw std::invalid_argument(mode + " reads a source that has a table of weights; this one has none.");
  }
}
} // namespace

void
CheckSource(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  if (source.GetBackend() != context.backend ||
      (context.backend == Backend::Cuda && source.GetDevice() != context.device))
  {
    throw std::invalid_argument(std::string("The source was made by the ") + NameOf(source.GetBackend()) +
                                " backend or on another device; it is evaluated where it was made.");
  }
  const std::string name = std::string("Interpolation ") + NameOf(method.interpolation);
  if (!MovesPixels(method.interpolation) && !IsReal(samples.element))
  {
    throw std::invalid_argument(name + " needs float32 or float64 samples, not " + NameOf(samples.element) + ".");
  }
  if (IsPacked(samples.storage) && method.interpolation != Interpolation::BSpline)
  {
    throw std::invalid_argument(name + " does not read coefficients stored as " + NameOf(samples.storage) +
                                "; BSpline does.");
  }
  CheckMode(method, samples);
  if (method.interpolation == Interpolation::WindowedSinc && (method.radius < 1 || method.radius > MaximumSincRadius))
  {
    throw std::invalid_argument(name + " has a radius of 1 to " + std::to_string(MaximumSincRadius) +
                                " samples; it is " + std::to_string(method.radius) + ".");
  }
}

void
CheckResample(const ResampleDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  CheckSource(descriptor, source, context);
  CheckExtrapolation(descriptor, source);
}

void
Resample(const ResampleDescriptor & descriptor,
         const SampleSource &       source,
         void *                     output,
         const ExecutionContext &   context)
{
  CheckResample(descriptor, source, context);
  if (descriptor.samples > 0 && descriptor.lines > 0)
  {
    AdviseLargePages(output,
                     static_cast<std::size_t>(descriptor.samples * descriptor.lines) *
                       source.GetDescriptor().components * SizeOf(descriptor.output));
    (context.backend == Backend::Cuda ? ResampleOnCuda : ResampleOnCpu)(descriptor, source, output, context);
  }
  context.Report(1.0);
}

OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample)
{
  OperationWork work;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Resample),
                       KindOfMethod(resample, source),
                       static_cast<std::uint64_t>(resample.output),
                       KindOfStages(resample.chain),
                       resample.indexProvider ? 1U : 0U });
  work.samples = static_cast<double>(resample.samples) * static_cast<double>(resample.lines);
  work.taps =
    work.samples * (TapsOf(resample, source) * source.components + StageTapsOf(resample.chain, source.dimension));
  work.downloadBytes = work.samples * static_cast<double>(SizeOf(resample.output)) * source.components;
  if (resample.chain != nullptr)
  {
    work.uploadBytes = static_cast<double>(resample.chain->Bytes(source.dimension));
  }
  else if (resample.indexProvider)
  {
    work.uploadBytes = work.samples * source.dimension * static_cast<double>(sizeof(double));
  }
  return work;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
ResampleOnCuda(const ResampleDescriptor &, const SampleSource &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
