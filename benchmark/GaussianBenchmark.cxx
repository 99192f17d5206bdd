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
#include "BenchmarkHarness.h"
#include "GaussianBenchmark.h"

#include "itkCudaSpline/device/Device.h"
#include "kernels/DeviceGaussian.h"

#include <cstdint>
#include <exception>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

void
Measure(benchmark::State & state, std::int64_t size, bool isGradient)
{
  try
  {
    GaussianDescriptor descriptor;
    descriptor.size = { size, size, size, 1 };
    descriptor.sigma = { 2.0, 2.0, 2.0, 1.0 };
    std::vector<float>                    pixels(static_cast<std::size_t>(descriptor.Count()));
    std::mt19937                          generator(12345);
    std::uniform_real_distribution<float> distribution(-1000.0F, 1000.0F);
    for (float & pixel : pixels)
    {
      pixel = distribution(generator);
    }
    ExecutionContext context;
    context.backend = Backend::Cuda;
    context.device = SelectDevice().device;
    DeviceGaussian gaussian(descriptor, pixels.data(), context);
    const auto     run = [&] { return isGradient ? gaussian.TimeGradient() : gaussian.TimeSmoothing(); };
    run(); // loads the kernels
    for (auto _ : state)
    {
      state.SetIterationTime(run());
    }
    // Every pass reads its samples, and writes as many.
    const std::int64_t passes = isGradient ? 9 : 3;
    state.SetBytesProcessed(state.iterations() * passes * 2 * descriptor.Count() *
                            static_cast<std::int64_t>(sizeof(float)));
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
} // namespace

void
RegisterGaussians()
{
  for (const std::int64_t size : { 64, 128, 256, 512 })
  {
    for (const bool isGradient : { false, true })
    {
      const std::string name = std::string("GaussianKernel/name:") + (isGradient ? "gradient" : "smoothing") +
                               "/backend:cuda/dimension:3/size:" + std::to_string(size);
      WithQuartiles(benchmark::RegisterBenchmark(name.c_str(), Measure, size, isGradient))
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    }
  }
}
