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
#include "MetricCase.h"

#include "itkCudaSpline/kernels/common/Residence.h"

#include <algorithm>
#include <cstddef>
#include <vector>

/** \file
 * \brief Derivatives of metrics by the coefficients of B-splines are compared with plain loops over all nodes, which
 * compute the B-spline by its recursion. Integers have exact forces, so only the rounding of weights and the order of
 * sums differ. */

namespace
{

using namespace CudaSplineTest;

/** The centred B-spline of an order, by the recursion that defines it. */
double
CentredSpline(int order, double x)
{
  if (order == 0)
  {
    return x >= -0.5 && x < 0.5 ? 1.0 : 0.0;
  }
  const double half = 0.5 * (order + 1);
  return ((half + x) * CentredSpline(order - 1, x + 0.5) + (half - x) * CentredSpline(order - 1, x - 0.5)) / order;
}

/** Sums over the valid samples, and sums of the magnitudes of terms. */
void
Expect(const IntegerMetric &                metric,
       const MetricDescriptor &             descriptor,
       const TransformChain::Stage &        grid,
       bool                                 withMasks,
       MetricResult &                       result,
       std::array<std::vector<double>, 2> & magnitudes)
{
  const std::int64_t nodes = grid.size[0] * grid.size[1] * grid.size[2];
  for (std::size_t set = 0; set < 2; ++set)
  {
    result.derivatives[set].assign(static_cast<std::size_t>(3 * nodes), 0.0);
    magnitudes[set] = result.derivatives[set];
  }
  metric.Visit(withMasks, [&](const std::int64_t(&from)[3], std::size_t sample, std::size_t at) {
    ++result.count;
    double weights[2];
    metric.Weigh(descriptor, sample, at, result, weights);
    std::vector<double> along[3];
    for (unsigned int d = 0; d < 3; ++d)
    {
      const double x = (static_cast<double>(from[d]) - grid.origin[d]) * grid.pointToIndex[d][d];
      const double margin = 0.5 * (grid.order - 1);
      if (!(x >= margin && x < static_cast<double>(grid.size[d]) - 1.0 - margin))
      {
        return;
      }
      for (std::int64_t node = 0; node < grid.size[d]; ++node)
      {
        along[d].push_back(CentredSpline(grid.order, x - static_cast<double>(node)));
      }
    }
    for (std::int64_t node = 0; node < nodes; ++node)
    {
      const double product = along[0][static_cast<std::size_t>(node % grid.size[0])] *
                             along[1][static_cast<std::size_t>(node / grid.size[0] % grid.size[1])] *
                             along[2][static_cast<std::size_t>(node / grid.size[0] / grid.size[1])];
      for (std::size_t d = 0; d < 3; ++d)
      {
        const auto number = d * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(node);
        for (std::size_t set = 0; set < 2; ++set)
        {
          const double term = product * weights[set] * metric.gradient[3 * at + d];
          result.derivatives[set][number] += term;
          magnitudes[set][number] += std::abs(term);
        }
      }
    }
  });
}

class MetricSplines : public OnMetricBackend
{};

TEST_P(MetricSplines, AgreeWithPlainLoops)
{
  FreshRandom            random;
  const IntegerMetric    metric;
  const ExecutionContext context = OnBackend();
  for (int choice = 0; choice < 24; ++choice)
  {
    const int        order = 1 + choice % 3;
    const bool       withMasks = (choice / 3) % 2 != 0;
    const bool       asList = (choice / 6) % 2 != 0;
    const MetricPass pass = choice / 12 == 0 ? MetricPass() : CorrelationPass();
    const auto       element = random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    SCOPED_TRACE("order " + std::to_string(order) + (withMasks ? ", masks" : "") + (asList ? ", list" : "") +
                 (IsPass<CorrelationPass>(pass) ? ", correlation, " : ", mean squares, ") + NameOf(element));
    MetricDescriptor descriptor = IntegerMetric::Describe(pass, random.Engine()() % 2 == 0);
    const auto       grid = RandomGrid(order, random);
    descriptor.chain.stages.insert(descriptor.chain.stages.begin(), grid); // the shift follows it
    descriptor.derivative = SplineCoefficients{ 0 };
    MetricResult                       expected;
    std::array<std::vector<double>, 2> magnitudes;
    Expect(metric, descriptor, grid, withMasks, expected, magnitudes);
    const MetricSources sources = metric.Make(element, withMasks, asList, context);
    const MetricResult  found = EvaluateMetric(descriptor, sources, context);
    EXPECT_GT(expected.count, 100);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.values, expected.values);
    for (std::size_t set = 0; set < 2; ++set)
    {
      if (set == 1 && IsPass<MeanSquaresPass>(pass))
      {
        EXPECT_TRUE(found.derivatives[set].empty());
        continue;
      }
      ASSERT_EQ(found.derivatives[set].size(), expected.derivatives[set].size());
      double largest = 0.0;
      for (std::size_t n = 0; n < magnitudes[set].size(); ++n)
      {
        // Coordinates are rounded, so the error of a weight along an axis is some units of 2^-53, relative to 1 and not
        // to the weight.
        EXPECT_NEAR(found.derivatives[set][n], expected.derivatives[set][n], 1e-12 * magnitudes[set][n] + 1e-9)
          << "number " << n << " of set " << set;
        largest = std::max(largest, std::abs(expected.derivatives[set][n]));
      }
      EXPECT_GT(largest, 100.0);
    }
    const MetricResult again = EvaluateMetric(descriptor, sources, context);
    EXPECT_EQ(again.derivatives, found.derivatives);
    // Derivatives in the memory of the caller are the same, one set after the other.
    const std::size_t   plane = found.derivatives[0].size();
    const std::size_t   sets = IsPass<CorrelationPass>(pass) ? 2 : 1;
    const Residence     residence(context);
    const ResidentArray forces(sets * plane * sizeof(double), residence);
    residence.Wait(); // passes run in their own streams
    descriptor.forces = forces.As<double>();
    const MetricResult there = EvaluateMetric(descriptor, sources, context);
    EXPECT_EQ(there.values, found.values);
    EXPECT_TRUE(there.derivatives[0].empty() && there.derivatives[1].empty());
    std::vector<double> numbers(sets * plane);
    Download(numbers.data(), forces.Data(), forces.Bytes(), residence);
    for (std::size_t set = 0; set < sets; ++set)
    {
      const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(set * plane);
      EXPECT_TRUE(std::equal(first, first + static_cast<std::ptrdiff_t>(plane), found.derivatives[set].begin()));
    }
    descriptor.forces = nullptr;
    // Passes for values only apply the stages, too, and give the values of the same samples.
    descriptor.gradient = MetricGradient::None;
    const MetricResult values = EvaluateMetric(descriptor, sources, context);
    EXPECT_EQ(values.count, expected.count);
    EXPECT_EQ(values.values, expected.values);
  }
}

TEST_P(MetricSplines, MoveSamplesAsValuesAloneDo)
{
  // Nearest neighbours are integers: a pass for derivatives has exactly the sums of a pass for values, if samples are
  // moved to the same points.
  FreshRandom         random;
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  for (int order = 1; order <= 3; ++order)
  {
    const MetricSources sources = metric.Make(ScalarType::Float64, true, false, context);
    MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), true);
    auto                grid = RandomGrid(order, random);
    const auto          moves = std::make_shared<std::vector<double>>();
    for (std::int64_t n = 0; n < TransformChain::CountOf(grid, 3); ++n)
    {
      moves->push_back(random.Uniform(-3.0, 3.0)); // mm
    }
    grid.data = std::shared_ptr<const double>(moves, moves->data());
    descriptor.chain.stages.insert(descriptor.chain.stages.begin(), grid);
    descriptor.derivative = SplineCoefficients{ 0 };
    const MetricResult found = EvaluateMetric(descriptor, sources, context);
    descriptor.gradient = MetricGradient::None;
    const MetricResult values = EvaluateMetric(descriptor, sources, context);
    EXPECT_GT(found.count, 100);
    EXPECT_EQ(found.count, values.count);
    EXPECT_EQ(found.values, values.values);
    descriptor.chain.stages.erase(descriptor.chain.stages.begin());
    descriptor.derivative = LinearMoments{};
    EXPECT_NE(EvaluateMetric(descriptor, sources, context).values, values.values); // the displacements have an effect
  }
}

TEST(MetricSplineLimits, DevicesNumberIn32Bits)
{
  FreshRandom      random;
  MetricDescriptor descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
  const auto       few = CountMetricBytes(descriptor, 1000, ScalarType::Float64);
  descriptor.chain.stages.insert(descriptor.chain.stages.begin(), RandomGrid(3, random));
  descriptor.derivative = SplineCoefficients{ 0 };
  EXPECT_EQ(ReasonForHostOnly(descriptor, 1000000), nullptr);
  EXPECT_GT(CountMetricBytes(descriptor, 1000000, ScalarType::Float64), few + 16000000);
  EXPECT_NE(ReasonForHostOnly(descriptor, std::int64_t{ 1 } << 31), nullptr);
  descriptor.chain.stages[0].size = { { 1 << 11, 1 << 10, 1 << 10 } };
  EXPECT_NE(ReasonForHostOnly(descriptor, 1000), nullptr);
  descriptor.gradient = MetricGradient::None;
  EXPECT_EQ(ReasonForHostOnly(descriptor, std::int64_t{ 1 } << 31), nullptr);
}

TEST_P(MetricSplines, NoSampleIsInTheGrid)
{
  FreshRandom         random;
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  const MetricSources sources = metric.Make(ScalarType::Float64, true, false, context);
  MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
  auto                grid = RandomGrid(3, random);
  const MetricResult  expected = metric.Expect(descriptor, true);
  grid.origin[1] += 1000.0;
  descriptor.chain.stages.insert(descriptor.chain.stages.begin(), grid);
  descriptor.derivative = SplineCoefficients{ 0 };
  const MetricResult found = EvaluateMetric(descriptor, sources, context);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.values, expected.values);
  const auto numbers = static_cast<std::size_t>(TransformChain::CountOf(grid, 3));
  EXPECT_EQ(found.derivatives[0], std::vector<double>(numbers, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricSplines, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
