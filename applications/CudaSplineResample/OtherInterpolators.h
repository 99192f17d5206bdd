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
#ifndef CudaSplineResample_OtherInterpolators_h
#define CudaSplineResample_OtherInterpolators_h

#include "Interpolations.h"

#include "itkInterpolateImageFunction.h"

namespace CudaSplineResample
{

/** \brief Returns interpolators other than nearest neighbours, linear and B-splines, for images of float and double. It
 * is instantiated once each, in files that CMake writes from OtherInterpolators.cxx.in.
 *
 * \param[in] choice the interpolation
 * \param[in] spacing spacing of the input (mm), which is the default sigma of the label Gaussian
 * \exception ProgramError a wrong number of sigmas */
template <typename TImage>
typename itk::InterpolateImageFunction<TImage, double>::Pointer
MakeOtherInterpolator(const InterpolationChoice & choice, const typename TImage::SpacingType & spacing);

} // namespace CudaSplineResample

#endif
