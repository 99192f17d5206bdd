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
#include "kernels/arrays/ArrayWindows.h"

#include "itkCudaSpline/kernels/resampling/PiecePlan.h"

#include "kernels/arrays/ArrayGather.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** Samples [first, last] of an axis that an element reads. */
struct TapRange
{
  std::int64_t first;
  std::int64_t last;
};

/** Finds the best division of elements into windows. */
class WindowCutter
{
public:
  WindowCutter(const ArrayInterpolation & interpolation, const ArrayArguments & arguments)
    : m_Dimension(arguments.dimension)
  {
    for (unsigned int d = 0; d < m_Dimension; ++d)
    {
      SourceDescriptor & line = m_Lines[d];
      line.dimension = 1;
      line.size = { arguments.size[d], 1, 1, 1 };
      line.element = interpolation.element;
      line.order = interpolation.order;
      line.extension.fill(FilterExtensionOf(interpolation.mode));
    }
    this->FindTaps(arguments);
  }

  /** Computes windows of all elements, and returns their total number of samples. */
  std::int64_t
  Cut(std::vector<ArrayWindow> & windows)
  {
    return this->Cut(m_Reading.begin(), m_Reading.end(), windows);
  }

  /** Returns elements that read no sample. */
  const std::vector<std::int64_t> &
  GetOutside() const
  {
    return m_Outside;
  }

private:
  using Iterator = std::vector<std::int64_t>::iterator;

  /** Cost of a window in addition to the cost of its samples, in samples. */
  static constexpr std::int64_t costOfWindow = 4096;

  void
  FindTaps(const ArrayArguments & arguments)
  {
    const ArrayShape & shape = arguments.output.shape;
    const std::int64_t samples = shape.Samples();
    const Extension    extension = TapExtensionOf(arguments.mode);
    const auto         taps = static_cast<std::int64_t>(arguments.order) + 1;
    const std::int64_t count = shape.Lines() * samples;
    for (unsigned int d = 0; d < m_Dimension; ++d)
    {
      m_Taps[d].resize(static_cast<std::size_t>(count));
    }
    for (std::int64_t number = 0; number < count; ++number)
    {
      const ArrayLine places(arguments, number / samples);
      bool            isInside = true;
      for (unsigned int d = 0; d < m_Dimension && isInside; ++d)
      {
        double x = 0.0;
        places.Find(d, number % samples, 1, &x);
        isInside = FoldCoordinate(x, arguments.size[d], arguments.mode);
        double             weights[MaximumSplineOrder + 1];
        const std::int64_t start = isInside ? ArrayWeights(arguments.order, x, weights) : 0;
        TapRange           range{ arguments.size[d] - 1, 0 };
        for (std::int64_t k = 0; k < taps; ++k)
        {
          const std::int64_t index = FoldIndex(start + k, arguments.size[d], extension);
          range.first = index < 0 ? range.first : std::min(range.first, index);
          range.last = std::max(range.last, index);
        }
        m_Taps[d][static_cast<std::size_t>(number)] = { std::min(range.first, range.last), range.last };
      }
      (isInside ? m_Reading : m_Outside).push_back(number);
    }
  }

  /** Returns the window of a range of elements. */
  ArrayWindow
  WindowOf(Iterator begin, Iterator end) const
  {
    ArrayWindow window;
    window.size.fill(1);
    window.elements.assign(begin, end);
    for (unsigned int d = 0; d < m_Dimension; ++d)
    {
      const std::int64_t size = m_Lines[d].size[0];
      TapRange           range{ size - 1, 0 };
      for (Iterator i = begin; i != end; ++i)
      {
        const TapRange & own = m_Taps[d][static_cast<std::size_t>(*i)];
        range = { std::min(range.first, own.first), std::max(range.last, own.last) };
      }
      std::int64_t first = range.first;
      std::int64_t length = range.last - range.first + 1;
      PrefilterWindow(m_Lines[d], 0, first, length);
      if (first < 0 || first + length > size) // on a periodic line, across its end
      {
        first = 0;
        length = size;
      }
      const unsigned int axis = m_Dimension - 1 - d;
      window.first[axis] = first;
      window.size[axis] = length;
    }
    return window;
  }

  /** Appends the windows of a range of elements, and returns their cost. */
  std::int64_t
  Cut(Iterator begin, Iterator end, std::vector<ArrayWindow> & windows)
  {
    if (begin == end)
    {
      return 0;
    }
    ArrayWindow  whole = this->WindowOf(begin, end);
    std::int64_t cost = costOfWindow;
    std::int64_t samples = 1;
    for (unsigned int d = 0; d < m_Dimension; ++d)
    {
      samples *= whole.size[d];
    }
    cost += samples;
    // Divides the elements in two across the longest axis, if there are elements on both sides.
    const unsigned int axis = static_cast<unsigned int>(
      std::max_element(whole.size.begin(), whole.size.begin() + m_Dimension) - whole.size.begin());
    const auto &       taps = m_Taps[m_Dimension - 1 - axis];
    const std::int64_t middle = whole.first[axis] + whole.size[axis] / 2;
    const Iterator     half = std::partition(
      begin, end, [&](std::int64_t number) { return taps[static_cast<std::size_t>(number)].first < middle; });
    if (half != begin && half != end)
    {
      std::vector<ArrayWindow> parts;
      const std::int64_t       costOfParts = this->Cut(begin, half, parts) + this->Cut(half, end, parts);
      if (costOfParts < cost)
      {
        std::move(parts.begin(), parts.end(), std::back_inserter(windows));
        return costOfParts;
      }
    }
    windows.push_back(std::move(whole));
    return cost;
  }

  unsigned int                                             m_Dimension;
  std::array<SourceDescriptor, MaximumArrayDimension>      m_Lines;   // x first
  std::array<std::vector<TapRange>, MaximumArrayDimension> m_Taps;    // by axis (x first) and element
  std::vector<std::int64_t>                                m_Reading; // numbers of elements
  std::vector<std::int64_t>                                m_Outside;
};

} // namespace

bool
HasFewElements(const ArrayInterpolation & interpolation)
{
  // The window of one element has about 64 samples per axis. Arrays that fit into a cache are filtered at once.
  constexpr std::int64_t samplesOfElement = 64;
  constexpr std::int64_t smallArray = 65536;
  const std::int64_t     samples = interpolation.input.Count();
  return samples >= smallArray && interpolation.output.Count() * samplesOfElement <= samples;
}

std::vector<ArrayWindow>
FindArrayWindows(const ArrayInterpolation & interpolation, const ArrayArguments & arguments)
{
  WindowCutter             cutter(interpolation, arguments);
  std::vector<ArrayWindow> windows;
  const std::int64_t       cost = cutter.Cut(windows);
  std::int64_t             samples = 1;
  for (unsigned int d = 0; d < arguments.dimension; ++d)
  {
    samples *= arguments.size[d];
  }
  if (cost >= samples)
  {
    return {};
  }
  if (!cutter.GetOutside().empty() && windows.empty())
  {
    windows.emplace_back();
    windows.back().size.fill(1);
  }
  if (!windows.empty())
  {
    auto & elements = windows.front().elements;
    elements.insert(elements.end(), cutter.GetOutside().begin(), cutter.GetOutside().end());
  }
  return windows;
}

} // namespace itk::CudaSpline
