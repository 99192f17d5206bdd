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

#include "kernels/metrics/MetricValues.h"
#include "kernels/metrics/OuterStages.h"
#include "kernels/metrics/PairWeights.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief The body of the metrics' kernels: one sample, from its place to the sums. */

namespace itk::CudaSpline
{

/** \brief Adds what a pair of values gives to a derivative by demons. */
template <unsigned int VDimension, typename TSums>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddDemons(const MetricArguments<VDimension> & arguments,
          double                              difference,
          const double (&gradient)[VDimension],
          const double (&arm)[VDimension],
          TSums & sums)
{
  double square = 0.0;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    square += gradient[d] * gradient[d];
  }
  double weight = 0.0;
  if (DemonsWeight(difference,
                   square,
                   arguments.normalizer,
                   arguments.differenceThreshold,
                   arguments.denominatorThreshold,
                   weight))
  {
    sums.AddForce(0, weight, gradient, arm);
  }
}

/** \brief Adds what a pair of values gives to the sums. */
template <unsigned int VDimension, typename TSums>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddPair(const MetricArguments<VDimension> & arguments,
        double                              fixed,
        double                              moving,
        const double (&gradient)[VDimension],
        const double (&arm)[VDimension],
        TSums & sums)
{
  constexpr unsigned int VSets = TSums::Sets;
  if constexpr (VSets == 1 || TSums::AnyPass)
  {
    if (arguments.pass == MetricPass::Information)
    {
      double weight = 0.0;
      if (InformationWeight(arguments.bins, arguments.table, fixed, moving, weight))
      {
        sums.AddSample();
        sums.AddForce(0, weight, gradient, arm);
      }
      return;
    }
    if (arguments.pass == MetricPass::Weights)
    {
      sums.AddSample();
      if (fixed != 0.0) // a gradient that is not finite adds nothing then
      {
        sums.AddForce(0, fixed, gradient, arm);
      }
      return;
    }
    if (arguments.pass == MetricPass::Demons)
    {
      const double difference = PairDifference(fixed, moving, arguments.singleFixed);
      sums.AddSample();
      sums.AddValue(0, difference * difference);
      AddDemons(arguments, difference, gradient, arm, sums);
      return;
    }
  }
  sums.AddSample();
  // With moments the pass follows from their sets, but for Information; without there are values alone.
  constexpr bool asks = VSets == 0 || TSums::AnyPass;
  if ((VSets == 1 && !asks) ||
      (asks && (arguments.pass == MetricPass::MeanSquares || arguments.pass == MetricPass::Demons)))
  {
    const double difference = PairDifference(fixed, moving, arguments.singleFixed);
    sums.AddValue(0, difference * difference);
    if constexpr (VSets > 0)
    {
      sums.AddForce(0, MeanSquaresWeight(difference), gradient, arm);
    }
  }
  else if (VSets == 0 && arguments.pass == MetricPass::Means)
  {
    sums.AddValue(0, fixed);
    sums.AddValue(1, moving);
  }
  else
  {
    const double f1 = fixed - arguments.fixedMean;
    const double m1 = moving - arguments.movingMean;
    sums.AddValue(0, f1 * f1);
    sums.AddValue(1, m1 * m1);
    sums.AddValue(2, f1 * m1);
    if constexpr (VSets == 2)
    {
      sums.AddForce(0, f1, gradient, arm);
      sums.AddForce(1, m1, gradient, arm);
    }
  }
}

/** \brief What takes the weights of a histogram where none is made. */
struct NoHistogram
{};

/** \brief Adds the window of a pair to a histogram.
 *
 * \tparam THistogram has Add(bin, weight), which adds a ParzenWeight */
template <unsigned int VDimension, typename THistogram>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddWindow(const MetricArguments<VDimension> & arguments,
          double                              fixed,
          double                              moving,
          THistogram &                        histogram,
          MetricSums<VDimension, 0> &         sums)
{
  ParzenBins::Window window;
  if (arguments.bins.Find(fixed, moving, window))
  {
    double weights[4];
    SplineWeights<3>(window.fraction, weights);
    for (int k = 0; k < 4; ++k)
    {
      histogram.Add(window.first + k, weights[k]);
    }
    sums.AddSample();
  }
}

/** \brief The moving value of a sample, and the gradient (per mm) that the arguments ask for.
 *
 * \param[in] slot place among the values that are kept
 * \param[in] moved place in the moving image's space (mm), \param[in] index its index there
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

/** \brief The body of every kernel of a metric: adds one sample, where it is valid, to the sums.
 *
 * Valid is what lies in the fixed image and its mask (known beforehand), and whose mapped point the moving mask and
 * then the moving image's buffer admit.
 *
 * \tparam TValues PlainValues, SplineValues or KeptValues
 * \tparam TMove called with a place of the virtual domain and where to put it in the moving image's space (mm); may
 * bring gradients back, as OuterJacobianMove does
 * \tparam TSums MetricSums, or what has its functions; without sets there is no derivative
 * \tparam THistogram takes the sample instead of the sums, but for the count; NoHistogram: none
 * \param[in] slot place of the sample among the moving values that are kept */
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
  double gradient[VDimension] = {};
  double arm[VDimension] = {};
  double value = 0.0;
  if constexpr (TSums::Sets > 0)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      arm[d] = place[d] - arguments.centre[d];
    }
    value = ValueAndGradient<TValues>(arguments, slot, moved, index, gradient);
    if constexpr (BringsBack<TMove>)
    {
      move.BringBack(place, gradient);
    }
  }
  else
  {
    value = TValues::Value(arguments, index);
  }
  const double pixel = arguments.singleMoving ? static_cast<double>(RoundedToSingle(value)) : value;
  if constexpr (TSums::Sets == 0)
  {
    arguments.Keep(slot, pixel);
    arguments.Mark(slot);
  }
  const auto fixed = static_cast<double>(static_cast<const Real *>(arguments.fixed)[cursor.sample]);
  if constexpr (std::is_same<THistogram, NoHistogram>::value)
  {
    (void)histogram;
    AddPair(arguments, fixed, pixel, gradient, arm, sums);
  }
  else
  {
    AddWindow(arguments, fixed, pixel, histogram, sums);
  }
}

/** \brief The same, moved by the arguments' own stages.
 *
 * \tparam VMove how */
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

/** \brief Calls \p run with VDimension and a number of the type of the elements. */
template <typename TRun>
void
DispatchMetricReal(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  const auto withDimension = [&](auto dimension) {
    // NOLINTNEXTLINE(bugprone-branch-clone): the branches' types differ
    element == ScalarType::Float32 ? run(dimension, float()) : run(dimension, double());
  };
  if (descriptor.dimension == 2)
  {
    withDimension(std::integral_constant<unsigned int, 2>());
  }
  else
  {
    withDimension(std::integral_constant<unsigned int, 3>());
  }
}

/** \brief Calls \p run with VDimension and the values (PlainValues or SplineValues) of a descriptor. */
template <typename TRun>
void
DispatchMetricValues(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  const auto withReal = [&](auto dimension, auto real) {
    using Real = decltype(real);
    if (descriptor.interpolation.interpolation == Interpolation::BSpline)
    {
      run(dimension, SplineValues<Real>());
    }
    else
    {
      run(dimension, PlainValues<Real>());
    }
  };
  DispatchMetricReal(descriptor, element, withReal);
}

/** \brief The same for a pass with derivative, whose values may be KeptValues. */
template <typename TRun>
void
DispatchDerivativeValues(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  if (descriptor.sharesValues)
  {
    DispatchMetricReal(
      descriptor, element, [&](auto dimension, auto real) { run(dimension, KeptValues<decltype(real)>()); });
  }
  else
  {
    DispatchMetricValues(descriptor, element, run);
  }
}

/** \brief How samples are moved, as a type. */
template <SampleMove VMove>
using SampleMoveConstant = std::integral_constant<SampleMove, VMove>;

/** \brief Whether there are kernels for SampleMove::Field: B-splines take longer than the way to them. */
///@{
template <typename TValues>
inline constexpr bool CanLead = true;
template <typename TReal>
inline constexpr bool CanLead<SplineValues<TReal>> = false;
///@}

/** \brief Calls \p run with VDimension, the values, and how samples are moved: of a pass without derivative. */
template <typename TRun>
void
DispatchMetricSums(const MetricDescriptor & descriptor, const MetricSources & sources, const TRun & run)
{
  DispatchMetricValues(descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto values) {
    if (descriptor.IsAffineFrom(0))
    {
      run(dimension, values, SampleMoveConstant<SampleMove::Affine>());
      return;
    }
    if constexpr (CanLead<decltype(values)>)
    {
      if (LeadsByField(descriptor, sources))
      {
        run(dimension, values, SampleMoveConstant<SampleMove::Field>());
        return;
      }
    }
    run(dimension, values, SampleMoveConstant<SampleMove::Any>());
  });
}

/** \brief Calls \p run with VDimension, the values, and how samples are moved: of a pass with derivative by the samples
 * of a field. */
template <typename TRun>
void
DispatchMetricForces(const MetricDescriptor & descriptor, const MetricSources & sources, const TRun & run)
{
  DispatchDerivativeValues(descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto values) {
    if constexpr (CanLead<decltype(values)>)
    {
      if (LeadsByField(descriptor, sources))
      {
        run(dimension, values, SampleMoveConstant<SampleMove::Field>());
        return;
      }
    }
    run(dimension, values, SampleMoveConstant<SampleMove::AnyWithJacobian>());
  });
}

/** \brief Calls \p run with VDimension, the values, and the sets of moments or coefficients: of a pass with derivative
 * by a linear stage, or by coefficients of B-splines. */
template <typename TRun>
void
DispatchMetricCoefficients(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  DispatchDerivativeValues(descriptor, element, [&](auto dimension, auto values) {
    descriptor.pass == MetricPass::Correlation ? run(dimension, values, std::integral_constant<unsigned int, 2>())
                                               : run(dimension, values, std::integral_constant<unsigned int, 1>());
  });
}

/** \brief The same, and how samples are moved: of a pass with derivative by a linear stage. */
template <typename TRun>
void
DispatchMetricDerivatives(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  DispatchMetricCoefficients(descriptor, element, [&](auto dimension, auto values, auto sets) {
    descriptor.HasOuterJacobian() ? run(dimension, values, sets, SampleMoveConstant<SampleMove::AnyWithJacobian>())
                                  : run(dimension, values, sets, SampleMoveConstant<SampleMove::Affine>());
  });
}

} // namespace itk::CudaSpline

#endif
