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
// L-BFGS on both backends, and its search along lines.
//
// Expected: minima that are known, to what the tolerance of the gradient allows; the best of all evaluations, whatever
// happens; the same bits on any number of threads. That its steps are ITK's is in test/itk/linear/LbfgsTest.cxx.

#include "../metrics/MetricCase.h"

#include "SmoothFunctions.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/registration/Lbfgs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Vectors of a backend. */
class Vectors
{
public:
  Vectors(const std::vector<double> & start, const Residence & residence)
    : m_Residence(residence)
    , m_Start(start.size() * sizeof(double), residence)
    , m_Count(start.size())
  {
    Upload(m_Start.Data(), start.data(), m_Start.Bytes(), residence);
  }

  const double *
  Start() const
  {
    return m_Start.As<double>();
  }

  std::vector<double>
  ToHost(const double * of) const
  {
    std::vector<double> there(m_Count);
    Download(there.data(), of, m_Count * sizeof(double), m_Residence);
    return there;
  }

  /** A function of vectors of the backend. */
  template <typename TFunction>
  LbfgsFunction
  Wrap(const TFunction & function) const
  {
    return [this, function](const double * parameters, double * gradient) {
      std::vector<double> slope;
      const double        value = function(this->ToHost(parameters), slope);
      Upload(gradient, slope.data(), slope.size() * sizeof(double), m_Residence);
      return value;
    };
  }

private:
  const Residence & m_Residence;
  ResidentArray     m_Start;
  std::size_t       m_Count;
};

class LbfgsSearch : public OnMetricBackend
{};

TEST_P(LbfgsSearch, FindsMinimaThatAreKnown)
{
  const Residence residence(this->OnBackend());
  LbfgsRules      rules;
  rules.gradientTolerance = 1e-10;
  for (const std::size_t count : { std::size_t(2), std::size_t(6000) })
  {
    const Vectors vectors(StartOfFunctions(count), residence);
    Lbfgs search(static_cast<std::int64_t>(count), 1, vectors.Start(), vectors.Wrap(Rosenbrock), rules, residence);
    while (search.Evaluate())
    {}
    EXPECT_EQ(search.GetStop(), LbfgsStop::Gradient);
    // The valley's curvature is 0.4: parameters are off by the gradient, 1e-10 max(1, |x|), over that.
    const double far = 1e-10 * std::sqrt(static_cast<double>(count)) / 0.4;
    for (const double x : vectors.ToHost(search.GetBest()))
    {
      ASSERT_NEAR(x, 1.0, std::max(far, 1e-9));
    }
  }
}

TEST_P(LbfgsSearch, KeepsTheBestOfAllEvaluations)
{
  const Residence     residence(this->OnBackend());
  const Vectors       vectors(StartOfFunctions(600), residence);
  double              lowest = std::numeric_limits<double>::max();
  std::vector<double> best;
  std::vector<double> before = StartOfFunctions(600);
  double              way = 0.0;
  unsigned int        calls = 0;
  const auto          function = [&](const std::vector<double> & x, std::vector<double> & gradient) {
    const double value = WavyBowl(x, gradient);
    if (value < lowest)
    {
      lowest = value;
      best = x;
    }
    way = 0.0;
    for (std::size_t place = 0; place < 200; ++place) // three numbers each
    {
      double square = 0.0;
      for (std::size_t i = place; i < 600; i += 200)
      {
        square += (x[i] - before[i]) * (x[i] - before[i]);
      }
      way = std::max(way, std::sqrt(square));
    }
    before = x;
    ++calls;
    return value;
  };
  LbfgsRules rules;
  rules.evaluations = 25;
  rules.stepLength = 3.0;
  Lbfgs        search(200, 3, vectors.Start(), vectors.Wrap(function), rules, residence);
  unsigned int number = 0;
  while (const auto evaluation = search.Evaluate())
  {
    EXPECT_EQ(evaluation->number, ++number);
    EXPECT_EQ(calls, number);
    EXPECT_EQ(search.GetBestValue(), lowest);
    EXPECT_EQ(vectors.ToHost(search.GetBest()), best);
    EXPECT_NEAR(evaluation->way, way, 1e-14 * way); // of three squares
  }
  EXPECT_EQ(number, 25U);
  EXPECT_EQ(search.CountEvaluations(), 25U);
  EXPECT_EQ(search.GetStop(), LbfgsStop::Evaluations);
  EXPECT_FALSE(search.Evaluate().has_value());
}

TEST_P(LbfgsSearch, HasTheSameBitsOnAnyNumberOfThreads)
{
  const auto run = [&](const ExecutionContext & context) {
    const Residence     residence(context);
    const Vectors       vectors(StartOfFunctions(30000), residence);
    LbfgsRules          rules;
    std::vector<double> values;
    rules.evaluations = 20;
    Lbfgs search(15000, 2, vectors.Start(), vectors.Wrap(Rosenbrock), rules, residence);
    while (const auto evaluation = search.Evaluate())
    {
      values.push_back(evaluation->value);
      values.push_back(evaluation->gradient);
      values.push_back(evaluation->way);
    }
    const auto best = vectors.ToHost(search.GetBest());
    values.insert(values.end(), best.begin(), best.end());
    return values;
  };
  const auto           several = run(this->OnBackend());
  const ThreadExecutor one{ 1 };
  const ThreadExecutor four{ 4 };
  ExecutionContext     context = this->OnBackend();
  for (const ThreadExecutor * const threads : { &one, &four })
  {
    context.host = threads;
    EXPECT_EQ(run(context), several);
  }
}

TEST_P(LbfgsSearch, EndsWhereNothingGoesDown)
{
  const Residence residence(this->OnBackend());
  const Vectors   vectors({ 1.0, 1.0 }, residence);
  const auto      end = [&](const LbfgsFunction & function) {
    Lbfgs search(2, 1, vectors.Start(), function, LbfgsRules(), residence);
    while (search.Evaluate())
    {}
    EXPECT_EQ(vectors.ToHost(search.GetBest()), std::vector<double>({ 1.0, 1.0 }));
    EXPECT_EQ(search.GetStop(), LbfgsStop::LineSearch);
    return search.CountEvaluations();
  };
  EXPECT_EQ(end(vectors.Wrap(Rosenbrock)), 1U); // its minimum: no gradient
  // A gradient that lies: it goes up along it, and a search looks at 20 steps at most.
  const auto liar = [](const std::vector<double> & x, std::vector<double> & gradient) {
    const double value = Parabola(x, gradient);
    gradient = { -gradient[0], -gradient[1] };
    return value;
  };
  const unsigned int evaluations = end(vectors.Wrap(liar));
  EXPECT_GT(evaluations, 2U);
  EXPECT_LE(evaluations, 21U);
}

TEST_P(LbfgsSearch, GoesBackFromWhereThereIsNothing)
{
  // A metric without samples has the largest double as its value and no gradient; NaN is handled in the same way.
  const Residence residence(this->OnBackend());
  for (const double nothing : { std::numeric_limits<double>::max(), std::numeric_limits<double>::quiet_NaN() })
  {
    const Vectors vectors({ 0.3 }, residence);
    const auto    function = [nothing](const std::vector<double> & x, std::vector<double> & gradient) {
      gradient = { 2.0 * (x[0] + 0.2) };
      const bool isThere = std::abs(x[0]) < 0.4;
      gradient[0] = isThere ? gradient[0] : 0.0;
      return isThere ? (x[0] + 0.2) * (x[0] + 0.2) : nothing; // the first step of length 1 goes to -0.7
    };
    Lbfgs search(1, 1, vectors.Start(), vectors.Wrap(function), LbfgsRules(), residence);
    while (search.Evaluate())
    {}
    EXPECT_EQ(search.GetStop(), LbfgsStop::Gradient);
    EXPECT_NEAR(vectors.ToHost(search.GetBest())[0], -0.2, 1e-5); // the tolerance of the gradient
  }
}

TEST_P(LbfgsSearch, AFunctionThatThrowsLeavesTheBest)
{
  const Residence residence(this->OnBackend());
  const Vectors   vectors(StartOfFunctions(10), residence);
  int             calls = 0;
  const auto      function = [&calls](const std::vector<double> & x, std::vector<double> & gradient) {
    if (++calls == 8)
    {
      throw DeviceError(DeviceError::Kind::OutOfMemory, "no memory");
    }
    return Rosenbrock(x, gradient);
  };
  Lbfgs  search(10, 1, vectors.Start(), vectors.Wrap(function), LbfgsRules(), residence);
  double last = 0.0;
  for (int n = 0; n < 7; ++n)
  {
    last = search.Evaluate()->value;
  }
  EXPECT_THROW(search.Evaluate(), DeviceError);
  EXPECT_EQ(search.CountEvaluations(), 7U);
  std::vector<double> gradient;
  EXPECT_EQ(Rosenbrock(vectors.ToHost(search.GetBest()), gradient), search.GetBestValue());
  EXPECT_LE(search.GetBestValue(), last);
}

/** Parameters and the first step in another unit, a power of two: the same values to the bit. */
TEST_P(LbfgsSearch, DoesNotDependOnUnits)
{
  const Residence residence(this->OnBackend());
  const auto      run = [&](double unit, double firstStep) {
    std::vector<double> start = StartOfFunctions(60);
    std::transform(start.begin(), start.end(), start.begin(), [unit](double x) { return unit * x; });
    const Vectors vectors(start, residence);
    const auto    function = [unit](const std::vector<double> & x, std::vector<double> & gradient) {
      std::vector<double> one(x);
      std::transform(one.begin(), one.end(), one.begin(), [unit](double number) { return number / unit; });
      const double value = Rosenbrock(one, gradient);
      std::transform(gradient.begin(), gradient.end(), gradient.begin(), [unit](double g) { return g / unit; });
      return value;
    };
    LbfgsRules rules;
    rules.evaluations = 30;
    rules.firstStep = firstStep * unit;
    rules.gradientTolerance = 0.0;
    Lbfgs               search(1, 60, vectors.Start(), vectors.Wrap(function), rules, residence);
    std::vector<double> found;
    while (const auto evaluation = search.Evaluate())
    {
      found.push_back(evaluation->value);
      if (evaluation->number == 2)
      {
        EXPECT_NEAR(evaluation->way, firstStep * unit, 1e-12 * unit);
      }
    }
    return found;
  };
  const auto one = run(1.0, 0.25);
  EXPECT_EQ(one.size(), 30U);
  EXPECT_EQ(run(1024.0, 0.25), one);
  EXPECT_EQ(run(0.0078125, 0.25), one);
  EXPECT_NE(run(1.0, 0.5), one);
}

TEST_P(LbfgsSearch, RefusesWhatIsNoSearch)
{
  const Residence residence(this->OnBackend());
  const Vectors   vectors({ 1.0, 2.0 }, residence);
  const auto      make = [&](std::int64_t places, const LbfgsRules & rules) {
    Lbfgs(places, 1, vectors.Start(), vectors.Wrap(Rosenbrock), rules, residence);
  };
  EXPECT_NO_THROW(make(2, LbfgsRules()));
  EXPECT_THROW(make(0, LbfgsRules()), std::invalid_argument);
  LbfgsRules rules;
  rules.stepLength = 0.0;
  EXPECT_THROW(make(2, rules), std::invalid_argument);
  rules = LbfgsRules();
  rules.firstStep = -1.0;
  EXPECT_THROW(make(2, rules), std::invalid_argument);
  rules = LbfgsRules();
  rules.lineSearchAccuracy = 1.0;
  EXPECT_THROW(make(2, rules), std::invalid_argument);
  rules = LbfgsRules();
  rules.gradientTolerance = -1.0;
  EXPECT_THROW(make(2, rules), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Backends, LbfgsSearch, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
