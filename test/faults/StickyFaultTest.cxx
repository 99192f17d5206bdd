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
// A sticky error at one call after the other: the device is lost for the process. Expected: the operation is done by
// the Cpu backend, with the reason; so are all that follow, in the same object and in others; what was allocated is
// given back. And GPUs that cannot be had from the start: held by another process, full, without a driver that this
// runtime can use. Expected: the Cpu backend with the reason in one line, and the GPU once it can be had. Each in a
// process of its own, whose parent never uses CUDA.

#include "CudaShim.h"
#include "FaultScenarios.h"

#include "itkCudaSpline/device/PinnedBuffer.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

/** What a child found: an empty text where all is right. */
std::string
LoseAt(const Scenario & scenario, std::int64_t at, std::int64_t & calls)
{
  const auto host = scenario.make();
  host->SetGPUEnabled(false);
  host->Run();
  const std::vector<double> expected = host->GetNumbers();
  {
    const auto subject = scenario.make();
    subject->SetGPUEnabled(true);
    Fault fault;
    fault.at = at;
    fault.error = cudaErrorIllegalAddress;
    fault.sticky = true;
    ArmShim(fault);
    subject->Run();
    if (at < 0)
    {
      calls = DisarmShim();
      return subject->GetLastBackend() == Backend::Cuda ? "" : "not on the device: " + subject->GetFallbackReason();
    }
    if (FailedCall().empty())
    {
      return "no call failed";
    }
    const std::string where = FailedCall() + ": ";
    // The error may come with the last call, whose failure changes nothing: then the next operation meets it.
    if (subject->GetLastBackend() == Backend::Cuda)
    {
      subject->Run();
    }
    if (subject->GetLastBackend() != Backend::Cpu || subject->GetFallbackReason().empty())
    {
      return where + "answered by " + NameOf(subject->GetLastBackend());
    }
    if (subject->GetNumbers() != expected)
    {
      return where + "other numbers than the host's";
    }
    const auto another = scenario.make();
    another->SetGPUEnabled(true);
    another->Run();
    if (another->GetLastBackend() != Backend::Cpu || another->GetNumbers() != expected)
    {
      return where + "the next operation was answered by " + NameOf(another->GetLastBackend()) +
             (another->GetNumbers() != expected ? ", with other numbers" : "");
    }
    if (another->GetFallbackReason().find("lost") == std::string::npos &&
        another->GetFallbackReason().find("no usable GPU") == std::string::npos)
    {
      return where + "the reason does not say that the device is lost: " + another->GetFallbackReason();
    }
  }
  itk::CudaSpline::ReleasePinnedMemory();
  for (const auto & thing : Unreleased())
  {
    return FailedCall() + ": not given back: " + thing.first;
  }
  return WrongReleases() == 0 ? "" : FailedCall() + ": something was given back twice";
}

/** Runs a check in a child, which returns what it found. Returns that, or how the child ended. */
template <typename TCheck>
std::string
InChild(const TCheck & check, std::int64_t & calls)
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
    std::string  found;
    std::int64_t count = 0;
    try
    {
      found = check(count);
    }
    catch (const std::exception & error)
    {
      found = std::string("exception: ") + error.what();
    }
    found = std::to_string(count) + ' ' + found;
    const bool written = write(ends[1], found.data(), found.size()) == static_cast<ssize_t>(found.size());
    _exit(written ? 0 : 1); // not exit(): the objects of the parent's program are not the child's
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
  calls = std::stoll(found);
  return found.substr(found.find(' ') + 1);
}

std::string
LoseInChild(const Scenario & scenario, std::int64_t at, std::int64_t & calls)
{
  return InChild([&](std::int64_t & count) { return LoseAt(scenario, at, count); }, calls);
}

/** A machine whose GPU cannot be had, and what the reason has to say of it. */
struct Machine
{
  std::string name;
  Hindrance   hindrance;
  std::string words;
};

std::vector<Machine>
Machines()
{
  const auto failing = [](const char * call, cudaError_t error, int driver = CUDART_VERSION) {
    return Hindrance{ call, static_cast<int>(error), driver, 0 };
  };
  const auto full = [](std::size_t free) { return Hindrance{ "", 0, 0, free }; };
  return {
    // Held by another process in exclusive mode, or closed to all: since CUDA 12 the device is taken by the first call.
    { "BusyOrExclusiveWhenChosen", failing("cudaSetDevice", cudaErrorDevicesUnavailable), "busy or unavailable" },
    { "BusyOrExclusiveWhenStarted", failing("cudaFree", cudaErrorDevicesUnavailable), "busy or unavailable" },
    { "FullForItsContextWhenChosen", failing("cudaSetDevice", cudaErrorMemoryAllocation), "out of memory" },
    { "FullForItsContextWhenStarted", failing("cudaFree", cudaErrorMemoryAllocation), "out of memory" },
    { "FullForTheOperation", full(64), "memory" }, // not even a piece of the operation fits
    { "FullAtTheAllocation", failing("cudaMallocFromPoolAsync", cudaErrorMemoryAllocation), "out of memory" },
    { "ADriverOlderThanTheRuntime",
      failing("cudaGetDeviceCount", cudaErrorInsufficientDriver, 11040),
      "the driver supports CUDA 11.4, this library needs " + std::to_string(CUDART_VERSION / 1000) + "." },
    { "NoDriver", failing("cudaGetDeviceCount", cudaErrorInsufficientDriver, 0), "there is no CUDA driver" },
    { "NoDevice", failing("cudaGetDeviceCount", cudaErrorNoDevice), "no CUDA-capable device is detected" },
    { "ADriverOfAnotherVersion",
      failing("cudaGetDeviceCount", cudaErrorSystemDriverMismatch),
      "system has unsupported display driver / cuda driver combination" }
  };
}

/** What a child found on such a machine. */
std::string
Hindered(const Scenario & scenario, const Machine & machine)
{
  const auto host = scenario.make();
  host->SetGPUEnabled(false);
  host->Run();
  {
    const auto subject = scenario.make();
    subject->SetGPUEnabled(true);
    HinderShim(machine.hindrance);
    // The second run meets what the first one left: of a real device, where only the start failed, a context.
    const int runs = ShimIsReal() && machine.hindrance.call == "cudaFree" ? 1 : 2;
    for (int run = 0; run < runs; ++run)
    {
      subject->Run();
      const std::string reason = subject->GetFallbackReason();
      if (subject->GetLastBackend() != Backend::Cpu || subject->GetNumbers() != host->GetNumbers())
      {
        return std::string("answered by ") + NameOf(subject->GetLastBackend()) +
               (subject->GetNumbers() != host->GetNumbers() ? ", with other numbers" : "");
      }
      if (reason.find(machine.words) == std::string::npos || reason.find('\n') != std::string::npos)
      {
        return "the reason: " + reason;
      }
    }
    if (PendingError() != cudaSuccess)
    {
      return "a later call would see the error";
    }
    HinderShim();
    subject->Run();
    if (subject->GetLastBackend() != Backend::Cuda || !subject->GetFallbackReason().empty())
    {
      return "once the GPU could be had: " + subject->GetFallbackReason();
    }
  }
  itk::CudaSpline::ReleasePinnedMemory();
  for (const auto & thing : Unreleased())
  {
    return "not given back: " + thing.first;
  }
  return WrongReleases() == 0 ? "" : "something was given back twice";
}

/** False where a child takes some tenths of a second for starting a real device. Asked without CUDA. */
bool
StartsAreCheap()
{
  const char * const fake = std::getenv("CUDASPLINE_FAULTS");
  return (fake != nullptr && std::string(fake) == "fake") || access("/dev/nvidiactl", F_OK) != 0;
}

class StickyFault : public testing::TestWithParam<Scenario>
{};

class HinderedStart : public testing::TestWithParam<Machine>
{};

} // namespace

TEST_P(StickyFault, TheHostTakesOver)
{
  std::int64_t calls = 0;
  ASSERT_EQ(LoseInChild(GetParam(), -1, calls), "");
  ASSERT_GE(calls, 30);
  const std::int64_t step = StartsAreCheap() ? 1 : calls / 5; // else some calls, spread over all
  for (std::int64_t at = 0; at < calls; at += step)
  {
    std::int64_t unused = 0;
    EXPECT_EQ(LoseInChild(GetParam(), at, unused), "") << "call " << at << " of " << calls;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations,
                         StickyFault,
                         testing::ValuesIn(Scenarios()),
                         [](const testing::TestParamInfo<Scenario> & info) { return info.param.name; });

TEST_P(HinderedStart, TheHostAnswersWithTheReason)
{
  const std::size_t step = StartsAreCheap() ? 1 : 3;
  for (std::size_t i = 0; i < Scenarios().size(); i += step)
  {
    const Scenario & scenario = Scenarios()[i];
    std::int64_t     unused = 0;
    EXPECT_EQ(InChild([&](std::int64_t &) { return Hindered(scenario, this->GetParam()); }, unused), "")
      << scenario.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines,
                         HinderedStart,
                         testing::ValuesIn(Machines()),
                         [](const testing::TestParamInfo<Machine> & info) { return info.param.name; });
