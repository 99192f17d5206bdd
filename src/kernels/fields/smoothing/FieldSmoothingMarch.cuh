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
#ifndef FieldSmoothingMarch_cuh
#define FieldSmoothingMarch_cuh

#include "kernels/common/SharedMemory.cuh"
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/fields/smoothing/FieldSmooth.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Smooths 3D fields of floats in a single kernel: a field is read once and written once.
 *
 * A block processes a column of 32 by 8 samples, and marches along z. It smooths each slice along y while it reads it,
 * including the adjacent columns. It then smooths along x, from shared memory to a ring of planes in shared memory, and
 * along z from the ring, four slices at a time. The order of the axes differs from ITK's, so results differ by
 * roundings. */

namespace itk::CudaSpline
{

/** \brief Sizes of a march. */
template <int VRadius>
struct SmoothingMarch
{
  static constexpr int         Components = 3;
  static constexpr int         TileX = 32; ///< samples of the column of a block in x
  static constexpr int         TileY = 8;  ///< samples of the column of a block in y
  static constexpr int         Group = 4;  ///< slices of a step, samples of a thread in x
  static constexpr int         Threads = TileY * TileX / Group * Components; ///< one for each run of samples along x
  static constexpr int         Row = TileX * Components;                     ///< numbers of a row of the tile
  static constexpr int         Plane = TileY * Row;                          ///< numbers of a plane of the ring
  static constexpr int         Planes = 2 * VRadius + Group;                 ///< planes of the ring
  static constexpr int         WideRow = (TileX + 2 * VRadius) * Components; ///< a row with the adjacent columns
  static constexpr int         WidePlane = TileY * WideRow; ///< a plane of slices that are smoothed along y
  static constexpr int         Blocks = VRadius == 3 || VRadius == 4 || VRadius > 9 ? 2 : 3; ///< without spills
  static constexpr int         Weights = 2 * VRadius + 1;
  static constexpr std::size_t Bytes = (Planes * Plane + Group * WidePlane) * sizeof(float); ///< shared memory

  std::int64_t         size[3];
  std::int64_t         first; ///< first slice
  std::int64_t         end;   ///< the one after the last slice
  std::int64_t         chunk; ///< slices of a block
  const float *        input;
  float *              output;
  FieldBlend<3, float> blend;
  float                weights[3][Weights];
};

/** \brief Smooths the slices of one chunk in a column. */
template <int VRadius>
__global__ void
__launch_bounds__(SmoothingMarch<VRadius>::Threads, SmoothingMarch<VRadius>::Blocks)
  SmoothingMarchKernel(const __grid_constant__ SmoothingMarch<VRadius> march)
{
  using March = SmoothingMarch<VRadius>;
  constexpr int           components = March::Components;
  constexpr int           group = March::Group;
  constexpr int           weights = March::Weights;
  extern __shared__ float shared[];
  float * const           ring = shared;
  float * const           along = shared + March::Planes * March::Plane; // slices that are smoothed along y
  const int               thread = static_cast<int>(threadIdx.x);
  const std::int64_t      firstX = std::int64_t{ blockIdx.x } * March::TileX;
  const std::int64_t      firstY = std::int64_t{ blockIdx.y } * March::TileY;
  const std::int64_t      firstZ = march.first + std::int64_t{ blockIdx.z } * march.chunk;
  const std::int64_t      endZ = min(firstZ + march.chunk, march.end);
  const std::int64_t      row = march.size[0] * components;
  const std::int64_t      slice = march.size[1] * row;

  // A run of samples along x, of one component.
  const int runRow = thread / (March::Row / group);
  const int runComponent = thread % (March::Row / group) % components;
  const int runNumber = thread % (March::Row / group) / components * group * components + runComponent;

  int        slot = 0; // slot of the next plane in the ring
  const auto smoothSlices = [&](std::int64_t first, int count) {
    for (int n = thread; n < March::WideRow; n += March::Threads)
    {
      const std::int64_t x = min(max(firstX - VRadius + n / components, std::int64_t{ 0 }), march.size[0] - 1);
      for (int i = 0; i < count; ++i)
      {
        const std::int64_t z = min(max(first + i, std::int64_t{ 0 }), march.size[2] - 1);
        const float *      column = march.input + (z * slice + x * components + n % components);
        float              sum[March::TileY] = {};
#pragma unroll
        for (int j = 0; j < March::TileY + 2 * VRadius; ++j)
        {
          const int   y = min(max(static_cast<int>(firstY) - VRadius + j, 0), static_cast<int>(march.size[1]) - 1);
          const float number = column[y * static_cast<int>(row)];
#pragma unroll
          for (int o = 0; o < March::TileY; ++o)
          {
            if (j - o >= 0 && j - o < weights)
            {
              sum[o] += march.weights[1][j - o] * number;
            }
          }
        }
#pragma unroll
        for (int o = 0; o < March::TileY; ++o)
        {
          along[i * March::WidePlane + o * March::WideRow + n] = sum[o];
        }
      }
    }
    __syncthreads();
    for (int i = 0; i < count; ++i)
    {
      const float * from = along + (i * March::WidePlane + runRow * March::WideRow + runNumber);
      float         sum[group] = {};
#pragma unroll
      for (int j = 0; j < group + 2 * VRadius; ++j)
      {
        const float number = from[j * components];
#pragma unroll
        for (int o = 0; o < group; ++o)
        {
          if (j - o >= 0 && j - o < weights)
          {
            sum[o] += march.weights[0][j - o] * number;
          }
        }
      }
#pragma unroll
      for (int o = 0; o < group; ++o)
      {
        ring[slot * March::Plane + runRow * March::Row + runNumber + o * components] = sum[o];
      }
      slot = slot + 1 == March::Planes ? 0 : slot + 1;
    }
    __syncthreads();
  };

  for (int i = 0; i < 2 * VRadius; i += group)
  {
    smoothSlices(firstZ - VRadius + i, min(group, 2 * VRadius - i));
  }
  for (std::int64_t z = firstZ; z < endZ; z += group)
  {
    // After the barrier inside, no thread reads the planes that are written next.
    smoothSlices(z + VRadius, group);
    constexpr int numbers = March::Plane / March::Threads; // numbers of a thread
    float         sum[numbers][group] = {};
#pragma unroll
    for (int j = 0; j < March::Planes; ++j)
    {
      // The ring is full: its next slot is the plane of the first slice.
      const int plane = slot + j < March::Planes ? slot + j : slot + j - March::Planes;
#pragma unroll
      for (int n = 0; n < numbers; ++n)
      {
        const float number = ring[plane * March::Plane + n * March::Threads + thread];
#pragma unroll
        for (int o = 0; o < group; ++o)
        {
          if (j - o >= 0 && j - o < weights)
          {
            sum[n][o] += march.weights[2][j - o] * number;
          }
        }
      }
    }
#pragma unroll
    for (int n = 0; n < numbers; ++n)
    {
      const int          of = n * March::Threads + thread;
      const std::int64_t x = firstX + of % March::Row / components;
      const std::int64_t y = firstY + of / March::Row;
      if (x < march.size[0] && y < march.size[1])
      {
        std::int64_t at = z * slice + y * row + x * components + of % components;
#pragma unroll
        for (int o = 0; o < group; ++o)
        {
          if (z + o < endZ)
          {
            const std::int64_t sample[3] = { x, y, z + o };
            march.output[at] = march.blend(sample, at, sum[n][o]);
          }
          at += slice;
        }
      }
    }
  }
}

/** \brief Returns the number of chunks of the slices. Each chunk also smooths some slices before its first and after
 * its last one. The number minimizes the work of the busiest multiprocessor. */
inline std::int64_t
ChunksOfMarch(std::int64_t columns, std::int64_t slices, int radius, std::int64_t multiprocessors)
{
  std::int64_t best = 1;
  std::int64_t least = 0;
  for (std::int64_t chunks = 1; chunks <= std::max<std::int64_t>(1, slices / (2 * radius)); ++chunks)
  {
    const std::int64_t length = (slices + chunks - 1) / chunks + 2 * radius;
    const std::int64_t work = (columns * chunks + multiprocessors - 1) / multiprocessors * length;
    if (least == 0 || work < least)
    {
      least = work;
      best = chunks;
    }
  }
  return best;
}

/** \brief Enqueues a march. */
template <int VRadius>
void
LaunchSmoothingMarch(const FieldGrid &            grid,
                     const float *                input,
                     float *                      output,
                     const FieldBlend<3, float> & blend,
                     const FieldSmoothing &       smoothing,
                     const Residence &            residence)
{
  using March = SmoothingMarch<VRadius>;
  March march{ { grid.size[0], grid.size[1], grid.size[2] }, 0, 0, 0, input, output, blend, {} };
  for (unsigned int d = 0; d < 3; ++d)
  {
    std::copy(smoothing.weights[d].begin(), smoothing.weights[d].end(), march.weights[d]);
  }
  const std::int64_t across = (grid.size[0] + March::TileX - 1) / March::TileX;
  const std::int64_t down = (grid.size[1] + March::TileY - 1) / March::TileY;
  RunShares(AllDevicesOf(residence), grid.size[2], grid.Count(), [&](const DeviceShare & share) {
    March              own = march;
    const std::int64_t slices = share.items.count;
    const std::int64_t all = ResidentBlocks(std::int64_t{ 1 } << 30, 1, share.device); // multiprocessors
    const std::int64_t chunks = ChunksOfMarch(across * down, slices, VRadius, all);
    own.first = share.items.first;
    own.end = own.first + slices;
    own.chunk = (slices + chunks - 1) / chunks;
    const dim3 blocks(static_cast<unsigned int>(across),
                      static_cast<unsigned int>(down),
                      static_cast<unsigned int>((slices + own.chunk - 1) / own.chunk));
    AllowSharedMemory(SmoothingMarchKernel<VRadius>, March::Bytes);
    SmoothingMarchKernel<VRadius><<<blocks, March::Threads, March::Bytes, share.stream.Get()>>>(own);
    CheckCuda(cudaGetLastError(), "SmoothingMarchKernel");
  });
}

} // namespace itk::CudaSpline

#endif
