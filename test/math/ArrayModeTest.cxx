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
// Modes of arrays: coordinates are compared with steps of whole periods; conversion to integers.

#include "itkCudaSpline/math/ArrayMode.h"
#include "itkCudaSpline/math/RoundedStore.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace itk::CudaSpline;
using CudaSplineTest::Random;

namespace
{

/** The same coordinate from whole steps and reflections, in long double. */
long double
Walk(long double x, std::int64_t size, ArrayMode mode)
{
  const auto last = static_cast<long double>(size - 1);
  while (size > 1)
  {
    if (mode == ArrayMode::GridWrap || mode == ArrayMode::Wrap)
    {
      const long double period = mode == ArrayMode::Wrap ? last : last + 1;
      const long double least = mode == ArrayMode::Wrap ? 0 : -1;
      if (x >= least && x <= last + (mode == ArrayMode::Wrap ? 0 : 1))
      {
        return x;
      }
      x += x < least ? period : -period;
      continue;
    }
    const long double low = mode == ArrayMode::Mirror ? 0 : -0.5L;
    const long double high = mode == ArrayMode::Mirror ? last : last + 0.5L;
    if (x >= low && x <= high)
    {
      return x;
    }
    x = x < low ? 2 * low - x : 2 * high - x;
  }
  return 0;
}

} // namespace

TEST(ArrayMode, CoordinatesAreFoldedByWholePeriods)
{
  Random random(__LINE__);
  for (const ArrayMode mode : { ArrayMode::Mirror, ArrayMode::Reflect, ArrayMode::GridWrap, ArrayMode::Wrap })
  {
    for (int i = 0; i < 20000; ++i)
    {
      const std::int64_t size = random.Integer(1, 40);
      const double       from = i % 3 == 0
                                  ? 0.5 * static_cast<double>(random.Integer(-400, 400))
                                  : random.Uniform(-10.0 * static_cast<double>(size) - 3, 9.0 * static_cast<double>(size));
      double             x = from;
      ASSERT_TRUE(FoldCoordinate(x, size, mode));
      const auto        length = static_cast<long double>(size);
      const long double expected = Walk(from, size, mode);
      long double       difference = std::abs(static_cast<long double>(x) - expected);
      if (size > 1 && (mode == ArrayMode::GridWrap || mode == ArrayMode::Wrap))
      {
        const long double period = mode == ArrayMode::Wrap ? length - 1 : length; // both ends are the same point
        difference = std::min(difference, std::abs(difference - period));
      }
      // SciPy leaves some coordinates up to one sample beyond an end; by symmetry they are the same point.
      if (size > 1 && mode == ArrayMode::Mirror)
      {
        difference = std::min(difference, std::abs(static_cast<long double>(x) - (2 * length - 2 - expected)));
      }
      if (size > 1 && mode == ArrayMode::Reflect)
      {
        difference = std::min(difference, std::abs(static_cast<long double>(x) - (-1 - expected)));
        difference = std::min(difference, std::abs(static_cast<long double>(x) - (2 * length - 1 - expected)));
      }
      EXPECT_LE(difference, 1e-12L) << from << " in " << size << ", mode " << static_cast<int>(mode) << ": " << x;
      // No coordinate is far outside: FoldIndex() can fold the supports of all orders.
      EXPECT_GE(x, size > 1 && mode != ArrayMode::Mirror && mode != ArrayMode::Wrap ? -1.0 : 0.0);
      EXPECT_LE(x, static_cast<double>(size));
    }
  }
}

TEST(ArrayMode, WhatIsOutside)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (int code = 0; code <= static_cast<int>(ArrayMode::Wrap); ++code)
  {
    const auto mode = static_cast<ArrayMode>(code);
    double     x = nan;
    EXPECT_FALSE(FoldCoordinate(x, 5, mode));
    x = infinite;
    EXPECT_EQ(FoldCoordinate(x, 5, mode), mode == ArrayMode::Nearest);
    x = -1e17;
    EXPECT_EQ(FoldCoordinate(x, 5, mode), mode == ArrayMode::Nearest);
    for (const double inside : { 0.0, 1.5, 4.0, -0.0 })
    {
      x = inside;
      EXPECT_TRUE(FoldCoordinate(x, 5, mode));
      EXPECT_EQ(x, inside);
    }
  }
  for (const double outside : { std::nextafter(0.0, -1.0), std::nextafter(4.0, 5.0) })
  {
    double x = outside;
    EXPECT_FALSE(FoldCoordinate(x, 5, ArrayMode::Constant));
    EXPECT_TRUE(FoldCoordinate(x, 5, ArrayMode::GridConstant));
    EXPECT_EQ(x, outside);
  }
}

TEST(ArrayMode, IntegersAreRoundedAwayFromZero)
{
  const auto stored = [](ScalarType type, double value) {
    std::uint64_t memory = 0;
    StoreRounded(&memory, type, 0, value);
    return LoadScalar<double>(&memory, type, 0);
  };
  for (const ScalarType type : { ScalarType::Int8, ScalarType::Int16, ScalarType::Int32, ScalarType::Int64 })
  {
    EXPECT_EQ(stored(type, 2.5), 3.0);
    EXPECT_EQ(stored(type, -2.5), -3.0);
    EXPECT_EQ(stored(type, -0.4), 0.0);
    EXPECT_EQ(stored(type, std::numeric_limits<double>::quiet_NaN()), 0.0);
    EXPECT_EQ(stored(type, -1e30), -std::ldexp(1.0, static_cast<int>(8 * SizeOf(type)) - 1));
  }
  for (const ScalarType type : { ScalarType::UInt8, ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64 })
  {
    EXPECT_EQ(stored(type, 2.5), 3.0);
    EXPECT_EQ(stored(type, -2.5), 0.0);
    EXPECT_GE(stored(type, 1e30), std::ldexp(1.0, static_cast<int>(8 * SizeOf(type))) - 1.0);
  }
  EXPECT_EQ(stored(ScalarType::Float64, 0.1), 0.1);
  EXPECT_EQ(stored(ScalarType::Float32, 1e300), std::numeric_limits<double>::infinity());
}
