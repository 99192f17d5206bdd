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
// CudaInterpolateImagePointsFilter. Expected values: ITK's filter. Tolerance: 1e-9 of the range (100) in double (ITK's
// own truncation of B-splines is 3.7e-10), 1e-6 in float.

#include "ResampleTestSupport.h"

#include "itkCudaInterpolateImagePointsFilter.h"

#include "itkStreamingImageFilter.h"

#include <array>

using namespace CudaSplineTest;

namespace
{

/** Returns images of random coordinates about the phantom, some beyond its edges and one NaN, on their own grid. */
template <typename TImage>
std::array<typename TImage::Pointer, TImage::ImageDimension>
MakeCoordinates(const TImage * input)
{
  constexpr unsigned int                  D = TImage::ImageDimension;
  std::mt19937                            random(11);
  std::array<typename TImage::Pointer, D> coordinates;
  typename TImage::RegionType             region;
  typename TImage::SpacingType            spacing;
  const itk::SizeValueType                sizes[] = { 29, 17, 5 };
  for (unsigned int d = 0; d < D; ++d)
  {
    region.SetIndex(d, 4 - 3 * static_cast<itk::IndexValueType>(d));
    region.SetSize(d, sizes[d]);
    spacing[d] = 2.0 + d;
  }
  for (unsigned int d = 0; d < D; ++d)
  {
    coordinates[d] = TImage::New();
    coordinates[d]->SetRegions(region);
    coordinates[d]->SetSpacing(spacing);
    coordinates[d]->Allocate();
    const auto &                           pixels = input->GetBufferedRegion();
    const auto                             first = static_cast<double>(pixels.GetIndex(d));
    const auto                             size = static_cast<double>(pixels.GetSize(d));
    std::uniform_real_distribution<double> uniform(first - 0.1 * size, first + 1.1 * size);
    for (itk::ImageRegionIteratorWithIndex<TImage> it(coordinates[d], region); !it.IsAtEnd(); ++it)
    {
      it.Set(static_cast<typename TImage::PixelType>(uniform(random)));
    }
  }
  coordinates[0]->GetBufferPointer()[3] = std::numeric_limits<typename TImage::PixelType>::quiet_NaN();
  return coordinates;
}

class CudaInterpolateImagePointsFilter : public OnEachBackend
{
protected:
  template <typename TPixel, unsigned int VDimension, template <typename, typename> class TInterpolator>
  void
  ExpectAgreement(const std::string & name, double tolerance)
  {
    using Image = itk::Image<TPixel, VDimension>;
    using Interpolator = TInterpolator<Image, TPixel>;
    SCOPED_TRACE(name + ", " + std::to_string(VDimension) + "D");
    const auto input = MakePhantom<Image>(0.0, 100.0);
    const auto coordinates = MakeCoordinates(input.GetPointer());
    const auto run = [&](auto filter) {
      filter->SetInputImage(input);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        filter->SetInterpolationCoordinate(coordinates[d], d);
      }
      filter->SetDefaultPixelValue(TPixel(-7.5));
      filter->Update();
    };
    auto ours = itk::CudaInterpolateImagePointsFilter<Image, Image, TPixel, Interpolator>::New();
    ours->SetGPUEnabled(this->OnGpu());
    run(ours);
    auto theirs = itk::InterpolateImagePointsFilter<Image, Image, TPixel, Interpolator>::New();
    run(theirs);
    EXPECT_EQ(
      ours->GetLastBackend(),
      PromisedBackend(
        { "CudaInterpolateImagePointsFilter", "scalar", std::to_string(VDimension), name, "coordinates", "none" },
        this->OnGpu()))
      << ours->GetFallbackReason();
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, tolerance);
    EXPECT_EQ(ours->GetOutput()->GetSpacing(), theirs->GetOutput()->GetSpacing());
    EXPECT_EQ(ours->GetOutput()->GetOrigin(), theirs->GetOutput()->GetOrigin());
    EXPECT_EQ(ours->GetOutput()->GetDirection(), theirs->GetOutput()->GetDirection());
    EXPECT_EQ(ours->GetOutput()->GetLargestPossibleRegion(), theirs->GetOutput()->GetLargestPossibleRegion());
    const double inside = FractionOtherThan(theirs->GetOutput(), -7.5);
    EXPECT_GT(inside, 0.3);
    EXPECT_LT(inside, 0.95);

    // The same bits in parts.
    auto parts = itk::CudaInterpolateImagePointsFilter<Image, Image, TPixel, Interpolator>::New();
    parts->SetGPUEnabled(this->OnGpu());
    parts->SetInputImage(input);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      parts->SetInterpolationCoordinate(coordinates[d], d);
    }
    parts->SetDefaultPixelValue(TPixel(-7.5));
    auto streamer = itk::StreamingImageFilter<Image, Image>::New();
    streamer->SetInput(parts->GetOutput());
    streamer->SetNumberOfStreamDivisions(3);
    streamer->Update();
    EXPECT_EQ(Compare(streamer->GetOutput(), ours->GetOutput()).count, 0);
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaInterpolateImagePointsFilter);

/** The default interpolator, with coefficients of double. */
template <typename TImage, typename TCoordinate>
using Spline = itk::BSplineInterpolateImageFunction<TImage, TCoordinate>;

} // namespace

TEST_P(CudaInterpolateImagePointsFilter, Float)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<float, 2, Spline>("BSplineInterpolateImageFunction", 1e-4);
  this->ExpectAgreement<float, 3, Spline>("BSplineInterpolateImageFunction", 1e-4);
  this->ExpectAgreement<float, 2, itk::LinearInterpolateImageFunction>("LinearInterpolateImageFunction", 1e-4);
  this->ExpectAgreement<float, 3, itk::NearestNeighborInterpolateImageFunction>(
    "NearestNeighborInterpolateImageFunction", 0.0);
}

TEST_P(CudaInterpolateImagePointsFilter, Double)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<double, 2, Spline>("BSplineInterpolateImageFunction", 1e-7);
  this->ExpectAgreement<double, 3, Spline>("BSplineInterpolateImageFunction", 1e-7);
  this->ExpectAgreement<double, 3, itk::LinearInterpolateImageFunction>("LinearInterpolateImageFunction", 1e-9);
  this->ExpectAgreement<double, 2, itk::NearestNeighborInterpolateImageFunction>(
    "NearestNeighborInterpolateImageFunction", 0.0);
}

// The order of the filter's own interpolator, set after the image.
TEST_P(CudaInterpolateImagePointsFilter, SplineOrder)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<double, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto coordinates = MakeCoordinates(input.GetPointer());
  const auto run = [&](auto filter) {
    filter->GetInterpolator()->SetSplineOrder(5);
    filter->SetInputImage(input);
    filter->SetInterpolationCoordinate(coordinates[0], 0);
    filter->SetInterpolationCoordinate(coordinates[1], 1);
    filter->Update();
  };
  auto ours = itk::CudaInterpolateImagePointsFilter<Image, Image>::New();
  ours->SetGPUEnabled(this->OnGpu());
  run(ours);
  auto theirs = itk::InterpolateImagePointsFilter<Image, Image>::New();
  run(theirs);
  EXPECT_NE(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 1e-7);
  EXPECT_EQ(ours->GetInterpolator()->GetInputImage(), nullptr); // ITK has never decomposed it
}

TEST(CudaInterpolateImagePointsFilterFallback, InterpolatorOfAUser)
{
  using Image = itk::Image<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto coordinates = MakeCoordinates(input.GetPointer());
  const auto run = [&](auto filter) {
    filter->SetInputImage(input);
    filter->SetInterpolationCoordinate(coordinates[0], 0);
    filter->SetInterpolationCoordinate(coordinates[1], 1);
    filter->Update();
  };
  auto ours = itk::CudaInterpolateImagePointsFilter<Image, Image, float, Doubled<Image, float>>::New();
  run(ours);
  auto theirs = itk::InterpolateImagePointsFilter<Image, Image, float, Doubled<Image, float>>::New();
  run(theirs);
  EXPECT_EQ(PromisedBackend({ "CudaInterpolateImagePointsFilter", "scalar", "2", "Doubled", "coordinates", "none" }),
            itk::CudaSpline::Backend::Superclass);
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_FALSE(ours->GetFallbackReason().empty());
  EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
}

TEST(CudaInterpolateImagePointsFilterFallback, Errors)
{
  using Image = itk::Image<float, 2>;
  auto filter = itk::CudaInterpolateImagePointsFilter<Image, Image>::New();
  filter->SetInputImage(MakePhantom<Image>(0.0, 1.0));
  EXPECT_THROW(filter->Update(), itk::ExceptionObject); // no coordinates
  std::ostringstream printed;
  filter->Print(printed);
  EXPECT_NE(printed.str().find("Precision: Automatic"), std::string::npos);
}
