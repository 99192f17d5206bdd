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
// The samples of a level. Expected: the number of regular samples follows from the stride; samples are at their
// indices, moved by normal deviates of a third of a spacing: mean and variance are within five standard errors. Samples
// of ITK are compared in test/itk LinearSamples.AreThoseThatItkDraws.

#include "itkCudaSpline/kernels/registration/SamplePlaces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

FieldGrid
MakeGrid()
{
  FieldGrid grid;
  grid.size = { 23, 19, 17 };
  grid.start = { 4, -2, 0 };
  grid.origin = { 10.0, -20.0, 5.0 };
  grid.spacing = { 0.9, 1.2, 3.0 };
  for (unsigned int d = 0; d < 3; ++d)
  {
    grid.indexToPoint[d][d] = grid.spacing[d];
    grid.pointToIndex[d][d] = 1.0 / grid.spacing[d];
  }
  return grid;
}

SampleRules
Rules(SampleChoice choice, double fraction, std::uint32_t seed = 11)
{
  SampleRules rules;
  rules.choice = choice;
  rules.fraction = fraction;
  rules.seed = seed;
  return rules;
}

TEST(SamplePlaces, AllSamplesHaveNoPlaces)
{
  EXPECT_EQ(CountDrawnPlaces(MakeGrid(), SampleRules()), 0U);
  EXPECT_TRUE(DrawPlaces(MakeGrid(), SampleRules(), 0).empty());
}

TEST(SamplePlaces, RegularOnesAreMovedByAThirdOfASpacing)
{
  const FieldGrid grid = MakeGrid();
  for (const double fraction : { 1.0, 0.5, 0.3 })
  {
    const SampleRules         rules = Rules(SampleChoice::Regular, fraction);
    const auto                stride = static_cast<std::int64_t>(std::ceil(1.0 / fraction));
    const std::vector<double> places = DrawPlaces(grid, rules, 0);
    const std::size_t         count = static_cast<std::size_t>((grid.Count() + stride - 1) / stride);
    ASSERT_EQ(places.size(), 3 * count);
    EXPECT_EQ(CountDrawnPlaces(grid, rules), count);
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t n = 0; n < count; ++n)
    {
      std::int64_t rest = static_cast<std::int64_t>(n) * stride;
      for (unsigned int d = 0; d < 3; ++d)
      {
        const double at = grid.origin[d] + grid.spacing[d] * static_cast<double>(grid.start[d] + rest % grid.size[d]);
        const double deviate = (places[3 * n + d] - at) / (grid.spacing[d] / 3.0);
        sum += deviate;
        squares += deviate * deviate;
        rest /= grid.size[d];
      }
    }
    const double numbers = 3.0 * static_cast<double>(count);
    EXPECT_LE(std::abs(sum / numbers), 5.0 / std::sqrt(numbers));
    EXPECT_LE(std::abs(squares / numbers - 1.0), 5.0 * std::sqrt(2.0 / numbers));
  }
}

TEST(SamplePlaces, RandomOnesAreAnywhere)
{
  const FieldGrid           grid = MakeGrid();
  const SampleRules         rules = Rules(SampleChoice::Random, 0.25);
  const std::vector<double> places = DrawPlaces(grid, rules, 0);
  const auto                count = static_cast<std::size_t>(0.25 * static_cast<double>(grid.Count()));
  ASSERT_EQ(places.size(), 3 * count);
  for (unsigned int d = 0; d < 3; ++d)
  {
    double mean = 0.0;
    for (std::size_t n = 0; n < count; ++n)
    {
      mean += places[3 * n + d] / static_cast<double>(count);
    }
    // Uniform in the extent of the grid, with variance (size^2 - 1) / 12 in samples, plus that of the displacement.
    const double size = static_cast<double>(grid.size[d]);
    const double middle = grid.origin[d] + grid.spacing[d] * (static_cast<double>(grid.start[d]) + 0.5 * (size - 1.0));
    const double deviation = grid.spacing[d] * std::sqrt((size * size - 1.0) / 12.0 + 1.0 / 9.0);
    EXPECT_LE(std::abs(mean - middle), 5.0 * deviation / std::sqrt(static_cast<double>(count)));
  }
}

TEST(SamplePlaces, SeedsAndLevels)
{
  const FieldGrid grid = MakeGrid();
  for (const SampleChoice choice : { SampleChoice::Regular, SampleChoice::Random })
  {
    const std::vector<double> places = DrawPlaces(grid, Rules(choice, 0.4), 1);
    EXPECT_EQ(places, DrawPlaces(grid, Rules(choice, 0.4), 1));
    EXPECT_NE(places, DrawPlaces(grid, Rules(choice, 0.4), 0));
    EXPECT_NE(places, DrawPlaces(grid, Rules(choice, 0.4, 12345), 1));
    // Each level uses the seeds after those of the previous one: one for regular samples, two for random ones.
    EXPECT_EQ(places, DrawPlaces(grid, Rules(choice, 0.4, choice == SampleChoice::Random ? 13 : 12), 0));
  }
}

TEST(SamplePlaces, ManyAreThoseOfOneThread)
{
  FieldGrid grid = MakeGrid();
  grid.size = { 80, 70, 40 };
  const ThreadExecutor threads(3);
  ExecutionContext     context;
  context.host = &threads;
  for (const SampleChoice choice : { SampleChoice::Regular, SampleChoice::Random })
  {
    const SampleRules         rules = Rules(choice, 0.4);
    const std::vector<double> places = DrawPlaces(grid, rules, 0, context);
    EXPECT_EQ(places, DrawPlaces(grid, rules, 0));

    // The last sample uses the last two numbers of the generator.
    const std::size_t count = CountDrawnPlaces(grid, rules);
    ASSERT_GT(count, std::size_t{ 1 } << 16); // more than one block draws them
    std::mt19937 mover(rules.seed);
    std::mt19937 chooser(rules.seed + 1);
    mover.discard(6 * count - 2);
    chooser.discard(count - 1);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - (mover() + 0.5) / 4294967296.0));
    const double deviate = radius * std::cos(2.0 * std::acos(-1.0) * (mover() / 4294967296.0));
    const double chosen = (chooser() + 0.5) / 4294967296.0 * (static_cast<double>(grid.Count()) - 0.5);
    const auto   sample = choice == SampleChoice::Random ? static_cast<std::int64_t>(chosen) : 3 * (count - 1);
    const auto   slice = static_cast<double>(sample / (grid.size[0] * grid.size[1]) + grid.start[2]);
    EXPECT_NEAR(places.back(), grid.origin[2] + grid.spacing[2] * (slice + deviate / 3.0), 1e-9);
  }
}

TEST(SamplePlaces, Refusals)
{
  const FieldGrid grid = MakeGrid();
  for (const double fraction : { 0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN() })
  {
    EXPECT_THROW(DrawPlaces(grid, Rules(SampleChoice::Regular, fraction), 0), std::invalid_argument);
    EXPECT_THROW(CountDrawnPlaces(grid, Rules(SampleChoice::Random, fraction)), std::invalid_argument);
  }
  EXPECT_THROW(DrawPlaces(grid, Rules(SampleChoice::Random, 1e-5), 0), std::invalid_argument);
  // There is always a regular sample.
  EXPECT_EQ(DrawPlaces(grid, Rules(SampleChoice::Regular, 1e-5), 0).size(), 3U);
}

} // namespace
