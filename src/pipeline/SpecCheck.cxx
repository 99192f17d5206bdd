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
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include "pipeline/StageOptions.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

double
GetPhysicalMemory()
{
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

/** Describes the problem of a dense search. Empty if there is none. */
std::string
DescribeSearchProblem(const DenseSearchOptions & search, const FieldGrid & fixed)
{
  const double bytes = CountDenseSearchCostBytes(fixed, search);
  const double memory = GetPhysicalMemory();
  if (bytes <= memory)
  {
    return "";
  }
  char text[160];
  std::snprintf(text,
                sizeof(text),
                "the costs of all displacements need %.3g GB of memory, but this machine has %.3g GB; use a smaller "
                "search_radius or a larger control_spacing",
                bytes / 1e9,
                memory / 1e9);
  return text;
}

/** Describes the problem of the grid of a B-spline. Empty if there is none. */
std::string
DescribeGridProblem(const SplineModel & spline, const FieldGrid & fixed)
{
  const std::size_t given = spline.gridSpacing.size();
  if (given > 1 && given != fixed.dimension)
  {
    return "there are " + std::to_string(given) + " numbers, but the images have " + std::to_string(fixed.dimension) +
           " axes; give 1 number, or one per axis";
  }
  const std::vector<double> spacings = FindGridSpacing(spline, fixed);
  double                    count = fixed.dimension; // number of coefficients
  for (unsigned int d = 0; d < fixed.dimension; ++d)
  {
    const double extent = fixed.spacing[d] * static_cast<double>(std::max<std::int64_t>(fixed.size[d], 2) - 1);
    count *= std::max(1.0, extent / spacings[d]) + 3.5;
  }
  constexpr double copies = 21.0; // vectors of L-BFGS, sums, parameters, transforms
  constexpr double most = 1e9;    // coefficients
  const double     bytes = copies * sizeof(double) * count;
  const double     memory = GetPhysicalMemory();
  if (bytes <= memory && count <= most)
  {
    return "";
  }
  char text[160];
  std::snprintf(text,
                sizeof(text),
                "{value} mm results in a grid of %.3g coefficients, which needs %.3g GB of memory, but this machine "
                "has %.3g GB; use larger values",
                count,
                bytes / 1e9,
                memory / 1e9);
  return text;
}

} // namespace

void
CheckSpec(const RegistrationSpec & spec, const FieldGrid & fixed, std::size_t pairs)
{
  std::vector<SpecProblem> problems;
  std::size_t              compared = 0;
  for (std::size_t number = 0; number < spec.stages.size(); ++number)
  {
    const StageSpec & stage = spec.stages[number];
    compared = std::max(compared, stage.metrics.size());
    const auto * const linear = std::get_if<LinearModel>(&stage.model);
    const std::size_t  moves =
      linear != nullptr ? LinearTransform::CountParameters(linear->kind, fixed.dimension) : fixed.dimension;
    if (!stage.restriction.empty() && stage.restriction.size() != moves)
    {
      problems.push_back({ "restrict_deformation",
                           static_cast<int>(number),
                           Json(stage.restriction).dump(),
                           std::string("a stage '") + NameOf(stage.GetKind()) + "' of these images needs " +
                             std::to_string(moves) + " numbers, not " + std::to_string(stage.restriction.size()),
                           {},
                           false });
    }
    if (const auto * const discrete = std::get_if<DiscreteModel>(&stage.model))
    {
      if (const std::string problem = DescribeSearchProblem(discrete->search, fixed); !problem.empty())
      {
        problems.push_back({ "search_radius", static_cast<int>(number), "", problem, {}, false });
      }
    }
    const auto * const spline = std::get_if<SplineModel>(&stage.model);
    if (spline == nullptr)
    {
      continue;
    }
    if (const std::string problem = DescribeGridProblem(*spline, fixed); !problem.empty())
    {
      problems.push_back(
        { "grid_spacing", static_cast<int>(number), Json(spline->gridSpacing).dump(), problem, {}, false });
    }
  }
  if (compared > pairs)
  {
    problems.push_back({ "metric",
                         -1,
                         "",
                         "it has metrics for " + std::to_string(compared) + " pairs of images, but there " +
                           (pairs == 1 ? "is 1" : "are " + std::to_string(pairs)),
                         {},
                         false });
  }
  else if (compared < pairs)
  {
    problems.push_back(
      { "also",
        -1,
        std::to_string(compared),
        "additional pair " + std::to_string(compared) +
          " is not compared in any stage; give a metric for each pair in a stage 'syn', 'greedy' or 'tvf'",
        {},
        false });
  }
  if (!problems.empty())
  {
    throw SpecError(std::move(problems));
  }
}

} // namespace itk::CudaSpline
