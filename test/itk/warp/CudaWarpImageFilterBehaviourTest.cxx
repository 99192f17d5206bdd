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
// CudaWarpImageFilter in a pipeline, the checks of itkWarpImageFilterTest and itkWarpImageFilterTest2 made anew
// (expected values are those of the ramps, computed here), and what ITK answers.

#include "StreamingSource.h"
#include "WarpTestSupport.h"

#include "itkStreamingImageFilter.h"

#include <algorithm>
#include <sstream>

using namespace CudaSplineTest;

namespace
{

class CudaWarpImageFilterBehaviour : public OnEachBackend
{};

CUDASPLINE_ON_EACH_BACKEND(CudaWarpImageFilterBehaviour);

} // namespace

// If the input or the field changes, the output is computed again; a cache keeps the coefficients.
TEST_P(CudaWarpImageFilterBehaviour, Updates)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Field = FieldOf<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto cache = itk::CudaSplineSourceCache::New();
  auto       filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->SetSourceCache(cache);
  filter->SetInput(input);
  filter->SetOutputParametersFromImage(input);
  filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Image>::New());
  const auto expectItk = [&](Field * field) {
    filter->SetDisplacementField(field);
    filter->Update();
    auto theirs = ItkWarp<Image, Image, Field>::New();
    theirs->SetInput(input);
    theirs->SetDisplacementField(field);
    theirs->SetOutputParametersFromImage(input);
    theirs->SetInterpolator(itk::BSplineInterpolateImageFunction<Image>::New());
    theirs->Update();
    EXPECT_LE(Compare(filter->GetOutput(), theirs->GetOutput()).maximum, 1.3e-4);
  };
  expectItk(MakeField<Field>(6));
  const auto bytes = cache->GetBytes();
  EXPECT_GT(bytes, 0U);
  expectItk(MakeField<Field>(7, input));
  EXPECT_EQ(cache->GetBytes(), bytes);
  input->GetBufferPointer()[100] += 50.0F;
  input->Modified();
  expectItk(MakeField<Field>(8));
}

TEST_P(CudaWarpImageFilterBehaviour, ProgressAndAbort)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Field = FieldOf<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  auto       filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->SetInput(input);
  filter->SetDisplacementField(MakeField<Field>(6));
  filter->SetOutputParametersFromImage(input);
  double last = 0.0;
  bool   stop = true;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    last = filter->GetProgress();
    if (stop)
    {
      filter->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(filter->Update(), itk::ProcessAborted);
  stop = false;
  filter->AbortGenerateDataOff();
  filter->Update();
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion(), input->GetLargestPossibleRegion());
}

// itkWarpImageFilterTest: a ramp that is magnified by 2 and 3 with a field on the grid of the output, and its
// streaming.
TEST_P(CudaWarpImageFilterBehaviour, ItkMagnifiesARamp)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Field = FieldOf<float, 2>;
  const unsigned int factors[] = { 2, 3 };
  auto               input = Image::New();
  input->SetRegions(Image::SizeType{ { 64, 64 } });
  input->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(input, input->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<float>(64 + it.GetIndex()[0] + it.GetIndex()[1]));
  }
  auto field = Field::New();
  field->SetRegions(Field::SizeType{ { 64 * factors[0] + 5, 64 * factors[1] + 5 } });
  field->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Field> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    Field::PixelType displacement;
    for (unsigned int d = 0; d < 2; ++d)
    {
      displacement[d] = static_cast<float>(static_cast<double>(it.GetIndex()[d]) * (1.0 / factors[d] - 1.0));
    }
    it.Set(displacement);
  }
  auto filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->SetInput(input);
  filter->SetDisplacementField(field);
  filter->SetOutputSpacing(input->GetSpacing().GetDataPointer());
  const double origin[] = { 0.0, 0.0 };
  filter->SetOutputOrigin(origin);
  filter->SetEdgePaddingValue(4.0F);
  filter->Update();
  ExpectPromisedWarp(filter.GetPointer(), this->OnGpu(), "LinearInterpolateImageFunction");
  ASSERT_EQ(filter->GetOutput()->GetBufferedRegion(), field->GetBufferedRegion());
  for (itk::ImageRegionConstIteratorWithIndex<Image> it(filter->GetOutput(), field->GetBufferedRegion()); !it.IsAtEnd();
       ++it)
  {
    double expected = 64.0;
    bool   inside = true;
    for (unsigned int d = 0; d < 2; ++d)
    {
      const double at = static_cast<double>(it.GetIndex()[d]) / factors[d];
      expected += std::min(at, 63.0); // the last value extends by half a pixel
      inside = inside && at < 63.5;
    }
    ASSERT_NEAR(it.Get(), inside ? expected : 4.0, 1e-4) << it.GetIndex();
  }

  auto again = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  again->SetGPUEnabled(this->OnGpu());
  again->SetInput(input);
  again->SetDisplacementField(field);
  again->SetEdgePaddingValue(4.0F);
  auto streamer = itk::StreamingImageFilter<Image, Image>::New();
  streamer->SetInput(again->GetOutput());
  streamer->SetNumberOfStreamDivisions(3);
  streamer->Update();
  EXPECT_EQ(Compare(streamer->GetOutput(), filter->GetOutput()).count, 0);

  // A field from a filter, of which only the region that a division requests is in memory.
  const auto source = StreamingSource<Field>::New();
  source->SetImage(field);
  again->SetDisplacementField(source->GetOutput());
  int runs = 0;
  again->AddObserver(itk::StartEvent(), [&runs](const itk::EventObject &) { ++runs; });
  streamer->Modified();
  streamer->Update();
  EXPECT_EQ(runs, 3);
  ASSERT_EQ(source->GetRequests().size(), 3U);
  itk::SizeValueType asked = 0;
  for (const Field::RegionType & request : source->GetRequests())
  {
    asked += request.GetNumberOfPixels();
  }
  EXPECT_EQ(asked, field->GetBufferedRegion().GetNumberOfPixels());
  ExpectPromisedWarp(again.GetPointer(), this->OnGpu(), "LinearInterpolateImageFunction");
  EXPECT_EQ(Compare(streamer->GetOutput(), filter->GetOutput()).count, 0);

  // Images of vectors with a field of vectors.
  using Lists = itk::VectorImage<float, 2>;
  EXPECT_NE((itk::CudaWarpImageFilter<Lists, Lists, Lists>::New()), nullptr);
}

// itkWarpImageFilterTest2: a linear field with every second sample moves pixels like the whole one.
TEST_P(CudaWarpImageFilterBehaviour, ItkTakesACoarserField)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 3>;
  using Field = FieldOf<float, 3>;
  auto input = Image::New();
  input->SetRegions(Image::SizeType{ { 32, 32, 32 } });
  input->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(input, input->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<float>(it.GetIndex()[0] * 2 + it.GetIndex()[1] - it.GetIndex()[2]));
  }
  const auto warp = [&](itk::SizeValueType size, double spacing) {
    auto field = Field::New();
    field->SetRegions(Field::SizeType{ { size, size, size } });
    Field::SpacingType spacings;
    spacings.Fill(spacing);
    field->SetSpacing(spacings);
    field->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Field> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      Field::PixelType displacement;
      for (unsigned int d = 0; d < 3; ++d)
      {
        displacement[d] = static_cast<float>(0.03125 * spacing * static_cast<double>(it.GetIndex()[d]));
      }
      it.Set(displacement);
    }
    auto filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
    filter->SetGPUEnabled(this->OnGpu());
    filter->SetInput(input);
    filter->SetDisplacementField(field);
    filter->SetOutputParametersFromImage(input);
    filter->SetEdgePaddingValue(-1.0F);
    filter->Update();
    ExpectPromisedWarp(filter.GetPointer(), this->OnGpu(), "LinearInterpolateImageFunction");
    return filter;
  };
  const auto fine = warp(32, 1.0);
  const auto coarse = warp(17, 2.0);
  EXPECT_EQ(Compare(fine->GetOutput(), coarse->GetOutput()).count, 0); // all displacements are exact
  EXPECT_NE(FractionOtherThan(fine->GetOutput(), -1.0), 1.0);
}

// An output that is larger than a field of its geometry. ITK 6 continues the field, ITK 5 refuses it.
TEST_P(CudaWarpImageFilterBehaviour, OutputsLargerThanTheField)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Field = FieldOf<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto whole = MakeField<Field>(7, input);
  auto       part = Field::New();
  auto       region = whole->GetLargestPossibleRegion();
  for (unsigned int d = 0; d < 2; ++d)
  {
    region.SetSize(d, region.GetSize(d) - 3);
  }
  part->CopyInformation(whole);
  part->SetRegions(region);
  part->Allocate();
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    const auto index = part->ComputeIndex(static_cast<itk::OffsetValueType>(i));
    part->SetPixel(index, whole->GetPixel(index));
  }
  auto       ours = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  auto       theirs = itk::WarpImageFilter<Image, Image, Field>::New();
  const auto updates = [&](auto filter) {
    filter->SetInput(input);
    filter->SetDisplacementField(part);
    filter->SetOutputParametersFromImage(input);
    try
    {
      filter->Update();
    }
    catch (const itk::ExceptionObject &)
    {
      return false;
    }
    return true;
  };
  ours->SetGPUEnabled(this->OnGpu());
  const bool theyUpdate = updates(theirs);
  EXPECT_EQ(updates(ours), theyUpdate);
  if (theyUpdate)
  {
    ExpectPromisedWarp(ours.GetPointer(), this->OnGpu(), "LinearInterpolateImageFunction");
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 1.3e-4);
  }
}

namespace
{

template <typename TField, typename TInterpolator>
void
ExpectItkAnswers(TField * field, TInterpolator * interpolator, const std::string & name, const std::string & fieldName)
{
  using Image = itk::Image<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  auto       ours = itk::CudaWarpImageFilter<Image, Image, TField>::New();
  auto       theirs = itk::WarpImageFilter<Image, Image, TField>::New();
  const auto run = [&](auto filter) {
    filter->SetInput(input);
    filter->SetDisplacementField(field);
    filter->SetOutputParametersFromImage(input);
    filter->SetInterpolator(interpolator);
    filter->Update();
  };
  run(ours);
  run(theirs);
  EXPECT_EQ(PromisedBackend({ "CudaWarpImageFilter", "scalar", "2", name, fieldName, "none" }),
            itk::CudaSpline::Backend::Superclass);
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_FALSE(ours->GetFallbackReason().empty());
  EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
}

} // namespace

TEST(CudaWarpImageFilterFallback, InterpolatorsOfUsersAndWholeNumbers)
{
  using Image = itk::Image<float, 2>;
  ExpectItkAnswers(
    MakeField<FieldOf<float, 2>>(6).GetPointer(), Doubled<Image>::New().GetPointer(), "Doubled", "field");
  ExpectItkAnswers(MakeField<FieldOf<short, 2>>(6).GetPointer(),
                   itk::LinearInterpolateImageFunction<Image>::New().GetPointer(),
                   "LinearInterpolateImageFunction",
                   "field of whole numbers");
}

TEST(CudaWarpImageFilterFallback, Errors)
{
  using Image = itk::Image<float, 2>;
  using Field = FieldOf<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  auto       filter = itk::CudaWarpImageFilter<Image, Image, Field>::New();
  filter->SetInput(input);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "DisplacementField is required");
  filter->SetDisplacementField(MakeField<Field>(6));
  filter->SetOutputParametersFromImage(input);
  filter->SetInterpolator(nullptr);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "Interpolator not set");
  filter->SetInterpolator(itk::LinearInterpolateImageFunction<Image>::New());
  filter->SetDevice("99");
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "\"99\"");
  filter->SetDevice("cpu");
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
  auto empty = Image::New();
  empty->SetRegions(Image::SizeType{ { 0, 5 } });
  empty->Allocate();
  filter->SetInput(empty);
  const std::string message = UpdateErrorOf(filter.GetPointer());
  EXPECT_NE(message.find("CudaWarpImageFilter: the input image is empty"), std::string::npos) << message;
  std::ostringstream printed;
  filter->Print(printed);
  EXPECT_NE(printed.str().find("Precision: Automatic"), std::string::npos);
}
