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

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/EvaluationTilePlan.h"
#include "kernels/evaluation/boxes/TileBounds.cuh"

/** \file
 * \brief Loads the tile of the input that a box of the output needs into shared memory. */

namespace itk::CudaSpline
{

namespace
{

/** Copies four or sixteen bytes from global to shared memory. No registers are used if the device supports it. */
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

/** Loads a box that is entirely inside the array with copies of \p VBytes. */
template <int VBytes>
__device__ __forceinline__ void
LoadTile(const EvaluationArguments<3> & arguments, const TileBox & box, float * tile)
{
  constexpr int      elements = VBytes / 4;
  constexpr int      lanes = VBytes == 16 ? 8 : 32; // for each row
  const int          rowsPerPass = static_cast<int>(blockDim.x) / lanes;
  const std::int64_t nx = arguments.extent.size[0];
  const std::int64_t nxy = nx * arguments.extent.size[1];
  const int          column = static_cast<int>(threadIdx.x) % lanes * elements;
  const int          row = static_cast<int>(threadIdx.x) / lanes;
  const int          deltaZ = rowsPerPass / box.size[1];
  const int          deltaY = rowsPerPass - deltaZ * box.size[1];
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

/** Loads a box that is partly outside the array, which is continued according to its extension. */
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

} // namespace
} // namespace itk::CudaSpline

#endif
