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
// Arrays in device memory by the rules of scipy.ndimage: what the host makes of them.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "ArrayCase.h"
#include "Gpu.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** An interpolation on the device. */
std::vector<double>
OnDevice(ArrayInterpolation interpolation, std::size_t coordinates)
{
  const Stream       stream;
  const auto         bytes = [](std::size_t count) { return count * sizeof(double); };
  const auto         inputs = static_cast<std::size_t>(interpolation.input.Count());
  const auto         outputs = static_cast<std::size_t>(interpolation.output.Count());
  const DeviceBuffer input(bytes(inputs), stream);
  const DeviceBuffer list(bytes(coordinates), stream);
  const DeviceBuffer output(bytes(outputs), stream);
  CheckCuda(
    cudaMemcpyAsync(input.Data(), interpolation.input.data, bytes(inputs), cudaMemcpyHostToDevice, stream.Get()),
    "cudaMemcpyAsync");
  if (coordinates > 0)
  {
    CheckCuda(
      cudaMemcpyAsync(list.Data(), interpolation.coordinates, bytes(coordinates), cudaMemcpyHostToDevice, stream.Get()),
      "cudaMemcpyAsync");
  }
  interpolation.input.data = input.Data();
  interpolation.coordinates = list.Data();
  interpolation.output.data = output.Data();
  interpolation.place = { true, stream.Get() };
  ExecutionContext context;
  context.backend = Backend::Cuda;
  InterpolateArray(interpolation, context);
  std::vector<double> values(outputs);
  CheckCuda(cudaMemcpyAsync(values.data(), output.Data(), bytes(outputs), cudaMemcpyDeviceToHost, stream.Get()),
            "cudaMemcpyAsync");
  stream.Synchronize();
  return values;
}

/** The same of floats, into every stride-th element of a longer line.
 *
 * \return the elements, and between them the number that stood there */
template <typename TCoordinate>
std::vector<float>
OnDevice(ArrayInterpolation               interpolation,
         const std::vector<float> &       samples,
         const std::vector<TCoordinate> & coordinates,
         std::int64_t                     stride,
         float                            between)
{
  const Stream       stream;
  std::vector<float> values(static_cast<std::size_t>(interpolation.output.Count() * stride), between);
  const auto         bytes = [](const auto & numbers) { return numbers.size() * sizeof(numbers[0]); };
  const DeviceBuffer input(bytes(samples), stream);
  const DeviceBuffer list(bytes(coordinates), stream);
  const DeviceBuffer output(bytes(values), stream);
  CheckCuda(cudaMemcpyAsync(input.Data(), samples.data(), bytes(samples), cudaMemcpyHostToDevice, stream.Get()),
            "cudaMemcpyAsync");
  CheckCuda(cudaMemcpyAsync(output.Data(), values.data(), bytes(values), cudaMemcpyHostToDevice, stream.Get()),
            "cudaMemcpyAsync");
  CheckCuda(cudaMemcpyAsync(list.Data(), coordinates.data(), bytes(coordinates), cudaMemcpyHostToDevice, stream.Get()),
            "cudaMemcpyAsync");
  interpolation.coordinates = list.Data();
  interpolation.input.data = input.Data();
  interpolation.input.type = ScalarType::Float32;
  interpolation.output.data = output.Data();
  interpolation.output.type = ScalarType::Float32;
  for (unsigned int d = 0; d < interpolation.output.dimension; ++d)
  {
    interpolation.output.stride[d] *= stride;
  }
  interpolation.place = { true, stream.Get() };
  ExecutionContext context;
  context.backend = Backend::Cuda;
  InterpolateArray(interpolation, context);
  CheckCuda(cudaMemcpyAsync(values.data(), output.Data(), bytes(values), cudaMemcpyDeviceToHost, stream.Get()),
            "cudaMemcpyAsync");
  stream.Synchronize();
  return values;
}

} // namespace

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
            // Fused multiply-adds alone: as many units as PrefilterMethod and sums have, times the norms of four axes.
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

/** Compares floats of a device with what the host makes of them, at coordinates of a type. */
template <typename TCoordinate>
void
CompareFloats(ArrayCase & test, const std::vector<double> & coordinates, Random & random)
{
  auto &                         map = test.interpolation;
  const std::vector<TCoordinate> list(coordinates.begin(), coordinates.end());
  const std::vector<float>       samples(test.samples.begin(), test.samples.end());
  std::copy(samples.begin(), samples.end(), test.samples.begin());
  map.coordinates = list.data();
  map.coordinateType = ScalarTypeOf<TCoordinate>();
  map.coordinateStride = static_cast<std::int64_t>(test.values.size());
  InterpolateArray(map, OnHost());
  const auto               stride = random.Integer(1, 3);
  constexpr float          between = -77.0F;
  const std::vector<float> found = OnDevice(map, samples, list, stride, between);
  double                   largest = 0.0;
  std::int64_t             others = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    if (i % static_cast<std::size_t>(stride) != 0)
    {
      others += found[i] != between ? 1 : 0;
      continue;
    }
    const double expected = test.values[i / static_cast<std::size_t>(stride)];
    if (map.mode == ArrayMode::Constant)
    {
      others += (static_cast<double>(found[i]) == Border) != (expected == Border) ? 1 : 0;
    }
    largest = std::max(largest, std::abs(static_cast<double>(found[i]) - expected));
  }
  EXPECT_EQ(others, 0);
  EXPECT_LE(largest, map.order < 4 ? 1e-4 : 3e-3);
}

// Volumes of many tiles: interior ones, some that leave the array on either side, some that are nowhere in it, and maps
// whose boxes are too large for a tile; the same places as lists, moved a little, and places at random. Elements of
// lines that are no neighbours leave what is between them.
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

// Planes of a volume, and volumes of four axes: along the axes of a batch nothing is interpolated, whichever they are.
// Maps whose coordinates are whole numbers touch the ends exactly.
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

// Places at random in a volume that no cache holds: it is read from bricks. Lengths are no multiples of theirs.
TEST(ArrayInterpolation, GpuAndHostAgreeInBricks)
{
  CUDASPLINE_NEEDS_GPU();
  Random      random(__LINE__);
  const Shape shape{ 211, 241, 253 };
  const Shape wanted{ 812345 };
  for (const unsigned int order : { 3U, 5U })
  {
    for (const ArrayMode mode : { ArrayMode::Constant, ArrayMode::Reflect, ArrayMode::GridConstant })
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
      CompareFloats<double>(test, coordinates, random);
    }
  }
}
