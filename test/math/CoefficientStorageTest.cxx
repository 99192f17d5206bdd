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
// Coefficients in 16 bits.
//
// Expected: the converted values are within the error bound of the scale, which is not larger than documented: 2^-11 of
// the largest magnitude for halves, a 131068th of the range for integers. Some error is close to the bound, so the
// bound is not too large.

#include "itkCudaSpline/math/CoefficientStorage.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

CoefficientStatistics<float>
Measure(const std::vector<float> & values)
{
  CoefficientStatistics<float> statistics;
  for (const float value : values)
  {
    statistics.Add(value);
  }
  return statistics;
}

template <typename TStored>
double
Restored(const StorageScale & scale, float value)
{
  TStored stored;
  scale.Store(value, stored);
  return static_cast<double>(scale.offset) +
         static_cast<double>(scale.scale) * static_cast<double>(static_cast<float>(stored));
}

/** Noise of a random magnitude over the range of float. */
std::vector<float>
Noise(Random & random, double lowestExponent, double offset)
{
  const double       magnitude = std::exp2(random.Uniform(lowestExponent, 120.0));
  std::vector<float> values;
  for (double value : random.Values(20000, -1.0, 1.0))
  {
    values.push_back(static_cast<float>(magnitude * (value + offset)));
  }
  return values;
}

TEST(CoefficientStorage, StatisticsAreThoseOfTheFiniteOnes)
{
  const float                  infinity = std::numeric_limits<float>::infinity();
  CoefficientStatistics<float> statistics = Measure({ 3.0F, -infinity, -7.0F, std::nanf(""), infinity, 5.0F });
  EXPECT_EQ(statistics.minimum, -7.0F);
  EXPECT_EQ(statistics.maximum, 5.0F);
  EXPECT_EQ(statistics.infinite, 3);
  EXPECT_EQ(statistics.Largest(), 7.0);
  EXPECT_EQ(CoefficientStatistics<float>().Largest(), 0.0);
  EXPECT_EQ(Measure({ 0.0F }).Largest(), 0.0);
  EXPECT_EQ(Measure({ -2.0F }).Largest(), 2.0);
  EXPECT_EQ(Measure({ 2.0F }).Largest(), 2.0);

  statistics.AddNeighbours(0, 3.0F, 5.0F);
  statistics.AddNeighbours(0, 3.0F, 2.0F);
  CoefficientStatistics<float> other = Measure({ 9.0F });
  other.AddNeighbours(1, 4.0F, -4.0F);
  other.AddNeighbours(2, 1.0F, infinity);
  other.Merge(statistics);
  EXPECT_EQ(other.minimum, -7.0F);
  EXPECT_EQ(other.maximum, 9.0F);
  EXPECT_EQ(other.infinite, 3);
  EXPECT_EQ(other.difference[0], 2.0F);
  EXPECT_EQ(other.difference[1], 8.0F);
  EXPECT_EQ(other.difference[2], infinity);
}

TEST(CoefficientStorage, HalvesAreWithinTheirBound)
{
  Random random(__LINE__);
  for (int repetition = 0; repetition < 50; ++repetition)
  {
    const auto         values = Noise(random, -105.0, random.Uniform(-2.0, 2.0));
    const auto         statistics = Measure(values);
    const StorageScale scale = ScaleOfHalves(statistics);
    double             worst = 0.0;
    for (const float value : values)
    {
      worst = std::max(worst, std::abs(Restored<HalfCoefficient>(scale, value) - static_cast<double>(value)));
    }
    EXPECT_LE(worst, scale.errorBound);
    EXPECT_GT(worst, 0.4 * scale.errorBound) << "the bound is idle";
    EXPECT_LE(scale.errorBound, HalfRelativeRounding * statistics.Largest());
    EXPECT_EQ(scale.offset, 0.0F);
  }
}

TEST(CoefficientStorage, HalvesHaveEveryMagnitude)
{
  for (const float largest : { std::numeric_limits<float>::max(),
                               1e38F,
                               65520.0F,
                               65504.0F,
                               1.0F,
                               1e-7F,
                               1e-30F,
                               1e-36F,
                               std::numeric_limits<float>::min(),
                               std::numeric_limits<float>::denorm_min() })
  {
    const StorageScale scale = ScaleOfHalves(Measure({ largest, -0.3F * largest }));
    for (const float value : { largest, -largest, 0.3F * largest, 1e-3F * largest, 1e-6F * largest, 0.0F })
    {
      const double restored = Restored<HalfCoefficient>(scale, value);
      EXPECT_LE(std::abs(restored - static_cast<double>(value)), scale.errorBound) << value << " of " << largest;
    }
  }
}

TEST(CoefficientStorage, HalvesKeepWhatIsNotFinite)
{
  const float        infinity = std::numeric_limits<float>::infinity();
  const StorageScale scale = ScaleOfHalves(Measure({ 1e6F, infinity, std::nanf("") }));
  EXPECT_EQ(Restored<HalfCoefficient>(scale, infinity), HUGE_VAL);
  EXPECT_EQ(Restored<HalfCoefficient>(scale, -infinity), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(Restored<HalfCoefficient>(scale, std::nanf(""))));
  EXPECT_NEAR(Restored<HalfCoefficient>(scale, 1e6F), 1e6, scale.errorBound);
  EXPECT_EQ(Restored<HalfCoefficient>(ScaleOfHalves(Measure({})), infinity), HUGE_VAL);
}

TEST(CoefficientStorage, IntegersAreWithinHalfAQuantum)
{
  Random random(__LINE__);
  for (int repetition = 0; repetition < 50; ++repetition)
  {
    const auto         values = Noise(random, -100.0, random.Uniform(-20.0, 20.0));
    const auto         statistics = Measure(values);
    const StorageScale scale = ScaleOfIntegers(statistics);
    const double       range = static_cast<double>(statistics.maximum) - static_cast<double>(statistics.minimum);
    double             worst = 0.0;
    for (const float value : values)
    {
      worst = std::max(worst, std::abs(Restored<Int16Coefficient>(scale, value) - static_cast<double>(value)));
    }
    EXPECT_LE(worst, scale.errorBound);
    EXPECT_GT(worst, 0.8 * scale.errorBound) << "the bound is idle";
    // The middle and the quantum are rounded to float.
    const double rounding = 0x1p-23 * statistics.Largest();
    EXPECT_LE(scale.errorBound, (range + rounding) / 131068.0 * (1.0 + 0x1p-20));
  }
}

TEST(CoefficientStorage, IntegersReachBothEnds)
{
  const float                           largest = std::numeric_limits<float>::max();
  const float                           smallest = std::numeric_limits<float>::denorm_min();
  const std::vector<std::vector<float>> ranges{ { -largest, largest }, { 0.0F, smallest },     { -1.0F, 3.0F },
                                                { 1e6F, 1e6F + 1.0F }, { smallest, largest },  { -5.0F, -5.0F },
                                                { 1e-40F, 1e-39F },    { 1e-45F, 33 * 1e-45F } };
  for (const auto & range : ranges)
  {
    const StorageScale scale = ScaleOfIntegers(Measure(range));
    for (const float value : range)
    {
      Int16Coefficient stored;
      scale.Store(value, stored);
      EXPECT_LE(std::abs(stored.number), 32767);
      EXPECT_LE(std::abs(Restored<Int16Coefficient>(scale, value) - static_cast<double>(value)), scale.errorBound)
        << range[0] << " to " << range[1];
    }
  }
  EXPECT_EQ(ScaleOfIntegers(Measure({ 7.25F })).errorBound, 0.0) << "a constant is kept";
  EXPECT_EQ(Restored<Int16Coefficient>(ScaleOfIntegers(Measure({ 7.25F })), 7.25F), 7.25);
  EXPECT_EQ(ScaleOfIntegers(Measure({})).errorBound, 0.0);
}

} // namespace
