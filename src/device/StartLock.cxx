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
#include "device/StartLock.h"

#include <chrono>
#include <mutex>
#include <type_traits>

#include <pthread.h>

namespace itk::CudaSpline
{

namespace
{
// Constant initialization and trivial destruction: usable before and after all other static objects.
std::timed_mutex startMutex;
static_assert(std::is_trivially_destructible_v<std::timed_mutex>);

thread_local int  startDepth = 0;        ///< number of times that this thread holds the lock
thread_local bool isHeldForFork = false; ///< by this thread, which forks

void
BeforeFork()
{
  isHeldForFork = startDepth == 0 && startMutex.try_lock_for(std::chrono::seconds(MaximumForkWaitSeconds));
}

/** Called in the parent, and in the child, whose only thread is a copy of the thread that forked. */
void
AfterFork()
{
  if (isHeldForFork)
  {
    isHeldForFork = false;
    startMutex.unlock();
  }
}

/** Registered when the library is loaded, before any start. */
const int forkHandlers = pthread_atfork(BeforeFork, AfterFork, AfterFork);
} // namespace

StartLock::StartLock()
{
  if (startDepth == 0)
  {
    startMutex.lock();
  }
  ++startDepth;
}

StartLock::~StartLock()
{
  --startDepth;
  if (startDepth == 0)
  {
    startMutex.unlock();
  }
}

} // namespace itk::CudaSpline
