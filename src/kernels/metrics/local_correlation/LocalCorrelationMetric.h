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
#ifndef LocalCorrelationMetric_h
#define LocalCorrelationMetric_h

#include "kernels/metrics/implementation/MetricImplementation.h"

/** \file
 * \brief Local correlation as a metric, on the host: declarations of LocalCorrelationMetric.cxx. */

namespace itk::CudaSpline
{

/** \brief One pass: minus the mean of the squared correlations. */
template <>
MetricOutcome
MetricImplementation<LocalCorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Forces with EvaluateLocalCorrelation(). */
///@{
template <>
std::unique_ptr<FieldMetric>
MetricImplementation<LocalCorrelationMetric>::MakeFieldMetric(const FieldMetricSetup & setup,
                                                              const Residence &        residence);
template <>
std::size_t
MetricImplementation<LocalCorrelationMetric>::CountFieldBytes(const FieldMetricSetup & setup);
///@}

/** \brief The same value, with the derivative of all windows that contain a sample. */
template <>
MetricOutcome
MetricImplementation<ExactCorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Forces with EvaluateLocalCorrelation(), exact. */
///@{
template <>
std::unique_ptr<FieldMetric>
MetricImplementation<ExactCorrelationMetric>::MakeFieldMetric(const FieldMetricSetup & setup,
                                                              const Residence &        residence);
template <>
std::size_t
MetricImplementation<ExactCorrelationMetric>::CountFieldBytes(const FieldMetricSetup & setup);
///@}

} // namespace itk::CudaSpline

#endif
