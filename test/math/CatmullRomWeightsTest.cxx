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
// Weights of the Catmull-Rom spline with a tension, and their derivatives.
//
// Expected values: the powers of t in long double; what defines the spline (it interpolates, and its slopes at the
// samples are the tension times the difference of the neighbours); Keys' kernel; identities (sum 1, sums of derivatives
// 0, symmetry, polynomials of degree 2 for tension 1/2); central differences; the norm by a search over t. Tolerances
// in units of rounding: 8, 20 and 40, for the numbers and sizes of the operations (CatmullRomWeights.h says which).

#include "itkCudaSpline/math/CatmullRomWeights.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <algorithm>
#include <cmath>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::CatmullRomDerivativeWeights;
using itk::CudaSpline::CatmullRomNorm;
using itk::CudaSpline::CatmullRomSecondDerivativeWeights;
using itk::CudaSpline::CatmullRomTension;
using itk::CudaSpline::CatmullRomWeights;

/** Powers of t of each weight, constant first. */
struct ReferenceCubic
{
  long double power[4][4];

  explicit ReferenceCubic(long double a)
    : power{ { 0, -a, 2 * a, -a }, { 1, 0, a - 3, 2 - a }, { 0, a, 3 - 2 * a, a - 2 }, { 0, 0, -a, a } }
  {}

  double
  At(int k, long double t, int derivative) const
  {
    const long double * p = power[k];
    switch (derivative)
    {
      case 0:
        return static_cast<double>(p[0] + t * (p[1] + t * (p[2] + t * p[3])));
      case 1:
        return static_cast<double>(p[1] + t * (2 * p[2] + t * 3 * p[3]));
      default:
        return static_cast<double>(2 * p[2] + t * 6 * p[3]);
    }
  }
};

template <typename T>
void
ExpectPowers()
{
  Random random(__LINE__);
  for (int trial = 0; trial < 10000; ++trial)
  {
    const T              t = static_cast<T>(random.Uniform(0.0, 1.0));
    const T              a = trial % 2 == 0 ? T(0.5) : static_cast<T>(random.Uniform(0.0, 1.0));
    const ReferenceCubic reference(a);
    T                    w[4];
    T                    dw[4];
    T                    ddw[4];
    CatmullRomWeights(t, a, w);
    CatmullRomDerivativeWeights(t, a, dw);
    CatmullRomSecondDerivativeWeights(t, a, ddw);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(w[k], reference.At(k, t, 0), 8 * UnitOfRounding<T>) << "t " << t << ", tension " << a << ", " << k;
      EXPECT_NEAR(dw[k], reference.At(k, t, 1), 20 * UnitOfRounding<T>) << "t " << t << ", tension " << a << ", " << k;
      EXPECT_NEAR(ddw[k], reference.At(k, t, 2), 40 * UnitOfRounding<T>) << "t " << t << ", tension " << a << ", " << k;
    }
    const auto sum = [](const T(&v)[4]) { return static_cast<double>(v[0]) + v[1] + v[2] + v[3]; };
    EXPECT_NEAR(sum(w), 1.0, 4 * 8 * UnitOfRounding<T>);
    EXPECT_NEAR(sum(dw), 0.0, 4 * 20 * UnitOfRounding<T>);
    EXPECT_NEAR(sum(ddw), 0.0, 4 * 40 * UnitOfRounding<T>);
  }
}

TEST(CatmullRomWeights, PowersInDouble)
{
  ExpectPowers<double>();
}

TEST(CatmullRomWeights, PowersInFloat)
{
  ExpectPowers<float>();
}

// Both ends of a segment, any tension: a sample is met exactly, so NaN and infinite neighbours aside the value is its
// own.
TEST(CatmullRomWeights, Interpolates)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 200; ++trial)
  {
    const double a = random.Uniform(-3.0, 3.0);
    for (int end = 0; end <= 1; ++end)
    {
      double w[4];
      CatmullRomWeights(static_cast<double>(end), a, w);
      for (int k = 0; k < 4; ++k)
      {
        EXPECT_EQ(w[k], k == 1 + end ? 1.0 : 0.0);
      }
      double dw[4];
      CatmullRomDerivativeWeights(static_cast<double>(end), a, dw);
      for (int k = 0; k < 4; ++k)
      {
        const double slope = k == end ? -a : (k == end + 2 ? a : 0.0);
        EXPECT_NEAR(dw[k], slope, 40 * UnitOfRounding<double>) << a; // 20 for |a| <= 1, terms grow to (2 + |a|) / 2
      }
    }
  }
}

/** Keys' cubic convolution kernel with a = -1/2, at distance s of a sample. */
double
KeysKernel(double s)
{
  s = std::abs(s);
  return s <= 1 ? 1 - s * s * (2.5 - 1.5 * s) : (s < 2 ? 2 - s * (4 - s * (2.5 - 0.5 * s)) : 0.0);
}

TEST(CatmullRomWeights, IsKeysKernel)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    double       w[4];
    CatmullRomWeights(t, CatmullRomTension, w);
    for (int k = 0; k < 4; ++k)
    {
      // The kernel itself adds terms of up to 10, in six operations.
      EXPECT_NEAR(w[k], KeysKernel(t + 1 - k), 8 * UnitOfRounding<double> + 40 * UnitOfRounding<double>) << t;
    }
  }
}

TEST(CatmullRomWeights, Parabolas)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    double       w[4];
    double       dw[4];
    CatmullRomWeights(t, CatmullRomTension, w);
    CatmullRomDerivativeWeights(t, CatmullRomTension, dw);
    for (int degree = 0; degree <= 2; ++degree)
    {
      double value = 0;
      double slope = 0;
      for (int k = 0; k < 4; ++k)
      {
        value += w[k] * std::pow(k - 1.0, degree);
        slope += dw[k] * std::pow(k - 1.0, degree);
      }
      // The powers of -1, 0, 1, 2 sum to at most 6.
      EXPECT_NEAR(value, std::pow(t, degree), 6 * 10 * UnitOfRounding<double>) << t;
      EXPECT_NEAR(slope, degree == 0 ? 0.0 : degree * std::pow(t, degree - 1), 6 * 22 * UnitOfRounding<double>) << t;
    }
  }
}

TEST(CatmullRomWeights, SymmetryIsExact)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = static_cast<double>(random.Integer(1, (1 << 20) - 1)) * 0x1p-20;
    const double a = random.Uniform(-1.0, 1.0);
    double       w[2][4];
    double       dw[2][4];
    double       ddw[2][4];
    for (int side = 0; side < 2; ++side)
    {
      CatmullRomWeights(side == 0 ? t : 1 - t, a, w[side]);
      CatmullRomDerivativeWeights(side == 0 ? t : 1 - t, a, dw[side]);
      CatmullRomSecondDerivativeWeights(side == 0 ? t : 1 - t, a, ddw[side]);
    }
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_EQ(w[0][k], w[1][3 - k]) << t << ' ' << a;
      EXPECT_EQ(dw[0][k], -dw[1][3 - k]) << t << ' ' << a;
      EXPECT_EQ(ddw[0][k], ddw[1][3 - k]) << t << ' ' << a;
    }
  }
}

// A cubic: the difference errs by h^2 / 6 times the third derivative, at most 12, and its rounding over h; the second
// difference of a quadratic by rounding alone.
TEST(CatmullRomWeights, FiniteDifferences)
{
  constexpr double h = 0x1p-16;
  Random           random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    const double a = random.Uniform(0.0, 1.0);
    double       above[4];
    double       below[4];
    double       slope[4];
    CatmullRomWeights(t + h, a, above);
    CatmullRomWeights(t - h, a, below);
    CatmullRomDerivativeWeights(t, a, slope);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(slope[k], (above[k] - below[k]) / (2 * h), 2 * h * h + 16 * UnitOfRounding<double> / h) << t;
    }
    double curvature[4];
    CatmullRomDerivativeWeights(t + h, a, above);
    CatmullRomDerivativeWeights(t - h, a, below);
    CatmullRomSecondDerivativeWeights(t, a, curvature);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(curvature[k], (above[k] - below[k]) / (2 * h), 32 * UnitOfRounding<double> / h) << t;
    }
  }
}

TEST(CatmullRomWeights, Norm)
{
  EXPECT_EQ(CatmullRomNorm(0.5), 1.25);
  EXPECT_EQ(CatmullRomNorm(0.0), 1.0);
  Random random(__LINE__);
  for (int trial = 0; trial < 100; ++trial)
  {
    const double a = random.Uniform(-12.0, 6.0);
    const int    steps = 4096;
    double       largest = 0;
    for (int k = 0; k <= steps; ++k)
    {
      double w[4];
      CatmullRomWeights(static_cast<double>(k) / steps, a, w);
      largest = std::max(largest, std::abs(w[0]) + std::abs(w[1]) + std::abs(w[2]) + std::abs(w[3]));
    }
    // The maximum lies at most half a step aside; the second derivatives of the weights sum to at most 24 + 24 |a|.
    const double missed = (24 + 24 * std::abs(a)) * (0.5 / steps) * (0.5 / steps) / 2;
    EXPECT_LE(largest, CatmullRomNorm(a) * (1 + 1e-14)) << a;
    EXPECT_GE(largest, CatmullRomNorm(a) - missed) << a;
  }
}

} // namespace
