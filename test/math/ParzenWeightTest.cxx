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
// Digits of a histogram's weights.
//
// Expected: the weight itself, within half of the smallest unit that the documentation gives it.

#include "itkCudaSpline/math/ParzenBins.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <cmath>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::ParzenBins;
using itk::CudaSpline::ParzenWeight;

double
SumOf(const ParzenWeight & weight)
{
  double sum = 0.0;
  for (int k = 2; k >= 0; --k)
  {
    EXPECT_LE(weight.digit[k], 1U << ParzenWeight::Bits);
    sum += static_cast<double>(weight.digit[k]) * ParzenWeight::Units[k];
  }
  return sum;
}

void
ExpectUnits(double weight)
{
  const double inDouble = weight < 0x1p-19 ? 0x1p-57 : 0x1p-38;
  const double inSingle = weight < 0x1p-10 ? 0x1p-38 : 0x1p-19;
  EXPECT_NEAR(SumOf(ParzenWeight(weight, true)), weight, 0.5 * inDouble);
  EXPECT_NEAR(SumOf(ParzenWeight(weight, false)), weight, 0.5 * inSingle);
  EXPECT_NEAR(SumOf(ParzenWeight::OfThreeDigits(weight)), weight, 0.5 * 0x1p-57);
  if (weight >= 0x1p-10)
  {
    EXPECT_EQ(ParzenWeight(weight, false).digit[1], 0U) << "one addition is enough";
  }
  EXPECT_EQ(ParzenWeight(weight, false).digit[2], 0U);
}

TEST(ParzenWeight, DigitsSumToTheWeight)
{
  Random random(__LINE__);
  for (int i = 0; i < 20000; ++i)
  {
    ExpectUnits(std::ldexp(random.Uniform(0.5, 1.0), -static_cast<int>(random.Integer(0, 62))));
  }
}

TEST(ParzenWeight, AtTheBordersOfItsUnits)
{
  for (const double border : { 0x1p-10, 0x1p-19, 0x1p-38, 0x1p-57 })
  {
    ExpectUnits(border);
    ExpectUnits(std::nextafter(border, 0.0));
    ExpectUnits(std::nextafter(border, 1.0));
  }
  ExpectUnits(0.0);
  ExpectUnits(2.0 / 3.0);
  ExpectUnits(1.0);
}

TEST(ParzenBins, FractionsStayWithinABin)
{
  ParzenBins bins;
  bins.bins = 9;
  bins.movingBinSize = 0.25;
  bins.movingMinimum = 300.0 / 0.25 - 2.0;
  bins.movingLowest = 299.99;
  bins.movingHighest = 301.01; // beyond the four bins that are not padding, because ends may be rounded
  ParzenBins::Window window{};
  ASSERT_TRUE(bins.Find(0.0, 299.99, window));
  EXPECT_EQ(window.first % bins.bins, 1);
  EXPECT_EQ(window.fraction, 0.0);
  bins.movingHighest = 301.3;
  ASSERT_TRUE(bins.Find(0.0, 301.3, window));
  EXPECT_EQ(window.first % bins.bins, 5);
  EXPECT_EQ(window.fraction, 0.2 <= window.fraction && window.fraction <= 1.0 ? window.fraction : -1.0);
  bins.movingHighest = 302.0;
  ASSERT_TRUE(bins.Find(0.0, 302.0, window));
  EXPECT_EQ(window.fraction, 1.0);
}

} // namespace
