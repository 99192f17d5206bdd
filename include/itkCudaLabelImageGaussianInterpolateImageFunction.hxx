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
#ifndef itkCudaLabelImageGaussianInterpolateImageFunction_hxx
#define itkCudaLabelImageGaussianInterpolateImageFunction_hxx

#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaSpline/itk/LabelGaussian.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/LabelGaussian.h"

#include <limits>

namespace itk
{

template <typename TInputImage, typename TCoordRep, typename TPixelCompare>
CudaSplineMethod
CudaLabelImageGaussianInterpolateImageFunction<TInputImage, TCoordRep, TPixelCompare>::DescribeMethod(
  const ImageBase<ImageDimension> * image) const
{
  CudaSplineMethod method;
  if constexpr (IsOwn)
  {
    CudaSplineDetail::DescribeLabelGaussian(this->GetSigma(), this->GetAlpha(), image, method);
    this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  }
  else
  {
    method.refusal = "only label Gaussians of scalars with the default comparison are accelerated";
  }
  return method;
}

template <typename TInputImage, typename TCoordRep, typename TPixelCompare>
void
CudaLabelImageGaussianInterpolateImageFunction<TInputImage, TCoordRep, TPixelCompare>::CheckAddressMode(
  CudaSplineAddressMode mode) const
{
  if (mode != CudaSplineAddressMode::Itk)
  {
    itkExceptionMacro(<< "Address mode " << mode
                      << " is not supported by interpolators of labels; use the default mode.");
  }
}

template <typename TInputImage, typename TCoordRep, typename TPixelCompare>
auto
CudaLabelImageGaussianInterpolateImageFunction<TInputImage, TCoordRep, TPixelCompare>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  if constexpr (IsOwn)
  {
    const TInputImage * const image = this->GetInputImage();
    if (CudaSplineDetail::IsAboveZero(this->GetSigma()))
    {
      TCoordRep at[ImageDimension];
      if (!CudaSplineDetail::CopyIndex(index, at))
      {
        return NumericTraits<OutputType>::ZeroValue();
      }
      CudaSpline::LabelGaussian<ImageDimension> rule;
      for (unsigned int d = 0; d < ImageDimension; ++d)
      {
        rule.SetAxis(d, this->GetSigma()[d], this->GetAlpha(), image->GetSpacing()[d]);
      }
      const auto * const pixels = image->GetBufferPointer();
      const auto         winner = CudaSpline::LabelGaussianWinner(
        rule,
        CudaSplineDetail::ExtentOf(image),
        at,
        CudaSpline::LabelReader{ pixels, CudaSpline::ScalarTypeOf<typename TInputImage::PixelType>() });
      return winner < 0 ? NumericTraits<OutputType>::ZeroValue() : static_cast<OutputType>(pixels[winner]);
    }
  }
  return Superclass::EvaluateAtContinuousIndex(index);
}

} // namespace itk

#endif
