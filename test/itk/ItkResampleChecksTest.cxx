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
// The checks of ITK's tests of its resampling filter (itkResampleImageTest, itkResampleImageTest2 to 8,
// itkResampleImageTest2Streaming), made anew for CudaResampleImageFilter. Where ITK's tests
// compare with stored pictures, the expected values are computed here, or are ITK's filter's.

#include "ProjectionTransform.h"
#include "StreamingSource.h"
#include "TransformTestSupport.h"

#include "itkIdentityTransform.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkStreamingImageFilter.h"
#include "itkVectorImage.h"

#include <limits>

using namespace CudaSplineTest;

namespace
{

class ItkResampleChecks : public OnEachBackend
{
protected:
  /** A filter of ours on the backend of the test. */
  template <typename TInput, typename TOutput>
  typename itk::CudaResampleImageFilter<TInput, TOutput>::Pointer
  Ours() const
  {
    auto filter = itk::CudaResampleImageFilter<TInput, TOutput>::New();
    filter->SetGPUEnabled(this->OnGpu());
    return filter;
  }
};

CUDASPLINE_ON_EACH_BACKEND(ItkResampleChecks);

/** A ramp: the sum of the indices. */
template <typename TImage>
typename TImage::Pointer
MakeRamp(itk::SizeValueType width, itk::SizeValueType height)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { width, height } });
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<typename TImage::PixelType>(it.GetIndex()[0] + it.GetIndex()[1]));
  }
  return image;
}

/** An affine transform that says that it is not linear: the points are transformed one by one. */
class NonlinearAffine : public itk::AffineTransform<double, 2>
{
public:
  using Self = NonlinearAffine;
  using Superclass = itk::AffineTransform<double, 2>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  bool
  IsLinear() const override
  {
    return false;
  }
  TransformCategoryEnum
  GetTransformCategory() const override
  {
    return TransformCategoryEnum::UnknownTransformCategory;
  }
};

/** From three dimensions to the first two, at half the size; of no category. */
class HalfProjection : public ProjectionTransform<3, 2>
{
public:
  using Self = HalfProjection;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  OutputPointType
  TransformPoint(const InputPointType & point) const override
  {
    OutputPointType half;
    half[0] = 0.5 * point[0];
    half[1] = 0.5 * point[1];
    return half;
  }
};

template <typename TFilter>
void
ExpectNoInterpolatorIsAnError(TFilter * filter)
{
  filter->SetInterpolator(nullptr);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

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

// itkResampleImageTest7: a ramp of 64 x 64, at once and in eight divisions, of which the last asks for rows 48 to 59.
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
  const auto source = StreamingSource<Image>::New(); // which has no more in memory than it is asked for
  source->SetImage(image);
  const auto streamed = stream(source, 8);
  EXPECT_EQ(source->GetRequests().size(), 8U);
  EXPECT_EQ(source->GetRequests().back(), expected);
  EXPECT_EQ(Compare(whole.GetPointer(), streamed.GetPointer()).count, 0);
}

// itkResampleImageTest2: the same by scanlines, point by point, with an extrapolator, and by a reference image; and
// itkResampleImageTest2Streaming, in which only the linear transform lets the input be streamed.
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
      streamer->Update();
      if (!extrapolated) // which sees the part of the input that is there, in ITK too
      {
        EXPECT_EQ(Compare(streamer->GetOutput(), ours->GetOutput()).count, 0);
      }
      const bool isStreamed =
        source->GetRequests().front().GetNumberOfPixels() < input->GetBufferedRegion().GetNumberOfPixels();
      EXPECT_EQ(isStreamed, kind == "linear");
    };
    expectSame(linear, "linear", false);
    expectSame(linear, "linear", true);
    expectSame(nonlinear, "other", false);
  }
}

// itkResampleImageTest3: the grid of a reference image whose axes point the other way, from the other end.
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

// itkResampleImageTest4, 5 and 6: a ramp on grids of other sizes, of scalars and of vectors.
TEST_P(ItkResampleChecks, Test4To6Scalings)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Vectors = itk::VectorImage<float, 2>;
  const auto image = MakeRamp<Image>(64, 64);
  auto       vectors = Vectors::New();
  vectors->SetRegions(image->GetBufferedRegion());
  vectors->SetVectorLength(3);
  vectors->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(vectors, vectors->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    Vectors::PixelType pixel(3);
    pixel[0] = static_cast<float>(it.GetIndex()[0]);
    pixel[1] = static_cast<float>(it.GetIndex()[1]);
    pixel[2] = static_cast<float>(it.GetIndex()[0] + it.GetIndex()[1]);
    it.Set(pixel);
  }
  for (const bool isLinear : { true, false })
  {
    auto linear = itk::AffineTransform<double, 2>::New();
    linear->Scale(0.9);
    auto nonlinear = NonlinearAffine::New();
    nonlinear->Scale(0.9);
    for (const double scaling : { 10.0, 1.0, 0.5 })
    {
      const auto run = [&](auto filter, auto * input) {
        const auto   size = static_cast<itk::SizeValueType>(64 * scaling);
        const double spacing[] = { 64.0 / static_cast<double>(size), 64.0 / static_cast<double>(size) };
        filter->SetInput(input);
        filter->SetSize(Image::SizeType{ { size, size } });
        filter->SetOutputSpacing(spacing);
        if (isLinear)
        {
          filter->SetTransform(linear);
        }
        else
        {
          filter->SetTransform(nonlinear);
        }
        filter->Update();
        ExpectPromisedBackend(
          filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), isLinear ? "linear" : "other");
        return filter;
      };
      const auto scalars = run(this->Ours<Image, Image>(), image.GetPointer());
      const auto several = run(this->Ours<Vectors, Vectors>(), vectors.GetPointer());
      ASSERT_EQ(several->GetOutput()->GetNumberOfComponentsPerPixel(), 3U);
      for (itk::ImageRegionConstIteratorWithIndex<Image> it(scalars->GetOutput(),
                                                            scalars->GetOutput()->GetBufferedRegion());
           !it.IsAtEnd();
           ++it)
      {
        const double x = 0.9 / scaling * static_cast<double>(it.GetIndex()[0]); // at most 57.6: all are inside
        const double y = 0.9 / scaling * static_cast<double>(it.GetIndex()[1]);
        ASSERT_NEAR(it.Get(), x + y, 2e-5) << it.GetIndex();
        const auto vector = several->GetOutput()->GetPixel(it.GetIndex());
        ASSERT_NEAR(vector[0], x, 2e-5) << it.GetIndex();
        ASSERT_NEAR(vector[1], y, 2e-5) << it.GetIndex();
        ASSERT_NEAR(vector[2], x + y, 2e-5) << it.GetIndex();
      }
    }
  }
}

// itkResampleImageTest8: an output of three dimensions of an input of two, by a transform between them.
TEST_P(ItkResampleChecks, Test8MoreDimensions)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Input = itk::Image<float, 2>;
  using Output = itk::Image<float, 3>;
  auto filter = this->Ours<Input, Output>();
  filter->SetInput(MakeRamp<Input>(18, 12));
  filter->SetTransform(HalfProjection::New());
  filter->SetInterpolator(itk::LinearInterpolateImageFunction<Input>::New());
  filter->SetSize(Output::SizeType{ { 18, 12, 5 } });
  filter->Update();
  ExpectPromisedBackend(filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), "other");
  for (itk::ImageRegionConstIteratorWithIndex<Output> it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    const float expected = static_cast<float>(it.GetIndex()[0] + it.GetIndex()[1]) / 2.0F;
    ASSERT_NEAR(it.Get(), expected, 10.0F * std::numeric_limits<float>::epsilon() * expected) << it.GetIndex();
  }
  ExpectNoInterpolatorIsAnError(filter.GetPointer());
}
