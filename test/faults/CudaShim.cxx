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
#include "CudaShimState.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace CudaSplineTest
{
namespace
{

struct Shim
{
  std::mutex                          mutex;
  Fault                               fault;
  Hindrance                           hindrance;
  bool                                armed{ false };
  bool                                stuck{ false };
  std::int64_t                        calls{ 0 };
  std::map<std::string, std::int64_t> callsOf;
  std::atomic<bool>                   slow{ false };
  std::string                         onlyFile; ///< the only file that access() finds; empty: all existing files
  std::string                         failed;
  bool                                failedIsRelease{ false };
  cudaError_t                         last{ cudaSuccess };
  std::set<std::pair<std::string, std::uintptr_t>> unreleased;
  int                                              wrongReleases{ 0 };
  std::uintptr_t                                   handles{ 16 }; ///< of resources other than memory
  std::string                                      stray;
  std::map<std::uintptr_t, std::size_t>            bytes; ///< allocations of device memory by address
  std::size_t                                      allocated{ 0 };
  std::size_t                                      peak{ 0 };
  CopiedBytes                                      copied;
  std::atomic<bool>                                times{ false }; ///< whether kernels are measured
  std::vector<std::pair<cudaEvent_t, cudaEvent_t>> kernels;        ///< the events of each kernel
};

Shim &
GetShim()
{
  static Shim * const shim = new Shim; // the runtime may free memory at exit after its destruction
  return *shim;
}

/** Devices whose contexts the thread has made current, each in the scope of the previous one. It is trivially
 * destructible, because CUDA is also called at exit. */
struct Scopes
{
  int         devices[16];
  std::size_t count;
};
thread_local Scopes scopes;

/** Times of the calls of a thread; null if they are not measured. */
thread_local std::map<std::string, CallTime> * callTimes = nullptr;

/** Returns whether CUDA starts a context for the call if none is current, as observed with the runtimes of CUDA 12.1 to
 * 13.0. */
bool
NeedsContext(const std::string & name)
{
  // Never destroyed, like the shim.
  static const auto * const others = new std::set<std::string>{
    "EnterContext",         "cudaDeviceGetAttribute",  "cudaEventSynchronize",    "cudaFreeAsync",
    "cudaGetDevice",        "cudaGetDeviceCount",      "cudaGetDeviceProperties", "cudaInitDevice",
    "cudaDriverGetVersion", "cudaMemPoolGetAttribute", "cudaMemPoolTrimTo",       "cudaPointerGetAttributes"
  };
  return others->count(name) == 0;
}
} // namespace

int
CurrentDevice()
{
  return scopes.count == 0 ? -1 : scopes.devices[scopes.count - 1];
}

void
EnterDevice(int device)
{
  if (scopes.count == std::size(scopes.devices))
  {
    std::abort(); // deeper than any use here
  }
  scopes.devices[scopes.count++] = device;
}

void
LeaveDevice(int device)
{
  if (CurrentDevice() != device)
  {
    NoteStray("LeaveContext, of a device that is not the current one,");
    return;
  }
  --scopes.count;
}

void
NoteStray(const std::string & call)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  if (shim.armed && shim.stray.empty())
  {
    shim.stray = call;
  }
}

std::string
StrayCall()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.stray;
}

/** Counts a call. Returns an error if it has to fail. */
cudaError_t
Enter(const char * name, Kind kind)
{
  if (scopes.count == 0 && NeedsContext(name))
  {
    NoteStray(name);
  }
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  if (shim.hindrance.call == name && shim.hindrance.milliseconds > 0)
  {
    shim.slow = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(shim.hindrance.milliseconds));
  }
  if (shim.hindrance.call == name && shim.hindrance.error != 0)
  {
    shim.failed = name;
    shim.last = static_cast<cudaError_t>(shim.hindrance.error);
    return shim.last;
  }
  if (!shim.armed)
  {
    return cudaSuccess;
  }
  const auto error = static_cast<cudaError_t>(shim.fault.error);
  if (shim.stuck)
  {
    shim.last = error;
    return error;
  }
  if (shim.fault.onlyAllocations && kind != Kind::Allocation)
  {
    return cudaSuccess;
  }
  ++shim.callsOf[name];
  const std::int64_t call = shim.calls++;
  if (call != shim.fault.at && !(shim.fault.lasting && shim.fault.at >= 0 && call > shim.fault.at))
  {
    return cudaSuccess;
  }
  shim.failed = name;
  shim.hindrance.free = shim.fault.free > 0 ? shim.fault.free : shim.hindrance.free;
  shim.failedIsRelease = kind == Kind::Release;
  shim.stuck = shim.fault.sticky;
  shim.last = error;
  return error;
}

void
Keep(const char * name, std::uintptr_t thing)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.unreleased.emplace(name, thing);
}

void
Drop(const char * name, std::uintptr_t thing)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.wrongReleases += shim.unreleased.erase({ name, thing }) == 1 ? 0 : 1;
  const auto memory = shim.bytes.find(thing);
  if (memory != shim.bytes.end())
  {
    shim.allocated -= memory->second;
    shim.bytes.erase(memory);
  }
}

void
KeepBytes(std::uintptr_t thing, std::size_t bytes)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.bytes[thing] = bytes;
  shim.allocated += bytes;
  shim.peak = std::max(shim.peak, shim.allocated);
}

bool
IsAllocated(const void * address)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  const auto                        wanted = (std::uintptr_t)address;
  const auto                        next = shim.bytes.upper_bound(wanted);
  return next != shim.bytes.begin() && wanted - std::prev(next)->first < std::prev(next)->second;
}

void
NoteCopy(cudaMemcpyKind kind, std::size_t bytes)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.copied.toDevice += kind == cudaMemcpyHostToDevice ? bytes : 0;
  shim.copied.toHost += kind == cudaMemcpyDeviceToHost ? bytes : 0;
  shim.copied.withinDevice += kind == cudaMemcpyDeviceToDevice ? bytes : 0;
}

CopiedBytes
GetCopiedBytes()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.copied;
}

bool
KernelsAreTimed()
{
  return GetShim().times;
}

void
KeepKernelTime(cudaEvent_t begin, cudaEvent_t end)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.kernels.emplace_back(begin, end);
}

void
BeginKernelTimes()
{
  GetShim().times = true;
}

double
EndKernelTimes()
{
  Shim & shim = GetShim();
  shim.times = false;
  const std::lock_guard<std::mutex> lock(shim.mutex);
  double                            seconds = 0.0;
  for (const auto & [begin, end] : shim.kernels)
  {
    float milliseconds = 0.0F;
    static_cast<void>(cudaEventElapsedTime(&milliseconds, begin, end));
    seconds += milliseconds * 1e-3;
  }
  shim.kernels.clear();
  return seconds;
}

void
BeginCallTimes()
{
  callTimes = new std::map<std::string, CallTime>;
}

std::map<std::string, CallTime>
EndCallTimes()
{
  const std::unique_ptr<std::map<std::string, CallTime>> times(std::exchange(callTimes, nullptr));
  return *times;
}

CallTimer::CallTimer(const char * name)
  : m_Name(name)
{}

CallTimer::~CallTimer()
{
  if (callTimes != nullptr)
  {
    CallTime & time = (*callTimes)[m_Name];
    ++time.calls;
    time.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_Begin).count();
  }
}

std::size_t
AllocatedBytes()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.allocated;
}

std::size_t
PeakBytes()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.peak;
}

void
RestartPeak()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.peak = shim.allocated;
}

cudaError_t
TakeError(cudaError_t real)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  const cudaError_t                 made = shim.last;
  if (!(shim.armed && shim.stuck))
  {
    shim.last = cudaSuccess;
  }
  return made != cudaSuccess ? made : real;
}

std::uintptr_t
NewHandle()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.handles += 16;
}

Hindrance
CurrentHindrance()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.hindrance;
}

void
HinderShim(const Hindrance & hindrance)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.hindrance = hindrance;
}

bool
SlowCallHasBegun()
{
  return GetShim().slow;
}

void
LetOnlyExist(const std::string & path)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.onlyFile = path;
}

std::string
OnlyFile()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.onlyFile;
}

void
ArmShim(const Fault & fault)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.fault = fault;
  shim.armed = true;
  shim.stuck = false;
  shim.calls = 0;
  shim.copied = CopiedBytes();
  shim.callsOf.clear();
  shim.stray.clear();
  shim.failed.clear();
  shim.failedIsRelease = false;
}

std::int64_t
DisarmShim()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  shim.armed = false;
  return shim.calls;
}

std::int64_t
CallsOf(const std::string & name)
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.callsOf[name];
}

std::string
FailedCall()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.failed;
}

bool
FailedCallIsRelease()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.failedIsRelease;
}

std::map<std::string, int>
Unreleased()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  std::map<std::string, int>        things;
  for (const auto & thing : shim.unreleased)
  {
    ++things[thing.first];
  }
  return things;
}

int
WrongReleases()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.wrongReleases;
}

int
PendingError()
{
  Shim &                            shim = GetShim();
  const std::lock_guard<std::mutex> lock(shim.mutex);
  return shim.last;
}

} // namespace CudaSplineTest
