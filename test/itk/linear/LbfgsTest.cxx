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
#include "GpuOnAndOff.h"
#include "SmoothFunctions.h"

#include "itkCudaSpline/kernels/registration/Lbfgs.h"

#include "itkLBFGSOptimizerv4.h"
#include "itkObjectToObjectMetricBase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/** \file
 * \brief Compares CudaSpline::Lbfgs with itk::LBFGSOptimizerv4.
 *
 * Both evaluate at the same points. They differ by the rounding of inner products, a relative error of some 1e-16,
 * which each step propagates to the next. In the first iterations values agree to 1e-9 of the first one. After that, a
 * function with a hundred times more curvature along one axis than along another amplifies the difference. At the end
 * both are at the minimum, within the tolerance of the gradient. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::Lbfgs;
using itk::CudaSpline::LbfgsRules;
using itk::CudaSpline::LbfgsStop;
using itk::CudaSpline::Residence;

/** A function as an ITK metric. */
class FunctionMetric : public itk::ObjectToObjectMetricBase
{
public:
  using Self = FunctionMetric;
  using Superclass = itk::ObjectToObjectMetricBase;
  using Pointer = itk::SmartPointer<Self>;

  static Pointer
  New()
  {
    const Pointer made = new Self; // counted twice, as in ITK's own New()
    made->UnRegister();
    return made;
  }

  SmoothFunction      function{ nullptr };
  ParametersType      parameters;
  std::vector<double> values; ///< of all evaluations

  void
  Initialize() override
  {}
  MeasureType
  GetValue() const override
  {
    MeasureType    value;
    DerivativeType derivative;
    this->GetValueAndDerivative(value, derivative);
    return value;
  }
  void
  GetDerivative(DerivativeType & derivative) const override
  {
    MeasureType value;
    this->GetValueAndDerivative(value, derivative);
  }
  void
  GetValueAndDerivative(MeasureType & value, DerivativeType & derivative) const override
  {
    std::vector<double> gradient;
    value = function({ parameters.begin(), parameters.end() }, gradient);
    derivative.SetSize(parameters.Size());
    for (unsigned int i = 0; i < parameters.Size(); ++i)
    {
      derivative[i] = -gradient[i]; // as in metrics
    }
    const_cast<FunctionMetric *>(this)->values.push_back(value);
  }
  NumberOfParametersType
  GetNumberOfParameters() const override
  {
    return parameters.Size();
  }
  NumberOfParametersType
  GetNumberOfLocalParameters() const override
  {
    return parameters.Size();
  }
  void
  SetParameters(ParametersType & to) override
  {
    parameters = to;
  }
  const ParametersType &
  GetParameters() const override
  {
    return parameters;
  }
  bool
  HasLocalSupport() const override
  {
    return false;
  }
  void
  UpdateTransformParameters(const DerivativeType &, ParametersValueType) override
  {}
};

/** Result of an optimizer. */
struct Course
{
  std::vector<double> values; ///< of all evaluations
  std::vector<double> best;   ///< final parameters
};

Course
MinimizeByItk(SmoothFunction function, const std::vector<double> & start, const LbfgsRules & rules)
{
  const auto metric = FunctionMetric::New();
  metric->function = function;
  metric->parameters.SetSize(static_cast<unsigned int>(start.size()));
  std::copy(start.begin(), start.end(), metric->parameters.begin());
  const auto optimizer = itk::LBFGSOptimizerv4::New();
  optimizer->SetNumberOfIterations(rules.evaluations);
  optimizer->SetGradientConvergenceTolerance(rules.gradientTolerance);
  optimizer->SetDefaultStepLength(rules.stepLength);
  optimizer->SetLineSearchAccuracy(rules.lineSearchAccuracy);
  optimizer->SetMetric(metric);
  optimizer->StartOptimization();
  return { metric->values, { metric->parameters.begin(), metric->parameters.end() } };
}

class LbfgsBesideItk : public GpuOnAndOff
{
protected:
  Course
  Minimize(SmoothFunction function, const std::vector<double> & start, const LbfgsRules & rules) const
  {
    itk::CudaSpline::ExecutionContext context;
    context.backend = GetParam() ? Backend::Cuda : Backend::Cpu;
    const Residence                      residence(context);
    const std::size_t                    bytes = start.size() * sizeof(double);
    const itk::CudaSpline::ResidentArray from(bytes, residence);
    Upload(from.Data(), start.data(), bytes, residence);
    std::vector<double> x(start.size());
    std::vector<double> gradient;
    Course              course;
    const auto          evaluate = [&](const double * parameters, double * slopes) {
      Download(x.data(), parameters, bytes, residence);
      const double value = function(x, gradient);
      Upload(slopes, gradient.data(), bytes, residence);
      course.values.push_back(value);
      return value;
    };
    Lbfgs search(static_cast<std::int64_t>(start.size()), 1, from.As<double>(), evaluate, rules, residence);
    while (search.Evaluate())
    {}
    course.best.resize(start.size());
    Download(course.best.data(), search.GetBest(), bytes, residence);
    return course;
  }

  /** \param[in] same number of values that equal ITK's
   *
   * \param[in] end maximum distance between both final points */
  void
  Compare(SmoothFunction function, std::size_t count, const LbfgsRules & rules, std::size_t same, double end) const
  {
    const auto   start = StartOfFunctions(count);
    const Course found = this->Minimize(function, start, rules);
    const Course expected = MinimizeByItk(function, start, rules);
    ASSERT_GE(std::min(found.values.size(), expected.values.size()), same);
    for (std::size_t n = 0; n < same; ++n)
    {
      const double scale =
        std::max(std::abs(expected.values[0]), std::abs(expected.values[n])); // long steps increase the value
      EXPECT_NEAR(found.values[n], expected.values[n], 1e-9 * scale) << "evaluation " << n + 1;
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      EXPECT_NEAR(found.best[i], expected.best[i], end) << "parameter " << i;
    }
  }
};

TEST_P(LbfgsBesideItk, GoesThroughRosenbrocksValley)
{
  LbfgsRules rules;
  rules.gradientTolerance = 1e-10;
  this->Compare(Rosenbrock, 2, rules, 20, 1e-8);
  this->Compare(Rosenbrock, 100, rules, 20, 1e-8);
  rules.lineSearchAccuracy = 0.1; // searches with several steps
  this->Compare(Rosenbrock, 40, rules, 20, 1e-8);
}

TEST_P(LbfgsBesideItk, GoesDownAParabola)
{
  LbfgsRules rules;
  rules.gradientTolerance = 1e-10; // relative to the length of the parameters, 57 and 1100
  this->Compare(Parabola, 20, rules, 15, 1e-7);
  this->Compare(Parabola, 150, rules, 15, 1e-6);
}

TEST_P(LbfgsBesideItk, BeginsSearchesWithTheSameSteps)
{
  // Steps that are too long and too short: searches go back or forward.
  for (const double stepLength : { 0.05, 6.0 })
  {
    LbfgsRules rules;
    rules.stepLength = stepLength;
    rules.gradientTolerance = 1e-10;
    this->Compare(Rosenbrock, 30, rules, 25, 1e-7);
    this->Compare(Parabola, 30, rules, 25, 1e-6);
  }
}

TEST_P(LbfgsBesideItk, SearchesOverWaves)
{
  // There are many minima, and every step affects which one is found.
  for (const double stepLength : { 0.3, 1.0, 4.0 })
  {
    LbfgsRules rules;
    rules.stepLength = stepLength;
    this->Compare(WavyBowl, 30, rules, 15, 1e-5); // the tolerance of the gradient
  }
}

TEST_P(LbfgsBesideItk, EndsWithTheSameNumberOfEvaluations)
{
  for (const unsigned int evaluations : { 1U, 2U, 9U })
  {
    LbfgsRules rules;
    rules.evaluations = evaluations;
    const auto found = this->Minimize(Rosenbrock, StartOfFunctions(8), rules);
    const auto expected = MinimizeByItk(Rosenbrock, StartOfFunctions(8), rules);
    EXPECT_EQ(found.values.size(), evaluations);
    EXPECT_EQ(expected.values.size(), evaluations);
    for (std::size_t i = 0; i < 8; ++i)
    {
      EXPECT_NEAR(found.best[i], expected.best[i], 1e-10);
    }
  }
  LbfgsRules rules; // determined by the gradient
  EXPECT_EQ(this->Minimize(Parabola, StartOfFunctions(30), rules).values.size(),
            MinimizeByItk(Parabola, StartOfFunctions(30), rules).values.size());
}

INSTANTIATE_TEST_SUITE_P(Backends, LbfgsBesideItk, testing::Bool(), GpuOrHost);

} // namespace
