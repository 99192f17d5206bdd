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
#ifndef itkCudaSpline_c_CudaSplineArraysC_h
#define itkCudaSpline_c_CudaSplineArraysC_h

#include "itkCudaSpline/c/CudaSplineC.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief Spline interpolation of arrays with the definitions of scipy.ndimage, in C: the functions of libCudaSplineC
 * for cudaspline.ndimage.
 *
 * For codes, errors and devices see CudaSplineC.h. Here axes are in the order of NumPy's shapes: the last axis of a
 * contiguous array is the fastest. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Maximum number of axes of an array. */
#define CUDASPLINE_MAXIMUM_ARRAY_DIMENSION 6

  /** \brief How an array is continued beyond its ends, with the names of scipy.ndimage. */
  enum cudaspline_array_mode
  {
    CUDASPLINE_ARRAY_MIRROR = 0,        /**< mirror */
    CUDASPLINE_ARRAY_REFLECT = 1,       /**< reflect, grid-mirror */
    CUDASPLINE_ARRAY_GRID_WRAP = 2,     /**< grid-wrap */
    CUDASPLINE_ARRAY_NEAREST = 3,       /**< nearest */
    CUDASPLINE_ARRAY_GRID_CONSTANT = 4, /**< grid-constant */
    CUDASPLINE_ARRAY_CONSTANT = 5,      /**< constant */
    CUDASPLINE_ARRAY_WRAP = 6           /**< wrap */
  };

  /** \brief The source of the coordinates. */
  enum cudaspline_array_map
  {
    CUDASPLINE_MAP_COORDINATES = 0, /**< a list of coordinates */
    CUDASPLINE_MAP_AFFINE = 1,      /**< matrix times index plus offset */
    CUDASPLINE_MAP_SHIFT_SCALE = 2, /**< for each axis: (index + shift) * scale */
    CUDASPLINE_MAP_PIXEL_SCALE = 3  /**< for each axis: (index + 1/2) * scale - 1/2 */
  };

  /** \brief Flags that may be added to the type of an input in host memory, for elements in the layout of a file. */
  enum cudaspline_array_layout
  {
    CUDASPLINE_ARRAY_SWAPPED = 0x100,     /**< the bytes of an element are in the opposite order */
    CUDASPLINE_ARRAY_BYTE_STRIDES = 0x200 /**< strides count bytes, and elements need not be aligned */
  };

  /** \brief An array with strides. */
  typedef struct cudaspline_array
  {
    void *  data;                                     /**< first element */
    int32_t type;                                     /**< cudaspline_type, and cudaspline_array_layout of inputs */
    int32_t dimension;                                /**< 1 to CUDASPLINE_MAXIMUM_ARRAY_DIMENSION */
    int64_t size[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< elements per axis */
    /** Distance of adjacent elements along each axis (elements), of any sign. */
    int64_t stride[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
  } cudaspline_array;

  /** \brief An interpolation of an array; see itk::CudaSpline::ArrayInterpolation. */
  typedef struct cudaspline_array_interpolation
  {
    cudaspline_array input;             /**< array to interpolate; not modified */
    int32_t          order;             /**< 0 to 5 */
    int32_t          mode;              /**< cudaspline_array_mode */
    double           border;            /**< value outside for the modes constant and grid-constant */
    double           padding;           /**< the border value as a number of the input's type */
    int32_t          coefficients;      /**< nonzero: the input contains coefficients, and is not filtered */
    int32_t          element;           /**< type of the arithmetic: CUDASPLINE_FLOAT32 or 64 */
    int32_t          map;               /**< cudaspline_array_map */
    const void *     coordinates;       /**< for lists: one plane per axis of the input */
    int32_t          coordinate_type;   /**< cudaspline_type */
    int64_t          coordinate_stride; /**< distance of adjacent planes (elements) */
    /** For affine maps: indexed by the axis of the input, then that of the output. */
    double matrix[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION][CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
    double offset[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< for affine maps */
    /** Nonzero along axes that enumerate separate arrays. For affine maps, and in host memory also for SHIFT_SCALE and
     * PIXEL_SCALE. */
    int32_t          batch[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
    double           scale[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< for SHIFT_SCALE and PIXEL_SCALE */
    double           shift[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< for SHIFT_SCALE */
    cudaspline_array output;                                    /**< the result; must not overlap the input */
    int32_t          device;                                    /**< device of all arrays; -1 for the host */
    void *           stream;                                    /**< for a device: the caller's cudaStream_t */
  } cudaspline_array_interpolation;

  /** \brief A filter of an array; see itk::CudaSpline::ArrayFilter. */
  typedef struct cudaspline_array_filter
  {
    cudaspline_array input; /**< samples */
    int32_t          order; /**< 2 to 5 */
    int32_t          mode;  /**< cudaspline_array_mode */
    /** Type of the arithmetic: CUDASPLINE_FLOAT32 or 64. */
    int32_t          element;
    int32_t          filtered[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< nonzero along the axes to filter */
    cudaspline_array output; /**< coefficients of type CUDASPLINE_FLOAT32 or 64; may be the input */
    int32_t          device; /**< device of both arrays; -1 for the host */
    void *           stream; /**< for a device: the caller's cudaStream_t */
  } cudaspline_array_filter;

  /** \brief Interpolates an array: map_coordinates, affine_transform, zoom and shift of scipy.ndimage.
   *
   * \param[in] interpolation the interpolation
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_interpolate_array(const cudaspline_array_interpolation * interpolation, cudaspline_execution * execution);

  /** \brief Filters an array to B-spline coefficients: spline_filter and spline_filter1d of scipy.ndimage. On a device
   * the filter, and the memory that it needs, are enqueued in the caller's stream.
   *
   * \param[in] filter the filter
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_filter_array(const cudaspline_array_filter * filter, cudaspline_execution * execution);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
