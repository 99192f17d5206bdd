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
 * \brief Spline interpolation of arrays with the definitions of scipy.ndimage: no geometry, axes as in memory, slowest
 * first. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Maximum number of axes of an array. */
inline constexpr unsigned int MaximumArrayDimension = 6;

/** \brief An array of numbers with strides. Axes are in the order of NumPy: the first axis of a contiguous array is the
 * slowest. */
struct StridedArray
{
  /** One number per axis. */
  using Numbers = std::array<std::int64_t, MaximumArrayDimension>;

  const void * data{ nullptr };              ///< first element, host or device
  ScalarType   type{ ScalarType::Float64 };  ///< type of the elements
  unsigned int dimension{ 1 };               ///< 1 to MaximumArrayDimension
  Numbers      size{ { 1, 1, 1, 1, 1, 1 } }; ///< elements along each axis, 1 or more
  /** Distance of adjacent elements along each axis (elements), of any sign. */
  Numbers stride{ { 0, 0, 0, 0, 0, 0 } };
  /** \name Elements in the layout of a file, for inputs in host memory */
  ///@{
  bool isSwapped{ false };      ///< the bytes of an element are in the opposite order
  bool hasByteStrides{ false }; ///< strides count bytes, and elements need not be aligned
  ///@}

  /** True if elements can be read by their index. */
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

  /** Sets the strides of a contiguous array of plain elements, the last axis fastest. */
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

  /** True if plain elements are contiguous, the last axis fastest; strides of axes with one element do not matter.
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

/** \brief The memory of arrays, and the stream in which they are read and written. */
struct ArrayPlace
{
  bool   onDevice{ false }; ///< in memory of the context's device, whose backend is Cuda; else in host memory, for Cpu
  void * stream{ nullptr }; ///< for arrays on a device: the caller's cudaStream_t, or null for the default stream
};

/** \brief How the elements of the output are mapped to coordinates of the input. */
enum class ArrayMap : unsigned char
{
  Coordinates, ///< coordinates are given in a list
  Affine,      ///< matrix times index plus offset, summed from the offset on in the order of the output's axes
  ShiftScale,  ///< for each axis: (index + shift) * scale
  PixelScale   ///< for each axis: (index + 1/2) * scale - 1/2: pixels have an extent
};

/** \brief The parameters of an interpolation of an array.
 *
 * The output has its own sizes. With ShiftScale and PixelScale it has the input's dimension. */
struct ArrayInterpolation
{
  StridedArray input;                       ///< the array to interpolate
  unsigned int order{ 3 };                  ///< B-spline order, 0 to 5
  ArrayMode    mode{ ArrayMode::Constant }; ///< how the input is continued outside
  double       border{ 0.0 };               ///< value outside in the modes Constant and GridConstant
  /** The border value as a number of the input's type, which SciPy filters. */
  double     padding{ 0.0 };
  bool       prefilter{ true };              ///< false: the input contains coefficients
  ScalarType element{ ScalarType::Float64 }; ///< type of coefficients, weights and sums: Float32 or Float64
  ArrayMap   map{ ArrayMap::Coordinates };   ///< how coordinates are computed

  const void * coordinates{ nullptr };                ///< one plane per axis of the input, in the order of its axes
  ScalarType   coordinateType{ ScalarType::Float64 }; ///< type of the list
  std::int64_t coordinateStride{ 0 }; ///< distance of adjacent planes (elements); each plane is contiguous

  /** For Affine: indexed by the axis of the input, then that of the output. */
  std::array<std::array<double, MaximumArrayDimension>, MaximumArrayDimension> matrix{};
  std::array<double, MaximumArrayDimension> offset{}; ///< for Affine: for each axis of the input
  /** Axes of input and output that enumerate separate arrays and are not interpolated along. The other axes are those
   * of each array. For Affine, and in host memory also for ShiftScale and PixelScale, whose scale and shift must then
   * be 1 and 0 along such an axis. As many values as axes. */
  std::array<bool, MaximumArrayDimension>   isBatch{};
  std::array<double, MaximumArrayDimension> scale{ { 1, 1, 1, 1, 1, 1 } }; ///< for ShiftScale and PixelScale
  std::array<double, MaximumArrayDimension> shift{};                       ///< for ShiftScale

  StridedArray output; ///< the result, whose data are written
  ArrayPlace   place;  ///< memory of all arrays
};

/** \brief Interpolates an array: scipy.ndimage.map_coordinates, affine_transform, zoom and shift.
 *
 * \param[in] interpolation the interpolation. The output must overlap neither input nor coordinates
 * \param[in] context backend, device, threads
 *
 * The call waits for the result. On a device it starts after all work in the caller's stream. For integer outputs see
 * StoreRounded().
 *
 * \exception std::invalid_argument an unsupported order, dimension, element type or map
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * Coordinates, the border between inside and outside, and the support of each element are bitwise equal to SciPy's, in
 * double. With Float64 elements results differ from SciPy's only by rounding: a few units of 2^-53 of the largest
 * coefficient for each axis and tap. With Float32 elements the unit is 2^-24. */
void
InterpolateArray(const ArrayInterpolation & interpolation, const ExecutionContext & context);

/** \brief The parameters of a filter of an array. */
struct ArrayFilter
{
  StridedArray input;                          ///< samples
  unsigned int order{ 3 };                     ///< 2 to 5
  ArrayMode    mode{ ArrayMode::Mirror };      ///< how lines are extended (FilterExtensionOf())
  ScalarType   element{ ScalarType::Float64 }; ///< type of the arithmetic: Float32 or Float64
  std::array<bool, MaximumArrayDimension> isFiltered{ { true, true, true, true, true, true } }; ///< axes to filter
  StridedArray output; ///< coefficients, as many as samples, of type Float32 or Float64; may be the input
  ArrayPlace   place;  ///< memory of both arrays
};

/** \brief Replaces samples by B-spline coefficients: scipy.ndimage.spline_filter and spline_filter1d.
 *
 * On a device the work, and the memory that it needs, are enqueued in the caller's stream. If the work of the stream is
 * captured into a graph, both become a part of the graph.
 *
 * \param[in] filter the filter. Lines of one sample are not changed
 * \param[in] context as for InterpolateArray()
 * \exception std::invalid_argument an unsupported order, dimension or type
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * see FilterSegment() */
void
FilterArray(const ArrayFilter & filter, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
