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
// CudaResampleImageFilter within ITK's pipeline. Expected: the same bits for every division of the work, ITK's regions,
// events and abort, and changed pixels are always noticed.

#include "ResampleTestSupport.h"
#include "StreamingSource.h"

#include "itkCommand.h"
#include "itkEuler3DTransform.h"
#include "itkStreamingImageFilter.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <numeric>
#include <thread>

using namespace CudaSplineTest;

namespace
{

using VolumeImage = itk::Image<float, 3>;
using VolumeFilter = itk::CudaResampleImageFilter<VolumeImage, VolumeImage>;

/** Returns a wave of the index on a region, at a spacing of 1.1 mm. */
VolumeImage::Pointer
WaveOn(const VolumeImage::RegionType & largest, const VolumeImage::RegionType & buffered)
{
  auto image = VolumeImage::New();
  image->SetSpacing(VolumeImage::SpacingType(1.1));
  image->SetLargestPossibleRegion(largest);
  image->SetBufferedRegion(buffered);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<VolumeImage> it(image, buffered); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    it.Set(static_cast<float>(std::sin(0.3 * index[0]) * 50.0 + std::cos(0.2 * index[1] + 0.1 * index[2]) * 70.0 +
                              index[2]));
  }
  return image;
}

/** Returns a source of a wave that computes only the requested region. */
StreamingSource<VolumeImage>::Pointer
WaveSource()
{
  VolumeImage::RegionType region;
  region.SetSize(VolumeImage::SizeType{ { 41, 37, 29 } });
  region.SetIndex(VolumeImage::IndexType{ { -3, 2, 5 } });
  auto source = StreamingSource<VolumeImage>::New();
  source->SetImage(WaveOn(region, region));
  return source;
}

template <typename TFilter>
void
PrepareFilter(TFilter * filter, const VolumeImage * input, const Interpolator & interpolator, bool itkOnly = false)
{
  filter->SetInput(input);
  filter->SetInterpolator(MakeInterpolator<TFilter>(interpolator, itkOnly));
  auto euler = itk::Euler3DTransform<double>::New();
  euler->SetRotation(0.07, -0.06, 0.05);
  filter->SetTransform(euler);
  filter->SetSize(VolumeImage::SizeType{ { 45, 40, 33 } });
  filter->SetOutputStartIndex(VolumeImage::IndexType{ { 2, -3, 1 } });
  filter->SetOutputSpacing(VolumeImage::SpacingType(1.05));
  filter->SetDefaultPixelValue(-1000.0F);
}

VolumeImage::Pointer
OutputOf(VolumeFilter * filter)
{
  filter->Update();
  VolumeImage::Pointer output = filter->GetOutput();
  output->DisconnectPipeline();
  return output;
}

class CudaResampleImageFilterPipelineTest : public OnEachBackend
{
protected:
  VolumeFilter::Pointer
  NewFilter() const
  {
    auto filter = VolumeFilter::New();
    filter->SetGPUEnabled(this->OnGpu());
    return filter;
  }
};

} // namespace

TEST_P(CudaResampleImageFilterPipelineTest, StreamDivisionsAndThreadsGiveTheSameBits)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    VolumeImage::Pointer expected;
    for (const unsigned int divisions : { 1U, 2U, 7U })
    {
      for (const unsigned int threads : { 1U, 2U, 5U, 16U })
      {
        auto source = WaveSource();
        auto filter = this->NewFilter();
        PrepareFilter(filter.GetPointer(), source->GetOutput(), interpolator);
        filter->SetNumberOfWorkUnits(threads);
        auto stream = itk::StreamingImageFilter<VolumeImage, VolumeImage>::New();
        stream->SetInput(filter->GetOutput());
        stream->SetNumberOfStreamDivisions(divisions);
        stream->Update();
        ExpectPromisedBackend(filter.GetPointer(), interpolator.name, this->OnGpu());
        if (expected.IsNull())
        {
          expected = stream->GetOutput();
          expected->DisconnectPipeline();
          EXPECT_GT(FractionOtherThan(expected.GetPointer(), -1000.0), 0.2);
          EXPECT_LT(FractionOtherThan(expected.GetPointer(), -1000.0), 1.0);
        }
        else
        {
          EXPECT_EQ(Compare(stream->GetOutput(), expected.GetPointer()).count, 0)
            << interpolator.name << ", " << divisions << " divisions, " << threads << " threads";
        }
        const bool  spline = interpolator.order == 3;
        const auto  whole = source->GetOutput()->GetLargestPossibleRegion().GetNumberOfPixels();
        std::size_t smaller = 0;
        for (const auto & request : source->GetRequests())
        {
          smaller += request.GetNumberOfPixels() < whole ? 1 : 0;
        }
        // Splines need the whole input, others only the region that they read.
        if (spline)
        {
          EXPECT_EQ(smaller, 0U);
        }
        else if (divisions > 1)
        {
          EXPECT_GE(smaller, 2U);
        }
      }
    }
    // The values are ITK's.
    auto source = WaveSource();
    auto theirs = itk::ResampleImageFilter<VolumeImage, itk::Image<double, 3>>::New();
    PrepareFilter(theirs.GetPointer(), source->GetOutput(), interpolator, true);
    theirs->Update();
    EXPECT_LE(Compare(expected.GetPointer(), theirs->GetOutput()).maximum,
              interpolator.order == 0 && interpolator.name[0] == 'N' ? 0.0 : 3e-4);
  }
}

// Only a part of an image is in memory and no source can make the rest. ITK then treats the part as the whole image.
TEST_P(CudaResampleImageFilterPipelineTest, BufferedRegionSmallerThanTheLargest)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  VolumeImage::RegionType largest;
  largest.SetSize(VolumeImage::SizeType{ { 60, 50, 40 } });
  VolumeImage::RegionType part;
  part.SetIndex(VolumeImage::IndexType{ { 11, 7, 5 } });
  part.SetSize(VolumeImage::SizeType{ { 31, 29, 23 } });
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    const auto run = [&](auto filter, bool itkOnly) {
      const auto input = WaveOn(largest, part);
      PrepareFilter(filter.GetPointer(), input.GetPointer(), interpolator, itkOnly);
      filter->SetOutputOrigin(itk::Point<double, 3>(5.3));
      filter->Update();
      return filter;
    };
    const auto ours = run(this->NewFilter(), false);
    const auto theirs = run(itk::ResampleImageFilter<VolumeImage, itk::Image<double, 3>>::New(), true);
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu());
    EXPECT_GT(FractionOtherThan(theirs->GetOutput(), -1000.0), 0.1);
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, interpolator.name[0] == 'N' ? 0.0 : 3e-4)
      << interpolator.name;
  }
}

TEST_P(CudaResampleImageFilterPipelineTest, PixelsChangedWithoutModifiedAreSeen)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const bool keep : { false, true })
  {
    for (const Interpolator & interpolator : ThreeInterpolators)
    {
      const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
      auto       filter = this->NewFilter();
      PrepareFilter(filter.GetPointer(), input.GetPointer(), interpolator);
      filter->SetOutputParametersFromImage(input);
      filter->SetTransform(itk::TranslationTransform<double, 3>::New());
      filter->SetKeepSource(keep);
      const auto before = OutputOf(filter);
      auto       middle = input->GetBufferedRegion().GetIndex();
      middle[0] += 20;
      middle[1] += 20;
      middle[2] += 15;
      itk::ImageRegionIteratorWithIndex<VolumeImage> it(input, input->GetBufferedRegion());
      it.SetIndex(middle);
      const auto time = input->GetMTime();
      it.Set(5000.0F);
      ASSERT_EQ(input->GetMTime(), time);
      filter->Modified(); // as after setting a new transform
      const auto after = OutputOf(filter);
      EXPECT_NEAR(after->GetPixel(middle), 5000.0F, 0.01F) << interpolator.name;
      EXPECT_GT(Compare(before.GetPointer(), after.GetPointer()).count, 0);
      EXPECT_FALSE(filter->GetSourceReused());
    }
  }
}

TEST_P(CudaResampleImageFilterPipelineTest, AKeptSourceIsUsedAgainWhileThePixelsAreTheSame)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
  auto       kept = this->NewFilter();
  auto       fresh = this->NewFilter();
  kept->KeepSourceOn();
  for (const double angle : { 0.0, 0.1, 0.2 })
  {
    for (const auto & filter : { kept, fresh })
    {
      PrepareFilter(filter.GetPointer(), input.GetPointer(), ThreeInterpolators[2]);
      auto euler = itk::Euler3DTransform<double>::New();
      euler->SetRotation(angle, 0.0, angle);
      filter->SetTransform(euler);
      filter->Update();
    }
    EXPECT_EQ(kept->GetSourceReused(), angle > 0.0);
    EXPECT_FALSE(fresh->GetSourceReused());
    EXPECT_EQ(Compare(kept->GetOutput(), fresh->GetOutput()).count, 0);
  }
  // Another order needs other coefficients; a released source is made again.
  kept->SetInterpolator(MakeInterpolator<VolumeFilter>({ "BSplineInterpolateImageFunction", 4 }, false));
  kept->Update();
  EXPECT_FALSE(kept->GetSourceReused());
  kept->Modified();
  kept->Update();
  EXPECT_TRUE(kept->GetSourceReused());
  kept->ReleaseSource();
  kept->Modified();
  kept->Update();
  EXPECT_FALSE(kept->GetSourceReused());
}

TEST_P(CudaResampleImageFilterPipelineTest, ProgressRisesToOne)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    const auto         input = MakePhantom<VolumeImage>(0.0, 100.0);
    auto               filter = this->NewFilter();
    std::vector<float> seen;
    int                starts = 0;
    int                ends = 0;
    filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { seen.push_back(filter->GetProgress()); });
    filter->AddObserver(itk::StartEvent(), [&](const itk::EventObject &) { ++starts; });
    filter->AddObserver(itk::EndEvent(), [&](const itk::EventObject &) { ++ends; });
    PrepareFilter(filter.GetPointer(), input.GetPointer(), interpolator);
    filter->Update();
    EXPECT_EQ(starts, 1);
    EXPECT_EQ(ends, 1);
    ASSERT_GE(seen.size(), 3U);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_GE(seen.front(), 0.0F);
    EXPECT_EQ(seen.back(), 1.0F);
  }
}

/** Returns the number of reports of a filter that doubles the lines of a volume, on one thread. */
template <typename TFilter>
std::size_t
CountReports(TFilter * filter)
{
  auto                        input = VolumeImage::New();
  const VolumeImage::SizeType size{ { 80, 40, 30 } };
  input->SetRegions(size);
  input->Allocate();
  input->FillBuffer(0);
  std::size_t reports = 0;
  filter->AddObserver(itk::ProgressEvent(), [&reports](const itk::EventObject &) { ++reports; });
  filter->SetInput(input);
  filter->SetSize(VolumeImage::SizeType{ { 80, 120, 60 } });
  filter->SetNumberOfWorkUnits(1);
  filter->Update();
  return reports;
}

TEST(CudaResampleImageFilterProgress, IsAsFineAsItks)
{
  auto filter = VolumeFilter::New();
  filter->SetGPUEnabled(false);
  // The promise of itk::ProgressReporter; both report begin and end, too, ITK's once more than ours.
  EXPECT_GE(CountReports(filter.GetPointer()), 100U);
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
  EXPECT_GE(CountReports(itk::ResampleImageFilter<VolumeImage, VolumeImage>::New().GetPointer()), 100U);
}

TEST_P(CudaResampleImageFilterPipelineTest, AbortStopsAndTheFilterWorksAgain)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const float when : { 0.0F, 0.3F, 0.5F })
  {
    const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
    auto       filter = this->NewFilter();
    PrepareFilter(filter.GetPointer(), input.GetPointer(), ThreeInterpolators[2]);
    const auto expected = OutputOf(filter);
    int        aborts = 0;
    const auto observer = filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
      if (filter->GetProgress() >= when)
      {
        filter->AbortGenerateDataOn();
      }
    });
    filter->AddObserver(itk::AbortEvent(), [&](const itk::EventObject &) { ++aborts; });
    filter->Modified();
    EXPECT_THROW(filter->Update(), itk::ProcessAborted);
    EXPECT_EQ(aborts, 1);
    filter->RemoveObserver(observer);
    filter->AbortGenerateDataOff();
    filter->Modified();
    filter->Update();
    EXPECT_EQ(Compare(filter->GetOutput(), expected.GetPointer()).count, 0);
  }
}

TEST_P(CudaResampleImageFilterPipelineTest, SeveralFiltersAtOnce)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
  auto       single = this->NewFilter();
  PrepareFilter(single.GetPointer(), input.GetPointer(), ThreeInterpolators[2]);
  single->Update();
  std::vector<VolumeFilter::Pointer> filters;
  std::vector<std::thread>           threads;
  for (int i = 0; i < 6; ++i)
  {
    // Separate images with the same pixels: ITK's pipeline objects are not shared between threads.
    auto own = VolumeImage::New();
    own->Graft(input);
    filters.push_back(this->NewFilter());
    PrepareFilter(filters.back().GetPointer(), own.GetPointer(), ThreeInterpolators[2]);
  }
  for (const auto & filter : filters)
  {
    threads.emplace_back([&filter] {
      for (int again = 0; again < 3; ++again)
      {
        filter->Modified();
        filter->Update();
      }
    });
  }
  for (std::size_t i = 0; i < filters.size(); ++i)
  {
    threads[i].join();
    const auto & filter = filters[i];
    ExpectPromisedBackend(filter.GetPointer(), ThreeInterpolators[2].name, this->OnGpu());
    EXPECT_EQ(Compare(filter->GetOutput(), single->GetOutput()).count, 0);
  }
}

// A slice between two slices of the input. ITK requests one that is not read, or none at all.
TEST_P(CudaResampleImageFilterPipelineTest, ASliceOfAStreamingInputIsWhole)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    for (const double z : { 0.0, 5.0, 5.4, 5.6, 12.5, 27.6, 28.4 })
    {
      const auto run = [&](const VolumeImage * input) {
        auto filter = this->NewFilter();
        filter->SetInput(input);
        filter->SetInterpolator(MakeInterpolator<VolumeFilter>(interpolator, false));
        auto origin = input->GetOrigin();
        for (unsigned int d = 0; d < 3; ++d)
        {
          origin[d] += 1.1 * (static_cast<double>(input->GetLargestPossibleRegion().GetIndex(d)) + (d == 2 ? z : 0.0));
        }
        filter->SetOutputOrigin(origin);
        filter->SetOutputSpacing(VolumeImage::SpacingType(1.1));
        filter->SetSize(VolumeImage::SizeType{ { 16, 16, 1 } });
        filter->SetDefaultPixelValue(-1000.0F);
        filter->Update();
        return filter;
      };
      auto source = WaveSource();
      source->UpdateOutputInformation();
      const auto streamed = run(source->GetOutput());
      const auto region = source->GetOutput()->GetLargestPossibleRegion();
      const auto whole = run(WaveOn(region, region).GetPointer());
      EXPECT_EQ(Compare(streamed->GetOutput(), whole->GetOutput()).count, 0) << interpolator.name << ", z = " << z;
      EXPECT_EQ(FractionOtherThan(whole->GetOutput(), -1000.0), 1.0);
    }
  }
}

TEST_P(CudaResampleImageFilterPipelineTest, NearestNeighboursOfManyPiecesHaveNoBlanks)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 1>;
  auto image = Image::New();
  image->SetRegions(Image::RegionType({ { 0 } }, { { 256 } }));
  image->Allocate();
  std::iota(image->GetBufferPointer(), image->GetBufferPointer() + 256, 1.0F);
  auto source = StreamingSource<Image>::New();
  source->SetImage(image);
  auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->SetInput(source->GetOutput());
  filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<Image>::New());
  filter->SetSize({ { 1280 } });
  filter->SetOutputSpacing(Image::SpacingType(0.2));
  auto stream = itk::StreamingImageFilter<Image, Image>::New();
  stream->SetInput(filter->GetOutput());
  stream->SetNumberOfStreamDivisions(64);
  stream->Update();
  for (int i = 0; i < 1278; ++i) // the last two are beyond the last half sample
  {
    ASSERT_EQ(stream->GetOutput()->GetPixel({ { i } }), 1.0F + static_cast<float>((i + 2) / 5)) << i;
  }
  EXPECT_GE(source->GetRequests().size(), 64U);
}

// ITK's filters pass their images to the interpolator, and remove them afterwards: with two at once, one may remove the
// image of the other.
TEST_P(CudaResampleImageFilterPipelineTest, FiltersThatShareAnInterpolator)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    const auto shared = MakeInterpolator<VolumeFilter>(interpolator, false);
    const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
    const auto prepare = [&](const VolumeFilter::Pointer & filter) {
      auto own = VolumeImage::New();
      own->Graft(input);
      PrepareFilter(filter.GetPointer(), own.GetPointer(), interpolator);
      filter->SetInterpolator(shared);
    };
    const auto single = this->NewFilter();
    prepare(single);
    single->Update();
    std::vector<VolumeFilter::Pointer> filters;
    std::vector<std::thread>           threads;
    for (int i = 0; i < 4; ++i)
    {
      filters.push_back(this->NewFilter());
      prepare(filters.back());
    }
    for (const auto & filter : filters)
    {
      threads.emplace_back([&filter] {
        for (int again = 0; again < 8; ++again)
        {
          filter->Modified();
          filter->Update();
        }
      });
    }
    for (std::size_t i = 0; i < filters.size(); ++i)
    {
      threads[i].join();
      EXPECT_EQ(Compare(filters[i]->GetOutput(), single->GetOutput()).count, 0) << interpolator.name;
    }
    EXPECT_EQ(shared->GetInputImage(), nullptr) << interpolator.name;
  }
}

TEST_P(CudaResampleImageFilterPipelineTest, TimesAndPrint)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
  auto       filter = this->NewFilter();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::None);
  PrepareFilter(filter.GetPointer(), input.GetPointer(), ThreeInterpolators[2]);
  filter->Update();
  EXPECT_GT(filter->GetPreparationTime(), 0.0);
  EXPECT_GT(filter->GetEvaluationTime(), 0.0);
  std::ostringstream text;
  filter->Print(text);
  EXPECT_NE(text.str().find(std::string("LastBackend: ") + NameOf(filter->GetLastBackend())), std::string::npos);
  EXPECT_STREQ(filter->GetNameOfClass(), "CudaResampleImageFilter");
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterPipelineTest);

// If a device has no memory even for a piece of one sample, there is no error: the Cpu backend computes the same
// values, with the reason.
TEST(CudaResampleImageFilterMemoryGpu, FallsBackToCpuWithTheReason)
{
  CUDASPLINE_NEEDS_GPU();
  const auto input = MakePhantom<VolumeImage>(0.0, 100.0);
  auto       cpu = VolumeFilter::New();
  cpu->SetGPUEnabled(false);
  auto limited = VolumeFilter::New();
  for (const auto & filter : { cpu, limited })
  {
    PrepareFilter(filter.GetPointer(), input.GetPointer(), ThreeInterpolators[2]);
  }
  cpu->Update();
  setenv("CUDASPLINE_MEMORY_LIMIT", "16", 1);
  limited->Update();
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
  EXPECT_EQ(limited->GetLastBackend(), itk::CudaSpline::Backend::Cpu);
  EXPECT_NE(limited->GetFallbackReason().find("of memory"), std::string::npos) << limited->GetFallbackReason();
  EXPECT_EQ(Compare(cpu->GetOutput(), limited->GetOutput()).count, 0);
}
