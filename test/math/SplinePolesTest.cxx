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
// Poles, gain, norm and warm-up of the prefilter; the dispatch by order.
//
// Expected values: closed forms of the poles in long double; the poles as roots of the B-spline sampled at the
// integers; norms as the inverse of the sampled B-spline at the highest frequency (2, 3, 24/5, 15/2, exact rationals)
// and as sums of an impulse response computed by recursion. Tolerance: the poles are the doubles nearest to the roots,
// so half a unit in their last place (relative 2^-53), plus the cancellation of the closed form in long double;
// products of at most six factors: 8 units of rounding.

#include "itkCudaSpline/math/SplineOrderDispatch.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include "ReferenceBSpline.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::RecursionWarmUp;
using itk::CudaSpline::SplinePoles;

constexpr double unit = UnitOfRounding<double>;

std::vector<long double>
ClosedForm(unsigned int order)
{
  switch (order)
  {
    case 2:
      return { std::sqrt(8.0L) - 3.0L };
    case 3:
      return { std::sqrt(3.0L) - 2.0L };
    case 4:
      return { std::sqrt(664.0L - std::sqrt(438976.0L)) + std::sqrt(304.0L) - 19.0L,
               std::sqrt(664.0L + std::sqrt(438976.0L)) - std::sqrt(304.0L) - 19.0L };
    case 5:
      return { std::sqrt(67.5L - std::sqrt(4436.25L)) + std::sqrt(26.25L) - 6.5L,
               std::sqrt(67.5L + std::sqrt(4436.25L)) - std::sqrt(26.25L) - 6.5L };
    default:
      return {};
  }
}

/** The root near \p z of sum over k of B(k) z^k, by Newton's method: no cancellation as in the closed forms. */
long double
Root(unsigned int order, long double z)
{
  const int reach = static_cast<int>(order / 2);
  for (int step = 0; step < 8; ++step)
  {
    long double value = 0;
    long double slope = 0;
    for (int k = reach; k >= -reach; --k)
    {
      slope = slope * z + value;
      value = value * z + BSpline(order, static_cast<long double>(k));
    }
    z -= value / slope;
  }
  return z;
}

TEST(SplinePoles, CountIsHalfTheOrder)
{
  ForOrders<0, 5>([](auto order) { EXPECT_EQ(SplinePoles<order()>::Count, order() / 2); });
}

TEST(SplinePoles, ClosedForms)
{
  ForOrders<0, 5>([](auto order) {
    const std::vector<long double> expected = ClosedForm(order());
    ASSERT_EQ(SplinePoles<order()>::Count, expected.size());
    // The terms of the closed forms are up to 37 and known to LDBL_EPSILON.
    const double cancellation = 64 * static_cast<double>(std::numeric_limits<long double>::epsilon());
    for (unsigned int k = 0; k < expected.size(); ++k)
    {
      const double pole = SplinePoles<order()>::Pole(k);
      EXPECT_NEAR(pole, static_cast<double>(expected[k]), unit * std::abs(pole) + cancellation);
    }
  });
}

TEST(SplinePoles, RootsOfTheSampledSpline)
{
  ForOrders<2, 5>([](auto order) {
    for (unsigned int k = 0; k < SplinePoles<order()>::Count; ++k)
    {
      const double      pole = SplinePoles<order()>::Pole(k);
      const long double root = Root(order(), pole);
      EXPECT_LE(std::abs(static_cast<double>(pole - root)),
                std::abs(pole) * unit + 16 * static_cast<double>(std::numeric_limits<long double>::epsilon()));
      EXPECT_LT(pole, 0.0);
      EXPECT_GT(pole, -1.0);
      if (k > 0)
      {
        EXPECT_LT(std::abs(pole), std::abs(SplinePoles<order()>::Pole(k - 1))) << "the largest is first";
      }
    }
  });
}

// The constants in the source of ITK's filter: closed forms in double, which cancel, and 15 digits.
TEST(SplinePoles, FiguresOfITK)
{
  EXPECT_NEAR(SplinePoles<2>::Pole(0), std::sqrt(8.0) - 3.0, 4 * unit);
  EXPECT_NEAR(SplinePoles<3>::Pole(0), std::sqrt(3.0) - 2.0, 4 * unit);
  EXPECT_NEAR(SplinePoles<4>::Pole(0), -0.361341225900220, 5e-16);
  EXPECT_NEAR(SplinePoles<4>::Pole(1), -0.0137254292973391, 5e-17);
  EXPECT_NEAR(SplinePoles<5>::Pole(0), -0.430575347099973, 1e-15);
  EXPECT_NEAR(SplinePoles<5>::Pole(1), -0.0430962882032647, 5e-17);
}

TEST(SplinePoles, GainPassesConstants)
{
  EXPECT_EQ(SplinePoles<0>::Gain(), 1.0);
  EXPECT_EQ(SplinePoles<1>::Gain(), 1.0);
  ForOrders<0, 5>([](auto order) {
    // Each direction amplifies a constant by the product of 1 / (1 - z).
    double constant = SplinePoles<order()>::Gain();
    double asInITK = 1.0;
    double sign = 1.0;
    double poles = 1.0;
    for (unsigned int k = 0; k < SplinePoles<order()>::Count; ++k)
    {
      const double z = SplinePoles<order()>::Pole(k);
      constant = constant / (1.0 - z) / (1.0 - z);
      asInITK *= (1.0 - z) * (1.0 - 1.0 / z);
      sign = -sign;
      poles *= z;
    }
    EXPECT_NEAR(constant, 1.0, 8 * unit);
    // ITK's gain belongs to recursions that carry a factor of -z in the anti-causal start.
    EXPECT_NEAR(SplinePoles<order()>::Gain(), sign * poles * asInITK, 16 * unit * SplinePoles<order()>::Gain());
  });
  // The outermost sample of the spline is 1/n! (odd) or 1/(2^n n!) (even): ITK's gain is its inverse.
  EXPECT_NEAR(SplinePoles<3>::Gain() / -SplinePoles<3>::Pole(0), 6.0, 64 * unit);
  EXPECT_NEAR(SplinePoles<2>::Gain() / -SplinePoles<2>::Pole(0), 8.0, 64 * unit);
  EXPECT_NEAR(SplinePoles<4>::Gain() / (SplinePoles<4>::Pole(0) * SplinePoles<4>::Pole(1)), 384.0, 384 * 8 * unit);
  EXPECT_NEAR(SplinePoles<5>::Gain() / (SplinePoles<5>::Pole(0) * SplinePoles<5>::Pole(1)), 120.0, 120 * 8 * unit);
}

TEST(SplinePoles, NormIsTheInverseAtTheHighestFrequency)
{
  EXPECT_EQ(SplinePoles<0>::Norm(), 1.0);
  EXPECT_EQ(SplinePoles<1>::Norm(), 1.0);
  EXPECT_NEAR(SplinePoles<2>::Norm(), 2.0, 32 * unit);
  EXPECT_NEAR(SplinePoles<3>::Norm(), 3.0, 48 * unit);
  EXPECT_NEAR(SplinePoles<4>::Norm(), 24.0 / 5.0, 80 * unit);
  EXPECT_NEAR(SplinePoles<5>::Norm(), 15.0 / 2.0, 128 * unit);
  ForOrders<0, 5>([](auto order) {
    long double response = 0;
    for (int k = -2; k <= 2; ++k)
    {
      response += (k % 2 == 0 ? 1.0L : -1.0L) * BSpline(order(), static_cast<long double>(k));
    }
    EXPECT_NEAR(SplinePoles<order()>::Norm(), static_cast<double>(1.0L / response), 128 * unit);
  });
}

/** Impulse response of one direction: the recursions of all poles, one after the other. */
std::vector<long double>
DirectionResponse(unsigned int order)
{
  std::vector<long double> response(200, 0.0L);
  response[0] = 1.0L;
  for (const long double z : ClosedForm(order))
  {
    for (std::size_t k = 1; k < response.size(); ++k)
    {
      response[k] += z * response[k - 1];
    }
  }
  return response;
}

/** The bound in the documentation of RecursionWarmUp: 2 gain A T(K). */
double
WarmUpBound(unsigned int order, double gain, int samples)
{
  const std::vector<long double> response = DirectionResponse(order);
  long double                    all = 0;
  long double                    tail = 0;
  for (std::size_t k = 0; k < response.size(); ++k)
  {
    all += std::abs(response[k]);
    tail += static_cast<int>(k) > samples ? std::abs(response[k]) : 0.0L;
  }
  return static_cast<double>(2.0L * gain * all * tail);
}

TEST(RecursionWarmUp, BoundHoldsAndIsMinimal)
{
  ForOrders<2, 5>([](auto order) {
    const double  gain = SplinePoles<order()>::Gain();
    constexpr int single = RecursionWarmUp<order(), float>::Samples;
    constexpr int full = RecursionWarmUp<order(), double>::Samples;
    EXPECT_LE(WarmUpBound(order(), gain, single), 6e-8);
    EXPECT_GT(WarmUpBound(order(), gain, single - 1), 6e-8);
    EXPECT_LE(WarmUpBound(order(), gain, full), 1.1e-16);
    EXPECT_GT(WarmUpBound(order(), gain, full - 1), 1.1e-16);
  });
}

TEST(SplineOrderDispatch, RunsTheOrderOrThrows)
{
  for (unsigned int order = 0; order <= 5; ++order)
  {
    EXPECT_EQ(
      itk::CudaSpline::DispatchSplineOrder(order, [](auto fixed) { return static_cast<unsigned int>(fixed()); }),
      order);
  }
  for (const unsigned int order : { 6u, 7u, std::numeric_limits<unsigned int>::max() })
  {
    try
    {
      itk::CudaSpline::DispatchSplineOrder(order, [](auto) { return 0; });
      FAIL() << "order " << order << " was taken";
    }
    catch (const std::invalid_argument & error)
    {
      EXPECT_NE(std::string(error.what()).find(std::to_string(order)), std::string::npos)
        << "the message has the given value";
    }
  }
}

TEST(RecursionWarmUp, NoneWithoutPrefilter)
{
  EXPECT_EQ((RecursionWarmUp<0, float>::Samples), 0);
  EXPECT_EQ((RecursionWarmUp<1, double>::Samples), 0);
}

} // namespace
