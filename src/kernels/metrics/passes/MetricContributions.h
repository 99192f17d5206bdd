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
#ifndef MetricContributions_h
#define MetricContributions_h

#include "kernels/metrics/correlation/CorrelationContribution.h"
#include "kernels/metrics/demons/DemonsContribution.h"
#include "kernels/metrics/local_correlation/WeightsContribution.h"
#include "kernels/metrics/mean_squares/MeanSquaresContribution.h"
#include "kernels/metrics/mutual_information/InformationContribution.h"

#include <type_traits>

/** \file
 * \brief The contributions of samples to all metrics, and the selection of one of them. */

namespace itk::CudaSpline
{

/** \brief Whether a pass with some sums may use a contribution, at compile time.
 *
 * \tparam TSums its sets of weights are all that the pass has, or with AnyPass their maximum number */
template <typename TSums, typename TContribution>
inline constexpr bool CanContribute =
  TSums::Sets == 0 ? TContribution::HasValues && std::is_same<typename TContribution::Values, TContribution>::value
                   : (TSums::AnyPass ? TContribution::Sets > 0 : TContribution::Sets == TSums::Sets);

/** \brief A list of contributions.
 *
 * The pass is compared with those that can contribute to some sums, in the order of the list, except with the last one:
 * if only one can contribute, no comparison is made. */
template <typename... TContributions>
struct ContributionList
{
  /** Some of them read SamplePair::fixedGradient. */
  static constexpr bool NeedsFixedGradient = (TContributions::NeedsFixedGradient || ...);

  /** Adds a sample with the contribution of the pass.
   *
   * \param[in] numbers the pass
   * \param[in] pair, arm see SampleContribution
   * \param[in,out] sums the sample is added to them */
  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const PassNumbers & numbers, const TPair & pair, const TArm & arm, TSums & sums)
  {
    AddFrom<false, TContributions...>(numbers, pair, arm, sums);
  }

  /** Whether one of them belongs to a pass. */
  static bool
  Has(const MetricPass & pass)
  {
    return (IsPass<typename TContributions::Pass>(pass) || ...);
  }

private:
  /** Whether a pass adds the values of a contribution, or also its forces. */
  template <typename TContribution, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE bool
  IsAskedFor(unsigned char pass)
  {
    if constexpr (TSums::Sets == 0)
    {
      return ((std::is_same<typename TContributions::Values, TContribution>::value && TContributions::HasValues &&
               pass == PassIndex<typename TContributions::Pass>) ||
              ...);
    }
    else
    {
      return pass == PassIndex<typename TContribution::Pass>;
    }
  }

  /** Whether a possible contribution counts samples itself. */
  template <typename TContribution, typename TSums>
  static constexpr bool CountsOwn = CanContribute<TSums, TContribution> && TContribution::CountsItself;

  /** \tparam VIsCounted whether the sample has been counted */
  template <bool VIsCounted, typename TFirst, typename... TRest, typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  AddFrom(const PassNumbers & numbers, const TPair & pair, const TArm & arm, TSums & sums)
  {
    constexpr bool counts = !VIsCounted && !CountsOwn<TFirst, TSums> && !(CountsOwn<TRest, TSums> || ...);
    if constexpr (counts)
    {
      sums.AddSample();
    }
    if constexpr (!CanContribute<TSums, TFirst>)
    {
      AddFrom<VIsCounted || counts, TRest...>(numbers, pair, arm, sums);
    }
    else if constexpr (!(CanContribute<TSums, TRest> || ...))
    {
      TFirst::Add(numbers, pair, arm, sums);
    }
    else if (IsAskedFor<TFirst, TSums>(numbers.pass))
    {
      if constexpr (!VIsCounted && !counts && !TFirst::CountsItself)
      {
        sums.AddSample();
      }
      TFirst::Add(numbers, pair, arm, sums);
    }
    else
    {
      AddFrom<VIsCounted || counts, TRest...>(numbers, pair, arm, sums);
    }
  }
};

/** \brief All contributions. */
using MetricContributions = ContributionList<InformationContribution,
                                             WeightsContribution,
                                             DemonsContribution,
                                             MeanSquaresContribution,
                                             MeansContribution,
                                             CorrelationContribution>;

/** \brief Those with HasPointForce, for EvaluatePointForces(). */
using PointContributions = ContributionList<InformationContribution, MeanSquaresContribution, DemonsContribution>;

} // namespace itk::CudaSpline

#endif
