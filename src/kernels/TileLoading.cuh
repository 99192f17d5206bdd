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
#ifndef TileLoading_cuh
#define TileLoading_cuh

#include "kernels/EvaluationArguments.h"
#include "kernels/EvaluationTilePlan.h"

#include <climits>

/** \file
 * \brief The tile of the input that a box of the output needs: where it is, and how it comes into shared memory. */

namespace itk::CudaSpline
{

namespace
{

/** Four or sixteen bytes from global to shared memory: past the registers where the device can. */
template <int VBytes>
__device__ __forceinline__ void
CopyAsync(float * to, const float * from)
{
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned int>(__cvta_generic_to_shared(to));
  if constexpr (VBytes == 16)
  {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(from));
  }
  else
  {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(address), "l"(from));
  }
#else
  for (int i = 0; i < VBytes / 4; ++i)
  {
    to[i] = from[i];
  }
#endif
}

/** What the threads of a block agree upon: the box of the supports of its samples. */
struct TileBox
{
  int  low[3];  ///< first index of the box
  int  size[3]; ///< samples
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

/** Loads a box, none of which lies outside of the array, by copies of \p VBytes. */
template <int VBytes>
__device__ __forceinline__ void
LoadTile(const EvaluationArguments<3> & arguments, const TileBox & box, float * tile)
{
  constexpr int      elements = VBytes / 4;
  constexpr int      lanes = VBytes == 16 ? 8 : 32; // of a row
  const int          rowsAtOnce = static_cast<int>(blockDim.x) / lanes;
  const std::int64_t nx = arguments.extent.size[0];
  const std::int64_t nxy = nx * arguments.extent.size[1];
  const int          column = static_cast<int>(threadIdx.x) % lanes * elements;
  const int          row = static_cast<int>(threadIdx.x) / lanes;
  const int          deltaZ = rowsAtOnce / box.size[1];
  const int          deltaY = rowsAtOnce - deltaZ * box.size[1];
  int                z = row / box.size[1];
  int                y = row - z * box.size[1];
  const float *      from =
    static_cast<const float *>(arguments.source) + (box.low[2] + z - arguments.extent.start[2]) * nxy +
    (box.low[1] + y - arguments.extent.start[1]) * nx + (box.low[0] - arguments.extent.start[0]) + column;
  float *            to = tile + (z * TileShape::Slice + y * TileShape::Pitch + column);
  const std::int64_t fromStep = deltaZ * nxy + deltaY * nx;
  const std::int64_t fromWrap = nxy - box.size[1] * nx;
  const int          toStep = deltaZ * TileShape::Slice + deltaY * TileShape::Pitch;
  const int          toWrap = TileShape::Slice - box.size[1] * TileShape::Pitch;
#pragma unroll 1
  while (z < box.size[2])
  {
#pragma unroll
    for (int x = 0; x < TileShape::Pitch; x += lanes * elements)
    {
      if (column + x < box.size[0])
      {
        CopyAsync<VBytes>(to + x, from + x);
      }
    }
    y += deltaY;
    z += deltaZ;
    from += fromStep;
    to += toStep;
    if (y >= box.size[1])
    {
      y -= box.size[1];
      ++z;
      from += fromWrap;
      to += toWrap;
    }
  }
}

/** Loads a box that leaves the array, which goes on there as its extension says. */
__device__ __forceinline__ void
LoadFoldedTile(const EvaluationArguments<3> & arguments, const TileBox & box, int (&fold)[3][64], float * tile)
{
  for (int i = static_cast<int>(threadIdx.x); i < 3 * 64; i += static_cast<int>(blockDim.x))
  {
    const int d = i / 64;
    const int k = i % 64;
    if (k < box.size[d])
    {
      fold[d][k] = static_cast<int>(
        FoldIndex(box.low[d] + k - arguments.extent.start[d], arguments.extent.size[d], arguments.extension[d]));
    }
  }
  __syncthreads();
  const auto    border = static_cast<float>(arguments.border);
  const float * source = static_cast<const float *>(arguments.source);
  const int     lane = static_cast<int>(threadIdx.x) % 32;
  const int     rows = box.size[1] * box.size[2];
#pragma unroll 1
  for (int row = static_cast<int>(threadIdx.x) / 32; row < rows; row += static_cast<int>(blockDim.x) / 32)
  {
    const int  z = row / box.size[1];
    const int  y = row - z * box.size[1];
    const int  foldedY = fold[1][y];
    const int  foldedZ = fold[2][z];
    const bool isBorder = foldedY < 0 || foldedZ < 0;
    const auto from = (foldedZ * arguments.extent.size[1] + foldedY) * arguments.extent.size[0];
#pragma unroll 1
    for (int x = lane; x < box.size[0]; x += 32)
    {
      const int foldedX = fold[0][x];
      tile[z * TileShape::Slice + y * TileShape::Pitch + x] = isBorder || foldedX < 0 ? border : source[from + foldedX];
    }
  }
}

/** The box of the output that a block computes. */
struct OutputBox
{
  std::int64_t firstSample;
  std::int64_t firstLine;
  int          samples;  ///< that there are
  int          rows;     ///< that there are
  int          lines;    ///< of the slab from firstLine on, or the most that counts
  int          rowLines; ///< lines of a slice of the output

  /** Line from firstLine of a line of the box; negative where there is none. */
  __device__ __forceinline__ int
  Line(int local, const TilePlan & plan) const
  {
    const int row = local & ((1 << plan.logExtent[1]) - 1);
    const int line = (local >> plan.logExtent[1]) * rowLines + row;
    return row < rows && line < lines ? line : -1;
  }
};

/** Sizes and indices of the input of which a tile is made, at most: places in it are computed in 32 bits. */
constexpr std::int64_t MostTileIndex = std::int64_t{ 1 } << 20;

/** The box of the input whose samples the block needs. An index is monotone along a line, rounded as it is: the ends of
 * the part that is in the block bound it.
 *
 * \param[in] rule how the lines lie in the input; see TileKernel.cuh
 * \param[in] single indices are rounded to single precision
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
  const int lane = thread % 32;
  const int warp = thread / 32;
  if (thread < output.samples)
  {
    shared.places[thread] = rule.PlaceOf(output.firstSample + thread);
  }
  if (warp < TileShape::MostLines / 32)
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
        // What is too far away for 32 bits fits into no tile either.
        constexpr auto furthest = static_cast<double>(MostTileIndex);
        const bool     isNear = first >= -furthest && last <= furthest;
        least[d] = isNear ? TReader::Start(first) : -(1 << 29);
        most[d] = isNear ? -TReader::Start(last) : -(1 << 29);
      }
    }
    for (int d = 0; d < 3; ++d)
    {
      least[d] = WarpMinimum(least[d]);
      most[d] = WarpMinimum(most[d]);
    }
    within = __all_sync(0xFFFFFFFFU, within);
    any = __any_sync(0xFFFFFFFFU, any);
    if (lane == 0)
    {
      for (int d = 0; d < 3; ++d)
      {
        shared.bounds[warp][d] = least[d];
        shared.bounds[warp][3 + d] = most[d];
      }
      shared.bounds[warp][6] = within ? 1 : 0;
      shared.bounds[warp][7] = any ? 0 : 1;
    }
  }
  __syncthreads();
  int bounds[8];
  for (int i = 0; i < 8; ++i)
  {
    bounds[i] = WarpMinimum(shared.bounds[lane % (TileShape::MostLines / 32)][i]);
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

} // namespace
} // namespace itk::CudaSpline

#endif
