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
#ifndef ColumnRing_cuh
#define ColumnRing_cuh

#include "kernels/coefficients/lines/BatchCursor.cuh"
#include "kernels/coefficients/lines/LineTiles.cuh"

/** \file
 * \brief A kernel that filters the lines of a slower axis. A warp marches along 32 columns with a ring of batches in
 * shared memory. */

namespace itk::CudaSpline
{

/** \brief Sizes for ColumnRingKernel. */
template <typename TReal, typename TFilter, int VWarps>
struct ColumnRing
{
  static constexpr int Reach = TFilter::Reach;
  static constexpr int Needed = BatchesOfSegment(Reach); ///< batches that a segment needs
  static constexpr int Ring = Needed + 1;                ///< batches in the ring
  static constexpr int Batch = RowsOfBatch * WarpSize;   ///< elements of a batch
  static constexpr int Warps = VWarps;                   ///< warps of a block

  /** Bytes of shared memory of a block. */
  static constexpr std::size_t Bytes = std::size_t{ Warps * Ring * Batch } * sizeof(TReal);
  /** Number of blocks for which a multiprocessor should have registers. */
  static constexpr int Blocks = BlocksThatFit(Bytes, 24 / VWarps);
};

/** \brief Filters lines along a slower axis. A warp marches along 32 adjacent columns.
 *
 * The samples of a batch are copied while the previous segment is filtered, and they are read once. Warps do not wait
 * for each other.
 *
 * \param[in] partSegments number of segments of a line that a warp processes */
template <typename TReal, typename TFilter, int VWarps>
__global__ void
__launch_bounds__(WarpSize * VWarps, ColumnRing<TReal, TFilter, VWarps>::Blocks) ColumnRingKernel(const TReal * input,
                                                                                                  TReal *       output,
                                                                                                  AxisView      view,
                                                                                                  int partSegments,
                                                                                                  Extension extension,
                                                                                                  TFilter   filter)
{
  using March = ColumnRing<TReal, TFilter, VWarps>;
  extern __shared__ int4 sharedMemory[];
  const int              lane = static_cast<int>(threadIdx.x);
  const int              warp = static_cast<int>(threadIdx.y);
  TReal * const          ring = reinterpret_cast<TReal *>(sharedMemory) + warp * March::Ring * March::Batch;
  const SharedAddress    ringAt = SharedAddressOf(ring);

  constexpr int      blockColumns = WarpSize * March::Warps;
  const std::int64_t groups = (view.inner + blockColumns - 1) / blockColumns;
  const std::int64_t partLength = std::int64_t{ partSegments } * LineSegmentLength;
  const std::int64_t parts = (view.wanted + partLength - 1) / partLength;
  const std::int64_t block = blockIdx.x;
  const std::int64_t firstColumn = block % groups * blockColumns + warp * WarpSize;
  const std::int64_t partBegin = block / groups % parts * partLength;
  const std::int64_t plane = block / groups / parts;
  if (firstColumn >= view.inner)
  {
    return;
  }
  const int columns = view.inner - firstColumn < WarpSize ? static_cast<int>(view.inner - firstColumn) : WarpSize;
  const std::int64_t left = view.wanted - partBegin;
  const int          segments =
    static_cast<int>(((left < partLength ? left : partLength) + LineSegmentLength - 1) / LineSegmentLength);
  const int           batches = segments + March::Needed - 1;
  const int           neededRows = segments * LineSegmentLength + 2 * March::Reach;
  const TReal * const from = input + plane * view.length * view.inner + firstColumn;
  const std::int64_t  firstRow = view.offset + partBegin - March::Reach;

  // A row of a batch consists of 32 adjacent columns, which are copied by 8 or 16 lanes.
  const bool wide = columns == WarpSize && IsWide(input, view.inner);
  const auto copy = [&](int batch, SharedAddress to) {
    constexpr int      rowBytes = WarpSize * sizeof(TReal);
    constexpr int      lanesOfRow = WarpSize / WideCopy<TReal>;
    constexpr int      rowsTogether = WarpSize / lanesOfRow;
    const std::int64_t first = firstRow + std::int64_t{ batch } * RowsOfBatch;
    const int          rows = neededRows - batch * RowsOfBatch; // rows that the segments need
    const int          row = wide ? lane / lanesOfRow : 0;
    const int          at = wide ? lane % lanesOfRow * WideCopy<TReal> : lane;
    to += row * rowBytes + at * static_cast<int>(sizeof(TReal));
    if (wide && rows >= RowsOfBatch && first >= 0 && first + RowsOfBatch <= view.length)
    {
      const TReal * sample = from + (first + row) * view.inner + at;
#pragma unroll
      for (int i = 0; i < RowsOfBatch; i += rowsTogether, sample += rowsTogether * view.inner)
      {
        CopyBytes<WideCopyBytes>(to + i * rowBytes, sample);
      }
    }
    else if (wide)
    {
      for (int i = row; i < RowsOfBatch && i < rows; i += rowsTogether, to += rowsTogether * rowBytes)
      {
        CopyBytes<WideCopyBytes>(to, from + FoldIndex(first + i, view.length, extension) * view.inner + at);
      }
    }
    else if (lane < columns)
    {
      for (int i = 0; i < RowsOfBatch && i < rows; ++i, to += rowBytes)
      {
        CopyBytes<sizeof(TReal)>(to, from + FoldIndex(first + i, view.length, extension) * view.inner + at);
      }
    }
  };

  TReal *       to = output + (plane * view.wanted + partBegin) * view.inner + firstColumn + lane;
  const TReal * live[March::Needed]; // column of the lane in the current batches, the oldest first
  int           slot = 0;
  copy(0, ringAt);
  for (int batch = 0; batch < batches; ++batch)
  {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
#pragma unroll
    for (int i = 0; i + 1 < March::Needed; ++i)
    {
      live[i] = live[i + 1];
    }
    live[March::Needed - 1] = ring + slot * March::Batch + lane;
    slot = slot + 1 == March::Ring ? 0 : slot + 1;
    if (batch + 1 < batches)
    {
      copy(batch + 1, ringAt + slot * static_cast<int>(March::Batch * sizeof(TReal)));
    }
    const int segment = batch - March::Needed + 1;
    if (segment >= 0)
    {
      if (lane < columns)
      {
        FilterColumn(
          filter,
          [&live](std::int64_t n) {
            const int row = static_cast<int>(n) + March::Reach;
            return live[row / RowsOfBatch][row % RowsOfBatch * WarpSize];
          },
          to,
          view.inner,
          left - std::int64_t{ segment } * LineSegmentLength);
      }
      to += LineSegmentLength * view.inner;
    }
  }
}

} // namespace itk::CudaSpline

#endif
