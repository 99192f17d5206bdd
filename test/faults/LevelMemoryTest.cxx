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
// The device memory of levels of SyN and greedy registration: what is allocated is what is planned. Runs on a GPU or on
// a simulated one, whose kernels do nothing.

#include "CudaShim.h"

#include "itkCudaSpline/kernels/registration/GreedyLevel.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "kernels/registration/deformable/LevelForces.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

constexpr std::size_t Tolerance = SmallFieldMetricBytes + (std::size_t{ 1 } << 16); ///< sums of metrics, small arrays

/** A case: a level, what it iterates with, and the bytes per sample that it may need without images. */
struct Case
{
  bool                    isSyn;
  std::vector<MetricKind> kinds;
  LevelMemory             memory;
  SynRules                rules;
  std::array<double, 2>   bounds; ///< bytes per sample: at least, at most
};

SynRules
MakeRules(double totalVariance, double limit = 0.0, FieldOptimizer optimizer = FieldOptimizer::FixedStep)
{
  SynRules rules;
  rules.totalVariance = totalVariance;
  rules.determinantLimit = limit;
  rules.optimizer = optimizer;
  return rules;
}

std::vector<Case>
MakeCases()
{
  const SynRules plain = MakeRules(0.0);
  SynRules       averages = MakeRules(0.0, 6.0, FieldOptimizer::Momentum);
  averages.averagesMidpointGradients = true;
  averages.inversion.method = InversionMethod::Anderson;
  const std::vector<MetricKind> local{ MetricKind::LocalCorrelation };
  const std::vector<MetricKind> two{ MetricKind::LocalCorrelation, MetricKind::MeanSquares };
  // Of SyN four fields are 48 bytes, of greedy one is 12; images have 8.
  return { { true, local, LevelMemory::Smallest, plain, { { 68.0, 71.0 } } },
           { true, local, LevelMemory::Fastest, plain, { { 84.0, 84.5 } } },
           { true, local, LevelMemory::Smallest, MakeRules(0.5), { { 68.0, 71.0 } } },
           { true, local, LevelMemory::Fastest, MakeRules(0.5), { { 84.0, 84.5 } } },
           { true, two, LevelMemory::Fastest, averages, { { 48.0, 200.0 } } },
           { true, { MetricKind::MeanSquares }, LevelMemory::Smallest, plain, { { 80.0, 81.0 } } },
           { true, local, LevelMemory::Paged, plain, { { 36.0, 38.0 } } },
           { true, two, LevelMemory::Paged, averages, { { 24.0, 152.0 } } },
           { true, { MetricKind::ExactCorrelation }, LevelMemory::Smallest, averages, { { 48.0, 200.0 } } },
           { false, local, LevelMemory::Smallest, plain, { { 32.0, 36.5 } } },
           { false, local, LevelMemory::Fastest, plain, { { 40.0, 40.5 } } },
           { false, two, LevelMemory::Smallest, MakeRules(1.0, 4.0, FieldOptimizer::Adam), { { 36.0, 200.0 } } } };
}

SynSide
MakeSide(const FieldShape & shape, const Residence & residence)
{
  SynSide    side;
  const auto pixels =
    std::make_shared<ResidentArray>(static_cast<std::size_t>(shape.grid.Count()) * sizeof(float), residence);
  ClearResident(pixels->Data(), pixels->Bytes(), residence);
  side.image.grid = shape.grid;
  side.image.pixel = ScalarType::Float32;
  side.image.data = std::shared_ptr<const void>(pixels, pixels->Data());
  return side;
}

} // namespace

TEST(LevelMemory, IsWhatIsPlanned)
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  const Residence residence(context);
  FieldShape      shape;
  shape.grid.size = { { 96, 80, 320 } };
  for (unsigned int d = 0; d < 3; ++d)
  {
    shape.grid.indexToPoint[d][d] = shape.grid.pointToIndex[d][d] = 1.0;
  }
  const auto              samples = static_cast<double>(shape.grid.Count());
  const SynSide           fixed = MakeSide(shape, residence);
  const SynSide           moving = MakeSide(shape, residence);
  std::vector<float>      field(static_cast<std::size_t>(shape.Numbers()));
  const std::vector<Case> cases = MakeCases();
  for (std::size_t number = 0; number < cases.size(); ++number)
  {
    SCOPED_TRACE(number);
    const Case &         of = cases[number];
    std::vector<SynTerm> terms;
    LevelSetup           setup;
    setup.shape = shape;
    setup.use.memory = of.memory;
    for (const MetricKind kind : of.kinds)
    {
      SynTerm term;
      term.fixed = fixed;
      term.moving = moving;
      term.metric.kind = kind;
      terms.push_back(term);
      setup.metrics.push_back(term.metric);
    }
    const std::size_t before = AllocatedBytes();
    RestartPeak();
    const auto iterate = [&](auto & level) {
      level.Compare(of.rules);
      level.Iterate(of.rules);
      level.Iterate(of.rules); // a recorded graph
    };
    const auto expectAlike = [&](std::size_t taken, std::size_t planned) {
      EXPECT_LE(taken, planned + (std::size_t{ 1 } << 12)); // arrays of a few numbers
      EXPECT_LE(planned, taken + of.kinds.size() * Tolerance);
    };
    const auto expectIterations = [&](std::size_t planned) { expectAlike(PeakBytes() - before, planned); };
    if (of.isSyn)
    {
      SynLevel level(shape, std::move(terms), residence, {}, of.memory);
      iterate(level);
      expectIterations(CountSynBytes(setup, of.rules).iterations);
      FieldInversion inversion;
      inversion.method = of.rules.inversion.method;
      const bool inverts = inversion.method == InversionMethod::Anderson;
      level.GetTotalFields(field.data(),
                           field.data(),
                           ScalarType::Float32,
                           FieldMemory::Host,
                           inverts ? std::optional<FieldInversion>(inversion) : std::nullopt);
    }
    else
    {
      GreedyLevel level(shape, std::move(terms), residence, {}, {}, {}, of.memory);
      iterate(level);
      expectIterations(CountGreedyBytes(setup, of.rules).iterations);
      level.GetInverse(of.rules.inversion, field.data(), ScalarType::Float32);
    }
    const std::size_t taken = PeakBytes() - before;
    const std::size_t planned = (of.isSyn ? CountSynBytes(setup, of.rules) : CountGreedyBytes(setup, of.rules)).atEnd;
    expectAlike(taken, planned);
    EXPECT_GE(static_cast<double>(taken) / samples, of.bounds[0]);
    EXPECT_LE(static_cast<double>(taken) / samples, of.bounds[1]);
    EXPECT_EQ(AllocatedBytes(), before);
  }
}
