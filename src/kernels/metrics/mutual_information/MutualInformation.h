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
#ifndef MutualInformation_h
#define MutualInformation_h

#include "kernels/metrics/implementation/MetricImplementation.h"

/** \file
 * \brief Mutual information on the host: declarations of MutualInformation.cxx and InformationForces.cxx. */

namespace itk::CudaSpline
{

/** \brief Two passes: a joint histogram, then the derivative with a table computed from it. One pass if
 * EvaluateMetric() computes that table (MetricReduction::makesTable): the device computes its logarithms, and value and
 * derivative are equal except for some rounding errors of double. */
template <>
MetricOutcome
MetricImplementation<MattesMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Forces with EvaluatePointForces(), with a table for each comparison.
 *
 * \exception std::invalid_argument an unsupported number of bins */
///@{
template <>
std::unique_ptr<FieldMetric>
MetricImplementation<MattesMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence);
template <>
std::size_t
MetricImplementation<MattesMetric>::CountFieldBytes(const FieldMetricSetup & setup);
///@}

} // namespace itk::CudaSpline

#endif
