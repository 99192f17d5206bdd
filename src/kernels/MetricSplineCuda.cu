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

#include "kernels/MetricBackends.h"
#include "kernels/MetricCuda.h"
#include "kernels/MetricFunctor.h"
#include "kernels/MetricOrder.cuh"
#include "kernels/MetricReduction.cuh"
#include "kernels/MetricSpread.cuh"
#include "kernels/SharedMemory.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

constexpr unsigned int GatherThreads = 128;

/** Blocks of a multiprocessor, as of MetricKernel. */
template <typename TValues>
constexpr unsigned int SpreadBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;

/** A block a chunk of a cell.
 *
 * \param[in] sets of weights
 * \param[out] partial CellShape::Numbers for each chunk and set
 * \param[out] values counts and values by block, see StoreBlockSums() */
template <typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, SpreadBlocks<TValues>)
  MetricSpreadKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                     const __grid_constant__ SplineParameters<VDimension> parameters,
                     const SplineOrder                                    order,
                     unsigned int                                         sets,
                     double *                                             partial,
                     double *                                             values)
{
  constexpr int                numbers = CellShape<VDimension>::Numbers;
  const int                    thread = static_cast<int>(threadIdx.x);
  const std::uint32_t          chunk = blockIdx.x;
  extern __shared__ double     shared[];
  const ForceBatch<VDimension> batch{ shared };
  ForceSums<VDimension>        sums(parameters, batch);
  if (chunk < order.chunkStarts[order.cells])
  {
    // The last cell that begins there or before: one without chunks begins where the next does.
    const std::uint32_t cell = LowerBound(order.chunkStarts, order.cells, chunk + 1) - 1;
    const std::uint32_t first = order.starts[cell] + (chunk - order.chunkStarts[cell]) * ChunkSamples;
    const std::uint32_t end = min(order.starts[cell + 1], first + ChunkSamples);
    const bool          moves = cell + 1 < order.cells;
    double * const      coefficients = batch.Coefficients(sets);
    double * const      total = batch.Totals(sets);
    for (int n = thread; n < static_cast<int>(sets) * numbers; n += MetricThreads)
    {
      total[n] = 0.0;
    }
    if (moves)
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
        sums.Aim(i, sets);
        const MetricCursor<VDimension> cursor(arguments, order.samples[begin + i]);
        const auto                     move = [&](const double(&place)[VDimension], double(&moved)[VDimension]) {
          MoveInCell(parameters, arguments.moving.stageCount, batch, i, coefficients, place, moved);
        };
        AddMovedSample<TValues>(arguments, cursor, move, sums, none);
      }
      __syncthreads();
      for (unsigned int set = 0; moves && set < sets; ++set)
      {
        SpreadBatch(batch, set, count, batch.WarpSums(sets), total + set * numbers);
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

/** A thread a coefficient: the sums of a node over the chunks of the cells whose support has it. */
template <unsigned int VDimension>
__global__ void
__launch_bounds__(GatherThreads) MetricGatherKernel(const __grid_constant__ GridExtent<VDimension> extent,
                                                    int                                            support,
                                                    const SplineOrder                              order,
                                                    unsigned int                                   sets,
                                                    const double *                                 partial,
                                                    double *                                       coefficients)
{
  using Shape = CellShape<VDimension>;
  const std::int64_t node = std::int64_t{ blockIdx.x } * GatherThreads + threadIdx.x;
  const auto         nodes = static_cast<std::int64_t>(order.cells) - 1;
  if (node >= nodes)
  {
    return;
  }
  const unsigned int axis = blockIdx.y % VDimension;
  const unsigned int set = blockIdx.y / VDimension;
  int                at[3]{};
  std::int64_t       rest = node;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    at[d] = static_cast<int>(rest % extent.size[d]);
    rest /= extent.size[d];
  }
  const auto sizeX = static_cast<int>(extent.size[0]);
  const auto sizeXY = sizeX * static_cast<int>(extent.size[1]);
  double     sum = 0.0;
  for (int z = 0; z < (VDimension == 3 ? support : 1) && z <= at[2]; ++z)
  {
    for (int y = 0; y < support && y <= at[1]; ++y)
    {
      for (int x = 0; x < support && x <= at[0]; ++x)
      {
        const int  cell = static_cast<int>(node) - x - y * sizeX - z * sizeXY;
        const int  number = static_cast<int>(axis) * Shape::Nodes + (z * WidestSupport + y) * WidestSupport + x;
        const auto last = order.chunkStarts[cell + 1];
        for (std::uint32_t chunk = order.chunkStarts[cell]; chunk < last; ++chunk)
        {
          sum += partial[(std::int64_t{ chunk } * sets + set) * Shape::Numbers + number];
        }
      }
    }
  }
  coefficients[std::int64_t{ blockIdx.y } * nodes + node] = sum;
}

template <typename TValues, unsigned int VDimension>
MetricResult
SpreadOnCuda(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  using Numbers = MetricSums<VDimension, 0>;
  const Stream           stream;
  auto                   arguments = MakeMetricArguments<VDimension>(descriptor, sources);
  const MetricUploads    uploads(descriptor, true, stream, arguments);
  const auto             parameters = MakeSplineParameters<VDimension>(descriptor, arguments.moving.stages);
  const SplineOrderMaker order(arguments, parameters, stream);

  constexpr int      numbers = CellShape<VDimension>::Numbers;
  const unsigned int sets = descriptor.pass == MetricPass::Correlation ? 2 : 1;
  const std::int64_t plane = VDimension * parameters.nodes;
  const std::int64_t blocks = MostChunks(arguments.count, parameters.nodes);
  // Sums of the chunks, their values, the totals of these, the coefficients'.
  const std::int64_t ofChunks = blocks * sets * numbers;
  const std::int64_t ofValues = blocks * Numbers::Numbers;
  const DeviceBuffer memory(
    static_cast<std::size_t>(ofChunks + ofValues + Numbers::Numbers + sets * plane) * sizeof(double), stream);
  auto * const      partial = static_cast<double *>(memory.Data());
  auto * const      values = partial + ofChunks;
  auto * const      total = values + ofValues;
  auto * const      coefficients = total + Numbers::Numbers;
  const std::size_t shared = ForceBatch<VDimension>::Bytes(sets);
  AllowSharedMemory(&MetricSpreadKernel<TValues, VDimension>, shared);
  MetricSpreadKernel<TValues><<<static_cast<unsigned int>(blocks), MetricThreads, shared, stream.Get()>>>(
    arguments, parameters, order.Get(), sets, partial, values);
  CheckCuda(cudaGetLastError(), "MetricSpreadKernel");
  LaunchMetricTotal(values, blocks, Numbers::Numbers, total, stream);
  const auto &                 stage = descriptor.chain.stages[static_cast<std::size_t>(descriptor.splineStage)];
  const GridExtent<VDimension> extent = MakeStage<VDimension>(stage, nullptr).extent;
  const dim3 grid(static_cast<unsigned int>((parameters.nodes + GatherThreads - 1) / GatherThreads), sets * VDimension);
  MetricGatherKernel<<<grid, GatherThreads, 0, stream.Get()>>>(
    extent, static_cast<int>(stage.order) + 1, order.Get(), sets, partial, coefficients);
  CheckCuda(cudaGetLastError(), "MetricGatherKernel");

  std::vector<double> host(Numbers::Numbers + static_cast<std::size_t>(sets * plane));
  DownloadThroughStaging(host.data(), total, host.size() * sizeof(double), stream);
  Numbers sums;
  std::copy_n(host.begin(), Numbers::Numbers, sums.numbers);
  MetricResult result = MakeMetricResult(sums);
  for (std::size_t set = 0; set < sets; ++set)
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
                           const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  MetricResult      result;
  DispatchMetricValues(descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto values) {
    result = SpreadOnCuda<decltype(values), decltype(dimension)::value>(descriptor, sources);
  });
  return result;
}

} // namespace itk::CudaSpline
