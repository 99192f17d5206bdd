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
// Local correlation with gradients against plain loops over windows in long double: the sums by their definition, the
// gradients by the derivative of each window.

#include "CorrelationCase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Returns the valid samples of a window as offsets. */
template <typename TReal>
std::vector<std::int64_t>
WindowOf(const CorrelationCase<TReal> & test, std::int64_t image, std::int64_t centre)
{
  const LocalCorrelationPairs & pairs = test.pairs;
  std::int64_t                  first[3];
  std::int64_t                  last[3];
  std::int64_t                  stride[3];
  std::int64_t                  rest = centre;
  std::int64_t                  step = 1;
  for (int axis = 2; axis >= 0; --axis)
  {
    const bool         isAxis = axis < static_cast<int>(pairs.dimension);
    const std::int64_t size = isAxis ? pairs.size[static_cast<std::size_t>(axis)] : 1;
    const std::int64_t radius = isAxis ? pairs.radius[static_cast<std::size_t>(axis)] : 0;
    const std::int64_t at = rest % size;
    rest /= size;
    first[axis] = std::max<std::int64_t>(at - radius, 0);
    last[axis] = std::min(at + radius, size - 1);
    stride[axis] = step;
    step *= size;
  }
  std::vector<std::int64_t> window;
  for (std::int64_t i = first[0]; i <= last[0]; ++i)
  {
    for (std::int64_t j = first[1]; j <= last[1]; ++j)
    {
      for (std::int64_t k = first[2]; k <= last[2]; ++k)
      {
        const std::int64_t offset = i * stride[0] + j * stride[1] + k * stride[2];
        if (pairs.mask == nullptr || pairs.mask[image * pairs.maskStride + offset] != 0)
        {
          window.push_back(offset);
        }
      }
    }
  }
  return window;
}

/** Computes sums and gradients by definition.
 *
 * \param[out] condition of its windows: the largest ratio of squares of centred values to a variance */
template <typename TReal>
CorrelationResult<long double>
Expected(const CorrelationCase<TReal> & test, double & condition)
{
  const LocalCorrelationPairs &  pairs = test.pairs;
  const auto                     plane = static_cast<std::int64_t>(test.fixed.size()) / pairs.images;
  CorrelationResult<long double> result(pairs.images, 0);
  result.sums.assign(result.sums.size(), 0.0L);
  result.fixed.assign(test.fixed.size(), 0.0L);
  result.moving = result.fixed;
  condition = 1.0;
  for (std::int64_t image = 0; image < pairs.images; ++image)
  {
    const TReal * const fixed = test.fixed.data() + image * plane;
    const TReal * const moving = test.moving.data() + image * plane;
    const auto          isValid = [&](std::int64_t at) {
      return pairs.mask == nullptr || pairs.mask[image * pairs.maskStride + at] != 0;
    };
    long double ofFixed = 0;
    long double ofMoving = 0;
    long double all = 0;
    for (std::int64_t at = 0; at < plane; ++at)
    {
      ofFixed += isValid(at) ? fixed[at] : TReal(0);
      ofMoving += isValid(at) ? moving[at] : TReal(0);
      all += isValid(at) ? 1 : 0;
    }
    for (std::int64_t centre = 0; centre < plane; ++centre)
    {
      if (!isValid(centre))
      {
        continue;
      }
      const std::vector<std::int64_t> window = WindowOf(test, image, centre);
      const auto                      count = static_cast<long double>(window.size());
      long double                     f = 0;
      long double                     m = 0;
      for (const std::int64_t at : window)
      {
        f += static_cast<long double>(fixed[at]) / count;
        m += static_cast<long double>(moving[at]) / count;
      }
      long double ff = 0;
      long double mm = 0;
      long double fm = 0;
      for (const std::int64_t at : window)
      {
        ff += (fixed[at] - f) * (fixed[at] - f);
        mm += (moving[at] - m) * (moving[at] - m);
        fm += (fixed[at] - f) * (moving[at] - m);
      }
      constexpr long double none =
        1e-20L; // a sum below this is that of a constant: means have errors of 1e-19 of an offset
      if (ff < none || mm < none)
      {
        result.sums[static_cast<std::size_t>(image)] += 1.0L;
        continue;
      }
      const long double fromFixed = f - ofFixed / all;
      const long double fromMoving = m - ofMoving / all;
      condition = std::max({ condition,
                             static_cast<double>(1 + count * fromFixed * fromFixed / ff),
                             static_cast<double>(1 + count * fromMoving * fromMoving / mm) });
      result.sums[static_cast<std::size_t>(image)] += fm * fm / (ff * mm);
      for (const std::int64_t at : window)
      {
        const auto to = static_cast<std::size_t>(image * plane + at);
        result.fixed[to] += 2 * fm / (ff * mm) * ((moving[at] - m) - fm / ff * (fixed[at] - f));
        result.moving[to] += 2 * fm / (ff * mm) * ((fixed[at] - f) - fm / mm * (moving[at] - m));
      }
    }
  }
  return result;
}

template <typename TReal>
void
ExpectNear(const std::vector<TReal> & found, const std::vector<long double> & expected, double tolerance)
{
  long double largest = 0;
  for (const long double number : expected)
  {
    largest = std::max(largest, std::abs(number));
  }
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_NEAR(found[i], static_cast<double>(expected[i]), tolerance * static_cast<double>(largest)) << i;
  }
}

/** Compares with the definition. The error of a window's variance is some units of the squares of its centred values,
 * and so is that of its other numbers; gradients are sums of those.
 *
 * \param[in] unit unit of rounding */
template <typename TReal>
void
CheckDefinition(double offset, double unit)
{
  constexpr double units = 100.0; // as in MakeLossBounds(): 8 and 2 r + 2 by axis, four times
  FreshRandom      random;
  struct Grid
  {
    Shape size;
    Shape radius;
  };
  // Tasks of the host have 16 rows and 32 slices.
  for (const Grid & grid : { Grid{ { 40 }, { 9 } },
                             Grid{ { 1 }, { 3 } },
                             Grid{ { 21, 19 }, { 4, 2 } },
                             Grid{ { 5, 18, 7 }, { 1, 2, 3 } },
                             Grid{ { 35, 3, 4 }, { 2, 9, 0 } },
                             Grid{ { 4, 5, 6 }, { 100, 100, 100 } } })
  {
    for (const Masks masks : { Masks::None, Masks::OneForAll, Masks::Own })
    {
      SCOPED_TRACE(::testing::Message() << grid.size.size() << "D of " << grid.size[0] << ", masks "
                                        << static_cast<int>(masks));
      const CorrelationCase<TReal> test(grid.size, grid.radius, 2, masks, offset, random);
      double                       condition = 1.0;
      const auto                   expected = Expected(test, condition);
      const double                 tolerance = units * unit * condition;
      const auto                   found = test.OnTheHost();
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.sums, expected.sums, tolerance));
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.fixed, expected.fixed, tolerance));
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.moving, expected.moving, tolerance));
    }
  }
}

TEST(LocalCorrelationLoss, DoublesAreTheDefinition)
{
  CheckDefinition<double>(0.0, 0x1p-53);
}

TEST(LocalCorrelationLoss, OffsetsCostNothing)
{
  CheckDefinition<double>(5000.0, 0x1p-53);
}

TEST(LocalCorrelationLoss, FloatsAreTheDefinition)
{
  CheckDefinition<float>(0.0, 0x1p-24); // of centred values and of the numbers of windows
}

TEST(LocalCorrelationLoss, GradientsAreTheSameAloneAndOnAnyThreads)
{
  FreshRandom                  random;
  const CorrelationCase<float> test({ 37, 20, 11 }, { 2, 2, 2 }, 3, Masks::Own, 0.0, random);
  const ThreadExecutor         threads(3);
  const auto                   both = test.OnTheHost();
  const auto                   fixed = test.OnTheHost(true, false, &threads);
  const auto                   moving = test.OnTheHost(false, true, &threads);
  const auto                   none = test.OnTheHost(false, false);
  for (const auto * const other : { &fixed, &moving, &none })
  {
    EXPECT_EQ(other->sums, both.sums);
  }
  EXPECT_EQ(fixed.fixed, both.fixed);
  EXPECT_EQ(moving.moving, both.moving);
  for (const auto * const untouched : { &fixed.moving, &moving.fixed, &none.fixed, &none.moving })
  {
    EXPECT_TRUE(std::all_of(untouched->begin(), untouched->end(), [](float x) { return std::isnan(x); }));
  }
}

TEST(LocalCorrelationLoss, WhatIsOutsideOfTheMaskIsNotRead)
{
  FreshRandom             random;
  CorrelationCase<double> test({ 9, 8, 7 }, { 1, 2, 1 }, 2, Masks::Own, 0.0, random);
  const auto              wanted = test.OnTheHost();
  for (std::size_t i = 0; i < test.fixed.size(); ++i)
  {
    if (test.mask[i] == 0)
    {
      test.fixed[i] = std::numeric_limits<double>::quiet_NaN();
      test.moving[i] = std::numeric_limits<double>::infinity();
      EXPECT_EQ(wanted.fixed[i], 0.0);
    }
  }
  const auto found = test.OnTheHost();
  EXPECT_EQ(found.sums, wanted.sums);
  EXPECT_EQ(found.fixed, wanted.fixed);
  EXPECT_EQ(found.moving, wanted.moving);
  // A non-finite value affects its pair only.
  const auto first = static_cast<std::size_t>(
    std::find_if(test.mask.begin(), test.mask.end(), [](std::uint8_t inside) { return inside != 0; }) -
    test.mask.begin());
  test.fixed[first] = std::numeric_limits<double>::quiet_NaN();
  const auto broken = test.OnTheHost();
  EXPECT_TRUE(std::isnan(broken.sums[0]));
  EXPECT_EQ(broken.sums[1], wanted.sums[1]);
}

TEST(LocalCorrelationLoss, ConstantImagesHaveNoGradient)
{
  FreshRandom            random;
  CorrelationCase<float> test({ 20, 21 }, { 2, 2 }, 1, Masks::None, 0.0, random);
  for (std::size_t i = 0; i < test.fixed.size(); ++i)
  {
    // The result of interpolating a constant: an error of some units in the last place.
    test.fixed[i] = 1000.0F * (1.0F + 0x1p-23F * static_cast<float>(i % 3));
  }
  const auto found = test.OnTheHost();
  EXPECT_EQ(found.sums[0], 420.0F);
  EXPECT_TRUE(std::all_of(found.moving.begin(), found.moving.end(), [](float x) { return x == 0.0F; }));
}

TEST(LocalCorrelationLoss, WhatCannotBeIsRefused)
{
  FreshRandom                   random;
  const CorrelationCase<double> test({ 4, 5 }, { 1, 1 }, 1, Masks::None, 0.0, random);
  double                        sum = 3.0;
  const auto                    run = [&](auto change, Backend backend = Backend::Cpu) {
    LocalCorrelationPairs pairs = test.pairs;
    pairs.sums = &sum;
    change(pairs);
    ExecutionContext context;
    context.backend = backend;
    EvaluateLocalCorrelationLoss(pairs, context);
  };
  using Pairs = LocalCorrelationPairs;
  EXPECT_THROW(run([](Pairs & pairs) { pairs.dimension = 4; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.dimension = 0; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.size[1] = 0; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.radius[0] = -1; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.images = -1; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.images = std::int64_t{ 1 } << 60; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.maskStride = -1; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.element = ScalarType::Int16; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.moving = nullptr; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs & pairs) { pairs.sums = nullptr; }), std::invalid_argument);
  EXPECT_THROW(run([](Pairs &) {}, Backend::Cuda), std::invalid_argument); // arrays of the host
  EXPECT_NO_THROW(run([](Pairs & pairs) {
    pairs.images = 0;
    pairs.sums = nullptr;
  }));
  EXPECT_EQ(sum, 3.0);
}

} // namespace
