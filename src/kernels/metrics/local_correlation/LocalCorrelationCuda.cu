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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/common/ResidenceDevices.h"
#include "kernels/common/SharedMemory.cuh"
#include "kernels/common/TileCopy.cuh"
#include "kernels/metrics/local_correlation/LocalCentre.h"
#include "kernels/metrics/local_correlation/LocalCorrelationBackends.h"
#include "kernels/metrics/local_correlation/LocalDerivative.cuh"
#include "kernels/metrics/local_correlation/LocalMarch.cuh"
#include "kernels/metrics/local_correlation/LocalPlan.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief EvaluateLocalCorrelation() on a device: one pass over the images.
 *
 * A block has the columns of a tile, 32 along x, and marches along z. For each slice it copies the pixels of its tile
 * and of the windows around it to shared memory, sums products along x, those sums along y, and adds the slice's sums
 * to those of its columns along z. A window along z is the end of one block of 2 r + 1 slices and the beginning of the
 * next. The sums of the slices are kept in a ring; when a block is complete they become sums to its end. So nothing is
 * subtracted, and the images are read once.
 *
 * Sums are double: variances cancel. A large device adds doubles at half the speed of floats, and what bounds the
 * kernel is shared memory. */

namespace itk::CudaSpline
{

namespace
{

/** Whether there are registers for the pixels of a centre, which are asked for before its slice is summed, and for the
 * inverse of a window's size. */
constexpr bool
HasRegistersLeft(int radius)
{
  return radius == 2;
}

/** \tparam VRounds see WindowProduct
 * \tparam VMasked valid samples are counted
 * \tparam VRadius of x and y; -1: any
 * \param[in] firstBlock the first one of this launch */
template <bool VRounds, bool VMasked, int VRadius, typename TPixel>
__global__ void
__launch_bounds__(LocalThreads(VRadius, VMasked), LocalResidents(VRadius))
  LocalCorrelationKernel(const __grid_constant__ LocalCentre<TPixel> centre,
                         const __grid_constant__ LocalBlocks         blocks,
                         unsigned int                                firstBlock,
                         double *                                    partial)
{
  // Quotients; of float pixels whose products are not rounded as ITK's they are float.
  using Real = std::conditional_t<VRounds, double, float>;
  constexpr int VNumbers = WindowSums + (VMasked ? 1 : 0);

  extern __shared__ double memory[];
  using Terms = PairTerms<VRounds, TPixel>;
  const Terms          terms{ centre };
  const LocalSpace     space(blocks, VNumbers, Terms::Inputs, VMasked, sizeof(TPixel), sizeof(double));
  char * const         bytes = reinterpret_cast<char *>(memory);
  double * const       lines = reinterpret_cast<double *>(bytes + space.LinesAt());
  TPixel * const       tile = reinterpret_cast<TPixel *>(bytes + space.TileAt());
  std::uint8_t * const inside = reinterpret_cast<std::uint8_t *>(bytes + space.InsideAt());

  const int block = static_cast<int>(firstBlock + blockIdx.x);
  const int firstX = block % blocks.tiles[0] * LocalColumns;
  const int firstY = block / blocks.tiles[0] % blocks.tiles[1] * blocks.rows;
  const int firstZ = block / (blocks.tiles[0] * blocks.tiles[1]) * blocks.slices;
  const int slices = min(blocks.slices, blocks.size[2] - firstZ);

  const int  lane = static_cast<int>(threadIdx.x) % LocalColumns;
  const int  row = static_cast<int>(threadIdx.x) / LocalColumns;
  const bool hasColumn = row < blocks.rows;
  const int  x = firstX + ColumnOfLane<VRadius>(lane);
  const int  y = firstY + row;
  const bool isInGrid = hasColumn && x < blocks.size[0] && y < blocks.size[1];
  const int  rowLength = min(LocalColumns, blocks.size[0] - firstX);
  const int ofPlane = CountAlong(x, blocks.radius[0], blocks.size[0]) * CountAlong(y, blocks.radius[1], blocks.size[1]);

  ColumnWindow<VNumbers> column(space, memory + (hasColumn ? row * LocalColumns + lane : 0));
  Real * const           staged = reinterpret_cast<Real *>(lines) + row * 3 * LocalColumns;
  double                 correlation = 0.0;
  int                    valid = 0;
  int                    flat = 0;
  int                    countAlongZ = 0;
  double                 inverse = 0.0; // of the samples of windows: without masks they are as many but near the ends

  const auto isSlice = [&](int z) { return z >= 0 && z < blocks.size[2]; };
  const TileCopies<VMasked, VRadius, VRadius == 4 ? 0 : 2> copies(
    blocks, space, firstX - blocks.radius[0], firstY - blocks.radius[1]);
  const auto copy = [&](int z) { copies.Run(terms, blocks, space, z, tile, inside); };
  const auto store = [&](void * derivative, Real factor, const Real(&gradient)[3], bool isZero, std::int64_t first) {
    StoreRow<VRadius>(centre, derivative, factor, gradient, isZero, lane, rowLength, first, staged);
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
    const int            z = begin + step;
    const bool           isThere = isSlice(z);
    const int            of = z - blocks.radius[2];
    const std::int64_t   firstOfRow = (std::int64_t{ of } * blocks.size[1] + y) * blocks.size[0] + firstX;
    const std::int64_t   offset = firstOfRow + (x - firstX);
    const std::int64_t   place[3] = { x, y, of };
    const bool           evaluates = step >= 2 * blocks.radius[2] && isInGrid && (!VMasked || centre.IsValid(offset));
    CentrePixels<TPixel> ahead;
    if (evaluates && HasRegistersLeft(VRadius)) // they come while windows are summed
    {
      ahead.Load(centre, place, offset);
    }
    if (isThere)
    {
      WaitForTile();
      SumAlongX<VMasked, VRadius>(terms, blocks, space, tile, inside, lines);
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
    if (step < 2 * blocks.radius[2] || !hasColumn || y >= blocks.size[1]) // the same for all of a warp
    {
      continue;
    }
    LocalTerm<Real> term{ Real(0), Real(0), Real(0), true };
    Real            movingGradient[3] = {};
    Real            fixedGradient[3] = {};
    if (evaluates)
    {
      if (!HasRegistersLeft(VRadius))
      {
        ahead.Load(centre, place, offset);
      }
      ahead.Gradients(centre, place, offset, movingGradient, fixedGradient);
      double ofWindow[WindowSums];
      for (int n = 0; n < WindowSums; ++n)
      {
        ofWindow[n] = window[n];
      }
      const int along = CountAlong(of, blocks.radius[2], blocks.size[2]);
      if constexpr (VMasked)
      {
        inverse = 1.0 / window[VNumbers - 1];
      }
      else if (!HasRegistersLeft(VRadius) || along != countAlongZ)
      {
        countAlongZ = along;
        inverse = 1.0 / static_cast<double>(ofPlane * along);
      }
      term = MakeLocalTerm<Real>(
        ofWindow, inverse, static_cast<double>(ahead.fixed), static_cast<double>(ahead.moving), centre.bounds);
      correlation += static_cast<double>(term.correlation);
      ++valid;
      flat += term.isFlat ? 1 : 0;
    }
    if (centre.movingDerivative != nullptr)
    {
      store(centre.movingDerivative, term.movingFactor, movingGradient, term.isFlat, firstOfRow);
    }
    if (centre.fixedDerivative != nullptr)
    {
      store(centre.fixedDerivative, term.fixedFactor, fixedGradient, term.isFlat, firstOfRow);
    }
  }
  double sums[3] = { correlation, static_cast<double>(valid), static_cast<double>(flat) };
  SumOverBlock(sums);
  if (threadIdx.x == 0)
  {
    for (int n = 0; n < 3; ++n)
    {
      partial[std::int64_t{ block } * 3 + n] = sums[n];
    }
  }
}

/** One block: the sums over the blocks of LocalCorrelationKernel, by a fixed tree. */
__global__ void
__launch_bounds__(MaxLocalThreads)
  LocalCorrelationTotalKernel(const double * partial, int blocks, LocalCorrelationSums * total)
{
  double sums[3] = {};
  for (int block = static_cast<int>(threadIdx.x); block < blocks; block += static_cast<int>(blockDim.x))
  {
    for (int n = 0; n < 3; ++n)
    {
      sums[n] += partial[block * 3 + n];
    }
  }
  SumOverBlock(sums);
  if (threadIdx.x == 0)
  {
    total->correlation = sums[0];
    total->count = static_cast<std::int64_t>(sums[1]);
    total->flatWindows = static_cast<std::int64_t>(sums[2]);
  }
}

__global__ void
LocalRoundKernel(const double * from, float * to, std::int64_t count)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < count)
  {
    to[i] = static_cast<float>(from[i]);
  }
}

WindowNumbers
NumbersOf(bool isMasked, std::size_t bytesOfPixel)
{
  return { 2, WindowSums, isMasked, bytesOfPixel };
}

LocalBlocks
PlanBlocks(const LocalCorrelationDescriptor & descriptor, bool isMasked, const Residence & residence)
{
  return PlanBlocks(WindowGrid{ descriptor.grid.size, CutRadius(descriptor), 1 },
                    NumbersOf(isMasked, SizeOf(descriptor.pixel)),
                    residence.GetContext().device,
                    CountSharing(AllDevicesOf(residence), descriptor.grid.Count()));
}

template <bool VRounds, bool VMasked, int VRadius, typename TPixel>
void
Launch(const LocalCentre<TPixel> & centre, const LocalBlocks & blocks, double * partial, const Residence & residence)
{
  const auto kernel = &LocalCorrelationKernel<VRounds, VMasked, VRadius, TPixel>;
  const auto bytes = SpaceOf(blocks, NumbersOf(VMasked, sizeof(TPixel))).Bytes();
  const auto threads = static_cast<unsigned int>(std::max(blocks.rows, 4) * LocalColumns);
  RunShares(AllDevicesOf(residence), CountBlocks(blocks), CountSamples(blocks), [&](const DeviceShare & share) {
    AllowSharedMemory(kernel, bytes);
    kernel<<<static_cast<unsigned int>(share.items.count), threads, bytes, share.stream.Get()>>>(
      centre, blocks, static_cast<unsigned int>(share.items.first), partial);
    CheckCuda(cudaGetLastError(), "LocalCorrelationKernel");
  });
}

/** Enqueues the kernel for masks and radius. */
template <bool VRounds, typename TPixel>
void
LaunchWindows(const LocalCentre<TPixel> & centre,
              bool                        isMasked,
              const LocalBlocks &         blocks,
              double *                    partial,
              const Residence &           residence)
{
  const bool isCompiled = std::is_same<TPixel, float>::value && blocks.radius[0] == blocks.radius[1] &&
                          blocks.rows % MaxLocalRows == 0 && blocks.size[0] <= MaxCompiledColumns &&
                          blocks.rows * LocalColumns <= LocalThreads(blocks.radius[0], isMasked);
  const auto launch = [&](auto masked) {
    constexpr bool VMasked = decltype(masked)::value;
    if constexpr (std::is_same<TPixel, float>::value)
    {
      switch (isCompiled ? blocks.radius[0] : -1)
      {
        case 2:
          return Launch<VRounds, VMasked, 2>(centre, blocks, partial, residence);
        case 3:
          if constexpr (!VMasked) // with masks it has neither two blocks of 8 rows nor registers for 16
          {
            return Launch<VRounds, VMasked, 3>(centre, blocks, partial, residence);
          }
          break;
        case 4:
          return Launch<VRounds, VMasked, 4>(centre, blocks, partial, residence);
        default:
          break;
      }
    }
    Launch<VRounds, VMasked, -1>(centre, blocks, partial, residence);
  };
  isMasked ? launch(std::true_type()) : launch(std::false_type());
}

} // namespace

std::size_t
CountLocalCorrelationScratchOnCuda(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
{
  if (descriptor.grid.Count() == 0)
  {
    return 0;
  }
  // Blocks of masked windows are the smallest.
  const std::int64_t most = std::max(CountBlocks(PlanBlocks(descriptor, false, residence)),
                                     CountBlocks(PlanBlocks(descriptor, true, residence)));
  return static_cast<std::size_t>(most) * 3 * sizeof(double);
}

void
EvaluateLocalCorrelationOnCuda(const LocalCorrelationDescriptor & descriptor,
                               const LocalCorrelationImages &     images,
                               const LocalCorrelationResults &    results,
                               const Residence &                  residence)
{
  const bool        isMasked = images.fixedInside != nullptr || images.movingInside != nullptr;
  const LocalBlocks blocks = PlanBlocks(descriptor, isMasked, residence);
  auto * const      partial = static_cast<double *>(results.scratch);
  DispatchLocalCorrelation(descriptor, [&](auto pixel, auto rounds) {
    using Pixel = decltype(pixel);
    constexpr bool VRounds = decltype(rounds)::value;
    const auto     centre = MakeLocalCentre<Pixel>(descriptor, images, results);
    LaunchWindows<VRounds>(centre, isMasked, blocks, partial, residence);
    const auto finish = [&](void * derivative, const Pixel * image, const void * gradients) {
      if (derivative != nullptr && centre.IsOblique(gradients))
      {
        LaunchOblique<Pixel>(centre, descriptor.grid.Count(), image, derivative, AllDevicesOf(residence));
      }
    };
    finish(centre.movingDerivative, centre.moving, centre.movingGradient);
    finish(centre.fixedDerivative, centre.fixed, centre.fixedGradient);
  });
  const DeviceScope scope(residence.GetContext().device);
  LocalCorrelationTotalKernel<<<1, MaxLocalThreads, 0, residence.GetStream().Get()>>>(
    partial, static_cast<int>(CountBlocks(blocks)), results.sums);
  CheckCuda(cudaGetLastError(), "LocalCorrelationTotalKernel");
}

void
RoundToSingleOnCuda(const double * from, float * to, std::int64_t count, const Residence & residence)
{
  const DeviceScope      scope(residence.GetContext().device);
  constexpr unsigned int threads = 256;
  const auto             blocks = static_cast<unsigned int>((count + threads - 1) / threads);
  LocalRoundKernel<<<blocks, threads, 0, residence.GetStream().Get()>>>(from, to, count);
  CheckCuda(cudaGetLastError(), "LocalRoundKernel");
}

} // namespace itk::CudaSpline
