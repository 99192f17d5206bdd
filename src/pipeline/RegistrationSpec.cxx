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
#include "itkCudaSpline/pipeline/RegistrationSpec.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace itk::CudaSpline
{

const char *
NameOf(StageKind kind)
{
  static constexpr const char * names[] = { "translation", "rigid",  "similarity", "affine", "bspline",
                                            "syn",         "greedy", "demons",     "tvf",    "discrete" };
  return names[static_cast<std::size_t>(kind)];
}

const char *
NameOf(InitialAlignment alignment)
{
  static constexpr const char * names[] = { "moments", "centre", "search", "none" };
  return names[static_cast<std::size_t>(alignment)];
}

StageKind
StageSpec::GetKind() const
{
  return std::visit(
    [](const auto & of) {
      using Model = std::decay_t<decltype(of)>;
      if constexpr (std::is_same_v<Model, LinearModel>)
      {
        return static_cast<StageKind>(of.kind);
      }
      else if constexpr (std::is_same_v<Model, SplineModel>)
      {
        return StageKind::BSpline;
      }
      else if constexpr (std::is_same_v<Model, DiscreteModel>)
      {
        return StageKind::Discrete;
      }
      else
      {
        return static_cast<StageKind>(static_cast<int>(StageKind::Syn) + static_cast<int>(of.kind));
      }
    },
    model);
}

namespace
{
/** Returns whether ITK does not have a metric. */
bool
IsNotOfItk(MetricKind kind)
{
  return VisitMetric(kind, [](auto metric) { return decltype(metric)::ItkClass == nullptr; });
}
} // namespace

bool
StageSpec::HasMetricThat(bool (*has)(MetricKind)) const
{
  return std::any_of(metrics.begin(), metrics.end(), [has](const MetricTerm & term) { return has(term.kind); });
}

bool
StageSpec::AveragesMidpointGradients() const
{
  const auto * const fields = std::get_if<FieldModel>(&model);
  const bool         isSyn = fields != nullptr && fields->kind == DeformableKind::Syn;
  return isSyn && fields->averagesMidpointGradients.value_or(this->HasMetricThat(IsNotOfItk));
}

bool
StageSpec::SmoothsUnderMasks() const
{
  const auto * const fields = std::get_if<FieldModel>(&model);
  return fields != nullptr && fields->kind != DeformableKind::Demons &&
         fields->smoothsUnderMasks.value_or(this->HasMetricThat(IsNotOfItk));
}

bool
StageSpec::GradientsFollowGrid() const
{
  return std::holds_alternative<FieldModel>(model) && gradient == MetricGradient::CentralDifferences &&
         gradientsFollowGrid.value_or(this->HasMetricThat(IsNotOfItk));
}

StageSpec
MakeStage(StageKind kind)
{
  StageSpec stage;
  stage.metricOptions.varianceFloor = 0.02;
  if (kind == StageKind::BSpline)
  {
    stage.model = SplineModel();
  }
  else if (kind == StageKind::Discrete)
  {
    stage.model = DiscreteModel();
    stage.metrics.front().kind = MetricKind::SelfSimilarity;
  }
  else if (kind < StageKind::BSpline)
  {
    LinearModel model;
    model.kind = static_cast<LinearKind>(kind);
    stage.model = model;
  }
  else
  {
    FieldModel model;
    model.kind = static_cast<DeformableKind>(static_cast<int>(kind) - static_cast<int>(StageKind::Syn));
    stage.metrics.front().kind = MetricKind::LocalCorrelation;
    if (kind == StageKind::Tvf)
    {
      model.learningRate = 0.25;    // as ITK's method
      model.determinantLimit = 4.0; // ITK's method has no limit, and folds
    }
    if (kind == StageKind::Demons) // as ITK's filters
    {
      model.learningRate = 0.5;
      model.updateVariance = 0.0;
      model.totalVariance = 1.0;
      stage.metrics.front().kind = MetricKind::MeanSquares;
    }
    stage.model = model;
  }
  return stage;
}

std::vector<std::string>
GetMetricNames(bool (*has)(MetricKind))
{
  std::vector<std::string> names;
  for (const MetricKind kind : StageMetrics)
  {
    if (has(kind))
    {
      names.emplace_back(WordOf(kind));
    }
  }
  return names;
}

std::vector<double>
FindGridSpacing(const SplineModel & model, const FieldGrid & fixed)
{
  constexpr double voxels = 24.0;
  if (model.gridSpacing.size() > 1)
  {
    return model.gridSpacing;
  }
  double volume = 1.0;
  for (unsigned int d = 0; d < fixed.dimension; ++d)
  {
    volume *= fixed.spacing[d];
  }
  const double spacing =
    model.gridSpacing.empty() ? voxels * std::pow(volume, 1.0 / fixed.dimension) : model.gridSpacing.front();
  return std::vector<double>(fixed.dimension, spacing);
}

std::array<std::int64_t, 3>
CountSplineCells(const SplineModel & model, const FieldGrid & fixed)
{
  std::array<std::int64_t, 3> cells{ { 1, 1, 1 } };
  const std::vector<double>   spacings = FindGridSpacing(model, fixed);
  for (unsigned int d = 0; d < fixed.dimension; ++d)
  {
    const double spacing = spacings[d];
    const double extent = fixed.spacing[d] * static_cast<double>(std::max<std::int64_t>(fixed.size[d], 2) - 1);
    cells[d] = static_cast<std::int64_t>(std::max(1.0, std::round(extent / spacing)));
  }
  return cells;
}

std::size_t
CountStillLevels(const StageSpec & stage, const FieldGrid & fixed)
{
  const auto * const model = std::get_if<FieldModel>(&stage.model);
  const bool         keepsEnds =
    model != nullptr &&
    (model->kind == DeformableKind::Syn ||
     (model->kind != DeformableKind::Demons && (model->updateVariance > 0.0 || model->totalVariance > 0.0)));
  if (!keepsEnds)
  {
    return 0;
  }
  return static_cast<std::size_t>(std::count_if(stage.levels.begin(), stage.levels.end(), [&](const auto & level) {
    const FieldGrid grid = ShrinkGrid(fixed, level);
    return level.iterations > 0 && std::any_of(grid.size.begin(),
                                               grid.size.begin() + grid.dimension,
                                               [](std::int64_t size) { return size <= 2; });
  }));
}

namespace
{

/** Returns the expected number of iterations of a level: optimizers of a few parameters converge long before their
 * maximum. */
double
ExpectIterations(const StageSpec & stage, const PyramidLevel & level)
{
  const double usual = stage.IsOfFields() ? 0.7 * level.iterations : 30.0;
  return std::min<double>(level.iterations, usual);
}

/** Estimates the finished fraction of a level after an iteration: 95 % after the expected number. */
double
EstimateLevel(const StageSpec & stage, const PyramidLevel & level, unsigned int iteration)
{
  return iteration >= level.iterations ? 1.0 : 1.0 - std::exp(-3.0 * iteration / ExpectIterations(stage, level));
}

} // namespace

double
EstimateProgress(const RegistrationSpec & spec,
                 unsigned int             dimension,
                 std::size_t              stage,
                 std::size_t              level,
                 unsigned int             iteration)
{
  double all = 0.0;
  double done = 0.0;
  for (std::size_t s = 0; s < spec.stages.size(); ++s)
  {
    const StageSpec & of = spec.stages[s];
    for (std::size_t l = 0; l < of.levels.size(); ++l)
    {
      // An iteration of a field warps and inverts, which takes as long as about 20 evaluations of a metric.
      const double one = (of.IsOfFields() ? 10.0 : 0.5) / std::pow(of.levels[l].shrink, dimension);
      const double expected = ExpectIterations(of, of.levels[l]);
      const bool   isPast = s < stage || (s == stage && l < level);
      const bool   isNow = s == stage && l == level;
      all += one * expected;
      done += one * expected * (isPast ? 1.0 : isNow ? EstimateLevel(of, of.levels[l], iteration) : 0.0);
    }
  }
  return all > 0.0 ? done / all : 1.0;
}

} // namespace itk::CudaSpline
