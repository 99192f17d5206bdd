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
#include "Registration.h"

#include "Deformation.h"
#include "Error.h"
#include "Rescale.h"
#include "Winsorize.h"

#include <type_traits>
#include <utility>

namespace CudaSplineRegister
{

namespace
{

/** Calls a functor with a value of the pixels' C++ type and the dimension. */
template <typename TFunctor>
auto
Dispatch(const RegistrationRequest & request, const TFunctor & functor)
{
  using Plane = std::integral_constant<unsigned int, 2>;
  using Space = std::integral_constant<unsigned int, 3>;
  const bool isPlane = request.fixed.grid.dimension == 2;
  if (request.fixed.type == ScalarType::Float32)
  {
    return isPlane ? functor(float{}, Plane{}) : functor(float{}, Space{});
  }
  return isPlane ? functor(double{}, Plane{}) : functor(double{}, Space{});
}

/** A request of the first pair with values that similarities see, which do not depend on the units of either image. */
RegistrationRequest
ForSimilarity(const RegistrationRequest & request)
{
  RegistrationRequest rescaled = request;
  rescaled.further.clear();
  RescalePair(rescaled.fixed, rescaled.fixedMask, rescaled.moving, rescaled.movingMask, false);
  return rescaled;
}

} // namespace

RegistrationResult
Register(const RegistrationRequest & request)
{
  RegistrationRequest cut = request; // shares the pixels
  if (request.options->winsorize)
  {
    cut.fixed = Winsorize(request.fixed, *request.options->winsorize);
    cut.moving = Winsorize(request.moving, *request.options->winsorize);
    for (FurtherPair & pair : cut.further)
    {
      pair.fixed = Winsorize(pair.fixed, *request.options->winsorize);
      pair.moving = Winsorize(pair.moving, *request.options->winsorize);
    }
  }
  const auto factors = RescaleAll(cut);
  const auto unitOf = [&](std::size_t stage) { return UnitOfValues(request.options->stages[stage], factors); };
  if (request.progress)
  {
    cut.progress = [&](Iteration iteration) {
      iteration.value *= unitOf(iteration.stage);
      request.progress(iteration);
    };
  }
  RegistrationResult result = Dispatch(
    cut, [&cut](auto zero, auto dimension) { return RegisterTyped<decltype(zero), decltype(dimension)::value>(cut); });
  for (std::size_t stage = 0; stage < result.stages.size(); ++stage)
  {
    for (LevelResult & level : result.stages[stage].levels)
    {
      level.value *= unitOf(stage);
    }
  }
  result.valueFactors = factors;
  return result;
}

std::string
DescribeNoOverlap(const std::string & where, double overlap, const Options & options)
{
  std::string others; // than the one that was taken
  for (const auto & [kind, name] : { std::pair(InitializationKind::Moments, "moments"),
                                     std::pair(InitializationKind::Centre, "centre"),
                                     std::pair(InitializationKind::Search, "search") })
  {
    if (kind != options.initialization)
    {
      others += (others.empty() ? "" : "|") + std::string(name);
    }
  }
  return "the images do not overlap: " + Brief(100.0 * overlap) + " % of the fixed image lie in the moving one " +
         where + "; --initialize " + others + " begins elsewhere" +
         (options.initial ? ", instead of --initial-transform" : "");
}

Similarity
MeasureSimilarity(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  const RegistrationRequest rescaled = ForSimilarity(request);
  return Dispatch(rescaled, [&rescaled, transform](auto zero, auto dimension) {
    return MeasureSimilarityTyped<decltype(zero), decltype(dimension)::value>(rescaled, transform);
  });
}

Agreement
MeasureAgreement(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  const RegistrationRequest rescaled = ForSimilarity(request);
  return Dispatch(rescaled, [&rescaled, transform](auto zero, auto dimension) {
    return MeasureAgreementTyped<decltype(zero), decltype(dimension)::value>(rescaled, transform);
  });
}

Volume
WarpMoving(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  const Options &     options = *request.options;
  DeformationSettings settings;
  settings.type = request.fixed.type;
  settings.order = options.order;
  settings.device = options.device;
  return Warp(request.moving, request.fixed.grid, transform, options.defaultValue, settings);
}

} // namespace CudaSplineRegister
