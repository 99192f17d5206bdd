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

#include "kernels/metrics/mutual_information/BinInformation.h"
#include "kernels/metrics/passes/DeviceHistogram.cuh"
#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricPass.cuh"

#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

/** Computes one number per block: its sum over the blocks of MetricKernel, with a fixed tree. */
__global__ void
__launch_bounds__(MetricThreads)
  MetricTotalKernel(const double * partial, std::int64_t blocks, double * total, const InformationNumbers * made)
{
  if (made != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
  {
    *reinterpret_cast<InformationNumbers *>(total + gridDim.x) = *made;
  }
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

constexpr unsigned int TableThreads = 1024;
constexpr unsigned int TableWarps = TableThreads / 32;

/** Computes the sums of rows of numbers, one warp per row. All threads of the block can read the sums. */
__device__ __forceinline__ void
SumRows(const double * numbers, int bins, double * sums)
{
  for (int row = static_cast<int>(threadIdx.x / 32); row < bins; row += TableWarps)
  {
    double sum = 0.0;
    for (int column = static_cast<int>(threadIdx.x % 32); column < bins; column += 32)
    {
      sum += numbers[row * bins + column];
    }
    sum = WarpSum(sum);
    if (threadIdx.x % 32 == 0)
    {
      sums[row] = sum;
    }
  }
  __syncthreads();
}

/** Returns the sum of numbers in shared memory, in their order. */
__device__ __forceinline__ double
SumInOrder(const double * numbers, int count)
{
  double sum = 0.0;
  for (int n = 0; n < count; ++n)
  {
    sum += numbers[n];
  }
  return sum;
}

/** Computes the same as ReduceMattes() from a histogram, in a different order, with one block.
 *
 * \param[in] sums the space of a histogram
 * \param[out] table bins x bins numbers
 * \param[out] terms bins x bins numbers */
__global__ void
__launch_bounds__(TableThreads) InformationTableKernel(const unsigned long long * sums,
                                                       int                        bins,
                                                       unsigned int               planes,
                                                       double                     movingBinSize,
                                                       double *                   table,
                                                       double *                   terms,
                                                       InformationNumbers *       made)
{
  __shared__ double fixed[MaxHistogramBins];
  __shared__ double moving[MaxHistogramBins];
  __shared__ double rows[MaxHistogramBins];
  const int         size = bins * bins;
  const int         thread = static_cast<int>(threadIdx.x);
  for (int bin = thread; bin < size; bin += TableThreads)
  {
    table[bin] = GetWeight(sums, size, planes, bin);
  }
  __syncthreads();
  SumRows(table, bins, rows);
  const double sum = SumInOrder(rows, bins);
  for (int bin = thread; bin < size; bin += TableThreads)
  {
    table[bin] /= sum;
  }
  __syncthreads();
  SumRows(table, bins, fixed);
  if (thread < bins)
  {
    double column = 0.0;
    for (int row = 0; row < bins; ++row)
    {
      column += table[row * bins + thread];
    }
    moving[thread] = column;
    rows[thread] = LogarithmOf(fixed[thread]);
  }
  __syncthreads();
  const auto   count = static_cast<double>(sums[0]);
  const double factor = InformationFactor(movingBinSize, count);
  for (int bin = thread; bin < size; bin += TableThreads)
  {
    const int            row = bin / bins;
    const BinInformation found(table[bin], fixed[row], moving[bin % bins], rows[row]);
    terms[bin] = found.term;
    table[bin] = found.ratio * factor;
  }
  __syncthreads();
  SumRows(terms, bins, rows);
  if (thread == 0)
  {
    *made = { -SumInOrder(rows, bins), count };
  }
}

/** Enqueues a histogram. Its memory is freed in the order of the stream. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
DeviceHistogram
EnqueueHistogram(PassArguments<VDimension> & pass, int device, const Stream & stream)
{
  const std::int64_t count = pass.arguments.count;
  DeviceHistogram histogram(pass.arguments.HistogramPass::bins.bins, count, 0, stream, SamplesOfBlock(count, device));
  SumsLauncher<VMove, TValues, VDimension>::EnqueueHistogram(
    pass.arguments, histogram.Space(), histogram.Blocks(), histogram.Shared(), stream);
  return histogram;
}

/** Computes derivatives by a linear stage.
 *
 * \param[in] table of InformationPass on the device; null: that of the descriptor
 * \param[in] made results that were computed with that table, on the device
 * \param[in] stream stream that computed both */
MetricResult
EvaluateMomentsOnCuda(const MetricDescriptor &   descriptor,
                      const MetricSources &      sources,
                      const ExecutionContext &   context,
                      const MetricWorkspace *    workspace,
                      const Stream &             stream,
                      const double *             table = nullptr,
                      const InformationNumbers * made = nullptr)
{
  MetricResult result;
  DispatchMetricDerivatives(
    descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto values, auto sets, auto move) {
      constexpr unsigned int    VDimension = decltype(dimension)::value;
      PassArguments<VDimension> pass(descriptor, sources, context, nullptr, workspace, stream);
      if (table != nullptr)
      {
        pass.arguments.table = table;
      }
      using Launcher = MomentsLauncher<decltype(sets)::value, decltype(move)::value, decltype(values), VDimension>;
      result = Launcher::Sum(pass.arguments, stream, made);
    });
  return result;
}

/** Computes histogram, table and derivative, one after the other. */
MetricResult
EvaluateInformationOnCuda(const MetricDescriptor & descriptor,
                          const MetricSources &    sources,
                          const ExecutionContext & context,
                          MetricWorkspace *        workspace)
{
  const Stream     stream;
  MetricWorkspace  none;
  MetricDescriptor deriving = descriptor;
  deriving.sharesValues = descriptor.gradient != MetricGradient::Analytic;
  const ParzenBins & bins = std::get<InformationPass>(descriptor.pass).bins;
  MetricDescriptor   counting = deriving;
  counting.pass = HistogramPass{ bins };
  counting.gradient = MetricGradient::None;
  workspace = workspace != nullptr ? workspace : &none;
  const auto         left = LeaveMovingValues(counting, context, CountMetricSamples(sources), workspace, stream);
  const auto         size = static_cast<std::size_t>(bins.bins * bins.bins);
  const DeviceBuffer memory(2 * size * sizeof(double) + sizeof(InformationNumbers), stream);
  auto * const       table = static_cast<double *>(memory.Data());
  auto * const       made = reinterpret_cast<InformationNumbers *>(table + 2 * size);
  DispatchMetricSums(counting, sources, [&](auto dimension, auto values, auto move) {
    PassArguments<decltype(dimension)::value> pass(counting, sources, context, left, workspace, stream);
    const auto histogram = EnqueueHistogram<decltype(move)::value, decltype(values)>(pass, context.device, stream);
    InformationTableKernel<<<1, TableThreads, 0, stream.Get()>>>(
      histogram.Space().sums, bins.bins, histogram.Planes(), bins.movingBinSize, table, table + size, made);
    CheckCuda(cudaGetLastError(), "InformationTableKernel");
  });
  if (left != nullptr)
  {
    workspace->values = left; // the next pass is in the same stream
  }
  return EvaluateMomentsOnCuda(deriving, sources, context, workspace, stream, table, made);
}

} // namespace

void
LaunchMetricTotal(const double *             partial,
                  std::int64_t               blocks,
                  unsigned int               numbers,
                  double *                   total,
                  const Stream &             stream,
                  const InformationNumbers * made)
{
  MetricTotalKernel<<<numbers, MetricThreads, 0, stream.Get()>>>(partial, blocks, total, made);
  CheckCuda(cudaGetLastError(), "MetricTotalKernel");
}

MetricResult
EvaluateMetricOnCuda(const MetricDescriptor & descriptor,
                     const MetricSources &    sources,
                     const ExecutionContext & context,
                     MetricWorkspace *        workspace)
{
  // Passes in the order of cells need all stages after the optimized one as a matrix.
  const bool keepsOrder = workspace != nullptr && descriptor.GetSpline() != nullptr && !descriptor.HasOuterJacobian() &&
                          FitsCells(descriptor, CountMetricSamples(sources));
  if (keepsOrder || (descriptor.GetSpline() != nullptr && descriptor.gradient != MetricGradient::None))
  {
    return EvaluateSplineMetricOnCuda(descriptor, sources, context, workspace);
  }
  if (descriptor.GetField() != nullptr && descriptor.gradient != MetricGradient::None)
  {
    return EvaluateFieldMetricOnCuda(descriptor, sources, context, workspace);
  }
  const DeviceScope  scope(context.device);
  const auto * const information = std::get_if<InformationPass>(&descriptor.pass);
  if (information != nullptr && information->table == nullptr)
  {
    return EvaluateInformationOnCuda(descriptor, sources, context, workspace);
  }
  const Stream stream;
  if (descriptor.gradient != MetricGradient::None)
  {
    return EvaluateMomentsOnCuda(descriptor, sources, context, workspace, stream);
  }
  MetricResult result;
  const auto   left = LeaveMovingValues(descriptor, context, CountMetricSamples(sources), workspace, stream);
  DispatchMetricSums(descriptor, sources, [&](auto dimension, auto values, auto move) {
    constexpr unsigned int    VDimension = decltype(dimension)::value;
    constexpr SampleMove      VMove = decltype(move)::value;
    PassArguments<VDimension> pass(descriptor, sources, context, left, workspace, stream);
    if (!IsPass<HistogramPass>(descriptor.pass))
    {
      result = SumsLauncher<VMove, decltype(values), VDimension>::Sum(pass.arguments, stream);
      return;
    }
    result = EnqueueHistogram<VMove, decltype(values)>(pass, context.device, stream).Download(stream);
  });
  if (left != nullptr)
  {
    workspace->values = left; // the stream has completed them
  }
  return result;
}

} // namespace itk::CudaSpline
