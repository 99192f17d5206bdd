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
#include "kernels/metrics/local_correlation/LocalCorrelationMetric.h"

#include "kernels/metrics/local_correlation/ExactCorrelation.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace itk::CudaSpline
{

namespace
{

LocalCorrelationDescriptor
Describe(const FieldMetricSetup & setup)
{
  LocalCorrelationDescriptor descriptor;
  descriptor.grid = setup.shape.grid;
  descriptor.radius = setup.options.radius;
  descriptor.pixel = setup.pixel;
  descriptor.derivative = setup.shape.element;
  descriptor.arithmetic = setup.options.arithmetic;
  descriptor.epsilon = setup.options.epsilon;
  for (std::size_t image = 0; setup.ranges && image < descriptor.varianceFloors.size(); ++image)
  {
    descriptor.varianceFloors[image] = SquareOfPart((*setup.ranges)[image], setup.options.varianceFloor);
  }
  descriptor.isExact = setup.options.kind == MetricKind::ExactCorrelation;
  return descriptor;
}

/** Number of images in the scratch memory, one after the other: numbers of windows. */
std::size_t
CountSections(const LocalCorrelationDescriptor & descriptor)
{
  return descriptor.isExact ? std::size_t{ ExactWindowNumbers } : 1;
}

/** The metric, with the memory of its sums. */
class LocalCorrelationForces final : public FieldMetric
{
public:
  LocalCorrelationForces(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
    : m_Descriptor(descriptor)
    , m_Residence(residence)
    , m_Sums(CountLocalCorrelationScratch(descriptor, residence), residence, CountSections(descriptor))
  {}

  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void *) override
  {
    EvaluateLocalCorrelation(
      m_Descriptor, pair.moved, &sums->correlation, byMoving, byFixed, m_Sums.Data(), m_Residence);
  }

  std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const override
  {
    const double value =
      sums.correlation.count > 0 ? LocalCorrelationValue(sums.correlation) : std::numeric_limits<double>::max();
    return { { value, value } };
  }

private:
  LocalCorrelationDescriptor m_Descriptor;
  Residence                  m_Residence;
  ResidentArray              m_Sums;
};

MetricOutcome
ReduceWindows(const MetricReduce & reduce, const MetricReduction & reduction, bool isExact)
{
  MetricParameters parameters = reduction.parameters;
  parameters.isExact = isExact;
  MetricOutcome outcome;
  MetricResult  sums = reduce(MetricPass::LocalCorrelation, reduction.withDerivative, parameters);
  outcome.count = sums.count;
  outcome.flatWindows = static_cast<std::int64_t>(sums.values[1]);
  outcome.comparesPixels = sums.values[2] != 0.0;
  if (sums.count > 0)
  {
    const auto number = static_cast<double>(sums.count);
    outcome.value = -sums.values[0] / number;
    TakeDerivative(sums, reduction.takesMean ? number : 1.0, outcome);
  }
  return outcome;
}

} // namespace

template <>
MetricOutcome
MetricImplementation<LocalCorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  return ReduceWindows(reduce, reduction, false);
}

template <>
MetricOutcome
MetricImplementation<ExactCorrelationMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  return ReduceWindows(reduce, reduction, true);
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<LocalCorrelationMetric>::MakeFieldMetric(const FieldMetricSetup & setup,
                                                              const Residence &        residence)
{
  return std::make_unique<LocalCorrelationForces>(Describe(setup), residence);
}

template <>
std::size_t
MetricImplementation<LocalCorrelationMetric>::CountFieldBytes(const FieldMetricSetup &)
{
  return SmallFieldMetricBytes;
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<ExactCorrelationMetric>::MakeFieldMetric(const FieldMetricSetup & setup,
                                                              const Residence &        residence)
{
  return std::make_unique<LocalCorrelationForces>(Describe(setup), residence);
}

template <>
std::size_t
MetricImplementation<ExactCorrelationMetric>::CountFieldBytes(const FieldMetricSetup & setup)
{
  const auto samples = static_cast<std::size_t>(setup.shape.grid.Count());
  return SmallFieldMetricBytes + ExactWindowNumbers * samples * SizeOf(setup.pixel);
}

} // namespace itk::CudaSpline
