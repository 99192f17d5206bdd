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

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

using namespace CudaSplineTest;

namespace
{

class FieldOperations : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, FieldOperations, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(FieldOperations, Compose)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  int             inside = 0;
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      SCOPED_TRACE(Describe(size, type));
      std::vector<std::int64_t> otherSize = size;
      otherSize[0] += 3;
      const FieldShape shape{ RandomGrid(size, random), type };
      const FieldShape other{ RandomGrid(otherSize, random), type };
      FieldShape       near = other;
      near.grid.origin = shape.grid.origin; // so that they overlap
      near.grid.start = shape.grid.start;
      const auto    displacement = RandomField(near.grid, 3.0, false, random);
      const auto    warping = RandomField(shape.grid, 3.0, false, random);
      const auto    first = Resident(displacement, type, residence);
      const auto    second = Resident(warping, type, residence);
      ResidentArray output(shape.Bytes(), residence);
      ComposeFields(near, first.Data(), shape, second.Data(), output.Data(), residence);
      const auto   composed = Numbers(output.Data(), warping.size(), type, residence);
      const double bound = InterpolationBound(type, 3.0);
      for (std::int64_t i = 0; i < shape.grid.Count(); ++i)
      {
        Vector expected{};
        if (ComposePlainly(near.grid, displacement, shape.grid, warping, i, expected))
        {
          for (unsigned int d = 0; d < shape.grid.dimension; ++d)
          {
            const auto at = static_cast<std::size_t>(i * shape.grid.dimension + d);
            ASSERT_NEAR(composed[at], expected[d], bound + 0x1p-50 * 100.0) << i;
            inside += composed[at] != warping[at] ? 1 : 0;
          }
        }
      }
      ComposeFields(near, first.Data(), shape, second.Data(), second.Data(), residence); // in place
      EXPECT_EQ(Numbers(second.Data(), warping.size(), type, residence), composed);
    }
  }
  EXPECT_GT(inside, 1000);
}

// NaN maps outside. It does not spread, and only affects samples that have it as a neighbour.
TEST_P(FieldOperations, ComposeNaN)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const ScalarType type : FieldTypes)
  {
    const FieldShape shape{ RandomGrid({ 9, 8, 7 }, random), type };
    const auto       numbers = static_cast<std::size_t>(shape.Numbers());
    const auto       nothing = std::vector<double>(numbers, 0.0);
    auto             spoilt = nothing;
    spoilt[3 * 100] = std::numeric_limits<double>::quiet_NaN();
    const auto    zero = Resident(nothing, type, residence);
    const auto    nan = Resident(spoilt, type, residence);
    ResidentArray output(shape.Bytes(), residence);
    for (const bool warps : { true, false })
    {
      ComposeFields(shape, (warps ? zero : nan).Data(), shape, (warps ? nan : zero).Data(), output.Data(), residence);
      const auto composed = Numbers(output.Data(), numbers, type, residence);
      EXPECT_TRUE(std::isnan(composed[3 * 100]));
      // A point on the grid is an integer index except for rounding: its neighbours may have tiny weights.
      EXPECT_LE(std::count_if(composed.begin(), composed.end(), [](double x) { return std::isnan(x); }),
                warps ? 1 : 27);
    }
  }
}

TEST_P(FieldOperations, NormsScalesAndAverages)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      SCOPED_TRACE(Describe(size, type));
      const FieldShape    shape{ RandomGrid(size, random), type };
      const unsigned int  dimension = shape.grid.dimension;
      auto                field = RandomField(shape.grid, 3.0, false, random);
      const auto          other = RandomField(shape.grid, 3.0, false, random);
      const ResidentArray maximum(sizeof(double), residence);
      const ResidentArray scratch(MaximumNormScratch, residence);
      const auto          data = Resident(field, type, residence);
      FindMaximumNorm(shape, data.Data(), maximum.As<double>(), scratch.Data(), residence);
      double largest = 0.0;
      for (std::size_t i = 0; i < field.size(); i += dimension)
      {
        double norm = 0.0;
        for (unsigned int d = 0; d < dimension; ++d)
        {
          norm += std::pow(field[i + d] / shape.grid.spacing[d], 2.0);
        }
        largest = std::max(largest, std::sqrt(norm));
      }
      const double unit = type == ScalarType::Float32 ? 0x1p-22 : 0x1p-50;
      EXPECT_NEAR(Numbers(maximum.Data(), 1, ScalarType::Float64, residence)[0], largest, unit * largest);
      ScaleField(shape, data.Data(), 0.25, maximum.As<double>(), data.Data(), residence);
      const auto scaled = Numbers(data.Data(), field.size(), type, residence);
      for (std::size_t i = 0; i < field.size(); ++i)
      {
        ASSERT_NEAR(scaled[i], field[i] * 0.25 / largest, 4.0 * unit);
      }
      const auto second = Resident(other, type, residence);
      AverageMidpointFields(shape, data.Data(), second.Data(), residence);
      const auto difference = Numbers(data.Data(), field.size(), type, residence);
      const auto opposite = Numbers(second.Data(), field.size(), type, residence);
      for (std::size_t i = 0; i < field.size(); ++i)
      {
        ASSERT_NEAR(difference[i], scaled[i] - other[i], 4.0 * unit);
        ASSERT_EQ(opposite[i], -difference[i]);
      }
    }
  }
}

// A field of zeros has no norm and is not scaled; NaN is not a maximum.
TEST_P(FieldOperations, NormsOfNothing)
{
  const Residence residence = this->MakeResidence();
  FieldShape      shape;
  shape.grid.size = { 5, 4, 3 };
  std::vector<double> field(180, 0.0);
  const ResidentArray maximum(sizeof(double), residence);
  const ResidentArray scratch(MaximumNormScratch, residence);
  auto                data = Resident(field, shape.element, residence);
  FindMaximumNorm(shape, data.Data(), maximum.As<double>(), scratch.Data(), residence);
  EXPECT_EQ(Numbers(maximum.Data(), 1, ScalarType::Float64, residence)[0], 0.0);
  ScaleField(shape, data.Data(), 0.25, maximum.As<double>(), data.Data(), residence);
  EXPECT_EQ(Numbers(data.Data(), 180, shape.element, residence), field);
  field[7] = std::numeric_limits<double>::quiet_NaN();
  field[100] = -2.0;
  data = Resident(field, shape.element, residence);
  FindMaximumNorm(shape, data.Data(), maximum.As<double>(), scratch.Data(), residence);
  EXPECT_EQ(Numbers(maximum.Data(), 1, ScalarType::Float64, residence)[0], 2.0);
}

TEST_P(FieldOperations, Resample)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      SCOPED_TRACE(Describe(size, type));
      std::vector<std::int64_t> larger = size;
      for (std::int64_t & length : larger)
      {
        length = length * 2 - 1;
      }
      const FieldShape shape{ RandomGrid(size, random), type };
      FieldShape       fine{ RandomGrid(larger, random), type };
      fine.grid.origin = shape.grid.origin;
      const unsigned int  dimension = shape.grid.dimension;
      const auto          field = RandomField(shape.grid, 3.0, false, random);
      const auto          input = Resident(field, type, residence);
      const ResidentArray output(fine.Bytes(), residence);
      ResampleField(shape, input.Data(), fine, output.Data(), residence);
      const auto   found = Numbers(output.Data(), static_cast<std::size_t>(fine.Numbers()), type, residence);
      const double bound = 4.0 * InterpolationBound(type, 3.0) + 1e-12; // the ends of a scanline are also rounded
      for (std::int64_t i = 0; i < fine.grid.Count(); ++i)
      {
        const Vector index = IndexOf(shape.grid, PlaceOf(fine.grid, SampleOf(fine.grid, i)));
        const double depth = Depth(shape.grid, index);
        if (std::abs(depth) < 1e-3)
        {
          continue;
        }
        const Vector expected = depth > 0.0 ? LinearAt(shape.grid, field, dimension, index) : Vector{};
        for (unsigned int d = 0; d < dimension; ++d)
        {
          ASSERT_NEAR(found[static_cast<std::size_t>(i * dimension + d)], expected[d], bound) << i;
        }
      }
    }
  }
}

// The same bits on any number of threads, and for double fields on a device, too.
TEST_P(FieldOperations, AreTheSameBits)
{
  FreshRandom      random;
  const FieldShape shape{ RandomGrid({ 45, 26, 13 }, random, false), ScalarType::Float64 };
  const auto       field = RandomField(shape.grid, 1.5, true, random);
  const auto       other = RandomField(shape.grid, 1.5, false, random);
  const auto       run = [&](const Residence & residence) {
    const ScalarType    type = shape.element;
    const auto          one = Resident(field, type, residence);
    const auto          two = Resident(other, type, residence);
    const ResidentArray output(shape.Bytes(), residence);
    const ResidentArray inverse(shape.Bytes(), residence);
    const ResidentArray scratch(CountInversionScratch(shape), residence);
    const ResidentArray state(sizeof(FieldInversionState), residence);
    ClearResident(inverse.Data(), shape.Bytes(), residence);
    InvertField(
      shape, one.Data(), inverse.Data(), FieldInversion(), state.As<FieldInversionState>(), scratch.Data(), residence);
    ComposeFields(shape, inverse.Data(), shape, two.Data(), output.Data(), residence);
    SmoothField(shape, output.Data(), MakeFieldSmoothing(shape.grid, 3.0), inverse.Data(), scratch.Data(), residence);
    auto                numbers = Numbers(inverse.Data(), field.size(), type, residence);
    FieldInversionState came;
    Download(&came, state.Data(), sizeof(came), residence);
    EXPECT_GT(came.iterations, 1);
    numbers.push_back(came.meanError);
    numbers.push_back(came.maximumError);
    numbers.push_back(came.iterations);
    return numbers;
  };
  const auto expected = run(Residence(ExecutionContext()));
  const auto found = run(this->MakeResidence());
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);
}

TEST(FieldErrors, AreInvalidArguments)
{
  const Residence     residence{ ExecutionContext() };
  std::vector<double> data(64);
  FieldShape          shape;
  shape.grid.size = { 2, 2, 2 };
  shape.element = ScalarType::Int16;
  EXPECT_THROW(ComposeFields(shape, data.data(), shape, data.data(), data.data(), residence), std::invalid_argument);
  shape.element = ScalarType::Float32;
  shape.grid.dimension = 2; // with slices
  EXPECT_THROW(ComposeFields(shape, data.data(), shape, data.data(), data.data(), residence), std::invalid_argument);
  shape.grid.dimension = 4;
  EXPECT_THROW(ScaleField(shape, data.data(), 1.0, data.data(), data.data(), residence), std::invalid_argument);
  shape.grid.dimension = 3;
  FieldShape other = shape;
  other.element = ScalarType::Float64;
  EXPECT_THROW(ResampleField(shape, data.data(), other, data.data(), residence), std::invalid_argument);
  FieldSmoothing smoothing;
  EXPECT_THROW(SmoothField(shape, data.data(), smoothing, data.data(), data.data(), residence), std::invalid_argument);
  shape.grid.size[1] = 0;
  EXPECT_THROW(AverageMidpointFields(shape, data.data(), data.data(), residence), std::invalid_argument);
}
