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
#ifndef SplineRows_h
#define SplineRows_h

#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/transforms/TransformStages.h"

#include <cstdint>

/** \file
 * \brief Cubic splines on grids that are parallel to their own: bodies for host and device. */

namespace itk::CudaSpline
{

constexpr int SplineTaps = 4; ///< coefficients along an axis

/** \brief The coefficients that determine the samples with one index along an axis. */
struct SplineEntry
{
  /** First one, relative to the first of the grid; below 0: the spline is not valid there. */
  std::int64_t start;
  double       weights[SplineTaps]; ///< weights of this and the following coefficients
};

/** \brief The arrays of MakeSplineField() in 3D. */
template <typename TReal>
struct SplineRows
{
  TransformStage<3> spline;
  GridGeometry<3>   grid;
  TReal *           output;
  SplineEntry *     entries; ///< of the samples along x, then those along y, then those along z

  /** The entries of an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE SplineEntry *
  EntriesOf(unsigned int axis) const
  {
    return entries + (axis > 0 ? grid.extent.size[0] : 0) + (axis > 1 ? grid.extent.size[1] : 0);
  }

  /** Computes an entry. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MakeEntry(unsigned int axis, std::int64_t sample) const
  {
    constexpr double near = 1e-9;
    std::int64_t     at[3] = { 0, 0, 0 };
    double           place[3];
    double           index[3];
    SplineEntry &    entry = EntriesOf(axis)[sample];
    at[axis] = sample;
    PlaceOfSample(grid, at, place);
    PointToContinuousIndex(spline.origin, spline.pointToIndex, place, index);
    double x = index[axis];
    if (x < spline.lower[axis] && x > spline.lower[axis] - near)
    {
      x = spline.lower[axis];
    }
    if (x >= spline.atUpper[axis] && x < spline.upper[axis] + near)
    {
      x = spline.belowUpper[axis];
    }
    entry.start = -1;
    if (x >= spline.lower[axis] && x < spline.upper[axis])
    {
      const std::int64_t first = FloorIndex(x - 1.0);
      SplineWeights<3>(x - static_cast<double>(first + 1), entry.weights);
      entry.start = first - spline.extent.start[axis];
    }
  }
};

/** \brief Creates the arguments, with scratch memory. */
template <typename TReal>
SplineRows<TReal>
MakeSplineRows(const TransformChain::Stage & spline, const FieldShape & shape, void * output, void * scratch)
{
  return { MakeStage<3>(spline, DisplacementsOf(spline)),
           MakeGeometry<3>(shape.grid),
           static_cast<TReal *>(output),
           static_cast<SplineEntry *>(scratch) };
}

/** \brief Evaluates splines with their entries. */
///@{
void
EvaluateRowsOnCpu(const SplineRows<float> & rows, const Residence & residence);
void
EvaluateRowsOnCpu(const SplineRows<double> & rows, const Residence & residence);
///@}

/** \brief The same on a device.
 *
 * \param[in] rows the splines
 * \param[in] stepAlongY length of a step of the output along y in the grid of the spline (samples of that grid)
 * \param[in] makesEntries whether the entries are computed first
 * \return false if the device cannot store the rows of coefficients: no work is enqueued */
///@{
bool
EvaluateRowsOnCuda(const SplineRows<float> & rows, double stepAlongY, bool makesEntries, const Residence & residence);
bool
EvaluateRowsOnCuda(const SplineRows<double> & rows, double stepAlongY, bool makesEntries, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif
