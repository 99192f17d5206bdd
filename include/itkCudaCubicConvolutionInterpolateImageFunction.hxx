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
#ifndef itkCudaCubicConvolutionInterpolateImageFunction_hxx
#define itkCudaCubicConvolutionInterpolateImageFunction_hxx

#include "itkCudaCubicConvolutionInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

namespace itk
{

template <typename TInputImage, typename TCoordRep>
void
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "B: " << m_B << std::endl;
  os << indent << "C: " << m_C << std::endl;
  os << indent << "UseImageDirection: " << (m_UseImageDirection ? "On" : "Off") << std::endl;
}

template <typename TInputImage, typename TCoordRep>
CudaSplineMethod
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::DescribeConvolution() const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::CubicConvolution;
  method.interpolation.cubic = { m_B, m_C };
  this->DescribeAddressModes(method, CudaSpline::Extension::Mirror);
  return method;
}

template <typename TInputImage, typename TCoordRep>
CudaSplineMethod
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method = this->DescribeConvolution();
  this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  return method;
}

template <typename TInputImage, typename TCoordRep>
template <CudaSpline::Derivatives VDerivatives>
auto
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateJet(
  const ContinuousIndexType & index) const -> CudaSpline::Jet<ImageDimension, double>
{
  static_assert(IsScalar, "Derivatives are those of images of scalars.");
  using Basis = CudaSpline::CubicConvolutionBasis;
  const TInputImage * const image = this->GetInputImage();
  if (image == nullptr)
  {
    itkExceptionMacro(<< "The interpolator has no image. Call SetInputImage() first.");
  }
  TCoordRep at[ImageDimension];
  if (!CudaSplineDetail::CopyIndex(index, at))
  {
    return CudaSplineDetail::JetOfNaN<ImageDimension>();
  }
  const Basis                                                   basis{ { m_B, m_C } };
  const auto                                                    extent = CudaSplineDetail::ExtentOf(image);
  CudaSpline::Jet<ImageDimension, double>                       jet;
  const CudaSpline::BasisSupport<Basis, ImageDimension, double> support(at, extent);
  if constexpr (CudaSplineDetail::ImageTraits<TInputImage>::IsReadable)
  {
    if (support.inside)
    {
      CudaSpline::CoefficientGrid<ImageDimension, typename TInputImage::PixelType> grid;
      grid.data = image->GetBufferPointer();
      grid.extent = extent;
      CudaSpline::EvaluateOnGrid<VDerivatives>(basis, grid, at, jet);
      return jet;
    }
  }
  CudaSpline::Extension extension[ImageDimension];
  this->GetExtensions(CudaSpline::Extension::Mirror, extension);
  const CudaSplineDetail::GatheredSupport<ImageDimension, Basis::Taps> gathered(
    image, support.start, extension, this->GetBorderValue());
  CudaSpline::CoefficientGrid<ImageDimension, double> grid;
  grid.data = gathered.samples;
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    grid.extent.start[d] = extent.start[d] + support.start[d];
    grid.extent.size[d] = Basis::Taps;
  }
  CudaSpline::EvaluateOnGrid<VDerivatives>(basis, grid, at, jet);
  return jet;
}

template <typename TInputImage, typename TCoordRep>
auto
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  if constexpr (IsScalar)
  {
    return static_cast<OutputType>(this->template EvaluateJet<CudaSpline::Derivatives::None>(index).value);
  }
  else
  {
    const TInputImage * const image = this->GetInputImage();
    if (image == nullptr)
    {
      itkExceptionMacro(<< "The interpolator has no image. Call SetInputImage() first.");
    }
    using Component = typename CudaSplineDetail::ImageTraits<TInputImage>::ComponentType;
    CudaSpline::Extension extension[ImageDimension];
    this->GetExtensions(CudaSpline::Extension::Mirror, extension);
    return CudaSplineDetail::EvaluatePixel<OutputType>(CudaSpline::CubicConvolutionBasis{ { m_B, m_C } },
                                                       reinterpret_cast<const Component *>(image->GetBufferPointer()),
                                                       image->GetNumberOfComponentsPerPixel(),
                                                       CudaSplineDetail::ExtentOf(image),
                                                       extension,
                                                       this->GetBorderValue(),
                                                       index);
  }
}

template <typename TInputImage, typename TCoordRep>
auto
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateDerivativeAtContinuousIndex(
  const ContinuousIndexType & index) const -> CovariantVectorType
{
  const auto jet = this->template EvaluateJet<CudaSpline::Derivatives::First>(index);
  return CudaSplineDetail::GradientOf<CovariantVectorType>(jet, this->GetInputImage(), m_UseImageDirection);
}

template <typename TInputImage, typename TCoordRep>
void
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateValueAndDerivativeAtContinuousIndex(
  const ContinuousIndexType & index,
  OutputType &                value,
  CovariantVectorType &       derivative) const
{
  const auto jet = this->template EvaluateJet<CudaSpline::Derivatives::First>(index);
  value = static_cast<OutputType>(jet.value);
  derivative = CudaSplineDetail::GradientOf<CovariantVectorType>(jet, this->GetInputImage(), m_UseImageDirection);
}

template <typename TInputImage, typename TCoordRep>
auto
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::EvaluateHessianAtContinuousIndex(
  const ContinuousIndexType & index) const -> HessianType
{
  const auto jet = this->template EvaluateJet<CudaSpline::Derivatives::Second>(index);
  return CudaSplineDetail::HessianOf(jet, this->GetInputImage(), m_UseImageDirection);
}

template <typename TInputImage, typename TCoordRep>
auto
CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>::IndexOf(const PointType & point) const
  -> ContinuousIndexType
{
  ContinuousIndexType index;
  if (this->GetInputImage() != nullptr) // else EvaluateJet() throws
  {
    static_cast<void>(this->GetInputImage()->TransformPhysicalPointToContinuousIndex(point, index));
  }
  return index;
}

} // namespace itk

#endif
