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
#ifndef DerivedBounds_h
#define DerivedBounds_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/math/FirTaps.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <cmath>

/** \file
 * \brief Bounds within which two evaluations agree that do the same operations in the same order. doc/Accuracy.md
 * states them. */

namespace CudaSplineTest
{
using namespace itk::CudaSpline;

/** Unit of rounding of an element type. */
inline double
UnitOf(ScalarType element)
{
  return element == ScalarType::Float32 ? 0x1p-24 : 0x1p-53;
}

/** \brief Bound of the difference of two backends' coefficients, for samples of absolute value up to \p largest.
 *
 * They do the same operations in the same order; one may fuse a multiplication and an addition. A step of a recursion
 * then rounds once or twice, so two results of it differ by at most 3 units of its result. Along one axis, with A =
 * product of 1 / (1 - |z|), norm = gain A^2: causal states are at most A s and differ by at most 3 u A (A s); the
 * anti-causal ones are at most A^2 s and differ by at most A (3 u A^2 s) + 3 u A (A^2 s); times the gain, with two more
 * roundings: (6 A + 2) norm u s. For two poles a step has two stages: twice that. An axis amplifies the differences and
 * the samples of the axes before it by its norm. */
inline double
CoefficientAgreement(const SourceDescriptor & descriptor, double largest)
{
  return DispatchSplineOrder(descriptor.order, [&](auto order) {
    using Poles = SplinePoles<decltype(order)::value>;
    double response = 1.0;
    for (unsigned int k = 0; k < Poles::Count; ++k)
    {
      response /= 1.0 + Poles::Pole(k);
    }
    double bound = 0.0;
    double reached = largest;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      if (descriptor.size[d] > 1 && Poles::Count > 0)
      {
        bound = Poles::Norm() * bound +
                Poles::Count * (6.0 * response + 2.0) * Poles::Norm() * UnitOf(descriptor.element) * reached;
        reached *= Poles::Norm();
      }
    }
    return bound;
  });
}

/** \brief Bound of the rounding of FIR coefficients against exact arithmetic with the taps in double, for samples of
 * absolute value up to \p largest.
 *
 * A tap is rounded to the element type; a product of a sum of two samples rounds twice; reach additions follow, and the
 * result is stored as it is: (reach + 3) u times the sum of the absolute taps, A, times the samples. An axis amplifies
 * what came before by A. A fused multiplication and addition rounds less, so two backends agree within twice that. */
inline double
FirRounding(const SourceDescriptor & descriptor, double largest)
{
  return DispatchSplineOrder(descriptor.order, [&](auto order) {
    double amplification = 0.0;
    for (const double tap : FirTaps<decltype(order)::value>(descriptor.method.taps, true))
    {
      amplification += std::abs(tap);
    }
    double bound = 0.0;
    double reached = largest;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      if (descriptor.size[d] > 1 && descriptor.order > 1)
      {
        bound = amplification * bound +
                (descriptor.method.taps / 2 + 3) * UnitOf(descriptor.element) * amplification * reached;
        reached *= amplification;
      }
    }
    return 1.01 * bound; // errors of errors
  });
}

/** \brief Bound of the difference of two backends' coefficients by any method. */
inline double
MethodAgreement(const SourceDescriptor & descriptor, double largest)
{
  return descriptor.method.kind == PrefilterMethod::Kind::Fir ? 2.0 * FirRounding(descriptor, largest)
                                                              : CoefficientAgreement(descriptor, largest);
}

/** Largest coefficient that samples of absolute value up to \p largest can have. */
inline double
LargestCoefficient(const SourceDescriptor & descriptor, double largest)
{
  return DispatchSplineOrder(descriptor.order, [&](auto order) {
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      largest *= descriptor.size[d] > 1 ? SplinePoles<decltype(order)::value>::Norm() : 1.0;
    }
    return largest;
  });
}

/** \brief Bound of the difference of two backends' values from the same coefficients of absolute value up to \p
 * largest.
 *
 * Weights of one axis have at most 2 order + 2 operations on terms of at most 2, and the sum order + 1 products and
 * additions; weights are non-negative and sum to 1: each backend is within (3 order + 8) units an axis. */
inline double
ValueAgreement(const SourceDescriptor & descriptor, unsigned int order, double largest)
{
  return 2.0 * descriptor.dimension * (3.0 * order + 8.0) * UnitOf(descriptor.element) * largest;
}

} // namespace CudaSplineTest

#endif
