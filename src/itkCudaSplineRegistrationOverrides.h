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
#ifndef itkCudaSplineRegistrationOverrides_h
#define itkCudaSplineRegistrationOverrides_h

#include "itkCudaSplineOverrides.h"

namespace itk::CudaSplineDetail
{

/** \brief Overrides the metrics whose parameters are double. */
void
AppendMetrics(Overrides & overrides);

/** \brief Overrides the metrics whose parameters are float. */
void
AppendMetricsOfFloat(Overrides & overrides);

/** \brief Overrides the registration methods that keep their data on a device. */
void
AppendRegistrations(Overrides & overrides);

/** \brief Overrides the demons filters. */
void
AppendDemons(Overrides & overrides);

} // namespace itk::CudaSplineDetail

#endif
