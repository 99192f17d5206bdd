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
#ifndef ArrayReader_h
#define ArrayReader_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace itk::CudaSpline
{

/** \brief Reads elements of an array directly from host memory. The elements can be of any type, have any byte order
 * and need not be aligned. */
class ArrayReader
{
public:
  explicit ArrayReader(const StridedArray & array)
    : m_Data(static_cast<const char *>(array.data))
    , m_Type(array.type)
    , m_IsSwapped(array.isSwapped)
    , m_Unit(array.hasByteStrides ? 1 : static_cast<std::int64_t>(SizeOf(array.type)))
  {}

  /** \brief Reads several elements. The type is only checked once.
   *
   * \param[in] offset offsets of the elements, in the unit of the strides of the array
   * \param[in] count number of elements
   * \param[in] step added to each offset
   * \param[out] to the numbers */
  template <typename TReal>
  void
  Gather(const std::int64_t * offset, int count, std::int64_t step, TReal * to) const
  {
    switch (m_Type)
    {
      case ScalarType::UInt8:
        return this->GatherType<std::uint8_t>(offset, count, step, to);
      case ScalarType::Int8:
        return this->GatherType<std::int8_t>(offset, count, step, to);
      case ScalarType::UInt16:
        return this->GatherType<std::uint16_t>(offset, count, step, to);
      case ScalarType::Int16:
        return this->GatherType<std::int16_t>(offset, count, step, to);
      case ScalarType::UInt32:
        return this->GatherType<std::uint32_t>(offset, count, step, to);
      case ScalarType::Int32:
        return this->GatherType<std::int32_t>(offset, count, step, to);
      case ScalarType::UInt64:
        return this->GatherType<std::uint64_t>(offset, count, step, to);
      case ScalarType::Int64:
        return this->GatherType<std::int64_t>(offset, count, step, to);
      case ScalarType::Float32:
        return this->GatherType<float>(offset, count, step, to);
      default:
        return this->GatherType<double>(offset, count, step, to);
    }
  }

private:
  template <typename TElement, typename TReal>
  void
  GatherType(const std::int64_t * offset, int count, std::int64_t step, TReal * to) const
  {
    const char * const data = m_Data + step * m_Unit;
    TElement           element;
    if (m_IsSwapped)
    {
      for (int i = 0; i < count; ++i)
      {
        const char * const from = data + offset[i] * m_Unit;
        char               bytes[sizeof(TElement)];
        for (std::size_t b = 0; b < sizeof(TElement); ++b)
        {
          bytes[sizeof(TElement) - 1 - b] = from[b];
        }
        std::memcpy(&element, bytes, sizeof(TElement));
        to[i] = static_cast<TReal>(element);
      }
      return;
    }
    for (int i = 0; i < count; ++i)
    {
      std::memcpy(&element, data + offset[i] * m_Unit, sizeof(TElement)); // load of an element that need not be aligned
      to[i] = static_cast<TReal>(element);
    }
  }

  const char * m_Data;
  ScalarType   m_Type;
  bool         m_IsSwapped;
  std::int64_t m_Unit; ///< unit of the strides, in bytes
};

} // namespace itk::CudaSpline

#endif
