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
#ifndef HostPrefilter_h
#define HostPrefilter_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/lines/LineFilter.h"
#include "kernels/coefficients/lines/LineScratch.h"
#include "kernels/coefficients/lines/PackTranspose.h"
#include "kernels/common/ConvertPixels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace itk::CudaSpline
{

/** \brief Number of packs that a strided pass processes side by side: 256 bytes of each row of memory, to use few
 * memory pages. */
inline constexpr int PanelPacks = 4;

/** \brief A slice of this size stays in the second-level cache between the pass along x and the pass along y. */
inline constexpr std::size_t CachedSliceBytes = std::size_t(1) << 20;

/** \brief An axis that is filtered, with more than one sample. */
struct FilteredAxis
{
  std::int64_t size;
  Extension    extension;
};

/** \brief Computes the coefficients for one descriptor on the threads of the host, pass by pass. */
template <typename TReal>
class HostPrefilter
{
public:
  HostPrefilter(const SourceDescriptor & descriptor,
                const void *             pixels,
                TReal *                  coefficients,
                const ExecutionContext & context)
    : m_Descriptor(descriptor)
    , m_Pixels(pixels)
    , m_Coefficients(coefficients)
    , m_Context(context)
    , m_Filter(MakeLineFilter<TReal>(descriptor))
  {
    // Axes with one sample are not filtered and do not change the memory layout.
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      if (descriptor.size[d] > 1)
      {
        m_Axes.push_back({ descriptor.size[d], descriptor.extension[d] });
      }
    }
  }

  void
  Run()
  {
    if (m_Filter == nullptr || m_Axes.empty())
    {
      this->Convert();
      return;
    }
    const std::int64_t length = m_Axes[0].size;
    const std::int64_t rows = m_Descriptor.Elements() / length;
    std::size_t        done = 1; // number of finished axes
    if (rows < PackedLines<TReal> / 2)
    {
      this->FilterFewRows(rows);
    }
    else if (this->SlicesAreCached())
    {
      this->FilterSlices();
      done = 2;
    }
    else
    {
      this->FilterRows(rows);
    }
    std::int64_t inner = length;
    for (std::size_t axis = 1; axis < m_Axes.size(); ++axis)
    {
      if (axis >= done)
      {
        m_Context.Report(static_cast<double>(axis) / static_cast<double>(m_Axes.size()));
        this->FilterStrided(axis, inner);
      }
      inner *= m_Axes[axis].size;
    }
  }

  /** Filters only one axis of the descriptor. */
  void
  RunAxis(unsigned int wanted)
  {
    std::size_t  number = 0; // index among the axes with more than one sample
    std::int64_t inner = 1;
    for (unsigned int d = 0; d < wanted; ++d)
    {
      number += m_Descriptor.size[d] > 1 ? 1 : 0;
      inner *= m_Descriptor.size[d];
    }
    if (m_Filter == nullptr || m_Descriptor.size[wanted] == 1)
    {
      this->Convert();
    }
    else if (number == 0)
    {
      const std::int64_t rows = m_Descriptor.Elements() / m_Axes[0].size;
      if (rows < PackedLines<TReal> / 2)
      {
        this->FilterFewRows(rows);
      }
      else
      {
        this->FilterRows(rows);
      }
    }
    else
    {
      this->Convert();
      this->FilterStrided(number, inner);
    }
  }

private:
  using Pack = PackOf<TReal>;
  static constexpr std::int64_t PackSize = PackedLines<TReal>;

  bool
  IsConverted() const
  {
    return m_Descriptor.element == m_Descriptor.pixel && (m_Descriptor.components == 1 || m_Descriptor.isInterleaved);
  }

  /** Number of elements that are in the same order in the pixels as in the source, apart from the elements between
   * them. */
  std::int64_t
  PlaneSize() const
  {
    return m_Descriptor.isInterleaved ? m_Descriptor.Elements() : m_Descriptor.Count();
  }

  /** Loads the elements first ... first + count - 1 of the planes from the pixels. All of them need to be in one
   * plane. */
  void
  Load(std::int64_t first, std::int64_t count, TReal * elements) const
  {
    const std::int64_t plane = this->PlaneSize();
    const std::int64_t stride = m_Descriptor.Elements() / plane;
    ConvertPixels(m_Pixels, m_Descriptor.pixel, first % plane * stride + first / plane, stride, count, elements);
  }

  void
  Convert() const
  {
    if (m_Pixels == m_Coefficients)
    {
      return;
    }
    const std::int64_t plane = this->PlaneSize();
    m_Context.ParallelFor(m_Descriptor.Elements(), [&](std::int64_t begin, std::int64_t end) {
      while (begin < end)
      {
        const std::int64_t count = std::min(end, (begin / plane + 1) * plane) - begin;
        this->Load(begin, count, m_Coefficients + begin);
        begin += count;
      }
    });
  }

  /** Filters the rows first ... first + count - 1 along the first axis, count <= PackSize. */
  void
  FilterRowsTogether(std::int64_t first, int count, LineScratch<TReal> & scratch, std::vector<TReal> & converted) const
  {
    const std::int64_t length = m_Axes[0].size;
    const TReal *      rows = static_cast<const TReal *>(m_Pixels) + first * length;
    if (!this->IsConverted())
    {
      for (int i = 0; i < count; ++i) // row by row, because a group of rows may be in two planes
      {
        this->Load((first + i) * length, length, converted.data() + i * length);
      }
      rows = converted.data();
    }
    Pack * const line = scratch.Line(0);
    RowsToPacks<TReal>(rows, length, count, length, line);
    scratch.Extend(0, m_Axes[0].extension);
    for (std::int64_t begin = 0; begin < length; begin += LineSegmentLength)
    {
      m_Filter->Filter(line + begin, scratch.Segment(0));
      PacksToRows<TReal>(scratch.Segment(0),
                         std::min<std::int64_t>(LineSegmentLength, length - begin),
                         m_Coefficients + first * length + begin,
                         length,
                         count);
    }
  }

  LineScratch<TReal>
  MakeScratch(std::size_t axis, int packs) const
  {
    return { m_Axes[axis].size, m_Filter->GetReach(), packs };
  }

  std::vector<TReal>
  MakeRows() const
  {
    return std::vector<TReal>(this->IsConverted() ? 0 : static_cast<std::size_t>(PackSize * m_Axes[0].size));
  }

  void
  FilterRows(std::int64_t rows) const
  {
    m_Context.ParallelFor((rows + PackSize - 1) / PackSize, [&](std::int64_t begin, std::int64_t end) {
      auto scratch = this->MakeScratch(0, 1);
      auto converted = this->MakeRows();
      for (std::int64_t group = begin; group < end; ++group)
      {
        const std::int64_t first = group * PackSize;
        this->FilterRowsTogether(first, static_cast<int>(std::min(PackSize, rows - first)), scratch, converted);
      }
    });
  }

  /** Filters a few long rows. The lanes of a pack are segments of one row. */
  void
  FilterFewRows(std::int64_t rows) const
  {
    const std::int64_t length = m_Axes[0].size;
    const int          reach = m_Filter->GetReach();
    const std::int64_t groupLength = PackSize * LineSegmentLength;
    std::vector<TReal> row(static_cast<std::size_t>(length));
    for (std::int64_t number = 0; number < rows; ++number)
    {
      m_Context.ParallelFor(length, [&](std::int64_t begin, std::int64_t end) {
        this->Load(number * length + begin, end - begin, row.data() + begin);
      });
      m_Context.ParallelFor((length + groupLength - 1) / groupLength, [&](std::int64_t begin, std::int64_t end) {
        auto         scratch = LineScratch<TReal>(LineSegmentLength, reach, 1);
        Pack * const line = scratch.Line(0);
        for (std::int64_t group = begin; group < end; ++group)
        {
          const std::int64_t first = group * groupLength;
          for (int n = -reach; n < LineSegmentLength + reach; ++n)
          {
            for (int i = 0; i < PackSize; ++i)
            {
              line[n].lane[i] = row[static_cast<std::size_t>(
                FoldIndex(first + std::int64_t{ LineSegmentLength } * i + n, length, m_Axes[0].extension))];
            }
          }
          m_Filter->Filter(line, scratch.Segment(0));
          const std::int64_t count = std::min(groupLength, length - first);
          for (std::int64_t k = 0; k < count; ++k)
          {
            m_Coefficients[number * length + first + k] =
              scratch.Segment(0)[k % LineSegmentLength].lane[k / LineSegmentLength];
          }
        }
      });
    }
  }

  /** Filters \p width lines of an axis as packs of lines that are adjacent in memory. \p corner is the first sample of
   * the first line. */
  void
  FilterPanel(TReal * corner, std::int64_t stride, std::int64_t width, std::size_t axis, LineScratch<TReal> & scratch)
    const
  {
    const std::int64_t length = m_Axes[axis].size;
    const int          packs = static_cast<int>((width + PackSize - 1) / PackSize);
    const auto         bytes = [width](int pack) {
      return static_cast<std::size_t>(std::min(PackSize, width - pack * PackSize)) * sizeof(TReal);
    };
    for (std::int64_t n = 0; n < length; ++n)
    {
      for (int pack = 0; pack < packs; ++pack)
      {
        std::memcpy(scratch.Line(pack)[n].lane, corner + n * stride + pack * PackSize, bytes(pack));
      }
    }
    for (int pack = 0; pack < packs; ++pack)
    {
      scratch.Extend(pack, m_Axes[axis].extension);
    }
    for (std::int64_t begin = 0; begin < length; begin += LineSegmentLength)
    {
      for (int pack = 0; pack < packs; ++pack)
      {
        m_Filter->Filter(scratch.Line(pack) + begin, scratch.Segment(pack));
      }
      const std::int64_t count = std::min<std::int64_t>(LineSegmentLength, length - begin);
      for (std::int64_t k = 0; k < count; ++k)
      {
        for (int pack = 0; pack < packs; ++pack)
        {
          std::memcpy(corner + (begin + k) * stride + pack * PackSize, scratch.Segment(pack)[k].lane, bytes(pack));
        }
      }
    }
  }

  /** Filters all lines of an axis except the first axis, in place. */
  void
  FilterStrided(std::size_t axis, std::int64_t inner) const
  {
    const std::int64_t block = inner * m_Axes[axis].size;
    const std::int64_t width = PanelPacks * PackSize;
    const std::int64_t panels = (inner + width - 1) / width;
    m_Context.ParallelFor(m_Descriptor.Elements() / block * panels, [&](std::int64_t begin, std::int64_t end) {
      auto scratch = this->MakeScratch(axis, PanelPacks);
      for (std::int64_t item = begin; item < end; ++item)
      {
        const std::int64_t first = item % panels * width;
        this->FilterPanel(
          m_Coefficients + item / panels * block + first, inner, std::min(width, inner - first), axis, scratch);
      }
    });
  }

  /** True if the first two axes are filtered slice by slice. This requires that a slice fits into the cache, and that
   * there are enough slices for all threads. */
  bool
  SlicesAreCached() const
  {
    if (m_Axes.size() < 2)
    {
      return false;
    }
    const std::int64_t slice = m_Axes[0].size * m_Axes[1].size;
    const unsigned int threads = m_Context.host != nullptr ? m_Context.host->GetConcurrency() : 1;
    return m_Axes[1].size >= PackSize && static_cast<std::size_t>(slice) * sizeof(TReal) <= CachedSliceBytes &&
           m_Descriptor.Elements() / slice >= 4 * std::int64_t{ threads };
  }

  /** Filters the first two axes slice by slice. */
  void
  FilterSlices() const
  {
    const std::int64_t nx = m_Axes[0].size;
    const std::int64_t ny = m_Axes[1].size;
    const std::int64_t width = PanelPacks * PackSize;
    m_Context.ParallelFor(m_Descriptor.Elements() / (nx * ny), [&](std::int64_t begin, std::int64_t end) {
      auto alongX = this->MakeScratch(0, 1);
      auto alongY = this->MakeScratch(1, PanelPacks);
      auto converted = this->MakeRows();
      for (std::int64_t slice = begin; slice < end; ++slice)
      {
        for (std::int64_t y = 0; y < ny; y += PackSize)
        {
          this->FilterRowsTogether(slice * ny + y, static_cast<int>(std::min(PackSize, ny - y)), alongX, converted);
        }
        for (std::int64_t x = 0; x < nx; x += width)
        {
          this->FilterPanel(m_Coefficients + slice * nx * ny + x, nx, std::min(width, nx - x), 1, alongY);
        }
      }
    });
  }

  const SourceDescriptor &                 m_Descriptor;
  const void *                             m_Pixels;
  TReal *                                  m_Coefficients;
  const ExecutionContext &                 m_Context;
  std::unique_ptr<const LineFilter<TReal>> m_Filter;
  std::vector<FilteredAxis>                m_Axes;
};

} // namespace itk::CudaSpline

#endif
