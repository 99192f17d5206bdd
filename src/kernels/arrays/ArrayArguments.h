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
#ifndef ArrayArguments_h
#define ArrayArguments_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \def CUDASPLINE_UNROLL
 * \brief Unrolls the loop that follows in device code.
 *
 * \def CUDASPLINE_ROLLED
 * \brief Keeps the loop that follows rolled in device code: of code that is seldom run, which shall take few registers.
 */
#if defined(__CUDA_ARCH__)
#  define CUDASPLINE_UNROLL _Pragma("unroll")
#  define CUDASPLINE_ROLLED _Pragma("unroll 1")
#else
#  define CUDASPLINE_UNROLL
#  define CUDASPLINE_ROLLED
#endif

/** \brief How elements of an array are numbered: line by line, a line along the last axis. Axes as in StridedArray. */
struct ArrayShape
{
  unsigned int dimension;
  std::int64_t size[MaximumArrayDimension];
  std::int64_t stride[MaximumArrayDimension];

  /** Elements of a line. */
  CUDASPLINE_HOST_DEVICE std::int64_t
                         Samples() const
  {
    return size[dimension - 1];
  }
  /** Number of lines. */
  CUDASPLINE_HOST_DEVICE std::int64_t
                         Lines() const
  {
    std::int64_t lines = 1;
    for (unsigned int d = 0; d + 1 < dimension; ++d)
    {
      lines *= size[d];
    }
    return lines;
  }
  /** \brief Index of an element, 0 along the axes that there are not.
   *
   * Loops have a fixed length, so that a device has the index in registers. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  IndexOf(std::int64_t line, std::int64_t sample, std::int64_t (&index)[MaximumArrayDimension]) const
  {
    const bool isSmall = line <= 0xFFFFFFFF; // divisions of 64 bits cost a device several times as much
    CUDASPLINE_UNROLL
    for (unsigned int i = 0; i < MaximumArrayDimension; ++i)
    {
      const unsigned int d = MaximumArrayDimension - 1 - i;
      index[d] = d + 1 == dimension ? sample : 0;
      if (d + 1 < dimension)
      {
        index[d] = line;
        if (d > 0 && isSmall)
        {
          const auto number = static_cast<std::uint32_t>(line);
          const auto length = static_cast<std::uint32_t>(size[d]);
          line = number / length;
          index[d] = number % length;
        }
        else if (d > 0)
        {
          index[d] = line % size[d];
          line /= size[d];
        }
      }
    }
  }
  /** Offset of an element (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetOf(const std::int64_t (&index)[MaximumArrayDimension]) const
  {
    std::int64_t offset = 0;
    CUDASPLINE_UNROLL
    for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
    {
      offset += index[d] * stride[d]; // strides of axes that there are not are 0
    }
    return offset;
  }
};

/** \brief The output of an interpolation: typed, with strides. */
struct ArrayOutput
{
  ArrayShape shape;
  void *     data;
  ScalarType type;
  double     border;
};

/** \brief True for the maps by axis. */
CUDASPLINE_HOST_DEVICE constexpr bool
GoesByAxes(ArrayMap map)
{
  return map == ArrayMap::ShiftScale || map == ArrayMap::PixelScale;
}

/** \brief What the evaluation of an array at coordinates reads. Passed by value.
 *
 * Axes of the source are those that are interpolated along, x, the fastest, first. */
struct ArrayArguments
{
  const void * source; ///< first element, host or device; coefficients with the padding
  unsigned int dimension;
  unsigned int order;
  std::int64_t size[MaximumArrayDimension];
  std::int64_t stride[MaximumArrayDimension];
  ArrayMode    mode;
  double       padding; ///< samples before the first of the array

  ArrayMap     map;
  const void * coordinates;
  ScalarType   coordinateType;
  std::int64_t coordinateStride[MaximumArrayDimension];              ///< elements to the plane of each axis
  double       matrix[MaximumArrayDimension][MaximumArrayDimension]; ///< by axis of the source and of the output
  double       offset[MaximumArrayDimension];
  double       scale[MaximumArrayDimension]; ///< of the maps by axis: axis d is the output's d-th from the last
  double       shift[MaximumArrayDimension];
  std::int64_t batchStride[MaximumArrayDimension]; ///< of the source, by axis of the output; 0 along others

  ArrayOutput output;

  /** Whether the source's neighbours along x follow each other. */
  CUDASPLINE_HOST_DEVICE bool
  HasRows() const
  {
    return stride[0] == 1 || size[0] == 1;
  }
};

/** \brief The same array; where its elements follow each other axes of one element, whose strides may be any, have
 * those of the others' rule. */
inline StridedArray
WithPlainStrides(StridedArray array)
{
  if (array.IsContiguous())
  {
    array.SetContiguous();
  }
  return array;
}

/** \brief The map of an axis onto itself, and the table that is made of it. */
struct ArrayAxis
{
  std::int64_t size;  ///< of the source, with the padding
  std::int64_t count; ///< of the output
  double       scale;
  double       shift;
  bool         isPixel; ///< ArrayMap::PixelScale
  double       padding;
  ArrayMode    mode;
  unsigned int order;
};

/** \brief Supports and weights of the elements of the output along an axis, tap by tap: entry k of element i is at
 * k * count + i. Host or device memory. */
template <typename TReal>
struct ArrayAxisTable
{
  std::int32_t * index;   ///< folded index of a tap, or -1 where the border value stands
  TReal *        weight;  ///< its weight
  bool *         outside; ///< of an element: the border value is used
  std::int64_t   count;   ///< elements
};

} // namespace itk::CudaSpline

#endif
