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
// Weights and derivative weights of orders 0 to 5.
//
// Expected values: exact rationals, from the recursion of Cox and de Boor in rational arithmetic; the same recursion in
// long double at random points (ReferenceBSpline.h), which is compared with the sum of truncated powers; identities
// (sum 1, sum of derivatives 0, symmetry, moments of the B-spline). Tolerance: 8 units of rounding (2^-53, 2^-24) for
// weights and 12 for derivatives: at most 10 operations on terms whose absolute values sum to at most 1.2. A moment of
// degree m adds the powers of the sample positions.

#include "itkCudaSpline/math/SplineWeights.h"

#include "RandomData.h"
#include "ReferenceBSpline.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::SplineDerivativeWeights;
using itk::CudaSpline::SplineSupportPosition;
using itk::CudaSpline::SplineSupportStart;
using itk::CudaSpline::SplineWeights;

/** The argument of SplineWeights() that belongs to position t in [0, 1) of a piece. */
constexpr double
Argument(unsigned int order, double t)
{
  return order % 2 == 1 ? t : t - 0.5;
}

struct Rational
{
  unsigned int        order;
  double              t; // position in the piece
  std::vector<double> weight;
  double              weightDenominator;
  std::vector<double> derivative;
  double              derivativeDenominator;
};

const std::vector<Rational> rationals{
  { 0, 0.0, { 1 }, 1, { 0 }, 1 },
  { 0, 0.75, { 1 }, 1, { 0 }, 1 },
  { 1, 0.0, { 1, 0 }, 1, { -1, 1 }, 1 },
  { 1, 0.25, { 3, 1 }, 4, { -1, 1 }, 1 },
  { 1, 0.5, { 1, 1 }, 2, { -1, 1 }, 1 },
  { 2, 0.0, { 1, 1, 0 }, 2, { -1, 1, 0 }, 1 },
  { 2, 0.25, { 9, 22, 1 }, 32, { -3, 2, 1 }, 4 },
  { 2, 0.5, { 1, 6, 1 }, 8, { -1, 0, 1 }, 2 },
  { 2, 0.75, { 1, 22, 9 }, 32, { -1, -2, 3 }, 4 },
  { 3, 0.0, { 1, 4, 1, 0 }, 6, { -1, 0, 1, 0 }, 2 },
  { 3, 0.25, { 27, 235, 121, 1 }, 384, { -9, -13, 21, 1 }, 32 },
  { 3, 0.5, { 1, 23, 23, 1 }, 48, { -1, -5, 5, 1 }, 8 },
  { 3, 0.75, { 1, 121, 235, 27 }, 384, { -1, -21, 13, 9 }, 32 },
  { 4, 0.0, { 1, 11, 11, 1, 0 }, 24, { -1, -3, 3, 1, 0 }, 6 },
  { 4, 0.25, { 81, 1996, 3446, 620, 1 }, 6144, { -27, -208, 114, 120, 1 }, 384 },
  { 4, 0.5, { 1, 76, 230, 76, 1 }, 384, { -1, -22, 0, 22, 1 }, 48 },
  { 4, 0.75, { 1, 620, 3446, 1996, 81 }, 6144, { -1, -120, -114, 208, 27 }, 384 },
  { 5, 0.0, { 1, 26, 66, 26, 1, 0 }, 120, { -1, -10, 0, 10, 1, 0 }, 24 },
  { 5, 0.25, { 243, 15349, 63854, 40314, 3119, 1 }, 122880, { -81, -1915, -1450, 2826, 619, 1 }, 6144 },
  { 5, 0.5, { 1, 237, 1682, 1682, 237, 1 }, 3840, { -1, -75, -154, 154, 75, 1 }, 384 },
  { 5, 0.75, { 1, 3119, 40314, 63854, 15349, 243 }, 122880, { -1, -619, -2826, 1450, 1915, 81 }, 6144 },
};

template <typename T>
void
ExpectRationals()
{
  unsigned int found = 0;
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (const Rational & row : rationals)
    {
      if (row.order != n)
      {
        continue;
      }
      ++found;
      T w[n + 1];
      T dw[n + 1];
      SplineWeights<n>(static_cast<T>(Argument(n, row.t)), w);
      SplineDerivativeWeights<n>(static_cast<T>(Argument(n, row.t)), dw);
      for (unsigned int k = 0; k <= n; ++k)
      {
        EXPECT_NEAR(w[k], row.weight[k] / row.weightDenominator, 8 * UnitOfRounding<T>)
          << "t " << row.t << ", weight " << k;
        EXPECT_NEAR(dw[k], row.derivative[k] / row.derivativeDenominator, 12 * UnitOfRounding<T>)
          << "t " << row.t << ", derivative " << k;
      }
    }
  });
  EXPECT_EQ(found, rationals.size());
}

TEST(SplineWeights, ExactRationalsInDouble)
{
  ExpectRationals<double>();
}

TEST(SplineWeights, ExactRationalsInFloat)
{
  ExpectRationals<float>();
}

// The reference is tested first: its two formulas share only the definition.
TEST(ReferenceBSpline, RecursionEqualsTruncatedPowers)
{
  Random random(__LINE__);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    for (int trial = 0; trial < 200; ++trial)
    {
      const double           t = random.Uniform(0.0, 1.0);
      const ReferenceWeights weights(order, t);
      for (unsigned int k = 0; k <= order; ++k)
      {
        // Sample k of the support is at distance t + n/2 - k, in pieces: u = t + n - k, centred at (n + 1)/2.
        const long double x = static_cast<long double>(t) + order - k - 0.5L * (order + 1);
        EXPECT_NEAR(static_cast<double>(weights.value[k]), static_cast<double>(BSpline(order, x)), 1e-15)
          << order << ' ' << t;
      }
    }
  }
}

template <typename T>
void
ExpectReference(double low, double high, double weightUnits, double derivativeUnits)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 2000; ++trial)
    {
      const T                t = static_cast<T>(Argument(n, random.Uniform(low, high)));
      const ReferenceWeights reference(n, static_cast<long double>(t) + (n % 2 == 1 ? 0.0L : 0.5L));
      T                      w[n + 1];
      T                      dw[n + 1];
      SplineWeights<n>(t, w);
      SplineDerivativeWeights<n>(t, dw);
      T sum = 0;
      T derivativeSum = 0;
      for (unsigned int k = 0; k <= n; ++k)
      {
        EXPECT_NEAR(w[k], static_cast<double>(reference.value[k]), weightUnits * UnitOfRounding<T>)
          << "t " << t << ", weight " << k;
        EXPECT_NEAR(dw[k], static_cast<double>(reference.derivative[k]), derivativeUnits * UnitOfRounding<T>)
          << "t " << t << ", derivative " << k;
        sum += w[k];
        derivativeSum += dw[k];
      }
      EXPECT_NEAR(sum, 1.0, 2 * weightUnits * UnitOfRounding<T>);
      EXPECT_NEAR(derivativeSum, 0.0, derivativeUnits * UnitOfRounding<T>);
    }
  });
}

TEST(SplineWeights, CoxDeBoorInDouble)
{
  ExpectReference<double>(0.0, 1.0, 8, 12);
}

TEST(SplineWeights, CoxDeBoorInFloat)
{
  ExpectReference<float>(0.0, 1.0, 8, 12);
}

// ITK's support rule may pass a position slightly outside of the piece: the polynomials must continue.
TEST(SplineWeights, PiecesContinueOutside)
{
  ExpectReference<double>(-0.02, 0.0, 8, 12);
  ExpectReference<double>(1.0, 1.02, 8, 12);
  ExpectReference<float>(-0.02, 0.0, 8, 12);
  ExpectReference<float>(1.0, 1.02, 8, 12);
}

TEST(SplineWeights, NonNegativeWithEndsIncluded)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    std::vector<double>    positions{ 0.0, 0.5, 0x1p-53, 0x1p-30, 1.0 - 0x1p-53 };
    for (int trial = 0; trial < 2000; ++trial)
    {
      positions.push_back(random.Uniform(0.0, 1.0));
    }
    for (const double t : positions)
    {
      double w[n + 1];
      float  wf[n + 1];
      SplineWeights<n>(Argument(n, t), w);
      // A float may round to the end of the piece, where the outermost weight is 0.
      SplineWeights<n>(static_cast<float>(Argument(n, t)), wf);
      for (unsigned int k = 0; k <= n; ++k)
      {
        EXPECT_GE(w[k], 0.0) << t;
        EXPECT_GE(wf[k], 0.0F) << t;
      }
    }
  });
}

// Where 1 - t is exact, mirrored positions give the same bits: an image and its mirror image interpolate alike.
TEST(SplineWeights, SymmetryIsExact)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 500; ++trial)
    {
      const double t = static_cast<double>(random.Integer(1, (1 << 20) - 1)) * 0x1p-20;
      double       w[n + 1];
      double       mirrored[n + 1];
      double       dw[n + 1];
      double       dmirrored[n + 1];
      SplineWeights<n>(Argument(n, t), w);
      SplineWeights<n>(Argument(n, 1.0 - t), mirrored);
      SplineDerivativeWeights<n>(Argument(n, t), dw);
      SplineDerivativeWeights<n>(Argument(n, 1.0 - t), dmirrored);
      for (unsigned int k = 0; k <= n; ++k)
      {
        EXPECT_EQ(w[k], mirrored[n - k]) << t;
        EXPECT_EQ(dw[k], -dmirrored[n - k]) << t;
      }
    }
  });
}

/** E[(x + S)^m] for the B-spline of order n as the density of S: what the sum of k^m B(x - k) is, for m <= n. */
double
Moment(unsigned int n, unsigned int m, double x)
{
  const double second = (n + 1) / 12.0;
  const double fourth = 3 * second * second - (n + 1) / 120.0;
  switch (m)
  {
    case 0:
      return 1;
    case 1:
      return x;
    case 2:
      return x * x + second;
    case 3:
      return x * (x * x + 3 * second);
    case 4:
      return x * x * (x * x + 6 * second) + fourth;
    default:
      return x * (x * x * (x * x + 10 * second) + 5 * fourth);
  }
}

TEST(SplineWeights, PolynomialsUpToTheOrder)
{
  Random random(__LINE__);
  ForOrders<1, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 200; ++trial)
    {
      const double       x = random.Uniform(-3.0, 3.0);
      const std::int64_t start = SplineSupportStart<n>(x);
      double             w[n + 1];
      double             dw[n + 1];
      SplineWeights<n>(SplineSupportPosition<n>(x, start), w);
      SplineDerivativeWeights<n>(SplineSupportPosition<n>(x, start), dw);
      for (unsigned int m = 0; m <= n; ++m)
      {
        double sum = 0;
        double derivative = 0;
        double scale = 1;
        for (unsigned int k = 0; k <= n; ++k)
        {
          const double power = std::pow(static_cast<double>(start + k), m);
          sum += w[k] * power;
          derivative += dw[k] * power;
          scale += std::abs(power);
        }
        EXPECT_NEAR(sum, Moment(n, m, x), 16 * scale * UnitOfRounding<double>) << "x " << x << ", degree " << m;
        EXPECT_NEAR(derivative, m == 0 ? 0.0 : m * Moment(n, m - 1, x), 24 * scale * UnitOfRounding<double>)
          << "x " << x << ", degree " << m;
      }
    }
  });
}

TEST(SplineSupport, FollowsITKsFloatFloor)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (int trial = 0; trial < 2000; ++trial)
    {
      // Near breakpoints (integers, and halves of even orders), far out and below zero.
      const double x = trial % 2 == 0 ? random.Near(0.5 * static_cast<double>(random.Integer(-4000, 4000)), 20)
                                      : random.Uniform(-3000.0, 3000.0);
      EXPECT_EQ(SplineSupportStart<n>(x), ReferenceSupportStart(n, x)) << std::hexfloat << x;
    }
  });
  // Below 1000 by less than half a float's spacing: the float is 1000.
  EXPECT_EQ(SplineSupportStart<3>(1000.0 - 1e-5), 999);
  EXPECT_EQ(SplineSupportStart<3>(1000.0 - 1e-4), 998);
  EXPECT_EQ(SplineSupportStart<0>(-0.5), 0);
  EXPECT_EQ(SplineSupportStart<0>(0.5), 1);
  EXPECT_EQ(SplineSupportStart<2>(-0.75), -2);
  EXPECT_EQ(SplineSupportStart<5>(0.0), -2);
}

// Where floats cannot represent the fraction of a coordinate, or odd integers, the support is the exact one. So the
// weights equal those of the same coordinate near index 0: in both cases the fraction is computed in double.
TEST(SplineSupport, IsExactFarFromIndexZero)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (const std::int64_t far :
         { INT64_C(4096), INT64_C(100000), INT64_C(16777217), INT64_C(2147483649), INT64_C(1) << 40 })
    {
      for (const std::int64_t base : { far, -far - 1 })
      {
        for (int trial = 0; trial < 200; ++trial)
        {
          // Steps of 2^-12, including breakpoints; near index 0 a float represents all of them.
          const double fraction =
            (trial % 10 == 0 ? 0.5 * random.Integer(0, 2) : 0x1p-12 * random.Integer(0, 4096)) + 1;
          const double x = static_cast<double>(base) + fraction;
          if (std::abs(x) < 4096.0)
          {
            continue;
          }
          const std::int64_t start = SplineSupportStart<n>(x);
          ASSERT_EQ(start, base + SplineSupportStart<n>(fraction)) << std::hexfloat << x;
          if (far < INT64_C(1) << 30)
          {
            ASSERT_EQ((SplineSupportStart<n, int>(x)), start) << std::hexfloat << x;
          }
          double atFar[n + 1];
          double atNear[n + 1];
          SplineWeights<n>(SplineSupportPosition<n>(x, start), atFar);
          SplineWeights<n>(SplineSupportPosition<n>(fraction, start - base), atNear);
          for (unsigned int k = 0; k <= n; ++k)
          {
            ASSERT_EQ(atFar[k], atNear[k]) << std::hexfloat << x;
          }
        }
      }
    }
  });
  // ITK's rounding ends where floats are 2^-11 apart.
  EXPECT_EQ(SplineSupportStart<1>(4095.0 - 0x1p-14), 4095);
  EXPECT_EQ(SplineSupportStart<1>(4097.0 - 0x1p-14), 4096);
  EXPECT_EQ(SplineSupportStart<2>(-4097.5 - 0x1p-14), -4099);
}

// The position is computed from the coordinate in double, so a large index loses no digits.
TEST(SplineSupport, PositionKeepsTheFraction)
{
  const double x = 100000.0 + 0x1p-30;
  EXPECT_EQ(SplineSupportPosition<3>(x, SplineSupportStart<3>(x)), 0x1p-30);
  EXPECT_EQ(SplineSupportPosition<2>(x, SplineSupportStart<2>(x)), 0x1p-30);
  // Just below a breakpoint the support is the upper one and the position slightly negative.
  EXPECT_EQ(SplineSupportPosition<3>(1000.0 - 0x1p-20, SplineSupportStart<3>(1000.0 - 0x1p-20)), -0x1p-20);
}

} // namespace
