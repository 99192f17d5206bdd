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
#ifndef CudaShimState_h
#define CudaShimState_h

#include "CudaShim.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief State of the shim that the wrapped calls use. */

namespace CudaSplineTest
{

/** Kind of a call, for counting. */
enum class Kind : unsigned char
{
  Allocation,
  Release,
  Other
};

/** Counts a call. Returns an error if it has to fail. */
cudaError_t
Enter(const char * name, Kind kind);

/** Returns the simulated state of the machine (HinderShim()). */
Hindrance
CurrentHindrance();

/** Returns the only file that access() finds (LetOnlyExist()); empty: all existing files. */
std::string
OnlyFile();

/** Records an allocation of a call. */
void
Keep(const char * name, std::uintptr_t thing);

/** Records the bytes of device memory of an object, until Drop() removes it. */
void
KeepBytes(std::uintptr_t thing, std::size_t bytes);

/** Counts a copy (GetCopiedBytes()). */
void
NoteCopy(cudaMemcpyKind kind, std::size_t bytes);

/** Whether kernels are measured (BeginKernelTimes()). */
bool
KernelsAreTimed();

/** Takes two events of a stream, before and after a kernel. */
void
KeepKernelTime(cudaEvent_t begin, cudaEvent_t end);

/** Adds the time of a call from its construction to its end, if calls of this thread are measured (BeginCallTimes()).
 */
class CallTimer
{
public:
  explicit CallTimer(const char * name);
  CallTimer(const CallTimer &) = delete;
  CallTimer &
  operator=(const CallTimer &) = delete;
  ~CallTimer();

private:
  const char *                          m_Name;
  std::chrono::steady_clock::time_point m_Begin{ std::chrono::steady_clock::now() };
};

/** Removes the record of an allocation of a call. */
void
Drop(const char * name, std::uintptr_t thing);

/** Returns and clears the error of the last call that failed, or returns \p real. */
cudaError_t
TakeError(cudaError_t real);

/** Makes a device's context current, or the previous one again (CurrentDevice()). */
void
EnterDevice(int device);
void
LeaveDevice(int device);

/** Records a call for StrayCall(). */
void
NoteStray(const std::string & call);

/** Returns an unused handle. */
std::uintptr_t
NewHandle();

} // namespace CudaSplineTest

#endif
