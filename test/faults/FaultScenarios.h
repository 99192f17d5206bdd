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
 * \brief Operations of the module in which calls of CUDA are to fail: those of images, fields and points, metrics by
 * displacement fields. Metrics by the coefficients of B-splines, which sort with CUB, are not among them. */

namespace CudaSplineTest
{

/** An object that does an operation, with whatever it needs. */
class Subject
{
public:
  Subject() = default;
  Subject(const Subject &) = delete;
  Subject &
  operator=(const Subject &) = delete;
  virtual ~Subject() = default;

  /** Does it, as often as it is called. */
  virtual void
  Run() = 0;
  virtual void
  SetGPUEnabled(bool enabled) = 0;
  virtual itk::CudaSpline::Backend
  GetLastBackend() const = 0;
  virtual std::string
  GetFallbackReason() const = 0;
  /** Numbers that came out. */
  virtual std::vector<double>
  GetNumbers() const = 0;
  /** What can be aborted; null where nothing can. */
  virtual itk::ProcessObject *
  GetProcess() = 0;
  /** Iterations of the last run that were told to observers; 0: it has none. */
  virtual int
  GetIterations() const
  {
    return 0;
  }
};

/** An operation by its name. */
struct Scenario
{
  std::string                               name;
  std::function<std::unique_ptr<Subject>()> make;
  double                                    tolerance; ///< of the backends' numbers
  /** Whether an allocation is optional: the operation continues without it, more slowly. */
  bool hasOptionalAllocations{ false };
  /** Whether the host continues from the device's intermediate result, so that the numbers are from both. */
  bool goesOn{ false };
};

/** All of them. */
const std::vector<Scenario> &
Scenarios();

/** The largest difference of two lists of numbers; NaN, and lists of other lengths, are 1e300 apart. */
double
LargestDifference(const std::vector<double> & a, const std::vector<double> & b);

/** Gives back what the module keeps for its next operation: page-locked buffers and streams. What is left is lost. */
void
ReleaseWhatIsKept();

} // namespace CudaSplineTest

#endif
