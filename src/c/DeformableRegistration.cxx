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

#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

using namespace itk::CudaSpline;

namespace
{

DeformableOptions
DescribeDeformable(const cudaspline_deformable & from, const RegistrationImages & images, bool sigmasInMm)
{
  DeformableOptions options;
  static_assert(static_cast<int>(DeformableKind::Syn) == CUDASPLINE_SYN &&
                  static_cast<int>(DeformableKind::Greedy) == CUDASPLINE_GREEDY &&
                  static_cast<int>(DeformableKind::Demons) == CUDASPLINE_DEMONS,
                "The kinds have the same numbers.");
  options.kind = KindOfCode(from.kind, DeformableKind::Demons, "deformable.kind");
  options.levels = images.GetLevels();
  options.sigmasInMm = sigmasInMm;
  options.element = RealOfCode(from.element, "deformable.element");
  for (unsigned int d = 0; d < images.GetFixedGrid().dimension; ++d)
  {
    if (from.radius[d] < 1)
    {
      throw std::invalid_argument("deformable.radius is " + std::to_string(from.radius[d]) + ", and 1 is the least.");
    }
    options.radius[d] = from.radius[d];
  }
  if (!(from.learning_rate > 0.0 && std::isfinite(from.learning_rate)))
  {
    throw std::invalid_argument(Indefinite("deformable.learning_rate", from.learning_rate, "it is above 0"));
  }
  for (const double variance : { from.update_variance, from.total_variance })
  {
    if (!(variance >= 0.0 && std::isfinite(variance)))
    {
      throw std::invalid_argument(
        Indefinite("deformable.update_variance or total_variance", variance, "0 is the least"));
    }
  }
  options.rules.learningRate = from.learning_rate;
  options.rules.updateVariance = from.update_variance;
  options.rules.totalVariance = from.total_variance;
  options.convergence = from.convergence;
  CheckWindow(from.window, "deformable.window");
  options.window = static_cast<std::size_t>(from.window);
  return options;
}

/** How a pair of images is compared. */
DeformablePair
DescribePair(const cudaspline_registration_pair & from, DeformableKind kind, const std::string & name)
{
  DeformablePair pair;
  switch (from.metric)
  {
    case CUDASPLINE_LOCAL_CORRELATION:
      pair.metric = SynMetricKind::LocalCorrelation;
      break;
    case CUDASPLINE_MEAN_SQUARES:
      pair.metric = SynMetricKind::MeanSquares;
      break;
    case CUDASPLINE_MATTES:
      pair.metric = SynMetricKind::Mattes;
      break;
    default:
      throw std::invalid_argument(
        name + ".metric is " + std::to_string(from.metric) +
        ", and mean squares (0), Mattes (2) and local correlation (3) have forces on samples.");
  }
  if (kind == DeformableKind::Demons && pair.metric != SynMetricKind::MeanSquares)
  {
    throw std::invalid_argument(name + ".metric is " + std::to_string(from.metric) +
                                ", and demons know mean squares (0) alone.");
  }
  if (pair.metric == SynMetricKind::Mattes && (from.bins < 5 || from.bins > 160))
  {
    throw std::invalid_argument(name + ".bins is " + std::to_string(from.bins) + ", and 5 to 160 are allowed.");
  }
  if (!(from.weight > 0.0 && std::isfinite(from.weight)))
  {
    throw std::invalid_argument(Indefinite(name + ".weight", from.weight, "it is above 0"));
  }
  pair.bins = from.bins;
  pair.weight = from.weight;
  return pair;
}

/** A registration of one pair of images or several. \param[in] pairs null: one, as its kind has it */
void
RegisterDeformable(cudaspline_registration *            registration,
                   const cudaspline_deformable *        deformable,
                   const cudaspline_registration_pair * pairs,
                   std::int32_t                         pairCount,
                   cudaspline_execution *               execution)
{
  RequirePointer(registration, "registration");
  RequirePointer(deformable, "deformable");
  RequirePointer(deformable->forward, "deformable.forward");
  CallExecution            call(execution);
  const RegistrationImages images(*registration, pairs, pairCount);
  DeformableOptions        options = DescribeDeformable(*deformable, images, registration->sigmas_in_mm != 0);
  if (pairs != nullptr)
  {
    options.pairs.clear();
    for (std::int32_t i = 0; i < pairCount; ++i)
    {
      options.pairs.push_back(DescribePair(pairs[i], options.kind, "pairs[" + std::to_string(i) + "]"));
    }
  }
  const ScalarType  type = RealOfCode(deformable->field_type, "deformable.field_type");
  const std::size_t bytes = images.CountBytes();
  Naming("registration", [&] {
    images.Run(
      call,
      [&] { return CountDeformableWork(images.GetFixedGrid(), bytes, options); },
      [&](std::size_t budget) {
        return PlanDeformableRegistration(images.GetFixedGrid(), images.GetPixel(), bytes, options, budget);
      },
      [&](const Residence & residence) {
        auto [fixed, moving] = images.MakePairs(residence);
        DeformableRegistration running(std::move(fixed), std::move(moving), options, residence);
        images.Report(running.Run(images.MakeWatch()));
        running.GetFields(deformable->forward, deformable->backward, type, images.GetMemory());
        residence.Wait(); // before the fields that are read go
      });
  });
}

} // namespace

std::int32_t
cudaspline_register_deformable(cudaspline_registration *     registration,
                               const cudaspline_deformable * deformable,
                               cudaspline_execution *        execution)
{
  return Call([=] { RegisterDeformable(registration, deformable, nullptr, 1, execution); });
}

std::int32_t
cudaspline_register_deformable_pairs(cudaspline_registration *            registration,
                                     const cudaspline_deformable *        deformable,
                                     const cudaspline_registration_pair * pairs,
                                     std::int32_t                         pairCount,
                                     cudaspline_execution *               execution)
{
  return Call([=] {
    RequirePointer(pairs, "pairs");
    if (pairCount < 1)
    {
      throw std::invalid_argument("pair_count is " + std::to_string(pairCount) + ", and 1 is the least.");
    }
    RegisterDeformable(registration, deformable, pairs, pairCount, execution);
  });
}
