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
#ifndef WeightsContribution_h
#define WeightsContribution_h

#include "kernels/metrics/samples/SamplePair.h"

/** \file
 * \brief The contribution of a sample to the derivative of local correlation, whose weights are computed from the
 * windows. */

namespace itk::CudaSpline
{

/** \brief Weight f: the fixed values are the samples' weights. */
struct WeightsContribution : SampleContribution<WeightsContribution>
{
  /** See SampleContribution. */
  ///@{
  using Pass = WeightsPass;
  static constexpr bool HasValues = false;
  static constexpr bool CountsItself = true;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass &, const TPair & pair, const TArm & arm, TSums & sums)
  {
    sums.AddSample();
    if (pair.fixed != 0.0) // a non-finite gradient then adds nothing
    {
      sums.AddForce(0, pair.fixed, pair.movingGradient, arm);
    }
  }
  ///@}
};

} // namespace itk::CudaSpline

#endif
