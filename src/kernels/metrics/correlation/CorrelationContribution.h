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
#ifndef CorrelationContribution_h
#define CorrelationContribution_h

#include "kernels/metrics/samples/SamplePair.h"

/** \file
 * \brief The contribution of a sample to correlation: to the means, and to the sums of centred products. */

namespace itk::CudaSpline
{

/** \brief Values 0 and 1: f and m. */
struct MeansContribution : SampleContribution<MeansContribution>
{
  /** See SampleContribution. */
  ///@{
  using Pass = MeansPass;
  static constexpr unsigned int Sets = 0;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass &, const TPair & pair, const TArm &, TSums & sums)
  {
    sums.AddValue(0, pair.fixed);
    sums.AddValue(1, pair.moving);
  }
  ///@}
};

/** \brief Values 0 to 2: f1^2, m1^2, f1 m1 with f1 = f - mean, m1 = m - mean; weights f1 and m1. */
struct CorrelationContribution : SampleContribution<CorrelationContribution>
{
  /** See SampleContribution. */
  ///@{
  using Pass = CorrelationPass;
  static constexpr unsigned int Sets = 2;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass & parameters, const TPair & pair, const TArm & arm, TSums & sums)
  {
    const double f1 = pair.fixed - parameters.fixedMean;
    const double m1 = pair.moving - parameters.movingMean;
    sums.AddValue(0, f1 * f1);
    sums.AddValue(1, m1 * m1);
    sums.AddValue(2, f1 * m1);
    if constexpr (TSums::Sets == 2)
    {
      sums.AddForce(0, f1, pair.movingGradient, arm);
      sums.AddForce(1, m1, pair.movingGradient, arm);
    }
  }
  ///@}
};

} // namespace itk::CudaSpline

#endif
