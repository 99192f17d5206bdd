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
#ifndef itkCudaSpline_math_RoundedStore_h
#define itkCudaSpline_math_RoundedStore_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Stores a real value as element \p index of an array of run-time type, with the rule of scipy.ndimage:
 * integers are rounded, halves away from zero, and clamped to the range of their type; reals are converted.
 *
 * C++ leaves NaN and values beyond the range of 64-bit integers undefined. Here they become 0 and the end of the range.
 *
 * \param[out] data first element, host or device
 * \param[in] type type of the elements
 * \param[in] index elements from the first
 * \param[in] value the value */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreRounded(void * data, ScalarType type, std::int64_t index, double value)
{
  if (type == ScalarType::Float32)
  {
    static_cast<float *>(data)[index] = static_cast<float>(value);
  }
  else if (type == ScalarType::Float64)
  {
    static_cast<double *>(data)[index] = value;
  }
  else
  {
    // Truncates: -0.9 is 0 for unsigned types, too.
    StoreScalar(data, type, index, value > 0.0 ? value + 0.5 : value - 0.5);
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
