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

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** The corners of a grid: the outermost samples. */
std::vector<double>
CornersOf(const FieldGrid & grid)
{
  std::vector<double> places;
  for (unsigned int corner = 0; corner < (1U << grid.dimension); ++corner)
  {
    FieldGrid::Vector index{};
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      index[d] = static_cast<double>(grid.start[d] + (((corner >> d) & 1U) != 0 ? grid.size[d] - 1 : 0));
    }
    const FieldGrid::Vector place = PlaceOfIndex(grid, index);
    places.insert(places.end(), place.begin(), place.begin() + grid.dimension);
  }
  return places;
}

LevelEnd
EndOf(LinearStop stop)
{
  switch (stop)
  {
    case LinearStop::Converged:
      return LevelEnd::Converged;
    case LinearStop::NoGradient:
      return LevelEnd::NoGradient;
    case LinearStop::ShortStep:
      return LevelEnd::ShortStep;
    default:
      return LevelEnd::Iterations;
  }
}

} // namespace

LinearRegistration::LinearRegistration(SynSide                 fixed,
                                       SynSide                 moving,
                                       const LinearOptions &   options,
                                       const LinearTransform & start,
                                       const Residence &       residence)
  : m_Fixed(std::move(fixed))
  , m_Moving(std::move(moving))
  , m_Options(options)
  , m_Transform(start)
  , m_Residence(residence)
{
  if (options.levels.empty())
  {
    throw std::invalid_argument("A registration has one level at least.");
  }
  const FieldGrid & grid = m_Fixed.image.grid;
  LinearRules &     rules = m_Options.rules;
  if (rules.watched.empty())
  {
    rules.watched = CornersOf(grid);
  }
  if (rules.minimumStep == 0.0)
  {
    rules.minimumStep = 1e-3 * *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  }
}

std::vector<LevelRecord>
LinearRegistration::Run(const RegistrationWatch & watch)
{
  std::vector<LevelRecord> records;
  bool                     isStopped = false;
  for (std::size_t number = 0; number < m_Options.levels.size(); ++number)
  {
    LevelRecord record;
    record.end = LevelEnd::Stopped;
    records.push_back(isStopped ? record : this->RunLevel(number, watch));
    isStopped = records.back().end == LevelEnd::Stopped;
  }
  return records;
}

LevelRecord
LinearRegistration::RunLevel(std::size_t number, const RegistrationWatch & watch)
{
  const auto           begin = std::chrono::steady_clock::now();
  const PyramidLevel & level = m_Options.levels[number];
  LevelRecord          record;
  if (level.iterations == 0)
  {
    return record;
  }
  LinearLevel linear(ShrinkGrid(m_Fixed.image.grid, level.shrink),
                     SmoothSide(m_Fixed, level, m_Options.sigmasInMm, m_Residence),
                     SmoothSide(m_Moving, level, m_Options.sigmasInMm, m_Residence),
                     m_Options.metric,
                     m_Residence);
  LinearRules rules = m_Options.rules;
  rules.iterations = level.iterations;
  LinearOptimizer descent(linear, m_Transform, rules);
  while (const auto iteration = descent.Iterate())
  {
    record.iterations = iteration->number;
    record.value = iteration->value;
    record.convergence = iteration->convergence == std::numeric_limits<double>::max()
                           ? std::numeric_limits<double>::infinity() // of too few values
                           : iteration->convergence;
    if (watch && !watch({ number, record.iterations, record.value, record.convergence, iteration->step }))
    {
      record.end = LevelEnd::Stopped;
      break;
    }
  }
  if (descent.GetStop() == LinearStop::NoSamples)
  {
    throw std::invalid_argument("The images do not overlap: no sample of the fixed image lies in the moving one, and "
                                "under the masks, where level " +
                                std::to_string(number + 1) + " has come to.");
  }
  if (record.end == LevelEnd::Stopped)
  {
    m_Transform = descent.GetBest();
  }
  else
  {
    record.end = EndOf(descent.GetStop());
    m_Transform = descent.GetTransform();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return record;
}

MemoryPlan
PlanLinearRegistration(const FieldGrid &     fixed,
                       const FieldGrid &     moving,
                       ScalarType            pixel,
                       std::size_t           imageBytes,
                       const LinearOptions & options,
                       std::size_t           budget)
{
  const auto finest =
    std::min_element(options.levels.begin(),
                     options.levels.end(),
                     [](const PyramidLevel & one, const PyramidLevel & other) { return one.shrink < other.shrink; });
  const unsigned int shrink = finest == options.levels.end() ? 1 : std::max(1U, finest->shrink);
  // Images as they came, and smooth.
  return PlanLinearLevel(ShrinkGrid(fixed, shrink), options.metric, moving, pixel, 2 * imageBytes, budget);
}

OperationWork
CountLinearRegistrationWork(const FieldGrid &     fixed,
                            const FieldGrid &     moving,
                            std::size_t           imageBytes,
                            const LinearOptions & options)
{
  OperationWork work;
  for (const PyramidLevel & level : options.levels)
  {
    const std::size_t bytes = &level == &options.levels.front() ? imageBytes : 0;
    work = work + CountLinearWork(
                    ShrinkGrid(fixed, std::max(1U, level.shrink)), options.metric, moving, level.iterations, bytes);
  }
  return work;
}

} // namespace itk::CudaSpline
