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
 * \brief Central differences of an image at a place. */

namespace itk::CudaSpline
{

/** \brief Difference of an image's values in two cells that lie behind each other along an axis: LinearCell::Value() of
 * the upper one less that of the lower one, bit for bit, where samples of both are read once.
 *
 * \tparam VAxis the axis
 * \param[in] data samples, host or device
 * \param[in] low the lower cell, \param[in] high the upper one, which begins where the lower one ends */
template <unsigned int VAxis, typename TReal, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
NeighbourDifference(const TReal * data, const LinearCell<VDimension> & low, const LinearCell<VDimension> & high)
{
  constexpr unsigned int beside = 1U << (VDimension - 1); // samples of a cell's face
  const std::int64_t     begins[3] = { low.offset, high.offset, high.offset + high.step[VAxis] };
  double                 faces[3][beside];
  for (unsigned int corner = 0; corner < beside; ++corner)
  {
    std::int64_t shift = 0;
    for (unsigned int d = 0, bit = 0; d < VDimension; ++d)
    {
      if (d != VAxis)
      {
        shift += ((corner >> bit) & 1U) != 0 ? low.step[d] : 0;
        ++bit;
      }
    }
    for (unsigned int face = 0; face < 3; ++face)
    {
      faces[face][corner] = static_cast<double>(data[begins[face] + shift]);
    }
  }
  // Axis after axis, as LinearCell does.
  const auto between = [](double lower, double upper, double distance) { return lower + (upper - lower) * distance; };
  const auto halve = [&between](double(&values)[beside], unsigned int pairs, double distance) {
    for (unsigned int pair = 0; pair < pairs; ++pair)
    {
      values[pair] = between(values[2 * pair], values[2 * pair + 1], distance);
    }
  };
  unsigned int left = beside;
  for (int d = 0; d < static_cast<int>(VAxis); ++d) // none before the first axis
  {
    left /= 2;
    for (auto & face : faces)
    {
      halve(face, left, low.distance[d]);
    }
  }
  double lower[beside];
  double upper[beside];
  for (unsigned int corner = 0; corner < left; ++corner)
  {
    lower[corner] = between(faces[0][corner], faces[1][corner], low.distance[VAxis]);
    upper[corner] = between(faces[1][corner], faces[2][corner], high.distance[VAxis]);
  }
  for (unsigned int d = VAxis + 1; d < VDimension; ++d)
  {
    left /= 2;
    halve(lower, left, low.distance[d]);
    halve(upper, left, low.distance[d]);
  }
  return upper[0] - lower[0];
}

/** \brief What is divided by the distance of two places: their values' difference. 0 where one of them is outside.
 *
 * \tparam VAxis the axis along which the places lie apart; VDimension: any */
template <unsigned int VAxis, typename TReal, typename TGrid, unsigned int VDimension>
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
  if constexpr (VAxis < VDimension)
  {
    if (low.offset + low.step[VAxis] == high.offset)
    {
      return NeighbourDifference<VAxis>(data, low, high);
    }
  }
  return high.template Value<double>(data) - low.template Value<double>(data);
}

/** \brief Whether the axes of an image are those of space. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
IsAlongAxes(const double (&pointToIndex)[VDimension][VDimension])
{
  bool is = true;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      is = is && (r == c || pointToIndex[r][c] == 0.0);
    }
  }
  return is;
}

/** \brief What PointDifferences() gives along an axis, where the axes are those of space.
 *
 * \tparam VAxis the axis
 * \param[in] index the place's */
template <unsigned int VAxis, typename TReal, typename TGrid, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
AxisDifference(const TReal * data, const TGrid & grid, const double (&index)[VDimension], double below, double above)
{
  double low[VDimension];
  double high[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    low[d] = index[d];
    high[d] = index[d];
  }
  const double perMm = grid.pointToIndex[VAxis][VAxis];
  const bool   isTurned = perMm < 0.0; // the index falls where the place grows
  low[VAxis] = RoundedProduct(perMm, RoundedSum(isTurned ? above : below, -grid.origin[VAxis]));
  high[VAxis] = RoundedProduct(perMm, RoundedSum(isTurned ? below : above, -grid.origin[VAxis]));
  const double difference = ValueDifference<VAxis>(data, grid, low, high);
  return isTurned ? -difference : difference;
}

/** \brief Central differences by the rule of itk::CentralDifferenceImageFunction::Evaluate().
 *
 * Where the axes are those of space the two places of a difference have the same index along the others, and cells that
 * share samples; the result has the same bits.
 *
 * \tparam TGrid has the image's origin, pointToIndex, extent, and IsInside() of continuous indices
 * \param[in] data samples, host or device; they are interpolated in double, as differences cancel
 * \param[in] grid of the image
 * \param[in] halfSpacing half the spacing of the image (mm)
 * \param[in] place in the image's space (mm)
 * \param[out] gradient (per mm) */
template <typename TReal, typename TGrid, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
PointDifferences(const TReal * data,
                 const TGrid & grid,
                 const double (&halfSpacing)[VDimension],
                 const double (&place)[VDimension],
                 double (&gradient)[VDimension])
{
  constexpr double least = 10.0 * std::numeric_limits<double>::epsilon(); // ITK's, of a distance (mm)
  const auto       divided = [](double difference, double below, double above) {
    const double distance = RoundedSum(above, -below);
    return distance > least ? difference / distance : 0.0;
  };
  if (IsAlongAxes(grid.pointToIndex))
  {
    double index[VDimension];
    PointToContinuousIndex(grid.origin, grid.pointToIndex, place, index);
    double below[VDimension];
    double above[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      below[d] = RoundedSum(place[d], -halfSpacing[d]);
      above[d] = RoundedSum(place[d], halfSpacing[d]);
    }
    gradient[0] = divided(AxisDifference<0>(data, grid, index, below[0], above[0]), below[0], above[0]);
    if constexpr (VDimension > 1)
    {
      gradient[1] = divided(AxisDifference<1>(data, grid, index, below[1], above[1]), below[1], above[1]);
    }
    if constexpr (VDimension > 2)
    {
      gradient[2] = divided(AxisDifference<2>(data, grid, index, below[2], above[2]), below[2], above[2]);
    }
    return;
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    double below[VDimension];
    double above[VDimension];
    for (unsigned int k = 0; k < VDimension; ++k)
    {
      below[k] = place[k];
      above[k] = place[k];
    }
    below[d] = RoundedSum(place[d], -halfSpacing[d]);
    above[d] = RoundedSum(place[d], halfSpacing[d]);
    double indexBelow[VDimension];
    double indexAbove[VDimension];
    PointToContinuousIndex(grid.origin, grid.pointToIndex, below, indexBelow);
    PointToContinuousIndex(grid.origin, grid.pointToIndex, above, indexAbove);
    gradient[d] = divided(ValueDifference<VDimension>(data, grid, indexBelow, indexAbove), below[d], above[d]);
  }
}

} // namespace itk::CudaSpline

#endif
