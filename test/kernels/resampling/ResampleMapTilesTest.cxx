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
// Maps with simple shapes on a device. Expected: the kernels for tiles give the same pixels as the kernel for separate
// samples, bit for bit, and agree with the Cpu backend within Agreement().

#include "kernels/evaluation/marches/TiledKernels.h"
#include "kernels/resampling/MapShape.h"
#include "TiledCase.h"

using namespace CudaSplineTest;

namespace
{

/** The pixels of a case by the kernel for separate samples, for which their indices are provided as a list. */
std::vector<unsigned char>
ComputeOneByOne(const Case & test)
{
  Case list = test;
  list.resample.scanlineEnds = nullptr;
  list.resample.indexProvider = [&test](std::int64_t firstLine, std::int64_t lines, double * indices) {
    const unsigned int dimension = test.source.dimension;
    for (std::int64_t line = firstLine; line < firstLine + lines; ++line)
    {
      for (std::int64_t sample = 0; sample < test.resample.samples; ++sample)
      {
        for (unsigned int d = 0; d < dimension; ++d)
        {
          const double * const ends = test.ends.data() + 2 * line * dimension + d;
          ScanlineEnds<1>      axis;
          axis.start[0] = ends[0];
          axis.end[0] = ends[dimension];
          double       index[1];
          const auto   at = static_cast<double>(test.resample.lineOffset + sample);
          const double length = static_cast<double>(test.resample.lineLength);
          if (test.resample.singleCoordinates)
          {
            axis.AtFraction<float>(at / length, index);
          }
          else
          {
            axis.AtFraction<double>(at / length, index);
          }
          *indices++ = index[0];
        }
      }
    }
  };
  std::vector<unsigned char> output(
    static_cast<std::size_t>(list.resample.samples * list.resample.lines) * SizeOf(list.resample.output), 0x77);
  const auto source = MakeSource(list.source, list.pixels.data(), Cuda());
  Resample(list.resample, *source, output.data(), Cuda());
  return output;
}

void
ExpectSameBits(const Case & test, MapShape shape, const std::string & what)
{
  SCOPED_TRACE(what);
  ASSERT_EQ(PlanMapTiles(test.resample, test.source, ExecutionContext()).shape, shape);
  const auto         tiled = Compute(test, Cuda());
  const auto         oneByOne = ComputeOneByOne(test);
  const std::size_t  size = SizeOf(test.resample.output);
  std::int64_t       differing = 0;
  const std::int64_t pixels = test.resample.samples * test.resample.lines;
  for (std::int64_t i = 0; i < pixels; ++i)
  {
    const auto at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(tiled.data() + at, oneByOne.data() + at, size) != 0 && ++differing == 1)
    {
      ADD_FAILURE() << "pixel " << i << " at" << Place(test, i);
    }
  }
  EXPECT_EQ(differing, 0) << "of " << pixels;
  if (IsReal(test.resample.output))
  {
    const auto   cpu = Compute(test, ExecutionContext());
    const double bound = Agreement(test);
    for (std::int64_t i = 0; i < pixels; ++i)
    {
      const double a = LoadScalar<double>(tiled.data(), test.resample.output, i);
      const double b = LoadScalar<double>(cpu.data(), test.resample.output, i);
      ASSERT_LE(std::abs(a - b), bound + UnitOf(test.resample.output) * std::abs(b))
        << "pixel " << i << " at" << Place(test, i);
    }
  }
}

/** Grids for a source of about 61 x 47 x 19 samples: enlarged and reduced, with either direction of axes, outside of
 * the source, smaller than a tile. */
std::vector<std::pair<std::string, Grid>>
SeparableGrids()
{
  return { { "shift", ZoomGrid({ { 77, 53, 21 } }, { { 1.0, 1.0, 1.0 } }, { { 0.3, -1.6, 2.2 } }) },
           { "zoom", ZoomGrid({ { 140, 101, 43 } }, { { 0.45, 0.51, 0.4 } }, { { -0.4, -0.7, 0.0 } }) },
           { "flips", ZoomGrid({ { 90, 53, 41 } }, { { -0.7, -1.1, -0.6 } }, { { 61.0, 50.0, 18.4 } }) },
           { "down", ZoomGrid({ { 29, 15, 4 } }, { { 2.3, 3.1, 6.2 } }, Offset) },
           { "mixed", ZoomGrid({ { 17, 31, 130 } }, { { 4.1, -1.9, -0.16 } }, { { -1.0, 46.0, 19.0 } }) },
           { "outside", ZoomGrid({ { 40, 40, 4 } }, { { 1.0, 1.0, 1.0 } }, { { 1000.0, 0.0, 0.0 } }) },
           { "small", ZoomGrid({ { 5, 3, 2 } }, { { 1.0, 1.0, 1.0 } }, Offset) } };
}

std::vector<std::pair<std::string, Grid>>
TurnedGrids()
{
  std::vector<std::pair<std::string, Grid>> grids;
  for (const double angle : { 0.3, -1.3, 2.5, 1.5707963267948966 })
  {
    const std::string name = "turned by " + std::to_string(angle);
    grids.emplace_back(name, TurnedGrid({ { 77, 53, 23 } }, angle, 0.9, { { 20.0, 15.0, -1.1 } }));
    grids.emplace_back(name + ", back", TurnedGrid({ { 35, 41, 5 } }, angle, -4.4, { { 20.0, 15.0, 18.0 } }));
  }
  return grids;
}

} // namespace

TEST(ResampleMapTilesGpu, SameBitsAsOneByOne)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & size : { std::vector<std::int64_t>{ 61, 47, 19 }, { 64, 48, 20 }, { 2, 1, 3 } })
  {
    for (const bool turned : { false, true })
    {
      for (const auto & named : turned ? TurnedGrids() : SeparableGrids())
      {
        for (const bool single : { false, true })
        {
          Case test = CubicCase(size, random);
          test.resample.singleCoordinates = single;
          SetGrid(test, named.second, 5);
          ExpectSameBits(test, turned ? MapShape::InPlane : MapShape::Separable, named.first);
        }
      }
    }
  }
}

TEST(ResampleMapTilesGpu, OrdersElementsAndOutputs)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & named : { SeparableGrids()[1], SeparableGrids()[2], TurnedGrids()[0], TurnedGrids()[3] })
  {
    const MapShape shape = named.first[0] == 't' ? MapShape::InPlane : MapShape::Separable;
    for (unsigned int order = 2; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        if (HasTiledKernel(order + 1, element))
        {
          Case test = MakeCase({ 61, 47, 19 }, element, element, Interpolation::BSpline, order, element, random);
          SetGrid(test, named.second);
          ExpectSameBits(test, shape, named.first + ", order " + std::to_string(order) + ", " + NameOf(element));
        }
      }
    }
    for (const ScalarType output : AllScalarTypes)
    {
      Case test =
        MakeCase({ 64, 48, 20 }, ScalarType::Int16, output, Interpolation::BSpline, 3, ScalarType::Float32, random);
      SetGrid(test, named.second);
      ExpectSameBits(test, shape, named.first + " to " + NameOf(output));
    }
  }
}

TEST(ResampleMapTilesGpu, FarFromIndexZero)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & named : { SeparableGrids()[0], SeparableGrids()[2], TurnedGrids()[0], TurnedGrids()[3] })
  {
    for (const std::int64_t first : { 4070, -4110, 100000 })
    {
      for (unsigned int order = 2; order <= 5; ++order)
      {
        if (!HasTiledKernel(order + 1, ScalarType::Float32))
        {
          continue;
        }
        Case test = MakeCase({ 61, 47, 19 },
                             ScalarType::Float32,
                             ScalarType::Float32,
                             Interpolation::BSpline,
                             order,
                             ScalarType::Float32,
                             random);
        test.resample.singleCoordinates = false;
        for (unsigned int d = 0; d < 3; ++d)
        {
          test.source.start[d] = first;
          test.resample.lower[d] = static_cast<double>(first) - 0.5;
          test.resample.upper[d] = static_cast<double>(first + test.source.size[d]) - 0.5;
        }
        SetGrid(test, named.second);
        ExpectSameBits(test,
                       named.first[0] == 't' ? MapShape::InPlane : MapShape::Separable,
                       named.first + ", order " + std::to_string(order) + ", from " + std::to_string(first));
      }
    }
  }
}

TEST(ResampleMapTilesGpu, Extensions)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const Extension extension :
       { Extension::Mirror, Extension::Reflect, Extension::GridWrap, Extension::Nearest, Extension::GridConstant })
  {
    for (const bool isCubicConvolution : { false, true })
    {
      if (!isCubicConvolution && !HasCoefficients(extension))
      {
        continue;
      }
      for (const auto & size : { std::vector<std::int64_t>{ 20, 21, 7 }, { 5, 3, 2 } })
      {
        for (const auto & named : { SeparableGrids()[1], SeparableGrids()[2], TurnedGrids()[0], TurnedGrids()[3] })
        {
          Case test = CubicCase(size, random);
          test.resample.interpolation = isCubicConvolution ? Interpolation::CubicConvolution : Interpolation::BSpline;
          test.source.order = isCubicConvolution ? 0 : 3;
          test.source.extension.fill(extension);
          test.resample.border = -77.5;
          for (unsigned int d = 0; d < 3; ++d) // so that many points are outside of the source
          {
            test.resample.lower[d] -= 9.0;
            test.resample.upper[d] += 9.0;
          }
          SetGrid(test, named.second);
          SCOPED_TRACE(NameOf(extension));
          const MapShape shape = named.first[0] == 't' ? MapShape::InPlane : MapShape::Separable;
          if (extension == Extension::GridConstant || isCubicConvolution)
          {
            EXPECT_EQ(PlanMapTiles(test.resample, test.source, ExecutionContext()).shape, shape);
            EXPECT_EQ(Compute(test, Cuda()), ComputeOneByOne(test)) << named.first;
          }
          else
          {
            ExpectSameBits(test, shape, named.first);
          }
        }
      }
    }
  }
}

TEST(ResampleMapTilesGpu, TwoDimensions)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & size : { std::vector<std::int64_t>{ 200, 183 }, { 201, 180 }, { 2, 3 }, { 1, 30 } })
  {
    for (const double angle : { 0.0, 0.3, 0.8, -1.3, 2.5, 1.5707963267948966 })
    {
      for (const ScalarType output : { ScalarType::Float32, ScalarType::UInt16 })
      {
        Case test = MakeCase(size, ScalarType::Float32, output, Interpolation::BSpline, 3, ScalarType::Float32, random);
        SetGrid(test, TurnedGrid({ { 211, 193, 1 } }, angle, 1.0, { { 70.0, 20.0, 0.0 } }), 2);
        ExpectSameBits(test, MapShape::InPlane, "angle " + std::to_string(angle));
      }
    }
  }
}

TEST(ResampleMapTilesGpu, SlabsGiveTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & named : { SeparableGrids()[0], SeparableGrids()[2], TurnedGrids()[0], TurnedGrids()[3] })
  {
    Case test = CubicCase({ 43, 37, 29 }, random);
    SetGrid(test, named.second);
    const auto expected = Compute(test, Cuda());
    // The memory suffices for the source, its preparation, and the table; the rest holds few lines at a time.
    const std::size_t table =
      test.ends.size() * sizeof(double) + static_cast<std::size_t>(test.resample.samples) * sizeof(double);
    for (const std::size_t lines : { 1, 7, 60 })
    {
      const std::size_t bytes =
        test.source.Bytes() + table + 2 * lines * static_cast<std::size_t>(test.resample.samples) * 4;
      setenv("CUDASPLINE_MEMORY_LIMIT", std::to_string(bytes).c_str(), 1);
      EXPECT_EQ(Compute(test, Cuda()), expected) << named.first << ", " << lines;
    }
    unsetenv("CUDASPLINE_MEMORY_LIMIT");
  }
}

TEST(ResampleMapTilesGpu, Components)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & named : { SeparableGrids()[1], TurnedGrids()[0] })
  {
    Case test = CubicCase({ 40, 31, 17 }, random);
    test.source.components = 3;
    test.pixels = RandomPixels(ScalarType::Float32, test.source.Elements(), random);
    SetGrid(test, named.second);
    const std::uint64_t defaults[3] = { 0x40000000, 0x41000000, 0x42000000 };
    test.resample.defaultPixels = defaults;
    ASSERT_NE(PlanMapTiles(test.resample, test.source, ExecutionContext()).shape, MapShape::General);
    const auto         source = MakeSource(test.source, test.pixels.data(), Cuda());
    const auto         count = static_cast<std::size_t>(3 * test.resample.samples * test.resample.lines);
    std::vector<float> tiled(count, 1e30F);
    std::vector<float> general(count, 2e30F);
    Resample(test.resample, *source, tiled.data(), Cuda());
    test.resample.sliceLines = 0; // without slices there are no tiles
    ASSERT_EQ(PlanMapTiles(test.resample, test.source, ExecutionContext()).shape, MapShape::General);
    Resample(test.resample, *source, general.data(), Cuda());
    EXPECT_EQ(tiled, general) << named.first;
  }
}
