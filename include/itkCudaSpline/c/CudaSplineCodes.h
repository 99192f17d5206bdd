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
#ifndef itkCudaSpline_c_CudaSplineCodes_h
#define itkCudaSpline_c_CudaSplineCodes_h

/** \file
 * \brief The enumerations of the C interface. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** \addtogroup CudaSplineC
   * @{ */

  /** \brief The code that a function returns. */
  enum cudaspline_code
  {
    CUDASPLINE_OK = 0,               /**< success */
    CUDASPLINE_INVALID_ARGUMENT = 1, /**< an invalid argument; the message names it */
    CUDASPLINE_OUT_OF_MEMORY = 2,    /**< not enough memory on the host or the device */
    CUDASPLINE_NO_DEVICE = 3,        /**< a requested device is missing, or cannot be used */
    CUDASPLINE_DEVICE_LOST = 4,      /**< a sticky CUDA error: this process can no longer use the device */
    CUDASPLINE_DEVICE_ERROR = 5,     /**< another CUDA error */
    CUDASPLINE_ABORTED = 6,          /**< the progress callback stopped it; results are incomplete */
    CUDASPLINE_INTERNAL_ERROR = 7    /**< an internal error */
  };

  /** \brief Types of numbers. */
  enum cudaspline_type
  {
    CUDASPLINE_UINT8 = 0,
    CUDASPLINE_INT8 = 1,
    CUDASPLINE_UINT16 = 2,
    CUDASPLINE_INT16 = 3,
    CUDASPLINE_UINT32 = 4,
    CUDASPLINE_INT32 = 5,
    CUDASPLINE_UINT64 = 6,
    CUDASPLINE_INT64 = 7,
    CUDASPLINE_FLOAT32 = 8,
    CUDASPLINE_FLOAT64 = 9
  };

  /** \brief How lines of samples are continued outside, with the names of scipy.ndimage. B-splines of orders 2 to 5
   * support the first three. */
  enum cudaspline_extension
  {
    CUDASPLINE_MIRROR = 0,       /**< whole-sample symmetry: d c b | a b c d | c b a; ITK's */
    CUDASPLINE_REFLECT = 1,      /**< half-sample symmetry:  c b a | a b c d | d c b */
    CUDASPLINE_GRID_WRAP = 2,    /**< periodic:              b c d | a b c d | a b c */
    CUDASPLINE_NEAREST = 3,      /**< the end repeats:       a a a | a b c d | d d d */
    CUDASPLINE_GRID_CONSTANT = 4 /**< the border value:      k k k | a b c d | k k k */
  };

  /** \brief How B-spline coefficients are computed from samples. */
  enum cudaspline_prefilter_method
  {
    CUDASPLINE_EXACT = 0,       /**< recursion, exact to the precision of the elements */
    CUDASPLINE_ITK_HORIZON = 1, /**< recursion, truncated where ITK truncates it */
    CUDASPLINE_FIR = 2,         /**< convolution with a given number of taps */
    CUDASPLINE_COEFFICIENTS = 3 /**< no filter: the samples are coefficients already */
  };

  /** \brief How a value is interpolated from samples. */
  enum cudaspline_interpolation_kind
  {
    CUDASPLINE_INTERPOLATE_NEAREST = 0,           /**< the nearest sample, unchanged */
    CUDASPLINE_INTERPOLATE_LINEAR = 1,            /**< linear, bilinear or trilinear */
    CUDASPLINE_INTERPOLATE_BSPLINE = 2,           /**< of the source's order, 0 to 5 */
    CUDASPLINE_INTERPOLATE_CUBIC_CONVOLUTION = 3, /**< of four samples per axis, with parameters B and C */
    CUDASPLINE_INTERPOLATE_WINDOWED_SINC = 4,     /**< with a window and a radius */
    CUDASPLINE_INTERPOLATE_LABEL_GAUSSIAN = 5,    /**< the label of the largest Gaussian weight */
    CUDASPLINE_INTERPOLATE_CATMULL_ROM = 3        /**< deprecated: former name of CUBIC_CONVOLUTION */
  };

  /** \brief How the value of a B-spline is summed. */
  enum cudaspline_mode
  {
    CUDASPLINE_MODE_EXACT = 0, /**< each tap separately */
    /** Pairs of taps with filtered texture fetches; float32 elements of storage TEXTURE. */
    CUDASPLINE_MODE_TEXTURE = 1,
    CUDASPLINE_MODE_TEXTURE_TABLE = 2 /**< the same with a table of weights */
  };

  /** \brief How coefficients are stored. */
  enum cudaspline_storage
  {
    CUDASPLINE_STORAGE_ELEMENT = 0, /**< in the type in which they were computed */
    CUDASPLINE_STORAGE_HALF = 1,    /**< 16 bits, floating point; order 3 */
    CUDASPLINE_STORAGE_INT16 = 2,   /**< 16 bits, integers with a scale; order 3 */
    CUDASPLINE_STORAGE_TEXTURE = 3  /**< for the texture modes */
  };

  /** \brief Windows of the windowed sinc. */
  enum cudaspline_window
  {
    CUDASPLINE_COSINE = 0,
    CUDASPLINE_HAMMING = 1,
    CUDASPLINE_WELCH = 2,
    CUDASPLINE_LANCZOS = 3,
    CUDASPLINE_BLACKMAN = 4
  };

  /** \brief How real numbers are rounded to an integer output. They are clamped to its range. */
  enum cudaspline_rounding
  {
    CUDASPLINE_ROUNDING_TRUNCATE = 0,    /**< towards zero, as in ITK */
    CUDASPLINE_ROUNDING_HALF_TO_EVEN = 1 /**< to the nearest integer, half to even */
  };

  /** \brief The backend that computed a result. */
  enum cudaspline_backend
  {
    CUDASPLINE_BACKEND_NONE = 0, /**< no backend has run */
    CUDASPLINE_BACKEND_CUDA = 1, /**< a GPU */
    CUDASPLINE_BACKEND_CPU = 2   /**< the threads of the host */
  };

  /** \brief The kind of a transform. */
  enum cudaspline_stage_kind
  {
    CUDASPLINE_STAGE_AFFINE = 0,  /**< matrix and offset */
    CUDASPLINE_STAGE_BSPLINE = 1, /**< grid of B-spline coefficients, as itk::BSplineTransform */
    CUDASPLINE_STAGE_FIELD = 2    /**< field of displacements, as itk::DisplacementFieldTransform */
  };

  /** @} */

#ifdef __cplusplus
}
#endif

#endif
