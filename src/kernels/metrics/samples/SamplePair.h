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
#ifndef SamplePair_h
#define SamplePair_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/metrics/samples/PassNumbers.h"

/** \file
 * \brief A sample for metrics, and the common base of all contributions of a sample to a metric. */

namespace itk::CudaSpline
{

/** \brief The difference of a pair. ITK's has the type of the fixed pixels. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
PairDifference(double fixed, double moving, bool isSingle)
{
  return isSingle ? static_cast<double>(RoundedToSingle(fixed - moving)) : fixed - moving;
}

/** \brief The values and gradients of two images at a sample.
 *
 * Gradients are read or computed only for contributions that need them. */
template <unsigned int VDimension>
struct SamplePair
{
  double fixed;                      ///< value of the fixed image
  double moving;                     ///< value of the moving image
  double movingGradient[VDimension]; ///< direction of forces, for passes with derivative (per mm, x first)
  /** Of the fixed image, for contributions with NeedsFixedGradient (per mm, x first). */
  double fixedGradient[VDimension];
  bool   isSingle; ///< the fixed pixels are floats

  /** f - m, of the type of the fixed pixels. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  GetDifference() const
  {
    return PairDifference(fixed, moving, isSingle);
  }

  /** Components of a gradient: maximum, and for this sample. */
  ///@{
  static constexpr int MaximumAxes = static_cast<int>(VDimension);
  CUDASPLINE_HOST_DEVICE static constexpr int
  CountAxes()
  {
    return MaximumAxes;
  }
  ///@}
};

/** \brief Common properties of contributions; each overrides those that differ.
 *
 * A contribution defines what a sample adds to the sums of a pass, on the host and on a device. In addition to these
 * constants it has
 *
 * * Pass, its type in MetricPass;
 * * Add(parameters, pair, arm, sums), which adds a sample. \c parameters are those of the pass, \c pair is a
 * SamplePair, \c arm is the sample's point relative to the centre of moments (mm), and \c sums is a MetricSums or has
 * its functions. If \c Sets of \c sums is 0 there are only values, and no gradient.
 *
 * \tparam TContribution the contribution itself */
template <typename TContribution>
struct SampleContribution
{
  /** Sets of weights; 0: a pass without derivative. */
  static constexpr unsigned int Sets = 1;
  /** A pass without derivative has values. */
  static constexpr bool HasValues = true;
  /** The force depends only on values and gradients of the sample: EvaluatePointForces() computes it on a grid. */
  static constexpr bool HasPointForce = false;
  /** Add() counts the sample; else the list of contributions counts it, once for all others. */
  static constexpr bool CountsItself = false;
  /** It reads SamplePair::fixedGradient. */
  static constexpr bool NeedsFixedGradient = false;
  /** The contribution whose values a pass without derivative computes. */
  using Values = TContribution;
};

} // namespace itk::CudaSpline

#endif
