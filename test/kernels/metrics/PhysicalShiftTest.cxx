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
// The largest shift of a grid by a change of a stage. Expected: the longest of all displacements that
// MakeDisplacements() writes for the change alone, after and before affine stages, up to rounding errors of positions
// of some hundred mm.

#include "../common/KernelTestData.h"

#include "itkCudaSpline/kernels/metrics/PhysicalShift.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"

#include "kernels/metrics/scales/SplineRefinement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

TransformChain
Grid(unsigned int dimension, std::int64_t length, FreshRandom & random)
{
  TransformChain chain;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    chain.regionStart[d] = static_cast<std::int64_t>(d) - 2;
    chain.regionSize[d] = length + 3 * static_cast<std::int64_t>(d);
    chain.indexToPoint[d][d] = random.Uniform(0.8, 1.2);
    chain.outputOrigin[d] = random.Uniform(-3.0, 3.0);
  }
  return chain;
}

/** A grid with a given number of nodes over most of the samples. */
TransformChain::Stage
Spline(const TransformChain & chain, unsigned int dimension, int order, std::int64_t nodes, FreshRandom & random)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::BSpline;
  stage.order = order;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    stage.size[d] = nodes + static_cast<std::int64_t>(d);
    const double extent = static_cast<double>(chain.regionSize[d]) * chain.indexToPoint[d][d];
    stage.pointToIndex[d][d] = static_cast<double>(stage.size[d]) / extent;
    stage.origin[d] = chain.outputOrigin[d] + random.Uniform(-0.1, 0.1) * extent;
    stage.pointToIndex[d][(d + 1) % dimension] += dimension > 1 ? 0.05 * stage.pointToIndex[d][d] : 0.0; // rotated
  }
  return stage;
}

std::shared_ptr<double>
RandomChange(const TransformChain::Stage & stage, unsigned int dimension, FreshRandom & random)
{
  const auto                    count = static_cast<std::size_t>(TransformChain::CountOf(stage, dimension));
  const std::shared_ptr<double> change(new double[count], std::default_delete<double[]>());
  for (std::size_t i = 0; i < count; ++i)
  {
    change.get()[i] = random.Uniform(-1.0, 1.0);
  }
  return change;
}

double
Longest(const TransformChain & chain, unsigned int dimension)
{
  DisplacementDescriptor descriptor;
  descriptor.dimension = dimension;
  descriptor.output = ScalarType::Float64;
  descriptor.chain = &chain;
  descriptor.samples = chain.regionSize[0];
  descriptor.lines = chain.regionSize[1] * chain.regionSize[2];
  std::vector<double> output(static_cast<std::size_t>(descriptor.samples * descriptor.lines) * dimension);
  MakeDisplacements(descriptor, output.data(), ExecutionContext());
  double longest = 0.0;
  for (std::size_t i = 0; i < output.size(); i += dimension)
  {
    double sum = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      sum += output[i + d] * output[i + d];
    }
    longest = std::max(longest, std::sqrt(sum));
  }
  return longest;
}

} // namespace

// Cells with few and with many samples, for which coefficients are refined up to three times.
TEST(PhysicalShift, OfSplines)
{
  FreshRandom          random;
  const ThreadExecutor threads(3);
  ExecutionContext     context;
  context.host = &threads;
  for (unsigned int dimension = 1; dimension <= 3; ++dimension)
  {
    for (int order = 1; order <= 3; ++order)
    {
      for (const std::int64_t nodes : { 5, 9, 30 })
      {
        SCOPED_TRACE(std::to_string(dimension) + "D, order " + std::to_string(order) + ", nodes " +
                     std::to_string(nodes));
        TransformChain chain = Grid(dimension, dimension == 1 ? 700 : (dimension == 2 ? 150 : 60), random);
        chain.stages.push_back(Spline(chain, dimension, order, nodes, random));
        const auto change = RandomChange(chain.stages[0], dimension, random);
        chain.stages[0].data = change;
        const double expected = Longest(chain, dimension);
        EXPECT_GT(expected, 0.0);
        EXPECT_NEAR(LargestPhysicalShift(chain, dimension, 0, change.get(), context), expected, 1e-12);
        EXPECT_NEAR(LargestPhysicalShift(chain, dimension, 0, change.get(), ExecutionContext()), expected, 1e-12);
      }
    }
  }
}

TEST(PhysicalShift, StretchedByWhatComesBehind)
{
  FreshRandom           random;
  TransformChain        chain = Grid(3, 50, random);
  TransformChain::Stage before;
  TransformChain::Stage behind;
  for (unsigned int d = 0; d < 3; ++d)
  {
    before.matrix[d][d] = 1.0;
    before.offset[d] = random.Uniform(-2.0, 2.0);
    behind.matrix[d][(d + 1) % 3] = 2.5; // a rotation with scaling
  }
  chain.stages = { before, Spline(chain, 3, 3, 7, random) };
  const auto change = RandomChange(chain.stages[1], 3, random);
  // Without the first shift, at the positions that it maps to, the result is the same.
  TransformChain moved = chain;
  moved.stages.erase(moved.stages.begin());
  moved.stages[0].data = change;
  for (unsigned int d = 0; d < 3; ++d)
  {
    moved.outputOrigin[d] += before.offset[d];
  }
  chain.stages.push_back(behind);
  EXPECT_NEAR(LargestPhysicalShift(chain, 3, 1, change.get(), ExecutionContext()), 2.5 * Longest(moved, 3), 1e-11);
}

TEST(PhysicalShift, OfFieldsAndOfNothing)
{
  FreshRandom           random;
  TransformChain        chain = Grid(2, 40, random);
  TransformChain::Stage field = Spline(chain, 2, 3, 23, random);
  field.kind = TransformKind::DisplacementField;
  chain.stages = { field };
  const auto change = RandomChange(field, 2, random);
  chain.stages[0].data = change;
  EXPECT_NEAR(LargestPhysicalShift(chain, 2, 0, change.get(), ExecutionContext()), Longest(chain, 2), 1e-12);
  const std::vector<double> nothing(static_cast<std::size_t>(TransformChain::CountOf(field, 2)), 0.0);
  EXPECT_EQ(LargestPhysicalShift(chain, 2, 0, nothing.data(), ExecutionContext()), 0.0);
  chain.stages[0].kind = TransformKind::BSpline;
  EXPECT_EQ(LargestPhysicalShift(chain, 2, 0, nothing.data(), ExecutionContext()), 0.0);
}

TEST(PhysicalShift, RefusesOtherStages)
{
  FreshRandom    random;
  TransformChain chain = Grid(2, 10, random);
  chain.stages = { TransformChain::Stage(), Spline(chain, 2, 3, 6, random), Spline(chain, 2, 3, 6, random) };
  const std::vector<double> change(200, 0.0);
  // Preceding stages map the samples.
  EXPECT_THROW(LargestPhysicalShift(chain, 2, 2, change.data(), ExecutionContext()), std::invalid_argument);
  chain.stages[1].data = RandomChange(chain.stages[1], 2, random);
  EXPECT_THROW(LargestPhysicalShift(chain, 2, 2, nullptr, ExecutionContext()), std::invalid_argument);
  EXPECT_THROW(LargestPhysicalShift(chain, 2, 0, change.data(), ExecutionContext()), std::invalid_argument);
  EXPECT_THROW(LargestPhysicalShift(chain, 2, 1, change.data(), ExecutionContext()), std::invalid_argument);
  EXPECT_THROW(LargestPhysicalShift(chain, 2, 3, change.data(), ExecutionContext()), std::invalid_argument);
  EXPECT_EQ(LargestPhysicalShift(chain, 2, 2, change.data(), ExecutionContext()), 0.0);
}

// A refined spline is the same function.
TEST(SplineRefinement, KeepsTheFunction)
{
  FreshRandom random;
  const auto  basis = [](int order, double x) {
    x = std::abs(x);
    if (order == 1)
    {
      return x < 1.0 ? 1.0 - x : 0.0;
    }
    if (order == 2)
    {
      return x < 0.5 ? 0.75 - x * x : (x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0.0);
    }
    return x < 1.0 ? 2.0 / 3.0 - x * x * (1.0 - 0.5 * x) : (x < 2.0 ? (2.0 - x) * (2.0 - x) * (2.0 - x) / 6.0 : 0.0);
  };
  const auto evaluate = [&](int order, const std::vector<double> & coefficients, double x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < coefficients.size(); ++k)
    {
      sum += coefficients[k] * basis(order, x - static_cast<double>(k));
    }
    return sum;
  };
  for (int order = 1; order <= 3; ++order)
  {
    std::vector<double> coarse(9);
    for (double & c : coarse)
    {
      c = random.Uniform(-1.0, 1.0);
    }
    std::vector<double>         fine = coarse;
    std::array<std::int64_t, 1> size{ { 9 } };
    RefineSpline(fine, size, order);
    ASSERT_EQ(fine.size(), 18u);
    for (int i = 0; i < 50; ++i)
    {
      const double x = random.Uniform(0.5 * (order - 1), 8.0 - 0.5 * (order - 1));
      EXPECT_NEAR(evaluate(order, coarse, x), evaluate(order, fine, RefinedIndex(x, order)), 1e-14);
    }
  }
}
