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
// Updates whose determinants are limited.
//
// Expected: where all determinants are within the bounds, the updated field keeps its bits. Where an update exceeds
// them, the determinants that are left are near the bounds; samples that all passes together do not reach keep their
// bits. Host and device round alike.

#include "FieldCase.h"

#include "itkCudaSpline/kernels/fields/FieldFolding.h"

#include "kernels/fields/limits/DeterminantLimit.h"

#include <cmath>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class DeterminantLimits : public FieldsOnBackend
{
protected:
  static FieldFolding
  Fold(const FieldShape & shape, const std::vector<double> & field)
  {
    const Residence host{ ExecutionContext() };
    const auto      vectors = Resident(field, shape.element, host);
    return MeasureFolding(shape, vectors.Data(), nullptr, false, host);
  }

  static std::vector<double>
  Limit(const FieldShape &          shape,
        const std::vector<double> & before,
        double                      largest,
        const std::vector<double> & after,
        const Residence &           residence)
  {
    const auto          old = Resident(before, shape.element, residence);
    const auto          updated = Resident(after, shape.element, residence);
    const ResidentArray scratch(CountLimitScratch(shape), residence);
    LimitDeterminants(shape, old.Data(), largest, updated.Data(), scratch.Data(), residence);
    return Numbers(updated.Data(), after.size(), shape.element, residence);
  }

  /** Returns displacements towards or away from the middle of the grid, within a radius (samples). */
  static std::vector<double>
  Source(const FieldGrid & grid, double strength, double radius)
  {
    std::vector<double> field(static_cast<std::size_t>(grid.Count()) * grid.dimension);
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const auto at = SampleOf(grid, n);
      Vector     way{};
      double     square = 0.0;
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        way[d] = static_cast<double>(at[d] - grid.size[d] / 2);
        square += way[d] * way[d];
      }
      const double weight = strength * std::exp(-0.5 * square / (radius * radius));
      for (unsigned int r = 0; r < grid.dimension; ++r)
      {
        double number = 0.0;
        for (unsigned int c = 0; c < grid.dimension; ++c)
        {
          number += grid.indexToPoint[r][c] * weight * way[c];
        }
        field[static_cast<std::size_t>(n) * grid.dimension + r] = static_cast<double>(static_cast<float>(number));
      }
    }
    return field;
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, DeterminantLimits, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(DeterminantLimits, UpdatesWithinTheBoundsKeepTheirBits)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      const FieldShape shape{ RandomGrid(size, random), type };
      const auto       before = RandomField(shape.grid, 0.1, true, random);
      const auto       after = RandomField(shape.grid, 0.1, true, random);
      EXPECT_EQ(Limit(shape, before, 64.0, after, residence), after) << Describe(size, type);
    }
  }
}

TEST_P(DeterminantLimits, DeterminantsStayNearTheirBounds)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : std::vector<std::vector<std::int64_t>>{ { 61, 57 }, { 41, 39, 37 } })
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const double strength : { -0.45, 0.6 }) // towards the middle it shrinks, away from it it expands
      {
        SCOPED_TRACE(Describe(size, type) + " " + std::to_string(strength));
        const FieldShape          shape{ RandomGrid(size, random), type };
        const std::vector<double> before(static_cast<std::size_t>(shape.Numbers()), 0.0);
        const auto                after = Source(shape.grid, strength, 3.0);
        constexpr double          largest = 2.0;
        const auto                limited = Limit(shape, before, largest, after, residence);
        const FieldFolding        was = Fold(shape, after);
        const FieldFolding        is = Fold(shape, limited);
        EXPECT_TRUE(strength > 0.0 ? was.largest > 1.05 * largest : was.least < 0.7 / largest);
        EXPECT_GT(is.least, 0.8 / largest);
        EXPECT_LT(is.largest, 1.25 * largest);
        EXPECT_NE(limited, before);
        EXPECT_EQ(Limit(shape, before, largest, after, Residence{ ExecutionContext() }), limited);
      }
    }
  }
}

TEST_P(DeterminantLimits, SamplesFarFromALimitKeepTheirBits)
{
  FreshRandom        random;
  const Residence    residence = this->MakeResidence();
  const FieldShape   shape{ RandomGrid({ 45, 41, 43 }, random), ScalarType::Float64 };
  const auto         before = RandomField(shape.grid, 0.1, true, random);
  auto               after = before;
  const auto         middle = SampleOf(shape.grid, shape.grid.Count() / 2);
  const std::int64_t sample = shape.grid.Count() / 2;
  after[static_cast<std::size_t>(sample * 3)] += 4.0;
  for (std::size_t n = 0; n < after.size(); n += 3)
  {
    after[n] += 0.25; // the same everywhere: determinants do not change
  }
  const auto limited = Limit(shape, before, 4.0, after, residence);
  EXPECT_LT(limited[static_cast<std::size_t>(sample * 3)], after[static_cast<std::size_t>(sample * 3)]);
  for (std::int64_t n = 0; n < shape.grid.Count(); ++n)
  {
    const auto   at = SampleOf(shape.grid, n);
    std::int64_t distance = 0;
    for (unsigned int d = 0; d < 3; ++d)
    {
      distance = std::max(distance, std::abs(at[d] - middle[d]));
    }
    const auto number = static_cast<std::size_t>(n * 3);
    if (distance > LimitPasses * LimitReach)
    {
      ASSERT_EQ(limited[number], after[number]) << n;
    }
  }
}
