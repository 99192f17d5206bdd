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
#ifndef itkCudaSpline_itk_MetricList_h
#define itkCudaSpline_itk_MetricList_h

#include "itkCudaSpline/kernels/metrics/MetricTypes.h"

#include <string_view>

/** \file
 * \brief The metrics of the stages of CudaSplineRegister for its preprocessor; everything else takes them from
 * itkCudaSpline/kernels/metrics/MetricTypes.h.
 *
 * `entry(kind, word, name)` is expanded for each of CudaSpline::ParameterMetrics: its MetricKind, its word for users,
 * and ITK's class; the module's has \c Cuda before. */
#define CUDASPLINE_STAGE_METRICS(entry)                                                                                \
  entry(MeanSquares, "meansquares", MeanSquaresImageToImageMetricv4)                                                   \
    entry(Correlation, "correlation", CorrelationImageToImageMetricv4)                                                 \
      entry(Mattes, "mattes", MattesMutualInformationImageToImageMetricv4)                                             \
        entry(LocalCorrelation, "cc", ANTSNeighborhoodCorrelationImageToImageMetricv4)

namespace itk::CudaSplineDetail
{
/** \cond that it is the same list */
#define CUDASPLINE_IS_METRIC(kind, word, name)                                                                         \
  &&std::string_view(CudaSpline::kind##Metric::Word) ==                                                                \
    word && std::string_view(CudaSpline::kind##Metric::ItkClass) == #name
#define CUDASPLINE_COUNT_METRIC(kind, word, name) +1
static_assert(CudaSpline::ParameterMetrics.size() == 0 CUDASPLINE_STAGE_METRICS(CUDASPLINE_COUNT_METRIC)
                                                       CUDASPLINE_STAGE_METRICS(CUDASPLINE_IS_METRIC),
              "The list is that of the metric types.");
#undef CUDASPLINE_COUNT_METRIC
#undef CUDASPLINE_IS_METRIC
/** \endcond */
} // namespace itk::CudaSplineDetail

#endif
