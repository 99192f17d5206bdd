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
#ifndef MetricImplementation_h
#define MetricImplementation_h

#include "itkCudaSpline/kernels/metrics/MetricFormula.h"

#include "kernels/metrics/implementation/FieldMetric.h"

#include <cstddef>
#include <memory>

/** \file
 * \brief The functions that each metric implements on the host, in its folder. */

namespace itk::CudaSpline
{

/** \brief The implementation of a metric; each metric specializes the functions that it supports.
 *
 * \tparam TMetric one of MetricTypes */
template <typename TMetric>
struct MetricImplementation
{
  /** ReduceMetric(). */
  static MetricOutcome
  Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

  /** MakeFieldMetric(), for metrics with HasFieldForce(). */
  static std::unique_ptr<FieldMetric>
  MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence);

  /** CountFieldMetricBytes(), for the same metrics. */
  static std::size_t
  CountFieldBytes(const FieldMetricSetup & setup);
};

/** \brief Moves the derivative of a pass into an outcome.
 *
 * \param[in,out] sums sums of the pass
 * \param[in] divisor divisor of the sums: the number of samples, or 1
 * \param[out] outcome receives the derivative and its factor */
void
TakeDerivative(MetricResult & sums, double divisor, MetricOutcome & outcome);

} // namespace itk::CudaSpline

#endif
