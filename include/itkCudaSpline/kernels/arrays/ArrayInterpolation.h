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
#ifndef itkCudaSpline_kernels_arrays_ArrayInterpolation_h
#define itkCudaSpline_kernels_arrays_ArrayInterpolation_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/math/ArrayMode.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstdint>

/** \file
 * \brief Spline interpolation of arrays as scipy.ndimage defines it: no geometry, axes as in memory, slowest first. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The most axes of an array. */
inline constexpr unsigned int MaximumArrayDimension = 6;

/** \brief An array of numbers with strides. Axes are those of NumPy: the first is the slowest where the array is
 * contiguous. */
struct StridedArray
{
  /** A number an axis. */
  using Numbers = std::array<std::int64_t, MaximumArrayDimension>;

  const void * data{ nullptr };                ///< first element, host or device
  ScalarType   type{ ScalarType::Float64 };    ///< of the elements
  unsigned int dimension{ 1 };                 ///< 1 to MaximumArrayDimension
  Numbers      size{ { 1, 1, 1, 1, 1, 1 } };   ///< elements along each axis, 1 or more
  Numbers      stride{ { 0, 0, 0, 0, 0, 0 } }; ///< elements between neighbours along each axis, of any sign
  /** \name Elements as a file has them: of inputs in host memory */
  ///@{
  bool isSwapped{ false };      ///< the bytes of an element are in the other order
  bool hasByteStrides{ false }; ///< strides count bytes, and elements need not be aligned
  ///@}

  /** True where an element is read by its index. */
  bool
  IsPlain() const
  {
    return !isSwapped && !hasByteStrides;
  }

  /** Number of elements. */
  std::int64_t
  Count() const
  {
    std::int64_t count = 1;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      count *= size[d];
    }
    return count;
  }

  /** Makes the strides those of a contiguous array of plain elements, the last axis fastest. */
  void
  SetContiguous()
  {
    isSwapped = hasByteStrides = false;
    std::int64_t next = 1;
    for (unsigned int d = dimension; d-- > 0; next *= size[d])
    {
      stride[d] = next;
    }
  }

  /** True where plain elements follow each other, the last axis fastest; strides of axes of one element do not count.
   */
  bool
  IsContiguous() const
  {
    if (!this->IsPlain())
    {
      return false;
    }
    std::int64_t next = 1;
    for (unsigned int d = dimension; d-- > 0; next *= size[d])
    {
      if (size[d] > 1 && stride[d] != next)
      {
        return false;
      }
    }
    return true;
  }
};

/** \brief Where the elements of arrays are, and in whose order they are read and written. */
struct ArrayPlace
{
  bool   onDevice{ false }; ///< in memory of the context's device, whose backend is Cuda; else in host memory, on Cpu
  void * stream{ nullptr }; ///< of arrays on a device: the caller's cudaStream_t, or null for the default stream
};

/** \brief Which coordinates of the input the elements of the output have. */
enum class ArrayMap : unsigned char
{
  Coordinates, ///< those of a list
  Affine,      ///< matrix times index plus offset, summed up from the offset on in the order of the output's axes
  ShiftScale,  ///< by axis: (index + shift) * scale
  PixelScale   ///< by axis: (index + 1/2) * scale - 1/2: pixels have an extent
};

/** \brief What an interpolation of an array does.
 *
 * Sizes of the output are its own; those of the maps by axis have the input's dimension. */
struct ArrayInterpolation
{
  StridedArray input;                          ///< the array that is interpolated
  unsigned int order{ 3 };                     ///< B-spline order, 0 to 5
  ArrayMode    mode{ ArrayMode::Constant };    ///< what stands outside
  double       border{ 0.0 };                  ///< in the modes Constant and GridConstant
  double       padding{ 0.0 };                 ///< the border as a number of the input's type: SciPy filters that
  bool         prefilter{ true };              ///< false: the input has coefficients already
  ScalarType   element{ ScalarType::Float64 }; ///< of coefficients, weights and sums: Float32 or Float64
  ArrayMap     map{ ArrayMap::Coordinates };   ///< where the coordinates come from

  const void * coordinates{ nullptr };                ///< a plane an axis of the input, in the order of its axes
  ScalarType   coordinateType{ ScalarType::Float64 }; ///< of the list
  std::int64_t coordinateStride{ 0 }; ///< elements from plane to plane; within one they follow each other

  /** Of Affine: by axis of the input and of the output. */
  std::array<std::array<double, MaximumArrayDimension>, MaximumArrayDimension> matrix{};
  std::array<double, MaximumArrayDimension> offset{}; ///< of Affine: by axis of the input
  /** Of Affine, and in host memory of the maps by axis, which are 1 and 0 there: axes of input and output that are the
   * same and are not interpolated along; the others are the axes of each of many arrays. As many numbers as axes. */
  std::array<bool, MaximumArrayDimension>   isBatch{};
  std::array<double, MaximumArrayDimension> scale{ { 1, 1, 1, 1, 1, 1 } }; ///< of ShiftScale and PixelScale
  std::array<double, MaximumArrayDimension> shift{};                       ///< of ShiftScale

  StridedArray output; ///< where the result goes; its data are written
  ArrayPlace   place;  ///< where all of the arrays are
};

/** \brief Interpolates an array: scipy.ndimage.map_coordinates, affine_transform, zoom and shift.
 *
 * \param[in] interpolation what is done. The output must overlap neither input nor coordinates.
 * \param[in] context backend, device, threads
 *
 * Complete when the function returns; on a device it starts after all work in the caller's stream. What outputs of
 * integers become see StoreRounded().
 *
 * \exception std::invalid_argument an order, dimension, element or map that cannot be
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * Coordinates, what is outside, and the support of each element are SciPy's to the bit, in double. With Float64
 * elements results differ from SciPy's by roundings alone: a few units of 2^-53 of the largest coefficient, for an axis
 * and tap each. With Float32 elements it is units of 2^-24. */
void
InterpolateArray(const ArrayInterpolation & interpolation, const ExecutionContext & context);

/** \brief What a filter of an array does. */
struct ArrayFilter
{
  StridedArray input;                          ///< samples
  unsigned int order{ 3 };                     ///< 2 to 5
  ArrayMode    mode{ ArrayMode::Mirror };      ///< by which lines are extended (FilterExtensionOf())
  ScalarType   element{ ScalarType::Float64 }; ///< of the arithmetic: Float32 or Float64
  std::array<bool, MaximumArrayDimension> isFiltered{ { true, true, true, true, true, true } }; ///< axes
  StridedArray output; ///< coefficients, as many, of type Float32 or Float64; may be the input
  ArrayPlace   place;  ///< where both arrays are
};

/** \brief Replaces samples by B-spline coefficients: scipy.ndimage.spline_filter and spline_filter1d.
 *
 * On a device the work is enqueued in the caller's stream, and so is the memory that it takes: in a stream whose work
 * is captured into a graph both are a part of the graph.
 *
 * \param[in] filter what is done. Lines of one sample stay as they are.
 * \param[in] context as for InterpolateArray()
 * \exception std::invalid_argument an order, dimension or type that cannot be
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * see FilterSegment() */
void
FilterArray(const ArrayFilter & filter, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
