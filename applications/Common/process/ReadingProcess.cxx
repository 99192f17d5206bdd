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
#include "process/ReadingProcess.h"

#include "console/Error.h"
#include "process/LibraryMessages.h"

#include <nlohmann/json.hpp>

#include "itkMacro.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>

#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#  define CUDASPLINE_SANITIZED 1
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#    define CUDASPLINE_SANITIZED 1
#  endif
#endif

namespace CudaSplineProgram
{
namespace
{

constexpr double leastMemory = 1e9; // bytes that are always allowed

std::size_t &
MaxMemory()
{
  static std::size_t bytes = 0;
  return bytes;
}

/** Bytes of addresses that the process had when it was forked. A parent that has started a GPU has very many. */
double &
AddressesAtStart()
{
  static double bytes = 0.0;
  return bytes;
}

double &
AllowedBytes()
{
  static double bytes = leastMemory;
  return bytes;
}

double
AddressesNow()
{
  std::ifstream statistics("/proc/self/statm");
  double        pages = 0.0;
  return statistics >> pages ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0.0;
}

/** Sets a limit that the process may raise later. */
void
SetLimit(int resource, double value)
{
  rlimit limit{};
  if (getrlimit(resource, &limit) == 0)
  {
    const auto most = limit.rlim_max == RLIM_INFINITY ? 9e18 : static_cast<double>(limit.rlim_max);
    limit.rlim_cur = static_cast<rlim_t>(std::min(value, most));
    setrlimit(resource, &limit);
  }
}

void
LimitMemory(double bytes)
{
  AllowedBytes() = MaxMemory() > 0 ? static_cast<double>(MaxMemory()) : std::max(bytes, leastMemory);
#if !defined(CUDASPLINE_SANITIZED)
  if (AddressesAtStart() > 0.0)
  {
    SetLimit(RLIMIT_AS, AddressesAtStart() + AllowedBytes());
  }
#endif
}

/** Returns the seconds of processor time that are allowed for files of a size. */
double
SecondsFor(double fileBytes)
{
  return std::ceil(10.0 + fileBytes / 1e6);
}

/** Returns the last non-empty line of a text, shortened for a message. */
std::string
LastLine(const std::string & text)
{
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos)
  {
    return {};
  }
  const std::size_t before = text.rfind('\n', end);
  return OneLine(text.substr(before == std::string::npos ? 0 : before + 1, end - before));
}

/** Runs a step, and returns the text that the parent reads. */
std::string
Answer(const ReadingProcess::Step & step, const std::string & order, SharedMemory & memory)
{
  nlohmann::json reply;
  const auto     isOutOfMemory = [&reply] { reply["needs_memory"] = AllowedBytes(); };
  reply["error"] = ErrorOf([&] {
    try
    {
      reply["value"] = step(nlohmann::json::from_cbor(order), memory);
    }
    catch (const std::bad_alloc &)
    {
      isOutOfMemory();
    }
    catch (const itk::MemoryAllocationError &)
    {
      isOutOfMemory();
    }
  });
  reply["warnings"] = TakeWarnings();
  std::string text;
  nlohmann::json::to_cbor(reply, text);
  return text;
}

/** The main loop of the child. */
void
Serve(const ProcessLink &          parent,
      double                       fileBytes,
      const ReadingProcess::Step & step,
      SharedMemory &               messages,
      SharedMemory &               memory)
{
  dup2(messages.GetFile(), STDERR_FILENO);
  dup2(messages.GetFile(), STDOUT_FILENO);
  CollectMessagesIn(&messages);
  TakeWarnings(); // the parent has them already
  for (const int signal : { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU })
  {
    std::signal(signal, SIG_DFL);
  }
  SetLimit(RLIMIT_CORE, 0.0);
  SetLimit(RLIMIT_FSIZE, 9e18); // the shared memory counts as a file, and no other file is written
  SetLimit(RLIMIT_CPU, SecondsFor(fileBytes));
  AddressesAtStart() = AddressesNow();
  LimitMemory(leastMemory);
  while (const std::optional<std::string> order = parent.Receive())
  {
    const std::string answer = Answer(step, *order, memory);
    std::cout.flush();
    std::fflush(stdout);
    if (!parent.Send(answer))
    {
      return;
    }
  }
}

std::string
SizeInWords(double bytes)
{
  return bytes >= 1e9   ? Brief(bytes / 1e9) + " GB"
         : bytes >= 1e6 ? Brief(bytes / 1e6) + " MB"
                        : Brief(bytes) + " bytes";
}

} // namespace

void
SetMaxMemory(const std::string & text)
{
  char *            end = nullptr;
  const double      number = std::strtod(text.c_str(), &end);
  const std::string suffix(end);
  const std::size_t power = suffix.empty() ? 0 : std::string(" KMG").find(suffix.size() == 1 ? suffix[0] : '-');
  const double      bytes = power == std::string::npos ? 0.0 : std::ldexp(number, static_cast<int>(10 * power));
  if (text.empty() || end == text.c_str() || !(bytes >= 1.0 && bytes < 9e18))
  {
    throw ProgramError("--max-memory " + text + ": a number of bytes is allowed, optionally followed by K, M or G");
  }
  MaxMemory() = static_cast<std::size_t>(bytes);
}

std::size_t
GetMaxMemory()
{
  return MaxMemory();
}

double
PhysicalMemory()
{
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  double       bytes = pages > 0.0 ? pages * static_cast<double>(sysconf(_SC_PAGESIZE)) : 1e18;
  // A container may have less.
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (double most = 0.0; group >> most && most > 0.0)
  {
    bytes = std::min(bytes, most);
  }
  return bytes;
}

double
MaxBytes(double fileBytes, Packing packing)
{
  return fileBytes * (packing == Packing::None ? 1.0 : packing == Packing::Deflate ? 1032.0 : 65536.0);
}

ReadingProcess::ReadingProcess(const std::string & name, double fileBytes, const Step & step)
  : m_Name(name)
  , m_FileBytes(fileBytes)
  , m_Process([&](const ProcessLink & parent) { Serve(parent, fileBytes, step, m_Messages, m_Memory); }, SIGKILL)
{}

ReadingProcess::~ReadingProcess()
{
  m_Process.Kill();
}

nlohmann::json
ReadingProcess::Ask(const nlohmann::json & order)
{
  std::string text;
  nlohmann::json::to_cbor(order, text);
  const bool                       isSent = m_Process.GetLink().Send(text);
  const std::optional<std::string> answer = isSent ? m_Process.GetLink().Receive() : std::nullopt;
  if (!answer)
  {
    const ProcessEnd end = m_Process.End();
    if (end.signal == SIGXCPU)
    {
      throw ProgramError("reading \"" + m_Name + "\" took more than " + Brief(SecondsFor(m_FileBytes)) +
                         " s of processor time, the limit for a file of " + SizeInWords(m_FileBytes) +
                         "; the file may be damaged or malicious");
    }
    const std::string said = LastLine(m_Messages.GetText(0));
    throw ReadingProcessError("\"" + m_Name + "\" cannot be read; it is damaged, or a library failed to read it: " +
                              TextOf(end) + (said.empty() ? "" : "; its last message: " + said));
  }
  nlohmann::json reply = nlohmann::json::from_cbor(*answer);
  for (const nlohmann::json & warning : reply.at("warnings"))
  {
    Warn(warning.get<std::string>());
  }
  if (reply.contains("needs_memory"))
  {
    throw ProgramError("reading \"" + m_Name + "\" needs more memory than " +
                       SizeInWords(reply["needs_memory"].get<double>()) + ", the limit for a file of " +
                       SizeInWords(m_FileBytes) + "; the file may be damaged; --max-memory sets a larger limit");
  }
  const std::string error = reply.at("error").get<std::string>();
  if (!error.empty())
  {
    throw ProgramError(error);
  }
  return reply["value"];
}

std::shared_ptr<void>
ReadingProcess::TakeMemory(std::size_t bytes)
{
  return m_Memory.Map(bytes);
}

void
AllowReading(double declared, double most)
{
  LimitMemory(4.0 * std::min(declared, most));
}

nlohmann::json
ReadInChild(const std::string & name, double fileBytes, const std::function<nlohmann::json()> & read)
{
  ReadingProcess process(name, fileBytes, [&read](const nlohmann::json &, SharedMemory &) { return read(); });
  return process.Ask(nullptr);
}

} // namespace CudaSplineProgram
