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
#ifndef WindowMarch_h
#define WindowMarch_h

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Sums over windows of a grid on the threads of the host, at the same cost for any radius.
 *
 * A task has some rows of every slice of a slab, and visits slice by slice: window sums along x, then along y, then
 * along z. */

namespace itk::CudaSpline
{

inline constexpr std::int64_t RowsOfTask = 16;   // the sums of a window's slices stay in the caches
inline constexpr std::int64_t SlicesOfTask = 32; // several times a window's

/** Sums of the last 2 radius + 1 items of a sequence, where an item consists of several numbers.
 *
 * Items are divided into blocks of that length. A window is the end of one block and the beginning of the next one. The
 * sums from each item to its block's end are computed when the block is complete, those from its beginning with each
 * new item. */
class SlidingSums
{
public:
  SlidingSums(std::int64_t radius, std::size_t length)
    : m_Length(length)
    , m_Items(static_cast<std::size_t>(2 * radius + 1))
    , m_Ring(m_Items * length)
    , m_Begun(length)
  {}

  /** Begins a sequence; all items before the first one are 0. */
  void
  Clear()
  {
    std::fill(m_Ring.begin(), m_Ring.end(), 0.0);
    m_At = 0;
  }

  /** Adds an item, 0 if it is null, and writes the sums of the window that ends with it, if requested. */
  void
  Push(const double * item, double * sums)
  {
    const std::size_t n = m_Length;
    double * const    ring = m_Ring.data();
    double * const    begun = m_Begun.data();
    if (m_At == 0)
    {
      for (std::size_t slot = m_Items - 1; slot-- > 0;)
      {
        Add(ring + (slot + 1) * n, ring + slot * n);
      }
      std::fill_n(begun, n, 0.0);
    }
    double * const own = ring + m_At * n;
    if (item != nullptr)
    {
      Add(item, begun);
      std::copy_n(item, n, own);
    }
    else
    {
      std::fill_n(own, n, 0.0);
    }
    ++m_At;
    if (sums != nullptr)
    {
      std::copy_n(begun, n, sums);
      if (m_At < m_Items)
      {
        Add(ring + m_At * n, sums);
      }
    }
    m_At %= m_Items;
  }

private:
  void
  Add(const double * from, double * to) const
  {
    for (std::size_t i = 0; i < m_Length; ++i)
    {
      to[i] += from[i];
    }
  }

  std::size_t         m_Length;
  std::size_t         m_Items;
  std::vector<double> m_Ring;  // items of the current block, then sums to the end of the previous block
  std::vector<double> m_Begun; // sum of the current block
  std::size_t         m_At{ 0 };
};

/** The same along a line in memory, with VNumbers numbers per sample. */
template <int VNumbers>
class LineSums
{
public:
  LineSums(std::int64_t radius, std::int64_t length)
    : m_Window(2 * radius + 1)
    , m_Length(length)
    , m_Padded((length + 2 * radius + m_Window - 1) / m_Window * m_Window)
    , m_Items(static_cast<std::size_t>(m_Padded * VNumbers), 0.0)
    , m_Ends(m_Items.size())
  {}

  /** Destination of the numbers of the first sample. Elements that are not written are those of the previous line. */
  double *
  Items()
  {
    return m_Items.data() + (m_Window / 2) * VNumbers;
  }

  /** Computes the windows' sums of all samples. */
  void
  Sum(double * sums)
  {
    const double * const items = m_Items.data();
    double * const       ends = m_Ends.data();
    for (std::int64_t block = 0; block < m_Padded; block += m_Window)
    {
      double sum[VNumbers] = {};
      for (std::int64_t i = block + m_Window; i-- > block;)
      {
        for (int n = 0; n < VNumbers; ++n)
        {
          sum[n] += items[i * VNumbers + n];
          ends[i * VNumbers + n] = sum[n];
        }
      }
    }
    // A window that begins with a sample of the padded line consists of the sample's block to its end, and a part of
    // the next block.
    for (std::int64_t block = 0; block < m_Length; block += m_Window)
    {
      double             begun[VNumbers] = {};
      const std::int64_t last = std::min(m_Length, block + m_Window);
      for (std::int64_t i = block; i < last; ++i)
      {
        const double * const next = items + (i + m_Window - 1) * VNumbers;
        for (int n = 0; n < VNumbers; ++n)
        {
          begun[n] += i > block ? next[n] : 0.0;
          sums[i * VNumbers + n] = ends[i * VNumbers + n] + begun[n];
        }
      }
    }
  }

private:
  std::int64_t        m_Window;
  std::int64_t        m_Length;
  std::int64_t        m_Padded;
  std::vector<double> m_Items;
  std::vector<double> m_Ends;
};

/** The grid with three axes, and its division into tasks. */
struct WindowTasks
{
  /** \param[in] sizes sizes of the grid, \param[in] radii radii of the windows, less than the sizes; both x first */
  WindowTasks(const std::array<std::int64_t, 3> & sizes, const std::array<std::int64_t, 3> & radii)
    : size(sizes)
    , radius(radii)
    , bands((size[1] + RowsOfTask - 1) / RowsOfTask)
    , slabs((size[2] + SlicesOfTask - 1) / SlicesOfTask)
  {}

  /** Number of tasks. */
  std::int64_t
  Count() const
  {
    return bands * slabs;
  }

  std::array<std::int64_t, 3> size;
  std::array<std::int64_t, 3> radius;
  std::int64_t                bands;
  std::int64_t                slabs;
};

/** Samples of the grid along an axis in a window. */
inline double
CountAlong(std::int64_t at, std::int64_t radius, std::int64_t size)
{
  return static_cast<double>(std::min(at + radius, size - 1) - std::max<std::int64_t>(at - radius, 0) + 1);
}

/** Runs one task.
 *
 * \param[in] load called with a sample's offset and the destination of its VNumbers numbers
 * \param[in] evaluate called with y, z, and the sums over the windows of all samples of that row, VNumbers each */
template <int VNumbers, typename TLoad, typename TEvaluate>
void
MarchWindows(const WindowTasks & tasks, std::int64_t task, const TLoad & load, const TEvaluate & evaluate)
{
  const auto & size = tasks.size;
  const auto & radius = tasks.radius;

  const std::int64_t firstRow = task % tasks.bands * RowsOfTask;
  const std::int64_t rows = std::min(RowsOfTask, size[1] - firstRow);
  const std::int64_t firstSlice = task / tasks.bands * SlicesOfTask;
  const std::int64_t slices = std::min(SlicesOfTask, size[2] - firstSlice);
  const auto         row = static_cast<std::size_t>(size[0] * VNumbers);

  LineSums<VNumbers>  alongX(radius[0], size[0]);
  SlidingSums         alongY(radius[1], row);
  SlidingSums         alongZ(radius[2], row * static_cast<std::size_t>(rows));
  std::vector<double> line(row);
  std::vector<double> plane(row * static_cast<std::size_t>(rows));
  std::vector<double> windows(plane.size());

  const auto makePlane = [&](std::int64_t z) {
    alongY.Clear();
    for (std::int64_t k = 0; k < rows + 2 * radius[1]; ++k)
    {
      const std::int64_t y = firstRow + k - radius[1];
      const bool         isRow = y >= 0 && y < size[1];
      if (isRow)
      {
        const std::int64_t first = (z * size[1] + y) * size[0];
        double *           to = alongX.Items();
        for (std::int64_t x = 0; x < size[0]; ++x, to += VNumbers)
        {
          load(first + x, to);
        }
        alongX.Sum(line.data());
      }
      const std::int64_t out = k - 2 * radius[1];
      alongY.Push(isRow ? line.data() : nullptr,
                  out >= 0 ? plane.data() + static_cast<std::size_t>(out) * row : nullptr);
    }
  };

  alongZ.Clear();
  for (std::int64_t k = 0; k < slices + 2 * radius[2]; ++k)
  {
    const std::int64_t z = firstSlice + k - radius[2];
    const bool         isSlice = z >= 0 && z < size[2];
    if (isSlice)
    {
      makePlane(z);
    }
    const std::int64_t out = k - 2 * radius[2];
    alongZ.Push(isSlice ? plane.data() : nullptr, out >= 0 ? windows.data() : nullptr);
    for (std::int64_t y = 0; out >= 0 && y < rows; ++y)
    {
      evaluate(firstRow + y, firstSlice + out, windows.data() + static_cast<std::size_t>(y) * row);
    }
  }
}

} // namespace itk::CudaSpline

#endif
