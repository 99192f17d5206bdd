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
// Derivatives at points against plain sums in long double over B-splines by another formula; their adjoints by the
// identity <A c, g> = <c, A' g>.

#include "GradientCase.h"
#include "ReferenceBSpline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

const std::vector<Shape> Shapes{ { 9 }, { 1 }, { 2 }, { 5, 8 }, { 6, 1 }, { 4, 5, 3 } };

constexpr double Tolerance =
  1e-12; // for numbers up to 1: 2^-53 times some hundreds, due to the weights of derivatives and folds

/** Returns a derivative of the B-spline by differences of a lower degree. */
long double
BSplineDerivative(unsigned int order, unsigned int times, long double x)
{
  if (times > order)
  {
    return 0;
  }
  return times == 0
           ? BSpline(order, x)
           : BSplineDerivative(order - 1, times - 1, x + 0.5L) - BSplineDerivative(order - 1, times - 1, x - 0.5L);
}

/** Returns a derivative of an image's spline at a point, axis by axis. Taps are folded, coordinates are not. */
template <typename TReal>
long double
Derivative(const SplinePoints & points,
           const TReal *        coefficients,
           const TReal *        place,
           const unsigned int (&times)[3],
           unsigned int axis,
           std::int64_t at)
{
  if (axis == points.dimension)
  {
    return coefficients[at];
  }
  const std::int64_t size = points.size[axis];
  double             x = place[axis];
  if (points.mode == ArrayMode::Wrap) // jumps where it is folded
  {
    EXPECT_TRUE(FoldCoordinate(x, size, points.mode));
  }
  const auto  first = static_cast<std::int64_t>(std::floor(points.order % 2 == 1 ? x : x + 0.5)) - points.order / 2;
  long double sum = 0;
  for (std::int64_t tap = first; tap <= first + points.order; ++tap)
  {
    const long double distance = static_cast<long double>(x) - tap;
    const long double weight =
      points.order == 0 ? (times[axis] == 0 ? 1 : 0) : BSplineDerivative(points.order, times[axis], distance);
    const std::int64_t folded = FoldIndex(tap, size, TapExtensionOf(points.mode));
    // Beyond an end, the border replaces the remaining axes: their weights sum to 1, or to 0 in a derivative.
    bool isConstant = true;
    for (unsigned int rest = axis + 1; rest < points.dimension; ++rest)
    {
      isConstant = isConstant && times[rest] == 0;
    }
    sum += weight * (folded < 0 ? static_cast<long double>(isConstant ? points.border : 0.0)
                                : Derivative(points, coefficients, place, times, axis + 1, at * size + folded));
  }
  return sum;
}

template <typename TReal>
bool
IsOutside(const SplinePoints & points, const TReal * place)
{
  for (unsigned int d = 0; d < points.dimension && points.mode == ArrayMode::Constant; ++d)
  {
    if (!(place[d] >= 0 && place[d] <= points.size[d] - 1))
    {
      return true;
    }
  }
  return false;
}

/** Returns a derivative of a channel at a point, by the digits of \p component and one more axis, unless that is
 * negative. */
template <typename TReal>
double
Reference(const GradientCase<TReal> & test,
          std::int64_t                batch,
          std::int64_t                channel,
          std::int64_t                point,
          std::int64_t                component,
          int                         axis)
{
  const SplinePoints & points = test.points;
  const TReal * const  place = test.places.data() + (batch * points.count + point) * points.dimension;
  unsigned int         times[3] = {};
  for (unsigned int i = 0; i < points.derivatives; ++i, component /= points.dimension)
  {
    ++times[component % points.dimension];
  }
  if (axis >= 0)
  {
    ++times[axis];
  }
  if (IsOutside(points, place))
  {
    return times[0] + times[1] + times[2] == 0 ? points.border : 0.0;
  }
  const TReal * const image = test.coefficients.data() + batch * points.coefficientStride + channel * test.Samples();
  return static_cast<double>(Derivative(points, image, place, times, 0, 0));
}

template <typename TReal>
double
Dot(const std::vector<TReal> & one, const std::vector<TReal> & other)
{
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0, std::plus<>(), [](TReal a, TReal b) {
    return static_cast<double>(a) * static_cast<double>(b);
  });
}

/** Calls \p body with a case for each shape, mode, order and number of derivatives. */
template <typename TReal, typename TBody>
void
ForCases(std::uint64_t stream, bool atHalves, const TBody & body)
{
  Random random(stream);
  for (const Shape & shape : Shapes)
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        for (unsigned int derivatives = 0; derivatives <= MaxPointDerivatives; ++derivatives)
        {
          SCOPED_TRACE(::testing::Message()
                       << shape.size() << "D of " << shape[0] << ", mode " << static_cast<int>(mode) << ", order "
                       << order << ", derivatives " << derivatives);
          GradientCase<TReal> test(shape, order, mode, derivatives, random, atHalves);
          body(test);
          if (::testing::Test::HasFatalFailure())
          {
            return;
          }
        }
      }
    }
  }
}

template <typename TReal>
std::vector<TReal>
Scattered(const GradientCase<TReal> & test, const ExecutionContext & context)
{
  std::vector<TReal> sums(test.coefficients.size(), std::numeric_limits<TReal>::quiet_NaN());
  SplinePoints       points = test.points;
  points.result = sums.data();
  ScatterDerivatives(points, context);
  return sums;
}

} // namespace

TEST(SplineGradients, DerivativesAreThoseOfPlainSums)
{
  ForCases<double>(__LINE__, true, [](GradientCase<double> & test) {
    test.points.border = Border;
    std::vector<double> values(static_cast<std::size_t>(test.Numbers(test.points.derivatives)), std::nan(""));
    test.points.result = values.data();
    EvaluateDerivatives(test.points, OnHost());
    const auto  components = static_cast<std::int64_t>(std::pow(test.points.dimension, test.points.derivatives));
    std::size_t at = 0;
    for (std::int64_t batch = 0; batch < test.points.batches; ++batch)
    {
      for (std::int64_t channel = 0; channel < test.points.channels; ++channel)
      {
        for (std::int64_t point = 0; point < test.points.count; ++point)
        {
          for (std::int64_t component = 0; component < components; ++component)
          {
            ASSERT_NEAR(values[at++], Reference(test, batch, channel, point, component, -1), Tolerance);
          }
        }
      }
    }
  });
}

TEST(SplineGradients, ContractionsAreSumsOfDerivatives)
{
  ForCases<double>(__LINE__, false, [](GradientCase<double> & test) {
    test.points.border = Border;
    const auto          dimension = static_cast<std::int64_t>(test.points.dimension);
    std::vector<double> gradients(test.places.size(), std::nan(""));
    test.points.result = gradients.data();
    ContractDerivatives(test.points, OnHost());
    const auto components = static_cast<std::int64_t>(std::pow(dimension, test.points.derivatives));
    for (std::int64_t batch = 0; batch < test.points.batches; ++batch)
    {
      for (std::int64_t point = 0; point < test.points.count; ++point)
      {
        for (std::int64_t axis = 0; axis < dimension; ++axis)
        {
          double sum = 0.0;
          for (std::int64_t i = 0; i < test.points.channels * components; ++i)
          {
            const std::int64_t channel = i / components;
            const std::int64_t number =
              ((batch * test.points.channels + channel) * test.points.count + point) * components + i % components;
            sum += test.weights[static_cast<std::size_t>(number)] *
                   Reference(test, batch, channel, point, i % components, static_cast<int>(axis));
          }
          const auto at = static_cast<std::size_t>((batch * test.points.count + point) * dimension + axis);
          ASSERT_NEAR(gradients[at], sum, 30 * Tolerance); // channels times components of them
        }
      }
    }
  });
}

TEST(SplineGradients, ScatteringIsTheTransposeOfEvaluating)
{
  ForCases<double>(__LINE__, true, [](GradientCase<double> & test) {
    std::vector<double> values(static_cast<std::size_t>(test.Numbers(test.points.derivatives)));
    test.points.result = values.data();
    EvaluateDerivatives(test.points, OnHost());
    const double forward = Dot(values, test.weights);
    const double backward = Dot(Scattered(test, OnHost()), test.coefficients);
    ASSERT_NEAR(forward, backward, static_cast<double>(values.size()) * Tolerance);
  });
}

TEST(SplineGradients, FloatsAreRoundedDoubles)
{
  ForCases<float>(__LINE__, true, [](GradientCase<float> & test) {
    std::vector<float> values(static_cast<std::size_t>(test.Numbers(test.points.derivatives)));
    test.points.result = values.data();
    EvaluateDerivatives(test.points, OnHost());
    const double forward = Dot(values, test.weights);
    const double backward = Dot(Scattered(test, OnHost()), test.coefficients);
    // A position within a support has 24 bits, and its derivatives up to 8 times the error.
    ASSERT_NEAR(forward, backward, static_cast<double>(values.size()) * 3e-5);
  });
}

TEST(SplineGradients, SumsHaveTheSameBitsInAnyOrder)
{
  Random random(__LINE__);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    for (unsigned int derivatives = 0; derivatives <= MaxPointDerivatives; ++derivatives)
    {
      GradientCase<float> test({ 7, 6, 9 }, order, ArrayMode::Reflect, derivatives, random);
      SplinePoints &      points = test.points;
      points.batches = 2;
      points.channels = 1;
      points.count = 2000;
      const auto components = static_cast<std::int64_t>(std::pow(3, derivatives));
      test.places.clear();
      for (std::int64_t i = 0; i < points.batches * points.count * 3; ++i)
      {
        test.places.push_back(static_cast<float>(random.Uniform(-4.0, 12.0)));
      }
      test.weights = RandomOf<float>(points.batches * points.count * components, random);
      test.coefficients.assign(static_cast<std::size_t>(points.batches * test.Samples()), 0.0F);
      points.points = test.places.data();
      points.weights = test.weights.data();
      points.pointStride = 3 * points.count;
      const std::vector<float> expected = Scattered(test, OnHost());
      ASSERT_EQ(Scattered(test, ExecutionContext()), expected) << "by one thread";

      // The points of each image in reverse order.
      GradientCase<float> reversed = test;
      for (std::int64_t i = 0; i < points.batches * points.count; ++i)
      {
        const std::int64_t other = (i / points.count + 1) * points.count - 1 - i % points.count;
        std::copy_n(test.places.begin() + 3 * i, 3, reversed.places.begin() + 3 * other);
        std::copy_n(test.weights.begin() + components * i, components, reversed.weights.begin() + components * other);
      }
      reversed.points.points = reversed.places.data();
      reversed.points.weights = reversed.weights.data();
      ASSERT_EQ(Scattered(reversed, OnHost()), expected) << "in another order";

      // The second image by itself.
      GradientCase<float> alone = test;
      alone.coefficients.resize(static_cast<std::size_t>(test.Samples()));
      alone.points.batches = 1;
      alone.points.points = test.places.data() + points.pointStride;
      alone.points.weights = test.weights.data() + points.count * components;
      const std::vector<float> second = Scattered(alone, OnHost());
      ASSERT_TRUE(std::equal(second.begin(), second.end(), expected.begin() + test.Samples()));
    }
  }
}

TEST(SplineGradients, NumbersOfAnyMagnitudeAreAddedUp)
{
  Random random(__LINE__);
  for (const double scale : { 1e-280, 1e-30, 1.0, 1e30, 1e300 })
  {
    GradientCase<double> test({ 4, 5 }, 3, ArrayMode::Mirror, 0, random);
    const auto           plain = Scattered(test, OnHost());
    for (double & weight : test.weights)
    {
      weight *= scale;
    }
    const auto scaled = Scattered(test, OnHost());
    for (std::size_t i = 0; i < plain.size(); ++i)
    {
      ASSERT_NEAR(scaled[i] / scale, plain[i], 1e-13) << scale;
    }
  }
}

TEST(SplineGradients, WhatIsNotANumberStaysWhereItIs)
{
  Random       random(__LINE__);
  const double nan = std::nan("");
  for (const ArrayMode mode : Modes)
  {
    for (const double bad : { nan, std::numeric_limits<double>::infinity() })
    {
      GradientCase<double> test({ 20, 20 }, 1, mode, 0, random);
      test.points.batches = test.points.channels = 1;
      test.points.count = 2;
      test.places = { 3.25, 4.5, nan, 2.0 };
      test.weights = { 1.0, bad };
      test.coefficients.resize(400);
      test.points.points = test.places.data();
      test.points.weights = test.weights.data();
      std::vector<double> values(4);
      test.points.result = values.data();
      EvaluateDerivatives(test.points, OnHost());
      EXPECT_FALSE(std::isnan(values[0]));
      EXPECT_TRUE(std::isnan(values[1]));
      ContractDerivatives(test.points, OnHost());
      EXPECT_FALSE(std::isnan(values[0]) || std::isnan(values[1]));
      EXPECT_TRUE(std::isnan(values[2]) && std::isnan(values[3]));
      // The NaN point adds nothing, for any number. The number of the other one is added to 2 x 2 samples.
      auto sums = Scattered(test, OnHost());
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), 1.0);
      test.weights = { bad, 1.0 };
      test.places[2] = 3.0; // its support shares samples with that of the first one
      sums = Scattered(test, OnHost());
      for (std::size_t i = 0; i < sums.size(); ++i)
      {
        const bool isHit = (i / 20 == 3 || i / 20 == 4) && (i % 20 == 4 || i % 20 == 5);
        EXPECT_EQ(std::isnan(sums[i]), isHit) << i;
      }
    }
  }
}

TEST(SplineGradients, AdjointOfThePrefilter)
{
  Random random(__LINE__);
  for (const Shape & shape :
       { Shape{ 9 }, Shape{ 1 }, Shape{ 2 }, Shape{ 40, 3 }, Shape{ 3, 1, 7 }, Shape{ 2, 4, 3, 5 } })
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 2; order <= 5; ++order)
      {
        const auto  count = CountOf(shape);
        const auto  samples = RandomOf<double>(count, random);
        const auto  weights = RandomOf<double>(count, random);
        auto        filtered = samples;
        auto        adjoint = weights;
        ArrayFilter filter;
        filter.order = order;
        filter.mode = mode;
        filter.isFiltered[0] = shape.size() < 4; // the axis of a batch
        filter.input = filter.output = ArrayOf(shape, filtered.data());
        FilterArray(filter, OnHost());
        filter.input = filter.output = ArrayOf(shape, adjoint.data());
        FilterArrayAdjoint(filter, OnHost());
        // Coefficients are up to 7.5 times the samples per axis.
        const double bound = 1e-15 * static_cast<double>(count) * 10 * std::pow(7.5, shape.size());
        ASSERT_NEAR(Dot(filtered, weights), Dot(samples, adjoint), bound)
          << shape.size() << "D, mode " << static_cast<int>(mode) << ", order " << order;
      }
    }
  }
}

TEST(SplineGradients, EmptyBatchesAndBadNumbers)
{
  Random               random(__LINE__);
  GradientCase<double> test({ 4, 5 }, 3, ArrayMode::Mirror, 0, random);
  std::vector<double>  sums(test.coefficients.size(), 7.0);
  SplinePoints         points = test.points;
  points.result = sums.data();
  points.count = 0;
  points.points = points.weights = nullptr;
  EvaluateDerivatives(points, OnHost());
  ContractDerivatives(points, OnHost());
  ScatterDerivatives(points, OnHost());
  EXPECT_EQ(sums, std::vector<double>(sums.size(), 0.0)); // no points: all zero
  points.batches = 0;
  points.result = nullptr;
  EvaluateDerivatives(points, OnHost());
  ContractDerivatives(points, OnHost());
  ScatterDerivatives(points, OnHost());

  const auto refuse = [&](auto && change) {
    SplinePoints bad = test.points;
    bad.result = sums.data();
    change(bad);
    EXPECT_THROW(EvaluateDerivatives(bad, OnHost()), std::invalid_argument);
    EXPECT_THROW(ContractDerivatives(bad, OnHost()), std::invalid_argument);
    EXPECT_THROW(ScatterDerivatives(bad, OnHost()), std::invalid_argument);
  };
  refuse([](SplinePoints & bad) { bad.order = 6; });
  refuse([](SplinePoints & bad) { bad.dimension = 4; });
  refuse([](SplinePoints & bad) { bad.derivatives = 3; });
  refuse([](SplinePoints & bad) { bad.size[1] = 0; });
  refuse([](SplinePoints & bad) { bad.count = -1; });
  refuse([](SplinePoints & bad) { bad.element = ScalarType::Int16; });
  refuse([](SplinePoints & bad) { bad.points = nullptr; });
  refuse([](SplinePoints & bad) { bad.place.onDevice = true; });
}
