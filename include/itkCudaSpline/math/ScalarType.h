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
#ifndef itkCudaSpline_math_ScalarType_h
#define itkCudaSpline_math_ScalarType_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Run-time name of a scalar type. Pixel types are run-time values everywhere below the ITK layer. */
enum class ScalarType : unsigned char
{
  UInt8,   ///< unsigned, 8 bits
  Int8,    ///< signed, 8 bits
  UInt16,  ///< unsigned, 16 bits
  Int16,   ///< signed, 16 bits
  UInt32,  ///< unsigned, 32 bits
  Int32,   ///< signed, 32 bits
  UInt64,  ///< unsigned, 64 bits
  Int64,   ///< signed, 64 bits
  Float32, ///< float
  Float64  ///< double
};

/** \brief The ScalarType of an arithmetic C++ type: by size and signedness, so that `long` and `long long` agree. */
template <typename T>
constexpr ScalarType
ScalarTypeOf()
{
  static_assert(std::is_arithmetic<T>::value && !std::is_same<T, bool>::value && sizeof(T) <= 8,
                "Pixels are integers of 1 to 8 bytes, float or double.");
  if constexpr (std::is_floating_point<T>::value)
  {
    static_assert(sizeof(T) <= 8, "long double pixels are not supported.");
    return sizeof(T) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  }
  else if constexpr (sizeof(T) == 1)
  {
    return std::is_signed<T>::value ? ScalarType::Int8 : ScalarType::UInt8;
  }
  else if constexpr (sizeof(T) == 2)
  {
    return std::is_signed<T>::value ? ScalarType::Int16 : ScalarType::UInt16;
  }
  else if constexpr (sizeof(T) == 4)
  {
    return std::is_signed<T>::value ? ScalarType::Int32 : ScalarType::UInt32;
  }
  else
  {
    return std::is_signed<T>::value ? ScalarType::Int64 : ScalarType::UInt64;
  }
}

/** \brief True for the types that ScalarTypeOf() supports. */
template <typename T>
inline constexpr bool IsSupportedScalar =
  std::is_arithmetic<T>::value && !std::is_same<T, bool>::value && sizeof(T) <= 8;

/** \brief Bytes of an element. */
CUDASPLINE_HOST_DEVICE constexpr std::size_t
SizeOf(ScalarType type)
{
  switch (type)
  {
    case ScalarType::UInt8:
    case ScalarType::Int8:
      return 1;
    case ScalarType::UInt16:
    case ScalarType::Int16:
      return 2;
    case ScalarType::UInt32:
    case ScalarType::Int32:
    case ScalarType::Float32:
      return 4;
    default:
      return 8;
  }
}

/** \brief True for Float32 and Float64. */
CUDASPLINE_HOST_DEVICE constexpr bool
IsReal(ScalarType type)
{
  return type == ScalarType::Float32 || type == ScalarType::Float64;
}

/** \brief True if single precision cannot represent every value of the type: double and integers of 32 and 64 bits. */
CUDASPLINE_HOST_DEVICE constexpr bool
NeedsDoublePrecision(ScalarType type)
{
  return type != ScalarType::Float32 && SizeOf(type) >= 4;
}

/** \brief Name as in C++ documentation, for messages. */
constexpr const char *
NameOf(ScalarType type)
{
  switch (type)
  {
    case ScalarType::UInt8:
      return "uint8";
    case ScalarType::Int8:
      return "int8";
    case ScalarType::UInt16:
      return "uint16";
    case ScalarType::Int16:
      return "int16";
    case ScalarType::UInt32:
      return "uint32";
    case ScalarType::Int32:
      return "int32";
    case ScalarType::UInt64:
      return "uint64";
    case ScalarType::Int64:
      return "int64";
    case ScalarType::Float32:
      return "float32";
    default:
      return "float64";
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
