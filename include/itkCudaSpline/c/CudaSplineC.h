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
 * \brief The C interface of the kernels layer, for other languages. It is in the library libCudaSplineC.
 *
 * Every function returns a code unless stated otherwise: CUDASPLINE_OK (0) if it succeeded. Otherwise
 * cudaspline_last_error() of the same thread describes the error. No exception leaves the library. All functions are
 * thread-safe.
 *
 * The caller sets structures to zero before it sets their fields. Zero is the default of a field unless stated
 * otherwise. Axes are in the order x first, where x is the fastest axis in memory: the reverse order of NumPy's shapes.
 * Matrices have 9 elements, three rows of three; in fewer dimensions only the leading rows and columns are used. The
 * components of a pixel are contiguous.
 *
 * The device of an array is -1 for host memory, else the number of a CUDA device. All arrays of a call are on the same
 * device. Arrays on a device are read and written in the order of a stream (cudaStream_t) of the caller. With the
 * default stream (null) the work is complete when the function returns. In another stream the work is enqueued, except
 * if host memory is read or a persistent source is made. Outputs must not overlap inputs unless stated otherwise;
 * overlapping arrays are rejected. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \defgroup CudaSplineC Interface in C
   * @{ */

  /** Version of this interface. The structures of another version differ. */
#define CUDASPLINE_C_INTERFACE 9

  /** Maximum number of dimensions of an image. Values are interpolated in 1 to 3. */
#define CUDASPLINE_MAXIMUM_DIMENSION 4

  /** \brief Bytes of a reason, including its terminating 0. */
#define CUDASPLINE_REASON_BYTES 512

  /** \brief The arguments of a progress callback. */
  typedef struct cudaspline_progress
  {
    double fraction; /**< fraction of the work that is done, in [0, 1] */
    void * data;     /**< cudaspline_execution::progress_data */
  } cudaspline_progress;

  /** \brief How an operation runs, and which backend has run it. Every operation takes one. */
  typedef struct cudaspline_execution
  {
    /** For host arrays. "" or null: the backend that is expected to finish first, or the environment variable
     * CUDASPLINE_DEVICE; "cpu"; "gpu"; the number of a device; "0,1": these devices. */
    const char * device;
    /** Threads of the host. 0: CUDASPLINE_THREADS or OMP_NUM_THREADS, else the number of processors that affinity and
     * cgroup allow. */
    int32_t  threads;
    uint64_t memory_limit; /**< maximum bytes on a device; 0: all of its memory */
    /** Called from the calling thread; 0 stops the operation, any other value continues. May be null. */
    int32_t (*progress)(const cudaspline_progress * progress);
    void *  progress_data;                   /**< passed to the callback */
    int32_t backend;                         /**< result: cudaspline_backend */
    int32_t used_device;                     /**< result: number of the (first) device; -1 for the host */
    int32_t pieces;                          /**< result: number of pieces, if memory did not suffice for the whole */
    char    reason[CUDASPLINE_REASON_BYTES]; /**< result: why an earlier backend was not used; may be empty */
    double  seconds;                         /**< result: duration of the operation on its backend */
    /** Result: operations of the process so far, for each cudaspline_backend. */
    int64_t calls[3];
    double  call_seconds[3]; /**< result: their total duration, for each cudaspline_backend */
  } cudaspline_execution;

  /** \brief Properties of a device. */
  typedef struct cudaspline_device_info
  {
    char     name[256];       /**< the driver's name of the device */
    int32_t  major;           /**< major compute capability */
    int32_t  minor;           /**< minor compute capability */
    int32_t  multiprocessors; /**< number of multiprocessors */
    uint64_t total_memory;    /**< bytes */
  } cudaspline_device_info;

  /** \brief An image, and the preparation of its samples. */
  typedef struct cudaspline_image
  {
    const void * pixels;                              /**< samples, x fastest */
    int32_t      device;                              /**< device of the samples; -1 for the host */
    void *       stream;                              /**< for a device: cudaStream_t */
    int32_t      dimension;                           /**< 1 to CUDASPLINE_MAXIMUM_DIMENSION */
    int64_t      start[CUDASPLINE_MAXIMUM_DIMENSION]; /**< index of the first sample */
    int64_t      size[CUDASPLINE_MAXIMUM_DIMENSION];  /**< samples per axis; not read for unused axes */
    int32_t      components;                          /**< components per pixel, at least 1 */
    int32_t      pixel;                               /**< cudaspline_type of the samples */
    /** cudaspline_type of the result: CUDASPLINE_FLOAT32 or 64, or \c pixel if samples are copied unchanged. */
    int32_t element;
    int32_t order;                                   /**< order of the B-spline; 0 and 1 have no prefilter */
    int32_t method;                                  /**< cudaspline_prefilter_method */
    int32_t taps;                                    /**< of CUDASPLINE_FIR: odd */
    int32_t extension[CUDASPLINE_MAXIMUM_DIMENSION]; /**< cudaspline_extension of each axis */
    int32_t storage;                                 /**< cudaspline_storage */
    int32_t table_entries;                           /**< of CUDASPLINE_MODE_TEXTURE_TABLE: 128 to 65536 */
  } cudaspline_image;

  /** \brief An interpolation method. */
  typedef struct cudaspline_interpolation
  {
    int32_t kind;     /**< cudaspline_interpolation_kind */
    int32_t mode;     /**< cudaspline_mode */
    double  lower[3]; /**< continuous indices below are outside, for each axis; in ITK start - 0.5 */
    /** Continuous indices at or above are outside; in ITK start + size - 0.5. Magnitude at most 2^52. */
    double upper[3];
    double border; /**< value outside for CUDASPLINE_GRID_CONSTANT */
    union
    {
      double cubic_c; /**< C of cubic convolution: the tension; 0.5 for Catmull-Rom (not the default) */
      double tension; /**< deprecated: former name of cubic_c */
    };
    int32_t window;    /**< of the windowed sinc: cudaspline_window */
    int32_t radius;    /**< of the windowed sinc: 1 to about 8 (samples) */
    double  sigma[3];  /**< standard deviation of the label Gaussian along each axis (samples) */
    double  cutoff[3]; /**< cut-off distance of the label Gaussian along each axis (samples) */
    double  cubic_b;   /**< B of cubic convolution: amount of smoothing; 0 for Catmull-Rom */
  } cudaspline_interpolation;

  /** \brief A named interpolation, and the properties of its kind. */
  typedef struct cudaspline_named_interpolation
  {
    const char * name;       /**< in lower case, as "mitchell" */
    const char * aliases[2]; /**< other names, in lower case; null: no name */
    const char * kind_name;  /**< name of the kind, as "cubic-convolution" */
    int32_t      kind;       /**< cudaspline_interpolation_kind */
    int32_t      window;     /**< of the windowed sinc: cudaspline_window */
    double       cubic_b;    /**< of cubic convolution */
    double       cubic_c;    /**< of cubic convolution */
    /** 1: the interpolation of labels: the label with the largest interpolated indicator. */
    int32_t is_of_indicators;
    int32_t moves_pixels;    /**< 1: pixels are copied unchanged */
    int32_t has_derivatives; /**< 1: cudaspline_points::derivatives may be 1 and 2 */
    int32_t is_mirrored;     /**< 1: ITK's extension is CUDASPLINE_MIRROR; 0: CUDASPLINE_NEAREST */
    /** Number of samples before the floor of an index that are read, for B-splines those of order 5; -1 if it depends
     * on a radius or a distance. */
    int32_t reach;
  } cudaspline_named_interpolation;

  /** \brief One transform of a chain, from output point to input point, in mm. */
  typedef struct cudaspline_stage
  {
    int32_t kind;              /**< cudaspline_stage_kind */
    double  matrix[9];         /**< of AFFINE */
    double  offset[3];         /**< of AFFINE: matrix * point + offset */
    int64_t start[3];          /**< index of the grid's first sample */
    int64_t size[3];           /**< samples of the grid */
    double  origin[3];         /**< point of the grid's index 0 (mm) */
    double  point_to_index[9]; /**< indices of the grid per mm */
    int32_t order;             /**< of BSPLINE: 1 to 3 */
    int32_t nearest;           /**< of FIELD: the nearest displacement, not the linearly interpolated one */
    int32_t goes_on;           /**< of FIELD: the displacements at the border are continued outside */
    /** Displacements (mm): for BSPLINE one component after the other, for FIELD one vector after the other. In the
     * memory of the image, or in host memory. */
    const void * data;
    int32_t      type; /**< CUDASPLINE_FLOAT64, or CUDASPLINE_FLOAT32 for a field */
  } cudaspline_stage;

  /** \brief A resampling: maps each sample of the output to the input.
   *
   * The output's grid maps the index of a sample to a point. The stages map it in their order, and the input's grid
   * maps it to a continuous index. If all stages are affine, the samples of a scanline are interpolated between its
   * ends, as in ITK. */
  typedef struct cudaspline_resampling
  {
    cudaspline_interpolation interpolation; /**< interpolation method */
    /** The value outside is that of the nearest sample, not the default pixel. */
    int32_t extrapolate;
    double  input_origin[3];          /**< point of the input's index 0 (mm) */
    double  input_point_to_index[9];  /**< indices of the input per mm */
    double  output_origin[3];         /**< point of the output's index 0 (mm) */
    double  output_index_to_point[9]; /**< mm per index of the output */
    int64_t output_start[3];          /**< index of the output's first sample */
    /** Samples of the output, which has as many axes as the input. */
    int64_t                  output_size[3];
    const cudaspline_stage * stages;      /**< the chain */
    int32_t                  stage_count; /**< number of stages */
    /** The output's pixels, on the device of the input's; must not overlap them. */
    void *  output;
    int32_t output_type; /**< cudaspline_type */
    int32_t rounding;    /**< cudaspline_rounding, for integer outputs */
    /** Of the output's type, one number per component, in host memory; null: 0. */
    const void * default_pixel;
    int32_t      device;     /**< device of the output; -1 for the host */
    void *       stream;     /**< stream of the output */
    int64_t      line_start; /**< index of the first sample of the complete scanlines that contain the output's lines */
    /** Samples of the complete scanlines. 0: the output's lines are complete. On the host, or with stages that are not
     * all affine. */
    int64_t line_length;
  } cudaspline_resampling;

  /** \brief Values at points. All arrays are on the same device, which may differ from that of a source on a device.
   */
  typedef struct cudaspline_points
  {
    cudaspline_interpolation interpolation; /**< interpolation method */
    int32_t                  device;        /**< device of the arrays: -1 for the host, else the source's device */
    /** For a device: stream in which the work is enqueued; null: the call waits. */
    void *       stream;
    int64_t      count;             /**< number of points */
    const void * points;            /**< one coordinate per dimension for each point, x first */
    int32_t      point_type;        /**< CUDASPLINE_FLOAT32 or 64 */
    int32_t      physical;          /**< nonzero: points are physical (mm), else continuous indices */
    double       origin[3];         /**< point of the image's index 0 (mm), for physical points */
    double       point_to_index[9]; /**< indices of the image per mm, for physical points */
    /** 0: values; 1: also gradients; 2: also Hessians. Only for B-splines and cubic convolution. */
    int32_t      derivatives;
    double       gradient_map[9]; /**< matrix M that multiplies derivatives per sample: M g and M H M^T */
    int32_t      output_type;     /**< cudaspline_type of values; with derivatives CUDASPLINE_FLOAT32 or 64 */
    int32_t      rounding;        /**< cudaspline_rounding, for integer values */
    void *       values;          /**< one number per point; may be null */
    void *       gradients;       /**< one number per dimension for each point, x first */
    void *       hessians;        /**< xx xy xz yy yz zz, xx xy yy, or xx */
    uint8_t *    inside;          /**< 1 where a point is inside, else 0; may be null */
    const void * default_value;   /**< value outside, of the output's type, in host memory; null: 0 */
  } cudaspline_points;

  /** \brief Samples or coefficients of an image, made once. Any number of threads may evaluate it. */
  typedef struct cudaspline_source cudaspline_source;

  /** \brief CUDASPLINE_C_INTERFACE of the library. */
  int32_t
  cudaspline_interface(void);

  /** \brief The library's version, as "0.2.0". */
  const char *
  cudaspline_version(void);

  /** \brief Version of the CUDA Toolkit of the build, as "13.0"; empty for a build without CUDA. */
  const char *
  cudaspline_cuda_version(void);

  /** \brief Describes the error of this thread's last call that did not return CUDASPLINE_OK. Valid until its next
   * call. */
  const char *
  cudaspline_last_error(void);

  /** \brief Returns the number of named interpolations, not a code. */
  int32_t
  cudaspline_interpolation_count(void);

  /** \brief Returns a named interpolation.
   *
   * \param[in] number 0 to cudaspline_interpolation_count() - 1
   * \param[out] interpolation its name, parameters and properties; strings are valid while the library is loaded */
  int32_t
  cudaspline_name_interpolation(int32_t number, cudaspline_named_interpolation * interpolation);

  /** \brief Returns the number of usable devices, not a code: 0 without a GPU, without a driver, or in a forked
   * child. */
  int32_t
  cudaspline_device_count(void);

  /** \brief Properties of a device.
   *
   * \param[in] device its number
   * \param[out] info the properties */
  int32_t
  cudaspline_query_device(int32_t device, cudaspline_device_info * info);

  /** \brief Selects a device with an option as in cudaspline_execution::device.
   *
   * \param[in] word the option; null: ""
   * \param[out] device number of the device; -1: the host
   * \param[out] reason CUDASPLINE_REASON_BYTES: why there is no device; may be null */
  int32_t
  cudaspline_select_device(const char * word, int32_t * device, char * reason);

  /** \brief Returns the device of the memory that a pointer refers to, not a code: -1 for host memory. */
  int32_t
  cudaspline_device_of_pointer(const void * pointer);

  /** \brief Releases the device memory that the library has cached and does not use. */
  int32_t
  cudaspline_release_memory(void);

  /** \brief Computes the B-spline coefficients of an image.
   *
   * \param[in] image the image, with storage ELEMENT; its element is the coefficients' type
   * \param[in] axis the only axis whose lines are filtered, x is 0; -1: all
   * \param[out] coefficients on the device of the pixels, with as many numbers. The same array as the pixels if the
   * types are equal, or an array that does not overlap
   * \param[in,out] execution how it runs */
  int32_t
  cudaspline_prefilter(const cudaspline_image * image,
                       int32_t                  axis,
                       void *                   coefficients,
                       cudaspline_execution *   execution);

  /** \brief Finds the samples of a line that are needed to compute some of its coefficients, bitwise equal to those
   * from the whole line.
   *
   * An image of these samples, filtered by itself, has these coefficients. With CUDASPLINE_GRID_WRAP the samples may
   * begin before the line, or end after it: there they are the samples of the extension.
   *
   * \param[in] image the whole image; its pixels are not read, but the pointer must not be null
   * \param[in] axis axis of the line
   * \param[in,out] first first requested coefficient, relative to the first in memory; receives the first sample
   * \param[in,out] size number of coefficients; receives the number of samples */
  int32_t
  cudaspline_prefilter_window(const cudaspline_image * image, int32_t axis, int64_t * first, int64_t * size);

  /** \brief Makes a source.
   *
   * \param[in] image the image. Its pixels are not read after the call, unless \p borrow is set
   * \param[in] borrow whether the source may read the pixels in their memory while it exists
   * \param[in,out] execution the backend that makes and will evaluate it
   * \param[out] source the source, which cudaspline_release_source() must release */
  int32_t
  cudaspline_make_source(const cudaspline_image * image,
                         int32_t                  borrow,
                         cudaspline_execution *   execution,
                         cudaspline_source **     source);

  /** \brief Releases a source after the work that reads it. Null is ignored. */
  void
  cudaspline_release_source(cudaspline_source * source);

  /** \brief Returns the number of a source's device, not a code: -1 for the host. */
  int32_t
  cudaspline_source_device(const cudaspline_source * source);

  /** \brief Copies the elements of a source in host memory, from which values are interpolated: of the image's \c
   * element, with components in planes. A source of the same image with these elements as pixels, and the method
   * CUDASPLINE_COEFFICIENTS, has the same values.
   *
   * \param[in] source source in host memory, with the storage CUDASPLINE_STORAGE_ELEMENT
   * \param[out] elements host memory
   * \param[in] bytes its length, of all elements
   * \return CUDASPLINE_INVALID_ARGUMENT for other sources, or another length */
  int32_t
  cudaspline_source_elements(const cudaspline_source * source, void * elements, int64_t bytes);

  /** \brief Evaluates a source at points.
   *
   * \param[in] source source of 1 to 3 dimensions and one component
   * \param[in] points points and results
   * \param[in,out] execution threads and progress; its device is the source's */
  int32_t
  cudaspline_sample(const cudaspline_source * source,
                    const cudaspline_points * points,
                    cudaspline_execution *    execution);

  /** \brief Evaluates an image on a device at points on that device. It does the same as cudaspline_make_source() with
   * \p borrow followed by cudaspline_sample(), in the stream of the points and without waiting between them.
   *
   * \param[in] image image of 1 to 3 dimensions and one component
   * \param[in] points points and results
   * \param[in,out] execution progress */
  int32_t
  cudaspline_sample_image(const cudaspline_image *  image,
                          const cudaspline_points * points,
                          cudaspline_execution *    execution);

  /** \brief Resamples a source.
   *
   * \param[in] source source of 1 to 3 dimensions; cudaspline_resampling::extrapolate continues its pixels only if they
   * were neither filtered nor stored in another type
   * \param[in] resampling the resampling
   * \param[in,out] execution threads and progress; its device is the source's */
  int32_t
  cudaspline_resample_source(const cudaspline_source *     source,
                             const cudaspline_resampling * resampling,
                             cudaspline_execution *        execution);

  /** \brief Resamples an image: makes a source and evaluates it on the backend that is expected to finish first, and in
   * pieces if a device's memory does not suffice for the whole.
   *
   * \param[in] image the image, of 1 to 3 dimensions
   * \param[in] resampling the resampling
   * \param[in,out] execution how it runs */
  int32_t
  cudaspline_resample(const cudaspline_image *      image,
                      const cudaspline_resampling * resampling,
                      cudaspline_execution *        execution);

  /** \brief Measures how coarsely an output samples its image: the number of samples of the image over one sample of
   * the output along each of its axes, from half a sample before the output's centre to half a sample after it.
   *
   * \param[in] image image of 1 to 3 dimensions; its pixels are not read, but the pointer must not be null
   * \param[in] resampling resampling of the whole output, with stages in host memory; its output is not written
   * \param[out] steps 9 numbers, at least 0: three for each axis of the image, one for each axis of the output, x
   * first; 0 for axes of the image or of the output with a single sample */
  int32_t
  cudaspline_sampling_steps(const cudaspline_image * image, const cudaspline_resampling * resampling, double * steps);

  /** \brief Smooths an image before coarser sampling: along each axis with a large step by a recursive Gaussian of the
   * variance (step^2 - 1) / (8 ln 2), in squared samples.
   *
   * It turns the point spread of a sample of the image into that of a sample of the output. Both are assumed to be
   * Gaussians with a full width at half maximum of the spacing. Axes with steps up to 1.1 and axes with fewer than 4
   * samples are not smoothed. Results are rounded to float after each axis.
   *
   * \param[in] image the image, in host memory, with one component and order 0; its element is the output's type
   * \param[in] steps samples of the image per sample of the output along each axis, x first
   * \param[out] output as many numbers as the image; must not overlap it
   * \param[in,out] execution how it runs
   * \return CUDASPLINE_INVALID_ARGUMENT for other images, and if no axis needs smoothing */
  int32_t
  cudaspline_smooth_for_sampling(const cudaspline_image * image,
                                 const double *           steps,
                                 void *                   output,
                                 cudaspline_execution *   execution);

  /** \brief Finds the samples of the input that boxes of the output read, including those for the prefilter.
   *
   * Take an image of these samples, with its \c start, and a resampling of only the box, with \c output_start, \c
   * output_size, \c line_start and \c line_length for its position in the whole output. The result is bitwise equal to
   * the box of the whole output.
   *
   * \param[in] image the whole image, with storage ELEMENT, in host memory; its pixels are not read, but the pointer
   * must not be null
   * \param[in] resampling resampling of the whole output; its output is not written, but the pointer must not be null
   * \param[in] count number of boxes
   * \param[in] first the first sample of each box, relative to the output's first one: three numbers, x first
   * \param[in] size samples per axis, three numbers for each box
   * \param[out] window_first the first sample of the input, relative to the first in memory: three numbers for each box
   * \param[out] window_size samples per axis, three numbers for each box; 0 if a box reads no sample of the input */
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
   * \param[in] pixels one number per pixel, in host memory
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
