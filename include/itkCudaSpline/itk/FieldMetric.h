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

#include "itkCudaSpline/kernels/registration/SynMetricList.h"

#include <optional>
#include <string_view>

/** \file
 * \brief The metrics of MetricList.h that registrations by fields have on a backend. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief A metric of SynMetricList.h by what the sources call it, in MetricList.h too; nothing: it is not there.
 *
 * \param[in] kind as "MeanSquares" */
constexpr std::optional<CudaSpline::SynMetricKind>
FindFieldMetric(std::string_view kind)
{
  for (const CudaSpline::SynMetricKind known : CudaSpline::AllSynMetrics)
  {
    if (kind == CudaSpline::NameOf(known))
    {
      return known;
    }
  }
  return std::nullopt;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
