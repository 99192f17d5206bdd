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
#ifndef LocalMarch_cuh
#define LocalMarch_cuh

#include "kernels/common/TileCopy.cuh"
#include "kernels/metrics/local_correlation/LocalCentre.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Window sums on a device: what a block does of a slice, and with its ring of slices.
 *
 * What is summed says a class of terms: with \c Pixel the type and \c Inputs the number of the arrays that are read,
 * \c Sums how many numbers of a sample are summed, and
 *
 *     using Line = double;                                 // type of the sums along x in shared memory
 *     const Pixel * Address(int input, std::int64_t offset); // of a value
 *     Pixel Outside(int input);                            // value outside of the grid and of masks
 *     bool IsValid(std::int64_t offset);                   // where there are masks
 *     double Number(int number, const Pixel (&values)[Inputs]); // 0 outside */

namespace itk::CudaSpline
{

namespace
{

constexpr int LocalColumns = 32; // of a tile along x: a warp
constexpr int MaxLocalThreads = 512;
/** Samples along x whose windows a thread sums at once. Few of narrow windows, so that more threads of a block have
 * some; neighbours share most of wide ones. */
constexpr int
LocalGroup(int radius)
{
  return radius == 2 ? 2 : 4;
}
constexpr int LineStride = 40;              // numbers between rows of sums: neighbours begin in other banks
constexpr int MaxCompiledColumns = 1 << 26; // of a grid: kernels of a compiled radius have offsets in rows in 32 bits
constexpr int MaxLocalRows = 8;             // samples along y whose windows a thread sums at once

/** How the grid is cut. Passed by value. */
struct LocalBlocks
{
  int size[3];
  int radius[3];
  int rows;   ///< of a tile
  int slices; ///< that a block evaluates
  int tiles[2];
};

/** Bytes of the shared memory of a block, and where in it what is. */
struct LocalSpace
{
  __host__ __device__
  LocalSpace(const LocalBlocks & blocks,
             int                 numbersOfWindow,
             int                 inputsOfWindow,
             bool                hasMask,
             std::size_t         bytesOfPixel,
             std::size_t         bytesOfLine)
    : numbers(numbersOfWindow)
    , inputs(inputsOfWindow)
    , isMasked(hasMask)
    , slots(2 * blocks.radius[2] + 1)
    , plane(blocks.rows * LocalColumns)
    , lines(blocks.rows + 2 * blocks.radius[1])
    , width(LocalColumns + 2 * blocks.radius[0])
    // 1 more than a multiple of 4: what the groups of four rows read lies in other banks then.
    , stride((width + 3) / 4 * 4 + 1)
    , pixelBytes(bytesOfPixel)
    , lineBytes(bytesOfLine)
  {}

  __host__ __device__ std::size_t
                      LinesAt() const
  {
    return static_cast<std::size_t>(slots) * numbers * plane * sizeof(double);
  }
  __host__ __device__ std::size_t
                      TileAt() const
  {
    return LinesAt() + static_cast<std::size_t>(numbers) * lines * LineStride * lineBytes;
  }
  __host__ __device__ std::size_t
                      InsideAt() const
  {
    return TileAt() + static_cast<std::size_t>(inputs) * lines * stride * pixelBytes;
  }
  /** With a byte for each pixel where there are masks. */
  __host__ __device__ std::size_t
                      Bytes() const
  {
    return InsideAt() + (isMasked ? static_cast<std::size_t>(lines) * stride : 0);
  }

  int         numbers; ///< that are summed
  int         inputs;  ///< arrays that are read
  bool        isMasked;
  int         slots;  ///< of the ring
  int         plane;  ///< columns
  int         lines;  ///< rows that windows reach
  int         width;  ///< samples of such a row
  int         stride; ///< between rows of pixels
  std::size_t pixelBytes;
  std::size_t lineBytes; ///< of a sum along x
};

/** Sums of 2 VRadius + 1 neighbours each, by their blocks of that length. All loops are unrolled. */
template <int VRadius, int VCount, typename TReal>
__device__ __forceinline__ void
SumWindows(const TReal (&values)[VCount + 2 * VRadius], TReal (&sums)[VCount])
{
  constexpr int window = 2 * VRadius + 1;
  TReal         ends[VCount];
#pragma unroll
  for (int i = VCount - 1; i >= 0; --i)
  {
    if (i + 1 < VCount && (i + 1) % window != 0)
    {
      ends[i] = values[i] + ends[i + 1];
    }
    else
    {
      ends[i] = values[i];
      const int last = i / window * window + window - 1;
#pragma unroll
      for (int k = 1; k < window; ++k)
      {
        if (i + k <= last)
        {
          ends[i] += values[i + k];
        }
      }
    }
  }
  TReal begun = TReal(0);
#pragma unroll
  for (int i = 0; i < VCount; ++i)
  {
    if (i % window == 0)
    {
      sums[i] = ends[i];
      begun = TReal(0);
    }
    else
    {
      begun += values[i + window - 1];
      sums[i] = ends[i] + begun;
    }
  }
}

/** The sample along x of a lane: groups of LocalGroup() lie apart, so that their writers are neighbours in the banks.
 */
template <int VRadius>
__device__ __forceinline__ int
ColumnOfLane(int lane)
{
  constexpr int group = LocalGroup(VRadius);
  constexpr int groups = LocalColumns / group;
  return lane % groups * group + lane / groups;
}

/** What local correlation sums: products of the pixels of two images. */
template <bool VRounds, typename TPixel>
struct PairTerms
{
  using Pixel = TPixel;
  using Line = double;
  static constexpr int Inputs = 2;
  static constexpr int Sums = WindowSums;

  const LocalCentre<TPixel> & centre;

  __device__ __forceinline__ const TPixel *
  Address(int input, std::int64_t offset) const
  {
    return (input == 0 ? centre.fixed : centre.moving) + offset;
  }
  __device__ __forceinline__ bool
  IsValid(std::int64_t offset) const
  {
    return centre.IsValid(offset);
  }
  __device__ __forceinline__ static TPixel
  Outside(int)
  {
    return TPixel(0);
  }
  __device__ __forceinline__ static double
  Number(int number, const TPixel (&values)[Inputs])
  {
    return WindowNumberOf<WindowProduct<VRounds>>(number, values[0], values[1]);
  }
};

/** Copies the values of slices that the windows of a tile reach. What a
 * thread copies, and where to, is the same for all slices.
 *
 * \tparam VItems values of a thread whose offsets are in registers, for a compiled radius */
template <bool VMasked, int VRadius, int VItems>
class TileCopies
{
public:
  __device__ __forceinline__
  TileCopies(const LocalBlocks & blocks, const LocalSpace & space, int firstX, int firstY)
    : m_First{ firstX, firstY }
  {
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      this->Find(blocks, space, static_cast<int>(threadIdx.x + k * blockDim.x), m_From[k], m_To[k]);
    }
  }

  /** Starts the copies of a slice of the grid. */
  template <typename TTerms>
  __device__ __forceinline__ void
  Run(const TTerms &           terms,
      const LocalBlocks &      blocks,
      const LocalSpace &       space,
      int                      z,
      typename TTerms::Pixel * tile,
      std::uint8_t *           inside) const
  {
    const std::int64_t corner = (std::int64_t{ z } * blocks.size[1] + m_First[1]) * blocks.size[0] + m_First[0];
    const int          count = space.lines * space.width;
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      if (m_To[k] >= 0)
      {
        this->Copy(terms, space, corner, m_From[k], m_To[k], tile, inside);
      }
    }
    for (int i = static_cast<int>(threadIdx.x + Items * blockDim.x); i < count; i += static_cast<int>(blockDim.x))
    {
      Offset from = 0;
      int    to = 0;
      this->Find(blocks, space, i, from, to);
      this->Copy(terms, space, corner, from, to, tile, inside);
    }
  }

private:
  static constexpr bool IsCompiled = VRadius >= 0;
  static constexpr int  Items = IsCompiled ? VItems : 0;
  using Offset = std::conditional_t<IsCompiled, int, std::int64_t>;

  /** \param[out] from offset from the corner of the tile; negative: outside of the grid
   * \param[out] to offset in the tile; negative: there is no such item */
  __device__ __forceinline__ void
  Find(const LocalBlocks & blocks, const LocalSpace & space, int item, Offset & from, int & to) const
  {
    const int  width = IsCompiled ? LocalColumns + 2 * VRadius : space.width;
    const int  row = item / width;
    const int  column = item - row * width;
    const int  x = m_First[0] + column;
    const int  y = m_First[1] + row;
    const bool isThere = x >= 0 && x < blocks.size[0] && y >= 0 && y < blocks.size[1];
    from = isThere ? Offset{ row } * blocks.size[0] + column : -1;
    to = row < space.lines ? row * space.stride + column : -1;
  }

  template <typename TTerms>
  __device__ __forceinline__ static void
  Copy(const TTerms &           terms,
       const LocalSpace &       space,
       std::int64_t             corner,
       Offset                   from,
       int                      to,
       typename TTerms::Pixel * tile,
       std::uint8_t *           inside)
  {
    const int ofInput = space.lines * space.stride;
    if constexpr (VMasked)
    {
      const bool counts = from >= 0 && terms.IsValid(corner + from);
      inside[to] = counts ? 1 : 0;
#pragma unroll
      for (int n = 0; n < TTerms::Inputs; ++n)
      {
        tile[to + n * ofInput] = counts ? terms.Address(n, corner)[from] : terms.Outside(n);
      }
    }
    else
    {
#pragma unroll
      for (int n = 0; n < TTerms::Inputs; ++n)
      {
        if (from >= 0)
        {
          CopyElement(tile + to + n * ofInput, terms.Address(n, corner) + from);
        }
        else
        {
          tile[to + n * ofInput] = terms.Outside(n);
        }
      }
    }
  }

  int    m_First[2]; // sample of the first value along x and y
  Offset m_From[Items > 0 ? Items : 1];
  int    m_To[Items > 0 ? Items : 1];
};

/** Sums along x: a thread computes the windows of some neighbours, or of one for radii without a compiled kernel. Where
 * few threads would have some, and each number is that of an input, a thread computes one number, in the type of the
 * sums. */
template <bool VMasked, int VRadius, typename TTerms>
__device__ __forceinline__ void
SumAlongX(const TTerms &                 terms,
          const LocalBlocks &            blocks,
          const LocalSpace &             space,
          const typename TTerms::Pixel * tile,
          const std::uint8_t *           inside,
          typename TTerms::Line *        lines)
{
  using Pixel = typename TTerms::Pixel;
  using Line = typename TTerms::Line;
  constexpr int  inputs = TTerms::Inputs;
  constexpr bool isSplit = VRadius > 2 && inputs == TTerms::Sums && !VMasked;
  const int      ofInput = space.lines * space.stride;
  const int      ofNumber = space.lines * LineStride;
  if constexpr (isSplit)
  {
    constexpr int ofGroup = LocalGroup(VRadius);
    constexpr int groups = LocalColumns / ofGroup;
    constexpr int reach = ofGroup + 2 * VRadius;
    const int     items = space.lines * groups;
    int           number = 0;
    int           item = static_cast<int>(threadIdx.x);
    for (; item >= items; item -= items)
    {
      ++number;
    }
    while (number < TTerms::Sums)
    {
      const int           row = item / groups;
      const int           group = item % groups;
      const Pixel * const from = tile + number * ofInput + row * space.stride + group * ofGroup;
      Line * const        to = lines + number * ofNumber + row * LineStride + group;
      Line                values[reach];
      Line                sums[ofGroup];
#pragma unroll
      for (int k = 0; k < reach; ++k)
      {
        values[k] = static_cast<Line>(from[k]);
      }
      SumWindows<VRadius, ofGroup>(values, sums);
#pragma unroll
      for (int k = 0; k < ofGroup; ++k)
      {
        to[k * groups] = sums[k];
      }
      for (item += static_cast<int>(blockDim.x); item >= items; item -= items)
      {
        ++number;
      }
    }
  }
  else if constexpr (VRadius >= 0)
  {
    constexpr int ofGroup = LocalGroup(VRadius);
    constexpr int groups = LocalColumns / ofGroup;
    constexpr int reach = ofGroup + 2 * VRadius;
    for (int i = static_cast<int>(threadIdx.x); i < space.lines * groups; i += static_cast<int>(blockDim.x))
    {
      const int           row = i / groups;
      const int           group = i % groups;
      const Pixel * const from = tile + row * space.stride + group * ofGroup;
      Line * const        to = lines + row * LineStride + group;
      Pixel               pixels[reach][inputs];
#pragma unroll
      for (int k = 0; k < reach; ++k)
      {
#pragma unroll
        for (int n = 0; n < inputs; ++n)
        {
          pixels[k][n] = from[k + n * ofInput];
        }
      }
#pragma unroll
      for (int n = 0; n < TTerms::Sums; ++n)
      {
        double values[reach];
        double sums[ofGroup];
#pragma unroll
        for (int k = 0; k < reach; ++k)
        {
          values[k] = terms.Number(n, pixels[k]);
        }
        SumWindows<VRadius, ofGroup>(values, sums);
#pragma unroll
        for (int k = 0; k < ofGroup; ++k)
        {
          to[n * ofNumber + k * groups] = static_cast<Line>(sums[k]);
        }
      }
      if constexpr (VMasked)
      {
        const std::uint8_t * const counted = inside + row * space.stride + group * ofGroup;
        double                     values[reach];
        double                     sums[ofGroup];
#pragma unroll
        for (int k = 0; k < reach; ++k)
        {
          values[k] = static_cast<double>(counted[k]);
        }
        SumWindows<VRadius, ofGroup>(values, sums);
#pragma unroll
        for (int k = 0; k < ofGroup; ++k)
        {
          to[TTerms::Sums * ofNumber + k * groups] = static_cast<Line>(sums[k]);
        }
      }
    }
  }
  else
  {
    for (int i = static_cast<int>(threadIdx.x); i < space.lines * LocalColumns; i += static_cast<int>(blockDim.x))
    {
      const int row = i / LocalColumns;
      const int lane = i % LocalColumns;
      const int from = row * space.stride + ColumnOfLane<VRadius>(lane);
      double    sums[TTerms::Sums] = {};
      int       count = 0;
      for (int k = from; k <= from + 2 * blocks.radius[0]; ++k)
      {
        Pixel pixels[inputs];
#pragma unroll
        for (int n = 0; n < inputs; ++n)
        {
          pixels[n] = tile[k + n * ofInput];
        }
#pragma unroll
        for (int n = 0; n < TTerms::Sums; ++n)
        {
          sums[n] += terms.Number(n, pixels);
        }
        if constexpr (VMasked)
        {
          count += inside[k];
        }
      }
      Line * const to = lines + row * LineStride + lane;
#pragma unroll
      for (int n = 0; n < TTerms::Sums; ++n)
      {
        to[n * ofNumber] = static_cast<Line>(sums[n]);
      }
      if constexpr (VMasked)
      {
        to[TTerms::Sums * ofNumber] = static_cast<Line>(count);
      }
    }
  }
}

/** Sums of those sums along y, to a slot of the ring. */
template <int VNumbers, int VRadius, typename TLine>
__device__ __forceinline__ void
SumAlongY(const LocalBlocks & blocks, const LocalSpace & space, const TLine * lines, double * slot)
{
  const int ofNumber = space.lines * LineStride;
  if constexpr (VRadius >= 0)
  {
    const int parts = blocks.rows / MaxLocalRows; // where a radius is compiled for, tiles are such
    for (int i = static_cast<int>(threadIdx.x); i < parts * VNumbers * LocalColumns; i += static_cast<int>(blockDim.x))
    {
      const int           lane = i % LocalColumns;
      const int           number = i / LocalColumns % VNumbers;
      const int           first = i / (LocalColumns * VNumbers) * MaxLocalRows;
      const TLine * const from = lines + number * ofNumber + first * LineStride + lane;
      double * const      to = slot + number * space.plane + first * LocalColumns + lane;
      double              values[MaxLocalRows + 2 * VRadius];
      double              sums[MaxLocalRows];
#pragma unroll
      for (int k = 0; k < MaxLocalRows + 2 * VRadius; ++k)
      {
        values[k] = static_cast<double>(from[k * LineStride]);
      }
      SumWindows<VRadius, MaxLocalRows>(values, sums);
#pragma unroll
      for (int k = 0; k < MaxLocalRows; ++k)
      {
        to[k * LocalColumns] = sums[k];
      }
    }
  }
  else
  {
    for (int i = static_cast<int>(threadIdx.x); i < space.numbers * space.plane; i += static_cast<int>(blockDim.x))
    {
      const int           number = i / space.plane;
      const int           row = i % space.plane / LocalColumns;
      const TLine * const from = lines + number * ofNumber + row * LineStride + i % LocalColumns;
      double              sum = 0.0;
      for (int k = 0; k <= 2 * blocks.radius[1]; ++k)
      {
        sum += static_cast<double>(from[k * LineStride]);
      }
      slot[i] = sum;
    }
  }
}

/** The window of a column along z: takes the slice's sums from a slot of the ring. */
template <int VNumbers>
class ColumnWindow
{
public:
  /** \param[in] space of the block, \param[in] column in the first slot of the ring */
  __device__
  ColumnWindow(const LocalSpace & space, double * column)
    : m_Column(column)
    , m_Plane(space.plane)
    , m_Slot(VNumbers * space.plane)
    , m_Slots(space.slots)
  {
    for (int slot = 0; slot < m_Slots; ++slot)
    {
      for (int n = 0; n < VNumbers; ++n)
      {
        At(slot, n) = 0.0;
      }
    }
  }

  /** \param[in] isThere whether the slice is one of the grid, else its sums are 0
   * \param[in] at its slot
   * \param[out] sums of the window that ends with the slice */
  __device__ __forceinline__ void
  Push(bool isThere, int at, double (&sums)[VNumbers])
  {
#pragma unroll
    for (int n = 0; n < VNumbers; ++n)
    {
      const double own = isThere ? At(at, n) : 0.0;
      if (!isThere)
      {
        At(at, n) = 0.0;
      }
      m_Begun[n] = at == 0 ? own : m_Begun[n] + own;
      sums[n] = m_Begun[n] + (at + 1 < m_Slots ? At(at + 1, n) : 0.0);
    }
    if (at + 1 == m_Slots)
    {
#pragma unroll
      for (int n = 0; n < VNumbers; ++n)
      {
        double sum = At(m_Slots - 1, n);
        for (int slot = m_Slots - 2; slot > 0; --slot)
        {
          sum += At(slot, n);
          At(slot, n) = sum;
        }
      }
    }
  }

private:
  __device__ __forceinline__ double &
  At(int slot, int number)
  {
    return m_Column[slot * m_Slot + number * m_Plane];
  }

  double * m_Column;
  int      m_Plane;
  int      m_Slot;
  int      m_Slots;
  double   m_Begun[VNumbers] = {};
};

} // namespace
} // namespace itk::CudaSpline

#endif
