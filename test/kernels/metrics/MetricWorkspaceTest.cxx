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

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Results that evaluations of a metric keep for the next one: moving values, and the order of samples by cells.
 */

namespace
{

using namespace CudaSplineTest;

class MetricWorkspaces : public OnMetricBackend
{};

/** All numbers of a result. */
void
ExpectSame(const MetricResult & found, const MetricResult & expected)
{
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.derivatives, expected.derivatives);
  EXPECT_EQ(found.histogram, expected.histogram);
}

/** A stage of random displacements (mm). */
TransformChain::Stage
RandomSpline(int order, FreshRandom & random)
{
  auto       grid = RandomGrid(order, random);
  const auto moves = std::make_shared<std::vector<double>>();
  for (std::int64_t n = 0; n < TransformChain::CountOf(grid, 3); ++n)
  {
    moves->push_back(random.Uniform(-2.0, 2.0));
  }
  grid.data = std::shared_ptr<const double>(moves, moves->data());
  return grid;
}

TEST_P(MetricWorkspaces, DerivativesTakeTheValuesOfThePassBefore)
{
  FreshRandom         random;
  const IntegerMetric metric;
  IntegerMetric       other; // with other moving values
  ExecutionContext    context;
  context.backend = GetParam();
  for (int choice = 0; choice < 16; ++choice)
  {
    const ScalarType element = choice % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    const bool       bySpline = choice / 8 % 2 == 1;
    MetricDescriptor descriptor = IntegerMetric::Describe(MeansPass(), choice / 2 % 2 == 0);
    descriptor.singleMoving = choice / 4 % 2 == 0;
    if (bySpline)
    {
      descriptor.chain.stages.insert(descriptor.chain.stages.begin(), RandomGrid(3, random)); // without displacements
      descriptor.derivative = SplineCoefficients{ 0 };
    }
    const MetricSources sources = metric.Make(element, true, bySpline && choice % 4 == 0, context);
    MetricWorkspace     workspace;
    descriptor.sharesValues = true;
    const MetricResult means = EvaluateMetric(descriptor, sources, context, &workspace);
    ASSERT_NE(workspace.values, nullptr);
    EXPECT_EQ(workspace.order != nullptr, bySpline && context.backend == Backend::Cuda);
    descriptor.pass = CorrelationPass{ 2.0, -3.0, 0.0 };
    descriptor.gradient = MetricGradient::Image;
    const MetricResult found = EvaluateMetric(descriptor, sources, context, &workspace);
    MetricSources      others = sources;
    others.moving = other.Make(element, true, false, context).moving;
    ExpectSame(EvaluateMetric(descriptor, others, context, &workspace), found); // the values are the kept ones
    descriptor.sharesValues = false;
    ExpectSame(EvaluateMetric(descriptor, sources, context), found);
    EXPECT_NE(EvaluateMetric(descriptor, others, context).values, found.values);
    descriptor.pass = MeansPass();
    descriptor.gradient = MetricGradient::None;
    ExpectSame(EvaluateMetric(descriptor, sources, context), means);
    EXPECT_GT(means.count, 100);
  }
}

TEST_P(MetricWorkspaces, ValuesAreWrittenOverWhereNobodyElseHasThem)
{
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  const MetricSources sources = metric.Make(ScalarType::Float64, true, false, context);
  MetricDescriptor    descriptor = IntegerMetric::Describe(MeansPass(), false);
  descriptor.sharesValues = true;
  MetricWorkspace    workspace;
  const MetricResult means = EvaluateMetric(descriptor, sources, context, &workspace);
  const auto * const first = workspace.values.get();
  ExpectSame(EvaluateMetric(descriptor, sources, context, &workspace), means);
  EXPECT_EQ(workspace.values.get(), first);
  const auto held = workspace.values;
  ExpectSame(EvaluateMetric(descriptor, sources, context, &workspace), means);
  EXPECT_NE(workspace.values, held);
  // Values that do not match are not used: floats, and values with marks.
  const auto * const second = workspace.values.get();
  descriptor.singleMoving = true;
  EvaluateMetric(descriptor, sources, context, &workspace);
  EXPECT_NE(workspace.values.get(), second);
  const auto unmarked = workspace.values;
  descriptor.marksValid = true;
  EvaluateMetric(descriptor, sources, context, &workspace);
  EXPECT_NE(workspace.values, unmarked);
}

TEST_P(MetricWorkspaces, WhatWasNotLeftCannotBeTaken)
{
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  const MetricSources sources = metric.Make(ScalarType::Float64, false, false, context);
  MetricDescriptor    descriptor = IntegerMetric::Describe(CorrelationPass(), false);
  descriptor.sharesValues = true;
  MetricWorkspace workspace;
  EXPECT_THROW(EvaluateMetric(descriptor, sources, context), std::invalid_argument);
  EXPECT_THROW(EvaluateMetric(descriptor, sources, context, &workspace), std::invalid_argument);
  descriptor.pass = MeansPass();
  descriptor.gradient = MetricGradient::None;
  EvaluateMetric(descriptor, sources, context, &workspace);
  descriptor.pass = CorrelationPass{ 2.0, -3.0, 0.0 };
  descriptor.gradient = MetricGradient::Image;
  EXPECT_NO_THROW(EvaluateMetric(descriptor, sources, context, &workspace));
  descriptor.singleMoving = true; // values of another type
  EXPECT_THROW(EvaluateMetric(descriptor, sources, context, &workspace), std::invalid_argument);
}

TEST_P(MetricWorkspaces, ValuesAndHistogramsByCellsAreThoseOfThePlainOrder)
{
  FreshRandom         random;
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  for (int choice = 0; choice < 12; ++choice)
  {
    const int           order = 1 + choice % 3;
    const bool          asList = choice / 3 % 2 == 0;
    const auto          element = choice / 6 % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    const MetricSources sources = metric.Make(element, true, asList, context);
    MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), true);
    descriptor.gradient = MetricGradient::None;
    descriptor.chain.stages.insert(descriptor.chain.stages.begin(), RandomSpline(order, random));
    descriptor.derivative = SplineCoefficients{ 0 };
    ParzenBins bins;
    bins.bins = 29;
    bins.fixedBinSize = 4.0;
    bins.movingBinSize = 4.0;
    bins.fixedMinimum = -50.0 / 4.0 - 2.0;
    bins.movingMinimum = -50.0 / 4.0 - 2.0;
    bins.movingLowest = -50.0;
    bins.movingHighest = 40.0;
    MetricWorkspace workspace;
    for (const MetricPass & pass :
         std::initializer_list<MetricPass>{ MeanSquaresPass(), MeansPass(), HistogramPass{ bins } })
    {
      descriptor.pass = pass;
      const MetricResult found = EvaluateMetric(descriptor, sources, context, &workspace);
      ExpectSame(found, EvaluateMetric(descriptor, sources, context));
      EXPECT_GT(found.count, 100);
    }
  }
}

TEST_P(MetricWorkspaces, OrdersAreKeptWhereSamplesAndGridAreTheSame)
{
  FreshRandom         random;
  const IntegerMetric metric;
  const IntegerMetric another; // with other valid samples
  ExecutionContext    context;
  context.backend = GetParam();
  const MetricSources sources = metric.Make(ScalarType::Float64, true, false, context);
  MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), true);
  const auto          shift = descriptor.chain.stages[0];
  const auto          grid = RandomSpline(2, random);
  descriptor.chain.stages = { shift, grid, shift };
  descriptor.derivative = SplineCoefficients{ 1 };
  MetricWorkspace workspace;
  const auto      evaluate = [&](const MetricSources & from) {
    ExpectSame(EvaluateMetric(descriptor, from, context, &workspace), EvaluateMetric(descriptor, from, context));
    return workspace.order;
  };
  const auto first = evaluate(sources);
  EXPECT_EQ(first != nullptr, context.backend == Backend::Cuda);
  const auto moves = std::make_shared<std::vector<double>>(TransformChain::CountOf(grid, 3), 0.25);
  descriptor.chain.stages[1].data = std::shared_ptr<const double>(moves, moves->data());
  descriptor.chain.stages[2].offset[0] -= 1.0;
  EXPECT_EQ(evaluate(sources), first); // coefficients and following stages have no effect
  const auto expectAnother = [&](const MetricSources & from) {
    const auto before = workspace.order;
    const auto made = evaluate(from);
    EXPECT_EQ(made != before, context.backend == Backend::Cuda);
  };
  descriptor.chain.stages[0].offset[1] += 1.0;
  expectAnother(sources);
  descriptor.chain.stages[1].origin[2] += 0.5;
  expectAnother(sources);
  descriptor.chain.outputOrigin[0] += 1.0;
  expectAnother(sources);
  MetricSources others = sources;
  others.inside = another.Make(ScalarType::Float64, true, false, context).inside;
  expectAnother(others);
  others.points = metric.Make(ScalarType::Float64, true, true, context).points;
  expectAnother(others);
  // Stages with coefficients before this one may change between evaluations.
  descriptor.chain.stages[0] = RandomSpline(1, random);
  expectAnother(others);
  expectAnother(others);
}

TEST_P(MetricWorkspaces, ManySamplesInOneCell)
{
  // A device adds values in chunks, of which the cell has many; the host adds them in blocks.
  FreshRandom          random;
  const IntegerMetric  metric;
  const ThreadExecutor host(2);
  ExecutionContext     onHost;
  onHost.backend = Backend::Cpu;
  onHost.host = &host;
  constexpr std::size_t count = 300000;
  std::vector<double>   fixed;
  std::vector<double>   places;
  for (std::size_t i = 0; i < count; ++i)
  {
    fixed.push_back(std::floor(random.Uniform(-50.0, 51.0)));
    for (const std::int64_t size : IntegerMetric::Size)
    {
      places.push_back(std::floor(random.Uniform(3.0, static_cast<double>(size) - 3.0)));
    }
  }
  auto grid = RandomGrid(3, random);
  for (unsigned int d = 0; d < 3; ++d)
  {
    grid.size[d] = 4;
    grid.pointToIndex[d][d] = 0.9 / static_cast<double>(IntegerMetric::Size[d]);
    grid.origin[d] = -1.0 / grid.pointToIndex[d][d]; // one cell, which starts at 0
  }
  MetricDescriptor descriptor = IntegerMetric::Describe(CorrelationPass(), true);
  descriptor.chain.stages.insert(descriptor.chain.stages.begin(), grid);
  descriptor.derivative = SplineCoefficients{ 0 };
  const auto evaluate = [&](const ExecutionContext & context) {
    MetricSources sources = metric.Make(ScalarType::Float64, false, false, context);
    sources.fixed =
      MakeSource(IntegerMetric::List(count, ScalarType::Float64, ScalarType::Float64), fixed.data(), context);
    sources.points =
      MakeSource(IntegerMetric::List(3 * count, ScalarType::Float64, ScalarType::Float64), places.data(), context);
    return EvaluateMetric(descriptor, sources, context);
  };
  ExecutionContext context;
  context.backend = GetParam();
  const MetricResult expected = evaluate(onHost);
  const MetricResult found = evaluate(context);
  EXPECT_GT(found.count, 200000);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.values, expected.values);
  for (std::size_t set = 0; set < 2; ++set)
  {
    ASSERT_EQ(found.derivatives[set].size(), 192U);
    double largest = 0.0;
    for (const double one : expected.derivatives[set])
    {
      largest = std::max(largest, std::abs(one));
    }
    // Forces are some thousands; a weight changes them by less than 1.
    EXPECT_GT(largest, 1000.0);
    for (std::size_t n = 0; n < 192; ++n)
    {
      EXPECT_NEAR(found.derivatives[set][n], expected.derivatives[set][n], 1e-9 * largest) << n;
    }
  }
  EXPECT_EQ(evaluate(context).derivatives, found.derivatives);
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricWorkspaces, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
