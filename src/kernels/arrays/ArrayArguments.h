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
 * \brief Unrolls the next loop in device code.
 *
 * \def CUDASPLINE_ROLLED
 * \brief Keeps the next loop rolled in device code. Used for code that is rarely executed and should need few
 * registers.
 */
#if defined(__CUDA_ARCH__)
#  define CUDASPLINE_UNROLL _Pragma("unroll")
#  define CUDASPLINE_ROLLED _Pragma("unroll 1")
#else
#  define CUDASPLINE_UNROLL
#  define CUDASPLINE_ROLLED
#endif

/** \brief Numbering of the elements of an array: line by line, where a line is along the last axis. The axes are in the
 * same order as in StridedArray. */
struct ArrayShape
{
  unsigned int dimension;
  std::int64_t size[MaximumArrayDimension];
  std::int64_t stride[MaximumArrayDimension];

  /** Number of elements in a line. */
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
  /** \brief Computes the index of an element; 0 along axes that do not exist.
   *
   * The loops have a constant length, so that the index stays in registers on a device. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  IndexOf(std::int64_t line, std::int64_t sample, std::int64_t (&index)[MaximumArrayDimension]) const
  {
    const bool isSmall = line <= 0xFFFFFFFF; // 64-bit divisions are several times as expensive on a device
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
  /** Offset of an element, in elements. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetOf(const std::int64_t (&index)[MaximumArrayDimension]) const
  {
    std::int64_t offset = 0;
    CUDASPLINE_UNROLL
    for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
    {
      offset += index[d] * stride[d]; // strides of axes that do not exist are 0
    }
    return offset;
  }
};

/** \brief The output of an interpolation, with its type and strides. */
struct ArrayOutput
{
  ArrayShape shape;
  void *     data;
  ScalarType type;
  double     border;
};

/** \brief True for maps that treat each axis separately. */
CUDASPLINE_HOST_DEVICE constexpr bool
GoesByAxes(ArrayMap map)
{
  return map == ArrayMap::ShiftScale || map == ArrayMap::PixelScale;
}

/** \brief Arguments for the evaluation of an array at coordinates. Passed by value.
 *
 * The axes of the source are those along which it is interpolated, the fastest one (x) first. */
struct ArrayArguments
{
  const void * source; ///< first element in host or device memory; coefficients including the padding
  unsigned int dimension;
  unsigned int order;
  std::int64_t size[MaximumArrayDimension];
  std::int64_t stride[MaximumArrayDimension];
  ArrayMode    mode;
  double       padding; ///< samples before the first one of the array

  ArrayMap     map;
  const void * coordinates;
  ScalarType   coordinateType;
  /** Distance between the planes of the axes, in elements. */
  std::int64_t coordinateStride[MaximumArrayDimension];
  double       matrix[MaximumArrayDimension][MaximumArrayDimension]; ///< by axis of the source and of the output
  double       offset[MaximumArrayDimension];
  /** For maps that treat each axis separately; axis d is the d-th last axis of the output. */
  double       scale[MaximumArrayDimension];
  double       shift[MaximumArrayDimension];
  std::int64_t batchStride[MaximumArrayDimension]; ///< strides of the source by axis of the output; 0 along other axes

  ArrayOutput output;

  /** Whether neighbours of the source along x are adjacent in memory. */
  CUDASPLINE_HOST_DEVICE bool
  HasRows() const
  {
    return stride[0] == 1 || size[0] == 1;
  }
};

/** \brief Returns the same array. If it is contiguous, the strides of axes with one element, which are arbitrary, are
 * set according to the rule for the other axes. */
inline StridedArray
WithPlainStrides(StridedArray array)
{
  if (array.IsContiguous())
  {
    array.SetContiguous();
  }
  return array;
}

/** \brief The map of an axis onto itself, from which a table is made. */
struct ArrayAxis
{
  std::int64_t size;  ///< size of the source including the padding
  std::int64_t count; ///< size of the output
  double       scale;
  double       shift;
  bool         isPixel; ///< ArrayMap::PixelScale
  double       padding;
  ArrayMode    mode;
  unsigned int order;
};

/** \brief Supports and weights of the elements of the output along an axis, tap by tap, in host or device memory. Entry
 * k of element i is at k * count + i. */
template <typename TReal>
struct ArrayAxisTable
{
  std::int32_t * index;   ///< folded index of a tap, or -1 if the border value is used for it
  TReal *        weight;  ///< weight of a tap
  bool *         outside; ///< for each element: whether the border value is used
  std::int64_t   count;   ///< number of elements
};

} // namespace itk::CudaSpline

#endif
