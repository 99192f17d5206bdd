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
#include "BatchWorker.h"

#include "AtomicOutput.h"
#include "BatchList.h"
#include "Command.h"
#include "Error.h"
#include "Report.h"

#include "itkCudaSplineSystem.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <random>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#  include <sys/prctl.h>
#endif

namespace CudaSplineResample
{

namespace
{

/** All bytes, or false at the end of the other side. */
bool
ReadAll(int file, void * bytes, std::size_t count)
{
  for (char * at = static_cast<char *>(bytes); count > 0;)
  {
    const ssize_t got = read(file, at, count);
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
WriteAll(int file, const void * bytes, std::size_t count)
{
  for (const char * at = static_cast<const char *>(bytes); count > 0;)
  {
    const ssize_t put = write(file, at, count);
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

/** Does one item; its result as the parent reads it. */
std::string
RunItem(const Options & options)
{
  nlohmann::json result;
  result["error"] = ErrorOf([&] { result["report"] = nlohmann::json::parse(ToJson(RunCommand(options), options)); });
  result["warnings"] = TakeWarnings();
  return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/** Letters that no other process has, on whatever machine: several may write into a folder. */
std::string
RandomMark()
{
  std::random_device random;
  std::ostringstream mark;
  mark << std::hex << random() << random();
  return mark.str();
}

/** The life of a process: items by their number, until there are no more. */
[[noreturn]] void
Work(const Options & options, const std::string & device, const std::string & mark, int orders, int results)
{
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGTERM); // what the parent does not live to collect is not wanted
#endif
  RemoveOutputsOnSignals();
  SetOutputMark(mark);
  Options ours = options;
  ours.verbose = false;
  ours.quiet = true;
  ours.report.clear();
  if (!device.empty())
  {
    setenv("CUDASPLINE_DEVICE", device.c_str(), 1);
    ours.device = options.device.empty() ? "" : device; // asked for by --device it has to do the work
  }
  std::array<std::uint64_t, 2> order{}; // the item's number, and how many are left
  while (ReadAll(orders, order.data(), sizeof(order)))
  {
    // Each of the processes that share what is left does about as many.
    ours.expectedImages = static_cast<unsigned int>((order[1] - 1) / options.GetNumberOfJobs() + 1);
    const std::string   text = RunItem(OptionsOf(options.items[order[0]], ours));
    const std::uint64_t length = text.size();
    if (!WriteAll(results, &length, sizeof(length)) || !WriteAll(results, text.data(), text.size()))
    {
      break;
    }
  }
  itk::CudaSpline::GiveUpDeviceStart();
  std::_Exit(EXIT_SUCCESS); // the parent's destructors are not this process's
}

} // namespace

BatchWorker::BatchWorker(const Options & options, const std::string & device, const std::vector<int> & others)
  : m_Mark(RandomMark())
{
  int        orders[2];
  int        results[2];
  const auto fail = [](std::initializer_list<int> files) {
    const std::string reason = std::strerror(errno);
    for (const int file : files)
    {
      close(file);
    }
    throw ProgramError("no process can be started for the batch: " + reason);
  };
  if (pipe(orders) != 0)
  {
    fail({});
  }
  if (pipe(results) != 0)
  {
    fail({ orders[0], orders[1] });
  }
  std::cout.flush();
  std::cerr.flush();
  m_Process = fork();
  if (m_Process < 0)
  {
    fail({ orders[0], orders[1], results[0], results[1] });
  }
  if (m_Process == 0)
  {
    for (const int file : others)
    {
      close(file);
    }
    close(orders[1]);
    close(results[0]);
    Work(options, device, m_Mark, orders[0], results[1]);
  }
  close(orders[0]);
  close(results[1]);
  m_Orders = orders[1];
  m_Results = results[0];
}

BatchWorker::~BatchWorker()
{
  this->End();
}

bool
BatchWorker::Order(std::size_t item, std::size_t left)
{
  const std::array<std::uint64_t, 2> order{ item, left };
  if (!WriteAll(m_Orders, order.data(), sizeof(order)))
  {
    return false;
  }
  m_Item = item;
  return true;
}

std::optional<std::string>
BatchWorker::TakeResult()
{
  m_Item.reset();
  std::uint64_t length = 0;
  if (!ReadAll(m_Results, &length, sizeof(length)))
  {
    return std::nullopt;
  }
  std::string text(length, '\0');
  return ReadAll(m_Results, text.data(), text.size()) ? std::optional<std::string>(text) : std::nullopt;
}

std::string
BatchWorker::End()
{
  if (m_Process <= 0)
  {
    return "";
  }
  close(m_Orders);
  close(m_Results);
  int status = 0;
  while (waitpid(m_Process, &status, 0) < 0 && errno == EINTR)
  {}
  m_Process = -1;
  return WIFSIGNALED(status) ? std::string("its process was ended by a signal: ") + strsignal(WTERMSIG(status))
                             : "its process ended with code " + std::to_string(WEXITSTATUS(status));
}

void
BatchWorker::RemoveLeft(const std::string & output) const
{
  RemoveLeftOutput(output, m_Mark);
}

} // namespace CudaSplineResample
