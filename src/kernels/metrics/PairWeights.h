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
#ifndef PairWeights_h
#define PairWeights_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/ParzenBins.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/SplineWeights.h"

/** \file
 * \brief What the gradient of an image is multiplied with in a metric's derivative: of a pair of values, by itself. */

namespace itk::CudaSpline
{

/** \brief The difference of a pair. ITK's has the type of the fixed pixels. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
PairDifference(double fixed, double moving, bool isSingle)
{
  return isSingle ? static_cast<double>(RoundedToSingle(fixed - moving)) : fixed - moving;
}

/** \brief The weight of mean squares. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
MeanSquaresWeight(double difference)
{
  return 2.0 * difference;
}

/** \brief The weight of demons; see MetricParameters. ITK's comparisons, so that weights of what is not finite are not
 * either.
 *
 * \param[in] difference PairDifference()
 * \param[in] squaredGradient square of the gradient's length
 * \param[out] weight what the gradient is multiplied with
 * \return false where there is no force */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
DemonsWeight(double   difference,
             double   squaredGradient,
             double   normalizer,
             double   differenceThreshold,
             double   denominatorThreshold,
             double & weight)
{
  const double denominator = squaredGradient + difference * difference / normalizer;
  const double size = difference < 0.0 ? -difference : difference;
  if (size < differenceThreshold || denominator < denominatorThreshold)
  {
    return false;
  }
  weight = difference / denominator;
  return true;
}

/** \brief The weight of mutual information.
 *
 * \param[in] bins of the histogram
 * \param[in] table a number a bin; see MetricParameters
 * \param[out] weight what the gradient is multiplied with
 * \return false for a moving value that is dropped */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
InformationWeight(const ParzenBins & bins, const double * table, double fixed, double moving, double & weight)
{
  ParzenBins::Window window;
  if (!bins.Find(fixed, moving, window))
  {
    return false;
  }
  double slopes[4];
  SplineDerivativeWeights<3>(window.fraction, slopes);
  weight = 0.0;
  for (int k = 0; k < 4; ++k)
  {
    weight -= slopes[k] * table[window.first + k];
  }
  return true;
}

} // namespace itk::CudaSpline

#endif
