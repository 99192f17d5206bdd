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
#ifndef FieldLaunch_cuh
#define FieldLaunch_cuh

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/common/Residence.h"

#include "kernels/common/ResidenceDevices.h"
#include "kernels/fields/common/FieldReduction.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/** \file
 * \brief Iteration over the samples of a field: one block per box, one thread per column of the box. */

namespace itk::CudaSpline
{

/** \brief Returns the threads of a box. */
inline dim3
BoxThreads()
{
  return { BoxWidth, BoxHeight, 1 };
}

/** \brief Returns the number of blocks, one for each box.
 *
 * \exception DeviceError there are too many boxes */
inline unsigned int
BlocksOf(std::int64_t boxes)
{
  if (boxes > std::numeric_limits<std::int32_t>::max())
  {
    throw DeviceError(DeviceError::Kind::Other, "A field has more samples than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(boxes);
}

/** \brief Returns the number of blocks that are resident on a device, at most the number of boxes. It is used for
 * kernels whose blocks process several boxes, because some boxes may need no work. */
inline unsigned int
ResidentBlocks(std::int64_t boxes, int blocksOfMultiprocessor, int device)
{
  int multiprocessors = 0;
  CheckCuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned int>(
    std::min<std::int64_t>(boxes, std::int64_t{ multiprocessors } * blocksOfMultiprocessor));
}

/** \brief Calls \p body with the samples of this thread's column of a box. */
template <typename TBody>
__device__ __forceinline__ void
WalkColumn(const FieldWalk & walk, const FieldBoxes & boxes, unsigned int box, const TBody & body)
{
  const auto         across = static_cast<unsigned int>(boxes.count[0]);
  const auto         down = static_cast<unsigned int>(boxes.count[1]);
  const unsigned int row = box / across;
  std::int64_t       at[3] = { std::int64_t{ box - row * across } * BoxWidth + threadIdx.x,
                               std::int64_t{ row % down } * BoxHeight + threadIdx.y,
                               std::int64_t{ row / down } * BoxDepth };
  if (at[0] < walk.size[0] && at[1] < walk.size[1])
  {
    const std::int64_t end = min(at[2] + BoxDepth, walk.size[2]);
    for (; at[2] < end; ++at[2])
    {
      body(at);
    }
  }
}

/** \brief Adds norms over the lanes of a block whose warps are complete, in the order of AddLanes().
 *
 * \tparam VWarps warps of the block, a power of 2
 * \param[in] mine norms of this lane
 * \param[in] warps shared memory, one element per warp; a barrier is needed before it is used again
 * \return the sum, in lane 0 of warp 0 only */
template <int VWarps>
__device__ __forceinline__ NormSums
AddBlock(NormSums mine, NormSums * warps)
{
  constexpr unsigned int all = 0xffffffffU;
  const unsigned int     thread = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned int     lane = thread % LanesOfWarp;
  const unsigned int     warp = thread / LanesOfWarp;
  for (int half = LanesOfWarp / 2; half > 0; half /= 2)
  {
    mine.Add({ __shfl_down_sync(all, mine.sum, half), __shfl_down_sync(all, mine.maximum, half) });
  }
  if (lane == 0)
  {
    warps[warp] = mine;
  }
  __syncthreads();
  if (warp == 0)
  {
    mine = lane < VWarps ? warps[lane] : NormSums{ 0.0, 0.0 };
    for (int half = VWarps / 2; half > 0; half /= 2)
    {
      mine.Add({ __shfl_down_sync(all, mine.sum, half), __shfl_down_sync(all, mine.maximum, half) });
    }
  }
  return mine;
}

/** \brief Whether a body has a member \c length. */
template <typename TBody, typename = void>
struct HasLength : std::false_type
{};
template <typename TBody>
struct HasLength<TBody, std::void_t<decltype(TBody::length)>> : std::true_type
{};

/** \brief Number of samples that a body processes: a walk through rows has their \c length as a member. */
template <typename TBody>
std::int64_t
CountSamples(const TBody & body, const FieldWalk & walk)
{
  std::int64_t samples = walk.size[0] * walk.size[1] * walk.size[2];
  if constexpr (HasLength<TBody>::value)
  {
    samples *= body.length;
  }
  return samples;
}

/** \brief Calls a body with each sample of the boxes from \p first on. */
template <typename TBody>
__global__ void
__launch_bounds__(BoxLanes)
  FieldKernel(const __grid_constant__ TBody body, const FieldWalk walk, const FieldBoxes boxes, unsigned int first)
{
  WalkColumn(walk, boxes, first + blockIdx.x, body);
}

/** \brief Enqueues FieldKernel(). */
template <typename TBody>
void
LaunchField(const TBody & body, const FieldWalk & walk, const StepDevices & devices)
{
  const FieldBoxes boxes = BoxesOf(walk);
  (void)BlocksOf(boxes.Count()); // refuses too many
  RunShares(devices, boxes.Count(), CountSamples(body, walk), [&](const DeviceShare & share) {
    FieldKernel<<<BlocksOf(share.items.count), BoxThreads(), 0, share.stream.Get()>>>(
      body, walk, boxes, static_cast<unsigned int>(share.items.first));
    CheckCuda(cudaGetLastError(), "FieldKernel");
  });
}

/** \brief Enqueues FieldKernel() on the first device. */
template <typename TBody>
void
LaunchField(const TBody & body, const FieldWalk & walk, const Residence & residence)
{
  LaunchField(body, walk, FirstDeviceOf(residence));
}

} // namespace itk::CudaSpline

#endif
