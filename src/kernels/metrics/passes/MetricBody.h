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
#ifndef MetricBody_h
#define MetricBody_h

#include "itkCudaSpline/math/MetricSums.h"

#include "kernels/metrics/samples/DispatchMetric.h"
#include "kernels/metrics/samples/MetricValues.h"
#include "kernels/metrics/samples/OuterStages.h"
#include "kernels/metrics/passes/MetricContributions.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief The body of the metrics' kernels: computes the contributions of one sample to the sums. */

namespace itk::CudaSpline
{

/** \brief Replaces a histogram in passes without one. */
struct NoHistogram
{};

/** \brief The moving value of a sample, and the gradient (per mm) that the arguments request.
 *
 * \param[in] slot position among the stored values
 * \param[in] moved point in the moving image's space (mm)
 * \param[in] index its index there
 * \param[out] gradient the gradient */
template <typename TValues, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE double
ValueAndGradient(const MetricArguments<VDimension> & arguments,
                 std::int64_t                        slot,
                 const double (&moved)[VDimension],
                 const double (&index)[VDimension],
                 double (&gradient)[VDimension])
{
  using Real = typename TValues::Real;
  const bool isGiven = arguments.gradientFrom == MetricGradient::Samples;
  if (isGiven)
  {
    const Real * const given =
      static_cast<const Real *>(arguments.gradient) + slot * static_cast<std::int64_t>(VDimension);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      gradient[d] = static_cast<double>(given[d]);
    }
  }
  if constexpr (AreKept<TValues>)
  {
    if (arguments.gradientFrom == MetricGradient::Image)
    {
      GradientOfImage<Real>(arguments, LinearCell<VDimension>(arguments.moving.extent, index), gradient);
    }
    else if (!isGiven)
    {
      CentralDifferences<Real>(arguments, moved, gradient);
    }
    return arguments.Kept(slot);
  }
  else
  {
    if (arguments.gradientFrom == MetricGradient::Image)
    {
      return TValues::ValueAndGradientOfImage(arguments, index, gradient);
    }
    if (arguments.gradientFrom == MetricGradient::Analytic)
    {
      return TValues::ValueAndGradient(arguments, index, gradient);
    }
    const double value = TValues::Value(arguments, index);
    if (!isGiven)
    {
      CentralDifferences<Real>(arguments, moved, gradient);
    }
    return value;
  }
}

/** \brief The body of every kernel of a metric: adds one sample, if it is valid, to the sums.
 *
 * A sample is valid if it is in the fixed image and its mask (already known), and its mapped point is in the moving
 * mask and in the moving image's buffer.
 *
 * \tparam TValues PlainValues, SplineValues or KeptValues
 * \tparam TMove maps a point of the virtual domain to the moving image's space (mm); may transform gradients, as
 * OuterJacobianMove does
 * \tparam TSums MetricSums, or a class with its functions; without sets there is no derivative
 * \tparam THistogram receives the sample instead of the sums, except for the count; NoHistogram: none
 * \param[in] slot position of the sample among the stored moving values */
template <typename TValues, unsigned int VDimension, typename TMove, typename TSums, typename THistogram>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddMovedSample(const MetricArguments<VDimension> & arguments,
               const MetricCursor<VDimension> &    cursor,
               std::int64_t                        slot,
               const TMove &                       move,
               TSums &                             sums,
               THistogram &                        histogram)
{
  using Real = typename TValues::Real;
  if (arguments.inside != nullptr && arguments.inside[cursor.sample] == 0)
  {
    return;
  }
  double place[VDimension];
  double moved[VDimension];
  double index[VDimension];
  cursor.PlaceIn(arguments, place);
  move(place, moved);
  if (arguments.mask != nullptr && !arguments.MaskAdmits(moved))
  {
    return;
  }
  PointToContinuousIndex(arguments.moving.origin, arguments.moving.pointToIndex, moved, index);
  if (!arguments.moving.IsInside(index))
  {
    return;
  }
  SamplePair<VDimension> pair{};
  double                 arm[VDimension] = {};
  double                 value = 0.0;
  if constexpr (TSums::Sets > 0)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      arm[d] = place[d] - arguments.centre[d];
    }
    value = ValueAndGradient<TValues>(arguments, slot, moved, index, pair.movingGradient);
    if constexpr (BringsBack<TMove>)
    {
      move.PullBackGradient(place, pair.movingGradient);
    }
  }
  else
  {
    value = TValues::Value(arguments, index);
  }
  pair.isSingle = arguments.singleFixed;
  pair.moving = arguments.singleMoving ? static_cast<double>(RoundedToSingle(value)) : value;
  if constexpr (TSums::Sets == 0)
  {
    arguments.Keep(slot, pair.moving);
    arguments.Mark(slot);
  }
  pair.fixed = static_cast<double>(static_cast<const Real *>(arguments.fixed)[cursor.sample]);
  if constexpr (std::is_same<THistogram, NoHistogram>::value)
  {
    (void)histogram;
    MetricContributions::Add(arguments, pair, arm, sums);
  }
  else
  {
    HistogramContribution::Add(arguments, pair, histogram, sums);
  }
}

/** \brief The same, mapped by the arguments' own stages.
 *
 * \tparam VMove how samples are mapped */
template <SampleMove VMove, typename TValues, unsigned int VDimension, typename TSums, typename THistogram>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddMetricSample(const MetricArguments<VDimension> & arguments,
                const MetricCursor<VDimension> &    cursor,
                TSums &                             sums,
                THistogram &&                       histogram)
{
  if constexpr (VMove == SampleMove::AnyWithJacobian)
  {
    const OuterJacobianMove<VDimension> move{ arguments };
    AddMovedSample<TValues>(arguments, cursor, cursor.sample, move, sums, histogram);
  }
  else
  {
    const auto move = [&arguments, &cursor](const double(&place)[VDimension], double(&moved)[VDimension]) {
      arguments.template Move<VMove>(cursor.sample, place, moved);
    };
    AddMovedSample<TValues>(arguments, cursor, cursor.sample, move, sums, histogram);
  }
}

} // namespace itk::CudaSpline

#endif
