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

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace itk::CudaSpline
{

namespace
{

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

/** Penalties of the nodes of a spline at a level under a mask (SplineOptions::nodePenalties): a displacement of a voxel
 * of the level outside of the mask weighs as much as a sample. A weight of nodes by their volumes would leave small
 * cells free, which noise moves as far as large ones. */
std::vector<double>
PenalizeNodes(const StageContext &          context,
              const TransformChain::Stage & spline,
              const PyramidLevel &          level,
              const SampleRules &           rules)
{
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
    penalties.push_back((1.0 - nodes.shares[n]) / (samples * voxel * voxel));
  }
  return penalties;
}

} // namespace

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
  outcome.hasPenalties =
    context.images.HasMask() || options.regularizers.HasForms() || options.regularizers.HasPoints();
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

} // namespace itk::CudaSpline
