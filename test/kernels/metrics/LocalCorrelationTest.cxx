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
// Local correlation on both backends.
//
// Expected: loops over each sample's window in extended precision, of products that are rounded to floats where ITK's
// are. The sums of the kernels are double, so with variances v of a share s of the sums of squares the values agree to
// some 1e-15 / s, and float quotients and derivatives to some 1e-6.

#include "LocalCase.h"
#include "MetricCase.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class LocalCorrelation : public OnMetricBackend
{
protected:
  /** Compares with plain loops.
   *
   * \param[in] share of the variances in the sums of squares, at least */
  void
  ExpectLoops(const LocalCase & pair, double share) const
  {
    const LocalOutcome found = pair.Run(this->OnBackend());
    const LocalOutcome expected = pair.Expected();
    EXPECT_EQ(found.sums.count, expected.sums.count);
    EXPECT_EQ(found.sums.flatWindows, expected.sums.flatWindows);
    const bool   isSingle = pair.descriptor.arithmetic == ScalarType::Float32;
    const double exact = 1e-14 / share;
    EXPECT_NEAR(found.Value(), expected.Value(), exact + (isSingle ? 1e-6 : 0.0));
    const double tolerance = exact + (isSingle || pair.descriptor.derivative == ScalarType::Float32 ? 2e-6 : 0.0);
    EXPECT_LE(RelativeDistance(found.moving, expected.moving), tolerance);
    EXPECT_LE(RelativeDistance(found.fixed, expected.fixed), tolerance);
  }
};

TEST_P(LocalCorrelation, AgreesWithPlainLoops)
{
  FreshRandom                                  random;
  const std::vector<std::vector<std::int64_t>> sizes{ { 37, 23 },    { 19, 17, 13 }, { 5, 41, 3 },
                                                      { 67, 5, 37 }, { 31, 29, 1 },  { 1, 9, 70 } };
  const std::vector<std::array<int, 3>> radii{ { 2, 2, 2 }, { 4, 4, 4 }, { 1, 3, 2 }, { 3, 0, 5 }, { 9, 50, 2 } };
  int                                   choice = 0;
  for (const auto & size : sizes)
  {
    for (const auto & radius : radii)
    {
      ++choice;
      LocalCase pair;
      pair.descriptor.grid = MakeGrid(size, { 0.5, 2.0, 1.25 });
      pair.descriptor.radius = radius;
      pair.descriptor.pixel = choice % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.descriptor.arithmetic = choice / 2 % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.descriptor.derivative = choice % 3 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.Fill(random, 0.0);
      const testing::ScopedTrace trace(__FILE__, __LINE__, "choice " + std::to_string(choice));
      ExpectLoops(pair, 1e-3);
    }
  }
}

TEST_P(LocalCorrelation, MasksLeaveSamplesOutOfSumsAndMean)
{
  FreshRandom                           random;
  const std::vector<std::array<int, 3>> radii{ { 2, 3, 1 }, { 2, 2, 2 }, { 4, 4, 4 }, { 3, 3, 2 } };
  std::size_t                           choice = 0;
  for (const double likelihood : { 0.9, 0.5, 0.03, 0.0 })
  {
    for (const bool isFlatImage : { false, true })
    {
      LocalCase pair;
      pair.descriptor.grid =
        MakeGrid(isFlatImage ? std::vector<std::int64_t>{ 67, 41 } : std::vector<std::int64_t>{ 37, 19, 23 });
      pair.descriptor.radius = radii[++choice % radii.size()];
      pair.descriptor.arithmetic = choice % 3 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.descriptor.factorsAlone = true;
      pair.Fill(random, 0.0);
      pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), likelihood);
      pair.movingInside = LocalCase::RandomMask(random, pair.Count(), 0.8);
      // Integers: the variance of a few almost equal samples can be noise of the sums, which plain loops do not have.
      // Masked samples have no effect, whatever their values.
      for (std::size_t i = 0; i < pair.Count(); ++i)
      {
        pair.fixed[i] = std::floor(pair.fixed[i]);
        pair.moving[i] = std::floor(pair.moving[i]);
        pair.fixed[i] = pair.fixedInside[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : pair.fixed[i];
      }
      // With only two samples the squared correlations are 1, and the derivatives are rounding errors.
      const LocalOutcome found = pair.Run(OnBackend());
      const LocalOutcome expected = pair.Expected();
      EXPECT_EQ(found.sums.count, expected.sums.count);
      EXPECT_NEAR(found.Value(), expected.Value(), 1e-6);
      EXPECT_LE(RelativeDistance(found.moving, expected.moving), 1e-4);
      EXPECT_LE(RelativeDistance(found.fixed, expected.fixed), 1e-4);
      pair.movingInside.clear();
      const LocalOutcome oneMask = pair.Run(OnBackend());
      EXPECT_EQ(oneMask.sums.count, pair.Expected().sums.count);
      EXPECT_NEAR(oneMask.Value(), pair.Expected().Value(), 1e-6);
    }
  }
}

TEST_P(LocalCorrelation, OffsetsChangeNothingThatTheSumsResolve)
{
  FreshRandom random;
  for (const ScalarType pixel : { ScalarType::Float32, ScalarType::Float64 })
  {
    LocalCase pair;
    pair.descriptor.grid = MakeGrid({ 43, 29, 31 });
    pair.descriptor.radius = { 4, 4, 4 };
    pair.descriptor.pixel = pixel;
    pair.descriptor.derivative = ScalarType::Float64;
    pair.Fill(random, 0.0);
    for (std::size_t i = 0; i < pair.Count(); ++i) // so that the offset rounds nothing
    {
      pair.fixed[i] = std::floor(16.0 * pair.fixed[i]) / 16.0;
      pair.moving[i] = std::floor(16.0 * pair.moving[i]) / 16.0;
    }
    const LocalOutcome without = pair.Run(OnBackend());
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      pair.fixed[i] += 4096.0;
      pair.moving[i] -= 2048.0;
    }
    const LocalOutcome with = pair.Run(OnBackend());
    EXPECT_NEAR(with.Value(), without.Value(), 1e-7); // float quotients of variances that differ in their last bits
    EXPECT_LE(RelativeDistance(with.moving, without.moving), 1e-6);
    EXPECT_LE(RelativeDistance(with.fixed, without.fixed), 1e-6);
    ExpectLoops(pair, 1e-6);
    pair.descriptor.arithmetic = ScalarType::Float64;
    ExpectLoops(pair, 1e-6);
  }
}

TEST_P(LocalCorrelation, ConstantPatchesHaveOneAndNoDerivative)
{
  FreshRandom random;
  for (const ScalarType arithmetic : { ScalarType::Float32, ScalarType::Float64 })
  {
    LocalCase pair;
    pair.descriptor.grid = MakeGrid({ 41, 37, 19 });
    pair.descriptor.arithmetic = arithmetic;
    pair.Fill(random, 900.0);
    const double patch = static_cast<double>(static_cast<float>(random.Uniform(0.01, 1000.0)));
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      const std::size_t x = i % 41;
      const std::size_t y = i / 41 % 37;
      pair.fixed[i] = x < 20 ? patch : pair.fixed[i];
      pair.moving[i] = y < 11 ? 0.1F : pair.moving[i];
    }
    const LocalOutcome found = pair.Run(OnBackend());
    EXPECT_EQ(found.sums.flatWindows, (18 * 37 + 23 * 9) * 19);
    EXPECT_EQ(found.sums.flatWindows, pair.Expected().sums.flatWindows);
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      if (i % 41 < 18 || i / 41 % 37 < 9)
      {
        ASSERT_EQ(found.moving[3 * i] * found.moving[3 * i + 1] * found.moving[3 * i + 2], 0.0);
        ASSERT_EQ(found.fixed[3 * i], 0.0);
      }
    }
  }
}

TEST_P(LocalCorrelation, NansStayInTheirWindows)
{
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 67, 43, 53 });
  pair.descriptor.radius = { 2, 1, 3 };
  pair.descriptor.factorsAlone = true;
  pair.Fill(random, 0.0);
  const LocalOutcome clean = pair.Run(OnBackend());
  EXPECT_EQ(clean.sums.flatWindows, 0);
  const std::int64_t at[2][3] = { { 20, 30, 40 }, { 0, 42, 4 } };
  pair.fixed[(at[0][2] * 43 + at[0][1]) * 67 + at[0][0]] = std::numeric_limits<double>::quiet_NaN();
  pair.moving[(at[1][2] * 43 + at[1][1]) * 67 + at[1][0]] = std::numeric_limits<double>::infinity();
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_EQ(found.sums.count, clean.sums.count);
  EXPECT_EQ(found.sums.flatWindows, 5 * 3 * 7 + 3 * 2 * 7);
  std::int64_t changed = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(pair.Count()); ++i)
  {
    const std::int64_t of[3] = { i % 67, i / 67 % 43, i / 67 / 43 };
    bool               isNear = false;
    for (const auto & centre : at)
    {
      isNear = isNear || (std::abs(of[0] - centre[0]) <= 2 && std::abs(of[1] - centre[1]) <= 1 &&
                          std::abs(of[2] - centre[2]) <= 3);
    }
    const auto n = static_cast<std::size_t>(i);
    ASSERT_EQ(found.moving[n], isNear ? 0.0 : clean.moving[n]);
    ASSERT_EQ(found.fixed[n], isNear ? 0.0 : clean.fixed[n]);
    changed += isNear ? 1 : 0;
  }
  EXPECT_EQ(changed, found.sums.flatWindows);
}

TEST_P(LocalCorrelation, GivenGradientsReplaceDifferences)
{
  FreshRandom random;
  for (const std::size_t dimension : { 2, 3 })
  {
    LocalCase pair;
    pair.descriptor.grid =
      MakeGrid(dimension == 2 ? std::vector<std::int64_t>{ 53, 31 } : std::vector<std::int64_t>{ 23, 17, 11 });
    pair.descriptor.arithmetic = ScalarType::Float64;
    pair.descriptor.derivative = ScalarType::Float64;
    pair.Fill(random, 100.0);
    for (std::size_t i = 0; i < dimension * pair.Count(); ++i)
    {
      pair.fixedGradient.push_back(random.Uniform(-1.0, 1.0));
      pair.movingGradient.push_back(random.Uniform(-1.0, 1.0));
    }
    ExpectLoops(pair, 1e-3);
  }
}

TEST_P(LocalCorrelation, OneDerivativeIsThatOfBothAndExchangedImagesExchangeThem)
{
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 37, 41, 29 });
  pair.Fill(random, 0.0);
  const LocalOutcome both = pair.Run(OnBackend());
  EXPECT_EQ(pair.Run(OnBackend(), true, false).moving, both.moving);
  EXPECT_EQ(pair.Run(OnBackend(), false, true).fixed, both.fixed);
  EXPECT_EQ(pair.Run(OnBackend(), false, false).sums.correlation, both.sums.correlation);
  std::swap(pair.fixed, pair.moving);
  const LocalOutcome exchanged = pair.Run(OnBackend());
  EXPECT_EQ(exchanged.moving, both.fixed);
  EXPECT_EQ(exchanged.fixed, both.moving);
  EXPECT_EQ(exchanged.sums.correlation, both.sums.correlation);
}

TEST_P(LocalCorrelation, FactorsAreTheDerivativeOfTheirOwnWindow)
{
  // Each window is the whole image: the sum is the number of samples times one correlation.
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 7, 5, 3 });
  pair.descriptor.radius = { 7, 7, 7 };
  pair.descriptor.pixel = ScalarType::Float64;
  pair.descriptor.arithmetic = ScalarType::Float64;
  pair.descriptor.derivative = ScalarType::Float64;
  pair.descriptor.factorsAlone = true;
  pair.Fill(random, 0.0);
  const LocalOutcome found = pair.Run(OnBackend());
  constexpr double   step = 1e-3; // of pixels of about 50: the third derivative leaves some 1e-9 of the first
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
      EXPECT_NEAR((below - above) / (2.0 * step), factor, 1e-9);
    }
  }
}

TEST_P(LocalCorrelation, HasTheSameBitsOnAnyNumberOfThreads)
{
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 71, 67, 73 });
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

TEST_P(LocalCorrelation, EpsilonIsOfVariancesAndTheirProduct)
{
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 33, 35 });
  pair.Fill(random, 0.0);
  pair.descriptor.epsilon = 1e30;
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_EQ(found.Value(), -1.0);
  EXPECT_EQ(found.sums.flatWindows, found.sums.count);
  EXPECT_EQ(found.moving, std::vector<double>(found.moving.size(), 0.0));
  LocalCase  dark = pair;
  const auto darken = [](std::vector<double> & image, double by) {
    for (double & pixel : image)
    {
      pixel *= by;
    }
  };
  darken(dark.fixed, 2e-4); // variances above epsilon, their product below
  darken(dark.moving, 2e-4);
  dark.descriptor.epsilon = 1e-5;
  const LocalOutcome below = dark.Run(OnBackend());
  EXPECT_EQ(below.Value(), -1.0);
  EXPECT_EQ(below.sums.flatWindows, 0);
  dark.descriptor.epsilon = 0.0;
  EXPECT_EQ(dark.Run(OnBackend()).moving, below.moving);
  for (double & pixel : pair.moving)
  {
    pixel *= 1e-6; // variances below epsilon, products above
  }
  pair.descriptor.epsilon = 1e-4;
  const LocalOutcome small = pair.Run(OnBackend());
  EXPECT_GT(small.Value(), -0.9999);
  EXPECT_EQ(small.sums.flatWindows, small.sums.count);
  EXPECT_EQ(small.fixed, std::vector<double>(small.fixed.size(), 0.0));
}

TEST_P(LocalCorrelation, RefusesWhatIsNone)
{
  FreshRandom random;
  LocalCase   pair;
  pair.descriptor.grid = MakeGrid({ 5, 6, 7 });
  pair.Fill(random, 0.0);
  EXPECT_NO_THROW(pair.Run(OnBackend()));
  auto refused = pair;
  refused.descriptor.radius[1] = -1;
  EXPECT_THROW(refused.Run(OnBackend()), std::invalid_argument);
  refused = pair;
  refused.descriptor.grid.dimension = 4;
  EXPECT_THROW(refused.Run(OnBackend()), std::invalid_argument);
  refused = pair;
  refused.descriptor.arithmetic = ScalarType::Int16;
  EXPECT_THROW(refused.Run(OnBackend()), std::invalid_argument);
  refused = pair;
  refused.descriptor.grid.dimension = 2;
  EXPECT_THROW(refused.Run(OnBackend()), std::invalid_argument);
  LocalCase empty;
  empty.descriptor.grid = MakeGrid({ 5, 0, 7 });
  const LocalOutcome found = empty.Run(OnBackend());
  EXPECT_EQ(found.sums.count, 0);
  EXPECT_EQ(found.Value(), 0.0);
}

// In addition to images and results: at most three volumes as a metric, and less than a hundredth of one if the images
// are on one grid, for either derivative or both. The allocated memory is the planned memory (test/faults compares
// both).
TEST_P(LocalCorrelation, TakesLessThanThreeVolumes)
{
  constexpr std::int64_t     samples = std::int64_t{ 256 } * 256 * 256;
  LocalCorrelationDescriptor pair;
  pair.grid = MakeGrid({ 256, 256, 256 });
  const Residence residence(OnBackend());
  for (const int radius : { 2, 4, 7 })
  {
    pair.radius = { radius, radius, radius };
    EXPECT_LE(CountLocalCorrelationScratch(pair, residence), samples * sizeof(float) / 100);
  }
  const auto bytesOf = [&](bool floatPixels, ScalarType element, bool withDerivative) {
    MetricDescriptor metric;
    metric.pass = LocalCorrelationPass();
    metric.singleMoving = metric.singleFixed = floatPixels;
    metric.sharesValues = true;
    metric.gradient = withDerivative ? MetricGradient::CentralDifferences : MetricGradient::None;
    return static_cast<double>(CountMetricBytes(metric, samples, element) - CountMetricBytes(metric, 0, element)) /
           static_cast<double>(samples);
  };
  EXPECT_EQ(bytesOf(true, ScalarType::Float32, true), 4 + 1 + 4); // values, whether they are valid, factors
  EXPECT_EQ(bytesOf(true, ScalarType::Float32, false), 4 + 1);
  EXPECT_EQ(bytesOf(true, ScalarType::Float64, true), 4 + 1 + 4 + 8); // the fixed image as floats, too
  EXPECT_EQ(bytesOf(false, ScalarType::Float64, true), 8 + 1 + 8);
  EXPECT_EQ(bytesOf(false, ScalarType::Float32, true), 4 + 1 + 4);
}

INSTANTIATE_TEST_SUITE_P(Backends, LocalCorrelation, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
