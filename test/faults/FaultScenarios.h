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
#ifndef FaultScenarios_h
#define FaultScenarios_h

#include "itkCudaSpline/kernels/common/Execution.h"

#include "itkProcessObject.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/** \file
 * \brief Operations of the module in which calls of CUDA fail: images, fields, points, and metrics by displacement
 * fields. Metrics by the coefficients of B-splines, which sort with CUB, are not included. */

namespace CudaSplineTest
{

/** An object that runs an operation, with everything that it needs. */
class Subject
{
public:
  Subject() = default;
  Subject(const Subject &) = delete;
  Subject &
  operator=(const Subject &) = delete;
  virtual ~Subject() = default;

  /** Runs it; can be called repeatedly. */
  virtual void
  Run() = 0;
  virtual void
  SetGPUEnabled(bool enabled) = 0;
  virtual itk::CudaSpline::Backend
  GetLastBackend() const = 0;
  virtual std::string
  GetFallbackReason() const = 0;
  /** Returns the resulting numbers. */
  virtual std::vector<double>
  GetNumbers() const = 0;
  /** Returns the object that can be aborted; null if there is none. */
  virtual itk::ProcessObject *
  GetProcess() = 0;
  /** Returns the iterations of the last run that observers were notified of; 0: it has none. */
  virtual int
  GetIterations() const
  {
    return 0;
  }
};

/** An operation and its name. */
struct Scenario
{
  std::string                               name;
  std::function<std::unique_ptr<Subject>()> make;
  double                                    tolerance; ///< for the numbers of different backends
  /** Whether an allocation is optional: the operation continues without it, more slowly. */
  bool hasOptionalAllocations{ false };
  /** Whether the host continues from the device's intermediate result, so that the numbers are from both. */
  bool goesOn{ false };
};

/** Returns all scenarios. */
const std::vector<Scenario> &
Scenarios();

/** Returns the largest difference of two lists of numbers. NaN, and lists of different lengths, have a difference of
 * 1e300. */
double
LargestDifference(const std::vector<double> & a, const std::vector<double> & b);

/** Releases what the module keeps for its next operation: page-locked buffers and streams. Everything else is a leak.
 */
void
ReleaseWhatIsKept();

} // namespace CudaSplineTest

#endif
