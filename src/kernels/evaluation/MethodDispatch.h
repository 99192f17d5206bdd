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
#ifndef MethodDispatch_h
#define MethodDispatch_h

#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/evaluation/InterpolationMethods.h"

#include <stdexcept>
#include <string>
#include <type_traits>

/** \file
 * \brief Selects compiled methods from run-time descriptors, with the same list for host and device. */

namespace itk::CudaSpline
{

/** \brief The compile-time parameters of a kernel, passed to the callable of a dispatch. */
template <typename TMethod, Derivatives VDerivatives>
struct CompiledMethod
{
  using Method = TMethod;
  static constexpr Derivatives derivatives = VDerivatives;
};

/** \brief Calls \p run with std::integral_constant<unsigned, dimension> for the supported dimensions: 1 to 3. */
template <typename TRun>
void
DispatchDimension(unsigned int dimension, const TRun & run)
{
  switch (dimension)
  {
    case 1:
      run(std::integral_constant<unsigned int, 1>());
      break;
    case 2:
      run(std::integral_constant<unsigned int, 2>());
      break;
    case 3:
      run(std::integral_constant<unsigned int, 3>());
      break;
    default:
      throw std::invalid_argument("Images of 1 to 3 dimensions can be evaluated; the dimension is " +
                                  std::to_string(dimension) + ".");
  }
}

/** \brief Calls \p run with CompiledMethod of a method with derivatives. */
template <typename TMethod, typename TRun>
void
DispatchDerivatives(Derivatives derivatives, const TRun & run)
{
  switch (derivatives)
  {
    case Derivatives::None:
      run(CompiledMethod<TMethod, Derivatives::None>());
      break;
    case Derivatives::First:
      run(CompiledMethod<TMethod, Derivatives::First>());
      break;
    case Derivatives::Second:
      run(CompiledMethod<TMethod, Derivatives::Second>());
      break;
  }
}

/** \brief Calls \p run with CompiledMethod of a B-spline: orders 0 to 5. */
template <typename TReal, typename TRun>
void
DispatchSpline(unsigned int order, Derivatives derivatives, const TRun & run)
{
  DispatchSplineOrder(order, [&](auto fixedOrder) {
    DispatchDerivatives<SplineMethod<decltype(fixedOrder)::value, TReal>>(derivatives, run);
  });
}

/** \brief Calls \p run with CompiledMethod of an interpolation type without orders.
 *
 * \tparam TType one of InterpolationTypes except BSplineInterpolation
 * \param[in] element element type of the source, which is the type of the arithmetic for methods that do not copy
 * pixels
 * \param[in] derivatives the derivatives to evaluate; None for methods without a basis */
template <typename TType, typename TRun>
void
DispatchMethod(ScalarType element, Derivatives derivatives, const TRun & run)
{
  const auto runIn = [&](auto real) {
    using Method = typename MethodOf<TType, decltype(real)>::Type;
    if constexpr (TType::HasBasis)
    {
      DispatchDerivatives<Method>(derivatives, run);
    }
    else
    {
      run(CompiledMethod<Method, Derivatives::None>());
    }
  };
  if constexpr (TType::MovesPixels)
  {
    runIn(float()); // no arithmetic
  }
  else if (element == ScalarType::Float32)
  {
    runIn(float());
  }
  else
  {
    runIn(double());
  }
}

} // namespace itk::CudaSpline

#endif
