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
#ifndef itkCudaSpline_c_CudaSplineRegistrationC_h
#define itkCudaSpline_c_CudaSplineRegistrationC_h

#include "itkCudaSpline/c/CudaSplineC.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief Registration of two images in C: the functions of libCudaSplineC for cudaspline.register().
 *
 * For codes, errors and devices see CudaSplineC.h. Images have 2 or 3 dimensions, and places are in mm, x first. What
 * is found leads from places of the fixed image to places of the moving one. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Most parameters of a linear transform. */
#define CUDASPLINE_MAXIMUM_LINEAR_PARAMETERS 12

  /** \brief What a deformable registration iterates. */
  enum cudaspline_deformable_kind
  {
    CUDASPLINE_SYN = 0,    /**< fields of both images to a middle, and their inverses */
    CUDASPLINE_GREEDY = 1, /**< one field; its inverse is made at the end */
    CUDASPLINE_DEMONS = 2  /**< the same by squared differences: diffeomorphic demons */
  };

  /** \brief What a linear transform can do. */
  enum cudaspline_linear_kind
  {
    CUDASPLINE_TRANSLATION = 0,
    CUDASPLINE_RIGID = 1,
    CUDASPLINE_SIMILARITY = 2,
    CUDASPLINE_AFFINE = 3
  };

  /** \brief How a linear registration compares images. */
  enum cudaspline_metric
  {
    CUDASPLINE_MEAN_SQUARES = 0,
    CUDASPLINE_CORRELATION = 1,
    CUDASPLINE_MATTES = 2,
    CUDASPLINE_LOCAL_CORRELATION = 3
  };

  /** \brief What finds the parameters of a linear transform; see itk::CudaSpline::LinearDescent. */
  enum cudaspline_descent
  {
    CUDASPLINE_REGULAR_STEP = 0,
    CUDASPLINE_GRADIENT_DESCENT = 1,
    CUDASPLINE_CONJUGATE_GRADIENT = 2
  };

  /** \brief Which samples of a level are compared; see itk::CudaSpline::SampleChoice. */
  enum cudaspline_sampling
  {
    CUDASPLINE_ALL_SAMPLES = 0,
    CUDASPLINE_REGULAR_SAMPLES = 1,
    CUDASPLINE_RANDOM_SAMPLES = 2
  };

  /** \brief Where gradients of the moving image come from. */
  enum cudaspline_registration_gradient
  {
    CUDASPLINE_GRADIENT_DIFFERENCES = 0, /**< central differences */
    CUDASPLINE_GRADIENT_FILTER = 1,      /**< those of a Gaussian of a sample */
    CUDASPLINE_GRADIENT_ANALYTIC = 2     /**< of the B-spline; of orders of 2 and more */
  };

  /** \brief Why a level has ended. */
  enum cudaspline_level_end
  {
    CUDASPLINE_LEVEL_ITERATIONS = 0, /**< all are done */
    CUDASPLINE_LEVEL_CONVERGED = 1,  /**< values hardly fall any more */
    CUDASPLINE_LEVEL_STOPPED = 2,    /**< by the callback, in this level or before it */
    CUDASPLINE_LEVEL_SHORT_STEP = 3, /**< steps are shorter than the least */
    CUDASPLINE_LEVEL_NO_GRADIENT = 4 /**< there is no direction in which values fall */
  };

  /** \brief Where the samples of an image are. */
  typedef struct cudaspline_grid
  {
    int64_t size[3];           /**< samples an axis, x first */
    double  origin[3];         /**< place of the first sample */
    double  spacing[3];        /**< above 0 */
    double  index_to_point[9]; /**< mm an index: direction times spacing */
    double  point_to_index[9]; /**< its inverse */
  } cudaspline_grid;

  /** \brief An image of a registration, in the place of all others. */
  typedef struct cudaspline_registration_image
  {
    const void *    pixels; /**< x fastest; null: there is none, as of masks */
    cudaspline_grid grid;   /**< where they are */
  } cudaspline_registration_image;

  /** \brief A level, from coarse to fine. */
  typedef struct cudaspline_registration_level
  {
    int32_t shrink;     /**< samples of the fixed image for one that is compared, along each axis; 1 or more */
    int32_t iterations; /**< at most; 0 or more */
    double  sigma;      /**< of the Gaussian that smooths both images; 0: none */
    /* results */
    int32_t end;         /**< cudaspline_level_end */
    int32_t made;        /**< iterations that were made */
    double  value;       /**< of the last one; 0 where there was none */
    double  convergence; /**< the same; infinite of too few values, and of linear transforms */
    double  seconds;     /**< that the level took */
  } cudaspline_registration_level;

  /** \brief What a registration tells of an iteration. */
  typedef struct cudaspline_registration_iteration
  {
    int32_t level;  /**< from 0 */
    int32_t number; /**< from 1, in its level; one that came before comes again where another backend begins anew */
    double  value;  /**< of the metric, the better the lower */
    double  convergence; /**< how much values fall; infinite of too few */
    double  step;        /**< of linear transforms: longest way of a corner of the fixed image (mm) */
    void *  data;        /**< cudaspline_registration::iteration_data */
  } cudaspline_registration_iteration;

  /** \brief Two images that are laid over each other, from level to level. */
  typedef struct cudaspline_registration
  {
    int32_t                       dimension;    /**< 2 or 3 */
    int32_t                       pixel;        /**< of both images: CUDASPLINE_FLOAT32 or 64 */
    cudaspline_registration_image fixed;        /**< what is not moved */
    cudaspline_registration_image moving;       /**< what is */
    cudaspline_registration_image fixed_mask;   /**< CUDASPLINE_UINT8: not 0 where the image counts */
    cudaspline_registration_image moving_mask;  /**< the same of the moving image */
    const cudaspline_stage *      stages;       /**< behind what is found: initial transforms; grids in that place */
    int32_t                       stage_count;  /**< at most 6 */
    int32_t                       device;       /**< of all arrays, those of results too: -1 for the host */
    void *                        stream;       /**< of a device: the caller's cudaStream_t */
    int32_t                       sigmas_in_mm; /**< not 0: sigmas of levels are in mm, else in samples of each image */
    cudaspline_registration_level * levels;     /**< from coarse to fine */
    int32_t                         level_count; /**< 1 or more */
    /** Called behind each iteration from the calling thread; 0 ends the registration with what it has come to, all else
     * goes on. May be null. */
    int32_t (*iteration)(const cudaspline_registration_iteration * iteration);
    void * iteration_data; /**< handed to the callback */
  } cudaspline_registration;

  /** \brief How fields of displacements are found; see itk::CudaSpline::DeformableOptions. */
  typedef struct cudaspline_deformable
  {
    int32_t kind;            /**< cudaspline_deformable_kind */
    int32_t element;         /**< of fields and arithmetic: CUDASPLINE_FLOAT32 or 64 */
    int32_t radius[3];       /**< of the windows of local correlation, by axis (samples); not a default: 1 or more */
    double  learning_rate;   /**< longest update of an iteration (samples); above 0 (not a default) */
    double  update_variance; /**< of the Gaussian that smooths an update (samples^2) */
    double  total_variance;  /**< of the one that smooths the whole field (samples^2) */
    double  convergence;     /**< a level ends where values fall less */
    int32_t window;          /**< values of the convergence; 2 or more (not a default) */
    int32_t field_type;      /**< of the results: CUDASPLINE_FLOAT32 or 64 */
    void *  forward;         /**< result: displacements (mm) on the grid of the last level, x first in the last axis */
    void *  backward;        /**< result: those of the inverse; null: not wanted */
  } cudaspline_deformable;

  /** \brief How a linear transform is found: matrix (x - centre) + centre + translation (mm); see
   * itk::CudaSpline::LinearTransform for the parameters of each kind. */
  typedef struct cudaspline_linear
  {
    int32_t kind;      /**< cudaspline_linear_kind */
    int32_t metric;    /**< cudaspline_metric */
    int32_t bins;      /**< of CUDASPLINE_MATTES: 5 to 160 (not a default) */
    int32_t radius[3]; /**< of CUDASPLINE_LOCAL_CORRELATION, by axis (samples); 1 or more (not a default) */
    int32_t descent;   /**< cudaspline_descent */
    double  step;      /**< longest way of a corner of the fixed image in the first iteration, of gradient descent in
                            each one (mm); 0: a voxel of the level */
    double   minimum_step; /**< a shorter way ends a level (mm); 0: a thousandth of a voxel */
    double   convergence;  /**< a level ends where values fall less; not of CUDASPLINE_REGULAR_STEP */
    int32_t  window;       /**< values of the convergence; 2 or more (not a default) */
    int32_t  sampling;     /**< cudaspline_sampling; CUDASPLINE_LOCAL_CORRELATION has all samples */
    double   fraction;     /**< of the samples where these are drawn: above 0, at most 1 (not a default) */
    uint32_t seed;         /**< of the first level's; each level has another one */
    int32_t  order;        /**< of the moving image's B-spline: 1 to 5 (not a default); 1 is linear */
    int32_t  gradient;     /**< cudaspline_registration_gradient */
    double   centre[3];    /**< of rotations, scales and matrices */
    int32_t  start_kind;   /**< cudaspline_linear_kind of the start: what \c kind can hold */
    double   parameters[CUDASPLINE_MAXIMUM_LINEAR_PARAMETERS]; /**< of the start; result: of what was found */
    double   matrix[9];                                        /**< result */
    double   translation[3];                                   /**< result */
  } cudaspline_linear;

  /** \brief Finds the linear transform that lays the moving image over the fixed one: a place of the fixed image goes
   * through it, and then through the stages.
   *
   * \param[in,out] registration images, and results of levels
   * \param[in,out] linear how, and what was found
   * \param[in,out] execution where it runs; its progress is not called */
  int32_t
  cudaspline_register_linear(cudaspline_registration * registration,
                             cudaspline_linear *       linear,
                             cudaspline_execution *    execution);

  /** \brief A cubic B-spline of displacements, by L-BFGS; see itk::CudaSpline::SplineRegistration. */
  typedef struct cudaspline_spline
  {
    int64_t cells[3];            /**< of the last level over the fixed image, by axis, 1 or more; each level before has
                                    half as many, rounded up */
    double   gradient_tolerance; /**< a level ends where the gradient is no longer, by max(1, |coefficients|) */
    double * coefficients; /**< result, host memory in any case: (cells + 3) of each axis, a plane an axis of space
                              (mm) */
    /* results: the grid, as of a stage of CUDASPLINE_BSPLINE of order 3 */
    int64_t size[3];           /**< coefficients an axis; the first one has index 0 */
    double  origin[3];         /**< place of index 0 (mm) */
    double  point_to_index[9]; /**< indices a mm */
  } cudaspline_spline;

  /** \brief Finds the B-spline that lays the moving image over the fixed one: a place of the fixed image goes through
   * it, and then through the stages.
   *
   * Iterations of levels are evaluations of the metric, and the steps that are told of them the longest way of a
   * coefficient. A level ends with CUDASPLINE_LEVEL_CONVERGED by its gradient, with CUDASPLINE_LEVEL_NO_GRADIENT where
   * no step is low enough.
   *
   * \param[in,out] registration images, and results of levels
   * \param[in] linear how images are compared (from \c metric to \c radius, and from \c sampling to \c gradient), and
   * in \c step what searches along a direction begin with, but the first: 0 is a voxel of the level; no other field of
   * it is read
   * \param[in,out] spline how, and what was found
   * \param[in,out] execution where it runs; its progress is not called
   */
  int32_t
  cudaspline_register_spline(cudaspline_registration * registration,
                             const cudaspline_linear * linear,
                             cudaspline_spline *       spline,
                             cudaspline_execution *    execution);

  /** \brief The grid of a level: fewer samples of a fixed image about the same centre, as itk::ShrinkImageFilter has
   * them.
   *
   * \param[in] grid of the fixed image
   * \param[in] dimension 2 or 3
   * \param[in] factor 1 or more
   * \param[out] shrunk the level's */
  int32_t
  cudaspline_shrink_grid(const cudaspline_grid * grid, int32_t dimension, int32_t factor, cudaspline_grid * shrunk);

  /** \brief Finds the fields that lay the moving image over the fixed one, by local correlation or, of demons, squared
   * differences: a place x of the fixed image goes to x + forward(x), and then through the stages.
   *
   * \param[in,out] registration images, and results of levels
   * \param[in,out] deformable how, and the fields
   * \param[in,out] execution where it runs; its progress is not called */
  int32_t
  cudaspline_register_deformable(cudaspline_registration *     registration,
                                 const cudaspline_deformable * deformable,
                                 cudaspline_execution *        execution);

  /** \brief A pair of images that is compared in a deformable registration, one of several whose forces are added up.
   */
  typedef struct cudaspline_registration_pair
  {
    /** Without pixels in the first pair, whose images are those of the registration. Pixels are of its type. */
    cudaspline_registration_image fixed;
    cudaspline_registration_image moving;      /**< the same */
    cudaspline_registration_image fixed_mask;  /**< the same; of others without pixels: there is none */
    cudaspline_registration_image moving_mask; /**< the same */
    int32_t metric; /**< cudaspline_metric, but CUDASPLINE_CORRELATION: that has no force on each sample */
    int32_t bins;   /**< of CUDASPLINE_MATTES: 5 to 160 (not a default) */
    double  weight; /**< above 0 (not a default); what counts is its part of the sum of all weights */
  } cudaspline_registration_pair;

  /** \brief Finds the fields that lay several moving images over their fixed ones at once, as channels of one scan.
   *
   * The values of iterations are the sums of the pairs' values times their weights, these divided by their sum. Stages
   * are behind the fields for all pairs.
   *
   * \param[in,out] registration the first pair's images, and results of levels
   * \param[in,out] deformable how, and the fields, on a grid of the first fixed image
   * \param[in] pairs how each pair is compared, with the images of all but the first
   * \param[in] pair_count 1 or more; of CUDASPLINE_DEMONS 1, by CUDASPLINE_MEAN_SQUARES
   * \param[in,out] execution where it runs; its progress is not called */
  int32_t
  cudaspline_register_deformable_pairs(cudaspline_registration *            registration,
                                       const cudaspline_deformable *        deformable,
                                       const cudaspline_registration_pair * pairs,
                                       int32_t                              pair_count,
                                       cudaspline_execution *               execution);

  /** \brief What a field does to volumes. */
  typedef struct cudaspline_folding
  {
    int64_t voxels;  /**< whose determinant is not positive */
    int64_t all;     /**< samples of the field */
    double  least;   /**< determinant */
    double  largest; /**< determinant */
  } cudaspline_folding;

  /** \brief Jacobian determinants of x + u(x) at the samples of a field, by central differences; at the ends of an axis
   * by those of the two outermost samples.
   *
   * They are computed where the arrays are. The call waits for the end.
   *
   * \param[in] grid of the field
   * \param[in] dimension 2 or 3
   * \param[in] field u (mm), x first in the last axis
   * \param[in] type of its numbers and of the output's: CUDASPLINE_FLOAT32 or 64
   * \param[in] logarithm not 0: the natural logarithm of them, and that of 1e-4 where they are less
   * \param[out] output a number a sample; null: not wanted
   * \param[in] device of both: -1 for the host
   * \param[in] stream of a device: the caller's cudaStream_t
   * \param[out] folding what they come to; null: not wanted
   * \param[in,out] execution where it runs */
  int32_t
  cudaspline_measure_folding(const cudaspline_grid * grid,
                             int32_t                 dimension,
                             const void *            field,
                             int32_t                 type,
                             int32_t                 logarithm,
                             void *                  output,
                             int32_t                 device,
                             void *                  stream,
                             cudaspline_folding *    folding,
                             cudaspline_execution *  execution);

  /** \brief Values below which given parts of the finite pixels of an image are, to a 65536th of their range.
   *
   * \param[in] pixels host memory
   * \param[in] type CUDASPLINE_FLOAT32 or 64
   * \param[in] count pixels
   * \param[in] parts two numbers from 0 to 1
   * \param[out] values two numbers; both NaN where all finite pixels are the same, or there are none
   * \param[in,out] execution threads; it runs on the host */
  int32_t
  cudaspline_find_quantiles(const void *           pixels,
                            int32_t                type,
                            int64_t                count,
                            const double *         parts,
                            double *               values,
                            cudaspline_execution * execution);

  /** \brief Centre of gravity of an image, of its values above the least.
   *
   * \param[in] image host memory; what is not finite has no weight
   * \param[in] type of its pixels: CUDASPLINE_FLOAT32 or 64
   * \param[in] mask host memory, CUDASPLINE_UINT8; null, or without pixels: all pixels count
   * \param[in] dimension 2 or 3
   * \param[out] centre three numbers (mm); NaN where all values are the same
   * \param[in,out] execution threads; it runs on the host */
  int32_t
  cudaspline_find_centre_of_gravity(const cudaspline_registration_image * image,
                                    int32_t                               type,
                                    const cudaspline_registration_image * mask,
                                    int32_t                               dimension,
                                    double *                              centre,
                                    cudaspline_execution *                execution);

  /** \brief A rotation about a centre, and a translation: rotation (x - centre) + centre + translation (mm). */
  typedef struct cudaspline_rotation
  {
    double centre[3];      /**< of the rotation (mm) */
    double translation[3]; /**< that the search begins with; result: of what was found (mm) */
    /* results */
    double  parameters[6]; /**< those of CUDASPLINE_RIGID */
    double  matrix[9];     /**< by rows */
    double  explained;     /**< mutual information as a part of the fixed image's entropy */
    int32_t is_poor;       /**< not 0: that part says little, and the images hardly lie over each other */
  } cudaspline_rotation;

  /** \brief Finds the best of many rotations about a centre; see itk::CudaSpline::FindRotation().
   *
   * \param[in] fixed, moving host memory; what is not finite does not count
   * \param[in] fixed_mask, moving_mask host memory, CUDASPLINE_UINT8; null, or without pixels: all pixels count
   * \param[in] type of the images' pixels: CUDASPLINE_FLOAT32 or 64
   * \param[in] dimension 2 or 3
   * \param[in,out] rotation where it begins, and what was found
   * \param[in,out] execution threads; it runs on the host */
  int32_t
  cudaspline_find_rotation(const cudaspline_registration_image * fixed,
                           const cudaspline_registration_image * fixed_mask,
                           const cudaspline_registration_image * moving,
                           const cudaspline_registration_image * moving_mask,
                           int32_t                               type,
                           int32_t                               dimension,
                           cudaspline_rotation *                 rotation,
                           cudaspline_execution *                execution);

  /** \brief Powers of two for the values of a pair of images, the fixed image's first. */
  typedef struct cudaspline_value_scales
  {
    double  largest[2]; /**< magnitudes under the masks */
    double  factors[2]; /**< for the images' values; 1: as they are */
    int32_t is_faint;   /**< not 0: both have one factor, and metrics hardly see the values of one of them */
  } cudaspline_value_scales;

  /** \brief Factors that bring values below 2^-7 and above 2^30 to where metrics see them; waits. See
   * itk::CudaSpline::FindValueScales().
   *
   * \param[in] fixed, moving memory of the device
   * \param[in] fixed_mask, moving_mask the same, CUDASPLINE_UINT8; null, or without pixels: all pixels count
   * \param[in] type of the images' pixels: CUDASPLINE_FLOAT32 or 64
   * \param[in] dimension 2 or 3
   * \param[in] compares_values not 0: values of both are compared, as by mean squares, and have one factor
   * \param[in] device that the images are on; -1: they are in host memory
   * \param[in] stream cudaStream_t in whose order they are read; null: the default one
   * \param[out] scales the factors
   * \param[in,out] execution threads */
  int32_t
  cudaspline_find_value_scales(const cudaspline_registration_image * fixed,
                               const cudaspline_registration_image * fixed_mask,
                               const cudaspline_registration_image * moving,
                               const cudaspline_registration_image * moving_mask,
                               int32_t                               type,
                               int32_t                               dimension,
                               int32_t                               compares_values,
                               int32_t                               device,
                               void *                                stream,
                               cudaspline_value_scales *             scales,
                               cudaspline_execution *                execution);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
