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
#ifndef itkCudaSpline_c_CudaSplineC_h
#define itkCudaSpline_c_CudaSplineC_h

#include "itkCudaSpline/c/CudaSplineCodes.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief The interface of the kernels layer in C, for other languages. The library libCudaSplineC has it.
 *
 * Every function but those that say otherwise returns a code, CUDASPLINE_OK (0) where it worked; what went wrong is in
 * cudaspline_last_error() of the same thread. No exception leaves the library. Functions may be called by any number of
 * threads at once.
 *
 * Structures are zeroed by the caller before their fields are set, and zeros are defaults where a field does not say
 * otherwise. Axes come x first, where x is the axis whose samples follow each other in memory: the reverse of the order
 * in which NumPy tells a shape. Matrices have 9 numbers, three rows of three, of which the first ones count in fewer
 * dimensions. Numbers of a pixel (components) follow each other.
 *
 * Where an array is says its device: -1 for memory of the host, else the number of a CUDA device. The arrays of one
 * call are all in the same place. Those on a device are read and written in the order of a stream (cudaStream_t) of the
 * caller. Null is the default stream, and the work is complete when the function returns; in another stream it is
 * enqueued, but where memory of the host is read, and where a source is made that is kept. Results go to arrays apart
 * from those that are read, unless stated otherwise: those that overlap are refused. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \defgroup CudaSplineC Interface in C
   * @{ */

  /** Number of this interface: a library with another one has other structures. */
#define CUDASPLINE_C_INTERFACE 7

  /** Most dimensions of an image; values are made in 1 to 3. */
#define CUDASPLINE_MAXIMUM_DIMENSION 4

  /** \brief Bytes of a reason, its end included. */
#define CUDASPLINE_REASON_BYTES 512

  /** \brief The arguments of a progress callback. */
  typedef struct cudaspline_progress
  {
    double fraction; /**< what is done, in [0, 1] */
    void * data;     /**< cudaspline_execution::progress_data */
  } cudaspline_progress;

  /** \brief Where and by whom an operation runs, and who did. Every operation takes one. */
  typedef struct cudaspline_execution
  {
    const char * device; /**< of host arrays: "" or null: whatever is done first, or what the environment variable
                              CUDASPLINE_DEVICE says; "cpu"; "gpu"; the number of a device; "0,1": these */
    /** Of the host; 0: CUDASPLINE_THREADS or OMP_NUM_THREADS, else the processors that the affinity and the cgroup
     * give. */
    int32_t  threads;
    uint64_t memory_limit; /**< bytes on a device; 0: what it has */
    /** Called from the calling thread; 0 stops the operation, any other value continues. May be null. */
    int32_t (*progress)(const cudaspline_progress * progress);
    void *  progress_data;                   /**< handed to the callback */
    int32_t backend;                         /**< result: cudaspline_backend */
    int32_t used_device;                     /**< result: number of the (first) device; -1 for the host */
    int32_t pieces;                          /**< result: number of pieces, if memory did not hold the whole */
    char    reason[CUDASPLINE_REASON_BYTES]; /**< result: why it was not an earlier backend; empty where it was */
    double  seconds;                         /**< result: that the operation took on its backend */
    int64_t calls[3];                        /**< result: operations of the process so far, by cudaspline_backend */
    double  call_seconds[3];                 /**< result: that these have taken, by cudaspline_backend */
  } cudaspline_execution;

  /** \brief Properties of a device. */
  typedef struct cudaspline_device_info
  {
    char     name[256];       /**< as the driver names it */
    int32_t  major;           /**< compute capability, before the point */
    int32_t  minor;           /**< compute capability, after the point */
    int32_t  multiprocessors; /**< how many */
    uint64_t total_memory;    /**< bytes */
  } cudaspline_device_info;

  /** \brief An image, and what is made of it before it is evaluated. */
  typedef struct cudaspline_image
  {
    const void * pixels;                              /**< samples, x fastest */
    int32_t      device;                              /**< where they are: -1 for the host */
    void *       stream;                              /**< of a device: cudaStream_t */
    int32_t      dimension;                           /**< 1 to CUDASPLINE_MAXIMUM_DIMENSION */
    int64_t      start[CUDASPLINE_MAXIMUM_DIMENSION]; /**< index of the first sample */
    int64_t      size[CUDASPLINE_MAXIMUM_DIMENSION];  /**< samples an axis; what is above the dimension is not read */
    int32_t      components;                          /**< numbers a pixel, at least 1 */
    int32_t      pixel;                               /**< cudaspline_type of the samples */
    int32_t      element;                             /**< cudaspline_type of the result: CUDASPLINE_FLOAT32 or 64, or
                                                           \c pixel where samples move unchanged */
    int32_t order;                                    /**< of the B-spline: 0 and 1 have no prefilter */
    int32_t method;                                   /**< cudaspline_prefilter_method */
    int32_t taps;                                     /**< of CUDASPLINE_FIR: odd */
    int32_t extension[CUDASPLINE_MAXIMUM_DIMENSION];  /**< cudaspline_extension, by axis */
    int32_t storage;                                  /**< cudaspline_storage */
    int32_t table_entries;                            /**< of CUDASPLINE_MODE_TEXTURE_TABLE: 128 to 65536 */
  } cudaspline_image;

  /** \brief How a value is made. */
  typedef struct cudaspline_interpolation
  {
    int32_t kind;     /**< cudaspline_interpolation_kind */
    int32_t mode;     /**< cudaspline_mode */
    double  lower[3]; /**< continuous indices below are outside, by axis; ITK's is start - 0.5 */
    double  upper[3]; /**< those at or above are outside; ITK's is start + size - 0.5. At most 2^52 in magnitude */
    double  border;   /**< what stands outside under CUDASPLINE_GRID_CONSTANT */
    union
    {
      double cubic_c; /**< C of cubic convolution: the tension; of Catmull-Rom 0.5 (not a default) */
      double tension; /**< deprecated: former name of cubic_c */
    };
    int32_t window;    /**< of the windowed sinc: cudaspline_window */
    int32_t radius;    /**< of the windowed sinc: 1 to 8 or so (samples) */
    double  sigma[3];  /**< standard deviation of the label Gaussian, by axis (samples) */
    double  cutoff[3]; /**< distance beyond which it does not look, by axis (samples) */
    double  cubic_b;   /**< B of cubic convolution: how much it smooths; 0 for Catmull-Rom */
  } cudaspline_interpolation;

  /** \brief An interpolation with a name, and what is known of its kind. */
  typedef struct cudaspline_named_interpolation
  {
    const char * name;             /**< in small letters, as "mitchell" */
    const char * aliases[2];       /**< other names, in small letters; null: none */
    const char * kind_name;        /**< name of the kind, as "cubic-convolution" */
    int32_t      kind;             /**< cudaspline_interpolation_kind */
    int32_t      window;           /**< of the windowed sinc: cudaspline_window */
    double       cubic_b;          /**< of cubic convolution */
    double       cubic_c;          /**< of cubic convolution */
    int32_t      is_of_indicators; /**< 1: the name stands for the label whose indicator, interpolated so, is largest */
    int32_t      moves_pixels;     /**< 1: pixels move unchanged */
    int32_t      has_derivatives;  /**< 1: cudaspline_points::derivatives may be 1 and 2 */
    int32_t      is_mirrored;      /**< 1: ITK's extension is CUDASPLINE_MIRROR; 0: CUDASPLINE_NEAREST */
    int32_t      reach; /**< samples before the floor of an index that are read, for B-splines those of order 5;
                             -1 where it depends on a radius or a distance */
  } cudaspline_named_interpolation;

  /** \brief One transform of a chain: output point to input point, in mm. */
  typedef struct cudaspline_stage
  {
    int32_t      kind;              /**< cudaspline_stage_kind */
    double       matrix[9];         /**< of AFFINE */
    double       offset[3];         /**< of AFFINE: matrix * point + offset */
    int64_t      start[3];          /**< index of the grid's first sample */
    int64_t      size[3];           /**< samples of the grid */
    double       origin[3];         /**< place of the grid's index 0 (mm) */
    double       point_to_index[9]; /**< indices of the grid a mm */
    int32_t      order;             /**< of BSPLINE: 1 to 3 */
    int32_t      nearest;           /**< of FIELD: the nearest displacement, not the linearly interpolated one */
    int32_t      goes_on;           /**< of FIELD: the outermost displacements stand outside too */
    const void * data;              /**< displacements (mm): of BSPLINE a component after the other, of FIELD a vector
                                         after the other; where the image is, or in host memory */
    int32_t type;                   /**< CUDASPLINE_FLOAT64, or CUDASPLINE_FLOAT32 for a field */
  } cudaspline_stage;

  /** \brief A resampling: where each sample of the output is in the input.
   *
   * A sample goes from its index to its place by the output's grid, through the stages in the order in which they
   * stand, and to a continuous index of the input by the input's. Where all stages are affine the samples of a scanline
   * are interpolated between its ends, as ITK does it. */
  typedef struct cudaspline_resampling
  {
    cudaspline_interpolation interpolation;            /**< how a value is made */
    int32_t                  extrapolate;              /**< outside stands the nearest sample, not the default pixel */
    double                   input_origin[3];          /**< place of the input's index 0 (mm) */
    double                   input_point_to_index[9];  /**< indices of the input a mm */
    double                   output_origin[3];         /**< place of the output's index 0 (mm) */
    double                   output_index_to_point[9]; /**< mm an index of the output */
    int64_t                  output_start[3];          /**< index of the output's first sample */
    int64_t                  output_size[3];           /**< samples of the output; of as many axes as the input */
    const cudaspline_stage * stages;                   /**< the chain */
    int32_t                  stage_count;              /**< how many */
    void *                   output;        /**< the output's pixels, where the input's are; apart from them */
    int32_t                  output_type;   /**< cudaspline_type */
    int32_t                  rounding;      /**< cudaspline_rounding, of integers of the output */
    const void *             default_pixel; /**< of the output's type, a number a component, in host memory; null: 0 */
    int32_t                  device;        /**< of the output: -1 for the host */
    void *                   stream;        /**< of the output */
    int64_t line_start;  /**< index of the first sample of the scanlines that the output's lines are parts of */
    int64_t line_length; /**< samples of these; 0: the output's lines are whole. On the host, or with stages that are
                            not all affine */
  } cudaspline_resampling;

  /** \brief Values at points. Arrays are all in the same place, which need not be the source's where that is a device.
   */
  typedef struct cudaspline_points
  {
    cudaspline_interpolation interpolation;     /**< how a value is made */
    int32_t                  device;            /**< where the arrays are: -1 for the host, else the source's device */
    void *                   stream;            /**< of a device: where the work is enqueued; null: it is complete */
    int64_t                  count;             /**< points */
    const void *             points;            /**< as many numbers a point as there are dimensions, x first */
    int32_t                  point_type;        /**< CUDASPLINE_FLOAT32 or 64 */
    int32_t                  physical;          /**< points are places (mm), not continuous indices */
    double                   origin[3];         /**< place of the image's index 0 (mm), for places */
    double                   point_to_index[9]; /**< indices of the image a mm, for places */
    int32_t      derivatives;     /**< 0: values; 1: gradients too; 2: Hessians too. B-splines, cubic convolution */
    double       gradient_map[9]; /**< what gradients per sample are multiplied with: M g and M H M^T */
    int32_t      output_type;     /**< cudaspline_type of values; with derivatives CUDASPLINE_FLOAT32 or 64 */
    int32_t      rounding;        /**< cudaspline_rounding, of values that become integers */
    void *       values;          /**< one number per point; may be null */
    void *       gradients;       /**< a number a dimension, x first */
    void *       hessians;        /**< xx xy xz yy yz zz, xx xy yy, or xx */
    uint8_t *    inside;          /**< 1 where a point is inside, else 0; may be null */
    const void * default_value;   /**< of the output's type, in host memory: the value outside; null: 0 */
  } cudaspline_points;

  /** \brief Samples or coefficients of an image, made once: any number of threads evaluate it. */
  typedef struct cudaspline_source cudaspline_source;

  /** \brief CUDASPLINE_C_INTERFACE of the library. */
  int32_t
  cudaspline_interface(void);

  /** \brief The library's version, as "0.2.0". */
  const char *
  cudaspline_version(void);

  /** \brief Version of the CUDA Toolkit of the build, as "13.0"; empty where there was none. */
  const char *
  cudaspline_cuda_version(void);

  /** \brief What went wrong in this thread's last call that did not return CUDASPLINE_OK. Valid until its next call. */
  const char *
  cudaspline_last_error(void);

  /** \brief Number of names of interpolations. Returns it, not a code. */
  int32_t
  cudaspline_interpolation_count(void);

  /** \brief An interpolation with a name.
   *
   * \param[in] number 0 to cudaspline_interpolation_count() - 1
   * \param[out] interpolation its name, parameters and properties; strings are valid while the library is loaded */
  int32_t
  cudaspline_name_interpolation(int32_t number, cudaspline_named_interpolation * interpolation);

  /** \brief Number of usable devices. Returns it, not a code: 0 without a GPU, a driver, or in a forked child. */
  int32_t
  cudaspline_device_count(void);

  /** \brief Properties of a device.
   *
   * \param[in] device its number
   * \param[out] info the properties */
  int32_t
  cudaspline_query_device(int32_t device, cudaspline_device_info * info);

  /** \brief The device that a word chooses, as cudaspline_execution::device.
   *
   * \param[in] word the word; null: ""
   * \param[out] device its number; -1: the host
   * \param[out] reason CUDASPLINE_REASON_BYTES: why there is no device; may be null */
  int32_t
  cudaspline_select_device(const char * word, int32_t * device, char * reason);

  /** \brief The device in whose memory a pointer points. Returns it, not a code: -1 for memory of the host. */
  int32_t
  cudaspline_device_of_pointer(const void * pointer);

  /** \brief Gives memory back to the devices that the library keeps and does not use. */
  int32_t
  cudaspline_release_memory(void);

  /** \brief B-spline coefficients of an image.
   *
   * \param[in] image the image, of storage ELEMENT; its element is the coefficients' type
   * \param[in] axis the only axis whose lines are filtered, x is 0; -1: all
   * \param[out] coefficients where the pixels are, as many numbers; the same array where the types are the same, or
   * apart
   * \param[in,out] execution where it runs */
  int32_t
  cudaspline_prefilter(const cudaspline_image * image,
                       int32_t                  axis,
                       void *                   coefficients,
                       cudaspline_execution *   execution);

  /** \brief The samples of a line from which some of its coefficients are computed, bit for bit as from the whole line.
   *
   * An image of these samples, filtered by itself, has these coefficients. Under CUDASPLINE_GRID_WRAP the samples may
   * begin before the line, or end after it: those are the samples of the extension there.
   *
   * \param[in] image the whole; its pixels are not read, but the pointer is not null
   * \param[in] axis along which the line is
   * \param[in,out] first wanted coefficient, from the first in memory; gets the first sample
   * \param[in,out] size how many of each */
  int32_t
  cudaspline_prefilter_window(const cudaspline_image * image, int32_t axis, int64_t * first, int64_t * size);

  /** \brief Makes a source.
   *
   * \param[in] image the image. Its pixels are not read after the call, unless \p borrow is set.
   * \param[in] borrow whether the pixels may be read where they are, while the source lives
   * \param[in,out] execution where it is made, and will be evaluated
   * \param[out] source the source, to be given to cudaspline_release_source() */
  int32_t
  cudaspline_make_source(const cudaspline_image * image,
                         int32_t                  borrow,
                         cudaspline_execution *   execution,
                         cudaspline_source **     source);

  /** \brief Lets a source go; waits for the work that reads it. Null is nothing. */
  void
  cudaspline_release_source(cudaspline_source * source);

  /** \brief Where a source is. Returns the number of its device, not a code: -1 for the host. */
  int32_t
  cudaspline_source_device(const cudaspline_source * source);

  /** \brief Copies the elements of a source in host memory: what is evaluated, of the image's \c element, components in
   * planes. A source of the same image of these, of the method CUDASPLINE_COEFFICIENTS, has the same values.
   *
   * \param[in] source in host memory, of the storage CUDASPLINE_ELEMENT
   * \param[out] elements host memory
   * \param[in] bytes its length, of all elements
   * \return CUDASPLINE_INVALID_ARGUMENT for other sources, and another length */
  int32_t
  cudaspline_source_elements(const cudaspline_source * source, void * elements, int64_t bytes);

  /** \brief Evaluates a source at points.
   *
   * \param[in] source of 1 to 3 dimensions and one component
   * \param[in] points what is evaluated, and where the results go
   * \param[in,out] execution threads and progress; its device is the source's */
  int32_t
  cudaspline_sample(const cudaspline_source * source,
                    const cudaspline_points * points,
                    cudaspline_execution *    execution);

  /** \brief Evaluates an image on a device at points there, as cudaspline_make_source(), which borrows, and
   * cudaspline_sample() do, in the stream of the points and without a wait between them.
   *
   * \param[in] image of 1 to 3 dimensions and one component
   * \param[in] points what is evaluated, and where the results go
   * \param[in,out] execution progress */
  int32_t
  cudaspline_sample_image(const cudaspline_image *  image,
                          const cudaspline_points * points,
                          cudaspline_execution *    execution);

  /** \brief Resamples a source.
   *
   * \param[in] source of 1 to 3 dimensions; cudaspline_resampling::extrapolate continues its pixels only if they were
   * neither filtered nor stored in another type
   * \param[in] resampling what is done
   * \param[in,out] execution threads and progress; its device is the source's */
  int32_t
  cudaspline_resample_source(const cudaspline_source *     source,
                             const cudaspline_resampling * resampling,
                             cudaspline_execution *        execution);

  /** \brief Resamples an image: makes a source and evaluates it, where that is done first, and in pieces where a
   * device's memory does not hold the whole.
   *
   * \param[in] image the image, of 1 to 3 dimensions
   * \param[in] resampling what is done
   * \param[in,out] execution where it runs */
  int32_t
  cudaspline_resample(const cudaspline_image *      image,
                      const cudaspline_resampling * resampling,
                      cudaspline_execution *        execution);

  /** \brief How coarsely an output samples its image: about the output's centre, samples of the image from half a
   * sample of the output before it to half a sample after it, along each of its axes.
   *
   * \param[in] image of 1 to 3 dimensions; its pixels are not read, but the pointer is not null
   * \param[in] resampling of the whole output, whose stages are in host memory; its output is not written
   * \param[out] steps 9 numbers, at least 0: three for each axis of the image, one for each axis of the output, x
   * first; 0 for axes of one sample, of either */
  int32_t
  cudaspline_sampling_steps(const cudaspline_image * image, const cudaspline_resampling * resampling, double * steps);

  /** \brief Smooths an image that will be sampled more coarsely: along each axis with a large step by a recursive
   * Gaussian of the variance (step^2 - 1) / (8 ln 2), in squares of samples.
   *
   * It makes of the point spread of a sample of the image that of a sample of the output, both taken for Gaussians with
   * a full width at half maximum of the spacing. Steps up to 1.1 and axes of fewer than 4 samples are left alone.
   * Results are rounded to float after each axis.
   *
   * \param[in] image the image, in host memory, of one number a pixel and order 0; its element is the output's type
   * \param[in] steps samples of the image from a sample of the output to the next, by axis, x first
   * \param[out] output as many numbers as the image, apart from it
   * \param[in,out] execution where it runs
   * \return CUDASPLINE_INVALID_ARGUMENT for other images, and where no axis is to be smoothed */
  int32_t
  cudaspline_smooth_for_sampling(const cudaspline_image * image,
                                 const double *           steps,
                                 void *                   output,
                                 cudaspline_execution *   execution);

  /** \brief The samples of the input that boxes of the output read, with what their prefilter needs.
   *
   * An image of these samples, with its \c start, and a resampling of the box alone, of which \c output_start,
   * \c output_size, \c line_start and \c line_length are its position in the whole, have the bits of the whole.
   *
   * \param[in] image the whole, of storage ELEMENT, in host memory; its pixels are not read, but the pointer is not
   * null
   * \param[in] resampling of the whole output; its output is not written, but the pointer is not null
   * \param[in] count boxes
   * \param[in] first the first sample of each, from the output's first one: three numbers, x first
   * \param[in] size samples by axis, as many numbers
   * \param[out] window_first the first sample of the input, from the first in memory: three numbers each
   * \param[out] window_size samples by axis, as many numbers; 0 where a box reads nothing of the input */
  int32_t
  cudaspline_resample_windows(const cudaspline_image *      image,
                              const cudaspline_resampling * resampling,
                              int64_t                       count,
                              const int64_t *               first,
                              const int64_t *               size,
                              int64_t *                     window_first,
                              int64_t *                     window_size);

  /** \brief Whether an image looks like labels, whose values must not be mixed: whole numbers, and 2 to 128 distinct
   * values (of real types 3 to 128) with 16 pixels for each on average. Returns it (1 or 0), not a code: 0 also without
   * pixels, or for a type that is not known.
   *
   * \param[in] pixels one number a pixel, host memory
   * \param[in] type cudaspline_type
   * \param[in] count number of pixels */
  int32_t
  cudaspline_looks_like_labels(const void * pixels, int32_t type, int64_t count);

  /** \brief The number of values that are not finite (NaN or infinite), not a code: 0 also without pixels, of integers,
   * or for a type that is not known.
   *
   * \param[in] pixels one number a pixel, host memory
   * \param[in] type cudaspline_type
   * \param[in] count number of pixels
   * \param[in] threads of the host; 0: as for an execution */
  int64_t
  cudaspline_count_non_finite(const void * pixels, int32_t type, int64_t count, int32_t threads);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
