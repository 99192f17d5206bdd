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
#ifndef NiftiGeometry_h
#define NiftiGeometry_h

#include "files/RawNiftiHeader.h"

#include "itkCudaSpline/files/NiftiDescription.h"

#include <array>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

/** \brief Formats a number with 6 significant digits, for messages. */
std::string
NumberText(double number);

/** \brief The grid of a header: the rule for its matrices, units of length, and shears.
 * \param[in] isPlane the image has two axes of voxels: it has 2 dimensions if it is parallel to the plane of x and y
 * \param[in,out] warnings receives a sentence for each
 * \exception std::invalid_argument there is no valid geometry */
NiftiGrid
MakeNiftiGrid(const RawNiftiHeader & header, bool isPlane, std::vector<std::string> & warnings);

/** \brief Writes a grid into both matrices and the spacings, in mm. Codes are not changed. */
void
SetNiftiGrid(const NiftiGrid & grid, RawNiftiHeader & header);

} // namespace itk::CudaSpline

#endif
