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
// Central differences of an image at positions. Expected: the same bits as from two values, each interpolated in its
// own cell.

#include "../common/KernelTestData.h"

#include "RandomData.h"

#include "kernels/metrics/images/ImageMapping.h"
#include "kernels/metrics/samples/PointDifferences.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** The rule of ITK: two values, each in its own cell. */
template <typename TReal, unsigned int VDimension>
double
PlainDifference(const std::vector<TReal> &         samples,
                const DifferenceGrid<VDimension> & grid,
                const double (&place)[VDimension],
                unsigned int axis,
                double       halfSpacing)
{
  double value[2];
  double at[2];
  for (int side = 0; side < 2; ++side)
  {
    double moved[VDimension];
    double index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = place[d];
    }
    at[side] = moved[axis] = place[axis] + (side == 0 ? -halfSpacing : halfSpacing);
    grid.PointToContinuousIndex(moved, index);
    if (!grid.IsInside(index))
    {
      return 0.0;
    }
    value[side] = LinearCell<VDimension>(grid.extent, index).template Value<double>(samples.data());
  }
  const double distance = at[1] - at[0];
  return distance > 10.0 * std::numeric_limits<double>::epsilon() ? (value[1] - value[0]) / distance : 0.0;
}

/** Positions in and around images whose axes are those of space, reversed, or oblique: samples, midpoints between them,
 * and random positions. */
template <typename TReal, unsigned int VDimension>
void
ComparePlaces()
{
  constexpr double most = 1000.0 * 256.0 * std::numeric_limits<double>::epsilon();
  Random           random(__LINE__ + 10 * VDimension + sizeof(TReal));
  for (int image = 0; image < 24; ++image)
  {
    DifferenceGrid<VDimension> grid;
    double                     halfSpacing[VDimension];
    std::size_t                count = 1;
    const bool                 isOblique = VDimension > 1 && image % 3 == 2;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      grid.extent.start[d] = random.Integer(-4, 4);
      grid.extent.size[d] = random.Integer(1, 7);
      count *= static_cast<std::size_t>(grid.extent.size[d]);
      grid.origin[d] = random.Uniform(-10.0, 10.0);
      const double spacing = image % 2 == 0 ? 1.0 : random.Uniform(0.5, 2.5);
      halfSpacing[d] = 0.5 * spacing;
      const double sign = random.Sign();
      grid.indexToPoint[d][d] = sign * spacing;
      grid.pointToIndex[d][d] = sign / spacing;
    }
    if (isOblique)
    {
      grid.pointToIndex[0][1] = random.Uniform(-0.3, 0.3);
    }
    std::vector<TReal> samples(count);
    for (TReal & sample : samples)
    {
      sample = static_cast<TReal>(random.Uniform(-1000.0, 1000.0));
    }
    for (int number = 0; number < 400; ++number)
    {
      double place[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double middle =
          static_cast<double>(grid.extent.start[d]) + 0.5 * static_cast<double>(grid.extent.size[d] - 1);
        double index = middle + (0.5 * static_cast<double>(grid.extent.size[d]) + 1.0) * random.Uniform(-1.0, 1.0);
        index = number % 3 == 0 ? index : (number % 3 == 1 ? std::floor(index) : std::floor(index) + 0.5);
        place[d] = grid.origin[d] + grid.indexToPoint[d][d] * index;
      }
      double found[VDimension];
      PointDifferences(samples.data(), grid, halfSpacing, place, found);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double expected = PlainDifference(samples, grid, place, d, halfSpacing[d]);
        if (isOblique)
        {
          ASSERT_EQ(found[d], expected) << image << " " << number;
        }
        // A difference of two values, each of samples to 1000 by an index that is rounded as places to 30 mm are.
        ASSERT_NEAR(found[d], expected, most / halfSpacing[d]) << image << " " << number;
        ASSERT_EQ(found[d] == 0.0, expected == 0.0) << image << " " << number; // the same points are outside
      }
    }
  }
}
} // namespace

TEST(PointDifferences, AreThoseOfTwoValues)
{
  ComparePlaces<float, 1>();
  ComparePlaces<float, 2>();
  ComparePlaces<float, 3>();
  ComparePlaces<double, 2>();
  ComparePlaces<double, 3>();
}
