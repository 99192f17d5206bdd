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
#include "kernels/metrics/demons/Demons.h"

#include "kernels/metrics/implementation/PointFieldMetric.h"

#include <array>
#include <stdexcept>
#include <variant>

namespace itk::CudaSpline
{

template <>
MetricOutcome
MetricImplementation<DemonsMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(std::get<DemonsPass>(reduction.pass), reduction.withDerivative);
  outcome.count = sums.count;
  if (sums.count > 0)
  {
    outcome.value = sums.values[0] / static_cast<double>(sums.count);
    TakeDerivative(sums, 1.0, outcome);
  }
  return outcome;
}

template <>
std::unique_ptr<FieldMetric>
MetricImplementation<DemonsMetric>::MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence)
{
  if (setup.comparesOriginals && setup.hasStages)
  {
    throw std::invalid_argument("Demons of images that are not downsampled do not support initial transforms.");
  }
  std::array<MetricPass, 2> passes;
  // The mean square of the spacing of the image whose gradient is used.
  for (std::size_t direction = 0; direction < 2; ++direction)
  {
    const bool        isOfMoving = (direction == 0) != setup.options.exchangesGradients;
    const FieldGrid & grid = setup.grids[isOfMoving ? 1 : 0];
    double            squares = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      squares += grid.spacing[d] * grid.spacing[d];
    }
    passes[direction] =
      DemonsPass{ squares / grid.dimension, setup.options.differenceThreshold, setup.options.denominatorThreshold };
  }
  PointForcesDescriptor descriptor = DescribePointForces(setup, passes);
  descriptor.exchangesGradients = setup.options.exchangesGradients;
  return std::make_unique<PointFieldMetric>(descriptor, residence);
}

template <>
std::size_t
MetricImplementation<DemonsMetric>::CountFieldBytes(const FieldMetricSetup &)
{
  return SmallFieldMetricBytes;
}

} // namespace itk::CudaSpline
