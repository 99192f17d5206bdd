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
#ifndef MetricGather_cuh
#define MetricGather_cuh

#include "itkCudaSpline/math/Geometry.h"

#include "kernels/metrics/passes/MetricCells.cuh"
#include "kernels/metrics/passes/MetricOrder.h"
#include "kernels/metrics/samples/MetricSpline.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief Adds the sums of chunks for the nodes of a cell to the nodes of the grid, in a fixed order. */

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int GatherThreads = 128;
constexpr unsigned int CellSumWarps = 16;

/** Adds all chunks of a cell to its first one, for each cell that has several. A block processes 32 cells and 32
 * numbers of a chunk. A thread adds one number of some of the chunks.
 *
 * \param[in,out] partial \p numbers for each chunk, a multiple of 32 */
__global__ void __launch_bounds__(32 * CellSumWarps)
  MetricCellSumKernel(const SplineOrder order, unsigned int numbers, double * partial)
{
  __shared__ double   ofWarps[CellSumWarps][32];
  const unsigned int  lane = threadIdx.x % 32;
  const unsigned int  warp = threadIdx.x / 32;
  const std::uint32_t own = blockIdx.x * 32 + lane;
  const std::uint32_t firstOfOwn = own + 1 < order.cells ? order.chunkStarts[own] : 0;
  const std::uint32_t lastOfOwn = own + 1 < order.cells ? order.chunkStarts[own + 1] : 0;
  double * const      column = partial + blockIdx.y * 32 + lane;
  // All warps of the block use the same cells.
  for (unsigned int cells = __ballot_sync(0xFFFFFFFFU, lastOfOwn - firstOfOwn > 1); cells != 0; cells &= cells - 1)
  {
    const int           cell = __ffs(static_cast<int>(cells)) - 1;
    const std::uint32_t first = __shfl_sync(0xFFFFFFFFU, firstOfOwn, cell);
    const std::uint32_t last = __shfl_sync(0xFFFFFFFFU, lastOfOwn, cell);
    double              sum = 0.0;
#pragma unroll 4
    for (std::uint32_t chunk = first + warp; chunk < last; chunk += CellSumWarps)
    {
      sum += column[std::int64_t{ chunk } * numbers];
    }
    ofWarps[warp][lane] = sum;
    __syncthreads();
    if (warp == 0)
    {
      sum = 0.0;
      for (const auto & one : ofWarps)
      {
        sum += one[lane];
      }
      column[std::int64_t{ first } * numbers] = sum;
    }
    __syncthreads();
  }
}

/** Adds the sums of a node over the cells whose support contains it, with one coefficient per thread.
 *
 * \param[in] partial result of MetricCellSumKernel */
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
        const auto chunk = order.chunkStarts[cell];
        if (order.chunkStarts[cell + 1] > chunk)
        {
          sum += partial[(std::int64_t{ chunk } * sets + set) * Shape::Numbers + number];
        }
      }
    }
  }
  coefficients[std::int64_t{ blockIdx.y } * nodes + node] = sum;
}

} // namespace
} // namespace itk::CudaSpline

#endif
