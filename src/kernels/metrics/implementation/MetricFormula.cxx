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
#include "kernels/metrics/implementation/MetricImplementation.h"

#include <utility>

namespace itk::CudaSpline
{

void
TakeDerivative(MetricResult & sums, double divisor, MetricOutcome & outcome)
{
  outcome.factors[0] = 1.0 / divisor;
  outcome.derivative = std::move(sums.derivatives[0]);
  if (divisor != 1.0)
  {
    for (double & sum : outcome.derivative)
    {
      sum /= divisor;
    }
  }
}

} // namespace itk::CudaSpline
