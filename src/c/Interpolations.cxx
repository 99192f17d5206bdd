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

#include "itkCudaSpline/kernels/evaluation/InterpolationNames.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

namespace
{

/** Returns the reach of every method of a kind; -1 if it depends on the parameters of the method. */
std::int32_t
FixedReach(Interpolation interpolation)
{
  if (!HasFixedReach(interpolation))
  {
    return -1;
  }
  InterpolationDescriptor method;
  method.interpolation = interpolation;
  return static_cast<std::int32_t>(GetReach(method, MaximumSplineOrder, 0));
}

} // namespace

std::int32_t
cudaspline_interpolation_count()
{
  return static_cast<std::int32_t>(NamedInterpolations.size());
}

std::int32_t
cudaspline_name_interpolation(std::int32_t number, cudaspline_named_interpolation * interpolation)
{
  return Call([=] {
    RequirePointer(interpolation, "interpolation");
    if (number < 0 || number >= cudaspline_interpolation_count())
    {
      throw std::invalid_argument("number is " + std::to_string(number) + "; interpolations have the numbers 0 to " +
                                  std::to_string(cudaspline_interpolation_count() - 1) + ".");
    }
    const NamedInterpolation & named = NamedInterpolations[static_cast<std::size_t>(number)];
    const Interpolation        kind = named.interpolation;
    *interpolation = {};
    interpolation->name = named.name;
    for (std::size_t i = 0; i < named.aliases.size(); ++i)
    {
      interpolation->aliases[i] = named.aliases[i];
    }
    interpolation->kind_name = WordOf(kind);
    interpolation->kind = static_cast<std::int32_t>(kind);
    interpolation->window = static_cast<std::int32_t>(named.window);
    interpolation->cubic_b = named.cubic.b;
    interpolation->cubic_c = named.cubic.c;
    interpolation->is_of_indicators = named.isOfIndicators ? 1 : 0;
    interpolation->moves_pixels = MovesPixels(kind) ? 1 : 0;
    interpolation->has_derivatives = HasBasis(kind) ? 1 : 0;
    interpolation->is_mirrored = IsMirrored(kind) ? 1 : 0;
    interpolation->reach = FixedReach(kind);
  });
}
