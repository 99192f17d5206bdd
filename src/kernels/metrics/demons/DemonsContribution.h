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
#ifndef DemonsContribution_h
#define DemonsContribution_h

#include "kernels/metrics/mean_squares/MeanSquaresContribution.h"

/** \file
 * \brief The contribution of a sample to demons. */

namespace itk::CudaSpline
{

/** \brief Value 0: (f - m)^2; weight (f - m) / ((f - m)^2 / normalizer + g^2), or none up to the thresholds. The
 * comparisons are ITK's: weights of non-finite values are not finite either. */
struct DemonsContribution : SampleContribution<DemonsContribution>
{
  /** See SampleContribution. */
  ///@{
  using Pass = DemonsPass;
  static constexpr bool HasPointForce = true;
  static constexpr bool CountsItself = true;
  using Values = MeanSquaresContribution;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass & parameters, const TPair & pair, const TArm & arm, TSums & sums)
  {
    const double difference = pair.GetDifference();
    sums.AddSample();
    sums.AddValue(0, difference * difference);
    double square = 0.0;
    for (int d = 0; d < TPair::MaximumAxes; ++d) // known at compile time: gradients are kept in registers
    {
      if (d < pair.CountAxes())
      {
        square += pair.movingGradient[d] * pair.movingGradient[d];
      }
    }
    double weight = 0.0;
    if (FindWeight(parameters, difference, square, weight))
    {
      sums.AddForce(0, weight, pair.movingGradient, arm);
    }
  }
  ///@}

private:
  /** Computes the weight; false if there is no force. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE bool
  FindWeight(const Pass & parameters, double difference, double squaredGradient, double & weight)
  {
    const double denominator = squaredGradient + difference * difference / parameters.normalizer;
    const double size = difference < 0.0 ? -difference : difference;
    if (size < parameters.differenceThreshold || denominator < parameters.denominatorThreshold)
    {
      return false;
    }
    weight = difference / denominator;
    return true;
  }
};

} // namespace itk::CudaSpline

#endif
