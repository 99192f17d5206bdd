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
#ifndef itkCudaSplineMetricOverrides_h
#define itkCudaSplineMetricOverrides_h

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaDemonsImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaSplineRegistrationOverrides.h"

#include "itkCudaSpline/itk/MetricList.h"

/** \file
 * \brief The metrics that itk::CudaSplineMetricFactory hands out, for each type of image and parameters. */

namespace itk::CudaSplineDetail
{

/** Overrides the metrics of images of one type, with parameters of one type. */
template <typename TImage, typename TParameter>
void
AppendMetricsOf(Overrides & overrides)
{
#define CUDASPLINE_APPEND_METRIC(kind, word, name)                                                                     \
  AppendOverride<name<TImage, TImage, TImage, TParameter>, Cuda##name<TImage, TImage, TImage, TParameter>>(#name,      \
                                                                                                           overrides);
  CUDASPLINE_METRICS(CUDASPLINE_APPEND_METRIC)
#undef CUDASPLINE_APPEND_METRIC
}

} // namespace itk::CudaSplineDetail

#endif
