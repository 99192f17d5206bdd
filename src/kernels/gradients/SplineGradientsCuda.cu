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
#include "kernels/gradients/PointBlocks.cuh"
#include "kernels/gradients/PointLauncher.h"
#include "kernels/gradients/PointOrder.cuh"
#include "kernels/gradients/PointScatter.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

/** Computes the largest magnitude of the numbers of each image and channel, with a row of blocks for each of them. */
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
  // All memory is allocated and zeroed at once, because for few points each allocation takes as long as a kernel.
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
    const dim3 blocks(static_cast<unsigned int>(std::min((numbers + ElementThreads - 1) / ElementThreads, MaxBlocks)),
                      static_cast<unsigned int>(std::min(planes, mostRows)));
    LargestNumberKernel<<<blocks, ElementThreads, 0, stream.Get()>>>(
      static_cast<const TReal *>(arguments.weights), numbers, planes, largest, broken);
    CheckCuda(cudaGetLastError(), "LargestNumberKernel");
    const PointOrder ordered = PointOrder::Of<TReal>(arguments, ApartForSums, stream);
    DispatchSplineOrder(arguments.order, [&](auto order) {
      PointLauncher<TReal, decltype(order)::value>::Scatter(arguments, ordered.Points(), sums, stream);
    });
  }
  FinishedSumKernel<TReal>
    <<<BlocksFor(count, ElementThreads), ElementThreads, 0, stream.Get()>>>(arguments, sums, count);
  CheckCuda(cudaGetLastError(), "FinishedSumKernel");
  if (arguments.count > 0 && arguments.weights != nullptr)
  {
    DispatchSplineOrder(arguments.order, [&](auto order) {
      PointLauncher<TReal, decltype(order)::value>::Mark(arguments, sums, stream);
    });
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
    DispatchSplineOrder(points.order, [&](auto order) {
      PointLauncher<decltype(zero), decltype(order)::value>::Evaluate(arguments, ordered.Points(), stream);
    });
  });
}

void
ContractDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context)
{
  const DeviceScope    scope(context.device);
  const PointArguments arguments = PointArgumentsOf(points);
  const Stream         stream = Stream::Of(static_cast<StreamHandle>(points.place.stream));
  WithElement(points.element, [&](auto zero) {
    const PointOrder ordered = PointOrder::Of<decltype(zero)>(arguments, ApartForReading, stream);
    DispatchSplineOrder(points.order, [&](auto order) {
      PointLauncher<decltype(zero), decltype(order)::value>::Contract(
        arguments, ordered.Points(), points.derivatives + 1, stream);
    });
  });
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
