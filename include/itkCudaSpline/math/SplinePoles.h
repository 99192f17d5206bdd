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
#ifndef itkCudaSpline_math_SplinePoles_h
#define itkCudaSpline_math_SplinePoles_h

#include "itkCudaSpline/math/HostDevice.h"

#include <type_traits>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The highest spline order of the module, as of ITK's B-spline classes. */
inline constexpr unsigned int MaximumSplineOrder = 5;

/** \brief Poles of the B-spline prefilter of one order: the roots of absolute value below 1 of its denominator.
 *
 * The prefilter is the inverse of the B-spline sampled at the integers, gain * product over the poles z of 1 / ((1 - z
 * E^-1)(1 - z E)), with E the shift by one sample and gain = product of (1 - z)^2, so that constants are preserved.
 * Orders 0 and 1 interpolate without a prefilter.
 *
 * Closed forms (Unser, Aldroubi, Eden, "B-spline signal processing: Part II" \cite{Unser1993b}): order 2: sqrt(8) - 3;
 * order 3: sqrt(3) - 2; order 4: sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19; order 5: sqrt(135/2 -+ sqrt(17745/4)) +-
 * sqrt(105/4) - 13/2, given here to 20 digits because std::sqrt is not constexpr. */
template <unsigned int VOrder>
struct SplinePoles
{
  static_assert(VOrder <= MaximumSplineOrder, "Spline orders 0 to 5 are supported.");

  /** Number of poles: floor(order / 2). */
  static constexpr unsigned int Count = VOrder / 2;

  /** The pole with number \p k, the largest absolute value first.
   *
   * \param[in] k less than Count */
  CUDASPLINE_HOST_DEVICE static constexpr double
  Pole(unsigned int k)
  {
    if constexpr (VOrder == 2)
    {
      return -0.17157287525380990240;
    }
    else if constexpr (VOrder == 3)
    {
      return -0.26794919243112270647;
    }
    else if constexpr (VOrder == 4)
    {
      return k == 0 ? -0.36134122590022017709 : -0.013725429297339121360;
    }
    else if constexpr (VOrder == 5)
    {
      return k == 0 ? -0.43057534709997379185 : -0.043096288203264653823;
    }
    else
    {
      return k * 0.0;
    }
  }

  /** Product of (1 - z)^2 over the poles. */
  CUDASPLINE_HOST_DEVICE static constexpr double
  Gain()
  {
    double gain = 1.0;
    for (unsigned int k = 0; k < Count; ++k)
    {
      gain *= (1.0 - Pole(k)) * (1.0 - Pole(k));
    }
    return gain;
  }

  /** Norm of the prefilter, the sum of the absolute values of its impulse response: product of ((1 - z)/(1 - |z|))^2.
   * It bounds max|c| by max|s| for each axis: 2.0, 3.0, 4.8 and 7.5 for orders 2 to 5. */
  CUDASPLINE_HOST_DEVICE static constexpr double
  Norm()
  {
    double norm = 1.0;
    for (unsigned int k = 0; k < Count; ++k)
    {
      const double ratio = (1.0 - Pole(k)) / (1.0 + Pole(k));
      norm *= ratio * ratio;
    }
    return norm;
  }
};

/** \brief Number of samples by which a recursion starts before its first result.
 *
 * Let h be the impulse response of one direction, A = sum |h|, T(K) = sum over k > K of |h(k)|. The error of a
 * recursion that starts from zero, K samples before its first result, is at most T(K) A gain in its direction, and the
 * same in the other direction. The coefficient error is at most 2 gain A T(K) max|s| <= 2 gain A T(K) max|c| (B-spline
 * weights sum to 1). The numbers are the smallest K for which this bound is at most 6e-8 (float) or 1.1e-16 (double); a
 * test evaluates the bound.
 *
 * \tparam VOrder spline order, 0 to 5
 * \tparam TReal float or double */
template <unsigned int VOrder, typename TReal>
struct RecursionWarmUp
{
  /** Selects one of the two numbers. */
  static constexpr bool IsFloat = std::is_same<TReal, float>::value;
  /** Samples of warm-up. */
  static constexpr int Samples = VOrder < 2    ? 0
                                 : VOrder == 2 ? (IsFloat ? 10 : 21)
                                 : VOrder == 3 ? (IsFloat ? 13 : 29)
                                 : VOrder == 4 ? (IsFloat ? 18 : 38)
                                               : (IsFloat ? 23 : 46);
};

/** \brief The warm-up of itk::BSplineDecompositionImageFilter: the number of samples after which the largest pole's
 * power is below its tolerance of 1e-10, ceil(log(1e-10) / log|z|), for any precision.
 *
 * ITK truncates in this way only at the lower end of a line; here every segment is truncated. */
template <unsigned int VOrder>
struct ItkHorizon
{
  /** Samples of warm-up. */
  static constexpr int Samples = VOrder < 2 ? 0 : VOrder == 2 ? 14 : VOrder == 3 ? 18 : VOrder == 4 ? 23 : 28;
};

/** @} */
} // namespace itk::CudaSpline

#endif
