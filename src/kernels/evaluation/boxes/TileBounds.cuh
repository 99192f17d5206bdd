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
#ifndef TileBounds_cuh
#define TileBounds_cuh

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/EvaluationTilePlan.h"
#include "kernels/evaluation/boxes/TileWalk.cuh"

#include <climits>
#include <cstdint>

/** \file
 * \brief Computes the box of the input that a box of the output needs. A rule maps lines of the output to the input,
 * see TileKernel.cuh. */

namespace itk::CudaSpline
{

namespace
{

/** Bounding box of the supports of all samples of a block, which is shared by its threads. */
struct TileBox
{
  int  low[3];  ///< first index of the box
  int  size[3]; ///< in samples
  bool anyInside;
  bool allInside;
};

__device__ __forceinline__ int
WarpMinimum(int x)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFU, x);
#else
  for (int step = 16; step > 0; step /= 2)
  {
    x = min(x, __shfl_xor_sync(0xFFFFFFFFU, x, step));
  }
  return x;
#endif
}

/** Writes the bounds of the supports of a warp to shared memory for the block.
 *
 * \param[in] least smallest starts of the calling thread
 * \param[in] most negated largest starts of the calling thread
 * \param[in] within whether all indices are inside
 * \param[in] any whether some indices are inside */
__device__ __forceinline__ void
ShareBounds(int (&least)[3], int (&most)[3], bool within, bool any, int (&bounds)[8])
{
  for (int d = 0; d < 3; ++d)
  {
    least[d] = WarpMinimum(least[d]);
    most[d] = WarpMinimum(most[d]);
  }
  within = __all_sync(0xFFFFFFFFU, within);
  any = __any_sync(0xFFFFFFFFU, any);
  if (threadIdx.x % 32 == 0)
  {
    for (int d = 0; d < 3; ++d)
    {
      bounds[d] = least[d];
      bounds[3 + d] = most[d];
    }
    bounds[6] = within ? 1 : 0;
    bounds[7] = any ? 0 : 1;
  }
}

/** Combines the bounds of some warps to a box. The number of warps is a power of two. */
template <typename TReader>
__device__ __forceinline__ TileBox
BoxOfBounds(const int (*shared)[8], int warps)
{
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int       bounds[8];
  for (int i = 0; i < 8; ++i)
  {
    bounds[i] = WarpMinimum(shared[lane & (warps - 1)][i]);
  }
  TileBox box;
  for (int d = 0; d < 3; ++d)
  {
    box.low[d] = bounds[d];
    box.size[d] = -bounds[3 + d] - bounds[d] + TReader::Taps;
  }
  box.allInside = bounds[6] != 0;
  box.anyInside = bounds[7] == 0;
  return box;
}

/** Finds the box of the input whose samples the block needs. A rounded index is monotone along a line, so it is bounded
 * by the ends of the part of the line in the block.
 *
 * \param[in] rule maps lines to the input, see TileKernel.cuh
 * \param[in] single whether indices are rounded to single precision
 * \param[out] prepared the lines of the block */
template <typename TReader, typename TRule>
__device__ __forceinline__ TileBox
FindTileBox(const EvaluationArguments<3> & arguments,
            const TilePlan &               plan,
            const OutputBox &              output,
            const TRule &                  rule,
            bool                           single,
            TileShared &                   shared,
            typename TRule::Line *         prepared)
{
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  if (thread < output.samples)
  {
    shared.places[thread] = rule.PlaceOf(output.firstSample + thread);
  }
  if (warp < TileShape::MaxLines / 32)
  {
    int       least[3] = { INT_MAX, INT_MAX, INT_MAX };
    int       most[3] = { INT_MAX, INT_MAX, INT_MAX };
    bool      within = true;
    bool      any = false;
    const int line = thread < (1 << (plan.logExtent[1] + plan.logExtent[2])) ? output.Line(thread, plan) : -1;
    if (line >= 0)
    {
      typename TRule::Line span;
      rule.Prepare(output.firstLine + line, single, span);
      prepared[thread] = span;
      double low[3];
      double high[3];
      rule.IndexAt(span, rule.PlaceOf(output.firstSample), single, low);
      rule.IndexAt(span, rule.PlaceOf(output.firstSample + output.samples - 1), single, high);
      any = true;
      for (int d = 0; d < 3; ++d)
      {
        if (!(low[d] <= high[d]))
        {
          const double other = low[d];
          low[d] = high[d];
          high[d] = other;
        }
        within = within && low[d] >= arguments.lower[d] && high[d] < arguments.upper[d];
        any = any && high[d] >= arguments.lower[d] && low[d] < arguments.upper[d];
      }
      for (int d = 0; d < 3 && any; ++d)
      {
        const double first = fmax(low[d], arguments.lower[d]);
        const double last = fmin(high[d], arguments.upper[d]);
        // Indices that are too far away do not fit into any tile.
        const bool isNear = first > -TReader::Furthest && last < TReader::Furthest;
        least[d] = isNear ? TReader::Start(first) : -(1 << 29);
        most[d] = isNear ? -TReader::Start(last) : -(1 << 29);
      }
    }
    ShareBounds(least, most, within, any, shared.bounds[warp]);
  }
  __syncthreads();
  return BoxOfBounds<TReader>(shared.bounds, TileShape::MaxLines / 32);
}

/** Same as FindTileBox(), but without assumptions on the indices of a line: all of them are considered. Needs to be
 * called by all threads of the block.
 */
template <typename TReader, typename TRule>
__device__ __forceinline__ TileBox
FindScatteredBox(const EvaluationArguments<3> & arguments,
                 const TilePlan &               plan,
                 const OutputBox &              output,
                 const TRule &                  rule,
                 TileShared &                   shared,
                 typename TRule::Line *         prepared)
{
  static_assert(TReader::Furthest == static_cast<double>(MaxTileIndex)); // not exceeded by any index
  const int thread = static_cast<int>(threadIdx.x);
  const int warps = static_cast<int>(blockDim.x) / 32;
  if (thread < output.samples)
  {
    shared.places[thread] = rule.PlaceOf(output.firstSample + thread);
  }
  const int line = thread < (1 << (plan.logExtent[1] + plan.logExtent[2])) ? output.Line(thread, plan) : -1;
  if (line >= 0)
  {
    rule.Prepare(output.firstLine + line, false, prepared[thread]);
  }
  __syncthreads();
  int              least[3] = { INT_MAX, INT_MAX, INT_MAX };
  int              most[3] = { INT_MAX, INT_MAX, INT_MAX };
  bool             within = true;
  bool             any = false;
  const ThreadWalk walk(plan);
#pragma unroll 1
  for (int task = thread / 32; task < walk.tasks; task += warps)
  {
    const int local =
      walk.line + (task & ((1 << plan.logOther) - 1)) * walk.lineStep + (task >> plan.logOther) * walk.groupStep;
    for (int sample = walk.sample; sample < output.samples && output.Line(local, plan) >= 0; sample += walk.sampleStep)
    {
      double index[3];
      rule.IndexAt(prepared[local], shared.places[sample], false, index);
      const bool isInside = arguments.IsInside(index);
      within = within && isInside;
      any = any || isInside;
      for (int d = 0; d < 3 && isInside; ++d)
      {
        const int start = TReader::Start(index[d]);
        least[d] = min(least[d], start);
        most[d] = min(most[d], -start);
      }
    }
  }
  int(&bounds)[16][8] = shared.scatteredBounds;
  ShareBounds(least, most, within, any, bounds[thread / 32]);
  __syncthreads();
  const TileBox box = BoxOfBounds<TReader>(bounds, warps);
  __syncthreads(); // the next step may overwrite the shared memory
  return box;
}

} // namespace
} // namespace itk::CudaSpline

#endif
