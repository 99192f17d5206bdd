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
// Arrays by the rules of scipy.ndimage: values are compared with sums in long double over folded taps, maps with lists
// of their coordinates, filters with the samples that they must reproduce. Tests in test/python compare with SciPy
// itself.

#include "ArrayCase.h"
#include "ReferenceBSpline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Returns the value of coefficients at a coordinate, axis by axis from the last: weights in long double, folded taps.
 */
long double
Sum(const StridedArray & array,
    unsigned int         order,
    ArrayMode            mode,
    const double *       x,
    unsigned int         axis,
    std::int64_t         at)
{
  if (axis == array.dimension)
  {
    return static_cast<const double *>(array.data)[at];
  }
  const auto  first = static_cast<std::int64_t>(std::floor(order % 2 == 1 ? x[axis] : x[axis] + 0.5)) - order / 2;
  long double sum = 0;
  for (std::int64_t tap = first; tap <= first + order; ++tap)
  {
    const long double  weight = order == 0 ? 1 : BSpline(order, static_cast<long double>(x[axis]) - tap);
    const std::int64_t folded = FoldIndex(tap, array.size[axis], TapExtensionOf(mode));
    sum += weight * (folded < 0 ? static_cast<long double>(Border)
                                : Sum(array, order, mode, x, axis + 1, at + folded * array.stride[axis]));
  }
  return sum;
}

constexpr double Tolerance =
  1e-12; // for samples up to 1: 2^-53 times some hundreds, due to the norms of the prefilters

} // namespace

TEST(ArrayInterpolation, ListsOfCoordinatesInAllModesAndOrders)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 9 }, Shape{ 1 }, Shape{ 6, 11 }, Shape{ 5, 2, 7 }, Shape{ 2, 3, 1, 4 } })
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        constexpr std::int64_t points = 40;
        ArrayCase              test(shape, { points }, random);
        std::vector<double>    coordinates;
        for (const std::int64_t size : shape)
        {
          for (std::int64_t i = 0; i < points; ++i)
          {
            const auto length = static_cast<double>(size);
            coordinates.push_back(i % 4 == 0 ? 0.5 * static_cast<double>(random.Integer(-2 * size, 3 * size))
                                             : random.Uniform(-length, 2.0 * length));
          }
        }
        test.interpolation.mode = mode;
        test.interpolation.order = order;
        test.interpolation.prefilter = false;
        test.interpolation.coordinates = coordinates.data();
        test.interpolation.coordinateStride = points;
        InterpolateArray(test.interpolation, OnHost());
        for (std::int64_t i = 0; i < points; ++i)
        {
          double x[4];
          bool   inside = true;
          for (std::size_t d = 0; d < shape.size(); ++d)
          {
            x[d] = coordinates[d * points + static_cast<std::size_t>(i)];
            inside = FoldCoordinate(x[d], shape[d], mode) && inside;
          }
          const long double expected = inside ? Sum(test.interpolation.input, order, mode, x, 0, 0) : Border;
          ASSERT_NEAR(test.values[static_cast<std::size_t>(i)], static_cast<double>(expected), Tolerance)
            << shape.size() << "D, mode " << static_cast<int>(mode) << ", order " << order;
        }
      }
    }
  }
}

TEST(ArrayInterpolation, MapsAreListsOfTheirCoordinates)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 8 }, Shape{ 6, 11 }, Shape{ 5, 9, 7 }, Shape{ 3, 4, 2, 5 } })
  {
    const auto rank = shape.size();
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        Shape wanted;
        for (std::size_t d = 0; d < rank; ++d)
        {
          wanted.push_back(random.Integer(1, 9));
        }
        ArrayCase test(shape, wanted, random);
        auto &    map = test.interpolation;
        map.mode = mode;
        map.order = order;
        for (std::size_t r = 0; r < rank; ++r)
        {
          map.offset[r] = random.Uniform(-2.0, 4.0);
          map.scale[r] = random.Uniform(-1.5, 1.5);
          map.shift[r] = random.Uniform(-3.0, 3.0);
          for (std::size_t c = 0; c < rank; ++c)
          {
            map.matrix[r][c] = random.Uniform(-1.0, 1.0);
          }
        }
        for (const ArrayMap kind : { ArrayMap::Affine, ArrayMap::ShiftScale, ArrayMap::PixelScale })
        {
          map.map = kind;
          InterpolateArray(map, OnHost());
          const std::size_t   count = test.values.size();
          std::vector<double> coordinates(rank * count);
          for (std::size_t i = 0; i < count; ++i)
          {
            std::vector<double> index(rank);
            auto                rest = static_cast<std::int64_t>(i);
            for (std::size_t d = rank; d-- > 0; rest /= wanted[d])
            {
              index[d] = static_cast<double>(rest % wanted[d]);
            }
            for (std::size_t r = 0; r < rank; ++r)
            {
              double x = map.offset[r];
              for (std::size_t c = 0; c < rank; ++c)
              {
                x += map.matrix[r][c] * index[c];
              }
              x = kind == ArrayMap::ShiftScale ? (index[r] + map.shift[r]) * map.scale[r] : x;
              x = kind == ArrayMap::PixelScale ? (index[r] + 0.5) * map.scale[r] - 0.5 : x;
              coordinates[r * count + i] = x;
            }
          }
          std::vector<double> expected(count);
          ArrayInterpolation  list = map;
          list.map = ArrayMap::Coordinates;
          list.coordinates = coordinates.data();
          list.coordinateStride = static_cast<std::int64_t>(count);
          list.output = ArrayOf(wanted, expected.data());
          InterpolateArray(list, OnHost());
          for (std::size_t i = 0; i < count; ++i)
          {
            ASSERT_NEAR(test.values[i], expected[i], Tolerance)
              << rank << "D, mode " << static_cast<int>(mode) << ", order " << order << ", map "
              << static_cast<int>(kind);
          }
        }
      }
    }
  }
}

TEST(ArrayInterpolation, BatchesAreArraysOfTheirOwn)
{
  Random random(__LINE__);
  for (std::size_t batch = 0; batch < 3; ++batch)
  {
    for (const ArrayMode mode : { ArrayMode::Constant, ArrayMode::Nearest, ArrayMode::GridConstant })
    {
      Shape     shape{ 6, 7, 8 };
      ArrayCase test(shape, shape, random);
      test.interpolation.map = ArrayMap::Affine;
      test.interpolation.mode = mode;
      test.interpolation.isBatch[batch] = true;
      const std::size_t row = batch == 0 ? 1 : 0;
      const std::size_t column = batch == 2 ? 1 : 2;
      test.interpolation.matrix[row][row] = test.interpolation.matrix[column][column] = 0.8;
      test.interpolation.matrix[row][column] = 0.6;
      test.interpolation.matrix[column][row] = -0.6;
      test.interpolation.offset[column] = 2.5;
      InterpolateArray(test.interpolation, OnHost());
      const StridedArray & whole = test.interpolation.input;
      for (std::int64_t k = 0; k < shape[batch]; ++k)
      {
        std::vector<double> values(static_cast<std::size_t>(shape[row] * shape[column]));
        ArrayInterpolation  plane = test.interpolation;
        plane.isBatch = {};
        plane.input = ArrayOf({ shape[row], shape[column] }, test.samples.data() + k * whole.stride[batch]);
        plane.input.stride = { whole.stride[row], whole.stride[column] };
        plane.output = ArrayOf({ shape[row], shape[column] }, values.data());
        plane.matrix = {};
        plane.matrix[0] = { 0.8, 0.6 };
        plane.matrix[1] = { -0.6, 0.8 };
        plane.offset = { 0.0, 2.5 };
        InterpolateArray(plane, OnHost());
        for (std::size_t i = 0; i < values.size(); ++i)
        {
          const auto at = static_cast<std::int64_t>(i) / shape[column] * whole.stride[row] +
                          static_cast<std::int64_t>(i) % shape[column] * whole.stride[column] + k * whole.stride[batch];
          ASSERT_NEAR(test.values[static_cast<std::size_t>(at)], values[i], Tolerance);
        }
      }
    }
  }
}

TEST(ArrayInterpolation, FiltersAlongSomeAxesGiveTheSamplesBack)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 50 }, Shape{ 1, 40 }, Shape{ 7, 3, 40 }, Shape{ 2, 3, 2, 5, 4 } })
  {
    for (unsigned int order = 2; order <= 5; ++order)
    {
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
      {
        const auto          samples = RandomNumbers(CountOf(shape), random);
        std::vector<double> coefficients(samples.size());
        ArrayFilter         filter;
        filter.input = ArrayOf(shape, samples.data());
        filter.output = ArrayOf(shape, coefficients.data());
        filter.order = order;
        filter.isFiltered = {};
        filter.isFiltered[axis] = true;
        FilterArray(filter, OnHost());
        const std::int64_t size = shape[axis];
        const std::int64_t stride = filter.input.stride[axis];
        for (std::int64_t i = 0; i < CountOf(shape); ++i)
        {
          const std::int64_t n = i / stride % size;
          long double        sum = 0;
          for (std::int64_t k = -2; k <= 2; ++k)
          {
            const std::int64_t tap = FoldIndex(n + k, size, Extension::Mirror);
            sum += BSpline(order, static_cast<long double>(k)) *
                   coefficients[static_cast<std::size_t>(i + (tap - n) * stride)];
          }
          const auto at = static_cast<std::size_t>(i);
          ASSERT_NEAR(size > 1 ? static_cast<double>(sum) : coefficients[at], samples[at], Tolerance);
        }
      }
    }
  }
}

TEST(ArrayInterpolation, RefusesWhatCannotBe)
{
  Random     random(__LINE__);
  const auto refused = [&random](const auto & change) {
    ArrayCase test({ 4, 5 }, { 4, 5 }, random);
    test.interpolation.map = ArrayMap::Affine;
    InterpolateArray(test.interpolation, OnHost());
    change(test.interpolation);
    EXPECT_THROW(InterpolateArray(test.interpolation, OnHost()), std::invalid_argument);
  };
  refused([](ArrayInterpolation & test) { test.order = 6; });
  refused([](ArrayInterpolation & test) { test.element = ScalarType::Int32; });
  refused([](ArrayInterpolation & test) { test.input.dimension = 0; });
  refused([](ArrayInterpolation & test) { test.input.dimension = MaximumArrayDimension + 1; });
  refused([](ArrayInterpolation & test) { test.input.size[1] = 0; });
  refused([](ArrayInterpolation & test) { test.input.size[0] = std::int64_t{ 1 } << 31; });
  refused([](ArrayInterpolation & test) { test.output.data = nullptr; });
  refused([](ArrayInterpolation & test) { test.map = ArrayMap::Coordinates; });
  refused([](ArrayInterpolation & test) { test.place.onDevice = true; });
  refused([](ArrayInterpolation & test) {
    test.map = ArrayMap::Coordinates;
    test.coordinates = test.input.data;
    test.coordinateStride = 10;
    test.isBatch[0] = true;
  });
  refused([](ArrayInterpolation & test) {
    test.map = ArrayMap::ShiftScale;
    test.isBatch[0] = true;
    test.shift[0] = 0.5;
  });
  refused([](ArrayInterpolation & test) {
    test.isBatch[0] = true;
    test.output.size[0] = 3;
  });
  refused([](ArrayInterpolation & test) {
    test.map = ArrayMap::PixelScale;
    test.output.dimension = 1;
  });
}
