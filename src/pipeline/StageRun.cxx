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

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/DenseSearch.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

/** How a stage of a linear transform or a B-spline compares images. */
LinearMetric
MakeMetric(const StageContext & context)
{
  LinearMetric metric;
  static_cast<MetricOptions &>(metric) = context.spec.metricOptions;
  metric.kind = context.spec.metrics.front().kind;
  metric.order = context.spec.order;
  metric.gradient = context.spec.gradient;
  metric.arithmetic = context.precision;
  metric.landmarks = context.images.MakeLandmarks(context.spec);
  return metric;
}

/** The images that a stage of a linear transform or a B-spline compares, those of label maps last. */
std::vector<LinearPair>
MakePairs(const StageContext & context, const Residence & residence)
{
  std::vector<SynSide>    fixed = context.images.MakeFixed(context.spec, residence);
  std::vector<SynSide>    moving = context.images.MakeMoving(context.spec, context.behind, residence);
  std::vector<LinearPair> pairs;
  for (std::size_t number = 0; number < fixed.size(); ++number)
  {
    pairs.push_back({ std::move(fixed[number]), std::move(moving[number]), context.spec.labelWeight.value_or(0.0) });
  }
  return pairs;
}

/** Those of label maps. */
std::vector<LinearPair>
LabelsOf(const std::vector<LinearPair> & pairs)
{
  return { pairs.begin() + 1, pairs.end() };
}

/** What the levels of a linear transform or a B-spline compare. */
struct SamplePlan
{
  std::vector<SampleRules> samples; ///< of each level
  std::vector<bool>        isSkipped;
};

/** Parameters that all samples determine together: those of the transform, for B-splines as many as of an affine one.
 */
std::int64_t
CountParameters(const StageSpec & stage, unsigned int dimension)
{
  const auto * const linear = std::get_if<LinearModel>(&stage.model);
  return static_cast<std::int64_t>(
    LinearTransform::CountParameters(linear != nullptr ? linear->kind : LinearKind::Affine, dimension));
}

/** The fewest samples under a mask that a level needs: 10 for each parameter of a linear transform, and 4 for each
 * parameter of the control points of a B-spline that move samples under the mask.
 *
 * \param[in] parts PreparedImages::MeasureMask() */
std::int64_t
CountLeastSamples(const StageContext & context, std::size_t level, const std::array<double, 3> & parts)
{
  const FieldGrid & fixed = context.images.GetFixedGrid();
  if (std::holds_alternative<LinearModel>(context.spec.model))
  {
    return 10 * CountParameters(context.spec, fixed.dimension);
  }
  const auto &      model = std::get<SplineModel>(context.spec.model);
  const SplineCells cells = CellsOfLevel(CountSplineCells(model, fixed), level, context.spec.levels.size());
  std::int64_t      count = 4 * static_cast<std::int64_t>(fixed.dimension);
  for (unsigned int d = 0; d < fixed.dimension; ++d)
  {
    count *= static_cast<std::int64_t>(std::ceil(parts[d] * static_cast<double>(cells[d]))) + 3;
  }
  return count;
}

/** Plans the samples of all levels. Where samples are drawn, there are at least 20 for each parameter and, for mutual
 * information, one for each bin of the joint histogram, or all samples under the mask. A level whose mask has too few
 * samples is skipped, with a warning. */
SamplePlan
PlanSamples(const StageContext & context)
{
  const FieldGrid &  fixed = context.images.GetFixedGrid();
  const StageSpec &  stage = context.spec;
  const std::int64_t parameters = CountParameters(stage, fixed.dimension);
  const std::int64_t bins = stage.metricOptions.bins;
  const std::int64_t ofHistogram = stage.HasMetricThat(HasHistogram) ? bins * bins : 0;
  const std::int64_t wanted = std::max(20 * parameters, ofHistogram);
  SamplePlan         plan{ std::vector<SampleRules>(stage.levels.size(), stage.samples),
                   std::vector<bool>(stage.levels.size(), false) };
  if (stage.samples.choice == SampleChoice::All && !context.images.HasMask())
  {
    return plan;
  }
  const std::array<double, 3> parts = context.images.MeasureMask();
  for (std::size_t level = 0; level < stage.levels.size(); ++level)
  {
    if (stage.levels[level].iterations == 0)
    {
      continue;
    }
    SampleRules &      rules = plan.samples[level];
    const double       drawn = rules.choice == SampleChoice::All ? 1.0 : rules.fraction;
    const std::int64_t least = context.images.HasMask() ? CountLeastSamples(context, level, parts) : 0;
    const auto         enough = static_cast<std::int64_t>(std::min(1e15, static_cast<double>(wanted) / drawn)) + 2;
    const std::int64_t count =
      context.images.CountSamples(ShrinkGrid(fixed, stage.levels[level]), std::max(enough, least));
    if (rules.choice != SampleChoice::All && rules.fraction * static_cast<double>(count) < static_cast<double>(wanted))
    {
      rules.fraction = count > wanted ? static_cast<double>(wanted) / static_cast<double>(count) : 1.0;
      rules.choice = rules.fraction < 1.0 ? rules.choice : SampleChoice::All;
    }
    if (count < least)
    {
      plan.isSkipped[level] = true;
      if (context.callbacks.warning)
      {
        context.callbacks.warning({ PipelineWarning::Kind::SkippedLevel,
                                    static_cast<int>(context.number),
                                    "level " + std::to_string(level + 1) + " of " +
                                      std::to_string(stage.levels.size()) + " is skipped: its grid has " +
                                      std::to_string(count) + " samples under the mask of the fixed image, and " +
                                      std::to_string(least) + " are needed" });
      }
    }
  }
  return plan;
}

/** Options of a level: those of the stage with the samples of the level. */
template <typename TOptions>
TOptions
MakeLevelOptions(const TOptions & options, const SamplePlan & plan, std::size_t level)
{
  TOptions of = options;
  of.samples = plan.samples[level];
  if (plan.isSkipped[level])
  {
    of.levels[level].iterations = 0;
  }
  return of;
}

/** Fractions of the samples that are compared. */
std::vector<double>
FractionsOf(const SamplePlan & plan)
{
  std::vector<double> fractions;
  for (std::size_t level = 0; level < plan.samples.size(); ++level)
  {
    const SampleRules & rules = plan.samples[level];
    fractions.push_back(plan.isSkipped[level] ? 0.0 : rules.choice == SampleChoice::All ? 1.0 : rules.fraction);
  }
  return fractions;
}

/** The last level that iterates: at its resolution the stage's result is compared with its start. */
std::size_t
FindLastIterated(const StageSpec & stage, const SamplePlan & plan)
{
  std::size_t last = stage.levels.size();
  while (last > 0 && (stage.levels[last - 1].iterations == 0 || plan.isSkipped[last - 1]))
  {
    --last;
  }
  return last - 1;
}

/** Work of all levels; the images travel to a device once. */
template <typename TCount>
OperationWork
SumLevels(const StageContext & context, const TCount & count)
{
  OperationWork work;
  for (std::size_t level = 0; level < context.spec.levels.size(); ++level)
  {
    work = work + count(level, level == 0 ? context.images.CountBytes(context.spec) : 0);
  }
  return work;
}

/** Memory of the level that needs most, or that does not fit. */
template <typename TPlan>
MemoryPlan
FindLargestPlan(const StageContext & context, const TPlan & planOf)
{
  MemoryPlan largest = planOf(0);
  for (std::size_t level = 1; level < context.spec.levels.size(); ++level)
  {
    const MemoryPlan plan = planOf(level);
    if (largest.fits && (!plan.fits || plan.PeakBytes() > largest.PeakBytes()))
    {
      largest = plan;
    }
  }
  return largest;
}

/** Marks levels that were skipped. */
void
MarkSkipped(std::vector<LevelRecord> & levels, const std::vector<bool> & isSkipped)
{
  for (std::size_t level = 0; level < levels.size(); ++level)
  {
    levels[level].end = isSkipped[level] ? LevelEnd::Skipped : levels[level].end;
  }
}

/** Levels that were not started were stopped. */
void
FillUp(std::vector<LevelRecord> & records, std::size_t count)
{
  LevelRecord stopped;
  stopped.end = LevelEnd::Stopped;
  records.resize(count, stopped);
}

/** How a level ended that may continue up to a limit while values fall. */
LevelEnd
EndOfIterations(const PyramidLevel & level, unsigned int iterations)
{
  return iterations >= std::max(level.iterations, level.limit) ? LevelEnd::Iterations : LevelEnd::Converged;
}

LevelEnd
EndOf(LinearStop stop, const PyramidLevel & level, unsigned int iterations)
{
  switch (stop)
  {
    case LinearStop::Converged:
      return LevelEnd::Converged;
    case LinearStop::NoGradient:
      return LevelEnd::NoGradient;
    case LinearStop::ShortStep:
      return LevelEnd::ShortStep;
    case LinearStop::Stopped:
      return LevelEnd::Stopped;
    default:
      return EndOfIterations(level, iterations);
  }
}

LevelEnd
EndOf(LbfgsStop stop, const PyramidLevel & level, unsigned int evaluations)
{
  switch (stop)
  {
    case LbfgsStop::None:
      return LevelEnd::Stopped;
    case LbfgsStop::Gradient:
      return LevelEnd::Converged;
    case LbfgsStop::LineSearch:
      return LevelEnd::NoGradient;
    default:
      return EndOfIterations(level, evaluations);
  }
}

/** A level of a linear transform or a B-spline. */
LevelRecord
MakeRecord(LevelEnd end, unsigned int iterations, double value, double seconds, double fallRate)
{
  LevelRecord record;
  record.end = end;
  record.iterations = iterations;
  record.value = value;
  record.convergence = std::numeric_limits<double>::infinity();
  record.seconds = seconds;
  record.fallRate = fallRate;
  return record;
}

/** Axes of the fixed image with fewer than 4 slices: an affine transform keeps its matrix along them. There is a
 * warning for 2 or 3 slices; one slice determines nothing across it. */
std::vector<LinearTransform::Vector>
FindKeptAxes(const StageContext & context)
{
  constexpr std::int64_t               fewest = 4;
  const FieldGrid &                    fixed = context.images.GetFixedGrid();
  std::vector<LinearTransform::Vector> axes;
  for (unsigned int axis = 0; axis < fixed.dimension; ++axis)
  {
    if (fixed.size[axis] >= fewest)
    {
      continue;
    }
    LinearTransform::Vector along{};
    for (unsigned int row = 0; row < fixed.dimension; ++row)
    {
      along[row] = fixed.indexToPoint[row][axis] / fixed.spacing[axis];
    }
    axes.push_back(along);
    if (fixed.size[axis] > 1 && context.callbacks.warning)
    {
      context.callbacks.warning({ PipelineWarning::Kind::KeptAxes,
                                  static_cast<int>(context.number),
                                  "the fixed image has " + std::to_string(fixed.size[axis]) + " slices along " +
                                    "xyz"[axis] +
                                    ", which hardly determine a stretch or shear across them; the matrix stays along "
                                    "this axis (4 slices are enough)" });
    }
  }
  return axes;
}

/** Name of a parameter of a linear transform, as in warnings. */
std::string
NameOfParameter(const LinearTransform & transform, std::size_t parameter)
{
  const unsigned int           dimension = transform.GetDimension();
  const LinearTransform::Slope slope = transform.GetSlope(parameter);
  const auto                   axis = [](std::size_t number) { return std::string(1, "xyz"[number]); };
  if (slope.matrix == LinearTransform::Matrix{})
  {
    const auto moved = std::find(slope.shift.begin(), slope.shift.end(), 1.0);
    return "translation along " + axis(static_cast<std::size_t>(moved - slope.shift.begin()));
  }
  if (transform.GetKind() == LinearKind::Affine)
  {
    return "matrix " + axis(parameter / dimension) + axis(parameter % dimension);
  }
  const bool isScale = transform.GetKind() == LinearKind::Similarity && parameter == (dimension == 3 ? 6U : 0U);
  return isScale ? "scale" : dimension == 2 ? "rotation" : "rotation about " + axis(parameter);
}

/** Gives weight 0 to parameters that the images do not determine; landmarks and label maps may determine them. There is
 * a warning unless an image has one slice. */
void
KeepUndetermined(const StageContext & context, const LinearTransform & transform, LinearTransform::Parameters & weights)
{
  if (context.spec.landmarkWeight.value_or(0.0) > 0.0 || context.spec.labelWeight.value_or(0.0) > 0.0)
  {
    return;
  }
  std::string names;
  for (const std::size_t parameter : context.images.FindUndeterminedParameters(transform, context.behind))
  {
    names += weights[parameter] != 0.0 ? (names.empty() ? "" : ", ") + NameOfParameter(transform, parameter) : "";
    weights[parameter] = 0.0;
  }
  const FieldGrid & moving = context.images.GetMovingGrid();
  const bool        isOneSlice =
    std::find(moving.size.begin(), moving.size.begin() + moving.dimension, 1) != moving.size.begin() + moving.dimension;
  if (!names.empty() && !isOneSlice && context.callbacks.warning)
  {
    context.callbacks.warning({ PipelineWarning::Kind::Undetermined,
                                static_cast<int>(context.number),
                                "the images do not determine these parameters, which stay: " + names });
  }
}

/** Undoes levels that moved the images apart: this one, if it found samples at its start; else those before it, once.
 *
 * \param[in] ended the level that has no samples
 * \param[in,out] starts of the levels, this one included
 * \param[in,out] records of the levels before it, and of this one if it is undone
 * \param[out] transform where the next level that runs starts
 * \return whether there was a level to undo */
bool
GoBack(const LinearRecord &           ended,
       std::vector<LinearTransform> & starts,
       std::vector<LevelRecord> &     records,
       LinearTransform &              transform)
{
  constexpr double apart = std::numeric_limits<double>::infinity(); // loss without samples
  if (ended.iterations > 0)
  {
    transform = starts.back();
    records.push_back(MakeRecord(LevelEnd::Undone, ended.iterations, ended.value, ended.seconds, ended.fallRate));
    records.back().loss = apart;
    return true;
  }
  if (starts.back().GetParameters() == starts.front().GetParameters())
  {
    return false;
  }
  transform = starts.front();
  std::fill(starts.begin(), starts.end(), transform);
  MarkUndone(records, 0, apart);
  return true;
}

StageOutcome
RunModel(const StageContext & context, const LinearModel & model, const LinearTransform & start)
{
  const FieldGrid & fixed = context.images.GetFixedGrid();
  const FieldGrid & moving = context.images.GetMovingGrid();
  LinearOptions     options;
  options.levels = context.spec.levels;
  options.sigmasInMm = context.spec.sigmasInMm;
  options.metric = MakeMetric(context);
  options.samples = context.spec.samples;
  options.rules.descent = model.optimizer;
  const double voxel = *std::min_element(fixed.spacing.begin(), fixed.spacing.begin() + fixed.dimension);
  options.rules.maximumStep = model.isStepInVoxels ? model.step * voxel : model.step;
  options.rules.minimumStep = model.minimumStep > 0.0 ? model.minimumStep : 1e-3 * voxel;
  std::copy(context.spec.restriction.begin(), context.spec.restriction.end(), options.rules.weights.begin());
  if (model.kind == LinearKind::Affine)
  {
    options.rules.keptAxes = FindKeptAxes(context);
  }
  options.rules.convergence = model.convergence;
  options.rules.window = ConvergenceValues;
  const SamplePlan samples = PlanSamples(context);
  const auto       optionsOf = [&](std::size_t level) { return MakeLevelOptions(options, samples, level); };

  // Where a device fails, the host continues after the last iteration.
  LinearTransform transform = start.As(model.kind);
  KeepUndetermined(context, transform, options.rules.weights);
  std::vector<LevelRecord>       records;
  std::vector<LinearTransform>   starts; // of the levels
  std::optional<std::size_t>     undone;
  double                         loss = 0.0;
  std::optional<LinearTransform> lost; // where the first level without samples was
  const std::size_t              last = FindLastIterated(context.spec, samples);
  unsigned int                   done = 0;
  bool                           isStopped = false;
  const LinearWatch watch = [&](std::size_t level, const LinearIteration & iteration, const LinearTransform &) {
    done = iteration.number;
    const bool isOfTooFew = iteration.convergence == std::numeric_limits<double>::max();
    return context.watch({ level,
                           iteration.number,
                           iteration.value,
                           isOfTooFew ? std::numeric_limits<double>::infinity() : iteration.convergence,
                           iteration.step });
  };
  StageOutcome outcome;
  outcome.run = context.images.Run(
    [&] {
      return SumLevels(context, [&](std::size_t level, std::size_t bytes) {
        return CountLinearRegistrationWork(fixed, moving, optionsOf(level), level, bytes);
      });
    },
    [&](std::size_t budget) {
      return FindLargestPlan(context, [&](std::size_t level) {
        return PlanLinearRegistration(
          fixed, moving, context.precision, optionsOf(level), level, context.images.CountBytes(context.spec), budget);
      });
    },
    [&](const Residence & residence) {
      const std::vector<LinearPair> pairs = MakePairs(context, residence);
      while (records.size() < options.levels.size() && !isStopped)
      {
        if (starts.size() == records.size())
        {
          starts.push_back(transform);
        }
        const LinearRegistration registration(
          pairs.front().fixed, pairs.front().moving, optionsOf(records.size()), residence, LabelsOf(pairs));
        const LinearRecord record = registration.RunLevel(
          records.size(), transform, watch, done, records.size() == last ? starts : std::vector<LinearTransform>());
        done = 0;
        if (record.stop == LinearStop::NoSamples)
        {
          lost = lost ? lost : transform;
          if (!GoBack(record, starts, records, transform))
          {
            throw NoSamples(records.size(), lost);
          }
          continue;
        }
        undone = record.kept ? record.kept : undone;
        loss = record.kept ? record.loss : loss;
        isStopped = record.stop == LinearStop::Stopped;
        const LevelEnd end = EndOf(record.stop, options.levels[records.size()], record.iterations);
        records.push_back(MakeRecord(end, record.iterations, record.value, record.seconds, record.fallRate));
      }
    },
    context.device);
  const auto isKept = [](const LevelRecord & level) { return level.iterations > 0 && level.end != LevelEnd::Undone; };
  if (lost && std::none_of(records.begin(), records.end(), isKept))
  {
    throw NoSamples(0, lost);
  }
  FillUp(records, options.levels.size());
  MarkUndone(records, undone, loss);
  MarkSkipped(records, samples.isSkipped);
  outcome.levels = records;
  outcome.fractions = FractionsOf(samples);
  outcome.transform = transform;
  return outcome;
}

/** Penalties of the nodes of a spline at a level under a mask (SplineOptions::nodePenalties): the mean, over
 * all samples, of the squared displacement outside of the mask, in voxels of the level, with the weight of a number of
 * samples. */
std::vector<double>
PenalizeNodes(const StageContext &          context,
              const TransformChain::Stage & spline,
              const PyramidLevel &          level,
              const SampleRules &           rules)
{
  constexpr double    outsideWeight = 20.0; // samples
  std::vector<double> penalties;
  if (!context.images.HasMask())
  {
    return penalties;
  }
  const FieldGrid  grid = ShrinkGrid(context.images.GetFixedGrid(), level);
  const NodeShares nodes = context.images.MeasureNodeShares(spline, grid);
  const double     voxel = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  const double     drawn = rules.choice == SampleChoice::All ? 1.0 : rules.fraction;
  const double     underMask =
    std::inner_product(nodes.shares.begin(), nodes.shares.end(), nodes.weights.begin(), 0.0) * drawn;
  const double samples = std::max(1.0, underMask * static_cast<double>(grid.Count()));
  for (std::size_t n = 0; n < nodes.shares.size(); ++n)
  {
    penalties.push_back(outsideWeight / samples * (1.0 - nodes.shares[n]) * nodes.weights[n] / (voxel * voxel));
  }
  return penalties;
}

StageOutcome
RunModel(const StageContext & context, const SplineModel & model, const LinearTransform &)
{
  const FieldGrid & fixed = context.images.GetFixedGrid();
  const FieldGrid & moving = context.images.GetMovingGrid();
  SplineOptions     options;
  options.levels = context.spec.levels;
  options.sigmasInMm = context.spec.sigmasInMm;
  options.metric = MakeMetric(context);
  options.samples = context.spec.samples;
  options.rules.firstStep = model.step;
  options.rules.gradientTolerance = 0.0; // a length in mm; other rules end levels
  options.regularizers = model.regularizers;
  const SamplePlan  samples = PlanSamples(context);
  const auto        optionsOf = [&](std::size_t level) { return MakeLevelOptions(options, samples, level); };
  const SplineCells cells = CountSplineCells(model, fixed);
  const auto        gridOf = [&](std::size_t level) {
    return MakeSplineGrid(fixed, CellsOfLevel(cells, level, options.levels.size()));
  };

  const SplineWatch watch = [&context](std::size_t level, const LbfgsEvaluation & evaluation) {
    return context.watch(
      { level, evaluation.number, evaluation.value, std::numeric_limits<double>::infinity(), evaluation.way });
  };
  const std::size_t         last = FindLastIterated(context.spec, samples);
  StageOutcome              outcome;
  std::vector<double>       coefficients;
  std::vector<SplineRecord> found;
  outcome.run = context.images.Run(
    [&] {
      return SumLevels(context, [&](std::size_t level, std::size_t bytes) {
        return CountSplineRegistrationWork(gridOf(level), fixed, moving, optionsOf(level), level, bytes);
      });
    },
    [&](std::size_t budget) {
      return FindLargestPlan(context, [&](std::size_t level) {
        return PlanSplineRegistration(gridOf(level),
                                      fixed,
                                      moving,
                                      context.precision,
                                      optionsOf(level),
                                      level,
                                      context.images.CountBytes(context.spec),
                                      budget);
      });
    },
    [&](const Residence & residence) {
      const std::vector<LinearPair> pairs = MakePairs(context, residence);
      found.clear();
      bool isStopped = false;
      for (std::size_t level = 0; level < options.levels.size(); ++level)
      {
        // After a stop, what was found is put onto the last level's grid.
        const TransformChain::Stage grid = gridOf(level);
        coefficients =
          level == 0
            ? std::vector<double>(static_cast<std::size_t>(TransformChain::CountOf(grid, fixed.dimension)), 0.0)
            : RefineSpline(gridOf(level - 1), coefficients, grid, fixed.dimension, residence.GetContext());
        if (!isStopped)
        {
          SplineOptions ofLevel = optionsOf(level);
          ofLevel.nodePenalties = PenalizeNodes(context, grid, context.spec.levels[level], ofLevel.samples);
          const SplineRegistration registration(
            pairs.front().fixed, pairs.front().moving, ofLevel, residence, LabelsOf(pairs));
          found.push_back(registration.RunLevel(level, grid, coefficients, watch, 0, level == last));
          isStopped = found.back().stop == LbfgsStop::None;
        }
      }
    },
    context.device);
  for (const SplineRecord & level : found)
  {
    if (level.evaluations > 0 && level.best == std::numeric_limits<double>::max())
    {
      throw NoSamples(outcome.levels.size());
    }
    const LevelEnd end = EndOf(level.stop, options.levels[outcome.levels.size()], level.evaluations);
    outcome.levels.push_back(MakeRecord(end, level.evaluations, level.value, level.seconds, level.fallRate));
  }
  FillUp(outcome.levels, options.levels.size());
  for (const SplineRecord & level : found)
  {
    MarkUndone(outcome.levels, level.isUndone ? std::optional<std::size_t>(0) : std::nullopt, level.loss);
  }
  MarkSkipped(outcome.levels, samples.isSkipped);
  outcome.fractions = FractionsOf(samples);
  FoundSpline spline;
  spline.grid = gridOf(options.levels.size() - 1);
  ResultArray array;
  array.kind = ResultArray::Kind::Coefficients;
  array.stage = context.number;
  array.grid = MakeSplineNodes(fixed, cells);
  array.count = static_cast<std::int64_t>(coefficients.size());
  auto * const memory = static_cast<double *>(context.callbacks.allocate(array).data);
  std::copy(coefficients.begin(), coefficients.end(), memory);
  spline.coefficients = memory;
  outcome.transform = spline;
  return outcome;
}

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

/** Finds levels that windows do not fit into along an axis, although they fit into the fixed image. There local
 * correlation is hardly local, and displacements that it finds are wrong. The last level with iterations always runs.
 */
std::vector<bool>
FindNarrowLevels(const StageSpec & stage, const FieldGrid & fixed)
{
  std::vector<bool> isNarrow(stage.levels.size(), false);
  std::size_t       last = stage.levels.size();
  while (last > 0 && stage.levels[last - 1].iterations == 0)
  {
    --last;
  }
  for (std::size_t level = 0; level + 1 < last && stage.HasMetricThat(HasWindows); ++level)
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

  const std::size_t bytes = context.images.CountBytes(context.spec);
  StageOutcome      outcome;
  FoundFields       fields;
  outcome.run = context.images.Run(
    [&] { return CountDeformableWork(fixed, bytes, options); },
    [&](std::size_t budget) { return PlanDeformableRegistration(fixed, context.precision, bytes, options, budget); },
    [&](const Residence & residence) {
      DeformableRegistration registration(context.images.MakeFixed(context.spec, residence),
                                          context.images.MakeMoving(context.spec, context.behind, residence),
                                          options,
                                          residence);
      outcome.levels = registration.Run(context.watch);
      fields = WriteFields(context, registration.GetGrid(), registration);
      residence.Wait(); // before the fields that are read are released
    },
    context.device);
  RefuseWithoutSamples(outcome.levels);
  MarkSkipped(outcome.levels, isNarrow);
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
