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
#ifndef itkCudaSpline_math_PixelAccess_h
#define itkCudaSpline_math_PixelAccess_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cfloat>
#include <cstdint>

/** \file
 * \brief Functions that load and store pixels: the only ones that use pixel types at run time. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Element \p index of an array of run-time type, as a real number.
 *
 * \tparam TReal float or double; a float holds 8- and 16-bit integers exactly, a double those of 32 bits, and 64-bit
 *   integers are rounded to the nearest double as ITK rounds them
 * \param[in] data first element, host or device
 * \param[in] type type of the elements
 * \param[in] index elements from the first */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
LoadScalar(const void * data, ScalarType type, std::int64_t index)
{
  switch (type)
  {
    case ScalarType::UInt8:
      return static_cast<TReal>(static_cast<const std::uint8_t *>(data)[index]);
    case ScalarType::Int8:
      return static_cast<TReal>(static_cast<const std::int8_t *>(data)[index]);
    case ScalarType::UInt16:
      return static_cast<TReal>(static_cast<const std::uint16_t *>(data)[index]);
    case ScalarType::Int16:
      return static_cast<TReal>(static_cast<const std::int16_t *>(data)[index]);
    case ScalarType::UInt32:
      return static_cast<TReal>(static_cast<const std::uint32_t *>(data)[index]);
    case ScalarType::Int32:
      return static_cast<TReal>(static_cast<const std::int32_t *>(data)[index]);
    case ScalarType::UInt64:
      return static_cast<TReal>(static_cast<const std::uint64_t *>(data)[index]);
    case ScalarType::Int64:
      return static_cast<TReal>(static_cast<const std::int64_t *>(data)[index]);
    case ScalarType::Float32:
      return static_cast<TReal>(static_cast<const float *>(data)[index]);
    default:
      return static_cast<TReal>(static_cast<const double *>(data)[index]);
  }
}

/** \brief The cast of itk::ResampleImageFilter to an integer pixel.
 *
 * The value is clamped to the range of the type, then truncated towards zero. It is never rounded, as in ITK. NaN,
 * which is undefined in ITK for integers, becomes 0. The upper limit is the type's maximum rounded to TReal: for 64-bit
 * integers it is 2^63 or 2^64, and values at or above it give the type's maximum.
 *
 * \tparam TPixel integer of 1 to 8 bytes
 * \tparam TReal float or double
 * \param[in] value the value */
template <typename TPixel, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TPixel
CastToInteger(TReal value)
{
  constexpr bool   isSigned = TPixel(-1) < TPixel(0);
  constexpr TPixel maximum = isSigned ? static_cast<TPixel>((std::uint64_t(1) << (8 * sizeof(TPixel) - 1)) - 1)
                                      : static_cast<TPixel>(~TPixel(0));
  constexpr TPixel minimum = isSigned ? static_cast<TPixel>(-maximum - 1) : TPixel(0);
  if (!(value > static_cast<TReal>(minimum)))
  {
    return value <= static_cast<TReal>(minimum) ? minimum : TPixel(0); // neither above nor below: NaN
  }
  return value >= static_cast<TReal>(maximum) ? maximum : static_cast<TPixel>(value);
}

/** \brief The cast of itk::ResampleImageFilter to float: infinities become the largest finite values, NaN is preserved.
 *
 * \param[in] value the value */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
CastToFloat(TReal value)
{
  return value <= static_cast<TReal>(-FLT_MAX)
           ? -FLT_MAX
           : (value >= static_cast<TReal>(FLT_MAX) ? FLT_MAX : static_cast<float>(value));
}

/** \brief Stores a real value as element \p index of an array of run-time type, with ITK's cast.
 *
 * For float64 the value is stored unchanged (including infinities, as in ITK, which does not cast it).
 *
 * \param[out] data first element, host or device
 * \param[in] type type of the elements
 * \param[in] index elements from the first
 * \param[in] value the value */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreScalar(void * data, ScalarType type, std::int64_t index, TReal value)
{
  switch (type)
  {
    case ScalarType::UInt8:
      static_cast<std::uint8_t *>(data)[index] = CastToInteger<std::uint8_t>(value);
      break;
    case ScalarType::Int8:
      static_cast<std::int8_t *>(data)[index] = CastToInteger<std::int8_t>(value);
      break;
    case ScalarType::UInt16:
      static_cast<std::uint16_t *>(data)[index] = CastToInteger<std::uint16_t>(value);
      break;
    case ScalarType::Int16:
      static_cast<std::int16_t *>(data)[index] = CastToInteger<std::int16_t>(value);
      break;
    case ScalarType::UInt32:
      static_cast<std::uint32_t *>(data)[index] = CastToInteger<std::uint32_t>(value);
      break;
    case ScalarType::Int32:
      static_cast<std::int32_t *>(data)[index] = CastToInteger<std::int32_t>(value);
      break;
    case ScalarType::UInt64:
      static_cast<std::uint64_t *>(data)[index] = CastToInteger<std::uint64_t>(value);
      break;
    case ScalarType::Int64:
      static_cast<std::int64_t *>(data)[index] = CastToInteger<std::int64_t>(value);
      break;
    case ScalarType::Float32:
      static_cast<float *>(data)[index] = CastToFloat(value);
      break;
    default:
      static_cast<double *>(data)[index] = static_cast<double>(value);
      break;
  }
}

/** \brief Copies the bits of one element of 1, 2, 4 or 8 bytes between arrays of the same element size.
 *
 * \param[out] to first element of the destination
 * \param[in] toIndex elements from the first
 * \param[in] from first element of the source
 * \param[in] fromIndex elements from the first
 * \param[in] bytes size of an element: 1, 2, 4 or 8 */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CopyBits(void * to, std::int64_t toIndex, const void * from, std::int64_t fromIndex, std::size_t bytes)
{
  switch (bytes)
  {
    case 1:
      static_cast<std::uint8_t *>(to)[toIndex] = static_cast<const std::uint8_t *>(from)[fromIndex];
      break;
    case 2:
      static_cast<std::uint16_t *>(to)[toIndex] = static_cast<const std::uint16_t *>(from)[fromIndex];
      break;
    case 4:
      static_cast<std::uint32_t *>(to)[toIndex] = static_cast<const std::uint32_t *>(from)[fromIndex];
      break;
    default:
      static_cast<std::uint64_t *>(to)[toIndex] = static_cast<const std::uint64_t *>(from)[fromIndex];
      break;
  }
}

/** \brief The bits of one element of 1, 2, 4 or 8 bytes, in the low bytes of a number.
 *
 * \param[in] from first element of the source
 * \param[in] index elements from the first
 * \param[in] bytes size of an element: 1, 2, 4 or 8 */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint64_t
                                         LoadBits(const void * from, std::int64_t index, std::size_t bytes)
{
  switch (bytes)
  {
    case 1:
      return static_cast<const std::uint8_t *>(from)[index];
    case 2:
      return static_cast<const std::uint16_t *>(from)[index];
    case 4:
      return static_cast<const std::uint32_t *>(from)[index];
    default:
      return static_cast<const std::uint64_t *>(from)[index];
  }
}

/** \brief Stores the low 1, 2, 4 or 8 bytes of a number as one element.
 *
 * \param[out] to first element of the destination
 * \param[in] index elements from the first
 * \param[in] bits the element's bits, in the low bytes
 * \param[in] bytes size of an element: 1, 2, 4 or 8 */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreBits(void * to, std::int64_t index, std::uint64_t bits, std::size_t bytes)
{
  switch (bytes)
  {
    case 1:
      static_cast<std::uint8_t *>(to)[index] = static_cast<std::uint8_t>(bits);
      break;
    case 2:
      static_cast<std::uint16_t *>(to)[index] = static_cast<std::uint16_t>(bits);
      break;
    case 4:
      static_cast<std::uint32_t *>(to)[index] = static_cast<std::uint32_t>(bits);
      break;
    default:
      static_cast<std::uint64_t *>(to)[index] = bits;
      break;
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
