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
#ifndef itkCudaSpline_itk_SamplingGaussian_h
#define itkCudaSpline_itk_SamplingGaussian_h

#include "itkCudaSpline/math/SamplingGaussian.h"

/** \file
 * \brief The Gaussian that smooths an image before coarser sampling, for programs, which use only this layer. */

namespace itk::CudaSplineDetail
{
using CudaSpline::SamplingSigma;
} // namespace itk::CudaSplineDetail

#endif
