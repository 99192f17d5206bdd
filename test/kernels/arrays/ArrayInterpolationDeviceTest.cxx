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
// Arrays in device memory by the rules of scipy.ndimage, compared with the results of the host.

#include "ArrayOnDevice.h"
#include "Gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace CudaSplineTest;

TEST(ArrayInterpolation, GpuAndHostAgree)
{
  CUDASPLINE_NEEDS_GPU();
  Random random(__LINE__);
  for (const Shape & shape : { Shape{ 200 }, Shape{ 60, 70 }, Shape{ 30, 41, 50 }, Shape{ 3, 4, 2, 5 } })
  {
    const auto rank = shape.size();
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
        {
          Shape wanted;
          for (const std::int64_t size : shape)
          {
            wanted.push_back(random.Integer(size / 2 + 1, size * 2));
          }
          ArrayCase test(shape, wanted, random);
          auto &    map = test.interpolation;
          map.mode = mode;
          map.order = order;
          map.element = element;
          for (std::size_t r = 0; r < rank; ++r)
          {
            map.offset[r] = random.Uniform(-2.0, 4.0);
            map.scale[r] = random.Uniform(0.4, 1.5);
            map.shift[r] = random.Uniform(-3.0, 3.0);
            for (std::size_t c = 0; c < rank; ++c)
            {
              map.matrix[r][c] = random.Uniform(-0.3, 0.3) + (r == c ? 0.8 : 0.0);
            }
          }
          const std::size_t   count = test.values.size();
          std::vector<double> coordinates;
          for (const std::int64_t size : shape)
          {
            for (std::size_t i = 0; i < count; ++i)
            {
              coordinates.push_back(random.Uniform(-0.5, 1.5) * static_cast<double>(size));
            }
          }
          map.coordinates = coordinates.data();
          map.coordinateStride = static_cast<std::int64_t>(count);
          for (const ArrayMap kind :
               { ArrayMap::Coordinates, ArrayMap::Affine, ArrayMap::ShiftScale, ArrayMap::PixelScale })
          {
            map.map = kind;
            InterpolateArray(map, OnHost());
            const std::vector<double> found = OnDevice(map, kind == ArrayMap::Coordinates ? coordinates.size() : 0);
            // Only fused multiply-adds differ: as many units as PrefilterMethod and sums have, times the norms of four
            // axes.
            const double allowed = element == ScalarType::Float64 ? 1e-11 : 5e-3 * std::ldexp(1.0, order < 4 ? -4 : 0);
            double       largest = 0.0;
            for (std::size_t i = 0; i < count; ++i)
            {
              largest = std::max(largest, std::abs(found[i] - test.values[i]));
            }
            EXPECT_LE(largest, allowed) << rank << "D, mode " << static_cast<int>(mode) << ", order " << order
                                        << ", map " << static_cast<int>(kind) << ", " << NameOf(element);
          }
        }
      }
    }
  }
}
