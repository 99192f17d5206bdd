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
#ifndef PlaneStrips_cuh
#define PlaneStrips_cuh

#include "kernels/coefficients/lines/LineTiles.cuh"
#include "kernels/coefficients/lines/StripCopy.cuh"

/** \file
 * \brief A kernel that filters the first two axes together. Blocks march along the second axis over strips of columns.
 *
 * Batches of rows with a margin on each side go through a ring of buffers in shared memory. Rows are filtered in place.
 * The columns of a segment are filtered while they are written, as soon as all required rows are available. While a
 * batch is filtered, the next one is copied, even if it belongs to the next plane. Global memory is read and written
 * once for both axes. Only the margins of strips are read twice, and rows beyond the ends of a part are filtered
 * twice. */

namespace itk::CudaSpline
{

/** \brief Sizes for PlaneStripKernel.
 *
 * \tparam VColumns columns of a strip and threads of a block, a multiple of LineSegmentLength */
template <typename TReal, typename TFilter, int VColumns>
struct PlaneStrip
{
  static constexpr int Columns = VColumns;
  static constexpr int Warps = VColumns / WarpSize; ///< warps of a block, one for each segment of the rows
  static constexpr int Reach = TFilter::Reach;
  static constexpr int Margin = TileMargin<TReal>(Reach);
  static constexpr int Width = VColumns + 2 * Margin;    ///< elements of a row of a batch
  static constexpr int Pitch = OddPitch<TReal>(Width);   ///< distance of the rows, in elements
  static constexpr int Batch = RowsOfBatch * Pitch;      ///< elements of a batch
  static constexpr int Needed = BatchesOfSegment(Reach); ///< batches that a segment of the columns needs
  static constexpr int Ring = Needed + 1;                ///< batches of the ring; the next one is copied meanwhile

  /** Bytes of shared memory of a block. */
  static constexpr std::size_t Bytes = std::size_t{ Batch * Ring } * sizeof(TReal) + BulkBarrierBytes;
  /** Number of blocks for which a multiprocessor should have registers, such that their rings fit into 228 KB of shared
   * memory. */
  static constexpr int Blocks = BlocksThatFit(Bytes, 512 / VColumns);
};

/** \brief Filters the first two axes of planes. A block has PlaneStrip::Warps warps. */
template <typename TReal, typename TFilter, int VColumns>
__global__ void
__launch_bounds__(VColumns, PlaneStrip<TReal, TFilter, VColumns>::Blocks)
  PlaneStripKernel(const TReal * input, TReal * output, PlaneView view, TFilter filter)
{
  using Strip = PlaneStrip<TReal, TFilter, VColumns>;
  extern __shared__ int4 sharedMemory[];
  TReal * const          buffers = reinterpret_cast<TReal *>(sharedMemory);
  const SharedAddress    buffersAt = SharedAddressOf(buffers);
  constexpr int          bytes = sizeof(TReal);
  BulkCopies             bulk(buffersAt + Strip::Batch * Strip::Ring * bytes);

  const std::int64_t width = view.width;
  const std::int64_t beginX = std::int64_t{ blockIdx.x % view.tilesX } * VColumns;
  const int          lane = static_cast<int>(threadIdx.x);
  const int          warp = static_cast<int>(threadIdx.y);
  const int          thread = warp * WarpSize + lane;
  const std::int64_t columns = (width - beginX + LineSegmentLength - 1) / LineSegmentLength * LineSegmentLength;

  const StripCopy<TReal, Strip::Width, VColumns> stripCopy(
    thread,
    beginX - Strip::Margin,
    columns < VColumns ? static_cast<int>(columns) + 2 * Strip::Margin : Strip::Width,
    width,
    view.alongX,
    IsWide(input, width));
  BatchCursor<Strip::Needed> ahead(view);
  BatchCursor<Strip::Needed> cursor = ahead;
  int                        free = 0; // slot that is filled next
  const auto                 copy = [&] {
    if (ahead.IsValid(view))
    {
      stripCopy(bulk,
                buffersAt + free * (Strip::Batch * bytes),
                Strip::Pitch * bytes,
                input + ahead.Plane(),
                ahead.BeginY() - Strip::Reach + ahead.Batch() * RowsOfBatch,
                view.height,
                view.alongY);
      free = free + 1 == Strip::Ring ? 0 : free + 1;
      ahead.Advance(view);
    }
  };

  const bool    mine = beginX + thread < width;
  const bool    mineX = beginX + warp * LineSegmentLength < width;
  const TReal * parts[Strip::Needed]; // the column in the current batches, the oldest first
  TReal * const rows = buffers + lane * Strip::Pitch + Strip::Margin + warp * LineSegmentLength;

  __syncthreads();
  copy();
  for (int slot = 0; cursor.IsValid(view); cursor.Advance(view))
  {
    if (stripCopy.IsBulk())
    {
      bulk.Wait();
      bulk.Release();
    }
    WaitForTile();
    copy();
    FilterRowOfTile(filter, rows + slot * Strip::Batch, mineX);
#pragma unroll
    for (int i = 0; i + 1 < Strip::Needed; ++i)
    {
      parts[i] = parts[i + 1];
    }
    parts[Strip::Needed - 1] = buffers + slot * Strip::Batch + Strip::Margin + thread;
    slot = slot + 1 == Strip::Ring ? 0 : slot + 1;
    const int segment = cursor.Batch() - Strip::Needed + 1;
    if (segment >= 0 && mine)
    {
      const std::int64_t first = cursor.BeginY() + segment * LineSegmentLength;
      FilterColumn(
        filter,
        [&parts](std::int64_t n) {
          const int row = static_cast<int>(n) + Strip::Reach;
          return parts[row / RowsOfBatch][row % RowsOfBatch * Strip::Pitch];
        },
        output + cursor.Plane() + first * width + beginX + thread,
        width,
        view.height - first);
    }
  }
}

} // namespace itk::CudaSpline

#endif
