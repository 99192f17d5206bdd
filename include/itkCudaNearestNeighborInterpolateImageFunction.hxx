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
#ifndef itkCudaNearestNeighborInterpolateImageFunction_hxx
#define itkCudaNearestNeighborInterpolateImageFunction_hxx

#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <limits>

namespace itk
{

template <typename TInputImage, typename TCoordRep>
CudaSplineMethod
CudaNearestNeighborInterpolateImageFunction<TInputImage, TCoordRep>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::Nearest;
  this->DescribeAddressModes(method, CudaSpline::Extension::Nearest);
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

template <typename TInputImage, typename TCoordRep>
void
CudaNearestNeighborInterpolateImageFunction<TInputImage, TCoordRep>::CheckAddressMode(CudaSplineAddressMode mode) const
{
  if (!IsScalar && mode != CudaSplineAddressMode::Itk)
  {
    itkExceptionMacro(<< "Address mode " << mode
                      << " is not supported for images of vectors; use the default mode, or an image of scalars.");
  }
}

template <typename TInputImage, typename TCoordRep>
auto
CudaNearestNeighborInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateExtended(
  const ContinuousIndexType & index) const -> OutputType
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
    const auto   extent = CudaSplineDetail::ExtentOf(image);
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      const std::int64_t nearest =
        CudaSpline::FoldIndex(CudaSpline::NearestIndex(at[d]) - extent.start[d], extent.size[d], extension[d]);
      if (nearest < 0)
      {
        return static_cast<OutputType>(this->GetBorderValue());
      }
      offset += nearest * stride;
      stride *= extent.size[d];
    }
    return static_cast<OutputType>(CudaSplineDetail::PixelAt(image, offset));
  }
  else
  {
    return Superclass::EvaluateAtContinuousIndex(index);
  }
}

} // namespace itk

#endif
