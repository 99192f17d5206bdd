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
#ifndef itkCudaSpline_math_StoredType_h
#define itkCudaSpline_math_StoredType_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief The type of an output with the rounding of real numbers to integers. Programs, Python and the kernels select
 * truncation or rounding only with this type. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Conversion of a real number to an integer, after it is clamped to the range of the type. */
enum class IntegerRounding : unsigned char
{
  Truncate,  ///< towards zero, as in itk::ResampleImageFilter
  HalfToEven ///< to the nearest integer, half to even
};

/** \brief Type of the numbers of an output, and the rounding of real numbers to integers.
 *
 * A ScalarType converts to such a type with truncation. */
struct StoredType
{
  ScalarType      type{ ScalarType::Float32 };           ///< type of the numbers in memory
  IntegerRounding rounding{ IntegerRounding::Truncate }; ///< for integer types; not used for real ones

  /** \brief A type and its rounding.
   *
   * \param[in] scalar type of the numbers in memory
   * \param[in] rule rounding of real numbers to integers */
  CUDASPLINE_HOST_DEVICE constexpr StoredType(ScalarType      scalar = ScalarType::Float32, // NOLINT: implicit
                                              IntegerRounding rule = IntegerRounding::Truncate)
    : type(scalar)
    , rounding(rule)
  {}

  /** \brief The type of the numbers in memory. */
  CUDASPLINE_HOST_DEVICE constexpr operator ScalarType() const // NOLINT: implicit
  {
    return type;
  }
};

/** \brief The integral value nearest to \p value, half to even; NaN and infinities are preserved.
 *
 * \par Accuracy
 * Exact. The host adds and subtracts 2^23 (float) or 2^52 (double), above which numbers have no fraction: unlike
 * std::rint() this can be vectorised without SSE4.1. It assumes the default rounding mode, and compilation without
 * -ffast-math.
 *
 * \tparam TReal float or double
 * \param[in] value the value */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
RoundToIntegral(TReal value)
{
#if defined(__CUDA_ARCH__)
  return rint(value);
#else
  constexpr TReal whole = sizeof(TReal) == sizeof(float) ? static_cast<TReal>(8388608.0) // 2^23
                                                         : static_cast<TReal>(4503599627370496.0);
  const TReal     magnitude = std::fabs(value);
  const TReal     rounded = std::copysign((magnitude + whole) - whole, value);
  return magnitude < whole ? rounded : value;
#endif
}

/** \brief StoreScalar() with the rounding of the type.
 *
 * The value is rounded, then clamped to the range of the type; NaN becomes 0.
 *
 * \param[out] data first element, host or device
 * \param[in] type type of the elements
 * \param[in] index elements from the first
 * \param[in] value the value */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreScalar(void * data, StoredType type, std::int64_t index, TReal value)
{
  const bool isRounded = type.rounding == IntegerRounding::HalfToEven && !IsReal(type.type);
  StoreScalar(data, type.type, index, isRounded ? RoundToIntegral(value) : value);
}

/** @} */
} // namespace itk::CudaSpline

#endif
