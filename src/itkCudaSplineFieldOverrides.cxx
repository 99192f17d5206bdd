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
#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaDisplacementFieldToBSplineImageFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"
#include "itkCudaSplineOverrides.h"

namespace itk::CudaSplineDetail
{

namespace
{
/** Overrides the filters of fields of some dimensions. */
template <typename TReal, unsigned int... VDimensions>
void
AppendFieldsOf(Overrides & overrides)
{
  (AppendOverride<ComposeDisplacementFieldsImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>,
                  CudaComposeDisplacementFieldsImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>>(
     "ComposeDisplacementFieldsImageFilter", overrides),
   ...);
  (AppendOverride<InvertDisplacementFieldImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>,
                  CudaInvertDisplacementFieldImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>>(
     "InvertDisplacementFieldImageFilter", overrides),
   ...);
  (AppendOverride<ExponentialDisplacementFieldImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>,
                                                          Image<Vector<TReal, VDimensions>, VDimensions>>,
                  CudaExponentialDisplacementFieldImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>,
                                                              Image<Vector<TReal, VDimensions>, VDimensions>>>(
     "ExponentialDisplacementFieldImageFilter", overrides),
   ...);
  (AppendOverride<
     DisplacementFieldJacobianDeterminantFilter<Image<Vector<TReal, VDimensions>, VDimensions>, TReal>,
     CudaDisplacementFieldJacobianDeterminantFilter<Image<Vector<TReal, VDimensions>, VDimensions>, TReal>>(
     "DisplacementFieldJacobianDeterminantFilter", overrides),
   ...);
  (AppendOverride<DisplacementFieldToBSplineImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>,
                  CudaDisplacementFieldToBSplineImageFilter<Image<Vector<TReal, VDimensions>, VDimensions>>>(
     "DisplacementFieldToBSplineImageFilter", overrides),
   ...);
}
} // namespace

void
AppendFields(Overrides & overrides)
{
  AppendFieldsOf<float, 2, 3>(overrides);
  AppendFieldsOf<double, 2, 3>(overrides);
}

} // namespace itk::CudaSplineDetail
