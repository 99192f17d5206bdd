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

#include "kernels/metrics/implementation/GridPass.h"
#include "kernels/metrics/local_correlation/ExactCorrelation.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

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

/** Where the images of numbers of windows begin in the scratch memory, except for the first. */
std::vector<std::size_t>
FindStarts(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
{
  const std::size_t        bytes = CountLocalCorrelationScratch(descriptor, residence);
  const std::size_t        images = descriptor.isExact ? std::size_t{ ExactWindowNumbers } : 1;
  std::vector<std::size_t> starts;
  for (std::size_t image = 1; image < images; ++image)
  {
    starts.push_back(image * bytes / images);
  }
  return starts;
}

/** The metric, with the memory of its sums. */
class LocalCorrelationForces final : public FieldMetric
{
public:
  LocalCorrelationForces(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
    : m_Descriptor(descriptor)
    , m_Residence(residence)
    , m_Sums(CountLocalCorrelationScratch(descriptor, residence), residence, FindStarts(descriptor, residence))
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

  const std::int64_t *
  FindCount(const FieldMetricSums * sums) const override
  {
    return &sums->correlation.count;
  }

private:
  LocalCorrelationDescriptor m_Descriptor;
  Residence                  m_Residence;
  ResidentArray              m_Sums;
};

MetricOutcome
ReduceWindows(const MetricReduce & reduce, const MetricReduction & reduction, bool isExact)
{
  auto pass = std::get<LocalCorrelationPass>(reduction.pass);
  pass.isExact = isExact;
  MetricOutcome outcome;
  MetricResult  sums = reduce(pass, reduction.withDerivative);
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

MetricResult
CompareOnGrid(const LocalCorrelationPass & pass, const GridComparison & comparison, const Residence & residence)
{
  LocalCorrelationDescriptor descriptor;
  descriptor.grid = comparison.grid;
  descriptor.radius = pass.radius;
  descriptor.pixel = comparison.pixel;
  descriptor.derivative = comparison.element;
  descriptor.arithmetic = comparison.arithmetic;
  descriptor.epsilon = pass.epsilon;
  descriptor.factorsAlone = comparison.factorsAlone;
  descriptor.isExact = pass.isExact;
  descriptor.varianceFloors = pass.varianceFloors;
  LocalCorrelationSums found;
  const ResidentArray  sums(sizeof(found), residence);
  const ResidentArray  scratch(CountLocalCorrelationScratch(descriptor, residence), residence);
  EvaluateLocalCorrelation(descriptor,
                           comparison.images,
                           sums.As<LocalCorrelationSums>(),
                           comparison.derivative,
                           nullptr,
                           scratch.Data(),
                           residence);
  Download(&found, sums.Data(), sizeof(found), residence);
  MetricResult result;
  result.count = found.count;
  result.values = { { found.correlation, static_cast<double>(found.flatWindows), 0.0 } };
  return result;
}

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
