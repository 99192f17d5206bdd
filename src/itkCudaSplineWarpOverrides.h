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
#ifndef itkCudaSplineWarpOverrides_h
#define itkCudaSplineWarpOverrides_h

#include "itkCudaSplineOverrides.h"
#include "itkCudaWarpImageFilter.h"

#include "itkVector.h"

namespace itk::CudaSplineDetail
{

/** Overrides WarpImageFilter for images of some pixel types, with fields of float vectors. */
template <unsigned int VDimension, typename... TPixels>
void
AppendWarp(Overrides & overrides)
{
  using Field = Image<Vector<float, VDimension>, VDimension>;
  (AppendOverride<WarpImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>, Field>,
                  CudaWarpImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>, Field>>("WarpImageFilter",
                                                                                                      overrides),
   ...);
}

} // namespace itk::CudaSplineDetail

#endif
