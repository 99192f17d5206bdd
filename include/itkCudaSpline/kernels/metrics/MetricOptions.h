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
 * \brief The parameters of metrics that users choose. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Parameters that a registration takes from its user to its metrics, whatever it optimizes. A metric ignores
 * those that are not its own. */
struct MetricOptions
{
  std::array<int, 3> radius{ { 4, 4, 4 } }; ///< of windows, which have 2 radius + 1 samples; see HasRadius()
  int                bins{ 50 };            ///< of histograms, along either axis: IsBinCount()
  /** Standard deviation of the values of a window, as a part of the range of the image's values, whose square is added
   * to the variance of each window: windows of noise have little weight then. See HasVarianceFloors(). */
  double varianceFloor{ 0.0 };
  /** Edge parameters as parts of the mean magnitude of the gradients of either image: gradients far below them count as
   * noise and have little weight. Far above 1 gradients are no longer normalized: then the value falls where a
   * transform makes gradients larger. See HasEdgeParameters(). */
  double edgeFactor{ 0.2 };
  bool   gradientsFollowGrid{ false }; ///< of registrations by fields: see LocalCorrelationImages
};

/** @} */
} // namespace itk::CudaSpline

#endif
