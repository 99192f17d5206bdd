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
#include "kernels/metrics/mean_squares/MeanSquares.h"

#include "kernels/metrics/implementation/PointFieldMetric.h"

namespace itk::CudaSpline
{

template <>
MetricOutcome
MetricImplementation<MeanSquaresMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(MeanSquaresPass(), reduction.withDerivative);
  outcome.count = sums.count;
  if (sums.count > 0)
  {
    const auto number = static_cast<double>(sums.count);
    outcome.value = sums.values[0] / number;
    TakeDerivative(sums, reduction.takesMean ? number : 1.0, outcome);
  }
  return outcome;
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<MeanSquaresMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  return std::make_unique<PointFieldMetric>(DescribePointForces(setup, {}), residence);
}

template <>
std::size_t
MetricImplementation<MeanSquaresMetric>::CountFieldBytes(const FieldMetricSetup &)
{
  return SmallFieldMetricBytes;
}

} // namespace itk::CudaSpline
