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
// Expected: the same pixels give the same source for every caller; other pixels, even with the smallest difference,
// another one. The limits hold, and the least recently used source is removed first.

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "../common/KernelTestData.h"

#include <atomic>
#include <limits>
#include <thread>

using namespace CudaSplineTest;

namespace
{
constexpr std::int64_t Side = 20;

SourceDescriptor
Cubic()
{
  return MakeDescriptor({ Side, Side }, ScalarType::Float32, ScalarType::Float32, 3);
}

const ExecutionContext HostContext;

/** Returns whether the cache has the source of these pixels. Afterwards it has it. */
bool
IsFound(SourceCache & cache, const std::vector<unsigned char> & pixels, const SourceDescriptor & descriptor = Cubic())
{
  bool reused = false;
  EXPECT_NE(cache.Provide(descriptor, pixels.data(), HostContext, &reused), nullptr);
  return reused;
}

std::vector<unsigned char>
SomePixels(FreshRandom & random)
{
  return RandomPixels(ScalarType::Float32, Side * Side, random);
}
} // namespace

TEST(SourceCache, FindsTheSamePixelsAgain)
{
  FreshRandom random;
  auto        pixels = SomePixels(random);
  const auto  copy = pixels;
  SourceCache cache;
  bool        reused = true;
  const auto  first = cache.Provide(Cubic(), pixels.data(), HostContext, &reused);
  EXPECT_FALSE(reused);
  const auto second = cache.Provide(Cubic(), copy.data(), HostContext, &reused);
  EXPECT_TRUE(reused) << "by content, not by address";
  EXPECT_EQ(first, second);
  EXPECT_EQ(cache.GetBytes(), Cubic().Bytes());
  EXPECT_EQ(cache.GetBytesOf(Cubic(), Backend::Cpu, 0), Cubic().Bytes());
  EXPECT_EQ(cache.GetBytesOf(Cubic(), Backend::Cuda, 0), 0u);
  EXPECT_EQ(cache.GetBytesOnDevice(0), 0u);

  pixels[pixels.size() / 2] ^= 1; // one bit
  EXPECT_FALSE(IsFound(cache, pixels));
  EXPECT_TRUE(IsFound(cache, copy));
  EXPECT_EQ(cache.GetBytes(), 2 * Cubic().Bytes());
}

TEST(SourceCache, TellsDescriptorsApart)
{
  FreshRandom      random;
  const auto       pixels = SomePixels(random);
  SourceCache      cache;
  SourceDescriptor other = Cubic();
  EXPECT_FALSE(IsFound(cache, pixels));
  other.order = 5;
  EXPECT_FALSE(IsFound(cache, pixels, other));
  other = Cubic();
  other.extension[1] = Extension::Reflect;
  EXPECT_FALSE(IsFound(cache, pixels, other));
  other = Cubic();
  other.method.kind = PrefilterMethod::Kind::Fir;
  EXPECT_FALSE(IsFound(cache, pixels, other));
  other.method.taps = 7;
  EXPECT_FALSE(IsFound(cache, pixels, other));
  other = Cubic();
  other.element = ScalarType::Float64;
  EXPECT_FALSE(IsFound(cache, pixels, other));
  EXPECT_TRUE(IsFound(cache, pixels));
}

TEST(SourceCache, TheLeastRecentlyUsedLeavesFirst)
{
  FreshRandom random;
  const auto  a = SomePixels(random);
  const auto  b = SomePixels(random);
  const auto  c = SomePixels(random);
  SourceCache cache(2 * Cubic().Bytes());
  EXPECT_FALSE(IsFound(cache, a));
  EXPECT_FALSE(IsFound(cache, b));
  EXPECT_TRUE(IsFound(cache, a));
  EXPECT_FALSE(IsFound(cache, c)) << "b leaves";
  EXPECT_EQ(cache.GetBytes(), 2 * Cubic().Bytes());
  EXPECT_TRUE(IsFound(cache, a));
  EXPECT_FALSE(IsFound(cache, b));
  cache.SetMaximumBytes(Cubic().Bytes());
  EXPECT_EQ(cache.GetBytes(), Cubic().Bytes());
  EXPECT_TRUE(IsFound(cache, b));
  cache.Clear();
  EXPECT_EQ(cache.GetBytes(), 0u);
  EXPECT_FALSE(IsFound(cache, b));
}

TEST(SourceCache, WhatIsTooLargeIsMadeAndNotKept)
{
  FreshRandom random;
  const auto  pixels = SomePixels(random);
  SourceCache small(Cubic().Bytes() - 1);
  EXPECT_FALSE(IsFound(small, pixels));
  EXPECT_FALSE(IsFound(small, pixels));
  EXPECT_EQ(small.GetBytes(), 0u);
  SourceCache one(std::numeric_limits<std::size_t>::max(), 1);
  EXPECT_FALSE(IsFound(one, pixels));
  EXPECT_FALSE(IsFound(one, SomePixels(random)));
  EXPECT_EQ(one.GetBytes(), Cubic().Bytes());
}

TEST(SourceCache, BorrowedPixelsAreNotKept)
{
  FreshRandom random;
  const auto  pixels = SomePixels(random);
  SourceCache cache;
  EXPECT_FALSE(IsFound(cache, pixels, MakeDescriptor({ Side, Side }, ScalarType::Float32, ScalarType::Float32, 0)));
  EXPECT_EQ(cache.GetBytes(), 0u);
}

TEST(SourceCache, ASourceOutlivesItsPlace)
{
  FreshRandom random;
  const auto  pixels = SomePixels(random);
  SourceCache cache;
  const auto  source = cache.Provide(Cubic(), pixels.data(), HostContext);
  cache.Clear();
  const auto again = MakeSource(Cubic(), pixels.data(), HostContext);
  EXPECT_EQ(std::memcmp(source->GetData(), again->GetData(), Cubic().Bytes()), 0);
}

TEST(SourceCache, ThreadsShareOne)
{
  FreshRandom                             random;
  std::vector<std::vector<unsigned char>> images;
  for (int i = 0; i < 5; ++i)
  {
    images.push_back(SomePixels(random));
  }
  SourceCache              cache(3 * Cubic().Bytes());
  std::vector<std::thread> threads;
  std::atomic<int>         wrong{ 0 };
  for (int thread = 0; thread < 4; ++thread)
  {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i)
      {
        const auto & pixels = images[static_cast<std::size_t>((i * (thread + 1)) % 5)];
        const auto   source = cache.Provide(Cubic(), pixels.data(), HostContext);
        const auto   expected = MakeSource(Cubic(), pixels.data(), HostContext);
        wrong += std::memcmp(source->GetData(), expected->GetData(), Cubic().Bytes()) != 0 ? 1 : 0;
      }
    });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.GetBytes(), 3 * Cubic().Bytes());
}

TEST(SampleSource, AnotherFormIsMadeOnceWhenItIsUsedAgain)
{
  const float        sample = 3.0F;
  const SampleSource source(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 0),
                            Backend::Cpu,
                            0,
                            std::shared_ptr<const void>(&sample, [](const void *) {}));
  int                made = 0;
  const auto         make = [&made]() -> std::shared_ptr<const void> { return std::make_shared<int>(++made); };
  EXPECT_EQ(source.GetSecondForm(make), nullptr);
  EXPECT_EQ(made, 0);
  std::vector<std::thread>  threads;
  std::vector<const void *> forms(8);
  for (const void *& form : forms)
  {
    threads.emplace_back([&] { form = source.GetSecondForm(make); });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(made, 1);
  ASSERT_NE(forms[0], nullptr);
  EXPECT_EQ(*static_cast<const int *>(forms[0]), 1);
  for (const void * form : forms)
  {
    EXPECT_EQ(form, forms[0]);
  }
}

TEST(SampleSource, WhatHasNoOtherFormIsNotAskedAgain)
{
  const float        sample = 3.0F;
  const SampleSource source(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 0),
                            Backend::Cpu,
                            0,
                            std::shared_ptr<const void>(&sample, [](const void *) {}));
  int                asked = 0;
  for (int i = 0; i < 4; ++i)
  {
    EXPECT_EQ(source.GetSecondForm([&asked]() -> std::shared_ptr<const void> {
      ++asked;
      return nullptr;
    }),
              nullptr);
  }
  EXPECT_EQ(asked, 1);
}
