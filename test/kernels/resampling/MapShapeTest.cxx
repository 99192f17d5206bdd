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
// Maps with a simple shape. Expected: the shape for which a table of scanline ends was constructed, and another shape
// after one bit has changed; windows as large as the supports of the samples of a tile.

#include "kernels/resampling/MapShape.h"
#include "TiledCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

MapShape
ShapeOf(const Case & test)
{
  const ThreadExecutor threads(3);
  ExecutionContext     context;
  context.host = &threads;
  return ShapeOfMap(test.resample, test.source.dimension, context);
}

} // namespace

TEST(MapShape, OfTablesThatAreAlmostSimpler)
{
  FreshRandom random;
  Case        test = CubicCase({ 40, 31, 17 }, random);
  const Grid  zoom = ZoomGrid(OddSize, { { 0.7, -1.3, 0.9 } }, Offset);
  const Grid  turn = TurnedGrid(OddSize, 0.3, 0.9, Offset);
  const auto  rows = OddSize[1];
  const auto  changed = [](double x) { return std::nextafter(x, 1e9); };
  SetGrid(test, zoom);
  EXPECT_EQ(ShapeOf(test), MapShape::Separable);
  const std::int64_t last = test.resample.lines - 1;
  for (const std::int64_t line : { std::int64_t{ 0 }, std::int64_t{ 5 }, rows, rows + 7, last })
  {
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      for (const bool end : { false, true })
      {
        for (const Grid & grid : { zoom, turn })
        {
          SetGrid(test, grid);
          EndOf(test, line, end, axis) = changed(EndOf(test, line, end, axis));
          EXPECT_EQ(ShapeOf(test), MapShape::General) << line << " " << end << " " << axis;
          EndOf(test, line, end, axis) = std::numeric_limits<double>::quiet_NaN();
          EXPECT_EQ(ShapeOf(test), MapShape::General);
        }
      }
    }
  }
  // All slices are equal: x and y of a row.
  for (unsigned int axis = 0; axis < 2; ++axis)
  {
    SetGrid(test, zoom);
    for (std::int64_t line = 5; line < test.resample.lines; line += rows)
    {
      EndOf(test, line, true, axis) = changed(EndOf(test, line, true, axis));
    }
    EXPECT_EQ(ShapeOf(test), MapShape::InPlane) << axis;
  }
  SetGrid(test, turn);
  EXPECT_EQ(ShapeOf(test), MapShape::InPlane);
  test.resample.lines -= 3; // the last slice is incomplete
  EXPECT_EQ(ShapeOf(test), MapShape::InPlane);
  Grid general = turn;
  general.matrix[2][0] = 1e-12;
  SetGrid(test, general);
  EXPECT_EQ(ShapeOf(test), MapShape::General);
  SetGrid(test, zoom);
  test.resample.sliceLines = 0;
  EXPECT_EQ(ShapeOf(test), MapShape::General) << "without slices";
  // A zero with the other sign.
  Grid flat = zoom;
  flat.matrix[2][2] = 0.0;
  flat.offset[2] = 0.0;
  test.source.start[2] = 0;
  SetGrid(test, flat);
  EXPECT_EQ(ShapeOf(test), MapShape::Separable);
  EndOf(test, 9, true, 2) = -EndOf(test, 9, true, 2);
  EXPECT_EQ(ShapeOf(test), MapShape::General);
}

TEST(MapShape, WindowsHoldTheSupportsOfTheirTiles)
{
  FreshRandom            random;
  const ExecutionContext context;
  int                    planned = 0;
  for (int round = 0; round < 60; ++round)
  {
    Case test = CubicCase({ 150, 130, 60 }, random);
    test.resample.singleCoordinates = round % 3 == 0;
    const std::array<std::int64_t, 3> size{ { 1 + static_cast<std::int64_t>(random.Engine()() % 300),
                                              1 + static_cast<std::int64_t>(random.Engine()() % 90),
                                              1 + static_cast<std::int64_t>(random.Engine()() % 5) } };
    const double                      sign = round % 4 == 1 ? -1.0 : 1.0;
    Grid                              grid = round % 2 == 0
                                               ? ZoomGrid(size, { { sign * random.Uniform(0.01, 4.0), random.Uniform(-4.0, 4.0), sign } }, Offset)
                                               : TurnedGrid(size, random.Uniform(-3.2, 3.2), sign * random.Uniform(0.0, 3.0), Offset);
    SetGrid(test, grid, round % 5);
    const MapTiles tiles = PlanMapTiles(test.resample, test.source, context);
    if (tiles.shape == MapShape::General)
    {
      continue;
    }
    ++planned;
    ASSERT_EQ(tiles.shape, round % 2 == 0 ? MapShape::Separable : MapShape::InPlane);
    EXPECT_EQ(tiles.tileX & (tiles.tileX - 1), 0);
    for (std::int64_t row = 0; row < size[1]; row += tiles.tileY)
    {
      for (std::int64_t column = 0; column < size[0]; column += tiles.tileX)
      {
        double least[2] = { 1e9, 1e9 };
        double largest[2] = { -1e9, -1e9 };
        for (std::int64_t y = row; y < std::min(row + tiles.tileY, size[1]); ++y)
        {
          for (std::int64_t x = column; x < std::min(column + tiles.tileX, size[0]); ++x)
          {
            const double alpha =
              static_cast<double>(x + test.resample.lineOffset) / static_cast<double>(test.resample.lineLength);
            for (unsigned int d = 0; d < 2; ++d)
            {
              const double start = EndOf(test, y, false, d);
              const double at = start + alpha * (EndOf(test, y, true, d) - start);
              const bool   inside = at >= test.resample.lower[d] && at < test.resample.upper[d];
              least[d] = std::min(least[d], inside ? std::floor(at) : 1e9);
              largest[d] = std::max(largest[d], inside ? std::floor(at) : -1e9);
            }
          }
        }
        // Four samples, starting one before the floor; the window starts at a multiple of four.
        EXPECT_LE(largest[0] - least[0] + 4.0 + 3.0, tiles.pitch);
        EXPECT_LE(largest[1] - least[1] + 4.0, tiles.rows);
      }
    }
  }
  EXPECT_GT(planned, 30);
}

TEST(MapShape, NoTilesForWhatHasNoKernel)
{
  FreshRandom            random;
  const ExecutionContext context;
  Case                   test = CubicCase({ 40, 31, 17 }, random);
  SetGrid(test, ZoomGrid(OddSize, { { 0.7, -1.3, 0.9 } }, Offset));
  ASSERT_EQ(PlanMapTiles(test.resample, test.source, context).shape, MapShape::Separable);
  const auto refused = [&](const Case & other) {
    return PlanMapTiles(other.resample, other.source, context).shape == MapShape::General;
  };
  Case other = test;
  other.resample.interpolation = Interpolation::WindowedSinc;
  EXPECT_TRUE(refused(other));
  other = test;
  other.source.order = 0;
  EXPECT_TRUE(refused(other));
  other = test;
  other.source.storage = CoefficientStorage::Half;
  EXPECT_TRUE(refused(other));
  other = test;
  other.source.size = { { 1 << 16, 1 << 16, 2, 1 } };
  EXPECT_TRUE(refused(other));
  // The tile needs a too large part of the input.
  SetGrid(test, ZoomGrid(OddSize, { { 300.0, 1.0, 1.0 } }, Offset));
  test.resample.upper.fill(1e5);
  EXPECT_TRUE(refused(test));
  // Indices that float cannot distinguish or that exceed the range of int, in a single slice or row.
  for (const double large : { 0x1.8p20, -3e9, 1e300 })
  {
    for (const unsigned int axis : { 1U, 2U })
    {
      SetGrid(test, ZoomGrid(OddSize, { { 0.7, 1.0, 1.0 } }, Offset));
      ASSERT_FALSE(refused(test));
      test.resample.lower[axis] = -1e301;
      test.resample.upper[axis] = 1e301;
      for (std::int64_t line = 0; line < test.resample.lines; ++line)
      {
        if ((axis == 1 ? line % OddSize[1] == OddSize[1] - 1 : line / OddSize[1] == OddSize[2] - 1))
        {
          EndOf(test, line, false, axis) = large;
          EndOf(test, line, true, axis) = large;
        }
      }
      EXPECT_TRUE(refused(test)) << large << " along axis " << axis;
    }
  }
  // Slices outside of the input between slices inside.
  SetGrid(test, ZoomGrid(OddSize, { { 0.7, 1.0, 1.0 } }, Offset));
  for (unsigned int axis = 1; axis < 3; ++axis)
  {
    test.resample.lower[axis] = -100.0;
    test.resample.upper[axis] = 1e5;
  }
  for (std::int64_t line = 3 * OddSize[1]; line < 4 * OddSize[1]; ++line)
  {
    EndOf(test, line, false, 2) = 2e5;
    EndOf(test, line, true, 2) = 2e5;
  }
  EXPECT_TRUE(refused(test));
  // Slices that alternate between inside and outside.
  SetGrid(test, ZoomGrid(OddSize, { { 0.7, 1.0, 1.0 } }, Offset));
  for (std::int64_t line = 3 * OddSize[1]; line < 4 * OddSize[1]; ++line)
  {
    EndOf(test, line, false, 2) = 1.0 + static_cast<double>(test.source.start[2]);
    EndOf(test, line, true, 2) = 1.0 + static_cast<double>(test.source.start[2]);
  }
  EXPECT_TRUE(refused(test));
}
