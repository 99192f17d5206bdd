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
 * \brief Derivatives of splines at points and their adjoints, in C, for automatic differentiation.
 *
 * For codes, errors and devices see CudaSplineC.h, for modes and the order of axes CudaSplineArraysC.h. The operations
 * and their derivatives are documented in kernels/gradients/SplineGradients.h; losses in
 * kernels/gradients/LocalCorrelationLoss.h and JointHistogram.h. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Maximum number of axes of an image with points. */
#define CUDASPLINE_MAXIMUM_POINT_DIMENSION 3

  /** \brief A batch of images with lists of points; see itk::CudaSpline::SplinePoints. All arrays are contiguous, of
   * the type \c element. */
  typedef struct cudaspline_spline_points
  {
    int32_t dimension;                                /**< 1 to CUDASPLINE_MAXIMUM_POINT_DIMENSION */
    int64_t size[CUDASPLINE_MAXIMUM_POINT_DIMENSION]; /**< of an image, slowest axis first */
    int64_t batches;                                  /**< number of images, each with its points; may be 0 */
    int64_t channels;                                 /**< channels per image; may be 0 */
    int64_t count;                                    /**< points per image; may be 0 */
    int32_t order;                                    /**< 0 to 5 */
    int32_t mode;                                     /**< cudaspline_array_mode */
    /** Value outside for the modes constant and grid-constant. */
    double       border;
    int32_t      element;      /**< type of all arrays: CUDASPLINE_FLOAT32 or 64 */
    int32_t      derivatives;  /**< order n of the derivatives: 0, 1 or 2 */
    const void * points;       /**< continuous indices: batches x count x dimension (samples) */
    int64_t      point_stride; /**< distance of the next image's points (elements); 0: all images share them */
    const void * coefficients; /**< batches x channels x size */
    /** Distance of the next image's coefficients (elements); 0: all images share them. */
    int64_t coefficient_stride;
    const void *
            weights; /**< batches x channels x count x dimension^n, for scatter and contract; null: ones, for n = 0 */
    void *  result;  /**< the result, which must not overlap the inputs; each function documents its shape */
    int32_t device;  /**< device of all arrays; -1 for the host */
    void *  stream;  /**< for a device: the caller's cudaStream_t */
  } cudaspline_spline_points;

  /** \brief Derivatives of order n of the values at points: batches x channels x count x dimension^n.
   *
   * On a device it is enqueued in the caller's stream.
   *
   * \param[in] points images, points and result
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_evaluate_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief Gradients with respect to the points of the sum of weights times derivatives of order n: batches x count x
   * dimension. On a device it is enqueued in the caller's stream.
   *
   * \param[in] points images, points, weights and result
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_contract_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief The transpose of cudaspline_evaluate_derivatives(): batches x channels x size. All calls are bitwise equal.
   * On a device the work, and the memory that it needs, are enqueued in the caller's stream.
   *
   * \param[in] points points, weights and result; \c coefficients are not read
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_scatter_derivatives(const cudaspline_spline_points * points, cudaspline_execution * execution);

  /** \brief The transpose of cudaspline_filter_array(), for contiguous arrays of the element's type. On a device the
   * work, and the memory that it needs, are enqueued in the caller's stream.
   *
   * \param[in] filter the filter
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_filter_array_adjoint(const cudaspline_array_filter * filter, cudaspline_execution * execution);

  /** \brief A batch of pairs of images, each of which is compared separately; see
   * itk::CudaSpline::LocalCorrelationPairs. All arrays are contiguous. */
  typedef struct cudaspline_local_correlation
  {
    int32_t         dimension;                                  /**< 1 to CUDASPLINE_MAXIMUM_POINT_DIMENSION */
    int64_t         size[CUDASPLINE_MAXIMUM_POINT_DIMENSION];   /**< of an image, slowest axis first */
    int64_t         radius[CUDASPLINE_MAXIMUM_POINT_DIMENSION]; /**< windows have 2 radius + 1 samples per axis */
    int64_t         images;                                     /**< number of pairs; may be 0 */
    int32_t         element;                                    /**< type of all numbers: CUDASPLINE_FLOAT32 or 64 */
    const void *    fixed;                                      /**< images x size */
    const void *    moving;                                     /**< images x size */
    const uint8_t * mask;            /**< images x size, nonzero where samples count; null: everywhere */
    int64_t         mask_stride;     /**< distance of the next pair's mask (samples); 0: all pairs share it */
    void *          sums;            /**< result, images: sums of the squared correlations */
    void *          fixed_gradient;  /**< result, images x size: gradient of a pair's sum; null: not computed */
    void *          moving_gradient; /**< the same */
    int32_t         device;          /**< device of all arrays; -1 for the host */
    void *          stream;          /**< for a device: the caller's cudaStream_t */
  } cudaspline_local_correlation;

  /** \brief The sum of the squared correlations in the windows around all samples, and its gradients with respect to
   * both images. All calls are bitwise equal. On a device the work, and the memory that it needs, are enqueued in the
   * caller's stream.
   *
   * \param[in] pairs pairs and results
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_correlate_locally(const cudaspline_local_correlation * pairs, cudaspline_execution * execution);

  /** \brief Samples of two images and their joint histogram; see itk::CudaSpline::JointSamples. All arrays are
   * contiguous. */
  typedef struct cudaspline_joint_samples
  {
    int64_t         count;   /**< number of samples; may be 0 */
    int64_t         bins;    /**< bins for each image: 5 to 4096 */
    int32_t         element; /**< type of all numbers: CUDASPLINE_FLOAT32 or 64 */
    const void *    fixed;   /**< count */
    const void *    moving;  /**< count */
    const uint8_t * mask;    /**< count, nonzero where samples count; null: everywhere */
    const void *    ends;    /**< smallest and largest value of the fixed image, then of the moving one */
    /** Bins x bins, indexed by the fixed image's bin first: the histogram, or the weights of its elements. */
    void *  joint;
    void *  fixed_gradient;  /**< result, count; null: not computed */
    void *  moving_gradient; /**< the same */
    int32_t device;          /**< device of all arrays; -1 for the host */
    void *  stream;          /**< for a device: the caller's cudaStream_t */
  } cudaspline_joint_samples;

  /** \brief The joint histogram, with cubic windows. All calls are bitwise equal. On a device the work, and the memory
   * that it needs, are enqueued in the caller's stream.
   *
   * \param[in] samples samples and result; the gradients are not written
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_accumulate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution);

  /** \brief Gradients with respect to the images' values of the sum of \c joint times the histogram.
   *
   * \param[in] samples samples and results; \c joint is read
   * \param[in,out] execution threads of the host; it runs on the device of the arrays */
  int32_t
  cudaspline_differentiate_joint_histogram(const cudaspline_joint_samples * samples, cudaspline_execution * execution);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
