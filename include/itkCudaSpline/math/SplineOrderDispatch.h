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
#ifndef itkCudaSpline_math_SplineOrderDispatch_h
#define itkCudaSpline_math_SplineOrderDispatch_h

#include "itkCudaSpline/math/SplinePoles.h"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Calls \p run with the run-time spline order as a compile-time constant (host only).
 *
 * \param[in] order 0 to 5
 * \param[in] run callable with std::integral_constant<unsigned int, order>
 * \return the result of \p run, with the same type for all orders
 * \exception std::invalid_argument any other order */
template <typename TRun>
decltype(auto)
DispatchSplineOrder(unsigned int order, const TRun & run)
{
  switch (order)
  {
    case 0:
      return run(std::integral_constant<unsigned int, 0>());
    case 1:
      return run(std::integral_constant<unsigned int, 1>());
    case 2:
      return run(std::integral_constant<unsigned int, 2>());
    case 3:
      return run(std::integral_constant<unsigned int, 3>());
    case 4:
      return run(std::integral_constant<unsigned int, 4>());
    case 5:
      return run(std::integral_constant<unsigned int, 5>());
    default:
      throw std::invalid_argument("Spline orders 0 to 5 are supported; the order is " + std::to_string(order) + ".");
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
