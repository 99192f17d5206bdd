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
#ifndef itkCudaSpline_c_CudaSplineGradientsC_h
#define itkCudaSpline_c_CudaSplineGradientsC_h

#include "itkCudaSpline/c/CudaSplineArraysC.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief Derivatives of splines at points and their adjoints, in C: what automatic differentiation takes.
 *
 * For codes, errors and devices see CudaSplineC.h, for modes and the order of axes CudaSplineArraysC.h. What the
 * operations do, and which one is the derivative of which, is documented in kernels/gradients/SplineGradients.h; losses
 * in kernels/gradients/LocalCorrelationLoss.h and JointHistogram.h. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Most axes of an image with points. */
#define CUDASPLINE_MAXIMUM_POINT_DIMENSION 3

  /** \brief Images of a batch with lists of points; see itk::CudaSpline::SplinePoints. All arrays are contiguous, of
   * the type \c element. */
  typedef struct cudaspline_spline_points
  {
    int32_t      dimension;                                /**< 1 to CUDASPLINE_MAXIMUM_POINT_DIMENSION */
    int64_t      size[CUDASPLINE_MAXIMUM_POINT_DIMENSION]; /**< of an image, the slowest axis first */
    int64_t      batches;                                  /**< images with their points; may be 0 */
    int64_t      channels;                                 /**< of an image; may be 0 */
    int64_t      count;                                    /**< points of an image; may be 0 */
    int32_t      order;                                    /**< 0 to 5 */
    int32_t      mode;                                     /**< cudaspline_array_mode */
    double       border;                                   /**< of the modes constant and grid-constant */
    int32_t      element;                                  /**< of all arrays: CUDASPLINE_FLOAT32 or 64 */
    int32_t      derivatives;                              /**< n: 0, 1 or 2 */
    const void * points;             /**< continuous indices: batches x count x dimension (samples) */
    int64_t      point_stride;       /**< elements to the next image's points; 0: all have the same */
    const void * coefficients;       /**< batches x channels x size */
    int64_t      coefficient_stride; /**< elements to the next image's coefficients; 0: all have the same */
    const void *
            weights; /**< batches x channels x count x dimension^n, of scatter and contract; null: ones, for n = 0 */
    void *  result;  /**< what is written, apart from what is read; its shape says each function */
    int32_t device;  /**< of all arrays: -1 for the host */
    void *  stream;  /**< of a device: the caller's cudaStream_t */
  } cudaspline_spline_points;

  /** \brief Derivatives of order n of the values at points: batches x channels x count x dimension^n.
   *
   * On a device it is enqueued in the caller's stream.
   *
   * \param[in] points what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_evaluate_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief Gradients by the points of the sum of weights times derivatives of order n: batches x count x dimension. On
   * a device it is enqueued in the caller's stream.
   *
   * \param[in] points what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_contract_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief The transpose of cudaspline_evaluate_derivatives(): batches x channels x size, with the same bits at every
   * call. On a device it is enqueued in the caller's stream, with the memory that it takes.
   *
   * \param[in] points what is done; \c coefficients are not read
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_scatter_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief The transpose of cudaspline_filter_array(), for contiguous arrays of the element's type. On a device it is
   * enqueued in the caller's stream, with the memory that it takes.
   *
   * \param[in] filter what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_filter_array_adjoint(const cudaspline_array_filter * filter, cudaspline_execution * execution);

  /** \brief Pairs of images of a batch, each compared by itself; see itk::CudaSpline::LocalCorrelationPairs. All arrays
   * are contiguous. */
  typedef struct cudaspline_local_correlation
  {
    int32_t         dimension;                                  /**< 1 to CUDASPLINE_MAXIMUM_POINT_DIMENSION */
    int64_t         size[CUDASPLINE_MAXIMUM_POINT_DIMENSION];   /**< of an image, the slowest axis first */
    int64_t         radius[CUDASPLINE_MAXIMUM_POINT_DIMENSION]; /**< windows have 2 radius + 1 samples an axis */
    int64_t         images;                                     /**< pairs; may be 0 */
    int32_t         element;                                    /**< of all numbers: CUDASPLINE_FLOAT32 or 64 */
    const void *    fixed;                                      /**< images x size */
    const void *    moving;                                     /**< images x size */
    const uint8_t * mask;            /**< images x size, not 0 where samples count; null: everywhere */
    int64_t         mask_stride;     /**< samples to the next pair's mask; 0: all have the same */
    void *          sums;            /**< result, images: sums of the squares of the correlations */
    void *          fixed_gradient;  /**< result, images x size: of a pair's sum; null: not wanted */
    void *          moving_gradient; /**< the same */
    int32_t         device;          /**< of all arrays: -1 for the host */
    void *          stream;          /**< of a device: the caller's cudaStream_t */
  } cudaspline_local_correlation;

  /** \brief The sum of the squares of the correlations in the windows about all samples, and its gradients by both
   * images, with the same bits at every call. On a device it is enqueued in the caller's stream, with the memory that
   * it takes.
   *
   * \param[in] pairs what is done
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_correlate_locally(const cudaspline_local_correlation * pairs, cudaspline_execution * execution);

  /** \brief Samples of two images and their joint histogram; see itk::CudaSpline::JointSamples. All arrays are
   * contiguous. */
  typedef struct cudaspline_joint_samples
  {
    int64_t         count;           /**< samples; may be 0 */
    int64_t         bins;            /**< of each image: 5 to 4096 */
    int32_t         element;         /**< of all numbers: CUDASPLINE_FLOAT32 or 64 */
    const void *    fixed;           /**< count */
    const void *    moving;          /**< count */
    const uint8_t * mask;            /**< count, not 0 where samples count; null: everywhere */
    const void *    ends;            /**< least and most of the fixed image, then of the moving one */
    void *          joint;           /**< bins x bins, by the fixed image's first: the result, or what is its weight */
    void *          fixed_gradient;  /**< result, count; null: not wanted */
    void *          moving_gradient; /**< the same */
    int32_t         device;          /**< of all arrays: -1 for the host */
    void *          stream;          /**< of a device: the caller's cudaStream_t */
  } cudaspline_joint_samples;

  /** \brief The joint histogram, with cubic windows and the same bits at every call. On a device it is enqueued in the
   * caller's stream, with the memory that it takes.
   *
   * \param[in] samples what is sorted; the gradients are not written
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_accumulate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution);

  /** \brief Gradients by the images' values of the sum of \c joint times the histogram.
   *
   * \param[in] samples what is sorted; \c joint is read
   * \param[in,out] execution threads of the host; it runs where the arrays are */
  int32_t
  cudaspline_differentiate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
