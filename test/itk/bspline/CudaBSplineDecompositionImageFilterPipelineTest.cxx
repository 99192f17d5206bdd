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
// CudaBSplineDecompositionImageFilter in pipelines: streaming on both sides, buffered regions, and input that cannot be
// filtered.
//
// Expected values: the same bits as from an image that is in memory as a whole, and ITK's own filter on the same input
// within the bounds of SplineErrorBounds.h. Errors: an itk::ExceptionObject whose text names what was wrong. What
// ITK 5.2.1 does where the module throws, seen: an image without pixels or without a buffer ends ITK's filter by a
// signal or an empty output; a source that buffers less than it was asked for makes ITK read beyond the end of the
// buffer.

#include "itkCudaBSplineDecompositionImageFilter.h"

#include "GpuOnAndOff.h"
#include "ItkObjectTestSupport.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include "itkStreamingImageFilter.h"

#include <cmath>
#include <string>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

using VolumeType = itk::Image<float, 3>;
using VolumeOutput = itk::Image<double, 3>;
using VolumeFilter = itk::CudaBSplineDecompositionImageFilter<VolumeType, VolumeOutput>;

class CudaBSplineDecompositionImageFilterPipelineTest : public GpuOnAndOff
{
protected:
  VolumeFilter::Pointer
  MakeFilter(const VolumeType * image) const
  {
    auto filter = VolumeFilter::New();
    filter->SetInput(image);
    filter->SetGPUEnabled(GetParam());
    return filter;
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterPipelineTest);

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, StreamingSource)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 37, 23, 31 }, random);
  const auto whole = this->MakeFilter(image);
  whole->Update();
  for (const unsigned int divisions : { 1, 2, 7 })
  {
    SCOPED_TRACE(std::to_string(divisions) + " divisions");
    auto source = StreamingSource<VolumeType>::New();
    source->SetImage(image);
    auto upstream = itk::StreamingImageFilter<VolumeType, VolumeType>::New();
    upstream->SetInput(source->GetOutput());
    upstream->SetNumberOfStreamDivisions(divisions);
    const auto filter = this->MakeFilter(upstream->GetOutput());
    filter->Update();
    EXPECT_EQ(source->GetRequests().size(), divisions);
    EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(Promised("CudaBSplineDecompositionImageFilter", 3)));
    EXPECT_TRUE(SameBits<VolumeOutput>(filter->GetOutput(), whole->GetOutput()));
  }
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, StreamedOutput)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 31, 19, 41 }, random);
  const auto whole = this->MakeFilter(image);
  whole->Update();
  for (const unsigned int divisions : { 1, 2, 7 })
  {
    SCOPED_TRACE(std::to_string(divisions) + " divisions");
    auto source = StreamingSource<VolumeType>::New();
    source->SetImage(image);
    const auto filter = this->MakeFilter(source->GetOutput());
    auto       downstream = itk::StreamingImageFilter<VolumeOutput, VolumeOutput>::New();
    downstream->SetInput(filter->GetOutput());
    downstream->SetNumberOfStreamDivisions(divisions);
    downstream->Update();
    EXPECT_TRUE(SameBits<VolumeOutput>(downstream->GetOutput(), whole->GetOutput()));
    ASSERT_EQ(source->GetRequests().size(), 1u) << "the whole image is filtered, and once";
    EXPECT_EQ(source->GetRequests().front(), image->GetLargestPossibleRegion());
  }
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, RequestedPartOfTheOutputGivesTheWhole)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 17, 13, 11 }, random);
  const auto whole = this->MakeFilter(image);
  whole->Update();
  const auto filter = this->MakeFilter(image);
  filter->UpdateOutputInformation();
  auto part = image->GetLargestPossibleRegion();
  part.ShrinkByRadius(3);
  filter->GetOutput()->SetRequestedRegion(part);
  filter->Update();
  EXPECT_TRUE(SameBits<VolumeOutput>(filter->GetOutput(), whole->GetOutput()));
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, BufferedRegionSmallerThanTheLargest)
{
  // An image without a source: ITK treats the buffered region as the largest possible one, and so does the module.
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 37, 41, 43 }, random);
  const auto buffered = image->GetBufferedRegion();
  auto       largest = buffered;
  largest.PadByRadius(5);
  const auto restore = [&image, &largest, &buffered] {
    image->SetLargestPossibleRegion(largest);
    image->SetRequestedRegion(buffered);
  };

  restore();
  auto reference = itk::BSplineDecompositionImageFilter<VolumeType, VolumeOutput>::New();
  reference->SetInput(image);
  reference->Update();
  restore();
  const auto filter = this->MakeFilter(image);
  filter->Update();
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(Promised("CudaBSplineDecompositionImageFilter", 3)));
  ASSERT_EQ(filter->GetOutput()->GetBufferedRegion(), buffered);
  ASSERT_EQ(reference->GetOutput()->GetBufferedRegion(), buffered);
  const PrefilterBounds bounds(3);
  const double          axis =
    bounds.OwnAxis<double>() + bounds.ItkAxis<double>(reference->GetSplinePoles()) + bounds.ItkLowEdgeAxis();
  const double bound = bounds.Axes(3, axis, LargestPixel(image.GetPointer()));
  for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
  {
    ASSERT_LE(std::abs(filter->GetOutput()->GetBufferPointer()[i] - reference->GetOutput()->GetBufferPointer()[i]),
              bound);
  }
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, SourceThatBuffersTooLittle)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 7, 5, 6 }, random);
  auto       source = StreamingSource<VolumeType>::New();
  source->SetImage(image);
  source->SetTooLittle(true);
  const auto        filter = this->MakeFilter(source->GetOutput());
  const std::string text = UpdateErrorOf(filter.GetPointer());
  ExpectMention(text, "buffered region");
  ExpectMention(text, "[7, 5, 5]");
  ExpectMention(text, "[7, 5, 6]");
  // The filter is usable again.
  source->SetTooLittle(false);
  EXPECT_NO_THROW(filter->Update());
  EXPECT_NE(filter->GetLastBackend(), Backend::None);
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, MissingInput)
{
  // ITK's own check, with its text: "Input Primary is required but not set."
  const auto filter = this->MakeFilter(nullptr);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "Input Primary is required");
  EXPECT_EQ(filter->GetLastBackend(), Backend::None);
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, EmptyInput)
{
  {
    const auto image = VolumeType::New();
    ExpectMention(UpdateErrorOf(this->MakeFilter(image).GetPointer()), "empty");
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    VolumeType::SizeType size{ { 5, 6, 7 } };
    size[axis] = 0;
    const auto image = VolumeType::New();
    image->SetRegions(size);
    image->Allocate();
    const std::string text = UpdateErrorOf(this->MakeFilter(image).GetPointer());
    ExpectMention(text, "empty");
    ExpectMention(text, std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " + std::to_string(size[2]));
  }
  {
    const auto image = VolumeType::New();
    image->SetRegions(VolumeType::SizeType{ { 5, 6, 7 } });
    UpdateErrorOf(this->MakeFilter(image).GetPointer()); // never allocated
  }
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, OrderSix)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeType>({ 7, 5, 6 }, random);
  const auto filter = this->MakeFilter(image);
  try
  {
    filter->SetSplineOrder(6);
    FAIL() << "no exception";
  }
  catch (const itk::ExceptionObject & error)
  {
    ExpectMention(error.GetDescription(), "between 0 and 5");
  }
  // In ITK the order is 6 now, and an update continues with the number of poles of the previous order.
  if (filter->GetSplineOrder() == 6)
  {
    ExpectMention(UpdateErrorOf(filter.GetPointer()), "0 to 5");
  }
  filter->SetSplineOrder(2);
  EXPECT_NO_THROW(filter->Update());
}

TEST_P(CudaBSplineDecompositionImageFilterPipelineTest, TheInputIsLeftAlone)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<VolumeOutput>({ 13, 17, 19 }, random);
  const auto before = Copy<VolumeOutput>(image);
  auto       filter = itk::CudaBSplineDecompositionImageFilter<VolumeOutput, VolumeOutput>::New();
  filter->SetInput(image);
  filter->SetGPUEnabled(GetParam());
  filter->Update();
  EXPECT_TRUE(SameBits<VolumeOutput>(image, before)) << "same types, but the filter is not in place";
  EXPECT_NE(filter->GetOutput()->GetBufferPointer(), image->GetBufferPointer());
}

} // namespace
