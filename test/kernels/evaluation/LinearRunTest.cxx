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
#include "../resampling/ResampleCase.h"

#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

using namespace CudaSplineTest;

namespace
{

/** Evaluates the same samples at a list of points, with a mask of the points inside, so that they are evaluated one by
 * one. A resampling has the same bits. */
std::vector<unsigned char>
OneByOne(const Case & test)
{
  const ResampleDescriptor & resample = test.resample;
  const unsigned int         dimension = test.source.dimension;
  std::vector<double>        places;
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    const double * const ends = test.ends.data() + line * 2 * dimension;
    for (std::int64_t sample = 0; sample < resample.samples; ++sample)
    {
      const double alpha = static_cast<double>(resample.lineOffset + sample) / resample.lineLength;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        const volatile double step = alpha * (ends[d + dimension] - ends[d]);
        places.push_back(ends[d] + step);
      }
    }
  }
  PointsDescriptor points;
  points.interpolation = resample.interpolation;
  points.lower = resample.lower;
  points.upper = resample.upper;
  points.count = resample.lines * resample.samples;
  points.points = places.data();
  points.pointType = ScalarType::Float64;
  points.output = resample.output;
  points.defaultPixel = resample.defaultPixel;
  std::vector<unsigned char> values(static_cast<std::size_t>(points.count) * SizeOf(points.output));
  const auto                 source = MakeSource(test.source, test.pixels.data(), ExecutionContext());
  points.values = values.data();
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(points.count));
  points.inside = inside.data();
  SamplePoints(points, *source, ExecutionContext());
  return values;
}

/** Fixes some lines along some axes: between samples, on a sample, the first or the last one. Others move from sample
 * to sample. */
void
HoldLines(Case & test, FreshRandom & random)
{
  const unsigned int dimension = test.source.dimension;
  for (std::int64_t line = 0; line < test.resample.lines; line += 2)
  {
    double * const ends = test.ends.data() + line * 2 * dimension;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const auto   first = static_cast<double>(test.source.start[d]);
      const auto   last = static_cast<double>(test.source.start[d] + test.source.size[d] - 1);
      const double places[] = { ends[d], std::floor(ends[d]), first, last, last - 0.25, std::nextafter(last, first) };
      if (random.Engine()() % 2 == 0)
      {
        ends[d] = places[random.Engine()() % std::size(places)];
        ends[d + dimension] = ends[d];
      }
      else if (random.Engine()() % 3 == 0)
      {
        // From sample to sample, or every second time between two samples: some are next to a sample because of
        // rounding.
        ends[d] = std::floor(ends[d]);
        ends[d + dimension] = ends[d] + (random.Engine()() % 2 == 0 ? 1.0 : 0.5) * test.resample.lineLength;
      }
    }
  }
}

/** Sets some samples to NaN: positions on other samples do not read them. */
template <typename TReal>
void
AddNans(Case & test, FreshRandom & random)
{
  const TReal       nan = std::numeric_limits<TReal>::quiet_NaN();
  const std::size_t count = test.pixels.size() / sizeof(TReal);
  for (std::size_t i = 0; i < count; i += 1 + random.Engine()() % 60)
  {
    std::memcpy(test.pixels.data() + i * sizeof(TReal), &nan, sizeof(TReal));
  }
}

} // namespace

// Scanlines are evaluated many samples at a time: between samples, on them, next to the outermost ones and outside.
TEST(LinearRun, BitsOfSamplesOneByOne)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const ScalarType output : { ScalarType::Float32, ScalarType::Float64, ScalarType::Int16, ScalarType::UInt8 })
      {
        Case test = MakeCase(shape, element, output, Interpolation::Linear, 0, element, random);
        HoldLines(test, random);
        test.resample.singleCoordinates = false;
        if (IsReal(output) && random.Engine()() % 2 == 0)
        {
          element == ScalarType::Float32 ? AddNans<float>(test, random) : AddNans<double>(test, random);
        }
        // Bounds within the array: points beyond them are outside, although there are samples.
        if (random.Engine()() % 3 == 0)
        {
          test.resample.lower[0] += 0.75;
          test.resample.upper[0] -= 0.3;
        }
        EXPECT_EQ(Compute(test, ExecutionContext()), OneByOne(test))
          << shape.size() << "D, " << NameOf(element) << " to " << NameOf(output);
      }
    }
  }
}

TEST(NearestRun, BitsOfSamplesOneByOne)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const ScalarType pixel : { ScalarType::UInt8, ScalarType::Int16, ScalarType::Float32, ScalarType::Float64 })
    {
      for (const Extension extension : { Extension::Nearest, Extension::Mirror, Extension::GridConstant })
      {
        Case test = MakeCase(shape, pixel, pixel, Interpolation::Nearest, 0, pixel, random);
        HoldLines(test, random);
        test.source.extension.fill(extension);
        test.resample.singleCoordinates = false;
        if (random.Engine()() % 2 == 0)
        {
          test.resample.lower[0] -= 3.25;
          test.resample.upper[0] += 2.5;
        }
        EXPECT_EQ(Compute(test, ExecutionContext()), OneByOne(test)) << shape.size() << "D, " << NameOf(pixel);
      }
    }
  }
}

// On a sample its neighbours have no weight: a NaN neighbour has no effect.
TEST(LinearRun, NeighboursWithoutWeightDoNotCount)
{
  FreshRandom random;
  Case        test = MakeCase(
    { 20, 18, 16 }, ScalarType::Float32, ScalarType::Float32, Interpolation::Linear, 0, ScalarType::Float32, random);
  test.resample.singleCoordinates = false;
  test.resample.samples = 20;
  test.resample.lineOffset = 0;
  test.resample.lineLength = 19;
  test.resample.lines = 2;
  auto * const values = reinterpret_cast<float *>(test.pixels.data());
  const auto   at = [](std::int64_t x, std::int64_t y, std::int64_t z) { return x + 20 * (y + 18 * z); };
  values[at(7, 5, 4)] = std::numeric_limits<float>::quiet_NaN();
  values[at(9, 6, 4)] = std::numeric_limits<float>::infinity();
  values[at(3, 5, 5)] = -std::numeric_limits<float>::infinity();
  values[at(12, 5, 4)] = -0.0F;
  // One line along the samples of a row, the other one at half a sample from it.
  test.ends.clear();
  for (const double y : { 5.0, 5.5 })
  {
    for (const double x : { 0.0, 19.0 })
    {
      for (const auto & [d, index] : { std::pair{ 0, x }, std::pair{ 1, y }, std::pair{ 2, 4.0 } })
      {
        test.ends.push_back(index + static_cast<double>(test.source.start[static_cast<std::size_t>(d)]));
      }
    }
  }
  const auto output = Compute(test, ExecutionContext());
  EXPECT_EQ(output, OneByOne(test));
  std::vector<float> lines(40);
  std::memcpy(lines.data(), output.data(), output.size());
  EXPECT_EQ(std::memcmp(lines.data(), values + at(0, 5, 4), 20 * sizeof(float)), 0) << "the samples themselves";
  for (std::int64_t x = 0; x < 20; ++x)
  {
    // Infinity is stored as the largest number, by ITK's rule.
    EXPECT_EQ(std::abs(lines[static_cast<std::size_t>(20 + x)]) < 1e30F, x != 7 && x != 9) << x;
  }
}
