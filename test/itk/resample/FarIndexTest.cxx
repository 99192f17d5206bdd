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
#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"

#include "Gpu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/** \file
 * \brief B-splines of images whose first index is far from 0, where floats do not represent the fraction of an index.
 *
 * The image is at the same position in space for any first index. Spacings, points and steps are powers of two: every
 * continuous index is the first one plus the same fraction, without a rounding, so values must have the same bits.
 * Those with indices about 0 are compared with ITK's, whose floats represent the fractions there. Its coefficients of
 * orders 2 to 5 have errors of up to 4e-10 of the largest pixel. */

namespace
{

using FarImage = itk::Image<double, 2>;
constexpr itk::SizeValueType FarWidth = 9;
constexpr itk::SizeValueType FarHeight = 8;
constexpr double             FarSpacing[] = { 0.5, 2.0 };

FarImage::Pointer
MakeFarImage(itk::IndexValueType first)
{
  auto                  image = FarImage::New();
  FarImage::RegionType  region;
  FarImage::SpacingType spacing;
  FarImage::PointType   origin;
  region.SetSize(0, FarWidth);
  region.SetSize(1, FarHeight);
  for (unsigned int d = 0; d < 2; ++d)
  {
    region.SetIndex(d, first);
    spacing[d] = FarSpacing[d];
    origin[d] = -static_cast<double>(first) * FarSpacing[d];
  }
  image->SetRegions(region);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->Allocate();
  for (unsigned int i = 0; i < FarWidth * FarHeight; ++i)
  {
    image->GetBufferPointer()[i] = 500.0 * std::sin(12.9898 * i);
  }
  return image;
}

/** Resamples the image on a grid that extends beyond both ends of both axes: with an eighth of its spacing, on samples
 * and half-way between them, or with its own spacing, between samples. Such lines are short: several share a run of
 * the host's loop. */
template <typename TFilter>
std::vector<double>
ResampleFar(TFilter * filter, FarImage * image, unsigned int order, unsigned int perSample)
{
  auto spline = itk::BSplineInterpolateImageFunction<FarImage, double>::New();
  spline->SetSplineOrder(order);
  FarImage::SpacingType spacing;
  FarImage::PointType   origin;
  for (unsigned int d = 0; d < 2; ++d)
  {
    spacing[d] = FarSpacing[d] / perSample;
    origin[d] = -FarSpacing[d] * (perSample == 1 ? 0.9375 : 1.0);
  }
  filter->SetInput(image);
  filter->SetInterpolator(spline);
  filter->SetOutputOrigin(origin);
  filter->SetOutputSpacing(spacing);
  filter->SetSize(
    FarImage::SizeType{ { 16 * perSample, 10 * perSample } }); // a power of two along a line, by which ITK divides
  filter->SetDefaultPixelValue(-7777.0);
  filter->Update();
  const auto * const pixels = filter->GetOutput()->GetBufferPointer();
  return { pixels, pixels + filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels() };
}

/** First indices that are far from 0. */
constexpr std::int64_t FarFirsts[] = { 100000, -100000, 16777219, 2147483651 };

/** Resamplings on a backend have the same bits as those with indices about 0, which are ITK's except for rounding. */
void
ExpectFarResamplingsAsNear(bool gpu)
{
  for (unsigned int number = 0; number <= 11; ++number)
  {
    const unsigned int order = number / 2;
    const unsigned int perSample = number % 2 == 0 ? 1 : 8;
    SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(perSample) + " a sample");
    const auto near = MakeFarImage(0);
    const auto reference = ResampleFar(
      itk::ResampleImageFilter<FarImage, FarImage>::New().GetPointer(), near.GetPointer(), order, perSample);
    const auto resample = [order, perSample, gpu](FarImage * image) {
      auto filter = itk::CudaResampleImageFilter<FarImage, FarImage>::New();
      filter->SetGPUEnabled(gpu);
      const auto values = ResampleFar(filter.GetPointer(), image, order, perSample);
      EXPECT_EQ(filter->GetLastBackend(), gpu ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu)
        << filter->GetFallbackReason();
      return values;
    };
    const auto  expected = resample(near);
    std::size_t inside = 0;
    ASSERT_EQ(expected.size(), reference.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
      ASSERT_NEAR(expected[i], reference[i], 500.0 * 2e-9) << i;
      inside += expected[i] != -7777.0 ? 1U : 0U;
    }
    EXPECT_GE(inside, FarWidth * perSample * FarHeight * perSample);
    EXPECT_LT(inside, expected.size());
    for (const std::int64_t first : FarFirsts)
    {
      EXPECT_EQ(resample(MakeFarImage(static_cast<itk::IndexValueType>(first))), expected) << first;
    }
  }
}

TEST(FarIndex, ResamplingsAreThoseAboutIndexZero)
{
  ExpectFarResamplingsAsNear(false);
}

TEST(FarIndexGpu, ResamplingsAreThoseAboutIndexZero)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectFarResamplingsAsNear(true);
}

TEST(FarIndex, SinglePointsAreThoseAboutIndexZero)
{
  const auto near = MakeFarImage(0);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    auto aboutZero = itk::CudaBSplineInterpolateImageFunction<FarImage, double>::New();
    aboutZero->SetSplineOrder(order);
    aboutZero->SetInputImage(near);
    for (const std::int64_t first : FarFirsts)
    {
      const auto image = MakeFarImage(static_cast<itk::IndexValueType>(first));
      auto       interpolator = itk::CudaBSplineInterpolateImageFunction<FarImage, double>::New();
      interpolator->SetSplineOrder(order);
      interpolator->SetInputImage(image);
      for (int step = 0; step <= 64; ++step)
      {
        itk::ContinuousIndex<double, 2> index;
        index[0] = 0.125 * step;
        index[1] = 0.0625 * step + 0.03125;
        const double value = aboutZero->EvaluateAtContinuousIndex(index);
        index[0] += static_cast<double>(first);
        index[1] += static_cast<double>(first);
        EXPECT_EQ(interpolator->EvaluateAtContinuousIndex(index), value)
          << "order " << order << ", " << first << ", " << step;
      }
    }
  }
}

} // namespace
