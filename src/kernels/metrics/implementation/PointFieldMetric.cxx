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
#include "kernels/metrics/implementation/PointFieldMetric.h"

#include <limits>

namespace itk::CudaSpline
{

PointFieldMetric::PointFieldMetric(const PointForcesDescriptor & descriptor, const Residence & residence)
  : m_Descriptor(descriptor)
  , m_Residence(residence)
{}

void
PointFieldMetric::Compare(const ComparedPair & pair,
                          FieldMetricSums *    sums,
                          void *               byMoving,
                          void *               byFixed,
                          void *               scratch)
{
  EvaluatePointForces(m_Descriptor, pair.moved, &sums->differences, byMoving, byFixed, scratch, m_Residence);
}

std::array<double, 2>
PointFieldMetric::ValuesOf(const FieldMetricSums & sums) const
{
  const PointSums & differences = sums.differences;
  const double      value = differences.count > 0 ? differences.squares / static_cast<double>(differences.count)
                                                  : std::numeric_limits<double>::max();
  return { { value, value } };
}

} // namespace itk::CudaSpline
