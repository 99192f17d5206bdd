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
 * \brief Registration of images in C: the functions of libCudaSplineC for cudaspline.register().
 *
 * For codes, errors and devices see CudaSplineC.h. Images have 2 or 3 dimensions. Points are in mm, x first. The
 * resulting transforms map points of the fixed image to points of the moving one. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** \brief The grid of an image's samples. */
  typedef struct cudaspline_grid
  {
    int64_t size[3];           /**< samples per axis, x first */
    double  origin[3];         /**< point of the first sample */
    double  spacing[3];        /**< above 0 */
    double  index_to_point[9]; /**< mm per index: direction times spacing */
    double  point_to_index[9]; /**< its inverse */
  } cudaspline_grid;

  /** \brief An image of a registration. */
  typedef struct cudaspline_registration_image
  {
    const void *    pixels; /**< x fastest; null: no image, as for an absent mask */
    cudaspline_grid grid;   /**< grid of the pixels */
  } cudaspline_registration_image;

  /** \brief The kinds of messages of a registration. */
  enum cudaspline_message_kind
  {
    CUDASPLINE_MESSAGE_RESULT = 0,  /**< the result of the function, as JSON */
    CUDASPLINE_MESSAGE_WARNING = 1, /**< {"kind", "stage", "text"} */
    CUDASPLINE_MESSAGE_PROBLEMS = 2 /**< problems of a document: [{"option", "stage", "value", "text", ...}, ...] */
  };

  /** \brief The kinds of arrays of a result. */
  enum cudaspline_result_kind
  {
    CUDASPLINE_RESULT_FORWARD = 0,     /**< displacements (mm), x first in the last axis */
    CUDASPLINE_RESULT_BACKWARD = 1,    /**< those of the inverse */
    CUDASPLINE_RESULT_COEFFICIENTS = 2 /**< coefficients of a B-spline (mm): one plane per axis; host memory, double */
  };

  /** \brief An array that a registration requests from its caller. */
  typedef struct cudaspline_result_array
  {
    int32_t         kind;  /**< cudaspline_result_kind */
    int32_t         stage; /**< number of the stage, from 0 */
    int64_t         count; /**< number of elements */
    cudaspline_grid grid;  /**< samples, or nodes */
    void *          data;  /**< cudaspline_pipeline::data */
  } cudaspline_result_array;

  /** \brief An iteration of a registration of several stages. */
  typedef struct cudaspline_pipeline_iteration
  {
    int32_t stage;       /**< from 0 */
    int32_t level;       /**< from 0 */
    int32_t number;      /**< from 1 in each level; smaller than before: another backend restarted the stage */
    double  value;       /**< value of the metric, in units of the images; lower is better */
    double  convergence; /**< slope of the last values; infinite if there are too few */
    double  step;        /**< maximum displacement of a corner, or of a coefficient (mm); 0 for fields */
    double  progress;    /**< estimated fraction of the whole registration, in [0, 1] */
    void *  data;        /**< cudaspline_pipeline::data */
  } cudaspline_pipeline_iteration;

  /** \brief A fixed and a moving image with their masks. A mask without pixels is absent. */
  typedef struct cudaspline_image_pair
  {
    cudaspline_registration_image fixed;       /**< finite pixels with the precision of the document */
    cudaspline_registration_image moving;      /**< the same */
    cudaspline_registration_image fixed_mask;  /**< CUDASPLINE_UINT8; nonzero where the image counts */
    cudaspline_registration_image moving_mask; /**< the same */
  } cudaspline_image_pair;

  /** \brief The images and callbacks of a registration of several stages. */
  typedef struct cudaspline_pipeline
  {
    int32_t                       dimension;   /**< 2 or 3 */
    const cudaspline_image_pair * pairs;       /**< the first one defines the spaces */
    int32_t                       pair_count;  /**< 1 or more */
    const cudaspline_stage *      stages;      /**< initial transform; grids in the same memory as the images */
    int32_t                       stage_count; /**< at most 6; -1: no initial transform, and the document decides */
    int32_t                       device;      /**< device of all arrays, including the results; -1: host memory */
    void *                        stream;      /**< for a device: the caller's cudaStream_t */
    int32_t                       field_type;  /**< type of the fields of results: CUDASPLINE_FLOAT32 or 64 */
    /** Called after each iteration from the calling thread. Returning 0 stops the registration with the best result so
     * far. May be null. */
    int32_t (*iteration)(const cudaspline_pipeline_iteration * iteration);
    /** Receives messages (cudaspline_message_kind), whose texts are valid during the call. */
    void (*message)(int32_t kind, const char * text, void * data);
    /** Provides memory of `count` numbers for a result. */
    void * (*allocate)(const cudaspline_result_array * array);
    void * data; /**< passed to the callbacks */
    /** Masks that differ between stages: pair_count entries for each stage of the document, whose images are ignored.
     * Null: all stages use the masks of the pairs. The initial alignment uses those of the pairs. */
    const cudaspline_image_pair * stage_masks;
    /** Corresponding points (mm) for stages with a landmark_weight, `dimension` numbers each, x first; host memory.
     * Null: no landmarks. */
    const double * fixed_landmarks;
    const double * moving_landmarks; /**< the corresponding points in the moving image */
    int64_t        landmark_count;   /**< number of points */
    /** Label maps for stages with a label_weight: CUDASPLINE_INT32 in host memory; 0 is the background. Without pixels:
     * no label maps. */
    cudaspline_registration_image fixed_labels;
    cudaspline_registration_image moving_labels; /**< label map of the moving image */
    /** Regions of the fixed image that slide along their borders in stages "greedy": CUDASPLINE_INT32 in host memory,
     * at most 8 labels including 0, which is also outside of the map. Without pixels: none. */
    cudaspline_registration_image sliding_regions;
  } cudaspline_pipeline;

  /** \brief Completes and checks a document that describes a registration (doc/RegistrationSpec.md).
   *
   * \param[in] document document in JSON
   * \param[in] size samples of the fixed image along each of 3 axes, for presets whose levels depend on it; may be null
   * \param[in] message receives the complete document (CUDASPLINE_MESSAGE_RESULT), or all problems
   * \param[in] data passed to the callback
   * \return CUDASPLINE_OK; CUDASPLINE_INVALID_ARGUMENT for a document with problems */
  int32_t
  cudaspline_complete_registration(const char *    document,
                                   const int64_t * size,
                                   void (*message)(int32_t kind, const char * text, void * data),
                                   void * data);

  /** \brief Lists the names that documents may have: {"version", "kinds", "metrics", "presets", "options"}.
   *
   * \param[in] message receives the lists (CUDASPLINE_MESSAGE_RESULT); options are those of stages
   * \param[in] data passed to the callback
   * \return CUDASPLINE_OK; CUDASPLINE_INVALID_ARGUMENT without a callback */
  int32_t
  cudaspline_list_registration_names(void (*message)(int32_t kind, const char * text, void * data), void * data);

  /** \brief Whether a mask or label map has the size of its image and the geometry of a file without one (spacing 1,
   * origin 0), and the image has another geometry. Returns it (1 or 0), not a code. cudaspline_register() refuses it.
   *
   * \param[in] mask its grid
   * \param[in] image grid of the image
   * \param[in] dimension 2 or 3 */
  int32_t
  cudaspline_has_lost_geometry(const cudaspline_grid * mask, const cudaspline_grid * image, int32_t dimension);

  /** \brief Runs a registration of one or several stages.
   *
   * The result is JSON: "stopped"; "value_factors" of each pair; "start", the initial transform of the first stage, or
   * null; "stages" with their levels, backends and transforms. A linear transform has "kind", "centre", "matrix",
   * "translation" and "parameters"; "replaces" means that it includes the previous linear transform. A B-spline has
   * "size", "origin" and "point_to_index" of its grid.
   *
   * \param[in] document JSON (doc/RegistrationSpec.md)
   * \param[in] pipeline images and callbacks
   * \param[in,out] execution how it runs; receives the backend of the last stage */
  int32_t
  cudaspline_register(const char * document, const cudaspline_pipeline * pipeline, cudaspline_execution * execution);

  /** \brief Computes how far transforms move the samples of a grid, as itk::TransformToDisplacementFieldFilter does.
   *
   * \param[in] grid the grid; its point_to_index is not used
   * \param[in] dimension 1 to 3
   * \param[in] stages transforms in the order in which they map points; null: the identity
   * \param[in] stage_count their number
   * \param[out] output displacements (mm), x first in the last axis
   * \param[in] type their type: CUDASPLINE_FLOAT32 or 64
   * \param[in] device device of the output and of the arrays of the stages; -1: host memory, and the execution selects
   * the backend
   * \param[in] stream for a device: the caller's cudaStream_t
   * \param[in,out] execution how it runs */
  int32_t
  cudaspline_make_displacements(const cudaspline_grid *  grid,
                                int32_t                  dimension,
                                const cudaspline_stage * stages,
                                int32_t                  stage_count,
                                void *                   output,
                                int32_t                  type,
                                int32_t                  device,
                                void *                   stream,
                                cudaspline_execution *   execution);

  /** \brief Accuracy of an inverse: distances (mm) between points and their images under the inverse and the
   * transforms. */
  typedef struct cudaspline_inverse_accuracy
  {
    double mean;    /**< mean distance of the samples */
    double largest; /**< largest distance */
    double limit;   /**< a sample with a larger distance has no inverse */
  } cudaspline_inverse_accuracy;

  /** \brief Inverts displacement fields and B-splines by iteration at the samples of a grid, on the host. Samples
   * without an inverse continue smoothly from their neighbours.
   *
   * \param[in] grid grid of the inverse; its point_to_index is not used
   * \param[in] dimension 1 to 3
   * \param[in] stages transforms in the order in which they map points, in host memory
   * \param[in] stage_count their number
   * \param[out] output displacements of the inverse (mm) in host memory, x first in the last axis
   * \param[out] accuracy accuracy of the inverse; null: not returned
   * \param[in,out] execution how it runs */
  int32_t
  cudaspline_invert_transform(const cudaspline_grid *       grid,
                              int32_t                       dimension,
                              const cudaspline_stage *      stages,
                              int32_t                       stage_count,
                              double *                      output,
                              cudaspline_inverse_accuracy * accuracy,
                              cudaspline_execution *        execution);

  /** \brief How a field changes volumes. */
  typedef struct cudaspline_folding
  {
    int64_t voxels;  /**< samples whose determinant is not positive */
    int64_t all;     /**< samples of the field */
    double  least;   /**< smallest determinant */
    double  largest; /**< largest determinant */
  } cudaspline_folding;

  /** \brief Jacobian determinants of x + u(x) at the samples of a field, with central differences, and differences of
   * the two outermost samples at the ends of an axis.
   *
   * They are computed on the device of the arrays. The call waits.
   *
   * \param[in] grid grid of the field
   * \param[in] dimension 2 or 3
   * \param[in] field u (mm), x first in the last axis
   * \param[in] type type of the components and of the output: CUDASPLINE_FLOAT32 or 64
   * \param[in] logarithm nonzero: computes natural logarithms, of determinants of at least 1e-4
   * \param[out] output one number per sample; null: not computed
   * \param[in] device device of both arrays; -1 for the host
   * \param[in] stream for a device: the caller's cudaStream_t
   * \param[out] folding statistics of the determinants; null: not computed
   * \param[in,out] execution how it runs */
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

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
