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
#ifndef MetricCells_cuh
#define MetricCells_cuh

#include "itkCudaSpline/math/MetricSums.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricOrder.h"
#include "kernels/metrics/passes/MetricReduction.cuh"
#include "kernels/metrics/samples/MetricSpline.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief Samples in the order of the cells of a B-spline grid. A block moves the samples of a cell by the coefficients
 * of its nodes, which are in shared memory. */

namespace itk::CudaSpline
{

namespace
{

/** Warps of a multiprocessor: a thread has 128 registers. */
constexpr unsigned int CellWarps = 16;

/** Numbers of a cell: rows of nodes, nodes, and nodes times the axes of a force. Also the distribution of rows to
 * threads. */
template <unsigned int VDimension>
struct CellShape
{
  static constexpr int Rows = VDimension == 3 ? WidestSupport * WidestSupport : WidestSupport;
  static constexpr int Nodes = Rows * WidestSupport;
  static constexpr int Numbers = static_cast<int>(VDimension) * Nodes;
  static constexpr int ThreadRows = 2; ///< rows of a thread
  static constexpr int Threads = Rows / ThreadRows;
};

/** The taps of a cell whose coefficients are in shared memory, see ContiguousTaps. */
struct CellTaps
{
  const double * data;

  __device__ __forceinline__ std::int64_t
                             Offset(unsigned int axis, unsigned int tap) const
  {
    return static_cast<std::int64_t>(tap) * (axis == 1 ? WidestSupport : WidestSupport * WidestSupport);
  }
  template <typename TReal>
  __device__ __forceinline__ TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return data[static_cast<int>(at) + static_cast<int>(tap)];
  }
};

/** Moves a sample of a cell like WalkStages(), bit for bit.
 *
 * \tparam TKeep called with the weights of the position if the grid moves it */
template <unsigned int VDimension, typename TKeep>
__device__ __forceinline__ void
MoveInCell(const SplineParameters<VDimension> & parameters,
           int                                  stageCount,
           const double *                       coefficients,
           const double (&place)[VDimension],
           double (&moved)[VDimension],
           const TKeep & keep)
{
  TensorWeights<VDimension, WidestSupport, Derivatives::None, double> weights;
  std::int64_t                                                        offset = 0;
  double                                                              point[VDimension];
  parameters.Enter(place, point);
  if (FindPaddedSupport(parameters.GetStage(), point, weights.value, offset))
  {
#pragma unroll
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      Jet<VDimension, double> displacement;
      TensorProductSum(CellTaps{ coefficients + d * CellShape<VDimension>::Nodes }, weights, displacement);
      point[d] += displacement.value;
    }
    keep(weights.value);
  }
  parameters.Leave(stageCount, point);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    moved[d] = point[d];
  }
}

/** Loads the coefficients of a cell. Those beyond a narrower support are 0. */
template <unsigned int VDimension>
__device__ __forceinline__ void
LoadCell(const TransformStage<VDimension> & stage, std::uint32_t cell, double * coefficients)
{
  using Shape = CellShape<VDimension>;
  for (int n = static_cast<int>(threadIdx.x); n < Shape::Numbers; n += static_cast<int>(blockDim.x))
  {
    const int          x = n % WidestSupport;
    const int          y = n / WidestSupport % WidestSupport;
    const int          z = VDimension == 3 ? n / Shape::Rows % WidestSupport : 0;
    const std::int64_t rows = y + (VDimension == 3 ? z * stage.extent.size[1] : 0);
    const std::int64_t at = cell + rows * stage.extent.size[0] + x + n / Shape::Nodes * stage.componentStride;
    coefficients[n] = max(x, max(y, z)) <= stage.order ? stage.data[at] : 0.0;
  }
}

/** Adds the samples at [first, end) of the order to sums, or to a histogram. Needs to be called by all threads of a
 * block. */
template <typename TValues, unsigned int VDimension, typename THistogram>
__device__ __forceinline__ void
AddSamplesOfCells(const MetricArguments<VDimension> &  arguments,
                  const SplineParameters<VDimension> & parameters,
                  const SplineOrder &                  order,
                  std::uint32_t                        first,
                  std::uint32_t                        end,
                  MetricSums<VDimension, 0> &          sums,
                  THistogram &                         histogram)
{
  __shared__ __align__(16) double coefficients[CellShape<VDimension>::Numbers];
  end = min(end, order.starts[order.cells]);
  std::uint32_t cell = order.cells;
  for (std::uint32_t begin = first; begin < end;)
  {
    // The next cell that has samples: usually the following one, otherwise the last one that begins here or before.
    ++cell;
    if (cell >= order.cells || order.starts[cell] != begin || order.starts[cell + 1] == begin)
    {
      cell = LowerBound(order.starts, order.cells + 1, begin + 1) - 1;
    }
    const std::uint32_t last = min(end, order.starts[cell + 1]);
    __syncthreads(); // all threads have finished the previous cell
    if (cell + 1 < order.cells)
    {
      LoadCell(parameters.GetStage(), cell, coefficients);
    }
    __syncthreads();
#pragma unroll 1
    for (std::uint32_t at = begin + threadIdx.x; at < last; at += blockDim.x)
    {
      const MetricCursor<VDimension> cursor(arguments, order.samples[at]);
      const auto                     move = [&](const double(&place)[VDimension], double(&moved)[VDimension]) {
        MoveInCell(parameters, arguments.moving.stageCount, coefficients, place, moved, [](const auto &) {});
      };
      AddMovedSample<TValues>(arguments, cursor, std::int64_t{ at }, move, sums, histogram);
    }
    begin = last;
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
