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
#include "ChildProcess.h"
#include "CudaShim.h"

#include <cstdlib>
#include <exception>
#include <iostream>

#include <sys/wait.h>
#include <unistd.h>

namespace CudaSplineTest
{
namespace
{

/** Seconds after which a child that hangs is killed. */
constexpr unsigned int Patience = 200;

} // namespace

std::string
InChild(const std::function<std::string(std::int64_t & count)> & check, std::int64_t & count)
{
  int ends[2];
  if (pipe(ends) != 0)
  {
    return "no pipe";
  }
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0)
  {
    alarm(Patience);
    std::string  found;
    std::int64_t counted = 0;
    try
    {
      found = check(counted);
    }
    catch (const std::exception & error)
    {
      found = std::string("exception: ") + error.what();
    }
    found = std::to_string(counted) + ' ' + found;
    const bool written = write(ends[1], found.data(), found.size()) == static_cast<ssize_t>(found.size());
    _exit(written ? 0 : 1); // not exit(): the child must not destroy the objects of the parent's program
  }
  close(ends[1]);
  std::string found;
  char        buffer[512];
  for (ssize_t length = 0; (length = read(ends[0], buffer, sizeof(buffer))) > 0;)
  {
    found.append(buffer, static_cast<std::size_t>(length));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
  {
    return "the child ended with status " + std::to_string(status);
  }
  count = std::stoll(found);
  return found.substr(found.find(' ') + 1);
}

std::string
InChild(const std::function<std::string()> & check)
{
  std::int64_t unused = 0;
  return InChild([&](std::int64_t &) { return check(); }, unused);
}

bool
StartsAreCheap()
{
  const char * const fake = std::getenv("CUDASPLINE_FAULTS");
  return (fake != nullptr && std::string(fake) == "fake") || access("/dev/nvidiactl", F_OK) != 0;
}

void
PretendDriver()
{
  setenv("CUDASPLINE_FAULTS", "fake", 1);
  unsetenv("CUDASPLINE_DEVICE");
  unsetenv("CUDA_VISIBLE_DEVICES");
  LetOnlyExist("/dev/nvidiactl");
}

} // namespace CudaSplineTest
