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
// The checks of ITK's tests of its resampling filter (itkResampleImageTest, itkResampleImageTest2, 3 and 7,
// itkResampleImageTest2Streaming; 4 to 6 and 8 are those of ItkResampleScalingChecksTest.cxx), made anew for
// CudaResampleImageFilter. Where ITK's tests compare with stored pictures, the expected values are computed here, or
// are ITK's filter's.

#include "ItkResampleCheckSupport.h"
#include "StreamingSource.h"

#include "itkIdentityTransform.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkStreamingImageFilter.h"

#include <algorithm>
#include <limits>

using namespace CudaSplineTest;

namespace
{

class ItkResampleChecks : public OursOnEachBackend
{};

CUDASPLINE_ON_EACH_BACKEND(ItkResampleChecks);

} // namespace

// itkResampleImageTest: a ramp that is magnified twofold.
TEST_P(ItkResampleChecks, Test1MagnifiedRamp)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  auto affine = itk::AffineTransform<double, 2>::New();
  affine->Scale(0.5);
  auto filter = this->Ours<Image, Image>();
  filter->SetInput(MakeRamp<Image>(18, 12));
  filter->SetSize(Image::SizeType{ { 18, 12 } });
  filter->SetTransform(affine);
  filter->SetInterpolator(itk::LinearInterpolateImageFunction<Image>::New());
  filter->Update();
  ExpectPromisedBackend(filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu());
  for (itk::ImageRegionConstIteratorWithIndex<Image> it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    // Within ten units of the last place, as in ITK's test.
    const float expected = static_cast<float>(it.GetIndex()[0] + it.GetIndex()[1]) / 2.0F;
    ASSERT_NEAR(it.Get(), expected, 10.0F * std::numeric_limits<float>::epsilon() * expected) << it.GetIndex();
  }
  ExpectNoInterpolatorIsAnError(filter.GetPointer());
}

// itkResampleImageTest7: a ramp of 64 x 64, at once and in eight divisions. The last division requests rows 48 to 59.
TEST_P(ItkResampleChecks, Test7Streaming)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  const auto image = MakeRamp<Image>(64, 64);
  auto       affine = itk::AffineTransform<double, 2>::New();
  affine->Scale(0.9);
  const auto stream = [&](itk::ImageSource<Image> * source, unsigned int divisions) {
    auto filter = this->Ours<Image, Image>();
    if (source != nullptr)
    {
      filter->SetInput(source->GetOutput());
    }
    else
    {
      filter->SetInput(image);
    }
    filter->SetSize(Image::SizeType{ { 64, 64 } });
    filter->SetTransform(affine);
    auto streamer = itk::StreamingImageFilter<Image, Image>::New();
    streamer->SetInput(filter->GetOutput());
    streamer->SetNumberOfStreamDivisions(divisions);
    streamer->Update();
    ExpectPromisedBackend(filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu());
    Image::Pointer output = streamer->GetOutput();
    output->DisconnectPipeline();
    return output;
  };
  const auto              whole = stream(nullptr, 1);
  const auto              parts = stream(nullptr, 8);
  const Image::RegionType expected({ { 0, 48 } }, { { 60, 12 } });
  EXPECT_EQ(image->GetRequestedRegion(), expected);
  EXPECT_EQ(Compare(whole.GetPointer(), parts.GetPointer()).count, 0);
  const auto source = StreamingSource<Image>::New(); // its memory contains only the requested region
  source->SetImage(image);
  const auto streamed = stream(source, 8);
  EXPECT_EQ(source->GetRequests().size(), 8U);
  EXPECT_EQ(source->GetRequests().back(), expected);
  EXPECT_EQ(Compare(whole.GetPointer(), streamed.GetPointer()).count, 0);
}

// itkResampleImageTest7, too: a grid that differs from the default, specified in every way.
TEST_P(ItkResampleChecks, Test7OriginAndSpacing)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Filter = itk::CudaResampleImageFilter<Image, Image>;
  const auto   image = MakeRamp<Image>(64, 64);
  const double origin[] = { 3.25, -7.5 };
  const double spacing[] = { 0.75, 1.375 };
  const float  originOfFloats[] = { 3.25F, -7.5F };
  const float  spacingOfFloats[] = { 0.75F, 1.375F };
  const auto   expect = [&](Filter * filter) {
    filter->SetInput(image);
    filter->SetSize(Image::SizeType{ { 40, 44 } });
    filter->SetDefaultPixelValue(-1.0F);
    EXPECT_EQ(filter->GetOutputOrigin(), Image::PointType(origin));
    EXPECT_EQ(filter->GetOutputSpacing(), Image::SpacingType(spacing));
    filter->Update();
    ExpectPromisedBackend(filter, "LinearInterpolateImageFunction", this->OnGpu());
    EXPECT_EQ(filter->GetOutput()->GetOrigin(), Image::PointType(origin));
    EXPECT_EQ(filter->GetOutput()->GetSpacing(), Image::SpacingType(spacing));
    for (itk::ImageRegionConstIteratorWithIndex<Image> it(filter->GetOutput(),
                                                          filter->GetOutput()->GetBufferedRegion());
         !it.IsAtEnd();
         ++it)
    {
      const double x = 3.25 + 0.75 * static_cast<double>(it.GetIndex()[0]);
      const double y = -7.5 + 1.375 * static_cast<double>(it.GetIndex()[1]);
      ASSERT_NEAR(it.Get(), y < -0.5 ? -1.0 : x + std::max(y, 0.0), 2e-5) << it.GetIndex();
    }
  };
  auto filter = this->Ours<Image, Image>();
  filter->SetOutputOrigin(origin);
  filter->SetOutputSpacing(spacing);
  expect(filter);
  filter = this->Ours<Image, Image>();
  filter->SetOutputOrigin(originOfFloats);
  filter->SetOutputSpacing(spacingOfFloats);
  expect(filter);
  filter = this->Ours<Image, Image>();
  filter->SetOutputOrigin(Image::PointType(origin));
  filter->SetOutputSpacing(Image::SpacingType(spacing));
  expect(filter);
}

// itkResampleImageTest2: the same by scanlines, point by point, with an extrapolator, and with a reference image; and
// itkResampleImageTest2Streaming, in which only the linear transform allows streaming of the input.
TEST_P(ItkResampleChecks, Test2WaysToTheSamePixels)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<unsigned char, 2>;
  const auto input = MakePhantom<Image>(0.0, 255.0);
  auto       linear = itk::AffineTransform<double, 2>::New();
  linear->Scale(1.5);
  auto nonlinear = NonlinearAffine::New();
  nonlinear->Scale(1.5);
  const auto setUp = [&](auto filter, auto transform, bool extrapolated, bool byReference) {
    filter->SetTransform(transform);
    filter->SetDefaultPixelValue(77);
    if (byReference)
    {
      filter->SetReferenceImage(input);
      filter->UseReferenceImageOn();
    }
    else
    {
      filter->SetOutputParametersFromImage(input);
    }
    if (extrapolated)
    {
      filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Image, double>::New());
    }
  };
  for (const bool extrapolated : { false, true })
  {
    auto theirs = itk::ResampleImageFilter<Image, Image>::New();
    theirs->SetInput(input);
    setUp(theirs, linear, extrapolated, false);
    theirs->Update();
    EXPECT_EQ(FractionOtherThan(theirs->GetOutput(), 77) < 0.6, !extrapolated);
    const auto expectSame = [&](auto transform, const std::string & kind, bool byReference) {
      auto ours = this->Ours<Image, Image>();
      ours->SetInput(input);
      setUp(ours, transform, extrapolated, byReference);
      ours->Update();
      ExpectPromisedBackend(
        ours.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), kind, extrapolated ? "nearest" : "none");
      const auto difference = Compare(ours->GetOutput(), theirs->GetOutput());
      EXPECT_LE(difference.maximum, 1.0); // truncated where the value is close to an integer
      EXPECT_LE(difference.count, 3);

      const auto source = StreamingSource<Image>::New();
      source->SetImage(input);
      auto streamed = this->Ours<Image, Image>();
      streamed->SetInput(source->GetOutput());
      setUp(streamed, transform, extrapolated, byReference);
      auto streamer = itk::StreamingImageFilter<Image, Image>::New();
      streamer->SetInput(streamed->GetOutput());
      streamer->SetNumberOfStreamDivisions(8);
      int runs = 0;
      streamed->AddObserver(itk::StartEvent(), [&runs](const itk::EventObject &) { ++runs; });
      streamer->Update();
      EXPECT_EQ(runs, 8);
      ExpectPromisedBackend(streamed.GetPointer(),
                            "LinearInterpolateImageFunction",
                            this->OnGpu(),
                            kind,
                            extrapolated ? "nearest" : "none");
      if (!extrapolated) // it reads the available part of the input, as in ITK
      {
        EXPECT_EQ(Compare(streamer->GetOutput(), ours->GetOutput()).count, 0);
      }
      // Only with the linear transform are parts requested.
      const auto & requests = source->GetRequests();
      EXPECT_EQ(requests.size() > 1, kind == "linear");
      EXPECT_EQ(requests.front().GetNumberOfPixels() < input->GetBufferedRegion().GetNumberOfPixels(),
                kind == "linear");
    };
    for (const bool byReference : { false, true })
    {
      expectSame(linear, "linear", byReference);
      expectSame(nonlinear, "other", byReference);
    }
  }
}

// itkResampleImageTest3: the grid of a reference image with opposite axes, from the other end.
TEST_P(ItkResampleChecks, Test3FlippedReference)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<unsigned char, 2>;
  const auto input = MakeRamp<Image>(61, 43);
  auto       reference = Image::New();
  reference->SetRegions(input->GetLargestPossibleRegion());
  Image::DirectionType direction;
  direction.SetIdentity();
  direction *= -1.0;
  reference->SetDirection(direction);
  const double origin[] = { 61.0, 43.0 };
  reference->SetOrigin(origin);
  auto filter = this->Ours<Image, Image>();
  filter->SetInput(input);
  filter->SetReferenceImage(reference);
  filter->UseReferenceImageOn();
  filter->SetTransform(itk::IdentityTransform<double, 2>::New());
  filter->SetInterpolator(itk::LinearInterpolateImageFunction<Image>::New());
  filter->Update();
  ExpectPromisedBackend(filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu());
  EXPECT_EQ(filter->GetOutput()->GetDirection(), direction);
  EXPECT_EQ(filter->GetOutput()->GetOrigin(), reference->GetOrigin());
  for (itk::ImageRegionConstIteratorWithIndex<Image> it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    const auto index = it.GetIndex();
    const bool inside = index[0] > 0 && index[1] > 0; // the first ones are one pixel beyond the last of the input
    ASSERT_EQ(it.Get(), inside ? 61 - index[0] + 43 - index[1] : 0) << index;
  }
}
