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

#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/kernels/fields/VelocityField.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

using namespace CudaSplineTest;

namespace
{

class SplineFields : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, SplineFields, testing::Bool(), NameOfBackend);

double
CubicSpline(double x)
{
  const double a = std::abs(x);
  return a < 1.0 ? 2.0 / 3.0 - a * a * (1.0 - 0.5 * a) : (a < 2.0 ? (2.0 - a) * (2.0 - a) * (2.0 - a) / 6.0 : 0.0);
}

/** Returns a spline whose grid is parallel to that of an image, with a number of cells by axis. */
TransformChain::Stage
ParallelSpline(const FieldGrid & grid, double cells, FreshRandom & random, std::vector<double> & coefficients)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::BSpline;
  Vector corner{};
  for (unsigned int d = 0; d < 3; ++d)
  {
    const double cell = static_cast<double>(grid.size[d]) / cells; // samples
    stage.size[d] = static_cast<std::int64_t>(cells) + 3;
    for (unsigned int c = 0; c < 3; ++c)
    {
      stage.pointToIndex[d][c] = grid.pointToIndex[d][c] / cell;
    }
    corner[d] = static_cast<double>(grid.start[d]) + 1.2 - cell; // index of the first coefficient
  }
  for (unsigned int r = 0; r < 3; ++r)
  {
    stage.origin[r] = grid.origin[r];
    for (unsigned int c = 0; c < 3; ++c)
    {
      stage.origin[r] += grid.indexToPoint[r][c] * corner[c];
    }
  }
  coefficients.resize(static_cast<std::size_t>(TransformChain::CountOf(stage, 3)));
  for (double & coefficient : coefficients)
  {
    coefficient = random.Uniform(-3.0, 3.0);
  }
  return stage;
}

} // namespace

TEST_P(SplineFields, OfCoefficients)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : { std::vector<std::int64_t>{ 41, 23, 9 }, { 37, 19, 17 }, { 7, 1, 5 }, { 3, 2, 1 } })
  {
    for (const double cells : { 1.0, 3.0, 40.0 })
    {
      for (const ScalarType type : FieldTypes)
      {
        SCOPED_TRACE(Describe(size, type) + " cells " + std::to_string(cells));
        const FieldShape    shape{ RandomGrid(size, random), type };
        std::vector<double> coefficients;
        auto                stage = ParallelSpline(shape.grid, cells, random, coefficients);
        const auto data = std::make_shared<ResidentArray>(Resident(coefficients, ScalarType::Float64, residence));
        stage.data = std::shared_ptr<const double>(data, data->As<double>());
        const ResidentArray output(shape.Bytes(), residence);
        const ResidentArray scratch(CountSplineFieldScratch(shape), residence);
        MakeSplineField(stage, shape, output.Data(), scratch.Data(), residence);
        const auto   found = Numbers(output.Data(), static_cast<std::size_t>(shape.Numbers()), type, residence);
        const auto   plane = stage.size[0] * stage.size[1] * stage.size[2];
        const double bound = 3.0 * 32.0 * (type == ScalarType::Float32 ? 0x1p-23 : 0x1p-43);
        for (std::int64_t i = 0; i < shape.grid.Count(); ++i)
        {
          const Vector place = PlaceOf(shape.grid, SampleOf(shape.grid, i));
          Vector       index{};
          double       depth = 1e300;
          for (unsigned int r = 0; r < 3; ++r)
          {
            for (unsigned int c = 0; c < 3; ++c)
            {
              index[r] += stage.pointToIndex[r][c] * (place[c] - stage.origin[c]);
            }
            depth = std::min({ depth, index[r] - 1.0, static_cast<double>(stage.size[r]) - 2.0 - index[r] });
          }
          if (std::abs(depth) < 1e-8)
          {
            continue;
          }
          Vector        expected{};
          constexpr int width = 6; // coefficients along an axis, four of which have a weight
          for (int tap = 0; tap < width * width * width && depth > 0.0; ++tap)
          {
            const int    taps[3] = { tap % width, tap / width % width, tap / width / width };
            double       weight = 1.0;
            std::int64_t at = 0;
            for (unsigned int d = 3; d-- > 0;)
            {
              const auto k = static_cast<std::int64_t>(std::floor(index[d])) - 2 + taps[d];
              weight *= k >= 0 && k < stage.size[d] ? CubicSpline(index[d] - static_cast<double>(k)) : 0.0;
              at = at * stage.size[d] + k;
            }
            for (unsigned int c = 0; c < 3 && weight != 0.0; ++c)
            {
              expected[c] += weight * coefficients[static_cast<std::size_t>(c * plane + at)];
            }
          }
          for (unsigned int c = 0; c < 3; ++c)
          {
            ASSERT_NEAR(found[static_cast<std::size_t>(3 * i + c)], expected[c], bound) << i;
          }
        }
      }
    }
  }
}

// A grid that is rotated relative to the spline's, 2D, and other orders: same as a chain of this stage.
TEST_P(SplineFields, OfOthersAreThoseOfTheChain)
{
  FreshRandom      random;
  const Residence  residence = this->MakeResidence();
  const FieldShape shape{ RandomGrid({ 17, 11, 7 }, random), ScalarType::Float64 };
  for (const int order : { 1, 2, 3 })
  {
    std::vector<double> coefficients;
    auto                stage = ParallelSpline(shape.grid, 4.0, random, coefficients);
    stage.order = order;
    if (order == 3)
    {
      stage.pointToIndex[0][2] += 0.01;
    }
    const auto data = std::make_shared<ResidentArray>(Resident(coefficients, ScalarType::Float64, residence));
    stage.data = std::shared_ptr<const double>(data, data->As<double>());
    const ResidentArray output(shape.Bytes(), residence);
    const ResidentArray expected(shape.Bytes(), residence);
    const ResidentArray scratch(CountSplineFieldScratch(shape), residence);
    MakeSplineField(stage, shape, output.Data(), scratch.Data(), residence);
    MakeField({ stage }, shape, expected.Data(), residence);
    const auto count = static_cast<std::size_t>(shape.Numbers());
    EXPECT_EQ(Numbers(output.Data(), count, ScalarType::Float64, residence),
              Numbers(expected.Data(), count, ScalarType::Float64, residence));
  }
  EXPECT_THROW(MakeSplineField(TransformChain::Stage(), shape, nullptr, nullptr, residence), std::invalid_argument);
}

// Compares with the sums over all points that define the approximation.
TEST_P(SplineFields, Smooth)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const std::array<std::int64_t, 3> & points :
       { std::array<std::int64_t, 3>{ 4, 4, 4 }, std::array<std::int64_t, 3>{ 7, 5, 9 } })
  {
    for (const bool stationary : { true, false })
    {
      for (const ScalarType type : FieldTypes)
      {
        FieldShape           shape{ RandomGrid({ 11, 9, 6 }, random, false), type };
        const auto           field = RandomField(shape.grid, 3.0, false, random);
        const auto           input = Resident(field, type, residence);
        const FieldSplineFit rules{ points, stationary };
        const ResidentArray  output(shape.Bytes(), residence);
        const ResidentArray  scratch(CountSplineSmoothingScratch(shape, rules), residence);
        SmoothFieldBySpline(shape, input.Data(), nullptr, rules, output.Data(), scratch.Data(), residence);
        const auto found = Numbers(output.Data(), field.size(), type, residence);

        const auto & size = shape.grid.size;
        const auto   placeOf = [&](unsigned int axis, std::int64_t sample) {
          const auto   spans = static_cast<double>(points[axis] - 3);
          const double step = spans / static_cast<double>(size[axis] - 1);
          return sample == size[axis] - 1 ? spans - 1e-3 * step : step * static_cast<double>(sample);
        };
        const auto weightOf = [&](std::int64_t point, const std::array<std::int64_t, 3> & at) {
          const std::array<std::int64_t, 3> control{ point % points[0],
                                                     point / points[0] % points[1],
                                                     point / points[0] / points[1] };
          double                            weight = 1.0;
          for (unsigned int d = 0; d < 3; ++d)
          {
            weight *= CubicSpline(placeOf(d, at[d]) + 1.0 - static_cast<double>(control[d]));
          }
          return weight;
        };
        const std::int64_t  count = points[0] * points[1] * points[2];
        std::vector<Vector> sums(static_cast<std::size_t>(count));
        std::vector<double> totals(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < shape.grid.Count(); ++i)
        {
          const auto at = SampleOf(shape.grid, i);
          const bool fixed = stationary && IsBorder(shape.grid, i);
          double     squares = 0.0;
          for (std::int64_t point = 0; point < count; ++point)
          {
            squares += std::pow(weightOf(point, at), 2.0);
          }
          for (std::int64_t point = 0; point < count; ++point)
          {
            const double weight = weightOf(point, at);
            totals[static_cast<std::size_t>(point)] += weight * weight * (fixed ? 1e10 : 1.0);
            for (unsigned int c = 0; c < 3 && !fixed; ++c)
            {
              sums[static_cast<std::size_t>(point)][c] +=
                std::pow(weight, 3.0) / squares * field[static_cast<std::size_t>(3 * i + c)];
            }
          }
        }
        for (std::int64_t i = 0; i < shape.grid.Count(); ++i)
        {
          const auto at = SampleOf(shape.grid, i);
          Vector     expected{};
          for (std::int64_t point = 0; point < count; ++point)
          {
            const double total = totals[static_cast<std::size_t>(point)];
            for (unsigned int c = 0; c < 3 && total > 0.0; ++c)
            {
              expected[c] += weightOf(point, at) * sums[static_cast<std::size_t>(point)][c] / total;
            }
          }
          for (unsigned int c = 0; c < 3; ++c)
          {
            // Sums of up to some hundred positive weights, and a difference of these.
            ASSERT_NEAR(found[static_cast<std::size_t>(3 * i + c)],
                        expected[c],
                        type == ScalarType::Float32 ? 3.0 * 32.0 * 0x1p-23 : 3e-11)
              << i;
          }
        }
      }
    }
  }
  FieldShape shape{ RandomGrid({ 5, 5, 5 }, random, false), ScalarType::Float32 };
  EXPECT_THROW(SmoothFieldBySpline(shape, nullptr, nullptr, { { 4, 3, 4 }, true }, nullptr, nullptr, residence),
               std::invalid_argument);
  shape.grid.start[1] = 2;
  EXPECT_THROW(SmoothFieldBySpline(shape, nullptr, nullptr, {}, nullptr, nullptr, residence), std::invalid_argument);
}

// The exponential of a constant field is that field; that of the negative field is approximately the inverse.
TEST_P(SplineFields, Exponentials)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const ScalarType type : FieldTypes)
  {
    const FieldShape    shape{ RandomGrid({ 33, 21, 12 }, random), type };
    const auto          count = static_cast<std::size_t>(shape.Numbers());
    std::vector<double> constant(count);
    for (std::size_t i = 0; i < count; ++i)
    {
      constant[i] = 1.0 + static_cast<double>(i % 3);
    }
    const ResidentArray output(shape.Bytes(), residence);
    const ResidentArray scratch(shape.Bytes(), residence);
    for (const unsigned int squarings : { 0U, 1U, 6U })
    {
      const auto velocity = Resident(constant, type, residence);
      ExponentiateField(shape, velocity.Data(), squarings, true, output.Data(), scratch.Data(), residence);
      const auto found = Numbers(output.Data(), count, type, residence);
      for (std::size_t i = 0; i < count; ++i)
      {
        ASSERT_NEAR(found[i], -constant[i], type == ScalarType::Float32 ? 1e-5 : 1e-13);
      }
    }
    EXPECT_THROW(ExponentiateField(shape, output.Data(), 32, false, output.Data(), scratch.Data(), residence),
                 std::invalid_argument);
  }
}

// On the backend of the arrays the bits are those of the host, also for fields that fold or contain NaN.
TEST_P(SplineFields, Folding)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      const FieldShape shape{ RandomGrid(size, random), type };
      const auto       count = static_cast<std::size_t>(shape.grid.Count());
      auto             field = RandomField(shape.grid, 3.0, false, random);
      if (count > 20)
      {
        field[field.size() / 2] = std::nan("");
      }
      const Residence     host{ ExecutionContext() };
      const auto          input = Resident(field, type, residence);
      const auto          same = Resident(field, type, host);
      const ResidentArray output(count * SizeOf(type), residence);
      const ResidentArray expected(count * SizeOf(type), host);
      for (const bool isLogarithm : { false, true })
      {
        const FieldFolding found = MeasureFolding(shape, input.Data(), output.Data(), isLogarithm, residence);
        const FieldFolding wanted = MeasureFolding(shape, same.Data(), expected.Data(), isLogarithm, host.GetContext());
        EXPECT_EQ(found.voxels, wanted.voxels);
        EXPECT_EQ(found.all, wanted.all);
        EXPECT_EQ(found.least, wanted.least);
        EXPECT_EQ(found.largest, wanted.largest);
        const auto numbers = Numbers(output.Data(), count, type, residence);
        const auto others = Numbers(expected.Data(), count, type, host);
        for (std::size_t i = 0; i < count; ++i)
        {
          if (std::isnan(others[i]))
          {
            EXPECT_TRUE(std::isnan(numbers[i]));
          }
          else if (isLogarithm) // each library has its own
          {
            EXPECT_NEAR(numbers[i], others[i], 10.0 * (type == ScalarType::Float32 ? 0x1p-24 : 0x1p-52));
          }
          else
          {
            EXPECT_EQ(numbers[i], others[i]);
          }
        }
      }
      EXPECT_EQ(MeasureFolding(shape, input.Data(), nullptr, false, residence).all, shape.grid.Count());
    }
  }
}

// For a linear map the determinant is that of the matrix, inside the border; constants have 1.
TEST_P(SplineFields, JacobianDeterminants)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const bool isRotated : { false, true })
      {
        for (const ScalarType real : FieldTypes)
        {
          const FieldShape   shape{ RandomGrid(size, random), type };
          const unsigned int dimension = shape.grid.dimension;
          const auto         field = RandomField(shape.grid, 1.0, false, random);
          FieldDerivatives   derivatives;
          double             cosines[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
          if (isRotated)
          {
            derivatives.direction.emplace();
          }
          for (unsigned int d = 0; d < dimension; ++d)
          {
            derivatives.weights[d] = 0.5 / shape.grid.spacing[d];
            for (unsigned int e = 0; e < dimension && isRotated; ++e)
            {
              cosines[d][e] = (*derivatives.direction)[d][e] = shape.grid.indexToPoint[d][e] / shape.grid.spacing[e];
            }
          }
          const auto          input = Resident(field, type, residence);
          const ResidentArray output(static_cast<std::size_t>(shape.grid.Count()) * SizeOf(real), residence);
          FindJacobianDeterminants(shape, input.Data(), derivatives, real, output.Data(), residence);
          const auto found = Numbers(output.Data(), static_cast<std::size_t>(shape.grid.Count()), real, residence);
          for (std::int64_t i = 0; i < shape.grid.Count(); ++i)
          {
            const auto   at = SampleOf(shape.grid, i);
            double       m[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
            std::int64_t stride = 1;
            for (unsigned int d = 0; d < dimension; ++d)
            {
              const std::int64_t above = at[d] + 1 < shape.grid.size[d] ? i + stride : i;
              const std::int64_t below = at[d] > 0 ? i - stride : i;
              for (unsigned int c = 0; c < dimension; ++c)
              {
                const double slope = derivatives.weights[d] * (field[static_cast<std::size_t>(above * dimension + c)] -
                                                               field[static_cast<std::size_t>(below * dimension + c)]);
                for (unsigned int p = 0; p < dimension; ++p)
                {
                  m[p][c] += cosines[p][d] * slope;
                }
              }
              stride *= shape.grid.size[d];
            }
            const double expected = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                    m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                    m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
            // Slopes up to 2 and 1 more, rotated ones up to sqrt(3) times as much: products of up to 27 or 90, one or
            // two dozen of roundings.
            ASSERT_NEAR(found[static_cast<std::size_t>(i)],
                        expected,
                        6.0 * (isRotated ? 90.0 * 8.0 : 27.0 * 4.0) * (real == ScalarType::Float32 ? 0x1p-24 : 0x1p-53))
              << i;
          }
        }
      }
    }
  }
}
