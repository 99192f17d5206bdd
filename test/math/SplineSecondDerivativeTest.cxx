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
// Second derivatives of the weights of orders 0 to 5.
//
// Expected values: the truncated powers of ReferenceBSpline.h differentiated twice, in long double; central differences
// of SplineDerivativeWeights(); the sums over k, k^2 and 1 of the samples (second derivatives of polynomials).
// Tolerance: a second derivative adds two weights of degree n - 2 and twice a third, each within 8 units of rounding,
// and rounds twice what is at most 2: 36 units. A central difference of step h errs by h^2 / 6 times the fourth
// derivative of the B-spline, which is at most 6 (in its piece), and by the rounding of the first derivatives, 12 units
// each, over h.

#include "itkCudaSpline/math/SplineWeights.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <cmath>
#include <cstdlib>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::SplineDerivativeWeights;
using itk::CudaSpline::SplineSecondDerivativeWeights;

/** The argument of SplineWeights() that belongs to position t in [0, 1) of a piece. */
double
Argument(unsigned int order, double t)
{
  return order % 2 == 1 ? t : t - 0.5;
}

/** B''(x) of the centred B-spline of degree \p order, at least 2: the sum of truncated powers, differentiated. */
long double
SecondDerivative(unsigned int order, long double x)
{
  x = -std::abs(x); // even; for negative x there is no cancellation
  long double sum = 0;
  long double binomial = 1;
  long double factorial = 1;
  for (unsigned int k = 0; k <= order + 1; ++k)
  {
    const long double argument = x + 0.5L * (order + 1) - k;
    if (argument >= 0)
    {
      sum += (k % 2 == 0 ? binomial : -binomial) *
             (order == 2 ? 1.0L : std::pow(argument, static_cast<long double>(order - 2)));
    }
    binomial = binomial * (order + 1 - k) / (k + 1);
    factorial *= k >= 1 && k + 2 <= order ? k : 1;
  }
  return sum / factorial;
}

template <typename T>
void
ExpectClosedForm()
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 2000; ++trial)
    {
      // Farther from the ends than the rounding of x below, because order 2 jumps there.
      const T t = static_cast<T>(Argument(n, random.Uniform(0x1p-20, 1.0 - 0x1p-20)));
      T       ddw[n + 1];
      SplineSecondDerivativeWeights<n>(t, ddw);
      double sum = 0;
      for (unsigned int k = 0; k <= n; ++k)
      {
        const long double x = static_cast<long double>(t) + n / 2 - k;
        const double      expected = n < 2 ? 0.0 : static_cast<double>(SecondDerivative(n, x));
        EXPECT_NEAR(ddw[k], expected, 36 * UnitOfRounding<T>) << "t " << t << ", weight " << k;
        sum += ddw[k];
      }
      EXPECT_NEAR(sum, 0.0, 36 * UnitOfRounding<T>) << t;
    }
  });
}

TEST(SplineSecondDerivative, ClosedFormInDouble)
{
  ExpectClosedForm<double>();
}

TEST(SplineSecondDerivative, ClosedFormInFloat)
{
  ExpectClosedForm<float>();
}

TEST(SplineSecondDerivative, ConstantPiecesOfOrder2)
{
  for (const double t : { -0.5, -0.25, 0.0, 0.499, 0.51 })
  {
    double ddw[3];
    SplineSecondDerivativeWeights<2>(t, ddw);
    EXPECT_EQ(ddw[0], 1.0);
    EXPECT_EQ(ddw[1], -2.0);
    EXPECT_EQ(ddw[2], 1.0);
  }
}

// The polynomials continue outside of their pieces, so a difference may step across an end.
TEST(SplineSecondDerivative, FiniteDifferences)
{
  constexpr double h = 0x1p-13;
  Random           random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 500; ++trial)
    {
      const double t = Argument(n, random.Uniform(-0.02, 1.02));
      double       ddw[n + 1];
      double       above[n + 1];
      double       below[n + 1];
      SplineSecondDerivativeWeights<n>(t, ddw);
      SplineDerivativeWeights<n>(t + h, above);
      SplineDerivativeWeights<n>(t - h, below);
      for (unsigned int k = 0; k <= n; ++k)
      {
        // The fourth derivative of order 5 is 6 w - 4 w' with w + w' = 1, so 6.2 where t is 0.02 outside.
        // t + h and t - h round: twice a unit times the second derivative, below 2, is within the last term.
        EXPECT_NEAR(ddw[k], (above[k] - below[k]) / (2 * h), 6.2 / 6 * h * h + 16 * UnitOfRounding<double> / h) << t;
      }
    }
  });
}

// Sums of k^m B''(x - k) are m (m - 1) times the moments of degree m - 2: 0, 0, 2.
TEST(SplineSecondDerivative, Parabolas)
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 200; ++trial)
    {
      double ddw[n + 1];
      SplineSecondDerivativeWeights<n>(Argument(n, random.Uniform(0.0, 1.0)), ddw);
      double linear = 0;
      double square = 0;
      for (unsigned int k = 0; k <= n; ++k)
      {
        linear += ddw[k] * k;
        square += ddw[k] * k * k;
      }
      EXPECT_NEAR(linear, 0.0, 36 * n * (n + 1) * UnitOfRounding<double>);
      EXPECT_NEAR(square, 2.0, 36 * n * n * (n + 1) * UnitOfRounding<double>);
    }
  });
}

TEST(SplineSecondDerivative, SymmetryIsExact)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 500; ++trial)
    {
      const double t = static_cast<double>(random.Integer(1, (1 << 20) - 1)) * 0x1p-20;
      double       ddw[n + 1];
      double       mirrored[n + 1];
      SplineSecondDerivativeWeights<n>(Argument(n, t), ddw);
      SplineSecondDerivativeWeights<n>(Argument(n, 1.0 - t), mirrored);
      for (unsigned int k = 0; k <= n; ++k)
      {
        EXPECT_EQ(ddw[k], mirrored[n - k]) << t;
      }
    }
  });
}

} // namespace
