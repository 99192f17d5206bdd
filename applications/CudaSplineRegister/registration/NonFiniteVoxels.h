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
#ifndef CudaSplineRegister_NonFiniteVoxels_h
#define CudaSplineRegister_NonFiniteVoxels_h

#include "registration/Deformation.h"
#include "io/volume/Volume.h"

#include "itkTransformBase.h"

#include <optional>
#include <string>

/** \file
 * \brief Voxels that are NaN or infinite are treated as outside of an image: they are ignored, as if they were masked.
 */

namespace CudaSplineRegister
{

/** \brief Replaces non-finite voxels with the smallest finite value, because smoothing would spread them over their
 * lines.
 *
 * \param[in,out] image image of float or double
 * \param[in] name its name, for messages
 * \return mask of std::uint8_t on the image's grid, 0 at these voxels; empty if all are finite
 * \exception ProgramError no voxel is finite */
std::optional<Volume>
MaskNonFiniteVoxels(const Volume & image, const std::string & name);

/** \brief Returns the mask of voxels that are finite and, by the nearest voxel, under a mask, which may have another
 * grid.
 *
 * \param[in] finite result of MaskNonFiniteVoxels()
 * \param[in] mask std::uint8_t; empty: none
 * \return empty if both are empty */
std::optional<Volume>
JoinMasks(const std::optional<Volume> & finite, const std::optional<Volume> & mask);

/** \brief Sets a warped image to the default value where it was interpolated from non-finite voxels.
 *
 * \param[in,out] warped image of float or double
 * \param[in] finite mask of the image before it was warped
 * \param[in] transform transform that warped it */
void
BlankOutside(const Volume &              warped,
             const Volume &              finite,
             const itk::TransformBase *  transform,
             double                      value,
             const DeformationSettings & settings);

} // namespace CudaSplineRegister

#endif
