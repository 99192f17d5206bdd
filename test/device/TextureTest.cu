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
// Expected: point fetches return the texels; linear fetches return the interpolated value, with weights of 8 fractional
// bits in hardware. Along one axis the error of the weight is at most 2^-9 (rounded to 8 bits), so the error of the
// value is at most 2^-9 times the difference of the neighbours.

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/GatherTexture.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Texture.h"
#include "itkCudaSpline/math/TextureModel.h"
#include "Gpu.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

__global__ void
FetchKernel(unsigned long long texture, const float * coordinates, int count, float * values)
{
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
  {
    values[i] = tex3D<float>(texture, coordinates[3 * i], coordinates[3 * i + 1], coordinates[3 * i + 2]);
  }
}

std::vector<float>
Fetch(const std::vector<float> & texels,
      int                        nx,
      int                        ny,
      int                        nz,
      TextureFilter              filter,
      const std::vector<float> & coordinates)
{
  const Stream       stream;
  const DeviceBuffer data(texels.size() * sizeof(float), stream);
  const DeviceBuffer where(coordinates.size() * sizeof(float), stream);
  const DeviceBuffer result(coordinates.size() / 3 * sizeof(float), stream);
  Uploader           uploader;
  uploader.Copy(data.Data(), texels.data(), data.Bytes(), stream);
  uploader.Copy(where.Data(), coordinates.data(), where.Bytes(), stream);
  FloatTexture3D       made(static_cast<const float *>(data.Data()), nx, ny, nz, filter, stream);
  const FloatTexture3D texture(std::move(made));
  const int            count = static_cast<int>(coordinates.size() / 3);
  FetchKernel<<<(count + 127) / 128, 128, 0, stream.Get()>>>(
    texture.Get(), static_cast<const float *>(where.Data()), count, static_cast<float *>(result.Data()));
  CheckCuda(cudaGetLastError(), "FetchKernel");
  std::vector<float> values(coordinates.size() / 3);
  DownloadThroughStaging(values.data(), result.Data(), result.Bytes(), stream);
  return values;
}

} // namespace

TEST(TextureGpu, PointFetchesReturnTexels)
{
  CUDASPLINE_NEEDS_GPU();
  const int          nx = 13;
  const int          ny = 7;
  const int          nz = 5;
  std::mt19937       random(std::random_device{}());
  std::vector<float> texels(nx * ny * nz);
  std::vector<float> coordinates;
  for (std::size_t i = 0; i < texels.size(); ++i)
  {
    texels[i] = std::uniform_real_distribution<float>(-1000.0F, 1000.0F)(random);
    const int index = static_cast<int>(i);
    coordinates.insert(coordinates.end(), { index % nx + 0.5F, index / nx % ny + 0.5F, index / nx / ny + 0.5F });
  }
  EXPECT_EQ(Fetch(texels, nx, ny, nz, TextureFilter::Point, coordinates), texels);
}

TEST(TextureGpu, LinearFetchesInterpolateWithEightBits)
{
  CUDASPLINE_NEEDS_GPU();
  const std::vector<float> texels{ 0.0F, 1.0F };
  std::vector<float>       coordinates;
  std::vector<float>       expected;
  for (int i = 0; i <= 1000; ++i)
  {
    const float alpha = i / 1000.0F;
    coordinates.insert(coordinates.end(), { alpha + 0.5F, 0.5F, 0.5F });
    expected.push_back(alpha);
  }
  const std::vector<float> values = Fetch(texels, 2, 1, 1, TextureFilter::Linear, coordinates);
  float                    worst = 0.0F;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    worst = std::max(worst, std::abs(values[i] - expected[i]));
    EXPECT_EQ(values[i] * 256.0F, std::round(values[i] * 256.0F)) << "the weight has more than 8 fractional bits";
  }
  EXPECT_LE(worst, 1.0F / 512.0F + 1e-6F);
  EXPECT_GT(worst, 1.0F / 1024.0F) << "the hardware is finer than documented";
}

// The model of math/TextureModel.h. If a coordinate is within 2^-6 steps of half a step, both may round in different
// directions, which is 2^-8 of the difference of the neighbours. Otherwise they differ by roundings of the sum: 8 units
// of the largest texel per axis.
TEST(TextureGpu, LinearFetchesAreThoseOfTheModel)
{
  CUDASPLINE_NEEDS_GPU();
  const int          size[3]{ 19, 11, 7 };
  std::mt19937       random(std::random_device{}());
  std::vector<float> texels(static_cast<std::size_t>(size[0] * size[1] * size[2]));
  for (float & texel : texels)
  {
    texel = std::uniform_real_distribution<float>(-1000.0F, 1000.0F)(random);
  }
  TextureModel<3> model;
  model.texels = texels.data();
  std::vector<float> coordinates;
  for (int i = 0; i < 20000; ++i)
  {
    for (int d = 0; d < 3; ++d)
    {
      model.size[d] = size[d];
      coordinates.push_back(std::uniform_real_distribution<float>(-2.0F, static_cast<float>(size[d] + 2))(random));
    }
  }
  const std::vector<float> values = Fetch(texels, size[0], size[1], size[2], TextureFilter::Linear, coordinates);
  int                      ties = 0;
  float                    worst = 0.0F;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const float at[3]{ coordinates[3 * i], coordinates[3 * i + 1], coordinates[3 * i + 2] };
    // Rounding, and the eight weights of the corners, which are multiples of 1/256 with errors below that. Their sum is
    // 1, so the error is half of the sum of their magnitudes times the range of the corners.
    float allowed = 3.0F * 8.0F * 0x1p-24F * 1000.0F + 0.5F * 8.0F * 0x1p-8F * 2000.0F;
    for (const float x : at)
    {
      const float steps = (x - 0.5F) * 256.0F;
      if (std::abs(steps - std::floor(steps) - 0.5F) < 0x1p-6F)
      {
        allowed += 0x1p-8F * 2000.0F;
        ++ties;
      }
    }
    const float difference = std::abs(values[i] - model(at));
    ASSERT_LE(difference, allowed) << at[0] << ' ' << at[1] << ' ' << at[2];
    worst = std::max(worst, difference);
  }
  EXPECT_LT(ties, 3 * 20000 / 16) << "hardly a coordinate was compared";
  RecordProperty("largest_difference", std::to_string(worst));
}

TEST(TextureGpu, TooLargeArraysAreErrors)
{
  CUDASPLINE_NEEDS_GPU();
  const Stream stream;
  EXPECT_THROW(FloatTexture3D(nullptr, std::int64_t(1) << 30, 1, 1, TextureFilter::Point, stream), DeviceError);
}

TEST(GatherLayout, EverySliceHasItsPlace)
{
  struct Expected
  {
    std::int64_t size[3];
    bool         fits;
    int          logSlices;
    std::int64_t columns;
  };
  // Manually computed: as many slices below one another as 32768 rows allow, a power of two of them.
  for (const Expected & expected : { Expected{ { 512, 512, 512 }, true, 6, 8 },
                                     Expected{ { 1024, 1024, 1024 }, true, 5, 32 },
                                     Expected{ { 1025, 1024, 1024 }, false, 5, 32 },
                                     Expected{ { 2048, 2048, 2048 }, false, 4, 128 },
                                     Expected{ { 32768, 32768, 1 }, true, 0, 1 },
                                     Expected{ { 1, 32769, 1 }, false, 0, 1 },
                                     Expected{ { 32769, 1, 1 }, false, 0, 1 },
                                     Expected{ { 5, 9000, 7 }, true, 1, 4 },
                                     Expected{ { 3, 2, 5 }, true, 3, 1 } })
  {
    const GatherLayout layout(expected.size[0], expected.size[1], expected.size[2]);
    EXPECT_EQ(layout.fits, expected.fits) << expected.size[0] << " x " << expected.size[1];
    EXPECT_EQ(layout.logSlices, expected.logSlices) << expected.size[0] << " x " << expected.size[1];
    EXPECT_EQ(layout.columns, expected.columns) << expected.size[0] << " x " << expected.size[1];
  }
}
