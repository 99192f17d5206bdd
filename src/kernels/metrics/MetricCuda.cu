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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/MetricBackends.h"
#include "kernels/metrics/MetricBody.h"
#include "kernels/metrics/MetricCuda.h"
#include "kernels/metrics/MetricHistogram.cuh"
#include "kernels/metrics/MetricReduction.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

// Blocks of a multiprocessor: 128 or 168 registers a thread, with which little is spilled.
template <typename TValues>
constexpr unsigned int MetricBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;


/** Blocks of samples that lie apart by the number of threads: a block's sums, by a fixed tree, to its place in
 * \p partial. */
template <bool VWalks, typename TValues, unsigned int VSets, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, MetricBlocks<TValues>)
  MetricKernel(const __grid_constant__ MetricArguments<VDimension> arguments, double * partial)
{
  using Sums = MetricSums<VDimension, VSets>;
  Sums               sums;
  NoHistogram        none;
  const std::int64_t first = std::int64_t{ blockIdx.x } * MetricThreads + threadIdx.x;
  for (MetricCursor<VDimension> cursor(arguments, first); cursor.sample < arguments.count; cursor.Advance(arguments))
  {
    if constexpr (VWalks && VSets > 0)
    {
      AddWalkedSample<true, TValues>(arguments, cursor, sums);
    }
    else
    {
      AddMetricSample<VWalks, TValues>(arguments, cursor, sums, none);
    }
  }
  StoreBlockSums(sums.numbers, partial);
}

/** Blocks of HistogramSamples samples, one after the other. */
template <bool VWalks, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(HistogramThreads, HistogramBlocks<VWalks, TValues>)
  MetricHistogramKernel(const __grid_constant__ MetricArguments<VDimension> arguments, const HistogramSpace space)
{
  BlockHistogram            own(arguments, space);
  MetricSums<VDimension, 0> sums;
  const std::int64_t        first = std::int64_t{ blockIdx.x } * HistogramSamples;
  const std::int64_t        end = min(arguments.count, first + HistogramSamples);
  for (MetricCursor<VDimension> cursor(arguments, first + threadIdx.x); cursor.sample < end; cursor.Advance(arguments))
  {
    AddMetricSample<VWalks, TValues>(arguments, cursor, sums, own);
  }
  own.Store(sums.numbers[0]);
}

/** A block a number: its sum over the blocks of MetricKernel, by a fixed tree. */
__global__ void
__launch_bounds__(MetricThreads) MetricTotalKernel(const double * partial, std::int64_t blocks, double * total)
{
  double sum = 0.0;
  for (std::int64_t block = threadIdx.x; block < blocks; block += MetricThreads)
  {
    sum += partial[std::int64_t{ blockIdx.x } * blocks + block];
  }
  __shared__ double ofWarps[MetricWarps];
  sum = WarpSum(sum);
  if (threadIdx.x % 32 == 0)
  {
    ofWarps[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0)
  {
    double all = 0.0;
    for (unsigned int warp = 0; warp < MetricWarps; ++warp)
    {
      all += ofWarps[warp];
    }
    total[blockIdx.x] = all;
  }
}

} // namespace

void
LaunchMetricTotal(const double * partial,
                  std::int64_t   blocks,
                  unsigned int   numbers,
                  double *       total,
                  const Stream & stream)
{
  MetricTotalKernel<<<numbers, MetricThreads, 0, stream.Get()>>>(partial, blocks, total);
  CheckCuda(cudaGetLastError(), "MetricTotalKernel");
}

MetricResult
EvaluateMetricOnCuda(const MetricDescriptor & descriptor,
                     const MetricSources &    sources,
                     const ExecutionContext & context,
                     MetricWorkspace *        workspace)
{
  // Cells have all behind the stage as a matrix.
  const bool keepsOrder = workspace != nullptr && descriptor.splineStage >= 0 && !descriptor.HasOuterJacobian() &&
                          FitsCells(descriptor, CountMetricSamples(sources));
  if (keepsOrder || (descriptor.splineStage >= 0 && descriptor.gradient != MetricGradient::None))
  {
    return EvaluateSplineMetricOnCuda(descriptor, sources, context, workspace);
  }
  if (descriptor.fieldStage >= 0 && descriptor.gradient != MetricGradient::None)
  {
    return EvaluateFieldMetricOnCuda(descriptor, sources, context, workspace);
  }
  const DeviceScope scope(context.device);
  const Stream      stream;
  MetricResult      result;
  const auto        left = LeaveMovingValues(descriptor, context, CountMetricSamples(sources), workspace, stream);
  const auto        run = [&](auto dimension, auto values, auto sets, auto walksAll) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    constexpr bool         VWalks = decltype(walksAll)::value;
    using Sums = MetricSums<VDimension, decltype(sets)::value>;
    auto arguments = MakeMetricArguments<VDimension>(descriptor, sources);
    arguments.kept = KeptMemory(descriptor, left, workspace);
    if (left != nullptr && left->valid != nullptr)
    {
      arguments.valid = static_cast<std::uint8_t *>(left->valid.get());
      const auto bytes = static_cast<std::size_t>(arguments.count);
      CheckCuda(cudaMemsetAsync(arguments.valid, 0, bytes, stream.Get()), "cudaMemsetAsync");
    }
    const auto blocks =
      std::clamp<std::int64_t>((arguments.count + MetricThreads - 1) / MetricThreads, 1, MostMetricBlocks);
    const auto          numbers = static_cast<std::size_t>(blocks + 1) * Sums::Numbers;
    const DeviceBuffer  partial(numbers * sizeof(double), stream);
    const bool          walks = arguments.mapCount < 0 || arguments.front >= 0;
    const MetricUploads uploads(descriptor, walks, stream, arguments);
    if constexpr (decltype(sets)::value == 0)
    {
      if (descriptor.pass == MetricPass::Histogram)
      {
        arguments.SetStride(HistogramThreads);
        DeviceHistogram histogram(arguments, 0, stream);
        AllowSharedMemory(&MetricHistogramKernel<VWalks, decltype(values), VDimension>, histogram.Shared());
        MetricHistogramKernel<VWalks, decltype(values)>
          <<<histogram.Blocks(), HistogramThreads, histogram.Shared(), stream.Get()>>>(arguments, histogram.Space());
        CheckCuda(cudaGetLastError(), "MetricHistogramKernel");
        result = histogram.Download(stream);
        return;
      }
    }
    arguments.SetStride(blocks * MetricThreads);
    auto * const from = static_cast<double *>(partial.Data());
    auto * const total = from + blocks * Sums::Numbers;
    MetricKernel<VWalks, decltype(values), decltype(sets)::value>
      <<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(arguments, from);
    CheckCuda(cudaGetLastError(), "MetricKernel");
    LaunchMetricTotal(from, blocks, Sums::Numbers, total, stream);
    Sums sums;
    DownloadThroughStaging(sums.numbers, total, sizeof(sums.numbers), stream);
    result = MakeMetricResult(sums);
  };
  DispatchMetric(descriptor, sources.moving->GetDescriptor().element, run);
  if (left != nullptr)
  {
    workspace->values = left; // the stream has passed it
  }
  return result;
}

} // namespace itk::CudaSpline
