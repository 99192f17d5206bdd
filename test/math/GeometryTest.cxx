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
// Grids, affine maps and the ends of scanlines.
//
// Expected values: examples in small integers and powers of two, where every operation is exact, written out by hand;
// identities of the interpolation along a scanline. (itk/GeometryTest.cxx compares with ITK on random
// oblique geometries.) Exact: no tolerance.

#include "itkCudaSpline/math/Geometry.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::AffineMap;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::GridGeometry;
using itk::CudaSpline::MapScanline;
using itk::CudaSpline::ScanlineEnds;

TEST(GridExtent, Counts)
{
  GridExtent<3> extent;
  EXPECT_EQ(extent.Count(), 0);
  extent.size[0] = 2048;
  extent.size[1] = 2048;
  extent.size[2] = 2048;
  EXPECT_EQ(extent.Count(), std::int64_t(1) << 33) << "more than 32 bits hold";
}

/** x along +y with 2 mm, y along -x with 4 mm; index 0 at (10, 20). */
GridGeometry<2>
QuarterTurn()
{
  GridGeometry<2> grid;
  grid.origin[0] = 10;
  grid.origin[1] = 20;
  grid.indexToPoint[0][1] = -4;
  grid.indexToPoint[1][0] = 2;
  grid.pointToIndex[0][1] = 0.5;
  grid.pointToIndex[1][0] = -0.25;
  return grid;
}

TEST(GridGeometry, PointsAndIndices)
{
  const GridGeometry<2> grid = QuarterTurn();
  const std::int64_t    index[2] = { 3, -5 };
  double                point[2];
  grid.IndexToPoint(index, point);
  EXPECT_EQ(point[0], 30.0);
  EXPECT_EQ(point[1], 26.0);
  double back[2];
  grid.PointToContinuousIndex(point, back);
  EXPECT_EQ(back[0], 3.0);
  EXPECT_EQ(back[1], -5.0);
}

TEST(AffineMap, MatrixThenOffset)
{
  AffineMap<3> map;
  map.matrix[0][0] = 1;
  map.matrix[0][2] = 3;
  map.matrix[1][1] = -1;
  map.matrix[2][0] = 0.5;
  map.offset[0] = 100;
  map.offset[2] = -8;
  const double x[3] = { 2, 5, 7 };
  double       y[3];
  map.Apply(x, y);
  EXPECT_EQ(y[0], 123.0);
  EXPECT_EQ(y[1], -5.0);
  EXPECT_EQ(y[2], -7.0);
}

TEST(ScanlineEnds, OfTheWholeScanline)
{
  GridGeometry<2> output;
  output.extent.start[0] = 4;
  output.extent.size[0] = 8;
  output.extent.size[1] = 3;
  output.indexToPoint[0][0] = 1;
  output.indexToPoint[1][1] = 1;
  AffineMap<2> map;
  map.matrix[0][0] = 2;
  map.matrix[1][1] = 1;
  map.offset[1] = 1;
  const std::int64_t    index[2] = { 9, 2 };
  const ScanlineEnds<2> ends = MapScanline(output, map, QuarterTurn(), index);
  // From the first sample (4, 2) -> (8, 3) and one past the last (12, 2) -> (24, 3); index[0] does not matter.
  EXPECT_EQ(ends.start[0], 0.5 * (3 - 20));
  EXPECT_EQ(ends.start[1], -0.25 * (8 - 10));
  EXPECT_EQ(ends.end[0], 0.5 * (3 - 20));
  EXPECT_EQ(ends.end[1], -0.25 * (24 - 10));
}

TEST(ScanlineEnds, InterpolatesBetweenTheEnds)
{
  ScanlineEnds<2> ends;
  ends.start[0] = 1;
  ends.end[0] = 5;
  ends.start[1] = 10;
  ends.end[1] = -6;
  double index[2];
  ends.At<double>(0, 8, index);
  EXPECT_EQ(index[0], 1.0);
  EXPECT_EQ(index[1], 10.0);
  ends.At<double>(3, 8, index);
  EXPECT_EQ(index[0], 2.5);
  EXPECT_EQ(index[1], 4.0);
  ends.At<float>(3, 8, index);
  EXPECT_EQ(index[0], 2.5);
  EXPECT_EQ(index[1], 4.0);
}

// In single precision the ends are rounded first, the difference next, the sum last: three roundings, as ITK's float
// indices have.
TEST(ScanlineEnds, SinglePrecisionRoundsTheEnds)
{
  ScanlineEnds<1> ends;
  ends.start[0] = 1.0 + 0x1p-24 + 0x1p-30; // nearest float: 1 + 2^-23
  ends.end[0] = 3.0;
  double index[1];
  ends.At<float>(0, 2, index);
  EXPECT_EQ(index[0], 1.0 + 0x1p-23);
  ends.At<float>(1, 2, index);
  EXPECT_EQ(index[0], 2.0) << "1 + 2^-23 and half of 2 - 2^-23 is 2 + 2^-24, which is not a float";
  ends.At<double>(1, 2, index);
  EXPECT_EQ(index[0], 2.0 + 0x1p-25 + 0x1p-31);
  // A quarter of the way from the rounded start to 1: three quarters of 2^-23. The start without rounding would give 1.
  ends.end[0] = 1.0;
  ends.At<float>(1, 4, index);
  EXPECT_EQ(index[0], 1.0 + 0x1p-23);
}

TEST(ScanlineEnds, NotANumberStays)
{
  ScanlineEnds<1> ends;
  ends.start[0] = std::numeric_limits<double>::quiet_NaN();
  ends.end[0] = 1.0;
  double index[1];
  ends.At<double>(0, 4, index);
  EXPECT_TRUE(std::isnan(index[0]));
  ends.At<float>(3, 4, index);
  EXPECT_TRUE(std::isnan(index[0]));
}

} // namespace
