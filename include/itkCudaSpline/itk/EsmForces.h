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
#ifndef itkCudaSpline_itk_EsmForces_h
#define itkCudaSpline_itk_EsmForces_h

#include "itkCudaSpline/kernels/registration/DemonsLevel.h"

/** \file
 * \brief Converts the parameters of itk::ESMDemonsRegistrationFunction to those of the kernels. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Converts the number of ITK's enumerator to a gradient. */
inline CudaSpline::DemonsGradient
DescribeEsmGradient(int gradient)
{
  constexpr CudaSpline::DemonsGradient gradients[] = { CudaSpline::DemonsGradient::Symmetric,
                                                       CudaSpline::DemonsGradient::Fixed,
                                                       CudaSpline::DemonsGradient::WarpedMoving,
                                                       CudaSpline::DemonsGradient::MappedMoving };
  return gradients[gradient];
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
