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

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Local correlation against ITK's: under transforms of all kinds, and where they move nothing. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

template <typename TImage>
using LocalReference = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using LocalOurs = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;

const MetricTolerance LocalInDouble{ 1e-10, 1e-8 };
const MetricTolerance LocalInSingle{ 1e-5, 1e-4 };

class LocalMetric : public MetricMatrix<LocalReference, LocalOurs>
{
protected:
  MetricTolerance
  ToleranceOf(const MetricCase & what) const override
  {
    return what.isDouble ? LocalInDouble : LocalInSingle;
  }

  /** What both metrics give on images of one grid. */
  template <typename TMetric, typename TImage>
  static std::pair<double, typename TMetric::DerivativeType>
  Evaluate(TMetric * metric, const MetricImages<TImage> & images, unsigned int radius)
  {
    typename TMetric::RadiusType window;
    window.Fill(radius);
    window[1] = radius + 1;
    metric->SetRadius(window);
    metric->SetFixedImage(images.fixed);
    metric->SetMovingImage(images.moving);
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    metric->Initialize();
    std::pair<double, typename TMetric::DerivativeType> result;
    metric->GetValueAndDerivative(result.first, result.second);
    return result;
  }

  /** As SyN sets it up: fields that are zero, the same object for both. */
  template <typename TImage>
  void
  CompareOnOneGrid(const MetricImages<TImage> & images,
                   unsigned int                 radius,
                   bool                         isDouble,
                   const MetricTolerance &      tolerance)
  {
    constexpr unsigned int dimension = TImage::ImageDimension;
    using Field = itk::DisplacementFieldTransform<double, dimension>;
    const auto zero = WavyField<Field>(images.fixed.GetPointer(), 0.0);
    auto       reference = LocalReference<TImage>::New();
    auto       metric = LocalOurs<TImage>::New();
    reference->SetMaximumNumberOfWorkUnits(1);
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
    reference->SetFixedTransform(zero);
    reference->SetMovingTransform(zero);
    metric->SetFixedTransform(zero);
    metric->SetMovingTransform(zero);
    const auto expected = Evaluate(reference.GetPointer(), images, radius);
    const auto found = Evaluate(metric.GetPointer(), images, radius);
    EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
    EXPECT_NEAR(found.first, expected.first, tolerance.value);
    EXPECT_LE(RelativeDistance(expected.second, found.second), tolerance.derivative);
    EXPECT_GT(expected.second.two_norm(), 0.0);
    EXPECT_EQ(metric->GetNumberOfFlatWindows(), 0u);
  }
};

/** Noise of a few grey values about an offset, the second image with something of the first. */
template <typename TImage>
MetricImages<TImage>
NoisyImages(const std::vector<unsigned int> & size, double offset, int direction)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  MetricImages<TImage>   images;
  Random                 random(5 + direction);
  images.fixed = BlobImage<TImage>(size, 0.7, 0.0);
  images.moving = BlobImage<TImage>(size, 0.7, 0.0);
  typename TImage::DirectionType axes;
  axes.SetIdentity();
  if (direction == 1)
  {
    axes[0][0] = axes[1][1] = -1.0;
  }
  if (direction == 2)
  {
    axes = ObliqueDirection<dimension>();
  }
  typename TImage::PointType origin;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    origin[d] = direction == 3 ? 0.0 : -13.3 + 1.7 * d;
  }
  for (TImage * const image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    image->SetDirection(axes);
    image->SetOrigin(origin);
  }
  auto * const f = images.fixed->GetBufferPointer();
  auto * const m = images.moving->GetBufferPointer();
  using Pixel = typename TImage::PixelType;
  for (std::size_t i = 0; i < images.fixed->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    f[i] = static_cast<Pixel>(offset + static_cast<double>(f[i]) + random.Uniform(-30.0, 30.0));
    m[i] = static_cast<Pixel>(0.6 * static_cast<double>(f[i]) + random.Uniform(-20.0, 20.0));
  }
  return images;
}

TEST_P(LocalMetric, Transforms)
{
  this->CompareTransforms();
}

TEST_P(LocalMetric, SplinesAndFields)
{
  auto transforms = SplineTransforms();
  for (const std::string & field : FieldTransforms())
  {
    transforms.push_back(field);
  }
  int choice = 0;
  for (const std::string & transform : transforms)
  {
    MetricCase what;
    what.transform = transform;
    what.fixedMask = choice % 4 == 1;
    what.movingMask = choice % 4 >= 2;
    what.centralDifferences = choice % 2 == 1;
    this->Compare<Image2D>(what);
    choice % 2 == 0 ? this->Compare<Image3D>(what) : this->Compare<DoubleImage3D>(what);
    ++choice;
  }
}

TEST_P(LocalMetric, MasksDomainsAndFixedTransforms)
{
  for (int choice = 0; choice < 16; ++choice)
  {
    MetricCase what;
    what.transform = "rigid";
    what.fixedMask = (choice & 1) != 0;
    what.movingMask = (choice & 2) != 0;
    what.ownDomain = (choice & 4) != 0;
    what.fixedMoves = (choice & 8) != 0;
    what.centralDifferences = choice % 3 == 0;
    what.splineOrder = choice % 5 == 0 ? -2 : -1;
    this->Compare<Image2D>(what);
    this->Compare<Image3D>(what);
  }
}

TEST_P(LocalMetric, FieldsThatMoveNothing)
{
  for (int direction = 0; direction < 4; ++direction)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, direction);
    CompareOnOneGrid(NoisyImages<Image2D>({ 37, 29 }, 0.0, direction), 2, true, LocalInDouble);
    CompareOnOneGrid(NoisyImages<Image2D>({ 37, 29 }, 0.0, direction), 4, false, LocalInSingle);
    CompareOnOneGrid(NoisyImages<Image3D>({ 17, 13, 19 }, 0.0, direction), 2, true, LocalInDouble);
    CompareOnOneGrid(NoisyImages<Image3D>({ 17, 13, 19 }, 0.0, direction), 1, false, LocalInSingle);
    CompareOnOneGrid(NoisyImages<DoubleImage3D>({ 17, 13, 19 }, 0.0, direction), 2, true, LocalInDouble);
  }
}

TEST_P(LocalMetric, ThinImagesAndWideWindows)
{
  CompareOnOneGrid(NoisyImages<Image3D>({ 31, 23, 1 }, 0.0, 0), 2, true, LocalInDouble);
  CompareOnOneGrid(NoisyImages<Image3D>({ 5, 4, 6 }, 0.0, 0), 7, true, LocalInDouble);
  CompareOnOneGrid(NoisyImages<Image2D>({ 3, 61 }, 0.0, 0), 5, true, LocalInDouble);
}

TEST_P(LocalMetric, WindowsThatNoDeviceHasMemoryForAreTheHosts)
{
  const auto images = NoisyImages<Image2D>({ 61, 53 }, 0.0, 0);
  using Field = itk::DisplacementFieldTransform<double, 2>;
  const auto zero = WavyField<Field>(images.fixed.GetPointer(), 0.0);
  auto       reference = LocalReference<Image2D>::New();
  auto       metric = LocalOurs<Image2D>::New();
  reference->SetMaximumNumberOfWorkUnits(1);
  metric->SetGPUEnabled(GetParam());
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  reference->SetMovingTransform(zero);
  metric->SetMovingTransform(zero);
  const auto expected = Evaluate(reference.GetPointer(), images, 24);
  const auto found = Evaluate(metric.GetPointer(), images, 24);
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cpu);
  EXPECT_EQ(metric->GetFallbackReason().find("radius") != std::string::npos, GetParam());
  EXPECT_NEAR(found.first, expected.first, 1e-10);
  EXPECT_LE(RelativeDistance(expected.second, found.second), 1e-8);
}

TEST_P(LocalMetric, OffsetsOfComputedTomography)
{
  // Products of about 10^6 that are rounded to floats: double arithmetic reproduces that.
  CompareOnOneGrid(NoisyImages<Image3D>({ 23, 17, 13 }, 1000.0, 0), 2, true, LocalInDouble);
  CompareOnOneGrid(NoisyImages<DoubleImage3D>({ 23, 17, 13 }, 3000.0, 0), 2, true, LocalInDouble);
  // Float arithmetic has exact products. With variances of some 400 of mean squares of 4 10^5 and more, ITK's is off by
  // about 2^-24 1000 / sqrt(75), and the derivative by as much.
  CompareOnOneGrid(NoisyImages<Image3D>({ 23, 17, 13 }, 1000.0, 0), 2, false, LocalInSingle);
}

TEST_P(LocalMetric, ConstantPatchesAreFlat)
{
  auto         images = NoisyImages<Image3D>({ 29, 17, 13 }, 100.0, 0);
  float *      f = images.fixed->GetBufferPointer();
  unsigned int expected = 0;
  for (unsigned int i = 0; i < 29 * 17 * 13; ++i)
  {
    f[i] = i % 29 < 12 ? 77.7F : f[i];
    expected += i % 29 < 10 ? 1 : 0;
  }
  using Field = itk::DisplacementFieldTransform<double, 3>;
  auto metric = LocalOurs<Image3D>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetMovingTransform(WavyField<Field>(images.fixed.GetPointer(), 0.0));
  const auto found = Evaluate(metric.GetPointer(), images, 2);
  EXPECT_EQ(metric->GetNumberOfFlatWindows(), expected);
  for (unsigned int i = 0; i < 29 * 17 * 13; ++i)
  {
    if (i % 29 < 10)
    {
      ASSERT_EQ(found.second[3 * i], 0.0);
      ASSERT_EQ(found.second[3 * i + 1], 0.0);
    }
  }
  EXPECT_LT(found.first, -static_cast<double>(expected) / (29 * 17 * 13));
}

TEST_P(LocalMetric, NansChangeTheirWindowsAlone)
{
  auto images = NoisyImages<Image3D>({ 19, 17, 13 }, 100.0, 0);
  using Field = itk::DisplacementFieldTransform<double, 3>;
  const auto zero = WavyField<Field>(images.fixed.GetPointer(), 0.0);
  images.fixed->GetBufferPointer()[(6 * 17 + 8) * 19 + 9] = std::numeric_limits<float>::quiet_NaN();
  auto reference = LocalReference<Image3D>::New();
  auto metric = LocalOurs<Image3D>::New();
  reference->SetMaximumNumberOfWorkUnits(1);
  metric->SetGPUEnabled(GetParam());
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  reference->SetMovingTransform(zero);
  metric->SetMovingTransform(zero);
  const auto expected = Evaluate(reference.GetPointer(), images, 2);
  const auto found = Evaluate(metric.GetPointer(), images, 2);
  EXPECT_EQ(metric->GetNumberOfFlatWindows(), 5u * 7u * 5u);
  EXPECT_NEAR(found.first, expected.first, 1e-10); // ITK's correlation is 1 where a comparison with NaN is false
  EXPECT_LE(RelativeDistance(expected.second, found.second), 1e-8);
}

TEST_P(LocalMetric, ImagesThatDoNotOverlap)
{
  MetricImages<Image2D> images;
  auto                  far = images.moving->GetOrigin();
  far.Fill(1e5);
  images.moving->SetOrigin(far);
  MetricCase what;
  what.transform = "field";
  auto metric = LocalOurs<Image2D>::New();
  SetUpMetric(metric.GetPointer(), what, images);
  metric->SetGPUEnabled(GetParam());
  metric->Initialize();
  double                             value = 0.0;
  LocalOurs<Image2D>::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
  EXPECT_EQ(metric->GetNumberOfValidPoints(), 0u);
  EXPECT_EQ(value, itk::NumericTraits<double>::max());
  EXPECT_EQ(derivative.two_norm(), 0.0);
}

TEST_P(LocalMetric, WhatIsItks)
{
  const MetricImages<Image2D> images;
  const auto                  evaluate = [&](auto * metric, const MetricCase & what) {
    SetUpMetric(metric, what, images);
    metric->SetMaximumNumberOfWorkUnits(1);
    metric->Initialize();
    double                                                   value = 0.0;
    typename std::decay_t<decltype(*metric)>::DerivativeType derivative;
    metric->GetValueAndDerivative(value, derivative);
    return std::make_pair(value, derivative);
  };
  MetricCase what;
  what.sampling = 1;
  auto metric = LocalOurs<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  EXPECT_EQ(evaluate(metric.GetPointer(), what), evaluate(LocalReference<Image2D>::New().GetPointer(), what));
  EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(metric->GetFallbackReason().find("sampled points"), std::string::npos) << metric->GetFallbackReason();
}

INSTANTIATE_TEST_SUITE_P(Backends, LocalMetric, testing::Bool(), GpuOrHost);

} // namespace
