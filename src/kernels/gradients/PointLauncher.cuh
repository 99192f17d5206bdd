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
#ifndef PointLauncher_cuh
#define PointLauncher_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/gradients/GradientBackends.h"
#include "kernels/gradients/OrderedPoints.cuh"
#include "kernels/gradients/PointBlocks.cuh"
#include "kernels/gradients/PointGradients.h"
#include "kernels/gradients/PointLauncher.h"
#include "kernels/gradients/PointScatter.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

/** \file
 * \brief Kernels of points, and their launches. src/CudaSplineInstances.cmake lists the sources that compile them. */

namespace itk::CudaSpline
{

namespace
{

/** Calls \p body with image and point, with one point per thread. */
template <unsigned int VOrder, typename TBody>
__device__ __forceinline__ void
ForPointOfThread(const PointArguments & arguments, const OrderedPoints & points, const TBody & body)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * PointThreads + threadIdx.x;
  for (std::int64_t batch = blockIdx.y; batch < arguments.batches && i < arguments.count; batch += gridDim.y)
  {
    body(batch, points.PointAt<VOrder>(batch, i));
  }
}

template <unsigned int VOrder, unsigned int VTotal, typename TReal>
__global__ void
__launch_bounds__(PointThreads)
  EvaluatePointKernel(const __grid_constant__ PointArguments arguments, const __grid_constant__ OrderedPoints points)
{
  ForPointOfThread<VOrder>(arguments, points, [&](std::int64_t batch, std::int64_t point) {
    AtPoint<EvaluatePoint, VOrder, VTotal, TReal>(arguments, batch, point);
  });
}

template <unsigned int VOrder, unsigned int VTotal, typename TReal>
__global__ void
__launch_bounds__(PointThreads)
  ContractPointKernel(const __grid_constant__ PointArguments arguments, const __grid_constant__ OrderedPoints points)
{
  ForPointOfThread<VOrder>(arguments, points, [&](std::int64_t batch, std::int64_t point) {
    AtPoint<ContractPoint, VOrder, VTotal, TReal>(arguments, batch, point);
  });
}

/** Sums of integers do not depend on the order. */
__device__ __forceinline__ void
AddTo(std::int64_t & sum, std::int64_t number)
{
  atomicAdd(reinterpret_cast<unsigned long long *>(&sum), static_cast<unsigned long long>(number));
}

/** Number of other lanes in the same chain as this lane: those immediately before, and those immediately after. */
struct LaneChain
{
  int before;
  int behind;

  /** \param[in] follows whether this lane continues the previous one; needs to be called by all lanes of a warp */
  __device__ __forceinline__ explicit LaneChain(bool follows)
  {
    const unsigned int lane = threadIdx.x % WarpLanes;
    const unsigned int all = __ballot_sync(AllLanes, follows ? 1 : 0);
    before = __clz(static_cast<int>(~(all << (WarpLanes - 1 - lane))));
    behind = __ffs(static_cast<int>(~(all >> lane >> 1))) - 1;
  }
};

/** Adds the taps of a row of a support to the sums of its image and channel.
 *
 * Neighbours in a smooth field have supports that differ by a sample: a tap of this lane is the next tap of the
 * previous lane. One of the lanes adds the contributions of all such lanes to an element, in integers, so the sums are
 * the same. Needs to be called by all lanes of a warp. Lanes without a row add nothing. */
template <unsigned int VOrder, typename TNumbers>
__device__ __forceinline__ void
AddRowOfChain(std::int64_t * sums, bool hasRow, const LaneChain & chain, const TNumbers & numbers)
{
  std::int64_t first = numbers[0];
#pragma unroll
  for (unsigned int k = 1; k <= VOrder; ++k)
  {
    const std::int64_t other = __shfl_up_sync(AllLanes, static_cast<long long>(numbers[k]), k);
    first += static_cast<int>(k) <= chain.before ? other : 0;
  }
  if (!hasRow)
  {
    return;
  }
  AddTo(sums[0], first);
#pragma unroll
  for (unsigned int k = 1; k <= VOrder; ++k)
  {
    if (static_cast<int>(k) > chain.behind)
    {
      AddTo(sums[k], numbers[k]);
    }
  }
}

template <unsigned int VOrder, unsigned int VTotal, typename TReal>
__global__ void
__launch_bounds__(PointThreads) ScatterPointKernel(const __grid_constant__ PointArguments arguments,
                                                   const __grid_constant__ OrderedPoints  points,
                                                   const __grid_constant__ ScatterSums    sums)
{
  constexpr bool     isDouble = sizeof(TReal) > sizeof(float);
  const double       parts = PowerOfTwo(sums.parts);
  const std::int64_t i = std::int64_t{ blockIdx.x } * PointThreads + threadIdx.x;
  const bool         isPoint = i < arguments.count;
  for (std::int64_t batch = blockIdx.y; batch < arguments.batches; batch += gridDim.y)
  {
    const std::int64_t point = points.PointAt<VOrder>(batch, isPoint ? i : arguments.count - 1); // or the last
    AxisTaps<VOrder, VTotal, TReal> z;
    AxisTaps<VOrder, VTotal, TReal> y;
    AxisTaps<VOrder, VTotal, TReal> x;
    const TReal * const             at = CoordinatesOf<TReal>(arguments, batch, point);
    const bool                      hasRows = PlaceInRows(arguments, at, z, y, x) && isPoint;
    if (isPoint && !hasRows)
    {
      ScatterPoint<VOrder, VTotal, TReal>(
        arguments, sums, batch, point, 0, arguments.plane, [&](std::int64_t to, std::int64_t whole, TReal rest) {
          AddTo(sums.high[to], whole);
          if constexpr (isDouble)
          {
            AddTo(sums.low[to], static_cast<std::int64_t>(llrint(rest * parts)));
          }
        });
    }
    __syncwarp();
    constexpr std::int64_t none = -2; // an offset that is followed by no other offset
    const std::int64_t     first = hasRows ? FirstOffset(arguments, z, y, x) : none;
    const std::int64_t     before = __shfl_up_sync(AllLanes, static_cast<long long>(first), 1);
    const LaneChain        chain(threadIdx.x % WarpLanes != 0 && first == before + 1);
    const unsigned int slices = arguments.FirstAxis() == 0 ? VOrder + 1 : 1; // in all lanes, with or without support
    for (std::int64_t channel = 0; channel < arguments.channels && __any_sync(AllLanes, hasRows ? 1 : 0) != 0;
         ++channel)
    {
      const ScatterFactors<VTotal, TReal> factors(arguments, sums, batch, channel, point);
      const bool                          adds = hasRows && factors.isFinite;
      const std::int64_t base = (batch * arguments.channels + channel) * arguments.plane + (hasRows ? first : 0);
      AxisTaps<VOrder, VTotal, TReal> next = z; // incremented, because arrays with a run-time index are in local memory
      for (unsigned int kz = 0; kz < slices; ++kz)
      {
#pragma unroll
        for (unsigned int ky = 0; ky <= VOrder; ++ky)
        {
          TReal row[VTotal + 1];
          factors.OfRow(next, 0, y, ky, row);
          std::int64_t                  whole[VOrder + 1];
          [[maybe_unused]] std::int64_t low[VOrder + 1];
#pragma unroll
          for (unsigned int kx = 0; kx <= VOrder; ++kx)
          {
            TReal rest;
            SplitTap(row, x, kx, whole[kx], rest);
            whole[kx] = adds ? whole[kx] : 0;
            if constexpr (isDouble)
            {
              low[kx] = adds ? static_cast<std::int64_t>(llrint(rest * parts)) : 0;
            }
          }
          const std::int64_t to = base + kz * arguments.stride[0] + ky * arguments.stride[1];
          AddRowOfChain<VOrder>(sums.high + to, hasRows, chain, whole);
          if constexpr (isDouble)
          {
            AddRowOfChain<VOrder>(sums.low + to, hasRows, chain, low);
          }
        }
        next.MoveOn();
      }
    }
  }
}

/** Few blocks: non-finite numbers are rare, and without them the kernel returns immediately. */
template <unsigned int VOrder, typename TReal>
__global__ void
__launch_bounds__(PointThreads)
  MarkPointKernel(const __grid_constant__ PointArguments arguments, const __grid_constant__ ScatterSums sums)
{
  for (std::int64_t batch = blockIdx.y; batch < arguments.batches; batch += gridDim.y)
  {
    bool isBroken = false;
    for (std::int64_t channel = 0; channel < arguments.channels && !isBroken; ++channel)
    {
      isBroken = sums.broken[batch * arguments.channels + channel] != 0;
    }
    for (std::int64_t point = std::int64_t{ blockIdx.x } * PointThreads + threadIdx.x;
         isBroken && point < arguments.count;
         point += std::int64_t{ gridDim.x } * PointThreads)
    {
      MarkPoint<VOrder, TReal>(arguments, sums, batch, point, [&](std::int64_t at) {
        static_cast<TReal *>(arguments.result)[at] = std::numeric_limits<TReal>::quiet_NaN();
      });
    }
  }
}

} // namespace

template <typename TReal, unsigned int VOrder>
void
PointLauncher<TReal, VOrder>::Evaluate(const PointArguments & arguments,
                                       const OrderedPoints &  points,
                                       const Stream &         stream)
{
  DispatchPointDerivatives<0>(arguments.derivatives, [&](auto total) {
    EvaluatePointKernel<VOrder, decltype(total)::value, TReal>
      <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, points);
  });
  CheckCuda(cudaGetLastError(), "EvaluatePointKernel");
}

template <typename TReal, unsigned int VOrder>
void
PointLauncher<TReal, VOrder>::Contract(const PointArguments & arguments,
                                       const OrderedPoints &  points,
                                       unsigned int           derivatives,
                                       const Stream &         stream)
{
  DispatchPointDerivatives<1>(derivatives, [&](auto total) {
    ContractPointKernel<VOrder, decltype(total)::value, TReal>
      <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, points);
  });
  CheckCuda(cudaGetLastError(), "ContractPointKernel");
}

template <typename TReal, unsigned int VOrder>
void
PointLauncher<TReal, VOrder>::Scatter(const PointArguments & arguments,
                                      const OrderedPoints &  points,
                                      const ScatterSums &    sums,
                                      const Stream &         stream)
{
  DispatchPointDerivatives<0>(arguments.derivatives, [&](auto total) {
    ScatterPointKernel<VOrder, decltype(total)::value, TReal>
      <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, points, sums);
  });
  CheckCuda(cudaGetLastError(), "ScatterPointKernel");
}

template <typename TReal, unsigned int VOrder>
void
PointLauncher<TReal, VOrder>::Mark(const PointArguments & arguments, const ScatterSums & sums, const Stream & stream)
{
  dim3 blocks = PointBlocks(arguments);
  blocks.x = static_cast<unsigned int>(std::min<std::int64_t>(blocks.x, MaxBlocks));
  MarkPointKernel<VOrder, TReal><<<blocks, PointThreads, 0, stream.Get()>>>(arguments, sums);
  CheckCuda(cudaGetLastError(), "MarkPointKernel");
}

} // namespace itk::CudaSpline

#endif
