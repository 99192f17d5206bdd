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
// Joint histograms against plain sums over all bins with B-splines by another formula, in long double; gradients
// against differences of those sums.

#include "JointCase.h"
#include "ReferenceBSpline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Returns the position of a value in the histogram. */
long double
PlaceOf(long double value, long double least, long double most, std::int64_t bins)
{
  const long double span = most > least ? most - least : 1.0L;
  return (std::min(std::max(value, least), most) - least) * static_cast<long double>(bins - 5) / span + 2.0L;
}

/** Returns the contribution of a sample to a bin. */
template <typename TReal>
long double
PartOf(const JointCase<TReal> & test, long double fixed, long double moving, std::int64_t row, std::int64_t column)
{
  const std::int64_t bins = test.samples.bins;
  return BSpline(3, PlaceOf(fixed, test.ends[0], test.ends[1], bins) - static_cast<long double>(row)) *
         BSpline(3, PlaceOf(moving, test.ends[2], test.ends[3], bins) - static_cast<long double>(column));
}

template <typename TReal>
void
CheckDefinition(double unit)
{
  FreshRandom random;
  for (const std::int64_t bins : { 5, 6, 9, 40 })
  {
    for (const bool isMasked : { false, true })
    {
      SCOPED_TRACE(::testing::Message() << bins << " bins, masked " << isMasked);
      const JointCase<TReal> test(60, bins, isMasked, random);
      const auto             joint = test.OnTheHost();
      for (std::int64_t row = 0; row < bins; ++row)
      {
        for (std::int64_t column = 0; column < bins; ++column)
        {
          long double expected = 0;
          for (std::size_t i = 0; i < test.fixed.size(); ++i)
          {
            if (!isMasked || test.mask[i] != 0)
            {
              expected += PartOf(test, test.fixed[i], test.moving[i], row, column);
            }
          }
          // Each sample has a position with an error of some units of the number of bins, and weights with slopes of at
          // most 1.
          ASSERT_NEAR(joint[static_cast<std::size_t>(row * bins + column)],
                      static_cast<double>(expected),
                      60.0 * 4.0 * static_cast<double>(bins) * unit);
        }
      }
      std::vector<TReal> ofFixed;
      std::vector<TReal> ofMoving;
      test.GradientsOnTheHost(&ofFixed, &ofMoving);
      for (std::size_t i = 0; i < test.fixed.size(); ++i)
      {
        const long double step = 1e-6L;
        const long double f = test.fixed[i];
        const long double m = test.moving[i];
        const auto        value = [&](long double fixed, long double moving) {
          long double sum = 0;
          for (std::int64_t bin = 0; bin < bins * bins; ++bin)
          {
            sum += test.weights[static_cast<std::size_t>(bin)] * PartOf(test, fixed, moving, bin / bins, bin % bins);
          }
          return isMasked && test.mask[i] == 0 ? 0.0L : sum;
        };
        const auto isAtEnd = [&](long double x, std::size_t end) {
          return std::abs(x - test.ends[end]) < 2 * step || std::abs(x - test.ends[end + 1]) < 2 * step;
        };
        // Third derivatives are below 4 (bins / span)^3; the formula has 16 products with slopes of bins / span.
        const double slope = static_cast<double>(bins);
        const double tolerance = 64.0 * slope * slope * unit + 1e-12 * slope * slope * slope + 1e-11;
        if (!isAtEnd(f, 0))
        {
          ASSERT_NEAR(
            ofFixed[i], static_cast<double>((value(f + step, m) - value(f - step, m)) / (2 * step)), tolerance);
        }
        if (!isAtEnd(m, 2))
        {
          ASSERT_NEAR(
            ofMoving[i], static_cast<double>((value(f, m + step) - value(f, m - step)) / (2 * step)), tolerance);
        }
      }
    }
  }
}

TEST(JointHistogram, DoublesAreTheDefinition)
{
  CheckDefinition<double>(0x1p-53);
}

TEST(JointHistogram, FloatsAreTheDefinition)
{
  CheckDefinition<float>(0x1p-24);
}

TEST(JointHistogram, HasTheSameBitsOnAnyNumberOfThreads)
{
  FreshRandom            random;
  const JointCase<float> test(20000, 32, true, random);
  const auto             one = test.OnTheHost();
  for (const unsigned int number : { 2U, 3U, 7U })
  {
    const ThreadExecutor threads(number);
    EXPECT_EQ(test.OnTheHost(&threads), one);
  }
  const auto inside = std::count_if(test.mask.begin(), test.mask.end(), [](std::uint8_t mark) { return mark != 0; });
  EXPECT_NEAR(std::accumulate(one.begin(), one.end(), 0.0), static_cast<double>(inside), 1e-6 * 20000);
}

TEST(JointHistogram, GradientsAreTheSameAlone)
{
  FreshRandom             random;
  const JointCase<double> test(300, 16, true, random);
  std::vector<double>     ofFixed;
  std::vector<double>     ofMoving;
  std::vector<double>     fixedAlone;
  std::vector<double>     movingAlone;
  test.GradientsOnTheHost(&ofFixed, &ofMoving);
  test.GradientsOnTheHost(&fixedAlone, nullptr);
  test.GradientsOnTheHost(nullptr, &movingAlone);
  EXPECT_EQ(fixedAlone, ofFixed);
  EXPECT_EQ(movingAlone, ofMoving);
}

TEST(JointHistogram, WhatIsNotANumberIsInNoBin)
{
  FreshRandom       random;
  JointCase<double> test(50, 8, false, random);
  test.fixed[7] = std::numeric_limits<double>::quiet_NaN();
  test.moving[9] = std::numeric_limits<double>::infinity(); // at the end
  const auto joint = test.OnTheHost();
  EXPECT_NEAR(std::accumulate(joint.begin(), joint.end(), 0.0), 49.0, 1e-12);
  std::vector<double> ofFixed;
  std::vector<double> ofMoving;
  test.GradientsOnTheHost(&ofFixed, &ofMoving);
  EXPECT_TRUE(std::isnan(ofFixed[7]) && std::isnan(ofMoving[7]));
  EXPECT_EQ(ofMoving[9], 0.0);
  EXPECT_EQ(std::count_if(ofFixed.begin(), ofFixed.end(), [](double x) { return std::isnan(x); }), 1);
  // A constant image: all samples have the same position, and there is no slope.
  test.ends[1] = test.ends[0];
  test.fixed.assign(test.fixed.size(), test.ends[0]);
  const auto constant = test.OnTheHost();
  EXPECT_NEAR(std::accumulate(constant.begin() + 8, constant.begin() + 32, 0.0), 50.0, 1e-12);
}

TEST(JointHistogram, WhatCannotBeIsRefused)
{
  FreshRandom             random;
  const JointCase<double> test(5, 8, false, random);
  std::vector<double>     joint(64, 3.0);
  const auto              run = [&](auto change, void * to, Backend backend = Backend::Cpu) {
    JointSamples samples = test.samples;
    change(samples);
    ExecutionContext context;
    context.backend = backend;
    AccumulateJointHistogram(samples, to, context);
  };
  const auto same = [](JointSamples &) {};
  using Samples = JointSamples;
  EXPECT_THROW(run([](Samples & samples) { samples.bins = 4; }, joint.data()), std::invalid_argument);
  EXPECT_THROW(run([](Samples & samples) { samples.bins = 4097; }, joint.data()), std::invalid_argument);
  EXPECT_THROW(run([](Samples & samples) { samples.count = -1; }, joint.data()), std::invalid_argument);
  EXPECT_THROW(run([](Samples & samples) { samples.element = ScalarType::UInt8; }, joint.data()),
               std::invalid_argument);
  EXPECT_THROW(run([](Samples & samples) { samples.ends = nullptr; }, joint.data()), std::invalid_argument);
  EXPECT_THROW(run(same, nullptr), std::invalid_argument);
  EXPECT_THROW(run(same, joint.data(), Backend::Cuda), std::invalid_argument);
  EXPECT_EQ(joint[0], 3.0);
  EXPECT_NO_THROW(run([](Samples & samples) { samples.count = 0; }, joint.data()));
  EXPECT_EQ(joint, std::vector<double>(64, 0.0));
}

} // namespace
