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
#include "pipeline/StageSamples.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

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

} // namespace

SamplePlan
PlanSamples(const StageContext & context)
{
  const FieldGrid &           fixed = context.images.GetFixedGrid();
  const StageSpec &           stage = context.spec;
  const std::int64_t          parameters = CountParameters(stage, fixed.dimension);
  const std::int64_t          bins = stage.metricOptions.bins;
  const std::int64_t          ofHistogram = stage.HasMetricThat(HasHistogram) ? bins * bins : 0;
  const std::int64_t          wanted = std::max(20 * parameters, ofHistogram);
  SamplePlan                  plan{ std::vector<SampleRules>(stage.levels.size(), stage.samples),
                   std::vector<int>(stage.levels.size(), stage.metricOptions.bins),
                   std::vector<bool>(stage.levels.size(), false) };
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
    plan.bins[level] = static_cast<int>(std::clamp<std::int64_t>(count / 5, MinHistogramBins, bins));
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

} // namespace itk::CudaSpline
