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
#include "itkCudaSpline/kernels/metrics/PhysicalShift.h"

#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/metrics/scales/SplineRefinement.h"
#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
/** Samples of a block along each axis: about a cell of a grid for which B-splines are practical. */
constexpr std::int64_t BlockLength = 8;

/** The maximum of numbers of many threads. */
class SharedMaximum
{
public:
  double
  Get() const
  {
    return m_Value.load(std::memory_order_relaxed);
  }
  void
  Raise(double value)
  {
    double known = m_Value.load(std::memory_order_relaxed);
    while (value > known && !m_Value.compare_exchange_weak(known, value, std::memory_order_relaxed))
    {}
  }

private:
  std::atomic<double> m_Value{ 0.0 };
};

template <unsigned int VDimension>
class PhysicalShift
{
public:
  using Index = std::array<std::int64_t, VDimension>;

  PhysicalShift(const TransformChain & chain, std::size_t stage, const double * change)
    : m_Chain(chain)
    , m_Change(MakeStage<VDimension>(chain.stages[stage], change))
  {
    for (std::size_t i = 0; i < stage; ++i)
    {
      m_Before.push_back(MakeStage<VDimension>(chain.stages[i], DisplacementsOf(chain.stages[i])));
      m_IsAffineBefore = m_IsAffineBefore && chain.stages[i].kind == TransformKind::Affine;
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      m_Outer[r][r] = 1.0;
    }
    for (std::size_t i = stage + 1; i < chain.stages.size(); ++i)
    {
      std::array<std::array<double, VDimension>, VDimension> product{};
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          for (unsigned int k = 0; k < VDimension; ++k)
          {
            product[r][c] += chain.stages[i].matrix[r][k] * m_Outer[k][c];
          }
        }
      }
      m_Outer = product;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Blocks[d] = (chain.regionSize[d] + BlockLength - 1) / BlockLength;
    }
    if (m_IsAffineBefore && chain.stages[stage].kind == TransformKind::BSpline)
    {
      this->MeasureCoefficients(change);
    }
  }

  double
  Find(const ExecutionContext & context) const
  {
    std::int64_t count = 1;
    for (const std::int64_t blocks : m_Blocks)
    {
      count *= blocks;
    }
    std::vector<std::pair<double, std::int64_t>> order(static_cast<std::size_t>(count));
    context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block)
      {
        order[static_cast<std::size_t>(block)] = { m_Lengths.empty() ? std::numeric_limits<double>::infinity()
                                                                     : this->BoundOf(block),
                                                   block };
      }
    });
    if (!m_Lengths.empty())
    {
      std::sort(order.begin(), order.end(), [](const auto & a, const auto & b) { return a.first > b.first; });
    }
    SharedMaximum largest;
    // A few blocks per thread at a time. Those with the largest bounds come first, because after them few others
    // remain.
    const unsigned int threads = context.host != nullptr ? context.host->GetConcurrency() : 1;
    const std::int64_t some = m_Lengths.empty() ? count : std::int64_t{ 16 } * threads;
    for (std::int64_t first = 0; first < count && order[static_cast<std::size_t>(first)].first > largest.Get();
         first += some)
    {
      context.ParallelFor(std::min(some, count - first), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = first + begin; i < first + end; ++i)
        {
          const auto & block = order[static_cast<std::size_t>(i)];
          if (block.first > largest.Get())
          {
            largest.Raise(this->LargestOf(block.second));
          }
        }
      });
    }
    return largest.Get();
  }

private:
  /** Measures the lengths of the changes of the coefficients. If cells have many samples, it uses coefficients of a
   * refined grid, which are closer to the spline. */
  void
  MeasureCoefficients(const double * change)
  {
    std::vector<double> planes(change, change + m_Change.extent.Count() * VDimension);
    double              samples = 1.0;
    double              cell = std::numeric_limits<double>::infinity(); // minimum number of samples along an edge
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Size[d] = m_Change.extent.size[d];
      samples *= static_cast<double>(m_Chain.regionSize[d]);
    }
    Index  sample{};
    double first[VDimension];
    this->GridIndexOf(sample, first);
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double next[VDimension];
      sample[c] = 1;
      this->GridIndexOf(sample, next);
      sample[c] = 0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        cell = std::min(cell, 1.0 / std::abs(next[d] - first[d]));
      }
    }
    for (; cell > 4.0 && static_cast<double>(planes.size() << VDimension) <= 0.25 * samples * VDimension; cell *= 0.5)
    {
      RefineSpline(planes, m_Size, m_Change.order);
      ++m_Levels;
    }
    const std::size_t plane = planes.size() / VDimension;
    double            longest = 0.0;
    m_Lengths.resize(plane);
    for (std::size_t i = 0; i < plane; ++i)
    {
      double sum = 0.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double x = planes[d * plane + i];
        sum = std::isnan(x) ? std::numeric_limits<double>::infinity() : sum + x * x; // the neighbours of NaN count
      }
      m_Lengths[i] = std::sqrt(sum);
      longest = std::max(longest, m_Lengths[i]);
    }
    double norm = 0.0;
    for (const auto & row : m_Outer)
    {
      for (const double element : row)
      {
        norm += element * element;
      }
    }
    // Roundings of the sums are added. For refined coefficients the longest ones determine them, because they may
    // cancel.
    m_Stretch = std::sqrt(norm) * (1.0 + 1e-9);
    m_Slack = std::isfinite(longest) ? 1e-13 * longest * m_Stretch : 0.0;
  }

  /** Computes the index of a sample in the grid of a B-spline. */
  void
  GridIndexOf(const Index & sample, double (&index)[VDimension]) const
  {
    double point[VDimension];
    this->PlaceOf(sample, point);
    PointToContinuousIndex(m_Change.origin, m_Change.pointToIndex, point, index);
  }

  /** Returns the first and last sample of a block, by axis. */
  void
  CornersOf(std::int64_t block, Index (&corners)[2]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t at = block % m_Blocks[d] * BlockLength;
      block /= m_Blocks[d];
      corners[0][d] = m_Chain.regionStart[d] + at;
      corners[1][d] = m_Chain.regionStart[d] + std::min(at + BlockLength, m_Chain.regionSize[d]) - 1;
    }
  }

  /** Returns the point at which the stage is evaluated for a sample. */
  void
  PlaceOf(const Index & index, double (&point)[VDimension]) const
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      point[r] = m_Chain.outputOrigin[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        point[r] += m_Chain.indexToPoint[r][c] * static_cast<double>(index[c]);
      }
    }
    WalkStages(m_Before.data(), static_cast<int>(m_Before.size()), point);
  }

  /** Returns a bound of the displacement of all samples of a block. */
  double
  BoundOf(std::int64_t block) const
  {
    Index corners[2];
    this->CornersOf(block, corners);
    double low[VDimension];
    double high[VDimension];
    std::fill_n(low, VDimension, std::numeric_limits<double>::infinity());
    std::fill_n(high, VDimension, -std::numeric_limits<double>::infinity());
    for (unsigned int corner = 0; corner < (1U << VDimension); ++corner)
    {
      Index sample;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sample[d] = corners[(corner >> d) & 1U][d];
      }
      double index[VDimension];
      this->GridIndexOf(sample, index);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        low[d] = std::min(low[d], index[d]);
        high[d] = std::max(high[d], index[d]);
      }
    }
    // The coefficients of all supports within the valid region, with a margin for roundings.
    constexpr double margin = 1e-6;
    const double     half = 0.5 * (m_Change.order - 1);
    std::int64_t     from[3] = { 0, 0, 0 };
    std::int64_t     to[3] = { 0, 0, 0 };
    std::int64_t     stride[3] = { 0, 0, 0 };
    std::int64_t     size = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      double first = std::max(low[d], m_Change.lower[d]) - margin;
      double last = std::min(high[d], m_Change.upper[d]) + margin;
      if (!(first <= last))
      {
        return 0.0;
      }
      first -= static_cast<double>(m_Change.extent.start[d]);
      last -= static_cast<double>(m_Change.extent.start[d]);
      for (int level = 0; level < m_Levels; ++level)
      {
        first = RefinedIndex(first, m_Change.order);
        last = RefinedIndex(last, m_Change.order);
      }
      from[d] = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(first - half)));
      to[d] = std::min(m_Size[d] - 1, static_cast<std::int64_t>(std::floor(last - half)) + m_Change.order);
      stride[d] = size;
      size *= m_Size[d];
    }
    double longest = 0.0;
    for (std::int64_t z = from[2]; z <= to[2]; ++z)
    {
      for (std::int64_t y = from[1]; y <= to[1]; ++y)
      {
        const double * const row = m_Lengths.data() + z * stride[2] + y * stride[1];
        longest = std::max(longest, *std::max_element(row + from[0], row + to[0] + 1));
      }
    }
    return longest > 0.0 ? longest * m_Stretch + m_Slack : 0.0;
  }

  double
  LargestOf(std::int64_t block) const
  {
    Index corners[2];
    this->CornersOf(block, corners);
    double largest = 0.0;
    Index  sample = corners[0];
    for (;;)
    {
      double point[VDimension];
      double moved[VDimension];
      this->PlaceOf(sample, point);
      std::copy_n(point, VDimension, moved);
      m_Change.Apply(moved);
      double sum = 0.0;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        double along = 0.0;
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          along += m_Outer[r][c] * (moved[c] - point[c]);
        }
        sum += along * along;
      }
      largest = std::max(largest, sum > 0.0 ? std::sqrt(sum) : 0.0);
      unsigned int d = 0;
      while (d < VDimension && ++sample[d] > corners[1][d])
      {
        sample[d] = corners[0][d];
        ++d;
      }
      if (d == VDimension)
      {
        return largest;
      }
    }
  }

  const TransformChain &                                 m_Chain;
  TransformStage<VDimension>                             m_Change;
  std::vector<TransformStage<VDimension>>                m_Before;
  bool                                                   m_IsAffineBefore{ true };
  std::array<std::array<double, VDimension>, VDimension> m_Outer{}; // product of the matrices after the stage
  std::array<std::int64_t, VDimension>                   m_Blocks{};
  std::vector<double>                                    m_Lengths; // of a B-spline that can be bounded
  double                                                 m_Stretch{ 1.0 };
  double                                                 m_Slack{ 0.0 };
  std::array<std::int64_t, VDimension>                   m_Size{};      // of m_Lengths
  int                                                    m_Levels{ 0 }; // number of refinements
};
} // namespace

double
LargestPhysicalShift(const TransformChain &   chain,
                     unsigned int             dimension,
                     std::size_t              stage,
                     const double *           change,
                     const ExecutionContext & context)
{
  if (stage >= chain.stages.size() || chain.stages[stage].kind == TransformKind::Affine ||
      chain.stages[stage].singleData != nullptr)
  {
    throw std::invalid_argument("Stage " + std::to_string(stage) +
                                " cannot change; it must be a B-spline or a displacement field of float64.");
  }
  if (std::any_of(chain.stages.begin() + static_cast<std::ptrdiff_t>(stage) + 1,
                  chain.stages.end(),
                  [](const TransformChain::Stage & behind) { return behind.kind != TransformKind::Affine; }))
  {
    throw std::invalid_argument("A stage after stage " + std::to_string(stage) +
                                ", which changes, is not affine; all of them must be.");
  }
  if (change == nullptr)
  {
    throw std::invalid_argument("The change of the displacements is null.");
  }
  if (std::any_of(chain.stages.begin(),
                  chain.stages.begin() + static_cast<std::ptrdiff_t>(stage),
                  [](const TransformChain::Stage & before) {
                    return before.kind != TransformKind::Affine && DisplacementsOf(before) == nullptr;
                  }))
  {
    throw std::invalid_argument("A stage before stage " + std::to_string(stage) +
                                ", which changes, has no displacements.");
  }
  double largest = 0.0;
  DispatchDimension(dimension, [&](auto constant) {
    largest = PhysicalShift<decltype(constant)::value>(chain, stage, change).Find(context);
  });
  return largest;
}

} // namespace itk::CudaSpline
