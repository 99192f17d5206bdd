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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/gradients/EndWeights.h"
#include "kernels/gradients/GradientBackends.h"
#include "kernels/gradients/PointGradients.h"
#include "kernels/gradients/PointOrder.cuh"
#include "kernels/gradients/PointScatter.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

constexpr int          PointThreads = 128;
constexpr int          ElementThreads = 256;
constexpr std::int64_t MostBlocks = 1024; // of a row, that go through its numbers
constexpr unsigned int Lanes = 32;        // of a warp
constexpr unsigned int AllLanes = 0xFFFFFFFFU;

/** Calls \p body with image and point, a point a thread. */
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

/** Integers are added in any order with the same sum. */
__device__ __forceinline__ void
AddTo(std::int64_t & sum, std::int64_t number)
{
  atomicAdd(reinterpret_cast<unsigned long long *>(&sum), static_cast<unsigned long long>(number));
}

/** How many lanes beside this one go on with it: those before, one after the other, and those behind. */
struct LaneChain
{
  int before;
  int behind;

  /** \param[in] follows whether this lane goes on with the one before; called by all lanes of a warp */
  __device__ __forceinline__ explicit LaneChain(bool follows)
  {
    const unsigned int lane = threadIdx.x % Lanes;
    const unsigned int all = __ballot_sync(AllLanes, follows ? 1 : 0);
    before = __clz(static_cast<int>(~(all << (Lanes - 1 - lane))));
    behind = __ffs(static_cast<int>(~(all >> lane >> 1))) - 1;
  }
};

/** The taps of a row of a support, added to the sums of its image and channel.
 *
 * Neighbours in a smooth field have supports a sample apart: a tap of this lane is the next tap of the lane before.
 * What such lanes add to one place is added up by one of them, in integers, so the sums are the same. Called by all
 * lanes of a warp; what lanes without a row have is not added. */
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
    const std::int64_t point = points.PointAt<VOrder>(batch, isPoint ? i : arguments.count - 1); // others go along
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
    constexpr std::int64_t none = -2; // that no offset follows
    const std::int64_t     first = hasRows ? FirstOffset(arguments, z, y, x) : none;
    const std::int64_t     before = __shfl_up_sync(AllLanes, static_cast<long long>(first), 1);
    const LaneChain        chain(threadIdx.x % Lanes != 0 && first == before + 1);
    const unsigned int slices = arguments.FirstAxis() == 0 ? VOrder + 1 : 1; // the same for all, with support or not
    for (std::int64_t channel = 0; channel < arguments.channels && __any_sync(AllLanes, hasRows ? 1 : 0) != 0;
         ++channel)
    {
      const ScatterFactors<VTotal, TReal> factors(arguments, sums, batch, channel, point);
      const bool                          adds = hasRows && factors.isFinite;
      const std::int64_t base = (batch * arguments.channels + channel) * arguments.plane + (hasRows ? first : 0);
      AxisTaps<VOrder, VTotal, TReal> next = z; // moved on: what is found by a run-time number lies in memory
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

/** Few blocks: numbers that are not finite are seldom, and without them it is over at once. */
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

/** The largest magnitude of the numbers of each image and channel, a row of blocks for each of them. */
template <typename TReal>
__global__ void
__launch_bounds__(ElementThreads) LargestNumberKernel(const TReal *   numbers,
                                                      std::int64_t    count,
                                                      std::int64_t    planes,
                                                      std::uint64_t * largest,
                                                      std::uint32_t * broken)
{
  for (std::int64_t plane = blockIdx.y; plane < planes; plane += gridDim.y)
  {
    std::uint64_t own = 0;
    bool          isBroken = false;
    for (std::int64_t i = std::int64_t{ blockIdx.x } * ElementThreads + threadIdx.x; i < count;
         i += std::int64_t{ gridDim.x } * ElementThreads)
    {
      const TReal number = numbers != nullptr ? numbers[plane * count + i] : TReal(1);
      const bool  isFinite = number - number == TReal(0);
      own = isFinite ? max(own, BitsOfMagnitude(static_cast<double>(number))) : own;
      isBroken = isBroken || !isFinite;
    }
    for (int distance = 16; distance > 0; distance /= 2)
    {
      own = max(own, static_cast<std::uint64_t>(__shfl_down_sync(AllLanes, own, distance)));
    }
    isBroken = __any_sync(AllLanes, isBroken ? 1 : 0) != 0;
    if (threadIdx.x % 32 == 0)
    {
      atomicMax(reinterpret_cast<unsigned long long *>(largest + plane), static_cast<unsigned long long>(own));
      if (isBroken)
      {
        atomicOr(broken + plane, 1U);
      }
    }
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(ElementThreads) FinishedSumKernel(const __grid_constant__ PointArguments arguments,
                                                    const __grid_constant__ ScatterSums    sums,
                                                    std::int64_t                           count)
{
  const std::int64_t at = std::int64_t{ blockIdx.x } * ElementThreads + threadIdx.x;
  if (at < count)
  {
    static_cast<TReal *>(arguments.result)[at] = FinishedSum<TReal>(arguments, sums, at);
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(ElementThreads) WeighEndsKernel(const __grid_constant__ EndWeights weights,
                                                  const TReal *                      from,
                                                  TReal *                            to,
                                                  std::int64_t                       count,
                                                  bool                               isBefore)
{
  const std::int64_t at = std::int64_t{ blockIdx.x } * ElementThreads + threadIdx.x;
  if (at < count)
  {
    to[at] = from[at] * static_cast<TReal>(weights.Of(at, isBefore));
  }
}

unsigned int
BlocksFor(std::int64_t count, int threads)
{
  const std::int64_t blocks = (count + threads - 1) / threads;
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The array has more elements than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

/** Blocks of points, and a row of them for each image. */
dim3
PointBlocks(const PointArguments & arguments)
{
  constexpr std::int64_t most = 65535;
  return { BlocksFor(arguments.count, PointThreads), static_cast<unsigned int>(std::min(arguments.batches, most)), 1 };
}

template <typename TRun>
void
WithElement(ScalarType element, const TRun & run)
{
  if (element == ScalarType::Float32)
  {
    run(0.0F);
  }
  else
  {
    run(0.0);
  }
}

/** ScatterDerivatives() in a stream. */
template <typename TReal>
void
Scatter(PointArguments arguments, const Stream & stream)
{
  const std::int64_t     planes = arguments.batches * arguments.channels;
  const std::int64_t     count = planes * arguments.plane;
  constexpr std::int64_t parts = sizeof(TReal) > sizeof(float) ? 2 : 1; // of a sum
  // All of it is made and zeroed at once: for few points each of these takes as long as a kernel.
  const DeviceBuffer zeroed(static_cast<std::size_t>(parts * count) * sizeof(std::int64_t) +
                              static_cast<std::size_t>(planes) * (sizeof(std::uint64_t) + sizeof(std::uint32_t)),
                            stream);
  CheckCuda(cudaMemsetAsync(zeroed.Data(), 0, zeroed.Bytes(), stream.Get()), "cudaMemsetAsync");
  auto * const high = static_cast<std::int64_t *>(zeroed.Data());
  auto * const largest = reinterpret_cast<std::uint64_t *>(high + parts * count);
  auto * const broken = reinterpret_cast<std::uint32_t *>(largest + planes);
  ScatterSums  sums{};
  sums.high = high;
  sums.low = parts > 1 ? high + count : nullptr;
  sums.largest = largest;
  sums.broken = broken;
  BoundSums(arguments, sums);
  if (arguments.count > 0)
  {
    constexpr std::int64_t mostRows = 65535;
    const std::int64_t     numbers = arguments.count * arguments.components;
    const dim3 blocks(static_cast<unsigned int>(std::min((numbers + ElementThreads - 1) / ElementThreads, MostBlocks)),
                      static_cast<unsigned int>(std::min(planes, mostRows)));
    LargestNumberKernel<<<blocks, ElementThreads, 0, stream.Get()>>>(
      static_cast<const TReal *>(arguments.weights), numbers, planes, largest, broken);
    CheckCuda(cudaGetLastError(), "LargestNumberKernel");
    const PointOrder ordered = PointOrder::Of<TReal>(arguments, ApartForSums, stream);
    DispatchPointKernel<0>(arguments.order, arguments.derivatives, [&](auto order, auto total) {
      ScatterPointKernel<decltype(order)::value, decltype(total)::value, TReal>
        <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, ordered.Points(), sums);
    });
    CheckCuda(cudaGetLastError(), "ScatterPointKernel");
  }
  FinishedSumKernel<TReal>
    <<<BlocksFor(count, ElementThreads), ElementThreads, 0, stream.Get()>>>(arguments, sums, count);
  CheckCuda(cudaGetLastError(), "FinishedSumKernel");
  if (arguments.count > 0 && arguments.weights != nullptr)
  {
    dim3 blocks = PointBlocks(arguments);
    blocks.x = static_cast<unsigned int>(std::min<std::int64_t>(blocks.x, MostBlocks));
    DispatchSplineOrder(arguments.order, [&](auto order) {
      MarkPointKernel<decltype(order)::value, TReal><<<blocks, PointThreads, 0, stream.Get()>>>(arguments, sums);
    });
    CheckCuda(cudaGetLastError(), "MarkPointKernel");
  }
}

} // namespace

void
EvaluateDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context)
{
  const DeviceScope    scope(context.device);
  const PointArguments arguments = PointArgumentsOf(points);
  const Stream         stream = Stream::Of(static_cast<StreamHandle>(points.place.stream));
  WithElement(points.element, [&](auto zero) {
    const PointOrder ordered = PointOrder::Of<decltype(zero)>(arguments, ApartForReading, stream);
    DispatchPointKernel<0>(points.order, points.derivatives, [&](auto order, auto total) {
      EvaluatePointKernel<decltype(order)::value, decltype(total)::value, decltype(zero)>
        <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, ordered.Points());
    });
  });
  CheckCuda(cudaGetLastError(), "EvaluatePointKernel");
}

void
ContractDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context)
{
  const DeviceScope    scope(context.device);
  const PointArguments arguments = PointArgumentsOf(points);
  const Stream         stream = Stream::Of(static_cast<StreamHandle>(points.place.stream));
  WithElement(points.element, [&](auto zero) {
    const PointOrder ordered = PointOrder::Of<decltype(zero)>(arguments, ApartForReading, stream);
    DispatchPointKernel<1>(points.order, points.derivatives + 1, [&](auto order, auto total) {
      ContractPointKernel<decltype(order)::value, decltype(total)::value, decltype(zero)>
        <<<PointBlocks(arguments), PointThreads, 0, stream.Get()>>>(arguments, ordered.Points());
    });
  });
  CheckCuda(cudaGetLastError(), "ContractPointKernel");
}

void
ScatterDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(static_cast<StreamHandle>(points.place.stream));
  WithElement(points.element, [&](auto zero) { Scatter<decltype(zero)>(PointArgumentsOf(points), stream); });
}

void
FilterArrayAdjointOnCuda(const ArrayFilter & filter, const ExecutionContext & context)
{
  const DeviceScope  scope(context.device);
  const EndWeights   weights(filter);
  const std::int64_t count = filter.input.Count();
  const Stream       stream = Stream::Of(static_cast<StreamHandle>(filter.place.stream));
  WithElement(filter.element, [&](auto zero) {
    using TReal = decltype(zero);
    const DeviceBuffer weighted(static_cast<std::size_t>(count) * sizeof(TReal), stream);
    auto * const       output = static_cast<TReal *>(const_cast<void *>(filter.output.data));
    const auto         weigh = [&](const void * from, void * to, bool isBefore) {
      WeighEndsKernel<TReal><<<BlocksFor(count, ElementThreads), ElementThreads, 0, stream.Get()>>>(
        weights, static_cast<const TReal *>(from), static_cast<TReal *>(to), count, isBefore);
      CheckCuda(cudaGetLastError(), "WeighEndsKernel");
    };
    weigh(filter.input.data, weighted.Data(), true);
    ArrayFilter plain = filter;
    plain.input.data = weighted.Data();
    FilterArray(plain, context);
    weigh(output, output, false);
  });
}

} // namespace itk::CudaSpline
