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
#ifndef itkCudaSpline_itk_MetricClass_h
#define itkCudaSpline_itk_MetricClass_h

#include "itkCudaSpline/kernels/metrics/MetricTypes.h"

#include <string>
#include <vector>

/** \file
 * \brief ITK's classes for the metrics of itkCudaSpline/kernels/metrics/MetricTypes.h. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The classes of a metric. The header of the module's class specializes it with two templates: \c Theirs is
 * ITK's class, and \c Ours is the module's, which is derived from it.
 *
 * A metric without a class (MetricType::ItkClass is null) has no specialization.
 *
 * \tparam TMetric one of CudaSpline::MetricTypes */
template <typename TMetric>
struct MetricClass;

/** \brief Calls \p visit with an object of the type of each metric that has an ITK class. */
template <typename TVisit>
void
ForEachMetricClass(const TVisit & visit)
{
  CudaSpline::ForEachMetric([&visit](auto metric) {
    if constexpr (decltype(metric)::ItkClass != nullptr)
    {
      visit(metric);
    }
  });
}

/** \brief The names of ITK's classes, followed by other names. */
inline std::vector<std::string>
MetricClassNames(const std::vector<std::string> & others = {})
{
  std::vector<std::string> names;
  ForEachMetricClass([&names](auto metric) { names.emplace_back(decltype(metric)::ItkClass); });
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
