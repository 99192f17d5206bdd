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

#include <initializer_list>

/** \file
 * \brief Passes of the metrics on small integers with integer shifts: every product and sum is exact, so a plain loop,
 * the Cpu backend on any number of threads and the GPU agree to the bit. */

namespace
{

using namespace CudaSplineTest;

class MetricPasses : public OnMetricBackend
{};

TEST_P(MetricPasses, IntegersAreExact)
{
  const IntegerMetric metric;
  for (const unsigned int threads : { 1U, 3U })
  {
    const ThreadExecutor host(threads);
    ExecutionContext     context;
    context.backend = GetParam();
    context.host = &host;
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const MetricPass & pass :
           std::initializer_list<MetricPass>{ MeanSquaresPass(), MeansPass(), CorrelationPass() })
      {
        for (int choice = 0; choice < 8; ++choice)
        {
          const bool             withMasks = (choice & 1) != 0;
          const MetricDescriptor descriptor = IntegerMetric::Describe(pass, (choice & 2) != 0);
          const MetricSources    sources = metric.Make(element, withMasks, (choice & 4) != 0, context);
          const MetricResult     expected = metric.Expect(descriptor, withMasks);
          const MetricResult     found = EvaluateMetric(descriptor, sources, context);
          EXPECT_GT(expected.count, 100);
          EXPECT_EQ(found.count, expected.count);
          EXPECT_EQ(found.values, expected.values);
          if (descriptor.gradient != MetricGradient::None)
          {
            EXPECT_EQ(found.derivatives[0], expected.derivatives[0]);
          }
          if (IsPass<CorrelationPass>(pass))
          {
            EXPECT_EQ(found.derivatives[1], expected.derivatives[1]);
          }
          EXPECT_EQ(found.derivatives[0].empty(), descriptor.gradient == MetricGradient::None);
          EXPECT_EQ(found.derivatives[1].empty(), !IsPass<CorrelationPass>(pass));
        }
      }
    }
  }
}

TEST_P(MetricPasses, LongChainsOfAffineStages)
{
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  const MetricSources sources = metric.Make(ScalarType::Float64, false, false, context);
  MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
  const MetricResult  expected = metric.Expect(descriptor, false);
  // Three more stages whose sum is zero: too many to pass as kernel arguments.
  for (const double sign : { 1.0, 1.0, -2.0 })
  {
    TransformChain::Stage stage = descriptor.chain.stages[0];
    stage.offset = { { sign, 3.0 * sign, -sign } };
    descriptor.chain.stages.push_back(stage);
  }
  const MetricResult found = EvaluateMetric(descriptor, sources, context);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.derivatives[0], expected.derivatives[0]);
}

TEST(MetricArguments, WhatDoesNotFitIsRefused)
{
  const IntegerMetric metric;
  ExecutionContext    context;
  const MetricSources sources = metric.Make(ScalarType::Float64, true, true, context);
  const auto          refuses = [&](const auto & change) {
    MetricDescriptor descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
    MetricSources    changed = sources;
    change(descriptor, changed);
    EXPECT_THROW(EvaluateMetric(descriptor, changed, context), std::invalid_argument);
  };
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.dimension = 4; });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.gradient = MetricGradient::Analytic; });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { // moments
    descriptor.chain.stages[0].kind = TransformKind::BSpline;
  });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { // coefficients of no B-splines
    descriptor.derivative = SplineCoefficients{ 0 };
  });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.derivative = SplineCoefficients{ 1 }; });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.derivative = LinearMoments{ 2 }; });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.derivative = NoDerivative{}; });
  refuses([](MetricDescriptor & descriptor, MetricSources &) { descriptor.pass = MeansPass(); });
  refuses([](MetricDescriptor & descriptor, MetricSources &) {
    descriptor.interpolation.interpolation = Interpolation::WindowedSinc;
  });
  refuses([](MetricDescriptor & descriptor, MetricSources & changed) {
    changed.points = nullptr;
    descriptor.chain.regionSize[0] -= 1;
  });
  refuses([](MetricDescriptor &, MetricSources & changed) { changed.gradient = changed.moving; });
  refuses([](MetricDescriptor &, MetricSources & changed) {
    changed.inside = changed.mask;
    changed.mask = changed.fixed;
  });
  refuses([](MetricDescriptor &, MetricSources & changed) { changed.fixed = nullptr; });
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricPasses, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
