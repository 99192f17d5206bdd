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
#ifndef CudaSplineTest_ReferenceBSpline_h
#define CudaSplineTest_ReferenceBSpline_h

#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief B-splines in long double by formulas that the module does not use: the judge of its weights. */

namespace CudaSplineTest
{

/** \brief The centred B-spline of degree \p order at \p x: the sum of truncated powers (Schoenberg).
 *
 * B(x) = 1/n! sum over k of (-1)^k binomial(n+1, k) max(0, x + (n+1)/2 - k)^n. Order 0 is 1 on [-1/2, 1/2). */
inline long double
BSpline(unsigned int order, long double x)
{
  // From the left the terms cancel at the right end: the spline is even, so it is evaluated on the left.
  if (order > 0 && x > 0)
  {
    x = -x;
  }
  long double sum = 0;
  long double binomial = 1;
  long double factorial = 1;
  for (unsigned int k = 0; k <= order + 1; ++k)
  {
    const long double argument = x + 0.5L * (order + 1) - k;
    if (argument >= 0)
    {
      sum +=
        (k % 2 == 0 ? binomial : -binomial) * (order == 0 ? 1.0L : std::pow(argument, static_cast<long double>(order)));
    }
    binomial = binomial * (order + 1 - k) / (k + 1);
    factorial *= k >= 1 && k <= order ? k : 1;
  }
  return sum / factorial;
}

/** \brief Weights and their derivatives by the recursion of Cox and de Boor on the polynomial pieces.
 *
 * Piece j of degree n at u = j + t is P(n, j) = ((t + j) P(n-1, j) + (n + 1 - t - j) P(n-1, j-1)) / n; weight k of a
 * support is piece n - k. The recursion is followed whatever t is, so it continues the pieces outside of [0, 1) as a
 * polynomial does. The derivative is that of the recursion itself. */
struct ReferenceWeights
{
  std::vector<long double> value;      ///< order + 1 weights
  std::vector<long double> derivative; ///< by the coordinate, a sample
  std::vector<long double> second;     ///< twice by the coordinate, a sample squared

  /** \param[in] order degree
   * \param[in] t position in the piece, in [0, 1): x - floor(x) of odd orders, x + 1/2 - floor(x + 1/2) of even ones */
  ReferenceWeights(unsigned int order, long double t)
  {
    std::vector<long double> piece{ 1.0L };
    std::vector<long double> slope{ 0.0L };
    std::vector<long double> curve{ 0.0L };
    for (unsigned int n = 1; n <= order; ++n)
    {
      std::vector<long double> nextPiece(n + 1);
      std::vector<long double> nextSlope(n + 1);
      std::vector<long double> nextCurve(n + 1);
      for (unsigned int j = 0; j <= n; ++j)
      {
        const long double same = j < n ? piece[j] : 0.0L;
        const long double sameSlope = j < n ? slope[j] : 0.0L;
        const long double left = j > 0 ? piece[j - 1] : 0.0L;
        const long double leftSlope = j > 0 ? slope[j - 1] : 0.0L;
        const long double sameCurve = j < n ? curve[j] : 0.0L;
        const long double leftCurve = j > 0 ? curve[j - 1] : 0.0L;
        const long double rise = t + j;
        const long double fall = n + 1 - t - j;
        nextPiece[j] = (rise * same + fall * left) / n;
        nextSlope[j] = (same + rise * sameSlope - left + fall * leftSlope) / n;
        nextCurve[j] = (2 * sameSlope + rise * sameCurve - 2 * leftSlope + fall * leftCurve) / n;
      }
      piece = nextPiece;
      slope = nextSlope;
      curve = nextCurve;
    }
    value.assign(piece.rbegin(), piece.rend());
    derivative.assign(slope.rbegin(), slope.rend());
    second.assign(curve.rbegin(), curve.rend());
  }
};

/** \brief First index of the support at coordinate \p x: as ITK finds it, by the floor of a float, where floats are at
 * most 2^-12 apart; beyond that the exact one. */
inline std::int64_t
ReferenceSupportStart(unsigned int order, double x)
{
  if (std::abs(x) >= 4096.0)
  {
    const long double exact = static_cast<long double>(x) + (order % 2 == 1 ? 0.0L : 0.5L);
    return static_cast<std::int64_t>(std::floor(exact)) - static_cast<std::int64_t>(order / 2);
  }
  const float shifted = static_cast<float>(x) + (order % 2 == 1 ? 0.0F : 0.5F);
  return static_cast<std::int64_t>(std::floor(shifted)) - static_cast<std::int64_t>(order / 2);
}

/** \brief Position in the piece of the support that starts at \p start: the argument of ReferenceWeights. */
inline long double
ReferencePosition(unsigned int order, double x, std::int64_t start)
{
  return static_cast<long double>(x) - static_cast<long double>(start + static_cast<std::int64_t>(order / 2)) +
         (order % 2 == 1 ? 0.0L : 0.5L);
}

} // namespace CudaSplineTest

#endif
