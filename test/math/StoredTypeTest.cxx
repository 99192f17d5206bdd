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
// Rounding to integers, half to even.
//
// Expected values: std::nearbyint() in the default rounding mode, clamped to the range of the type by hand. Exact: no
// tolerance. A type that truncates, and a real one, has the bits of StoreScalar() of a ScalarType.

#include "itkCudaSpline/math/StoredType.h"

#include "RandomData.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace
{

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

constexpr ScalarType integers[] = { ScalarType::UInt8,  ScalarType::Int8,  ScalarType::UInt16, ScalarType::Int16,
                                    ScalarType::UInt32, ScalarType::Int32, ScalarType::UInt64, ScalarType::Int64 };

template <typename TReal>
double
Stored(StoredType type, TReal value)
{
  std::uint64_t memory = 0;
  StoreScalar(&memory, type, 0, value);
  return LoadScalar<double>(&memory, type, 0);
}

/** The ends of a type's range, as doubles. */
std::pair<double, double>
RangeOf(ScalarType type)
{
  const int  bits = static_cast<int>(8 * SizeOf(type));
  const bool isSigned =
    type == ScalarType::Int8 || type == ScalarType::Int16 || type == ScalarType::Int32 || type == ScalarType::Int64;
  const double largest = std::ldexp(1.0, isSigned ? bits - 1 : bits) - (bits < 64 ? 1.0 : 0.0);
  return { isSigned ? -std::ldexp(1.0, bits - 1) : 0.0, largest };
}

template <typename TReal>
void
ExpectRounded(ScalarType type, TReal value)
{
  const auto [lowest, largest] = RangeOf(type);
  const double expected = std::min(std::max(std::nearbyint(static_cast<double>(value)), lowest), largest);
  EXPECT_EQ(Stored(StoredType(type, IntegerRounding::HalfToEven), value), expected) << NameOf(type) << " " << value;
}

TEST(StoredType, HalvesBecomeEven)
{
  const StoredType rounded(ScalarType::Int16, IntegerRounding::HalfToEven);
  EXPECT_EQ(Stored(rounded, 0.5f), 0.0);
  EXPECT_EQ(Stored(rounded, 1.5f), 2.0);
  EXPECT_EQ(Stored(rounded, 2.5), 2.0);
  EXPECT_EQ(Stored(rounded, -0.5), 0.0);
  EXPECT_EQ(Stored(rounded, -1.5), -2.0);
  EXPECT_EQ(Stored(rounded, -2.5f), -2.0);
  EXPECT_EQ(Stored(rounded, std::nextafter(2.5f, 3.0f)), 3.0);
  EXPECT_EQ(Stored(rounded, std::nextafter(0.5, 0.0)), 0.0); // not floor(x + 0.5), whose sum is rounded to 1
  EXPECT_EQ(Stored(ScalarType::Int16, 2.9f), 2.0);           // a type by itself truncates
}

TEST(StoredType, RoundsAsNearbyint)
{
  Random random(__LINE__);
  for (const ScalarType type : integers)
  {
    const auto [lowest, largest] = RangeOf(type);
    for (const double at : { lowest, largest, 0.0, 8388607.5, 8388608.0, 8388609.0, 4503599627370495.5, 1e300 })
    {
      for (const double step : { -1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5 })
      {
        ExpectRounded(type, at + step);
        ExpectRounded(type, -at + step);
        ExpectRounded(type, static_cast<float>(at + step));
        ExpectRounded(type, static_cast<float>(-at + step));
      }
    }
    for (int i = 0; i < 10000; ++i)
    {
      const double value = random.Uniform(-300.0, 300.0);
      ExpectRounded(type, value);
      ExpectRounded(type, static_cast<float>(value));
      ExpectRounded(type, 0.5 * std::nearbyint(value)); // every second one a tie
    }
    const StoredType rounded(type, IntegerRounding::HalfToEven);
    EXPECT_EQ(Stored(rounded, std::numeric_limits<double>::quiet_NaN()), 0.0);
    EXPECT_EQ(Stored(rounded, std::numeric_limits<float>::infinity()), largest);
    EXPECT_EQ(Stored(rounded, -std::numeric_limits<double>::infinity()), lowest);
  }
}

TEST(StoredType, RealNumbersStay)
{
  for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
  {
    for (const double value : { 0.5, -2.75, 1e300, -1e300 })
    {
      EXPECT_EQ(Stored(StoredType(type, IntegerRounding::HalfToEven), value), Stored(type, value));
    }
  }
}

} // namespace
