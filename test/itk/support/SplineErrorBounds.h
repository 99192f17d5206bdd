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
#ifndef CudaSplineTest_SplineErrorBounds_h
#define CudaSplineTest_SplineErrorBounds_h

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

/** \file
 * \brief First-order bounds of the errors of B-spline coefficients and values, for the module and for ITK, which are
 * derived here.
 *
 * Bounds of one axis are relative to the largest absolute sample that enters it. An axis amplifies previous errors by
 * the norm of the prefilter, so N axes with an error e each have an error of N e norm^(N-1) (Axes()). u is the unit of
 * rounding: 2^-53 for double, 2^-24 for float. */

namespace CudaSplineTest
{

/** The unit of rounding of \p TReal: half the distance from 1 to the next number. */
template <typename TReal>
inline constexpr double Unit = std::numeric_limits<TReal>::epsilon() / 2;

/** \brief Bounds of the prefilter of one order. */
struct PrefilterBounds
{
  std::vector<double> poles;
  double              gain{ 1.0 }; ///< product of (1 - z)^2
  double              norm{ 1.0 }; ///< sum of the absolute impulse response

  /** The poles by their closed forms (Unser, Aldroubi, Eden 1993) in long double: neither the module's constants nor
   * ITK's. */
  explicit PrefilterBounds(unsigned int order)
  {
    if (order == 2)
    {
      poles = { static_cast<double>(std::sqrt(8.0L) - 3.0L) };
    }
    else if (order == 3)
    {
      poles = { static_cast<double>(std::sqrt(3.0L) - 2.0L) };
    }
    else if (order == 4)
    {
      poles = { static_cast<double>(std::sqrt(664.0L - std::sqrt(438976.0L)) + std::sqrt(304.0L) - 19.0L),
                static_cast<double>(std::sqrt(664.0L + std::sqrt(438976.0L)) - std::sqrt(304.0L) - 19.0L) };
    }
    else if (order == 5)
    {
      poles = { static_cast<double>(std::sqrt(67.5L - std::sqrt(4436.25L)) + std::sqrt(26.25L) - 6.5L),
                static_cast<double>(std::sqrt(67.5L + std::sqrt(4436.25L)) - std::sqrt(26.25L) - 6.5L) };
    }
    for (const double pole : poles)
    {
      gain *= (1.0 - pole) * (1.0 - pole);
      norm *= (1.0 - pole) * (1.0 - pole) / ((1.0 + pole) * (1.0 + pole));
    }
  }

  /** \brief Returns the bound of one axis of the module.
   *
   * Truncation: the promise of RecursionWarmUp, relative to the largest coefficient, which is at most norm. Rounding: a
   * stage y = x + z y' rounds its product, its sum and its pole, at most 1 + 2 |z| units of the magnitude of y. It
   * passes on errors and magnitudes with a factor of at most 1 / (1 - |z|). The gain is rounded and multiplied at the
   * end. A fused multiply-add rounds less. */
  template <typename TReal>
  double
  OwnAxis() const
  {
    if (poles.empty())
    {
      return 0.0;
    }
    double magnitude = 1.0;
    double error = 0.0;
    for (int direction = 0; direction < 2; ++direction)
    {
      for (const double pole : poles)
      {
        const double z = std::abs(pole);
        magnitude /= 1.0 - z;
        error = (error + (1.0 + 2.0 * z) * magnitude) / (1.0 - z);
      }
    }
    return (sizeof(TReal) == 4 ? 6e-8 : 1.1e-16) * norm + Unit<TReal> * gain * (error + 2.0 * magnitude);
  }

  /** \brief Returns the bound of one axis of ITK 5.2.1, away from the low edge.
   *
   * ITK first multiplies by the product of (1 - z)(1 - 1/z) (5 roundings per pole and one more). For each pole y = x +
   * z y' (6 units, as many as the start of the recursions, z/(z^2-1) (z s[N-2] + s[N-1])) and y = z (y' - x) follow,
   * all in double. Its poles come from sums that cancel: an error d of a pole changes (1-z)/(1+z) z^|n| by at most d 4
   * (1+|z|)/(1-|z|)^3, summed over n. The result is stored as \p TOutput after each axis.
   *
   * \param[in] itkPoles the poles as ITK computed them */
  template <typename TOutput>
  double
  ItkAxis(const std::vector<double> & itkPoles) const
  {
    if (poles.empty())
    {
      return 0.0;
    }
    double magnitude = 1.0;
    double poleError = 0.0;
    for (std::size_t k = 0; k < poles.size(); ++k)
    {
      const double z = std::abs(poles[k]);
      magnitude *= (1.0 + z) * (1.0 + 1.0 / z);
      const double own = (1.0 + z) * (1.0 + z) / ((1.0 - z) * (1.0 - z));
      poleError += std::abs(itkPoles.at(k) - poles[k]) * 4.0 * (1.0 + z) / std::pow(1.0 - z, 3.0) * norm / own;
    }
    double error = (5.0 * static_cast<double>(poles.size()) + 1.0) * magnitude;
    for (const double pole : poles)
    {
      const double z = std::abs(pole);
      magnitude /= 1.0 - z;
      error = (error + 6.0 * magnitude) / (1.0 - z);
      error = z * (error + 6.0 * magnitude / (1.0 - z)) / (1.0 - z);
      magnitude *= z / (1.0 - z);
    }
    return Unit<double> * error + poleError + (sizeof(TOutput) == 4 ? Unit<TOutput> * norm : 0.0);
  }

  /** \brief Returns the additional error of ITK along one axis near its low edge, due to the start of the causal
   * recursion.
   *
   * The start is a sum over h = ceil(ln 1e-10 / ln |z|) samples instead of all. Its error is |z|^h / (1 - |z|), and the
   * rounding of a running sum of h terms: (h + 8) units of m / (1 - |z|). It decreases as |z|^n along the line. Lines
   * that are not longer than h use the exact sum instead, which has the same rounding. */
  double
  ItkLowEdgeAxis() const
  {
    double magnitude = 1.0;
    for (const double pole : poles)
    {
      magnitude *= (1.0 - pole) * (1.0 - 1.0 / pole);
    }
    double error = 0.0;
    for (const double pole : poles)
    {
      const double z = std::abs(pole);
      const double horizon = std::ceil(std::log(1e-10) / std::log(z));
      const double start = (std::pow(z, horizon) + Unit<double> * (horizon + 8.0)) * magnitude / (1.0 - z);
      error = (error / (1.0 - z) + start) * z / (1.0 - z);
      magnitude *= z / ((1.0 - z) * (1.0 - z));
    }
    return error;
  }

  /** Returns the absolute error of N axes with an error of \p axisError each, for samples of absolute value up to \p
   * largest. */
  double
  Axes(unsigned int dimension, double axisError, double largest) const
  {
    return dimension * axisError * std::pow(norm, dimension - 1.0) * largest;
  }
};

/** Samples from the low edge of an axis in which ITK's start of the recursion has an effect: 0.4306^32 is 2e-12. */
inline constexpr long LowEdge = 32;

/** \brief Returns the bound of the difference of a value between the module and ITK due to the evaluation alone,
 * relative to the largest coefficient.
 *
 * The module: dimension (order + 4) units (SplineValue()). ITK: weights of at most 12 operations on terms of at most 1,
 * the last one of even orders a difference from the sum of the others, 6 units per weight; products of the weights and
 * a running sum over all taps. */
inline double
ValueBound(unsigned int order, unsigned int dimension)
{
  const double taps = std::pow(order + 1.0, dimension);
  return Unit<double> * (dimension * (order + 4.0) + 6.0 * dimension * (order + 1.0) + dimension + taps + 1.0);
}

/** \brief Same as ValueBound() for a derivative by the index.
 *
 * Absolute values of derivative weights sum to at most 2; each is a difference, with one additional rounding. ITK
 * computes x + 1/2 - i, which is rounded at the magnitude of the sum, and the weights change by at most 4 times this,
 * summed.
 *
 * \param[in] coordinate largest absolute coordinate */
inline double
DerivativeBound(unsigned int order, unsigned int dimension, double coordinate)
{
  return 2.0 * ValueBound(order, dimension) + Unit<double> * (4.0 * (order + 1.0) + 4.0 * (coordinate + 1.0));
}

} // namespace CudaSplineTest

#endif
