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
#ifndef itkCudaSplineMetricOverrides_h
#define itkCudaSplineMetricOverrides_h

#include "itkCudaSplineRegistrationOverrides.h"

#include "itkCudaSpline/itk/MetricClasses.h"

/** \file
 * \brief The metrics of itk::CudaSplineMetricFactory, for each type of images and parameters. */

namespace itk::CudaSplineDetail
{

/** Overrides the metrics of images of one type, with parameters of one type. */
template <typename TImage, typename TParameter>
void
AppendMetricsOf(Overrides & overrides)
{
  ForEachMetricClass([&overrides](auto metric) {
    using Classes = MetricClass<decltype(metric)>;
    AppendOverride<typename Classes::template Theirs<TImage, TImage, TImage, TParameter>,
                   typename Classes::template Ours<TImage, TImage, TImage, TParameter>>(decltype(metric)::ItkClass,
                                                                                        overrides);
  });
}

} // namespace itk::CudaSplineDetail

#endif
