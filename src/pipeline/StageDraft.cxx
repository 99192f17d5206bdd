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
#include "pipeline/StageDraft.h"

#include "pipeline/StageValues.h"

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

/** Most linear levels end earlier, because their steps become short. */
constexpr unsigned int IterationsOfMatrices = 200;

/** Factor of the number of iterations to which a level continues by default if values still decrease fast. */
constexpr unsigned int LimitFactor = 5;

/** Levels of fields from fine to coarse, as in antsRegistrationSyN.sh. */
constexpr unsigned int IterationsOfFields[] = { 20, 50, 70, 100 };

/** A dense search has one level, whose iterations are its passes. */
void
MakeSearchLevel(const StageDraft & draft, StageSpec & stage, int number, std::vector<SpecProblem> & problems)
{
  DenseSearchOptions & search = std::get<DiscreteModel>(stage.model).search;
  if (draft.iterations && (draft.iterations->size() != 1 || draft.iterations->front() == 0))
  {
    problems.push_back({ "iterations",
                         number,
                         Json(*draft.iterations).dump(),
                         "{value}: a stage 'discrete' has one level; one number from 1 is allowed",
                         {},
                         false });
    return;
  }
  if (search.step > search.spacing)
  {
    problems.push_back({ "search_step",
                         number,
                         std::to_string(search.step),
                         "{value} is more than control_spacing, " + std::to_string(search.spacing),
                         {},
                         false });
  }
  PyramidLevel level;
  level.iterations = draft.iterations ? draft.iterations->front() : search.passes;
  search.passes = level.iterations;
  stage.levels.assign(1, level);
}

/** Values that are given for each level determine the number of levels. Other values are adapted to it. */
void
MakeLevels(const StageDraft & draft, StageSpec & stage, int number, std::vector<SpecProblem> & problems)
{
  const std::size_t iterations = draft.iterations && draft.iterations->size() > 1 ? draft.iterations->size() : 0;
  const std::size_t limits = draft.limits && draft.limits->size() > 1 ? draft.limits->size() : 0;
  const std::size_t shrink = draft.shrink ? draft.shrink->size() : 0;
  const std::size_t sigmas = draft.sigmas ? draft.sigmas->size() : 0;
  std::size_t       count = std::max({ iterations, limits, shrink, sigmas });
  const auto        isOther = [&count](std::size_t given) { return given != 0 && given != count; };
  if (isOther(iterations) || isOther(limits) || isOther(shrink) || isOther(sigmas))
  {
    const auto textOf = [&](std::size_t given, bool isThere) { return isThere ? std::to_string(given) : "none"; };
    problems.push_back({ "iterations, shrink, sigmas",
                         number,
                         "",
                         "they have values for different numbers of levels (" + textOf(iterations, iterations != 0) +
                           ", " + textOf(shrink, shrink != 0) + ", " + textOf(sigmas, sigmas != 0) + ")",
                         {},
                         false });
    return;
  }
  if (draft.levels)
  {
    if (isOther(*draft.levels) && count != 0)
    {
      problems.push_back({ "levels",
                           number,
                           std::to_string(*draft.levels),
                           "{value}: there are values for " + std::to_string(count) + " levels",
                           {},
                           false });
      return;
    }
    count = *draft.levels;
  }
  count = count == 0 ? (stage.IsOfFields() ? 4 : 3) : count;
  for (std::size_t level = 0; level < count; ++level)
  {
    const auto   coarseness = static_cast<unsigned int>(count - 1 - level);
    PyramidLevel made;
    made.iterations = draft.iterations     ? (*draft.iterations)[draft.iterations->size() == 1 ? 0 : level]
                      : stage.IsOfFields() ? IterationsOfFields[std::min(coarseness, 3U)]
                      : std::holds_alternative<LinearModel>(stage.model) ? IterationsOfMatrices
                                                                         : (coarseness == 0 ? 50 : 100);
    made.limit = stage.IsOfFields() ? 0
                 : draft.limits     ? (*draft.limits)[draft.limits->size() == 1 ? 0 : level]
                 : draft.iterations ? made.iterations
                                    : LimitFactor * made.iterations;
    made.shrink = draft.shrink ? (*draft.shrink)[level] : 1U << std::min(coarseness, 10U);
    made.sigma = draft.sigmas ? (*draft.sigmas)[level] : coarseness;
    made.isByAxis = true;
    stage.levels.push_back(made);
  }
}

} // namespace

const std::vector<std::string> &
GetSamplingNames()
{
  static const std::vector<std::string> names{ "none", "regular", "random" };
  return names;
}

StageSpec
FinishStage(const StageDraft & draft, int number, std::vector<SpecProblem> & problems)
{
  StageSpec  stage = draft.stage;
  const auto complain = [&](const char * option, const std::string & value, const std::string & text) {
    problems.push_back({ option, number, value, text, {}, false });
  };
  if (stage.GetKind() == StageKind::Discrete)
  {
    MakeSearchLevel(draft, stage, number, problems);
    return stage;
  }
  MakeLevels(draft, stage, number, problems);
  const std::string sampling = GetSamplingNames()[static_cast<std::size_t>(stage.samples.choice)];
  stage.samples.fraction = draft.fraction.value_or(stage.samples.fraction);
  if (!stage.IsOfFields())
  {
    if (stage.samples.choice != SampleChoice::All && stage.HasMetricThat(HasWindows))
    {
      complain("sampling",
               Json(sampling).dump(),
               std::string("{value} is not for the metric '") + WordOf(stage.metrics.front().kind) +
                 "', which compares all samples");
    }
    if (stage.gradient == MetricGradient::Analytic && stage.order < 2)
    {
      complain("gradient",
               "\"analytic\"",
               "{value} is the gradient of a B-spline, whose order is 2 or more; order is " +
                 std::to_string(stage.order));
    }
  }
  return stage;
}

} // namespace itk::CudaSpline
