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

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

/** \file
 * \brief A sample as metrics see it, and what every contribution of a sample to a metric has. */

namespace itk::CudaSpline
{

/** \brief The values and gradients of two images at a sample.
 *
 * A gradient is there for the contributions that ask for it; else it is neither read nor computed. */
template <unsigned int VDimension>
struct SamplePair
{
  double fixed;                      ///< value of the fixed image
  double moving;                     ///< value of the moving image
  double movingGradient[VDimension]; ///< along which forces are, of passes with derivative (per mm, x first)
  double fixedGradient[VDimension];  ///< of the fixed image, of contributions with NeedsFixedGradient (per mm, x first)

  /** Numbers of a gradient: at most, and of this sample. */
  ///@{
  static constexpr int MaximumAxes = static_cast<int>(VDimension);
  CUDASPLINE_HOST_DEVICE static constexpr int
  CountAxes()
  {
    return MaximumAxes;
  }
  ///@}
};

/** \brief The difference of a pair. ITK's has the type of the fixed pixels. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
PairDifference(double fixed, double moving, bool isSingle)
{
  return isSingle ? static_cast<double>(RoundedToSingle(fixed - moving)) : fixed - moving;
}

/** \brief Common properties of contributions; each overrides those that differ.
 *
 * A contribution is what a sample adds to the sums of a pass, the same on the host and on a device. In addition to
 * these constants it has
 *
 * * Pass, the MetricPass that asks for it;
 * * Add(numbers, pair, arm, sums), which adds a sample. \c numbers has the parameters by the names of MetricArguments,
 *   \c pair is a SamplePair, \c arm is the sample's point relative to the centre of moments (mm), and \c sums is a
 *   MetricSums or has its functions. With \c Sets of \c sums 0 there are values alone, and no gradient.
 *
 * \tparam TContribution the contribution itself */
template <typename TContribution>
struct SampleContribution
{
  /** Sets of weights; 0: a pass without derivative. */
  static constexpr unsigned int Sets = 1;
  /** A pass without derivative has values. */
  static constexpr bool HasValues = true;
  /** The force depends on values and gradients of the sample alone: EvaluatePointForces() computes it on a grid. */
  static constexpr bool HasPointForce = false;
  /** Add() counts the sample; else the list of contributions does, once for all those that do not. */
  static constexpr bool CountsItself = false;
  /** It reads SamplePair::fixedGradient. */
  static constexpr bool NeedsFixedGradient = false;
  /** The contribution whose values a pass without derivative adds. */
  using Values = TContribution;
};

} // namespace itk::CudaSpline

#endif
