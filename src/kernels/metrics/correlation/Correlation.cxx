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
#include "kernels/metrics/correlation/Correlation.h"

#include <cstddef>
#include <variant>

namespace itk::CudaSpline
{

template <>
MetricOutcome
MetricImplementation<CorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  MetricOutcome      outcome;
  const MetricResult means = reduce(MeansPass(), false);
  outcome.count = means.count;
  if (means.count == 0)
  {
    return outcome;
  }
  const auto number = static_cast<double>(means.count);
  auto       pass = std::get<CorrelationPass>(reduction.pass);
  pass.fixedMean = means.values[0] / number;
  pass.movingMean = means.values[1] / number;
  const MetricResult sums = reduce(pass, reduction.withDerivative);
  const double       ff = sums.values[0];
  const double       mm = sums.values[1];
  const double       fm = sums.values[2];
  if (!(mm * ff <= pass.epsilon)) // also true for NaN, so that the result shows it
  {
    outcome.value = -1.0 * fm * fm / (mm * ff);
    const double factor = 2.0 * fm / (ff * mm);
    outcome.factors = { { factor, -factor * fm / mm } };
    for (std::size_t i = 0; i < sums.derivatives[0].size(); ++i)
    {
      outcome.derivative.push_back(factor * (sums.derivatives[0][i] - fm / mm * sums.derivatives[1][i]));
    }
  }
  return outcome;
}

} // namespace itk::CudaSpline
