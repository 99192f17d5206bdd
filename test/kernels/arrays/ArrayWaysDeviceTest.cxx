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
// The methods to evaluate elements of an array on a device: from tiles, directly, from bricks. They are compared with
// the results of the host.

#include "ArrayOnDevice.h"
#include "Gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace CudaSplineTest;

// Volumes with many tiles: interior ones, some that extend beyond the array at either end, some completely outside, and
// maps whose boxes are too large for a tile; the same points as lists, slightly moved, and random points. If elements
// of lines are not contiguous, the memory between them does not change.
TEST(ArrayInterpolation, GpuAndHostAgreeInTiles)
{
  CUDASPLINE_NEEDS_GPU();
  Random      random(__LINE__);
  const Shape shape{ 41, 50, 64 };
  const Shape wanted{ 37, 45, 70 };
  for (const double scale : { 0.4, 1.0, 1.3, 7.0 })
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 1; order <= 5; ++order)
      {
        SCOPED_TRACE("scale " + std::to_string(scale) + ", mode " + std::to_string(static_cast<int>(mode)) +
                     ", order " + std::to_string(order));
        ArrayCase test(shape, wanted, random);
        auto &    map = test.interpolation;
        map.mode = mode;
        map.order = order;
        map.element = ScalarType::Float32;
        map.prefilter = random.Integer(0, 1) == 1;
        // About the middle of the array, so that all its edges are crossed.
        for (std::size_t r = 0; r < 3; ++r)
        {
          double middle = 0.0;
          for (std::size_t c = 0; c < 3; ++c)
          {
            map.matrix[r][c] = scale * (random.Uniform(-0.4, 0.4) + (r == c ? 0.8 : 0.0));
            middle += map.matrix[r][c] * 0.5 * static_cast<double>(wanted[c]);
          }
          map.offset[r] = 0.5 * static_cast<double>(shape[r]) - middle;
        }
        map.map = ArrayMap::Affine;
        CompareFloats<double>(test, {}, random);

        for (std::size_t r = 0; r < 3; ++r)
        {
          map.scale[r] = scale * random.Uniform(0.7, 1.1) * (random.Integer(0, 3) == 0 ? -1.0 : 1.0);
          map.shift[r] = 0.5 * (static_cast<double>(shape[r]) / map.scale[r] - static_cast<double>(wanted[r]));
        }
        map.map = random.Integer(0, 2) == 0 ? ArrayMap::PixelScale : ArrayMap::ShiftScale;
        CompareFloats<double>(test, {}, random);

        map.map = ArrayMap::Coordinates;
        const bool          isRandom = random.Integer(0, 3) == 0;
        std::vector<double> coordinates;
        for (std::size_t r = 0; r < 3; ++r)
        {
          for (std::int64_t i = 0; i < CountOf(wanted); ++i)
          {
            const auto x = static_cast<double>(i % wanted[2]);
            const auto y = static_cast<double>(i / wanted[2] % wanted[1]);
            const auto z = static_cast<double>(i / wanted[2] / wanted[1]);
            coordinates.push_back(isRandom ? random.Uniform(-0.5, 1.5) * static_cast<double>(shape[r])
                                           : map.offset[r] + map.matrix[r][0] * z + map.matrix[r][1] * y +
                                               map.matrix[r][2] * x + std::sin(0.1 * (x + 2.0 * y - z)));
          }
        }
        coordinates[random.Integer(0, CountOf(wanted) - 1)] = std::nan("");
        if (random.Integer(0, 1) == 0)
        {
          CompareFloats<float>(test, coordinates, random);
        }
        else
        {
          CompareFloats<double>(test, coordinates, random);
        }
      }
    }
  }
}

// Planes of a volume, and volumes with four axes: nothing is interpolated along the axes of a batch, whichever they
// are. Maps whose coordinates are whole numbers reach the ends exactly.
TEST(ArrayInterpolation, GpuAndHostAgreeOnBatches)
{
  CUDASPLINE_NEEDS_GPU();
  Random      random(__LINE__);
  const Shape shape{ 9, 33, 20, 41 };
  for (const std::vector<std::size_t> & batch :
       { std::vector<std::size_t>{ 0 }, { 1 }, { 3 }, { 0, 1 }, { 0, 3 }, { 2, 3 }, { 1, 3 } })
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        const bool isWhole = random.Integer(0, 2) == 0;
        SCOPED_TRACE("batch of " + std::to_string(batch.size()) + " axes, the last " + std::to_string(batch.back()) +
                     ", mode " + std::to_string(static_cast<int>(mode)) + ", order " + std::to_string(order));
        Shape             wanted(shape);
        std::vector<bool> isBatch(4, false);
        for (const std::size_t axis : batch)
        {
          isBatch[axis] = true;
        }
        for (std::size_t r = 0; r < 4; ++r)
        {
          wanted[r] = isBatch[r] ? shape[r] : shape[r] + random.Integer(-5, 9);
        }
        ArrayCase test(shape, wanted, random);
        auto &    map = test.interpolation;
        map.map = ArrayMap::Affine;
        map.mode = mode;
        map.order = order;
        map.element = ScalarType::Float32;
        for (std::size_t r = 0; r < 4; ++r)
        {
          map.isBatch[r] = isBatch[r];
          map.offset[r] = isWhole ? static_cast<double>(random.Integer(-4, 4)) : random.Uniform(-4.0, 4.0);
          for (std::size_t c = 0; c < 4 && !isBatch[r]; ++c)
          {
            const double turn = isWhole || isBatch[c] ? 0.0 : random.Uniform(-0.3, 0.3);
            map.matrix[r][c] = turn + (r == c ? 1.0 : 0.0);
          }
        }
        CompareFloats<double>(test, {}, random);
      }
    }
  }
}

// Random points in a volume that is larger than any cache: it is read from bricks. Its lengths are not multiples of
// theirs.
TEST(ArrayInterpolation, GpuAndHostAgreeInBricks)
{
  CUDASPLINE_NEEDS_GPU();
  Random      random(__LINE__);
  const Shape shape{ 211, 241, 253 };
  const Shape wanted{ 1123456 };
  for (const unsigned int order : { 3U, 5U })
  {
    for (const ArrayMode mode :
         { ArrayMode::Constant, ArrayMode::Reflect, ArrayMode::GridConstant, ArrayMode::Nearest })
    {
      SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + ", order " + std::to_string(order));
      ArrayCase test(shape, wanted, random);
      auto &    map = test.interpolation;
      map.mode = mode;
      map.order = order;
      map.element = ScalarType::Float32;
      map.prefilter = random.Integer(0, 1) == 1;
      std::vector<double> coordinates;
      for (const std::int64_t size : shape)
      {
        for (std::int64_t i = 0; i < CountOf(wanted); ++i)
        {
          const double x = random.Uniform(-0.02, 1.02) * static_cast<double>(size - 1);
          coordinates.push_back(i % 5 == 0 ? std::floor(x) : x);
        }
      }
      coordinates[static_cast<std::size_t>(random.Integer(0, CountOf(wanted) - 1))] = std::nan("");
      if (random.Integer(0, 1) == 0)
      {
        CompareFloats<float>(test, coordinates, random);
      }
      else
      {
        CompareFloats<double>(test, coordinates, random);
      }
      map.element = ScalarType::Float64;
      map.coordinates = coordinates.data();
      map.coordinateType = ScalarType::Float64;
      InterpolateArray(map, OnHost());
      const std::vector<double> found = OnDevice(map, coordinates.size());
      double                    largest = 0.0;
      for (std::size_t i = 0; i < found.size(); ++i)
      {
        largest = std::max(largest, std::abs(found[i] - test.values[i]));
      }
      EXPECT_LE(largest, 1e-11);
    }
  }
}

// The border value is one of the output: it is not rounded to single precision.
TEST(ArrayInterpolation, BordersAreNotRoundedOnADevice)
{
  CUDASPLINE_NEEDS_GPU();
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 31, 33 }, Shape{ 20, 21, 22 } })
  {
    for (const ArrayMap kind : { ArrayMap::Coordinates, ArrayMap::Affine, ArrayMap::ShiftScale })
    {
      ArrayCase test(shape, shape, random);
      auto &    map = test.interpolation;
      map.map = kind;
      map.element = ScalarType::Float32;
      map.order = static_cast<unsigned int>(random.Integer(0, 5));
      map.mode = ArrayMode::Constant;
      map.border = random.Integer(0, 1) == 0 ? 0.1 : 1e300;
      const std::size_t   count = test.values.size();
      std::vector<double> coordinates(count * shape.size(), -1e6);
      coordinates[0] = std::nan("");
      map.coordinates = coordinates.data();
      map.coordinateStride = static_cast<std::int64_t>(count);
      for (std::size_t r = 0; r < shape.size(); ++r)
      {
        map.matrix[r][r] = 1.0;
        map.offset[r] = 500.0;
        map.shift[r] = -500.0;
      }
      const std::vector<double> found = OnDevice(map, kind == ArrayMap::Coordinates ? coordinates.size() : 0);
      EXPECT_EQ(std::count(found.begin(), found.end(), map.border), static_cast<std::ptrdiff_t>(count))
        << shape.size() << "D, map " << static_cast<int>(kind) << ", order " << map.order;
    }
  }
}
