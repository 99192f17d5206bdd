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
// Coefficients of pixels in device memory.

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/arrays/DeviceArrays.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace CudaSplineTest;

// From and to addresses that wide copies do not support, and in place; with kernels of planes, of rows and of columns.
TEST(DeviceArraysGpu, CoefficientsAreTheSameInAnyPlace)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  for (const std::array<std::int64_t, 4> & size : { std::array<std::int64_t, 4>{ { 90, 70, 20, 1 } },
                                                    { { 130, 90, 1, 1 } },
                                                    { { 19, 17, 13, 1 } },
                                                    { { 1000, 1, 1, 1 } } })
  {
    SourceDescriptor samples;
    samples.dimension = 3;
    samples.size = size;
    samples.order = 5;
    std::vector<float> pixels(static_cast<std::size_t>(samples.Count()));
    for (float & pixel : pixels)
    {
      pixel = static_cast<float>(random.Uniform(-1.0, 1.0));
    }
    const std::size_t bytes = pixels.size() * sizeof(float);
    const Stream      stream;
    const auto        copy = [&](void * to, const void * from, cudaMemcpyKind kind) {
      CheckCuda(cudaMemcpyAsync(to, from, bytes, kind, stream.Get()), "cudaMemcpyAsync");
      stream.Synchronize();
    };
    for (const unsigned int axis : { MaximumDimension, 0U, 1U, 2U })
    {
      std::vector<float> expected;
      for (int place = 0; place < 6; ++place)
      {
        const bool         inPlace = place > 3;
        const DeviceBuffer input(bytes + 16, stream);
        const DeviceBuffer output(bytes + 16, stream);
        float * const      from = static_cast<float *>(input.Data()) + place % 2;
        float * const      to = inPlace ? from : static_cast<float *>(output.Data()) + place / 2;
        copy(from, pixels.data(), cudaMemcpyHostToDevice);
        if (axis == MaximumDimension)
        {
          PrefilterOnDevice(samples, from, to, stream.Get(), context);
        }
        else
        {
          PrefilterAxis(samples, axis, from, to, stream.Get(), context);
        }
        std::vector<float> found(pixels.size());
        copy(found.data(), to, cudaMemcpyDeviceToHost);
        expected = place == 0 ? found : expected;
        EXPECT_TRUE(found == expected) << "place " << place << ", axis " << axis << ", size " << size[0];
        EXPECT_FALSE(axis == MaximumDimension && found == pixels) << "nothing was filtered";
        copy(found.data(), from, cudaMemcpyDeviceToHost);
        EXPECT_TRUE(inPlace || found == pixels) << "the pixels were changed";
      }
    }
  }
}

// A filter is enqueued in the caller's stream, including its memory. If the stream is captured they are parts of the
// graph.
TEST(DeviceArraysGpu, AFilterIsCaptured)
{
  CUDASPLINE_NEEDS_GPU();
  ExecutionContext context;
  context.backend = Backend::Cuda;
  SourceDescriptor samples;
  samples.dimension = 2;
  samples.size = { { 40, 30, 1, 1 } };
  const std::size_t  bytes = static_cast<std::size_t>(samples.Count()) * sizeof(float);
  const Stream       stream;
  const DeviceBuffer pixels(bytes, stream);
  const DeviceBuffer coefficients(bytes, stream);
  std::mt19937       random(std::random_device{}());
  const auto         setPixels = [&] {
    std::vector<float> values(static_cast<std::size_t>(samples.Count()));
    for (float & value : values)
    {
      value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
    }
    CheckCuda(cudaMemcpyAsync(pixels.Data(), values.data(), bytes, cudaMemcpyHostToDevice, stream.Get()),
              "cudaMemcpyAsync");
    stream.Synchronize();
  };
  const auto prefilter = [&] { PrefilterOnDevice(samples, pixels.Data(), coefficients.Data(), stream.Get(), context); };
  const auto found = [&] {
    std::vector<float> values(static_cast<std::size_t>(samples.Count()));
    CheckCuda(cudaMemcpyAsync(values.data(), coefficients.Data(), bytes, cudaMemcpyDeviceToHost, stream.Get()),
              "cudaMemcpyAsync");
    stream.Synchronize();
    return values;
  };
  setPixels();
  prefilter();
  const std::vector<float> before = found();
  CheckCuda(cudaStreamBeginCapture(stream.Get(), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  prefilter();
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream.Get(), &graph), "cudaStreamEndCapture");
  cudaGraphExec_t made = nullptr;
  CheckCuda(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
  setPixels();
  CheckCuda(cudaGraphLaunch(made, stream.Get()), "cudaGraphLaunch");
  const std::vector<float> replayed = found();
  prefilter();
  EXPECT_TRUE(replayed == found());
  EXPECT_FALSE(replayed == before) << "the graph did nothing";
  EXPECT_EQ(cudaGraphExecDestroy(made), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}
