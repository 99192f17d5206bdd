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

/** \file
 * \brief Window sums on a device: what a block does of a slice, and with its ring of slices.
 *
 * What is summed says a class of terms: with \c Pixel the type and \c Inputs the number of the arrays that are read,
 * \c Sums how many numbers of a sample are summed, and
 *
 *     using Line = double;                                 // type of the sums along x in shared memory
 *     static constexpr bool IsCopied;                      // values are those of arrays
 *     Pixel Value(int input, std::int64_t offset);         // of a sample that is valid
 *     const Pixel * Address(int input, std::int64_t offset); // where they are, of terms that are copied
 *     bool IsValid(std::int64_t offset);                   // where there are masks
 *     static double Number(int number, const Pixel (&values)[Inputs]); */

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
constexpr int LineStride = 40;  // numbers between rows of sums: neighbours begin in other banks
constexpr int MaxLocalRows = 8; // samples along y whose windows a thread sums at once

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
template <int VRadius, int VCount>
__device__ __forceinline__ void
SumWindows(const double (&values)[VCount + 2 * VRadius], double (&sums)[VCount])
{
  constexpr int window = 2 * VRadius + 1;
  double        ends[VCount];
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
  double begun = 0.0;
#pragma unroll
  for (int i = 0; i < VCount; ++i)
  {
    if (i % window == 0)
    {
      sums[i] = ends[i];
      begun = 0.0;
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
  static constexpr int  Inputs = 2;
  static constexpr int  Sums = WindowSums;
  static constexpr bool IsCopied = true;

  const LocalCentre<TPixel> & centre;

  __device__ __forceinline__ const TPixel *
  Address(int input, std::int64_t offset) const
  {
    return (input == 0 ? centre.fixed : centre.moving) + offset;
  }
  __device__ __forceinline__ TPixel
  Value(int input, std::int64_t offset) const
  {
    return *this->Address(input, offset);
  }
  __device__ __forceinline__ bool
  IsValid(std::int64_t offset) const
  {
    return centre.IsValid(offset);
  }
  __device__ __forceinline__ static double
  Number(int number, const TPixel (&values)[Inputs])
  {
    return WindowNumberOf<WindowProduct<VRounds>>(number, values[0], values[1]);
  }
};

/** Copies the values of a slice that the windows of a tile reach; outside of the grid, and of masks, they are 0. */
template <bool VMasked, int VRadius, typename TTerms>
__device__ __forceinline__ void
CopyTile(const TTerms &           terms,
         const LocalBlocks &      blocks,
         const LocalSpace &       space,
         int                      firstX,
         int                      firstY,
         int                      z,
         typename TTerms::Pixel * tile,
         std::uint8_t *           inside)
{
  using Pixel = typename TTerms::Pixel;
  const int width = VRadius >= 0 ? LocalColumns + 2 * VRadius : space.width;
  const int ofInput = space.lines * space.stride;
  for (int i = static_cast<int>(threadIdx.x); i < space.lines * width; i += static_cast<int>(blockDim.x))
  {
    const int          row = i / width;
    const int          column = i - row * width;
    const int          x = firstX + column;
    const int          y = firstY + row;
    const int          to = row * space.stride + column;
    const std::int64_t offset = (std::int64_t{ z } * blocks.size[1] + y) * blocks.size[0] + x;
    const bool         isThere = x >= 0 && x < blocks.size[0] && y >= 0 && y < blocks.size[1];
    if constexpr (VMasked || !TTerms::IsCopied)
    {
      const bool counts = isThere && (!VMasked || terms.IsValid(offset));
      if constexpr (VMasked)
      {
        inside[to] = counts ? 1 : 0;
      }
#pragma unroll
      for (int n = 0; n < TTerms::Inputs; ++n)
      {
        tile[to + n * ofInput] = counts ? terms.Value(n, offset) : Pixel(0);
      }
    }
    else
    {
#pragma unroll
      for (int n = 0; n < TTerms::Inputs; ++n)
      {
        if (isThere)
        {
          CopyElement(tile + to + n * ofInput, terms.Address(n, offset));
        }
        else
        {
          tile[to + n * ofInput] = Pixel(0);
        }
      }
    }
  }
}

/** Sums along x: a thread computes a number of the windows of some neighbours, or all numbers of one window for radii
 * without a compiled kernel. */
template <bool VMasked, int VRadius, typename TTerms>
__device__ __forceinline__ void
SumAlongX(const TTerms &,
          const LocalBlocks &            blocks,
          const LocalSpace &             space,
          const typename TTerms::Pixel * tile,
          const std::uint8_t *           inside,
          typename TTerms::Line *        lines)
{
  using Pixel = typename TTerms::Pixel;
  using Line = typename TTerms::Line;
  constexpr int inputs = TTerms::Inputs;
  const int     ofInput = space.lines * space.stride;
  const int     ofNumber = space.lines * LineStride;
  if constexpr (VRadius >= 0)
  {
    constexpr int numbers = TTerms::Sums + (VMasked ? 1 : 0);
    constexpr int ofGroup = LocalGroup(VRadius);
    constexpr int groups = LocalColumns / ofGroup;
    constexpr int reach = ofGroup + 2 * VRadius;
    const int     items = space.lines * groups;
    for (int i = static_cast<int>(threadIdx.x); i < numbers * items; i += static_cast<int>(blockDim.x))
    {
      const int    number = i / items; // the same for a warp if its lanes divide the items
      const int    row = (i - number * items) / groups;
      const int    group = i % groups;
      const int    from = row * space.stride + group * ofGroup;
      Line * const to = lines + number * ofNumber + row * LineStride + group;
      double       values[reach];
      double       sums[ofGroup];
#pragma unroll
      for (int n = 0; n < numbers; ++n)
      {
        if (n == number)
        {
#pragma unroll
          for (int k = 0; k < reach; ++k)
          {
            if (VMasked && n == TTerms::Sums)
            {
              values[k] = static_cast<double>(inside[from + k]);
              continue;
            }
            Pixel pixels[inputs];
#pragma unroll
            for (int input = 0; input < inputs; ++input)
            {
              pixels[input] = tile[from + k + input * ofInput];
            }
            values[k] = TTerms::Number(n, pixels);
          }
        }
      }
      SumWindows<VRadius, ofGroup>(values, sums);
#pragma unroll
      for (int k = 0; k < ofGroup; ++k)
      {
        to[k * groups] = static_cast<Line>(sums[k]);
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
          sums[n] += TTerms::Number(n, pixels);
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
      const int            lane = i % LocalColumns;
      const int            number = i / LocalColumns % VNumbers;
      const int            first = i / (LocalColumns * VNumbers) * MaxLocalRows;
      const TLine * const from = lines + number * ofNumber + first * LineStride + lane;
      double * const       to = slot + number * space.plane + first * LocalColumns + lane;
      double               values[MaxLocalRows + 2 * VRadius];
      double               sums[MaxLocalRows];
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
      const int            number = i / space.plane;
      const int            row = i % space.plane / LocalColumns;
      const TLine * const from = lines + number * ofNumber + row * LineStride + i % LocalColumns;
      double               sum = 0.0;
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
