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
// Linear interpolation.
//
// Expected values: functions that are linear along every axis, with coefficients that make every operation exact; the
// rule of itk::LinearInterpolateImageFunction at the border and next to NaN, written out. (itk/LinearTest.cxx compares
// with ITK.) Exact: no tolerance.

#include "itkCudaSpline/math/LinearCell.h"
#include "itkCudaSpline/math/LinearEvaluation.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::LinearCell;
using itk::CudaSpline::LinearValue;

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

GridExtent<1>
Line(std::int64_t start, std::int64_t size)
{
  GridExtent<1> extent;
  extent.start[0] = start;
  extent.size[0] = size;
  return extent;
}

double
AtLine(const std::vector<double> & line, std::int64_t start, double x)
{
  const double index[1] = { x };
  return LinearValue(line.data(), Line(start, static_cast<std::int64_t>(line.size())), index);
}

TEST(LinearEvaluation, BetweenSamples)
{
  const std::vector<double> line{ 10, 20, 40 };
  EXPECT_EQ(AtLine(line, 5, 5.0), 10.0);
  EXPECT_EQ(AtLine(line, 5, 5.25), 12.5);
  EXPECT_EQ(AtLine(line, 5, 6.0), 20.0);
  EXPECT_EQ(AtLine(line, 5, 6.75), 35.0);
  EXPECT_EQ(AtLine(line, -7, -6.5), 15.0);
}

TEST(LinearEvaluation, HalfPixelBorderIsConstant)
{
  const std::vector<double> line{ 10, 20, 40 };
  EXPECT_EQ(AtLine(line, 5, 4.5), 10.0);
  EXPECT_EQ(AtLine(line, 5, 4.99), 10.0);
  EXPECT_EQ(AtLine(line, 5, 7.0), 40.0);
  EXPECT_EQ(AtLine(line, 5, 7.49), 40.0);
  EXPECT_EQ(AtLine({ 3.0 }, 0, -0.5), 3.0);
  EXPECT_EQ(AtLine({ 3.0 }, 0, 0.49), 3.0);
}

TEST(LinearEvaluation, NeighboursWithoutWeightDoNotCount)
{
  const std::vector<double> line{ 10, notANumber, 40 };
  EXPECT_EQ(AtLine(line, 0, 0.0), 10.0);
  EXPECT_EQ(AtLine(line, 0, -0.3), 10.0);
  EXPECT_EQ(AtLine(line, 0, 2.0), 40.0);
  EXPECT_TRUE(std::isnan(AtLine(line, 0, 0.5)));
  EXPECT_TRUE(std::isnan(AtLine(line, 0, 1.0)));
  const std::vector<double> plane{ 1, 2, notANumber, notANumber };
  GridExtent<2>             extent;
  extent.size[0] = 2;
  extent.size[1] = 2;
  const double onTheRow[2] = { 0.5, 0.0 };
  const double between[2] = { 0.5, 0.5 };
  EXPECT_EQ(LinearValue(plane.data(), extent, onTheRow), 1.5);
  EXPECT_TRUE(std::isnan(LinearValue(plane.data(), extent, between)));
}

// No element beyond the samples is read: the array ends with them.
TEST(LinearEvaluation, ReadsNothingBeyond)
{
  std::vector<double> guarded(27 + 18, notANumber);
  GridExtent<3>       extent;
  for (unsigned int d = 0; d < 3; ++d)
  {
    extent.size[d] = 3;
  }
  for (std::size_t k = 0; k < 27; ++k)
  {
    guarded[9 + k] = 1.0;
  }
  for (double x = -0.5; x < 2.5; x += 0.25)
  {
    for (double y = -0.5; y < 2.5; y += 0.25)
    {
      for (double z = -0.5; z < 2.5; z += 0.25)
      {
        const double index[3] = { x, y, z };
        ASSERT_EQ(LinearValue(guarded.data() + 9, extent, index), 1.0) << x << ' ' << y << ' ' << z;
      }
    }
  }
}

// The floor as ITK rounds it is 0 just below 0: beyond the samples where the last one is at -1.
TEST(LinearEvaluation, ReadsNothingBeyondALastSampleAtMinusOne)
{
  const std::vector<double> guarded{ 10, 20, 40, notANumber };
  const float               singles[]{ 10, 20, 40, std::numeric_limits<float>::quiet_NaN() };
  const GridExtent<1>       extent = Line(-3, 3);
  for (const double x : { -1e-8, -1e-17, -std::numeric_limits<double>::denorm_min(), -1.0, 0.25 })
  {
    const double index[1] = { x };
    const float  single[1] = { static_cast<float>(x) };
    EXPECT_EQ(LinearValue(guarded.data(), extent, index), 40.0) << x;
    EXPECT_EQ(LinearValue(singles, extent, single), 40.0F) << x;
    EXPECT_EQ(LinearCell<1>(extent, index).Value<double>(guarded.data()), 40.0) << x;
    EXPECT_EQ(LinearCell<1>(extent, index).Value<float>(singles), 40.0F) << x;
  }
}

/** f = product over the axes of (a + b x): exact on a lattice of quarters with small integers. */
template <unsigned int VDimension, typename T, typename TCoordinate>
void
ExpectMultilinear()
{
  Random                 random(__LINE__ + VDimension);
  GridExtent<VDimension> extent;
  double                 a[VDimension];
  double                 b[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    extent.start[d] = random.Integer(-4, 4);
    extent.size[d] = random.Integer(2, 5);
    a[d] = static_cast<double>(random.Integer(-7, 7));
    b[d] = static_cast<double>(random.Integer(-3, 3));
  }
  std::vector<T> data(static_cast<std::size_t>(extent.Count()));
  for (std::size_t at = 0; at < data.size(); ++at)
  {
    std::size_t rest = at;
    double      product = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      product *= a[d] + b[d] * static_cast<double>(extent.start[d] + static_cast<std::int64_t>(rest) % extent.size[d]);
      rest /= static_cast<std::size_t>(extent.size[d]);
    }
    data[at] = static_cast<T>(product);
  }
  for (int trial = 0; trial < 200; ++trial)
  {
    TCoordinate index[VDimension];
    double      expected = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double x =
        static_cast<double>(extent.start[d]) + static_cast<double>(random.Integer(0, 4 * (extent.size[d] - 1))) / 4;
      index[d] = static_cast<TCoordinate>(x);
      expected *= a[d] + b[d] * x;
    }
    EXPECT_EQ(LinearValue(data.data(), extent, index), static_cast<T>(expected));
  }
}

TEST(LinearEvaluation, ExactForMultilinearFunctions)
{
  ExpectMultilinear<1, double, double>();
  ExpectMultilinear<2, double, double>();
  ExpectMultilinear<3, double, double>();
  ExpectMultilinear<4, double, double>();
  ExpectMultilinear<3, float, double>();
  ExpectMultilinear<3, float, float>();
  ExpectMultilinear<2, double, float>();
}

} // namespace
