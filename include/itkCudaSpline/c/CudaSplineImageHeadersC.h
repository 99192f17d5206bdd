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
#ifndef itkCudaSpline_c_CudaSplineImageHeadersC_h
#define itkCudaSpline_c_CudaSplineImageHeadersC_h

#include "itkCudaSpline/c/CudaSplineCodes.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief Headers of image files, in C. No function opens a file. For codes and errors see CudaSplineC.h. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** \defgroup CudaSplineImageHeadersC Headers of image files in C
   * @{ */

  /** \brief Describes the header of an NRRD file or a MetaImage.
   *
   * The description is a JSON object in UTF-8. Its members are those of ImageFileHeader in files/ImageFileHeader.h.
   *
   * * The image: \c size, \c spacing, \c origin (x first, mm, in ITK's space LPS), \c direction (rows of the matrix,
   *   whose columns are the axes), \c type (cudaspline_type), \c components, \c meaning ("scalar", "complex", "rgb",
   *   "rgba", "vector", "covariant-vector", "point", "symmetric-tensor"), \c is_series, \c volumes, \c volume_spacing,
   *   \c volume_origin, \c warnings.
   * * The storage of the numbers: \c encoding ("raw", "deflate", "text", "hex"), \c is_swapped, \c stored_sizes (axes
   *   as stored, fastest first), \c order (their numbers in the order components, x, y, z, volumes), \c
   *   has_component_axis, \c skipped_components, \c data_begin, \c files (relative to the header; empty: the numbers
   *   follow the header), \c axes_of_file, \c literal_name (not empty: \c files follow from this pattern, and their
   *   number has not been compared with the size yet), \c line_skip, \c byte_skip.
   *
   * \param[in] format "nrrd" or "metaimage"
   * \param[in] text the beginning of the file, with the whole header
   * \param[in] bytes number of bytes of \p text
   * \param[in] is_literal nonzero: a file with the name that could be a pattern exists, and the name is not a pattern
   * \param[out] json an array for the description, with its terminating 0
   * \param[in] capacity bytes of the array
   * \param[out] needed bytes of the description with the 0; if they exceed \p capacity the description is not written
   * \return CUDASPLINE_INVALID_ARGUMENT for a header that is not supported: the message names the field, its value and
   * the allowed values */
  int32_t
  cudaspline_describe_header(const char * format,
                             const char * text,
                             uint64_t     bytes,
                             int32_t      is_literal,
                             char *       json,
                             uint64_t     capacity,
                             uint64_t *   needed);

  /** @} */

#ifdef __cplusplus
}
#endif

#endif
