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
#ifndef EvaluationTiles_cuh
#define EvaluationTiles_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/Evaluation.h"
#include "kernels/TileLoading.cuh"
#include "kernels/TileReaders.cuh"

#include <cuda_runtime.h>

#include <climits>

namespace itk::CudaSpline
{

namespace
{

/** How the threads of a block go through its samples: lanes are neighbours along the axes of the output that follow the
 * rows and columns of the input. */
struct ThreadWalk
{
  int sample;     ///< first of the thread
  int sampleStep; ///< to the next
  int line;       ///< first of the thread
  int lineStep;   ///< to the next of a group
  int groupStep;  ///< lines to the next group
  int tasks;      ///< groups times the lines of a group

  __device__ __forceinline__
  ThreadWalk(const TilePlan & plan)
  {
    constexpr int lanesF = TileShape::Lanes;
    constexpr int lanesM = 32 / lanesF;
    const int     lane = static_cast<int>(threadIdx.x) % 32;
    const auto    linesOf = [&plan](int axis) { return axis == 0 ? 0 : (axis == 1 ? 1 : 1 << plan.logExtent[1]); };
    const int     stepF = linesOf(plan.axis[0]);
    const int     stepM = linesOf(plan.axis[1]);
    const bool    fIsX = plan.axis[0] == 0;
    sample = fIsX ? lane % lanesF : lane / lanesF;
    sampleStep = fIsX ? lanesF : lanesM;
    line = lane % lanesF * stepF + lane / lanesF * stepM;
    lineStep = fIsX ? lanesM * stepM : lanesF * stepF;
    groupStep = linesOf(plan.axis[2]);
    tasks = 1 << (plan.logOther + plan.logExtent[plan.axis[2]]);
  }
};

/** Stores what was evaluated; \p VFloat: as float. */
template <Derivatives VDerivatives, bool VFloat>
__device__ __forceinline__ void
StoreEvaluated(const EvaluationArguments<3> & arguments, bool inside, const Jet<3, float> & jet, std::int64_t at)
{
  if constexpr (VFloat)
  {
    if (VDerivatives == Derivatives::None || arguments.output != nullptr)
    {
      static_cast<float *>(arguments.output)[at] =
        inside ? CastToFloat(jet.value) : __uint_as_float(static_cast<unsigned int>(arguments.defaultPixel));
    }
    if constexpr (VDerivatives != Derivatives::None)
    {
      float * const gradient = static_cast<float *>(arguments.gradients) + at * 3;
      for (int r = 0; r < 3; ++r)
      {
        gradient[r] = CastToFloat(MappedGradient(arguments, jet, r));
      }
    }
  }
  else
  {
    if constexpr (VDerivatives != Derivatives::None)
    {
      StoreJet<VDerivatives>(arguments, jet, at);
      inside = inside || arguments.output == nullptr;
    }
    else if (inside)
    {
      StoreScalar(arguments.output, arguments.outputType, at, jet.value);
    }
    if (!inside)
    {
      StoreBits(arguments.output, at, arguments.defaultPixel, SizeOf(arguments.outputType));
    }
  }
}

/** The samples of a block from its tile. */
template <typename TMethod, Derivatives VDerivatives, bool VFloat>
__device__ __forceinline__ void
EvaluateTile(const EvaluationArguments<3> & arguments,
             const TilePlan &               plan,
             const OutputBox &              output,
             const TileBox &                box,
             const TileShared &             shared,
             const ScanlineSpan *           spans,
             const float *                  tile,
             bool                           single)
{
  const ThreadWalk   walk(plan);
  const int          origin = box.low[0] + TileShape::Pitch * box.low[1] + TileShape::Slice * box.low[2];
  const std::int64_t firstAt = output.firstLine * arguments.samples + output.firstSample;
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
    const std::int64_t lineAt = firstAt + std::int64_t{ line } * static_cast<int>(arguments.samples);
#pragma unroll 1
    for (int sample = walk.sample; sample < output.samples; sample += walk.sampleStep)
    {
      double index[3];
      spans[local].At(shared.alphas[sample], single, index);
      const bool    inside = box.allInside || arguments.IsInside(index);
      Jet<3, float> jet;
      if (inside)
      {
        TileReader<TMethod>::template Evaluate<VDerivatives>(arguments, tile, -origin, index, jet);
      }
      StoreEvaluated<VDerivatives, VFloat>(arguments, inside, jet, lineAt + sample);
    }
  }
}

/** The samples of a block whose box does not fit into a tile: a function of its own, so that the others do not pay for
 * its registers. */
template <typename TMethod, Derivatives VDerivatives>
__device__ __noinline__ void
EvaluateWithoutTile(const EvaluationArguments<3> & arguments, const TilePlan & plan, const OutputBox & output)
{
  const ThreadWalk walk(plan);
  for (int task = static_cast<int>(threadIdx.x) / 32; task < walk.tasks; task += static_cast<int>(blockDim.x) / 32)
  {
    const int local =
      walk.line + (task & ((1 << plan.logOther) - 1)) * walk.lineStep + (task >> plan.logOther) * walk.groupStep;
    const int line = output.Line(local, plan);
    for (int sample = walk.sample; sample < output.samples && line >= 0; sample += walk.sampleStep)
    {
      EvaluateSample<TMethod, VDerivatives>(arguments, output.firstLine + line, output.firstSample + sample);
    }
  }
}

/** Threads of a block, at most, and blocks of so many that shall be resident: they bound the registers. Sums with
 * derivatives take more of them than 64. */
///@{
constexpr int
TileThreadsOf(Derivatives derivatives)
{
  return derivatives == Derivatives::None ? 512 : 256;
}
constexpr int
TileBlocksOf(Derivatives derivatives)
{
  return derivatives == Derivatives::None ? 2 : 3;
}
///@}

/** Values of a box of the output from a tile of the input in shared memory. */
template <typename TMethod, Derivatives VDerivatives>
__global__ void
__launch_bounds__(TileThreadsOf(VDerivatives), TileBlocksOf(VDerivatives))
  TileKernel(const __grid_constant__ EvaluationArguments<3> arguments,
             std::int64_t                                   lines,
             const __grid_constant__ TilePlan               plan)
{
  using Reader = TileReader<TMethod>;
  extern __shared__ __align__(16) unsigned char memory[];
  TileShared &                                  shared = *reinterpret_cast<TileShared *>(memory);
  ScanlineSpan * const                          spans = reinterpret_cast<ScanlineSpan *>(memory + sizeof(TileShared));
  float * const                                 tile = reinterpret_cast<float *>(memory + sizeof(TileShared) +
                                                 (sizeof(ScanlineSpan) << (plan.logExtent[1] + plan.logExtent[2])));

  OutputBox output;
  output.firstSample = std::int64_t{ blockIdx.x } << plan.logExtent[0];
  const std::int64_t firstRow = std::int64_t{ blockIdx.y } << plan.logExtent[1];
  output.firstLine = (std::int64_t{ blockIdx.z } << plan.logExtent[2]) * plan.rows + firstRow;
  output.rowLines = plan.rows;
  const auto atMost = [](std::int64_t count, int most) { return count < most ? static_cast<int>(count) : most; };
  output.samples = atMost(arguments.samples - output.firstSample, 1 << plan.logExtent[0]);
  output.rows = atMost(plan.rows - firstRow, 1 << plan.logExtent[1]);
  output.lines = atMost(lines - output.firstLine, INT_MAX);

  TileBox box = FindTileBox<Reader>(arguments, plan, output, shared, spans);
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
      EvaluateWithoutTile<TMethod, VDerivatives>(arguments, plan, output);
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
  // The usual case by itself: what is known need not be asked for at each sample.
  if (arguments.outputType == ScalarType::Float32 && !arguments.singleCoordinates)
  {
    EvaluateTile<TMethod, VDerivatives, true>(arguments, plan, output, box, shared, spans, tile, false);
  }
  else
  {
    EvaluateTile<TMethod, VDerivatives, false>(
      arguments, plan, output, box, shared, spans, tile, arguments.singleCoordinates);
  }
}

/** Enqueues the evaluation of one slab by a plan.
 *
 * \param[in] plan of PlanTiles()
 * \param[in] blockBytes shared memory that a block may have
 * \return false where a grid cannot have so many blocks: nothing was enqueued */
template <typename TMethod, Derivatives VDerivatives>
bool
LaunchTiles(const EvaluationArguments<3> & arguments,
            std::int64_t                   lines,
            const TilePlan &               plan,
            int                            blockBytes,
            StreamHandle                   stream)
{
  constexpr std::int64_t most = 65535; // blocks along the second and third axis of a grid
  const auto             blocksOf = [&plan](std::int64_t count, int axis) {
    return (count + (std::int64_t{ 1 } << plan.logExtent[axis]) - 1) >> plan.logExtent[axis];
  };
  const std::int64_t down = blocksOf(plan.rows, 1);
  const std::int64_t deep = blocksOf((lines + plan.rows - 1) / plan.rows, 2);
  if (down > most || deep > most)
  {
    return false;
  }
  // Always the same number: another thread may be launching the same kernel by another plan.
  const auto kernel = TileKernel<TMethod, VDerivatives>;
  CheckCuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, blockBytes),
            "cudaFuncSetAttribute");
  const dim3 grid(static_cast<unsigned int>(blocksOf(arguments.samples, 0)),
                  static_cast<unsigned int>(down),
                  static_cast<unsigned int>(deep));
  kernel<<<grid, static_cast<unsigned int>(plan.threads), TileBytes(plan), stream>>>(arguments, lines, plan);
  CheckCuda(cudaGetLastError(), "TileKernel");
  return true;
}

} // namespace
} // namespace itk::CudaSpline

#endif
