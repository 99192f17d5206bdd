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
// Exact derivatives of local correlation on both backends.
//
// Expected: loops over each sample's window in extended precision, where each window changes the factors of all of its
// samples. Sums of the kernels are double; the numbers of windows, and on a device their sums along x, are of the type
// of the pixels.

#include "LocalCase.h"
#include "MetricCase.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class ExactCorrelation : public OnMetricBackend
{
protected:
  static LocalCase
  MakeCase(const std::vector<std::int64_t> & size, const std::array<int, 3> & radius, ScalarType pixel)
  {
    LocalCase pair;
    pair.descriptor.isExact = true;
    pair.descriptor.grid = MakeGrid(size, { 0.5, 2.0, 1.25 });
    pair.descriptor.radius = radius;
    pair.descriptor.pixel = pixel;
    pair.descriptor.derivative = pixel;
    return pair;
  }

  /** Compares with plain loops.
   *
   * \param[in] share minimum share of the variances in the sums of squares of centred values */
  void
  ExpectLoops(const LocalCase & pair, double share) const
  {
    const LocalOutcome found = pair.Run(this->OnBackend());
    const LocalOutcome expected = pair.Expected();
    EXPECT_EQ(found.sums.count, expected.sums.count);
    EXPECT_EQ(found.sums.flatWindows, expected.sums.flatWindows);
    const bool isSingle =
      pair.descriptor.pixel == ScalarType::Float32 || pair.descriptor.derivative == ScalarType::Float32;
    const double tolerance = (isSingle ? 4e-6 : 1e-13) / share;
    EXPECT_NEAR(found.Value(), expected.Value(), tolerance);
    EXPECT_LE(RelativeDistance(found.moving, expected.moving), tolerance);
    EXPECT_LE(RelativeDistance(found.fixed, expected.fixed), tolerance);
  }

  /** Compares differences of the value with respect to each pixel of either image with the factors. */
  void
  ExpectDifferences(LocalCase pair) const
  {
    pair.descriptor.factorsAlone = true;
    const LocalOutcome found = pair.Run(OnBackend());
    const auto         count = static_cast<double>(found.sums.count);
    constexpr double   step = 1e-3; // for pixels of about 50: the third derivative contributes about 1e-9 of the first
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      for (std::vector<double> * image : { &pair.moving, &pair.fixed })
      {
        const double old = (*image)[i];
        (*image)[i] = old + step;
        const double above = pair.Run(OnBackend(), false, false).Value();
        (*image)[i] = old - step;
        const double below = pair.Run(OnBackend(), false, false).Value();
        (*image)[i] = old;
        const double factor = image == &pair.moving ? found.moving[i] : found.fixed[i];
        ASSERT_NEAR((below - above) / (2.0 * step) * count, factor, 1e-6);
      }
    }
  }
};

TEST_P(ExactCorrelation, AgreesWithPlainLoops)
{
  FreshRandom                                  random;
  const std::vector<std::vector<std::int64_t>> sizes{ { 37, 23 },    { 19, 17, 13 }, { 5, 41, 3 },
                                                      { 67, 5, 37 }, { 31, 29, 1 },  { 1, 9, 40 } };
  const std::vector<std::array<int, 3>>        radii{ { 2, 2, 2 }, { 4, 4, 4 }, { 1, 3, 2 }, { 3, 0, 5 } };
  int                                          choice = 0;
  for (const auto & size : sizes)
  {
    for (const auto & radius : radii)
    {
      ++choice;
      LocalCase pair = MakeCase(size, radius, choice % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64);
      pair.descriptor.derivative = choice % 3 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.descriptor.factorsAlone = choice % 5 == 0;
      pair.Fill(random, 0.0);
      const testing::ScopedTrace trace(__FILE__, __LINE__, "choice " + std::to_string(choice));
      ExpectLoops(pair, 1e-1);
    }
  }
}

TEST_P(ExactCorrelation, MasksAndFloorsAreThoseOfTheDefinition)
{
  FreshRandom random;
  for (const double floor : { 0.0, 40.0 })
  {
    for (const double likelihood : { 0.9, 0.5, 0.0 })
    {
      LocalCase pair = MakeCase({ 27, 19, 23 }, { 2, 2, 2 }, ScalarType::Float64);
      pair.descriptor.varianceFloors = { { floor, 2.0 * floor } };
      pair.Fill(random, 0.0);
      pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), likelihood);
      pair.movingInside = LocalCase::RandomMask(random, pair.Count(), 0.8);
      for (std::size_t i = 0; i < 3 * pair.Count(); ++i) // masked neighbours have other values
      {
        pair.fixedGradient.push_back(random.Uniform(-1.0, 1.0));
        pair.movingGradient.push_back(random.Uniform(-1.0, 1.0));
      }
      for (std::size_t i = 0; i < pair.Count(); ++i)
      {
        pair.fixed[i] = pair.fixedInside[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : pair.fixed[i];
        pair.moving[i] = pair.movingInside[i] == 0 ? std::numeric_limits<double>::infinity() : pair.moving[i];
      }
      const testing::ScopedTrace trace(
        __FILE__, __LINE__, "floor " + std::to_string(floor) + ", inside " + std::to_string(likelihood));
      ExpectLoops(pair, 1e-3);
      pair.movingInside.clear();
      pair.Fill(random, 0.0);
      ExpectLoops(pair, 1e-3);
    }
  }
}

TEST_P(ExactCorrelation, IsTheDerivativeOfTheValue)
{
  FreshRandom random;
  for (const double floor : { 0.0, 90.0 })
  {
    LocalCase pair = MakeCase({ 7, 6, 5 }, { 1, 2, 1 }, ScalarType::Float64);
    pair.descriptor.varianceFloors = { { floor, floor / 3.0 } };
    pair.Fill(random, 100.0);
    ExpectDifferences(pair);
    pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), 0.9);
    ExpectDifferences(pair);
  }
}

TEST_P(ExactCorrelation, OffsetsAndGainsChangeNothing)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 43, 29, 31 }, { 4, 4, 4 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  const LocalOutcome without = pair.Run(OnBackend());
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    pair.fixed[i] = 4096.0 + 8.0 * pair.fixed[i];
    pair.moving[i] = -2048.0 + 0.25 * pair.moving[i];
  }
  const LocalOutcome with = pair.Run(OnBackend());
  EXPECT_NEAR(with.Value(), without.Value(), 1e-10);
  EXPECT_LE(RelativeDistance(with.moving, without.moving),
            1e-9); // a gain divides the factor
  EXPECT_LE(RelativeDistance(with.fixed, without.fixed), 1e-9);
}

TEST_P(ExactCorrelation, ExchangedImagesExchangeDerivatives)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 37, 41, 29 }, { 2, 2, 2 }, ScalarType::Float32);
  pair.Fill(random, 0.0);
  const LocalOutcome both = pair.Run(OnBackend());
  EXPECT_EQ(pair.Run(OnBackend(), true, false).moving, both.moving);
  EXPECT_EQ(pair.Run(OnBackend(), false, true).fixed, both.fixed);
  EXPECT_EQ(pair.Run(OnBackend(), false, false).sums.correlation, both.sums.correlation);
  std::swap(pair.fixed, pair.moving);
  const LocalOutcome exchanged = pair.Run(OnBackend());
  EXPECT_LE(RelativeDistance(exchanged.moving, both.fixed), 1e-5);
  EXPECT_LE(RelativeDistance(exchanged.fixed, both.moving), 1e-5);
  EXPECT_NEAR(exchanged.Value(), both.Value(), 1e-12);
}

TEST_P(ExactCorrelation, TransposedImagesTransposeDerivatives)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 23, 17 }, { 3, 3, 3 }, ScalarType::Float64);
  pair.descriptor.factorsAlone = true;
  pair.Fill(random, 0.0);
  const auto transpose = [](const std::vector<double> & image, std::size_t columns) {
    const std::size_t   rows = image.size() / columns;
    std::vector<double> result;
    for (std::size_t i = 0; i < image.size(); ++i)
    {
      result.push_back(image[i % rows * columns + i / rows]);
    }
    return result;
  };
  const LocalOutcome expected = pair.Run(OnBackend());
  pair.descriptor.grid = MakeGrid({ 17, 23 });
  pair.fixed = transpose(pair.fixed, 23);
  pair.moving = transpose(pair.moving, 23);
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_NEAR(found.Value(), expected.Value(), 1e-13);
  EXPECT_LE(RelativeDistance(found.moving, transpose(expected.moving, 23)), 1e-12);
}

TEST_P(ExactCorrelation, ObliqueGridsHaveTheGradientsOfSpace)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 21, 18, 11 }, { 2, 2, 2 }, ScalarType::Float64);
  pair.descriptor.grid = MakeGrid({ 21, 18, 11 });
  pair.Fill(random, 0.0);
  const LocalOutcome straight = pair.Run(OnBackend());
  auto &             grid = pair.descriptor.grid;
  // A rotation by 90 degrees about z with a tiny shear, due to which the grid is treated as oblique.
  grid.indexToPoint = { { { 0.0, -1.0, 0.0 }, { 1.0, 0.0, 0.0 }, { 0.0, 1e-12, 1.0 } } };
  grid.pointToIndex = { { { 0.0, 1.0, 0.0 }, { -1.0, 0.0, 0.0 }, { 1e-12, 0.0, 1.0 } } };
  const LocalOutcome turned = pair.Run(OnBackend());
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    const std::size_t at[3] = { i % 21, i / 21 % 18, i / 21 / 18 };
    if (at[0] > 0 && at[0] < 20 && at[1] > 0 && at[1] < 17 && at[2] > 0 && at[2] < 10)
    {
      ASSERT_NEAR(turned.moving[3 * i], -straight.moving[3 * i + 1], 1e-9);
      ASSERT_NEAR(turned.moving[3 * i + 1], straight.moving[3 * i], 1e-9);
      ASSERT_NEAR(turned.fixed[3 * i + 2], straight.fixed[3 * i + 2], 1e-9);
    }
  }
}

TEST_P(ExactCorrelation, ConstantPatchesHaveOneAndNoDerivative)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 41, 37, 19 }, { 2, 2, 2 }, ScalarType::Float32);
  pair.Fill(random, 900.0);
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    pair.fixed[i] = i % 41 < 20 ? 17.0 : pair.fixed[i];
  }
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_EQ(found.sums.flatWindows, 18 * 37 * 19);
  EXPECT_EQ(found.sums.flatWindows, pair.Expected().sums.flatWindows);
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    if (i % 41 < 16) // only in flat windows
    {
      ASSERT_EQ(found.moving[3 * i], 0.0);
    }
  }
  // With floors such windows have a correlation of 0.
  pair.descriptor.varianceFloors = { { 1.0, 1.0 } };
  EXPECT_EQ(pair.Run(OnBackend()).sums.flatWindows, 0);
  EXPECT_GT(pair.Run(OnBackend()).Value(), found.Value());
}

TEST_P(ExactCorrelation, NansAreInFlatWindowsAlone)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 37, 33, 31 }, { 2, 1, 3 }, ScalarType::Float64);
  pair.descriptor.factorsAlone = true;
  pair.Fill(random, 0.0);
  const std::int64_t centre[3] = { 20, 15, 4 };
  pair.fixed[static_cast<std::size_t>((centre[2] * 33 + centre[1]) * 37 + centre[0])] =
    std::numeric_limits<double>::quiet_NaN();
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_EQ(found.sums.flatWindows, 5 * 3 * 7);
  const LocalOutcome expected = pair.Expected();
  EXPECT_NEAR(found.Value(), expected.Value(), 1e-10);
  EXPECT_LE(RelativeDistance(found.moving, expected.moving), 1e-10);
  EXPECT_LE(RelativeDistance(found.fixed, expected.fixed), 1e-10);
}

TEST_P(ExactCorrelation, HasTheSameBitsOnAnyNumberOfThreads)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 71, 67, 73 }, { 2, 2, 2 }, ScalarType::Float32);
  pair.Fill(random, 300.0);
  const LocalOutcome expected = pair.Run(OnBackend());
  for (const unsigned int threads : { 1U, 2U, 7U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context = OnBackend();
    context.host = &executor;
    const LocalOutcome found = pair.Run(context);
    EXPECT_EQ(found.sums.correlation, expected.sums.correlation);
    EXPECT_EQ(found.moving, expected.moving);
    EXPECT_EQ(found.fixed, expected.fixed);
  }
}

TEST_P(ExactCorrelation, RefusesFloorsBelowZero)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 5, 6, 7 }, { 1, 1, 1 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  EXPECT_NO_THROW(pair.Run(OnBackend()));
  for (const double floor : { -1.0, std::numeric_limits<double>::infinity(), std::nan("") })
  {
    pair.descriptor.varianceFloors[1] = floor;
    EXPECT_THROW(pair.Run(OnBackend()), std::invalid_argument);
  }
}

// Five numbers per sample in addition to images and results, and less than three hundredths of a volume for sums.
TEST_P(ExactCorrelation, TakesFiveVolumes)
{
  constexpr std::size_t samples = std::size_t{ 256 } * 256 * 256;
  const LocalCase       pair = MakeCase({ 256, 256, 256 }, { 4, 4, 4 }, ScalarType::Float32);
  const Residence       residence(OnBackend());
  const std::size_t     bytes = CountLocalCorrelationScratch(pair.descriptor, residence);
  EXPECT_GE(bytes, 5 * samples * sizeof(float));
  EXPECT_LE(bytes, 5 * samples * sizeof(float) + 3 * samples * sizeof(float) / 100);
}

INSTANTIATE_TEST_SUITE_P(Backends, ExactCorrelation, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
