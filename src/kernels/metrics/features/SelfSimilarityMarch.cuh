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
#ifndef SelfSimilarityMarch_cuh
#define SelfSimilarityMarch_cuh

#include "kernels/metrics/features/SelfSimilarity.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief Self-similarity of three-dimensional images of floats on a device, for patches with a radius of 1.
 *
 * A warp marches along z. A lane squares the differences of some rows and sums them along y; the sums of the last two
 * slices are in registers; neighbours along x are other lanes. Sums are in double precision: they do not depend on the
 * order and the directions of the axes. Nothing is stored between the sum of the means and the channels, because
 * computing distances twice takes less time than writing and reading them. */

namespace itk::CudaSpline
{

namespace
{

/** \brief The arrays of the march. Passed by value. */
struct SelfSimilarityMarch
{
  const float *    image;
  int              size[3];
  int              distance;
  double           samples;
  PlainSum *       partial;  ///< sum of the means, one a block; written if there are no channels
  const PlainSum * total;    ///< sum of the means of all samples; read if there are channels
  float *          channels; ///< null: means are summed
};

/** The index of the nearest sample of an axis. */
__device__ __forceinline__ int
Nearest(int index, int size)
{
  return min(max(index, 0), size - 1);
}

/** The distances of a sample: rounded to floats, minus the smallest one, and their mean. If one is not finite, they are
 * all 0. */
struct MarchedSample
{
  static constexpr int Channels = SelfSimilarityChannels<3>;

  float distances[Channels];
  float mean;

  __device__ __forceinline__ explicit MarchedSample(const double (&sums)[Channels])
  {
    double sum = 0.0;
    float  least = static_cast<float>(sums[0]);
#pragma unroll
    for (int n = 0; n < Channels; ++n)
    {
      sum += sums[n];
      distances[n] = static_cast<float>(sums[n]);
      least = fminf(least, distances[n]);
    }
    const auto all = static_cast<float>(sum);
    const bool isFinite = all - all == 0.0F;
    mean = isFinite ? static_cast<float>((sum - Channels * static_cast<double>(least)) * (1.0 / Channels)) : 0.0F;
#pragma unroll
    for (int n = 0; n < Channels; ++n)
    {
      distances[n] = isFinite ? distances[n] - least : 0.0F;
    }
  }
};

/** Sums the means of distances, or stores channels. */
__global__ void
__launch_bounds__(MarchWarps * LanesOfWarp, 3) SelfSimilarityKernel(const __grid_constant__ SelfSimilarityMarch march)
{
  constexpr unsigned int all = 0xffffffffU;
  constexpr int          channels = MarchedSample::Channels;
  constexpr int          rows = MarchRows + 2; // whose squares are summed
  const int              lane = static_cast<int>(threadIdx.x);
  const int              x = static_cast<int>(blockIdx.x) * MarchColumns + lane - 1;
  const int              firstY = static_cast<int>(blockIdx.y * MarchWarps + threadIdx.y) * MarchRows;
  const int              firstZ = static_cast<int>(blockIdx.z) * MarchSlices;
  const int              slices = min(MarchSlices, march.size[2] - firstZ);
  const int              width = march.size[0];
  const auto             ofSlice = std::int64_t{ width } * march.size[1];
  const bool             isInside = lane > 0 && lane <= MarchColumns && x < width;
  const int columns[3] = { Nearest(x, width), Nearest(x + march.distance, width), Nearest(x - march.distance, width) };
  double    sumOfMeans = 0.0;
  double    begun[MarchRows][channels] = {}; // sums of the last two slices
  double    last[MarchRows][channels] = {};  // of the last one
  for (int z = firstZ - 1; z <= firstZ + slices; ++z)
  {
    const float * const slice = march.image + ofSlice * Nearest(z, march.size[2]);
    const float * const above = march.image + ofSlice * Nearest(z + march.distance, march.size[2]);
    const float * const below = march.image + ofSlice * Nearest(z - march.distance, march.size[2]);
    float               values[rows][6];
#pragma unroll
    for (int row = 0; row < rows; ++row)
    {
      const int y = firstY + row - 1;
      const int own = width * Nearest(y, march.size[1]);
      values[row][0] = slice[own + columns[1]];
      values[row][1] = slice[own + columns[2]];
      values[row][2] = slice[width * Nearest(y + march.distance, march.size[1]) + columns[0]];
      values[row][3] = slice[width * Nearest(y - march.distance, march.size[1]) + columns[0]];
      values[row][4] = above[own + columns[0]];
      values[row][5] = below[own + columns[0]];
    }
    double sums[MarchRows][channels];
    int    channel = 0;
#pragma unroll
    for (int first = 0; first < 4; ++first)
    {
#pragma unroll
      for (int second = (first / 2 + 1) * 2; second < 6; ++second, ++channel)
      {
        double squares[rows];
#pragma unroll
        for (int row = 0; row < rows; ++row)
        {
          const float difference = values[row][first] - values[row][second];
          squares[row] = static_cast<double>(__fmul_rn(difference, difference));
        }
        const double middle = squares[1] + squares[2];
#pragma unroll
        for (int row = 0; row < MarchRows; ++row)
        {
          const double alongY = middle + squares[row * 3];
          sums[row][channel] = begun[row][channel] + alongY;
          begun[row][channel] = last[row][channel] + alongY;
          last[row][channel] = alongY;
        }
      }
    }
    if (z <= firstZ)
    {
      continue; // the same for all lanes
    }
#pragma unroll
    for (int row = 0; row < MarchRows; ++row)
    {
#pragma unroll
      for (int n = 0; n < channels; ++n)
      {
        const double alongZ = sums[row][n];
        sums[row][n] = alongZ + (__shfl_up_sync(all, alongZ, 1) + __shfl_down_sync(all, alongZ, 1));
      }
      const int y = firstY + row;
      if (!isInside || y >= march.size[1])
      {
        continue;
      }
      const MarchedSample sample(sums[row]);
      if (march.channels == nullptr)
      {
        sumOfMeans += static_cast<double>(sample.mean);
        continue;
      }
      const float own = VarianceOf(sample.mean, march.total->sum, march.samples);
      const float inverse = own > 0.0F ? fminf(1.0F / own, 3.4e38F) : 0.0F; // finite: a distance may be 0
      float *     to = march.channels + ((z - 1) * ofSlice + std::int64_t{ y } * width + x) * channels;
#pragma unroll
      for (int first = 0; first < channels; first += 4)
      {
        ChannelNumbers<4> four;
#pragma unroll
        for (int n = 0; n < 4; ++n)
        {
          four.numbers[n] = expf(-sample.distances[first + n] * inverse);
        }
        four.Store(to + first);
      }
    }
  }
  if (march.channels == nullptr)
  {
    __shared__ double ofWarps[MarchWarps];
    for (int half = LanesOfWarp / 2; half > 0; half /= 2)
    {
      sumOfMeans += __shfl_down_sync(all, sumOfMeans, half);
    }
    if (lane == 0)
    {
      ofWarps[threadIdx.y] = sumOfMeans;
    }
    __syncthreads();
    if (lane == 0 && threadIdx.y == 0)
    {
      const std::int64_t block = (std::int64_t{ blockIdx.z } * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      march.partial[block].sum = (ofWarps[0] + ofWarps[1]) + (ofWarps[2] + ofWarps[3]);
    }
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
