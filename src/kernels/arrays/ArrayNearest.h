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
#ifndef ArrayNearest_h
#define ArrayNearest_h

#include "kernels/arrays/ArrayGather.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

/** \file
 * \brief Order 0 on the host for maps that treat each axis separately. The nearest elements are found once for each
 * axis, and lines are copied.
 */

namespace itk::CudaSpline
{

/** \brief The nearest elements of an output with a map that treats each axis separately. The results are the same as
 * those of GatherLine(). */
template <typename TReal>
class NearestByAxes
{
public:
  /** Minimum number of lines for which the tables, which are as long as the axes, are worthwhile. */
  static constexpr std::int64_t FewestLines = 64;

  /** Whether it can be used for the arguments. */
  static bool
  IsFor(const ArrayArguments & arguments)
  {
    bool isBatch = false;
    for (const std::int64_t stride : arguments.batchStride)
    {
      isBatch = isBatch || stride != 0;
    }
    return arguments.order == 0 && GoesByAxes(arguments.map) && !isBatch &&
           arguments.output.shape.Lines() >= FewestLines;
  }

  /** \param[in] arguments arguments with the strides of the source
   * \param[in] source the source array; both need to outlive this object */
  NearestByAxes(const ArrayArguments & arguments, const StridedArray & source)
    : m_Arguments(arguments)
    , m_Reader(source)
    , m_Source(static_cast<const char *>(source.data))
    , m_Unit(source.hasByteStrides ? 1 : static_cast<std::int64_t>(SizeOf(source.type)))
    , m_BytesOfCopy(IsCopied(source, arguments.output.type) ? SizeOf(source.type) : 0)
  {
    const ArrayShape & shape = arguments.output.shape;
    const Extension    extension = TapExtensionOf(arguments.mode);
    for (unsigned int d = 0; d < arguments.dimension; ++d)
    {
      m_Axis[d].resize(static_cast<std::size_t>(shape.size[shape.dimension - 1 - d]));
      double index = 0.0;
      for (Place & place : m_Axis[d])
      {
        double x = AxisCoordinate(arguments, d, index++);
        if (!FoldCoordinate(x, arguments.size[d], arguments.mode))
        {
          place.is = Is::Outside;
          continue;
        }
        TReal              weight;
        const std::int64_t nearest = FoldIndex(ArrayWeights(0, x, &weight), arguments.size[d], extension);
        place.is = nearest < 0 ? Is::Beyond : Is::Within;
        place.offset = nearest < 0 ? 0 : nearest * arguments.stride[d];
      }
    }
  }

  /** \brief Writes elements of a line.
   *
   * \param[in] first first element
   * \param[in] last one past the last element */
  void
  Write(std::int64_t line, std::int64_t first, std::int64_t last) const
  {
    const ArrayShape & shape = m_Arguments.output.shape;
    std::int64_t       index[MaximumArrayDimension];
    shape.IndexOf(line, 0, index);
    Place before; // place along all axes except the fastest
    for (unsigned int d = 1; d < m_Arguments.dimension; ++d)
    {
      before = Join(before, m_Axis[d][static_cast<std::size_t>(index[shape.dimension - 1 - d])]);
    }
    const std::int64_t step = shape.stride[shape.dimension - 1];
    std::int64_t       to = shape.OffsetOf(index) + first * step;
    for (std::int64_t sample = first; sample < last; sample += ArrayRunLength, to += ArrayRunLength * step)
    {
      const auto          count = static_cast<int>(std::min<std::int64_t>(ArrayRunLength, last - sample));
      const Place * const places = m_Axis[0].data() + sample;
      switch (m_BytesOfCopy)
      {
        case 1:
          Copy<std::uint8_t>(before, places, count, to, step);
          break;
        case 2:
          Copy<std::uint16_t>(before, places, count, to, step);
          break;
        case 4:
          Copy<std::uint32_t>(before, places, count, to, step);
          break;
        case 8:
          Copy<std::uint64_t>(before, places, count, to, step);
          break;
        default:
          this->Convert(before, places, count, to, step);
      }
    }
  }

private:
  /** Where a coordinate is. */
  enum class Is : unsigned char
  {
    Within,
    Beyond, ///< the border value is used like the value of an element
    Outside ///< the border value is used unchanged, regardless of other axes
  };
  struct Place
  {
    std::int64_t offset{ 0 }; ///< offset of the nearest element, in the unit of the strides
    Is           is{ Is::Within };
  };

  static Place
  Join(const Place & a, const Place & b)
  {
    return { a.offset + b.offset, std::max(a.is, b.is) };
  }

  /** Whether elements can be copied without conversion, because the type of the arithmetic can represent them. */
  static bool
  IsCopied(const StridedArray & source, ScalarType output)
  {
    const bool isHeld = std::is_same_v<TReal, double>
                          ? source.type != ScalarType::Int64 && source.type != ScalarType::UInt64
                          : SizeOf(source.type) < 4 || source.type == ScalarType::Float32;
    return source.type == output && !source.isSwapped && isHeld;
  }

  double
  BorderOf(Is is) const
  {
    const double border = m_Arguments.output.border;
    return is == Is::Outside ? border : static_cast<double>(static_cast<TReal>(border));
  }

  template <typename TBits>
  void
  Copy(const Place & before, const Place * places, int count, std::int64_t to, std::int64_t step) const
  {
    const ArrayOutput & output = m_Arguments.output;
    char *              target = static_cast<char *>(output.data) + to * static_cast<std::int64_t>(sizeof(TBits));
    for (int i = 0; i < count; ++i, target += step * static_cast<std::int64_t>(sizeof(TBits)))
    {
      const Is is = std::max(before.is, places[i].is);
      if (is == Is::Within)
      {
        TBits bits; // load of an element that need not be aligned
        std::memcpy(&bits, m_Source + (before.offset + places[i].offset) * m_Unit, sizeof(TBits));
        std::memcpy(target, &bits, sizeof(TBits));
      }
      else
      {
        StoreRounded(output.data, output.type, to + i * step, this->BorderOf(is));
      }
    }
  }

  void
  Convert(const Place & before, const Place * places, int count, std::int64_t to, std::int64_t step) const
  {
    std::int64_t offset[ArrayRunLength] = {};
    for (int i = 0; i < count; ++i)
    {
      offset[i] = places[i].is == Is::Within && before.is == Is::Within ? before.offset + places[i].offset : 0;
    }
    TReal  elements[ArrayRunLength];
    double values[ArrayRunLength];
    m_Reader.Gather(offset, count, 0, elements);
    for (int i = 0; i < count; ++i)
    {
      const Is is = std::max(before.is, places[i].is);
      values[i] = is == Is::Within ? static_cast<double>(elements[i]) : this->BorderOf(is);
    }
    StoreRoundedRun(m_Arguments.output.data, m_Arguments.output.type, to, step, values, count);
  }

  const ArrayArguments & m_Arguments;
  ArrayReader            m_Reader;
  const char *           m_Source;
  std::int64_t           m_Unit; ///< unit of the strides, in bytes
  /** Bytes of an element that is copied; 0 if it is converted. */
  std::size_t                                           m_BytesOfCopy;
  std::array<std::vector<Place>, MaximumArrayDimension> m_Axis;
};

} // namespace itk::CudaSpline

#endif
