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
#ifndef MetricCuda_h
#define MetricCuda_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/Metric.h"

#include <cstdint>

/** \file
 * \brief What the device's passes of a metric share. */

namespace itk::CudaSpline
{

/** \brief Enqueues the sums over blocks, by a fixed tree.
 *
 * \param[in] partial a row of \p blocks for each number, device
 * \param[in] blocks how many
 * \param[in] numbers how many
 * \param[out] total a sum for each number, device
 * \param[in] stream the stream */
void
LaunchMetricTotal(const double * partial,
                  std::int64_t   blocks,
                  unsigned int   numbers,
                  double *       total,
                  const Stream & stream);

/** \brief EvaluateMetric() on a device with derivatives by the coefficients of a stage of B-splines. */
MetricResult
EvaluateSplineMetricOnCuda(const MetricDescriptor & descriptor,
                           const MetricSources &    sources,
                           const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
