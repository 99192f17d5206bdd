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
  std::int64_t at{ -1 };                 ///< number of the call, from 0; -1: none fails
  int          error{ 0 };               ///< cudaError_t that it returns
  bool         sticky{ false };          ///< all later calls fail too, as after a lost device
  bool         onlyAllocations{ false }; ///< only calls that allocate are counted
  bool         lasting{ false };         ///< all later calls that are counted fail too
  std::size_t  free{ 0 }; ///< bytes of the device's memory that are free then, as a Hindrance; 0: as before
};

/** The error of every call on a machine whose GPU is unavailable, until the hindrance ends. */
struct Hindrance
{
  std::string call;        ///< that fails, "cudaInitDevice" say; empty: none
  int         error{ 0 };  ///< cudaError_t that it returns
  int         driver{ 0 }; ///< version of CUDA that the driver supports (11040: 11.4), where a call fails
  std::size_t free{ 0 };   ///< bytes of the device's memory that are left, with those of its pools; 0: as it is
  /** What the call takes, with the shim's lock held as the runtime holds its own. */
  int milliseconds{ 0 };
};

/** True where calls reach a GPU. The same for the whole process. CUDASPLINE_FAULTS=fake: not even where there is one.
 */
bool
ShimIsReal();

/** Lets the machine answer so from now on; without an argument, as it is. */
void
HinderShim(const Hindrance & hindrance = Hindrance());

/** True once a call that shall take its time (Hindrance::milliseconds) is at work. */
bool
SlowCallHasBegun();

/** Lets access() find this file and no other. */
void
LetOnlyExist(const std::string & path);

/** Begins to count, and to fail where wanted. */
void
ArmShim(const Fault & fault);

/** Ends counting; returns the calls that were counted since ArmShim(). */
std::int64_t
DisarmShim();

/** How many of them were calls of that name. */
std::int64_t
CallsOf(const std::string & name);

/** Device whose context the module has made current in the calling thread; -1: none. */
int
CurrentDevice();

/** The first of the calls that were counted which was made in a thread where the module had made no context current:
 * CUDA then starts one of device 0, whatever device the call is about. Empty: none. */
std::string
StrayCall();

/** Name of the call that failed, empty where none did. */
std::string
FailedCall();

/** True where the failed call gives something back, so that its failure changes nothing. */
bool
FailedCallIsRelease();

/** What is allocated and not freed, by kind ("cudaMallocFromPoolAsync", "cudaStreamCreateWithFlags", ...). */
std::map<std::string, int>
Unreleased();

/** Bytes of the device's memory that are allocated, and the most of them since RestartPeak(). */
///@{
std::size_t
AllocatedBytes();
std::size_t
PeakBytes();
void
RestartPeak();
///@}

/** Whether an address is in the device's memory, as the module has allocated it. */
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

/** Begins to measure the time of each kernel on a GPU; a launch then takes some microseconds longer. */
void
BeginKernelTimes();

/** Ends that; returns the sum of the times since (s). All kernels have ended. */
double
EndKernelTimes();

/** What the calls of a name took. */
struct CallTime
{
  std::int64_t calls{ 0 };
  double       seconds{ 0.0 };
};

/** Begins to measure how long the calling thread is in each call of CUDA. */
void
BeginCallTimes();

/** Ends that; returns the times since, by name. */
std::map<std::string, CallTime>
EndCallTimes();

/** Calls that freed something that was not allocated, since the process began. */
int
WrongReleases();

/** The error that the next cudaGetLastError() would return. */
int
PendingError();

} // namespace CudaSplineTest

#endif
