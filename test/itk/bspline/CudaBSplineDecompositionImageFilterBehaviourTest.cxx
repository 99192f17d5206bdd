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
// CudaBSplineDecompositionImageFilter apart from its coefficients: threads, NaN, progress, abort, pipelines, the
// superclass.
//
// Expected values: results of the filter itself that must be the same bits, and ITK's own filter, bit for bit, where
// the superclass answers. The reach of a NaN is what LineRecursion.h documents: LineSegmentLength + RecursionWarmUp
// samples along each axis.

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include "itkCommand.h"
#include "itkStreamingImageFilter.h"
#include "itkVector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

template <typename TPixel>
using FilterOf = itk::CudaBSplineDecompositionImageFilter<itk::Image<TPixel, 2>, itk::Image<TPixel, 2>>;
using ImageType = itk::Image<float, 2>;
using FilterType = FilterOf<float>;

class CudaBSplineDecompositionImageFilterBehaviourTest : public GpuOnAndOff
{
protected:
  template <typename TFilter = FilterType, typename TImage = ImageType>
  typename TFilter::Pointer
  MakeFilter(const TImage * image, unsigned int order = 3) const
  {
    auto filter = TFilter::New();
    filter->SetInput(image);
    filter->SetSplineOrder(order);
    filter->SetGPUEnabled(GetParam());
    return filter;
  }

  template <typename TPixel>
  void
  ExpectReach(TPixel bad, const itk::Index<2> & offset)
  {
    SCOPED_TRACE(std::to_string(bad) + " at offset " + std::to_string(offset[0]) + ", " + std::to_string(offset[1]));
    using Image = itk::Image<TPixel, 2>;
    Random              random(__LINE__);
    const auto          clean = NoiseImage<Image>({ 293, 211 }, random);
    const auto          spoilt = Copy<Image>(clean);
    const auto          start = clean->GetBufferedRegion().GetIndex();
    const itk::Index<2> where{ { start[0] + offset[0], start[1] + offset[1] } };
    spoilt->SetPixel(where, bad);
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("order " + std::to_string(order));
      const long reach = itk::CudaSpline::DispatchSplineOrder(order, [](auto known) {
        constexpr unsigned int n = decltype(known)::value;
        return n < 2 ? 0L
                     : static_cast<long>(itk::CudaSpline::LineSegmentLength +
                                         itk::CudaSpline::RecursionWarmUp<n, TPixel>::Samples);
      });
      const auto cleanFilter = this->MakeFilter<FilterOf<TPixel>, Image>(clean, order);
      const auto spoiltFilter = this->MakeFilter<FilterOf<TPixel>, Image>(spoilt, order);
      cleanFilter->Update();
      spoiltFilter->Update();
      const Image * const expected = cleanFilter->GetOutput();
      const Image * const actual = spoiltFilter->GetOutput();
      EXPECT_FALSE(std::isfinite(actual->GetPixel(where)));
      std::size_t wrong = 0;
      std::size_t outside = 0;
      for (std::size_t i = 0; i < Count(actual); ++i)
      {
        const auto index = actual->ComputeIndex(static_cast<itk::OffsetValueType>(i));
        const bool inReach = std::abs(index[0] - where[0]) <= reach && std::abs(index[1] - where[1]) <= reach;
        outside += inReach ? 0 : 1;
        // Outside of the reach: finite, and the same bits as the clean image.
        wrong += inReach || actual->GetBufferPointer()[i] == expected->GetBufferPointer()[i] ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0u);
      EXPECT_GT(outside, Count(actual) / 2) << "most of the image is left alone";
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterBehaviourTest);

TEST_P(CudaBSplineDecompositionImageFilterBehaviourTest, NanAndInfinityStayNear)
{
  ExpectReach<double>(std::numeric_limits<double>::quiet_NaN(), { { 150, 100 } });
  ExpectReach<double>(std::numeric_limits<double>::infinity(), { { 0, 0 } });
  ExpectReach<float>(std::numeric_limits<float>::quiet_NaN(), { { 292, 0 } });
  ExpectReach<float>(-std::numeric_limits<float>::infinity(), { { 31, 210 } });
}

TEST(CudaBSplineDecompositionImageFilterItkTest, ItkSpreadsOneNanOverTheImage)
{
  // The documented difference in the other direction.
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 97, 83 }, random);
  image->GetBufferPointer()[Count(image.GetPointer()) / 2] = std::numeric_limits<float>::quiet_NaN();
  auto filter = itk::BSplineDecompositionImageFilter<ImageType, ImageType>::New();
  filter->SetInput(image);
  filter->Update();
  const auto values = Values(filter->GetOutput());
  EXPECT_TRUE(std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }));
}

TEST_P(CudaBSplineDecompositionImageFilterBehaviourTest, SameBitsOnAnyNumberOfThreads)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<itk::Image<short, 3>>({ 61, 47, 53 }, random);
  using Filter = itk::CudaBSplineDecompositionImageFilter<itk::Image<short, 3>, itk::Image<float, 3>>;
  itk::Image<float, 3>::Pointer first;
  for (const itk::ThreadIdType units : { 1, 2, 3, 7, 16 })
  {
    SCOPED_TRACE(units);
    const auto threader = RecordingThreader::New();
    threader->SetMaximumNumberOfThreads(16);
    const auto filter = this->MakeFilter<Filter, itk::Image<short, 3>>(image, 5);
    filter->SetMultiThreader(threader);
    filter->SetNumberOfWorkUnits(units);
    filter->Update();
    if (filter->GetLastBackend() == Backend::Cpu)
    {
      EXPECT_EQ(std::max<itk::ThreadIdType>(threader->GetMostWorkUnits(), 1), units)
        << "SetNumberOfWorkUnits() is what counts";
    }
    if (first.IsNull())
    {
      first = filter->GetOutput();
    }
    EXPECT_TRUE((SameBits<itk::Image<float, 3>>(first, filter->GetOutput())));
  }
}

/** Records the progress of a filter, and aborts it at an event with a given number. */
class ProgressRecorder
{
public:
  explicit ProgressRecorder(itk::ProcessObject * filter, std::size_t abortAt = std::numeric_limits<std::size_t>::max())
    : m_Filter(filter)
  {
    m_Tag = filter->AddObserver(itk::ProgressEvent(), [this, filter, abortAt](const itk::EventObject &) {
      m_Progress.push_back(filter->GetProgress());
      if (m_Progress.size() == abortAt + 1)
      {
        filter->AbortGenerateDataOn();
      }
    });
  }
  ~ProgressRecorder() { m_Filter->RemoveObserver(m_Tag); }

  const std::vector<float> &
  GetProgress() const
  {
    return m_Progress;
  }

private:
  itk::ProcessObject * m_Filter;
  unsigned long        m_Tag;
  std::vector<float>   m_Progress;
};

TEST_P(CudaBSplineDecompositionImageFilterBehaviourTest, ProgressRisesFromZeroToOne)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 211, 197 }, random);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    SCOPED_TRACE("order " + std::to_string(order));
    const auto             filter = this->MakeFilter(image.GetPointer(), order);
    const ProgressRecorder recorder(filter);
    filter->Update();
    const auto & progress = recorder.GetProgress();
    ASSERT_FALSE(progress.empty());
    EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
    EXPECT_GE(progress.front(), 0.0F);
    EXPECT_EQ(progress.back(), 1.0F);
    if (order >= 2)
    {
      EXPECT_LT(progress.front(), 0.5F);
      EXPECT_TRUE(
        std::any_of(progress.begin(), progress.end(), [](float value) { return value > 0.0F && value < 1.0F; }));
    }
  }
}

TEST_P(CudaBSplineDecompositionImageFilterBehaviourTest, AbortThrowsAndTheFilterIsUsableAgain)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 211, 197 }, random);
  const auto undisturbed = this->MakeFilter(image.GetPointer());
  undisturbed->Update();

  const auto filter = this->MakeFilter(image.GetPointer());
  for (std::size_t event = 0; event < 2; ++event)
  {
    SCOPED_TRACE("event " + std::to_string(event));
    bool abortEvent = false;
    filter->AddObserver(itk::AbortEvent(), [&abortEvent](const itk::EventObject &) { abortEvent = true; });
    {
      const ProgressRecorder recorder(filter, event);
      EXPECT_THROW(filter->Update(), itk::ProcessAborted);
      EXPECT_EQ(recorder.GetProgress().size(), event + 1) << "it stops where it is told to";
    }
    filter->RemoveAllObservers();
    EXPECT_TRUE(abortEvent);
    EXPECT_EQ(filter->GetLastBackend(), Backend::None);
    filter->Update();
    EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(undisturbed->GetLastBackend()));
    EXPECT_TRUE(SameBits<ImageType>(filter->GetOutput(), undisturbed->GetOutput()));
    filter->Modified();
  }
}

TEST_P(CudaBSplineDecompositionImageFilterBehaviourTest, RunsAgainOnlyForAChange)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 31, 29 }, random);
  const auto filter = this->MakeFilter(image.GetPointer());
  int        runs = 0;
  filter->AddObserver(itk::StartEvent(), [&runs](const itk::EventObject &) { ++runs; });
  filter->Update();
  filter->Update();
  EXPECT_EQ(runs, 1);
  filter->SetGPUEnabled(GetParam());
  filter->SetDevice("");
  filter->Update();
  EXPECT_EQ(runs, 1) << "nothing was changed";
  filter->SetDevice("cpu");
  filter->Update();
  EXPECT_EQ(runs, 2);
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), "Cpu");
  image->GetBufferPointer()[0] += 1.0F;
  image->Modified();
  filter->Update();
  EXPECT_EQ(runs, 3);
}

} // namespace
