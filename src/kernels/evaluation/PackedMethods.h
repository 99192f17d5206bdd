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
#ifndef PackedMethods_h
#define PackedMethods_h

#include "itkCudaSpline/math/CoefficientStorage.h"

#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/MethodDispatch.h"

/** \file
 * \brief The interpolation methods for 16-bit coefficients. */

namespace itk::CudaSpline
{

/** \brief Cubic B-spline of packed coefficients, computed in float.
 *
 * Stored numbers are summed, and scale and offset are applied to the sum: the weights of a value sum to 1, those of a
 * derivative to 0.
 *
 * \tparam TStored HalfCoefficient or Int16Coefficient */
template <typename TStored>
struct PackedCubicMethod
{
  static constexpr bool HasValues = true;

  /** The basis does not have the elements' type, which the host's loops need to prefetch. */
  static constexpr bool HasBasis = false;

  /** Type of the arithmetic and the values. */
  using Real = float;

  template <Derivatives VDerivatives, unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Evaluate(const EvaluationArguments<VDimension> & arguments,
           const double (&index)[VDimension],
           Jet<VDimension, float> & jet)
  {
    EvaluateOnGrid<VDerivatives>(SplineBasis<3>(), GridOf<TStored>(arguments), index, jet);
    jet.value = arguments.offset + arguments.scale * jet.value;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      jet.gradient[d] *= arguments.scale;
    }
  }

  template <unsigned int VDimension, typename TPut>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Values(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], const TPut & put)
  {
    Jet<VDimension, float> jet;
    Evaluate<Derivatives::None>(arguments, index, jet);
    put(0, jet.value);
  }
};

/** \brief Calls \p run with CompiledMethod of packed coefficients: values and gradients.
 *
 * \exception std::invalid_argument second derivatives */
template <typename TRun>
void
DispatchPacked(CoefficientStorage storage, Derivatives derivatives, const TRun & run)
{
  const auto runMethod = [&](auto method) {
    using Method = decltype(method);
    switch (derivatives)
    {
      case Derivatives::None:
        run(CompiledMethod<Method, Derivatives::None>());
        break;
      case Derivatives::First:
        run(CompiledMethod<Method, Derivatives::First>());
        break;
      default:
        throw std::invalid_argument("Coefficients of 16 bits have no second derivatives; use storage Element.");
    }
  };
  if (storage == CoefficientStorage::Half)
  {
    runMethod(PackedCubicMethod<HalfCoefficient>());
  }
  else
  {
    runMethod(PackedCubicMethod<Int16Coefficient>());
  }
}

} // namespace itk::CudaSpline

#endif
