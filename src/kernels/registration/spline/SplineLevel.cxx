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
#include "itkCudaSpline/kernels/registration/SplineLevel.h"

#include "itkCudaSpline/kernels/registration/Lbfgs.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/registration/spline/SplineEnergy.h"
#include "kernels/registration/spline/SplinePointEnergy.h"
#include "kernels/registration/images/MetricEvaluator.h"
#include "kernels/registration/landmarks/LandmarkLevels.h"
#include "kernels/registration/optimizers/LbfgsVectors.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

TransformChain::Stage
CheckSpline(const TransformChain::Stage & spline, const FieldGrid & grid)
{
  bool isWhole = spline.kind == TransformKind::BSpline && spline.order >= 1 && spline.order <= 3;
  for (unsigned int d = 0; d < 3; ++d)
  {
    isWhole = isWhole && spline.size[d] >= (d < grid.dimension ? spline.order + 1 : 1);
  }
  if (!isWhole)
  {
    throw std::invalid_argument("A level of a B-spline registration needs a B-spline transform of order 1 to 3 with at "
                                "least 1 cell along each axis; its order is " +
                                std::to_string(spline.order) + ".");
  }
  return spline;
}

void
CheckRegularizers(const Regularizers & weights, const TransformChain::Stage & spline)
{
  const bool areValid =
    weights.bending >= 0.0 && weights.elasticity >= 0.0 && weights.variation >= 0.0 && weights.jacobian >= 0.0;
  if (!areValid || ((weights.HasForms() || weights.HasPoints()) && spline.order != 3))
  {
    throw std::invalid_argument(
      "The weights of the bending energy, the elastic energy, the total variation and the Jacobian penalty are " +
      std::to_string(weights.bending) + ", " + std::to_string(weights.elasticity) + ", " +
      std::to_string(weights.variation) + " and " + std::to_string(weights.jacobian) + " for a spline of order " +
      std::to_string(spline.order) + "; they must be at least 0, and 0 unless the order is 3.");
  }
}

/** Describes a pass to plan its memory. */
MetricDescriptor
PlannedSplinePass(const TransformChain::Stage & spline, const FieldGrid & grid, const LinearMetric & metric)
{
  MetricDescriptor pass = PlannedPass(grid, metric);
  pass.chain.stages = { spline };
  pass.derivative = SplineCoefficients{ 0 };
  return pass;
}
} // namespace

std::int64_t
CountSplineNodes(const TransformChain::Stage & spline)
{
  return TransformChain::CountOf(spline, 1);
}

struct SplineLevel::Parts
{
  Parts(const FieldGrid &               grid,
        const SynSide &                 fixed,
        const SynSide &                 moving,
        const LinearMetric &            metric,
        const TransformChain::Stage &   stage,
        const Residence &               where,
        const Regularizers &            regularizers,
        const std::vector<LinearPair> & additional)
    : spline(CheckSpline(stage, grid))
    , images(grid, fixed, moving, metric, spline, where)
    , others(CompareAdditional(grid, additional, metric, spline, where))
    , residence(where)
    , count(TransformChain::CountOf(spline, grid.dimension))
    , sums(CountSets(metric.kind) * static_cast<std::size_t>(count) * sizeof(double), where)
    , sets(CountSets(metric.kind))
  {
    CheckRegularizers(regularizers, spline);
    if (regularizers.HasForms())
    {
      energy.emplace(spline, grid.dimension, regularizers, where);
    }
    if (regularizers.HasPoints())
    {
      pointEnergy.emplace(spline, grid.dimension, regularizers, where);
    }
    if (metric.landmarks.IsUsed())
    {
      landmarks.emplace(metric.landmarks, spline, moving.stages, grid, where);
    }
  }

  /** Adds the mean squared difference of an additional pair, and its gradient. */
  double
  AddOther(MetricEvaluator & compared, double weight, double * gradient)
  {
    residence.Wait(); // passes have their own streams
    const MetricOutcome outcome =
      compared.Compare(spline, gradient != nullptr, gradient != nullptr ? sums.As<double>() : nullptr);
    if (gradient != nullptr)
    {
      WalkLbfgs(LbfgsGradient{ count, sums.As<double>(), gradient, -weight * outcome.factors[0], 1.0, gradient },
                residence);
    }
    return outcome.count > 0 ? weight * outcome.value : 0.0;
  }

  TransformChain::Stage         spline;
  MetricEvaluator               images;
  std::vector<AdditionalImages> others;
  Residence                     residence;
  std::int64_t                  count; ///< number of coefficients
  ResidentArray                 sums;  ///< derivatives for each set of weights
  unsigned int                  sets;

  std::optional<SplineEnergy>      energy;
  std::optional<SplineLandmarks>   landmarks;
  std::optional<SplinePointEnergy> pointEnergy;
};

SplineLevel::SplineLevel(const FieldGrid &               grid,
                         SynSide                         fixed,
                         SynSide                         moving,
                         const LinearMetric &            metric,
                         const TransformChain::Stage &   spline,
                         const Residence &               residence,
                         const Regularizers &            regularizers,
                         const std::vector<LinearPair> & others)
  : m_Parts(std::make_unique<Parts>(grid, fixed, moving, metric, spline, residence, regularizers, others))
{
  residence.Wait(); // makes the memory of the sums available to other streams
}

SplineLevel::~SplineLevel() = default;

SplineEvaluation
SplineLevel::Evaluate(const double * coefficients, double * gradient)
{
  Parts & parts = *m_Parts;
  parts.residence.Wait(); // passes have their own streams
  parts.spline.data = std::shared_ptr<const double>(coefficients, [](const double *) {});
  const bool          withGradient = gradient != nullptr;
  const MetricOutcome outcome =
    parts.images.Compare(parts.spline, withGradient, withGradient ? parts.sums.As<double>() : nullptr);
  SplineEvaluation evaluation;
  evaluation.count = outcome.count;
  evaluation.value = outcome.count > 0 ? outcome.value : std::numeric_limits<double>::max();
  if (withGradient)
  {
    // ITK's derivative is the negative gradient. Without factors nothing has been written.
    LbfgsGradient body{ parts.count, parts.sums.As<double>(), nullptr, -outcome.factors[0], 0.0, gradient };
    if (parts.sets > 1)
    {
      body.second = body.first + parts.count;
      body.ofSecond = -outcome.factors[1];
    }
    WalkLbfgs(body, parts.residence);
  }
  if (parts.energy && outcome.count > 0)
  {
    evaluation.value += parts.energy->Evaluate(coefficients, gradient);
  }
  if (parts.pointEnergy && outcome.count > 0)
  {
    evaluation.value += parts.pointEnergy->Evaluate(coefficients, gradient);
  }
  for (std::size_t n = 0; n < parts.others.size() && outcome.count > 0; ++n)
  {
    evaluation.value += parts.AddOther(*parts.others[n].images, parts.others[n].weight, gradient);
  }
  if (parts.landmarks && outcome.count > 0)
  {
    evaluation.value += parts.landmarks->Evaluate(coefficients, gradient);
  }
  return evaluation;
}

const FieldGrid &
SplineLevel::GetGrid() const
{
  return m_Parts->images.GetGrid();
}

unsigned int
SplineLevel::CountEvaluations() const
{
  return m_Parts->images.CountEvaluations();
}

MemoryPlan
PlanSplineLevel(const TransformChain::Stage & spline,
                const FieldGrid &             grid,
                const LinearMetric &          metric,
                const FieldGrid &             moving,
                ScalarType                    pixel,
                std::size_t                   imageBytes,
                std::size_t                   budget,
                std::size_t                   places)
{
  const auto        coefficients = static_cast<std::size_t>(TransformChain::CountOf(spline, grid.dimension));
  const std::size_t vectors = Lbfgs::CountBytes(CountSplineNodes(spline), grid.dimension) +
                              (CountSets(metric.kind) + 2) * coefficients * sizeof(double); // start and penalty
  MemoryPlan plan = PlanComparedImages(
    grid, metric, PlannedSplinePass(spline, grid, metric), moving, pixel, imageBytes, budget, places);
  plan.sourceBytes += vectors;
  if (plan.fits)
  {
    RefuseUnlessWithin(plan, budget);
  }
  return plan;
}

OperationWork
CountSplineWork(const TransformChain::Stage & spline,
                const FieldGrid &             grid,
                const LinearMetric &          metric,
                const FieldGrid &             moving,
                std::uint64_t                 evaluations,
                std::size_t                   imageBytes,
                std::size_t                   places)
{
  return CountComparisonWork(
    grid, metric, PlannedSplinePass(spline, grid, metric), moving, WorkKind::Linear, evaluations, imageBytes, places);
}

} // namespace itk::CudaSpline
