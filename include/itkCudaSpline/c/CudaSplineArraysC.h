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
 * \brief Spline interpolation of arrays as scipy.ndimage defines it, in C: the functions of libCudaSplineC for
 * cudaspline.ndimage.
 *
 * For codes, errors and devices see CudaSplineC.h. Axes come here in the order in which NumPy tells a shape: the last
 * is the fastest of a contiguous array. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Most axes of an array. */
#define CUDASPLINE_MAXIMUM_ARRAY_DIMENSION 6

  /** \brief What stands beyond the ends of an array, as scipy.ndimage names it. */
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

  /** \brief Where the coordinates come from. */
  enum cudaspline_array_map
  {
    CUDASPLINE_MAP_COORDINATES = 0, /**< a list */
    CUDASPLINE_MAP_AFFINE = 1,      /**< matrix times index plus offset */
    CUDASPLINE_MAP_SHIFT_SCALE = 2, /**< by axis: (index + shift) * scale */
    CUDASPLINE_MAP_PIXEL_SCALE = 3  /**< by axis: (index + 1/2) * scale - 1/2 */
  };

  /** \brief What may be added to the type of an input in host memory, whose elements are as a file has them. */
  enum cudaspline_array_layout
  {
    CUDASPLINE_ARRAY_SWAPPED = 0x100,     /**< the bytes of an element are in the other order */
    CUDASPLINE_ARRAY_BYTE_STRIDES = 0x200 /**< strides count bytes, and elements need not be aligned */
  };

  /** \brief An array with strides. */
  typedef struct cudaspline_array
  {
    void *  data;                                       /**< first element */
    int32_t type;                                       /**< cudaspline_type, and cudaspline_array_layout of inputs */
    int32_t dimension;                                  /**< 1 to CUDASPLINE_MAXIMUM_ARRAY_DIMENSION */
    int64_t size[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];   /**< elements an axis */
    int64_t stride[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< elements between neighbours, of any sign */
  } cudaspline_array;

  /** \brief An interpolation of an array; see itk::CudaSpline::ArrayInterpolation. */
  typedef struct cudaspline_array_interpolation
  {
    cudaspline_array input;             /**< what is interpolated; not changed */
    int32_t          order;             /**< 0 to 5 */
    int32_t          mode;              /**< cudaspline_array_mode */
    double           border;            /**< of the modes constant and grid-constant */
    double           padding;           /**< the border as a number of the input's type */
    int32_t          coefficients;      /**< not 0: the input has coefficients already, and is not filtered */
    int32_t          element;           /**< of the arithmetic: CUDASPLINE_FLOAT32 or 64 */
    int32_t          map;               /**< cudaspline_array_map */
    const void *     coordinates;       /**< of a list: a plane an axis of the input */
    int32_t          coordinate_type;   /**< cudaspline_type */
    int64_t          coordinate_stride; /**< elements from plane to plane */
    /** Of affine maps: by axis of the input and of the output. */
    double matrix[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION][CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
    double offset[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< of affine maps */
    /** Of affine maps, and in host memory of maps by axis: not 0 along axes of many arrays. */
    int32_t          batch[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION];
    double           scale[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< of maps by axis */
    double           shift[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< of maps by axis */
    cudaspline_array output;                                    /**< where the result goes; apart from the input */
    int32_t          device;                                    /**< of all arrays: -1 for the host */
    void *           stream;                                    /**< of a device: the caller's cudaStream_t */
  } cudaspline_array_interpolation;

  /** \brief A filter of an array; see itk::CudaSpline::ArrayFilter. */
  typedef struct cudaspline_array_filter
  {
    cudaspline_array input;                                        /**< samples */
    int32_t          order;                                        /**< 2 to 5 */
    int32_t          mode;                                         /**< cudaspline_array_mode */
    int32_t          element;                                      /**< of the arithmetic: CUDASPLINE_FLOAT32 or 64 */
    int32_t          filtered[CUDASPLINE_MAXIMUM_ARRAY_DIMENSION]; /**< not 0 along the axes that are filtered */
    cudaspline_array output; /**< coefficients of type CUDASPLINE_FLOAT32 or 64; may be the input */
    int32_t          device; /**< of both arrays: -1 for the host */
    void *           stream; /**< of a device: the caller's cudaStream_t */
  } cudaspline_array_filter;

  /** \brief Interpolates an array: map_coordinates, affine_transform, zoom and shift of scipy.ndimage.
   *
   * \param[in] interpolation what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_interpolate_array(const cudaspline_array_interpolation * interpolation, cudaspline_execution * execution);

  /** \brief Filters an array to B-spline coefficients: spline_filter and spline_filter1d of scipy.ndimage. On a device
   * it is enqueued in the caller's stream, with the memory that it takes.
   *
   * \param[in] filter what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_filter_array(const cudaspline_array_filter * filter, cudaspline_execution * execution);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
