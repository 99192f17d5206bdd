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
#ifndef itkCudaSplineImageMetricGradient_hxx
#define itkCudaSplineImageMetricGradient_hxx

#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSplineImageMetric.h"

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

/** \file
 * \brief Where a metric of the module has the gradients of the moving image from. */

namespace itk
{

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::ComputeMovingImageGradientFilterImage() const
{
  m_WaitingGradient.reset();
  m_GradientImageIsThere = false;
  if (m_UseAnalyticMovingImageGradient)
  {
    return;
  }
  if constexpr (IsAccelerated)
  {
    using GradientImage = typename Superclass::MovingImageGradientImageType;
    using Filter = GradientRecursiveGaussianImageFilter<MovingImageType, GradientImage>;
    using OwnFilter = CudaGradientRecursiveGaussianImageFilter<MovingImageType, GradientImage>;
    const auto * const filter = this->m_MovingImageGradientFilter.GetPointer();
    // Gradients of float vectors would be rounded once more before they become elements.
    if (OwnFilter::IsAccelerated && std::is_same<typename OwnFilter::OutputComponentType, double>::value &&
        (typeid(*filter) == typeid(Filter) || typeid(*filter) == typeid(OwnFilter)))
    {
      const auto * const recursive = static_cast<const Filter *>(filter);
      const auto * const image = this->m_MovingImage.GetPointer();
      auto               gaussian = std::make_unique<CudaSpline::GaussianDescriptor>(
        CudaSplineDetail::DescribeGaussian(image, recursive->GetSigmaArray(), recursive->GetNormalizeAcrossScale()));
      gaussian->isRotated = recursive->GetUseImageDirection();
      if (CudaSplineDetail::WhyNotGaussian(image, *gaussian) == nullptr)
      {
        m_WaitingGradient = std::move(gaussian);
        this->m_MovingImageGradientImage = nullptr;
        return;
      }
    }
  }
  Superclass::ComputeMovingImageGradientFilterImage();
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::ProvideGradientImage() const
{
  if (m_WaitingGradient != nullptr && !m_GradientImageIsThere)
  {
    Superclass::ComputeMovingImageGradientFilterImage();
    m_GradientImageIsThere = true;
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::DescribeGradient(Preparation & preparation) const
{
  const MovingImageType * const image = this->m_MovingImage.GetPointer();
  if (this->GetUseFloatingPointCorrection())
  {
    preparation.gradientRefusal = "derivatives with the floating-point correction are not accelerated";
  }
  else if (!this->GetGradientSourceIncludesMoving())
  {
    preparation.gradientRefusal = "derivatives without gradients of the moving image are not accelerated";
  }
  else if (m_UseAnalyticMovingImageGradient)
  {
    preparation.gradientFrom = CudaSpline::MetricGradient::Analytic;
    if (preparation.descriptor.interpolation.interpolation != CudaSpline::Interpolation::BSpline)
    {
      preparation.gradientRefusal = "analytic gradients are those of B-spline interpolators";
    }
  }
  else if (this->m_UseMovingImageGradientFilter && m_WaitingGradient != nullptr)
  {
    preparation.gradientFrom = CudaSpline::MetricGradient::Image;
    auto gaussian = *m_WaitingGradient;
    gaussian.output = preparation.moving.descriptor.element;
    preparation.gaussian = std::make_shared<const CudaSpline::GaussianDescriptor>(gaussian);
    preparation.gradient.descriptor = CudaSplineDetail::DescribeSource(image);
    preparation.gradient.descriptor.components = ImageDimension;
    preparation.gradient.descriptor.pixel = gaussian.output;
    preparation.gradient.pixels = image->GetBufferPointer();
  }
  else if (this->m_UseMovingImageGradientFilter)
  {
    const auto * const gradients = this->m_MovingImageGradientImage.GetPointer();
    if (gradients == nullptr || gradients->GetBufferedRegion() != image->GetBufferedRegion() ||
        gradients->GetOrigin() != image->GetOrigin() || gradients->GetSpacing() != image->GetSpacing() ||
        gradients->GetDirection() != image->GetDirection())
    {
      preparation.gradientRefusal = "gradient images that are not on the moving image's grid are not accelerated";
      return;
    }
    preparation.gradientFrom = CudaSpline::MetricGradient::Image;
    preparation.gradient.descriptor = CudaSplineDetail::DescribeSource(gradients);
    preparation.gradient.pixels = gradients->GetBufferPointer();
    preparation.kept.emplace_back(gradients);
  }
  else
  {
    using Differences = typename Superclass::DefaultMovingImageGradientCalculator;
    using Linear = LinearInterpolateImageFunction<MovingImageType, typename Superclass::CoordinateRepresentationType>;
    auto * const calculator = this->m_MovingImageGradientCalculator.GetPointer();
    auto * const differences =
      typeid(*calculator) == typeid(Differences) ? static_cast<Differences *>(calculator) : nullptr;
    if (differences == nullptr || !differences->GetUseImageDirection() ||
        typeid(*differences->GetInterpolator()) != typeid(Linear))
    {
      preparation.gradientRefusal = "gradients by another calculator than ITK's central differences of linear "
                                    "interpolation, with the image's direction, are not accelerated";
      return;
    }
    preparation.gradientFrom = CudaSpline::MetricGradient::CentralDifferences;
    preparation.gradient.descriptor = CudaSplineDetail::DescribeSource(image);
    preparation.gradient.pixels = image->GetBufferPointer();
  }
  preparation.gradient.descriptor.element = preparation.moving.descriptor.element;
}

} // namespace itk

#endif
