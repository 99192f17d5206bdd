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
// Kernels that read tiles of the input from shared memory are compared with the Cpu backend within the tolerances of
// the other kernels, and bit for bit with SamplePoints(), whose kernel reads the samples directly: both add in the same
// order, and coordinates are those of ITK. The weights of cubic convolution may be contracted to fused operations
// differently in the two kernels and are only compared within the tolerance. The maps rotate the output by any angle,
// so that threads of a warp are arranged along each of its axes. Sizes are odd, or smaller than a tile; outputs extend
// beyond the input on all sides.

#include "ScanlineCase.h"

#include <limits>

using namespace CudaSplineTest;

TEST(ResampleTilesGpu, EveryMapIsThatOfTheOtherBackend)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const Matrix & map : Maps())
  {
    for (const auto & input : InputSizes)
    {
      for (const int order : { 0, 1, 3 }) // 0 means linear
      {
        Case test = FloatCase(
          input, order == 0 ? Interpolation::Linear : Interpolation::BSpline, static_cast<unsigned int>(order), random);
        PlaceOutput(test, map, OutputSizes[random.Engine()() % OutputSizes.size()], 0.0, random);
        SCOPED_TRACE(testing::Message() << "order " << order << ", input of " << input[0] << ", map " << map[0][0]
                                        << " " << map[0][1] << " " << map[0][2]);
        Check(test, true, inside);
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

// Just below index 0, the floor function of ITK gives 0, and the sample there is used unchanged.
TEST(ResampleTilesGpu, LinearJustBelowIndexZero)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  Case         test = FloatCase({ 9, 6, 5 }, Interpolation::Linear, 0, random);
  PlaceOutputAtZero(test, random);
  Check(test, true, inside);
  EXPECT_EQ(inside, test.resample.samples * test.resample.lines);
}

TEST(ResampleTilesGpu, EveryOrderAndCubicConvolution)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const unsigned int order : { 2U, 4U, 5U, 6U }) // 6 means cubic convolution
  {
    for (const auto & output : OutputSizes)
    {
      Case test = FloatCase({ 61, 47, 39 },
                            order == 6 ? Interpolation::CubicConvolution : Interpolation::BSpline,
                            order == 6 ? 0 : order,
                            random);
      PlaceOutput(test, Maps()[random.Engine()() % 10], output, 0.0, random);
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
        for (unsigned int d = 0; d < 3; ++d) // samples are extended up to some distance
        {
          test.resample.lower[d] -= 6.0;
          test.resample.upper[d] += 4.5;
        }
        PlaceOutput(test, Maps()[random.Engine()() % 9], OutputSizes[0], 0.0, random);
        SCOPED_TRACE(testing::Message() << NameOf(extension) << ", order " << order << ", input of " << input[0]);
        Check(test, true, inside);
      }
    }
  }
  EXPECT_GT(inside, 1000);
}

// Supports are those of ITK below index 4096, and exact from there on: blocks read their samples from a tile on one
// side, and separately on the other; lines cross the limit.
TEST(ResampleTilesGpu, FarFromIndexZero)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const std::int64_t middle :
       { INT64_C(4096), INT64_C(-4096), INT64_C(100000), INT64_C(1) << 20, INT64_C(-16777217), INT64_C(1) << 40 })
  {
    for (unsigned int order = 1; order <= 5; ++order)
    {
      Case test = FloatCase({ 61, 47, 39 }, Interpolation::BSpline, order, random);
      test.resample.singleCoordinates = false;
      for (unsigned int d = 0; d < 3; ++d)
      {
        const std::int64_t moved = d == order % 3 ? middle - test.source.size[d] / 2 - test.source.start[d] : 0;
        test.source.start[d] += moved;
        test.resample.lower[d] += static_cast<double>(moved);
        test.resample.upper[d] += static_cast<double>(moved);
      }
      PlaceOutput(test, Maps()[random.Engine()() % 10], OutputSizes[0], 0.0, random);
      SCOPED_TRACE(testing::Message() << "order " << order << ", about " << middle);
      Check(test, true, inside);
    }
  }
  EXPECT_GT(inside, 100000);
}

// Every point has a value: if samples are continued infinitely, there are also tiles outside of the array, but not at
// points so far away that the indices of a block exceed 32 bits.
TEST(ResampleTilesGpu, ValuesEverywhere)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  std::int64_t     inside = 0;
  constexpr double everywhere = std::numeric_limits<double>::infinity();
  for (const Extension extension : { Extension::Mirror, Extension::Reflect, Extension::GridWrap })
  {
    for (const auto & input : InputSizes)
    {
      Case test = FloatCase(input, Interpolation::BSpline, 3, random);
      test.source.extension.fill(extension);
      PlaceOutput(test, Maps()[random.Engine()() % 9], OutputSizes[0], 0.0, random);
      test.resample.lower.fill(-everywhere);
      test.resample.upper.fill(everywhere);
      for (const double far : { 1.2e6, -1.7e6, 5e7, -6e9 })
      {
        test.ends[random.Engine()() % test.ends.size()] = far;
      }
      SCOPED_TRACE(testing::Message() << NameOf(extension) << ", input of " << input[0]);
      Check(test, true, inside);
    }
  }
  EXPECT_GT(inside, 1000);
}

// The kernel with one thread per sample transposes its blocks if the rows of the input follow the slices of the output.
TEST(ResampleTilesGpu, NearestNeighboursOfEveryMap)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const Matrix & map : Maps())
  {
    Case test = FloatCase({ 61, 47, 39 }, Interpolation::Nearest, 0, random);
    PlaceOutput(test, map, OutputSizes[0], 0.0, random);
    SCOPED_TRACE(testing::Message() << "map " << map[0][0] << " " << map[0][1] << " " << map[0][2]);
    EXPECT_TRUE(Compute(test, Cuda()) == Compute(test, ExecutionContext()));
  }
}

TEST(ResampleTilesGpu, ScanlinesThatAreNotParallel)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const double bend : { 0.3, 3.0, 30.0 }) // the boxes of the last one are too large
  {
    for (const int order : { 0, 3 })
    {
      Case test = FloatCase({ 61, 47, 39 },
                            order == 0 ? Interpolation::Linear : Interpolation::BSpline,
                            static_cast<unsigned int>(order),
                            random);
      PlaceOutput(test, Maps()[0], OutputSizes[0], bend, random);
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
  PlaceOutput(test, Maps()[1], OutputSizes[0], 0.0, random);
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
  PlaceOutput(test, Maps()[0], OutputSizes[0], 0.0, random);
  const auto expected = Compute(test, Cuda());
  // The source needs 447252 bytes, the table 108560; lines of 280 bytes are in two slabs.
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
      PlaceOutput(test, Maps()[0], OutputSizes[1], 0.0, random);
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
