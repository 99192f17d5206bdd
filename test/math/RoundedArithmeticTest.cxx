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
// Separately rounded arithmetic, the nearest index and the floor.
//
// Expected values: written out for ties and for the neighbours of ties, from the rule rint(2 x +- 1/2) >> 1; away from
// them the mathematical floor(x + 1/2) and floor(x). (itk/RoundingTest.cxx compares with ITK.) Exact: no
// tolerance.

#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::FloorIndex;
using itk::CudaSpline::FloorOf;
using itk::CudaSpline::NearestIndex;
using itk::CudaSpline::RoundedProduct;
using itk::CudaSpline::RoundedSum;
using itk::CudaSpline::RoundHalfToEven;
using itk::CudaSpline::ShortFloor;

// A fused multiply-add would keep the last bits of the product.
TEST(RoundedArithmetic, ProductAndSumAreRoundedApart)
{
  volatile double a = 1.0 + 0x1p-30;
  volatile double b = 1.0 - 0x1p-30;
  EXPECT_EQ(RoundedSum(RoundedProduct(double(a), double(b)), -1.0), 0.0);
  EXPECT_EQ(std::fma(double(a), double(b), -1.0), -0x1p-60);
  volatile float c = 1.0F + 0x1p-13F;
  volatile float d = 1.0F - 0x1p-13F;
  EXPECT_EQ(RoundedSum(RoundedProduct(float(c), float(d)), -1.0F), 0.0F);
  EXPECT_EQ(std::fma(float(c), float(d), -1.0F), -0x1p-26F);
}

TEST(RoundedArithmetic, HalvesToEven)
{
  EXPECT_EQ(RoundHalfToEven(0.5), 0);
  EXPECT_EQ(RoundHalfToEven(1.5), 2);
  EXPECT_EQ(RoundHalfToEven(2.5), 2);
  EXPECT_EQ(RoundHalfToEven(-0.5), 0);
  EXPECT_EQ(RoundHalfToEven(-1.5), -2);
  EXPECT_EQ(RoundHalfToEven(2.5F), 2);
  EXPECT_EQ(RoundHalfToEven(3.5F), 4);
  EXPECT_EQ(RoundHalfToEven(0x1p62), std::int64_t(1) << 62);
}

TEST(RoundedArithmetic, NearestRoundsHalvesUp)
{
  EXPECT_EQ(NearestIndex(0.0), 0);
  EXPECT_EQ(NearestIndex(-0.0), 0);
  EXPECT_EQ(NearestIndex(0.5), 1);
  EXPECT_EQ(NearestIndex(1.5), 2);
  EXPECT_EQ(NearestIndex(2.5), 3);
  EXPECT_EQ(NearestIndex(-0.5), 0) << "the lower border of the buffer is inside";
  EXPECT_EQ(NearestIndex(-1.5), -1);
  EXPECT_EQ(NearestIndex(-2.5), -2);
  EXPECT_EQ(NearestIndex(std::nextafter(-0.5, -1.0)), -1);
  EXPECT_EQ(NearestIndex(0.5F), 1);
  EXPECT_EQ(NearestIndex(-0.5F), 0);
  EXPECT_EQ(NearestIndex(-1.5F), -1);
  // One step below a half the sum 2 x + 1/2 is a tie and rounds up to an even number: the upper pixel, as in ITK.
  EXPECT_EQ(NearestIndex(std::nextafter(0.5, 0.0)), 1);
  EXPECT_EQ(NearestIndex(std::nextafter(0.5F, 0.0F)), 1);
  EXPECT_EQ(NearestIndex(0.5 - 0x1p-52), 0);
}

TEST(RoundedArithmetic, FloorIsITKs)
{
  EXPECT_EQ(FloorIndex(0.0), 0);
  EXPECT_EQ(FloorIndex(-0.0), 0);
  EXPECT_EQ(FloorIndex(0.999), 0);
  EXPECT_EQ(FloorIndex(-0.001), -1);
  EXPECT_EQ(FloorIndex(-1.0), -1);
  EXPECT_EQ(FloorIndex(7.0), 7);
  EXPECT_EQ(FloorIndex(-7.5F), -8);
  // A tiny negative number disappears in 2 x - 1/2, and rint(-1/2) is 0.
  EXPECT_EQ(FloorIndex(-0x1p-60), 0);
  EXPECT_EQ(FloorIndex(-0x1p-55), 0) << "the sum is halfway to the next number, and rounds to the even one, -1/2";
  EXPECT_EQ(FloorIndex(-0x1p-54), -1);
  EXPECT_EQ(FloorIndex(-0x1p-26F), 0);
  EXPECT_EQ(FloorIndex(-0x1p-25F), -1);
  // At other integers the sum is exact.
  EXPECT_EQ(FloorIndex(std::nextafter(1.0, 0.0)), 0);
  EXPECT_EQ(FloorIndex(std::nextafter(-1.0, -2.0)), -2);
  EXPECT_EQ(FloorIndex(std::nextafter(1024.0F, 0.0F)), 1023);
}

template <typename T>
void
ExpectMathematical()
{
  Random random(__LINE__);
  for (int trial = 0; trial < 20000; ++trial)
  {
    const T      x = static_cast<T>(random.Uniform(-2000.0, 2000.0));
    const double value = x;
    const double toHalf = std::abs(value + 0.5 - std::round(value + 0.5));
    const double toInteger = std::abs(value - std::round(value));
    // Two roundings of numbers up to 4001 matter only at smaller distances.
    const double margin = 8192 * UnitOfRounding<T>;
    if (toHalf > margin)
    {
      EXPECT_EQ(NearestIndex(x), static_cast<std::int64_t>(std::floor(value + 0.5))) << value;
    }
    if (toInteger > margin)
    {
      EXPECT_EQ(FloorIndex(x), static_cast<std::int64_t>(std::floor(value))) << value;
    }
  }
}

TEST(RoundedArithmetic, MathematicalAwayFromTies)
{
  ExpectMathematical<double>();
  ExpectMathematical<float>();
}

// The mathematical floor, next to integers too.
TEST(RoundedArithmetic, FloorOfIntegersAndTheirNeighbours)
{
  CudaSplineTest::Random random(__LINE__);
  for (int trial = 0; trial < 2000; ++trial)
  {
    const double whole = std::floor(random.Uniform(-1e9, 1e9));
    for (const double x : { whole, std::nextafter(whole, -2e9), whole + random.Uniform(0.01, 0.99) })
    {
      const std::int64_t expected = static_cast<std::int64_t>(whole) - (x < whole ? 1 : 0);
      double             below = 0.0;
      EXPECT_EQ(FloorOf<std::int64_t>(x), expected) << std::hexfloat << x;
      EXPECT_EQ(FloorOf<int>(x), expected) << std::hexfloat << x;
      EXPECT_EQ(ShortFloor(x, below), expected) << std::hexfloat << x;
      EXPECT_EQ(below, static_cast<double>(expected)) << std::hexfloat << x;
    }
  }
  EXPECT_EQ(FloorOf<std::int64_t>(-0x1p61 - 512.0), -(INT64_C(1) << 61) - 512);
  EXPECT_EQ(FloorOf<std::int64_t>(-5e-324), -1);
  EXPECT_EQ(FloorOf<int>(-5e-324), -1);
  EXPECT_EQ(FloorOf<int>(-0.0), 0);
}

} // namespace
