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
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/MetricBackends.h"
#include "kernels/metrics/MetricBody.h"
#include "kernels/metrics/MetricCells.cuh"
#include "kernels/metrics/MetricCuda.h"
#include "kernels/metrics/MetricGather.cuh"
#include "kernels/metrics/MetricHistogram.cuh"
#include "kernels/metrics/MetricOrder.cuh"
#include "kernels/metrics/MetricReduction.cuh"
#include "kernels/metrics/MetricScatter.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief Derivatives of a metric by the coefficients of B-splines, on a device.
 *
 * Samples are taken in the order of the cells of the grid, so that a block adds to the nodes of one cell alone: it
 * makes the forces of some samples, a thread each, and then their sums over the cell's nodes, a thread some nodes. The
 * sums of a chunk go to memory, and a node gathers its own from the chunks of the cells around it. Everything is added
 * in an order that the samples give. */

namespace itk::CudaSpline
{

namespace
{

/** Blocks of a multiprocessor, as of MetricKernel. */
template <typename TValues>
constexpr unsigned int ScatterBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;

/** A block a chunk of a cell.
 *
 * \tparam VHasOuterJacobian gradients come back through the stages behind; moving values are by sample, and not by the
 * order \param[in] sets of weights \param[out] partial CellShape::Numbers for each chunk and set \param[out] values
 * counts and values by block, see StoreBlockSums() */
template <bool VHasOuterJacobian, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, ScatterBlocks<TValues>)
  MetricScatterKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                      const __grid_constant__ SplineParameters<VDimension> parameters,
                      const SplineOrder                                    order,
                      unsigned int                                         sets,
                      double *                                             partial,
                      double *                                             values)
{
  constexpr int       numbers = CellShape<VDimension>::Numbers;
  const int           thread = static_cast<int>(threadIdx.x);
  const std::uint32_t chunk = blockIdx.x;
  extern __shared__ __align__(16) double shared[];
  const ForceBatch<VDimension>           batch{ shared };
  ForceSums<VDimension>                  sums(parameters, batch);
  if (chunk < order.chunkStarts[order.cells])
  {
    // The last cell that begins there or before: one without chunks begins where the next does.
    const std::uint32_t cell = LowerBound(order.chunkStarts, order.cells, chunk + 1) - 1;
    const std::uint32_t first = order.starts[cell] + (chunk - order.chunkStarts[cell]) * order.mostOfChunk;
    const std::uint32_t end = min(order.starts[cell + 1], first + order.mostOfChunk);
    const bool          moves = cell + 1 < order.cells;
    double * const      coefficients = batch.Coefficients(sets);
    double * const      total = batch.Totals(sets);
    for (int n = thread; n < static_cast<int>(sets) * numbers; n += MetricThreads)
    {
      total[n] = 0.0;
    }
    if (moves && !VHasOuterJacobian)
    {
      LoadCell(parameters.GetStage(), cell, coefficients);
    }
    __syncthreads();
    for (std::uint32_t begin = first; begin < end; begin += BatchSamples)
    {
      const int   count = static_cast<int>(min(end - begin, std::uint32_t{ BatchSamples }));
      NoHistogram none;
#pragma unroll 1
      for (int i = thread; i < count; i += MetricThreads)
      {
        sums.SelectSample(i, sets);
        const MetricCursor<VDimension> cursor(arguments, order.samples[begin + i]);
        if constexpr (VHasOuterJacobian)
        {
          KeepWeightsOf(arguments, parameters, cursor, batch, i);
          AddMetricSample<SampleMove::AnyWithJacobian, TValues>(arguments, cursor, sums, NoHistogram());
        }
        else
        {
          const auto move = [&](const double(&place)[VDimension], double(&moved)[VDimension]) {
            MoveInCell(parameters, arguments.moving.stageCount, coefficients, place, moved, [&](const auto & weights) {
              batch.KeepWeights(i, weights);
            });
          };
          AddMovedSample<TValues>(arguments, cursor, std::int64_t{ begin } + i, move, sums, none);
        }
      }
      __syncthreads();
      for (unsigned int set = 0; moves && set < sets; ++set)
      {
        ScatterBatch(batch, set, count, batch.WarpSums(sets), total + set * numbers);
      }
    }
    for (int n = thread; moves && n < static_cast<int>(sets) * numbers; n += MetricThreads)
    {
      partial[std::int64_t{ chunk } * sets * numbers + n] = total[n];
    }
  }
  __syncthreads();
  StoreBlockSums(sums.GetSums().numbers, values);
}

/** A pass over the samples in the order of cells: what its parts share. */
template <unsigned int VDimension>
struct CellPass
{
  MetricArguments<VDimension>  arguments;
  SplineParameters<VDimension> parameters;
  SplineOrder                  order;
};

/** Sums of values, or a histogram. */
template <typename TValues, unsigned int VDimension>
MetricResult
ValuesOnCuda(const CellPass<VDimension> & pass, const Stream & stream)
{
  if (pass.arguments.pass == MetricPass::Histogram)
  {
    const DeviceHistogram histogram(pass.arguments, CellShape<VDimension>::Numbers * sizeof(double), stream);
    AllowSharedMemory(&MetricCellHistogramKernel<TValues, VDimension>, histogram.Shared());
    MetricCellHistogramKernel<TValues><<<histogram.Blocks(), HistogramThreads, histogram.Shared(), stream.Get()>>>(
      pass.arguments, pass.parameters, pass.order, histogram.Space());
    CheckCuda(cudaGetLastError(), "MetricCellHistogramKernel");
    return histogram.Download(stream);
  }
  using Sums = MetricSums<VDimension, 0>;
  const std::uint32_t samples = ChunkSamples(pass.arguments.count);
  const std::int64_t  blocks = (pass.arguments.count + samples - 1) / samples;
  const DeviceBuffer  memory(static_cast<std::size_t>(blocks + 1) * sizeof(Sums), stream);
  auto * const        values = static_cast<double *>(memory.Data());
  auto * const        total = values + blocks * Sums::Numbers;
  MetricCellValuesKernel<TValues><<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(
    pass.arguments, pass.parameters, pass.order, samples, values);
  CheckCuda(cudaGetLastError(), "MetricCellValuesKernel");
  LaunchMetricTotal(values, blocks, Sums::Numbers, total, stream);
  Sums sums;
  DownloadThroughStaging(sums.numbers, total, sizeof(sums.numbers), stream);
  return MakeMetricResult(sums);
}

/** Sums of values, and derivatives. */
template <bool VHasOuterJacobian, typename TValues, unsigned int VDimension>
MetricResult
ScatterOnCuda(const CellPass<VDimension> &  pass,
              const TransformChain::Stage & stage,
              double *                      wanted,
              const Stream &                stream)
{
  using Numbers = MetricSums<VDimension, 0>;
  constexpr int      numbers = CellShape<VDimension>::Numbers;
  const unsigned int sets = pass.arguments.pass == MetricPass::Correlation ? 2 : 1;
  const std::int64_t plane = VDimension * pass.parameters.nodes;
  const std::int64_t blocks = MostChunks(pass.arguments.count, pass.parameters.nodes);
  // Sums of the chunks, their values, the totals of these, the coefficients' where nobody has memory for them.
  const std::int64_t ofChunks = blocks * sets * numbers;
  const std::int64_t ofValues = blocks * Numbers::Numbers;
  const DeviceBuffer memory(
    static_cast<std::size_t>(ofChunks + ofValues + Numbers::Numbers + (wanted != nullptr ? 0 : sets * plane)) *
      sizeof(double),
    stream);
  auto * const      partial = static_cast<double *>(memory.Data());
  auto * const      values = partial + ofChunks;
  auto * const      total = values + ofValues;
  auto * const      coefficients = wanted != nullptr ? wanted : total + Numbers::Numbers;
  const std::size_t shared = ForceBatch<VDimension>::Bytes(sets);
  AllowSharedMemory(&MetricScatterKernel<VHasOuterJacobian, TValues, VDimension>, shared);
  MetricScatterKernel<VHasOuterJacobian, TValues>
    <<<static_cast<unsigned int>(blocks), MetricThreads, shared, stream.Get()>>>(
      pass.arguments, pass.parameters, pass.order, sets, partial, values);
  CheckCuda(cudaGetLastError(), "MetricScatterKernel");
  LaunchMetricTotal(values, blocks, Numbers::Numbers, total, stream);
  const auto cells = static_cast<unsigned int>(pass.parameters.nodes);
  static_assert(numbers % 32 == 0, "a warp's numbers");
  MetricCellSumKernel<<<dim3((cells + 31) / 32, sets * numbers / 32), 32 * CellSumWarps, 0, stream.Get()>>>(
    pass.order, sets * numbers, partial);
  CheckCuda(cudaGetLastError(), "MetricCellSumKernel");
  const GridExtent<VDimension> extent = MakeStage<VDimension>(stage, nullptr).extent;
  const dim3                   grid((cells + GatherThreads - 1) / GatherThreads, sets * VDimension);
  MetricGatherKernel<<<grid, GatherThreads, 0, stream.Get()>>>(
    extent, static_cast<int>(stage.order) + 1, pass.order, sets, partial, coefficients);
  CheckCuda(cudaGetLastError(), "MetricGatherKernel");

  std::vector<double> host(Numbers::Numbers + (wanted != nullptr ? 0 : static_cast<std::size_t>(sets * plane)));
  DownloadThroughStaging(host.data(), total, host.size() * sizeof(double), stream);
  Numbers sums;
  std::copy_n(host.begin(), Numbers::Numbers, sums.numbers);
  MetricResult result = MakeMetricResult(sums);
  for (std::size_t set = 0; wanted == nullptr && set < sets; ++set)
  {
    const auto first = host.begin() + Numbers::Numbers + static_cast<std::ptrdiff_t>(set) * plane;
    result.derivatives[set].assign(first, first + plane);
  }
  return result;
}

} // namespace

MetricResult
EvaluateSplineMetricOnCuda(const MetricDescriptor & descriptor,
                           const MetricSources &    sources,
                           const ExecutionContext & context,
                           MetricWorkspace *        workspace)
{
  const DeviceScope                      scope(context.device);
  const Stream                           stream;
  MetricResult                           result;
  const auto                             count = CountMetricSamples(sources);
  const auto                             left = LeaveMovingValues(descriptor, context, count, workspace, stream);
  std::shared_ptr<const MetricCellOrder> order;
  if (workspace != nullptr && workspace->order != nullptr &&
      workspace->order->IsOf(descriptor, sources, context.device))
  {
    order = workspace->order;
  }
  const auto withPass = [&](auto dimension, const auto & run) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    CellPass<VDimension>   pass{ MakeMetricArguments<VDimension>(descriptor, sources), {}, {} };
    pass.arguments.kept = KeptMemory(descriptor, left, workspace);
    const MetricUploads uploads(descriptor, true, stream, pass.arguments, context);
    pass.parameters = MakeSplineParameters<VDimension>(descriptor, pass.arguments.moving.stages);
    if (order == nullptr)
    {
      order =
        std::make_shared<MetricCellOrder>(descriptor, sources, pass.arguments, pass.parameters, context.device, stream);
    }
    pass.order = order->Get();
    result = run(pass);
  };
  const ScalarType element = sources.moving->GetDescriptor().element;
  if (descriptor.gradient == MetricGradient::None)
  {
    DispatchMetricValues(descriptor, element, [&](auto dimension, auto values) {
      withPass(dimension, [&](const auto & pass) { return ValuesOnCuda<decltype(values)>(pass, stream); });
    });
  }
  else
  {
    const auto & stage = descriptor.chain.stages[static_cast<std::size_t>(descriptor.splineStage)];
    DispatchDerivativeValues(descriptor, element, [&](auto dimension, auto values) {
      withPass(dimension, [&](const auto & pass) {
        return descriptor.HasOuterJacobian()
                 ? ScatterOnCuda<true, decltype(values)>(pass, stage, descriptor.forces, stream)
                 : ScatterOnCuda<false, decltype(values)>(pass, stage, descriptor.forces, stream);
      });
    });
  }
  if (workspace != nullptr) // the stream has passed them
  {
    workspace->order = order;
    workspace->values = left != nullptr ? left : workspace->values;
  }
  return result;
}

} // namespace itk::CudaSpline
