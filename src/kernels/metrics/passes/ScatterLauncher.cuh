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
#ifndef ScatterLauncher_cuh
#define ScatterLauncher_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricCells.cuh"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricReduction.cuh"
#include "kernels/metrics/passes/MetricScatter.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Kernel that adds the forces on samples to the nodes of a cell, and its launch. src/CudaSplineInstances.cmake
 * lists the sources that compile them. */

namespace itk::CudaSpline
{

namespace
{

/** Blocks of a multiprocessor, as for MetricKernel. */
template <typename TValues>
constexpr unsigned int ScatterBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;

/** Processes one chunk of a cell per block.
 *
 * \tparam VHasOuterJacobian gradients are pulled back through the following stages; moving values are in the order of
 * the samples, not of the cells
 * \param[in] sets number of sets of weights
 * \param[out] partial CellShape::Numbers for each chunk and set
 * \param[out] values counts and values by block, see StoreBlockSums() */
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
    // The last cell that begins here or before. A cell without chunks begins where the next one begins.
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

} // namespace

template <bool VHasOuterJacobian, typename TValues, unsigned int VDimension>
void
ScatterLauncher<VHasOuterJacobian, TValues, VDimension>::Enqueue(const CellPass<VDimension> & pass,
                                                                 unsigned int                 sets,
                                                                 std::int64_t                 blocks,
                                                                 double *                     partial,
                                                                 double *                     values,
                                                                 const Stream &               stream)
{
  const std::size_t shared = ForceBatch<VDimension>::Bytes(sets);
  AllowSharedMemory(&MetricScatterKernel<VHasOuterJacobian, TValues, VDimension>, shared);
  MetricScatterKernel<VHasOuterJacobian, TValues>
    <<<static_cast<unsigned int>(blocks), MetricThreads, shared, stream.Get()>>>(
      pass.arguments, pass.parameters, pass.order, sets, partial, values);
  CheckCuda(cudaGetLastError(), "MetricScatterKernel");
}

} // namespace itk::CudaSpline

#endif
