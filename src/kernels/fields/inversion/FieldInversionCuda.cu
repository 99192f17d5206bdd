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

namespace itk::CudaSpline
{

namespace
{
constexpr int BlocksOfMultiprocessor = 4; // for a step that may have no work

/** Runs a step of the iteration, or nothing if the iteration has ended.
 *
 * \param[in] updates whether the inverse is updated
 * \param[in] goesOn whether new errors are computed, unless the previous ones were small */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes)
  StepKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments, bool updates, bool goesOn)
{
  constexpr int       warps = BoxLanes / LanesOfWarp;
  __shared__ NormSums sums[warps];
  if (arguments.progress->isUpdated != 0)
  {
    return;
  }
  const bool  finds = goesOn && arguments.state->isDone == 0;
  const auto  maximum = static_cast<TReal>(arguments.state->maximumError);
  const TReal epsilon = InversionEpsilon<TReal>(arguments.state->iterations);
  const auto  boxes = static_cast<unsigned int>(arguments.boxes.Count());
  for (unsigned int box = blockIdx.x; box < boxes; box += gridDim.x)
  {
    NormSums mine{ 0.0, 0.0 };
    WalkColumn(arguments.walk, arguments.boxes, box, [&](const std::int64_t(&at)[3]) {
      const auto norm = static_cast<double>(arguments.Step(at, updates, finds, epsilon, maximum));
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

/** Adds the norms of a step, and records whether it was the last but one. In the next step, records that everything is
 * done. */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(TotalLanes) ConcludeKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments)
{
  constexpr int       warps = TotalLanes / LanesOfWarp;
  __shared__ NormSums sums[warps];
  if (arguments.state->isDone != 0)
  {
    arguments.progress->isUpdated = 1;
    return;
  }
  NormSums           mine{ 0.0, 0.0 };
  const std::int64_t boxes = arguments.boxes.Count();
  for (std::int64_t box = threadIdx.x; box < boxes; box += TotalLanes)
  {
    mine.Add(arguments.sums[box]);
  }
  mine =
    AddBlock<warps>(mine, sums); // its barrier separates the threads that read the state from the thread that writes it
  if (threadIdx.x == 0)
  {
    arguments.Conclude(mine);
  }
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
  ClearResident(scratch, sizeof(InversionProgress), residence);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const auto arguments = MakeInversionArguments<dimension, Real>(shape, field, inverse, rules, state, scratch);
    const unsigned int boxes = BlocksOf(arguments.boxes.Count());
    if (rules.method == InversionMethod::Anderson && rules.maximumIterations > 0)
    {
      AndersonKernel<dimension, Real><<<boxes, BoxThreads(), 0, stream>>>(arguments, rules.maximumIterations);
      CheckCuda(cudaGetLastError(), "AndersonKernel");
      ConcludeKernel<dimension, Real><<<1, TotalLanes, 0, stream>>>(arguments);
      CheckCuda(cudaGetLastError(), "ConcludeKernel");
      return;
    }
    const unsigned int blocks = ResidentBlocks(arguments.boxes.Count(), BlocksOfMultiprocessor, device);
    // One step more than iterations: the update that completes the last iteration.
    for (int step = 0; step <= rules.maximumIterations && rules.maximumIterations > 0; ++step)
    {
      const bool goesOn = step < rules.maximumIterations;
      StepKernel<dimension, Real><<<blocks, BoxThreads(), 0, stream>>>(arguments, step > 0, goesOn);
      CheckCuda(cudaGetLastError(), "StepKernel");
      if (goesOn)
      {
        ConcludeKernel<dimension, Real><<<1, TotalLanes, 0, stream>>>(arguments);
        CheckCuda(cudaGetLastError(), "ConcludeKernel");
      }
    }
  });
}

} // namespace itk::CudaSpline
