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
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/registration/discrete/DenseCosts.h"

#include <cstdint>
#include <stdexcept>
#include <type_traits>

/** \file
 * \brief The steps of a dense search on a device. */

namespace itk::CudaSpline
{

namespace
{

constexpr int CostColumns = 32;         ///< control points of a block along x: a warp
constexpr int CostRows = 8;             ///< along y
constexpr int CostWarps = CostRows + 3; ///< those of the rows, of a row at either end, and of a column at either end
constexpr int CostsOfThread = 6; ///< displacements along x that a thread compares: they have the fixed cell in common
constexpr int MaxNeighbours = 27;

/** RoundedQuotient() by a divisor, for sums below 2^32 / divisor. */
struct RoundedDivision
{
  std::uint32_t divisor{ 1 };
  std::uint32_t inverse{ 0 }; ///< 2^32 / divisor, rounded up; not used for 1

  RoundedDivision() = default;
  CUDASPLINE_HOST_DEVICE explicit RoundedDivision(std::uint32_t by)
    : divisor(by)
    , inverse(0xFFFFFFFFU / by + 1U)
  {}

  __device__ __forceinline__ std::uint32_t
                             Of(std::uint32_t sum) const
  {
    return divisor == 1 ? sum : __umulhi(sum + divisor / 2, inverse);
  }
};

/** The arrays of the costs. Passed by value. */
struct DenseCostArrays
{
  const DenseCell * fixed;
  const DenseCell * moving;
  std::uint16_t *   means;
  DenseLattice      lattice;
  RoundedDivision   ofChannels;
};

/** Means of the costs of control points and their neighbours, for some displacements along x: a march along z. Costs
 * have their number in the lowest bits, as in MeanCosts. */
__global__ void
__launch_bounds__(CostWarps * CostColumns) DenseCostsKernel(const __grid_constant__ DenseCostArrays arrays)
{
  constexpr int countBits = 5;
  constexpr int rows = CostRows + 2;
  constexpr int columns = CostColumns + 2;

  __shared__ std::uint32_t   sums[2][CostsOfThread][rows][columns]; // along z; for even and odd slices
  __shared__ RoundedDivision ofCount[MaxNeighbours + 1];

  const DenseLattice & lattice = arrays.lattice;
  const int            lane = static_cast<int>(threadIdx.x);
  const int            warp = static_cast<int>(threadIdx.y);
  const int            thread = warp * CostColumns + lane;
  if (thread > 0 && thread <= MaxNeighbours)
  {
    ofCount[thread] = RoundedDivision(static_cast<std::uint32_t>(thread));
  }

  const int  groups = (lattice.Width(0) + CostsOfThread - 1) / CostsOfThread;
  const int  ofRow = static_cast<int>(blockIdx.y) / groups; // displacements along y and z
  const int  first = static_cast<int>(blockIdx.y) % groups * CostsOfThread;
  const int  displacements = min(CostsOfThread, lattice.Width(0) - first);
  const int  stepY = ofRow % lattice.Width(1);
  const int  stepZ = ofRow / lattice.Width(1);
  const int  size[3] = { static_cast<int>(lattice.points.size[0]),
                         static_cast<int>(lattice.points.size[1]),
                         static_cast<int>(lattice.points.size[2]) };
  const int  tiles = (size[0] + CostColumns - 1) / CostColumns;
  const bool isOfRow = warp < rows;
  const int  row = isOfRow ? warp : lane % rows;
  const int  column = isOfRow ? lane + 1 : (lane < rows ? 0 : columns - 1);
  const int  x = static_cast<int>(blockIdx.x) % tiles * CostColumns + column - 1;
  const int  y = static_cast<int>(blockIdx.x) / tiles * CostRows + row - 1;
  const bool hasSlot = isOfRow || lane < 2 * rows;
  const bool isPoint = hasSlot && x >= 0 && x < size[0] && y >= 0 && y < size[1];
  const bool isOutput = isPoint && isOfRow && row > 0 && row <= CostRows;

  const int          cellX = lattice.margin[0] + x * lattice.ratio[0] + first - lattice.radius[0];
  const std::int64_t cellY = lattice.margin[1] + y * lattice.ratio[1] + stepY - lattice.radius[1];
  const bool         hasCells = isPoint && cellY >= 0 && cellY < lattice.cells.size[1];
  std::uint32_t      begun[CostsOfThread] = {}; // sums of the last two slices
  std::uint32_t      last[CostsOfThread] = {};  // of the last one
  for (int z = 0; z <= size[2]; ++z)
  {
    const std::int64_t cellZ = lattice.margin[2] + std::int64_t{ z } * lattice.ratio[2] + stepZ - lattice.radius[2];
    std::uint32_t      costs[CostsOfThread] = {};
    if (hasCells && z < size[2] && cellZ >= 0 && cellZ < lattice.cells.size[2])
    {
      const DenseCell         here = arrays.fixed[(std::int64_t{ z } * size[1] + y) * size[0] + x];
      const DenseCell * const there =
        arrays.moving + (cellZ * lattice.cells.size[1] + cellY) * lattice.cells.size[0] + cellX;
#pragma unroll
      for (int k = 0; k < CostsOfThread; ++k)
      {
        if (here.isValid != 0 && k < displacements && cellX + k >= 0 && cellX + k < lattice.cells.size[0])
        {
          const DenseCell     cell = there[k];
          const std::uint32_t cost = arrays.ofChannels.Of(SumSquaredDifferences(here, cell));
          costs[k] = cell.isValid != 0 ? (cost << countBits) + 1U : 0U;
        }
      }
    }
#pragma unroll
    for (int k = 0; k < CostsOfThread; ++k)
    {
      if (hasSlot)
      {
        sums[z & 1][k][row][column] = begun[k] + costs[k];
      }
      begun[k] = last[k] + costs[k];
      last[k] = costs[k];
    }
    __syncthreads();
    if (isOutput && z > 0)
    {
      const std::int64_t point = (std::int64_t{ z - 1 } * size[1] + y) * size[0] + x;
      const std::int64_t displacement = std::int64_t{ ofRow } * lattice.Width(0) + first;
#pragma unroll
      for (int k = 0; k < CostsOfThread; ++k)
      {
        std::uint32_t sum = 0;
#pragma unroll
        for (int neighbour = 0; neighbour < 9; ++neighbour)
        {
          sum += sums[z & 1][k][row + neighbour / 3 - 1][column + neighbour % 3 - 1];
        }
        const std::uint32_t count = sum & ((1U << countBits) - 1U);
        if (k < displacements)
        {
          arrays.means[(displacement + k) * lattice.CountPoints() + point] =
            count > 0 ? static_cast<std::uint16_t>(ofCount[count].Of(sum >> countBits)) : NoCost;
        }
      }
    }
  }
}

} // namespace

void
EnqueueMeanCostsOnCuda(const DenseCell *    fixed,
                       const DenseCell *    moving,
                       std::uint16_t *      means,
                       const DenseLattice & lattice,
                       const Residence &    residence)
{
  const DeviceScope     scope(residence.GetContext().device);
  const DenseCostArrays arrays{
    fixed, moving, means, lattice, RoundedDivision(static_cast<std::uint32_t>(lattice.channels))
  };
  const auto tiles = [&](int axis, int ofTile) { return (lattice.points.size[axis] + ofTile - 1) / ofTile; };
  const int  groups = (lattice.Width(0) + CostsOfThread - 1) / CostsOfThread;
  const dim3 blocks(BlocksOf(tiles(0, CostColumns) * tiles(1, CostRows)),
                    static_cast<unsigned int>(groups * lattice.Width(1) * lattice.Width(2)));
  DenseCostsKernel<<<blocks, dim3(CostColumns, CostWarps), 0, residence.GetStream().Get()>>>(arrays);
  CheckCuda(cudaGetLastError(), "DenseCostsKernel");
}

void
EnqueueDenseBodyOnCuda(const DenseBody & step, const Residence & residence)
{
  VisitDenseBody<1>(step, [&](const auto & body) {
    using Body = std::decay_t<decltype(body)>;
    if constexpr (std::is_same<Body, PointCosts>::value || std::is_same<Body, MeanCosts>::value)
    {
      throw std::logic_error("Dense search: costs of points are not stored on a device.");
    }
    else
    {
      LaunchField(body, body.walk, residence);
    }
  });
}

} // namespace itk::CudaSpline
