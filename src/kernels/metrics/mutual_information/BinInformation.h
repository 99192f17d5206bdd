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
#ifndef kernels_metrics_BinInformation_h
#define kernels_metrics_BinInformation_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/ParzenBins.h"

#include <cmath>
#include <limits>

/** \file
 * \brief What a bin of a joint histogram adds to mutual information, and to the table of its derivative: of host and
 * device. */

namespace itk::CudaSpline
{

/** \brief Probabilities up to it count as 0: for float parameters too, as sums are double here. */
inline constexpr double NoProbability = std::numeric_limits<double>::epsilon();

/** \brief The logarithm of the probability of a fixed bin; 0 if that counts as 0. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
LogarithmOf(double probability)
{
  return probability > NoProbability ? std::log(probability) : 0.0;
}

/** \brief A bin. */
struct BinInformation
{
  double ratio{ 0.0 }; ///< logarithm of the joint probability by that of the moving bin
  double term{ 0.0 };  ///< of the information

  /** \param[in] joint, fixed, moving probabilities of the bin, \param[in] logFixed LogarithmOf(fixed) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  BinInformation(double joint, double fixed, double moving, double logFixed)
  {
    if (fixed > NoProbability && moving > NoProbability && joint > NoProbability)
    {
      ratio = std::log(joint / moving);
      term = joint * (ratio - logFixed);
    }
  }
};

/** \brief What ratios are multiplied with in the table, so that a pass makes the derivative as it is. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
InformationFactor(double movingBinSize, double count)
{
  return -1.0 / (movingBinSize * count);
}

} // namespace itk::CudaSpline

#endif
