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
#include "process/ChildProcess.h"

#include "console/Error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <set>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#  include <sys/prctl.h>
#endif

namespace CudaSplineProgram
{
namespace
{

#if defined(MSG_NOSIGNAL)
constexpr int sendFlags = MSG_NOSIGNAL; // if the child has ended, the result shows it, not a signal
#else
constexpr int sendFlags = 0;
#endif

/** The parent's ends of the connections to all children. A new child closes them: otherwise its siblings would not
 * notice the end of their connections. */
struct OpenEnds
{
  std::mutex    mutex;
  std::set<int> files;
};

OpenEnds &
GetOpenEnds()
{
  static auto * const ends = new OpenEnds; // children may outlive static objects
  return *ends;
}

bool
ReceiveAll(int file, void * bytes, std::size_t count)
{
  for (char * at = static_cast<char *>(bytes); count > 0;)
  {
    const ssize_t got = recv(file, at, count, 0);
    if (got < 0 && errno == EINTR)
    {
      continue;
    }
    if (got <= 0)
    {
      return false;
    }
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool
SendAll(int file, const void * bytes, std::size_t count)
{
  for (const char * at = static_cast<const char *>(bytes); count > 0;)
  {
    const ssize_t put = send(file, at, count, sendFlags);
    if (put < 0 && errno == EINTR)
    {
      continue;
    }
    if (put <= 0)
    {
      return false;
    }
    at += put;
    count -= static_cast<std::size_t>(put);
  }
  return true;
}

} // namespace

bool
ProcessLink::Send(const std::string & text) const
{
  const std::uint64_t length = text.size();
  return SendAll(m_File, &length, sizeof(length)) && SendAll(m_File, text.data(), text.size());
}

std::optional<std::string>
ProcessLink::Receive() const
{
  std::uint64_t length = 0;
  if (!ReceiveAll(m_File, &length, sizeof(length)) || length > (std::uint64_t{ 1 } << 40))
  {
    return std::nullopt;
  }
  std::string text;
  // In pieces, so that a wrong length from a broken process does not allocate memory before its bytes arrive.
  for (std::uint64_t done = 0; done < length;)
  {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(length - done, 1 << 20));
    text.resize(static_cast<std::size_t>(done) + piece);
    if (!ReceiveAll(m_File, text.data() + done, piece))
    {
      return std::nullopt;
    }
    done += piece;
  }
  return text;
}

std::string
TextOf(const ProcessEnd & end)
{
  return end.signal != 0 ? std::string("its process was ended by a signal: ") + strsignal(end.signal)
                         : "its process ended with code " + std::to_string(end.code);
}

ChildProcess::ChildProcess(const std::function<void(const ProcessLink &)> & work, int signalOfParentsEnd)
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
  {
    throw ProgramError(std::string("cannot start a process: ") + std::strerror(errno));
  }
  std::cout.flush();
  std::cerr.flush();
  OpenEnds &                   open = GetOpenEnds();
  std::unique_lock<std::mutex> lock(open.mutex);
  const pid_t                  parent = getpid();
  m_Process = fork();
  if (m_Process < 0)
  {
    const std::string reason = std::strerror(errno);
    close(ends[0]);
    close(ends[1]);
    throw ProgramError("cannot start a process: " + reason);
  }
  if (m_Process == 0)
  {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, signalOfParentsEnd); // results are useless after the parent has ended
#endif
    if (getppid() != parent)
    {
      std::_Exit(EXIT_FAILURE);
    }
    for (const int file : open.files)
    {
      close(file);
    }
    open.files = { ends[1] }; // for children of this process
    close(ends[0]);
    lock.unlock();
    work(ProcessLink(ends[1]));
    std::_Exit(EXIT_SUCCESS); // the destructors of the parent must not run in this process
  }
  open.files.insert(ends[0]);
  close(ends[1]);
  m_Link = ProcessLink(ends[0]);
}

ChildProcess::~ChildProcess()
{
  this->End();
}

ProcessEnd
ChildProcess::End()
{
  if (m_Process <= 0)
  {
    return m_End;
  }
  {
    OpenEnds &                        open = GetOpenEnds();
    const std::lock_guard<std::mutex> lock(open.mutex);
    open.files.erase(m_Link.GetFile());
    close(m_Link.GetFile());
  }
  int status = 0;
  while (waitpid(m_Process, &status, 0) < 0 && errno == EINTR)
  {}
  m_Process = -1;
  m_End.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  m_End.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return m_End;
}

ProcessEnd
ChildProcess::Kill()
{
  if (m_Process > 0)
  {
    kill(m_Process, SIGKILL);
  }
  return this->End();
}

} // namespace CudaSplineProgram
