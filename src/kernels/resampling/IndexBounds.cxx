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
#include "kernels/resampling/IndexBounds.h"
#include "itkCudaSpline/math/Geometry.h"

#include "kernels/transforms/ChainBounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace itk::CudaSpline
{

void
IndexBox::Include(const IndexBox & other)
{
  if (other.empty)
  {
    return;
  }
  if (empty)
  {
    *this = other;
    return;
  }
  for (unsigned int d = 0; d < 3; ++d)
  {
    lower[d] = std::min(lower[d], other.lower[d]);
    upper[d] = std::max(upper[d], other.upper[d]);
  }
}

IndexBounds::IndexBounds(const ResampleTask & task)
  : m_Task(task)
{}

IndexBox
IndexBounds::Read(const std::array<double, 3> & lower, const std::array<double, 3> & upper) const
{
  IndexBox box;
  box.empty = false;
  for (unsigned int d = 0; d < m_Task.samples.dimension; ++d)
  {
    double from = m_Task.resampling.lower[d];
    double to = m_Task.resampling.upper[d];
    if (m_Task.extrapolates)
    {
      // Samples outside are clamped to the outermost ones. Those between the bounds of the inside and the outermost
      // ones are read like those inside.
      const auto first = static_cast<double>(m_Task.samples.start[d]);
      from = std::min(from, first);
      to = std::max(to, first + static_cast<double>(m_Task.samples.size[d] - 1));
      box.lower[d] = std::min(std::max(lower[d], from), to);
      box.upper[d] = std::min(std::max(upper[d], from), to);
    }
    else
    {
      box.empty = box.empty || lower[d] >= to || upper[d] < from;
      box.lower[d] = std::max(lower[d], from);
      box.upper[d] = std::min(upper[d], to);
    }
  }
  return box;
}

namespace
{

/** Scanlines: an index is a rounded sum of a rounded product with the fraction of the line, which is monotone in the
 * sample. The first and the last one of a line therefore bound all others exactly. */
class ScanlineBounds : public IndexBounds
{
public:
  ScanlineBounds(const ResampleTask & task, const ExecutionContext & context)
    : IndexBounds(task)
    , m_Context(context)
    , m_SliceLines(OutputSizeOf(task.resampling)[1])
  {}

  IndexBox
  Of(const std::array<std::int64_t, 3> & first, const std::array<std::int64_t, 3> & size) const override
  {
    IndexBox               all;
    std::mutex             mutex;
    constexpr std::int64_t few = 4096; // fewer lines are finished before threads have woken up
    const ExecutionContext alone;
    const std::int64_t     count = size[1] * size[2];
    (count < few ? alone : m_Context).ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      IndexBox part;
      for (std::int64_t i = begin; i < end; ++i)
      {
        const std::int64_t line = (first[2] + i / size[1]) * m_SliceLines + first[1] + i % size[1];
        part.Include(this->OfLine(line, first[0], first[0] + size[0] - 1));
      }
      const std::lock_guard<std::mutex> lock(mutex);
      all.Include(part);
    });
    return all;
  }

private:
  IndexBox
  OfLine(std::int64_t line, std::int64_t firstSample, std::int64_t lastSample) const
  {
    const ResampleDescriptor & resampling = m_Task.resampling;
    const unsigned int         dimension = m_Task.samples.dimension;
    const double * const       at = resampling.scanlineEnds + line * 2 * dimension;
    std::array<double, 3>      lower{};
    std::array<double, 3>      upper{};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      ScanlineEnds<1> axis;
      axis.start[0] = at[d];
      axis.end[0] = at[dimension + d];
      double ends[2];
      int    side = 0;
      for (const std::int64_t sample : { firstSample, lastSample })
      {
        double       index[1];
        const double alpha =
          static_cast<double>(resampling.lineOffset + sample) / static_cast<double>(resampling.lineLength);
        if (resampling.singleCoordinates)
        {
          axis.AtFraction<float>(alpha, index);
        }
        else
        {
          axis.AtFraction<double>(alpha, index);
        }
        ends[side++] = index[0];
      }
      // Between ends that are not finite there may be finite numbers. A line of NaN alone does not read any sample.
      const bool isKnown = std::isfinite(ends[0]) && std::isfinite(ends[1]);
      lower[d] = isKnown ? std::min(ends[0], ends[1]) : -std::numeric_limits<double>::infinity();
      upper[d] = isKnown ? std::max(ends[0], ends[1]) : std::numeric_limits<double>::infinity();
      if (std::isnan(axis.start[0]) || std::isnan(axis.end[0]))
      {
        return {};
      }
    }
    return this->Read(lower, upper);
  }

  const ExecutionContext m_Context;
  const std::int64_t     m_SliceLines;
};

/** A chain of transforms. */
class StageBounds : public IndexBounds
{
public:
  StageBounds(const ResampleTask & task, const ExecutionContext & context)
    : IndexBounds(task)
    , m_Chain(*task.resampling.chain, task.samples.dimension, context)
  {}

  IndexBox
  Of(const std::array<std::int64_t, 3> & first, const std::array<std::int64_t, 3> & size) const override
  {
    std::array<double, 3> lower{};
    std::array<double, 3> upper{};
    m_Chain.Bound(first, size, lower, upper);
    return this->Read(lower, upper);
  }

private:
  const ChainBounds m_Chain;
};

} // namespace

std::unique_ptr<const IndexBounds>
MakeIndexBounds(const ResampleTask & task, const ExecutionContext & context)
{
  if (task.resampling.chain != nullptr)
  {
    return std::make_unique<StageBounds>(task, context);
  }
  if (task.resampling.scanlineEnds != nullptr)
  {
    return std::make_unique<ScanlineBounds>(task, context);
  }
  return nullptr;
}

} // namespace itk::CudaSpline
