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
#ifndef StripCopy_cuh
#define StripCopy_cuh

#include "itkCudaSpline/math/Extension.h"

#include "kernels/coefficients/lines/BatchCursor.cuh"
#include "kernels/common/TileCopy.cuh"

/** \file
 * \brief Copies of batches of rows from a strip of columns into shared memory. */

namespace itk::CudaSpline
{

/** \brief Copies batches of RowsOfBatch rows, including the samples on both sides of a strip of columns and the
 * extension beyond the ends of a row.
 *
 * The part of a row within the image is copied with BulkCopies if the device supports it. Otherwise, eight or more
 * threads copy a row, so that a thread needs one address per row and pieces of 128 bytes are copied at once. These
 * threads also copy the extension of the rows. Everything that is the same for all rows is computed once.
 *
 * \tparam TReal float or double
 * \tparam VWidth elements of a row with both margins, a multiple of a wide copy
 * \tparam VThreads threads of the block, which all take part: a power of 2, at least 64 */
template <typename TReal, int VWidth, int VThreads>
class StripCopy
{
public:
  /** \param[in] thread index of this thread in the block
   * \param[in] first first sample of a row to copy, a multiple of wide copies; may be negative
   * \param[in] count number of elements that are needed, at most VWidth
   * \param[in] length samples of a row
   * \param[in] extension extension of the rows
   * \param[in] isWide IsWide() of the rows */
  __device__ __forceinline__
  StripCopy(int thread, std::int64_t first, int count, std::int64_t length, Extension extension, bool isWide)
    : m_First(first)
    , m_Length(length)
    , m_Extension(extension)
    , m_Thread(thread)
    , m_Lane(thread % Together)
    , m_Row(thread / Together)
  {
    const std::int64_t within = length - first; // elements from the first one to the end of a row
    const int          begin = !isWide ? 0 : (first < 0 ? static_cast<int>(-first < count ? -first : count) : 0);
    int                end = !isWide ? 0 : static_cast<int>(within < count ? within : count);
    end = end > begin ? end : begin;
    m_Left = begin;
    m_Gap = end - begin;
    m_Edges = count - m_Gap;
    m_Pieces = 0;
#pragma unroll
    for (int i = 0; i < Pieces; ++i)
    {
      const int at = (m_Lane + i * Together) * WideCopy<TReal>;
      m_Pieces |= at >= begin && at < end ? 1U << i : 0U;
    }
    m_Pieces = Kept(m_Pieces);
    m_Bulk = BulkCopies::IsThere && isWide;
#pragma unroll
    for (int i = 0; i < Known; ++i)
    {
      m_From[i] = this->From(m_Lane + i * Together);
    }
  }

  /** Whether BulkCopies::Wait() has to be called as well. */
  __device__ __forceinline__ bool
  IsBulk() const
  {
    return m_Bulk;
  }

  /** Starts the copies of a batch.
   *
   * \param[in] bulk copies the rows without their extension if IsBulk()
   * \param[in] to shared memory for the first row
   * \param[in] pitch distance of the rows there, in bytes
   * \param[in] plane first element of the plane
   * \param[in] firstRow first row to copy, which may be negative
   * \param[in] height rows of the plane */
  __device__ __forceinline__ void
  operator()(const BulkCopies & bulk,
             SharedAddress      to,
             int                pitch,
             const TReal *      plane,
             std::int64_t       firstRow,
             std::int64_t       height,
             Extension          extension) const
  {
    const bool inside = firstRow >= 0 && firstRow + RowsOfBatch <= height;
    if (m_Bulk)
    {
      // The copies of a warp are started one after the other; each warp has only a few.
      constexpr int      rowsOfWarp = RowsOfBatch * WarpSize / VThreads;
      const unsigned int bytes = m_Gap * sizeof(TReal);
      if (m_Thread == 0)
      {
        bulk.Expect(RowsOfBatch * bytes);
      }
      const int lane = m_Thread % WarpSize;
      if (lane < rowsOfWarp && m_Gap > 0)
      {
        const int          row = m_Thread / WarpSize * rowsOfWarp + lane;
        const std::int64_t n = inside ? firstRow + row : FoldIndex(firstRow + row, height, extension);
        bulk.Copy(to + row * pitch + m_Left * static_cast<int>(sizeof(TReal)),
                  plane + n * m_Length + (m_First + m_Left),
                  bytes);
      }
    }
    if (m_Bulk && m_Edges == 0)
    {
      return;
    }
#pragma unroll
    for (int i = 0; i < RowsOfBatch; i += RowsTogether)
    {
      const int          row = m_Row + i;
      const std::int64_t n = inside ? firstRow + row : FoldIndex(firstRow + row, height, extension);
      this->CopyRow(to + row * pitch, plane + n * m_Length);
    }
  }

private:
  static constexpr int Together = VThreads > 8 * RowsOfBatch ? VThreads / RowsOfBatch : 8; ///< threads for each row
  static constexpr int RowsTogether = VThreads / Together;
  static constexpr int Pieces = (VWidth / WideCopy<TReal> + Together - 1) / Together; ///< wide copies of a thread
  static_assert(RowsOfBatch % RowsTogether == 0 && Pieces <= 32,
                "Threads copy whole rows, whose pieces have a bit each.");
  static constexpr int Known = 4; ///< number of elements beyond the ends for which a thread stores the sample indices

  /** The index in the copied row of element \p edge beyond its ends. */
  __device__ __forceinline__ int
  At(int edge) const
  {
    return edge < m_Left ? edge : edge + m_Gap;
  }

  /** The index of the sample in the row for At(edge). */
  __device__ __forceinline__ int
  From(int edge) const
  {
    return edge < m_Edges ? static_cast<int>(FoldIndex(m_First + this->At(edge), m_Length, m_Extension)) : 0;
  }

  __device__ __forceinline__ void
  CopyRow(SharedAddress to, const TReal * row) const
  {
    constexpr int bytes = sizeof(TReal);
    if (!m_Bulk)
    {
      const SharedAddress wideTo = to + m_Lane * WideCopyBytes;
      const char * const  wideFrom = Kept(reinterpret_cast<const char *>(row + m_First) + m_Lane * WideCopyBytes);
#pragma unroll
      for (int i = 0; i < Pieces; ++i)
      {
        if (m_Pieces >> i & 1U)
        {
          CopyBytes<WideCopyBytes>(wideTo + i * Together * WideCopyBytes, wideFrom + i * Together * WideCopyBytes);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < Known; ++i)
    {
      if (i * Together >= m_Edges)
      {
        return;
      }
      const int edge = m_Lane + i * Together;
      if (edge < m_Edges)
      {
        CopyBytes<bytes>(to + this->At(edge) * bytes, row + m_From[i]);
      }
    }
    for (int edge = m_Lane + Known * Together; edge < m_Edges; edge += Together)
    {
      CopyBytes<bytes>(to + this->At(edge) * bytes, row + this->From(edge));
    }
  }

  std::int64_t m_First;
  std::int64_t m_Length;
  Extension    m_Extension;
  int          m_Thread; ///< index of this thread
  int          m_Lane;   ///< index among the threads of a row
  int          m_Row;    ///< index among the rows that are copied together
  int          m_Left;   ///< elements before the first sample of the row
  int          m_Gap;    ///< elements that are copied with wide copies
  int          m_Edges;  ///< elements before and after them
  unsigned int m_Pieces; ///< bits of the wide copies that are inside the row
  int          m_From[Known];
  bool         m_Bulk; ///< rows are copied with BulkCopies
};

} // namespace itk::CudaSpline

#endif
