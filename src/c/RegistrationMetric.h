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
#ifndef RegistrationMetric_h
#define RegistrationMetric_h

#include "itkCudaSpline/c/CudaSplineRegistrationC.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/SamplePlaces.h"

#include "c/RegistrationImages.h"

/** \file
 * \brief How registrations of the interface compare images: of linear transforms and of B-splines. All functions throw
 * std::invalid_argument with the name of the field that cannot be. */

namespace itk::CudaSpline
{

/** \brief The metric. */
LinearMetric
DescribeMetric(const cudaspline_linear & from, const RegistrationImages & images);

/** \brief Which samples are compared, by a metric. */
SampleRules
DescribeSamples(const cudaspline_linear & from, LinearMetricKind metric);

} // namespace itk::CudaSpline

#endif
