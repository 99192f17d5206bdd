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
#ifndef TileKernel_cuh
#define TileKernel_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/evaluation/EvaluationTuning.h"
#include "kernels/evaluation/boxes/TileBounds.cuh"
#include "kernels/evaluation/boxes/TileLoading.cuh"
#include "kernels/evaluation/boxes/TileReaders.cuh"
#include "kernels/evaluation/boxes/TileWalk.cuh"

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Evaluates a box of the output from a tile of the input in shared memory. This is the common part of the
 * kernels, which use different rules to map lines to the input. A rule has the following members:
 *
 * * Line, the prepared data of a line of the output, and Prepare(number, single, line);
 * * PlaceOf(sample), a number that represents a sample of any line, and IndexAt(line, place, single, index), which
 *   computes the index in the input; IsMonotone is true if the rounded index is monotone along each line;
 * * OffsetOf(output, line), the offset of the first sample of a line of the block, and StepOf(), the distance to the
 *   next sample, both in elements of the output;
 * * Store<VDerivatives, VFloat>(inside, jet, at), and LeavesOutside(), which is true if Store() does not store samples
 *   outside;
 * * EvaluateApart(line, sample, onlyOutside), which evaluates without a tile. */

namespace itk::CudaSpline
{

namespace
{

/** Evaluates the samples of a block from its tile.
 *
 * \tparam VFloat whether the output consists of floats and the indices are doubles */
template <typename TMethod, Derivatives VDerivatives, bool VFloat, typename TRule>
__device__ __forceinline__ void
EvaluateTile(const EvaluationArguments<3> & arguments,
             const TilePlan &               plan,
             const OutputBox &              output,
             const TileBox &                box,
             const TRule &                  rule,
             const TileShared &             shared,
             const typename TRule::Line *   prepared,
             const float *                  tile,
             bool                           single)
{
  const ThreadWalk walk(plan);
  const int        origin = box.low[0] + TileShape::Pitch * box.low[1] + TileShape::Slice * box.low[2];
#pragma unroll 1
  for (int task = static_cast<int>(threadIdx.x) / 32; task < walk.tasks; task += static_cast<int>(blockDim.x) / 32)
  {
    const int local =
      walk.line + (task & ((1 << plan.logOther) - 1)) * walk.lineStep + (task >> plan.logOther) * walk.groupStep;
    const int line = output.Line(local, plan);
    if (line < 0)
    {
      continue;
    }
    const std::int64_t lineAt = rule.OffsetOf(output, line);
#pragma unroll 1
    for (int sample = walk.sample; sample < output.samples; sample += walk.sampleStep)
    {
      double index[3];
      rule.IndexAt(prepared[local], shared.places[sample], single, index);
      const bool    inside = box.allInside || arguments.IsInside(index);
      Jet<3, float> jet;
      if (inside)
      {
        TileReader<TMethod>::template Evaluate<VDerivatives>(arguments, tile, -origin, index, jet);
      }
      rule.template Store<VDerivatives, VFloat>(inside, jet, lineAt + sample * rule.StepOf());
    }
  }
}

/** Evaluates the samples of a block whose box does not fit into a tile, or the samples outside. It is a separate
 * function, so that its registers are not reserved in the common case. */
template <typename TRule>
__device__ __noinline__ void
EvaluateWithoutTile(const TRule rule, const TilePlan & plan, const OutputBox & output, bool onlyOutside)
{
  const ThreadWalk walk(plan);
  for (int task = static_cast<int>(threadIdx.x) / 32; task < walk.tasks; task += static_cast<int>(blockDim.x) / 32)
  {
    const int local =
      walk.line + (task & ((1 << plan.logOther) - 1)) * walk.lineStep + (task >> plan.logOther) * walk.groupStep;
    const int line = output.Line(local, plan);
    for (int sample = walk.sample; sample < output.samples && line >= 0; sample += walk.sampleStep)
    {
      rule.EvaluateApart(output.firstLine + line, output.firstSample + sample, onlyOutside);
    }
  }
}

/** The body of the kernels: a block computes a box of the output.
 *
 * \param[in] lines number of lines of the slab */
template <typename TMethod, Derivatives VDerivatives, typename TRule>
__device__ __forceinline__ void
RunTile(const EvaluationArguments<3> & arguments, std::int64_t lines, const TilePlan & plan, const TRule & rule)
{
  extern __shared__ __align__(16) unsigned char memory[];
  TileShared &                                  shared = *reinterpret_cast<TileShared *>(memory);
  auto * const  prepared = reinterpret_cast<typename TRule::Line *>(memory + sizeof(TileShared));
  float * const tile = reinterpret_cast<float *>(
    memory + sizeof(TileShared) + (sizeof(typename TRule::Line) << (plan.logExtent[1] + plan.logExtent[2])));

  const OutputBox output = FindOutputBox(plan, arguments.samples, lines, blockIdx);
  TileBox         box;
  if constexpr (TRule::IsMonotone)
  {
    box =
      FindTileBox<TileReader<TMethod>>(arguments, plan, output, rule, arguments.singleCoordinates, shared, prepared);
  }
  else
  {
    box = FindScatteredBox<TileReader<TMethod>>(arguments, plan, output, rule, shared, prepared);
  }
  if (box.anyInside)
  {
    bool isInterior = true;
    for (int d = 0; d < 3; ++d)
    {
      const int first = static_cast<int>(arguments.extent.start[d]);
      isInterior = isInterior && box.low[d] >= first &&
                   box.low[d] + box.size[d] <= first + static_cast<int>(arguments.extent.size[d]);
    }
    const bool isWide = isInterior && plan.isAligned;
    if (isWide)
    {
      const int shift = (box.low[0] - static_cast<int>(arguments.extent.start[0])) & 3;
      box.low[0] -= shift;
      box.size[0] += shift;
    }
    if (box.size[0] > TileShape::Pitch || box.size[1] > TileShape::Rows || box.size[2] > plan.slices)
    {
      EvaluateWithoutTile(rule, plan, output, false);
      return;
    }
    if (isWide)
    {
      LoadTile<16>(arguments, box, tile);
    }
    else if (isInterior)
    {
      LoadTile<4>(arguments, box, tile);
    }
    else
    {
      LoadFoldedTile(arguments, box, shared.fold, tile);
    }
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;\n" ::: "memory");
#endif
    __syncthreads();
  }
  // The common case is separate, to avoid checks for each sample.
  if (arguments.outputType == ScalarType::Float32 && !arguments.singleCoordinates)
  {
    EvaluateTile<TMethod, VDerivatives, true>(arguments, plan, output, box, rule, shared, prepared, tile, false);
  }
  else
  {
    EvaluateTile<TMethod, VDerivatives, false>(
      arguments, plan, output, box, rule, shared, prepared, tile, arguments.singleCoordinates);
  }
  if (!box.allInside && rule.LeavesOutside())
  {
    EvaluateWithoutTile(rule, plan, output, true);
  }
}

/** Enqueues a kernel for all boxes of an output. Their number must not exceed the size of a grid.
 *
 * \param[in] launch launches a grid of blocks */
template <typename TKernel, typename TLaunch>
void
LaunchTileKernel(const TKernel &           kernel,
                 const TilePlan &          plan,
                 std::int64_t              samples,
                 std::int64_t              lines,
                 const SharedMemorySizes & memory,
                 const char *              name,
                 const TLaunch &           launch)
{
  const auto blocks = BlocksOf(plan, samples, lines);
  // Always the same number, because another thread may be launching the same kernel with a different plan.
  CheckCuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory.block),
            "cudaFuncSetAttribute");
  launch(dim3(
    static_cast<unsigned int>(blocks[0]), static_cast<unsigned int>(blocks[1]), static_cast<unsigned int>(blocks[2])));
  CheckCuda(cudaGetLastError(), name);
}

} // namespace
} // namespace itk::CudaSpline

#endif
