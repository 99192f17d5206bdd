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
#ifndef itkCudaSpline_itk_FieldMetric_h
#define itkCudaSpline_itk_FieldMetric_h

#include "itkCudaSpline/kernels/metrics/MetricTypes.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h" // SynMetricKind, for one release

#include <optional>
#include <string_view>

/** \file
 * \brief The metrics that registrations of displacement fields can use on a backend. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Finds a metric that has a force at each sample by its name in the sources; empty if there is none with that
 * name.
 *
 * \param[in] name MetricType's \c Name */
constexpr std::optional<CudaSpline::MetricKind>
FindFieldMetric(std::string_view name)
{
  const auto found = CudaSpline::FindMetricByName(name);
  return found && CudaSpline::HasFieldForce(*found) ? found : std::nullopt;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
