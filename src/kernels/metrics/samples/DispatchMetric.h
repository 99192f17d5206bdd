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
#ifndef DispatchMetric_h
#define DispatchMetric_h

#include "kernels/metrics/samples/MetricValues.h"

#include <type_traits>

/** \file
 * \brief Selects the types for which the bodies of metrics are compiled from a descriptor. */

namespace itk::CudaSpline
{

/** \brief Calls \p run with VDimension and a number of the element type. */
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

/** \brief A SampleMove as a type. */
template <SampleMove VMove>
using SampleMoveConstant = std::integral_constant<SampleMove, VMove>;

/** \brief Whether there are kernels for SampleMove::Field. For B-splines they would save little: their evaluation takes
 * longer than the mapping. */
///@{
template <typename TValues>
inline constexpr bool CanLead = true;
template <typename TReal>
inline constexpr bool CanLead<SplineValues<TReal>> = false;
///@}

/** \brief Calls \p run with VDimension, the values, and the SampleMove of a pass without derivative. */
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

/** \brief Calls \p run with VDimension, the values, and the SampleMove of a pass with derivatives at the samples of a
 * field. */
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

/** \brief Calls \p run with VDimension, the values, and the sets of moments or coefficients of a pass whose derivative
 * is with respect to a linear stage or the coefficients of B-splines. */
template <typename TRun>
void
DispatchMetricCoefficients(const MetricDescriptor & descriptor, ScalarType element, const TRun & run)
{
  DispatchDerivativeValues(descriptor, element, [&](auto dimension, auto values) {
    IsPass<CorrelationPass>(descriptor.pass) ? run(dimension, values, std::integral_constant<unsigned int, 2>())
                                             : run(dimension, values, std::integral_constant<unsigned int, 1>());
  });
}

/** \brief The same with the SampleMove, for a pass whose derivative is with respect to a linear stage. */
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
