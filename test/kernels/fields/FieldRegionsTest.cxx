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
// Smoothing, composition and interpolation of fields with regions that slide along their borders.
//
// Expected: smoothing is the formula of SlidingRegions, computed here with plain loops in double, one sum of weights
// for each region. Fields of double agree within 1e-9 of their largest component; fields of float within 1e-3, because
// the values of the largest region are differences of sums. Motion along a plane is not changed, whatever the other
// region does. A level with one region keeps the bits. Compositions and interpolations read vectors of the own region
// only.

#include "FieldCase.h"

#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"

#include "kernels/fields/limits/DeterminantLimit.h"
#include "kernels/fields/sliding/FieldRegions.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** A map on the grid of a field, from a function of a sample. */
template <typename TFunction>
SlidingRegions
MakeMap(const FieldGrid & grid, unsigned int count, const TFunction & regionOf)
{
  const auto codes = std::make_shared<std::vector<std::uint8_t>>();
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    codes->push_back(static_cast<std::uint8_t>(regionOf(SampleOf(grid, n))));
  }
  return { grid, std::shared_ptr<const std::uint8_t>(codes, codes->data()), count };
}

/** Three regions: two halves along x, and a corner of one of them. */
SlidingRegions
MakeThree(const FieldGrid & grid)
{
  return MakeMap(grid, 4, [&](const std::array<std::int64_t, 3> & at) {
    return at[0] < grid.size[0] / 2 ? 1 : at[1] < grid.size[1] / 3 ? 3 : 0;
  });
}

/** Sums with the weights of a smoothing of one number at each sample, along one axis after the other. */
std::vector<double>
Convolve(const FieldGrid & grid, const FieldSmoothing & smoothing, std::vector<double> numbers)
{
  std::int64_t stride = 1;
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    const auto          radius = static_cast<std::int64_t>(smoothing.weights[axis].size() / 2);
    std::vector<double> sums(numbers.size(), 0.0);
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const std::int64_t place = SampleOf(grid, n)[axis];
      for (std::int64_t k = -radius; k <= radius; ++k)
      {
        const std::int64_t there = std::min(std::max(place + k, std::int64_t{ 0 }), grid.size[axis] - 1);
        sums[static_cast<std::size_t>(n)] += smoothing.weights[axis][static_cast<std::size_t>(k + radius)] *
                                             numbers[static_cast<std::size_t>(n + (there - place) * stride)];
      }
    }
    numbers = sums;
    stride *= grid.size[axis];
  }
  return numbers;
}

/** The smoothing of SlidingRegions. */
std::vector<double>
SmoothPlainly(const FieldGrid & grid, const SlidingRegions & map, const std::vector<double> & field, double variance)
{
  const auto          smoothing = MakeFieldSmoothing(grid, variance);
  const auto          ofNormals = MakeFieldSmoothing(grid, std::max(variance, FieldRegions::NormalVariance));
  const auto          dimension = grid.dimension;
  const auto          count = static_cast<std::size_t>(grid.Count());
  std::vector<double> result(field.size());
  const auto          component = [&](unsigned int d, int region) {
    std::vector<double> numbers(count);
    for (std::size_t n = 0; n < count; ++n)
    {
      numbers[n] = region < 0 || map.codes.get()[n] == region ? field[n * dimension + d] : 0.0;
    }
    return Convolve(grid, smoothing, numbers);
  };
  std::array<std::vector<double>, 3> whole;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    whole[d] = component(d, -1);
  }
  for (int region = 0; region < static_cast<int>(map.count); ++region)
  {
    std::vector<double> indicator(count);
    for (std::size_t n = 0; n < count; ++n)
    {
      indicator[n] = map.codes.get()[n] == region ? 1.0 : 0.0;
    }
    const auto                         weights = Convolve(grid, smoothing, indicator);
    const auto                         smooth = Convolve(grid, ofNormals, indicator);
    std::array<std::vector<double>, 3> own;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      own[d] = component(d, region);
    }
    for (std::size_t n = 0; n < count; ++n)
    {
      if (map.codes.get()[n] != region)
      {
        continue;
      }
      const auto   at = SampleOf(grid, static_cast<std::int64_t>(n));
      Vector       normal{};
      std::int64_t stride = 1;
      double       square = 0.0; // of the gradient, per sample
      bool         isOnBorder = false;
      for (unsigned int axis = 0; axis < dimension; ++axis)
      {
        const auto lower = static_cast<std::size_t>(static_cast<std::int64_t>(n) - (at[axis] > 0 ? stride : 0));
        const auto upper =
          static_cast<std::size_t>(static_cast<std::int64_t>(n) + (at[axis] + 1 < grid.size[axis] ? stride : 0));
        for (unsigned int d = 0; d < dimension; ++d)
        {
          normal[d] += grid.pointToIndex[axis][d] * 0.5 * (smooth[upper] - smooth[lower]);
        }
        square += 0.25 * (smooth[upper] - smooth[lower]) * (smooth[upper] - smooth[lower]);
        isOnBorder = isOnBorder || at[axis] == 0 || at[axis] + 1 == grid.size[axis];
        stride *= grid.size[axis];
      }
      const double length = std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      const double weight = isOnBorder ? 0.0 : std::min(std::max(std::sqrt(square) / 0.01 - 1.0, 0.0), 1.0);
      double       across = 0.0;
      Vector       change{};
      for (unsigned int d = 0; d < dimension; ++d)
      {
        change[d] = own[d][n] / weights[n] - whole[d][n];
        across += change[d] * normal[d] / std::max(length, 1e-300);
      }
      for (unsigned int d = 0; d < dimension; ++d)
      {
        const double tangential = change[d] - across * normal[d] / std::max(length, 1e-300);
        const double smoothed = whole[d][n] + weight * tangential;
        const double unchanged = field[n * dimension + d];
        result[n * dimension + d] = isOnBorder ? 0.0 : smoothing.share * smoothed + (1.0 - smoothing.share) * unchanged;
      }
    }
  }
  return result;
}

class FieldsWithRegions : public FieldsOnBackend
{
protected:
  /** Smooths with regions, as a level does. */
  static std::vector<double>
  Smooth(const FieldShape &          shape,
         const SlidingRegions &      map,
         const std::vector<double> & field,
         double                      variance,
         const Residence &           residence)
  {
    const auto          input = Resident(field, shape.element, residence);
    const ResidentArray output(shape.Bytes(), residence);
    const ResidentArray scratch(shape.Bytes(), residence);
    FieldRegions        regions(map, shape, residence);
    regions.Prepare({ { 3.0, variance } }, scratch.Data());
    regions.Smooth(input.Data(), variance, output.Data(), scratch.Data());
    return Numbers(output.Data(), field.size(), shape.element, residence);
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, FieldsWithRegions, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(FieldsWithRegions, SmoothingIsTheFormula)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 31, 27 }, { 25, 21, 17 } })
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const double variance : { 0.3, 3.0 })
      {
        SCOPED_TRACE(Describe(size, type) + " " + std::to_string(variance));
        const FieldShape shape{ RandomGrid(size, random, false), type };
        const auto       map = MakeThree(shape.grid);
        const auto       field = RandomField(shape.grid, 2.0, false, random);
        const auto       found = Smooth(shape, map, field, variance, residence);
        const auto       expected = SmoothPlainly(shape.grid, map, field, variance);
        double           worst = 0.0;
        for (std::size_t n = 0; n < found.size(); ++n)
        {
          worst = std::max(worst, std::abs(found[n] - expected[n]));
        }
        EXPECT_LE(worst, 2.0 * (type == ScalarType::Float64 ? 1e-9 : 1e-3));
        EXPECT_EQ(Smooth(shape, map, field, variance, residence), found);
      }
    }
  }
}

TEST_P(FieldsWithRegions, MotionAlongAPlaneIsFree)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const ScalarType type : FieldTypes)
  {
    const FieldShape    shape{ RandomGrid({ 24, 20, 16 }, random, false), type };
    const FieldGrid &   grid = shape.grid;
    const auto          map = MakeMap(grid, 2, [](const auto & at) { return at[0] < 12 ? 0 : 1; });
    std::vector<double> field;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      // Along the axes of the plane, and across it the same on both sides.
      const double sign = SampleOf(grid, n)[0] < 12 ? 1.0 : -1.0;
      for (unsigned int r = 0; r < 3; ++r)
      {
        field.push_back(sign * (2.0 * grid.indexToPoint[r][1] - grid.indexToPoint[r][2]) +
                        0.5 * grid.indexToPoint[r][0]);
      }
    }
    const auto found = Smooth(shape, map, field, 3.0, residence);
    const auto all = Smooth(shape, {}, field, 3.0, residence);
    double     worst = 0.0;
    double     withoutRegions = 0.0;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const auto at = SampleOf(grid, n);
      const bool isInside = at[0] > 7 && at[0] < 16 && at[1] > 0 && at[1] < 19 && at[2] > 0 && at[2] < 15;
      for (std::size_t i = static_cast<std::size_t>(3 * n); isInside && i < static_cast<std::size_t>(3 * n + 3); ++i)
      {
        worst = std::max(worst, std::abs(found[i] - field[i]));
        withoutRegions = std::max(withoutRegions, std::abs(all[i] - field[i]));
      }
    }
    EXPECT_LE(worst, type == ScalarType::Float64 ? 1e-9 : 1e-3);
    EXPECT_GT(withoutRegions, 0.5);
  }
}

TEST_P(FieldsWithRegions, OneRegionKeepsTheBits)
{
  FreshRandom      random;
  const Residence  residence = this->MakeResidence();
  const FieldShape shape{ RandomGrid({ 19, 17, 11 }, random, false), ScalarType::Float32 };
  const auto       map = MakeMap(shape.grid, 3, [](const auto &) { return 2; });
  const auto       field = RandomField(shape.grid, 2.0, false, random);
  EXPECT_EQ(FieldRegions(map, shape, residence).Data(), nullptr);
  EXPECT_EQ(Smooth(shape, map, field, 3.0, residence), Smooth(shape, {}, field, 3.0, residence));
}

TEST_P(FieldsWithRegions, CompositionsReadTheOwnRegion)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 24, 20 }, { 24, 14, 12 } })
  {
    for (const ScalarType type : FieldTypes)
    {
      const FieldShape    shape{ RandomGrid(size, random), type };
      const FieldGrid &   grid = shape.grid;
      const auto          map = MakeMap(grid, 2, [](const auto & at) { return at[0] < 12 ? 0 : 1; });
      FieldRegions        regions(map, shape, residence);
      const ResidentArray scratch(shape.Bytes(), residence);
      regions.Prepare({ { 3.0, 0.0 } }, scratch.Data());
      const auto          update = RandomField(grid, 0.3, true, random);
      std::vector<double> total;
      for (std::int64_t n = 0; n < grid.Count(); ++n)
      {
        for (unsigned int r = 0; r < grid.dimension; ++r) // along the border
        {
          total.push_back((SampleOf(grid, n)[0] < 12 ? 4.0 : -6.0) * grid.indexToPoint[r][1]);
        }
      }
      const auto displacement = Resident(total, type, residence);
      const auto warping = Resident(update, type, residence);
      const auto plain = Resident(update, type, residence);
      regions.Compose(displacement.Data(), warping.Data());
      ComposeFields(shape, displacement.Data(), shape, plain.Data(), plain.Data(), residence);
      const auto found = Numbers(warping.Data(), total.size(), type, residence);
      const auto mixed = Numbers(plain.Data(), total.size(), type, residence);
      bool       isMixed = false;
      for (std::int64_t n = 0; n < grid.Count(); ++n)
      {
        const auto at = SampleOf(grid, n);
        const bool isInside = at[0] > 1 && at[0] + 2 < grid.size[0] && at[1] > 1 && at[1] + 2 < grid.size[1] &&
                              (grid.dimension == 2 || (at[2] > 1 && at[2] + 2 < grid.size[2]));
        for (auto i = static_cast<std::size_t>(n * grid.dimension);
             isInside && i < static_cast<std::size_t>((n + 1) * grid.dimension);
             ++i)
        {
          ASSERT_NEAR(found[i], total[i] + update[i], 1e-5);
          isMixed = isMixed || std::abs(mixed[i] - found[i]) > 0.1;
          if (at[0] < 10 || at[0] > 13)
          {
            ASSERT_EQ(found[i], mixed[i]);
          }
        }
      }
      EXPECT_TRUE(isMixed);
    }
  }
}

/** Two samples of a fine grid lie between two of the coarse one at the border: a quarter and three quarters. */
TEST_P(FieldsWithRegions, FinerLevelsReadTheOwnRegion)
{
  const Residence residence = this->MakeResidence();
  FieldShape      coarse;
  coarse.grid.dimension = 2;
  coarse.grid.size = { { 12, 10, 1 } };
  coarse.grid.spacing = { { 2.0, 2.0, 1.0 } };
  coarse.grid.indexToPoint = { { { { 2.0, 0.0, 0.0 } }, { { 0.0, 2.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };
  coarse.grid.pointToIndex = Inverse(coarse.grid.indexToPoint, 2);
  FieldShape fine = coarse;
  fine.grid.size = { { 24, 20, 1 } };
  fine.grid.origin = { { -0.5, -0.5, 0.0 } };
  fine.grid.spacing = { { 1.0, 1.0, 1.0 } };
  fine.grid.indexToPoint = { { { { 1.0, 0.0, 0.0 } }, { { 0.0, 1.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };
  fine.grid.pointToIndex = fine.grid.indexToPoint;
  const auto          map = MakeMap(fine.grid, 2, [](const auto & at) { return at[0] < 12 ? 0 : 1; });
  const FieldRegions  regions(map, fine, residence);
  std::vector<double> field;
  for (std::int64_t n = 0; n < coarse.grid.Count(); ++n)
  {
    field.insert(field.end(), 2, SampleOf(coarse.grid, n)[0] < 6 ? 1.0 : -3.0);
  }
  const auto          input = Resident(field, coarse.element, residence);
  const ResidentArray output(fine.Bytes(), residence);
  ResampleField(coarse, input.Data(), fine, output.Data(), residence);
  const auto count = static_cast<std::size_t>(fine.Numbers());
  const auto plain = Numbers(output.Data(), count, fine.element, residence);
  regions.Resample(coarse, input.Data(), output.Data());
  const auto found = Numbers(output.Data(), count, fine.element, residence);
  bool       wasMixed = false;
  for (std::size_t i = 0; i < count; ++i)
  {
    const auto at = SampleOf(fine.grid, static_cast<std::int64_t>(i / 2));
    EXPECT_EQ(found[i], at[0] < 12 ? 1.0 : -3.0);
    wasMixed = wasMixed || plain[i] != found[i];
  }
  EXPECT_TRUE(wasMixed);
}

/** A gap of 3 samples opens at the border: no determinant is limited there. */
TEST_P(FieldsWithRegions, DeterminantsNeglectTheBorder)
{
  const Residence residence = this->MakeResidence();
  FieldShape      shape;
  shape.grid.dimension = 2;
  shape.grid.size = { { 24, 20, 1 } };
  shape.grid.indexToPoint = { { { { 1.0, 0.0, 0.0 } }, { { 0.0, 1.0, 0.0 } }, { { 0.0, 0.0, 1.0 } } } };
  shape.grid.pointToIndex = shape.grid.indexToPoint;
  const auto          map = MakeMap(shape.grid, 2, [](const auto & at) { return at[0] < 12 ? 0 : 1; });
  const FieldRegions  regions(map, shape, residence);
  std::vector<double> after;
  for (std::int64_t n = 0; n < shape.grid.Count(); ++n)
  {
    after.push_back(SampleOf(shape.grid, n)[0] < 12 ? 0.0 : 3.0);
    after.push_back(0.0);
  }
  const auto limit = [&](const std::uint8_t * codes) {
    const auto          before = Resident(std::vector<double>(after.size(), 0.0), shape.element, residence);
    const auto          updated = Resident(after, shape.element, residence);
    const ResidentArray scratch(CountLimitScratch(shape), residence);
    LimitDeterminants(shape, before.Data(), 2.0, updated.Data(), scratch.Data(), residence, codes);
    return Numbers(updated.Data(), after.size(), shape.element, residence);
  };
  EXPECT_EQ(limit(regions.Data()), after);
  EXPECT_NE(limit(nullptr), after);
}

TEST(SlidingRegions, RefusesWhatIsNotSupported)
{
  const Residence  residence{ ExecutionContext() };
  FreshRandom      random;
  const FieldShape shape{ RandomGrid({ 9, 8, 7 }, random, false), ScalarType::Float32 };
  const auto       regionOf = [](const std::array<std::int64_t, 3> & at) { return at[0] < 4 ? 0 : 1; };
  EXPECT_THROW(FieldRegions(MakeMap(shape.grid, MaxSlidingRegions + 1, regionOf), shape, residence),
               std::invalid_argument);
  EXPECT_THROW(FieldRegions(MakeMap(RandomGrid({ 9, 8 }, random, false), 2, regionOf), shape, residence),
               std::invalid_argument);
  DeformableOptions options;
  options.levels = { PyramidLevel() };
  options.regions = MakeMap(shape.grid, 2, regionOf);
  for (const DeformableKind kind : { DeformableKind::Syn, DeformableKind::Demons, DeformableKind::TimeVaryingVelocity })
  {
    options.kind = kind;
    EXPECT_THROW(DeformableRegistration(SynSide(), SynSide(), options, residence), std::invalid_argument);
  }
}
