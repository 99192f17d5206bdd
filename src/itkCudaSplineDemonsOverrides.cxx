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
#include "itkCudaDemonsRegistrationFilter.h"
#include "itkCudaDiffeomorphicDemonsRegistrationFilter.h"
#include "itkCudaFastSymmetricForcesDemonsRegistrationFilter.h"
#include "itkCudaSplineRegistrationOverrides.h"
#include "itkCudaSymmetricForcesDemonsRegistrationFilter.h"

namespace itk::CudaSplineDetail
{

namespace
{
/** Overrides all demons filters, for images and numbers of the field. */
template <typename TImage, typename TNumber>
void
AppendDemonsOf(Overrides & overrides)
{
  using Field = Image<Vector<TNumber, TImage::ImageDimension>, TImage::ImageDimension>;
  AppendOverride<DemonsRegistrationFilter<TImage, TImage, Field>, CudaDemonsRegistrationFilter<TImage, TImage, Field>>(
    "DemonsRegistrationFilter", overrides);
  AppendOverride<SymmetricForcesDemonsRegistrationFilter<TImage, TImage, Field>,
                 CudaSymmetricForcesDemonsRegistrationFilter<TImage, TImage, Field>>(
    "SymmetricForcesDemonsRegistrationFilter", overrides);
  AppendOverride<FastSymmetricForcesDemonsRegistrationFilter<TImage, TImage, Field>,
                 CudaFastSymmetricForcesDemonsRegistrationFilter<TImage, TImage, Field>>(
    "FastSymmetricForcesDemonsRegistrationFilter", overrides);
  AppendOverride<DiffeomorphicDemonsRegistrationFilter<TImage, TImage, Field>,
                 CudaDiffeomorphicDemonsRegistrationFilter<TImage, TImage, Field>>(
    "DiffeomorphicDemonsRegistrationFilter", overrides);
}
} // namespace

/** The types of SimpleITK (fields of double), and of plastimatch and Slicer (float in 3D). */
void
AppendDemons(Overrides & overrides)
{
  AppendDemonsOf<Image<float, 2>, double>(overrides);
  AppendDemonsOf<Image<float, 3>, double>(overrides);
  AppendDemonsOf<Image<double, 2>, double>(overrides);
  AppendDemonsOf<Image<double, 3>, double>(overrides);
  AppendDemonsOf<Image<float, 3>, float>(overrides);
}

} // namespace itk::CudaSplineDetail
