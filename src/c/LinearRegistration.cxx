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

#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

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

LinearOptions
DescribeLinear(const cudaspline_linear & from, const RegistrationImages & images, bool sigmasInMm)
{
  LinearOptions options;
  options.levels = images.GetLevels();
  options.sigmasInMm = sigmasInMm;
  options.metric = DescribeMetric(from, images);
  options.samples = DescribeSamples(from, options.metric.kind);
  options.rules.descent = KindOfCode(from.descent, LinearDescent::ConjugateGradient, "linear.descent");
  for (const double step : { from.step, from.minimum_step })
  {
    if (!(step >= 0.0 && std::isfinite(step)))
    {
      throw std::invalid_argument(Indefinite("linear.step or minimum_step", step, "0 is the least"));
    }
  }
  options.rules.maximumStep = from.step;
  const FieldGrid::Vector & spacing = images.GetFixedGrid().spacing;
  options.rules.minimumStep =
    from.minimum_step > 0.0
      ? from.minimum_step
      : 1e-3 * *std::min_element(spacing.begin(), spacing.begin() + images.GetFixedGrid().dimension);
  options.rules.convergence = from.convergence;
  CheckWindow(from.window, "linear.window");
  options.rules.window = static_cast<std::size_t>(from.window);
  return options;
}

LinearTransform
DescribeStart(const cudaspline_linear & from, unsigned int dimension)
{
  static_assert(static_cast<int>(LinearKind::Translation) == CUDASPLINE_TRANSLATION &&
                  static_cast<int>(LinearKind::Affine) == CUDASPLINE_AFFINE &&
                  LinearTransform::MostParameters == CUDASPLINE_MAXIMUM_LINEAR_PARAMETERS,
                "The kinds have the same numbers.");
  const LinearKind        kind = KindOfCode(from.kind, LinearKind::Affine, "linear.kind");
  LinearTransform::Vector centre{};
  std::copy_n(from.centre, 3, centre.begin());
  LinearTransform start(KindOfCode(from.start_kind, LinearKind::Affine, "linear.start_kind"), dimension, centre);
  LinearTransform::Parameters parameters{};
  std::copy_n(from.parameters, start.CountParameters(), parameters.begin());
  for (const double parameter : parameters)
  {
    if (!std::isfinite(parameter))
    {
      throw std::invalid_argument("linear.parameters are not finite.");
    }
  }
  start.SetParameters(parameters);
  return start.As(kind);
}

void
WriteLinear(const LinearTransform & found, cudaspline_linear & to)
{
  const LinearTransform::Vector translation = found.GetTranslation();
  std::copy(found.GetParameters().begin(), found.GetParameters().end(), to.parameters);
  for (unsigned int d = 0; d < 3; ++d)
  {
    to.translation[d] = translation[d];
    std::copy(found.GetMatrix()[d].begin(), found.GetMatrix()[d].end(), to.matrix + 3 * d);
  }
}

OperationWork
CountLinearLevels(const RegistrationImages & images, const LinearOptions & options)
{
  return SumLevels(options.levels.size(), images.CountBytes(), [&](std::size_t level, std::size_t bytes) {
    return CountLinearRegistrationWork(images.GetFixedGrid(), images.GetMovingGrid(), options, level, bytes);
  });
}

MemoryPlan
PlanLinearLevels(const RegistrationImages & images, const LinearOptions & options, std::size_t budget)
{
  return LargestPlan(options.levels.size(), [&](std::size_t level) {
    return PlanLinearRegistration(
      images.GetFixedGrid(), images.GetMovingGrid(), images.GetPixel(), options, level, images.CountBytes(), budget);
  });
}

LinearWatch
MakeLinearWatch(const RegistrationWatch & watch)
{
  if (!watch)
  {
    return {};
  }
  return [watch](std::size_t level, const LinearIteration & iteration, const LinearTransform &) {
    const bool isOfTooFew = iteration.convergence == std::numeric_limits<double>::max();
    return watch({ level,
                   iteration.number,
                   iteration.value,
                   isOfTooFew ? std::numeric_limits<double>::infinity() : iteration.convergence,
                   iteration.step });
  };
}

LevelEnd
EndOf(LinearStop stop)
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
      return LevelEnd::Iterations;
  }
}

/** \exception std::invalid_argument a level without a sample */
std::vector<LevelRecord>
RecordsOf(const std::vector<LinearRecord> & levels, std::size_t count)
{
  return RecordLevels(levels, count, "has come to", [](const LinearRecord & level) {
    std::optional<LevelRecord> record;
    if (level.stop != LinearStop::NoSamples)
    {
      record.emplace();
      record->end = EndOf(level.stop);
      record->iterations = level.iterations;
    }
    return record;
  });
}

} // namespace

std::int32_t
cudaspline_register_linear(cudaspline_registration * registration,
                           cudaspline_linear *       linear,
                           cudaspline_execution *    execution)
{
  return Call([=] {
    RequirePointer(registration, "registration");
    RequirePointer(linear, "linear");
    CallExecution            call(execution);
    const RegistrationImages images(*registration);
    const LinearOptions      options = DescribeLinear(*linear, images, registration->sigmas_in_mm != 0);
    const LinearTransform    start =
      Naming("linear.parameters", [&] { return DescribeStart(*linear, images.GetFixedGrid().dimension); });
    Naming("registration", [&] {
      images.Run(
        call,
        [&] { return CountLinearLevels(images, options); },
        [&](std::size_t budget) { return PlanLinearLevels(images, options, budget); },
        [&](const Residence & residence) {
          const LinearRegistration running(
            images.MakeFixed(residence), images.MakeMoving(residence), options, residence);
          LinearTransform                 transform = start;
          const std::vector<LinearRecord> records = running.Run(transform, MakeLinearWatch(images.MakeWatch()));
          images.Report(RecordsOf(records, options.levels.size()));
          WriteLinear(transform, *linear);
        });
    });
  });
}
