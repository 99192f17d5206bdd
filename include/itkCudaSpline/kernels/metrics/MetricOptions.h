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
#ifndef itkCudaSpline_kernels_metrics_MetricOptions_h
#define itkCudaSpline_kernels_metrics_MetricOptions_h

#include <array>

/** \file
 * \brief The parameters of metrics that a user can set. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Metric parameters that any registration passes from its user to its metrics. A metric ignores parameters that
 * it does not have. */
struct MetricOptions
{
  std::array<int, 3> radius{
    { 4, 4, 4 }
  };              ///< radius of windows, which have 2 radius + 1 samples per axis; see HasRadius()
  int bins{ 50 }; ///< bins of histograms along either axis; see IsBinCount()
  /** Standard deviation, as a fraction of the range of the image's values, whose square is added to the variance of
   * each window: windows of noise then have a small weight. See HasVarianceFloors(). */
  double varianceFloor{ 0.0 };
  /** Edge parameters as fractions of the mean magnitude of the gradients of either image: gradients far below them are
   * treated as noise and have a small weight. With values far above 1 gradients are no longer normalized: the value
   * then falls where a transform makes gradients larger. See HasEdgeParameters(). */
  double edgeFactor{ 0.2 };
  bool   gradientsFollowGrid{ false }; ///< for registrations of displacement fields: see LocalCorrelationImages
};

/** @} */
} // namespace itk::CudaSpline

#endif
