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
#include "MetricTestMatrix.h"

#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkEllipseSpatialObject.h"
#include "itkImageAdaptor.h"
#include "itkRGBPixel.h"

/** \file
 * \brief Cases that the superclass of a metric computes, with a reason, and the promises of ITK's metrics around an
 * evaluation. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using FallbackReference = itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>;
using FallbackMetric = itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>;

/** Returns the module's metric on the host for a case. */
FallbackMetric::Pointer
MakeMetric(const MetricCase & what, const MetricImages<Image2D> & images)
{
  auto metric = FallbackMetric::New();
  SetUpMetric(metric.GetPointer(), what, images);
  metric->SetGPUEnabled(false);
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  return metric;
}

TEST(MetricFallback, BeforeInitializeIsAnException)
{
  const MetricImages<Image2D> images;
  const auto                  metric = MakeMetric(MetricCase(), images);
  EXPECT_THROW(metric->GetValue(), itk::ExceptionObject);
  EXPECT_THROW(FallbackMetric::New()->GetValue(), itk::ExceptionObject);
}

TEST(MetricFallback, AskedForInterpolatorsHaveTheImage)
{
  const MetricImages<Image2D> images;
  MetricCase                  what;
  what.splineOrder = 3;
  const auto metric = MakeMetric(what, images);
  metric->Initialize();
  EXPECT_EQ(metric->GetMovingInterpolator()->GetInputImage(), images.moving.GetPointer());
  metric->GetValue();
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cpu) << metric->GetFallbackReason();
}

/** The red component of a pixel. */
struct RedAccessor
{
  using InternalType = itk::RGBPixel<float>;
  using ExternalType = float;
  static float
  Get(const InternalType & pixel)
  {
    return pixel[0];
  }
  static void
  Set(InternalType & pixel, float red)
  {
    pixel[0] = red;
  }
};

TEST(MetricFallback, OfAnAdaptorTheBufferIsNotRead)
{
  using ColourImage = itk::Image<itk::RGBPixel<float>, 2>;
  using Adaptor = itk::ImageAdaptor<ColourImage, RedAccessor>;
  const MetricImages<Image2D> images;
  auto                        colours = ColourImage::New();
  colours->CopyInformation(images.moving);
  colours->SetRegions(images.moving->GetBufferedRegion());
  colours->Allocate();
  itk::ImageRegionIteratorWithIndex<ColourImage> it(colours, colours->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    itk::RGBPixel<float> pixel(1000.0F);
    pixel[0] = images.moving->GetPixel(it.GetIndex());
    it.Set(pixel);
  }
  auto red = Adaptor::New();
  red->SetImage(colours);
  auto ofAdaptor = itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Adaptor, Image2D>::New();
  ofAdaptor->SetFixedImage(images.fixed);
  ofAdaptor->SetMovingImage(red);
  ofAdaptor->SetUseMovingImageGradientFilter(false);
  ofAdaptor->SetUseFixedImageGradientFilter(false);
  ofAdaptor->SetMovingTransform(MetricTransform<2>("affine"));
  ofAdaptor->Initialize();
  MetricCase what;
  what.centralDifferences = true;
  const auto plain = MakeMetric(what, images);
  plain->Initialize();
  EXPECT_NEAR(ofAdaptor->GetValue(), plain->GetValue(), 1e-6 * plain->GetValue());
  EXPECT_EQ(ofAdaptor->GetLastBackend(), Backend::Superclass);
}

TEST(MetricFallback, GoesToTheSuperclassWithAReason)
{
  const MetricImages<Image2D> images;
  const auto                  expect = [&](const auto & change, const std::string & word) {
    MetricCase what;
    auto       metric = MakeMetric(what, images);
    auto       reference = FallbackReference::New();
    SetUpMetric(reference.GetPointer(), what, images);
    change(metric.GetPointer());
    change(reference.GetPointer());
    metric->SetMaximumNumberOfWorkUnits(1);
    reference->SetMaximumNumberOfWorkUnits(1);
    metric->Initialize();
    reference->Initialize();
    double                         value = 0.0;
    double                         expected = 0.0;
    FallbackMetric::DerivativeType derivative;
    FallbackMetric::DerivativeType expectedDerivative;
    metric->GetValueAndDerivative(value, derivative);
    reference->GetValueAndDerivative(expected, expectedDerivative);
    EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(metric->GetFallbackReason().find(word), std::string::npos) << metric->GetFallbackReason();
    EXPECT_EQ(value, expected);
    EXPECT_EQ(derivative, expectedDerivative);
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
  };
  expect([](auto * metric) { metric->SetUseFloatingPointCorrection(true); }, "correction");
  expect(
    [](auto * metric) {
      auto ellipse = itk::EllipseSpatialObject<2>::New();
      ellipse->SetRadiusInObjectSpace(15.0);
      ellipse->Update();
      metric->SetMovingImageMask(ellipse);
    },
    "ImageMaskSpatialObject");
  expect(
    [](auto * metric) {
      auto both = itk::CompositeTransform<double, 2>::New(); // both of which are optimized
      both->AddTransform(MetricTransform<2>("affine"));
      both->AddTransform(MetricTransform<2>("B-spline"));
      metric->SetMovingTransform(both);
    },
    "linear transforms");
  expect(
    [](auto * metric) {
      metric->SetUseMovingImageGradientFilter(false);
      auto differences = itk::CentralDifferenceImageFunction<Image2D, double>::New();
      differences->UseImageDirectionOff();
      metric->SetMovingImageGradientCalculator(differences);
    },
    "central differences");
  // The kernels did not need the image of a spline, but ITK's metric does.
  expect(
    [](auto * metric) {
      metric->SetMovingInterpolator(itk::BSplineInterpolateImageFunction<Image2D, double>::New());
      metric->SetUseFloatingPointCorrection(true);
    },
    "correction");
}

TEST(MetricFallback, AnalyticGradientsAreNotReplaced)
{
  const MetricImages<Image2D> images;
  auto                        metric = MakeMetric(MetricCase(), images);
  metric->SetUseAnalyticMovingImageGradient(true); // not available for linear interpolation
  metric->Initialize();
  double                         value = 0.0;
  FallbackMetric::DerivativeType derivative;
  EXPECT_THROW(metric->GetValueAndDerivative(value, derivative), itk::ExceptionObject);
  EXPECT_GT(metric->GetValue(), 0.0); // does not need it
}

} // namespace
