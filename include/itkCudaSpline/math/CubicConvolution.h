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
#ifndef itkCudaSpline_math_CubicConvolution_h
#define itkCudaSpline_math_CubicConvolution_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The two parameters of cubic convolution, B and C of Mitchell and Netravali \cite{Mitchell1988}, without unit.
 *
 * With B = 0 the filter interpolates: C is the tension of the cardinal spline, and -C the parameter a of Keys
 * \cite{Keys1981}. With B > 0 it smooths: at a sample it weights the neighbours by B / 6. (1, 0) is the cubic B-spline
 * without its prefilter. Polynomials of degree 1 are reproduced if B + 2 C = 1, those of degree 2 only by (0, 1/2).
 */
struct CubicParameters
{
  double b{ 0.0 }; ///< B: smoothing
  double c{ 0.5 }; ///< C: tension
};

/** \brief Catmull and Rom's spline, which is Keys' cubic convolution with a = -1/2: reproduces degree 2. */
inline constexpr CubicParameters CatmullRomParameters{ 0.0, 0.5 };

/** \brief Mitchell and Netravali's compromise between blur, ringing and anisotropy. */
inline constexpr CubicParameters MitchellNetravaliParameters{ 1.0 / 3.0, 1.0 / 3.0 };

/** \brief Weights of cubic convolution at the four samples around a point.
 *
 * With the coordinate x (samples) and i = floor(x), weight k belongs to sample i - 1 + k. In powers of t, with u = 1 -
 * t:
 * \verbatim
 *    w[0] = -C t u^2 + B/6 u^3
 *    w[1] = 1 + (C - 3) t^2 + (2 - C) t^3 + B/6 (12 t^2 - 9 t^3 - 2)
 *    w[2] = 1 + (C - 3) u^2 + (2 - C) u^3 + B/6 (12 u^2 - 9 u^3 - 2)
 *    w[3] = -C t^2 u + B/6 t^3
 * \endverbatim
 * This is the filter k(s) of Mitchell and Netravali at the distances s = 1 + t, t, 1 - t and 2 - t. Value and slope are
 * continuous for all B and C.
 *
 * The terms of C are computed as products that are exactly 0, 1, 0, 0 at t = 0, and mirrored exactly if 1 - t is exact.
 * Those of B are added only if B is not 0: results for B = 0 are bitwise equal to the terms of C. They are rounded one
 * by one, because a compiler of device code fuses multiplications and additions in one kernel that it does not fuse in
 * another.
 *
 * \tparam TReal float or double
 * \param[in] t position of x relative to sample i (samples), in [0, 1)
 * \param[in] b, c the parameters, see CubicParameters
 * \param[out] w the four weights; they sum to 1
 *
 * \par Accuracy
 * For b and c in [0, 1] within 8 units of rounding for b = 0 (at most six operations, on terms of at most 2), within 16
 * for others (six more, on terms of at most 12, times b / 6) */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CubicConvolutionWeights(TReal t, TReal b, TReal c, TReal * w)
{
  const TReal u = TReal(1) - t;
  const TReal cubic = TReal(2) - c;
  const TReal outer = c * (t * u);
  w[0] = -outer * u;
  w[1] = u * (TReal(1) + t * (TReal(1) - cubic * t));
  w[2] = t * (TReal(1) + u * (TReal(1) - cubic * u));
  w[3] = -outer * t;
  if (b != TReal(0))
  {
    const TReal sixth = b / TReal(6);
    const auto  add = [sixth](TReal & weight, TReal term) { weight = RoundedSum(weight, RoundedProduct(sixth, term)); };
    const auto  inner = [](TReal s) {
      return RoundedSum(RoundedProduct(RoundedProduct(s, s), RoundedSum(TReal(12), RoundedProduct(TReal(-9), s))),
                        TReal(-2));
    };
    add(w[0], RoundedProduct(RoundedProduct(u, u), u));
    add(w[1], inner(t));
    add(w[2], inner(u));
    add(w[3], RoundedProduct(RoundedProduct(t, t), t));
  }
}

/** \brief Derivatives of the weights of CubicConvolutionWeights() with respect to the coordinate (per sample).
 *
 * \param[in] t, b, c as for CubicConvolutionWeights()
 * \param[out] dw the four derivatives; they sum to 0
 *
 * \par Accuracy
 * for b and c in [0, 1] within 20 units of rounding for b = 0 (at most six operations, on terms that do not exceed 6),
 * within 40 for others (four more, on terms that do not exceed 4.5) */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CubicConvolutionDerivativeWeights(TReal t, TReal b, TReal c, TReal * dw)
{
  const TReal u = TReal(1) - t;
  const TReal linear = TReal(2) * (c - TReal(3));
  const TReal square = TReal(3) * (TReal(2) - c);
  dw[0] = c * (u * (TReal(3) * t - TReal(1)));
  dw[1] = t * (linear + square * t);
  dw[2] = -u * (linear + square * u);
  dw[3] = c * (t * (TReal(1) - TReal(3) * u));
  if (b != TReal(0))
  {
    const auto add = [b](TReal & weight, TReal term) { weight = RoundedSum(weight, RoundedProduct(b, term)); };
    const auto inner = [](TReal s) { return RoundedProduct(s, RoundedSum(TReal(4), RoundedProduct(TReal(-4.5), s))); };
    add(dw[0], RoundedProduct(RoundedProduct(TReal(-0.5), u), u));
    add(dw[1], inner(t));
    add(dw[2], -inner(u));
    add(dw[3], RoundedProduct(RoundedProduct(TReal(0.5), t), t));
  }
}

/** \brief Second derivatives of the weights of CubicConvolutionWeights() with respect to the coordinate (per sample
 * squared).
 *
 * They are discontinuous at the samples except for B = 1, C = 0; at t = 0 they are those of the segment that begins
 * there.
 *
 * \param[in] t, b, c as for CubicConvolutionWeights()
 * \param[out] ddw the four second derivatives; they sum to 0
 *
 * \par Accuracy
 * for b and c in [0, 1] within 40 units of rounding for b = 0 (at most five operations, on terms that do not exceed
 * 12), within 80 for others (four more, on terms that do not exceed 9) */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CubicConvolutionSecondDerivativeWeights(TReal t, TReal b, TReal c, TReal * ddw)
{
  const TReal u = TReal(1) - t;
  const TReal constant = TReal(2) * (c - TReal(3));
  const TReal linear = TReal(6) * (TReal(2) - c);
  ddw[0] = c * (TReal(4) - TReal(6) * t);
  ddw[1] = constant + linear * t;
  ddw[2] = constant + linear * u;
  ddw[3] = c * (TReal(4) - TReal(6) * u);
  if (b != TReal(0))
  {
    const auto add = [b](TReal & weight, TReal term) { weight = RoundedSum(weight, RoundedProduct(b, term)); };
    const auto inner = [](TReal s) { return RoundedSum(TReal(4), RoundedProduct(TReal(-9), s)); };
    add(ddw[0], u);
    add(ddw[1], inner(t));
    add(ddw[2], inner(u));
    add(ddw[3], t);
  }
}

/** \brief The largest sum of the absolute weights of an axis, over all t in [0, 1]: the factor by which errors of
 * samples can grow.
 *
 * A sum of absolute values is the largest of the sums with all combinations of signs, each of which is a cubic in t.
 * The result is the largest value of these cubics at t = 0, t = 1 and the zeros of their derivatives between. For B = 0
 * and C >= 0 it is 1 + C / 2, at t = 1/2.
 *
 * \param[in] parameters B and C
 * \return at least 1 */
inline double
CubicConvolutionNorm(const CubicParameters & parameters)
{
  const double b = parameters.b;
  const double c = parameters.c;
  // Powers of t, constant first, of the formula above.
  const double power[4][4] = { { b / 6, -b / 2 - c, b / 2 + 2 * c, -b / 6 - c },
                               { 1 - b / 3, 0, 2 * b + c - 3, 2 - c - 1.5 * b },
                               { b / 6, b / 2 + c, 3 - 2.5 * b - 2 * c, 1.5 * b + c - 2 },
                               { 0, 0, -c, b / 6 + c } };
  double       norm = 1.0;
  for (unsigned int signs = 0; signs < 16; ++signs)
  {
    double p[4]{};
    for (unsigned int k = 0; k < 4; ++k)
    {
      for (unsigned int n = 0; n < 4; ++n)
      {
        p[n] += (signs >> k) % 2 == 0 ? power[k][n] : -power[k][n];
      }
    }
    const auto look = [&p, &norm](double t) {
      norm = t >= 0.0 && t <= 1.0 ? std::max(norm, p[0] + t * (p[1] + t * (p[2] + t * p[3]))) : norm;
    };
    look(0.0);
    look(1.0);
    // p[1] + 2 p[2] t + 3 p[3] t^2 = 0 without cancellation; a zero that does not exist is NaN or infinite.
    const double root = std::sqrt(p[2] * p[2] - 3 * p[1] * p[3]);
    const double sum = -p[2] - std::copysign(root, p[2]);
    look(sum / (3 * p[3]));
    look(p[1] / sum);
  }
  return norm;
}

/** \brief The basis of cubic convolution, as required by EvaluateOnGrid(): it is evaluated from samples.
 *
 * \tparam VSmooths whether B may differ from 0 */
template <bool VSmooths>
struct CubicBasis
{
  /** Number of input samples of a value along an axis. */
  static constexpr unsigned int Taps = 4;

  CubicParameters parameters; ///< B and C

  /** First index of the support of a coordinate (samples): one before its floor. */
  template <typename TIndex = std::int64_t>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TIndex
  Start(double x)
  {
    const auto truncated = static_cast<TIndex>(x);
    return truncated - (x < static_cast<double>(truncated) ? 2 : 1);
  }
  /** Argument of the weights for a coordinate and the first index of its support (samples). */
  template <typename TIndex>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  Position(double x, TIndex start)
  {
    return x - static_cast<double>(start + 1);
  }
  /** Weights of the value, the first and the second derivative (per sample). */
  ///@{
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Weights(TReal t, TReal * w) const
  {
    CubicConvolutionWeights(t, this->B<TReal>(), static_cast<TReal>(parameters.c), w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  DerivativeWeights(TReal t, TReal * w) const
  {
    CubicConvolutionDerivativeWeights(t, this->B<TReal>(), static_cast<TReal>(parameters.c), w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SecondDerivativeWeights(TReal t, TReal * w) const
  {
    CubicConvolutionSecondDerivativeWeights(t, this->B<TReal>(), static_cast<TReal>(parameters.c), w);
  }
  ///@}
  /** Calls \p use with this basis, or with one in which B is 0 at compile time: B is then tested once for several axes.
   */
  template <typename TUse>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Specialize(const TUse & use) const
  {
    if (VSmooths && parameters.b != 0.0)
    {
      use(*this);
      return;
    }
    use(CubicBasis<false>{ parameters });
  }

private:
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  B() const
  {
    return VSmooths ? static_cast<TReal>(parameters.b) : TReal(0);
  }
};

/** \brief The basis of cubic convolution for any B and C. */
using CubicConvolutionBasis = CubicBasis<true>;

/** @} */
} // namespace itk::CudaSpline

#endif
