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
#ifndef itkCudaSpline_math_CatmullRomWeights_h
#define itkCudaSpline_math_CatmullRomWeights_h

#include "itkCudaSpline/math/HostDevice.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The usual tension of a Catmull-Rom spline: the cubic convolution with a = -1/2 of Keys \cite{Keys1981}. */
inline constexpr double CatmullRomTension = 0.5;

/** \brief Weights of the cardinal spline with a tension at the four samples around a point.
 *
 * With x the coordinate (samples) and i = floor(x), weight k belongs to sample i - 1 + k. The segment between the
 samples
 * i and i + 1 is the cubic through both whose slopes there are the tension times s[i + 1] - s[i - 1] and s[i + 2] -
 s[i].
 * So the spline interpolates and has a continuous slope. With tension 1/2 it is the one of Catmull and Rom, Keys' cubic
 * convolution \cite{Keys1981}, and reproduces polynomials of degree 2; with any other, constants only.
 *
 * In powers of t, with tension a:
 * \verbatim
   w[0] = -a t +   2a     t^2 -      a  t^3
   w[1] =    1 + ( a - 3) t^2 + (2 - a) t^3
   w[2] =  a t + (3 - 2a) t^2 + (a - 2) t^3
   w[3] =              -a t^2 +      a  t^3
   \endverbatim
 * They are computed as products that are exactly 0, 1, 0, 0 at t = 0, and mirrored exactly where 1 - t is exact.
 *
 * \tparam TReal float or double
 * \param[in] t position of x relative to sample i (samples), in [0, 1)
 * \param[in] tension without unit; 1/2 is the usual one
 * \param[out] w the four weights; they sum to 1
 *
 * \par Accuracy
 * within 8 units of rounding for tensions in [0, 1]: at most six operations, on terms that do not exceed 2 */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomWeights(TReal t, TReal tension, TReal * w)
{
  const TReal u = TReal(1) - t;
  const TReal cubic = TReal(2) - tension;
  const TReal outer = tension * (t * u);
  w[0] = -outer * u;
  w[1] = u * (TReal(1) + t * (TReal(1) - cubic * t));
  w[2] = t * (TReal(1) + u * (TReal(1) - cubic * u));
  w[3] = -outer * t;
}

/** \brief Derivatives of the weights of CatmullRomWeights() with respect to the coordinate (per sample).
 *
 * \param[in] t as for CatmullRomWeights()
 * \param[in] tension as for CatmullRomWeights()
 * \param[out] dw the four derivatives; they sum to 0
 *
 * \par Accuracy
 * within 20 units of rounding for tensions in [0, 1]: at most six operations, on terms that do not exceed 6 */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomDerivativeWeights(TReal t, TReal tension, TReal * dw)
{
  const TReal u = TReal(1) - t;
  const TReal linear = TReal(2) * (tension - TReal(3));
  const TReal square = TReal(3) * (TReal(2) - tension);
  dw[0] = tension * (u * (TReal(3) * t - TReal(1)));
  dw[1] = t * (linear + square * t);
  dw[2] = -u * (linear + square * u);
  dw[3] = tension * (t * (TReal(1) - TReal(3) * u));
}

/** \brief Second derivatives of the weights of CatmullRomWeights() with respect to the coordinate (per sample squared).
 *
 * They jump at the samples; at t = 0 they are those of the segment that begins there.
 *
 * \param[in] t as for CatmullRomWeights()
 * \param[in] tension as for CatmullRomWeights()
 * \param[out] ddw the four second derivatives; they sum to 0
 *
 * \par Accuracy
 * within 40 units of rounding for tensions in [0, 1]: at most five operations, on terms that do not exceed 12 */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomSecondDerivativeWeights(TReal t, TReal tension, TReal * ddw)
{
  const TReal u = TReal(1) - t;
  const TReal constant = TReal(2) * (tension - TReal(3));
  const TReal linear = TReal(6) * (TReal(2) - tension);
  ddw[0] = tension * (TReal(4) - TReal(6) * t);
  ddw[1] = constant + linear * t;
  ddw[2] = constant + linear * u;
  ddw[3] = tension * (TReal(4) - TReal(6) * u);
}

/** \brief The largest sum of the absolute weights of an axis, over all t in [0, 1]: by what errors of samples grow.
 *
 * For a tension a >= 0 the inner weights u (1 + t - (2 - a) t^2), with u = 1 - t, and its mirror image are not
 * negative, and the outer ones are -a t u^2 and -a t^2 u: the sum is 1 + 2 a t u, at most 1 + a / 2 at t = 1/2; 5/4 for
 * a = 1/2. For a = -b < 0 the outer weights are positive, the four sum to 1, and an inner one may be negative: the sum
 * is then 1 - 2 w[1], largest at t = (6 + 2 b) / (6 + 3 b), where it is 8 (3 + b)^3 / (27 (2 + b)^2) - 1. Where both
 * are negative it is 2 b t u
 * - 1, at most b / 2 - 1. Neither expression ever exceeds the sum, so the larger one is its maximum.
 *
 * \param[in] tension without unit
 * \return at least 1 */
CUDASPLINE_HOST_DEVICE constexpr double
CatmullRomNorm(double tension)
{
  if (tension >= 0.0)
  {
    return 1.0 + 0.5 * tension;
  }
  const double b = -tension;
  const double one = 8.0 * (3.0 + b) * (3.0 + b) * (3.0 + b) / (27.0 * (2.0 + b) * (2.0 + b)) - 1.0;
  const double both = 0.5 * b - 1.0;
  return one > both ? one : both;
}

/** @} */
} // namespace itk::CudaSpline

#endif
