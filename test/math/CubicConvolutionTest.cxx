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
// Weights of cubic convolution (B, C), and their derivatives.
//
// Expected values: the filter of Mitchell and Netravali as it is printed in their paper, in long double, and its
// derivatives; Catmull-Rom and Keys' kernel, the uniform cubic B-spline, and the weights for B = 0 as they were before
// B was added, bit for bit; what defines the cardinal spline (it interpolates, and its slopes at the samples are the
// tension times the difference of the neighbours); identities (sum 1, sums of derivatives 0, symmetry, continuity,
// polynomials); central differences; the norm by a search over t. Tolerances in units of rounding: 8, 20 and 40 for
// B = 0, 16, 40 and 80 else, for the numbers and sizes of the operations (CubicConvolution.h gives them).

#include "itkCudaSpline/math/CatmullRomBasis.h"
#include "itkCudaSpline/math/CatmullRomWeights.h"
#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::CatmullRomParameters;
using itk::CudaSpline::CubicConvolutionDerivativeWeights;
using itk::CudaSpline::CubicConvolutionNorm;
using itk::CudaSpline::CubicConvolutionSecondDerivativeWeights;
using itk::CudaSpline::CubicConvolutionWeights;
using itk::CudaSpline::CubicParameters;
using itk::CudaSpline::MitchellNetravaliParameters;

/** Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988, equation 8, and its derivatives, at
 * the distance t + 1 - k from sample k of four, t in [0, 1]. Second derivatives jump at the samples: both ends belong
 * to the segment. */
long double
MitchellKernel(long double t, int k, const CubicParameters & parameters, int derivative)
{
  const long double s = t + 1 - k;
  const long double B = parameters.b;
  const long double C = parameters.c;
  const long double x = std::abs(s);
  const long double sign = s < 0 && derivative == 1 ? -1 : 1;
  long double       p[4]{}; // powers of x, constant first
  if (k == 1 || k == 2)
  {
    p[3] = 12 - 9 * B - 6 * C;
    p[2] = -18 + 12 * B + 6 * C;
    p[0] = 6 - 2 * B;
  }
  else
  {
    p[3] = -B - 6 * C;
    p[2] = 6 * B + 30 * C;
    p[1] = -12 * B - 48 * C;
    p[0] = 8 * B + 24 * C;
  }
  switch (derivative)
  {
    case 0:
      return (p[0] + x * (p[1] + x * (p[2] + x * p[3]))) / 6;
    case 1:
      return sign * (p[1] + x * (2 * p[2] + x * 3 * p[3])) / 6;
    default:
      return (2 * p[2] + x * 6 * p[3]) / 6;
  }
}

/** Parameters that are named, and random ones of [0, 1]. */
CubicParameters
Draw(Random & random, int trial)
{
  const std::vector<CubicParameters> named{
    CatmullRomParameters, MitchellNetravaliParameters, { 1.0, 0.0 }, { 0.0, random.Uniform(0.0, 1.0) }
  };
  const auto number = static_cast<std::size_t>(trial) % (named.size() + 1);
  return number < named.size() ? named[number] : CubicParameters{ random.Uniform(0.0, 1.0), random.Uniform(0.0, 1.0) };
}

template <typename T>
void
ExpectKernel()
{
  Random random(__LINE__);
  for (int trial = 0; trial < 10000; ++trial)
  {
    const T               t = trial == 0 ? T(0) : (trial == 1 ? T(1) : static_cast<T>(random.Uniform(0.0, 1.0)));
    const CubicParameters drawn = Draw(random, trial);
    const T               b = static_cast<T>(drawn.b);
    const T               c = static_cast<T>(drawn.c);
    const CubicParameters rounded{ b, c };
    T                     w[3][4];
    CubicConvolutionWeights(t, b, c, w[0]);
    CubicConvolutionDerivativeWeights(t, b, c, w[1]);
    CubicConvolutionSecondDerivativeWeights(t, b, c, w[2]);
    const double units[2][3]{ { 8, 20, 40 }, { 16, 40, 80 } };
    for (int derivative = 0; derivative <= 2; ++derivative)
    {
      const double bound = units[b != 0][derivative] * UnitOfRounding<T>;
      double       sum = 0;
      for (int k = 0; k < 4; ++k)
      {
        EXPECT_NEAR(w[derivative][k], static_cast<double>(MitchellKernel(t, k, rounded, derivative)), bound)
          << "t " << t << ", B " << b << ", C " << c << ", weight " << k << ", derivative " << derivative;
        sum += w[derivative][k];
      }
      EXPECT_NEAR(sum, derivative == 0 ? 1.0 : 0.0, 4 * bound);
    }
  }
}

TEST(CubicConvolution, MitchellAndNetravaliInDouble)
{
  ExpectKernel<double>();
}

TEST(CubicConvolution, MitchellAndNetravaliInFloat)
{
  ExpectKernel<float>();
}

/** The weights of the cardinal spline, operation by operation as Catmull-Rom was computed before B was added. */
template <typename T>
void
ExpectCardinalBits()
{
  Random random(__LINE__);
  for (int trial = 0; trial < 10000; ++trial)
  {
    const T t = trial == 0 ? T(0) : static_cast<T>(random.Uniform(0.0, 1.0));
    const T a = trial % 2 == 0 ? T(0.5) : static_cast<T>(random.Uniform(-1.0, 2.0));
    const T u = T(1) - t;
    const T outer = a * (t * u);
    const T linear = T(2) * (a - T(3));
    const T square = T(3) * (T(2) - a);
    const T slope = T(6) * (T(2) - a);
    const T expected[3][4]{
      { -outer * u, u * (T(1) + t * (T(1) - (T(2) - a) * t)), t * (T(1) + u * (T(1) - (T(2) - a) * u)), -outer * t },
      { a * (u * (T(3) * t - T(1))),
        t * (linear + square * t),
        -u * (linear + square * u),
        a * (t * (T(1) - T(3) * u)) },
      { a * (T(4) - T(6) * t), linear + slope * t, linear + slope * u, a * (T(4) - T(6) * u) }
    };
    T w[3][4];
    CubicConvolutionWeights(t, T(0), a, w[0]);
    CubicConvolutionDerivativeWeights(t, T(0), a, w[1]);
    CubicConvolutionSecondDerivativeWeights(t, T(0), a, w[2]);
    for (int derivative = 0; derivative <= 2; ++derivative)
    {
      for (int k = 0; k < 4; ++k)
      {
        EXPECT_EQ(w[derivative][k], expected[derivative][k]);
        EXPECT_EQ(std::signbit(w[derivative][k]), std::signbit(expected[derivative][k]));
      }
    }
  }
}

TEST(CubicConvolution, CardinalSplinesKeepTheirBits)
{
  ExpectCardinalBits<double>();
  ExpectCardinalBits<float>();
}

// Both ends of a segment, B = 0 and any tension: the value at a sample is exactly the sample, unless a neighbour is NaN
// or infinite.
TEST(CubicConvolution, Interpolates)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 200; ++trial)
  {
    const double a = random.Uniform(-3.0, 3.0);
    for (int end = 0; end <= 1; ++end)
    {
      double w[4];
      CubicConvolutionWeights(static_cast<double>(end), 0.0, a, w);
      for (int k = 0; k < 4; ++k)
      {
        EXPECT_EQ(w[k], k == 1 + end ? 1.0 : 0.0);
      }
      double dw[4];
      CubicConvolutionDerivativeWeights(static_cast<double>(end), 0.0, a, dw);
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

TEST(CubicConvolution, IsKeysKernel)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    double       w[4];
    CubicConvolutionWeights(t, CatmullRomParameters.b, CatmullRomParameters.c, w);
    for (int k = 0; k < 4; ++k)
    {
      // The kernel itself adds terms of up to 10, in six operations.
      EXPECT_NEAR(w[k], KeysKernel(t + 1 - k), 8 * UnitOfRounding<double> + 40 * UnitOfRounding<double>) << t;
    }
  }
}

TEST(CubicConvolution, OneAndZeroIsTheCubicBSpline)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    double       w[4];
    double       spline[4];
    CubicConvolutionWeights(t, 1.0, 0.0, w);
    itk::CudaSpline::SplineWeights<3>(t, spline);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(w[k], spline[k], (16 + 8) * UnitOfRounding<double>) << t;
    }
  }
}

// With B > 0 it smooths: the value at a sample depends on the neighbours.
TEST(CubicConvolution, SmoothsAtSamples)
{
  for (const CubicParameters & parameters : { MitchellNetravaliParameters, CubicParameters{ 1.0, 0.0 } })
  {
    double w[4];
    CubicConvolutionWeights(0.0, parameters.b, parameters.c, w);
    EXPECT_NEAR(w[0], parameters.b / 6, UnitOfRounding<double>);
    EXPECT_NEAR(w[1], 1 - parameters.b / 3, 4 * UnitOfRounding<double>);
    EXPECT_NEAR(w[2], parameters.b / 6, 4 * UnitOfRounding<double>);
    EXPECT_EQ(w[3], 0.0);
  }
}

// Where B + 2 C = 1 polynomials of degree 1 are reproduced, with other parameters they are not.
TEST(CubicConvolution, Lines)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    const double b = trial % 2 == 0 ? MitchellNetravaliParameters.b : random.Uniform(0.0, 1.0);
    const auto   valueWith = [t, b](double c) {
      double w[4];
      CubicConvolutionWeights(t, b, c, w);
      return -w[0] + w[2] + 2 * w[3];
    };
    EXPECT_NEAR(valueWith((1 - b) / 2), t, 4 * 20 * UnitOfRounding<double>) << b;
    // By t (1 - t) (1 - 2 t) (1 - B - 2 C).
    EXPECT_NEAR(valueWith(0.1) - t, -t * (1 - t) * (1 - 2 * t) * (1 - b - 0.2), 4 * 20 * UnitOfRounding<double>) << b;
  }
}

TEST(CubicConvolution, Parabolas)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    double       w[4];
    double       dw[4];
    CubicConvolutionWeights(t, CatmullRomParameters.b, CatmullRomParameters.c, w);
    CubicConvolutionDerivativeWeights(t, CatmullRomParameters.b, CatmullRomParameters.c, dw);
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

TEST(CubicConvolution, SymmetryIsExact)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = static_cast<double>(random.Integer(1, (1 << 20) - 1)) * 0x1p-20;
    const double a = random.Uniform(-1.0, 1.0);
    const double b = trial % 2 == 0 ? 0.0 : random.Uniform(-1.0, 1.0);
    double       w[2][4];
    double       dw[2][4];
    double       ddw[2][4];
    for (int side = 0; side < 2; ++side)
    {
      CubicConvolutionWeights(side == 0 ? t : 1 - t, b, a, w[side]);
      CubicConvolutionDerivativeWeights(side == 0 ? t : 1 - t, b, a, dw[side]);
      CubicConvolutionSecondDerivativeWeights(side == 0 ? t : 1 - t, b, a, ddw[side]);
    }
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_EQ(w[0][k], w[1][3 - k]) << t << ' ' << a;
      EXPECT_EQ(dw[0][k], -dw[1][3 - k]) << t << ' ' << a;
      EXPECT_EQ(ddw[0][k], ddw[1][3 - k]) << t << ' ' << a;
    }
  }
}

// A cubic: the difference errs by h^2 / 6 times the third derivative, at most 12 + 9, and its rounding over h; the
// second difference of a quadratic by rounding alone.
TEST(CubicConvolution, FiniteDifferences)
{
  constexpr double h = 0x1p-16;
  Random           random(__LINE__);
  for (int trial = 0; trial < 1000; ++trial)
  {
    const double t = random.Uniform(0.0, 1.0);
    const double a = random.Uniform(0.0, 1.0);
    const double b = trial % 2 == 0 ? 0.0 : random.Uniform(0.0, 1.0);
    double       above[4];
    double       below[4];
    double       slope[4];
    CubicConvolutionWeights(t + h, b, a, above);
    CubicConvolutionWeights(t - h, b, a, below);
    CubicConvolutionDerivativeWeights(t, b, a, slope);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(slope[k], (above[k] - below[k]) / (2 * h), 4 * h * h + 32 * UnitOfRounding<double> / h) << t;
    }
    double curvature[4];
    CubicConvolutionDerivativeWeights(t + h, b, a, above);
    CubicConvolutionDerivativeWeights(t - h, b, a, below);
    CubicConvolutionSecondDerivativeWeights(t, b, a, curvature);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(curvature[k], (above[k] - below[k]) / (2 * h), 80 * UnitOfRounding<double> / h) << t;
    }
  }
}

TEST(CubicConvolution, Norm)
{
  EXPECT_DOUBLE_EQ(CubicConvolutionNorm(CatmullRomParameters), 1.25);
  EXPECT_DOUBLE_EQ(CubicConvolutionNorm({ 0.0, 0.0 }), 1.0);
  EXPECT_NEAR(CubicConvolutionNorm({ 1.0, 0.0 }), 1.0, 4 * UnitOfRounding<double>);
  Random random(__LINE__);
  for (int trial = 0; trial < 200; ++trial)
  {
    const double a = random.Uniform(-12.0, 6.0);
    const double b = trial % 2 == 0 ? 0.0 : random.Uniform(-3.0, 3.0);
    const double norm = CubicConvolutionNorm({ b, a });
    const int    steps = 4096;
    double       largest = 0;
    for (int k = 0; k <= steps; ++k)
    {
      double w[4];
      CubicConvolutionWeights(static_cast<double>(k) / steps, b, a, w);
      largest = std::max(largest, std::abs(w[0]) + std::abs(w[1]) + std::abs(w[2]) + std::abs(w[3]));
    }
    // The maximum lies at most half a step aside; the second derivatives of the weights sum to at most 24 + 24 |C| + 12
    // |B|.
    const double missed = (24 + 24 * std::abs(a) + 12 * std::abs(b)) * (0.5 / steps) * (0.5 / steps) / 2;
    EXPECT_LE(largest, norm * (1 + 1e-14)) << b << ' ' << a;
    EXPECT_GE(largest, norm - missed) << b << ' ' << a;
  }
}

#if defined(__GNUC__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
TEST(CubicConvolution, FormerNamesAreItWithoutB)
{
  const itk::CudaSpline::CatmullRomBasis       former(0.7);
  const itk::CudaSpline::CubicConvolutionBasis basis{ { 0.0, 0.7 } };
  for (int i = 0; i < 8; ++i)
  {
    const double t = i / 8.0;
    double       w[4][4];
    CubicConvolutionWeights(t, 0.0, 0.7, w[0]);
    itk::CudaSpline::CatmullRomWeights(t, 0.7, w[1]);
    basis.Weights(t, w[2]);
    former.Weights(t, w[3]);
    double derivative[4][4];
    CubicConvolutionDerivativeWeights(t, 0.0, 0.7, derivative[0]);
    itk::CudaSpline::CatmullRomDerivativeWeights(t, 0.7, derivative[1]);
    CubicConvolutionSecondDerivativeWeights(t, 0.0, 0.7, derivative[2]);
    itk::CudaSpline::CatmullRomSecondDerivativeWeights(t, 0.7, derivative[3]);
    for (int k = 0; k < 4; ++k)
    {
      EXPECT_EQ(w[1][k], w[0][k]);
      EXPECT_EQ(w[2][k], w[0][k]);
      EXPECT_EQ(w[3][k], w[0][k]);
      EXPECT_EQ(derivative[1][k], derivative[0][k]);
      EXPECT_EQ(derivative[3][k], derivative[2][k]);
    }
  }
  EXPECT_EQ(itk::CudaSpline::CatmullRomBasis().parameters.c, itk::CudaSpline::CatmullRomTension);
  EXPECT_EQ(itk::CudaSpline::CatmullRomNorm(0.7), CubicConvolutionNorm({ 0.0, 0.7 }));
}
#if defined(__GNUC__)
#  pragma GCC diagnostic pop
#endif

} // namespace
