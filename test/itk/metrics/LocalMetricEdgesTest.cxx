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
#include "LocalMetricTestSupport.h"

#include "itkEllipseSpatialObject.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/** \file
 * \brief Compares local correlation with ITK's, and with extended precision, for extreme windows: constant patches,
 * large offsets, masks, radii, NaN, and images without a common sample. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class LocalMetricEdges : public GpuOnAndOff
{};

/** Sets pixels up to a fraction of an axis to one value. */
template <typename TImage>
void
SetPatch(TImage * image, unsigned int axis, double share, double value)
{
  const auto region = image->GetBufferedRegion();
  for (itk::ImageRegionIteratorWithIndex<TImage> at(image, region); !at.IsAtEnd(); ++at)
  {
    const auto place = static_cast<double>(at.GetIndex()[axis] - region.GetIndex(axis));
    if (place < share * static_cast<double>(region.GetSize(axis)))
    {
      at.Set(static_cast<typename TImage::PixelType>(value));
    }
  }
}

/** Returns a mask of random samples. */
template <typename TImage>
typename itk::ImageMaskSpatialObject<TImage::ImageDimension>::Pointer
DrawnMask(const TImage * image, double likelihood, Random & random)
{
  using MaskImage = itk::Image<unsigned char, TImage::ImageDimension>;
  auto pixels = MaskImage::New();
  pixels->CopyInformation(image);
  pixels->SetRegions(image->GetBufferedRegion());
  pixels->Allocate();
  for (itk::ImageRegionIteratorWithIndex<MaskImage> at(pixels, pixels->GetBufferedRegion()); !at.IsAtEnd(); ++at)
  {
    at.Set(random.Uniform(0.0, 1.0) < likelihood ? 1 : 0);
  }
  auto mask = itk::ImageMaskSpatialObject<TImage::ImageDimension>::New();
  mask->SetImage(pixels);
  mask->Update();
  return mask;
}

/** Whole numbers: ITK's sums of them are exact, also for a single sample. */
template <typename TImage>
MetricImages<TImage>
WholeImages(const std::vector<unsigned int> & size)
{
  auto images = NoisyImages<TImage>(size, 0.0, 2);
  for (TImage * const image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    for (itk::ImageRegionIteratorWithIndex<TImage> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
    {
      at.Set(std::floor(at.Get()));
    }
  }
  return images;
}

/** Images with constant patches.
 *
 * For windows that are not flat, ITK computes value and derivative with its method for sampled points, which are the
 * centres of those windows. The module's results are compared after subtracting those of the flat windows: 1 each, and
 * 0. */
template <typename TImage>
void
ComparePatches(double amplitude, bool isMasked, bool isDouble, bool onGpu)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  using Field = itk::DisplacementFieldTransform<double, dimension>;
  const testing::ScopedTrace      trace(__FILE__,
                                   __LINE__,
                                   std::to_string(dimension) + "D, amplitude " + std::to_string(amplitude) +
                                     (isMasked ? ", mask" : ""));
  const std::vector<unsigned int> size =
    dimension == 2 ? std::vector<unsigned int>{ 37, 29 } : std::vector<unsigned int>{ 19, 15, 11 };
  auto images = NoisyImages<TImage>(size, 100.0, 2);
  SetPatch(images.fixed.GetPointer(), 0, 0.4, 77.7);
  if (amplitude == 0.0) // otherwise it dominates the pixels that are interpolated at its edge
  {
    SetPatch(images.moving.GetPointer(), 1, 0.45, 12.3);
  }
  Random     random(91 + dimension);
  const auto transform = WavyField<Field>(images.fixed.GetPointer(), amplitude);
  const auto mask = isMasked ? DrawnMask(images.fixed.GetPointer(), 0.8, random)
                             : typename itk::ImageMaskSpatialObject<dimension>::Pointer();
  const auto setUp = [&](auto * metric) {
    metric->SetMovingTransform(transform);
    metric->SetFixedImageMask(mask);
    SetRadius(metric, 2);
  };
  const auto windows = WindowsOf(
    ValuesOn(images, amplitude == 0.0 ? nullptr : transform.GetPointer(), mask.GetPointer()), { { 2, 3, 2 } });
  const auto flat = CountFlat(windows);
  const auto found = AskOurs(images, onGpu, isDouble, setUp);
  EXPECT_EQ(found.flatWindows, flat);
  EXPECT_GT(flat, 40u);
  EXPECT_EQ(found.comparesPixels, amplitude == 0.0);

  const auto            expected = AskItk(images, [&](auto * metric) {
    setUp(metric);
    using PointSet = typename std::decay_t<decltype(*metric)>::VirtualPointSetType;
    auto         points = PointSet::New();
    unsigned int number = 0;
    for (itk::ImageRegionConstIteratorWithIndex<TImage> at(images.fixed, images.fixed->GetBufferedRegion());
         !at.IsAtEnd();
         ++at)
    {
      const auto & window = windows[static_cast<std::size_t>(images.fixed->ComputeOffset(at.GetIndex()))];
      if (window.valid > 0 && !window.isFlat)
      {
        typename PointSet::PointType place;
        images.fixed->TransformIndexToPhysicalPoint(at.GetIndex(), place);
        points->SetPoint(number++, place);
      }
    }
    metric->SetVirtualSampledPointSet(points);
    metric->SetUseVirtualSampledPointSet(true);
    metric->SetUseSampledPointSet(true);
  });
  const MetricTolerance tolerance = isDouble ? LocalInDouble : LocalInSingle;
  ASSERT_EQ(found.count, expected.count + flat);
  ASSERT_GT(expected.count, 40u);
  const double others =
    (found.value * static_cast<double>(found.count) + static_cast<double>(flat)) / static_cast<double>(expected.count);
  EXPECT_NEAR(others, expected.value, tolerance.value * std::abs(expected.value));
  ExpectTheSameDerivative(expected.derivative, found.derivative, tolerance.derivative);
}

TEST_P(LocalMetricEdges, ConstantPatchesAreFlatAndOtherWindowsItks)
{
  for (const bool isDouble : { true, false })
  {
    for (const double amplitude : { 0.0, 0.5 })
    {
      for (const bool isMasked : { false, true })
      {
        ComparePatches<Image2D>(amplitude, isMasked, isDouble, GetParam());
        ComparePatches<DoubleImage2D>(amplitude, isMasked, isDouble, GetParam());
      }
      ComparePatches<Image3D>(amplitude, true, isDouble, GetParam());
    }
  }
}

/** Returns relative distances from extended precision: of the value, and of the derivative in the L2 norm. */
std::pair<double, double>
DistanceFrom(const LocalAnswer & truth, const LocalAnswer & answer)
{
  return { std::abs(answer.value - truth.value) / std::abs(truth.value),
           RelativeDistance(truth.derivative, answer.derivative) };
}

/** Compares images of noise of 30 about an offset.
 *
 * \return distances of ITK and of the module from extended precision */
template <typename TImage>
std::pair<std::pair<double, double>, std::pair<double, double>>
DistancesAtOffset(double offset, bool isDouble, bool onGpu)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  const auto             images = NoisyImages<TImage>({ 17, 13, 11 }, offset, 0);
  const auto             windows = WindowsOf(ValuesOn(images), { { 2, 3, 2 } });
  auto                   differences = itk::CentralDifferenceImageFunction<TImage, double>::New();
  differences->SetInputImage(images.moving);
  LocalAnswer truth;
  long double sum = 0.0L;
  truth.derivative.SetSize(static_cast<unsigned int>(dimension * windows.size()));
  for (itk::ImageRegionConstIteratorWithIndex<TImage> at(images.fixed, images.fixed->GetBufferedRegion());
       !at.IsAtEnd();
       ++at)
  {
    const auto                 n = static_cast<unsigned int>(images.fixed->ComputeOffset(at.GetIndex()));
    typename TImage::PointType place;
    images.fixed->TransformIndexToPhysicalPoint(at.GetIndex(), place);
    const auto gradient = differences->Evaluate(place);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      truth.derivative[dimension * n + d] = static_cast<double>(windows[n].factor * gradient[d]);
    }
    sum += windows[n].correlation;
  }
  truth.value = static_cast<double>(-sum / static_cast<long double>(windows.size()));
  const auto both = AskBoth(images, onGpu, isDouble, [&](auto * metric) {
    SetZeroFields(metric, images.fixed);
    SetRadius(metric, 2);
  });
  return { DistanceFrom(truth, both.expected), DistanceFrom(truth, both.found) };
}

// The numbers of doc/Accuracy.md, which --gtest_output writes. Variances are some 500, mean squares are the square of
// the offset: their ratio is s = 500 / offset^2, and the rounding of products and sums is amplified by 1 / s.
TEST_P(LocalMetricEdges, OffsetsAgainstExtendedPrecision)
{
  for (const double offset : { 1000.0, 3000.0, 10000.0 })
  {
    SCOPED_TRACE(offset);
    const double share = 500.0 / (offset * offset);
    const auto   record = [&](const std::string & name, const std::pair<double, double> & distance) {
      const std::string at = name + "At" + std::to_string(static_cast<int>(offset));
      RecordProperty(at + "Value", testing::PrintToString(distance.first));
      RecordProperty(at + "Derivative", testing::PrintToString(distance.second));
    };
    const auto [itkFloat, inDouble] = DistancesAtOffset<Image3D>(offset, true, GetParam());
    const auto [again, inSingle] = DistancesAtOffset<Image3D>(offset, false, GetParam());
    const auto [itkDouble, ofDouble] = DistancesAtOffset<DoubleImage3D>(offset, true, GetParam());
    EXPECT_EQ(again, itkFloat);
    record("ItkOfFloat", itkFloat);
    record("DoubleOfFloat", inDouble);
    record("SingleOfFloat", inSingle);
    record("ItkOfDouble", itkDouble);
    record("DoubleOfDouble", ofDouble);
    // Products are rounded to floats, as in ITK.
    EXPECT_LE(inDouble.first, 0x1p-24 / share);
    EXPECT_LE(inDouble.second, 0x1p-24 / share);
    EXPECT_NEAR(inDouble.second, itkFloat.second, 1e-3 * itkFloat.second);
    // Exact products, quotients of floats: closer than ITK.
    EXPECT_LE(inSingle.first, 1e-6);
    EXPECT_LE(inSingle.second, 2e-6);
    EXPECT_LT(inSingle.second, itkFloat.second);
    EXPECT_LE(ofDouble.first, 32.0 * 0x1p-53 / share);
    EXPECT_LE(ofDouble.second, 32.0 * 0x1p-53 / share);
  }
}

TEST_P(LocalMetricEdges, MasksThatLeaveAFewSamples)
{
  const auto compare = [&](const auto & images, double likelihood, int choice, bool isDouble, double amplitude) {
    using Image = std::decay_t<decltype(*images.fixed)>;
    using Field = itk::DisplacementFieldTransform<double, Image::ImageDimension>;
    const testing::ScopedTrace trace(__FILE__, __LINE__, choice);
    Random                     random(17 + choice);
    const auto                 mask = DrawnMask(images.fixed.GetPointer(), likelihood, random);
    const auto                 other = DrawnMask(images.moving.GetPointer(), choice == 2 ? 0.7 : likelihood, random);
    const auto                 transform = WavyField<Field>(images.fixed.GetPointer(), amplitude);
    const bool                 isFixed = choice != 1;
    const bool                 isMoving = choice != 0;
    const auto                 setUp = [&](auto * metric) {
      metric->SetMovingTransform(transform);
      SetRadius(metric, 2);
      if (isFixed)
      {
        metric->SetFixedImageMask(mask);
      }
      if (isMoving)
      {
        metric->SetMovingImageMask(other);
      }
    };
    auto both = AskBoth(images, GetParam(), isDouble, setUp);
    EXPECT_EQ(both.found.comparesPixels, !isMoving && amplitude == 0.0);
    // The masks of both images are on one grid, so the samples are known.
    const auto windows = WindowsOf(ValuesOn(images,
                                            amplitude == 0.0 ? nullptr : transform.GetPointer(),
                                            isFixed ? mask.GetPointer() : nullptr,
                                            isMoving ? other.GetPointer() : nullptr),
                                   { { 2, 3, 2 } });
    // For windows of two or three almost equal samples the derivatives are large, and so are their rounding errors.
    unsigned int ignored = 0;
    for (unsigned int n = 0; n < windows.size(); ++n)
    {
      if (windows[n].valid > 0 && !windows[n].isFlat && windows[n].share < 1e-4L)
      {
        ++ignored;
        for (unsigned int d = 0; d < Image::ImageDimension; ++d)
        {
          both.expected.derivative[Image::ImageDimension * n + d] = 0.0;
          both.found.derivative[Image::ImageDimension * n + d] = 0.0;
        }
      }
    }
    EXPECT_LE(ignored, both.found.count / 4);
    // They still count in the value, the mean of all windows.
    MetricTolerance tolerance = isDouble ? LocalInDouble : LocalInSingle;
    tolerance.value += 1e-5 * ignored / (static_cast<double>(both.found.count) * std::abs(both.expected.value));
    ExpectTheSame(both, tolerance);
    EXPECT_EQ(both.found.flatWindows, CountFlat(windows));
    for (const unsigned int valid : { 1u, 2u, 3u })
    {
      EXPECT_GT(std::count_if(windows.begin(), windows.end(), [=](const auto & of) { return of.valid == valid; }), 0);
    }
  };
  for (int choice = 0; choice < 3; ++choice)
  {
    for (const bool isDouble : { true, false })
    {
      compare(WholeImages<Image2D>({ 37, 41 }), 0.06, choice, isDouble, 0.0);
      compare(WholeImages<Image3D>({ 19, 15, 17 }), 0.015, choice, isDouble, 0.0);
    }
    compare(NoisyImages<DoubleImage2D>({ 37, 41 }, 0.0, 0), 0.06, choice, true, 0.0);
    compare(NoisyImages<DoubleImage2D>({ 37, 41 }, 0.0, 2), 0.06, choice, true, 0.5);
    compare(NoisyImages<DoubleImage3D>({ 19, 15, 17 }, 0.0, 0), 0.015, choice, true, 0.5);
  }
}

TEST_P(LocalMetricEdges, RadiusZero)
{
  // Windows of one sample: correlation 1, and no derivative.
  const auto compare = [&](const auto & images, const char * transform, bool isDouble) {
    SCOPED_TRACE(transform);
    constexpr unsigned int dimension = std::decay_t<decltype(*images.fixed)>::ImageDimension;
    const auto             both = AskBoth(images, GetParam(), isDouble, [&](auto * metric) {
      metric->SetMovingTransform(std::string(transform) == "field"
                                   ? FieldTransform(transform, images.fixed.GetPointer(), 0.4)
                                   : MetricTransform<dimension>(transform));
      typename std::decay_t<decltype(*metric)>::RadiusType window;
      window.Fill(0);
      metric->SetRadius(window);
    });
    ExpectTheSame(both, { 0.0, 0.0 });
    EXPECT_EQ(both.found.value, -1.0);
    EXPECT_EQ(both.found.flatWindows, both.found.count);
    EXPECT_GT(both.found.count, 40u);
  };
  for (const char * const transform : { "field", "affine" })
  {
    compare(NoisyImages<DoubleImage2D>({ 37, 29 }, 0.0, 2), transform, true);
    compare(NoisyImages<DoubleImage3D>({ 13, 11, 12 }, 0.0, 0), transform, true);
  }
  // Windows along one axis, of two or three samples.
  const auto compareLines = [&](const auto & images, bool isDouble) {
    const auto both = AskBoth(images, GetParam(), isDouble, [&](auto * metric) {
      SetZeroFields(metric, images.fixed);
      SetRadius(metric, 0);
    });
    ExpectTheSame(both, isDouble ? LocalInDouble : LocalInSingle);
    EXPECT_GT(both.expected.derivative.two_norm(), 0.0);
  };
  for (const bool isDouble : { true, false })
  {
    compareLines(WholeImages<Image2D>({ 37, 29 }), isDouble);
    compareLines(WholeImages<Image3D>({ 13, 11, 12 }), isDouble);
  }
}

TEST_P(LocalMetricEdges, RadiusBeyondTheImage)
{
  const auto compare = [&](const auto & images, const char * transform, unsigned int radius, bool isDouble) {
    SCOPED_TRACE(transform);
    constexpr unsigned int dimension = std::decay_t<decltype(*images.fixed)>::ImageDimension;
    const auto             setUp = [&](auto * metric) {
      metric->SetMovingTransform(std::string(transform) == "field"
                                   ? FieldTransform(transform, images.fixed.GetPointer(), 0.4)
                                   : MetricTransform<dimension>(transform));
      SetRadius(metric, radius);
    };
    const auto both = AskBoth(images, GetParam(), isDouble, setUp);
    ExpectTheSame(both, isDouble ? LocalInDouble : LocalInSingle);
    EXPECT_GT(both.expected.derivative.two_norm(), 0.0);
  };
  for (const bool isDouble : { true, false })
  {
    for (const char * const transform : { "field", "rigid", "B-spline" })
    {
      compare(NoisyImages<Image2D>({ 19, 13 }, 0.0, 2), transform, 22, isDouble);
      compare(NoisyImages<Image3D>({ 7, 8, 6 }, 0.0, 0), transform, 9, isDouble);
    }
  }
}

TEST_P(LocalMetricEdges, NansChangeTheirWindowsAlone)
{
  auto images = NoisyImages<Image3D>({ 19, 17, 13 }, 100.0, 0);
  images.fixed->GetBufferPointer()[(6 * 17 + 8) * 19 + 9] = std::numeric_limits<float>::quiet_NaN();
  const auto setUp = [&](auto * metric) {
    SetZeroFields(metric, images.fixed);
    SetRadius(metric, 2);
  };
  const auto both = AskBoth(images, GetParam(), true, setUp);
  EXPECT_EQ(both.found.flatWindows, 5u * 7u * 5u);
  ExpectTheSame(both, LocalInDouble); // ITK's correlation is 1 because a comparison with NaN is false
  // The same with the moving image: ITK's gradients near the NaN are NaN, too, in flat windows.
  std::swap(images.fixed, images.moving);
  const auto exchanged = AskBoth(images, GetParam(), true, setUp);
  EXPECT_EQ(exchanged.found.flatWindows, 5u * 7u * 5u);
  ExpectTheSame(exchanged, LocalInDouble);
}

TEST_P(LocalMetricEdges, NansUnderTransforms)
{
  const auto compare = [&](const auto & made, const char * transform, bool isDouble) {
    SCOPED_TRACE(transform);
    using Image = std::decay_t<decltype(*made.fixed)>;
    constexpr unsigned int dimension = Image::ImageDimension;
    const auto             pixels = made.moving->GetBufferedRegion().GetNumberOfPixels();
    made.moving->GetBufferPointer()[pixels / 2 + 7] = std::numeric_limits<typename Image::PixelType>::quiet_NaN();
    made.fixed->GetBufferPointer()[made.fixed->GetBufferedRegion().GetNumberOfPixels() / 2 - 9] =
      std::numeric_limits<typename Image::PixelType>::quiet_NaN();
    const auto both = AskBoth(made, GetParam(), isDouble, [&](auto * metric) {
      metric->SetMovingTransform(std::string(transform).substr(0, 5) == "field"
                                   ? FieldTransform(transform, made.fixed.GetPointer())
                                   : MetricTransform<dimension>(transform));
    });
    ExpectTheSame(both, isDouble ? LocalInDouble : LocalInSingle);
    EXPECT_TRUE(std::isfinite(both.found.value));
    EXPECT_GE(both.found.flatWindows, dimension == 2 ? 25u : 64u);
    EXPECT_LT(both.found.flatWindows, both.found.count / 2);
    // If a field separates neighbours, the gradient of a sample may use a pixel that its window does not contain.
    const auto & numbers = both.found.derivative;
    const auto   nans = std::count_if(numbers.begin(), numbers.end(), [](double number) { return std::isnan(number); });
    EXPECT_LE(nans, std::string(transform).substr(0, 5) == "field" ? 8 * dimension : 0);
    EXPECT_LT(nans, numbers.Size());
  };
  for (const bool isDouble : { true, false })
  {
    for (const char * const transform : { "affine", "B-spline", "field", "field before others" })
    {
      compare(MetricImages<Image2D>(), transform, isDouble);
      compare(MetricImages<DoubleImage3D>(), transform, isDouble);
    }
  }
}

TEST_P(LocalMetricEdges, ImagesThatHaveNoSampleInCommon)
{
  CompareNothingInCommon<LocalReference<Image2D>, LocalOurs<Image2D>>(MetricImages<Image2D>(), "field", GetParam());
  CompareNothingInCommon<LocalReference<Image2D>, LocalOurs<Image2D>>(MetricImages<Image2D>(), "affine", GetParam());
  CompareNothingInCommon<LocalReference<DoubleImage3D>, LocalOurs<DoubleImage3D>>(
    MetricImages<DoubleImage3D>(), "field", GetParam());
}

// The previous count is not that of an evaluation by ITK's code.
TEST_P(LocalMetricEdges, FlatWindowsAreThoseOfTheLastEvaluation)
{
  auto images = NoisyImages<Image2D>({ 31, 23 }, 100.0, 0);
  SetPatch(images.fixed.GetPointer(), 0, 0.5, 55.5);
  auto metric = LocalOurs<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  AskLocal(metric.GetPointer(), images, [](auto *) {});
  EXPECT_GT(metric->GetNumberOfFlatWindows(), 40u);
  auto everywhere = itk::EllipseSpatialObject<2>::New(); // not supported by the kernels
  everywhere->SetRadiusInObjectSpace(1e6);
  everywhere->Update();
  metric->SetMovingImageMask(everywhere);
  metric->Initialize();
  metric->GetValue();
  EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
  EXPECT_EQ(metric->GetNumberOfFlatWindows(), 0u);
  EXPECT_FALSE(metric->GetComparesPixels());
}

CUDASPLINE_GPU_ON_AND_OFF(LocalMetricEdges);

} // namespace
