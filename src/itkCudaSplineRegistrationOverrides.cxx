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

namespace itk::CudaSplineDetail
{

namespace
{
/** The types that antsRegistration instantiates: point sets and fields are ITK's defaults. */
template <typename TImage>
void
AppendSyN(Overrides & overrides)
{
  AppendOverride<SyNImageRegistrationMethod<TImage, TImage>, CudaSyNImageRegistrationMethod<TImage, TImage>>(
    "SyNImageRegistrationMethod", overrides);
  AppendOverride<BSplineSyNImageRegistrationMethod<TImage, TImage>,
                 CudaBSplineSyNImageRegistrationMethod<TImage, TImage>>("BSplineSyNImageRegistrationMethod", overrides);
}
} // namespace

void
AppendRegistrations(Overrides & overrides)
{
  AppendSyN<Image<float, 2>>(overrides);
  AppendSyN<Image<double, 2>>(overrides);
  AppendSyN<Image<float, 3>>(overrides);
  AppendSyN<Image<double, 3>>(overrides);
}

} // namespace itk::CudaSplineDetail
