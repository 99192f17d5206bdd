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
// Expected: the Cuda backend gives the pixels of the Cpu backend. Nearest neighbours and the inside test agree bit for
// bit, real values within ValueAgreement() plus CoefficientAgreement(), integers within one where the real value is
// that close to an integer.

#include "ResampleCase.h"

#include <algorithm>

using namespace CudaSplineTest;

TEST(ResampleGpu, NearestMovesTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const ScalarType pixel : AllScalarTypes)
    {
      const Case same = MakeCase(shape, pixel, pixel, Interpolation::Nearest, 0, pixel, random);
      EXPECT_EQ(Compute(same, Cuda()), Compute(same, ExecutionContext())) << NameOf(pixel);
      const ScalarType other = AllScalarTypes[random.Engine()() % AllScalarTypes.size()];
      const Case       cast = MakeCase(shape, pixel, other, Interpolation::Nearest, 0, pixel, random);
      EXPECT_EQ(Compute(cast, Cuda()), Compute(cast, ExecutionContext())) << NameOf(pixel) << " to " << NameOf(other);
    }
  }
}

TEST(ResampleGpu, RealValuesAgreeWithCpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (int order = -1; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        const Case   test = MakeCase(shape,
                                   element,
                                   ScalarType::Float64,
                                   order < 0 ? Interpolation::Linear : Interpolation::BSpline,
                                   static_cast<unsigned int>(std::max(order, 0)),
                                   element,
                                   random);
        const auto   cuda = Compute(test, Cuda());
        const auto   cpu = Compute(test, ExecutionContext());
        const double bound = Agreement(test);
        double       worst = 0.0;
        for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
        {
          const double a = LoadScalar<double>(cuda.data(), ScalarType::Float64, i);
          const double b = LoadScalar<double>(cpu.data(), ScalarType::Float64, i);
          worst = std::max(worst, std::abs(a - b));
          ASSERT_FALSE(std::isnan(a)) << i;
          if (std::abs(a - b) > bound)
          {
            ADD_FAILURE() << a << " and " << b << ", bound " << bound << ", at" << Place(test, i);
            break;
          }
        }
        EXPECT_LE(worst, bound) << shape.size() << "D, order " << order << ", " << NameOf(element);
        EXPECT_EQ(Compute(test, Cuda(), 0x5A), cuda) << "again, with other poison";
      }
    }
  }
}

TEST(ResampleGpu, IntegersDifferByOneOnlyAtIntegers)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const ScalarType output : AllScalarTypes)
  {
    const ScalarType element = NeedsDoublePrecision(output) ? ScalarType::Float64 : ScalarType::Float32;
    Case       test = MakeCase({ 43, 37, 29 }, ScalarType::Int16, output, Interpolation::BSpline, 3, element, random);
    const auto cuda = Compute(test, Cuda());
    const auto cpu = Compute(test, ExecutionContext());
    test.resample.output = ScalarType::Float64;
    test.resample.defaultPixel = 0;
    const auto   real = Compute(test, ExecutionContext());
    const double bound = Agreement(test);
    std::int64_t flips = 0;
    for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
    {
      const double a = LoadScalar<double>(cuda.data(), output, i);
      const double b = LoadScalar<double>(cpu.data(), output, i);
      const double value = LoadScalar<double>(real.data(), ScalarType::Float64, i);
      if (a != b)
      {
        ++flips;
        if (IsReal(output))
        {
          ASSERT_LE(std::abs(a - b), bound + UnitOf(output) * std::abs(b));
        }
        else
        {
          ASSERT_EQ(std::abs(a - b), 1.0) << NameOf(output);
          ASSERT_LE(std::abs(value - std::round(value)), bound) << NameOf(output);
        }
      }
    }
    RecordProperty(std::string("differing_") + NameOf(output), static_cast<int>(flips));
  }
}

TEST(ResampleGpu, SlabsGiveTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  const Case  test = MakeCase(
    { 43, 37, 29 }, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  const auto expected = Compute(test, Cuda());
  // The source takes 184556 bytes and the table 9744; the remaining memory is divided between two slabs of scanlines of
  // 308 bytes: 17 lines, and 2.
  for (const char * limit : { "200K", "191K" })
  {
    setenv("CUDASPLINE_MEMORY_LIMIT", limit, 1);
    EXPECT_EQ(Compute(test, Cuda()), expected) << limit;
  }
  setenv("CUDASPLINE_MEMORY_LIMIT", "190K", 1); // less than one scanline
  EXPECT_THROW(Compute(test, Cuda()), DeviceError);
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
  ExecutionContext limited = Cuda(); // a limit of the caller
  for (const std::size_t limit : { std::size_t{ 200 } << 10, std::size_t{ 191 } << 10 })
  {
    limited.memoryLimit = limit;
    EXPECT_EQ(Compute(test, limited), expected) << limit;
  }
  limited.memoryLimit = std::size_t{ 190 } << 10;
  EXPECT_THROW(Compute(test, limited), DeviceError);
}

TEST(ResampleGpu, MemoryLimitIsRespectedAndChecked)
{
  CUDASPLINE_NEEDS_GPU();
  setenv("CUDASPLINE_MEMORY_LIMIT", "3M", 1);
  EXPECT_EQ(AvailableDeviceMemory(0), std::size_t(3) << 20);
  setenv("CUDASPLINE_MEMORY_LIMIT", "plenty", 1);
  EXPECT_ANY_THROW(AvailableDeviceMemory(0));
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
  EXPECT_GT(AvailableDeviceMemory(0), std::size_t(1) << 30);
}

TEST(ResampleGpu, SeveralThreadsAtOnce)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  const Case  test = MakeCase(
    { 43, 37, 29 }, ScalarType::UInt16, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  const auto                              expected = Compute(test, Cuda());
  std::vector<std::vector<unsigned char>> results(8);
  ThreadExecutor(8).ParallelFor(8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      for (int again = 0; again < 5; ++again)
      {
        results[static_cast<std::size_t>(i)] = Compute(test, Cuda());
      }
    }
  });
  for (const auto & result : results)
  {
    EXPECT_EQ(result, expected);
  }
}
