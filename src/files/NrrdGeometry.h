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
#ifndef files_NrrdGeometry_h
#define files_NrrdGeometry_h

#include "files/NrrdAxes.h"
#include "files/NrrdFields.h"

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <string>
#include <vector>

/** \file
 * \brief The geometry of an NRRD file: its space, and the grid of its voxels. */

namespace itk::CudaSpline
{

/** \brief The coordinates of the file's space. */
struct NrrdSpace
{
  unsigned int        dimension{ 0 };      ///< 0: the file has no space, but spacings
  bool                hasTime{ false };    ///< the last coordinate is time
  double              signs[3]{ 1, 1, 1 }; ///< factor from a coordinate to LPS
  std::vector<double> units{ 1, 1, 1, 1 }; ///< mm per coordinate; for time: s
};

/** \brief The space of a file and the units of its coordinates.
 * \exception std::invalid_argument the position of the patient in it, or a unit, is unknown */
NrrdSpace
ReadNrrdSpace(const NrrdFields & fields, std::vector<std::string> & warnings);

/** \brief Sets the grid of the voxels, and the times of a series.
 * \param[in] order of the axes, from OrderNrrdAxes()
 * \param[in,out] header its sizes are known */
void
SetNrrdGrid(const NrrdFields &                fields,
            const NrrdSpace &                 space,
            const std::vector<NrrdAxis> &     axes,
            const std::vector<unsigned int> & order,
            ImageFileHeader &                 header);

/** \brief Warns of vectors whose coordinates are not LPS. */
void
CheckNrrdMeasurementFrame(const NrrdFields & fields, const NrrdSpace & space, ImageFileHeader & header);

} // namespace itk::CudaSpline

#endif
