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
#include "c/RegistrationMetric.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
MetricGradient
GradientOfCode(std::int32_t code, std::int32_t order)
{
  switch (code)
  {
    case CUDASPLINE_GRADIENT_DIFFERENCES:
      return MetricGradient::CentralDifferences;
    case CUDASPLINE_GRADIENT_FILTER:
      return MetricGradient::Image;
    case CUDASPLINE_GRADIENT_ANALYTIC:
      if (order < 2)
      {
        throw std::invalid_argument("linear.gradient is that of a B-spline, which has an order of 2 or more, and "
                                    "linear.order is " +
                                    std::to_string(order) + ".");
      }
      return MetricGradient::Analytic;
    default:
      throw std::invalid_argument("linear.gradient is " + std::to_string(code) + ", and 0 to 2 are known.");
  }
}
} // namespace

SampleRules
DescribeSamples(const cudaspline_linear & from, LinearMetricKind metric)
{
  static_assert(static_cast<int>(SampleChoice::All) == CUDASPLINE_ALL_SAMPLES &&
                  static_cast<int>(SampleChoice::Random) == CUDASPLINE_RANDOM_SAMPLES,
                "The choices have the same numbers.");
  SampleRules samples;
  samples.choice = KindOfCode(from.sampling, SampleChoice::Random, "linear.sampling");
  samples.seed = from.seed;
  if (samples.choice != SampleChoice::All)
  {
    if (metric == LinearMetricKind::LocalCorrelation)
    {
      throw std::invalid_argument("linear.sampling is not of CUDASPLINE_LOCAL_CORRELATION, which has all samples.");
    }
    if (!(from.fraction > 0.0 && from.fraction <= 1.0))
    {
      throw std::invalid_argument(Indefinite("linear.fraction", from.fraction, "above 0 and up to 1 is allowed"));
    }
    samples.fraction = from.fraction;
  }
  return samples;
}

LinearMetric
DescribeMetric(const cudaspline_linear & from, const RegistrationImages & images)
{
  LinearMetric metric;
  static_assert(static_cast<int>(LinearMetricKind::MeanSquares) == CUDASPLINE_MEAN_SQUARES &&
                  static_cast<int>(LinearMetricKind::LocalCorrelation) == CUDASPLINE_LOCAL_CORRELATION,
                "The metrics have the same numbers.");
  metric.kind = KindOfCode(from.metric, LinearMetricKind::LocalCorrelation, "linear.metric");
  metric.arithmetic = images.GetPixel();
  if (metric.kind == LinearMetricKind::Mattes && (from.bins < 5 || from.bins > 160))
  {
    throw std::invalid_argument("linear.bins is " + std::to_string(from.bins) + ", and 5 to 160 are allowed.");
  }
  metric.bins = from.bins;
  for (unsigned int d = 0; d < images.GetFixedGrid().dimension; ++d)
  {
    if (metric.kind == LinearMetricKind::LocalCorrelation && from.radius[d] < 1)
    {
      throw std::invalid_argument("linear.radius is " + std::to_string(from.radius[d]) + ", and 1 is the least.");
    }
    metric.radius[d] = from.radius[d];
  }
  if (from.order < 1 || from.order > 5)
  {
    throw std::invalid_argument("linear.order is " + std::to_string(from.order) + ", and 1 to 5 are allowed.");
  }
  metric.order = static_cast<unsigned int>(from.order);
  metric.gradient = GradientOfCode(from.gradient, from.order);
  return metric;
}

} // namespace itk::CudaSpline
