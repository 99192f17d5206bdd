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
#ifndef CudaSplineRegister_FieldMetric_h
#define CudaSplineRegister_FieldMetric_h

#include "CommandLine.h"

#include "itkCudaSpline/itk/FieldMetric.h"

#include <optional>

namespace CudaSplineRegister
{

/** \brief What the kernels' registrations by fields call a metric of the stages; nothing: they do not have it. */
constexpr std::optional<itk::CudaSpline::SynMetricKind>
FieldMetricOf(MetricKind metric)
{
  constexpr const char * kinds[] = {
#define CUDASPLINE_METRIC_KIND_NAME(kind, word, name) #kind,
    CUDASPLINE_STAGE_METRICS(CUDASPLINE_METRIC_KIND_NAME)
#undef CUDASPLINE_METRIC_KIND_NAME
  };
  return itk::CudaSplineDetail::FindFieldMetric(kinds[static_cast<unsigned int>(metric)]);
}

} // namespace CudaSplineRegister

#endif
