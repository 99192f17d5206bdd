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
#include "pipeline/StageModels.h"
#include "pipeline/StageSamples.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace itk::CudaSpline
{

namespace
{

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
                                    ", which hardly determine a stretch or shear across them; the matrix does not "
                                    "change along this axis (at least 4 slices are needed)" });
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
    context.callbacks.warning(
      { PipelineWarning::Kind::Undetermined,
        static_cast<int>(context.number),
        "the images do not determine these parameters, which keep their initial values: " + names });
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

} // namespace

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

} // namespace itk::CudaSpline
