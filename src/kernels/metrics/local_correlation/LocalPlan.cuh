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
#ifndef LocalPlan_cuh
#define LocalPlan_cuh

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/TileCopy.cuh"
#include "kernels/metrics/local_correlation/LocalMarch.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

/** \file
 * \brief How a device cuts a grid whose windows are summed, and sums over its blocks. */

namespace itk::CudaSpline
{

namespace
{

/** Sums of three numbers over a block, by a fixed tree; thread 0 has them. */
__device__ __forceinline__ void
SumOverBlock(double (&numbers)[3])
{
  __shared__ double ofWarps[3][MaxLocalThreads / WarpSize];
  for (int n = 0; n < 3; ++n)
  {
    for (int distance = WarpSize / 2; distance > 0; distance /= 2)
    {
      numbers[n] += __shfl_down_sync(0xFFFFFFFFU, numbers[n], distance);
    }
    if (threadIdx.x % WarpSize == 0)
    {
      ofWarps[n][threadIdx.x / WarpSize] = numbers[n];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
  {
    for (int n = 0; n < 3; ++n)
    {
      double sum = 0.0;
      for (unsigned int warp = 0; warp < blockDim.x / WarpSize; ++warp)
      {
        sum += ofWarps[n][warp];
      }
      numbers[n] = sum;
    }
  }
}

/** Samples of the grid along an axis in a window. */
__device__ __forceinline__ int
CountAlong(int at, int radius, int size)
{
  return min(at + radius, size - 1) - max(at - radius, 0) + 1;
}

/** Threads of a block at most, and blocks of a multiprocessor, by the radius that is compiled for: of radius 4 a large
 * device has the memory of one with 16 rows, or 8 with masks. For radius 2 it has that of three, which spill registers.
 */
///@{
constexpr int
LocalThreads(int radius, bool isMasked)
{
  return radius == 2 || radius == 3 || (radius == 4 && isMasked) ? MaxLocalRows * LocalColumns : MaxLocalThreads;
}
constexpr int
LocalResidents(int radius)
{
  return radius == 2 || radius == 3 ? 2 : 1;
}
///@}

/** Images whose windows are summed, on the same grid. */
struct WindowGrid
{
  std::array<std::int64_t, 3> size;   ///< x first
  std::array<std::int64_t, 3> radius; ///< of the windows, less than the size
  std::int64_t                images;
};

/** What of each sample is read and summed. */
struct WindowNumbers
{
  int         inputs; ///< arrays
  int         sums;   ///< without the number of valid samples
  bool        isMasked;
  std::size_t bytes;                       ///< of a number of the arrays
  std::size_t lineBytes{ sizeof(double) }; ///< of a sum along x
};

/** The shared memory of a block. */
inline LocalSpace
SpaceOf(const LocalBlocks & blocks, const WindowNumbers & numbers)
{
  return { blocks,           numbers.sums + (numbers.isMasked ? 1 : 0), numbers.inputs, numbers.isMasked, numbers.bytes,
           numbers.lineBytes };
}

/** How a device's blocks are made: as many rows as their memory allows, two blocks a multiprocessor if they have 8, and
 * slices so that all multiprocessors have some work to the end.
 *
 * Several equal devices share the blocks in their order, which is that of slices in the memory of each. So each device
 * has blocks of its own along z. If one device has not, they begin at multiples of the size of windows: then all windows
 * have the same sums as those of one device, to the bit. */
inline LocalBlocks
PlanBlocks(const WindowGrid & grid, const WindowNumbers & numbers, int device, std::size_t devices = 1)
{
  const auto attribute = [device](cudaDeviceAttr what) {
    int value = 0;
    CheckCuda(cudaDeviceGetAttribute(&value, what, device), "cudaDeviceGetAttribute");
    return value;
  };
  const auto  ofBlock = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  const auto  ofMultiprocessor = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const auto  reserved = static_cast<std::size_t>(attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  const auto  multiprocessors = std::int64_t{ attribute(cudaDevAttrMultiProcessorCount) };
  LocalBlocks blocks{};
  for (int d = 0; d < 3; ++d)
  {
    const auto axis = static_cast<std::size_t>(d);
    if (grid.size[axis] > std::numeric_limits<std::int32_t>::max() / 2)
    {
      throw std::invalid_argument("Local correlation: axis " + std::to_string(d) + " has " +
                                  std::to_string(grid.size[axis]) +
                                  " samples; on a device less than 2^30 are supported.");
    }
    blocks.size[d] = static_cast<int>(grid.size[axis]);
    blocks.radius[d] = static_cast<int>(std::min<std::int64_t>(grid.radius[axis], 1 << 12));
  }
  constexpr std::size_t ofTree = 3 * MaxLocalThreads / WarpSize * sizeof(double);
  const auto            bytesOf = [&](int rows) {
    auto of = blocks;
    of.rows = rows;
    return SpaceOf(of, numbers).Bytes() + ofTree;
  };
  blocks.rows = MaxLocalRows;
  auto ofEach = static_cast<std::int64_t>(ofMultiprocessor / (bytesOf(blocks.rows) + reserved));
  ofEach = std::min<std::int64_t>(ofEach, 2); // LocalResidents(); others have the registers of as many
  if (ofEach < 2)
  {
    ofEach = 1;
    blocks.rows = MaxLocalThreads / LocalColumns;
    while (blocks.rows > 1 && bytesOf(blocks.rows) > ofBlock)
    {
      blocks.rows /= 2;
    }
  }
  if (bytesOf(blocks.rows) > ofBlock)
  {
    throw DeviceError(DeviceError::Kind::OutOfMemory,
                      "The shared memory of the device is too small for local correlation with a radius of " +
                        std::to_string(blocks.radius[0]) + ", " + std::to_string(blocks.radius[1]) + ", " +
                        std::to_string(blocks.radius[2]) + "; use a smaller radius.");
  }
  blocks.tiles[0] = (blocks.size[0] + LocalColumns - 1) / LocalColumns;
  blocks.tiles[1] = (blocks.size[1] + blocks.rows - 1) / blocks.rows;
  const std::int64_t tiles = std::int64_t{ blocks.tiles[0] } * blocks.tiles[1] * grid.images;
  const std::int64_t places = multiprocessors * ofEach;
  std::int64_t       least = std::numeric_limits<std::int64_t>::max();
  for (int parts = 1; parts <= std::min(blocks.size[2], 64); ++parts)
  {
    const int          slices = (blocks.size[2] + parts - 1) / parts;
    const std::int64_t rounds = (tiles * parts + places - 1) / places;
    const std::int64_t steps = rounds * (slices + 2 * blocks.radius[2]);
    if (steps < least)
    {
      least = steps;
      blocks.slices = slices;
    }
  }
  if (devices > 1 && blocks.slices >= blocks.size[2])
  {
    const int window = 2 * blocks.radius[2] + 1;
    least = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t parts = static_cast<std::int64_t>(devices); parts <= std::min<std::int64_t>(blocks.size[2], 64);
         parts += static_cast<std::int64_t>(devices))
    {
      const auto         length = static_cast<int>((blocks.size[2] + parts - 1) / parts);
      const int          slices = (length + window - 1) / window * window;
      const std::int64_t rounds = (tiles * parts / static_cast<std::int64_t>(devices) + places - 1) / places;
      const std::int64_t steps = rounds * (slices + 2 * blocks.radius[2]);
      if (steps < least)
      {
        least = steps;
        blocks.slices = slices;
      }
    }
  }
  return blocks;
}

/** Blocks of an image. */
inline std::int64_t
CountBlocks(const LocalBlocks & blocks)
{
  return std::int64_t{ blocks.tiles[0] } * blocks.tiles[1] * ((blocks.size[2] + blocks.slices - 1) / blocks.slices);
}

/** Samples of an image. */
inline std::int64_t
CountSamples(const LocalBlocks & blocks)
{
  return std::int64_t{ blocks.size[0] } * blocks.size[1] * blocks.size[2];
}

} // namespace
} // namespace itk::CudaSpline

#endif
