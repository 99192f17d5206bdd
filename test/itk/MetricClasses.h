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
#ifndef MetricClasses_h
#define MetricClasses_h

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

/** \file
 * \brief The module's metrics of images of one type, and ITK's that each stands for. */

namespace CudaSplineTest
{

template <typename TImage>
using MeanSquaresReference = itk::MeanSquaresImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using MeanSquares = itk::CudaMeanSquaresImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using CorrelationReference = itk::CorrelationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using Correlation = itk::CudaCorrelationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using MattesReference = itk::MattesMutualInformationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using Mattes = itk::CudaMattesMutualInformationImageToImageMetricv4<TImage, TImage>;

} // namespace CudaSplineTest

#endif
