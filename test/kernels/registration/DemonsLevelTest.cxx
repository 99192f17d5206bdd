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

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/DemonsLevel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

/** \file
 * \brief Demons without ITK: each force finds a known shift, masks and transforms after the field have an effect, and
 * images that do not match are refused. */

using namespace CudaSplineTest;

namespace
{

class Demons : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backends, Demons, testing::Bool(), NameOfBackend);

/** Waves, shifted along the physical axes. */
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

SynSide
SideOf(const ResidentImage & image)
{
  SynSide side;
  side.image = image;
  return side;
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
        DemonsLevel      level(shape,
                          SideOf(MakeWaves(grid, 0.0, type, residence)),
                          SideOf(MakeWaves(grid, shift, type, residence)),
                          rules,
                          residence);
        const double     before = level.Iterate().Metric();
        double           after = before;
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
          bool       isInner = true; // not near the border of the moving image
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
        // Smoothing mixes in values from the border, and there are no forces where the image is constant.
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
    DemonsLevel(shape, SideOf(fixed), SideOf(moving), DemonsRules(), residence);
  };
  const auto single = MakeWaves(grid, 0.0, ScalarType::Float32, residence);
  EXPECT_NO_THROW(make(single, single));
  EXPECT_THROW(make(single, ResidentImage()), std::invalid_argument);
  EXPECT_THROW(make(single, MakeWaves(grid, 0.0, ScalarType::Float64, residence)), std::invalid_argument);
  EXPECT_THROW(make(single, MakeWaves(StraightGrid(3), 0.0, ScalarType::Float32, residence)), std::invalid_argument);
  // Some forces and gradients do not support masks or transforms of the moving image.
  SynSide masked = SideOf(single);
  masked.mask = single;
  const auto makeSides = [&](const SynSide & fixed, const SynSide & moving, const DemonsRules & rules) {
    DemonsLevel(shape, fixed, moving, rules, residence);
  };
  DemonsRules rules;
  EXPECT_THROW(makeSides(masked, SideOf(single), rules), std::invalid_argument); // not a mask of bytes
  const auto bytes = std::make_shared<ResidentArray>(static_cast<std::size_t>(grid.Count()), residence);
  const std::vector<std::uint8_t> inside(bytes->Bytes(), 1);
  Upload(bytes->Data(), inside.data(), inside.size(), residence);
  masked.mask.pixel = ScalarType::UInt8;
  masked.mask.data = std::shared_ptr<const void>(bytes, bytes->Data());
  EXPECT_NO_THROW(makeSides(masked, masked, rules));
  SynSide behind = SideOf(single);
  behind.stages.push_back(MakeFieldStage(shape, single.data.get()));
  EXPECT_NO_THROW(makeSides(SideOf(single), behind, rules));
  rules.gradient = DemonsGradient::MappedMoving;
  EXPECT_THROW(makeSides(SideOf(single), behind, rules), std::invalid_argument);
  rules.force = DemonsForce::Symmetric;
  EXPECT_THROW(makeSides(masked, SideOf(single), rules), std::invalid_argument);
  EXPECT_THROW(makeSides(SideOf(single), masked, rules), std::invalid_argument);
  EXPECT_THROW(makeSides(SideOf(single), behind, rules), std::invalid_argument);
  behind.stages.resize(MaximumWarpStages, behind.stages.front());
  EXPECT_THROW(makeSides(SideOf(single), behind, DemonsRules()), std::invalid_argument);
  EXPECT_FALSE(PlanDemonsLevel(shape, ScalarType::Float32, 0, 1000).fits);
  EXPECT_TRUE(PlanDemonsLevel(shape, ScalarType::Float32, 0, std::size_t(1) << 24).fits);
}

/** Masked pixels have no effect: with other values there the field has the same bits. The moving image is linear
 * between pixels, so only those of its pixels change whose neighbours are all masked. */
TEST_P(Demons, LeaveOutWhatMasksDo)
{
  const Residence residence = this->MakeResidence();
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid  grid = StraightGrid(dimension);
    const FieldShape shape{ grid, ScalarType::Float64 };
    const auto       count = static_cast<std::size_t>(grid.Count());
    // A block of 9 samples along each axis of each image.
    const auto isIn = [&](std::int64_t sample, std::int64_t first, std::int64_t margin) {
      const auto at = SampleOf(grid, sample);
      bool       isInside = true;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        isInside = isInside && at[d] >= first + margin && at[d] < first + 9 - margin;
      }
      return isInside;
    };
    const auto make = [&](double shift, std::int64_t first, std::int64_t margin, bool isOther, bool isMasked) {
      const ResidentImage       waves = MakeWaves(grid, shift, ScalarType::Float64, residence);
      std::vector<double>       values = Numbers(waves.data.get(), count, ScalarType::Float64, residence);
      std::vector<std::uint8_t> mask(count, 1);
      for (std::int64_t i = 0; i < grid.Count(); ++i)
      {
        mask[static_cast<std::size_t>(i)] = isIn(i, first, 0) ? 0 : 1;
        values[static_cast<std::size_t>(i)] =
          isOther && isIn(i, first, margin) ? 1e4 : values[static_cast<std::size_t>(i)];
      }
      const auto array = std::make_shared<ResidentArray>(Resident(values, ScalarType::Float64, residence));
      SynSide    side = SideOf(waves);
      side.image.data = std::shared_ptr<const void>(array, array->Data());
      if (isMasked)
      {
        const auto bytes = std::make_shared<ResidentArray>(count, residence);
        Upload(bytes->Data(), mask.data(), count, residence);
        side.mask.grid = grid;
        side.mask.pixel = ScalarType::UInt8;
        side.mask.data = std::shared_ptr<const void>(bytes, bytes->Data());
      }
      return side;
    };
    double     counted = 0.0;
    const auto run = [&](bool isOther, bool isMasked) {
      DemonsLevel level(shape,
                        make(0.0, 3, 0, isOther, isMasked),
                        make(0.8, 12, 1, isOther, isMasked),
                        MakeDiffeomorphicDemons(grid, 0.5, 0.5, 1.0),
                        residence);
      counted = level.Iterate().count;
      for (int i = 0; i < 8; ++i)
      {
        level.Iterate();
      }
      std::vector<double> field(count * dimension);
      level.GetField(field.data(), ScalarType::Float64);
      return field;
    };
    const std::vector<double> wanted = run(false, true);
    EXPECT_EQ(counted, static_cast<double>(count) - 2.0 * std::pow(9.0, dimension)); // the field is 0 before
    EXPECT_EQ(run(true, true), wanted);
    EXPECT_NE(run(true, false), wanted);
    EXPECT_EQ(counted, static_cast<double>(count));
  }
}

/** A transform after the field gives the same field as an image that is already moved. Positions differ by rounding
 * errors of about 1e-15 mm, which each of the 20 iterations amplifies by far less than 1e4. A fixed image on another
 * grid is resampled to that of the field. */
TEST_P(Demons, ComeBeforeOtherTransforms)
{
  const Residence residence = this->MakeResidence();
  for (const unsigned int dimension : { 2U, 3U })
  {
    const FieldGrid   grid = StraightGrid(dimension);
    const FieldShape  shape{ grid, ScalarType::Float64 };
    const DemonsRules rules = MakeDiffeomorphicDemons(grid, 0.5, 0.0, 1.5);
    // A translation by 2 mm along x at all voxels, as a field with a large grid.
    FieldShape far = shape;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      far.grid.origin[d] = -100.0;
      far.grid.size[d] = 3;
      far.grid.indexToPoint[d][d] = far.grid.spacing[d] = 100.0;
      far.grid.pointToIndex[d][d] = 0.01;
    }
    std::vector<double> translation(static_cast<std::size_t>(far.Numbers()), 0.0);
    for (std::size_t i = 0; i < translation.size(); i += dimension)
    {
      translation[i] = 2.0;
    }
    const ResidentArray vectors = Resident(translation, ScalarType::Float64, residence);
    const auto          run = [&](const SynSide & fixed, const SynSide & moving) {
      DemonsLevel level(shape, fixed, moving, rules, residence);
      for (int i = 0; i < 20; ++i)
      {
        level.Iterate();
      }
      std::vector<double> field(static_cast<std::size_t>(shape.Numbers()));
      level.GetField(field.data(), ScalarType::Float64);
      return field;
    };
    const auto fixed = SideOf(MakeWaves(grid, 0.0, ScalarType::Float64, residence));
    SynSide    behind = SideOf(MakeWaves(grid, 0.7, ScalarType::Float64, residence));
    SynSide    there = behind;
    there.image.grid.origin[0] -= 2.0;
    behind.stages.push_back(MakeFieldStage(far, vectors.Data()));
    const std::vector<double> wanted = run(fixed, there);
    const std::vector<double> found = run(fixed, behind);
    double                    largest = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
    {
      ASSERT_NEAR(found[i], wanted[i], 1e-8) << i;
      largest = std::max(largest, std::abs(wanted[i]));
    }
    EXPECT_GT(largest, 0.5);

    // Each sample of the grid coincides with a sample of the larger image.
    FieldGrid larger = grid;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      larger.size[d] += 4;
      larger.origin[d] -= 2.0 * larger.spacing[d];
    }
    const std::vector<double> moved = run(SideOf(MakeWaves(larger, 0.0, ScalarType::Float64, residence)), there);
    for (std::size_t i = 0; i < wanted.size(); ++i)
    {
      ASSERT_NEAR(moved[i], wanted[i], 1e-8) << i;
    }
  }
}

/** The inverse undoes the displacements of the field, and the field of a coarser level initialises that of a finer one.
 */
TEST_P(Demons, HaveInversesAndBeginWithCoarserFields)
{
  const Residence  residence = this->MakeResidence();
  const FieldGrid  grid = StraightGrid(2);
  const FieldShape shape{ grid, ScalarType::Float64 };
  const auto       make = [&] {
    return std::make_unique<DemonsLevel>(shape,
                                         SideOf(MakeWaves(grid, 0.0, ScalarType::Float64, residence)),
                                         SideOf(MakeWaves(grid, 1.2, ScalarType::Float64, residence)),
                                         MakeDiffeomorphicDemons(grid, 0.5, 0.0, 1.5),
                                         residence);
  };
  auto level = make();
  for (int i = 0; i < 30; ++i)
  {
    level->Iterate();
  }
  std::vector<double> field(static_cast<std::size_t>(shape.Numbers()));
  std::vector<double> inverse(field.size());
  level->GetField(field.data(), ScalarType::Float64);
  FieldInversion rules;
  rules.enforcesBoundary = false;
  rules.maximumTolerance = 1e-3;
  rules.maximumIterations = 100;
  const FieldInversionState state = level->GetInverse(rules, inverse.data(), ScalarType::Float64);
  EXPECT_GT(state.iterations, 1); // there is no field beyond the border, so errors of the samples there remain

  // f(x + i(x)) + i(x) in samples is within the tolerances where all positions are inside.
  const ResidentArray f = Resident(field, ScalarType::Float64, residence);
  const ResidentArray i = Resident(inverse, ScalarType::Float64, residence);
  const ResidentArray both(shape.Bytes(), residence);
  ComposeFields(shape, f.Data(), shape, i.Data(), both.Data(), residence);
  const std::vector<double> left = Numbers(both.Data(), field.size(), ScalarType::Float64, residence);
  double                    largest = 0.0;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const auto at = SampleOf(grid, n);
    if (std::min(at[0], at[1]) >= 4 && at[0] < grid.size[0] - 4 && at[1] < grid.size[1] - 4)
    {
      for (const std::size_t d : { 0U, 1U })
      {
        largest = std::max(largest, std::abs(left[static_cast<std::size_t>(n) * 2 + d]) / grid.spacing[d]);
      }
    }
  }
  EXPECT_LE(largest, 0.01);
  EXPECT_GT(*std::max_element(field.begin(), field.end()), 0.8);

  const auto fields = level->GetFields(); // these outlive the level
  level.reset();
  const auto next = make();
  next->AdaptFrom(*fields);
  std::vector<double> begun(field.size());
  next->GetField(begun.data(), ScalarType::Float64);
  EXPECT_EQ(begun, field); // a field on the same grid is copied
}
