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
#include "c/Call.h"
#include "c/RegistrationImages.h"
#include "c/RegistrationLevels.h"
#include "c/RegistrationMetric.h"

#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

SplineOptions
DescribeOptions(const cudaspline_linear &  from,
                const cudaspline_spline &  spline,
                const RegistrationImages & images,
                bool                       sigmasInMm)
{
  SplineOptions options;
  options.levels = images.GetLevels();
  options.sigmasInMm = sigmasInMm;
  options.metric = DescribeMetric(from, images);
  options.samples = DescribeSamples(from, options.metric.kind);
  for (const double number : { from.step, spline.gradient_tolerance })
  {
    if (!(number >= 0.0 && std::isfinite(number)))
    {
      throw std::invalid_argument(Indefinite("linear.step or spline.gradient_tolerance", number, "0 is the least"));
    }
  }
  options.rules.stepLength = from.step;
  options.rules.gradientTolerance = spline.gradient_tolerance;
  return options;
}

SplineCells
DescribeCells(const cudaspline_spline & spline, const FieldGrid & image)
{
  constexpr double most = 1e9; // coefficients along all axes
  SplineCells      cells{ { 1, 1, 1 } };
  double           count = image.dimension;
  for (unsigned int d = 0; d < image.dimension; ++d)
  {
    cells[d] = spline.cells[d];
    count *= static_cast<double>(cells[d]) + 3.0;
    if (cells[d] < 1 || !(count <= most))
    {
      throw std::invalid_argument("spline.cells is " + std::to_string(cells[d]) +
                                  ", and 1 is the least, 10^9 coefficients the most.");
    }
  }
  return cells;
}

TransformChain::Stage
GridOfLevel(const RegistrationImages & images, const SplineCells & cells, std::size_t level)
{
  return MakeSplineGrid(images.GetFixedGrid(), CellsOfLevel(cells, level, images.GetLevels().size()));
}

OperationWork
CountSplineLevels(const RegistrationImages & images, const SplineOptions & options, const SplineCells & cells)
{
  return SumLevels(options.levels.size(), images.CountBytes(), [&](std::size_t level, std::size_t bytes) {
    return CountSplineRegistrationWork(
      GridOfLevel(images, cells, level), images.GetFixedGrid(), images.GetMovingGrid(), options, level, bytes);
  });
}

MemoryPlan
PlanSplineLevels(const RegistrationImages & images,
                 const SplineOptions &      options,
                 const SplineCells &        cells,
                 std::size_t                budget)
{
  return LargestPlan(options.levels.size(), [&](std::size_t level) {
    return PlanSplineRegistration(GridOfLevel(images, cells, level),
                                  images.GetFixedGrid(),
                                  images.GetMovingGrid(),
                                  images.GetPixel(),
                                  options,
                                  level,
                                  images.CountBytes(),
                                  budget);
  });
}

SplineWatch
MakeSplineWatch(const RegistrationWatch & watch)
{
  if (!watch)
  {
    return {};
  }
  return [watch](std::size_t level, const LbfgsEvaluation & evaluation) {
    return watch(
      { level, evaluation.number, evaluation.value, std::numeric_limits<double>::infinity(), evaluation.way });
  };
}

LevelEnd
EndOf(LbfgsStop stop)
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
      return LevelEnd::Iterations;
  }
}

/** \exception std::invalid_argument a level without a sample */
std::vector<LevelRecord>
RecordsOf(const std::vector<SplineRecord> & levels, std::size_t count)
{
  return RecordLevels(levels, count, "begins", [](const SplineRecord & level) {
    std::optional<LevelRecord> record;
    if (level.best != std::numeric_limits<double>::max() || level.evaluations == 0)
    {
      record.emplace();
      record->end = EndOf(level.stop);
      record->iterations = level.evaluations;
    }
    return record;
  });
}

void
WriteSpline(const TransformChain::Stage & grid, const std::vector<double> & coefficients, cudaspline_spline & to)
{
  for (unsigned int r = 0; r < 3; ++r)
  {
    to.size[r] = grid.size[r];
    to.origin[r] = grid.origin[r];
    std::copy(grid.pointToIndex[r].begin(), grid.pointToIndex[r].end(), to.point_to_index + 3 * r);
  }
  std::copy(coefficients.begin(), coefficients.end(), to.coefficients);
}

} // namespace

std::int32_t
cudaspline_register_spline(cudaspline_registration * registration,
                           const cudaspline_linear * linear,
                           cudaspline_spline *       spline,
                           cudaspline_execution *    execution)
{
  return Call([=] {
    RequirePointer(registration, "registration");
    RequirePointer(linear, "linear");
    RequirePointer(spline, "spline");
    RequirePointer(spline->coefficients, "spline.coefficients");
    CallExecution            call(execution);
    const RegistrationImages images(*registration);
    const SplineOptions      options = DescribeOptions(*linear, *spline, images, registration->sigmas_in_mm != 0);
    const SplineCells        cells = DescribeCells(*spline, images.GetFixedGrid());
    Naming("registration", [&] {
      images.Run(
        call,
        [&] { return CountSplineLevels(images, options, cells); },
        [&](std::size_t budget) { return PlanSplineLevels(images, options, cells, budget); },
        [&](const Residence & residence) {
          const SplineRegistration running(
            images.MakeFixed(residence), images.MakeMoving(residence), options, residence);
          std::vector<double>             coefficients;
          const std::vector<SplineRecord> records =
            running.Run(cells, coefficients, MakeSplineWatch(images.MakeWatch()));
          images.Report(RecordsOf(records, options.levels.size()));
          WriteSpline(GridOfLevel(images, cells, options.levels.size() - 1), coefficients, *spline);
        });
    });
  });
}
