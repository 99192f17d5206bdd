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
#ifndef PlaneTiles_cuh
#define PlaneTiles_cuh

#include "kernels/LineTiles.cuh"

/** \file
 * \brief A kernel that filters the first two axes at once: a block copies a tile of a plane with a margin on all four
 * sides, filters its rows in shared memory, and then its columns, on the way out.
 *
 * Global memory is read and written once for two axes; the margins, half of the tile, come out of the second-level
 * cache. */

namespace itk::CudaSpline
{

/** \brief Segments of the columns of a tile. */
constexpr int PlaneSegments = 2;

/** \brief Rows of a tile, without its margins. */
constexpr int PlaneHeight = LineSegmentLength * PlaneSegments;

/** \brief Rows of a tile with its margins. */
__host__ __device__ constexpr int
PlaneRows(int reach)
{
  return PlaneHeight + 2 * reach;
}

/** \brief Warps of a block: one for 32 rows of each segment along them. There are then enough for the columns. */
template <typename TReal>
constexpr int
PlaneWarps(int reach)
{
  return (PlaneRows(reach) + WarpSize - 1) / WarpSize * TileSegments<TReal>;
}

/** \brief Blocks that a multiprocessor shall have registers for: as many as its shared memory holds tiles, so that one
 * filters while another is copied. */
template <typename TReal>
constexpr int
PlaneBlocks(int reach)
{
  return PlaneWarps<TReal>(reach) <= 12 ? 3 : 2;
}

/** \brief Bytes of shared memory of PlaneTileKernel. */
template <typename TReal>
constexpr std::size_t
PlaneTileBytes(int reach)
{
  return static_cast<std::size_t>(RowPitch<TReal>(reach)) * PlaneRows(reach) * sizeof(TReal);
}

/** \brief The first two axes of planes.
 *
 * \param[in] width, height samples of a plane along the first and the second axis
 * \param[in] alongX, alongY the extensions of the two axes
 * \pre blocks of PlaneWarps() warps, at least TileSegments * PlaneSegments */
template <typename TReal, typename TFilter>
__global__ void
__launch_bounds__(WarpSize * PlaneWarps<TReal>(TFilter::Reach), PlaneBlocks<TReal>(TFilter::Reach))
  PlaneTileKernel(const TReal * input,
                  TReal *       output,
                  std::int64_t  width,
                  std::int64_t  height,
                  Extension     alongX,
                  Extension     alongY,
                  TFilter       filter)
{
  constexpr int          reach = TFilter::Reach;
  constexpr int          margin = TileMargin<TReal>(reach);
  constexpr int          pitch = RowPitch<TReal>(reach);
  constexpr int          rows = PlaneRows(reach);
  constexpr int          warps = PlaneWarps<TReal>(reach);
  extern __shared__ int4 sharedMemory[];
  TReal * const          tile = reinterpret_cast<TReal *>(sharedMemory);

  const std::int64_t tilesX = (width + TileLength<TReal> - 1) / TileLength<TReal>;
  const std::int64_t tilesY = (height + PlaneHeight - 1) / PlaneHeight;
  const std::int64_t block = blockIdx.x;
  const std::int64_t beginX = block % tilesX * TileLength<TReal>;
  const std::int64_t beginY = block / tilesX % tilesY * PlaneHeight;
  const std::int64_t plane = block / tilesX / tilesY * width * height;
  const int          lane = static_cast<int>(threadIdx.x);
  const int          warp = static_cast<int>(threadIdx.y);

  constexpr int copied = TileLength<TReal> + 2 * margin;
  const bool    wide = IsWide(input, width) && beginX >= margin && beginX - margin + copied <= width;
  for (int row = warp; row < rows; row += warps)
  {
    const TReal * const from = input + plane + FoldIndex(beginY - reach + row, height, alongY) * width;
    TReal * const       to = tile + row * pitch;
    if (wide)
    {
      for (int i = lane * WideCopy<TReal>; i < copied; i += WarpSize * WideCopy<TReal>)
      {
        CopyWide(to + i, from + beginX - margin + i);
      }
    }
    else
    {
      for (int i = lane; i < copied; i += WarpSize)
      {
        CopyElement(to + i, from + FoldIndex(beginX - margin + i, width, alongX));
      }
    }
  }
  WaitForTile();

  const int row = warp / TileSegments<TReal> * WarpSize + lane;
  const int segmentX = warp % TileSegments<TReal> * LineSegmentLength;
  FilterRowOfTile(filter, tile + row * pitch + margin + segmentX, row < rows && beginX + segmentX < width);

  const int          column = warp % TileSegments<TReal> * WarpSize + lane;
  const int          segmentY = warp / TileSegments<TReal> * LineSegmentLength;
  const std::int64_t rest = height - beginY - segmentY;
  if (segmentY >= PlaneHeight || beginX + column >= width || rest <= 0)
  {
    return;
  }
  const TReal * const line = tile + (segmentY + reach) * pitch + margin + column;
  TReal * const       to = output + plane + (beginY + segmentY) * width + beginX + column;
  filter.template Run<TReal>(
    0,
    [line](std::int64_t n) { return line[static_cast<int>(n) * pitch]; },
    [to, width, rest](int k, TReal coefficient) {
      if (k < rest)
      {
        to[k * width] = coefficient;
      }
    });
}

} // namespace itk::CudaSpline

#endif
