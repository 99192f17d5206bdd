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
// Sums over boxes of voxels. Expected: plain loops in the same order give the same bits on each backend, also for parts
// of images, strides that do not divide the boxes, voxels that are not finite, and masks on another grid. The centre of
// gravity of an image is the same on both backends.

#include "../fields/FieldCase.h"

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "kernels/registration/images/BoxSums.h"
#include "kernels/registration/images/SpatialMask.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

using Sizes = VoxelBoxes::Sizes;

class Boxes : public FieldsOnBackend
{
protected:
  /** Values, some of which are not finite. */
  static std::vector<double>
  RandomValues(const FieldGrid & grid, FreshRandom & random)
  {
    std::vector<double> values(static_cast<std::size_t>(grid.Count()));
    for (double & value : values)
    {
      const double choice = random.Uniform(0.0, 1.0);
      value = static_cast<double>(static_cast<float>(random.Uniform(-100.0, 1000.0)));
      value = choice < 0.02 ? std::numeric_limits<double>::quiet_NaN()
                            : (choice < 0.04 ? std::numeric_limits<double>::infinity() : value);
    }
    return values;
  }

  /** A part of a grid, and boxes whose size does not divide it. */
  static VoxelBoxes
  RandomBoxes(const FieldGrid & grid, FreshRandom & random)
  {
    VoxelBoxes boxes;
    boxes.part = grid;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      const auto first = static_cast<std::int64_t>(random.Uniform(0.0, 0.5) * static_cast<double>(grid.size[d]));
      boxes.part.start[d] = grid.start[d] + first;
      boxes.part.size[d] = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(random.Uniform(0.5, 1.0) * static_cast<double>(grid.size[d] - first)));
      boxes.width[d] = 1 + static_cast<std::int64_t>(random.Uniform(0.0, 7.0));
      boxes.stride[d] = 1 + static_cast<std::int64_t>(random.Uniform(0.0, 3.0));
    }
    return boxes;
  }

  /** The expected result of SumBoxes(), from a loop over the voxels of the image. */
  static void
  SumPlainly(const FieldGrid &           grid,
             const std::vector<double> & values,
             const SpatialMask &         mask,
             const VoxelBoxes &          boxes,
             std::vector<BoxSum> &       sums,
             std::vector<BoxMoments> &   moments)
  {
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const auto        at = SampleOf(grid, n);
      std::size_t       box = 0;
      bool              isRead = true;
      FieldGrid::Vector index{};
      for (unsigned int d = grid.dimension; d-- > 0;)
      {
        const std::int64_t offset = grid.start[d] + at[d] - boxes.part.start[d];
        const std::int64_t count = (boxes.part.size[d] + boxes.width[d] - 1) / boxes.width[d];
        isRead = isRead && offset >= 0 && offset < boxes.part.size[d] && offset % boxes.stride[d] == 0;
        box = box * static_cast<std::size_t>(count) +
              static_cast<std::size_t>(std::clamp<std::int64_t>(offset / boxes.width[d], 0, count - 1));
        index[d] = static_cast<double>(grid.start[d] + at[d]);
      }
      const double value = values[static_cast<std::size_t>(n)];
      if (!isRead || !std::isfinite(value))
      {
        continue;
      }
      BoxSum & sum = sums[box];
      sum.lowest = std::min(sum.lowest, value);
      if (!mask.IsInside(PlaceOfIndex(grid, index)))
      {
        continue;
      }
      sum.sum += value;
      sum.count += 1.0;
      sum.least = std::min(sum.least, value);
      sum.largest = std::max(sum.largest, value);
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        moments[box].indices[d] += index[d];
        moments[box].moments[d] += value * index[d];
      }
    }
  }

  static void
  ExpectEqual(const BoxSum & found, const BoxSum & expected)
  {
    EXPECT_EQ(found.sum, expected.sum);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.lowest, expected.lowest);
    EXPECT_EQ(found.least, expected.least);
    EXPECT_EQ(found.largest, expected.largest);
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, Boxes, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(Boxes, HaveTheSumsOfPlainLoops)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const bool isMasked : { false, true })
      {
        SCOPED_TRACE(Describe(size, type));
        const FieldGrid           grid = RandomGrid(size, random);
        const std::vector<double> values = RandomValues(grid, random);
        const FieldGrid           maskGrid = RandomGrid(size, random);
        std::vector<std::uint8_t> marks(static_cast<std::size_t>(maskGrid.Count()));
        std::generate(marks.begin(), marks.end(), [&] { return random.Uniform(0.0, 1.0) < 0.7 ? 3 : 0; });
        const auto        pixels = Resident(values, type, residence);
        const MaskedImage image{ grid, type, pixels.Data(), maskGrid, marks.data() };
        const VoxelBoxes  boxes = RandomBoxes(grid, random);

        std::vector<BoxMoments>   moments;
        const std::vector<BoxSum> found = SumBoxes(image, isMasked, boxes, residence, &moments);
        std::vector<BoxSum>       sums(found.size());
        std::vector<BoxMoments>   expected(found.size());
        SumPlainly(grid, values, SpatialMask(maskGrid, isMasked ? marks.data() : nullptr), boxes, sums, expected);
        ASSERT_EQ(moments.size(), found.size());
        const std::vector<BoxSum> alone = SumBoxes(image, isMasked, boxes, residence);
        for (std::size_t n = 0; n < found.size(); ++n)
        {
          ExpectEqual(found[n], sums[n]);
          ExpectEqual(alone[n], sums[n]);
          for (unsigned int d = 0; d < grid.dimension; ++d)
          {
            EXPECT_EQ(moments[n].indices[d], expected[n].indices[d]);
            EXPECT_EQ(moments[n].moments[d], expected[n].moments[d]);
          }
        }
      }
    }
  }
}

TEST_P(Boxes, GiveTheSameCentreOnBothBackends)
{
  FreshRandom               random;
  const Residence           residence = this->MakeResidence();
  const FieldGrid           grid = RandomGrid({ 41, 23, 9 }, random);
  const std::vector<double> values = RandomValues(grid, random);
  const auto                pixels = Resident(values, ScalarType::Float64, residence);
  const auto found = FindCentreOfGravity({ grid, ScalarType::Float64, pixels.Data(), {}, nullptr }, residence);
  const auto onHost =
    FindCentreOfGravity({ grid, ScalarType::Float64, values.data(), {}, nullptr }, Residence(ExecutionContext()));
  ASSERT_TRUE(found && onHost);
  EXPECT_EQ(*found, *onHost);
}

TEST_P(Boxes, RefuseOtherPixels)
{
  const Residence           residence = this->MakeResidence();
  FreshRandom               random;
  const FieldGrid           grid = RandomGrid({ 5, 4 }, random);
  std::vector<std::uint8_t> bytes(20);
  VoxelBoxes                boxes;
  boxes.part = grid;
  EXPECT_THROW(SumBoxes({ grid, ScalarType::UInt8, bytes.data(), {}, nullptr }, false, boxes, residence),
               std::invalid_argument);
}
