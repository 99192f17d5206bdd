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
 * \brief Headers of image files, of which nothing is opened here. For codes and errors see CudaSplineC.h. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** \defgroup CudaSplineImageHeadersC Headers of image files in C
   * @{ */

  /** \brief Describes the header of an NRRD file or of a MetaImage.
   *
   * The description is JSON in UTF-8, an object of: \c size, \c spacing, \c origin (x first, mm, in ITK's space LPS),
   * \c direction (rows of the matrix, whose columns are the axes), \c type (cudaspline_type), \c components, \c meaning
   * ("scalar", "complex", "rgb", "rgba", "vector", "covariant-vector", "point", "symmetric-tensor"), \c is_series, \c
   * volumes, \c volume_spacing, \c volume_origin, \c warnings; and of where the numbers are: \c encoding ("raw",
   * "deflate", "text", "hex"), \c is_swapped, \c stored_sizes (axes as stored, fastest first), \c order (their numbers
   * in the order components, x, y, z, volumes), \c has_component_axis, \c skipped_components, \c data_begin, \c files
   * (relative to the header; empty: after it), \c axes_of_file, \c literal_name (not empty: \c files follow from this
   * pattern, and whether they are as many as the size needs is not checked yet), \c line_skip, \c byte_skip. They are
   * the members of ImageFileHeader in files/ImageFileHeader.h.
   *
   * \param[in] format "nrrd" or "metaimage"
   * \param[in] text the beginning of the file, with the whole header
   * \param[in] bytes of it
   * \param[in] is_literal not 0: the name that could be a pattern is that of an existing file, so it is not a pattern
   * \param[out] json an array for the description, with a 0 at its end
   * \param[in] capacity bytes of the array
   * \param[out] needed bytes of the description with the 0; where that is more than \p capacity nothing is written
   * \return CUDASPLINE_INVALID_ARGUMENT for a header that is refused: the message has the field, its value and what is
   * allowed */
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
