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
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"

#include "device/LargePages.h"
#include "kernels/common/HostLoop.h"
#include "kernels/common/MemoryBudget.h"
#include "kernels/evaluation/EvaluationBackends.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/TapCounts.h"
#include "kernels/resampling/ExecuteResampleTask.h"
#include "kernels/resampling/ResampleBackends.h"
#include "kernels/transforms/StageTaps.h"
#include "kernels/transforms/TransformStages.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

// Fractions of progress: after the sources of a resampling have been made, and after the first of two.
constexpr double SourcesMade = 0.4;
constexpr double FirstOfTwoMade = 0.3;

double
SecondsBetween(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to)
{
  return std::chrono::duration<double>(to - from).count();
}

/** Makes a source, and distinguishes its errors from those of a resampling. */
template <typename TMake>
std::shared_ptr<const SampleSource>
Make(const TMake & make)
{
  try
  {
    return make();
  }
  catch (const std::invalid_argument & error)
  {
    throw InvalidPixels(error.what());
  }
}

/** Computes lines whose indices come from an index provider. Each thread has the indices of one line. */
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

/** Throws if the samples for the outside do not belong to the image of the source. */
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
    throw std::invalid_argument(
      "The samples for extrapolation must be of the same image and on the same backend and device as the source.");
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

SourceDescriptor
SamplesOn(Backend backend, const ResampleTask & task)
{
  SourceDescriptor samples = task.samples;
  const auto       method = task.resampling.interpolation;
  const bool       isRead = method == Interpolation::Nearest ||
                      (method == Interpolation::Linear && samples.components % 3 == 0); // as vectors of the processor
  samples.isInterleaved = backend == Backend::Cpu && samples.components > 1 && !task.extrapolates && isRead &&
                          samples.storage == CoefficientStorage::Element;
  return samples;
}

ResampleOutcome
ExecuteResampleTask(const ResampleTask &     task,
                    const void *             pixels,
                    void *                   output,
                    const ExecutionContext & context,
                    SourceCache *            cache,
                    const ProvideEnds &      ends)
{
  const auto             begin = std::chrono::steady_clock::now();
  ResampleOutcome        done;
  const ExecutionContext first = context.Part(0.0, task.needsOutside ? FirstOfTwoMade : SourcesMade);
  const SourceDescriptor samples = SamplesOn(context.backend, task);
  done.source = Make([&] {
    return cache != nullptr ? cache->Provide(samples, pixels, first, &done.isReused)
                            : MakeSource(samples, pixels, first);
  });
  const auto outside =
    task.needsOutside
      ? Make([&] { return MakeSource(task.outside, pixels, context.Part(FirstOfTwoMade, SourcesMade)); })
      : done.source;
  const auto made = std::chrono::steady_clock::now();

  ResampleDescriptor resampling = task.resampling;
  resampling.extrapolation = task.extrapolates ? outside.get() : nullptr;
  if (ends && (context.backend != Backend::Cuda || resampling.scanlineChain == nullptr))
  {
    resampling.scanlineEnds = ends(context);
  }
  Resample(resampling, *done.source, output, context.Part(SourcesMade, 1.0));
  done.times = { SecondsBetween(begin, made), SecondsBetween(made, std::chrono::steady_clock::now()) };
  return done;
}

MemoryPlan
PlanResample(const SourceDescriptor & source, const ResampleDescriptor & resample, std::size_t budget, bool isMade)
{
  MemoryPlan        plan = PlanSource(source, budget, isMade);
  const std::size_t pixelBytes = SizeOf(resample.output) * source.components;
  // Indices that the host computes are copied with each slab.
  const std::size_t indexBytes = resample.indexProvider ? source.dimension * sizeof(double) : 0;
  const std::size_t lineBytes = static_cast<std::size_t>(resample.samples) * (pixelBytes + indexBytes);
  if (resample.chain != nullptr)
  {
    plan.tableBytes = resample.chain->Bytes(source.dimension);
  }
  else if (!resample.indexProvider)
  {
    plan.tableBytes =
      (static_cast<std::size_t>(resample.lines) * 2 * source.dimension + static_cast<std::size_t>(resample.samples)) *
      sizeof(double);
  }
  SetSlabLines(plan, resample.lines, lineBytes, budget);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * lineBytes + (resample.indexProvider ? sizeof(double) : 0);
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample)
{
  OperationWork work;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Resample),
                       KindOfMethod(resample, source),
                       static_cast<std::uint64_t>(resample.output.type),
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
