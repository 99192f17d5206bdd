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
#ifndef itkCudaSpline_kernels_metrics_ConvertNumbers_h
#define itkCudaSpline_kernels_metrics_ConvertNumbers_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief Converts numbers in the memory of a backend from float to double, or from double to float.
 *
 * \param[in] from numbers
 * \param[in] type their type: Float32 or Float64; the output has the other type
 * \param[out] to as many numbers */
void
ConvertNumbers(const void * from, ScalarType type, void * to, std::int64_t count, const Residence & residence);

/** \brief ConvertNumbers() on a device; not available without the CUDA Toolkit. */
void
ConvertNumbersOnCuda(const void * from, ScalarType type, void * to, std::int64_t count, const Residence & residence);

} // namespace itk::CudaSpline

#endif
