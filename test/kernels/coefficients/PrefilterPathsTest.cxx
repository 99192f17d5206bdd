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
// Every path of the prefilter: few rows, rows, slices in the cache and not, panels, chunks and threads on the host;
// row, column and plane tiles on the device.
//
// Expected values: on the host the bits of the plainest loop, line after line and segment after segment with the
// filters of the math layer on FoldIndex(), without packs, slices or threads; on the device the host's coefficients,
// within MethodAgreement() (the same operations in the same order). In place, with several threads at once and again,
// each backend gives its own bits.

#include "itkCudaSpline/math/SegmentFilter.h"
#include "PrefilterCase.h"

#include <thread>

using namespace CudaSplineTest;

namespace
{

class PrefilterPaths : public OnBackend
{};
CUDASPLINE_CPU_AND_GPU(PrefilterPaths);

template <typename TReal, typename TFilter>
void
FilterPlainly(const SourceDescriptor & descriptor, const TFilter & filter, std::vector<TReal> & values)
{
  std::int64_t inner = 1;
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    const std::int64_t length = descriptor.size[d];
    std::vector<TReal> line(static_cast<std::size_t>(length));
    for (std::int64_t first = 0; length > 1 && first < descriptor.Count(); ++first)
    {
      if (first / inner % length != 0)
      {
        continue;
      }
      for (std::int64_t n = 0; n < length; ++n)
      {
        line[static_cast<std::size_t>(n)] = values[static_cast<std::size_t>(first + n * inner)];
      }
      for (std::int64_t begin = 0; begin < length; begin += LineSegmentLength)
      {
        filter.template Run<TReal>(
          begin,
          [&](std::int64_t n) { return line[static_cast<std::size_t>(FoldIndex(n, length, descriptor.extension[d]))]; },
          [&](int k, TReal coefficient) {
            if (begin + k < length)
            {
              values[static_cast<std::size_t>(first + (begin + k) * inner)] = coefficient;
            }
          });
      }
    }
    inner *= length;
  }
}

/** Returns the coefficients of one component by the simplest loop. */
template <typename TReal>
std::vector<double>
Plainly(const SourceDescriptor & descriptor, const void * pixels)
{
  std::vector<TReal> values(ElementsOf(descriptor));
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = LoadScalar<TReal>(pixels, descriptor.pixel, static_cast<std::int64_t>(i));
  }
  DispatchSplineOrder(descriptor.order, [&](auto constantOrder) {
    constexpr unsigned int order = decltype(constantOrder)::value;
    if constexpr (order >= 2)
    {
      switch (descriptor.method.kind)
      {
        case PrefilterMethod::Kind::Exact:
          return FilterPlainly(
            descriptor, RecursiveSegment<order, TReal, RecursionWarmUp<order, TReal>::Samples>(), values);
        case PrefilterMethod::Kind::ItkHorizon:
          return FilterPlainly(descriptor, RecursiveSegment<order, TReal, ItkHorizon<order>::Samples>(), values);
        default:
          return FilterPlainly(
            descriptor, FirSegment<TReal>{ MakeHalfTaps<order, TReal>(descriptor.method.taps) }, values);
      }
    }
  });
  return { values.begin(), values.end() };
}

std::vector<double>
Plainly(const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels)
{
  return descriptor.element == ScalarType::Float32 ? Plainly<float>(descriptor, pixels.data())
                                                   : Plainly<double>(descriptor, pixels.data());
}

/** Calls \p check with every method for every shape; order, types and extensions are random. */
template <typename TCheck>
void
ForEachMethod(const std::vector<std::vector<std::int64_t>> & shapes, const TCheck & check)
{
  FreshRandom random;
  for (const auto & shape : shapes)
  {
    for (const PrefilterMethod & method : AllMethods())
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        const std::vector<ScalarType> pixels{ element, ScalarType::UInt8, ScalarType::Int16 };
        const auto                    order = static_cast<unsigned int>(2 + random.Engine()() % 4);
        SourceDescriptor              descriptor = MakeDescriptor(shape, pixels[random.Engine()() % 3], element, order);
        descriptor.method = method;
        ChooseExtensions(descriptor, random);
        check(descriptor, PixelsFor(descriptor, random));
      }
    }
  }
}

/** A pack is 16 lines of float or 8 of double, a panel four packs, a segment 32 samples, a group of segments 512 or
 * 256. A slice is cached up to 1 MB, if every thread has four. */
const std::vector<std::vector<std::int64_t>> HostShapes{
  { 255 },        { 256 },          { 257 },       { 1537 },       // one row
  { 511, 2 },     { 513, 3 },       { 70, 4 },     { 70, 7 },      // few rows; for double 4 and 7 are many
  { 33, 8 },      { 65, 15 },       { 31, 16 },    { 32, 17 },     // one pack of rows and more
  { 1, 300 },     { 1, 1, 515, 1 },                                // axes of one sample before and after
  { 63, 64 },     { 64, 63 },       { 65, 66 },    { 129, 40 },    // panels of 64 or 32 columns
  { 5, 9, 33 },   { 40, 16, 9 },    { 40, 15, 9 }, { 17, 35, 16 }, // slice by slice if there are enough
  { 9, 5, 7, 6 }, { 3, 40, 2, 13 }
};

} // namespace

TEST(PrefilterPaths, CpuHasTheBitsOfThePlainLoop)
{
  ForEachMethod(HostShapes, [](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
    const auto expected = Plainly(descriptor, pixels);
    EXPECT_EQ(Compute(descriptor, pixels.data(), ExecutionContext()), expected) << Name(descriptor);
    for (const unsigned int threads : { 2U, 3U, 8U })
    {
      const ThreadExecutor executor(threads);
      ExecutionContext     context;
      context.host = &executor;
      EXPECT_EQ(Compute(descriptor, pixels.data(), context), expected) << threads << " threads, " << Name(descriptor);
    }
  });
}

TEST(PrefilterPaths, CpuHasTheSameBitsForSlicesBeyondTheCache)
{
  FreshRandom random;
  // 1.2 MB per slice in float; 240 KB per slice, of which a thread has enough, or not.
  for (const auto & shape : std::vector<std::vector<std::int64_t>>{ { 601, 500, 4 }, { 201, 300, 8 } })
  {
    for (const PrefilterMethod & method : { Recursion(PrefilterMethod::Kind::Exact), Fir(15) })
    {
      SourceDescriptor descriptor = MakeDescriptor(shape, ScalarType::Int16, ScalarType::Float32, 3);
      descriptor.method = method;
      ChooseExtensions(descriptor, random);
      const auto pixels = PixelsFor(descriptor, random);
      const auto expected = Plainly(descriptor, pixels);
      for (const unsigned int threads : { 1U, 2U, 3U, 9U })
      {
        const ThreadExecutor executor(threads);
        ExecutionContext     context;
        context.host = &executor;
        EXPECT_EQ(Compute(descriptor, pixels.data(), context), expected) << threads << " threads, " << Name(descriptor);
      }
    }
  }
}

TEST(PrefilterPaths, CpuThreadsAndComponents)
{
  FreshRandom random;
  for (const auto & shape : std::vector<std::vector<std::int64_t>>{ { 700 }, { 70, 5 }, { 33, 41 }, { 20, 18, 11 } })
  {
    SourceDescriptor descriptor = MakeDescriptor(shape, ScalarType::UInt16, ScalarType::Float32, 4);
    descriptor.components = 3;
    const auto pixels = PixelsFor(descriptor, random);
    const auto expected = Compute(descriptor, pixels.data(), ExecutionContext());
    for (const unsigned int threads : { 2U, 3U, 8U })
    {
      const ThreadExecutor executor(threads);
      ExecutionContext     context;
      context.host = &executor;
      EXPECT_EQ(Compute(descriptor, pixels.data(), context), expected) << threads << " threads, " << Name(descriptor);
    }
  }
}

TEST_P(PrefilterPaths, InPlace)
{
  ForEachMethod({ { 700 }, { 70, 5 }, { 37, 21 }, { 130, 70 }, { 19, 35, 17 }, { 1, 1, 9 } },
                [](SourceDescriptor descriptor, const std::vector<unsigned char> &) {
                  FreshRandom random;
                  descriptor.pixel = descriptor.element;
                  for (const unsigned int components : { 1U, 2U })
                  {
                    descriptor.components = components;
                    auto       pixels = PixelsFor(descriptor, random);
                    const auto expected = Compute(descriptor, pixels.data(), Context());
                    Prefilter(descriptor, pixels.data(), pixels.data(), Context());
                    EXPECT_EQ(AsDouble(descriptor, descriptor.element, pixels.data()), expected) << Name(descriptor);
                  }
                });
}

TEST_P(PrefilterPaths, SeveralThreadsAtOnce)
{
  struct Job
  {
    SourceDescriptor           descriptor;
    std::vector<unsigned char> pixels;
    std::vector<double>        expected;
    std::vector<double>        result;
  };
  std::vector<Job> jobs;
  ForEachMethod({ { 5000 }, { 150, 90 }, { 70, 40, 21 } },
                [&jobs](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
                  jobs.push_back({ descriptor, pixels, Compute(descriptor, pixels.data(), Context()), {} });
                });
  constexpr std::size_t    count = 6;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < count; ++thread)
  {
    threads.emplace_back([&jobs, thread] {
      for (std::size_t i = thread; i < jobs.size(); i += count)
      {
        jobs[i].result = Compute(jobs[i].descriptor, jobs[i].pixels.data(), Context());
      }
    });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  for (const Job & job : jobs)
  {
    EXPECT_EQ(job.result, job.expected) << Name(job.descriptor);
  }
}

/** Sizes of images. */
class PrefilterPathsGpuShapes : public testing::TestWithParam<std::vector<std::vector<std::int64_t>>>
{};

TEST_P(PrefilterPathsGpuShapes, TilesAgreeWithTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ForEachMethod(GetParam(), [](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
    const auto first = Compute(descriptor, pixels.data(), Cuda());
    ExpectNear(first,
               Compute(descriptor, pixels.data(), ExecutionContext()),
               MethodAgreement(descriptor, LargestOf(pixels, descriptor.pixel)),
               Name(descriptor));
    EXPECT_EQ(Compute(descriptor, pixels.data(), Cuda()), first) << "again: " << Name(descriptor);
  });
}

// A tile is 128 samples of float or 64 of double by 32 lines. Strips are 128 or 256 columns in batches of 32 rows.
// Copies are 16 bytes wide if rows are multiples of that and no samples beyond the ends are needed. Sizes are around
// all of these. If there are more planes than blocks, a block filters several.
std::string
NameOfShapes(std::size_t index)
{
  constexpr const char * names[] = {
    "Lines",         "FewLines", "AroundPlaneTiles", "InsidePlaneTiles",  "AroundStrips",
    "SeveralStrips", "Volumes",  "ManyPlanes",       "ManyPlanesOfStrips"
  };
  return names[index];
}

using PrefilterShapes = std::vector<std::vector<std::int64_t>>;
INSTANTIATE_TEST_SUITE_P(
  ,
  PrefilterPathsGpuShapes,
  testing::Values(
    PrefilterShapes{ { 127 }, { 128 }, { 129 }, { 640 }, { 100003 } },
    PrefilterShapes{ { 1, 4099 }, { 96, 31 }, { 300, 33 }, { 512, 64 }, { 513, 65 }, { 7, 2050 }, { 2, 301 } },
    PrefilterShapes{ { 64, 33 }, { 65, 32 }, { 65, 33 }, { 66, 34 }, { 128, 64 }, { 129, 65 } },
    PrefilterShapes{ { 127, 63 }, { 400, 300 }, { 401, 301 }, { 402, 130 }, { 1024, 129 } },
    PrefilterShapes{ { 255, 33 }, { 256, 40 }, { 257, 97 }, { 384, 96 }, { 512, 64 } },
    PrefilterShapes{ { 511, 34 }, { 513, 65 }, { 772, 33 }, { 1030, 36 }, { 66, 1100 } },
    PrefilterShapes{ { 131, 67, 5 }, { 256, 128, 3 }, { 33, 3, 130 }, { 68, 36, 2, 3 }, { 66, 1, 35, 4 } },
    PrefilterShapes{ { 70, 34, 500 } },
    PrefilterShapes{ { 257, 33, 201 } }),
  [](const auto & tested) { return NameOfShapes(tested.index); });

TEST(PrefilterPathsGpu, ComponentsInSeveralChunks)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random; // 67 MiB of pixels: two chunks, and the first ends within a row
  SourceDescriptor descriptor = MakeDescriptor({ 399, 291, 101 }, ScalarType::Int16, ScalarType::Float32, 3);
  descriptor.components = 3;
  const auto           pixels = PixelsFor(descriptor, random);
  const auto           expected = Compute(descriptor, pixels.data(), Cuda()); // one thread copies
  const ThreadExecutor executor(8);
  ExecutionContext     context = Cuda();
  context.host = &executor;
  EXPECT_TRUE(Compute(descriptor, pixels.data(), context) == expected) << "pieces in several streams";
  ExpectNear(expected,
             Compute(descriptor, pixels.data(), ExecutionContext()),
             MethodAgreement(descriptor, 32768.0),
             Name(descriptor));
}
