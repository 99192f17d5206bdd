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
// Expected: on the Cuda backend the Cpu backend's pixels. Nearest neighbours and the inside test bit for bit, real values within
// ValueAgreement() plus CoefficientAgreement(), integers within one where the real value is that close to an integer.
// What the Cpu backend computes is compared with ITK in test/itk and with references in test/math.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/Prefilter.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "Gpu.h"
#include "KernelTestData.h"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

using namespace CudaSplineTest;

namespace
{

/** A resampling with everything that the descriptor points to. */
struct Case
{
  SourceDescriptor           source;
  ResampleDescriptor         resample;
  std::vector<unsigned char> pixels;
  std::vector<double>        ends;
};

/** Scanlines in random directions through and beside the input. */
Case
MakeCase(const std::vector<std::int64_t> & sizes,
         ScalarType                        pixel,
         ScalarType                        output,
         Interpolation                     interpolation,
         unsigned int                      order,
         ScalarType                        element,
         FreshRandom &                     random)
{
  Case test;
  test.source = MakeDescriptor(sizes, pixel, interpolation == Interpolation::Nearest ? pixel : element, order);
  test.pixels = RandomPixels(pixel, test.source.Count(), random);
  test.resample.interpolation = interpolation;
  test.resample.output = output;
  test.resample.singleCoordinates = random.Engine()() % 4 == 0;
  test.resample.samples = 77;
  test.resample.lines = 203;
  test.resample.lineOffset = 5;
  test.resample.lineLength = 97;
  test.resample.defaultPixel = 0x4142434445464748ULL;
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    test.source.start[d] = static_cast<std::int64_t>(random.Engine()() % 21) - 10;
    test.resample.lower[d] = static_cast<double>(test.source.start[d]) - 0.5;
    test.resample.upper[d] = static_cast<double>(test.source.start[d] + test.source.size[d]) - 0.5;
  }
  for (std::int64_t line = 0; line < test.resample.lines; ++line)
  {
    for (int side = 0; side < 2; ++side)
    {
      for (unsigned int d = 0; d < test.source.dimension; ++d)
      {
        const double margin = 0.1 * static_cast<double>(test.source.size[d]) + 1.0;
        double       at = random.Uniform(test.resample.lower[d] - margin, test.resample.upper[d] + margin);
        if (line % 7 == 0)
        {
          at = std::floor(at) + (line % 2 == 0 ? 0.5 : 0.0); // ties and samples
        }
        test.ends.push_back(line == 11 ? std::numeric_limits<double>::quiet_NaN() : at);
      }
    }
  }
  return test;
}

std::vector<unsigned char>
Compute(const Case & test, const ExecutionContext & context, int poison = 0xA5)
{
  ResampleDescriptor resample = test.resample;
  resample.scanlineEnds = test.ends.data();
  std::vector<unsigned char> output(
    static_cast<std::size_t>(resample.samples * resample.lines) * SizeOf(resample.output), static_cast<unsigned char>(poison));
  const auto source = MakeSource(test.source, test.pixels.data(), context);
  Resample(resample, *source, output.data(), context);
  return output;
}

ExecutionContext
Cuda()
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  return context;
}

double
Largest(const Case & test)
{
  double largest = 0.0;
  for (std::int64_t i = 0; i < test.source.Count(); ++i)
  {
    largest = std::max(largest, std::abs(LoadScalar<double>(test.pixels.data(), test.source.pixel, i)));
  }
  return largest;
}

double
Agreement(const Case & test)
{
  const double largest = Largest(test);
  const auto   order = test.resample.interpolation == Interpolation::BSpline ? test.source.order : 1U;
  return CoefficientAgreement(test.source, largest) + ValueAgreement(test.source, order, LargestCoefficient(test.source, largest));
}

/** Where an output sample falls in the input, for messages. */
std::string
Place(const Case & test, std::int64_t i)
{
  std::ostringstream text;
  text << std::setprecision(17);
  const std::int64_t line = i / test.resample.samples;
  const double       alpha = static_cast<double>(i % test.resample.samples + test.resample.lineOffset) / static_cast<double>(test.resample.lineLength);
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    const double * const ends = test.ends.data() + line * 2 * test.source.dimension;
    text << " " << ends[d] + alpha * (ends[d + test.source.dimension] - ends[d]) - static_cast<double>(test.source.start[d]) << " of "
         << test.source.size[d];
  }
  text << (test.resample.singleCoordinates ? " in single coordinates" : "");
  return text.str();
}

const std::vector<std::vector<std::int64_t>> Shapes{ { 50 }, { 2 }, { 61, 47 }, { 1, 30 }, { 3, 2 }, { 43, 37, 29 }, { 1, 2, 3 }, { 100, 2, 31 } };

} // namespace

TEST(Resample, CpuWritesEverySample)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    const Case test = MakeCase(shape, ScalarType::Int16, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
    EXPECT_EQ(Compute(test, ExecutionContext(), 0xA5), Compute(test, ExecutionContext(), 0x5A));
  }
}

TEST(Resample, CpuDoesNotDependOnThreads)
{
  FreshRandom random;
  const Case  test =
    MakeCase({ 43, 37, 29 }, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  const auto expected = Compute(test, ExecutionContext());
  for (const unsigned int threads : { 2U, 5U, 16U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context;
    context.host = &executor;
    EXPECT_EQ(Compute(test, context), expected) << threads << " threads";
  }
}

// A ramp gives back the coordinate. With single coordinates it must be a float, with ITK's roundings: GCC 12 drops conversions to float and
// back where it vectorises, which RoundedToSingle() prevents.
TEST(Resample, CpuCoordinatesHaveTheRoundingsOfItk)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    for (const bool single : { false, true })
    {
      Case test = MakeCase(shape, ScalarType::Float64, ScalarType::Float64, Interpolation::Linear, 0, ScalarType::Float64, random);
      test.resample.singleCoordinates = single;
      const unsigned int dimension = test.source.dimension;
      // Away from 0, so that the distance to the lower neighbour is exact in single precision too.
      for (double & end : test.ends)
      {
        end += 30.0;
      }
      for (unsigned int d = 0; d < dimension; ++d)
      {
        test.source.start[d] += 30;
        test.resample.lower[d] += 30.0;
        test.resample.upper[d] += 30.0;
      }
      std::int64_t       stride = 1;
      for (unsigned int d = 0; d < dimension; stride *= shape[d], ++d)
      {
        for (std::int64_t i = 0; i < test.source.Count(); ++i)
        {
          const double value = static_cast<double>(test.source.start[d] + i / stride % shape[d]);
          std::memcpy(test.pixels.data() + i * 8, &value, sizeof(value));
        }
        const auto output = Compute(test, ExecutionContext());
        for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
        {
          const double value = LoadScalar<double>(output.data(), ScalarType::Float64, i);
          const std::int64_t line = i / test.resample.samples;
          const volatile double alpha = static_cast<double>(i % test.resample.samples + 5) / 97.0;
          const double * const  ends = test.ends.data() + line * 2 * dimension;
          double                expected = 0.0;
          if (single)
          {
            const volatile float  first = static_cast<float>(ends[d]);
            const volatile float  last = static_cast<float>(ends[d + dimension]);
            const volatile float  span = last - first;
            const volatile double step = alpha * static_cast<double>(span);
            const volatile double sum = static_cast<double>(first) + step;
            const volatile float  rounded = static_cast<float>(sum);
            expected = rounded;
          }
          else
          {
            const volatile double span = ends[d + dimension] - ends[d];
            const volatile double step = alpha * span;
            expected = ends[d] + step;
          }
          const double low = static_cast<double>(test.source.start[d]);
          const double high = low + static_cast<double>(shape[d] - 1);
          if (value < 1e4) // not the default pixel, which is 2.4e6
          {
            ASSERT_NEAR(value, std::min(high, std::max(low, expected)), 4e-15 * std::max(1.0, std::abs(expected)))
              << shape.size() << "D, axis " << d << (single ? ", single" : "");
          }
        }
      }
    }
  }
}

// Just below the upper bound ITK's rounding gives the index beyond the last sample: the last one is read.
TEST(Resample, NearestStaysInTheBuffer)
{
  const std::vector<std::uint8_t> pixels{ 1, 2, 3, 4 };
  SourceDescriptor                source = MakeDescriptor({ 4 }, ScalarType::UInt8, ScalarType::UInt8, 0);
  source.start[0] = -3;
  ResampleDescriptor resample;
  resample.interpolation = Interpolation::Nearest;
  resample.output = ScalarType::UInt8;
  resample.lower[0] = -3.5;
  resample.upper[0] = 0.5;
  resample.samples = 1;
  resample.lines = 2;
  const double ends[] = { std::nextafter(0.5, 0.0), 1.0, -3.5, 1.0 };
  resample.scanlineEnds = ends;
  for (const bool cuda : { false, true })
  {
    if (!cuda || DeviceCount() > 0)
    {
      const ExecutionContext      context = cuda ? Cuda() : ExecutionContext();
      std::vector<std::uint8_t> output(2, 0);
      Resample(resample, *MakeSource(source, pixels.data(), context), output.data(), context);
      EXPECT_EQ(output, (std::vector<std::uint8_t>{ 4, 1 }));
    }
  }
}

TEST(Resample, BadArgumentsAreRefused)
{
  FreshRandom random;
  Case        test = MakeCase({ 5, 5 }, ScalarType::Int16, ScalarType::Int16, Interpolation::Nearest, 0, ScalarType::Int16, random);
  test.resample.interpolation = Interpolation::Linear; // of integers
  EXPECT_THROW(Compute(test, ExecutionContext()), std::invalid_argument);
  Case fourDimensions =
    MakeCase({ 5, 5, 5 }, ScalarType::Int16, ScalarType::Int16, Interpolation::Nearest, 0, ScalarType::Int16, random);
  fourDimensions.source.dimension = 4;
  EXPECT_THROW(Compute(fourDimensions, ExecutionContext()), std::invalid_argument);
  const SampleSource elsewhere(test.source, Backend::Cuda, 0, nullptr);
  EXPECT_THROW(Resample(test.resample, elsewhere, nullptr, ExecutionContext()), std::invalid_argument);
}

TEST(ResampleGpu, NearestMovesTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : Shapes)
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
  for (const auto & shape : Shapes)
  {
    for (int order = -1; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        const Case test = MakeCase(shape,
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
    Case test = MakeCase({ 43, 37, 29 }, ScalarType::Int16, output, Interpolation::BSpline, 3, element, random);
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
  const Case  test =
    MakeCase({ 43, 37, 29 }, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  const auto expected = Compute(test, Cuda());
  // The table takes 9744 bytes; what is left is shared by two slabs of scanlines of 308 bytes: 50 lines, and 2.
  for (const char * limit : { "40K", "11K" })
  {
    setenv("CUDASPLINE_MEMORY_LIMIT", limit, 1);
    EXPECT_EQ(Compute(test, Cuda()), expected) << limit;
  }
  setenv("CUDASPLINE_MEMORY_LIMIT", "10K", 1); // less than one scanline
  EXPECT_THROW(Compute(test, Cuda()), DeviceError);
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
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
  const Case  test =
    MakeCase({ 43, 37, 29 }, ScalarType::UInt16, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
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
