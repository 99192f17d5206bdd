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
// Arrays by the rules of scipy.ndimage: results do not depend on the order of axes in memory, or on which axes belong
// to the batch.

#include "ArrayCase.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

using namespace CudaSplineTest;

namespace
{

constexpr double Tolerance =
  1e-12; // for samples up to 1: 2^-53 times some hundreds, due to the norms of the prefilters

} // namespace

// The same for volumes: any of four axes is the axis of the batch, also the fastest one.
TEST(ArrayInterpolation, BatchesOfVolumesAreVolumesOfTheirOwn)
{
  Random      random(__LINE__);
  const Shape shape{ 4, 9, 8, 10 };
  for (std::size_t batch = 0; batch < 4; ++batch)
  {
    for (const unsigned int order : { 1U, 3U })
    {
      ArrayCase test(shape, shape, random);
      auto &    map = test.interpolation;
      map.map = ArrayMap::Affine;
      map.order = order;
      map.mode = ArrayMode::Reflect;
      map.isBatch[batch] = true;
      std::vector<std::size_t> axes;
      for (std::size_t r = 0; r < 4; ++r)
      {
        map.offset[r] = random.Uniform(-1.0, 1.0);
        for (std::size_t c = 0; c < 4 && r != batch; ++c)
        {
          map.matrix[r][c] = c == batch ? 0.0 : random.Uniform(-0.2, 0.2) + (r == c ? 0.9 : 0.0);
        }
        if (r != batch)
        {
          axes.push_back(r);
        }
      }
      InterpolateArray(map, OnHost());
      const StridedArray & whole = map.input;
      for (std::int64_t k = 0; k < shape[batch]; ++k)
      {
        const Shape         own{ shape[axes[0]], shape[axes[1]], shape[axes[2]] };
        std::vector<double> samples(static_cast<std::size_t>(CountOf(own)));
        std::vector<double> values(samples.size());
        const auto          place = [&](std::int64_t i) {
          return static_cast<std::size_t>(k * whole.stride[batch] + i / own[2] / own[1] * whole.stride[axes[0]] +
                                          i / own[2] % own[1] * whole.stride[axes[1]] +
                                          i % own[2] * whole.stride[axes[2]]);
        };
        for (std::int64_t i = 0; i < CountOf(own); ++i)
        {
          samples[static_cast<std::size_t>(i)] = test.samples[place(i)];
        }
        ArrayInterpolation part = map;
        part.isBatch = {};
        part.input = ArrayOf(own, samples.data());
        part.output = ArrayOf(own, values.data());
        for (std::size_t r = 0; r < 3; ++r)
        {
          part.offset[r] = map.offset[axes[r]];
          for (std::size_t c = 0; c < 3; ++c)
          {
            part.matrix[r][c] = map.matrix[axes[r]][axes[c]];
          }
        }
        InterpolateArray(part, OnHost());
        for (std::int64_t i = 0; i < CountOf(own); ++i)
        {
          ASSERT_NEAR(test.values[place(i)], values[static_cast<std::size_t>(i)], Tolerance)
            << "batch " << batch << ", order " << order;
        }
      }
    }
  }
}

// Axes of one element may have any stride, as in NumPy's views.
TEST(ArrayInterpolation, StridesOfSingleElementsDoNotMatter)
{
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 1, 9, 8 }, Shape{ 1, 1, 12 }, Shape{ 7, 1, 8 }, Shape{ 1, 8, 1, 9 } })
  {
    Shape wanted(shape);
    wanted.back() += 5;
    for (const ArrayMap kind : { ArrayMap::ShiftScale, ArrayMap::Affine })
    {
      for (const unsigned int order : { 1U, 3U })
      {
        ArrayCase test(shape, wanted, random);
        auto &    map = test.interpolation;
        map.map = kind;
        map.order = order;
        map.mode = ArrayMode::Mirror;
        for (std::size_t r = 0; r < shape.size(); ++r)
        {
          map.scale[r] = map.matrix[r][r] = random.Uniform(0.5, 1.5);
        }
        InterpolateArray(map, OnHost());
        const std::vector<double> expected = test.values;
        for (const std::int64_t stride : { 0, 1, -3, 100000 })
        {
          for (std::size_t r = 0; r < shape.size(); ++r)
          {
            map.input.stride[r] = shape[r] == 1 ? stride : map.input.stride[r];
          }
          InterpolateArray(map, OnHost());
          EXPECT_EQ(test.values, expected) << "stride " << stride << ", order " << order;
        }
      }
    }
  }
}
