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
// The Cpu backend of Resample(): every sample is written, the number of threads has no effect, coordinates are rounded
// as in ITK, invalid arguments are refused. Its values are compared with ITK in test/itk and with references in
// test/math.

#include "itkCudaSpline/math/LinearEvaluation.h"

#include "ScanlineCase.h"

#include <algorithm>
#include <cstring>

using namespace CudaSplineTest;

TEST(Resample, CpuWritesEverySample)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    const Case test =
      MakeCase(shape, ScalarType::Int16, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
    EXPECT_EQ(Compute(test, ExecutionContext(), 0xA5), Compute(test, ExecutionContext(), 0x5A));
  }
}

TEST(Resample, CpuDoesNotDependOnThreads)
{
  FreshRandom random;
  const Case  test = MakeCase(
    { 43, 37, 29 }, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  const auto expected = Compute(test, ExecutionContext());
  for (const unsigned int threads : { 2U, 5U, 16U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context;
    context.host = &executor;
    EXPECT_EQ(Compute(test, context), expected) << threads << " threads";
  }
}

// A ramp reproduces the coordinate. With single coordinates it must be a float, rounded as in ITK: GCC 12 removes
// conversions to float and back where it vectorises, which RoundedToSingle() prevents.
TEST(Resample, CpuCoordinatesHaveTheRoundingsOfItk)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const bool single : { false, true })
    {
      Case test = MakeCase(
        shape, ScalarType::Float64, ScalarType::Float64, Interpolation::Linear, 0, ScalarType::Float64, random);
      test.resample.singleCoordinates = single;
      const unsigned int dimension = test.source.dimension;
      // Not close to 0, so that the distance to the lower neighbour is exact in single precision, too.
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
      std::int64_t stride = 1;
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
          const double          value = LoadScalar<double>(output.data(), ScalarType::Float64, i);
          const std::int64_t    line = i / test.resample.samples;
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

// Just below the upper bound, rounding as in ITK gives the index after the last sample: the last one is read. Just
// below index 0, the floor function of ITK gives 0, and the sample there is used unchanged. Both are tested for many
// samples at once and for single ones.
TEST(Resample, CpuLinearJustBelowIndexZero)
{
  FreshRandom random;
  Case        test = FloatCase({ 9, 6, 5 }, Interpolation::Linear, 0, random);
  PlaceOutputAtZero(test, random);
  const auto          values = Compute(test, ExecutionContext());
  const auto *        pixels = reinterpret_cast<const float *>(test.pixels.data());
  const GridExtent<3> extent{ { test.source.start[0], test.source.start[1], test.source.start[2] },
                              { test.source.size[0], test.source.size[1], test.source.size[2] } };
  for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
  {
    const double * const at = test.ends.data() + i / test.resample.samples * 6;
    ScanlineEnds<3>      ends;
    std::copy_n(at, 3, ends.start);
    std::copy_n(at + 3, 3, ends.end);
    double index[3];
    ends.At<double>(
      i % test.resample.samples + test.resample.lineOffset, static_cast<double>(test.resample.lineLength), index);
    float found;
    std::memcpy(&found, values.data() + i * sizeof(float), sizeof(float));
    ASSERT_EQ(found, LinearValue(pixels, extent, index)) << Place(test, i);
  }
}

TEST(Resample, NearestStaysInTheBuffer)
{
  const std::vector<std::uint8_t> pixels{ 1, 2, 3, 4 };
  SourceDescriptor                source = MakeDescriptor({ 4 }, ScalarType::UInt8, ScalarType::UInt8, 0);
  source.start[0] = -3;
  source.extension.fill(Extension::Nearest); // ITK's rule
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
      const ExecutionContext    context = cuda ? Cuda() : ExecutionContext();
      std::vector<std::uint8_t> output(2, 0);
      Resample(resample, *MakeSource(source, pixels.data(), context), output.data(), context);
      EXPECT_EQ(output, (std::vector<std::uint8_t>{ 4, 1 }));
    }
  }
}

TEST(Resample, BadArgumentsAreRefused)
{
  FreshRandom random;
  Case        test =
    MakeCase({ 5, 5 }, ScalarType::Int16, ScalarType::Int16, Interpolation::Nearest, 0, ScalarType::Int16, random);
  test.resample.interpolation = Interpolation::Linear; // of integers
  EXPECT_THROW(Compute(test, ExecutionContext()), std::invalid_argument);
  Case fourDimensions =
    MakeCase({ 5, 5, 5 }, ScalarType::Int16, ScalarType::Int16, Interpolation::Nearest, 0, ScalarType::Int16, random);
  fourDimensions.source.dimension = 4;
  EXPECT_THROW(Compute(fourDimensions, ExecutionContext()), std::invalid_argument);
  const SampleSource elsewhere(test.source, Backend::Cuda, 0, nullptr);
  EXPECT_THROW(Resample(test.resample, elsewhere, nullptr, ExecutionContext()), std::invalid_argument);
}
