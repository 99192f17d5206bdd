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
#ifndef InformationContribution_h
#define InformationContribution_h

#include "itkCudaSpline/math/ParzenBins.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "kernels/metrics/samples/SamplePair.h"
#include "kernels/metrics/mutual_information/ParzenWindow.h"

/** \file
 * \brief The contribution of a sample to mutual information: to a joint histogram, and to the derivative. */

namespace itk::CudaSpline
{

/** \brief The pass over a joint histogram: the window of a sample. */
struct HistogramContribution
{
  using Pass = HistogramPass; ///< its pass

  /** Adds a sample.
   *
   * \param[in] parameters bins
   * \param[in] pair the values of a sample
   * \param[in,out] histogram has Add(bin, weight), which adds a ParzenWeight
   * \param[in,out] sums counts the sample */
  template <typename TPair, typename THistogram, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass & parameters, const TPair & pair, THistogram & histogram, TSums & sums)
  {
    ParzenBins::Window window;
    if (parameters.bins.Find(pair.fixed, pair.moving, window))
    {
      double weights[ParzenTaps];
      SplineWeights<3>(window.fraction, weights);
      AddWindow(window.first, weights, histogram);
      sums.AddSample();
    }
  }
};

/** \brief Weight: minus the sum over the bins of a sample's window of dB times InformationPass::table. */
struct InformationContribution : SampleContribution<InformationContribution>
{
  /** See SampleContribution. A moving value outside all bins is not counted. */
  ///@{
  using Pass = InformationPass;
  static constexpr bool HasValues = false;
  static constexpr bool HasPointForce = true;
  static constexpr bool CountsItself = true;

  template <typename TPair, typename TArm, typename TSums>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Add(const Pass & parameters, const TPair & pair, const TArm & arm, TSums & sums)
  {
    double weight = 0.0;
    if (FindWeight(parameters, pair, weight))
    {
      sums.AddSample();
      sums.AddForce(0, weight, pair.movingGradient, arm);
    }
  }
  ///@}

private:
  /** Computes the weight; false for a moving value outside all bins. */
  template <typename TPair>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE bool
  FindWeight(const Pass & parameters, const TPair & pair, double & weight)
  {
    ParzenBins::Window window;
    if (!parameters.bins.Find(pair.fixed, pair.moving, window))
    {
      return false;
    }
    double slopes[ParzenTaps];
    SplineDerivativeWeights<3>(window.fraction, slopes);
    weight = 0.0 - ContractWindow(slopes, parameters.table + window.first);
    return true;
  }
};

} // namespace itk::CudaSpline

#endif
