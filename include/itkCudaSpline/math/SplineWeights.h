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
#ifndef itkCudaSpline_math_SplineWeights_h
#define itkCudaSpline_math_SplineWeights_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Values of the centred B-spline of degree VOrder at its VOrder + 1 samples around a point.
 *
 * With x the coordinate (samples) and i the first index of the support (SplineSupportStart()), weight k is
 * B(x - (i + k)). All weights are non-negative and sum to 1.
 *
 * The polynomial pieces are those of Unser, Aldroubi, Eden, "B-spline signal processing: Part I" \cite{Unser1993a}.
 *
 * \tparam VOrder spline order, 0 to 5
 * \tparam TReal float or double
 * \param[in] t position of x relative to sample i + floor(VOrder / 2) of the support: in [0, 1) for odd
 *   orders, in [-1/2, 1/2) for even ones (samples). Slightly outside the polynomials continue.
 * \param[out] w the VOrder + 1 weights
 *
 * \par Accuracy
 * a few units of 2^-53 (double) or 2^-24 (float): no term of a piece exceeds 1 by more than a factor of 2. */
template <unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineWeights(TReal t, TReal * w)
{
  static_assert(VOrder <= MaximumSplineOrder, "Spline orders 0 to 5 are supported.");
  if constexpr (VOrder == 0)
  {
    (void)t;
    w[0] = TReal(1);
  }
  else if constexpr (VOrder == 1)
  {
    w[0] = TReal(1) - t;
    w[1] = t;
  }
  else if constexpr (VOrder == 2)
  {
    const TReal low = TReal(0.5) - t;
    const TReal high = TReal(0.5) + t;
    w[0] = TReal(0.5) * low * low;
    w[1] = TReal(0.75) - t * t;
    w[2] = TReal(0.5) * high * high;
  }
  else if constexpr (VOrder == 3)
  {
    const TReal u = TReal(1) - t;
    w[0] = u * u * u * TReal(1.0 / 6.0);
    w[1] = TReal(2.0 / 3.0) - t * t * (TReal(1) - TReal(0.5) * t);
    w[2] = TReal(2.0 / 3.0) - u * u * (TReal(1) - TReal(0.5) * u);
    w[3] = t * t * t * TReal(1.0 / 6.0);
  }
  else if constexpr (VOrder == 4)
  {
    const TReal t2 = t * t;
    const TReal low2 = (TReal(0.5) - t) * (TReal(0.5) - t);
    const TReal high2 = (TReal(0.5) + t) * (TReal(0.5) + t);
    const TReal even = TReal(19.0 / 96.0) + t2 * (TReal(0.25) - t2 * TReal(1.0 / 6.0));
    const TReal odd = t * (TReal(11.0 / 24.0) - t2 * TReal(1.0 / 6.0));
    w[0] = low2 * low2 * TReal(1.0 / 24.0);
    w[1] = even - odd;
    w[2] = TReal(115.0 / 192.0) - t2 * (TReal(0.625) - TReal(0.25) * t2);
    w[3] = even + odd;
    w[4] = high2 * high2 * TReal(1.0 / 24.0);
  }
  else
  {
    const TReal u = TReal(1) - t;
    const TReal t2 = t * t;
    const TReal u2 = u * u;
    w[0] = u2 * u2 * u * TReal(1.0 / 120.0);
    w[1] = TReal(13.0 / 60.0) +
           t * (TReal(-5.0 / 12.0) +
                t * (TReal(1.0 / 6.0) + t * (TReal(1.0 / 6.0) + t * (TReal(-1.0 / 6.0) + t * TReal(1.0 / 24.0)))));
    w[2] = TReal(0.55) - t2 * (TReal(0.5) - t2 * (TReal(0.25) - t * TReal(1.0 / 12.0)));
    w[3] = TReal(0.55) - u2 * (TReal(0.5) - u2 * (TReal(0.25) - u * TReal(1.0 / 12.0)));
    w[4] = TReal(13.0 / 60.0) +
           u * (TReal(-5.0 / 12.0) +
                u * (TReal(1.0 / 6.0) + u * (TReal(1.0 / 6.0) + u * (TReal(-1.0 / 6.0) + u * TReal(1.0 / 24.0)))));
    w[5] = t2 * t2 * t * TReal(1.0 / 120.0);
  }
}

/** \brief Derivatives of the weights of SplineWeights() with respect to the coordinate (per sample).
 *
 * From B'(x) of degree n = B(x + 1/2) - B(x - 1/2) of degree n - 1: differences of the weights of degree n - 1, shifted
 * by half a sample. Order 0 has derivative 0, as in ITK.
 *
 * \param[in] t as for SplineWeights()
 * \param[out] dw the VOrder + 1 derivatives; they sum to 0 */
template <unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineDerivativeWeights(TReal t, TReal * dw)
{
  if constexpr (VOrder == 0)
  {
    (void)t;
    dw[0] = TReal(0);
  }
  else
  {
    TReal lower[VOrder];
    SplineWeights<VOrder - 1>(VOrder % 2 == 1 ? t - TReal(0.5) : t + TReal(0.5), lower);
    dw[0] = -lower[0];
    for (unsigned int k = 1; k < VOrder; ++k)
    {
      dw[k] = lower[k - 1] - lower[k];
    }
    dw[VOrder] = lower[VOrder - 1];
  }
}

/** \brief Second derivatives of the weights of SplineWeights() with respect to the coordinate (per sample squared).
 *
 * From B''(x) of degree n = B(x + 1) - 2 B(x) + B(x - 1) of degree n - 2: second differences of the weights of degree n
 * - 2 at the same position. Order 2 is piecewise constant, with the breakpoints of the support; orders 0 and 1 have
 *   second derivative 0.
 *
 * \param[in] t as for SplineWeights()
 * \param[out] ddw the VOrder + 1 second derivatives; they sum to 0
 *
 * \par Accuracy
 * four times that of the weights of degree VOrder - 2 */
template <unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineSecondDerivativeWeights(TReal t, TReal * ddw)
{
  static_assert(VOrder <= MaximumSplineOrder, "Spline orders 0 to 5 are supported.");
  if constexpr (VOrder < 2)
  {
    (void)t;
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      ddw[k] = TReal(0);
    }
  }
  else
  {
    TReal lower[VOrder - 1];
    SplineWeights<VOrder - 2>(t, lower);
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      const TReal left = k >= 2 ? lower[k - 2] : TReal(0);
      const TReal centre = k >= 1 && k < VOrder ? lower[k - 1] : TReal(0);
      const TReal right = k + 2 <= VOrder ? lower[k] : TReal(0);
      ddw[k] = (left + right) - TReal(2) * centre;
    }
  }
}

/** \brief Magnitude of coordinates below which SplineSupportStart() equals ITK's (samples).
 *
 * The spacing of floats is at most 2^-12 there: ITK selects a neighbouring support only within 2^-13 of a
 * breakpoint. */
inline constexpr double RoundedSupports = 4096.0;

/** \brief First index of the support of the B-spline of degree VOrder at coordinate x, with ITK's rule.
 *
 * ITK computes the floor of the coordinate *in single precision* (plus 1/2 for even orders). Less than half a spacing d
 * of floats below a breakpoint, the support is then the one above, and the polynomials are continued across the
 * breakpoint. For order 0 this selects another sample. For order 1 the error is up to d / 2 times the second difference
 * of the samples, and for order n about (d / 2)^n.
 *
 * \tparam VOrder spline order, 0 to 5
 * \tparam TIndex type of the index, which can represent the result
 * \param[in] x coordinate (samples) */
template <unsigned int VOrder, typename TIndex>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TIndex
RoundedSupportStart(double x)
{
  const float shifted = VOrder % 2 == 1 ? static_cast<float>(x) : static_cast<float>(x) + 0.5F;
  return static_cast<TIndex>(floorf(shifted)) - static_cast<TIndex>(VOrder / 2);
}

/** \brief First index of the support of the B-spline of degree VOrder at coordinate x.
 *
 * Below RoundedSupports it is RoundedSupportStart(), so that every order agrees with ITK to the last bits. The error of
 * that rule grows with the index, and from 2^24 on its support is unrelated to the coordinate. Far from index 0 the
 * floor is therefore that of double precision, and the spline is exact.
 *
 * \tparam VOrder spline order, 0 to 5
 * \tparam TIndex type of the index, which can represent the result; 32 bits within 2^30 of 0
 * \param[in] x coordinate (samples) */
template <unsigned int VOrder, typename TIndex = std::int64_t>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TIndex
SplineSupportStart(double x)
{
  const bool   isRounded = fabs(x) < RoundedSupports;
  const double shifted = VOrder % 2 == 1 ? x : RoundedSum(x, 0.5);
#if defined(__CUDA_ARCH__)
  // Both are computed and one is selected. With a branch, the compiler would fuse different products and sums of the
  // weights, and kernels that must compute the same values would differ in their last bits.
  const TIndex rounded = RoundedSupportStart<VOrder % 2, int>(x); // the floor
  const TIndex exact = FloorOf<TIndex>(shifted);
  return (isRounded ? rounded : exact) - static_cast<TIndex>(VOrder / 2);
#else
  return isRounded ? RoundedSupportStart<VOrder, TIndex>(x)
                   : FloorOf<TIndex>(shifted) - static_cast<TIndex>(VOrder / 2);
#endif
}

/** \brief The argument t of SplineWeights() for coordinate \p x and the support that starts at \p start.
 *
 * Subtracted in double, so that a large index does not reduce the accuracy of a float evaluation.
 *
 * \param[in] x coordinate (samples)
 * \param[in] start first index of the support (SplineSupportStart()) */
template <unsigned int VOrder, typename TIndex>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
SplineSupportPosition(double x, TIndex start)
{
  return x - static_cast<double>(start + static_cast<TIndex>(VOrder / 2));
}

/** @} */
} // namespace itk::CudaSpline

#endif
