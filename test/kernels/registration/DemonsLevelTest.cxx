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
#include "../fields/FieldCase.h"

#include "itkCudaSpline/kernels/registration/DemonsLevel.h"

#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Demons without ITK: each force finds a shift that is known, and images that do not fit are refused. */

using namespace CudaSplineTest;

namespace
{

class Demons : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backends, Demons, testing::Bool(), NameOfBackend);

/** Waves, shifted along the axes of space. */
ResidentImage
MakeWaves(const FieldGrid & grid, double shift, ScalarType pixel, const Residence & residence)
{
  std::vector<double> values;
  for (std::int64_t i = 0; i < grid.Count(); ++i)
  {
    const Vector place = PlaceOf(grid, SampleOf(grid, i));
    double       value = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      value += 30.0 * std::sin(0.35 * (place[d] - shift) + d) + 10.0 * std::cos(0.2 * (place[d] - shift));
    }
    values.push_back(value);
  }
  const auto    array = std::make_shared<ResidentArray>(Resident(values, pixel, residence));
  ResidentImage image;
  image.grid = grid;
  image.pixel = pixel;
  image.data = std::shared_ptr<const void>(array, array->Data());
  return image;
}

FieldGrid
StraightGrid(unsigned int dimension)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.size[d] = (dimension == 2 ? 48 : 26) - d;
    grid.spacing[d] = 1.0 + 0.1 * d;
    grid.indexToPoint[d][d] = grid.spacing[d];
    grid.pointToIndex[d][d] = 1.0 / grid.spacing[d];
  }
  return grid;
}

} // namespace

TEST_P(Demons, FindAShift)
{
  constexpr double shift = 0.8; // mm
  const Residence  residence = this->MakeResidence();
  for (const unsigned int dimension : { 2U, 3U })
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const DemonsForce force : { DemonsForce::Thirion, DemonsForce::Symmetric, DemonsForce::Esm })
      {
        SCOPED_TRACE(testing::Message() << dimension << "D, " << NameOf(type) << ", force " << static_cast<int>(force));
        const FieldGrid grid = StraightGrid(dimension);
        DemonsRules     rules;
        rules.force = force;
        rules.gradient = force == DemonsForce::Thirion ? DemonsGradient::Fixed : DemonsGradient::Symmetric;
        rules.update = force == DemonsForce::Esm ? DemonsUpdate::Exponential : DemonsUpdate::Sum;
        rules.squarings = 2;
        rules.fieldSmoothing = MakeFieldSmoothing(grid, 1.5, 0.1, 30);
        rules.fieldSmoothing->blends = false;
        const FieldShape shape{ grid, type };
        DemonsLevel      level(
          shape, MakeWaves(grid, 0.0, type, residence), MakeWaves(grid, shift, type, residence), rules, residence);
        const double before = level.Iterate().Metric();
        double       after = before;
        for (int i = 0; i < 40; ++i)
        {
          const DemonsIteration iteration = level.Iterate();
          ASSERT_GT(iteration.count, 0.0);
          after = iteration.Metric();
        }
        EXPECT_LT(after, 0.02 * before);
        std::vector<double> field(static_cast<std::size_t>(shape.Numbers()));
        level.GetField(field.data(), ScalarType::Float64);
        double       sum = 0.0;
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < grid.Count(); ++i)
        {
          const auto at = SampleOf(grid, i);
          bool       isInner = true; // away from where the moving image ends
          for (unsigned int d = 0; d < dimension; ++d)
          {
            isInner = isInner && at[d] >= 6 && at[d] < grid.size[d] - 6;
          }
          for (unsigned int d = 0; d < dimension && isInner; ++d)
          {
            sum += field[static_cast<std::size_t>(i) * dimension + d];
            ++count;
          }
        }
        // Smoothing mixes in what the border has; where the image is flat nothing pulls.
        EXPECT_NEAR(sum / static_cast<double>(count), shift, 0.1 * shift);
      }
    }
  }
}

TEST_P(Demons, RefuseImagesThatDoNotFit)
{
  const Residence  residence = this->MakeResidence();
  const FieldGrid  grid = StraightGrid(2);
  const FieldShape shape{ grid, ScalarType::Float32 };
  const auto       make = [&](const ResidentImage & fixed, const ResidentImage & moving) {
    DemonsLevel(shape, fixed, moving, DemonsRules(), residence);
  };
  const auto single = MakeWaves(grid, 0.0, ScalarType::Float32, residence);
  EXPECT_NO_THROW(make(single, single));
  EXPECT_THROW(make(single, ResidentImage()), std::invalid_argument);
  EXPECT_THROW(make(single, MakeWaves(grid, 0.0, ScalarType::Float64, residence)), std::invalid_argument);
  EXPECT_THROW(make(single, MakeWaves(StraightGrid(3), 0.0, ScalarType::Float32, residence)), std::invalid_argument);
  FieldGrid other = grid;
  other.origin[0] = 1.0;
  EXPECT_THROW(make(MakeWaves(other, 0.0, ScalarType::Float32, residence), single), std::invalid_argument);
  EXPECT_FALSE(PlanDemonsLevel(shape, ScalarType::Float32, 0, 1000).fits);
  EXPECT_TRUE(PlanDemonsLevel(shape, ScalarType::Float32, 0, std::size_t(1) << 24).fits);
}
