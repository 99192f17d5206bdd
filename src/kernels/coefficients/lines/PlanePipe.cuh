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
#ifndef PlanePipe_cuh
#define PlanePipe_cuh

#include "kernels/coefficients/lines/LineTiles.cuh"
#include "kernels/coefficients/lines/StripCopy.cuh"

/** \file
 * \brief A kernel that filters the first two axes together like PlaneStrips.cuh, but if shared memory can hold only one
 * block. Half of the warps filter rows while the others filter columns.
 *
 * In double precision, a segment needs so many rows that a multiprocessor has few threads, each with a long chain of
 * dependent operations. The next batch is copied into one of two stages. Rows are filtered from a stage into a ring of
 * batches, and the columns of the previous batches are read from the ring. */

namespace itk::CudaSpline
{

/** \brief Sizes for PlanePipeKernel.
 *
 * \tparam VColumns columns of a strip, a multiple of LineSegmentLength: half of the threads of a block */
template <typename TReal, typename TFilter, int VColumns>
struct PlanePipe
{
  static constexpr int Columns = VColumns;
  static constexpr int Warps = 2 * VColumns / WarpSize; ///< warps of a block
  static constexpr int Reach = TFilter::Reach;
  static constexpr int Margin = TileMargin<TReal>(Reach);
  static constexpr int Width = VColumns + 2 * Margin;       ///< elements of a row of a stage
  static constexpr int StagePitch = OddPitch<TReal>(Width); ///< distance of the rows of a stage, in elements
  static constexpr int Stage = RowsOfBatch * StagePitch;    ///< elements of a stage
  static constexpr int Pitch = OddPitch<TReal>(VColumns);   ///< distance of the rows of the ring, in elements
  static constexpr int Batch = RowsOfBatch * Pitch;         ///< elements of a batch of the ring
  static constexpr int Needed = BatchesOfSegment(Reach);    ///< batches that a segment of the columns needs
  /** Batches of the ring; the rows of one are filtered meanwhile. */
  static constexpr int Ring = Needed + 1;

  /** Bytes of shared memory of a block. */
  static constexpr std::size_t Bytes = std::size_t{ 2 * Stage + Ring * Batch } * sizeof(TReal) + BulkBarrierBytes;
  /** Number of blocks for which a multiprocessor should have registers. */
  static constexpr int Blocks = BlocksThatFit(Bytes, 256 / VColumns);
};

/** \brief Filters the first two axes of planes. A block has PlanePipe::Warps warps; the first half of them filters
 * rows. */
template <typename TReal, typename TFilter, int VColumns>
__global__ void __launch_bounds__(2 * VColumns, PlanePipe<TReal, TFilter, VColumns>::Blocks)
  PlanePipeKernel(const TReal * input, TReal * output, PlaneView view, TFilter filter)
{
  using Pipe = PlanePipe<TReal, TFilter, VColumns>;
  constexpr int          warps = VColumns / WarpSize; // for rows, and the same number for columns
  extern __shared__ int4 sharedMemory[];
  TReal * const          stages = reinterpret_cast<TReal *>(sharedMemory);
  TReal * const          ring = stages + 2 * Pipe::Stage;
  const SharedAddress    stagesAt = SharedAddressOf(stages);
  constexpr int          bytes = sizeof(TReal);
  BulkCopies             bulk(stagesAt + (2 * Pipe::Stage + Pipe::Ring * Pipe::Batch) * bytes);

  const std::int64_t width = view.width;
  const std::int64_t beginX = std::int64_t{ blockIdx.x % view.tilesX } * VColumns;
  const int          lane = static_cast<int>(threadIdx.x);
  const int          warp = static_cast<int>(threadIdx.y) % warps;
  const bool         filtersRows = static_cast<int>(threadIdx.y) < warps;
  const int          column = warp * WarpSize + lane;
  const std::int64_t columns = (width - beginX + LineSegmentLength - 1) / LineSegmentLength * LineSegmentLength;

  const StripCopy<TReal, Pipe::Width, 2 * VColumns> stripCopy(
    static_cast<int>(threadIdx.y) * WarpSize + lane,
    beginX - Pipe::Margin,
    columns < VColumns ? static_cast<int>(columns) + 2 * Pipe::Margin : Pipe::Width,
    width,
    view.alongX,
    IsWide(input, width));
  BatchCursor<Pipe::Needed> ahead(view);
  BatchCursor<Pipe::Needed> cursor = ahead; // for the columns
  const auto                copy = [&](int stage) {
    if (ahead.IsValid(view))
    {
      stripCopy(bulk,
                stagesAt + stage * (Pipe::Stage * bytes),
                Pipe::StagePitch * bytes,
                input + ahead.Plane(),
                ahead.BeginY() - Pipe::Reach + ahead.Batch() * RowsOfBatch,
                view.height,
                view.alongY);
      ahead.Advance(view);
    }
  };

  const bool mine = (filtersRows ? beginX + warp * LineSegmentLength : beginX + column) < width;
  int        slot = 0;
  int        stage = 0;
  bool       hasRows = ahead.IsValid(view);
  bool       hasColumns = false;

  __syncthreads();
  copy(0);
  // Each step filters the rows of a batch and the columns of the segment whose last batch was finished in the previous
  // step.
  while (hasRows || hasColumns)
  {
    if (hasRows && stripCopy.IsBulk())
    {
      bulk.Wait();
      bulk.Release();
    }
    WaitForTile();
    const bool hasNext = ahead.IsValid(view);
    copy(1 - stage);
    if (filtersRows)
    {
      if (hasRows && mine)
      {
        TReal coefficients[LineSegmentLength];
        filter.template Run<TReal>(0,
                                   WideReader<TReal>(stages + stage * Pipe::Stage + lane * Pipe::StagePitch +
                                                     Pipe::Margin + warp * LineSegmentLength),
                                   [&coefficients](int k, TReal coefficient) { coefficients[k] = coefficient; });
        StoreRow(ring + slot * Pipe::Batch + lane * Pipe::Pitch + warp * LineSegmentLength, coefficients);
      }
    }
    else if (hasColumns)
    {
      const int segment = cursor.Batch() - Pipe::Needed + 1;
      if (segment >= 0 && mine)
      {
        const TReal * parts[Pipe::Needed];
        int           of = slot;
#pragma unroll
        for (int i = 0; i < Pipe::Needed; ++i)
        {
          of = of + 1 == Pipe::Ring ? 0 : of + 1; // the ring has one additional batch for the rows of this step
          parts[i] = ring + of * Pipe::Batch + column;
        }
        const std::int64_t first = cursor.BeginY() + segment * LineSegmentLength;
        FilterColumn(
          filter,
          [&parts](std::int64_t n) {
            const int row = static_cast<int>(n) + Pipe::Reach;
            return parts[row / RowsOfBatch][row % RowsOfBatch * Pipe::Pitch];
          },
          output + cursor.Plane() + first * width + beginX + column,
          width,
          view.height - first);
      }
      cursor.Advance(view);
    }
    slot = slot + 1 == Pipe::Ring ? 0 : slot + 1;
    stage = 1 - stage;
    hasColumns = hasRows;
    hasRows = hasNext;
  }
}

} // namespace itk::CudaSpline

#endif
