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
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace itk::CudaSpline
{

LinearRegistration::LinearRegistration(SynSide               fixed,
                                       SynSide               moving,
                                       const LinearOptions & options,
                                       const Residence &     residence)
  : m_Fixed(std::move(fixed))
  , m_Moving(std::move(moving))
  , m_Options(options)
  , m_Residence(residence)
{
  if (options.levels.empty())
  {
    throw std::invalid_argument("A linear registration has a level at least.");
  }
  if (options.samples.choice != SampleChoice::All && HasWindows(options.metric.kind))
  {
    throw std::invalid_argument("Local correlation looks at all samples.");
  }
  if (m_Options.rules.watched.empty())
  {
    m_Options.rules.watched = CornersOf(m_Fixed.image.grid);
  }
}

LinearRecord
LinearRegistration::RunLevel(std::size_t         level,
                             LinearTransform &   transform,
                             const LinearWatch & watch,
                             unsigned int        done) const
{
  const auto           begin = std::chrono::steady_clock::now();
  const PyramidLevel & of = m_Options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(m_Fixed.image.grid, of);
  LinearMetric         metric = m_Options.metric;
  if (m_Options.samples.choice != SampleChoice::All)
  {
    metric.places = DrawPlaces(grid, m_Options.samples, level, m_Residence.GetContext());
  }
  LinearLevel images(grid,
                     SmoothSide(m_Fixed, of, m_Options.sigmasInMm, m_Residence),
                     SmoothSide(m_Moving, of, m_Options.sigmasInMm, m_Residence),
                     metric,
                     m_Residence);
  LinearRules rules = m_Options.rules;
  rules.iterations = of.iterations > done ? of.iterations - done : 0;
  LinearOptimizer descent(images, transform, rules);
  LinearRecord    record;
  record.iterations = done;
  while (auto iteration = descent.Iterate())
  {
    transform = descent.GetTransform();
    iteration->number += done;
    record.iterations = iteration->number;
    record.value = iteration->value;
    record.step = iteration->step;
    if (watch && !watch(level, *iteration, transform))
    {
      record.stop = LinearStop::Stopped;
      break;
    }
  }
  const bool isStopped = record.stop == LinearStop::Stopped;
  transform = isStopped ? descent.GetBest() : descent.GetTransform();
  record.stop = isStopped ? record.stop : descent.GetStop();
  record.gradient = descent.GetGradientMagnitude();
  record.evaluations = images.CountEvaluations();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

std::vector<LinearRecord>
LinearRegistration::Run(LinearTransform & transform, const LinearWatch & watch) const
{
  std::vector<LinearRecord> records;
  for (std::size_t level = 0; level < m_Options.levels.size(); ++level)
  {
    records.push_back(this->RunLevel(level, transform, watch));
    if (records.back().stop == LinearStop::Stopped)
    {
      break;
    }
  }
  return records;
}

MemoryPlan
PlanLinearRegistration(const FieldGrid &     fixed,
                       const FieldGrid &     moving,
                       ScalarType            pixel,
                       const LinearOptions & options,
                       std::size_t           level,
                       std::size_t           imageBytes,
                       std::size_t           budget)
{
  const PyramidLevel & of = options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(fixed, of);
  return PlanLinearLevel(grid,
                         options.metric,
                         moving,
                         pixel,
                         (of.sigma > 0.0 ? 2 : 1) * imageBytes,
                         budget,
                         CountDrawnPlaces(grid, options.samples));
}

OperationWork
CountLinearRegistrationWork(const FieldGrid &     fixed,
                            const FieldGrid &     moving,
                            const LinearOptions & options,
                            std::size_t           level,
                            std::size_t           imageBytes)
{
  // A search along a line evaluates some ten times.
  const PyramidLevel & of = options.levels.at(level);
  const std::uint64_t  ofIteration = options.rules.descent == LinearDescent::ConjugateGradient ? 10 : 1;
  const FieldGrid      grid = ShrinkGrid(fixed, of);
  return CountLinearWork(
    grid, options.metric, moving, of.iterations * ofIteration, imageBytes, CountDrawnPlaces(grid, options.samples));
}

} // namespace itk::CudaSpline
