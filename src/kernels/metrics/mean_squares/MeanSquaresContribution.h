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
#ifndef MeanSquaresContribution_h
#define MeanSquaresContribution_h

#include "kernels/metrics/samples/SamplePair.h"

/** \file
 * \brief The contribution of a sample to mean squares. */

namespace itk::CudaSpline
{

/** \brief Value 0: (f - m)^2; weight 2 (f - m). */
struct MeanSquaresContribution : SampleContribution<MeanSquaresContribution>
{
  /** See SampleContribution. */
  ///@{
  using Pass = MeanSquaresPass;
  static constexpr bool HasPointForce = true;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass &, const TPair & pair, const TArm & arm, TSums & sums)
  {
    const double difference = pair.GetDifference();
    sums.AddValue(0, difference * difference);
    if constexpr (TSums::Sets > 0)
    {
      sums.AddForce(0, 2.0 * difference, pair.movingGradient, arm);
    }
  }
  ///@}
};

} // namespace itk::CudaSpline

#endif
