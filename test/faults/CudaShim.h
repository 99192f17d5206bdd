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
#ifndef CudaShim_h
#define CudaShim_h

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

/** \file
 * \brief A layer between the module and the CUDA runtime, for the tests of faults: it counts the calls, lets one of
 * them fail, and records what was allocated and not freed.
 *
 * The linker inserts it (--wrap), only in these programs: the module has no hook, no switch and no branch for it, so
 * the tests run the code that is shipped. Without a GPU the shim simulates one: memory is host memory, copies are
 * immediate, and kernels do nothing. So everything except the numbers of the kernels is tested on any machine. */

namespace CudaSplineTest
{

/** Effect of a call that fails. */
struct Fault
{
  std::int64_t at{ -1 };                 ///< number of the call that fails, from 0; -1: none
  int          error{ 0 };               ///< cudaError_t that it returns
  bool         sticky{ false };          ///< whether all later calls fail too, as after a lost device
  bool         onlyAllocations{ false }; ///< only calls that allocate are counted
  bool         lasting{ false };         ///< whether all later counted calls fail too
  std::size_t  free{ 0 };                ///< free bytes of device memory from then on, as in Hindrance; 0: unchanged
};

/** The error of every call on a machine whose GPU is unavailable, until the hindrance ends. */
struct Hindrance
{
  std::string call;        ///< name of the call that fails, for example "cudaInitDevice"; empty: none
  int         error{ 0 };  ///< cudaError_t that it returns
  int         driver{ 0 }; ///< version of CUDA that the driver supports (11040: 11.4), if a call fails
  std::size_t free{ 0 };   ///< free bytes of device memory, including those of its pools; 0: unchanged
  /** Duration of the call, during which the lock of the shim is held, like the runtime's own lock. */
  int milliseconds{ 0 };
};

/** Returns whether calls use a real GPU. It is the same for the whole process. With CUDASPLINE_FAULTS=fake they do not,
 * even if there is one. */
bool
ShimIsReal();

/** Sets the state of the machine from now on; without an argument, the real state. */
void
HinderShim(const Hindrance & hindrance = Hindrance());

/** Returns whether a slow call (Hindrance::milliseconds) is running. */
bool
SlowCallHasBegun();

/** Makes access() find only this file. */
void
LetOnlyExist(const std::string & path);

/** Starts to count calls, and to make them fail if requested. */
void
ArmShim(const Fault & fault);

/** Stops counting. Returns the number of calls since ArmShim(). */
std::int64_t
DisarmShim();

/** Returns how many of them had a given name. */
std::int64_t
CallsOf(const std::string & name);

/** Returns the device whose context the module has made current in the calling thread; -1: none. */
int
CurrentDevice();

/** Returns the first counted call in a thread for which the module had not made any context current. CUDA then starts
 * one on device 0, for a call about any device. Empty: none. */
std::string
StrayCall();

/** Returns the name of the call that failed. Empty if none did. */
std::string
FailedCall();

/** Returns whether the failed call releases something, so that its failure has no effect. */
bool
FailedCallIsRelease();

/** Returns what is allocated and not freed, by kind ("cudaMallocFromPoolAsync", "cudaStreamCreateWithFlags", ...). */
std::map<std::string, int>
Unreleased();

/** Allocated bytes of device memory, and their maximum since RestartPeak(). */
///@{
std::size_t
AllocatedBytes();
std::size_t
PeakBytes();
void
RestartPeak();
///@}

/** Returns whether an address is in device memory that the module has allocated. */
bool
IsAllocated(const void * address);

/** Bytes that cudaMemcpyAsync() has copied since ArmShim(). */
struct CopiedBytes
{
  std::size_t toDevice{ 0 };
  std::size_t toHost{ 0 };
  std::size_t withinDevice{ 0 };
};
CopiedBytes
GetCopiedBytes();

/** Starts to measure the time of each kernel on a GPU. Each launch then takes some microseconds longer. */
void
BeginKernelTimes();

/** Stops the measurement. Returns the sum of the times in seconds. All kernels need to have ended. */
double
EndKernelTimes();

/** Times of the calls of a name. */
struct CallTime
{
  std::int64_t calls{ 0 };
  double       seconds{ 0.0 };
};

/** Starts to measure the time of the calling thread in each call of CUDA. */
void
BeginCallTimes();

/** Stops the measurement. Returns the times by name. */
std::map<std::string, CallTime>
EndCallTimes();

/** Returns the number of calls since the start of the process that freed something that was not allocated. */
int
WrongReleases();

/** Returns the error that the next cudaGetLastError() would return. */
int
PendingError();

} // namespace CudaSplineTest

#endif
