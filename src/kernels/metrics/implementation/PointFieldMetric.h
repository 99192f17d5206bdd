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
#ifndef PointFieldMetric_h
#define PointFieldMetric_h

#include "kernels/metrics/implementation/FieldMetric.h"

#include <array>

/** \file
 * \brief Metrics whose force at a sample depends only on its values and gradients, and whose value is the mean of
 * squared differences. */

namespace itk::CudaSpline
{

/** \brief The options of EvaluatePointForces() for a metric. */
inline PointForcesDescriptor
DescribePointForces(const FieldMetricSetup & setup, const std::array<MetricPass, 2> & passes)
{
  PointForcesDescriptor descriptor;
  descriptor.grid = setup.shape.grid;
  descriptor.passes = passes;
  descriptor.pixel = setup.pixel;
  descriptor.derivative = setup.shape.element;
  return descriptor;
}

/** \brief A metric that is a pass of EvaluatePointForces(). */
class PointFieldMetric final : public FieldMetric
{
public:
  PointFieldMetric(const PointForcesDescriptor & descriptor, const Residence & residence);

  void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) override;

  std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const override;

  bool
  ExchangesGradients() const override
  {
    return m_Descriptor.exchangesGradients;
  }

private:
  PointForcesDescriptor m_Descriptor;
  Residence             m_Residence;
};

} // namespace itk::CudaSpline

#endif
