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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/gradients/LocalCorrelationLossBackends.h"
#include "kernels/metrics/local_correlation/LocalMarch.cuh"
#include "kernels/metrics/local_correlation/LocalPlan.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/** \file
 * \brief EvaluateLocalCorrelationLoss() on a device: means of the images, then two marches as that of local
 * correlation, over the images and over their windows' numbers. */

namespace itk::CudaSpline
{

namespace
{

constexpr std::int64_t MostCentreBlocks = 256; // of an image

/** Sums of both images and of the samples that count, a part of an image a block. */
template <typename TReal>
__global__ void
__launch_bounds__(MostLocalThreads)
  CentreKernel(const __grid_constant__ LossArguments<TReal> arguments, std::int64_t images, double * partial)
{
  for (std::int64_t image = blockIdx.y; image < images; image += gridDim.y)
  {
    const TReal * const        fixed = arguments.fixed + image * arguments.plane;
    const TReal * const        moving = arguments.moving + image * arguments.plane;
    const std::uint8_t * const mask =
      arguments.mask == nullptr ? nullptr : arguments.mask + image * arguments.maskStride;
    double sums[3] = {};
    for (std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x; i < arguments.plane;
         i += std::int64_t{ gridDim.x } * blockDim.x)
    {
      if (mask == nullptr || mask[i] != 0)
      {
        sums[0] += static_cast<double>(fixed[i]);
        sums[1] += static_cast<double>(moving[i]);
        sums[2] += 1.0;
      }
    }
    SumOverBlock(sums);
    if (threadIdx.x == 0)
    {
      for (int n = 0; n < 3; ++n)
      {
        partial[(image * gridDim.x + blockIdx.x) * 3 + n] = sums[n];
      }
    }
    __syncthreads();
  }
}

/** A block an image: its centres. */
__global__ void
__launch_bounds__(MostLocalThreads)
  MeanKernel(const double * partial, int blocks, std::int64_t images, double * centres)
{
  for (std::int64_t image = blockIdx.x; image < images; image += gridDim.x)
  {
    double sums[3] = {};
    for (int block = static_cast<int>(threadIdx.x); block < blocks; block += static_cast<int>(blockDim.x))
    {
      for (int n = 0; n < 3; ++n)
      {
        sums[n] += partial[(image * blocks + block) * 3 + n];
      }
    }
    SumOverBlock(sums);
    if (threadIdx.x == 0)
    {
      const double count = sums[2] > 0.0 ? sums[2] : 1.0;
      centres[2 * image] = sums[0] / count;
      centres[2 * image + 1] = sums[1] / count;
    }
    __syncthreads();
  }
}

/** The first march: what of a pair is summed over windows, and what is done with the sums. */
template <typename TReal>
struct PairWork
{
  using Pixel = TReal;
  static constexpr int  Inputs = 2;
  static constexpr int  Sums = WindowSums;
  static constexpr bool IsCopied = false; // values are centred

  __device__ __forceinline__
  PairWork(const LossArguments<TReal> & arguments, std::int64_t image)
    : m_Arguments(arguments)
    , m_Pair(arguments, image)
    , m_First(image * arguments.plane)
  {}

  __device__ __forceinline__ bool
  IsValid(std::int64_t offset) const
  {
    return m_Pair.IsValid(offset);
  }
  __device__ __forceinline__ TReal
  Value(int input, std::int64_t offset) const
  {
    return input == 0 ? m_Pair.Fixed(offset) : m_Pair.Moving(offset);
  }
  __device__ __forceinline__ static double
  Number(int number, const TReal (&values)[Inputs])
  {
    return WindowNumberOf<FusedWindowProduct>(number, static_cast<double>(values[0]), static_cast<double>(values[1]));
  }
  /** \return what is summed over all windows */
  __device__ __forceinline__ double
  Evaluate(std::int64_t offset, const double (&sums)[Sums], double count) const
  {
    return EvaluateWindow(m_Arguments, m_Pair, m_First + offset, offset, sums, count);
  }

private:
  const LossArguments<TReal> & m_Arguments;
  CentredPair<TReal>           m_Pair;
  std::int64_t                 m_First;
};

/** The second one, of the windows' numbers. \tparam VNumbers that are summed */
template <typename TReal, int VNumbers>
struct FactorWork
{
  using Pixel = TReal;
  static constexpr int  Inputs = VNumbers;
  static constexpr int  Sums = VNumbers;
  static constexpr bool IsCopied = true;

  __device__ __forceinline__
  FactorWork(const LossArguments<TReal> & arguments, std::int64_t image)
    : m_Arguments(arguments)
    , m_Pair(arguments, image)
    , m_First(image * arguments.plane)
  {}

  __device__ __forceinline__ const TReal *
  Address(int input, std::int64_t offset) const
  {
    // For one gradient the last two are those of its image.
    const int n = VNumbers == FactorsOfOne && input > 0 && m_Arguments.fixedGradient == nullptr ? input + 2 : input;
    return m_Arguments.factors[n] + m_First + offset;
  }
  __device__ __forceinline__ static double
  Number(int number, const TReal (&values)[Inputs])
  {
    return static_cast<double>(values[number]);
  }
  __device__ __forceinline__ double
  Evaluate(std::int64_t offset, const double (&sums)[Sums], double) const
  {
    EvaluateGradients<VNumbers>(m_Arguments, m_Pair, m_First + offset, offset, sums);
    return 0.0;
  }

private:
  const LossArguments<TReal> & m_Arguments;
  CentredPair<TReal>           m_Pair;
  std::int64_t                 m_First;
};

/** A march along z; see LocalCorrelationKernel.
 *
 * \tparam TWork what is summed, and what is done with it
 * \tparam VMasked valid samples are counted
 * \tparam VRadius of x and y; -1: any
 * \param[in] blocksOfImage one image after the other
 * \param[out] partial a number a block; null: none */
template <typename TWork, bool VMasked, int VRadius>
__global__ void
__launch_bounds__(LocalThreads(VRadius, VMasked), LocalResidents(VRadius))
  WindowKernel(const __grid_constant__ LossArguments<typename TWork::Pixel> arguments,
               const __grid_constant__ LocalBlocks                          blocks,
               int                                                          blocksOfImage,
               double *                                                     partial)
{
  using Pixel = typename TWork::Pixel;
  constexpr int VNumbers = TWork::Sums + (VMasked ? 1 : 0);

  extern __shared__ double memory[];
  const LocalSpace         space(blocks, VNumbers, TWork::Inputs, VMasked, sizeof(Pixel));
  char * const             bytes = reinterpret_cast<char *>(memory);
  double * const           lines = reinterpret_cast<double *>(bytes + space.LinesAt());
  Pixel * const            tile = reinterpret_cast<Pixel *>(bytes + space.TileAt());
  std::uint8_t * const     inside = reinterpret_cast<std::uint8_t *>(bytes + space.InsideAt());

  const TWork work(arguments, static_cast<std::int64_t>(blockIdx.x / static_cast<unsigned int>(blocksOfImage)));
  const int   block = static_cast<int>(blockIdx.x % static_cast<unsigned int>(blocksOfImage));
  const int   firstX = block % blocks.tiles[0] * LocalColumns;
  const int   firstY = block / blocks.tiles[0] % blocks.tiles[1] * blocks.rows;
  const int   firstZ = block / (blocks.tiles[0] * blocks.tiles[1]) * blocks.slices;
  const int   slices = min(blocks.slices, blocks.size[2] - firstZ);

  const int  lane = static_cast<int>(threadIdx.x) % LocalColumns;
  const int  row = static_cast<int>(threadIdx.x) / LocalColumns;
  const bool hasColumn = row < blocks.rows;
  const int  x = firstX + ColumnOfLane<VRadius>(lane);
  const int  y = firstY + row;
  const bool isInGrid = hasColumn && x < blocks.size[0] && y < blocks.size[1];
  const int ofPlane = CountAlong(x, blocks.radius[0], blocks.size[0]) * CountAlong(y, blocks.radius[1], blocks.size[1]);

  ColumnWindow<VNumbers> column(space, memory + (hasColumn ? row * LocalColumns + lane : 0));
  double                 result = 0.0;

  const auto isSlice = [&](int z) { return z >= 0 && z < blocks.size[2]; };
  const auto copy = [&](int z) {
    CopyTile<VMasked, VRadius>(
      work, blocks, space, firstX - blocks.radius[0], firstY - blocks.radius[1], z, tile, inside);
  };

  const int begin = firstZ - blocks.radius[2];
  const int steps = slices + 2 * blocks.radius[2];
  if (isSlice(begin))
  {
    copy(begin);
  }
  int at = 0; // slot of the ring
  for (int step = 0; step < steps; ++step)
  {
    const int  z = begin + step;
    const bool isThere = isSlice(z);
    if (isThere)
    {
      WaitForTile();
      SumAlongX<VMasked, VRadius>(work, blocks, space, tile, inside, lines);
      __syncthreads();
    }
    if (step + 1 < steps && isSlice(z + 1))
    {
      copy(z + 1); // arrives while the sums of this slice are used
    }
    if (isThere)
    {
      SumAlongY<VNumbers, VRadius>(blocks, space, lines, memory + at * VNumbers * space.plane);
      __syncthreads();
    }
    double window[VNumbers];
    if (hasColumn)
    {
      column.Push(isThere, at, window);
    }
    at = at + 1 < space.slots ? at + 1 : 0;
    if (step < 2 * blocks.radius[2] || !isInGrid)
    {
      continue;
    }
    const int of = z - blocks.radius[2];
    double    sums[TWork::Sums];
#pragma unroll
    for (int n = 0; n < TWork::Sums; ++n)
    {
      sums[n] = window[n];
    }
    const double count =
      VMasked ? window[VNumbers - 1] : static_cast<double>(ofPlane) * CountAlong(of, blocks.radius[2], blocks.size[2]);
    result += work.Evaluate((std::int64_t{ of } * blocks.size[1] + y) * blocks.size[0] + x, sums, count);
  }
  if (partial != nullptr)
  {
    double numbers[3] = { result, 0.0, 0.0 };
    SumOverBlock(numbers);
    if (threadIdx.x == 0)
    {
      partial[blockIdx.x] = numbers[0];
    }
  }
}

/** A block an image: the sum over the blocks of its march. */
template <typename TReal>
__global__ void
__launch_bounds__(MostLocalThreads) SumKernel(const double * partial, int blocks, std::int64_t images, TReal * sums)
{
  for (std::int64_t image = blockIdx.x; image < images; image += gridDim.x)
  {
    double numbers[3] = {};
    for (int block = static_cast<int>(threadIdx.x); block < blocks; block += static_cast<int>(blockDim.x))
    {
      numbers[0] += partial[image * blocks + block];
    }
    SumOverBlock(numbers);
    if (threadIdx.x == 0)
    {
      sums[image] = static_cast<TReal>(numbers[0]);
    }
    __syncthreads();
  }
}

/** How a march is launched. */
struct March
{
  March(const WindowGrid & grid, const WindowNumbers & ofWindow, int device)
    : numbers(ofWindow)
    , blocks(PlanBlocks(grid, ofWindow, device))
    , ofImage(CountBlocks(blocks))
    , all(ofImage * grid.images)
  {
    if (all > 0x7FFFFFFF)
    {
      throw DeviceError(DeviceError::Kind::Other, "The images have more samples than a grid of blocks can hold.");
    }
  }

  WindowNumbers numbers;
  LocalBlocks   blocks;
  std::int64_t  ofImage; ///< blocks
  std::int64_t  all;     ///< blocks
};

template <typename TWork, bool VMasked, int VRadius>
void
Launch(const LossArguments<typename TWork::Pixel> & arguments,
       const March &                                march,
       double *                                     partial,
       const Stream &                               stream)
{
  const auto kernel = &WindowKernel<TWork, VMasked, VRadius>;
  const auto bytes = SpaceOf(march.blocks, march.numbers).Bytes();
  const auto threads = static_cast<unsigned int>(std::max(march.blocks.rows, 4) * LocalColumns);
  AllowSharedMemory(kernel, bytes);
  kernel<<<static_cast<unsigned int>(march.all), threads, bytes, stream.Get()>>>(
    arguments, march.blocks, static_cast<int>(march.ofImage), partial);
  CheckCuda(cudaGetLastError(), "WindowKernel");
}

/** Enqueues the kernel for a radius: those of ANTs and of VoxelMorph are compiled for floats. */
template <typename TWork, bool VMasked>
void
LaunchRadius(const LossArguments<typename TWork::Pixel> & arguments,
             const March &                                march,
             double *                                     partial,
             const Stream &                               stream)
{
  if constexpr (std::is_same<typename TWork::Pixel, float>::value)
  {
    const LocalBlocks & blocks = march.blocks;
    const int           radius = blocks.radius[0];
    if (radius == blocks.radius[1] && blocks.rows % MostLocalRows == 0 &&
        blocks.rows * LocalColumns <= LocalThreads(radius, VMasked))
    {
      switch (radius)
      {
        case 2:
          return Launch<TWork, VMasked, 2>(arguments, march, partial, stream);
        case 4:
          return Launch<TWork, VMasked, 4>(arguments, march, partial, stream);
        default:
          break;
      }
    }
  }
  Launch<TWork, VMasked, -1>(arguments, march, partial, stream);
}

template <typename TReal>
void
Evaluate(LossArguments<TReal> arguments, const LocalCorrelationPairs & pairs, int device)
{
  const Stream     stream = Stream::Of(static_cast<StreamHandle>(pairs.place.stream));
  const WindowGrid grid{ { { arguments.size[0], arguments.size[1], arguments.size[2] } },
                         CutRadiusOf(pairs),
                         pairs.images };
  const auto       wanted = FactorsOf(pairs);
  const int        numbers = static_cast<int>(std::count(wanted.begin(), wanted.end(), true));
  // Planned before anything is enqueued: windows may be too large.
  const March first(grid, { 2, WindowSums, arguments.mask != nullptr, sizeof(TReal) }, device);
  const March second(grid, { std::max(numbers, 1), std::max(numbers, 1), false, sizeof(TReal) }, device);

  constexpr std::int64_t mostRows = 65535;
  const auto             ofCentre =
    std::min(MostCentreBlocks, (arguments.plane + MostLocalThreads - 1) / std::int64_t{ MostLocalThreads });
  const auto bytesOf = [](std::int64_t count, std::size_t size) { return static_cast<std::size_t>(count) * size; };
  const auto rows = static_cast<unsigned int>(std::min(pairs.images, mostRows));
  const DeviceBuffer centres(bytesOf(2 * pairs.images, sizeof(double)), stream);
  const DeviceBuffer partial(bytesOf(std::max(first.all, 3 * ofCentre * pairs.images), sizeof(double)), stream);
  auto * const       sums = static_cast<double *>(partial.Data());
  arguments.centres = static_cast<const double *>(centres.Data());
  const dim3 centreBlocks(static_cast<unsigned int>(ofCentre), rows);
  CentreKernel<TReal><<<centreBlocks, MostLocalThreads, 0, stream.Get()>>>(arguments, pairs.images, sums);
  CheckCuda(cudaGetLastError(), "CentreKernel");
  MeanKernel<<<rows, MostLocalThreads, 0, stream.Get()>>>(
    sums, static_cast<int>(ofCentre), pairs.images, static_cast<double *>(centres.Data()));
  CheckCuda(cudaGetLastError(), "MeanKernel");

  const std::int64_t        ofNumber = pairs.images * arguments.plane;
  std::vector<DeviceBuffer> factors;
  for (std::size_t n = 0; n < WindowFactors; ++n)
  {
    if (wanted[n])
    {
      factors.emplace_back(bytesOf(ofNumber, sizeof(TReal)), stream);
      arguments.factors[n] = static_cast<TReal *>(factors.back().Data());
    }
  }
  if (arguments.mask != nullptr)
  {
    LaunchRadius<PairWork<TReal>, true>(arguments, first, sums, stream);
  }
  else
  {
    LaunchRadius<PairWork<TReal>, false>(arguments, first, sums, stream);
  }
  SumKernel<TReal><<<rows, MostLocalThreads, 0, stream.Get()>>>(
    sums, static_cast<int>(first.ofImage), pairs.images, static_cast<TReal *>(pairs.sums));
  CheckCuda(cudaGetLastError(), "SumKernel");
  if (numbers == WindowFactors)
  {
    LaunchRadius<FactorWork<TReal, WindowFactors>, false>(arguments, second, nullptr, stream);
  }
  else if (numbers > 0)
  {
    LaunchRadius<FactorWork<TReal, FactorsOfOne>, false>(arguments, second, nullptr, stream);
  }
}

} // namespace

void
EvaluateLocalCorrelationLossOnCuda(const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  DispatchLoss(pairs, [&](const auto & arguments) { Evaluate(arguments, pairs, context.device); });
}

} // namespace itk::CudaSpline
