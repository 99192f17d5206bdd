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
#ifndef itkCudaSplineMetricInstances_h
#define itkCudaSplineMetricInstances_h

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaSplineMetricOverrides.h"

namespace itk::CudaSplineDetail
{

/** Overrides the metrics of images of one type. */
template <typename TImage>
void
AppendMetrics(Overrides & overrides)
{
  AppendOverride<MeanSquaresImageToImageMetricv4<TImage, TImage>, CudaMeanSquaresImageToImageMetricv4<TImage, TImage>>(
    "MeanSquaresImageToImageMetricv4", overrides);
  AppendOverride<CorrelationImageToImageMetricv4<TImage, TImage>, CudaCorrelationImageToImageMetricv4<TImage, TImage>>(
    "CorrelationImageToImageMetricv4", overrides);
  AppendOverride<MattesMutualInformationImageToImageMetricv4<TImage, TImage>,
                 CudaMattesMutualInformationImageToImageMetricv4<TImage, TImage>>(
    "MattesMutualInformationImageToImageMetricv4", overrides);
}

} // namespace itk::CudaSplineDetail

#endif
