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

#include "itkCudaSpline/itk/MetricClasses.h"

/** \file
 * \brief The module's metrics for images of one type, and the ITK metrics that they replace. */

namespace CudaSplineTest
{

/** By the type of the list. */
template <typename TMetric, typename TImage>
using ReferenceOf = typename itk::CudaSplineDetail::MetricClass<TMetric>::template Theirs<TImage, TImage>;
template <typename TMetric, typename TImage>
using OursOf = typename itk::CudaSplineDetail::MetricClass<TMetric>::template Ours<TImage, TImage>;

/** By name. */
template <typename TImage>
using MeanSquaresReference = ReferenceOf<itk::CudaSpline::MeanSquaresMetric, TImage>;
template <typename TImage>
using MeanSquares = OursOf<itk::CudaSpline::MeanSquaresMetric, TImage>;
template <typename TImage>
using CorrelationReference = ReferenceOf<itk::CudaSpline::CorrelationMetric, TImage>;
template <typename TImage>
using Correlation = OursOf<itk::CudaSpline::CorrelationMetric, TImage>;
template <typename TImage>
using MattesReference = ReferenceOf<itk::CudaSpline::MattesMetric, TImage>;
template <typename TImage>
using Mattes = OursOf<itk::CudaSpline::MattesMetric, TImage>;
template <typename TImage>
using LocalCorrelationReference = ReferenceOf<itk::CudaSpline::LocalCorrelationMetric, TImage>;
template <typename TImage>
using LocalCorrelation = OursOf<itk::CudaSpline::LocalCorrelationMetric, TImage>;
template <typename TImage>
using DemonsReference = ReferenceOf<itk::CudaSpline::DemonsMetric, TImage>;
template <typename TImage>
using Demons = OursOf<itk::CudaSpline::DemonsMetric, TImage>;

} // namespace CudaSplineTest

#endif
