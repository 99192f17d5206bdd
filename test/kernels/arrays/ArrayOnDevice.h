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
#ifndef ArrayOnDevice_h
#define ArrayOnDevice_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "ArrayCase.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief Compares interpolations of arrays on a device with those of the host. */

namespace CudaSplineTest
{

/** Runs an interpolation on the device. */
inline std::vector<double>
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

/** Does the same for floats, into every stride-th element of a longer line.
 *
 * \return the elements, and between them the original numbers */
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

/** Compares floats of a device with the results of the host, for coordinates of a type. */
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

} // namespace CudaSplineTest

#endif
