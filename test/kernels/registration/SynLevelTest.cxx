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
// Levels of SyN with several pairs of images, on both backends. Expected: by the rule of
// itk::ObjectToObjectMultiMetricv4 the sum of forces g_j with weights w_j is sum(w_j g_j / |g_j|) mean(|g_j|). For a
// pair that is present twice it is (w_1 + w_2) g: a level with two copies takes the same steps as a level with one,
// except for rounding. A force of weight 0 contributes only its length, and updates are scaled to the length of a step,
// so the direction of the other force remains. Host and device run the same code.

#include "../metrics/MetricCase.h"

#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace CudaSplineTest;

namespace
{

constexpr unsigned int Dimension = 3;
constexpr std::int64_t Length = 20;

class SynLevels : public OnMetricBackend
{
protected:
  void
  SetUp() override
  {
    OnMetricBackend::SetUp();
    m_Shape.element = ScalarType::Float64;
    m_Shape.grid.dimension = Dimension;
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      m_Shape.grid.size[d] = Length;
      m_Shape.grid.indexToPoint[d][d] = 1.0;
      m_Shape.grid.pointToIndex[d][d] = 1.0;
    }
  }

  /** An image of waves, moved by a phase. */
  SynSide
  Side(double phase, const Residence & residence) const
  {
    std::vector<double> pixels;
    for (std::int64_t n = 0; n < m_Shape.grid.Count(); ++n)
    {
      const auto & size = m_Shape.grid.size;
      const auto   x = static_cast<double>(n % size[0]);
      const auto   y = static_cast<double>(n / size[0] % size[1]);
      const auto   z = static_cast<double>(n / size[0] / size[1]);
      pixels.push_back(100.0 + 20.0 * std::sin(0.6 * x + 0.3 * y + phase) + 15.0 * std::sin(0.5 * y - 0.2 * z) +
                       10.0 * std::sin(0.7 * z + 0.2 * x + phase));
    }
    SynSide    side;
    const auto array = std::make_shared<ResidentArray>(pixels.size() * sizeof(double), residence);
    Upload(array->Data(), pixels.data(), array->Bytes(), residence);
    side.image.grid = m_Shape.grid;
    side.image.pixel = ScalarType::Float64;
    side.image.data = std::shared_ptr<const void>(array, array->Data());
    return side;
  }

  SynTerm
  Term(MetricKind kind, double weight, const Residence & residence) const
  {
    SynTerm term;
    term.fixed = this->Side(0.0, residence);
    term.moving = this->Side(0.5, residence);
    term.metric.kind = kind;
    term.metric.arithmetic = ScalarType::Float64;
    term.metric.epsilon = std::numeric_limits<double>::epsilon();
    term.metric.bins = 16;
    term.weight = weight;
    return term;
  }

  struct Outcome
  {
    std::vector<double> values;
    std::vector<double> weighted;
    std::vector<double> field;
  };

  static SynRules
  MakeRules()
  {
    SynRules rules;
    rules.learningRate = 0.3;
    return rules;
  }

  Outcome
  Iterate(std::vector<SynTerm> terms,
          const Residence &    residence,
          const SynRules &     rules = MakeRules(),
          int                  iterations = 4) const
  {
    SynLevel level(m_Shape, std::move(terms), residence);
    Outcome  outcome;
    for (int i = 0; i < iterations; ++i)
    {
      const SynIteration iteration = level.Iterate(rules);
      outcome.values.push_back(iteration.Value());
      outcome.weighted.push_back(iteration.weightedValue);
    }
    outcome.field.resize(static_cast<std::size_t>(m_Shape.Numbers()));
    level.GetField(SynField::FixedToMiddle, outcome.field.data(), ScalarType::Float64);
    return outcome;
  }

  static void
  ExpectAlike(const Outcome & found, const Outcome & expected)
  {
    for (std::size_t n = 0; n < expected.values.size(); ++n)
    {
      EXPECT_NEAR(found.values[n], expected.values[n], 1e-11 * std::abs(expected.values[n]));
    }
    double largest = 0.0;
    for (std::size_t n = 0; n < expected.field.size(); ++n)
    {
      EXPECT_NEAR(found.field[n], expected.field[n], 1e-10);
      largest = std::max(largest, std::abs(expected.field[n]));
    }
    EXPECT_GT(largest, 0.1);
  }

  FieldShape m_Shape;
};

TEST_P(SynLevels, APairThatIsThereTwiceIsThatPair)
{
  const Residence residence(this->OnBackend());
  for (const MetricKind kind : FieldMetrics)
  {
    SCOPED_TRACE(NameOf(kind));
    ExpectAlike(this->Iterate({ this->Term(kind, 0.3, residence), this->Term(kind, 0.7, residence) }, residence),
                this->Iterate({ this->Term(kind, 1.0, residence) }, residence));
  }
}

TEST_P(SynLevels, APairOfNoWeightHasNoForce)
{
  const Residence residence(this->OnBackend());
  const auto      squares = this->Term(MetricKind::MeanSquares, 1.0, residence);
  ExpectAlike(this->Iterate({ squares, this->Term(MetricKind::LocalCorrelation, 0.0, residence) }, residence),
              this->Iterate({ squares }, residence));
}

TEST_P(SynLevels, ValuesAreThoseOfTheFirstPair)
{
  const Residence residence(this->OnBackend());
  const auto      alone = this->Iterate({ this->Term(MetricKind::Mattes, 1.0, residence) }, residence);
  const auto      first = this->Iterate(
    { this->Term(MetricKind::Mattes, 0.5, residence), this->Term(MetricKind::MeanSquares, 0.5, residence) }, residence);
  EXPECT_EQ(first.values[0], alone.values[0]);
  EXPECT_NE(first.values[1], alone.values[1]);
}

/** In the first iteration nothing has moved yet, so each metric has the same value alone as together with others. */
TEST_P(SynLevels, TheWeightedValueIsOfAllPairs)
{
  const Residence      residence(this->OnBackend());
  double               sum = 0.0;
  constexpr auto       count = static_cast<double>(FieldMetrics.size());
  constexpr double     step = 2.0 / (count * (count + 1.0)); // the shares of count, count - 1, ... 1 steps add up to 1
  double               share = count * step;
  std::vector<SynTerm> terms;
  for (const MetricKind kind : FieldMetrics)
  {
    const auto alone = this->Iterate({ this->Term(kind, 1.0, residence) }, residence);
    EXPECT_EQ(alone.weighted, alone.values) << NameOf(kind); // the same sums with weight 1
    sum += share * alone.values[0];
    terms.push_back(this->Term(kind, share, residence));
    share -= step;
  }
  const auto all = this->Iterate(std::move(terms), residence);
  EXPECT_NEAR(all.weighted[0], sum, 1e-12 * std::abs(sum)); // some rounding errors of double
}

TEST_P(SynLevels, RefusesWhatDoesNotFit)
{
  const Residence residence(this->OnBackend());
  const auto      refuses = [&](std::vector<SynTerm> terms) {
    EXPECT_THROW(SynLevel(m_Shape, std::move(terms), residence), std::invalid_argument);
  };
  refuses({});
  auto term = this->Term(MetricKind::Mattes, 1.0, residence);
  for (const int bins : { 4, 161 })
  {
    term.metric.bins = bins;
    refuses({ term });
  }
  term = this->Term(MetricKind::MeanSquares, 1.0, residence);
  auto original = term;
  original.metric.comparesOriginals = true;
  refuses({ term, original });
  auto moved = this->Term(MetricKind::Demons, 1.0, residence);
  moved.metric.comparesOriginals = true;
  moved.moving.stages.emplace_back();
  refuses({ moved });
  auto single = term;
  single.fixed.image.pixel = ScalarType::Float32;
  refuses({ term, single });
}

/** Each optimizer improves the metric; with inverses by Anderson mixing fields are the same up to the tolerance of
 * inverses. Both backends agree. */
TEST_P(SynLevels, OptimizersAndInversions)
{
  const Residence residence(this->OnBackend());
  const Residence host{ ExecutionContext() };
  for (const FieldOptimizer optimizer : { FieldOptimizer::FixedStep, FieldOptimizer::Momentum, FieldOptimizer::Adam })
  {
    SynRules rules = MakeRules();
    rules.optimizer = optimizer;
    rules.determinantLimit = 4.0;
    const auto run = [&](const Residence & where) {
      return this->Iterate({ this->Term(MetricKind::LocalCorrelation, 1.0, where) }, where, rules, 12);
    };
    const auto first = run(residence);
    EXPECT_LT(first.values.back(), first.values.front());
    rules.inversion.method = InversionMethod::Anderson;
    const auto mixed = run(residence);
    const auto onHost = run(host);
    for (std::size_t n = 0; n < first.field.size(); ++n)
    {
      ASSERT_NEAR(mixed.field[n], first.field[n], 0.1); // the maximum tolerance of ITK's inverses
      ASSERT_NEAR(mixed.field[n], onHost.field[n], 1e-6);
    }
  }
}

/** Everything that a level returns: before and after its total fields, which are written to memory of the iterations.
 */
struct LevelResults
{
  std::vector<double>              values;
  std::vector<std::vector<double>> fields;

  LevelResults(SynLevel & level, const FieldShape & shape, const SynRules & rules)
  {
    const auto count = static_cast<std::size_t>(shape.Numbers());
    values.push_back(level.Compare(rules));
    for (int round = 0; round < 2; ++round)
    {
      for (int n = 0; n < 2; ++n)
      {
        const SynIteration iteration = level.Iterate(rules);
        values.insert(values.end(), { iteration.weightedValue, iteration.maximumNorm[0], iteration.maximumNorm[1] });
      }
      std::vector<double> forward(count);
      std::vector<double> backward(count);
      FieldInversion      inversion;
      inversion.method = rules.inversion.method;
      level.GetTotalFields(forward.data(), backward.data(), ScalarType::Float64, FieldMemory::Host, inversion);
      fields.push_back(forward);
      fields.push_back(backward);
      level.GetTotalFields(nullptr, backward.data(), ScalarType::Float64);
      fields.push_back(backward);
      for (const SynField which : { SynField::FixedToMiddle,
                                    SynField::FixedToMiddleInverse,
                                    SynField::MovingToMiddle,
                                    SynField::MovingToMiddleInverse })
      {
        std::vector<double> field(count);
        level.GetField(which, field.data(), ScalarType::Float64);
        fields.push_back(field);
      }
    }
  }
};

/** Smoothing slab by slab, forces in one direction after the other, and fields that are copied to the host and back do
 * not change any bit. */
TEST_P(SynLevels, LessMemoryHasTheSameBits)
{
  const Residence residence(this->OnBackend());
  m_Shape.grid.size = { { 14, 11, 70 } }; // two slabs or more
  std::vector<SynRules> cases(5, MakeRules());
  cases[1].totalVariance = 0.0;
  cases[2].determinantLimit = 1.3;
  cases[2].optimizer = FieldOptimizer::Momentum;
  cases[3].averagesMidpointGradients = true;
  cases[3].inversion.method = InversionMethod::Anderson;
  cases[4].updateVariance = 0.0;
  cases[4].optimizer = FieldOptimizer::Adam;
  using Kinds = std::vector<MetricKind>;
  for (const Kinds & kinds : { Kinds{ MetricKind::LocalCorrelation },
                               Kinds{ MetricKind::LocalCorrelation, MetricKind::LocalCorrelation },
                               Kinds{ MetricKind::LocalCorrelation, MetricKind::MeanSquares },
                               Kinds{ MetricKind::ExactCorrelation },
                               Kinds{ MetricKind::SelfSimilarity, MetricKind::MeanSquares } })
  {
    for (std::size_t number = 0; number < cases.size(); ++number)
    {
      SCOPED_TRACE(std::string(NameOf(kinds.front())) + ", " + std::to_string(kinds.size()) + " pairs, rules " +
                   std::to_string(number));
      m_Shape.element = number % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      const auto run = [&](LevelMemory memory) {
        std::vector<SynTerm> terms;
        for (const MetricKind kind : kinds)
        {
          terms.push_back(this->Term(kind, 1.0 / static_cast<double>(kinds.size()), residence));
        }
        SynLevel level(m_Shape, std::move(terms), residence, {}, memory);
        return LevelResults(level, m_Shape, cases[number]);
      };
      const LevelResults fastest = run(LevelMemory::Fastest);
      for (const LevelMemory memory : { LevelMemory::Smallest, LevelMemory::Paged })
      {
        if (memory == LevelMemory::Paged && kinds.front() == MetricKind::SelfSimilarity)
        {
          EXPECT_THROW(run(memory), std::invalid_argument); // features read the fields
          continue;
        }
        const LevelResults smaller = run(memory);
        EXPECT_EQ(smaller.values, fastest.values) << "paged: " << (memory == LevelMemory::Paged);
        EXPECT_EQ(smaller.fields, fastest.fields) << "paged: " << (memory == LevelMemory::Paged);
      }
      const auto isMoved = [](double component) { return std::abs(component) > 0.01; };
      EXPECT_TRUE(std::any_of(fastest.fields[2].begin(), fastest.fields[2].end(), isMoved));
    }
  }
}

/** Moments need one field per image, and for Adam also one number per sample. */
TEST_P(SynLevels, PlansTheMemoryOfOptimizers)
{
  const auto plan = [this](FieldOptimizer optimizer) {
    SynRules rules = MakeRules();
    rules.optimizer = optimizer;
    constexpr std::size_t budget = std::size_t{ 1 } << 40;
    return PlanSynLevel(m_Shape, { SynMetric() }, rules, ScalarType::Float64, 0, budget).sourceBytes;
  };
  const auto samples = static_cast<std::size_t>(m_Shape.grid.Count());
  const auto none = plan(FieldOptimizer::FixedStep);
  EXPECT_EQ(plan(FieldOptimizer::Momentum), none + 2 * (samples * 3 * sizeof(double) + 2 * sizeof(double)));
  EXPECT_EQ(plan(FieldOptimizer::Adam), none + 2 * (samples * 4 * sizeof(double) + 2 * sizeof(double)));
}

INSTANTIATE_TEST_SUITE_P(Backends, SynLevels, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
