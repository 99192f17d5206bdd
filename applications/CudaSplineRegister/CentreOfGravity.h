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
#ifndef CudaSplineRegister_CentreOfGravity_h
#define CudaSplineRegister_CentreOfGravity_h

#include "Error.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <string>

namespace CudaSplineRegister
{

/** \brief Centre of gravity of an image, of its values above the least: these may be negative, as of CT.
 *
 * \param[in] image what is not finite has no weight
 * \param[in] mask in space; null: all voxels count
 * \param[in] name of the image, for the error
 * \return the place (mm)
 * \exception ProgramError all values are the same */
template <typename TImage>
itk::Point<double, TImage::ImageDimension>
CentreOfGravity(const TImage *                                              image,
                const itk::ImageMaskSpatialObject<TImage::ImageDimension> * mask,
                const std::string &                                         name)
{
  const auto centre = itk::CudaSplineDetail::FindCentreOfGravity(image, mask);
  if (!centre)
  {
    throw CudaSplineProgram::ProgramError("the " + name + " image is the same everywhere" +
                                          (mask != nullptr ? " under its mask, or no voxel of it lies there" : "") +
                                          ", so it has no centre of gravity; use --initialize centre or none");
  }
  return *centre;
}

} // namespace CudaSplineRegister

#endif
