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
#ifndef itkCudaSpline_kernels_registration_SynMetricList_h
#define itkCudaSpline_kernels_registration_SynMetricList_h

/** \file
 * \brief The metrics of deformable registrations, once: the levels, itk::CudaSplineSyNMethod, the programs and tests
 * are made from this list.
 *
 * `entry(kind, comparison, name)` is expanded for each metric:
 *
 * - kind: what the sources call it, here and in \c itkCudaSpline/itk/MetricList.h,
 * - comparison: what computes it, an itk::CudaSpline::SynComparison,
 * - name: ITK's class, which has forces on each sample; the module's has \c Cuda before. */

/** All of them. */
#define CUDASPLINE_SYN_METRICS(entry)                                                                                  \
  entry(LocalCorrelation, Windows, ANTSNeighborhoodCorrelationImageToImageMetricv4)                                    \
    entry(MeanSquares, Points, MeanSquaresImageToImageMetricv4) entry(Demons, Points, DemonsImageToImageMetricv4)      \
      entry(Mattes, Histogram, MattesMutualInformationImageToImageMetricv4)

/** What the sources call a metric, with a comma behind it. */
#define CUDASPLINE_SYN_METRIC_KIND(kind, comparison, name) kind,

/** The same as a value. */
#define CUDASPLINE_SYN_METRIC_VALUE(kind, comparison, name) SynMetricKind::kind,

/** The same as text. */
#define CUDASPLINE_SYN_METRIC_NAME(kind, comparison, name) #kind,

/** What computes a metric, with a comma behind it. */
#define CUDASPLINE_SYN_METRIC_COMPARISON(kind, comparison, name) SynComparison::comparison,

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What is compared of two images: ITK's metrics that have forces on each sample. */
enum class SynMetricKind : unsigned char
{
  CUDASPLINE_SYN_METRICS(CUDASPLINE_SYN_METRIC_KIND)
};

/** \brief All metrics, in the order of the list. */
inline constexpr SynMetricKind AllSynMetrics[] = { CUDASPLINE_SYN_METRICS(CUDASPLINE_SYN_METRIC_VALUE) };

/** \brief What computes values and forces of a metric. */
enum class SynComparison : unsigned char
{
  Windows,  ///< EvaluateLocalCorrelation()
  Points,   ///< EvaluatePointForces(): of a sample from its values and gradients alone
  Histogram ///< passes for a histogram, then EvaluatePointForces() with its table; waits for the host
};

/** \brief Which of them it is of a metric. */
constexpr SynComparison
ComparisonOf(SynMetricKind kind)
{
  constexpr SynComparison comparisons[] = { CUDASPLINE_SYN_METRICS(CUDASPLINE_SYN_METRIC_COMPARISON) };
  return comparisons[static_cast<unsigned int>(kind)];
}

/** \brief The kind's name in the list. */
constexpr const char *
NameOf(SynMetricKind kind)
{
  constexpr const char * names[] = { CUDASPLINE_SYN_METRICS(CUDASPLINE_SYN_METRIC_NAME) };
  return names[static_cast<unsigned int>(kind)];
}

/** @} */
} // namespace itk::CudaSpline

#endif
