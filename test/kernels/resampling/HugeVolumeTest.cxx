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
// A volume of more than 2^31 voxels: 32-bit indices or offsets would overflow. Expected: the formula that filled it.

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <memory>

using namespace CudaSplineTest;

TEST(HugeVolumeGpu, MoreThanTwoToTheThirtyOneVoxels)
{
  CUDASPLINE_NEEDS_GPU();
  const std::int64_t size = 1300; // 2.197e9 voxels
  if (AvailableDeviceMemory(0) < std::size_t(24) << 30)
  {
    GTEST_SKIP() << "The test needs 24 GB of device memory.";
  }
  const std::unique_ptr<unsigned char[]> pixels(new unsigned char[static_cast<std::size_t>(size * size * size)]);
  const auto                             valueAt = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<unsigned char>((x / 8 + 2 * (y / 8) + 3 * (z / 8)) % 251);
  };
  const ThreadExecutor executor;
  ExecutionContext     context;
  context.backend = Backend::Cuda;
  context.host = &executor;
  executor.ParallelFor(size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t z = begin; z < end; ++z)
    {
      for (std::int64_t y = 0; y < size; ++y)
      {
        for (std::int64_t x = 0; x < size; ++x)
        {
          pixels[static_cast<std::size_t>((z * size + y) * size + x)] = valueAt(x, y, z);
        }
      }
    }
  });
  // Scanlines along x through the samples: every interpolator reproduces the samples.
  ResampleDescriptor        resample;
  std::vector<double>       ends;
  std::vector<std::int64_t> lines;
  for (const std::int64_t z : { std::int64_t(0), size / 2, size - 9, size - 1 })
  {
    for (const std::int64_t y : { std::int64_t(1), size - 2 })
    {
      const auto row = static_cast<double>(y);
      const auto plane = static_cast<double>(z);
      ends.insert(ends.end(), { 0.0, row, plane, static_cast<double>(size), row, plane });
      lines.insert(lines.end(), { y, z });
    }
  }
  resample.samples = size;
  resample.lineLength = size;
  resample.lines = static_cast<std::int64_t>(lines.size() / 2);
  resample.scanlineEnds = ends.data();
  resample.lower.fill(-0.5);
  resample.upper.fill(static_cast<double>(size) - 0.5);
  resample.output = ScalarType::Float32;
  for (const Interpolation interpolation : { Interpolation::Nearest, Interpolation::Linear, Interpolation::BSpline })
  {
    resample.interpolation = interpolation; // no point is outside of the samples: extensions have no effect
    const bool         nearest = interpolation == Interpolation::Nearest;
    const auto         source = MakeSource(MakeDescriptor({ size, size, size },
                                                  ScalarType::UInt8,
                                                  nearest ? ScalarType::UInt8 : ScalarType::Float32,
                                                  interpolation == Interpolation::BSpline ? 3 : 0),
                                   pixels.get(),
                                   context);
    std::vector<float> output(static_cast<std::size_t>(resample.samples * resample.lines), -1.0F);
    Resample(resample, *source, output.data(), context);
    for (std::int64_t line = 0; line < resample.lines; ++line)
    {
      for (std::int64_t x = 0; x < size; ++x)
      {
        const double expected =
          valueAt(x, lines[static_cast<std::size_t>(2 * line)], lines[static_cast<std::size_t>(2 * line + 1)]);
        ASSERT_NEAR(output[static_cast<std::size_t>(line * size + x)],
                    expected,
                    interpolation == Interpolation::BSpline ? 2e-3 : 0.0)
          << "interpolation " << static_cast<int>(interpolation) << ", line " << line << ", x " << x;
      }
    }
  }
}
