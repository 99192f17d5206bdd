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
 * \brief The formulas of metrics: from passes over the samples to a value and a derivative. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What a metric is made of, when all samples were added up. */
struct MetricOutcome
{
  std::int64_t        count{ 0 };              ///< valid samples; with 0 nothing else is set
  double              value{ 0.0 };            ///< the metric's value; ITK's are the better the lower
  std::vector<double> derivative;              ///< moments, or by parameter (MetricResult); empty: none, or 0
  std::int64_t        flatWindows{ 0 };        ///< of local correlation: LocalCorrelationSums::flatWindows
  bool                comparesPixels{ false }; ///< of local correlation: whether nothing was interpolated
  /** Of passes that put their derivative into memory of the caller's (MetricDescriptor::forces): \c derivative would be
   * the sum of what the sets of weights have there, each times its factor. */
  std::array<double, 2> factors{ { 0.0, 0.0 } };
};

/** \brief Adds up a pass over all samples; the second parameter is whether its derivative is wanted. */
using MetricReduce = std::function<MetricResult(MetricPass, bool, const MetricParameters &)>;

/** \brief How a metric is reduced. */
struct MetricReduction
{
  bool withDerivative{ false }; ///< it is wanted
  /** The derivative is a mean, as the value is, of metrics whose value is one; else a sum: of displacements, which have
   * their own sample's part alone. */
  bool takesMean{ true };
  /** For metrics that have a histogram: EvaluateMetric() makes the table of the derivative (MakesTable()), so that
   * value and derivative are one pass. The device computes its logarithms: results are the same except for some
   * roundings of double. */
  bool             makesTable{ false };
  MetricParameters parameters; ///< what the metric's own passes get, as bins and windows; \c epsilon of correlations
};

/** \brief Reduces a metric: makes the passes that its formula needs, and value and derivative of their sums.
 *
 * \param[in] kind the metric
 * \param[in] reduce adds up
 * \param[in] reduction what is wanted */
MetricOutcome
ReduceMetric(MetricKind kind, const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Bins of a joint histogram, by the ranges of values: two of padding at either end, as ITK has them. Where an
 * image has one value alone their size is 0.
 *
 * \param[in] bins an axis, 5 or more
 * \param[in] fixedLowest, fixedHighest values of the fixed image
 * \param[in] movingLowest, movingHighest values of the moving image */
ParzenBins
MakeParzenBins(int bins, double fixedLowest, double fixedHighest, double movingLowest, double movingHighest);

/** @} */
} // namespace itk::CudaSpline

#endif
