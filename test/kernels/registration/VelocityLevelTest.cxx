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
// Levels of velocity fields that vary in time, on both backends.
//
// Expected: for an image T the moving image is T(y + d(y)), with a known d. The forward field p satisfies
// p(x) + d(p(x)) = x away from the border: the mean of that difference is reduced to less than a third. The backward
// field inverts the forward one to less than 0.05 voxels. Any number of threads gives the same bits; host and device
// agree within 1e-6 voxels in double. Images of one value have no force. Limited determinants exceed their bounds by a
// tenth, or a fifth below, at most: shares are found for the path and the integral before an update.

#include "../metrics/MetricCase.h"
#include "BentPhantoms.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/VelocityLevel.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Registers phantoms. */
template <unsigned int VDimension>
struct VelocityPhantoms : BentPhantoms<VDimension>
{
  using Base = BentPhantoms<VDimension>;
  using Base::Base;

  VelocityOptions options;
  MetricKind      kind{ MetricKind::LocalCorrelation };

  struct Outcome
  {
    std::vector<double> values;
    std::vector<double> maximumNorms; ///< of the last iteration
    std::vector<double> forward;
    std::vector<double> backward;
  };

  SynTerm
  Term(const Residence & residence, double weight = 1.0) const
  {
    SynTerm term;
    term.fixed = this->Side(this->fixed, residence);
    term.moving = this->Side(this->moving, residence);
    term.metric.kind = kind;
    term.metric.radius = { { 2, 2, 2 } };
    term.metric.arithmetic = this->shape.element;
    term.metric.epsilon = std::numeric_limits<double>::epsilon();
    term.metric.bins = 16;
    term.weight = weight;
    return term;
  }

  Outcome
  Register(const Residence &    residence,
           std::vector<SynTerm> terms,
           int                  iterations,
           const SynRules &     rules = Base::MakeRules()) const
  {
    VelocityLevel level(this->shape, std::move(terms), options, residence);
    Outcome       outcome;
    for (int n = 0; n < iterations; ++n)
    {
      const VelocityIteration iteration = level.Iterate(rules);
      outcome.values.push_back(iteration.Value());
      outcome.maximumNorms = iteration.maximumNorms;
    }
    outcome.values.push_back(level.Compare(rules));
    outcome.forward.resize(static_cast<std::size_t>(this->shape.Numbers()));
    outcome.backward.resize(outcome.forward.size());
    level.GetTotalFields(outcome.forward.data(), outcome.backward.data(), ScalarType::Float64);
    return outcome;
  }

  Outcome
  Register(const ExecutionContext & context, int iterations, const SynRules & rules = Base::MakeRules()) const
  {
    const Residence      residence(context);
    std::vector<SynTerm> terms;
    terms.push_back(this->Term(residence));
    return this->Register(residence, std::move(terms), iterations, rules);
  }

  /** Largest norm of the composition of two fields, at least 5 samples off the border, to which both are attached. */
  double
  FindInverseError(const std::vector<double> & displacement, const std::vector<double> & warping) const
  {
    const Residence     host{ ExecutionContext() };
    const FieldShape    ofDoubles{ this->shape.grid, ScalarType::Float64 };
    std::vector<double> composed(warping.size());
    ComposeFields(ofDoubles, displacement.data(), ofDoubles, warping.data(), composed.data(), host);
    double largest = 0.0;
    for (std::int64_t n = 0; n < ofDoubles.grid.Count(); ++n)
    {
      const auto place = Base::PlaceOf(n);
      const bool isInside =
        std::all_of(place.begin(), place.end(), [](double x) { return x >= 5.0 && x < Base::Length - 5; });
      double square = 0.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double number = composed[static_cast<std::size_t>(n) * VDimension + d];
        square += isInside ? number * number : 0.0;
      }
      largest = std::max(largest, std::sqrt(square));
    }
    return largest;
  }
  double
  FindInverseError(const Outcome & outcome) const
  {
    return this->FindInverseError(outcome.backward, outcome.forward);
  }
};

class Velocity : public OnMetricBackend
{
protected:
  template <unsigned int VDimension>
  void
  FindsTheBend(ScalarType element)
  {
    const VelocityPhantoms<VDimension> images(element);
    const std::vector<double>          none(static_cast<std::size_t>(images.shape.Numbers()), 0.0);
    constexpr int                      iterations = VDimension == 2 ? 40 : 12;
    SynRules                           rules = VelocityPhantoms<VDimension>::MakeRules();
    rules.learningRate = VDimension == 2 ? 0.3 : 0.8;
    const auto outcome = images.Register(this->OnBackend(), iterations, rules);
    EXPECT_LT(outcome.values.back(), outcome.values.front());
    EXPECT_LT(images.MeanError(outcome.forward), 0.3 * images.MeanError(none));
    EXPECT_LT(images.FindInverseError(outcome), VDimension == 2 ? 0.05 : 0.08); // 3D: few iterations, long steps
    const ThreadExecutor one{ 1 };
    ExecutionContext     context = this->OnBackend();
    context.host = &one;
    const auto again = images.Register(context, iterations, rules);
    EXPECT_EQ(again.values, outcome.values);
    EXPECT_EQ(again.forward, outcome.forward);
    EXPECT_EQ(again.backward, outcome.backward);
    context.backend = Backend::Cpu;
    const auto   onHost = images.Register(context, iterations, rules);
    const double allowed = element == ScalarType::Float64 ? 1e-6 : 0.05;
    for (std::size_t n = 0; n < onHost.forward.size(); ++n)
    {
      ASSERT_NEAR(onHost.forward[n], outcome.forward[n], allowed);
    }
  }

  /** The fields of two runs, whose signs may differ. */
  static void
  ExpectNear(const std::vector<double> & found, const std::vector<double> & expected, double tolerance)
  {
    for (std::size_t n = 0; n < expected.size(); ++n)
    {
      ASSERT_NEAR(found[n], expected[n], tolerance);
    }
  }
};

TEST_P(Velocity, FindsABendInThePlane)
{
  this->FindsTheBend<2>(ScalarType::Float64);
  this->FindsTheBend<2>(ScalarType::Float32);
}

TEST_P(Velocity, FindsABendInSpace)
{
  this->FindsTheBend<3>(ScalarType::Float32);
}

/** Each optimizer, metric and number of time points reduces the value. */
TEST_P(Velocity, EachCombinationFindsABend)
{
  VelocityPhantoms<2>       images(ScalarType::Float64);
  const std::vector<double> none(static_cast<std::size_t>(images.shape.Numbers()), 0.0);
  const auto                findsIt = [&](FieldOptimizer optimizer, double inverseError = 0.05) {
    const auto outcome = images.Register(this->OnBackend(), 40, VelocityPhantoms<2>::MakeRules(optimizer));
    EXPECT_LT(outcome.values.back(), outcome.values.front());
    EXPECT_LT(images.MeanError(outcome.forward), 0.4 * images.MeanError(none));
    EXPECT_LT(images.FindInverseError(outcome), inverseError);
  };
  findsIt(FieldOptimizer::Momentum);
  findsIt(FieldOptimizer::Adam, 0.1); // regions with weak forces move, too
  for (const MetricKind kind : { MetricKind::MeanSquares, MetricKind::ExactCorrelation, MetricKind::GradientFields })
  {
    images.kind = kind;
    findsIt(FieldOptimizer::FixedStep);
  }
  images.kind = MetricKind::LocalCorrelation;
  for (const unsigned int timePoints : { 2U, 3U, 7U })
  {
    images.options = { timePoints, 0.5, 0.1 };
    findsIt(FieldOptimizer::FixedStep);
  }
}

/** With exchanged images, the velocity has the opposite sign and runs backward in time: the fields are exchanged. */
TEST_P(Velocity, IsSymmetric)
{
  for (const MetricKind kind : { MetricKind::LocalCorrelation, MetricKind::MeanSquares, MetricKind::Mattes })
  {
    VelocityPhantoms<2> images(ScalarType::Float64);
    images.kind = kind;
    const auto found = images.Register(this->OnBackend(), 10);
    std::swap(images.fixed, images.moving);
    const auto exchanged = images.Register(this->OnBackend(), 10);
    ExpectNear(exchanged.forward, found.backward, 1e-6);
    ExpectNear(exchanged.backward, found.forward, 1e-6);
    EXPECT_NEAR(exchanged.values.back(), found.values.back(), 1e-8 * std::abs(found.values.back()));
  }
}

/** A pair that is listed twice has half of the weight each: the result is that of the pair alone. Values of all time
 * points and pairs are summed, also of a metric that waits. */
TEST_P(Velocity, SumsSeveralPairs)
{
  for (const MetricKind kind : { MetricKind::LocalCorrelation, MetricKind::Mattes })
  {
    VelocityPhantoms<2> images(ScalarType::Float64);
    images.kind = kind;
    const Residence residence(this->OnBackend());
    const auto      terms = [&](std::initializer_list<double> weights) {
      std::vector<SynTerm> list;
      for (const double weight : weights)
      {
        list.push_back(images.Term(residence, weight));
      }
      return list;
    };
    const auto alone = images.Register(residence, terms({ 1.0 }), 5);
    const auto twice = images.Register(residence, terms({ 0.25, 0.75 }), 5);
    ExpectNear(twice.forward, alone.forward, 1e-8);
    ExpectNear(twice.values, alone.values, 1e-10 * std::abs(alone.values.front()));
  }
}

/** The values at the time points differ: their mean is reported. At the first iteration they are equal. */
TEST_P(Velocity, ReportsTheMeanOfAllTimePoints)
{
  VelocityPhantoms<2> images(ScalarType::Float64);
  images.kind = MetricKind::Mattes;
  const auto few = images.Register(this->OnBackend(), 0);
  images.options.timePoints = 9;
  EXPECT_NEAR(images.Register(this->OnBackend(), 0).values.front(), few.values.front(), 1e-12);
}

/** Images of one value have no force. NaN outside of the masks does not count. */
TEST_P(Velocity, HasNoForceOfConstantImages)
{
  VelocityPhantoms<2> images(ScalarType::Float32);
  std::fill(images.moving.begin(), images.moving.end(), 7.0);
  const auto outcome = images.Register(this->OnBackend(), 3);
  EXPECT_EQ(outcome.forward, std::vector<double>(outcome.forward.size(), 0.0));
  EXPECT_EQ(outcome.maximumNorms, std::vector<double>(4, 0.0));
}

/** Voxels outside of the fixed mask have no force at time 0, whatever their values are. */
TEST_P(Velocity, RespectsMasks)
{
  VelocityPhantoms<2>       images(ScalarType::Float64);
  const Residence           residence(this->OnBackend());
  std::vector<std::uint8_t> inside(images.fixed.size(), 1);
  for (std::size_t n = 0; n < inside.size(); ++n)
  {
    inside[n] = n % VelocityPhantoms<2>::Length < 20 ? 1 : 0;
  }
  const auto run = [&] {
    std::vector<SynTerm> terms;
    terms.push_back(images.Term(residence));
    const auto mask = std::make_shared<ResidentArray>(inside.size(), residence);
    Upload(mask->Data(), inside.data(), inside.size(), residence);
    for (SynSide * const side : { &terms[0].fixed, &terms[0].moving })
    {
      side->mask = side->image;
      side->mask.pixel = ScalarType::UInt8;
      side->mask.data = std::shared_ptr<const void>(mask, mask->Data());
    }
    return images.Register(residence, std::move(terms), 5).forward;
  };
  const auto found = run();
  EXPECT_NE(found, std::vector<double>(found.size(), 0.0));
  for (std::size_t n = 0; n < inside.size(); ++n) // beyond what the fields reach
  {
    images.fixed[n] = n % VelocityPhantoms<2>::Length < 30 ? images.fixed[n] : -1000.0;
  }
  EXPECT_EQ(run(), found);
}

/** Updates with little smoothing take determinants out of the bounds; with a limit they stay near them, and the images
 * match better than without displacements.
 *
 * \return the least determinant without a limit */
template <unsigned int VDimension>
double
LimitsDeterminants(const ExecutionContext & context, ScalarType element, SynRules rules, int iterations, double limit)
{
  const VelocityPhantoms<VDimension> images(element);
  const auto                         fold = [&](const std::vector<double> & field) {
    const FieldShape shape{ images.shape.grid, ScalarType::Float64 };
    return MeasureFolding(shape, field.data(), nullptr, false, Residence(ExecutionContext()));
  };
  const FieldFolding free = fold(images.Register(context, iterations, rules).forward);
  EXPECT_LT(free.least, 0.7 / limit);
  rules.determinantLimit = limit;
  const auto         limited = images.Register(context, iterations, rules);
  const FieldFolding folding = fold(limited.forward);
  EXPECT_GT(folding.least, 0.8 / limit);
  EXPECT_LT(folding.largest, 1.1 * limit);
  EXPECT_LT(limited.values.back(), limited.values.front());
  const ThreadExecutor one{ 1 };
  ExecutionContext     alone = context;
  alone.host = &one;
  EXPECT_EQ(images.Register(alone, iterations, rules).forward, limited.forward);
  return free.least;
}

TEST_P(Velocity, LimitsDeterminantsInThePlane)
{
  SynRules rules = VelocityPhantoms<2>::MakeRules();
  rules.learningRate = 0.25;
  rules.updateVariance = 1.0;
  rules.totalVariance = 0.0;
  EXPECT_LT(LimitsDeterminants<2>(this->OnBackend(), ScalarType::Float64, rules, 60, 2.0), 0.0); // it folds
  EXPECT_LT(LimitsDeterminants<2>(this->OnBackend(), ScalarType::Float32, rules, 60, 4.0), 0.0);
}

TEST_P(Velocity, LimitsDeterminantsInSpace)
{
  SynRules rules = VelocityPhantoms<3>::MakeRules();
  rules.learningRate = 1.0;
  rules.updateVariance = 1.0;
  LimitsDeterminants<3>(this->OnBackend(), ScalarType::Float32, rules, 6, 1.5);
}

/** A limit that no determinant reaches does not change a bit. It takes memory for the previous velocity. */
TEST_P(Velocity, KeepsItsBitsWithinALimit)
{
  const VelocityPhantoms<2> images(ScalarType::Float64);
  SynRules                  rules = VelocityPhantoms<2>::MakeRules();
  const auto                plan = [&] {
    constexpr std::size_t budget = std::size_t{ 1 } << 40;
    return PlanVelocityLevel(images.shape, { SynMetric() }, rules, images.options, ScalarType::Float64, 0, budget)
      .sourceBytes;
  };
  const auto free = images.Register(this->OnBackend(), 5, rules);
  const auto bytes = plan();
  rules.determinantLimit = 1e6;
  EXPECT_EQ(images.Register(this->OnBackend(), 5, rules).forward, free.forward);
  EXPECT_GE(plan(), bytes + 2 * images.options.timePoints * images.shape.Bytes());
}

/** A finer level starts with the velocity of the coarser one. */
TEST_P(Velocity, ContinuesFromACoarserLevel)
{
  const VelocityPhantoms<2> images(ScalarType::Float64);
  const Residence           residence(this->OnBackend());
  const auto                make = [&] {
    std::vector<SynTerm> terms;
    terms.push_back(images.Term(residence));
    return std::make_unique<VelocityLevel>(images.shape, std::move(terms), images.options, residence);
  };
  const auto          rules = VelocityPhantoms<2>::MakeRules();
  const auto          first = make();
  const auto          second = make();
  const auto          count = static_cast<std::size_t>(images.shape.Numbers());
  std::vector<double> one(count);
  std::vector<double> other(count);
  first->Iterate(rules);
  second->AdaptFrom(*first->GetFields());
  EXPECT_EQ(first->Iterate(rules).Value(), second->Iterate(rules).Value());
  first->GetTotalFields(one.data(), nullptr, ScalarType::Float64);
  second->GetTotalFields(other.data(), nullptr, ScalarType::Float64);
  EXPECT_EQ(one, other);
  second->Clear();
  second->GetTotalFields(other.data(), nullptr, ScalarType::Float64);
  EXPECT_EQ(other, std::vector<double>(count, 0.0));
}

/** The backward field may be the inverse of the forward one, instead of an integral. */
TEST_P(Velocity, InvertsTheForwardField)
{
  const VelocityPhantoms<2> images(ScalarType::Float64);
  const Residence           residence(this->OnBackend());
  std::vector<SynTerm>      terms;
  terms.push_back(images.Term(residence));
  VelocityLevel level(images.shape, std::move(terms), images.options, residence);
  for (int n = 0; n < 20; ++n)
  {
    level.Iterate(VelocityPhantoms<2>::MakeRules());
  }
  FieldInversion inversion;
  inversion.method = InversionMethod::Anderson;
  inversion.meanTolerance = 0.0;
  inversion.maximumTolerance = 1e-4;
  inversion.maximumIterations = 100;
  VelocityPhantoms<2>::Outcome outcome;
  outcome.forward.resize(static_cast<std::size_t>(images.shape.Numbers()));
  outcome.backward.resize(outcome.forward.size());
  level.GetTotalFields(
    outcome.forward.data(), outcome.backward.data(), ScalarType::Float64, FieldMemory::Host, inversion);
  EXPECT_LT(images.FindInverseError(outcome.forward, outcome.backward), 2e-4);
}

TEST_P(Velocity, RefusesOptionsThatAreNotAllowed)
{
  VelocityPhantoms<2> images(ScalarType::Float32);
  for (const VelocityOptions & options :
       { VelocityOptions{ 1, 0.0, 0.0 }, VelocityOptions{ 17, 0.0, 0.0 }, VelocityOptions{ 4, -1.0, 0.0 } })
  {
    images.options = options;
    EXPECT_THROW(images.Register(this->OnBackend(), 1), std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Velocity, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
