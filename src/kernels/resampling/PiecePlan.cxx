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
#include "itkCudaSpline/kernels/resampling/PiecePlan.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/resampling/IndexBounds.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

constexpr std::size_t  MaxPieces = 65536;
constexpr std::int64_t MaxReadings = 256; // reads of the whole input; with more, the host is always faster

std::int64_t
RoundDown(std::int64_t number)
{
  return (number >= 0 ? number : number - LineSegmentLength + 1) / LineSegmentLength * LineSegmentLength;
}

std::int64_t
RoundUp(std::int64_t number)
{
  return -RoundDown(-number);
}

/** Samples [begin, end) of an axis, relative to the first one in memory. */
struct Range
{
  std::int64_t begin;
  std::int64_t end;
};

/** Returns the samples that indices from \p lower to \p upper read, including those that the extension folds into the
 * line.
 *
 * There are two additional samples on both sides. Rounding an index to float changes it by at most half a sample if its
 * magnitude is below LargestIndex, and the same holds for its floor. */
Range
ReadRange(const ResampleTask & task, unsigned int axis, double lower, double upper)
{
  constexpr double   largestIndex = 8388608.0; // 2^23
  const std::int64_t size = task.samples.size[axis];
  const Range        whole{ 0, size };
  if (!(std::abs(lower) < largestIndex && std::abs(upper) < largestIndex))
  {
    return whole;
  }
  const std::int64_t reach = GetReach(task.resampling, task.samples.order, axis) + 2;
  const std::int64_t first = static_cast<std::int64_t>(std::floor(lower)) - task.samples.start[axis] - reach;
  const std::int64_t last = static_cast<std::int64_t>(std::floor(upper)) - task.samples.start[axis] + 1 + reach;
  Range              range{ std::min(std::max<std::int64_t>(first, 0), size - 1),
               std::min(std::max<std::int64_t>(last, 0), size - 1) + 1 };
  const std::int64_t below = std::max<std::int64_t>(-first, 0);
  const std::int64_t above = std::max<std::int64_t>(last - (size - 1), 0);
  const Extension    extension = task.samples.extension[axis];
  if (extension == Extension::GridWrap && (below > 0 || above > 0))
  {
    return whole;
  }
  if (extension == Extension::Mirror || extension == Extension::Reflect)
  {
    // Folded once, a sample beyond an end is inside by the same distance. The window ends at the end of the line, so
    // its own extension folds the index to the same sample.
    range.end = below > 0 ? std::max(range.end, std::min(size, below + 2)) : range.end;
    range.begin = above > 0 ? std::min(range.begin, std::max<std::int64_t>(0, size - above - 2)) : range.begin;
  }
  return range;
}

/** Returns the samples from which the coefficients are computed with the same bits as from the whole line. */
Range
FilterRange(const SourceDescriptor & samples, unsigned int axis, const Range & wanted, std::int64_t reach)
{
  const std::int64_t size = samples.size[axis];
  const Range        read{ RoundDown(wanted.begin) - reach, RoundUp(wanted.end) + reach };
  if (samples.extension[axis] == Extension::GridWrap && (read.begin < 0 || read.end > size))
  {
    return { 0, size };
  }
  Range range{ std::max<std::int64_t>(0, RoundDown(read.begin)), std::min(size, read.end) };
  if (range.end == size)
  {
    // The last segment reads up to LineSegmentLength - 1 + reach samples beyond the end, folded back.
    range.begin = std::max<std::int64_t>(0, std::min(range.begin, RoundDown(size - LineSegmentLength - reach - 1)));
  }
  if (range.begin == 0)
  {
    range.end = std::max(range.end, std::min(size, LineSegmentLength + reach + 1));
  }
  return range;
}

/** Returns the descriptor of the source of a piece: its window of the image. */
SourceDescriptor
WindowOf(const SourceDescriptor & image, const ResamplePiece & piece)
{
  SourceDescriptor window = image;
  for (unsigned int d = 0; d < MaximumDimension; ++d)
  {
    window.start[d] += piece.windowFirst[d];
    window.size[d] = piece.windowSize[d];
  }
  return window;
}

/** Halves boxes until they fit. */
class PieceCutter
{
public:
  PieceCutter(const ResampleTask & task, std::size_t budget, const ExecutionContext & context)
    : m_Task(task)
    , m_Budget(budget)
    , m_Reach(task.samples.NeedsFilter() ? ReachOfPrefilter(task.samples) : 0)
    , m_Bounds(MakeIndexBounds(task, context))
  {}

  PiecePlan
  Plan(std::int64_t least)
  {
    if (m_Bounds == nullptr)
    {
      m_Plan.reason = "the transform computes the positions of samples itself, without bounds";
    }
    else if (m_Task.samples.storage != CoefficientStorage::Element)
    {
      m_Plan.reason = "coefficients in a storage other than Element need the whole image";
    }
    else
    {
      ResamplePiece all;
      all.size = OutputSizeOf(m_Task.resampling);
      this->SetWindow(all);
      m_Plan.fits = least > 1 ? this->CutInto(all, least) : this->Cut(all);
    }
    if (!m_Plan.fits)
    {
      m_Plan.pieces.clear();
    }
    return m_Plan;
  }

  /** Sets the window that a piece reads. Returns false if it reads nothing; the window is then one sample. */
  bool
  SetWindow(ResamplePiece & piece) const
  {
    const IndexBox box = m_Bounds->Of(piece.first, piece.size);
    for (unsigned int d = 0; d < m_Task.samples.dimension; ++d)
    {
      Range range{ 0, 1 };
      if (!box.empty)
      {
        range = ReadRange(m_Task, d, box.lower[d], box.upper[d]);
        range = m_Task.samples.NeedsFilter() ? FilterRange(m_Task.samples, d, range, m_Reach) : range;
      }
      piece.windowFirst[d] = range.begin;
      piece.windowSize[d] = range.end - range.begin;
    }
    return !box.empty;
  }

private:
  /** Returns whether a piece fits, and sets its memory. */
  bool
  Fits(ResamplePiece & piece) const
  {
    piece.memory = PlanTask(TaskOf(m_Task, piece), m_Budget);
    return piece.memory.fits;
  }

  /** Divides a box into parts along an axis. */
  std::vector<ResamplePiece>
  Divide(const ResamplePiece & piece, unsigned int axis, std::int64_t parts) const
  {
    std::vector<ResamplePiece> divided;
    const std::int64_t         unit = piece.size[axis] >= 64 * parts ? 32 : 1; // rows of complete warps
    std::int64_t               begin = 0;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      const std::int64_t end =
        part + 1 == parts ? piece.size[axis] : piece.size[axis] * (part + 1) / parts / unit * unit;
      ResamplePiece next = piece;
      next.first[axis] = piece.first[axis] + begin;
      next.size[axis] = end - begin;
      this->SetWindow(next);
      divided.push_back(next);
      begin = end;
    }
    return divided;
  }

  /** Returns the division that reads the smallest number of samples. It is empty if there is none. */
  std::vector<ResamplePiece>
  DivideBest(const ResamplePiece & piece, std::int64_t parts) const
  {
    std::vector<ResamplePiece> best;
    double                     least = 0.0;
    for (unsigned int axis = 3; axis-- > 0;)
    {
      if (piece.size[axis] < parts)
      {
        continue;
      }
      std::vector<ResamplePiece> divided = this->Divide(piece, axis, parts);
      double                     read = 0.0;
      for (const ResamplePiece & part : divided)
      {
        read += static_cast<double>(part.WindowCount());
      }
      if (best.empty() || read < 0.9 * least) // along a slower axis lines are not divided
      {
        best = std::move(divided);
        least = read;
      }
    }
    return best;
  }

  /** Divides into at least \p least pieces, one for each worker. */
  bool
  CutInto(const ResamplePiece & whole, std::int64_t least)
  {
    const std::vector<ResamplePiece> parts = this->DivideBest(whole, least);
    return parts.empty()
             ? this->Cut(whole)
             : std::all_of(parts.begin(), parts.end(), [this](const auto & part) { return this->Cut(part); });
  }

  bool
  Cut(ResamplePiece piece)
  {
    if (this->Fits(piece))
    {
      m_Plan.pieces.push_back(piece);
      m_Read += piece.WindowCount();
      if (m_Plan.pieces.size() > MaxPieces || m_Read / MaxReadings > m_Task.samples.Count())
      {
        m_Plan.reason = "pieces that fit would read the input too often";
        return false;
      }
      return true;
    }
    const std::vector<ResamplePiece> halves = this->DivideBest(piece, 2);
    if (halves.empty())
    {
      m_Plan.reason = "a piece of one sample does not fit: " + piece.memory.reason;
      return false;
    }
    return std::all_of(halves.begin(), halves.end(), [this](const auto & half) { return this->Cut(half); });
  }

  const ResampleTask &               m_Task;
  std::size_t                        m_Budget;
  std::int64_t                       m_Reach;
  std::unique_ptr<const IndexBounds> m_Bounds;
  PiecePlan                          m_Plan;
  std::int64_t                       m_Read{ 0 };
};

} // namespace

std::size_t
PiecePlan::PeakBytes() const
{
  std::size_t peak = 0;
  for (const ResamplePiece & piece : pieces)
  {
    peak = std::max(peak, piece.memory.PeakBytes());
  }
  return peak;
}

std::int64_t
PiecePlan::WindowCount() const
{
  std::int64_t count = 0;
  for (const ResamplePiece & piece : pieces)
  {
    count += piece.WindowCount();
  }
  return count;
}

std::array<std::int64_t, 3>
OutputSizeOf(const ResampleDescriptor & resampling)
{
  if (resampling.chain != nullptr)
  {
    return resampling.chain->regionSize;
  }
  const std::int64_t sliceLines = resampling.sliceLines > 0 ? resampling.sliceLines : resampling.lines;
  return { { resampling.samples, sliceLines, resampling.lines / std::max<std::int64_t>(sliceLines, 1) } };
}

ResampleTask
TaskOf(const ResampleTask & whole, const ResamplePiece & piece)
{
  ResampleTask task = whole;
  task.samples = WindowOf(whole.samples, piece);
  task.outside = WindowOf(whole.outside, piece);
  task.resampling.samples = piece.size[0];
  task.resampling.lines = piece.size[1] * piece.size[2];
  task.resampling.lineOffset += piece.first[0];
  task.resampling.sliceLines = whole.resampling.sliceLines > 0 ? piece.size[1] : 0;
  task.resampling.extrapolation = nullptr;
  return task;
}

PiecePlan
PlanPieces(const ResampleTask & task, std::size_t budget, std::int64_t least, const HostExecutor * host)
{
  ExecutionContext context;
  context.host = host;
  return PieceCutter(task, budget, context).Plan(least);
}

void
SetWindows(const ResampleTask & task, std::vector<ResamplePiece> & pieces, const HostExecutor * host)
{
  if (task.samples.storage != CoefficientStorage::Element)
  {
    throw std::invalid_argument(
      std::string("Storage ") + NameOf(task.samples.storage) +
      " needs the coefficients of the whole image and does not support windows; use storage Element.");
  }
  ExecutionContext context;
  context.host = host;
  const PieceCutter cutter(task, 0, context);
  for (ResamplePiece & piece : pieces)
  {
    piece.windowSize = cutter.SetWindow(piece) ? piece.windowSize : decltype(piece.windowSize){};
  }
}

void
PrefilterWindow(const SourceDescriptor & samples, unsigned int axis, std::int64_t & first, std::int64_t & size)
{
  if (!samples.NeedsFilter())
  {
    return;
  }
  const Range        wanted{ first, first + size };
  const std::int64_t reach = ReachOfPrefilter(samples);
  Range              range = FilterRange(samples, axis, wanted, reach);
  const Range        beyond{ RoundDown(RoundDown(wanted.begin) - reach), RoundUp(wanted.end) + reach };
  if (samples.extension[axis] == Extension::GridWrap && beyond.end - beyond.begin < range.end - range.begin)
  {
    range = beyond;
  }
  first = range.begin;
  size = range.end - range.begin;
}

} // namespace itk::CudaSpline
