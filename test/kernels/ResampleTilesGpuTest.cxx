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
// The kernels that read tiles of the input from shared memory, against the Cpu backend within the bounds of the other
// kernels, and bit for bit against SamplePoints(), whose kernel reads the samples where they are: both sum in the same
// order, and the coordinates are ITK's. Catmull-Rom's weights may be fused otherwise in the two kernels and are
// compared within the bound alone.
//
// The maps turn the output by any angle, so that lanes follow each of its axes; the sizes are odd, or smaller than a
// tile; outputs reach beyond the input on all sides.

#include "itkCudaSpline/kernels/SamplePoints.h"

#include "ResampleCase.h"

#include <array>

using namespace CudaSplineTest;

namespace
{

using Matrix = std::array<std::array<double, 3>, 3>;

/** Rotation about x, y and z by angles in radians, times a scale. */
Matrix
Rotation(double a, double b, double c, double scale = 1.0)
{
  const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b), cc = std::cos(c),
               sc = std::sin(c);
  Matrix matrix{ { { { cb * cc, -cb * sc, sb } },
                   { { ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb } },
                   { { sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb } } } };
  for (auto & row : matrix)
  {
    for (double & entry : row)
    {
      entry *= scale;
    }
  }
  return matrix;
}

/** Maps of which the last does not fit into a tile, but in small boxes, or not at all. */
std::vector<Matrix>
Maps()
{
  constexpr double quarter = 1.5707963267948966;
  return {
    Rotation(0.17, 0.26, 0.35), Rotation(0, 0, 0),        Rotation(0, quarter, 0),    Rotation(0, 0, quarter),
    Rotation(quarter, 0, 0),    Rotation(1.1, -0.4, 2.3), Rotation(-0.7, 0.9, 0.5),   Rotation(0.3, 0.2, 0.1, 0.4),
    Rotation(0, 0.8, 0),        Rotation(0.5, 0, 3.0),    Rotation(0.2, 0.3, 0.4, 3), Rotation(0.2, 0.3, 0.4, 40)
  };
}

/** Aims a case at an output of its own shape, through the centres of both. */
void
Aim(Case & test, const Matrix & matrix, const std::array<std::int64_t, 3> & shape, double bend, FreshRandom & random)
{
  ResampleDescriptor & resample = test.resample;
  resample.samples = shape[0];
  resample.lines = shape[1] * shape[2];
  resample.sliceLines = shape[1];
  resample.lineOffset = 3;
  resample.lineLength = shape[0] + 5;
  test.ends.clear();
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    const double y = static_cast<double>(line % shape[1]) - 0.5 * static_cast<double>(shape[1] - 1);
    const double z = static_cast<double>(line / shape[1]) - 0.5 * static_cast<double>(shape[2] - 1);
    for (const double x : { -0.5 * static_cast<double>(shape[0]) - 3.0, 0.5 * static_cast<double>(shape[0]) + 2.0 })
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        test.ends.push_back(static_cast<double>(test.source.start[d]) +
                            0.5 * static_cast<double>(test.source.size[d] - 1) + matrix[d][0] * x + matrix[d][1] * y +
                            matrix[d][2] * z + random.Uniform(-bend, bend));
      }
    }
  }
}

/** Values at the same places by the kernel that takes points. */
std::vector<float>
ByPoints(const Case & test, const std::shared_ptr<const SampleSource> & source)
{
  const ResampleDescriptor & resample = test.resample;
  std::vector<double>        indices;
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    ScanlineEnds<3> ends;
    std::copy_n(test.ends.data() + line * 6, 3, ends.start);
    std::copy_n(test.ends.data() + line * 6 + 3, 3, ends.end);
    for (std::int64_t sample = 0; sample < resample.samples; ++sample)
    {
      double index[3];
      if (resample.singleCoordinates)
      {
        ends.At<float>(sample + resample.lineOffset, static_cast<double>(resample.lineLength), index);
      }
      else
      {
        ends.At<double>(sample + resample.lineOffset, static_cast<double>(resample.lineLength), index);
      }
      indices.insert(indices.end(), index, index + 3);
    }
  }
  PointsDescriptor points;
  static_cast<InterpolationDescriptor &>(points) = resample;
  points.count = resample.samples * resample.lines;
  points.points = indices.data();
  points.output = ScalarType::Float32;
  points.defaultPixel = resample.defaultPixel;
  std::vector<float> values(static_cast<std::size_t>(points.count));
  points.values = values.data();
  SamplePoints(points, *source, Cuda());
  return values;
}

std::vector<float>
ByScanlines(const Case & test, const std::shared_ptr<const SampleSource> & source, const ExecutionContext & context)
{
  ResampleDescriptor resample = test.resample;
  resample.scanlineEnds = test.ends.data();
  std::vector<float> values(static_cast<std::size_t>(resample.samples * resample.lines), -7.0F);
  Resample(resample, *source, values.data(), context);
  return values;
}

/** Compares one case; \p exact: with the kernel that takes points, bit for bit. Counts what is inside. */
void
Check(const Case & test, bool exact, std::int64_t & inside)
{
  const auto cuda = ByScanlines(test, MakeSource(test.source, test.pixels.data(), Cuda()), Cuda());
  const auto cpu =
    ByScanlines(test, MakeSource(test.source, test.pixels.data(), ExecutionContext()), ExecutionContext());
  const double bound = Agreement(test) * (test.resample.interpolation == Interpolation::CatmullRom ? 8.0 : 1.0);
  for (std::size_t i = 0; i < cuda.size(); ++i)
  {
    inside += cpu[i] != -1.0F ? 1 : 0;
    if (!(std::abs(cuda[i] - cpu[i]) <= bound))
    {
      FAIL() << cuda[i] << " and " << cpu[i] << ", bound " << bound << ", at"
             << Place(test, static_cast<std::int64_t>(i));
    }
  }
  if (exact)
  {
    const auto points = ByPoints(test, MakeSource(test.source, test.pixels.data(), Cuda()));
    for (std::size_t i = 0; i < cuda.size(); ++i)
    {
      if (std::memcmp(&cuda[i], &points[i], sizeof(float)) != 0)
      {
        FAIL() << cuda[i] << " and " << points[i] << " by points, at" << Place(test, static_cast<std::int64_t>(i));
      }
    }
  }
}

Case
FloatCase(const std::vector<std::int64_t> & sizes,
          Interpolation                     interpolation,
          unsigned int                      order,
          FreshRandom &                     random)
{
  Case test =
    MakeCase(sizes, ScalarType::Float32, ScalarType::Float32, interpolation, order, ScalarType::Float32, random);
  const float outside = -1.0F;
  test.resample.defaultPixel = 0;
  std::memcpy(&test.resample.defaultPixel, &outside, sizeof(outside));
  return test;
}

const std::vector<std::vector<std::int64_t>>   InputSizes{ { 64, 48, 40 }, { 61, 47, 39 }, { 9, 6, 5 }, { 3, 2, 1 } };
const std::vector<std::array<std::int64_t, 3>> OutputSizes{ { { 70, 50, 45 } }, { { 33, 17, 16 } }, { { 5, 64, 9 } } };

} // namespace

TEST(ResampleTilesGpu, EveryMapIsThatOfTheOtherBackend)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const Matrix & map : Maps())
  {
    for (const auto & input : InputSizes)
    {
      for (const int order : { 0, 1, 3 }) // 0: linear
      {
        Case test = FloatCase(
          input, order == 0 ? Interpolation::Linear : Interpolation::BSpline, static_cast<unsigned int>(order), random);
        Aim(test, map, OutputSizes[random.Engine()() % OutputSizes.size()], 0.0, random);
        SCOPED_TRACE(testing::Message() << "order " << order << ", input of " << input[0] << ", map " << map[0][0]
                                        << " " << map[0][1] << " " << map[0][2]);
        Check(test, true, inside);
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(ResampleTilesGpu, EveryOrderAndCatmullRom)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const unsigned int order : { 2U, 4U, 5U, 6U }) // 6: Catmull-Rom
  {
    for (const auto & output : OutputSizes)
    {
      Case test = FloatCase({ 61, 47, 39 },
                            order == 6 ? Interpolation::CatmullRom : Interpolation::BSpline,
                            order == 6 ? 0 : order,
                            random);
      Aim(test, Maps()[random.Engine()() % 10], output, 0.0, random);
      SCOPED_TRACE(testing::Message() << "order " << order);
      Check(test, order != 6, inside);
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(ResampleTilesGpu, EveryExtensionBeyondTheEdges)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const Extension extension :
       { Extension::Mirror, Extension::Reflect, Extension::GridWrap, Extension::Nearest, Extension::GridConstant })
  {
    for (const int order : { 0, 3 })
    {
      for (const auto & input : InputSizes)
      {
        if (order == 3 && !HasCoefficients(extension))
        {
          continue;
        }
        Case test = FloatCase(
          input, order == 0 ? Interpolation::Linear : Interpolation::BSpline, static_cast<unsigned int>(order), random);
        test.source.extension.fill(extension);
        test.resample.border = 55.0;
        for (unsigned int d = 0; d < 3; ++d) // the samples go on for some way
        {
          test.resample.lower[d] -= 6.0;
          test.resample.upper[d] += 4.5;
        }
        Aim(test, Maps()[random.Engine()() % 9], OutputSizes[0], 0.0, random);
        SCOPED_TRACE(testing::Message() << NameOf(extension) << ", order " << order << ", input of " << input[0]);
        Check(test, true, inside);
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

// The kernel of a thread a sample turns its blocks where the rows of the input follow the slices of the output.
TEST(ResampleTilesGpu, NearestNeighboursOfEveryMap)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const Matrix & map : Maps())
  {
    Case test = FloatCase({ 61, 47, 39 }, Interpolation::Nearest, 0, random);
    Aim(test, map, OutputSizes[0], 0.0, random);
    SCOPED_TRACE(testing::Message() << "map " << map[0][0] << " " << map[0][1] << " " << map[0][2]);
    EXPECT_TRUE(Compute(test, Cuda()) == Compute(test, ExecutionContext()));
  }
}

TEST(ResampleTilesGpu, ScanlinesThatAreNotParallel)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const double bend : { 0.3, 3.0, 30.0 }) // the boxes of the last do not fit
  {
    for (const int order : { 0, 3 })
    {
      Case test = FloatCase({ 61, 47, 39 },
                            order == 0 ? Interpolation::Linear : Interpolation::BSpline,
                            static_cast<unsigned int>(order),
                            random);
      Aim(test, Maps()[0], OutputSizes[0], bend, random);
      test.ends[6 * 40] = std::numeric_limits<double>::quiet_NaN();
      test.ends[6 * 41 + 4] = std::numeric_limits<double>::infinity();
      SCOPED_TRACE(testing::Message() << "order " << order << ", bend " << bend);
      Check(test, true, inside);
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(ResampleTilesGpu, InfiniteSamplesStayWhereTheyAre)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  Case        test = FloatCase({ 61, 47, 39 }, Interpolation::Linear, 0, random);
  Aim(test, Maps()[1], OutputSizes[0], 0.0, random);
  auto * const pixels = reinterpret_cast<float *>(test.pixels.data());
  pixels[61 * 47 * 20 + 61 * 20 + 20] = std::numeric_limits<float>::quiet_NaN();
  pixels[61 * 47 * 10 + 61 * 30 + 30] = std::numeric_limits<float>::infinity();
  const auto  cuda = ByScanlines(test, MakeSource(test.source, test.pixels.data(), Cuda()), Cuda());
  const auto  points = ByPoints(test, MakeSource(test.source, test.pixels.data(), Cuda()));
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < cuda.size(); ++i)
  {
    ASSERT_EQ(std::isnan(cuda[i]), std::isnan(points[i])) << Place(test, static_cast<std::int64_t>(i));
    ASSERT_TRUE(std::isnan(cuda[i]) || cuda[i] == points[i]) << Place(test, static_cast<std::int64_t>(i));
    numbers += std::isnan(cuda[i]) ? 0 : 1;
  }
  EXPECT_GT(numbers, cuda.size() / 2);
}

TEST(ResampleTilesGpu, SlabsGiveTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  Case        test = FloatCase({ 61, 47, 39 }, Interpolation::BSpline, 3, random);
  Aim(test, Maps()[0], OutputSizes[0], 0.0, random);
  const auto expected = Compute(test, Cuda());
  // The source takes 447252 bytes, the table 108560; lines of 280 bytes in two slabs.
  for (const char * limit : { "1M", "700K", "590K" })
  {
    setenv("CUDASPLINE_MEMORY_LIMIT", limit, 1);
    EXPECT_EQ(Compute(test, Cuda()), expected) << limit;
  }
  unsetenv("CUDASPLINE_MEMORY_LIMIT");
}

TEST(ResampleTilesGpu, OtherPixelsAreTheFloatsCast)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const ScalarType output : AllScalarTypes)
  {
    for (const int order : { 0, 3 })
    {
      Case test = FloatCase({ 61, 47, 39 },
                            order == 0 ? Interpolation::Linear : Interpolation::BSpline,
                            static_cast<unsigned int>(order),
                            random);
      Aim(test, Maps()[0], OutputSizes[1], 0.0, random);
      test.resample.defaultPixel = 0;
      const auto floats = Compute(test, Cuda());
      test.resample.output = output;
      const auto pixels = Compute(test, Cuda());
      for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
      {
        std::uint64_t cast = 0;
        StoreScalar(&cast, output, 0, LoadScalar<float>(floats.data(), ScalarType::Float32, i));
        ASSERT_EQ(LoadBits(pixels.data(), i, SizeOf(output)), LoadBits(&cast, 0, SizeOf(output)))
          << NameOf(output) << ", order " << order << ", at" << Place(test, i);
      }
    }
  }
}
