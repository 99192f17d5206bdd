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
#include "itkCudaSpline/kernels/metrics/Features.h"

#include "kernels/metrics/passes/MetricContributions.h"
#include "kernels/metrics/passes/MetricImplementations.h"

#include <stdexcept>
#include <string>

/** \file
 * \brief Calls the implementation of a metric, given its number. */

namespace itk::CudaSpline
{

// Field metrics have both gradients (PointForcesBody.h). Passes over samples have no gradient of the fixed image. A
// metric that needs it there passes a list of these gradients to AddMovedSample(), like MetricGradient::Samples.
static_assert(!MetricContributions::NeedsFixedGradient, "AddMovedSample() reads no gradient of the fixed image.");

namespace
{

/** Calls \p visit with the type of a metric that has a force on each sample. */
template <typename TResult, typename TVisit>
TResult
VisitFieldMetric(MetricKind kind, const TVisit & visit)
{
  return VisitMetric(kind, [&visit](auto metric) -> TResult {
    using Metric = decltype(metric);
    if constexpr (Metric::HasFieldForce)
    {
      return visit(metric);
    }
    else
    {
      throw std::invalid_argument(std::string(Metric::Name) + " does not support forces on single samples.");
    }
  });
}

} // namespace

MetricOutcome
ReduceMetric(MetricKind kind, const MetricReduce & reduce, const MetricReduction & reduction)
{
  return VisitMetric(kind, [&](auto metric) -> MetricOutcome {
    using Metric = decltype(metric);
    if constexpr (Metric::HasFeatures)
    {
      throw std::invalid_argument(std::string(Metric::Name) + " does not support passes over samples.");
    }
    else
    {
      return MetricImplementation<Metric>::Reduce(reduce, reduction);
    }
  });
}

std::unique_ptr<FieldMetric>
MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  return VisitFieldMetric<std::unique_ptr<FieldMetric>>(setup.options.kind, [&](auto metric) {
    return MetricImplementation<decltype(metric)>::MakeFieldMetric(setup, residence);
  });
}

std::size_t
CountFieldMetricScratch(MetricKind kind, const FieldGrid & grid)
{
  return HasFeatures(kind) ? CountFeatureForcesScratch(grid) : CountPointForcesScratch(grid);
}

std::size_t
CountFieldMetricBytes(const FieldMetricSetup & setup)
{
  return VisitFieldMetric<std::size_t>(
    setup.options.kind, [&](auto metric) { return MetricImplementation<decltype(metric)>::CountFieldBytes(setup); });
}

} // namespace itk::CudaSpline
