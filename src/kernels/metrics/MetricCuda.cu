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

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/MetricBackends.h"
#include "kernels/metrics/MetricHistogram.cuh"
#include "kernels/metrics/MetricPass.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Blocks of HistogramSamples samples, one after the other. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(HistogramThreads, HistogramBlocks<VMove, TValues>)
  MetricHistogramKernel(const __grid_constant__ MetricArguments<VDimension> arguments, const HistogramSpace space)
{
  BlockHistogram            own(arguments, space);
  MetricSums<VDimension, 0> sums;
  const std::int64_t        first = std::int64_t{ blockIdx.x } * HistogramSamples;
  const std::int64_t        end = min(arguments.count, first + HistogramSamples);
  for (MetricCursor<VDimension> cursor(arguments, first + threadIdx.x); cursor.sample < end; cursor.Advance(arguments))
  {
    AddMetricSample<VMove, TValues>(arguments, cursor, sums, own);
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
  if (descriptor.gradient != MetricGradient::None)
  {
    return EvaluateMomentsOnCuda(descriptor, sources, context, workspace);
  }
  const DeviceScope scope(context.device);
  const Stream      stream;
  MetricResult      result;
  const auto        left = LeaveMovingValues(descriptor, context, CountMetricSamples(sources), workspace, stream);
  DispatchMetricSums(descriptor, sources, [&](auto dimension, auto values, auto move) {
    constexpr unsigned int    VDimension = decltype(dimension)::value;
    constexpr SampleMove      VMove = decltype(move)::value;
    PassArguments<VDimension> pass(descriptor, sources, context, left, workspace, stream);
    if (descriptor.pass != MetricPass::Histogram)
    {
      result = SumSamples<VMove, decltype(values), 0>(pass.arguments, stream);
      return;
    }
    pass.arguments.SetStride(HistogramThreads);
    DeviceHistogram histogram(pass.arguments, 0, stream);
    AllowSharedMemory(&MetricHistogramKernel<VMove, decltype(values), VDimension>, histogram.Shared());
    MetricHistogramKernel<VMove, decltype(values)>
      <<<histogram.Blocks(), HistogramThreads, histogram.Shared(), stream.Get()>>>(pass.arguments, histogram.Space());
    CheckCuda(cudaGetLastError(), "MetricHistogramKernel");
    result = histogram.Download(stream);
  });
  if (left != nullptr)
  {
    workspace->values = left; // the stream has passed it
  }
  return result;
}

} // namespace itk::CudaSpline
