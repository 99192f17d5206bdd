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
constexpr int BlocksOfMultiprocessor = 4; // of an iteration: more need longer until all are resident

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

/** Runs iterations on boxes. One device runs all of them in one launch, whose blocks are all resident and wait for each
 * other. Several devices run one step each, before ConcludeKernel().
 *
 * \param[in] first, end boxes
 * \param[in] step first step
 * \param[in] iterations number of iterations; there is one step more: the update that completes the last iteration
 * \param[in] isAlone whether there is one device */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes) IterationKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments,
                                            unsigned int                                                  first,
                                            unsigned int                                                  end,
                                            int                                                           step,
                                            int                                                           iterations,
                                            bool                                                          isAlone)
{
  constexpr int       warps = BoxLanes / LanesOfWarp;
  __shared__ NormSums sums[LanesOfWarp];
  if (arguments.state->isDone > 1)
  {
    return;
  }
  for (;; ++step)
  {
    const bool  finds = step < iterations && arguments.state->isDone == 0;
    const auto  maximum = static_cast<TReal>(arguments.state->maximumError);
    const TReal epsilon = InversionEpsilon<TReal>(arguments.state->iterations);
    for (unsigned int box = first + blockIdx.x; box < end; box += gridDim.x)
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
    if (!finds || !isAlone)
    {
      return;
    }
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    if (blockIdx.x == 0)
    {
      ConcludeStep<BoxLanes>(arguments, sums);
    }
    grid.sync();
  }
}

/** Runs all iterations of Anderson mixing, for the boxes from \p first on. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes) AndersonKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments,
                                           unsigned int                                                  first,
                                           int                                                           iterations)
{
  constexpr int       warps = BoxLanes / LanesOfWarp;
  __shared__ NormSums sums[warps];
  NormSums            mine{ 0.0, 0.0 };
  const unsigned int  box = first + blockIdx.x;
  WalkColumn(arguments.walk, arguments.boxes, box, [&](const std::int64_t(&at)[3]) {
    const auto norm = static_cast<double>(InvertSample(arguments, at, iterations));
    mine.Add({ norm, norm });
  });
  mine = AddBlock<warps>(mine, sums);
  if (threadIdx.x == 0 && threadIdx.y == 0)
  {
    arguments.sums[box] = mine;
  }
}

/** Concludes a step of several devices, or Anderson mixing. After the last update, records that all is done. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(TotalLanes) ConcludeKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments)
{
  __shared__ NormSums sums[LanesOfWarp];
  if (arguments.state->isDone != 0)
  {
    arguments.state->isDone = 2;
    return;
  }
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
  ClearResident(state, sizeof(FieldInversionState), residence);
  if (rules.maximumIterations == 0)
  {
    return;
  }
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    auto       arguments = MakeInversionArguments<dimension, Real>(shape, field, inverse, rules, state, scratch);
    const auto boxes = BlocksOf(arguments.boxes.Count());
    int        iterations = rules.maximumIterations;
    const auto devices = AllDevicesOf(residence);
    const bool isAnderson = rules.method == InversionMethod::Anderson;
    const auto kernel = IterationKernel<dimension, Real>;
    if (!isAnderson && CountSharing(devices, shape.grid.Count()) == 1)
    {
      const DeviceScope scope(devices.device);
      int               resident = 0;
      CheckCuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, BoxLanes, 0),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      const unsigned int blocks = ResidentBlocks(boxes, std::min(resident, BlocksOfMultiprocessor), devices.device);
      unsigned int       first = 0;
      unsigned int       end = boxes;
      int                step = 0;
      bool               isAlone = true;
      void *             parameters[] = { &arguments, &first, &end, &step, &iterations, &isAlone };
      CheckCuda(cudaLaunchCooperativeKernel(kernel, blocks, BoxThreads(), parameters, 0, devices.stream.Get()),
                "cudaLaunchCooperativeKernel");
      return;
    }
    const auto share = [&](const auto & enqueue) {
      RunShares(devices, boxes, shape.grid.Count(), [&](const DeviceShare & own) {
        enqueue(own, static_cast<unsigned int>(own.items.first));
        CheckCuda(cudaGetLastError(), "InvertField");
      });
    };
    const auto conclude = [&] {
      const DeviceScope scope(devices.device);
      ConcludeKernel<dimension, Real><<<1, TotalLanes, 0, devices.stream.Get()>>>(arguments);
      CheckCuda(cudaGetLastError(), "ConcludeKernel");
    };
    if (isAnderson)
    {
      share([&](const DeviceShare & own, unsigned int first) {
        AndersonKernel<dimension, Real>
          <<<BlocksOf(own.items.count), BoxThreads(), 0, own.stream.Get()>>>(arguments, first, iterations);
      });
      conclude();
      return;
    }
    for (int step = 0; step <= iterations; ++step)
    {
      share([&](const DeviceShare & own, unsigned int first) {
        const unsigned int blocks = ResidentBlocks(own.items.count, BlocksOfMultiprocessor, own.device);
        const unsigned int end = first + static_cast<unsigned int>(own.items.count);
        kernel<<<blocks, BoxThreads(), 0, own.stream.Get()>>>(arguments, first, end, step, iterations, false);
      });
      if (step < iterations)
      {
        conclude();
      }
    }
  });
}

} // namespace itk::CudaSpline
