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

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/** \file
 * \brief Gradients that are transformed by the following stages: splines and fields that represent a shear have the
 * same effect as a matrix.
 *
 * The shear maps integers to integers, so nearest neighbours are the same for any rounding errors of a stage, and
 * counts and values have to be equal to the bit. */

namespace
{

using namespace CudaSplineTest;

/** Displacement of a position by the shear (mm): x by y. */
double
Move(unsigned int axis, const double (&place)[3])
{
  return axis == 0 ? place[1] : 0.0;
}

TransformChain::Stage
ShearMatrix()
{
  TransformChain::Stage stage;
  for (unsigned int d = 0; d < 3; ++d)
  {
    stage.matrix[d][d] = 1.0;
  }
  stage.matrix[0][1] = 1.0;
  return stage;
}

/** The shear as displacements of a grid around all positions; B-splines and differences represent linear functions
 * exactly. */
TransformChain::Stage
ShearGrid(TransformKind kind, int order)
{
  TransformChain::Stage  stage;
  constexpr double       spacing = 4.0; // mm
  constexpr std::int64_t size = 26;
  stage.kind = kind;
  stage.order = order;
  for (unsigned int d = 0; d < 3; ++d)
  {
    stage.size[d] = size;
    stage.origin[d] = -24.0;
    stage.pointToIndex[d][d] = 1.0 / spacing;
  }
  const bool isField = kind == TransformKind::DisplacementField; // with interleaved components
  const auto count = static_cast<std::size_t>(size * size * size);
  const auto numbers = std::make_shared<std::vector<double>>(3 * count);
  for (std::size_t n = 0; n < count; ++n)
  {
    const auto   at = static_cast<std::int64_t>(n);
    const double place[3] = { stage.origin[0] + spacing * static_cast<double>(at % size),
                              stage.origin[1] + spacing * static_cast<double>(at / size % size),
                              stage.origin[2] + spacing * static_cast<double>(at / size / size) };
    for (unsigned int d = 0; d < 3; ++d)
    {
      (*numbers)[isField ? 3 * n + d : d * count + n] = Move(d, place);
    }
  }
  stage.data = std::shared_ptr<const double>(numbers, numbers->data());
  return stage;
}

/** Parameters of the derivative. */
enum class Front
{
  Linear,
  Splines,
  Field
};

class MetricOuterStages : public OnMetricBackend
{
protected:
  /** Describes a metric whose chain has these parameters before the shear and the shift. */
  static MetricDescriptor
  Describe(const MetricPass &            pass,
           Front                         front,
           const TransformChain::Stage & shear,
           const TransformChain::Stage & moves)
  {
    MetricDescriptor descriptor = IntegerMetric::Describe(pass, true);
    auto &           stages = descriptor.chain.stages;
    stages.insert(stages.begin(), shear);
    stages.insert(stages.begin(), moves);
    descriptor.derivative = front == Front::Splines ? MetricDerivative(SplineCoefficients{ 0 })
                            : front == Front::Field ? MetricDerivative(FieldDisplacements{ 0 })
                                                    : MetricDerivative(LinearMoments{ 1 });
    return descriptor;
  }
};

TEST_P(MetricOuterStages, AShearIsAShear)
{
  FreshRandom            random;
  const IntegerMetric    metric;
  const ExecutionContext context = OnBackend();
  TransformChain::Stage  still; // the identity, on the virtual grid
  still.kind = TransformKind::DisplacementField;
  const auto zeros = std::make_shared<std::vector<double>>(3 * metric.fixed.size(), 0.0);
  still.data = std::shared_ptr<const double>(zeros, zeros->data());
  TransformChain::Stage identity;
  for (unsigned int d = 0; d < 3; ++d)
  {
    still.size[d] = IntegerMetric::Size[d];
    still.pointToIndex[d][d] = 1.0;
    identity.matrix[d][d] = 1.0;
  }
  for (int choice = 0; choice < 24; ++choice)
  {
    const Front      front = choice % 3 == 0 ? Front::Linear : (choice % 3 == 1 ? Front::Splines : Front::Field);
    const int        kind = choice / 3 % 4; // a field, or splines of an order
    const MetricPass pass = front != Front::Field && choice / 12 == 1 ? CorrelationPass() : MetricPass();
    const auto       element = random.Engine()() % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    const bool       withMasks = random.Engine()() % 2 == 0;
    const bool       asList = front != Front::Field && random.Engine()() % 2 == 0;
    SCOPED_TRACE("choice " + std::to_string(choice) + (withMasks ? ", masks" : "") + (asList ? ", list, " : ", ") +
                 NameOf(element));
    const auto grid =
      front == Front::Splines ? RandomGrid(1 + kind % 3, random) : (front == Front::Field ? still : identity);
    const auto          shear = ShearGrid(kind == 0 ? TransformKind::DisplacementField : TransformKind::BSpline, kind);
    const MetricSources sources = metric.Make(element, withMasks, asList, context);
    MetricDescriptor    straight = Describe(pass, front, ShearMatrix(), grid);
    MetricDescriptor    bent = Describe(pass, front, shear, grid);
    if (front == Front::Linear)
    {
      straight.derivative = LinearMoments{}; // moments of the gradients themselves
    }
    EXPECT_FALSE(straight.HasOuterJacobian());
    EXPECT_TRUE(bent.HasOuterJacobian());
    MetricResult expected = EvaluateMetric(straight, sources, context);
    for (std::size_t set = 0; front == Front::Linear && set < 2; ++set)
    {
      auto & moments = expected.derivatives[set];
      for (std::size_t n = 0; n < 4 && !moments.empty(); ++n)
      {
        moments[4 + n] += moments[n]; // the transposed matrix of the shear
      }
    }
    const MetricResult found = EvaluateMetric(bent, sources, context);
    EXPECT_GT(expected.count, 100);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.values, expected.values);
    const auto compare = [&](const MetricResult & result) {
      for (std::size_t set = 0; set < 2; ++set)
      {
        ASSERT_EQ(result.derivatives[set].size(), expected.derivatives[set].size());
        double square = 0.0;
        double distance = 0.0;
        for (std::size_t n = 0; n < result.derivatives[set].size(); ++n)
        {
          square += expected.derivatives[set][n] * expected.derivatives[set][n];
          distance += std::pow(result.derivatives[set][n] - expected.derivatives[set][n], 2);
        }
        EXPECT_EQ(result.derivatives[set].empty(), set == 1 && IsPass<MeanSquaresPass>(pass));
        // The matrix of the gradients and, with floats, the position of the gradients have some rounding errors.
        EXPECT_LE(distance, square * (element == ScalarType::Float64 ? 1e-22 : 1e-12));
        EXPECT_TRUE(result.derivatives[set].empty() || square > 100.0);
      }
    };
    compare(found);
    EXPECT_EQ(EvaluateMetric(bent, sources, context).derivatives, found.derivatives);

    // In two passes; the first one keeps its values for the second.
    MetricWorkspace workspace;
    bent.sharesValues = true;
    auto values = bent;
    values.gradient = MetricGradient::None;
    const MetricResult alone = EvaluateMetric(values, sources, context, &workspace);
    EXPECT_EQ(alone.count, expected.count);
    EXPECT_EQ(alone.values, expected.values);
    const MetricResult shared = EvaluateMetric(bent, sources, context, &workspace);
    EXPECT_EQ(shared.count, found.count);
    EXPECT_EQ(shared.values, found.values);
    compare(shared);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricOuterStages, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
