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
// Gradients of the moving image that a metric's kernels make where they read them.
//
// Expected: ITK's metric with the gradient image of its default filter, by the tolerances of the metrics; the image
// itself, where somebody asks for it, to the bit.

#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "GpuOnAndOff.h"
#include "MetricTestImages.h"

#include "itkGradientImageFilter.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class MetricGradient : public GpuOnAndOff
{
protected:
  template <typename TMetric, typename TImage>
  typename TMetric::Pointer
  Make(TImage * fixed, TImage * moving) const
  {
    auto metric = TMetric::New();
    metric->SetFixedImage(fixed);
    metric->SetMovingImage(moving);
    auto transform = itk::AffineTransform<double, TImage::ImageDimension>::New();
    transform->Rotate(0, 1, 0.05);
    metric->SetMovingTransform(transform);
    return metric;
  }

  template <typename TMetric>
  static double
  DifferenceOfDerivatives(const TMetric * metric, const typename TMetric::DerivativeType & expected)
  {
    double                           value = 0.0;
    typename TMetric::DerivativeType derivative;
    metric->GetValueAndDerivative(value, derivative);
    return (derivative - expected).two_norm() / expected.two_norm();
  }

  template <typename TPixel, unsigned int VDimension>
  void
  Compare(const std::vector<unsigned int> & size, double tolerance) const
  {
    using Image = itk::Image<TPixel, VDimension>;
    using ItkMetric = itk::MeanSquaresImageToImageMetricv4<Image, Image>;
    using OwnMetric = itk::CudaMeanSquaresImageToImageMetricv4<Image, Image>;
    const auto fixed = BlobImage<Image>(size, 1.1, 0.0);
    const auto moving = BlobImage<Image>(size, 1.2, 1.5);
    const auto itks = this->Make<ItkMetric, Image>(fixed, moving);
    const auto own = this->Make<OwnMetric, Image>(fixed, moving);
    own->SetGPUEnabled(GetParam());
    itks->Initialize();
    own->Initialize();
    double                             value = 0.0;
    typename ItkMetric::DerivativeType expected;
    itks->GetValueAndDerivative(value, expected);
    EXPECT_LE(DifferenceOfDerivatives<OwnMetric>(own, expected), tolerance);
    EXPECT_EQ(own->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu);
    auto * const filter = own->GetModifiableMovingImageGradientFilter();
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0u) << "the image was not requested";

    const auto * const image = static_cast<const OwnMetric *>(own.GetPointer())->GetMovingImageGradientImage();
    const auto * const itkImage = static_cast<const ItkMetric *>(itks.GetPointer())->GetMovingImageGradientImage();
    ASSERT_NE(image, nullptr);
    ASSERT_EQ(image->GetBufferedRegion(), itkImage->GetBufferedRegion());
    EXPECT_EQ(std::memcmp(image->GetBufferPointer(),
                          itkImage->GetBufferPointer(),
                          image->GetBufferedRegion().GetNumberOfPixels() * sizeof(*image->GetBufferPointer())),
              0);
    // It exists now, and nothing else changes.
    EXPECT_LE(DifferenceOfDerivatives<OwnMetric>(own, expected), tolerance);
    EXPECT_EQ(own->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu);

    // Another sigma, from the next Initialize() on, with a filter of the user, and then again without it.
    using Filter = typename OwnMetric::DefaultMovingImageGradientFilter;
    for (const auto & metric :
         { static_cast<ItkMetric *>(itks.GetPointer()), static_cast<ItkMetric *>(own.GetPointer()) })
    {
      auto other = Filter::New();
      other->SetSigma(3.0);
      other->SetUseImageDirection(false);
      metric->SetMovingImageGradientFilter(other);
      metric->Initialize();
    }
    itks->GetValueAndDerivative(value, expected);
    EXPECT_LE(DifferenceOfDerivatives<OwnMetric>(own, expected), tolerance);

    using Differences =
      itk::GradientImageFilter<Image, double, double, typename OwnMetric::MovingImageGradientImageType>;
    for (const auto & metric :
         { static_cast<ItkMetric *>(itks.GetPointer()), static_cast<ItkMetric *>(own.GetPointer()) })
    {
      metric->SetMovingImageGradientFilter(Differences::New());
      metric->Initialize();
    }
    itks->GetValueAndDerivative(value, expected);
    EXPECT_LE(DifferenceOfDerivatives<OwnMetric>(own, expected), tolerance);
    EXPECT_EQ(own->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(MetricGradient);

TEST_P(MetricGradient, IsMadeWhereItIsRead)
{
  Compare<double, 2>({ 43, 37 }, 1e-10);
  Compare<double, 3>({ 24, 21, 18 }, 1e-10);
  Compare<float, 3>({ 24, 21, 18 }, 1e-5);
}

// If ITK's code evaluates the metric, it has the gradient image.
TEST_P(MetricGradient, IsThereForTheSuperclass)
{
  using Image = itk::Image<double, 2>;
  using ItkMetric = itk::MeanSquaresImageToImageMetricv4<Image, Image>;
  using OwnMetric = itk::CudaMeanSquaresImageToImageMetricv4<Image, Image>;
  const auto fixed = BlobImage<Image>({ 33, 27 }, 1.1, 0.0);
  const auto moving = BlobImage<Image>({ 33, 27 }, 1.2, 1.5);
  const auto itks = this->Make<ItkMetric, Image>(fixed, moving);
  const auto own = this->Make<OwnMetric, Image>(fixed, moving);
  own->SetGPUEnabled(GetParam());
  for (ItkMetric * metric : { itks.GetPointer(), static_cast<ItkMetric *>(own.GetPointer()) })
  {
    metric->SetUseFloatingPointCorrection(true); // not supported by the kernels
    metric->Initialize();
  }
  double                    value = 0.0;
  ItkMetric::DerivativeType expected;
  itks->GetValueAndDerivative(value, expected);
  EXPECT_LE(DifferenceOfDerivatives<OwnMetric>(own, expected), 1e-10);
  EXPECT_EQ(own->GetLastBackend(), Backend::Superclass);
}

} // namespace
