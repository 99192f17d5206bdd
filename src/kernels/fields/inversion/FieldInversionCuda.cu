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
 * \param[in] first, end boxes
 * \param[in] updates whether the inverse is updated
 * \param[in] goesOn whether new errors are computed, unless the previous ones were small */
template <unsigned int VDimension, typename TReal>
__global__ void
__launch_bounds__(BoxLanes) StepKernel(const __grid_constant__ InversionArguments<VDimension, TReal> arguments,
                                       unsigned int                                                  first,
                                       unsigned int                                                  end,
                                       bool                                                          updates,
                                       bool                                                          goesOn)
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
  for (unsigned int box = first + blockIdx.x; box < end; box += gridDim.x)
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
  ClearResident(state, sizeof(FieldInversionState), residence);
  ClearResident(scratch, sizeof(InversionProgress), residence);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    const auto arguments = MakeInversionArguments<dimension, Real>(shape, field, inverse, rules, state, scratch);
    (void)BlocksOf(arguments.boxes.Count()); // refuses too many
    const auto share = [&](const char * kernel, const auto & enqueue) {
      RunShares(AllDevicesOf(residence), arguments.boxes.Count(), shape.grid.Count(), [&](const DeviceShare & own) {
        enqueue(own, static_cast<unsigned int>(own.items.first));
        CheckCuda(cudaGetLastError(), kernel);
      });
    };
    const auto conclude = [&] {
      const DeviceScope scope(residence.GetContext().device);
      ConcludeKernel<dimension, Real><<<1, TotalLanes, 0, residence.GetStream().Get()>>>(arguments);
      CheckCuda(cudaGetLastError(), "ConcludeKernel");
    };
    if (rules.method == InversionMethod::Anderson && rules.maximumIterations > 0)
    {
      share("AndersonKernel", [&](const DeviceShare & own, unsigned int first) {
        AndersonKernel<dimension, Real>
          <<<BlocksOf(own.items.count), BoxThreads(), 0, own.stream.Get()>>>(arguments, first, rules.maximumIterations);
      });
      conclude();
      return;
    }
    // One step more than iterations: the update that completes the last iteration.
    for (int step = 0; step <= rules.maximumIterations && rules.maximumIterations > 0; ++step)
    {
      const bool goesOn = step < rules.maximumIterations;
      share("StepKernel", [&](const DeviceShare & own, unsigned int first) {
        const unsigned int blocks = ResidentBlocks(own.items.count, BlocksOfMultiprocessor, own.device);
        const unsigned int end = first + static_cast<unsigned int>(own.items.count);
        StepKernel<dimension, Real>
          <<<blocks, BoxThreads(), 0, own.stream.Get()>>>(arguments, first, end, step > 0, goesOn);
      });
      if (goesOn)
      {
        conclude();
      }
    }
  });
}

} // namespace itk::CudaSpline
