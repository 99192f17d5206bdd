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
#ifndef CudaSplineRegister_RotationSearch_h
#define CudaSplineRegister_RotationSearch_h

#include "Registration.h"

#include "itkImage.h"
#include "itkImageMaskSpatialObject.h"
#include "itkMatrixOffsetTransformBase.h"

namespace CudaSplineRegister
{

/** \brief What a search works on; masks may be null. */
template <typename TPixel, unsigned int VDimension>
struct SearchInputs
{
  const itk::Image<TPixel, VDimension> *          fixed{ nullptr };
  const itk::Image<TPixel, VDimension> *          moving{ nullptr };
  const itk::ImageMaskSpatialObject<VDimension> * fixedMask{ nullptr };
  const itk::ImageMaskSpatialObject<VDimension> * movingMask{ nullptr };
};

/** \brief Turns a transform to the best of many rotations about its centre: itk::CudaSpline::FindRotation(). Where what
 * was found says little of the fixed image, the user is told so.
 *
 * \param[in] inputs what to lay over each other
 * \param[in] request whom to tell
 * \param[in,out] start rigid, with its centre, and the translation to begin with */
template <typename TPixel, unsigned int VDimension>
void
SearchRotation(const SearchInputs<TPixel, VDimension> &                         inputs,
               const RegistrationRequest &                                      request,
               itk::MatrixOffsetTransformBase<double, VDimension, VDimension> * start);

} // namespace CudaSplineRegister

#endif
