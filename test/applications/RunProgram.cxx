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
#include "RunProgram.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

std::string
ProgramPath(const std::string & program)
{
  const bool         isRegister = program == "CudaSplineRegister";
  const char * const other = isRegister ? nullptr : std::getenv("CUDASPLINE_RESAMPLE");
  if (other != nullptr)
  {
    return other;
  }
  // In the folder of the tests if both were copied, otherwise in the build folder.
  std::error_code error;
  const auto      beside = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / program;
  return std::filesystem::exists(beside, error) ? beside.string()
         : isRegister                           ? CUDASPLINE_REGISTER_PROGRAM
                                                : CUDASPLINE_RESAMPLE_PROGRAM;
}

/** The two ends of a pipe or pseudo-terminal. */
struct Channel
{
  int read{ -1 };
  int write{ -1 };
};

Channel
MakeChannel(bool terminal)
{
  Channel channel;
  if (terminal)
  {
    channel.read = posix_openpt(O_RDWR | O_NOCTTY);
    if (channel.read < 0 || grantpt(channel.read) != 0 || unlockpt(channel.read) != 0)
    {
      throw std::runtime_error("no pseudo-terminal");
    }
    channel.write = open(ptsname(channel.read), O_RDWR | O_NOCTTY);
  }
  else
  {
    int ends[2];
    if (pipe(ends) != 0)
    {
      throw std::runtime_error("no pipe");
    }
    channel = { ends[0], ends[1] };
  }
  return channel;
}

/** Makes calls that create hard links fail with EPERM, as on a file system without hard links, in this process and in
 * programs that it executes. */
bool
ForbidLinks()
{
  constexpr std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  sock_filter             steps[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_linkat, 2, 0),
#ifdef __NR_link
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_link, 1, 0),
#else
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_linkat, 1, 0),
#endif
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, refuse),
  };
  sock_fprog program{ sizeof(steps) / sizeof(steps[0]), steps };
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

[[noreturn]] void
Execute(const std::vector<std::string> & arguments, const ProgramSettings & settings, int output, int errors)
{
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (!settings.outputTo.empty())
  {
    dup2(open(settings.outputTo.c_str(), O_WRONLY), STDOUT_FILENO);
  }
  for (const auto & [name, value] : settings.environment)
  {
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (settings.fileSizeLimit >= 0)
  {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur =
      static_cast<rlim_t>(settings.fileSizeLimit); // only the soft limit, which a process may raise again
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN); // writes fail instead
  }
  if (settings.openFilesLimit >= 0)
  {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = static_cast<rlim_t>(settings.openFilesLimit);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (settings.hasNoLinks && !ForbidLinks())
  {
    _exit(126);
  }
  const std::string   program = ProgramPath(settings.program);
  std::vector<char *> words{ const_cast<char *>(program.c_str()) };
  for (const std::string & argument : arguments)
  {
    words.push_back(const_cast<char *>(argument.c_str()));
  }
  std::string quiet = "--quiet";
  if (settings.program == "CudaSplineRegister" && !settings.hasSummary)
  {
    words.push_back(quiet.data());
  }
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(127);
}

/** Reads both channels until they are closed; a pseudo-terminal ends with an error. Sends the signal to the child. */
void
ReadAll(int output, int errors, const ProgramSettings & settings, pid_t child, ProgramResult & result)
{
  bool   isSent = settings.signalWhenOutput.empty();
  pollfd channels[2] = { { output, POLLIN, 0 }, { errors, POLLIN, 0 } };
  while (channels[0].fd >= 0 || channels[1].fd >= 0)
  {
    poll(channels, 2, -1);
    for (int index = 0; index < 2; ++index)
    {
      if (channels[index].fd >= 0 && channels[index].revents != 0)
      {
        char          buffer[4096];
        const ssize_t count = read(channels[index].fd, buffer, sizeof(buffer));
        if (count > 0)
        {
          (index == 0 ? result.output : result.errors).append(buffer, static_cast<std::size_t>(count));
          if (!isSent && result.output.find(settings.signalWhenOutput) != std::string::npos)
          {
            kill(child, SIGTERM);
            isSent = true;
          }
        }
        else
        {
          close(channels[index].fd);
          channels[index].fd = -1;
        }
      }
    }
  }
}

} // namespace

std::size_t
ProgramResult::CountErrorLines() const
{
  return static_cast<std::size_t>(std::count(errors.begin(), errors.end(), '\n'));
}

bool
HasHiddenFolder(const std::string & folder)
{
  for (const auto & entry : std::filesystem::directory_iterator(folder))
  {
    if (entry.is_directory() && entry.path().filename().string()[0] == '.')
    {
      return true;
    }
  }
  return false;
}

bool
CanForbidLinks()
{
  const pid_t child = fork();
  if (child == 0)
  {
    _exit(ForbidLinks() ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

ProgramResult
RunProgram(const std::vector<std::string> & arguments, const ProgramSettings & settings)
{
  const Channel output = MakeChannel(false);
  const Channel errors = MakeChannel(settings.onTerminal);
  const pid_t   child = fork();
  if (child == 0)
  {
    Execute(arguments, settings, output.write, errors.write);
  }
  close(output.write);
  close(errors.write);

  std::atomic<bool> hasEnded{ false };
  std::thread       watcher;
  if (!settings.signalWhenFolder.empty())
  {
    watcher = std::thread([&settings, &hasEnded, child] {
      while (!hasEnded)
      {
        if (HasHiddenFolder(settings.signalWhenFolder))
        {
          if (settings.whenFolder)
          {
            settings.whenFolder();
          }
          else
          {
            kill(child, SIGTERM);
          }
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  ProgramResult result;
  ReadAll(output.read, errors.read, settings, child, result);
  hasEnded = true;
  if (watcher.joinable())
  {
    watcher.join(); // before the wait: until then the process number belongs to the child
  }
  int    status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.memory = 1024.0 * static_cast<double>(usage.ru_maxrss); // Linux counts kilobytes
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return result;
}
