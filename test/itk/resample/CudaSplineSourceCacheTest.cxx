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
// Filters that share a cache. Expected: coefficients are made once, and the pixels equal those of a filter without a
// cache, bit for bit; a changed image is noticed.

#include "ResampleTestSupport.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkTranslationTransform.h"

#include <sstream>

using namespace CudaSplineTest;

namespace
{
using VolumeImage = itk::Image<float, 3>;
using VolumeFilter = itk::CudaResampleImageFilter<VolumeImage, VolumeImage>;

VolumeFilter::Pointer
MakeFilter(const VolumeImage * input, double shift, itk::CudaSplineSourceCache * cache, bool onGpu)
{
  auto filter = VolumeFilter::New();
  filter->SetInput(input);
  filter->SetReferenceImage(input);
  filter->UseReferenceImageOn();
  auto transform = itk::TranslationTransform<double, 3>::New();
  auto offset = transform->GetOffset();
  offset.Fill(shift);
  transform->SetOffset(offset);
  filter->SetTransform(transform);
  filter->SetInterpolator(itk::BSplineInterpolateImageFunction<VolumeImage>::New());
  filter->SetGPUEnabled(onGpu);
  filter->SetSourceCache(cache);
  return filter;
}
} // namespace

using CudaSplineSourceCacheTest = OnEachBackend;
CUDASPLINE_ON_EACH_BACKEND(CudaSplineSourceCacheTest);

TEST_P(CudaSplineSourceCacheTest, FiltersShareCoefficients)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = MakePhantom<VolumeImage>(-100.0, 1000.0);
  const auto cache = itk::CudaSplineSourceCache::New();
  for (const double shift : { 0.0, 0.4, -1.3 })
  {
    const auto shared = MakeFilter(input, shift, cache, OnGpu());
    const auto alone = MakeFilter(input, shift, nullptr, OnGpu());
    shared->Update();
    alone->Update();
    EXPECT_EQ(shared->GetSourceReused(), shift != 0.0);
    EXPECT_FALSE(alone->GetSourceReused());
    EXPECT_EQ(Compare(shared->GetOutput(), alone->GetOutput()).count, 0);
    EXPECT_EQ(cache->GetBytes(), input->GetBufferedRegion().GetNumberOfPixels() * sizeof(float));
  }
  // A change without a new modification time.
  input->GetBufferPointer()[100] += 1.0F;
  const auto changed = MakeFilter(input, 0.4, cache, OnGpu());
  changed->Update();
  EXPECT_FALSE(changed->GetSourceReused());
  EXPECT_EQ(cache->GetBytes(), 2 * input->GetBufferedRegion().GetNumberOfPixels() * sizeof(float));
  cache->Clear();
  EXPECT_EQ(cache->GetBytes(), 0u);
}

TEST_P(CudaSplineSourceCacheTest, ItsLimitHolds)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto input = MakePhantom<VolumeImage>(-100.0, 1000.0);
  const auto cache = itk::CudaSplineSourceCache::New();
  cache->SetMaximumBytes(1000);
  for (int time = 0; time < 2; ++time)
  {
    const auto filter = MakeFilter(input, 0.4, cache, OnGpu());
    filter->Update();
    EXPECT_FALSE(filter->GetSourceReused());
    EXPECT_EQ(cache->GetBytes(), 0u);
  }
}

TEST(CudaSplineSourceCacheGpu, APlanFreesNothing)
{
  CUDASPLINE_NEEDS_GPU();
  const auto input = MakePhantom<VolumeImage>(-100.0, 1000.0);
  const auto cache = itk::CudaSplineSourceCache::New();
  const auto filter = MakeFilter(input, 0.4, cache, true);
  filter->Update();
  const auto kept = cache->GetBytes();
  EXPECT_GT(kept, 0u);
  filter->SetMemoryLimit(kept / 2);
  filter->GetPlan();
  EXPECT_EQ(cache->GetBytes(), kept);
}

TEST(CudaSplineSourceCacheObject, IsAnItkObject)
{
  const auto cache = itk::CudaSplineSourceCache::New();
  EXPECT_STREQ(cache->GetNameOfClass(), "CudaSplineSourceCache");
  const auto before = cache->GetMTime();
  cache->SetMaximumBytes(cache->GetMaximumBytes());
  EXPECT_EQ(cache->GetMTime(), before);
  cache->SetMaximumBytes(12345);
  EXPECT_GT(cache->GetMTime(), before);
  std::ostringstream text;
  cache->Print(text);
  EXPECT_NE(text.str().find("MaximumBytes: 12345"), std::string::npos);
}
