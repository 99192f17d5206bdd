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
#ifndef itkCudaSpline_math_RecursiveGaussian_h
#define itkCudaSpline_math_RecursiveGaussian_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cmath>

/** \file
 * \brief Deriche's recursive filters that approximate a Gaussian and its first derivative, with the coefficients, the
 * boundaries and the roundings of itk::RecursiveGaussianImageFilter. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The kernel with which a line is convolved. */
enum class GaussianOrder : unsigned char
{
  Zero, ///< a Gaussian
  First ///< its first derivative
};

/** \brief Coefficients of a recursive filter of a line: a causal and an anticausal recursion of order four, whose
 * results are added.
 *
 * With the samples x, the causal and the anticausal part are
 * \verbatim
 * y[i] = sum over k = 0..3 of causal[k] x[i-k] - sum over k = 1..4 of feedback[k-1] y[i-k]
 * y[i] = sum over k = 1..4 of anticausal[k-1] x[i+k] - sum over k = 1..4 of feedback[k-1] y[i+k]
 * \endverbatim
 * Beyond an end a line has the value v of its last sample there. For y beyond the end, the product with feedback[k] is
 * v times causalEdge[k] or anticausalEdge[k]. */
struct RecursiveGaussian
{
  double causal[4];         ///< factors of x[i] ... x[i-3]
  double anticausal[4];     ///< factors of x[i+1] ... x[i+4]
  double feedback[4];       ///< factors of the last four results, the last one first
  double causalEdge[4];     ///< feedback times the response of the causal part to a constant line
  double anticausalEdge[4]; ///< feedback times the response of the anticausal part
};

/** \brief The coefficients of itk::RecursiveGaussianImageFilter, bitwise: the expressions are evaluated in its order.
 *
 * The constants are those of Farnebaeck and Westin \cite{Farneback2006}, an improvement of Deriche's
 * \cite{Deriche1993}. The response to a constant is 1 (order zero). The response to a ramp with a slope of 1 per sample
 * is 1 per sample (first order).
 *
 * \param[in] order the kernel
 * \param[in] sigma standard deviation (mm), above 0
 * \param[in] spacing distance of the samples (mm), not 0; a negative one negates the derivative
 * \param[in] normalizeAcrossScale multiplies the derivative by \p sigma */
inline RecursiveGaussian
MakeRecursiveGaussian(GaussianOrder order, double sigma, double spacing, bool normalizeAcrossScale)
{
  const bool   isFirst = order == GaussianOrder::First;
  const double direction = spacing < 0.0 ? -1.0 : 1.0;
  const double sigmad = sigma / (spacing < 0.0 ? -spacing : spacing);

  // Two damped waves: exp(l t / sigma) (a cos(w t / sigma) + b sin(w t / sigma)), t in samples.
  const double w1 = 0.6681;
  const double l1 = -1.3932;
  const double w2 = 2.0787;
  const double l2 = -1.3732;
  const double a1 = isFirst ? -0.6724 : 1.3530;
  const double b1 = isFirst ? -3.4327 : 1.8151;
  const double a2 = isFirst ? 0.6724 : -0.3531;
  const double b2 = isFirst ? 0.6100 : 0.0902;

  const double sin1 = std::sin(w1 / sigmad);
  const double sin2 = std::sin(w2 / sigmad);
  const double cos1 = std::cos(w1 / sigmad);
  const double cos2 = std::cos(w2 / sigmad);
  const double exp1 = std::exp(l1 / sigmad);
  const double exp2 = std::exp(l2 / sigmad);

  const double d4 = exp1 * exp1 * exp2 * exp2;
  double       d3 = -2 * cos1 * exp1 * exp2 * exp2;
  d3 += -2 * cos2 * exp2 * exp1 * exp1;
  double d2 = 4 * cos2 * cos1 * exp1 * exp2;
  d2 += exp1 * exp1 + exp2 * exp2;
  const double d1 = -2 * (exp2 * cos2 + exp1 * cos1);
  const double sd = 1.0 + d1 + d2 + d3 + d4;
  const double dd = d1 + 2 * d2 + 3 * d3 + 4 * d4;

  double n0 = a1 + a2;
  double n1 = exp2 * (b2 * sin2 - (a2 + 2 * a1) * cos2);
  n1 += exp1 * (b1 * sin1 - (a1 + 2 * a2) * cos1);
  double n2 = (a1 + a2) * cos2 * cos1;
  n2 -= b1 * cos2 * sin1 + b2 * cos1 * sin2;
  n2 *= 2 * exp1 * exp2;
  n2 += a2 * exp1 * exp1 + a1 * exp2 * exp2;
  double n3 = exp2 * exp1 * exp1 * (b2 * sin2 - a2 * cos2);
  n3 += exp1 * exp2 * exp2 * (b1 * sin1 - a1 * cos1);

  // The response to a constant, or to a ramp.
  const double sn = n0 + n1 + n2 + n3;
  const double dn = n1 + 2 * n2 + 3 * n3;
  const double norm = isFirst ? 2 * (sn * dd - dn * sd) / (sd * sd) * direction : 2 * sn / sd - n0;
  const double scale = isFirst && normalizeAcrossScale ? sigma : 1.0;
  n0 *= scale / norm;
  n1 *= scale / norm;
  n2 *= scale / norm;
  n3 *= scale / norm;

  // Order zero is symmetric, and the results of both directions have the same sign. The derivative is antisymmetric,
  // and they have opposite signs.
  const double sign = isFirst ? -1.0 : 1.0;
  const double m1 = sign * (n1 - d1 * n0);
  const double m2 = sign * (n2 - d2 * n0);
  const double m3 = sign * (n3 - d3 * n0);
  const double m4 = -sign * (d4 * n0);

  const double sumCausal = n0 + n1 + n2 + n3;
  const double sumAnticausal = m1 + m2 + m3 + m4;
  return { { n0, n1, n2, n3 },
           { m1, m2, m3, m4 },
           { d1, d2, d3, d4 },
           { d1 * sumCausal / sd, d2 * sumCausal / sd, d3 * sumCausal / sd, d4 * sumCausal / sd },
           { d1 * sumAnticausal / sd, d2 * sumAnticausal / sd, d3 * sumAnticausal / sd, d4 * sumAnticausal / sd } };
}

/** \brief A number of double precision whose products, sums and differences are rounded separately. */
struct RoundedDouble
{
  double value; ///< the number

  /** The product. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE friend RoundedDouble
  operator*(double factor, RoundedDouble a)
  {
    return { RoundedProduct(factor, a.value) };
  }
  /** The sum. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE friend RoundedDouble
  operator+(RoundedDouble a, RoundedDouble b)
  {
    return { RoundedSum(a.value, b.value) };
  }
  /** The difference. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE friend RoundedDouble
  operator-(RoundedDouble a, RoundedDouble b)
  {
    return { RoundedSum(a.value, -b.value) };
  }
};

/** \brief Computes the next result of a recursion, in either direction.
 *
 * \tparam TSample RoundedDouble, or a pack of the doubles of several lines: has a product with a double, a sum and a
 * difference
 * \param[in] forward factors of the samples
 * \param[in] in0,in1,in2,in3 the samples, the latest first
 * \param[in] feedback factors of the results
 * \param[in] edge replaces \p feedback for results beyond the end of the line
 * \param[in] out0,out1,out2,out3 the results, the latest first; beyond the end the sample at the end
 * \param[in] known number of results on the line so far; any number of at least 4 is equivalent */
template <typename TSample>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TSample
NextOfGaussian(const double (&forward)[4],
               const TSample & in0,
               const TSample & in1,
               const TSample & in2,
               const TSample & in3,
               const double (&feedback)[4],
               const double (&edge)[4],
               const TSample & out0,
               const TSample & out1,
               const TSample & out2,
               const TSample & out3,
               int             known)
{
  const TSample fed = forward[0] * in0 + forward[1] * in1 + forward[2] * in2 + forward[3] * in3;
  const TSample back = (known > 0 ? feedback[0] : edge[0]) * out0 + (known > 1 ? feedback[1] : edge[1]) * out1 +
                       (known > 2 ? feedback[2] : edge[2]) * out2 + (known > 3 ? feedback[3] : edge[3]) * out3;
  return fed - back;
}

/** \brief A component of itk::GradientRecursiveGaussianImageFilter along an axis of the grid: the filtered value
 * divided by the spacing, in single precision as in ITK.
 *
 * \param[in] filtered derivative along an axis, smoothed along the others
 * \param[in] spacing spacing of that axis (mm) */
CUDASPLINE_HOST_DEVICE inline float
GaussianGradientComponent(float filtered, double spacing)
{
  return RoundedToSingle(static_cast<double>(filtered) / spacing);
}

/** \brief An element of the product of the direction's matrix with a gradient, as in itk::ImageBase.
 *
 * \param[in] row row of the matrix
 * \param[in] gradient components along the axes of the grid */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE inline double
GaussianGradientAlong(const double * row, const float (&gradient)[VDimension])
{
  double sum = 0.0;
  for (unsigned int j = 0; j < VDimension; ++j)
  {
    sum = RoundedSum(sum, RoundedProduct(row[j], static_cast<double>(gradient[j])));
  }
  return sum;
}

/** @} */
} // namespace itk::CudaSpline

#endif
