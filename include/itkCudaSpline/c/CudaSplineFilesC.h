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
#ifndef itkCudaSpline_c_CudaSplineFilesC_h
#define itkCudaSpline_c_CudaSplineFilesC_h

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief File formats in memory, in C: headers and numbers of NIfTI. No function opens a file.
 *
 * For codes and errors see CudaSplineC.h. The rules are in doc/FileFormats.md. */

#ifdef __cplusplus
extern "C"
{
#endif

  /* NOLINTBEGIN(modernize-use-using): structures of C, too */

  /** \addtogroup CudaSplineC
   * @{ */

  /** Maximum bytes of a header, including those before the pixels of a single file. */
#define CUDASPLINE_NIFTI_HEADER_BYTES 544

  /** \brief The meaning of the components of a pixel. */
  enum cudaspline_nifti_pixel
  {
    CUDASPLINE_NIFTI_SCALAR = 0,           /**< one number */
    CUDASPLINE_NIFTI_VECTOR = 1,           /**< vectors along LPS, or other lists of components */
    CUDASPLINE_NIFTI_DISPLACEMENT = 2,     /**< in the file along RAS, in memory along LPS */
    CUDASPLINE_NIFTI_SYMMETRIC_MATRIX = 3, /**< in memory the upper triangle, row by row */
    CUDASPLINE_NIFTI_RGB = 4,              /**< red, green, blue */
    CUDASPLINE_NIFTI_RGBA = 5,             /**< red, green, blue, opacity */
    CUDASPLINE_NIFTI_COMPLEX = 6           /**< real and imaginary part */
  };

  /** \brief A NIfTI image. Geometry is in LPS, in mm, x first. */
  typedef struct cudaspline_nifti
  {
    int32_t  version;              /**< 1 or 2 */
    int32_t  single_file;          /**< nonzero: header and pixels are in one file, else in .hdr and .img */
    int32_t  swapped;              /**< nonzero: the byte order differs from this machine's */
    int32_t  dimension;            /**< 2 or 3 */
    int32_t  pixel;                /**< cudaspline_nifti_pixel */
    int32_t  components;           /**< components per pixel */
    int32_t  planes;               /**< nonzero: all volumes of a component are contiguous in the file */
    int32_t  stored_type;          /**< cudaspline_type of a number in the file */
    int32_t  type;                 /**< cudaspline_type of a number in memory */
    int32_t  scaled;               /**< a number is slope * stored + intercept */
    int64_t  size[3];              /**< voxels; in 2 dimensions the last one is 1 */
    int64_t  volumes;              /**< number of volumes along the fourth axis */
    uint64_t pixel_offset;         /**< offset of the first pixel in its (uncompressed) file (bytes) */
    double   slope;                /**< slope of the scaling */
    double   intercept;            /**< intercept of the scaling */
    double   spacing[3];           /**< mm; in 2 dimensions the last one is the thickness */
    double   origin[3];            /**< centre of the first voxel, mm */
    double   direction[9];         /**< row by row; the columns are the directions of the axes */
    int32_t  qform_code;           /**< 0: unknown, 1: scanner, 2: aligned, 3: Talairach, 4: MNI 152, 5: template */
    int32_t  sform_code;           /**< the same */
    int32_t  intent_code;          /**< code of nifti1.h */
    int32_t  dim_info;             /**< axes of frequency, phase and slice encoding */
    int32_t  slice_code;           /**< order of the slices in time */
    int32_t  volume_unit;          /**< unit of the fourth axis: 8: s, 0: unknown, 32: Hz, 40: ppm, 48: rad/s */
    double   intent_parameters[3]; /**< intent_p1 to intent_p3 */
    double   cal_min;              /**< displayed as black */
    double   cal_max;              /**< displayed as white */
    double   slice_duration;       /**< in the unit of the fourth axis */
    double   volume_spacing;       /**< spacing of the fourth axis, in its unit; 0: unknown */
    double   volume_origin;        /**< toffset, in the same unit */
    int64_t  slice_start;          /**< first slice to which slice_code applies */
    int64_t  slice_end;            /**< last slice to which it applies */
    char     intent_name[17];      /**< with its terminating 0 */
    char     description[81];      /**< with its terminating 0 */
    char     aux_file[25];         /**< with its terminating 0 */
  } cudaspline_nifti;

  /** \brief Interprets a header.
   *
   * \param[in] bytes the beginning of the uncompressed file with the header
   * \param[in] count number of bytes; at least 348 for NIfTI-1 or 540 for NIfTI-2
   * \param[out] image the description of the image
   * \param[out] warnings sentences, separated by "; "; empty: no warnings
   * \param[in] warning_bytes size of \p warnings, to which the text is truncated */
  int32_t
  cudaspline_describe_nifti(const void *       bytes,
                            int64_t            count,
                            cudaspline_nifti * image,
                            char *             warnings,
                            int64_t            warning_bytes);

  /** \brief Returns why an image is not a displacement field of ITK although it has the components of one: FSL, SPM,
   * NiftyReg or AFNI wrote it.
   *
   * \param[in] bytes as for cudaspline_describe_nifti(), with the extensions of the header
   * \param[in] count number of bytes
   * \param[out] reason the reason; empty: none was found
   * \param[in] reason_bytes size of \p reason, to which the text is truncated */
  int32_t
  cudaspline_nifti_foreign_warp(const void * bytes, int64_t count, char * reason, int64_t reason_bytes);

  /** \brief Converts all stored bytes of an image to numbers. Scaled numbers outside the range of the type are an
   * error.
   *
   * \param[in] image result of cudaspline_describe_nifti()
   * \param[in] stored bytes from the first pixel on
   * \param[in] count number of bytes; too few are an error
   * \param[out] numbers numbers of \c type: all volumes, x fastest, the components of a pixel contiguous */
  int32_t
  cudaspline_read_nifti(const cudaspline_nifti * image, const void * stored, int64_t count, void * numbers);

  /** \brief Writes a header in this machine's byte order.
   *
   * \param[in,out] image the image to describe; the members that describe the file are set: \c version, \c
   * pixel_offset, \c planes and so on
   * \param[out] bytes CUDASPLINE_NIFTI_HEADER_BYTES of memory
   * \param[out] count number of bytes written: all before the pixels of a single file */
  int32_t
  cudaspline_make_nifti_header(cudaspline_nifti * image, void * bytes, int64_t * count);

  /** \brief Converts numbers to stored bytes.
   *
   * \param[in] image result of cudaspline_make_nifti_header()
   * \param[in] numbers in the layout of cudaspline_read_nifti()
   * \param[in] begin first byte, relative to the first pixel
   * \param[in] count number of bytes
   * \param[out] stored destination */
  int32_t
  cudaspline_write_nifti(const cudaspline_nifti * image,
                         const void *             numbers,
                         int64_t                  begin,
                         int64_t                  count,
                         void *                   stored);

  /** @} */

  /* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
