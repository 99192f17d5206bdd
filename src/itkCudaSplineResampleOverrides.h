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
#ifndef itkCudaSplineResampleOverrides_h
#define itkCudaSplineResampleOverrides_h

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSplineOverrides.h"

namespace itk::CudaSplineDetail
{

/** Overrides ResampleImageFilter for images of some pixel types, with coordinates and transforms of a precision. */
template <typename TPrecision, unsigned int VDimension, typename... TPixels>
void
AppendResampleOf(Overrides & overrides)
{
  (AppendOverride<
     ResampleImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>, TPrecision, TPrecision>,
     CudaResampleImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>, TPrecision, TPrecision>>(
     "ResampleImageFilter", overrides),
   ...);
}

/** The overrides with double precision. */
template <unsigned int VDimension, typename... TPixels>
void
AppendResample(Overrides & overrides)
{
  AppendResampleOf<double, VDimension, TPixels...>(overrides);
}

} // namespace itk::CudaSplineDetail

#endif
