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
#include "ScenarioSupport.h"

#include "itkCudaSpline/device/PinnedBuffer.h"

#include "device/StreamPool.h"

#include <algorithm>
#include <cmath>

namespace CudaSplineTest
{

// Tolerances: some thousand units of rounding of numbers below 100, in the precision of each.
const std::vector<Scenario> &
Scenarios()
{
  static const std::vector<Scenario> scenarios = [] {
    std::vector<Scenario> all;
    for (const auto of :
         { ScenariosOfImages, ScenariosOfFields, ScenariosOfMetrics, ScenariosOfSyn, ScenariosOfPoints })
    {
      const std::vector<Scenario> some = of();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return scenarios;
}

double
LargestDifference(const std::vector<double> & a, const std::vector<double> & b)
{
  double largest = a.size() == b.size() ? 0.0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
  {
    largest = std::max(largest, std::isnan(a[i] - b[i]) ? 1e300 : std::abs(a[i] - b[i]));
  }
  return largest;
}

void
ReleaseWhatIsKept()
{
  itk::CudaSpline::ReleasePinnedMemory();
  itk::CudaSpline::ReleaseStreams();
}

} // namespace CudaSplineTest
