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
#ifndef files_NrrdAxes_h
#define files_NrrdAxes_h

#include "files/NrrdFields.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief The axes of an NRRD file: those of space, of time, and of the components of a pixel. */

namespace itk::CudaSpline
{

/** \brief The role of an axis. */
enum class NrrdRole : unsigned char
{
  Space,
  Time,
  Components
};

/** \brief A value of the field kinds. */
struct NrrdKind
{
  const char * name;
  NrrdRole     role;
  unsigned int size; ///< of the axis; 0: any
  PixelMeaning meaning;
  bool         isMasked; ///< the first component is a mask
};

/** \brief An axis of the file. */
struct NrrdAxis
{
  const NrrdKind *    kind{ nullptr };
  NrrdRole            role{ NrrdRole::Space };
  std::vector<double> step; ///< its space direction; empty: no direction
};

/** \brief Finds the roles of the axes from their kinds and directions.
 * \param[in] coordinates number of coordinates of the space; 0: no space
 * \param[in] dimension number of axes */
std::vector<NrrdAxis>
FindNrrdAxes(const NrrdFields & fields, std::size_t coordinates, std::size_t dimension);

/** \brief The axes of space and time in their order.
 * \return the axis of a series is the fourth */
std::vector<unsigned int>
OrderNrrdAxes(const NrrdFields & fields, const std::vector<NrrdAxis> & axes, const std::vector<std::uint64_t> & sizes);

/** \brief Sets the components of a pixel from their axis. */
void
SetNrrdComponents(const std::vector<NrrdAxis> & axes, ImageFileHeader & header);

} // namespace itk::CudaSpline

#endif
