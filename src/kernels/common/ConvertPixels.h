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
#ifndef ConvertPixels_h
#define ConvertPixels_h

#include "itkCudaSpline/math/PixelAccess.h"

#include <cstdint>
#include <type_traits>

namespace itk::CudaSpline
{

/** \brief Calls \p run with a type as a compile-time constant of the class std::integral_constant, for loops that a
 * run-time selection would slow down.
 *
 * \param[in] type the type
 * \param[in] run the callable */
template <typename TRun>
void
WithConstantType(ScalarType type, const TRun & run)
{
  switch (type)
  {
    case ScalarType::UInt8:
      return run(std::integral_constant<ScalarType, ScalarType::UInt8>());
    case ScalarType::Int8:
      return run(std::integral_constant<ScalarType, ScalarType::Int8>());
    case ScalarType::UInt16:
      return run(std::integral_constant<ScalarType, ScalarType::UInt16>());
    case ScalarType::Int16:
      return run(std::integral_constant<ScalarType, ScalarType::Int16>());
    case ScalarType::UInt32:
      return run(std::integral_constant<ScalarType, ScalarType::UInt32>());
    case ScalarType::Int32:
      return run(std::integral_constant<ScalarType, ScalarType::Int32>());
    case ScalarType::UInt64:
      return run(std::integral_constant<ScalarType, ScalarType::UInt64>());
    case ScalarType::Int64:
      return run(std::integral_constant<ScalarType, ScalarType::Int64>());
    case ScalarType::Float32:
      return run(std::integral_constant<ScalarType, ScalarType::Float32>());
    default:
      return run(std::integral_constant<ScalarType, ScalarType::Float64>());
  }
}

/** \brief LoadScalar() for pixels at regular distances, with the selection of the type outside the loop.
 *
 * \param[in] pixels host image
 * \param[in] type its type
 * \param[in] first index of the first pixel
 * \param[in] stride distance of successive pixels
 * \param[in] count number of pixels
 * \param[out] elements \p count elements, contiguous */
template <typename TReal>
void
ConvertPixels(const void * pixels,
              ScalarType   type,
              std::int64_t first,
              std::int64_t stride,
              std::int64_t count,
              TReal *      elements)
{
  WithConstantType(type, [=](auto constantType) {
    for (std::int64_t i = 0; i < count; ++i)
    {
      elements[i] = LoadScalar<TReal>(pixels, decltype(constantType)::value, first + i * stride);
    }
  });
}

} // namespace itk::CudaSpline

#endif
