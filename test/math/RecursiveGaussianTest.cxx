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
// Coefficients of recursive Gaussians, and a line that they filter.
//
// Expected: the impulse response in closed form, two damped waves on either side, scaled so that a constant keeps its
// value and a ramp has its slope; ITK's boundaries, beyond which a line has the value of its last sample; the Gaussian
// itself, to the error of the approximation. Tests of the filters compare their bits with ITK's.

#include "itkCudaSpline/math/RecursiveGaussian.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

/** Both directions along a line, sample by sample. */
std::vector<double>
FilterLine(const RecursiveGaussian & filter, const std::vector<double> & line)
{
  const auto          size = static_cast<int>(line.size());
  std::vector<double> sum(line.size());
  std::vector<double> one(line.size());
  const auto          in = [&](int i) { return RoundedDouble{ line[i < 0 ? 0 : (i < size ? i : size - 1)] }; };
  for (int i = 0; i < size; ++i)
  {
    const auto out = [&](int n) { return n < 0 ? in(0) : RoundedDouble{ one[n] }; };
    one[i] = NextOfGaussian(filter.causal,
                            in(i),
                            in(i - 1),
                            in(i - 2),
                            in(i - 3),
                            filter.feedback,
                            filter.causalEdge,
                            out(i - 1),
                            out(i - 2),
                            out(i - 3),
                            out(i - 4),
                            i)
               .value;
  }
  sum = one;
  for (int i = size - 1; i >= 0; --i)
  {
    const auto out = [&](int n) { return n >= size ? in(size - 1) : RoundedDouble{ one[n] }; };
    one[i] = NextOfGaussian(filter.anticausal,
                            in(i + 1),
                            in(i + 2),
                            in(i + 3),
                            in(i + 4),
                            filter.feedback,
                            filter.anticausalEdge,
                            out(i + 1),
                            out(i + 2),
                            out(i + 3),
                            out(i + 4),
                            size - 1 - i)
               .value;
    sum[i] += one[i];
  }
  return sum;
}

/** The response at t >= 0 samples before it is scaled: the damped waves. */
double
Waves(GaussianOrder order, double t, double sigma)
{
  const bool   isFirst = order == GaussianOrder::First;
  const double at = t / sigma;
  return (isFirst ? -0.6724 * std::cos(0.6681 * at) - 3.4327 * std::sin(0.6681 * at)
                  : 1.3530 * std::cos(0.6681 * at) + 1.8151 * std::sin(0.6681 * at)) *
           std::exp(-1.3932 * at) +
         (isFirst ? 0.6724 * std::cos(2.0787 * at) + 0.6100 * std::sin(2.0787 * at)
                  : -0.3531 * std::cos(2.0787 * at) + 0.0902 * std::sin(2.0787 * at)) *
           std::exp(-1.3732 * at);
}

} // namespace

TEST(RecursiveGaussian, RespondsToAnImpulseByDampedWaves)
{
  Random random(__LINE__);
  for (const GaussianOrder order : { GaussianOrder::Zero, GaussianOrder::First })
  {
    for (int k = 0; k < 20; ++k)
    {
      const double        sigma = random.Uniform(0.6, 6.0); // samples
      const double        spacing = random.Uniform(0.2, 3.0);
      const auto          filter = MakeRecursiveGaussian(order, sigma * spacing, spacing, false);
      std::vector<double> line(257, 0.0);
      line[128] = 1.0;
      const std::vector<double> response = FilterLine(filter, line);
      // The sum of the kernel of order zero is 1. For the derivative, whose sign follows ITK, the sum of -t times the
      // kernel is 1.
      const double sign = order == GaussianOrder::Zero ? 1.0 : -1.0;
      double       scale = order == GaussianOrder::Zero ? Waves(order, 0.0, sigma) : 0.0;
      for (int t = 1; t < 2000; ++t)
      {
        scale += 2.0 * Waves(order, t, sigma) * (order == GaussianOrder::Zero ? 1.0 : -t);
      }
      for (int t = 0; t <= 128; ++t)
      {
        const double expected = Waves(order, t, sigma) / scale;
        ASSERT_NEAR(response[128 + t], expected, 1e-12) << "sigma " << sigma << ", " << t;
        ASSERT_NEAR(response[128 - t], sign * expected, 1e-12) << "sigma " << sigma << ", " << -t;
      }
    }
  }
}

// Lines continue beyond their ends: constants keep their value up to the last sample, and content at an end is filtered
// as if the line continued.
TEST(RecursiveGaussian, ContinuesTheEdges)
{
  Random random(__LINE__);
  for (int k = 0; k < 20; ++k)
  {
    const double sigma = random.Uniform(0.6, 5.0);
    const auto   zero = MakeRecursiveGaussian(GaussianOrder::Zero, sigma, 1.0, false);
    const auto   first = MakeRecursiveGaussian(GaussianOrder::First, sigma, 1.0, false);
    const double value = random.Uniform(-9.0, 9.0);
    for (const double x : FilterLine(zero, std::vector<double>(23, value)))
    {
      ASSERT_NEAR(x, value, 1e-13 * 9.0);
    }
    for (const double x : FilterLine(first, std::vector<double>(23, value)))
    {
      ASSERT_NEAR(x, 0.0, 1e-13 * 9.0);
    }
    std::vector<double> line = random.Values(30, -1.0, 1.0);
    std::vector<double> longer(200, line.front());
    longer.insert(longer.end(), line.begin(), line.end());
    longer.insert(longer.end(), 200, line.back());
    for (const auto & filter : { zero, first })
    {
      const auto whole = FilterLine(filter, longer);
      const auto part = FilterLine(filter, line);
      for (std::size_t i = 0; i < line.size(); ++i)
      {
        ASSERT_NEAR(part[i], whole[200 + i], 1e-12);
      }
    }
  }
}

// Spacing, scale and sign as in ITK; an approximation of the Gaussian to some thousandths of its peak.
TEST(RecursiveGaussian, IsAGaussianInUnitsOfTheSpacing)
{
  const double        pi = 3.14159265358979323846;
  const double        spacing = 0.5;
  const double        sigma = 2.0; // mm
  std::vector<double> line(161, 0.0);
  line[80] = 1.0;
  const auto   response = FilterLine(MakeRecursiveGaussian(GaussianOrder::Zero, sigma, spacing, true), line);
  const auto   slope = FilterLine(MakeRecursiveGaussian(GaussianOrder::First, sigma, spacing, false), line);
  const auto   scaled = FilterLine(MakeRecursiveGaussian(GaussianOrder::First, sigma, spacing, true), line);
  const auto   negated = FilterLine(MakeRecursiveGaussian(GaussianOrder::First, sigma, -spacing, false), line);
  const double peak = spacing / sigma / std::sqrt(2 * pi);
  for (int t = -80; t <= 80; ++t)
  {
    const double at = t * spacing / sigma;
    const double gaussian = peak * std::exp(-at * at / 2);
    EXPECT_NEAR(response[80 + t], gaussian, 5e-3 * peak);
    EXPECT_NEAR(slope[80 + t], -at * spacing / sigma * gaussian, 1e-2 * peak * spacing / sigma);
    EXPECT_NEAR(scaled[80 + t], sigma * slope[80 + t], 1e-15);
    EXPECT_EQ(negated[80 + t], -slope[80 + t]);
  }
}
