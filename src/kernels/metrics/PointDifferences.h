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

/** \brief Central differences by the rule of itk::CentralDifferenceImageFunction::Evaluate().
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
    const double distance = RoundedSum(above[d], -below[d]);
    gradient[d] = 0.0;
    if (grid.IsInside(indexBelow) && grid.IsInside(indexAbove) && distance > least)
    {
      const LinearCell<VDimension> high(grid.extent, indexAbove);
      const LinearCell<VDimension> low(grid.extent, indexBelow);
      gradient[d] = (high.template Value<double>(data) - low.template Value<double>(data)) / distance;
    }
  }
}

} // namespace itk::CudaSpline

#endif
