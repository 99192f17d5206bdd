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
// Only the samples that few elements of an output read are filtered, with the same bits as for the whole. Elements are
// read directly, in the layout of files.

#include "ArrayCase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Returns coordinates within and about an array, some of them close to each other, some far apart. */
std::vector<double>
CoordinatesAbout(const Shape & shape, std::int64_t count, Random & random)
{
  std::vector<double> planes;
  const double        middle = random.Uniform(0.0, 1.0);
  for (const std::int64_t length : shape)
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      const double place = i % 3 == 0 ? middle : random.Uniform(-0.1, 1.1);
      planes.push_back(place * static_cast<double>(length - 1) + random.Uniform(-1.0, 1.0));
    }
  }
  return planes;
}

/** Returns the values at a list of coordinates. */
std::vector<double>
ValuesAt(ArrayInterpolation map, const std::vector<double> & planes, unsigned int dimension)
{
  const auto          count = static_cast<std::int64_t>(planes.size()) / dimension;
  std::vector<double> values(static_cast<std::size_t>(count));
  map.output = ArrayOf({ count }, values.data());
  map.coordinates = planes.data();
  map.coordinateStride = count;
  InterpolateArray(map, OnHost());
  return values;
}

} // namespace

// If few elements of an array are requested, windows are filtered, otherwise the whole: the same bits.
TEST(ArrayReading, WindowsOfFewElementsHaveTheBitsOfTheWhole)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 70000 }, Shape{ 30, 2200 }, Shape{ 500, 12, 14 }, Shape{ 9, 16, 11, 80 } })
  {
    ArrayCase          test(shape, { 1 }, random);
    const auto         dimension = static_cast<unsigned int>(shape.size());
    const std::int64_t few = 12;
    const std::int64_t many = CountOf(shape) / 60; // more than one of 64: the whole is filtered
    for (const ArrayMode mode : Modes)
    {
      const unsigned int order = 2U + static_cast<unsigned int>(random.Uniform(0.0, 4.0));
      test.interpolation.mode = mode;
      test.interpolation.order = order;
      test.interpolation.element = random.Uniform(0.0, 1.0) < 0.5 ? ScalarType::Float32 : ScalarType::Float64;
      const std::vector<double> some = CoordinatesAbout(shape, few, random);
      const std::vector<double> others = CoordinatesAbout(shape, many, random);
      std::vector<double>       planes;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        planes.insert(planes.end(), some.begin() + d * few, some.begin() + (d + 1) * few);
        planes.insert(planes.end(), others.begin() + d * many, others.begin() + (d + 1) * many);
      }
      const std::vector<double> found = ValuesAt(test.interpolation, some, dimension);
      std::vector<double>       whole = ValuesAt(test.interpolation, planes, dimension);
      whole.resize(static_cast<std::size_t>(few));
      EXPECT_EQ(found, whole) << "mode " << static_cast<int>(mode) << ", order " << order << ", " << dimension
                              << " axes";
    }
  }
}

// Swapped bytes, strides in bytes and unaligned addresses: the same numbers are read.
TEST(ArrayReading, ElementsAreReadAsFilesHaveThem)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 30 }, Shape{ 12, 17 }, Shape{ 7, 8, 9 }, Shape{ 3, 4, 5, 6 } })
  {
    for (const unsigned int order : { 0U, 1U, 3U })
    {
      for (const bool prefilter : { true, false })
      {
        ArrayCase test(shape, shape, random);
        auto &    map = test.interpolation;
        map.order = order;
        map.prefilter = prefilter;
        map.mode = Modes[static_cast<std::size_t>(random.Uniform(0.0, static_cast<double>(Modes.size())))];
        map.map = random.Uniform(0.0, 1.0) < 0.5 ? ArrayMap::Affine : ArrayMap::ShiftScale;
        for (std::size_t d = 0; d < shape.size(); ++d)
        {
          map.scale[d] = map.matrix[d][d] = random.Uniform(0.7, 1.2);
          map.shift[d] = map.offset[d] = random.Uniform(-1.0, 1.0);
        }
        InterpolateArray(map, OnHost());
        const std::vector<double> expected = test.values;
        constexpr std::size_t     step = 11; // bytes between elements
        std::vector<char>         packed(test.samples.size() * step + 1);
        for (const bool isSwapped : { false, true })
        {
          for (std::size_t i = 0; i < test.samples.size(); ++i)
          {
            char bytes[sizeof(double)];
            std::memcpy(bytes, &test.samples[i], sizeof(double));
            if (isSwapped)
            {
              std::reverse(std::begin(bytes), std::end(bytes));
            }
            std::memcpy(&packed[1 + i * step], bytes, sizeof(double));
          }
          ArrayInterpolation other = map;
          other.input.data = packed.data() + 1;
          other.input.isSwapped = isSwapped;
          other.input.hasByteStrides = true;
          for (std::size_t d = 0; d < shape.size(); ++d)
          {
            other.input.stride[d] *= static_cast<std::int64_t>(step);
          }
          InterpolateArray(other, OnHost());
          for (std::size_t i = 0; i < expected.size(); ++i)
          {
            // Coefficients that are read directly are summed along all axes at once, and copied ones axis by axis.
            ASSERT_NEAR(test.values[i], expected[i], 1e-13) << "order " << order << ", element " << i;
          }
        }
      }
    }
  }
}

// Outputs are written without conversion.
TEST(ArrayReading, OutputsHavePlainElements)
{
  Random    random(__LINE__);
  ArrayCase test({ 4, 5 }, { 4, 5 }, random);
  test.interpolation.map = ArrayMap::ShiftScale;
  test.interpolation.output.isSwapped = true;
  EXPECT_THROW(InterpolateArray(test.interpolation, OnHost()), std::invalid_argument);
}
