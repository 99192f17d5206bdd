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
#ifndef CudaSplineProgram_FormatLoss_h
#define CudaSplineProgram_FormatLoss_h

#include "io/formats/ImageInput.h"
#include "io/volume/Volume.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Lists the parts of a geometry that differ by more than the rounding of formats: "origin, direction". Empty if
 * there are none. */
std::string
CompareGeometry(const Grid & wanted, const Grid & found);

/** \brief Describes which meaning of numbers, or whether the fourth axis, a format did not keep, and which formats keep
 * it: "RGB colours (they become vectors; .nrrd and .nii.gz keep them)". Empty if it kept everything.
 *
 * \param[in] wanted the image to write
 * \param[in] found the image as it is read back
 * \param[in] type type of the numbers */
std::string
CompareMeaning(const ImageLayout & wanted, const ImageLayout & found, ScalarType type);

/** \brief Joins two lists; either may be empty. */
std::string
JoinLosses(const std::string & one, const std::string & other);

} // namespace CudaSplineProgram

#endif
