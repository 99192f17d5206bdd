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
#ifndef PointDifferences_h
#define PointDifferences_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/LinearCell.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <limits>

/** \file
 * \brief Central differences of an image at a point. */

namespace itk::CudaSpline
{

/** \brief The difference of the values at two points, which is divided by their distance. 0 if one of them is
 * outside. */
template <typename TReal, typename TGrid, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
ValueDifference(const TReal * data,
                const TGrid & grid,
                const double (&indexBelow)[VDimension],
                const double (&indexAbove)[VDimension])
{
  if (!grid.IsInside(indexBelow) || !grid.IsInside(indexAbove))
  {
    return 0.0;
  }
  const LinearCell<VDimension> high(grid.extent, indexAbove);
  const LinearCell<VDimension> low(grid.extent, indexBelow);
  return high.template Value<double>(data) - low.template Value<double>(data);
}

/** \brief Whether the axes of an image are those of physical space, and half a spacing is half a sample. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
IsAlongAxes(const double (&pointToIndex)[VDimension][VDimension], const double (&halfSpacing)[VDimension])
{
  constexpr double most = 1e-12; // rounding errors of an inverse matrix
  bool             is = true;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      is = is && (r == c || pointToIndex[r][c] == 0.0);
    }
    const double twice = 2.0 * halfSpacing[r] * pointToIndex[r][r];
    is = is && twice * twice > 1.0 - most && twice * twice < 1.0 + most;
  }
  return is;
}

/** \brief ValueDifference() along an axis, for two points that differ by one sample along that axis only.
 *
 * One sample of the axis is between them: the three faces of the two cells are read once, and their differences, not
 * their values, are interpolated along the other axes.
 *
 * \tparam VAxis the axis
 * \param[in] cell cell of the point in the middle
 * \param[in] below, above indices along the axis: inside, as the cell is */
template <unsigned int VAxis, typename TReal, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
FaceDifference(const TReal *                  data,
               const GridExtent<VDimension> & extent,
               const LinearCell<VDimension> & cell,
               double                         index,
               double                         below,
               double                         above)
{
  constexpr unsigned int others = VDimension - 1;
  constexpr unsigned int beside = 1U << others; // samples of a cell's face
  std::int64_t           stride = 1;
  std::int64_t           step[VDimension];
  double                 distance[VDimension];
  for (unsigned int d = 0, other = 0; d < VDimension; ++d)
  {
    stride *= d + 1 <= VAxis ? extent.size[d] : 1;
    if (d != VAxis)
    {
      step[other] = cell.step[d];
      distance[other] = cell.distance[d];
      ++other;
    }
  }
  const std::int64_t last = extent.size[VAxis] - 1;
  const auto         clamped = [last, &extent](std::int64_t at) {
    const std::int64_t place = at - extent.start[VAxis];
    return place < 0 ? 0 : (place > last ? last : place);
  };
  const std::int64_t base = LinearCell<VDimension>::Floor(below);
  const std::int64_t before = cell.offset - clamped(LinearCell<VDimension>::Floor(index)) * stride;
  const std::int64_t faces[3] = { before + clamped(base) * stride,
                                  before + clamped(base + 1) * stride,
                                  before + clamped(base + 2) * stride };
  const double       ofLower = 1.0 - RoundedSum(below, -static_cast<double>(base));
  const double       ofUpper = RoundedSum(above, -static_cast<double>(base + 1));
  double             differences[beside];
  for (unsigned int corner = 0; corner < beside; ++corner)
  {
    std::int64_t shift = 0;
    for (unsigned int other = 0; other < others; ++other)
    {
      shift += ((corner >> other) & 1U) != 0 ? step[other] : 0;
    }
    const auto middle = static_cast<double>(data[faces[1] + shift]);
    differences[corner] = (middle - static_cast<double>(data[faces[0] + shift])) * ofLower +
                          (static_cast<double>(data[faces[2] + shift]) - middle) * ofUpper;
  }
  for (unsigned int other = 0; other < others; ++other)
  {
    for (unsigned int pair = 0; pair < (beside >> (other + 1)); ++pair)
    {
      const double low = differences[2 * pair];
      differences[pair] = low + (differences[2 * pair + 1] - low) * distance[other];
    }
  }
  return differences[0];
}

/** \brief The result of PointDifferences() along an axis, if the axes are those of physical space.
 *
 * \tparam VAxis the axis
 * \param[in] index index of the point
 * \param[in] cell its cell
 * \param[in] halfSpacing half spacing of the axis (mm)
 * \param[in] place coordinate of the point along the axis (mm) */
template <unsigned int VAxis, typename TReal, typename TGrid, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
AxisDerivative(const TReal *                  data,
               const TGrid &                  grid,
               const LinearCell<VDimension> & cell,
               const double (&index)[VDimension],
               double halfSpacing,
               double place)
{
  const double perMm = grid.pointToIndex[VAxis][VAxis];
  const double below = RoundedSum(place, -halfSpacing);
  const double above = RoundedSum(place, halfSpacing);
  const bool   isTurned = perMm < 0.0; // the index decreases where the coordinate increases
  double       low[VDimension];
  double       high[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    low[d] = index[d];
    high[d] = index[d];
  }
  // ITK's rounding decides whether they are inside.
  low[VAxis] = RoundedProduct(perMm, RoundedSum(isTurned ? above : below, -grid.origin[VAxis]));
  high[VAxis] = RoundedProduct(perMm, RoundedSum(isTurned ? below : above, -grid.origin[VAxis]));
  if (!grid.IsInside(low) || !grid.IsInside(high))
  {
    return 0.0;
  }
  // Divided by their distance above - below, whose inverse is that of the spacing except for the rounding of points.
  const double inverse = perMm * (2.0 - RoundedSum(above, -below) * fabs(perMm));
  return inverse * FaceDifference<VAxis>(data, grid.extent, cell, index[VAxis], low[VAxis], high[VAxis]);
}

/** \brief Central differences with the rule of itk::CentralDifferenceImageFunction::Evaluate().
 *
 * If the axes are those of physical space, both points of a difference have the same index along the other axes, and
 * their cells share a face. Values are then not subtracted from each other: the result is more accurate than ITK's.
 *
 * \tparam TGrid has the image's origin, pointToIndex, extent, and IsInside() for continuous indices
 * \param[in] data samples, host or device; they are interpolated in double, because differences cancel
 * \param[in] grid grid of the image
 * \param[in] halfSpacing half the spacing of the image (mm)
 * \param[in] place point in the image's space (mm)
 * \param[out] gradient (per mm) */
template <typename TReal, typename TGrid, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
PointDifferences(const TReal * data,
                 const TGrid & grid,
                 const double (&halfSpacing)[VDimension],
                 const double (&place)[VDimension],
                 double (&gradient)[VDimension])
{
  if (IsAlongAxes(grid.pointToIndex, halfSpacing))
  {
    double index[VDimension];
    PointToContinuousIndex(grid.origin, grid.pointToIndex, place, index);
    const LinearCell<VDimension> cell(grid.extent, index);
    gradient[0] = AxisDerivative<0>(data, grid, cell, index, halfSpacing[0], place[0]);
    if constexpr (VDimension > 1)
    {
      gradient[1] = AxisDerivative<1>(data, grid, cell, index, halfSpacing[1], place[1]);
    }
    if constexpr (VDimension > 2)
    {
      gradient[2] = AxisDerivative<2>(data, grid, cell, index, halfSpacing[2], place[2]);
    }
    return;
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    // Selected, not indexed: on a device an array that is indexed at run time is in memory.
    double below[VDimension];
    double above[VDimension];
    double distance = 0.0;
    for (unsigned int k = 0; k < VDimension; ++k)
    {
      const double half = k == d ? halfSpacing[k] : 0.0;
      below[k] = RoundedSum(place[k], -half);
      above[k] = RoundedSum(place[k], half);
      distance += RoundedSum(above[k], -below[k]);
    }
    double indexBelow[VDimension];
    double indexAbove[VDimension];
    PointToContinuousIndex(grid.origin, grid.pointToIndex, below, indexBelow);
    PointToContinuousIndex(grid.origin, grid.pointToIndex, above, indexAbove);
    constexpr double least = 10.0 * std::numeric_limits<double>::epsilon(); // as in ITK, for a distance (mm)
    const double     slope = distance > least ? ValueDifference(data, grid, indexBelow, indexAbove) / distance : 0.0;
    for (unsigned int k = 0; k < VDimension; ++k)
    {
      gradient[k] = k == d ? slope : gradient[k];
    }
  }
}

} // namespace itk::CudaSpline

#endif
