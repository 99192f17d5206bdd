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
#ifndef MetricImplementations_h
#define MetricImplementations_h

#include "kernels/metrics/correlation/Correlation.h"
#include "kernels/metrics/demons/Demons.h"
#include "kernels/metrics/features/SelfSimilarityMetric.h"
#include "kernels/metrics/gradient_fields/GradientFields.h"
#include "kernels/metrics/local_correlation/LocalCorrelationMetric.h"
#include "kernels/metrics/mean_squares/MeanSquares.h"
#include "kernels/metrics/mutual_information/MutualInformation.h"

/** \file
 * \brief The implementations of all metrics on the host. */

#endif
