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
#include "itkCudaSpline/kernels/registration/LinearLevel.h"

#include "kernels/registration/images/MetricEvaluator.h"
#include "kernels/registration/landmarks/LandmarkLevels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

namespace itk::CudaSpline
{

namespace
{
using Matrix = TransformChain::Matrix;
using Vector = TransformChain::Vector;

/** A matrix and an offset. */
struct Map
{
  Matrix matrix{ { { { 1.0, 0.0, 0.0 } }, { { 0.0, 1.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };

  Vector
  Turn(const Vector & vector) const
  {
    Vector turned{};
    for (unsigned int r = 0; r < 3; ++r)
    {
      for (unsigned int c = 0; c < 3; ++c)
      {
        turned[r] += matrix[r][c] * vector[c];
      }
    }
    return turned;
  }
};

} // namespace

std::vector<double>
CornersOf(const FieldGrid & grid)
{
  std::vector<double> places;
  for (unsigned int corner = 0; corner < 1U << grid.dimension; ++corner)
  {
    for (unsigned int r = 0; r < grid.dimension; ++r)
    {
      double place = grid.origin[r];
      for (unsigned int c = 0; c < grid.dimension; ++c)
      {
        const std::int64_t at = grid.start[c] + ((corner >> c & 1U) != 0 ? grid.size[c] - 1 : 0);
        place += grid.indexToPoint[r][c] * static_cast<double>(at);
      }
      places.push_back(place);
    }
  }
  return places;
}

struct LinearLevel::Parts
{
  Parts(const FieldGrid &               grid,
        const SynSide &                 fixed,
        const SynSide &                 moving,
        const LinearMetric &            metric,
        const Residence &               residence,
        const std::vector<LinearPair> & additional)
    : images(grid, fixed, moving, metric, TransformChain::Stage(), residence)
    , behind(moving.stages)
    , others(CompareAdditional(grid, additional, metric, TransformChain::Stage(), residence))
  {
    if (metric.landmarks.IsUsed())
    {
      targets = MakeLandmarkTargets(metric.landmarks, moving.stages, grid, residence);
      weight = metric.landmarks.weight / static_cast<double>(targets.size());
    }
    const auto * const moments = std::get_if<LinearMoments>(&images.GetDescriptor().derivative);
    if (moments != nullptr && moments->stages)
    {
      return; // a pass pulls gradients back
    }
    for (const TransformChain::Stage & stage : behind)
    {
      const Map before = outer;
      for (unsigned int r = 0; r < 3; ++r)
      {
        for (unsigned int c = 0; c < 3; ++c)
        {
          outer.matrix[r][c] = 0.0;
          for (unsigned int k = 0; k < 3; ++k)
          {
            outer.matrix[r][c] += stage.matrix[r][k] * before.matrix[k][c];
          }
        }
      }
    }
  }

  /** Computes the derivative by a parameter from the moments of the images. */
  double
  Contract(const MetricEvaluator &     compared,
           const std::vector<double> & moments,
           const LinearTransform &     transform,
           std::size_t                 parameter) const
  {
    const LinearTransform::Slope slope = transform.GetSlope(parameter);
    const MetricDescriptor &     descriptor = compared.GetDescriptor();
    const unsigned int           dimension = descriptor.dimension;
    // J(x) = matrix (x - centre of moments) + atCentre.
    Vector atCentre = slope.shift;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      for (unsigned int c = 0; c < dimension; ++c)
      {
        atCentre[r] += slope.matrix[r][c] * (descriptor.centre[c] - transform.GetCentre()[c]);
      }
    }
    atCentre = outer.Turn(atCentre);
    double sum = 0.0;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      sum += moments[std::size_t{ r } * (dimension + 1)] * atCentre[r];
    }
    for (unsigned int c = 0; c < dimension; ++c)
    {
      const Vector column = outer.Turn({ slope.matrix[0][c], slope.matrix[1][c], slope.matrix[2][c] });
      for (unsigned int r = 0; r < dimension; ++r)
      {
        sum += moments[std::size_t{ r } * (dimension + 1) + 1 + c] * column[r];
      }
    }
    return sum;
  }

  /** Adds the weighted value of images.
   *
   * \return number of valid samples */
  std::int64_t
  AddImages(MetricEvaluator &       compared,
            double                  factor,
            const LinearTransform & transform,
            bool                    withDerivative,
            LinearEvaluation &      evaluation) const
  {
    const MetricOutcome outcome = compared.Compare(transform.MakeStage(), withDerivative);
    if (outcome.count == 0)
    {
      return 0;
    }
    evaluation.value += factor * outcome.value;
    for (std::size_t p = 0; !outcome.derivative.empty() && p < transform.CountParameters(); ++p)
    {
      evaluation.derivative[p] += factor * this->Contract(compared, outcome.derivative, transform, p);
    }
    return outcome.count;
  }

  /** Adds the term of landmarks. */
  void
  AddLandmarks(const LinearTransform & transform, bool withDerivative, LinearEvaluation & evaluation) const
  {
    const unsigned int dimension = transform.GetDimension();
    for (const LandmarkTarget & target : targets)
    {
      Vector point{};
      double distance[3] = {};
      std::copy_n(target.fixed, dimension, point.begin());
      target.FindDistance(dimension, transform.Apply(point).data(), distance);
      evaluation.value += weight * SquaredLength(distance);
      for (std::size_t p = 0; withDerivative && p < transform.CountParameters(); ++p)
      {
        const LinearTransform::Slope slope = transform.GetSlope(p);
        for (unsigned int r = 0; r < dimension; ++r)
        {
          double along = slope.shift[r];
          for (unsigned int c = 0; c < dimension; ++c)
          {
            along += slope.matrix[r][c] * (point[c] - transform.GetCentre()[c]);
          }
          evaluation.derivative[p] -= 2.0 * weight * target.PullBack(dimension, distance, r) * along;
        }
      }
    }
  }

  MetricEvaluator                    images;
  std::vector<TransformChain::Stage> behind; ///< the transform and the following stages
  std::vector<AdditionalImages>      others;
  std::vector<LandmarkTarget>        targets;
  double                             weight{ 0.0 }; ///< of a landmark
  Map outer; ///< map of the following stages; the identity if a pass pulls gradients back
};

LinearLevel::LinearLevel(const FieldGrid &               grid,
                         SynSide                         fixed,
                         SynSide                         moving,
                         const LinearMetric &            metric,
                         const Residence &               residence,
                         const std::vector<LinearPair> & others)
  : m_Parts(std::make_unique<Parts>(grid, fixed, moving, metric, residence, others))
{}

LinearLevel::~LinearLevel() = default;

LinearEvaluation
LinearLevel::Evaluate(const LinearTransform & transform, bool withDerivative)
{
  Parts & parts = *m_Parts;
  if (transform.GetDimension() != parts.images.GetGrid().dimension)
  {
    throw std::invalid_argument("The transform has " + std::to_string(transform.GetDimension()) +
                                " dimensions and the level of the registration " +
                                std::to_string(parts.images.GetGrid().dimension) + "; they must be equal.");
  }
  LinearEvaluation evaluation;
  evaluation.count = parts.AddImages(parts.images, 1.0, transform, withDerivative, evaluation);
  if (evaluation.count == 0)
  {
    evaluation.value = std::numeric_limits<double>::max();
    return evaluation;
  }
  for (const AdditionalImages & other : parts.others)
  {
    parts.AddImages(*other.images, other.weight, transform, withDerivative, evaluation);
  }
  parts.AddLandmarks(transform, withDerivative, evaluation);
  return evaluation;
}

double
LinearLevel::LargestShift(const LinearTransform &             transform,
                          const LinearTransform::Parameters & change,
                          double                              factor) const
{
  const FieldGrid & grid = m_Parts->images.GetGrid();
  LinearTransform   changed = transform;
  changed.Update(change, factor);
  const auto moveOn = [&](Vector place) {
    for (const TransformChain::Stage & stage : m_Parts->behind)
    {
      Vector moved = place;
      for (unsigned int r = 0; r < grid.dimension && stage.kind == TransformKind::Affine; ++r)
      {
        double sum = 0.0;
        for (unsigned int c = 0; c < grid.dimension; ++c)
        {
          sum += stage.matrix[r][c] * place[c];
        }
        moved[r] = sum + stage.offset[r];
      }
      place = moved;
    }
    return place;
  };
  double                    largest = 0.0;
  const std::vector<double> corners = CornersOf(grid);
  for (std::size_t first = 0; first < corners.size(); first += grid.dimension)
  {
    Vector place{};
    std::copy_n(corners.begin() + static_cast<std::ptrdiff_t>(first), grid.dimension, place.begin());
    const Vector before = moveOn(transform.Apply(place));
    const Vector after = moveOn(changed.Apply(place));
    double       square = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      square += (after[d] - before[d]) * (after[d] - before[d]);
    }
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

const FieldGrid &
LinearLevel::GetGrid() const
{
  return m_Parts->images.GetGrid();
}

unsigned int
LinearLevel::CountEvaluations() const
{
  return m_Parts->images.CountEvaluations();
}

MemoryPlan
PlanLinearLevel(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                ScalarType           pixel,
                std::size_t          imageBytes,
                std::size_t          budget,
                std::size_t          places)
{
  return PlanComparedImages(grid, metric, PlannedPass(grid, metric), moving, pixel, imageBytes, budget, places);
}

OperationWork
CountLinearWork(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                std::uint64_t        evaluations,
                std::size_t          imageBytes,
                std::size_t          places)
{
  return CountComparisonWork(
    grid, metric, PlannedPass(grid, metric), moving, WorkKind::Linear, evaluations, imageBytes, places);
}

} // namespace itk::CudaSpline
