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
#include "itkCudaSplineRegistrationOverrides.h"
#include "itkCudaBSplineSyNImageRegistrationMethod.h"
#include "itkCudaSyNImageRegistrationMethod.h"
#include "itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4.h"

namespace itk::CudaSplineDetail
{

namespace
{
/** Overrides the types that antsRegistration instantiates. Point sets are ITK's defaults.
 *
 * \tparam TNumber type of the numbers of transforms */
template <typename TImage, typename TNumber = double>
void
AppendSyN(Overrides & overrides)
{
  using Gaussians = DisplacementFieldTransform<TNumber, TImage::ImageDimension>;
  AppendOverride<SyNImageRegistrationMethod<TImage, TImage, Gaussians>,
                 CudaSyNImageRegistrationMethod<TImage, TImage, Gaussians>>("SyNImageRegistrationMethod", overrides);
  using Splines = BSplineSmoothingOnUpdateDisplacementFieldTransform<TNumber, TImage::ImageDimension>;
  AppendOverride<BSplineSyNImageRegistrationMethod<TImage, TImage, Splines>,
                 CudaBSplineSyNImageRegistrationMethod<TImage, TImage, Splines>>("BSplineSyNImageRegistrationMethod",
                                                                                 overrides);
  using Velocities = GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<TNumber, TImage::ImageDimension>;
  AppendOverride<TimeVaryingVelocityFieldImageRegistrationMethodv4<TImage, TImage, Velocities>,
                 CudaTimeVaryingVelocityFieldImageRegistrationMethodv4<TImage, TImage, Velocities>>(
    "TimeVaryingVelocityFieldImageRegistrationMethodv4", overrides);
}
} // namespace

void
AppendRegistrations(Overrides & overrides)
{
  AppendSyN<Image<float, 2>>(overrides);
  AppendSyN<Image<double, 2>>(overrides);
  AppendSyN<Image<float, 3>>(overrides);
  AppendSyN<Image<double, 3>>(overrides);
  AppendSyN<Image<float, 2>, float>(overrides);
  AppendSyN<Image<float, 3>, float>(overrides);
}

} // namespace itk::CudaSplineDetail
