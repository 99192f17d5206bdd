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
#ifndef Correlation_h
#define Correlation_h

#include "kernels/metrics/implementation/MetricImplementation.h"

/** \file
 * \brief Correlation on the host: declarations of Correlation.cxx. */

namespace itk::CudaSpline
{

/** \brief Two passes: the means, then the sums of centred products. If the product of both variances is not above
 * CorrelationPass::epsilon, value and derivative are 0. */
template <>
MetricOutcome
MetricImplementation<CorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

} // namespace itk::CudaSpline

#endif
