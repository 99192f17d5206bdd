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
#include "kernels/transforms/ChainBounds.h"

#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace itk::CudaSpline
{

namespace
{
constexpr double Infinite = std::numeric_limits<double>::infinity();
constexpr double Slack = 1.0 / (std::int64_t{ 1 } << 46);
constexpr double SumSlack = 1.0 / (std::int64_t{ 1 } << 40);
constexpr double SingleSumSlack = 1.0 / (std::int64_t{ 1 } << 19);

/** Returns a number of the displacements of a stage. */
double
NumberAt(const TransformChain::Stage & stage, std::int64_t at)
{
  return stage.singleData != nullptr ? static_cast<double>(stage.singleData.get()[at]) : stage.data.get()[at];
}
} // namespace

DisplacementRange::DisplacementRange(const TransformChain::Stage & stage,
                                     unsigned int                  dimension,
                                     const ExecutionContext &      context)
  : m_Dimension(dimension)
{
  const std::int64_t     samples = stage.size[0] * stage.size[1] * stage.size[2];
  constexpr std::int64_t few = 65536; // up to this number, all are checked
  m_Length = samples <= few ? 1 : 8;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    m_Blocks[d] = (stage.size[d] + m_Length - 1) / m_Length;
  }
  m_Ranges.resize(static_cast<std::size_t>(m_Blocks[0] * m_Blocks[1] * m_Blocks[2]));
  const bool interleaved = stage.kind == TransformKind::DisplacementField;
  context.ParallelFor(static_cast<std::int64_t>(m_Ranges.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block)
    {
      Block & range = m_Ranges[static_cast<std::size_t>(block)];
      range.lower.fill(Infinite);
      range.upper.fill(-Infinite);
      std::array<std::int64_t, 3> first{};
      std::array<std::int64_t, 3> last{};
      std::int64_t                rest = block;
      for (unsigned int d = 0; d < 3; ++d)
      {
        first[d] = rest % m_Blocks[d] * m_Length;
        last[d] = std::min(stage.size[d], first[d] + m_Length);
        rest /= m_Blocks[d];
      }
      for (std::int64_t z = first[2]; z < last[2]; ++z)
      {
        for (std::int64_t y = first[1]; y < last[1]; ++y)
        {
          for (std::int64_t x = first[0]; x < last[0]; ++x)
          {
            const std::int64_t at = (z * stage.size[1] + y) * stage.size[0] + x;
            for (unsigned int c = 0; c < dimension; ++c)
            {
              const double number = NumberAt(stage, interleaved ? at * dimension + c : c * samples + at);
              range.lower[c] = number < range.lower[c] ? number : range.lower[c];
              range.upper[c] = number > range.upper[c] ? number : range.upper[c];
            }
          }
        }
      }
    }
  });
}

void
DisplacementRange::Include(const std::array<std::int64_t, 3> & first,
                           const std::array<std::int64_t, 3> & last,
                           std::array<double, 3> &             lower,
                           std::array<double, 3> &             upper) const
{
  for (std::int64_t z = first[2] / m_Length; z <= last[2] / m_Length; ++z)
  {
    for (std::int64_t y = first[1] / m_Length; y <= last[1] / m_Length; ++y)
    {
      for (std::int64_t x = first[0] / m_Length; x <= last[0] / m_Length; ++x)
      {
        const Block & range = m_Ranges[static_cast<std::size_t>((z * m_Blocks[1] + y) * m_Blocks[0] + x)];
        for (unsigned int c = 0; c < m_Dimension; ++c)
        {
          lower[c] = std::min(lower[c], range.lower[c]);
          upper[c] = std::max(upper[c], range.upper[c]);
        }
      }
    }
  }
}

double
ChainBounds::Points::Extent(unsigned int axis) const
{
  return std::abs(spread[axis][0]) + std::abs(spread[axis][1]) + std::abs(spread[axis][2]) + radius[axis];
}

ChainBounds::ChainBounds(const TransformChain & chain, unsigned int dimension, const ExecutionContext & context)
  : m_Chain(chain)
  , m_Dimension(dimension)
{
  for (const TransformChain::Stage & stage : chain.stages)
  {
    TransformChain::Stage none;
    m_Ranges.emplace_back(
      stage.kind == TransformKind::Affine ? none : stage, stage.kind == TransformKind::Affine ? 0 : dimension, context);
  }
}

ChainBounds::Points
ChainBounds::Map(const Points &                 points,
                 const TransformChain::Matrix & matrix,
                 const TransformChain::Vector & before,
                 const TransformChain::Vector & after) const
{
  Points mapped;
  for (unsigned int r = 0; r < m_Dimension; ++r)
  {
    double magnitude = std::abs(after[r]);
    for (unsigned int c = 0; c < m_Dimension; ++c)
    {
      const double factor = matrix[r][c];
      mapped.centre[r] += factor * (points.centre[c] - before[c]);
      for (unsigned int e = 0; e < m_Dimension; ++e)
      {
        mapped.spread[r][e] += factor * points.spread[c][e];
      }
      mapped.radius[r] += std::abs(factor) * points.radius[c];
      magnitude += std::abs(factor) * (std::abs(points.centre[c]) + std::abs(before[c]) + points.Extent(c));
    }
    mapped.centre[r] += after[r];
    mapped.radius[r] += Slack * magnitude;
  }
  return mapped;
}

void
ChainBounds::Displace(std::size_t number, Points & points) const
{
  const TransformChain::Stage & stage = m_Chain.stages[number];
  // The bounds of the stage, as in the kernel.
  const TransformStage<3> kernel = MakeStage<3>(stage, nullptr);
  const Points            indices = this->Map(points, stage.pointToIndex, stage.origin, {});
  const bool              isSpline = stage.kind == TransformKind::BSpline;

  std::array<std::int64_t, 3> first{};
  std::array<std::int64_t, 3> last{};
  bool                        mayBeInside = true;
  bool                        mayBeOutside = false;
  bool                        isKnown = true;
  for (unsigned int d = 0; d < m_Dimension; ++d)
  {
    const double lower = indices.centre[d] - indices.Extent(d);
    const double upper = indices.centre[d] + indices.Extent(d);
    const auto   begin = static_cast<double>(stage.start[d]);
    const auto   end = begin + static_cast<double>(stage.size[d] - 1);
    isKnown = isKnown && std::isfinite(lower) && std::isfinite(upper);
    if (!isKnown)
    {
      break;
    }
    if (!stage.goesOn)
    {
      const double past = isSpline ? kernel.pastUpper[d] : kernel.upper[d];
      mayBeInside = mayBeInside && upper >= kernel.lower[d] && lower <= past;
      mayBeOutside = mayBeOutside || !(lower >= kernel.lower[d] && upper < kernel.upper[d]);
    }
    // The first and the last sample of any support, clamped before the conversion to integers. There is one more on
    // both sides, because FloorIndex() returns the integer above for a number just below it.
    const double offset = isSpline ? 0.5 - 0.5 * stage.order : 0.0;
    const double from = std::floor(lower + offset) - 1.0;
    const double to = std::floor(upper + offset) + (isSpline ? stage.order : 1) + 1.0;
    first[d] = static_cast<std::int64_t>(std::min(std::max(from, begin), end) - begin);
    last[d] = static_cast<std::int64_t>(std::min(std::max(to, begin), end) - begin);
  }
  if (!isKnown)
  {
    points.radius.fill(Infinite);
    return;
  }
  if (!mayBeInside)
  {
    return;
  }
  std::array<double, 3> least{ { Infinite, Infinite, Infinite } };
  std::array<double, 3> most{ { -Infinite, -Infinite, -Infinite } };
  m_Ranges[number].Include(first, last, least, most);
  for (unsigned int d = 0; d < m_Dimension; ++d)
  {
    if (mayBeOutside || least[d] > most[d]) // or all are NaN
    {
      least[d] = std::min(least[d], 0.0);
      most[d] = std::max(most[d], 0.0);
    }
    const double largest = std::max(std::abs(least[d]), std::abs(most[d]));
    points.radius[d] += 0.5 * (most[d] - least[d]) +
                        (stage.singleData != nullptr ? SingleSumSlack : SumSlack) * largest +
                        Slack * (std::abs(points.centre[d]) + points.Extent(d) + largest);
    points.centre[d] += 0.5 * (most[d] + least[d]);
  }
}

void
ChainBounds::Bound(const std::array<std::int64_t, 3> & first,
                   const std::array<std::int64_t, 3> & size,
                   std::array<double, 3> &             lower,
                   std::array<double, 3> &             upper) const
{
  Points points;
  for (unsigned int d = 0; d < m_Dimension; ++d)
  {
    const double half = 0.5 * static_cast<double>(size[d] - 1);
    points.centre[d] = static_cast<double>(m_Chain.regionStart[d] + first[d]) + half;
    points.spread[d][d] = half;
  }
  points = this->Map(points, m_Chain.indexToPoint, {}, m_Chain.outputOrigin);
  for (std::size_t number = 0; number < m_Chain.stages.size(); ++number)
  {
    const TransformChain::Stage & stage = m_Chain.stages[number];
    if (stage.kind == TransformKind::Affine)
    {
      points = this->Map(points, stage.matrix, {}, stage.offset);
    }
    else
    {
      this->Displace(number, points);
    }
  }
  points = this->Map(points, m_Chain.pointToIndex, m_Chain.inputOrigin, {});
  for (unsigned int d = 0; d < m_Dimension; ++d)
  {
    lower[d] = points.centre[d] - points.Extent(d);
    upper[d] = points.centre[d] + points.Extent(d);
    if (!(std::isfinite(lower[d]) && std::isfinite(upper[d])))
    {
      lower[d] = -Infinite;
      upper[d] = Infinite;
    }
  }
}

} // namespace itk::CudaSpline
