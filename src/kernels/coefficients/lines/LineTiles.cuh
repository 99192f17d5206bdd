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
#ifndef LineTiles_cuh
#define LineTiles_cuh

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/SegmentFilter.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/common/TileCopy.cuh"

/** \file
 * \brief Kernels that filter the lines of an axis. A block copies a tile of lines into shared memory, including the
 * samples that the segments need beyond the tile. A warp filters one segment of 32 lines, and each lane filters one
 * line.
 *
 * All copies of a tile are in flight at the same time and need no registers, so a few blocks saturate the memory. The
 * samples beyond the ends of a tile are in the second-level cache. */

namespace itk::CudaSpline
{

/** \brief Segments of a tile. Tiles of doubles are half as long to fit into the shared memory of every device. */
template <typename TReal>
constexpr int TileSegments = sizeof(TReal) == 4 ? 4 : 2;

/** \brief Samples of a line in a tile, without those beyond its ends. */
template <typename TReal>
constexpr int TileLength = LineSegmentLength * TileSegments<TReal>;

/** \brief The reach of a filter, rounded up so that tiles begin at multiples of wide copies. */
template <typename TReal>
__host__ __device__ constexpr int
TileMargin(int reach)
{
  return (reach + WideCopy<TReal> - 1) / WideCopy<TReal> * WideCopy<TReal>;
}

/** \brief Distance of rows with the given number of elements. It is an odd number of wide copies, so that the rows of
 * the eight lanes that read together are in different banks. */
template <typename TReal>
__host__ __device__ constexpr int
OddPitch(int width)
{
  return (width / WideCopy<TReal> | 1) * WideCopy<TReal>;
}

/** \brief Distance of the rows of a tile, in elements. */
template <typename TReal>
__host__ __device__ constexpr int
RowPitch(int reach)
{
  return OddPitch<TReal>(TileLength<TReal> + 2 * TileMargin<TReal>(reach));
}

/** \brief Bytes of shared memory of RowTileKernel. */
template <typename TReal>
constexpr std::size_t
RowTileBytes(int reach)
{
  return std::size_t{ WarpSize } * RowPitch<TReal>(reach) * sizeof(TReal);
}

/** \brief Bytes of shared memory of ColumnTileKernel. */
template <typename TReal>
constexpr std::size_t
ColumnTileBytes(int reach)
{
  return std::size_t{ WarpSize } * (TileLength<TReal> + 2 * reach) * sizeof(TReal);
}

/** \brief Copies the same range of samples for many rows, each row with one warp. Beyond the ends of a row, samples are
 * copied according to the extension. Everything that is the same for all rows is computed once. */
template <typename TReal>
class RowCopy
{
public:
  /** \param[in] first first sample, which may be negative
   * \param[in] count number of samples; \p first and \p count are multiples of wide copies if \p isWide
   * \param[in] length samples of a row
   * \param[in] extension extension of the rows
   * \param[in] isWide IsWide() of the rows */
  __device__ __forceinline__
  RowCopy(std::int64_t first, int count, std::int64_t length, Extension extension, bool isWide)
    : m_First(first)
    , m_Count(count)
    , m_Length(length)
    , m_Extension(extension)
  {
    m_Begin = first < 0 ? (-first < count ? static_cast<int>(-first) : count) : 0;
    m_End = length - first < count ? (length - first > m_Begin ? static_cast<int>(length - first) : m_Begin) : count;
    if (!isWide)
    {
      m_Begin = m_End = count; // all elements are copied one by one
    }
    const int lane = static_cast<int>(threadIdx.x);
    m_EdgeAt = lane < m_Begin ? lane : lane - m_Begin + m_End;
    m_EdgeFrom = lane < this->Edges() ? FoldIndex(first + m_EdgeAt, length, extension) : 0;
  }

  /** Starts the copies of a row.
   *
   * \param[in] to shared memory for the elements
   * \param[in] row first element of the row */
  __device__ __forceinline__ void
  operator()(SharedAddress to, const TReal * row) const
  {
    constexpr int       bytes = sizeof(TReal);
    const int           lane = static_cast<int>(threadIdx.x);
    const TReal * const from = row + m_First;
    for (int i = m_Begin + lane * WideCopy<TReal>; i < m_End; i += WarpSize * WideCopy<TReal>)
    {
      CopyBytes<WideCopyBytes>(to + i * bytes, from + i);
    }
    // Elements beyond the ends of a row are copied one by one. A margin is usually not longer than a warp.
    if (lane < this->Edges())
    {
      CopyBytes<bytes>(to + m_EdgeAt * bytes, row + m_EdgeFrom);
    }
    for (int i = lane + WarpSize; i < this->Edges(); i += WarpSize)
    {
      const int at = i < m_Begin ? i : i - m_Begin + m_End;
      CopyBytes<bytes>(to + at * bytes, row + FoldIndex(m_First + at, m_Length, m_Extension));
    }
  }

private:
  __device__ __forceinline__ int
  Edges() const
  {
    return m_Begin + m_Count - m_End;
  }

  std::int64_t m_First;
  int          m_Count;
  std::int64_t m_Length;
  Extension    m_Extension;
  int          m_Begin; ///< begin of the part within the row
  int          m_End;
  int          m_EdgeAt; ///< for this lane: element beyond the row, and the sample for it
  std::int64_t m_EdgeFrom;
};

/** \brief Copies a tile of 32 rows into shared memory, starting \p margin samples before coefficient \p tileBegin. The
 * rows are extended beyond their ends. */
template <typename TReal>
__device__ __forceinline__ void
CopyRows(const TReal *    input,
         SharedAddress    tile,
         int              pitch,
         int              margin,
         std::int64_t     firstRow,
         std::int64_t     tileBegin,
         const AxisView & view,
         Extension        extension)
{
  const int            width = TileLength<TReal> + 2 * margin;
  const std::int64_t   first = view.offset + tileBegin - margin;
  const bool           wide = IsWide(input, view.length) && first % WideCopy<TReal> == 0;
  const RowCopy<TReal> copy(first, width, view.length, extension, wide);
  for (int row = static_cast<int>(threadIdx.y); row < WarpSize; row += TileSegments<TReal>)
  {
    if (firstRow + row >= view.outer)
    {
      break;
    }
    copy(tile + row * pitch * static_cast<int>(sizeof(TReal)), input + (firstRow + row) * view.length);
  }
}

/** \brief Writes the coefficients of a segment to a row in shared memory with wide stores. */
template <typename TReal>
__device__ __forceinline__ void
StoreRow(TReal * line, const TReal (&coefficients)[LineSegmentLength])
{
#pragma unroll
  for (int k = 0; k < LineSegmentLength; k += WideCopy<TReal>)
  {
    int4 bits;
    memcpy(&bits, coefficients + k, WideCopyBytes);
    *reinterpret_cast<int4 *>(line + k) = bits;
  }
}

/** \brief Filters the segment of a thread in a tile of rows, and replaces the samples by the coefficients.
 *
 * All threads of the block need to call it. All threads read the samples of adjacent segments before any thread
 * writes. */
template <typename TReal, typename TFilter>
__device__ __forceinline__ void
FilterRowOfTile(const TFilter & filter, TReal * line, bool mine)
{
  TReal coefficients[LineSegmentLength];
  if (mine)
  {
    const auto store = [&coefficients](int k, TReal coefficient) { coefficients[k] = coefficient; };
    if constexpr (TFilter::IsUnrolled)
    {
      filter.template Run<TReal>(0, WideReader<TReal>(line), store);
    }
    else
    {
      filter.template Run<TReal>(
        0, [line](std::int64_t n) { return line[n]; }, store);
    }
  }
  __syncthreads();
  if (mine)
  {
    StoreRow(line, coefficients);
  }
  __syncthreads();
}

/** \brief Filters a segment of a column and writes it to global memory.
 *
 * \param[in] load function that returns sample n of the segment, where n may be negative
 * \param[out] to first coefficient
 * \param[in] stride distance of the coefficients in elements
 * \param[in] count number of coefficients to write, starting with the first one */
template <typename TReal, typename TFilter, typename TLoad>
__device__ __forceinline__ void
FilterColumn(const TFilter & filter, TLoad && load, TReal * to, std::int64_t stride, std::int64_t count)
{
  if (count >= LineSegmentLength)
  {
    // Coefficients are computed one after the other, for a recursion in reverse order. Each address is computed from
    // the previous one, because all addresses at once would need too many registers.
    constexpr bool     fromLast = IsRecursive<TFilter>;
    const std::int64_t step = fromLast ? -stride : stride;
    TReal *            at = fromLast ? to + (LineSegmentLength - 1) * stride : to;
    filter.template Run<TReal>(0, load, [&at, step](int, TReal coefficient) {
      *at = coefficient;
      at += step;
    });
  }
  else
  {
    const int rows = static_cast<int>(count);
    filter.template Run<TReal>(0, load, [to, stride, rows](int k, TReal coefficient) {
      if (k < rows)
      {
        to[k * stride] = coefficient;
      }
    });
  }
}

/** \brief Filters lines along the fastest axis. A block processes 32 rows, so that global memory is read and written
 * along the rows. */
template <typename TReal, typename TFilter>
__global__ void
__launch_bounds__(WarpSize * TileSegments<TReal>)
  RowTileKernel(const TReal * input, TReal * output, AxisView view, Extension extension, TFilter filter)
{
  extern __shared__ int4 sharedMemory[];
  TReal * const          tile = reinterpret_cast<TReal *>(sharedMemory);
  const int              margin = TileMargin<TReal>(filter.GetReach());
  const int              pitch = RowPitch<TReal>(filter.GetReach());

  const std::int64_t tiles = (view.wanted + TileLength<TReal> - 1) / TileLength<TReal>;
  const std::int64_t tileBegin = std::int64_t{ blockIdx.x } % tiles * TileLength<TReal>;
  const std::int64_t firstRow = std::int64_t{ blockIdx.x } / tiles * WarpSize;
  const int          lane = static_cast<int>(threadIdx.x);

  CopyRows(input, SharedAddressOf(tile), pitch, margin, firstRow, tileBegin, view, extension);
  WaitForTile();
  const int segment = static_cast<int>(threadIdx.y) * LineSegmentLength;
  FilterRowOfTile(
    filter, tile + lane * pitch + margin + segment, firstRow + lane < view.outer && tileBegin + segment < view.wanted);

  const bool wide = IsWide(output, view.wanted) && tileBegin + TileLength<TReal> <= view.wanted;
  for (int row = static_cast<int>(threadIdx.y); row < WarpSize && firstRow + row < view.outer;
       row += TileSegments<TReal>)
  {
    const TReal * const from = tile + row * pitch + margin;
    TReal * const       to = output + (firstRow + row) * view.wanted + tileBegin;
    if (wide)
    {
      for (int i = lane * WideCopy<TReal>; i < TileLength<TReal>; i += WarpSize * WideCopy<TReal>)
      {
        *reinterpret_cast<int4 *>(to + i) = *reinterpret_cast<const int4 *>(from + i);
      }
    }
    else
    {
      for (int i = lane; i < TileLength<TReal> && tileBegin + i < view.wanted; i += WarpSize)
      {
        to[i] = from[i];
      }
    }
  }
}

/** \brief Filters lines along a slower axis. A block processes 32 columns that are adjacent in memory. */
template <typename TReal, typename TFilter>
__global__ void
__launch_bounds__(WarpSize * TileSegments<TReal>)
  ColumnTileKernel(const TReal * input, TReal * output, AxisView view, Extension extension, TFilter filter)
{
  extern __shared__ int4 sharedMemory[];
  TReal * const          tile = reinterpret_cast<TReal *>(sharedMemory);
  const SharedAddress    tileAt = SharedAddressOf(tile);
  const int              reach = filter.GetReach();

  const std::int64_t  tiles = (view.wanted + TileLength<TReal> - 1) / TileLength<TReal>;
  const std::int64_t  laneGroups = (view.inner + WarpSize - 1) / WarpSize;
  const std::int64_t  block = blockIdx.x;
  const std::int64_t  firstColumn = block % laneGroups * WarpSize;
  const std::int64_t  tileBegin = block / laneGroups % tiles * TileLength<TReal>;
  const std::int64_t  plane = block / laneGroups / tiles;
  const TReal * const planeOfInput = input + plane * view.length * view.inner + firstColumn;
  const int           lane = static_cast<int>(threadIdx.x);
  const int           warp = static_cast<int>(threadIdx.y);
  const int columns = view.inner - firstColumn < WarpSize ? static_cast<int>(view.inner - firstColumn) : WarpSize;

  // A row of the tile consists of 32 adjacent columns, which are copied by 8 or 16 lanes.
  const int  height = TileLength<TReal> + 2 * reach;
  const bool wide = IsWide(input, view.inner) && columns == WarpSize;
  const int  lanesOfRow = wide ? WarpSize / WideCopy<TReal> : WarpSize;
  const int  rowsTogether = WarpSize / lanesOfRow;
  const int  at = lane % lanesOfRow * (wide ? WideCopy<TReal> : 1);
  for (int row = warp * rowsTogether + lane / lanesOfRow; row < height; row += TileSegments<TReal> * rowsTogether)
  {
    const std::int64_t  n = FoldIndex(view.offset + tileBegin - reach + row, view.length, extension);
    const TReal * const from = planeOfInput + n * view.inner;
    const SharedAddress to = tileAt + (row * WarpSize + at) * static_cast<int>(sizeof(TReal));
    if (wide)
    {
      CopyBytes<WideCopyBytes>(to, from + at);
    }
    else if (lane < columns)
    {
      CopyBytes<sizeof(TReal)>(to, from + at);
    }
  }
  WaitForTile();

  const std::int64_t begin = tileBegin + warp * LineSegmentLength;
  if (lane >= columns || begin >= view.wanted)
  {
    return;
  }
  const TReal * const line = tile + (warp * LineSegmentLength + reach) * WarpSize + lane;
  TReal * const       to = output + (plane * view.wanted + begin) * view.inner + firstColumn + lane;
  FilterColumn(
    filter,
    [line](std::int64_t n) { return line[static_cast<int>(n) * WarpSize]; },
    to,
    view.inner,
    view.wanted - begin);
}

} // namespace itk::CudaSpline

#endif
