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
#ifndef MetricBackends_h
#define MetricBackends_h

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/math/MetricSums.h"

#include <algorithm>
#include <cstdint>

/** \file
 * \brief Common functions of the two backends of a metric, in addition to its body. */

namespace itk::CudaSpline
{

/** \brief Writes sums into a result. */
template <unsigned int VDimension, unsigned int VSets>
MetricResult
MakeMetricResult(const MetricSums<VDimension, VSets> & sums)
{
  using Sums = MetricSums<VDimension, VSets>;
  MetricResult result;
  result.count = static_cast<std::int64_t>(sums.numbers[0]);
  std::copy_n(sums.numbers + 1, Sums::Values, result.values.begin());
  for (std::size_t set = 0; set + 1 <= VSets; ++set)
  {
    const double * const moments = sums.numbers + 1 + Sums::Values + set * Sums::Moments;
    result.derivatives[set].assign(moments, moments + Sums::Moments);
  }
  return result;
}

/** \brief Whether the numbers of samples, and of cells of the B-spline stage, fit the 32 bits of a device. */
bool
FitsCells(const MetricDescriptor & descriptor, std::int64_t samples);

/** \brief EvaluateMetric() for LocalCorrelationPass and GradientFieldsPass on either backend; the arguments have been
 * checked. */
MetricResult
EvaluateGridPass(const MetricDescriptor & descriptor,
                 const MetricSources &    sources,
                 const ExecutionContext & context,
                 MetricWorkspace *        workspace);

/** \brief EvaluateMetric() on the host, and on a device; the arguments have been checked. */
///@{
MetricResult
EvaluateMetricOnCpu(const MetricDescriptor & descriptor,
                    const MetricSources &    sources,
                    const ExecutionContext & context,
                    MetricWorkspace *        workspace);
MetricResult
EvaluateMetricOnCuda(const MetricDescriptor & descriptor,
                     const MetricSources &    sources,
                     const ExecutionContext & context,
                     MetricWorkspace *        workspace);
///@}

} // namespace itk::CudaSpline

#endif
