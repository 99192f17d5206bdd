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
 * \brief How registrations by fields compare two images on a grid. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Parameters of MakeSelfSimilarity(); the defaults are those of Siebert, Hansen and Heinrich (2021). */
struct SelfSimilarityOptions
{
  int radius{ 1 };   ///< of the patches that are compared (samples): they are 2 radius + 1 wide
  int distance{ 2 }; ///< of the patches from the sample, along the axes (samples)

  /** Whether two are the same. */
  bool
  operator==(const SelfSimilarityOptions & other) const
  {
    return radius == other.radius && distance == other.distance;
  }
};

/** \brief A metric that has a force on each sample, and its parameters. */
struct FieldMetricOptions : MetricOptions
{
  MetricKind            kind{ MetricKind::LocalCorrelation }; ///< which metric; it has HasFieldForce()
  ScalarType            arithmetic{ ScalarType::Float32 };    ///< of windows and of the weights of histograms
  double                epsilon{ 0.0 };                       ///< see LocalCorrelationDescriptor
  bool                  exchangesGradients{ true };           ///< see MetricType::ExchangesGradients
  double                differenceThreshold{ 0.001 };         ///< of Demons: smaller differences have no force
  double                denominatorThreshold{ 1e-9 };         ///< of Demons: nor have smaller denominators
  SelfSimilarityOptions selfSimilarity;                       ///< of SelfSimilarity
};

/** @} */
} // namespace itk::CudaSpline

#endif
