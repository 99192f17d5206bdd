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
 * \brief A kernel that filters the first two axes at once: a block marches along the second axis over a strip of
 * columns.
 *
 * Batches of rows, with a margin on either side, go through a ring of buffers in shared memory: rows are filtered where
 * they are, and the columns of a segment on their way out, when all rows that it needs are there. Global memory is read
 * and written once for two axes; only the margins of strips are read twice, and rows beyond the ends of a strip
 * filtered twice.
 */

namespace itk::CudaSpline
{

/** \brief Rows of a batch: those of a segment of the columns. */
constexpr int BatchRows = LineSegmentLength;

/** \brief Columns of a strip. */
constexpr int StripColumns = 128;

/** \brief Warps of a block: one for each segment of the rows, and for 32 of the columns. */
constexpr int PlaneWarps = StripColumns / LineSegmentLength;

/** \brief Batches that a segment of the columns needs: its own and those that its filter reaches. */
__host__ __device__ constexpr int
BatchesOfSegment(int reach)
{
  return 1 + (2 * reach + BatchRows - 1) / BatchRows;
}

/** \brief Elements from row to row: as RowPitch(). */
template <typename TReal>
__host__ __device__ constexpr int
StripPitch(int reach)
{
  return ((StripColumns + 2 * TileMargin<TReal>(reach)) / WideCopy<TReal> | 1) * WideCopy<TReal>;
}

/** \brief Elements of a buffer of the ring. */
template <typename TReal>
__host__ __device__ constexpr int
BatchElements(int reach)
{
  return BatchRows * StripPitch<TReal>(reach);
}

/** \brief Buffers of the ring: no more than a segment needs. Several blocks take turns on a multiprocessor, so that one
 * is copied while another is filtered. */
__host__ __device__ constexpr int
RingBatches(int reach)
{
  return BatchesOfSegment(reach);
}

/** \brief Bytes of shared memory of PlaneMarchKernel. */
template <typename TReal>
constexpr std::size_t
PlaneRingBytes(int reach)
{
  return static_cast<std::size_t>(BatchElements<TReal>(reach) * RingBatches(reach)) * sizeof(TReal);
}

/** \brief Blocks that a multiprocessor shall have registers for: as many as 227 KB of shared memory hold rings. */
template <typename TReal>
constexpr int
PlaneBlocks(int reach)
{
  const auto blocks =
    static_cast<int>((std::size_t{ 227 } << 10) / (PlaneRingBytes<TReal>(reach) + std::size_t{ 1024 }));
  return blocks > 5 ? 5 : (blocks < 1 ? 1 : blocks);
}

/** \brief The first two axes of planes.
 *
 * \param[in] width, height samples of a plane along the first and the second axis
 * \param[in] stripSegments segments of the columns that a block marches over
 * \param[in] alongX, alongY the extensions of the two axes
 * \pre blocks of PlaneWarps warps */
template <typename TReal, typename TFilter>
__global__ void
__launch_bounds__(WarpSize * PlaneWarps, PlaneBlocks<TReal>(TFilter::Reach)) PlaneMarchKernel(const TReal * input,
                                                                                              TReal *       output,
                                                                                              std::int64_t  width,
                                                                                              std::int64_t  height,
                                                                                              int       stripSegments,
                                                                                              Extension alongX,
                                                                                              Extension alongY,
                                                                                              TFilter   filter)
{
  constexpr int          reach = TFilter::Reach;
  constexpr int          margin = TileMargin<TReal>(reach);
  constexpr int          pitch = StripPitch<TReal>(reach);
  constexpr int          ring = RingBatches(reach);
  constexpr int          needed = BatchesOfSegment(reach);
  extern __shared__ int4 sharedMemory[];
  TReal * const          buffers = reinterpret_cast<TReal *>(sharedMemory);

  const std::int64_t tilesX = (width + StripColumns - 1) / StripColumns;
  const std::int64_t stripRows = std::int64_t{ stripSegments } * LineSegmentLength;
  const std::int64_t strips = (height + stripRows - 1) / stripRows;
  const std::int64_t block = blockIdx.x;
  const std::int64_t beginX = block % tilesX * StripColumns;
  const std::int64_t beginY = block / tilesX % strips * stripRows;
  const std::int64_t plane = block / tilesX / strips * width * height;
  const int          lane = static_cast<int>(threadIdx.x);
  const int          warp = static_cast<int>(threadIdx.y);
  const bool         wide = IsWide(input, width);

  const std::int64_t rest = height - beginY;
  const int          segments =
    static_cast<int>(((rest < stripRows ? rest : stripRows) + LineSegmentLength - 1) / LineSegmentLength);
  const int batches = segments + needed - 1;

  // Batch b holds the rows from beginY - reach + b BatchRows on.
  const RowCopy<TReal> copyRow(beginX - margin, StripColumns + 2 * margin, width, alongX, wide);
  const TReal * const  planeOfInput = input + plane;
  const auto           copy = [&](int batch) {
    TReal *            to = buffers + batch % ring * BatchElements<TReal>(reach) + warp * pitch;
    const std::int64_t first = beginY - reach + std::int64_t{ batch } * BatchRows;
    if (first >= 0 && first + BatchRows <= height)
    {
      const TReal * from = planeOfInput + (first + warp) * width;
      for (int row = warp; row < BatchRows; row += PlaneWarps, to += PlaneWarps * pitch, from += PlaneWarps * width)
      {
        copyRow(to, from);
      }
    }
    else
    {
      for (int row = warp; row < BatchRows; row += PlaneWarps, to += PlaneWarps * pitch)
      {
        copyRow(to, planeOfInput + FoldIndex(first + row, height, alongY) * width);
      }
    }
  };

  const int     column = warp * WarpSize + lane;
  const bool    mine = beginX + column < width;
  TReal * const to = output + plane + beginY * width + beginX + column;
  const auto    filterColumn = [&](int segment) {
    const TReal * parts[needed];
#pragma unroll
    for (int i = 0; i < needed; ++i)
    {
      parts[i] = buffers + (segment + i) % ring * BatchElements<TReal>(reach) + margin + column;
    }
    const auto load = [&](std::int64_t n) {
      const int row = static_cast<int>(n) + reach;
      return parts[row / BatchRows][row % BatchRows * pitch];
    };
    TReal * const      first = to + std::int64_t{ segment } * LineSegmentLength * width;
    const std::int64_t left = rest - std::int64_t{ segment } * LineSegmentLength;
    if (left >= LineSegmentLength)
    {
      filter.template Run<TReal>(0, load, [first, width](int k, TReal coefficient) { first[k * width] = coefficient; });
    }
    else
    {
      const int rows = static_cast<int>(left);
      filter.template Run<TReal>(0, load, [first, width, rows](int k, TReal coefficient) {
        if (k < rows)
        {
          first[k * width] = coefficient;
        }
      });
    }
  };

  const int segmentX = warp * LineSegmentLength;
  copy(0);
  for (int batch = 0; batch < batches; ++batch)
  {
    WaitForTile();
    FilterRowOfTile(filter,
                    buffers + batch % ring * BatchElements<TReal>(reach) + lane * pitch + margin + segmentX,
                    beginX + segmentX < width);
    const int segment = batch - needed + 1;
    if (segment >= 0 && mine)
    {
      filterColumn(segment);
    }
    if (batch + 1 < batches)
    {
      if (segment >= 0)
      {
        __syncthreads(); // all have read the buffer that is filled now
      }
      copy(batch + 1);
    }
  }
}

} // namespace itk::CudaSpline

#endif
