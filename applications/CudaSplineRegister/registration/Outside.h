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
#ifndef CudaSplineRegister_Outside_h
#define CudaSplineRegister_Outside_h

#include "registration/Deformation.h"
#include "io/volume/Volume.h"

#include "itkTransformBase.h"

#include <optional>
#include <string>

/** \file
 * \brief Voxels that are NaN or infinite lie outside of an image: they count nowhere, as if they were under a mask. */

namespace CudaSplineRegister
{

/** \brief Gives voxels that are not finite the least value that is: smoothing would spread them over their lines.
 *
 * \param[in,out] image of float or double
 * \param[in] name of it, for messages
 * \return std::uint8_t on the image's grid, 0 where they were; empty where all are finite
 * \exception ProgramError none is finite */
std::optional<Volume>
TakeOutWhatIsNotFinite(const Volume & image, const std::string & name);

/** \brief What is finite and, by its nearest voxel, under a mask, which may have a grid of its own.
 *
 * \param[in] finite of TakeOutWhatIsNotFinite()
 * \param[in] mask std::uint8_t; empty: none
 * \return empty where both are */
std::optional<Volume>
JoinMasks(const std::optional<Volume> & finite, const std::optional<Volume> & mask);

/** \brief Sets a warped image to the default value where it was interpolated from voxels that were not finite.
 *
 * \param[in,out] warped of float or double
 * \param[in] finite of the image before it was warped
 * \param[in] transform that warped it */
void
BlankOutside(const Volume &              warped,
             const Volume &              finite,
             const itk::TransformBase *  transform,
             double                      value,
             const DeformationSettings & settings);

} // namespace CudaSplineRegister

#endif
