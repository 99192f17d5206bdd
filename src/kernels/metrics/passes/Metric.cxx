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
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/evaluation/TapCounts.h"
#include "kernels/metrics/implementation/GridPass.h"
#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/samples/MetricMovingValues.h"
#include "kernels/metrics/samples/MetricSpline.h"
#include "kernels/transforms/StageTaps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("Metric: ") + what + ".");
  }
}

void
CheckField(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  const auto & stages = descriptor.chain.stages;
  const auto   stage = descriptor.GetField()->stage;
  Require(stage < stages.size() && stages[stage].kind == TransformKind::DisplacementField,
          "the stage must be a displacement field");
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    Require(stages[stage].size[d] == descriptor.chain.regionSize[d] &&
              stages[stage].start[d] == descriptor.chain.regionStart[d],
            "displacements must be on the virtual grid");
  }
  Require(sources.points == nullptr, "displacements need the samples of the virtual grid, not points");
  Require(!IsPass<CorrelationPass>(descriptor.pass) || descriptor.gradient == MetricGradient::None,
          "correlation does not support derivatives with respect to displacements");
}

void
CheckBins(const ParzenBins & bins)
{
  Require(IsBinCount(bins.bins), DescribeBinProblem(bins.bins).c_str());
}

/** Whether samples are compared with their neighbours. */
bool
IsOnGrid(const MetricDescriptor & descriptor)
{
  return std::visit([](const auto & pass) { return IsGridPass<std::decay_t<decltype(pass)>>; }, descriptor.pass);
}

void
Check(const MetricDescriptor & descriptor,
      const MetricSources &    sources,
      const ExecutionContext & context,
      const MetricWorkspace *  workspace)
{
  Require(descriptor.dimension == 2 || descriptor.dimension == 3, "images must have 2 or 3 dimensions");
  Require(sources.fixed != nullptr && sources.moving != nullptr, "fixed and moving values are needed");
  const SourceDescriptor & moving = sources.moving->GetDescriptor();
  const SourceDescriptor & fixed = sources.fixed->GetDescriptor();
  for (const auto * source :
       { &sources.fixed, &sources.inside, &sources.points, &sources.moving, &sources.gradient, &sources.mask })
  {
    Require(*source == nullptr || ((*source)->GetBackend() == context.backend &&
                                   (context.backend != Backend::Cuda || (*source)->GetDevice() == context.device)),
            "all arrays must be in the memory of the backend that evaluates it");
  }
  const Interpolation method = descriptor.interpolation.interpolation;
  Require(method == Interpolation::Nearest || method == Interpolation::Linear || method == Interpolation::BSpline,
          "the interpolation of the moving image must be Nearest, Linear or BSpline");
  Require(descriptor.interpolation.mode == EvaluationMode::Exact && moving.storage == CoefficientStorage::Element &&
            IsReal(moving.element) && moving.components == 1 && moving.dimension == descriptor.dimension,
          "the moving image must have the dimension of the metric and one float32 or float64 component, in storage "
          "Element and mode Exact");
  Require(fixed.element == moving.element, "fixed values must have the type of the moving elements");
  Require(!descriptor.interpolation.singleCoordinates, "coordinates must be double");
  const std::int64_t count = fixed.Count();
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    Require(descriptor.chain.regionSize[d] >= 1, "the virtual grid must not be empty");
  }
  if (sources.points != nullptr)
  {
    const SourceDescriptor & points = sources.points->GetDescriptor();
    Require(points.element == ScalarType::Float64 && points.Count() == count * descriptor.dimension,
            "a float64 point is needed for each fixed value");
  }
  else
  {
    std::int64_t grid = 1;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      grid *= descriptor.chain.regionSize[d];
    }
    Require(grid == count, "a fixed value is needed for each sample of the grid");
  }
  Require(sources.inside == nullptr || (sources.inside->GetDescriptor().element == ScalarType::UInt8 &&
                                        sources.inside->GetDescriptor().Count() == count),
          "there is a uint8 for each sample");
  Require(sources.mask == nullptr || (sources.mask->GetDescriptor().element == ScalarType::UInt8 &&
                                      sources.mask->GetDescriptor().dimension == descriptor.dimension),
          "a mask has uint8 pixels and the metric's dimension");
  const bool areGiven = descriptor.gradient == MetricGradient::Samples;
  const bool needsGradient = areGiven || descriptor.gradient == MetricGradient::Image ||
                             descriptor.gradient == MetricGradient::CentralDifferences;
  Require(!needsGradient || sources.gradient != nullptr, "gradients are needed, but missing");
  if (areGiven)
  {
    const SourceDescriptor & gradient = sources.gradient->GetDescriptor();
    Require(descriptor.GetField() != nullptr && gradient.Count() == count * descriptor.dimension &&
              gradient.element == moving.element,
            "gradients of samples are only for displacement fields; they must have the type of the moving elements, "
            "and one vector per sample");
  }
  else if (needsGradient)
  {
    const SourceDescriptor & gradient = sources.gradient->GetDescriptor();
    const unsigned int       components = descriptor.gradient == MetricGradient::Image ? descriptor.dimension : 1;
    Require(gradient.size == moving.size && gradient.start == moving.start && gradient.element == moving.element &&
              gradient.components == components && !gradient.NeedsFilter(),
            "gradients must have the grid and the element type of the moving image");
  }
  Require(descriptor.gradient != MetricGradient::Analytic || method == Interpolation::BSpline,
          "analytic gradients need interpolation BSpline");
  const bool isValues = IsPass<MeansPass>(descriptor.pass) || IsPass<HistogramPass>(descriptor.pass);
  Require(descriptor.gradient == MetricGradient::None || !isValues, "means and histograms do not support derivatives");
  Require(descriptor.gradient != MetricGradient::None || !IsPass<WeightsPass>(descriptor.pass),
          "weights need a derivative");
  if (IsOnGrid(descriptor))
  {
    Require(sources.points == nullptr, "windows and differences need the samples of a grid, not points");
    Require(descriptor.singleFixed == descriptor.singleMoving,
            "windows and differences need fixed and moving pixels of the same type");
    Require(!areGiven && !descriptor.sharesValues,
            "a pass on a grid computes its own values and gradients; given ones are not supported");
  }
  if (const auto * const windows = std::get_if<LocalCorrelationPass>(&descriptor.pass))
  {
    Require(*std::min_element(windows->radius.begin(), windows->radius.begin() + descriptor.dimension) >= 0,
            "the radius must be at least 0");
  }
  Require(!IsPass<DemonsPass>(descriptor.pass) || descriptor.gradient == MetricGradient::None ||
            descriptor.GetField() != nullptr,
          "demons have a derivative by displacements alone");
  Require(descriptor.gradient == MetricGradient::None || !std::holds_alternative<NoDerivative>(descriptor.derivative),
          "a derivative is by something");
  if (const auto * const spline = descriptor.GetSpline())
  {
    const auto & stages = descriptor.chain.stages;
    const auto   stage = spline->stage;
    Require(stage < stages.size() && stages[stage].kind == TransformKind::BSpline, "the stage must be a B-spline");
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      Require(stages[stage].size[d] > stages[stage].order, "a grid of B-splines needs at least 1 cell along each axis");
    }
    const char * const reason = ReasonForHostOnly(descriptor, count);
    Require(context.backend != Backend::Cuda || reason == nullptr, reason);
  }
  else if (descriptor.GetField() != nullptr)
  {
    CheckField(descriptor, sources);
  }
  else
  {
    const std::size_t front = descriptor.CountFront();
    Require(front <= descriptor.chain.stages.size(), "the chain has fewer stages than the moments need");
    Require(descriptor.gradient == MetricGradient::None ||
              std::all_of(descriptor.chain.stages.begin(),
                          descriptor.chain.stages.begin() + static_cast<std::ptrdiff_t>(front),
                          [](const auto & stage) { return stage.kind == TransformKind::Affine; }),
            "moments are of affine stages");
  }
  if (descriptor.sharesValues)
  {
    Require(workspace != nullptr, "shared moving values need a workspace");
    Require(descriptor.gradient != MetricGradient::Analytic, "analytic gradients do not support shared moving values");
    Require(descriptor.gradient == MetricGradient::None ||
              (workspace->values != nullptr && workspace->values->Fits(descriptor, context, count)),
            "moving values were left by a pass over the same samples");
  }
  if (const auto * const histogram = std::get_if<HistogramPass>(&descriptor.pass))
  {
    CheckBins(histogram->bins);
  }
  if (const auto * const information = std::get_if<InformationPass>(&descriptor.pass))
  {
    CheckBins(information->bins);
    Require(descriptor.gradient != MetricGradient::None,
            "mutual information needs a derivative; its value is computed from the histogram");
    Require(information->table != nullptr || MakesTable(descriptor, context), "mutual information needs a table");
  }
}

} // namespace

std::string
DescribeBinProblem(std::int64_t bins)
{
  return "a histogram has " + std::to_string(MinHistogramBins) + " to " + std::to_string(MaxHistogramBins) +
         " bins along either axis, not " + std::to_string(bins);
}

std::int64_t
CountMetricSamples(const MetricSources & sources)
{
  return sources.fixed->GetDescriptor().Count();
}

MetricResult
EvaluateMetric(const MetricDescriptor & descriptor,
               const MetricSources &    sources,
               const ExecutionContext & context,
               MetricWorkspace *        workspace)
{
  Check(descriptor, sources, context, workspace);
  if (IsOnGrid(descriptor))
  {
    return EvaluateGridPass(descriptor, sources, context, workspace);
  }
  return context.backend == Backend::Cuda ? EvaluateMetricOnCuda(descriptor, sources, context, workspace)
                                          : EvaluateMetricOnCpu(descriptor, sources, context, workspace);
}

bool
MakesTable(const MetricDescriptor & descriptor, const ExecutionContext & context)
{
  return context.backend == Backend::Cuda && !descriptor.GetStage();
}

OperationWork
CountMetricWork(const MetricDescriptor & descriptor, const SourceDescriptor & moving, std::int64_t samples)
{
  OperationWork work;
  const double  weight = moving.element == ScalarType::Float64 ? 2.0 : 1.0;
  const auto    power = [&](double support) {
    return descriptor.dimension == 2 ? support * support : support * support * support;
  };
  const Interpolation method = descriptor.interpolation.interpolation;
  double              taps = method == Interpolation::Nearest
                               ? 1.0
                               : power(method == Interpolation::Linear ? 2.0 : static_cast<double>(moving.order) + 1.0);
  if (descriptor.gradient == MetricGradient::Analytic)
  {
    taps *= 2.0;
  }
  else if (descriptor.gradient != MetricGradient::None)
  {
    const double interpolations = descriptor.gradient == MetricGradient::Image ? 1.0 : 2.0;
    taps += interpolations * descriptor.dimension * power(2.0);
  }
  if (descriptor.GetSpline() != nullptr && descriptor.gradient != MetricGradient::None)
  {
    const auto & stage = descriptor.chain.stages[descriptor.GetSpline()->stage];
    taps += 2.0 * descriptor.dimension * power(stage.order + 1.0);
  }
  for (std::size_t stage = descriptor.CountFront();
       descriptor.gradient != MetricGradient::None && descriptor.HasOuterJacobian() &&
       stage < descriptor.chain.stages.size();
       ++stage)
  {
    const auto & behind = descriptor.chain.stages[stage];
    taps += 2.0 * descriptor.dimension * power(behind.kind == TransformKind::BSpline ? behind.order + 1.0 : 2.0);
  }
  if (IsOnGrid(descriptor))
  {
    taps += 5.0 * 3.0 * descriptor.dimension; // sums along each axis of five numbers
  }
  const bool withDerivative = descriptor.gradient != MetricGradient::None;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Metric),
                       KindOfMethod(descriptor.interpolation, moving),
                       static_cast<std::uint64_t>(descriptor.pass.index()),
                       static_cast<std::uint64_t>(descriptor.gradient),
                       KindOfStages(&descriptor.chain),
                       descriptor.GetSpline() != nullptr ? descriptor.GetSpline()->stage + 1 : 0,
                       descriptor.GetField() != nullptr ? descriptor.GetField()->stage + 1 : 0 });
  work.sums = static_cast<double>(samples) * (withDerivative ? 3.0 : 1.0);
  work.taps = static_cast<double>(samples) * taps * weight;
  return work;
}

bool
FitsCells(const MetricDescriptor & descriptor, std::int64_t samples)
{
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 2;
  return samples <= most && TransformChain::CountOf(descriptor.chain.stages[descriptor.GetSpline()->stage], 1) <= most;
}

const char *
ReasonForHostOnly(const MetricDescriptor & descriptor, std::int64_t samples)
{
  // Rings of sums of wider windows do not fit into the shared memory of any device.
  constexpr std::int64_t widest = 22;
  if (const auto * const windows = std::get_if<LocalCorrelationPass>(&descriptor.pass))
  {
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      if (std::min<std::int64_t>(windows->radius[d], descriptor.chain.regionSize[d]) > widest)
      {
        return "windows of local correlation of a radius above 22 are the host's";
      }
    }
  }
  return descriptor.GetSpline() == nullptr || descriptor.gradient == MetricGradient::None ||
             FitsCells(descriptor, samples)
           ? nullptr
           : "by the coefficients of B-splines a device takes less than 2^31 samples and nodes";
}

std::size_t
CountMetricBytes(const MetricDescriptor & descriptor, std::int64_t samples, ScalarType element)
{
  const unsigned int dimension = descriptor.dimension;
  // Sums of blocks, and two numbers of the widest histogram for each of its bins: less than 2 MiB.
  std::size_t bytes = descriptor.chain.Bytes(dimension) + (std::size_t(2) << 20);
  if (IsOnGrid(descriptor))
  {
    // The sum of: moving values and whether they are valid; the fixed image as floats, if its numbers are doubles and
    // windows need floats; a factor; the numbers of windows for exact derivatives, or four numbers of gradients with
    // sums of rows. If nothing moves, at most both images are converted to floats, which needs less.
    const auto * const windows = std::get_if<LocalCorrelationPass>(&descriptor.pass);
    const bool         hasNumbers = windows == nullptr || windows->isExact;
    const bool         isFloat = descriptor.singleMoving || element == ScalarType::Float32;
    bytes += static_cast<std::size_t>(samples) * ((isFloat ? sizeof(float) : sizeof(double)) + 1 +
                                                  (isFloat && element == ScalarType::Float64 ? sizeof(float) : 0) +
                                                  (descriptor.gradient != MetricGradient::None ? SizeOf(element) : 0) +
                                                  (hasNumbers ? ExactWindowNumbers * SizeOf(element) : 0));
  }
  else if (descriptor.sharesValues)
  {
    bytes += static_cast<std::size_t>(samples) * BytesOfMovingValue(descriptor);
  }
  if (descriptor.GetField() != nullptr && descriptor.gradient != MetricGradient::None)
  {
    bytes += static_cast<std::size_t>(samples) * dimension * sizeof(double);
  }
  if (descriptor.GetSpline() != nullptr && FitsCells(descriptor, samples))
  {
    const auto &       stage = descriptor.chain.stages[descriptor.GetSpline()->stage];
    const std::int64_t nodes = TransformChain::CountOf(stage, 1);
    const std::int64_t sorted = 4 * samples * static_cast<std::int64_t>(sizeof(std::uint32_t));
    std::int64_t       ofChunk = MetricSums<3, 0>::Numbers;
    std::int64_t       ofNode = 2;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      ofNode *= WidestSupport;
    }
    ofChunk += ofNode * dimension; // of two sets
    const std::int64_t numbers = MaxChunks(samples, nodes) * ofChunk + nodes * (2 * dimension + 2);
    bytes += static_cast<std::size_t>(sorted + sorted / 8 + numbers * static_cast<std::int64_t>(sizeof(double)));
  }
  return bytes;
}

#if !defined(CUDASPLINE_HAS_CUDA)
MetricResult
EvaluateMetricOnCuda(const MetricDescriptor &, const MetricSources &, const ExecutionContext &, MetricWorkspace *)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
