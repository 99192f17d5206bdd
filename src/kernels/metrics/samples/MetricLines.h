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
#ifndef MetricLines_h
#define MetricLines_h

#include "kernels/common/HostLoop.h"
#include "kernels/metrics/samples/DispatchMetric.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

/** \file
 * \brief Samples of a grid whose axes are those of the image: their positions along each axis are computed once. */

namespace itk::CudaSpline
{

/** \brief Minimum number of samples of a range of the loop. */
inline constexpr std::int64_t FewestSamples = 2048;

/** \brief LinearCell::Value(), except that neighbours which are not needed are ignored if they are not finite: the rule
 * of LinearValue(), in double.
 *
 * \param[in] data the lower corner */
template <unsigned int VDimension, typename TReal>
double
NeededValue(const TReal * data, const std::int64_t (&step)[VDimension], const double (&distance)[VDimension])
{
  constexpr unsigned int corners = 1U << VDimension;
  double                 samples[corners];
  std::int64_t           stepOfThese[VDimension];
  for (unsigned int corner = 0; corner < corners; ++corner)
  {
    std::int64_t at = 0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      at += ((corner >> d) & 1U) != 0 ? step[d] : 0;
      stepOfThese[d] = step[d] != 0 ? std::int64_t{ 1 } << d : 0;
    }
    samples[corner] = static_cast<double>(data[at]);
  }
  return InterpolateCorners<VDimension>(samples, 0, stepOfThese, distance);
}

/** \brief Finds the coordinate on which each result of a matrix depends, where \p on has the same for the input.
 * Returns false if a row does not have exactly one nonzero element. */
template <unsigned int VDimension>
bool
DependsThrough(const double (&matrix)[VDimension][VDimension], unsigned int (&on)[VDimension])
{
  unsigned int next[VDimension];
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    const auto * const first = std::begin(matrix[r]);
    if (std::count(first, first + VDimension, 0.0) + 1 != VDimension)
    {
      return false;
    }
    const auto * const found = std::find_if(first, first + VDimension, [](double number) { return number != 0.0; });
    next[r] = on[static_cast<std::size_t>(found - first)];
  }
  std::copy_n(next, VDimension, on);
  return true;
}

/** \brief The positions of the samples of a grid along the same axis of the image. */
struct AxisCells
{
  std::vector<std::int64_t> offset;   ///< of the lower neighbour (elements)
  std::vector<std::int64_t> step;     ///< to the upper one (elements); 0: not needed
  std::vector<double>       distance; ///< between them
  std::vector<std::uint8_t> isInside;
};

/** \brief Computes an AxisCells for each axis. Returns false if the indices along an axis do not depend only on the
 * samples of that axis of the grid. Products with 0 are added to an index, and do not change it. */
template <unsigned int VDimension>
bool
FindAxisCells(const MetricArguments<VDimension> & arguments, AxisCells (&cells)[VDimension])
{
  const auto & moving = arguments.moving;
  unsigned int own[VDimension];
  unsigned int on[VDimension];
  std::iota(std::begin(own), std::end(own), 0U);
  std::copy_n(own, VDimension, on);
  bool isAlongAxes =
    arguments.points == nullptr && arguments.mask == nullptr && DependsThrough(moving.indexToPoint, on);
  for (int stage = 0; isAlongAxes && stage < moving.stageCount; ++stage)
  {
    isAlongAxes = DependsThrough(moving.stages[stage].map.matrix, on);
  }
  if (!isAlongAxes || !DependsThrough(moving.pointToIndex, on) ||
      !std::equal(std::begin(on), std::end(on), std::begin(own))) // for a singular matrix two may depend on one axis
  {
    return false;
  }
  std::int64_t ofGrid = 1;
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    GridExtent<1> extent;
    extent.start[0] = moving.extent.start[d];
    extent.size[0] = moving.extent.size[d];
    for (std::int64_t k = 0; k < moving.region.size[d]; ++k)
    {
      double place[VDimension];
      double moved[VDimension];
      double index[VDimension];
      MetricCursor<VDimension>(arguments, k * ofGrid).PlaceIn(arguments, place);
      arguments.template Move<SampleMove::Affine>(0, place, moved);
      PointToContinuousIndex(moving.origin, moving.pointToIndex, moved, index);
      if (!std::isfinite(index[d]))
      {
        return false;
      }
      const bool isInside = index[d] >= moving.lower[d] && index[d] < moving.upper[d];
      cells[d].isInside.push_back(isInside ? 1 : 0);
      const double        along[1] = { isInside ? index[d] : static_cast<double>(extent.start[0]) };
      const LinearCell<1> cell(extent, along);
      const std::int64_t  nearest =
        std::clamp<std::int64_t>(NearestIndex(along[0]) - extent.start[0], 0, extent.size[0] - 1);
      cells[d].offset.push_back((arguments.nearest ? nearest : cell.offset) * stride);
      cells[d].step.push_back(arguments.nearest ? 0 : cell.step[0] * stride);
      cells[d].distance.push_back(arguments.nearest ? 0.0 : cell.distance[0]);
    }
    ofGrid *= moving.region.size[d];
    stride *= moving.extent.size[d];
  }
  return true;
}

/** \brief Interpolates a line along the axes 0 to VAxis - 1 in their order, or reads its samples. The sums are those of
 * LinearCell if samples are finite. Axes along which the line is exactly on samples are skipped.
 *
 * \param[in] x the cells along the line
 * \param[in] step, distance to the upper neighbours along the other axes
 * \param[out] values values of the line */
template <unsigned int VAxis, typename TReal>
void
InterpolateLine(const TReal *         data,
                const AxisCells &     x,
                const std::int64_t *  step,
                const double *        distance,
                std::vector<double> * scratch,
                std::vector<double> & values)
{
  const std::size_t count = x.offset.size();
  if constexpr (VAxis == 1)
  {
    for (std::size_t i = 0; i < count; ++i)
    {
      const TReal * const at = data + x.offset[i];
      const auto          low = static_cast<double>(at[0]);
      values[i] = low + (static_cast<double>(at[x.step[i]]) - low) * x.distance[i];
    }
  }
  else
  {
    InterpolateLine<VAxis - 1>(data, x, step, distance, scratch, values);
    if (step[VAxis - 1] != 0)
    {
      std::vector<double> & upper = scratch[VAxis - 1];
      InterpolateLine<VAxis - 1>(data + step[VAxis - 1], x, step, distance, scratch, upper);
      const double between = distance[VAxis - 1];
      for (std::size_t i = 0; i < count; ++i)
      {
        values[i] = values[i] + (upper[i] - values[i]) * between;
      }
    }
  }
}

/** \brief Samples a grid along the axes of the image, line by line. */
template <typename TReal, unsigned int VDimension>
bool
SampleLinesOnHost(const MetricArguments<VDimension> & arguments,
                  const AxisCells (&cells)[VDimension],
                  const ExecutionContext & context,
                  TReal *                  values,
                  std::uint8_t *           inside)
{
  const auto &       x = cells[0];
  const auto         row = static_cast<std::int64_t>(x.offset.size());
  const bool         isRowInside = std::find(x.isInside.begin(), x.isInside.end(), 0) == x.isInside.end();
  std::atomic<bool>  areAllInside{ true };
  const std::int64_t lines = arguments.count / row;
  RunInParts(lines, (FewestSamples + row - 1) / row, context, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> line(x.offset.size());
    std::vector<double> scratch[VDimension];
    std::fill(std::begin(scratch), std::end(scratch), line);
    for (std::int64_t number = begin; number < end; ++number)
    {
      std::int64_t offset = 0;
      std::int64_t step[VDimension] = {};
      double       distance[VDimension] = {};
      bool         isInside = true;
      std::int64_t rest = number;
      for (unsigned int d = 1; d < VDimension; ++d)
      {
        const auto at = static_cast<std::size_t>(rest % arguments.moving.region.size[d]);
        rest /= arguments.moving.region.size[d];
        offset += cells[d].offset[at];
        step[d] = cells[d].step[at];
        distance[d] = cells[d].distance[at];
        isInside = isInside && cells[d].isInside[at] != 0;
      }
      TReal * const        to = values + number * row;
      std::uint8_t * const flags = inside + number * row;
      if (!isInside)
      {
        std::fill_n(to, row, TReal(0));
        std::fill_n(flags, row, std::uint8_t{ 0 });
        areAllInside = false;
        continue;
      }
      const TReal * const data = static_cast<const TReal *>(arguments.moving.source) + offset;
      InterpolateLine<VDimension>(data, x, step, distance, scratch, line);
      bool isFinite = true;
      for (std::size_t i = 0; i < line.size(); ++i)
      {
        isFinite = isFinite && std::isfinite(line[i]);
        to[i] = static_cast<TReal>(line[i]);
      }
      if (!isFinite)
      {
        for (std::size_t i = 0; i < line.size(); ++i)
        {
          step[0] = x.step[i];
          distance[0] = x.distance[i];
          to[i] = static_cast<TReal>(NeededValue<VDimension>(data + x.offset[i], step, distance));
        }
      }
      std::copy(x.isInside.begin(), x.isInside.end(), flags);
      if (!isRowInside)
      {
        areAllInside = false;
        std::transform(to, to + row, flags, to, [](TReal value, std::uint8_t flag) { return flag != 0 ? value : 0; });
      }
    }
  });
  return areAllInside;
}

/** \brief Whether the samples of an axis of the grid are those of the image. */
inline bool
IsEachSample(const AxisCells & cells, std::int64_t size, std::int64_t stride)
{
  bool isEach = static_cast<std::int64_t>(cells.offset.size()) == size;
  for (std::size_t k = 0; isEach && k < cells.offset.size(); ++k)
  {
    isEach = cells.isInside[k] != 0 && cells.step[k] == 0 && cells.offset[k] == static_cast<std::int64_t>(k) * stride;
  }
  return isEach;
}

} // namespace itk::CudaSpline

#endif
