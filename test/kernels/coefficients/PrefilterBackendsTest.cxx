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
// Expected: on the Cpu backend the exact convolution with the prefilter's impulse response in double, on the folded
// extension; on the Cuda backend the Cpu backend's coefficients. Tolerances are derived: RecursionWarmUp's truncation,
// CoefficientAgreement()'s rounding.

#include "itkCudaSpline/device/DeviceError.h"
#include "PrefilterCase.h"

#include <cmath>
#include <limits>

using namespace CudaSplineTest;

namespace
{

const std::vector<std::vector<std::int64_t>> Shapes{
  { 1 },          { 2 },         { 3 },         { 7 },         { 31 },           { 33 },          { 257 },
  { 1, 5 },       { 5, 1 },      { 2, 3 },      { 131, 67 },   { 3, 129 },       { 1, 1, 9 },     { 2, 2, 2 },
  { 37, 41, 29 }, { 161, 5, 3 }, { 3, 5, 161 }, { 7, 140, 2 }, { 13, 7, 11, 5 }, { 33, 1, 2, 37 }
};

/** Returns the convolution of every line of every axis with the impulse response, 60 samples to either side (0.43^60 =
 * 1e-22). */
std::vector<double>
Reference(const SourceDescriptor & descriptor, const void * pixels)
{
  std::vector<double> values(static_cast<std::size_t>(descriptor.Count()));
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = LoadScalar<double>(pixels, descriptor.pixel, static_cast<std::int64_t>(i));
  }
  const int           reach = 60;
  std::vector<double> response;
  DispatchSplineOrder(descriptor.order, [&](auto order) {
    for (int k = -reach; k <= reach; ++k)
    {
      response.push_back(FirCoefficient<decltype(order)::value>(k));
    }
  });
  std::int64_t inner = 1;
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    const std::int64_t length = descriptor.size[d];
    if (length == 1)
    {
      continue; // a constant does not change: the sum of the response is 1
    }
    std::vector<double> next(values.size());
    for (std::int64_t at = 0; at < descriptor.Count(); ++at)
    {
      const std::int64_t n = at / inner % length;
      double             sum = 0.0;
      for (int k = -reach; k <= reach; ++k)
      {
        const std::int64_t folded = FoldIndex(n + k, length, descriptor.extension[d]);
        sum +=
          response[static_cast<std::size_t>(k + reach)] * values[static_cast<std::size_t>(at + (folded - n) * inner)];
      }
      next[static_cast<std::size_t>(at)] = sum;
    }
    values.swap(next);
    inner *= length;
  }
  return values;
}

template <typename TCheck>
void
ForEachCase(const TCheck & check)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    for (unsigned int order = 0; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        SourceDescriptor descriptor = MakeDescriptor(shape, element, element, order);
        descriptor.extension.fill(static_cast<Extension>(random.Engine()() % 3));
        check(descriptor, RandomPixels(element, descriptor.Count(), random));
      }
    }
  }
}

} // namespace

TEST(Prefilter, CpuIsTheExactConvolution)
{
  ForEachCase([](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
    const double largest = LargestOf(pixels, descriptor.pixel);
    const double truncation = descriptor.dimension * (descriptor.element == ScalarType::Float32 ? 6e-8 : 1.1e-16);
    const double bound =
      CoefficientAgreement(descriptor, largest) + truncation * LargestCoefficient(descriptor, largest);
    ExpectNear(Compute(descriptor, pixels.data(), ExecutionContext()),
               Reference(descriptor, pixels.data()),
               bound,
               Name(descriptor));
  });
}

TEST(Prefilter, CpuDoesNotDependOnThreads)
{
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 67, 45, 38 }, ScalarType::Int16, ScalarType::Float32, 3);
  const auto             pixels = RandomPixels(ScalarType::Int16, descriptor.Count(), random);
  const auto             expected = Compute(descriptor, pixels.data(), ExecutionContext());
  for (const unsigned int threads : { 2U, 3U, 7U, 16U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context;
    context.host = &executor;
    EXPECT_EQ(Compute(descriptor, pixels.data(), context), expected) << threads << " threads";
  }
}

TEST(Prefilter, WorksInPlaceOnTheHost)
{
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 40, 31 }, ScalarType::Float32, ScalarType::Float32, 3);
  auto                   pixels = RandomPixels(ScalarType::Float32, descriptor.Count(), random);
  const auto             expected = Compute(descriptor, pixels.data(), ExecutionContext());
  Prefilter(descriptor, pixels.data(), pixels.data(), ExecutionContext());
  for (std::size_t i = 0; i < expected.size(); ++i)
  {
    ASSERT_EQ(LoadScalar<double>(pixels.data(), ScalarType::Float32, static_cast<std::int64_t>(i)), expected[i]);
  }
}

TEST(Prefilter, UnchangedPixelsAreBorrowedOnTheHost)
{
  const std::vector<std::uint16_t> pixels(12, 7);
  const auto                       source =
    MakeSource(MakeDescriptor({ 4, 3 }, ScalarType::UInt16, ScalarType::UInt16, 0), pixels.data(), ExecutionContext());
  EXPECT_EQ(source->GetData(), pixels.data());
}

TEST(Prefilter, BadArgumentsAreRefused)
{
  const float            pixel = 0.0F;
  const ExecutionContext context;
  EXPECT_THROW(MakeSource(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 6), &pixel, context),
               std::invalid_argument);
  EXPECT_THROW(MakeSource(MakeDescriptor({ 0 }, ScalarType::Float32, ScalarType::Float32, 3), &pixel, context),
               std::invalid_argument);
  EXPECT_THROW(MakeSource(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Int32, 0), &pixel, context),
               std::invalid_argument);
  EXPECT_THROW(MakeSource(MakeDescriptor({ 1 }, ScalarType::Int32, ScalarType::Int32, 3), &pixel, context),
               std::invalid_argument);
  SourceDescriptor fiveDimensions = MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 3);
  fiveDimensions.dimension = 5;
  EXPECT_THROW(MakeSource(fiveDimensions, &pixel, context), std::invalid_argument);
  if (!BuiltWithCuda())
  {
    EXPECT_THROW(MakeSource(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 3), &pixel, Cuda()),
                 DeviceError);
  }
}

TEST(PrefilterGpu, AgreesWithCpu)
{
  CUDASPLINE_NEEDS_GPU();
  ForEachCase([](const SourceDescriptor & descriptor, const std::vector<unsigned char> & pixels) {
    const double bound = CoefficientAgreement(descriptor, LargestOf(pixels, descriptor.pixel));
    ExpectNear(Compute(descriptor, pixels.data(), Cuda()),
               Compute(descriptor, pixels.data(), ExecutionContext()),
               bound,
               Name(descriptor));
  });
}

TEST(PrefilterGpu, ConvertsEveryPixelType)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const ScalarType pixel : AllScalarTypes)
  {
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const unsigned int order : { 0U, 3U })
      {
        const SourceDescriptor descriptor = MakeDescriptor({ 43, 31, 9 }, pixel, element, order);
        const auto             pixels = RandomPixels(pixel, descriptor.Count(), random);
        ExpectNear(Compute(descriptor, pixels.data(), Cuda()),
                   Compute(descriptor, pixels.data(), ExecutionContext()),
                   CoefficientAgreement(descriptor, LargestOf(pixels, pixel)),
                   Name(descriptor));
      }
    }
  }
}

TEST(PrefilterGpu, SeveralChunksAndAgainTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  // 45 MB of pixels: two chunks of conversion, six of staging.
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 300, 290, 257 }, ScalarType::Int16, ScalarType::Float32, 3);
  const auto             pixels = RandomPixels(ScalarType::Int16, descriptor.Count(), random);
  const auto             first = Compute(descriptor, pixels.data(), Cuda());
  ExpectNear(first,
             Compute(descriptor, pixels.data(), ExecutionContext()),
             CoefficientAgreement(descriptor, 32768.0),
             Name(descriptor));
  EXPECT_EQ(Compute(descriptor, pixels.data(), Cuda()), first);
}

TEST(PrefilterGpu, NanReachesAsFarAsOnTheCpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 200, 170 }, ScalarType::Float32, ScalarType::Float32, 3);
  auto                   pixels = RandomPixels(ScalarType::Float32, descriptor.Count(), random);
  reinterpret_cast<float *>(pixels.data())[200 * 85 + 100] = std::numeric_limits<float>::quiet_NaN();
  const auto   cuda = Compute(descriptor, pixels.data(), Cuda());
  const auto   cpu = Compute(descriptor, pixels.data(), ExecutionContext());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < cpu.size(); ++i)
  {
    ASSERT_EQ(std::isnan(cuda[i]), std::isnan(cpu[i])) << i;
    count += std::isnan(cpu[i]) ? 1 : 0;
  }
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 100 * 100);
}

TEST(PrefilterGpu, AbortLeavesTheDeviceUsable)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 256, 256, 256 }, ScalarType::Int16, ScalarType::Float32, 3);
  const auto             pixels = RandomPixels(ScalarType::Int16, descriptor.Count(), random);
  ExecutionContext       aborting = Cuda();
  aborting.progress = [](double) { return false; };
  EXPECT_THROW(MakeSource(descriptor, pixels.data(), aborting), OperationAborted);
  EXPECT_NE(MakeSource(descriptor, pixels.data(), Cuda())->GetData(), nullptr);
}
