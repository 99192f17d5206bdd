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
#include "itkCudaSpline/kernels/registration/LinearOptimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
using Parameters = LinearTransform::Parameters;
using Vector = LinearTransform::Vector;

/** itk::RegistrationParameterScalesFromShiftBase: small enough for a transform to be nearly linear. */
constexpr double SmallVariation = 0.01;

constexpr double Epsilon = std::numeric_limits<double>::epsilon();

double
InnerProduct(const Parameters & a, const Parameters & b)
{
  double sum = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p)
  {
    sum += a[p] * b[p];
  }
  return sum;
}

Parameters
Times(Parameters numbers, double factor)
{
  for (double & number : numbers)
  {
    number *= factor;
  }
  return numbers;
}

void
Require(bool holds, const std::string & what)
{
  if (!holds)
  {
    throw std::invalid_argument("Optimizer of a linear transform: " + what + ".");
  }
}

} // namespace

LinearOptimizer::LinearOptimizer(LinearLevel & level, const LinearTransform & start, const LinearRules & rules)
  : m_Level(level)
  , m_Rules(rules)
  , m_Transform(start)
  , m_Best(start)
  , m_BehindBest(start)
  , m_Window(rules.window)
{
  const FieldGrid & grid = level.GetGrid();
  Require(start.GetDimension() == grid.dimension,
          "the transform has " + std::to_string(start.GetDimension()) + " dimensions and the level " +
            std::to_string(grid.dimension) + "; they must be equal");
  Require(rules.relaxation >= 0.0 && rules.relaxation < 1.0,
          "the relaxation must be at least 0 and less than 1, not " + std::to_string(rules.relaxation));
  Require(rules.maximumStep >= 0.0 && rules.minimumStep >= 0.0,
          "the maximum and minimum steps must be at least 0 mm, not " + std::to_string(rules.maximumStep) + " and " +
            std::to_string(rules.minimumStep));
  Require(rules.window >= 2, "the window must have at least 2 values, not " + std::to_string(rules.window));
  Require(rules.watched.size() % grid.dimension == 0, "watched points need one number per axis");
  if (m_Rules.watched.empty())
  {
    m_Rules.watched = CornersOf(grid);
  }
  if (m_Rules.maximumStep <= Epsilon)
  {
    m_Rules.maximumStep = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  }
  m_Places = this->PlacesOf(start);
  this->EstimateScales();
}

void
LinearOptimizer::EstimateScales()
{
  // itk::RegistrationParameterScalesFromShiftBase::EstimateScales()
  const std::size_t count = m_Transform.CountParameters();
  double            least = std::numeric_limits<double>::max();
  for (std::size_t p = 0; p < count; ++p)
  {
    Parameters change{};
    change[p] = SmallVariation;
    m_Scales[p] = m_Level.LargestShift(m_Transform, change, 1.0);
    if (m_Scales[p] > Epsilon)
    {
      least = std::min(least, m_Scales[p]);
    }
  }
  m_ScalesAreIdentity = true;
  for (std::size_t p = 0; p < count; ++p)
  {
    if (least == std::numeric_limits<double>::max())
    {
      m_Scales[p] = 1.0; // the parameter moves no point
      continue;
    }
    m_Scales[p] = m_Scales[p] <= Epsilon ? least * least : m_Scales[p] * m_Scales[p];
    m_Scales[p] *= 1.0 / (SmallVariation * SmallVariation);
    // itk::ObjectToObjectOptimizerBaseTemplate treats scales this close to 1 as 1.
    m_ScalesAreIdentity = m_ScalesAreIdentity && std::abs(1.0 - m_Scales[p]) <= 0.01;
  }
}

double
LinearOptimizer::EstimateLearningRate(const Parameters & step) const
{
  // The step is scaled down, so that the displacement is linear in it.
  double largest = 0.0;
  for (const double number : step)
  {
    largest = std::max(largest, std::abs(number));
  }
  if (largest <= Epsilon)
  {
    return 1.0;
  }
  const double factor = SmallVariation / largest;
  const double shift = m_Level.LargestShift(m_Transform, Times(step, factor), 1.0) / factor;
  return shift <= Epsilon ? 1.0 : m_Rules.maximumStep / shift;
}

void
LinearOptimizer::ApplyScales(Parameters & numbers) const
{
  for (std::size_t p = 0; p < m_Transform.CountParameters(); ++p)
  {
    numbers[p] *= m_ScalesAreIdentity ? 1.0 : 1.0 / m_Scales[p];
    numbers[p] *= m_Rules.weights[p];
  }
  if (m_Transform.GetKind() == LinearKind::Affine)
  {
    this->KeepAxes(numbers);
  }
}

void
LinearOptimizer::KeepAxes(Parameters & numbers) const
{
  const std::size_t dimension = m_Transform.GetDimension();
  for (const Vector & axis : m_Rules.keptAxes)
  {
    for (std::size_t row = 0; row < dimension; ++row)
    {
      double * const of = &numbers[row * dimension];
      const double   along = std::inner_product(of, of + dimension, axis.begin(), 0.0);
      std::transform(
        of, of + dimension, axis.begin(), of, [along](double number, double part) { return number - along * part; });
    }
  }
}

std::vector<double>
LinearOptimizer::PlacesOf(const LinearTransform & transform) const
{
  const unsigned int  dimension = transform.GetDimension();
  std::vector<double> places = m_Rules.watched;
  for (std::size_t first = 0; first < places.size(); first += dimension)
  {
    Vector place{};
    std::copy_n(places.begin() + static_cast<std::ptrdiff_t>(first), dimension, place.begin());
    place = transform.Apply(place);
    std::copy_n(place.begin(), dimension, places.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return places;
}

void
LinearOptimizer::End(LinearStop stop)
{
  m_Stop = stop;
  if (m_Rules.descent != LinearDescent::RegularStep)
  {
    m_Transform = m_BehindBest;
  }
}

std::optional<LinearIteration>
LinearOptimizer::Iterate()
{
  const bool goesOn = m_Iteration < m_Rules.limit && m_FallRate.GetValue() > FastFall;
  if (m_Stop == LinearStop::None && m_Iteration >= m_Rules.iterations && !goesOn)
  {
    this->End(LinearStop::Iterations);
  }
  if (m_Stop != LinearStop::None)
  {
    return std::nullopt;
  }
  const LinearEvaluation found = m_Level.Evaluate(m_Transform, true);
  LinearIteration        iteration;
  iteration.value = found.value;
  iteration.count = found.count;
  iteration.convergence = std::numeric_limits<double>::max();
  if (found.count == 0)
  {
    this->End(LinearStop::NoSamples);
    return std::nullopt;
  }
  if (m_Rules.descent == LinearDescent::RegularStep)
  {
    m_Previous = m_Gradient;
  }
  m_Gradient = found.derivative;
  m_FallRate.Add(found.value);
  if (m_Rules.descent != LinearDescent::RegularStep)
  {
    m_Window.Add(found.value);
    iteration.convergence = m_Window.GetValue();
  }
  const bool isBest = found.value < m_BestValue;
  if (isBest)
  {
    m_BestValue = found.value;
    m_Best = m_Transform;
  }
  if (iteration.convergence <= m_Rules.convergence)
  {
    this->End(LinearStop::Converged);
    return std::nullopt;
  }
  switch (m_Rules.descent)
  {
    case LinearDescent::RegularStep:
      if (!this->StepRegularly())
      {
        this->End(LinearStop::NoGradient);
        return std::nullopt;
      }
      break;
    case LinearDescent::GradientDescent:
      this->StepDownhill();
      break;
    default:
      this->StepConjugately();
  }
  iteration.number = ++m_Iteration;
  iteration.learningRate = m_LearningRate * (m_Rules.descent == LinearDescent::RegularStep ? m_Relaxation : 1.0);
  std::vector<double> places = this->PlacesOf(m_Transform);
  const unsigned int  dimension = m_Transform.GetDimension();
  for (std::size_t first = 0; first < places.size(); first += dimension)
  {
    double square = 0.0;
    for (std::size_t d = first; d < first + dimension; ++d)
    {
      square += (places[d] - m_Places[d]) * (places[d] - m_Places[d]);
    }
    iteration.step = std::max(iteration.step, std::sqrt(square));
  }
  m_Places = std::move(places);
  const bool isShort = iteration.step < m_Rules.minimumStep;
  // ITK stops before it evaluates the last step.
  if (isBest && !isShort)
  {
    m_BehindBest = m_Transform;
  }
  if (isShort)
  {
    this->End(LinearStop::ShortStep);
  }
  return iteration;
}

bool
LinearOptimizer::StepRegularly()
{
  // itk::RegularStepGradientDescentOptimizerv4: the previous gradient is scaled again, as in ITK.
  this->ApplyScales(m_Gradient);
  this->ApplyScales(m_Previous);
  m_Magnitude = std::sqrt(InnerProduct(m_Gradient, m_Gradient));
  if (m_Magnitude < std::numeric_limits<double>::min())
  {
    return false;
  }
  if (InnerProduct(m_Gradient, m_Previous) < 0.0)
  {
    m_Relaxation *= m_Rules.relaxation;
  }
  if (m_Iteration == 0)
  {
    m_LearningRate = this->EstimateLearningRate(m_Gradient) * m_Magnitude;
  }
  for (double & number : m_Gradient)
  {
    number = number * m_Relaxation * m_LearningRate;
  }
  m_Transform.Update(m_Gradient, 1.0 / m_Magnitude);
  return true;
}

void
LinearOptimizer::StepDownhill()
{
  this->ApplyScales(m_Gradient);
  m_Magnitude = std::sqrt(InnerProduct(m_Gradient, m_Gradient));
  m_LearningRate = this->EstimateLearningRate(m_Gradient);
  m_Transform.Update(Times(m_Gradient, m_LearningRate));
}

void
LinearOptimizer::StepConjugately()
{
  // itk::ConjugateGradientLineSearchOptimizerv4: directions of Polak and Ribiere, which are restarted if they are
  // invalid.
  constexpr double mostGamma = 5.0;
  this->ApplyScales(m_Gradient);
  m_Magnitude = std::sqrt(InnerProduct(m_Gradient, m_Gradient));
  if (m_Iteration == 0)
  {
    m_LearningRate = this->EstimateLearningRate(m_Gradient);
  }
  double       gamma = 0.0;
  const double square = InnerProduct(m_Previous, m_Previous);
  if (square > Epsilon)
  {
    Parameters change = m_Gradient;
    for (std::size_t p = 0; p < change.size(); ++p)
    {
      change[p] -= m_Previous[p];
    }
    gamma = InnerProduct(change, m_Gradient) / square;
  }
  if (gamma < 0.0 || gamma > mostGamma)
  {
    gamma = 0.0;
  }
  m_Previous = m_Gradient;
  for (std::size_t p = 0; p < m_Direction.size(); ++p)
  {
    m_Direction[p] = m_Gradient[p] + m_Direction[p] * gamma;
  }
  m_LearningRate = this->SearchGoldenSection(0.0, m_LearningRate, m_LearningRate * m_Rules.lineSearchEnd);
  m_Transform.Update(Times(m_Direction, m_LearningRate));
}

double
LinearOptimizer::ValueAt(double rate)
{
  LinearTransform there = m_Transform;
  there.Update(Times(m_Direction, rate));
  return m_Level.Evaluate(there, false).value;
}

double
LinearOptimizer::SearchGoldenSection(double a, double b, double c)
{
  // itk::GradientDescentLineSearchOptimizerv4: the minimum is between a and c, and b is evaluated first.
  constexpr double golden = 2.0 - 1.618034; // ITK's digits
  constexpr double unknown = std::numeric_limits<double>::max();
  double           atB = unknown;
  for (unsigned int n = 0; n <= m_Rules.lineSearchIterations; ++n)
  {
    const bool   isRight = c - b > b - a;
    const double x = isRight ? b + golden * (c - b) : b - golden * (b - a);
    if (std::abs(c - a) < m_Rules.lineSearchEpsilon * (std::abs(b) + std::abs(x)))
    {
      break;
    }
    const double atX = this->ValueAt(x);
    if (atB == unknown)
    {
      atB = this->ValueAt(b);
    }
    if (atX < atB)
    {
      (isRight ? a : c) = b;
      b = x;
      atB = atX;
    }
    else if (isRight)
    {
      c = x;
    }
    else if (atX == unknown) // no sample is valid there, so continue closer to the begin
    {
      c = b;
      b = x;
      atB = atX;
    }
    else
    {
      a = x;
    }
  }
  return (c + a) / 2.0;
}

} // namespace itk::CudaSpline
