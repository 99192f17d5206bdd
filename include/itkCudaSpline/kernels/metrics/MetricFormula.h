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

/** \brief itk::MeanSquaresImageToImageMetricv4: one pass.
 *
 * \param[in] reduce adds up
 * \param[in] withDerivative whether it is wanted
 * \param[in] takesMean whether the derivative is a mean, as the value is; else a sum: of displacements, which have
 * their own sample's part alone */
MetricOutcome
ReduceMeanSquares(const MetricReduce & reduce, bool withDerivative, bool takesMean = true);

/** \brief itk::CorrelationImageToImageMetricv4: two passes. Where the product of both variances is not above \p epsilon
 * value and derivative are 0.
 *
 * \param[in] reduce adds up
 * \param[in] withDerivative whether it is wanted
 * \param[in] epsilon that of ITK's computation type */
MetricOutcome
ReduceCorrelation(const MetricReduce & reduce, bool withDerivative, double epsilon);

/** \brief itk::MattesMutualInformationImageToImageMetricv4: a joint histogram, then the derivative by a table that is
 * made of it.
 *
 * \param[in] reduce adds up
 * \param[in] withDerivative whether it is wanted
 * \param[in] bins of the histogram (MakeParzenBins()) */
MetricOutcome
ReduceMattes(const MetricReduce & reduce, bool withDerivative, const ParzenBins & bins);

/** \brief The same with its derivative by one pass, where MakesTable(). Its logarithms are the device's: value and
 * derivative are those of ReduceMattes() but for some roundings of double.
 *
 * \param[in] reduce makes the pass
 * \param[in] bins of the histogram */
MetricOutcome
ReduceMattesAtOnce(const MetricReduce & reduce, const ParzenBins & bins);

/** \brief itk::ANTSNeighborhoodCorrelationImageToImageMetricv4: one pass.
 *
 * \param[in] reduce adds up
 * \param[in] withDerivative whether it is wanted
 * \param[in] parameters windows and epsilon
 * \param[in] takesMean see ReduceMeanSquares() */
MetricOutcome
ReduceLocalCorrelation(const MetricReduce &     reduce,
                       bool                     withDerivative,
                       const MetricParameters & parameters,
                       bool                     takesMean = true);

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
