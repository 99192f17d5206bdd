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
#include "FieldCase.h"

#include "kernels/fields/smoothing/SlabSmoothing.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace CudaSplineTest;

namespace
{

class FieldSmoothings : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, FieldSmoothings, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(FieldSmoothings, Smooth)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const double variance : { 0.2, 0.5, 3.0, 40.0 })
      {
        for (const bool blends : { true, false })
        {
          SCOPED_TRACE(Describe(size, type) + " variance " + std::to_string(variance));
          const FieldShape   shape{ RandomGrid(size, random), type };
          const unsigned int dimension = shape.grid.dimension;
          FieldSmoothing     smoothing = MakeFieldSmoothing(shape.grid, variance);
          smoothing.blends = blends;
          const auto    field = RandomField(shape.grid, 3.0, false, random);
          const auto    input = Resident(field, type, residence);
          ResidentArray output(shape.Bytes(), residence);
          ResidentArray scratch(CountSmoothingScratch(shape, smoothing, residence.GetBackend()), residence);
          SmoothField(shape, input.Data(), smoothing, output.Data(), scratch.Data(), residence);
          const auto   smoothed = Numbers(output.Data(), field.size(), type, residence);
          auto         expected = field;
          std::int64_t stride = dimension;
          for (unsigned int d = 0; d < dimension; ++d)
          {
            const auto from = expected;
            const auto radius = static_cast<std::int64_t>(smoothing.weights[d].size() / 2);
            for (std::int64_t i = 0; i < static_cast<std::int64_t>(from.size()); ++i)
            {
              const std::int64_t at = i / stride % shape.grid.size[d];
              double             sum = 0.0;
              for (std::int64_t k = -radius; k <= radius; ++k)
              {
                const std::int64_t there = std::clamp(at + k, std::int64_t{ 0 }, shape.grid.size[d] - 1);
                sum += smoothing.weights[d][static_cast<std::size_t>(k + radius)] *
                       from[static_cast<std::size_t>(i + (there - at) * stride)];
              }
              expected[static_cast<std::size_t>(i)] = sum;
            }
            stride *= shape.grid.size[d];
          }
          const double unit = type == ScalarType::Float32 ? 0x1p-24 : 0x1p-53;
          // Each axis has as many roundings of products and sums as there are weights, and one of each weight.
          const double bound = 3.0 * unit * dimension * (2.0 * static_cast<double>(smoothing.weights[0].size()) + 4.0);
          for (std::size_t i = 0; i < field.size(); ++i)
          {
            if (blends)
            {
              expected[i] = IsBorder(shape.grid, static_cast<std::int64_t>(i / dimension))
                              ? 0.0
                              : smoothing.share * expected[i] + (1.0 - smoothing.share) * field[i];
            }
            ASSERT_NEAR(smoothed[i], expected[i], bound) << i;
          }
          EXPECT_EQ(Numbers(input.Data(), field.size(), type, residence), field);
        }
      }
    }
  }
}

/** Slabs have the bits of the whole, with any workspace: the smallest one, a larger one, and one for the whole field.
 */
TEST_P(FieldSmoothings, SlabsHaveTheBitsOfTheWhole)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const std::vector<std::int64_t> & size :
       { std::vector<std::int64_t>{ 9, 131 }, { 7, 5, 90 }, { 33, 9, 41 }, { 8, 6, 1 }, { 5, 4, 2 } })
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const double variance : { 0.001, 0.3, 3.0, 20.0 })
      {
        for (const bool blends : { true, false })
        {
          SCOPED_TRACE(Describe(size, type) + " variance " + std::to_string(variance));
          const FieldShape shape{ RandomGrid(size, random, !blends), type };
          FieldSmoothing   smoothing = MakeFieldSmoothing(shape.grid, variance);
          smoothing.blends = blends;
          ASSERT_TRUE(CanSmoothInSlabs(shape, smoothing));
          const auto    field = RandomField(shape.grid, 3.0, false, random);
          const auto    input = Resident(field, type, residence);
          ResidentArray output(shape.Bytes(), residence);
          ResidentArray scratch(CountSmoothingScratch(shape, smoothing, residence.GetBackend()), residence);
          SmoothField(shape, input.Data(), smoothing, output.Data(), scratch.Data(), residence);
          const auto        whole = Numbers(output.Data(), field.size(), type, residence);
          const std::size_t least = CountSlabBytes(shape, smoothing, residence.GetBackend());
          EXPECT_LE(least, output.Bytes() + scratch.Bytes());
          for (const std::size_t bytes : { least, (3 * least) / 2, output.Bytes() + scratch.Bytes() })
          {
            const auto    inPlace = Resident(field, type, residence);
            ResidentArray workspace(bytes, residence);
            SmoothFieldInPlace(shape, inPlace.Data(), smoothing, workspace.Data(), bytes, residence);
            EXPECT_EQ(Numbers(inPlace.Data(), field.size(), type, residence), whole) << bytes;
          }
        }
      }
    }
  }
}

/** The border is not the first and the last slice if indices do not start at 0; see IsOnBorder(). */
TEST(FieldSmoothing, SlabsNeedAStartAtZero)
{
  FieldShape shape;
  shape.grid.size = { { 8, 8, 90 } };
  FieldSmoothing smoothing = MakeFieldSmoothing(shape.grid, 1.0);
  EXPECT_TRUE(CanSmoothInSlabs(shape, smoothing));
  shape.grid.start[2] = -2;
  EXPECT_FALSE(CanSmoothInSlabs(shape, smoothing));
  smoothing.blends = false;
  EXPECT_TRUE(CanSmoothInSlabs(shape, smoothing));
  std::vector<float> field(static_cast<std::size_t>(shape.Numbers()));
  EXPECT_THROW(SmoothFieldInPlace(shape, field.data(), smoothing, field.data(), 100, Residence(ExecutionContext())),
               std::invalid_argument);
}

// exp(-t) I_n(t) is the mean of exp(t (cos a - 1)) cos(n a) over the circle; ITK's approximation is accurate to some
// 1e-7.
TEST(FieldSmoothing, HasTheDiscreteGaussian)
{
  FieldGrid grid;
  grid.size = { 1000, 1000, 1000 };
  for (const double variance : { 0.1, 0.5, 1.0, 3.0, 4.0, 20.0 })
  {
    for (const double error : { 0.001, 0.01 })
    {
      const FieldSmoothing smoothing = MakeFieldSmoothing(grid, variance, error);
      const auto &         weights = smoothing.weights[0];
      const auto           radius = static_cast<int>(weights.size() / 2);
      double               sum = 0.0;
      for (const double weight : weights)
      {
        sum += weight;
      }
      EXPECT_NEAR(sum, 1.0, 1e-14);
      double known = 0.0;
      for (int n = -radius; n <= radius; ++n)
      {
        constexpr int steps = 4096;
        double        mean = 0.0;
        for (int i = 0; i < steps; ++i)
        {
          const double a = 2.0 * 3.14159265358979323846 * i / steps;
          mean += std::exp(variance * (std::cos(a) - 1.0)) * std::cos(n * a) / steps;
        }
        known += mean;
        EXPECT_EQ(weights[static_cast<std::size_t>(radius + n)], weights[static_cast<std::size_t>(radius - n)]);
        EXPECT_NEAR(weights[static_cast<std::size_t>(radius + n)], mean, error) << n;
      }
      EXPECT_GE(known, 1.0 - error - 1e-6);
      EXPECT_LE(weights.size(), 201U);
    }
  }
  grid.size = { 5, 5, 5 };
  EXPECT_EQ(MakeFieldSmoothing(grid, 20.0).weights[0].size(), 11U); // one more than the width, from the middle on
  EXPECT_EQ(MakeFieldSmoothing(grid, 20.0, 0.001, 8).weights[0].size(), 17U);
  EXPECT_THROW(MakeFieldSmoothing(grid, 0.0), std::invalid_argument);
  EXPECT_THROW(MakeFieldSmoothing(grid, 1.0, 0.0), std::invalid_argument);
}
