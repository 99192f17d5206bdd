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
// Conversions between float and IEEE binary16.
//
// Expected values: sign, exponent and fraction of all 65536 halves put together by ldexp(), exactly; for floats the
// search for the nearest of all halves in double, where differences of floats and halves are exact. No tolerance.

#include "itkCudaSpline/math/HalfPrecision.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::FloatToHalf;
using itk::CudaSpline::HalfLargest;
using itk::CudaSpline::HalfRelativeRounding;
using itk::CudaSpline::HalfSmallestNormal;
using itk::CudaSpline::HalfSmallestSubnormal;
using itk::CudaSpline::HalfToFloat;

/** The value of the bits of a half, by the definition of the format; finite ones and infinities. */
double
ReferenceValue(std::uint32_t half)
{
  const int    exponent = static_cast<int>(half >> 10 & 31);
  const double fraction = half & 0x3ff;
  const double magnitude = exponent == 31  ? std::numeric_limits<double>::infinity()
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

/** The non-negative finite halves, and 2^16 instead of infinity; the bits are the position. */
const std::vector<double> &
Magnitudes()
{
  static const std::vector<double> magnitudes = [] {
    std::vector<double> all(0x7c00);
    for (std::uint32_t half = 0; half < 0x7c00; ++half)
    {
      all[half] = ReferenceValue(half);
    }
    all.push_back(0x1p16);
    return all;
  }();
  return magnitudes;
}

/** The nearest half, ties to the even one. */
std::uint16_t
ReferenceHalf(float value)
{
  const std::vector<double> & all = Magnitudes();
  const auto                  sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double                x = std::abs(static_cast<double>(value));
  const auto                  above = std::lower_bound(all.begin(), all.end(), x);
  if (above == all.end())
  {
    return static_cast<std::uint16_t>(0x7c00 | sign);
  }
  auto half = static_cast<std::uint16_t>(above - all.begin());
  if (half > 0)
  {
    const double up = *above - x;
    const double down = x - *(above - 1);
    if (down < up || (down == up && half % 2 == 1))
    {
      --half;
    }
  }
  return static_cast<std::uint16_t>(half | sign);
}

float
FloatOf(std::uint32_t bits)
{
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(HalfPrecision, EveryHalf)
{
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
  {
    const auto  half = static_cast<std::uint16_t>(bits);
    const float value = HalfToFloat(half);
    if ((bits & 0x7fff) > 0x7c00)
    {
      ASSERT_TRUE(std::isnan(value)) << std::hex << bits;
      ASSERT_EQ(FloatToHalf(value), 0x7fff) << std::hex << bits;
    }
    else
    {
      ASSERT_EQ(value, ReferenceValue(bits)) << std::hex << bits;
      ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << std::hex << bits;
      ASSERT_EQ(FloatToHalf(value), half) << std::hex << bits;
    }
  }
}

// Between every pair of neighbours, from 0 to the largest half and the number that would follow it: the tie, and the
// numbers on both sides of the tie.
TEST(HalfPrecision, EveryTie)
{
  const std::vector<double> & all = Magnitudes();
  for (std::uint32_t half = 0; half + 1 < all.size(); ++half)
  {
    const auto tie = static_cast<float>((all[half] + all[half + 1]) / 2);
    ASSERT_EQ(static_cast<double>(tie), (all[half] + all[half + 1]) / 2);
    const auto even = half % 2 == 0 ? half : half + 1;
    for (const std::uint32_t sign : { 0U, 0x8000U })
    {
      const float s = sign == 0 ? 1.0F : -1.0F;
      ASSERT_EQ(FloatToHalf(s * tie), even | sign) << tie;
      ASSERT_EQ(FloatToHalf(s * std::nextafter(tie, 0.0F)), half | sign) << tie;
      ASSERT_EQ(FloatToHalf(s * std::nextafter(tie, 1e9F)), (half + 1) | sign) << tie;
    }
  }
}

TEST(HalfPrecision, RandomFloats)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 200000; ++trial)
  {
    // All bits equally likely, and exponents within or near the range of halves.
    const auto sign = static_cast<std::uint32_t>(random.Integer(0, 1)) << 31;
    const auto exponent = static_cast<std::uint32_t>(trial % 4 == 0 ? random.Integer(0, 254) : random.Integer(98, 145));
    const float value = FloatOf(sign | exponent << 23 | static_cast<std::uint32_t>(random.Integer(0, (1 << 23) - 1)));
    const std::uint16_t half = FloatToHalf(value);
    ASSERT_EQ(half, ReferenceHalf(value)) << std::hexfloat << value;
    if (std::abs(value) < HalfLargest)
    {
      const double bound =
        std::max(HalfRelativeRounding * std::abs(static_cast<double>(value)), HalfSmallestSubnormal / 2);
      ASSERT_LE(std::abs(static_cast<double>(HalfToFloat(half)) - value), bound) << std::hexfloat << value;
    }
  }
}

TEST(HalfPrecision, Ends)
{
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(FloatToHalf(65519.996F), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520.0F), 0x7c00);
  EXPECT_EQ(FloatToHalf(-65520.0F), 0xfc00);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_EQ(FloatToHalf(infinity), 0x7c00);
  EXPECT_EQ(FloatToHalf(-infinity), 0xfc00);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::quiet_NaN()), 0x7fff);
  EXPECT_EQ(FloatToHalf(FloatOf(0xff800001U)), 0x7fff); // signalling, negative
  EXPECT_EQ(FloatToHalf(-0.0F), 0x8000);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(FloatToHalf(0x1p-25F), 0);
  EXPECT_EQ(FloatToHalf(0x1.000002p-25F), 1);
  EXPECT_EQ(HalfToFloat(0x7bff), HalfLargest);
  EXPECT_EQ(HalfToFloat(0x0400), HalfSmallestNormal);
  EXPECT_EQ(HalfToFloat(0x0001), HalfSmallestSubnormal);
  EXPECT_EQ(HalfToFloat(0x3c01), 1.0 + 2 * HalfRelativeRounding);
}

} // namespace
