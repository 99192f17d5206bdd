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
#ifndef itkCudaSpline_kernels_common_NonFiniteValues_h
#define itkCudaSpline_kernels_common_NonFiniteValues_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Counts the pixels that are not finite (NaN or infinite). The recursive filter of B-splines spreads each of
 * them over the whole image.
 *
 * \param[in] pixels first pixel, host memory; one number each
 * \param[in] type its type; integers are finite
 * \param[in] count number of pixels
 * \param[in] host threads */
std::int64_t
CountNonFiniteValues(const void * pixels, ScalarType type, std::int64_t count, const HostExecutor & host);

/** @} */
} // namespace itk::CudaSpline

#endif
