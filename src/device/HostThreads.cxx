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
#include "device/HostThreads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

namespace itk::CudaSpline
{
namespace
{

/** A loop that is running. All members are guarded by the mutex of its threads. */
struct Loop
{
  const std::function<void(std::int64_t)> * part;
  std::int64_t                              parts;
  std::int64_t                              next;   ///< next part
  unsigned int                              wanted; ///< threads that may still join
  unsigned int                              working;
};

class HostThreads
{
public:
  explicit HostThreads(pid_t process)
    : m_Process(process)
  {}

  bool
  AreOf(pid_t process) const
  {
    return m_Process == process;
  }

  void
  Run(Loop & loop)
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    this->Start(loop.wanted);
    m_Loops.push_back(&loop);
    m_Begun.notify_all();
    Work(loop, lock);
    m_Loops.remove(&loop);
    m_Done.wait(lock, [&loop] { return loop.working == 0; });
  }

private:
  /** Starts as many threads as a loop requests, or as are available. */
  void
  Start(unsigned int wanted)
  {
    try
    {
      for (; m_Threads < wanted; ++m_Threads)
      {
        std::thread([this] { this->Wait(); }).detach();
      }
    }
    catch (const std::system_error &)
    {
      // No more threads are available: the calling thread does the rest.
    }
  }

  /** The main function of a thread. */
  void
  Wait()
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    for (;;)
    {
      Loop * loop = nullptr;
      m_Begun.wait(lock, [this, &loop] {
        const auto found = std::find_if(m_Loops.begin(), m_Loops.end(), [](const Loop * candidate) {
          return candidate->wanted > 0 && candidate->next < candidate->parts;
        });
        loop = found == m_Loops.end() ? nullptr : *found;
        return loop != nullptr;
      });
      --loop->wanted;
      ++loop->working;
      Work(*loop, lock);
      if (--loop->working == 0)
      {
        m_Done.notify_all();
      }
    }
  }

  /** Runs parts of a loop until none is left. */
  static void
  Work(Loop & loop, std::unique_lock<std::mutex> & lock)
  {
    while (loop.next < loop.parts)
    {
      const std::int64_t part = loop.next++;
      lock.unlock();
      (*loop.part)(part);
      lock.lock();
    }
  }

  const pid_t             m_Process;
  std::mutex              m_Mutex;
  std::condition_variable m_Begun;
  std::condition_variable m_Done;
  std::list<Loop *>       m_Loops;
  unsigned int            m_Threads{ 0 };
};

/** Returns the threads of this process. They are never destroyed, because threads wait in them until the process ends.
 */
HostThreads &
GetHostThreads()
{
  static std::atomic<HostThreads *> threads{ nullptr };
  const pid_t                       process = getpid();
  HostThreads *                     found = threads;
  while (found == nullptr || !found->AreOf(process))
  {
    auto * const own = new HostThreads(process);
    if (threads.compare_exchange_strong(found, own))
    {
      return *own;
    }
    delete own;
  }
  return *found;
}
} // namespace

void
RunOnHostThreads(std::int64_t parts, unsigned int threads, const std::function<void(std::int64_t)> & part)
{
  const std::int64_t others = std::min<std::int64_t>(parts, threads) - 1;
  if (others <= 0)
  {
    for (std::int64_t i = 0; i < parts; ++i)
    {
      part(i);
    }
    return;
  }
  Loop loop{ &part, parts, 0, static_cast<unsigned int>(others), 0 };
  GetHostThreads().Run(loop);
}

} // namespace itk::CudaSpline
