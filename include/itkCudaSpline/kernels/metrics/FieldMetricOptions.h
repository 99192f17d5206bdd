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
#ifndef itkCudaSpline_kernels_metrics_FieldMetricOptions_h
#define itkCudaSpline_kernels_metrics_FieldMetricOptions_h

#include "itkCudaSpline/kernels/metrics/MetricOptions.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"
#include "itkCudaSpline/math/ScalarType.h"

/** \file
 * \brief Options of the metrics with which registrations of displacement fields compare two images on a grid. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Parameters of MakeSelfSimilarity(); the defaults are those of Siebert, Hansen and Heinrich (2021). */
struct SelfSimilarityOptions
{
  int radius{ 1 };   ///< radius of the compared patches (samples), which are 2 radius + 1 wide
  int distance{ 2 }; ///< distance of the patches from the sample, along the axes (samples)

  /** Whether both have the same values. */
  bool
  operator==(const SelfSimilarityOptions & other) const
  {
    return radius == other.radius && distance == other.distance;
  }
};

/** \brief A metric that has a force at each sample, and its parameters. */
struct FieldMetricOptions : MetricOptions
{
  MetricKind            kind{ MetricKind::LocalCorrelation }; ///< the metric, for which HasFieldForce() is true
  ScalarType            arithmetic{ ScalarType::Float32 }; ///< arithmetic of windows and of the weights of histograms
  double                epsilon{ 0.0 };                    ///< see LocalCorrelationDescriptor
  bool                  exchangesGradients{ true };        ///< see MetricType::ExchangesGradients
  double                differenceThreshold{ 0.001 };      ///< of Demons: no force below this difference
  double                denominatorThreshold{ 1e-9 };      ///< of Demons: no force below this denominator
  SelfSimilarityOptions selfSimilarity;                    ///< of SelfSimilarity
};

/** @} */
} // namespace itk::CudaSpline

#endif
