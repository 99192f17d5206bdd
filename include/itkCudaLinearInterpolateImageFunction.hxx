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
#ifndef itkCudaLinearInterpolateImageFunction_hxx
#define itkCudaLinearInterpolateImageFunction_hxx

#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/LinearEvaluation.h"

#include <limits>

namespace itk
{

template <typename TInputImage, typename TCoordRep>
CudaSplineMethod
CudaLinearInterpolateImageFunction<TInputImage, TCoordRep>::DescribeMethod(const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::Linear;
  this->DescribeAddressModes(method, CudaSpline::Extension::Nearest);
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

template <typename TInputImage, typename TCoordRep>
void
CudaLinearInterpolateImageFunction<TInputImage, TCoordRep>::CheckAddressMode(CudaSplineAddressMode mode) const
{
  if (!IsScalar && mode != CudaSplineAddressMode::Itk)
  {
    itkExceptionMacro(<< "Address mode " << mode
                      << " is not supported for images of vectors; use the default mode, or an image of scalars.");
  }
}

template <typename TInputImage, typename TCoordRep>
auto
CudaLinearInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateExtended(const ContinuousIndexType & index) const
  -> OutputType
{
  if constexpr (IsScalar)
  {
    TCoordRep at[ImageDimension];
    if (!CudaSplineDetail::CopyIndex(index, at))
    {
      return std::numeric_limits<OutputType>::quiet_NaN();
    }
    const TInputImage * const image = this->GetInputImage();
    CudaSpline::Extension     extension[ImageDimension];
    this->GetExtensions(CudaSpline::Extension::Nearest, extension);
    std::int64_t start[ImageDimension];
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      start[d] = CudaSpline::FloorIndex(at[d]) - image->GetBufferedRegion().GetIndex(d);
    }
    const CudaSplineDetail::GatheredSupport<ImageDimension, 2> support(image, start, extension, this->GetBorderValue());
    CudaSpline::CoefficientGrid<ImageDimension, double>        grid;
    grid.data = support.samples;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      grid.extent.start[d] = start[d] + image->GetBufferedRegion().GetIndex(d);
      grid.extent.size[d] = 2;
      grid.extension[d] = CudaSpline::Extension::Nearest;
    }
    return static_cast<OutputType>(CudaSpline::LinearValueExtended(grid, at));
  }
  else
  {
    return Superclass::EvaluateAtContinuousIndex(index);
  }
}

} // namespace itk

#endif
