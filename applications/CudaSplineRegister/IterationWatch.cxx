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
#include "IterationWatch.h"

#include "Error.h"

#include "itkCommand.h"
#include "itkGradientDescentOptimizerv4.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace CudaSplineRegister
{

namespace
{

/** The longest way of a place between two lists of them. */
double
LongestWay(const std::vector<double> & from, const std::vector<double> & to, unsigned int dimension)
{
  const std::size_t count = from.size() / dimension;
  double            longest = 0.0;
  for (std::size_t place = 0; place < count; ++place)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double difference = to[d * count + place] - from[d * count + place];
      square += difference * difference;
    }
    longest = std::max(longest, square);
  }
  return std::sqrt(longest);
}

} // namespace

IterationWatch::IterationWatch(OptimizerType *               optimizer,
                               const itk::TransformBase *    transform,
                               const RegistrationRequest &   request,
                               std::size_t                   stage,
                               const PlacesOf &              placesOf,
                               const std::function<void()> & evaluated)
  : m_Optimizer(optimizer)
  , m_Transform(transform)
  , m_Request(request)
  , m_PlacesOf(placesOf)
  , m_Evaluated(evaluated)
  , m_Observer(optimizer->AddObserver(itk::IterationEvent(), [this](const itk::EventObject &) { this->Look(); }))
{
  m_Iteration.stage = stage;
}

IterationWatch::~IterationWatch()
{
  m_Optimizer->RemoveObserver(m_Observer);
}

void
IterationWatch::BeginLevel(std::size_t level, double minimumStep)
{
  this->EndLevel();
  m_Levels.emplace_back();
  m_Time = Stopwatch();
  m_Places = m_PlacesOf();
  m_MinimumStep = minimumStep;
  m_IsShort = false;
  m_Iteration.level = level;
  m_Iteration.number = 0;
  m_Before = m_Transform->GetParameters();
  m_Best = ParametersType();
}

void
IterationWatch::Look()
{
  // The value was computed before the step of a gradient descent, and at the end of the other optimizers' search.
  const bool isBeforeStep =
    dynamic_cast<const itk::GradientDescentOptimizerv4Template<double> *>(m_Optimizer) != nullptr;
  if (!isBeforeStep && m_Iteration.number > 0 && m_Transform->GetParameters() == m_Before)
  {
    return; // VNL's optimizers report an evaluation twice
  }
  if (m_Iteration.number == 0)
  {
    m_Evaluated();
  }
  ++m_Iteration.number;
  m_Iteration.value = isBeforeStep ? m_Optimizer->GetCurrentMetricValue() : m_Optimizer->GetMetric()->GetCurrentValue();
  std::vector<double> places = m_PlacesOf();
  m_Iteration.step = LongestWay(m_Places, places, m_Transform->GetInputSpaceDimension());
  m_Places = std::move(places);

  const ParametersType & now = m_Transform->GetParameters();
  if (m_Best.Size() == 0 || m_Iteration.value < m_BestValue)
  {
    m_BestValue = m_Iteration.value;
    m_Best = isBeforeStep ? m_Before : now;
  }
  m_Before = now;

  LevelResult & level = m_Levels.back();
  level.iterations = m_Iteration.number;
  level.value = m_Iteration.value;
  if (m_Request.progress)
  {
    m_Request.progress(m_Iteration);
  }
  if (IsAskedToStop(m_Request))
  {
    throw StopRequest();
  }
  if (m_Iteration.step < m_MinimumStep)
  {
    auto * const descent = dynamic_cast<itk::GradientDescentOptimizerv4Template<double> *>(m_Optimizer);
    if (descent != nullptr)
    {
      m_IsShort = true;
      descent->StopOptimization();
    }
  }
}

void
IterationWatch::EndLevel()
{
  if (!m_Levels.empty() && m_Levels.back().stop.empty())
  {
    // A line search may have ended in the midst.
    const bool isDescent = dynamic_cast<itk::GradientDescentOptimizerv4Template<double> *>(m_Optimizer) != nullptr;
    if (!isDescent && m_Best.Size() == m_Transform->GetNumberOfParameters())
    {
      m_Optimizer->GetModifiableMetric()->SetParameters(m_Best);
    }
    LevelResult & level = m_Levels.back();
    level.seconds = m_Time.GetSeconds();
    level.stop = m_IsShort ? "the step of " + Brief(m_Iteration.step) + " mm is below " + Brief(m_MinimumStep) + " mm"
                           : OneLine(m_Optimizer->GetStopConditionDescription());
  }
}

std::vector<LevelResult>
IterationWatch::TakeLevels()
{
  this->EndLevel();
  return std::exchange(m_Levels, {});
}

} // namespace CudaSplineRegister
