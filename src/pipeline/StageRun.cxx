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
#include "pipeline/StageRun.h"

#include "pipeline/StageModels.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/DenseSearch.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

/** The tolerance of inverses by Anderson mixing (samples). Each sample ends its own iterations: at ITK's tolerance of
 * 0.001 a rounding decides about a difference of that size, which further iterations of a registration enlarge. */
constexpr double AndersonTolerance = 1e-4;

/** Writes the fields of a registration to memory of the caller. */
template <typename TRegistration>
FoundFields
WriteFields(const StageContext & context, const FieldGrid & grid, TRegistration & registration)
{
  ResultArray array;
  array.stage = context.number;
  array.grid = grid;
  array.count = grid.Count() * static_cast<std::int64_t>(grid.dimension);
  const ResultMemory forward = context.callbacks.allocate(array);
  array.kind = ResultArray::Kind::Backward;
  const ResultMemory backward = context.callbacks.allocate(array);
  const FieldMemory  memory = context.images.AreOnDevice() ? FieldMemory::Residence : FieldMemory::Host;
  registration.GetFields(forward.data, backward.data, forward.type, memory);
  FoundFields fields;
  fields.shape = { grid, forward.type };
  fields.forward = forward.data;
  fields.backward = backward.data;
  return fields;
}

/** \exception NoSamples no level has a valid sample */
void
RefuseWithoutSamples(const std::vector<LevelRecord> & levels)
{
  const auto hasNoSamples = [](const LevelRecord & level) {
    return level.iterations > 0 && level.value >= std::numeric_limits<double>::max();
  };
  const auto wasIterated = [](const LevelRecord & level) { return level.iterations > 0; };
  const auto iterated = std::count_if(levels.begin(), levels.end(), wasIterated);
  if (iterated > 0 && std::count_if(levels.begin(), levels.end(), hasNoSamples) == iterated)
  {
    throw NoSamples(0);
  }
}

/** Images of label maps share a weight, which is relative to those of the metrics. */
void
AddLabelPairs(const StageContext & context, DeformableOptions & options)
{
  double sum = 0.0;
  for (const MetricTerm & term : context.spec.metrics)
  {
    sum += term.weight;
  }
  const std::size_t count = context.spec.UsesLabels() ? context.images.CountLabelPairs() : 0;
  for (std::size_t number = 0; number < count; ++number)
  {
    options.pairs.push_back({ MetricKind::MeanSquares, sum * *context.spec.labelWeight / static_cast<double>(count) });
  }
}

/** Warns if only the first one of the requested devices ran a stage that all of them could have shared. */
void
WarnOfIdleDevices(const StageContext & context, const RunRecord & run)
{
  const DeviceRequest request = ParseDeviceWish(context.device);
  if (run.backend == Backend::Cuda && run.devices.front() == request.device &&
      run.devices.size() < 1 + request.more.size() && context.callbacks.warning)
  {
    context.callbacks.warning(
      { PipelineWarning::Kind::IdleDevices,
        static_cast<int>(context.number),
        "the requested GPUs are not alike or have no access to the memory of each other, so only "
        "GPU " +
          std::to_string(run.devices.front()) + " computes this stage" });
  }
}

StageOutcome
RunModel(const StageContext & context, const FieldModel & model, const LinearTransform &)
{
  const FieldGrid & fixed = context.images.GetFixedGrid();
  DeformableOptions options;
  static_cast<MetricOptions &>(options) = context.spec.metricOptions;
  options.kind = model.kind;
  options.pairs.clear();
  for (const MetricTerm & term : context.spec.metrics)
  {
    options.pairs.push_back({ term.kind, term.weight });
  }
  AddLabelPairs(context, options);
  options.landmarks = context.images.MakeLandmarks(context.spec);
  options.levels = context.spec.levels;
  const std::vector<bool> isNarrow = FindNarrowLevels(context.spec, fixed);
  for (std::size_t level = 0; level < options.levels.size(); ++level)
  {
    options.levels[level].iterations = isNarrow[level] ? 0 : options.levels[level].iterations;
  }
  options.sigmasInMm = context.spec.sigmasInMm;
  options.rules.learningRate = model.learningRate;
  options.rules.updateVariance = model.updateVariance;
  options.rules.totalVariance = model.totalVariance;
  options.rules.optimizer = model.optimizer;
  options.rules.determinantLimit = model.determinantLimit;
  options.rules.inversion.method = model.inversion;
  if (model.inversion == InversionMethod::Anderson)
  {
    options.rules.inversion.meanTolerance = AndersonTolerance;
  }
  options.rules.averagesMidpointGradients = context.spec.AveragesMidpointGradients();
  std::copy(context.spec.restriction.begin(), context.spec.restriction.end(), options.rules.weights.begin());
  options.smoothsUnderMasks = context.images.HasMask() && context.spec.SmoothsUnderMasks();
  options.order = context.spec.order;
  options.gradientsFollowGrid = context.spec.GradientsFollowGrid();
  options.velocity = model.velocity;
  options.regularizers = model.regularizers;
  if (context.spec.GetKind() == StageKind::Greedy && model.slides.value_or(true))
  {
    options.regions = context.images.GetSlidingRegions();
  }
  options.filtersGradients = context.spec.gradient == MetricGradient::Image;
  options.element = context.precision;
  options.convergence = model.convergence;
  options.window = ConvergenceValues;

  const bool        isShared = model.kind == DeformableKind::Syn || model.kind == DeformableKind::Greedy;
  const std::size_t bytes = context.images.CountBytes(context.spec);
  StageOutcome      outcome;
  FoundFields       fields;
  outcome.run = context.images.Run(
    [&] { return CountDeformableWork(fixed, bytes, options); },
    [&](std::size_t budget) {
      return PlanDeformableRegistration(
        fixed, context.precision, bytes, options, budget, context.images.HasMasks(context.spec));
    },
    [&](const Residence & residence) {
      DeformableRegistration registration(context.images.MakeFixed(context.spec, residence),
                                          context.images.MakeMoving(context.spec, context.behind, residence),
                                          options,
                                          residence);
      outcome.levels = registration.Run(context.watch);
      fields = WriteFields(context, registration.GetGrid(), registration);
      residence.Wait(); // before the fields that are read are released
    },
    context.device,
    isShared);
  if (isShared)
  {
    WarnOfIdleDevices(context, outcome.run);
  }
  RefuseWithoutSamples(outcome.levels);
  MarkSkipped(outcome.levels, isNarrow);
  outcome.hasPenalties = options.regularizers.AreUsed();
  outcome.transform = fields;
  return outcome;
}

StageOutcome
RunModel(const StageContext & context, const DiscreteModel & model, const LinearTransform &)
{
  const FieldGrid & fixed = context.images.GetFixedGrid();
  const std::size_t bytes = context.images.CountBytes(context.spec);
  StageOutcome      outcome;
  outcome.run = context.images.Run(
    [&] { return CountDenseSearchWork(fixed, bytes, model.search); },
    [&](std::size_t budget) {
      return PlanDenseSearch(fixed, context.precision, context.precision, bytes, model.search, budget);
    },
    [&](const Residence & residence) {
      DenseSearch search(context.images.MakeFixed(context.spec, residence).front(),
                         context.images.MakeMoving(context.spec, context.behind, residence).front(),
                         model.search,
                         context.precision,
                         residence);
      outcome.levels.assign(1, search.Run(context.watch));
      outcome.transform = WriteFields(context, fixed, search);
    },
    context.device);
  RefuseWithoutSamples(outcome.levels);
  return outcome;
}

} // namespace

std::vector<bool>
FindNarrowLevels(const StageSpec & stage, const FieldGrid & fixed)
{
  std::vector<bool> isNarrow(stage.levels.size(), false);
  std::size_t       last = stage.levels.size();
  while (last > 0 && stage.levels[last - 1].iterations == 0)
  {
    --last;
  }
  for (std::size_t level = 0;
       level + 1 < last && std::holds_alternative<FieldModel>(stage.model) && stage.HasMetricThat(HasWindows);
       ++level)
  {
    const FieldGrid grid = ShrinkGrid(fixed, stage.levels[level]);
    for (unsigned int d = 0; d < fixed.dimension; ++d)
    {
      const std::int64_t width = 2 * std::int64_t{ stage.metricOptions.radius[d] } + 1;
      const bool         isShort = grid.size[d] < width && fixed.size[d] >= width;
      isNarrow[level] = isNarrow[level] || (isShort && stage.levels[level].iterations > 0);
    }
  }
  return isNarrow;
}

StageOutcome
RunStage(const StageContext & context, const LinearTransform & start)
{
  return std::visit([&](const auto & model) { return RunModel(context, model, start); }, context.spec.model);
}

TransformChain::Stage
MakeChainStage(const FoundTransform & found)
{
  return std::visit(
    [](const auto & transform) {
      using Found = std::decay_t<decltype(transform)>;
      if constexpr (std::is_same_v<Found, LinearTransform>)
      {
        return transform.MakeStage();
      }
      else if constexpr (std::is_same_v<Found, FoundSpline>)
      {
        TransformChain::Stage stage = transform.grid;
        stage.data = std::shared_ptr<const double>(std::shared_ptr<void>(), transform.coefficients);
        return stage;
      }
      else
      {
        return MakeFieldStage(transform.shape, transform.forward);
      }
    },
    found);
}

} // namespace itk::CudaSpline
