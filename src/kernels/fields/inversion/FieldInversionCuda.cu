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
#include "kernels/fields/inversion/FieldAnderson.h"
#include "kernels/fields/common/FieldBackends.h"
#include "kernels/fields/inversion/FieldInverse.h"
#include "kernels/fields/common/FieldLaunch.cuh"

#include <cooperative_groups.h>

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
constexpr int BlocksOfMultiprocessor = 4; // more need longer until all are resident

/** Adds norms over the lanes of a warp by repeated halving. \return the sum, in lane 0 only */
__device__ __forceinline__ NormSums
AddWarp(NormSums mine)
{
  constexpr unsigned int all = 0xffffffffU;
  for (int half = LanesOfWarp / 2; half > 0; half /= 2)
  {
    mine.Add({ __shfl_down_sync(all, mine.sum, half), __shfl_down_sync(all, mine.maximum, half) });
  }
  return mine;
}

/** Adds the norms of a step, in the order of TotalLanes lanes, and records whether the errors are small enough.
 *
 * \tparam VThreads threads of the block, at most TotalLanes
 * \param[in] sums shared memory of LanesOfWarp elements */
template <int VThreads, unsigned int VDimension, typename TReal>
__device__ __forceinline__ void
ConcludeStep(const InversionArguments<VDimension, TReal> & arguments, NormSums * sums)
{
  static_assert(TotalLanes == LanesOfWarp * LanesOfWarp);
  const int          thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const std::int64_t boxes = arguments.boxes.Count();
  for (int lane = thread; lane < TotalLanes; lane += VThreads)
  {
    NormSums mine{ 0.0, 0.0 };
    for (std::int64_t box = lane; box < boxes; box += TotalLanes)
    {
      mine.Add(arguments.sums[box]);
    }
    mine = AddWarp(mine);
    if (lane % LanesOfWarp == 0)
    {
      sums[lane / LanesOfWarp] = mine;
    }
  }
  __syncthreads();
  if (thread < LanesOfWarp)
  {
    const NormSums total = AddWarp(sums[thread]);
    if (thread == 0)
    {
      arguments.Conclude(total);
    }
  }
}

/** Runs all iterations. All blocks are resident: they wait for each other. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes)
  IterationKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments, int iterations)
{
  constexpr int       warps = BoxLanes / LanesOfWarp;
  __shared__ NormSums sums[LanesOfWarp];
  const auto          grid = cooperative_groups::this_grid();
  const auto          boxes = static_cast<unsigned int>(arguments.boxes.Count());
  // One step more than iterations: the update that completes the last iteration.
  for (int step = 0; step <= iterations; ++step)
  {
    const bool  finds = step < iterations && arguments.state->isDone == 0;
    const auto  maximum = static_cast<TReal>(arguments.state->maximumError);
    const TReal epsilon = InversionEpsilon<TReal>(arguments.state->iterations);
    for (unsigned int box = blockIdx.x; box < boxes; box += gridDim.x)
    {
      NormSums mine{ 0.0, 0.0 };
      WalkColumn(arguments.walk, arguments.boxes, box, [&](const std::int64_t(&at)[3]) {
        const auto norm = static_cast<double>(arguments.Step(at, step > 0, finds, epsilon, maximum));
        mine.Add({ norm, norm });
      });
      if (finds)
      {
        mine = AddBlock<warps>(mine, sums);
        if (threadIdx.x == 0 && threadIdx.y == 0)
        {
          arguments.sums[box] = mine;
        }
        __syncthreads();
      }
    }
    if (!finds)
    {
      return;
    }
    grid.sync();
    if (blockIdx.x == 0)
    {
      ConcludeStep<BoxLanes>(arguments, sums);
    }
    grid.sync();
  }
}

/** Runs all iterations of Anderson mixing. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes)
  AndersonKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments, int iterations)
{
  constexpr int       warps = BoxLanes / LanesOfWarp;
  __shared__ NormSums sums[warps];
  NormSums            mine{ 0.0, 0.0 };
  WalkColumn(arguments.walk, arguments.boxes, blockIdx.x, [&](const std::int64_t(&at)[3]) {
    const auto norm = static_cast<double>(InvertSample(arguments, at, iterations));
    mine.Add({ norm, norm });
  });
  mine = AddBlock<warps>(mine, sums);
  if (threadIdx.x == 0 && threadIdx.y == 0)
  {
    arguments.sums[blockIdx.x] = mine;
  }
}

/** Adds the norms of all samples, and records them. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(TotalLanes) ConcludeKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments)
{
  __shared__ NormSums sums[LanesOfWarp];
  ConcludeStep<TotalLanes>(arguments, sums);
}
} // namespace

void
InvertFieldOnCuda(const FieldShape &     shape,
                  const void *           field,
                  void *                 inverse,
                  const FieldInversion & rules,
                  FieldInversionState *  state,
                  void *                 scratch,
                  const Residence &      residence)
{
  const int         device = residence.GetContext().device;
  const DeviceScope scope(device);
  const auto        stream = residence.GetStream().Get();
  ClearResident(state, sizeof(FieldInversionState), residence);
  if (rules.maximumIterations == 0)
  {
    return;
  }
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    auto       arguments = MakeInversionArguments<dimension, Real>(shape, field, inverse, rules, state, scratch);
    int        iterations = rules.maximumIterations;
    const auto boxes = BlocksOf(arguments.boxes.Count());
    if (rules.method == InversionMethod::Anderson)
    {
      AndersonKernel<dimension, Real><<<boxes, BoxThreads(), 0, stream>>>(arguments, iterations);
      CheckCuda(cudaGetLastError(), "AndersonKernel");
      ConcludeKernel<dimension, Real><<<1, TotalLanes, 0, stream>>>(arguments);
      CheckCuda(cudaGetLastError(), "ConcludeKernel");
      return;
    }
    const auto kernel = IterationKernel<dimension, Real>;
    int        resident = 0;
    CheckCuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, BoxLanes, 0),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const unsigned int blocks = ResidentBlocks(boxes, std::min(resident, BlocksOfMultiprocessor), device);
    void *             parameters[] = { &arguments, &iterations };
    CheckCuda(cudaLaunchCooperativeKernel(kernel, blocks, BoxThreads(), parameters, 0, stream),
              "cudaLaunchCooperativeKernel");
  });
}

} // namespace itk::CudaSpline
