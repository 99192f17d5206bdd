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
#ifndef itkCudaSpline_kernels_metrics_MetricFormula_h
#define itkCudaSpline_kernels_metrics_MetricFormula_h

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

/** \file
 * \brief The formulas of metrics: from sums over the samples to a value and a derivative. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The value and the derivative of a metric. */
struct MetricOutcome
{
  std::int64_t        count{ 0 };              ///< valid samples; with 0 nothing else is set
  double              value{ 0.0 };            ///< the metric's value; lower is better, as in ITK
  std::vector<double> derivative;              ///< moments, or the derivative (MetricResult); empty: not computed, or 0
  std::int64_t        flatWindows{ 0 };        ///< of local correlation: see LocalCorrelationSums::flatWindows
  bool                comparesPixels{ false }; ///< of local correlation: whether nothing was interpolated
  /** For passes that write their derivative to the caller's memory (MetricDescriptor::forces): the derivative is the
   * sum of the sets in that memory, each times its factor. */
  std::array<double, 2> factors{ { 0.0, 0.0 } };
};

/** \brief Runs a pass over all samples. The second parameter is whether its derivative is computed. */
using MetricReduce = std::function<MetricResult(const MetricPass &, bool)>;

/** \brief Options of the reduction of a metric. */
struct MetricReduction
{
  bool withDerivative{ false }; ///< whether the derivative is computed
  /** Whether the derivative is a mean, for metrics whose value is a mean. Else it is a sum, as for displacements, which
   * depend only on their own samples. */
  bool takesMean{ true };
  /** For metrics with a histogram: EvaluateMetric() computes the table of the derivative (MakesTable()), so that value
   * and derivative need one pass. The device computes the logarithms: results are equal except for some rounding errors
   * of double. */
  bool makesTable{ false };
  /** The metric's pass with the parameters that do not depend on the samples: CorrelationPass, HistogramPass,
   * LocalCorrelationPass, DemonsPass or GradientFieldsPass; not used by other metrics. */
  MetricPass pass;
};

/** \brief Reduces a metric: runs the passes of its formula, and computes value and derivative from their sums.
 *
 * \param[in] kind the metric
 * \param[in] reduce runs a pass
 * \param[in] reduction options
 * \exception std::bad_variant_access the pass of \p reduction belongs to another metric */
MetricOutcome
ReduceMetric(MetricKind kind, const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Bins of a joint histogram for given ranges of values, with two bins of padding at either end, as in ITK. If
 * an image has a single value, its bin size is 0.
 *
 * \param[in] bins bins per axis, 5 or more
 * \param[in] fixedLowest, fixedHighest range of the fixed image's values
 * \param[in] movingLowest, movingHighest range of the moving image's values */
ParzenBins
MakeParzenBins(int bins, double fixedLowest, double fixedHighest, double movingLowest, double movingHighest);

/** @} */
} // namespace itk::CudaSpline

#endif
