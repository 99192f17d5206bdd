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
// The contributions of samples to metrics, the choice among them, and a metric that needs the gradients of both images.
// Expected values: the formulas of the passes, for numbers with which every operation is exact.

#include "itkCudaSpline/kernels/metrics/MetricFormula.h"

#include "kernels/metrics/passes/PointForcesBody.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <variant>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

/** Records the added values. */
template <unsigned int VSets, bool VAnyPass = false>
struct RecordedSums
{
  static constexpr unsigned int Sets = VSets;
  static constexpr bool         AnyPass = VAnyPass;

  int    count{ 0 };
  double values[3]{};
  double weights[2]{};
  int    forces{ 0 };

  void
  AddSample()
  {
    ++count;
  }
  void
  AddValue(unsigned int which, double value)
  {
    values[which] += value;
  }
  void
  AddForce(unsigned int set, double weight, const double (&)[2], const double (&)[2])
  {
    weights[set] = weight;
    ++forces;
  }
};

/** The sums of a sample: f = 9, m = 5, g = (2, 0). */
template <typename TSums>
TSums
Sum(const MetricPass & pass)
{
  SamplePair<2> pair{};
  pair.fixed = 9.0;
  pair.moving = 5.0;
  pair.movingGradient[0] = 2.0;
  const double arm[2] = {};
  PassNumbers  numbers;
  numbers.SetPass(pass);
  TSums sums;
  MetricContributions::Add(numbers, pair, arm, sums);
  return sums;
}

/** The same; the sample is counted once, for each type of contribution. */
template <typename TSums>
TSums
Add(const MetricPass & pass)
{
  const TSums sums = Sum<TSums>(pass);
  EXPECT_EQ(sums.count, 1);
  return sums;
}

/** A force along the mean of both gradients, as in symmetric demons. */
template <bool VNeedsFixedGradient>
struct SymmetricContribution : SampleContribution<SymmetricContribution<VNeedsFixedGradient>>
{
  static constexpr bool HasPointForce = true;
  static constexpr bool NeedsFixedGradient = VNeedsFixedGradient;
  using Pass = MeanSquaresPass;

  template <typename TPair, typename TArm, typename TSums>
  static void
  Add(const Pass &, const TPair & pair, const TArm & arm, TSums & sums)
  {
    double direction[TPair::MaximumAxes];
    for (int d = 0; d < TPair::MaximumAxes; ++d)
    {
      direction[d] = 0.5 * (pair.movingGradient[d] + pair.fixedGradient[d]);
    }
    sums.AddForce(0, pair.fixed - pair.moving, direction, arm);
  }
};

/** Forces on the moving image of two ramps, 1 mm apart: f = 4 x + 2 y, m = 2 x + 8 y. */
template <typename TContribution>
std::vector<double>
ForcesOf(std::int64_t width, std::int64_t height)
{
  FieldGrid grid;
  grid.dimension = 2;
  grid.size = { { width, height, 1 } };
  for (unsigned int d = 0; d < 3; ++d)
  {
    grid.spacing[d] = 1.0;
    grid.indexToPoint[d][d] = 1.0;
    grid.pointToIndex[d][d] = 1.0;
  }
  std::vector<double> fixed;
  std::vector<double> moving;
  for (std::int64_t y = 0; y < height; ++y)
  {
    for (std::int64_t x = 0; x < width; ++x)
    {
      fixed.push_back(static_cast<double>(4 * x + 2 * y));
      moving.push_back(static_cast<double>(2 * x + 8 * y));
    }
  }
  std::vector<double>    forces(2 * fixed.size(), -1.0);
  LocalCorrelationImages images;
  images.fixed = fixed.data();
  images.moving = moving.data();
  ForcesOfContributions<double, ContributionList<TContribution>> body{};
  body.pair = MakeGridPair<double>(grid, ScalarType::Float64, images, forces.data(), nullptr);
  body.walk = WalkOf(grid);
  for (std::int64_t y = 0; y < height; ++y)
  {
    for (std::int64_t x = 0; x < width; ++x)
    {
      const std::int64_t at[3] = { x, y, 0 };
      body(at);
    }
  }
  return forces;
}

} // namespace

TEST(MetricContributions, AreThoseThatThePassAsksFor)
{
  auto one = Add<RecordedSums<1>>(MeanSquaresPass());
  EXPECT_EQ(one.values[0], 16.0);
  EXPECT_EQ(one.weights[0], 8.0);
  EXPECT_EQ(one.forces, 1);
  one = Add<RecordedSums<1>>(DemonsPass{ 4.0, 0.0, 0.0 });
  EXPECT_EQ(one.values[0], 16.0);
  EXPECT_EQ(one.weights[0], 0.5); // 4 / (16 / 4 + 4)
  EXPECT_EQ(Add<RecordedSums<1>>(DemonsPass{ 4.0, 4.5, 0.0 }).forces, 0);
  EXPECT_EQ(Add<RecordedSums<1>>(DemonsPass{ 4.0, 0.0, 8.5 }).forces, 0);
  one = Add<RecordedSums<1>>(WeightsPass());
  EXPECT_EQ(one.values[0], 0.0);
  EXPECT_EQ(one.weights[0], 9.0);
  const auto two = Add<RecordedSums<2>>(CorrelationPass{ 1.0, 2.0, 0.0 });
  EXPECT_EQ(two.values[0], 64.0);
  EXPECT_EQ(two.values[1], 9.0);
  EXPECT_EQ(two.values[2], 24.0);
  EXPECT_EQ(two.weights[0], 8.0);
  EXPECT_EQ(two.weights[1], 3.0);
}

TEST(MetricContributions, AddValuesAloneWithoutADerivative)
{
  for (const MetricPass & pass : std::initializer_list<MetricPass>{ MeanSquaresPass(), DemonsPass() })
  {
    const auto squares = Add<RecordedSums<0>>(pass);
    EXPECT_EQ(squares.values[0], 16.0);
    EXPECT_EQ(squares.values[1], 0.0);
    EXPECT_EQ(squares.forces, 0);
  }
  const auto means = Add<RecordedSums<0>>(MeansPass());
  EXPECT_EQ(means.values[0], 9.0);
  EXPECT_EQ(means.values[1], 5.0);
  const auto products = Add<RecordedSums<0>>(CorrelationPass{ 1.0, 2.0, 0.0 });
  EXPECT_EQ(products.values[2], 24.0);
  EXPECT_EQ(products.forces, 0);
}

TEST(MetricContributions, MayBeAnyOfAPassOfCells)
{
  EXPECT_EQ((Add<RecordedSums<2, true>>(DemonsPass{ 4.0, 0.0, 0.0 }).weights[0]), 0.5);
  EXPECT_EQ((Add<RecordedSums<2, true>>(MeanSquaresPass()).weights[0]), 8.0);
  EXPECT_EQ((Add<RecordedSums<2, true>>(CorrelationPass{ 1.0, 2.0, 0.0 }).weights[1]), 3.0);
}

TEST(MetricContributions, AMomentOfMutualInformationIsInItsBins)
{
  const std::vector<double> table(16 * 16, 3.0); // constant for all bins: the slopes of a window add up to 0
  InformationPass           pass;
  pass.table = table.data();
  pass.bins.bins = 16;
  pass.bins.movingLowest = 0.0;
  pass.bins.movingHighest = 12.0;
  const auto sums = Add<RecordedSums<1>>(pass);
  EXPECT_NEAR(sums.weights[0], 0.0, 1e-15);
  EXPECT_EQ(sums.forces, 1);
  pass.bins.movingHighest = 4.0; // the moving value is outside of the range, so the sample is not counted
  const auto none = Sum<RecordedSums<1>>(pass);
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.forces, 0);
}

TEST(MetricContributions, AReductionNeedsThePassOfItsMetric)
{
  const MetricReduce reduce = [](const MetricPass &, bool) {
    MetricResult sums;
    sums.count = 1;
    return sums;
  };
  for (const MetricKind kind : { MetricKind::Correlation,
                                 MetricKind::Mattes,
                                 MetricKind::LocalCorrelation,
                                 MetricKind::Demons,
                                 MetricKind::ExactCorrelation,
                                 MetricKind::GradientFields })
  {
    MetricReduction reduction;
    reduction.pass = kind == MetricKind::Demons ? MetricPass(GradientFieldsPass()) : DemonsPass();
    EXPECT_THROW(ReduceMetric(kind, reduce, reduction), std::bad_variant_access) << NameOf(kind);
  }
}

TEST(MetricContributions, MayHaveBothGradients)
{
  const std::int64_t width = 5;
  const std::int64_t height = 4;
  const auto         both = ForcesOf<SymmetricContribution<true>>(width, height);
  const auto         movings = ForcesOf<SymmetricContribution<false>>(width, height); // the other gradient is not read
  for (std::int64_t y = 1; y + 1 < height; ++y)
  {
    for (std::int64_t x = 1; x + 1 < width; ++x)
    {
      const auto   at = static_cast<std::size_t>(2 * (y * width + x));
      const double difference = static_cast<double>(2 * x - 6 * y);
      EXPECT_EQ(both[at], difference * 3.0);
      EXPECT_EQ(both[at + 1], difference * 5.0);
      EXPECT_EQ(movings[at], difference * 1.0);
      EXPECT_EQ(movings[at + 1], difference * 4.0);
    }
  }
}
