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
 * \brief The numbers that stand for words in the interface in C. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** \addtogroup CudaSplineC
   * @{ */

  /** \brief What a function returns. */
  enum cudaspline_code
  {
    CUDASPLINE_OK = 0,               /**< it worked */
    CUDASPLINE_INVALID_ARGUMENT = 1, /**< an argument that cannot be; the message names it */
    CUDASPLINE_OUT_OF_MEMORY = 2,    /**< memory of the host or of the device did not suffice */
    CUDASPLINE_NO_DEVICE = 3,        /**< a device that is asked for is not there, or cannot be used */
    CUDASPLINE_DEVICE_LOST = 4,      /**< a sticky error of CUDA: this process cannot use the device any more */
    CUDASPLINE_DEVICE_ERROR = 5,     /**< another error of CUDA */
    CUDASPLINE_ABORTED = 6,          /**< the progress callback stopped it; results are incomplete */
    CUDASPLINE_INTERNAL_ERROR = 7    /**< what should not happen */
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

  /** \brief How lines of samples continue outside, as scipy.ndimage names it. B-splines of orders 2 to 5 have the first
   * three. */
  enum cudaspline_extension
  {
    CUDASPLINE_MIRROR = 0,       /**< whole-sample symmetry: d c b | a b c d | c b a; ITK's */
    CUDASPLINE_REFLECT = 1,      /**< half-sample symmetry:  c b a | a b c d | d c b */
    CUDASPLINE_GRID_WRAP = 2,    /**< periodic:              b c d | a b c d | a b c */
    CUDASPLINE_NEAREST = 3,      /**< the end repeats:       a a a | a b c d | d d d */
    CUDASPLINE_GRID_CONSTANT = 4 /**< the border value:      k k k | a b c d | k k k */
  };

  /** \brief How samples become B-spline coefficients. */
  enum cudaspline_prefilter_method
  {
    CUDASPLINE_EXACT = 0,       /**< recursion, exact to the precision of the elements */
    CUDASPLINE_ITK_HORIZON = 1, /**< recursion, truncated where ITK truncates it */
    CUDASPLINE_FIR = 2,         /**< convolution with a number of taps */
    CUDASPLINE_COEFFICIENTS = 3 /**< none: the samples are coefficients already */
  };

  /** \brief How a value is made from samples. */
  enum cudaspline_interpolation_kind
  {
    CUDASPLINE_INTERPOLATE_NEAREST = 0,           /**< the nearest sample, unchanged */
    CUDASPLINE_INTERPOLATE_LINEAR = 1,            /**< by dimension: linear, bilinear, trilinear */
    CUDASPLINE_INTERPOLATE_BSPLINE = 2,           /**< of the source's order, 0 to 5 */
    CUDASPLINE_INTERPOLATE_CUBIC_CONVOLUTION = 3, /**< of four samples an axis, by B and C */
    CUDASPLINE_INTERPOLATE_WINDOWED_SINC = 4,     /**< a window and a radius */
    CUDASPLINE_INTERPOLATE_LABEL_GAUSSIAN = 5,    /**< the label of the largest Gaussian weight */
    CUDASPLINE_INTERPOLATE_CATMULL_ROM = 3        /**< deprecated: former name of CUBIC_CONVOLUTION */
  };

  /** \brief How the value of a B-spline is summed up. */
  enum cudaspline_mode
  {
    CUDASPLINE_MODE_EXACT = 0,        /**< every tap by itself */
    CUDASPLINE_MODE_TEXTURE = 1,      /**< pairs of taps by filtered fetches; float32 elements of storage TEXTURE */
    CUDASPLINE_MODE_TEXTURE_TABLE = 2 /**< the same with a table of weights */
  };

  /** \brief How coefficients are stored. */
  enum cudaspline_storage
  {
    CUDASPLINE_STORAGE_ELEMENT = 0, /**< as they were computed */
    CUDASPLINE_STORAGE_HALF = 1,    /**< 16 bits, floating point; order 3 */
    CUDASPLINE_STORAGE_INT16 = 2,   /**< 16 bits, integers with a scale; order 3 */
    CUDASPLINE_STORAGE_TEXTURE = 3  /**< for the modes of textures */
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

  /** \brief How real numbers become integers of an output, whose range clamps them. */
  enum cudaspline_rounding
  {
    CUDASPLINE_ROUNDING_TRUNCATE = 0,    /**< towards zero, as ITK does */
    CUDASPLINE_ROUNDING_HALF_TO_EVEN = 1 /**< to the nearest integer, half to even */
  };

  /** \brief Who computed. */
  enum cudaspline_backend
  {
    CUDASPLINE_BACKEND_NONE = 0, /**< nothing has run */
    CUDASPLINE_BACKEND_CUDA = 1, /**< a GPU */
    CUDASPLINE_BACKEND_CPU = 2   /**< the threads of the host */
  };

  /** \brief What a transform does to a point. */
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
