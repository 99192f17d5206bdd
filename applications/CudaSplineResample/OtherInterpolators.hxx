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
#ifndef CudaSplineResample_OtherInterpolators_hxx
#define CudaSplineResample_OtherInterpolators_hxx

#include "console/Error.h"
#include "OtherInterpolators.h"

#include "itkCudaCubicConvolutionInterpolateImageFunction.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLabelImageGenericInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSplineInterpolateImageFunction.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace CudaSplineResample
{

/** \brief itk::CudaWindowedSincInterpolateImageFunction with window and radius that are known at run time, as the
 * kernels have them: one class instead of 25. The image continues with its outermost samples. */
template <typename TImage>
class SincInterpolator
  : public itk::CudaSplineInterpolateImageFunction<itk::InterpolateImageFunction<TImage, double>, TImage, double>
{
public:
  using Self = SincInterpolator;
  using Superclass =
    itk::CudaSplineInterpolateImageFunction<itk::InterpolateImageFunction<TImage, double>, TImage, double>;
  using Pointer = itk::SmartPointer<Self>;
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int dimension = TImage::ImageDimension;

  itkCudaSplineNewMacro(Self);

  void
  SetWindow(itk::CudaSpline::SincWindow window, unsigned int radius)
  {
    m_Window = window;
    m_Radius = static_cast<int>(radius);
    this->Modified();
  }

  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override
  {
    double at[dimension];
    if (!itk::CudaSplineDetail::CopyIndex(index, at))
    {
      return std::numeric_limits<OutputType>::quiet_NaN();
    }
    const TImage * const       image = this->GetInputImage();
    const auto                 extent = itk::CudaSplineDetail::ExtentOf(image);
    itk::CudaSpline::Extension extension[dimension];
    this->GetExtensions(itk::CudaSpline::Extension::Nearest, extension);
    const auto fold = [&](std::int64_t sample, unsigned int axis) {
      return itk::CudaSpline::FoldIndex(sample, extent.size[axis], extension[axis]);
    };
    return static_cast<OutputType>(itk::CudaSpline::WindowedSincValue(
      image->GetBufferPointer(), extent, at, m_Radius, m_Window, fold, this->GetBorderValue()));
  }

  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(static_cast<itk::SizeValueType>(m_Radius));
  }

  itk::CudaSplineMethod
  DescribeMethod(const itk::ImageBase<dimension> *) const override
  {
    itk::CudaSplineMethod method;
    method.interpolation.interpolation = itk::CudaSpline::Interpolation::WindowedSinc;
    method.interpolation.window = m_Window;
    method.interpolation.radius = m_Radius;
    this->DescribeAddressModes(method, itk::CudaSpline::Extension::Nearest);
    return method;
  }

protected:
  SincInterpolator() = default;
  ~SincInterpolator() override = default;

private:
  itk::CudaSpline::SincWindow m_Window{ itk::CudaSpline::SincWindow::Lanczos };
  int                         m_Radius{ 3 };
};

template <typename TImage, typename TCoordinate>
using SplineOfImage = itk::CudaBSplineInterpolateImageFunction<TImage, TCoordinate, double>;

/** \brief The interpolator of indicators of labels by a class template. */
template <typename TImage, template <typename, typename> class TInterpolator>
typename itk::InterpolateImageFunction<TImage, double>::Pointer
MakeGeneric(const InterpolationChoice & choice)
{
  const auto labels = itk::CudaLabelImageGenericInterpolateImageFunction<TImage, TInterpolator>::New();
  labels->SetSplineOrder(choice.order);
  labels->SetB(choice.method.cubic.b);
  labels->SetC(choice.method.cubic.c);
  return labels.GetPointer();
}

/** \brief The interpolator of indicators of labels. */
template <typename TImage>
typename itk::InterpolateImageFunction<TImage, double>::Pointer
MakeOfIndicators(const InterpolationChoice & choice)
{
  switch (choice.method.interpolation)
  {
    case Interpolation::Linear:
      return MakeGeneric<TImage, itk::CudaLinearInterpolateImageFunction>(choice);
    case Interpolation::BSpline:
      return MakeGeneric<TImage, SplineOfImage>(choice);
    case Interpolation::CubicConvolution:
      return MakeGeneric<TImage, itk::CudaCubicConvolutionInterpolateImageFunction>(choice);
    case Interpolation::Nearest:
    case Interpolation::WindowedSinc:
    case Interpolation::LabelGaussian:
      break; // no name stands for it
  }
  throw std::logic_error("indicators of labels are not interpolated by " + std::string(choice.method.name));
}

template <typename TImage>
typename itk::InterpolateImageFunction<TImage, double>::Pointer
MakeOtherInterpolator(const InterpolationChoice & choice, const typename TImage::SpacingType & spacing)
{
  if (choice.method.isOfIndicators)
  {
    return MakeOfIndicators<TImage>(choice);
  }
  switch (choice.method.interpolation)
  {
    case Interpolation::CubicConvolution: {
      const auto cubic = itk::CudaCubicConvolutionInterpolateImageFunction<TImage>::New();
      cubic->SetB(choice.method.cubic.b);
      cubic->SetC(choice.method.cubic.c);
      return cubic.GetPointer();
    }
    case Interpolation::WindowedSinc: {
      const auto sinc = SincInterpolator<TImage>::New();
      sinc->SetWindow(choice.method.window, choice.radius);
      return sinc.GetPointer();
    }
    case Interpolation::LabelGaussian: {
      using Labels = itk::CudaLabelImageGaussianInterpolateImageFunction<TImage>;
      const auto labels = Labels::New();
      if (choice.sigma.size() > 1 && choice.sigma.size() != TImage::ImageDimension)
      {
        throw CudaSplineProgram::ProgramError(
          "--sigma has " + std::to_string(choice.sigma.size()) + " values; it must have 1 or, for this " +
          std::to_string(TImage::ImageDimension) + "D image, " + std::to_string(TImage::ImageDimension));
      }
      typename Labels::ArrayType sigma;
      for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
      {
        sigma[axis] =
          choice.sigma.empty() ? spacing[axis] : choice.sigma[std::min<std::size_t>(axis, choice.sigma.size() - 1)];
      }
      labels->SetSigma(sigma);
      labels->SetAlpha(choice.alpha);
      return labels.GetPointer();
    }
    case Interpolation::Nearest:
    case Interpolation::Linear:
    case Interpolation::BSpline:
      break; // ResampleTyped.hxx makes ITK's
  }
  throw std::logic_error("no interpolator for " + std::string(choice.method.name));
}

} // namespace CudaSplineResample

#endif
