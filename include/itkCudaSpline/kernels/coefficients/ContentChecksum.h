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
#ifndef itkCudaSpline_kernels_coefficients_ContentChecksum_h
#define itkCudaSpline_kernels_coefficients_ContentChecksum_h

#include "itkCudaSpline/kernels/common/Execution.h"

#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Checksum of every byte of a host array, on the host's threads.
 *
 * Data that was computed from an image is reused only while its checksum is unchanged: iterators, SetPixel() and array
 * views change pixels without a modification time. A change within one aligned 8-byte word always changes the checksum;
 * any other change is missed with a probability of about 2^-64, unless it is constructed: it is not a cryptographic
 * hash.
 *
 * \param[in] data host memory
 * \param[in] bytes length
 * \param[in] context its threads; the result does not depend on their number */
std::uint64_t
ContentChecksum(const void * data, std::size_t bytes, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
