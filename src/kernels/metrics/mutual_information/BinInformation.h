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
 * \brief The contribution of a bin of a joint histogram to mutual information, and to the table of its derivative, for
 * host and device. */

namespace itk::CudaSpline
{

/** \brief Probabilities up to this number are treated as 0: also for float parameters, because sums are double here. */
inline constexpr double NoProbability = std::numeric_limits<double>::epsilon();

/** \brief The logarithm of the probability of a fixed bin; 0 if it is treated as 0. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
LogarithmOf(double probability)
{
  return probability > NoProbability ? std::log(probability) : 0.0;
}

/** \brief A bin. */
struct BinInformation
{
  double ratio{ 0.0 }; ///< logarithm of the joint probability divided by that of the moving bin
  double term{ 0.0 };  ///< contribution to the information

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

/** \brief Factor of the ratios in the table, so that a pass computes the derivative without further scaling. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
InformationFactor(double movingBinSize, double count)
{
  return -1.0 / (movingBinSize * count);
}

} // namespace itk::CudaSpline

#endif
