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
// The prefilter of images that do not fit the device, slab by slab.
//
// Expected values: the bits of the same image filtered as a whole on the same device. The memory that may be taken is
// set by CUDASPLINE_MEMORY_LIMIT to what one or two segments with their neighbours need, and the plan is asked whether
// that makes slabs; without slabs a test would compare the same thing with itself.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/math/LineRecursion.h"
#include "PrefilterCase.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

using namespace CudaSplineTest;

namespace
{

/** Sets CUDASPLINE_MEMORY_LIMIT during its lifetime. */
class MemoryLimit
{
public:
  explicit MemoryLimit(std::size_t bytes)
  {
    const char * const before = std::getenv("CUDASPLINE_MEMORY_LIMIT");
    m_WasSet = before != nullptr;
    m_Before = m_WasSet ? before : "";
    setenv("CUDASPLINE_MEMORY_LIMIT", std::to_string(bytes).c_str(), 1);
  }
  ~MemoryLimit()
  {
    if (m_WasSet)
    {
      setenv("CUDASPLINE_MEMORY_LIMIT", m_Before.c_str(), 1);
    }
    else
    {
      unsetenv("CUDASPLINE_MEMORY_LIMIT");
    }
  }
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &
  operator=(const MemoryLimit &) = delete;

private:
  bool        m_WasSet;
  std::string m_Before;
};

/** Returns the samples beyond a segment that a filter needs at either end. */
std::int64_t
ReachOf(const SourceDescriptor & descriptor)
{
  if (descriptor.method.kind == PrefilterMethod::Kind::Fir)
  {
    return descriptor.method.taps / 2;
  }
  return DispatchSplineOrder(descriptor.order, [&](auto constantOrder) {
    constexpr unsigned int order = decltype(constantOrder)::value;
    if (descriptor.method.kind == PrefilterMethod::Kind::ItkHorizon)
    {
      return ItkHorizon<order>::Samples;
    }
    return descriptor.element == ScalarType::Float32 ? RecursionWarmUp<order, float>::Samples
                                                     : RecursionWarmUp<order, double>::Samples;
  });
}

/** Returns the bytes for slabs of a number of coefficients along an axis: two volumes of them with their neighbours,
 * and raw pixels. */
std::size_t
BytesForSlabs(const SourceDescriptor & descriptor, unsigned int axis, std::int64_t wanted)
{
  const std::int64_t slice = descriptor.Count() / descriptor.size[axis];
  const std::int64_t samples = 2 * slice * (wanted + 2 * ReachOf(descriptor));
  const std::size_t  raw = descriptor.pixel == descriptor.element ? 0 : RawBytes(descriptor.PixelBytes());
  return static_cast<std::size_t>(samples) * SizeOf(descriptor.element) + raw;
}

/** Compares the whole with slabs of one and of two segments along the last axis with more than one sample. */
void
ExpectTheBitsOfTheWhole(const SourceDescriptor & descriptor, FreshRandom & random)
{
  unsigned int axis = descriptor.dimension - 1;
  while (descriptor.size[axis] == 1)
  {
    --axis;
  }
  const auto pixels = PixelsFor(descriptor, random);
  const auto whole = Compute(descriptor, pixels.data(), Cuda());
  for (const std::int64_t wanted : { LineSegmentLength, 2 * LineSegmentLength })
  {
    const MemoryLimit limit(BytesForSlabs(descriptor, axis, wanted));
    ASSERT_EQ(PlanPrefilter(descriptor, AvailableDeviceMemory(0)).slabLines, wanted) << Name(descriptor);
    EXPECT_EQ(Compute(descriptor, pixels.data(), Cuda()), whole) << Name(descriptor) << ", slabs of " << wanted;
  }
}

} // namespace

/** Sizes of an image. */
class PrefilterSlabsGpuShapes : public testing::TestWithParam<std::vector<std::int64_t>>
{};

TEST_P(PrefilterSlabsGpuShapes, EveryMethod)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const PrefilterMethod & method : AllMethods())
  {
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      const std::vector<ScalarType> pixels{ element, ScalarType::UInt8, ScalarType::Int16 };
      const auto                    order = static_cast<unsigned int>(2 + random.Engine()() % 4);
      SourceDescriptor descriptor = MakeDescriptor(GetParam(), pixels[random.Engine()() % 3], element, order);
      descriptor.method = method;
      ChooseExtensions(descriptor, random);
      ExpectTheBitsOfTheWhole(descriptor, random);
    }
  }
}

// The slab axis is longer than two segments and 126 samples beyond them, and only once a multiple of a segment.
INSTANTIATE_TEST_SUITE_P(,
                         PrefilterSlabsGpuShapes,
                         testing::Values(std::vector<std::int64_t>{ 1003 },
                                         std::vector<std::int64_t>{ 256 },
                                         std::vector<std::int64_t>{ 1, 419, 1 },
                                         std::vector<std::int64_t>{ 5, 333 },
                                         std::vector<std::int64_t>{ 300, 257 },
                                         std::vector<std::int64_t>{ 128, 288 },
                                         std::vector<std::int64_t>{ 7, 5, 201 },
                                         std::vector<std::int64_t>{ 67, 35, 193 },
                                         std::vector<std::int64_t>{ 128, 64, 195 },
                                         std::vector<std::int64_t>{ 3, 2, 5, 207 },
                                         std::vector<std::int64_t>{ 66, 34, 2, 193 },
                                         std::vector<std::int64_t>{ 259, 37, 194 }),
                         [](const auto & tested) {
                           std::string name;
                           for (const std::int64_t size : tested.param)
                           {
                             name += (name.empty() ? "" : "x") + std::to_string(size);
                           }
                           return name;
                         });

TEST(PrefilterSlabsGpu, EveryOrderAndExtension)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (unsigned int order = 2; order <= 5; ++order)
  {
    for (const Extension extension : { Extension::Mirror, Extension::Reflect, Extension::GridWrap })
    {
      SourceDescriptor descriptor = MakeDescriptor({ 70, 40, 175 }, ScalarType::Int16, ScalarType::Float32, order);
      descriptor.extension.fill(extension);
      ExpectTheBitsOfTheWhole(descriptor, random);
    }
  }
}

TEST(PrefilterSlabsGpu, InPlace)
{
  CUDASPLINE_NEEDS_GPU();
  // A slab needs samples that the previous slab and, with GridWrap, the first one have replaced by coefficients.
  FreshRandom random;
  for (const Extension extension : { Extension::Mirror, Extension::Reflect, Extension::GridWrap })
  {
    SourceDescriptor descriptor = MakeDescriptor({ 37, 19, 170 }, ScalarType::Float32, ScalarType::Float32, 3);
    descriptor.extension.fill(extension);
    auto              pixels = PixelsFor(descriptor, random);
    const auto        whole = Compute(descriptor, pixels.data(), Cuda());
    const MemoryLimit limit(BytesForSlabs(descriptor, 2, LineSegmentLength));
    Prefilter(descriptor, pixels.data(), pixels.data(), Cuda());
    EXPECT_EQ(AsDouble(descriptor, ScalarType::Float32, pixels.data()), whole) << Name(descriptor);
  }
}

TEST(PrefilterSlabsGpu, ProgressRisesAndAnAbortLeavesTheDeviceUsable)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 60, 50, 300 }, ScalarType::Int16, ScalarType::Float32, 3);
  const auto             pixels = PixelsFor(descriptor, random);
  const auto             whole = Compute(descriptor, pixels.data(), Cuda());
  const MemoryLimit      limit(BytesForSlabs(descriptor, 2, LineSegmentLength));
  std::vector<double>    reports;
  ExecutionContext       context = Cuda();
  context.progress = [&reports](double fraction) {
    reports.push_back(fraction);
    return true;
  };
  EXPECT_EQ(Compute(descriptor, pixels.data(), context), whole);
  EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
  ASSERT_GE(reports.size(), 10u) << "one a slab at least";
  EXPECT_EQ(reports.front(), 0.0);
  EXPECT_EQ(reports.back(), 1.0);
  context.progress = [](double fraction) { return fraction < 0.5; };
  EXPECT_THROW(Compute(descriptor, pixels.data(), context), OperationAborted);
  EXPECT_EQ(Compute(descriptor, pixels.data(), Cuda()), whole);
}

TEST(PrefilterSlabsGpu, SeveralThreadsAtOnce)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  SourceDescriptor descriptor = MakeDescriptor({ 67, 35, 193 }, ScalarType::UInt8, ScalarType::Float32, 5);
  ChooseExtensions(descriptor, random);
  const auto                       pixels = PixelsFor(descriptor, random);
  const auto                       whole = Compute(descriptor, pixels.data(), Cuda());
  const MemoryLimit                limit(BytesForSlabs(descriptor, 2, LineSegmentLength));
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread>         threads;
  for (std::vector<double> & result : results)
  {
    threads.emplace_back([&] { result = Compute(descriptor, pixels.data(), Cuda()); });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  for (const std::vector<double> & result : results)
  {
    EXPECT_EQ(result, whole);
  }
}
