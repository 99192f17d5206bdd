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
#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaRecursiveGaussianImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaSplineOverrides.h"

namespace itk::CudaSplineDetail
{

namespace
{
template <unsigned int VDimension, typename... TPixels>
void
AppendSmoothing(Overrides & overrides)
{
  (AppendOverride<SmoothingRecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>>,
                  CudaSmoothingRecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<TPixels, VDimension>>>(
     "SmoothingRecursiveGaussianImageFilter", overrides),
   ...);
}

/** Overrides filters along one axis, and magnitudes of gradients, with images of float as output. */
template <unsigned int VDimension, typename... TPixels>
void
AppendToFloat(Overrides & overrides)
{
  (AppendOverride<RecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<float, VDimension>>,
                  CudaRecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<float, VDimension>>>(
     "RecursiveGaussianImageFilter", overrides),
   ...);
  (AppendOverride<
     GradientMagnitudeRecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<float, VDimension>>,
     CudaGradientMagnitudeRecursiveGaussianImageFilter<Image<TPixels, VDimension>, Image<float, VDimension>>>(
     "GradientMagnitudeRecursiveGaussianImageFilter", overrides),
   ...);
}

template <unsigned int VDimension, typename TPixel, typename... TReals>
void
AppendGradient(Overrides & overrides)
{
  (AppendOverride<GradientRecursiveGaussianImageFilter<Image<TPixel, VDimension>,
                                                       Image<CovariantVector<TReals, VDimension>, VDimension>>,
                  CudaGradientRecursiveGaussianImageFilter<Image<TPixel, VDimension>,
                                                           Image<CovariantVector<TReals, VDimension>, VDimension>>>(
     "GradientRecursiveGaussianImageFilter", overrides),
   ...);
}
} // namespace

void
AppendGaussian(Overrides & overrides)
{
  AppendSmoothing<2, unsigned char, short, unsigned short, int, float, double>(overrides);
  AppendSmoothing<3, unsigned char, short, unsigned short, int, float, double>(overrides);
  AppendToFloat<2, short, float>(overrides);
  AppendToFloat<3, short, float>(overrides);
  AppendGradient<2, short, double>(overrides);
  AppendGradient<2, float, float, double>(overrides);
  AppendGradient<2, double, double>(overrides);
  AppendGradient<3, short, double>(overrides);
  AppendGradient<3, float, float, double>(overrides);
  AppendGradient<3, double, double>(overrides);
}

} // namespace itk::CudaSplineDetail
