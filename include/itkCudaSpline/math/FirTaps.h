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
#ifndef itkCudaSpline_math_FirTaps_h
#define itkCudaSpline_math_FirTaps_h

#include "itkCudaSpline/math/SplinePoles.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief The B-spline prefilter as a finite impulse response (host only; tables, not inner loops).
 *
 * Champagnat and Le Sant, "Efficient cubic B-spline image interpolation on a GPU" \cite{Champagnat2012}: truncating the
 * impulse response of the inverse B-spline to 2 K + 1 taps gives a prefilter without recursion. On the mirror extension
 * the untruncated convolution *is* the recursive filter. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Impulse response b(k) of the exact prefilter of one order at distance k.
 *
 * Partial fractions over the poles z of the product form: b(k) = sum over z of a(z) z^|k|. For order 3 this is
 * Proposition 1 of the paper, sqrt(3) (sqrt(3) - 2)^|k|.
 *
 * \tparam VOrder spline order, 0 to 5
 * \param[in] k distance (samples), any sign */
template <unsigned int VOrder>
double
FirCoefficient(int k)
{
  using Poles = SplinePoles<VOrder>;
  const int distance = k < 0 ? -k : k;
  if constexpr (Poles::Count == 0)
  {
    return distance == 0 ? 1.0 : 0.0;
  }
  else
  {
    double sum = 0.0;
    for (unsigned int i = 0; i < Poles::Count; ++i)
    {
      const double z = Poles::Pole(i);
      // 1 / ((1 - z E^-1)(1 - z E)) has the response z^|k| / (1 - z^2); the other poles contribute their value at E =
      // z.
      double residue = 1.0 / (1.0 - z * z);
      for (unsigned int j = 0; j < Poles::Count; ++j)
      {
        if (j != i)
        {
          const double other = Poles::Pole(j);
          residue /= (1.0 - other / z) * (1.0 - other * z);
        }
      }
      sum += residue * std::pow(z, distance);
    }
    return Poles::Gain() * sum;
  }
}

/** \brief Throws for a number of taps that is not odd and positive.
 *
 * \param[in] count number of taps
 * \exception std::invalid_argument it is not */
inline void
CheckFirTapCount(int count)
{
  if (count <= 0 || count % 2 == 0)
  {
    throw std::invalid_argument("The number of FIR taps must be odd and positive; it is " + std::to_string(count) +
                                ".");
  }
}

/** \brief 2 K + 1 taps of the prefilter of one order, from -K to K.
 *
 * \tparam VOrder spline order, 0 to 5
 * \param[in] count number of taps, odd and positive
 * \param[in] normalize divides by the sum, so that constants are preserved, as in the paper; this increases the
 * worst-case cubic error by a factor of 2.73
 * \exception std::invalid_argument count is even or not positive */
template <unsigned int VOrder>
std::vector<double>
FirTaps(int count, bool normalize)
{
  CheckFirTapCount(count);
  const int           reach = count / 2;
  std::vector<double> taps(static_cast<std::size_t>(count));
  double              sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    taps[i] = FirCoefficient<VOrder>(i - reach);
    sum += taps[i];
  }
  if (normalize)
  {
    for (double & tap : taps)
    {
      tap /= sum;
    }
  }
  return taps;
}

/** \brief Worst-case coefficient error of truncated taps along one axis, for signals of absolute value up to 1.
 *
 * The sum of the absolute differences of the truncated and the exact impulse response: the omitted taps, and, if the
 * taps are normalised, the change of the others. No difference of nearly equal numbers is computed.
 *
 * \tparam VOrder spline order, 0 to 5
 * \param[in] count number of taps, odd and positive
 * \param[in] normalize as for FirTaps()
 * \exception std::invalid_argument count is even or not positive */
template <unsigned int VOrder>
double
FirTruncationError(int count, bool normalize)
{
  CheckFirTapCount(count);
  const int reach = count / 2;
  double    inside = std::abs(FirCoefficient<VOrder>(0));
  for (int k = 1; k <= reach; ++k)
  {
    inside += 2.0 * std::abs(FirCoefficient<VOrder>(k));
  }
  double cut = 0.0;
  double cutSum = 0.0;                           // with signs: the taps sum to 1 - cutSum
  for (int k = reach + 1; k <= reach + 200; ++k) // the largest pole to the power of 200 is 1e-73
  {
    cut += 2.0 * std::abs(FirCoefficient<VOrder>(k));
    cutSum += 2.0 * FirCoefficient<VOrder>(k);
  }
  return normalize ? cut + inside * std::abs(cutSum / (1.0 - cutSum)) : cut;
}

/** \brief The minimum number of taps whose FirTruncationError() is at most \p tolerance.
 *
 * \tparam VOrder spline order, 0 to 5
 * \param[in] tolerance coefficient error for signals of absolute value up to 1; positive
 * \param[in] normalize as for FirTaps()
 * \exception std::invalid_argument tolerance is not positive */
template <unsigned int VOrder>
int
FirTapCount(double tolerance, bool normalize)
{
  if (!(tolerance > 0.0))
  {
    std::ostringstream message; // std::to_string() prints small numbers as 0.000000
    message << "The FIR tolerance must be positive; it is " << tolerance << ".";
    throw std::invalid_argument(message.str());
  }
  int count = 1;
  while (FirTruncationError<VOrder>(count, normalize) > tolerance)
  {
    count += 2;
  }
  return count;
}

/** @} */
} // namespace itk::CudaSpline

#endif
