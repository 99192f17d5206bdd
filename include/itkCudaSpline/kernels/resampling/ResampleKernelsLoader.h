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
#ifndef itkCudaSpline_kernels_resampling_ResampleKernelsLoader_h
#define itkCudaSpline_kernels_resampling_ResampleKernelsLoader_h

#include "itkCudaSpline/kernels/resampling/Resample.h"

#include <functional>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Returns a function that loads the kernels of a resampling onto a device, by running a tiny resampling of the
 * same kind.
 *
 * \param[in] source source of the later resampling
 * \param[in] resample the later resampling; only its chain is read, and only during this call */
std::function<void(int device)>
ResampleKernelsLoader(const SourceDescriptor & source, const ResampleDescriptor & resample);

/** @} */
} // namespace itk::CudaSpline

#endif
