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
#ifndef GridDifferences_h
#define GridDifferences_h

#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/HostDevice.h"

#include "kernels/metrics/samples/PointDifferences.h"

#include <cstdint>

/** \file
 * \brief Central differences of an image at its own samples. */

namespace itk::CudaSpline
{

/** \brief The neighbours of a sample, for each axis. */
template <typename TPixel>
struct GridNeighbours
{
  TPixel above[3];
  TPixel below[3];
};

/** \brief PointDifferences() at the samples of the image, with few operations if its axes are those of physical space.
 *
 * The points half a spacing away are then in the middle between samples. Whether those beyond the first and the last
 * sample count as inside (at -1/2 ITK's coordinates are rounded) is tested once per axis. */
struct GridDifferences
{
  static constexpr unsigned int Axes = 3; ///< two-dimensional images have one slice

  GridExtent<Axes> extent;
  double           origin[Axes];
  double           indexToPoint[Axes][Axes];
  double           pointToIndex[Axes][Axes];
  double           lower[Axes]; ///< bounds of continuous indices: inside is [lower, upper)
  double           upper[Axes];
  double           halfSpacing[Axes];
  double           weight[Axes]; ///< of the difference of the neighbours along an axis (1 / mm)
  bool             countsFirst[Axes];
  bool             countsLast[Axes];
  bool             isAlongAxes; ///< the axes of the grid are those of physical space
  bool             followsGrid; ///< see LocalCorrelationImages::gradientsFollowGrid

  /** The rule of itk::ImageFunction::IsInsideBuffer(). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInside(const double (&index)[Axes]) const
  {
    bool isInside = true;
    for (unsigned int d = 0; d < Axes; ++d)
    {
      isInside = isInside && index[d] >= lower[d] && index[d] < upper[d];
    }
    return isInside;
  }

  /** \brief The neighbours of a sample along the axes; at an end the sample itself.
   *
   * \param[in] data first sample, host or device
   * \param[in] at index of the sample, relative to the first one
   * \param[in] offset its offset in memory */
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE GridNeighbours<TPixel>
  Neighbours(const TPixel * data, const std::int64_t (&at)[Axes], std::int64_t offset) const
  {
    GridNeighbours<TPixel> found;
    std::int64_t           stride = 1;
    for (unsigned int d = 0; d < Axes; ++d)
    {
      found.above[d] = data[offset + (at[d] + 1 == extent.size[d] ? 0 : stride)];
      found.below[d] = data[offset - (at[d] == 0 ? 0 : stride)];
      stride *= extent.size[d];
    }
    return found;
  }

  /** The weight of the difference of a sample's neighbours along an axis (1 / mm); 0: it does not count. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  WeightAt(unsigned int axis, std::int64_t at) const
  {
    return (at != 0 || countsFirst[axis]) && (at + 1 != extent.size[axis] || countsLast[axis]) ? weight[axis] : 0.0;
  }

  /** \brief The gradient at a sample, if the axes are those of physical space.
   *
   * \tparam TReal type of the differences
   * \param[in] around Neighbours() of the sample
   * \param[in] at index of the sample, relative to the first one
   * \param[out] gradient (per mm) */
  template <typename TPixel, typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AlongAxes(const GridNeighbours<TPixel> & around, const std::int64_t (&at)[Axes], TReal (&gradient)[Axes]) const
  {
    for (unsigned int d = 0; d < Axes; ++d)
    {
      const bool counts = (at[d] != 0 || countsFirst[d]) && (at[d] + 1 != extent.size[d] || countsLast[d]);
      const auto difference = static_cast<TReal>(around.above[d]) - static_cast<TReal>(around.below[d]);
      gradient[d] = counts ? difference * static_cast<TReal>(weight[d]) : TReal(0);
    }
  }

  /** The same with the WeightAt() of each axis. */
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  AlongAxes(const GridNeighbours<TReal> & around, const TReal (&weights)[Axes], TReal (&gradient)[Axes])
  {
    for (unsigned int d = 0; d < Axes; ++d)
    {
      gradient[d] = weights[d] != TReal(0) ? (around.above[d] - around.below[d]) * weights[d] : TReal(0);
    }
  }

  /** The same on any grid: differences along its axes, rotated to physical space. */
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Turned(const TPixel * data, const std::int64_t (&at)[Axes], double (&gradient)[Axes]) const
  {
    const auto around = this->Neighbours(data, at, at[0] + extent.size[0] * (at[1] + extent.size[1] * at[2]));
    for (unsigned int d = 0; d < Axes; ++d)
    {
      gradient[d] = 0.0;
    }
    for (unsigned int k = 0; k < Axes; ++k)
    {
      const bool   counts = at[k] != 0 && at[k] + 1 != extent.size[k];
      const double difference = static_cast<double>(around.above[k]) - static_cast<double>(around.below[k]);
      for (unsigned int d = 0; counts && d < Axes; ++d)
      {
        gradient[d] += 0.5 * difference * pointToIndex[k][d];
      }
    }
  }

  /** \brief The same on any grid, with ITK's rule: from the points around the sample. */
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  OfPlace(const TPixel * data, const std::int64_t (&at)[Axes], double (&gradient)[Axes]) const
  {
    if (followsGrid)
    {
      this->Turned(data, at, gradient);
      return;
    }
    std::int64_t index[Axes];
    double       place[Axes];
    for (unsigned int d = 0; d < Axes; ++d)
    {
      index[d] = extent.start[d] + at[d];
    }
    IndexToPoint(origin, indexToPoint, index, place);
    PointDifferences(data, *this, halfSpacing, place, gradient);
  }
};

/** \brief The differences of images on a grid.
 *
 * \param[in] followsGrid see LocalCorrelationImages::gradientsFollowGrid */
inline GridDifferences
MakeGridDifferences(FieldGrid grid, bool followsGrid = false)
{
  constexpr unsigned int Axes = GridDifferences::Axes;
  for (unsigned int d = grid.dimension; d < Axes; ++d)
  {
    grid.indexToPoint[d][d] = 1.0;
    grid.pointToIndex[d][d] = 1.0;
  }
  GridDifferences made{};
  made.isAlongAxes = true;
  made.followsGrid = followsGrid;
  for (unsigned int r = 0; r < Axes; ++r)
  {
    made.extent.start[r] = grid.start[r];
    made.extent.size[r] = grid.size[r];
    made.origin[r] = grid.origin[r];
    made.lower[r] = static_cast<double>(grid.start[r]) - 0.5;
    made.upper[r] = static_cast<double>(grid.start[r] + grid.size[r] - 1) + 0.5;
    made.halfSpacing[r] = 0.5 * grid.spacing[r];
    for (unsigned int c = 0; c < Axes; ++c)
    {
      made.indexToPoint[r][c] = grid.indexToPoint[r][c];
      made.pointToIndex[r][c] = grid.pointToIndex[r][c];
      made.isAlongAxes =
        made.isAlongAxes && (r == c || (grid.indexToPoint[r][c] == 0.0 && grid.pointToIndex[r][c] == 0.0));
    }
    made.weight[r] = (grid.indexToPoint[r][r] < 0.0 ? -0.5 : 0.5) / grid.spacing[r];
  }
  for (unsigned int d = 0; d < Axes; ++d)
  {
    const auto counts = [&](std::int64_t at) {
      std::int64_t index[Axes];
      for (unsigned int k = 0; k < Axes; ++k)
      {
        index[k] = grid.start[k];
      }
      index[d] += at;
      double place[Axes];
      IndexToPoint(made.origin, made.indexToPoint, index, place);
      bool         isInside = true;
      const double centre = place[d];
      for (const double half : { -made.halfSpacing[d], made.halfSpacing[d] })
      {
        double found[Axes];
        place[d] = RoundedSum(centre, half);
        PointToContinuousIndex(made.origin, made.pointToIndex, place, found);
        isInside = isInside && made.IsInside(found);
      }
      return isInside;
    };
    made.countsFirst[d] = !followsGrid && counts(0);
    made.countsLast[d] = !followsGrid && counts(grid.size[d] - 1);
  }
  return made;
}

} // namespace itk::CudaSpline

#endif
