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
#ifndef itkCudaSpline_itk_MetricList_h
#define itkCudaSpline_itk_MetricList_h

/** \file
 * \brief The metrics of images, once: the factory, CudaSplineRegister, tests and benchmarks are made from this list.
 *
 * `entry(kind, word, name)` is expanded for each metric:
 *
 * - kind: what the sources call it,
 * - word: what users of programs and benchmarks call it,
 * - name: ITK's class; the module's has \c Cuda before. */

/** Those that a stage of a registration optimizes, by whatever transform. */
#define CUDASPLINE_STAGE_METRICS(entry)                                                                                \
  entry(MeanSquares, "meansquares", MeanSquaresImageToImageMetricv4)                                                   \
    entry(Correlation, "correlation", CorrelationImageToImageMetricv4)                                                 \
      entry(Mattes, "mattes", MattesMutualInformationImageToImageMetricv4)                                             \
        entry(LocalCorrelation, "cc", ANTSNeighborhoodCorrelationImageToImageMetricv4)

/** All: demons is for displacement fields alone. */
#define CUDASPLINE_METRICS(entry)                                                                                      \
  CUDASPLINE_STAGE_METRICS(entry)                                                                                      \
  entry(Demons, "demons", DemonsImageToImageMetricv4)

/** The name of ITK's class of a metric, with a comma behind it. */
#define CUDASPLINE_METRIC_NAME(kind, word, name) #name,

/** The names of ITK's classes of all metrics, each with a comma behind it. */
#define CUDASPLINE_METRIC_NAMES CUDASPLINE_METRICS(CUDASPLINE_METRIC_NAME)

#endif
