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
#include <cmath>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Derivatives of metrics by the displacements of a field at each sample: exact for integers. */

namespace
{

using namespace CudaSplineTest;

/** A field of displacements by -1, 0 or 1 sample on the grid of the volume. */
TransformChain::Stage
RandomField(FreshRandom & random, std::vector<double> & moves)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::DisplacementField;
  stage.goesOn = false;
  for (unsigned int d = 0; d < 3; ++d)
  {
    stage.size[d] = IntegerMetric::Size[d];
    stage.pointToIndex[d][d] = 1.0;
  }
  moves.clear();
  for (std::int64_t n = 0; n < TransformChain::CountOf(stage, 3); ++n)
  {
    moves.push_back(std::floor(random.Uniform(-1.0, 2.0)));
  }
  stage.data = std::shared_ptr<const double>(moves.data(), [](const double *) {});
  return stage;
}

class MetricFieldForces : public OnMetricBackend
{};

TEST_P(MetricFieldForces, AgreeWithPlainLoops)
{
  FreshRandom            random;
  const IntegerMetric    metric;
  const ExecutionContext context = OnBackend();
  const auto &           size = IntegerMetric::Size;
  for (int choice = 0; choice < 8; ++choice)
  {
    const bool          withMasks = choice % 2 == 0;
    const auto          element = choice / 2 % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    std::vector<double> moves;
    MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), choice / 4 == 0);
    // The transform after the field rotates about z by 90 degrees and shifts: (x, y) becomes (-y, x).
    auto & behind = descriptor.chain.stages[0];
    behind.matrix[0] = { { 0.0, -1.0, 0.0 } };
    behind.matrix[1] = { { 1.0, 0.0, 0.0 } };
    behind.offset = { { static_cast<double>(size[0]) - 9.0, -8.0, 1.0 } };
    descriptor.chain.stages.insert(descriptor.chain.stages.begin(), RandomField(random, moves));
    descriptor.derivative = FieldDisplacements{ 0 };
    MetricResult        expected;
    std::vector<double> forces(3 * metric.fixed.size(), 0.0);
    std::size_t         sample = 0;
    for (std::int64_t z = 0; z < size[2]; ++z)
    {
      for (std::int64_t y = 0; y < size[1]; ++y)
      {
        for (std::int64_t x = 0; x < size[0]; ++x, ++sample)
        {
          const auto         move = [&](std::size_t d) { return static_cast<std::int64_t>(moves[3 * sample + d]); };
          const std::int64_t to[3] = { size[0] - 9 - (y + move(1)), x + move(0) - 8, z + move(2) + 1 };
          bool               within = true;
          for (int d = 0; d < 3; ++d)
          {
            within = within && to[d] >= 0 && to[d] < size[d];
          }
          const auto at = static_cast<std::size_t>((to[2] * size[1] + to[1]) * size[0] + to[0]);
          if (!within || (withMasks && (metric.inside[sample] == 0 || metric.mask[at] == 0)))
          {
            continue;
          }
          ++expected.count;
          double weights[2];
          metric.Weigh(descriptor, sample, at, expected, weights);
          const double * const g = metric.gradient.data() + 3 * at;
          forces[3 * sample] = weights[0] * g[1]; // the transposed matrix
          forces[3 * sample + 1] = -weights[0] * g[0];
          forces[3 * sample + 2] = weights[0] * g[2];
        }
      }
    }
    const MetricSources sources = metric.Make(element, withMasks, false, context);
    const MetricResult  found = EvaluateMetric(descriptor, sources, context);
    EXPECT_GT(expected.count, 100);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(found.derivatives[0], forces);
    EXPECT_TRUE(found.derivatives[1].empty());
    descriptor.gradient = MetricGradient::None;
    const MetricResult values = EvaluateMetric(descriptor, sources, context);
    EXPECT_EQ(values.values, expected.values);
    EXPECT_TRUE(values.derivatives[0].empty());
  }
}

TEST_P(MetricFieldForces, StayInTheMemoryOfTheBackend)
{
  FreshRandom            random;
  const IntegerMetric    metric;
  const ExecutionContext context = OnBackend();
  const Residence        residence(context);
  std::vector<double>    moves;
  for (const MetricPass & pass : std::initializer_list<MetricPass>{ MeanSquaresPass(), LocalCorrelationPass() })
  {
    const bool       isLocal = IsPass<LocalCorrelationPass>(pass);
    MetricDescriptor descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
    descriptor.pass = pass;
    auto & stages = descriptor.chain.stages;
    if (isLocal) // for fields with zero displacements, windows determine the derivative
    {
      stages.clear();
      descriptor.gradient = MetricGradient::CentralDifferences;
    }
    stages.insert(stages.begin(), RandomField(random, moves));
    if (isLocal)
    {
      std::fill(moves.begin(), moves.end(), 0.0);
    }
    descriptor.derivative = FieldDisplacements{ 0 };
    MetricSources sources = metric.Make(ScalarType::Float64, false, false, context);
    if (isLocal)
    {
      sources.gradient = sources.moving;
    }
    const MetricResult expected = EvaluateMetric(descriptor, sources, context);
    ASSERT_EQ(expected.derivatives[0].size(), moves.size());
    EXPECT_TRUE(std::any_of(
      expected.derivatives[0].begin(), expected.derivatives[0].end(), [](double force) { return force != 0.0; }));

    // Forces remain in the memory of the backend, and a field that is there is not copied.
    const ResidentArray forces(moves.size() * sizeof(double), residence);
    const ResidentArray field(moves.size() * sizeof(double), residence);
    Upload(field.Data(), moves.data(), field.Bytes(), residence);
    residence.Wait();
    descriptor.forces = forces.As<double>();
    stages[0].data = std::shared_ptr<const double>(field.As<double>(), [](const double *) {});
    const MetricResult found = EvaluateMetric(descriptor, sources, context);
    EXPECT_TRUE(found.derivatives[0].empty());
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.values[0], expected.values[0]);
    EXPECT_EQ(found.values[1], expected.values[1]);
    EXPECT_EQ(expected.values[2], isLocal ? 1.0 : 0.0); // no value was interpolated
    EXPECT_EQ(found.values[2], isLocal && !residence.IsOnDevice() ? 1.0 : 0.0);
    std::vector<double> read(moves.size());
    Download(read.data(), forces.Data(), forces.Bytes(), residence);
    residence.Wait();
    if (isLocal && residence.IsOnDevice()) // a field on a device is not checked for zero displacements
    {
      const double most = *std::max_element(expected.derivatives[0].begin(),
                                            expected.derivatives[0].end(),
                                            [](double a, double b) { return std::abs(a) < std::abs(b); });
      for (std::size_t n = 0; n < read.size(); ++n)
      {
        ASSERT_NEAR(read[n], expected.derivatives[0][n], 1e-12 * std::abs(most));
      }
    }
    else
    {
      EXPECT_EQ(read, expected.derivatives[0]);
    }
  }
}

TEST_P(MetricFieldForces, OtherGridsAndListsAreRefused)
{
  FreshRandom         random;
  const IntegerMetric metric;
  ExecutionContext    context;
  context.backend = GetParam();
  std::vector<double> moves;
  MetricDescriptor    descriptor = IntegerMetric::Describe(MeanSquaresPass(), false);
  descriptor.chain.stages.insert(descriptor.chain.stages.begin(), RandomField(random, moves));
  descriptor.derivative = FieldDisplacements{ 0 };
  EXPECT_NO_THROW(EvaluateMetric(descriptor, metric.Make(ScalarType::Float64, false, false, context), context));
  const MetricSources list = metric.Make(ScalarType::Float64, false, true, context);
  EXPECT_THROW(EvaluateMetric(descriptor, list, context), std::invalid_argument);
  const MetricSources sources = metric.Make(ScalarType::Float64, false, false, context);
  auto                other = descriptor;
  other.chain.stages[0].start[1] = 1;
  EXPECT_THROW(EvaluateMetric(other, sources, context), std::invalid_argument);
  other = descriptor;
  other.derivative = FieldDisplacements{ 1 }; // this stage is affine
  EXPECT_THROW(EvaluateMetric(other, sources, context), std::invalid_argument);
  other = descriptor;
  other.pass = CorrelationPass();
  EXPECT_THROW(EvaluateMetric(other, sources, context), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricFieldForces, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
