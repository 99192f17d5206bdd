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

#include "device/DeviceGroup.h"
#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/local_correlation/ExactCorrelationBody.h"
#include "kernels/metrics/local_correlation/LocalDerivative.cuh"
#include "kernels/metrics/local_correlation/LocalMarch.cuh"
#include "kernels/metrics/local_correlation/LocalPlan.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Exact local correlation on a device: means of the images, then two marches as that of local
 * correlation, over the images and over their windows' numbers. */

namespace itk::CudaSpline
{

namespace
{

constexpr std::int64_t MaxCentreBlocks = 256; // of an image

/** Sums of both images and of the samples that count, a part of a pair a block.
 *
 * \param[in] firstBlock the first one of this launch along x, \param[in] blocks of all launches along x */
template <typename TReal>
__global__ void
__launch_bounds__(MaxLocalThreads) CentreKernel(const __grid_constant__ ExactArguments<TReal> arguments,
                                                std::int64_t                                  pairs,
                                                unsigned int                                  firstBlock,
                                                unsigned int                                  blocks,
                                                double *                                      partial)
{
  const unsigned int block = firstBlock + blockIdx.x;
  for (std::int64_t number = blockIdx.y; number < pairs; number += gridDim.y)
  {
    const auto & first = arguments.first;
    const auto   inside = [&](const std::uint8_t * mask, std::int64_t i) {
      return mask == nullptr || mask[number * arguments.maskStride + i] != 0;
    };
    const std::int64_t ofBlock = (arguments.plane + blocks - 1) / blocks;
    const std::int64_t end = min((block + 1) * ofBlock, arguments.plane);
    double             sums[3] = {};
    for (std::int64_t i = block * ofBlock + threadIdx.x; i < end; i += blockDim.x)
    {
      if (inside(first.fixedInside, i) && inside(first.movingInside, i))
      {
        sums[0] += static_cast<double>(first.fixed[number * arguments.plane + i]);
        sums[1] += static_cast<double>(first.moving[number * arguments.plane + i]);
        sums[2] += 1.0;
      }
    }
    SumOverBlock(sums);
    if (threadIdx.x == 0)
    {
      for (int n = 0; n < 3; ++n)
      {
        partial[(number * blocks + block) * 3 + n] = sums[n];
      }
    }
    __syncthreads();
  }
}

/** A block a pair: its centres. */
__global__ void
__launch_bounds__(MaxLocalThreads)
  MeanKernel(const double * partial, int blocks, std::int64_t images, bool keepsNonFinite, double * centres)
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
      centres[2 * image] = CentreOf(sums[0] / count, keepsNonFinite);
      centres[2 * image + 1] = CentreOf(sums[1] / count, keepsNonFinite);
    }
    __syncthreads();
  }
}

/** One of several pairs, see CentredPair. Its arrays are those of the first pair at an offset: addresses are not kept
 * in registers. */
template <typename TReal>
struct PairOnDevice
{
  __device__ __forceinline__
  PairOnDevice(const ExactArguments<TReal> & arguments, std::int64_t number)
    : all(arguments.first)
    , first(number * arguments.plane)
    , firstOfMask(number * arguments.maskStride)
    , fixedCentre(static_cast<TReal>(arguments.centres[2 * number]))
    , movingCentre(static_cast<TReal>(arguments.centres[2 * number + 1]))
  {}

  __device__ __forceinline__ bool
  IsValid(std::int64_t offset) const
  {
    return all.IsValid(firstOfMask + offset);
  }

  const GridPair<TReal> & all;         ///< pairs
  std::int64_t            first;       ///< offset of this one
  std::int64_t            firstOfMask; ///< offset in masks
  TReal                   fixedCentre;
  TReal                   movingCentre;
};

/** A sample whose window a thread has summed, in its row of the tile. */
template <typename TReal>
struct RowSample
{
  std::int64_t place[3];
  std::int64_t offset;     ///< in its pair
  std::int64_t firstOfRow; ///< offset of the first sample of the row
  int          rowLength;
  int          lane;
  bool         isInGrid;   ///< else it is beyond the end of the row
  int          above[2];   ///< to neighbours along x and y (samples); 0 at an end
  int          below[2];   ///< see \c above
  TReal        weights[3]; ///< GridDifferences::WeightAt()
};

/** The first march: what of a pair is summed over windows, and what is done with the sums. */
template <typename TReal>
struct PairWork
{
  using Pixel = TReal;
  using Line = double;
  static constexpr int Inputs = 2;
  static constexpr int Sums = WindowSums;

  __device__ __forceinline__
  PairWork(const ExactArguments<TReal> & arguments, std::int64_t number)
    : m_Arguments(arguments)
    , m_Pair(arguments, number)
  {}

  __device__ __forceinline__ bool
  IsValid(std::int64_t offset) const
  {
    return m_Pair.IsValid(offset);
  }
  __device__ __forceinline__ const TReal *
  Address(int input, std::int64_t offset) const
  {
    return (input == 0 ? m_Pair.all.fixed : m_Pair.all.moving) + m_Pair.first + offset;
  }
  __device__ __forceinline__ TReal
  Outside(int input) const
  {
    return input == 0 ? m_Pair.fixedCentre : m_Pair.movingCentre;
  }
  __device__ __forceinline__ double
  Number(int number, const TReal (&values)[Inputs]) const
  {
    return WindowNumberOf<FusedWindowProduct>(number,
                                              static_cast<double>(values[0] - m_Pair.fixedCentre),
                                              static_cast<double>(values[1] - m_Pair.movingCentre));
  }
  struct Ahead
  {};
  __device__ __forceinline__ void
  Begin(RowSample<TReal> &) const
  {}
  __device__ __forceinline__ void
  Load(RowSample<TReal> &, Ahead &) const
  {}
  template <int VRadius>
  __device__ __forceinline__ void
  Evaluate(const RowSample<TReal> & sample,
           const Ahead &,
           const double (&sums)[Sums],
           double count,
           TReal *,
           LocalCorrelationSums & total) const
  {
    if (sample.isInGrid)
    {
      EvaluateWindow(m_Arguments, m_Pair, m_Pair.first + sample.offset, sample.offset, sums, count, total);
    }
  }

private:
  const ExactArguments<TReal> & m_Arguments;
  PairOnDevice<TReal>           m_Pair;
};

/** The second one, of the windows' numbers, whose sums along x are rounded to the type of the numbers: of floats, all
 * five numbers of 16 rows fit into the memory of a multiprocessor. \tparam VNumbers that are summed */
template <typename TReal, int VNumbers>
struct FactorWork
{
  using Pixel = TReal;
  using Line = TReal;
  static constexpr int Inputs = VNumbers;
  static constexpr int Sums = VNumbers;

  __device__ __forceinline__
  FactorWork(const ExactArguments<TReal> & arguments, std::int64_t number)
    : m_Arguments(arguments)
    , m_Pair(arguments, number)
  {}

  __device__ __forceinline__ const TReal *
  Address(int input, std::int64_t offset) const
  {
    // For one gradient the last two are those of its image.
    const int n = VNumbers == FactorsOfOne && input > 0 && m_Pair.all.fixedDerivative == nullptr ? input + 2 : input;
    return m_Arguments.factors[n] + m_Pair.first + offset;
  }
  __device__ __forceinline__ static TReal
  Outside(int)
  {
    return TReal(0);
  }
  __device__ __forceinline__ static double
  Number(int number, const TReal (&values)[Inputs])
  {
    return static_cast<double>(values[number]);
  }
  struct Ahead
  {
    TReal                 fixed; ///< not centred yet: a subtraction would wait for it
    TReal                 moving;
    GridNeighbours<TReal> aroundFixed;
    GridNeighbours<TReal> aroundMoving;
  };
  /** Finds the neighbours of a column. */
  __device__ __forceinline__ void
  Begin(RowSample<TReal> & sample) const
  {
    const GridDifferences & differences = m_Pair.all.differences;
    const auto              stride = static_cast<int>(differences.extent.size[0]);
    for (int d = 0; d < 2; ++d)
    {
      const std::int64_t at = sample.place[d];
      sample.above[d] = at + 1 == differences.extent.size[d] ? 0 : (d == 0 ? 1 : stride);
      sample.below[d] = at == 0 ? 0 : (d == 0 ? -1 : -stride);
      sample.weights[d] = static_cast<TReal>(differences.WeightAt(d, at));
    }
  }
  /** Reads a sample and its neighbours, which arrive while windows are summed. */
  __device__ __forceinline__ void
  Load(RowSample<TReal> & sample, Ahead & ahead) const
  {
    const GridPair<TReal> & pair = m_Pair.all;
    const auto &            size = pair.differences.extent.size;
    const std::int64_t      ofSlice = size[0] * size[1];
    const std::int64_t      above = sample.place[2] + 1 == size[2] ? 0 : ofSlice;
    const std::int64_t      below = sample.place[2] == 0 ? 0 : -ofSlice;
    sample.weights[2] = static_cast<TReal>(pair.differences.WeightAt(2, sample.place[2]));
    ahead.fixed = pair.fixed[m_Pair.first + sample.offset];
    ahead.moving = pair.moving[m_Pair.first + sample.offset];
    const auto load = [&](const TReal * image, GridNeighbours<TReal> & around) {
      const TReal * const at = image + m_Pair.first + sample.offset;
#pragma unroll
      for (int d = 0; d < 2; ++d)
      {
        around.above[d] = at[sample.above[d]];
        around.below[d] = at[sample.below[d]];
      }
      around.above[2] = at[above];
      around.below[2] = at[below];
    };
    if (pair.movingDerivative != nullptr && pair.HasDifferences(pair.movingGradient))
    {
      load(pair.moving, ahead.aroundMoving);
    }
    if (pair.fixedDerivative != nullptr && pair.HasDifferences(pair.fixedGradient))
    {
      load(pair.fixed, ahead.aroundFixed);
    }
  }
  /** \param[out] staged memory of the warp, 3 numbers a sample of the row */
  template <int VRadius>
  __device__ __forceinline__ void
  Evaluate(const RowSample<TReal> & sample,
           const Ahead &            ahead,
           const double (&sums)[Sums],
           double,
           TReal * staged,
           LocalCorrelationSums &) const
  {
    const GridPair<TReal> & pair = m_Pair.all;
    double                  byFixed = 0.0;
    double                  byMoving = 0.0;
    if (sample.isInGrid)
    {
      if (m_Pair.IsValid(sample.offset))
      {
        MakeValueGradients<VNumbers>(static_cast<double>(ahead.fixed - m_Pair.fixedCentre),
                                     static_cast<double>(ahead.moving - m_Pair.movingCentre),
                                     m_Arguments.keepsNonFinite,
                                     sums,
                                     byFixed,
                                     byMoving);
      }
    }
    this->Store<VRadius>(sample, pair.movingDerivative, pair.movingGradient, ahead.aroundMoving, byMoving, staged);
    this->Store<VRadius>(sample, pair.fixedDerivative, pair.fixedGradient, ahead.aroundFixed, byFixed, staged);
  }

private:
  /** Multiplies a derivative by the value with the gradient of the image, and writes the row. */
  template <int VRadius>
  __device__ __forceinline__ void
  Store(const RowSample<TReal> &      sample,
        void *                        derivative,
        const void *                  gradients,
        const GridNeighbours<TReal> & around,
        double                        byValue,
        TReal *                       staged) const
  {
    const GridPair<TReal> & pair = m_Pair.all;
    if (derivative == nullptr)
    {
      return;
    }
    TReal gradient[3] = {};
    if (pair.HasDifferences(gradients))
    {
      pair.differences.AlongAxes(around, sample.weights, gradient);
    }
    else if (sample.isInGrid)
    {
      pair.Gradient(around, gradients, sample.place, sample.offset, gradient);
    }
    StoreRow<VRadius>(pair,
                      derivative,
                      static_cast<TReal>(byValue),
                      gradient,
                      byValue == 0.0,
                      sample.lane,
                      sample.rowLength,
                      m_Pair.first + sample.firstOfRow,
                      staged);
  }

  const ExactArguments<TReal> & m_Arguments;
  PairOnDevice<TReal>           m_Pair;
};

/** A march along z; see LocalCorrelationKernel.
 *
 * \tparam TWork what is summed, and what is done with it
 * \tparam VMasked valid samples are counted
 * \tparam VRadius of x and y; -1: any
 * \param[in] blocksOfImage one image after the other
 * \param[in] firstBlock the first one of this launch
 * \param[out] partial three numbers a block; null: none */
template <typename TWork, bool VMasked, int VRadius>
__global__ void
__launch_bounds__(LocalThreads(VRadius, VMasked), LocalResidents(VRadius))
  WindowKernel(const __grid_constant__ ExactArguments<typename TWork::Pixel> arguments,
               const __grid_constant__ LocalBlocks                           blocks,
               int                                                           blocksOfImage,
               unsigned int                                                  firstBlock,
               double *                                                      partial)
{
  using Pixel = typename TWork::Pixel;
  using Line = typename TWork::Line;
  constexpr int VNumbers = TWork::Sums + (VMasked ? 1 : 0);

  extern __shared__ double memory[];
  const LocalSpace         space(blocks, VNumbers, TWork::Inputs, VMasked, sizeof(Pixel), sizeof(Line));
  char * const             bytes = reinterpret_cast<char *>(memory);
  Line * const             lines = reinterpret_cast<Line *>(bytes + space.LinesAt());
  Pixel * const            tile = reinterpret_cast<Pixel *>(bytes + space.TileAt());
  std::uint8_t * const     inside = reinterpret_cast<std::uint8_t *>(bytes + space.InsideAt());

  const unsigned int blockOfAll = firstBlock + blockIdx.x;
  const TWork        work(arguments, static_cast<std::int64_t>(blockOfAll / static_cast<unsigned int>(blocksOfImage)));
  const int          block = static_cast<int>(blockOfAll % static_cast<unsigned int>(blocksOfImage));
  const int          firstX = block % blocks.tiles[0] * LocalColumns;
  const int          firstY = block / blocks.tiles[0] % blocks.tiles[1] * blocks.rows;
  const int          firstZ = block / (blocks.tiles[0] * blocks.tiles[1]) * blocks.slices;
  const int          slices = min(blocks.slices, blocks.size[2] - firstZ);

  const int  lane = static_cast<int>(threadIdx.x) % LocalColumns;
  const int  row = static_cast<int>(threadIdx.x) / LocalColumns;
  const bool hasColumn = row < blocks.rows;
  const int  x = firstX + ColumnOfLane<VRadius>(lane);
  const int  y = firstY + row;
  const bool hasRow = hasColumn && y < blocks.size[1]; // the same for all of a warp
  const int ofPlane = CountAlong(x, blocks.radius[0], blocks.size[0]) * CountAlong(y, blocks.radius[1], blocks.size[1]);

  ColumnWindow<VNumbers> column(space, memory + (hasColumn ? row * LocalColumns + lane : 0));
  Pixel * const          staged = reinterpret_cast<Pixel *>(lines) + row * 3 * LocalColumns;
  LocalCorrelationSums   total;
  RowSample<Pixel>       sample{};
  sample.rowLength = min(LocalColumns, blocks.size[0] - firstX);
  sample.lane = lane;
  sample.isInGrid = x < blocks.size[0];
  sample.place[0] = x;
  sample.place[1] = y;
  work.Begin(sample);

  const auto                            isSlice = [&](int z) { return z >= 0 && z < blocks.size[2]; };
  const TileCopies<VMasked, VRadius, 2> copies(blocks, space, firstX - blocks.radius[0], firstY - blocks.radius[1]);
  const auto                            copy = [&](int z) { copies.Run(work, blocks, space, z, tile, inside); };

  const int begin = firstZ - blocks.radius[2];
  const int steps = slices + 2 * blocks.radius[2];
  if (isSlice(begin))
  {
    copy(begin);
  }
  int at = 0; // slot of the ring
  for (int step = 0; step < steps; ++step)
  {
    const int             z = begin + step;
    const int             of = z - blocks.radius[2];
    const bool            isThere = isSlice(z);
    const bool            evaluates = step >= 2 * blocks.radius[2] && hasRow;
    typename TWork::Ahead ahead;
    sample.firstOfRow = (std::int64_t{ of } * blocks.size[1] + y) * blocks.size[0] + firstX;
    sample.offset = sample.firstOfRow + (x - firstX);
    sample.place[2] = of;
    if (evaluates && sample.isInGrid)
    {
      work.Load(sample, ahead);
    }
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
    if (!evaluates)
    {
      continue;
    }
    double sums[TWork::Sums];
#pragma unroll
    for (int n = 0; n < TWork::Sums; ++n)
    {
      sums[n] = window[n];
    }
    const double count =
      VMasked ? window[VNumbers - 1] : static_cast<double>(ofPlane) * CountAlong(of, blocks.radius[2], blocks.size[2]);
    work.template Evaluate<VRadius>(sample, ahead, sums, count, staged, total);
  }
  if (partial != nullptr)
  {
    double numbers[3] = { total.correlation, static_cast<double>(total.count), static_cast<double>(total.flatWindows) };
    SumOverBlock(numbers);
    if (threadIdx.x == 0)
    {
      for (int n = 0; n < 3; ++n)
      {
        partial[std::int64_t{ blockOfAll } * 3 + n] = numbers[n];
      }
    }
  }
}

/** A block a pair: the sums over the blocks of its march. */
__global__ void
__launch_bounds__(MaxLocalThreads)
  SumKernel(const double * partial, int blocks, std::int64_t pairs, LocalCorrelationSums * sums)
{
  for (std::int64_t number = blockIdx.x; number < pairs; number += gridDim.x)
  {
    double numbers[3] = {};
    for (int block = static_cast<int>(threadIdx.x); block < blocks; block += static_cast<int>(blockDim.x))
    {
      for (int n = 0; n < 3; ++n)
      {
        numbers[n] += partial[(number * blocks + block) * 3 + n];
      }
    }
    SumOverBlock(numbers);
    if (threadIdx.x == 0)
    {
      sums[number].correlation = numbers[0];
      sums[number].count = static_cast<std::int64_t>(numbers[1]);
      sums[number].flatWindows = static_cast<std::int64_t>(numbers[2]);
    }
    __syncthreads();
  }
}

template <typename TReal>
__global__ void
LossSumKernel(const LocalCorrelationSums * sums, std::int64_t pairs, TReal * to)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < pairs)
  {
    to[i] = static_cast<TReal>(sums[i].correlation);
  }
}

/** How a march is launched. */
struct March
{
  March(const WindowGrid & grid, const WindowNumbers & ofWindow, int device, std::size_t devices)
    : numbers(ofWindow)
    , blocks(PlanBlocks(grid, ofWindow, device, devices))
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
Launch(const ExactArguments<typename TWork::Pixel> & arguments,
       const March &                                 march,
       double *                                      partial,
       const StepDevices &                           devices)
{
  const auto kernel = &WindowKernel<TWork, VMasked, VRadius>;
  const auto bytes = SpaceOf(march.blocks, march.numbers).Bytes();
  const auto threads = static_cast<unsigned int>(std::max(march.blocks.rows, 4) * LocalColumns);
  RunShares(devices, march.all, CountSamples(march.blocks), [&](const DeviceShare & share) {
    AllowSharedMemory(kernel, bytes);
    kernel<<<static_cast<unsigned int>(share.items.count), threads, bytes, share.stream.Get()>>>(
      arguments, march.blocks, static_cast<int>(march.ofImage), static_cast<unsigned int>(share.items.first), partial);
    CheckCuda(cudaGetLastError(), "WindowKernel");
  });
}

/** Enqueues the kernel for a radius: those of ANTs and of VoxelMorph are compiled for floats. */
template <typename TWork, bool VMasked>
void
LaunchRadius(const ExactArguments<typename TWork::Pixel> & arguments,
             const March &                                 march,
             double *                                      partial,
             const StepDevices &                           devices)
{
  if constexpr (std::is_same<typename TWork::Pixel, float>::value)
  {
    const LocalBlocks & blocks = march.blocks;
    const int           radius = blocks.radius[0];
    if (radius == blocks.radius[1] && blocks.rows % MaxLocalRows == 0 && blocks.size[0] <= MaxCompiledColumns &&
        blocks.rows * LocalColumns <= LocalThreads(radius, VMasked))
    {
      switch (radius)
      {
        case 2:
          return Launch<TWork, VMasked, 2>(arguments, march, partial, devices);
        case 4:
          return Launch<TWork, VMasked, 4>(arguments, march, partial, devices);
        default:
          break;
      }
    }
  }
  Launch<TWork, VMasked, -1>(arguments, march, partial, devices);
}

/** The launch for pairs, except for the number of factors. */
struct Plan
{
  /** \exception DeviceError windows are too large, or there are too many samples */
  Plan(const ExactCorrelation & correlation, int factors, int device)
    : bytesOfPixel(SizeOf(correlation.descriptor.pixel))
    , grid{ correlation.descriptor.grid.size, CutRadius(correlation.descriptor), correlation.pairs }
    , windows(grid, { 2, WindowSums, IsMasked(correlation), bytesOfPixel }, device, correlation.devices)
    , factorWindows(grid,
                    { std::max(factors, 1), std::max(factors, 1), false, bytesOfPixel, bytesOfPixel },
                    device,
                    correlation.devices)
    , centreBlocks(
        std::min(MaxCentreBlocks,
                 (correlation.descriptor.grid.Count() + MaxLocalThreads - 1) / std::int64_t{ MaxLocalThreads }))
  {}

  static bool
  IsMasked(const ExactCorrelation & correlation)
  {
    return correlation.images.fixedInside != nullptr || correlation.images.movingInside != nullptr;
  }
  std::size_t
  PartialBytes() const
  {
    return static_cast<std::size_t>(3 * std::max(windows.all, centreBlocks * grid.images)) * sizeof(double);
  }

  std::size_t  bytesOfPixel;
  WindowGrid   grid;
  March        windows;
  March        factorWindows;
  std::int64_t centreBlocks; ///< of a pair
};

template <typename TReal>
void
FindCentres(const ExactArguments<TReal> & arguments,
            const Plan &                  plan,
            const ExactScratch<TReal> &   scratch,
            const StepDevices &           devices)
{
  constexpr std::int64_t mostRows = 65535;
  const auto             rows = static_cast<unsigned int>(std::min(plan.grid.images, mostRows));
  const auto             all = static_cast<unsigned int>(plan.centreBlocks);
  RunShares(devices, plan.centreBlocks, arguments.plane, [&](const DeviceShare & share) {
    const dim3 blocks(static_cast<unsigned int>(share.items.count), rows);
    CentreKernel<TReal><<<blocks, MaxLocalThreads, 0, share.stream.Get()>>>(
      arguments, plan.grid.images, static_cast<unsigned int>(share.items.first), all, scratch.partial);
    CheckCuda(cudaGetLastError(), "CentreKernel");
  });
  MeanKernel<<<rows, MaxLocalThreads, 0, devices.stream.Get()>>>(
    scratch.partial, static_cast<int>(plan.centreBlocks), plan.grid.images, arguments.keepsNonFinite, scratch.centres);
  CheckCuda(cudaGetLastError(), "MeanKernel");
}

/** Multiplies the derivatives of oblique grids with their gradients. */
template <typename TReal>
void
FinishOblique(const ExactArguments<TReal> & arguments, const StepDevices & devices)
{
  const GridPair<TReal> & pair = arguments.first;
  const auto              finish = [&](void * derivative, const TReal * image, const void * gradients) {
    if (derivative != nullptr && pair.IsOblique(gradients))
    {
      LaunchOblique(pair, arguments.plane, image, derivative, devices);
    }
  };
  finish(pair.movingDerivative, pair.moving, pair.movingGradient);
  finish(pair.fixedDerivative, pair.fixed, pair.fixedGradient);
}

template <typename TReal>
void
Evaluate(const ExactCorrelation & correlation, const StepDevices & devices)
{
  const int                 factors = CountFactors(correlation);
  const Plan                plan(correlation, factors, devices.device);
  const ExactScratch<TReal> scratch(correlation, plan.PartialBytes());
  const auto                arguments = MakeExactArguments(correlation, scratch);
  FindCentres(arguments, plan, scratch, devices);
  Plan::IsMasked(correlation) ? LaunchRadius<PairWork<TReal>, true>(arguments, plan.windows, scratch.partial, devices)
                              : LaunchRadius<PairWork<TReal>, false>(arguments, plan.windows, scratch.partial, devices);
  const auto rows = static_cast<unsigned int>(std::min<std::int64_t>(correlation.pairs, 65535));
  SumKernel<<<rows, MaxLocalThreads, 0, devices.stream.Get()>>>(
    scratch.partial, static_cast<int>(plan.windows.ofImage), correlation.pairs, correlation.sums);
  CheckCuda(cudaGetLastError(), "SumKernel");
  if (factors == ExactWindowNumbers)
  {
    LaunchRadius<FactorWork<TReal, ExactWindowNumbers>, false>(arguments, plan.factorWindows, nullptr, devices);
  }
  else if (factors > 0)
  {
    LaunchRadius<FactorWork<TReal, FactorsOfOne>, false>(arguments, plan.factorWindows, nullptr, devices);
  }
  FinishOblique(arguments, devices);
}

/** Calls \p run with a number of the type of the pixels. */
template <typename TRun>
void
DispatchPixel(const ExactCorrelation & correlation, const TRun & run)
{
  correlation.descriptor.pixel == ScalarType::Float32 ? run(float()) : run(double());
}

} // namespace

std::size_t
CountExactPartialSumsOnCuda(const ExactCorrelation & correlation, int factors, int device)
{
  // Blocks of masked windows are the smallest: masks are not known yet.
  const std::uint8_t inside = 1;
  ExactCorrelation   masked = correlation;
  masked.images.fixedInside = &inside;
  return std::max(Plan(correlation, factors, device).PartialBytes(), Plan(masked, factors, device).PartialBytes());
}

void
EvaluateExactCorrelationOnCuda(const ExactCorrelation & correlation, const StepDevices & devices)
{
  const DeviceScope scope(devices.device);
  DispatchPixel(correlation, [&](auto pixel) { Evaluate<decltype(pixel)>(correlation, devices); });
}

void
EvaluateLossOnCuda(ExactCorrelation correlation, void * sums, StreamHandle handle, int device)
{
  const DeviceScope  scope(device);
  const Stream       stream = Stream::Of(handle);
  const std::size_t  bytes = CountExactCorrelationScratch(correlation, CountFactors(correlation), device);
  const DeviceBuffer scratch(bytes, stream);
  const DeviceBuffer own(static_cast<std::size_t>(correlation.pairs) * sizeof(LocalCorrelationSums), stream);
  correlation.scratch = scratch.Data();
  correlation.sums = static_cast<LocalCorrelationSums *>(own.Data());
  EvaluateExactCorrelationOnCuda(correlation, { stream, device, nullptr });
  constexpr unsigned int threads = 128;
  const auto             blocks = static_cast<unsigned int>((correlation.pairs + threads - 1) / threads);
  DispatchPixel(correlation, [&](auto pixel) {
    LossSumKernel<<<blocks, threads, 0, stream.Get()>>>(
      correlation.sums, correlation.pairs, static_cast<decltype(pixel) *>(sums));
    CheckCuda(cudaGetLastError(), "LossSumKernel");
  });
}

} // namespace itk::CudaSpline
