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
#ifndef MeanSquares_h
#define MeanSquares_h

#include "kernels/metrics/implementation/MetricImplementation.h"

/** \file
 * \brief Mean squares on the host: declarations of MeanSquares.cxx. */

namespace itk::CudaSpline
{

/** \brief One pass: the mean of the squared differences. */
template <>
MetricOutcome
MetricImplementation<MeanSquaresMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Forces with EvaluatePointForces(). */
///@{
template <>
std::unique_ptr<FieldMetric>
MetricImplementation<MeanSquaresMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence);
template <>
std::size_t
MetricImplementation<MeanSquaresMetric>::CountFieldBytes(const FieldMetricSetup & setup);
///@}

} // namespace itk::CudaSpline

#endif
