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

} // namespace

std::int32_t
cudaspline_register_deformable(cudaspline_registration *     registration,
                               const cudaspline_deformable * deformable,
                               cudaspline_execution *        execution)
{
  return Call([=] {
    RequirePointer(registration, "registration");
    RequirePointer(deformable, "deformable");
    RequirePointer(deformable->forward, "deformable.forward");
    CallExecution            call(execution);
    const RegistrationImages images(*registration);
    const DeformableOptions  options = DescribeDeformable(*deformable, images, registration->sigmas_in_mm != 0);
    const ScalarType         type = RealOfCode(deformable->field_type, "deformable.field_type");
    const std::size_t        bytes = images.CountBytes();
    Naming("registration", [&] {
      images.Run(
        call,
        [&] { return CountDeformableWork(images.GetFixedGrid(), bytes, options); },
        [&](std::size_t budget) {
          return PlanDeformableRegistration(images.GetFixedGrid(), images.GetPixel(), bytes, options, budget);
        },
        [&](const Residence & residence) {
          DeformableRegistration running(images.MakeFixed(residence), images.MakeMoving(residence), options, residence);
          images.Report(running.Run(images.MakeWatch()));
          running.GetFields(deformable->forward, deformable->backward, type, images.GetMemory());
          residence.Wait(); // before the fields that are read go
        });
    });
  });
}
