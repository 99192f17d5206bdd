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
// Greedy registration on both backends. Expected: for an image T the moving image is T(y + d(y)), with a known d. A
// field p that aligns it with T satisfies p(x) + d(p(x)) = x. This is tested away from the border: the mean of the
// difference is reduced to less than a third. Any number of threads gives the same bits. Host and device run the same
// code: fields agree within 1e-6 voxels in double.

#include "../metrics/MetricCase.h"
#include "BentPhantoms.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/GreedyLevel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Registers phantoms. */
template <unsigned int VDimension>
struct GreedyPhantoms : BentPhantoms<VDimension>
{
  using Base = BentPhantoms<VDimension>;
  using Base::Base;

  struct Outcome
  {
    std::vector<double> values;
    std::vector<double> field;
    std::vector<double> inverse;
    FieldInversionState inversion;
  };

  Outcome
  Register(const ExecutionContext & context,
           int                      iterations,
           const SynRules &         rules = Base::MakeRules(),
           MetricKind               kind = MetricKind::LocalCorrelation,
           LevelMemory              memory = LevelMemory::Automatic) const
  {
    const Residence residence(context);
    SynMetric       metric;
    metric.kind = kind;
    metric.radius = { { 2, 2, 2 } };
    metric.arithmetic = this->shape.element;
    metric.epsilon = std::numeric_limits<double>::epsilon();
    std::vector<SynTerm> terms(1);
    terms[0].fixed = this->Side(this->fixed, residence);
    terms[0].moving = this->Side(this->moving, residence);
    terms[0].metric = metric;
    GreedyLevel level(this->shape, std::move(terms), residence, {}, {}, {}, memory);
    Outcome     outcome;
    for (int n = 0; n < iterations; ++n)
    {
      if (n == iterations / 2) // an inverse is written to memory of the iterations
      {
        outcome.inverse.resize(static_cast<std::size_t>(this->shape.Numbers()));
        level.GetInverse(FieldInversion(), outcome.inverse.data(), ScalarType::Float64);
      }
      outcome.values.push_back(level.Iterate(rules).Value());
    }
    outcome.field.resize(static_cast<std::size_t>(this->shape.Numbers()));
    outcome.inverse.resize(outcome.field.size());
    level.GetField(outcome.field.data(), ScalarType::Float64);
    outcome.inversion = level.GetInverse(FieldInversion(), outcome.inverse.data(), ScalarType::Float64);
    return outcome;
  }
};

class Greedy : public OnMetricBackend
{
protected:
  template <unsigned int VDimension>
  void
  FindsTheBend(ScalarType element)
  {
    const GreedyPhantoms<VDimension> images(element);
    const std::vector<double>        none(static_cast<std::size_t>(images.shape.Numbers()), 0.0);
    const auto                       outcome = images.Register(this->OnBackend(), 40);
    EXPECT_LT(outcome.values.back(), outcome.values.front());
    EXPECT_LT(images.MeanError(outcome.field), 0.3 * images.MeanError(none));
    EXPECT_GT(outcome.inversion.iterations, 0);
    EXPECT_LE(outcome.inversion.meanError, 0.01);
    const ThreadExecutor one{ 1 };
    ExecutionContext     context = this->OnBackend();
    context.host = &one;
    const auto again = images.Register(context, 40);
    EXPECT_EQ(again.values, outcome.values);
    EXPECT_EQ(again.field, outcome.field);
    context.backend = Backend::Cpu;
    const auto   onHost = images.Register(context, 40);
    double       worst = 0.0;
    const double allowed = element == ScalarType::Float64 ? 1e-6 : 0.05;
    for (std::size_t n = 0; n < onHost.field.size(); ++n)
    {
      worst = std::max(worst, std::abs(onHost.field[n] - outcome.field[n]));
    }
    EXPECT_LE(worst, allowed);
  }
};

TEST_P(Greedy, FindsABendInThePlane)
{
  this->FindsTheBend<2>(ScalarType::Float64);
  this->FindsTheBend<2>(ScalarType::Float32);
}

TEST_P(Greedy, FindsABendInSpace)
{
  this->FindsTheBend<3>(ScalarType::Float64);
  this->FindsTheBend<3>(ScalarType::Float32);
}

/** Each optimizer finds the deformation, with the same bits on any number of threads, and on both backends. Only the
 * square roots of Adam are rounded differently. */
TEST_P(Greedy, EachOptimizerFindsABend)
{
  const GreedyPhantoms<2>   images(ScalarType::Float64);
  const std::vector<double> none(static_cast<std::size_t>(images.shape.Numbers()), 0.0);
  const ThreadExecutor      one{ 1 };
  for (const FieldOptimizer optimizer : { FieldOptimizer::Momentum, FieldOptimizer::Adam })
  {
    const auto       rules = GreedyPhantoms<2>::MakeRules(optimizer);
    ExecutionContext context = this->OnBackend();
    const auto       outcome = images.Register(context, 40, rules);
    EXPECT_LT(outcome.values.back(), outcome.values.front());
    EXPECT_LT(images.MeanError(outcome.field), 0.3 * images.MeanError(none));
    context.host = &one;
    EXPECT_EQ(images.Register(context, 40, rules).field, outcome.field);
    context.backend = Backend::Cpu;
    const auto onHost = images.Register(context, 40, rules).field;
    for (std::size_t n = 0; n < onHost.size(); ++n)
    {
      ASSERT_NEAR(outcome.field[n], onHost[n], 1e-6);
    }
  }
}

/** The moving image has inverted contrast, an offset and another gain; the directions of edges are the same. */
TEST_P(Greedy, GradientFieldsFindABendAcrossContrasts)
{
  GreedyPhantoms<2>         images(ScalarType::Float64);
  const std::vector<double> none(static_cast<std::size_t>(images.shape.Numbers()), 0.0);
  const auto                rules = GreedyPhantoms<2>::MakeRules();
  const auto                run = [&](const ExecutionContext & context) {
    return images.Register(context, 40, rules, MetricKind::GradientFields);
  };
  const auto same = run(this->OnBackend());
  EXPECT_LT(same.values.back(), same.values.front());
  EXPECT_LT(images.MeanError(same.field), 0.3 * images.MeanError(none));
  for (double & pixel : images.moving)
  {
    pixel = 900.0 - 4.0 * pixel;
  }
  const auto inverted = run(this->OnBackend());
  for (std::size_t n = 0; n < inverted.field.size(); ++n)
  {
    ASSERT_NEAR(inverted.field[n], same.field[n], 1e-6);
  }
  const ThreadExecutor one{ 1 };
  ExecutionContext     context = this->OnBackend();
  context.host = &one;
  EXPECT_EQ(run(context).field, inverted.field);
  context.backend = Backend::Cpu;
  const auto onHost = run(context);
  for (std::size_t n = 0; n < inverted.field.size(); ++n)
  {
    ASSERT_NEAR(inverted.field[n], onHost.field[n], 1e-6);
  }
}

/** The deformation has determinants from 0.6 to 1.6. A tight limit is nearly satisfied; a wide one does not change any
 * bit. */
TEST_P(Greedy, LimitsDeterminants)
{
  const GreedyPhantoms<3> images(ScalarType::Float64);
  const auto              determinants = [&](const std::vector<double> & field) {
    const Residence host{ ExecutionContext() };
    return MeasureFolding(images.shape, field.data(), nullptr, false, host);
  };
  const auto free = images.Register(this->OnBackend(), 20);
  const auto wide = GreedyPhantoms<3>::MakeRules(FieldOptimizer::FixedStep, 50.0);
  const auto tight = GreedyPhantoms<3>::MakeRules(FieldOptimizer::FixedStep, 1.15);
  const auto limited = images.Register(this->OnBackend(), 20, tight);
  EXPECT_GT(determinants(free.field).largest, 1.3);
  EXPECT_LT(determinants(limited.field).largest, 1.2);
  EXPECT_GT(determinants(limited.field).least, 1.0 / 1.2);
  EXPECT_EQ(images.Register(this->OnBackend(), 20, wide).field, free.field);
}

/** Smoothing slab by slab does not change any bit. */
TEST_P(Greedy, SmallestMemoryHasTheSameBits)
{
  for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
  {
    const GreedyPhantoms<2> images(element);
    for (const MetricKind kind : { MetricKind::LocalCorrelation, MetricKind::ExactCorrelation, MetricKind::Mattes })
    {
      SynRules rules = GreedyPhantoms<2>::MakeRules(FieldOptimizer::Momentum, 1.3);
      rules.updateVariance = 1.0;
      rules.totalVariance = 0.7;
      const auto fastest = images.Register(this->OnBackend(), 5, rules, kind, LevelMemory::Fastest);
      const auto smallest = images.Register(this->OnBackend(), 5, rules, kind, LevelMemory::Smallest);
      EXPECT_EQ(smallest.values, fastest.values);
      EXPECT_EQ(smallest.field, fastest.field);
      EXPECT_EQ(smallest.inverse, fastest.inverse);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Greedy, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
