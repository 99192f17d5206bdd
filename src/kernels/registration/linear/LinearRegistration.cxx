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

#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"

#include "kernels/registration/images/MetricEvaluator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Returns the largest distance between the corners of a grid under two transforms, in samples along the axis with the
 * smallest spacing. */
double
FindDistance(const FieldGrid & grid, const LinearTransform & one, const LinearTransform & other)
{
  const double              sample = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  const std::vector<double> corners = CornersOf(grid);
  double                    farthest = 0.0;
  for (std::size_t first = 0; first < corners.size(); first += grid.dimension)
  {
    LinearTransform::Vector corner{};
    std::copy_n(corners.begin() + static_cast<std::ptrdiff_t>(first), grid.dimension, corner.begin());
    const LinearTransform::Vector a = one.Apply(corner);
    const LinearTransform::Vector b = other.Apply(corner);
    farthest = std::max(farthest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
  }
  return farthest / sample;
}

/** Replaces a transform with the earlier one that has the lowest value, if that is lower than its own.
 *
 * \param[in] images the level
 * \param[in] earlier the earlier transforms
 * \param[in] first value with its derivative of the last of them, if it is known: sums with derivatives are rounded
 * differently
 * \param[in,out] transform the transform
 * \param[out] record index of the transform that was kept, and the loss */
void
KeepBest(LinearLevel &                        images,
         const std::vector<LinearTransform> & earlier,
         std::optional<double>                first,
         LinearTransform &                    transform,
         LinearRecord &                       record)
{
  const auto   valueOf = [&images](const LinearTransform & of) { return images.Evaluate(of, false).value; };
  const double found = valueOf(transform);
  const bool   isLower = first && *first - found > 1e-6 * std::abs(found);
  // Transforms in the middle are considered only if the result is worse than the first or the last one.
  const auto isWorse = [&](const LinearTransform & of) { return valueOf(of) >= found; };
  if ((isLower || isWorse(earlier.back())) && (earlier.size() == 1 || isWorse(earlier.front())))
  {
    return;
  }
  double best = found;
  for (std::size_t n = 0; n < earlier.size(); ++n)
  {
    const double value = valueOf(earlier[n]);
    if (value < best)
    {
      best = value;
      record.kept = n;
    }
  }
  // For identical images any other transform has a higher value, even if it is very close.
  const bool isFar = FindDistance(images.GetGrid(), transform, earlier[*record.kept]) > 1.0;
  record.loss = isFar ? RelativeLoss(best, found) : 0.0;
  transform = earlier[*record.kept];
}

} // namespace

LinearRegistration::LinearRegistration(SynSide                 fixed,
                                       SynSide                 moving,
                                       const LinearOptions &   options,
                                       const Residence &       residence,
                                       std::vector<LinearPair> others)
  : m_Fixed(std::move(fixed))
  , m_Moving(std::move(moving))
  , m_Options(options)
  , m_Residence(residence)
  , m_Others(std::move(others))
{
  if (options.levels.empty())
  {
    throw std::invalid_argument("A linear registration needs at least 1 level; there are 0.");
  }
  if (options.samples.choice != SampleChoice::All && HasWindows(options.metric.kind))
  {
    throw std::invalid_argument(std::string(NameOf(options.metric.kind)) +
                                " does not support sampling; all samples must be used.");
  }
  if (m_Options.rules.watched.empty())
  {
    m_Options.rules.watched = CornersOf(m_Fixed.image.grid);
  }
}

LinearRecord
LinearRegistration::RunLevel(std::size_t                          level,
                             LinearTransform &                    transform,
                             const LinearWatch &                  watch,
                             unsigned int                         done,
                             const std::vector<LinearTransform> & earlier) const
{
  const auto           begin = std::chrono::steady_clock::now();
  const PyramidLevel & of = m_Options.levels.at(level);
  const FieldGrid      grid = ShrinkGrid(m_Fixed.image.grid, of);
  LinearMetric         metric = m_Options.metric;
  if (m_Options.samples.choice != SampleChoice::All)
  {
    metric.places =
      std::make_shared<const std::vector<double>>(DrawPlaces(grid, m_Options.samples, level, m_Residence.GetContext()));
  }
  LinearLevel images(grid,
                     SmoothSide(m_Fixed, of, m_Options.sigmasInMm, m_Residence),
                     SmoothSide(m_Moving, of, m_Options.sigmasInMm, m_Residence),
                     metric,
                     m_Residence,
                     SmoothPairs(m_Others, of, m_Options.sigmasInMm, m_Residence));
  LinearRules rules = m_Options.rules;
  rules.iterations = of.iterations > done ? of.iterations - done : 0;
  rules.limit = of.iterations > 0 && of.limit > done ? of.limit - done : 0;
  LinearOptimizer descent(images, transform, rules);
  LinearRecord    record;
  record.iterations = done;
  std::optional<double> first;
  while (auto iteration = descent.Iterate())
  {
    transform = descent.GetTransform();
    if (iteration->number == 1 && done == 0)
    {
      first = iteration->value;
    }
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
  if (!isStopped && !earlier.empty() && record.stop != LinearStop::NoSamples)
  {
    KeepBest(images, earlier, first, transform, record);
  }
  record.fallRate = descent.GetFallRate();
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
  // A line search needs about ten evaluations.
  const PyramidLevel & of = options.levels.at(level);
  const std::uint64_t  ofIteration = options.rules.descent == LinearDescent::ConjugateGradient ? 10 : 1;
  const FieldGrid      grid = ShrinkGrid(fixed, of);
  return CountLinearWork(
    grid, options.metric, moving, of.iterations * ofIteration, imageBytes, CountDrawnPlaces(grid, options.samples));
}

} // namespace itk::CudaSpline
