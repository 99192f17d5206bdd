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
// GPUs that are unavailable at the start: held by another process, full, without a driver that this runtime can use.
// Expected: the Cpu backend with the reason in one line, and the GPU once it is available. If the module chooses the
// backend, it tries to start the GPU once, and not again before the host has lost the same time again. Each test is in
// a process of its own, whose parent never uses CUDA.

#include "ChildProcess.h"
#include "CudaShim.h"
#include "FaultScenarios.h"

#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/kernels/backend/BackendChoice.h"

#include "itkMultiThreaderBase.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

/** A machine whose GPU is unavailable, and the expected reason. */
struct Machine
{
  std::string name;
  Hindrance   hindrance;
  std::string words;
  bool        starts{ false }; ///< whether the device can be started, so that the operation fails
};

std::vector<Machine>
Machines()
{
  const auto failing = [](const char * call, cudaError_t error, int driver = CUDART_VERSION) {
    return Hindrance{ call, static_cast<int>(error), driver, 0 };
  };
  const auto full = [](std::size_t free) { return Hindrance{ "", 0, 0, free }; };
  return {
    // Held by another process in exclusive mode, or closed to all: since CUDA 12 the first call occupies the device.
    { "BusyOrExclusiveWhenChosen", failing("cudaInitDevice", cudaErrorDevicesUnavailable), "busy or unavailable" },
    { "BusyOrExclusiveWhenStarted", failing("cudaFree", cudaErrorDevicesUnavailable), "busy or unavailable" },
    { "FullForItsContextWhenChosen", failing("cudaInitDevice", cudaErrorMemoryAllocation), "out of memory" },
    { "FullForItsContextWhenStarted", failing("cudaFree", cudaErrorMemoryAllocation), "out of memory" },
    { "FullForTheOperation", full(64), "memory", true }, // even a piece of the operation does not fit
    { "FullAtTheAllocation", failing("cudaMallocFromPoolAsync", cudaErrorMemoryAllocation), "out of memory", true },
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

/** Returns the problem that a child found on such a machine. */
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
    // The second run finds the state that the first one left: a context, if only the start of a real device failed.
    const int runs = ShimIsReal() && machine.hindrance.call == "cudaFree" ? 1 : 2;
    for (int run = 0; run < runs; ++run)
    {
      subject->Run();
      const std::string reason = subject->GetFallbackReason();
      if (scenario.goesOn && runs == 1) // the next level uses the device, whose start failed only once
      {
        if (LargestDifference(subject->GetNumbers(), host->GetNumbers()) > scenario.tolerance)
        {
          return "other numbers than the host's and the device's";
        }
        continue;
      }
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
      return "with an available GPU: " + subject->GetFallbackReason();
    }
  }
  ReleaseWhatIsKept();
  for (const auto & thing : Unreleased())
  {
    return "not freed: " + thing.first;
  }
  return WrongReleases() == 0 ? "" : "something was freed twice";
}

/** Simulates a machine whose device takes no time once it is started.
 *
 * \param[in] start seconds of its start
 * \param[in] end additional seconds until a process with it ends. Calls have to lose the same time on the host before
 * it is tried */
void
PretendSpeeds(double start, double end)
{
  const double                  none = 1e-12;
  itk::CudaSpline::HostSpeeds   host;
  itk::CudaSpline::DeviceSpeeds device;
  host.sample = none;
  device.start = start;
  device.end = end;
  device.operation = none;
  itk::CudaSpline::SetMachineSpeeds(host, device);
}

/** Runs an operation until it uses the device, or fails to use it. Returns how often it ran on the host before. */
int
RunUntilTheDeviceIsTried(Subject & subject, std::string & wrong)
{
  for (int run = 0; run < 10000; ++run)
  {
    ArmShim(Fault());
    subject.Run();
    const std::string reason = subject.GetFallbackReason();
    const bool        isBehind = reason.find("in the background") != std::string::npos;
    if (isBehind)
    {
      itk::CudaSpline::WaitForDeviceStart();
    }
    const std::int64_t calls = DisarmShim();
    if (reason.find("estimated") == std::string::npos && reason.find("not tried again") == std::string::npos)
    {
      return run;
    }
    if (!isBehind && (calls != 0 || !FailedCall().empty()))
    {
      wrong = "an operation for the host called CUDA";
      return -1;
    }
    if (subject.GetLastBackend() != Backend::Cpu)
    {
      wrong = std::string("answered by ") + NameOf(subject.GetLastBackend());
      return -1;
    }
  }
  wrong = "the device was never tried: " + subject.GetFallbackReason();
  return -1;
}

/** Returns the result of a child on such a machine that did not choose a backend. */
std::string
HinderedByChoice(const Scenario & scenario, const Machine & machine)
{
  PretendDriver();
  const auto host = scenario.make();
  host->SetGPUEnabled(false);
  host->Run();
  PretendSpeeds(0.02, 0.06); // longer than an operation, also on a busy machine
  const auto  subject = scenario.make();
  std::string wrong;
  HinderShim(machine.hindrance);
  const int before = RunUntilTheDeviceIsTried(*subject, wrong);
  if (before < 1)
  {
    return "the first operation: " + (wrong.empty() ? subject->GetFallbackReason() : wrong);
  }
  const std::string reason = subject->GetFallbackReason();
  if (subject->GetLastBackend() != Backend::Cpu || subject->GetNumbers() != host->GetNumbers())
  {
    return std::string("answered by ") + NameOf(subject->GetLastBackend());
  }
  if (reason.find(machine.words) == std::string::npos || reason.find('\n') != std::string::npos)
  {
    return "the reason: " + reason;
  }
  if (machine.starts)
  {
    return {}; // no time can be saved: the next operation may be smaller
  }
  const int again = RunUntilTheDeviceIsTried(*subject, wrong);
  if (again < 1)
  {
    return "the device was tried after " + std::to_string(before) + " operations, and again after " +
           std::to_string(again) + ": " + wrong;
  }
  HinderShim();
  RunUntilTheDeviceIsTried(*subject, wrong);
  return subject->GetLastBackend() == Backend::Cuda && wrong.empty()
           ? ""
           : "with an available GPU: " + subject->GetFallbackReason() + wrong;
}

/** Returns an operation that justifies a start by itself, while another process holds the device. */
std::unique_ptr<Subject>
WorthAStart()
{
  PretendDriver();
  const auto scenario = std::find_if(
    Scenarios().begin(), Scenarios().end(), [](const Scenario & candidate) { return candidate.name == "Cubic"; });
  PretendSpeeds(1e-12, 1e-12);
  HinderShim({ "cudaFree", static_cast<int>(cudaErrorDevicesUnavailable), CUDART_VERSION, 0 });
  return scenario->make();
}

class HinderedStart : public testing::TestWithParam<Machine>
{};

} // namespace

TEST_P(HinderedStart, TheHostAnswersWithTheReason)
{
  const std::size_t step = StartsAreCheap() ? 1 : 3;
  for (std::size_t i = 0; i < Scenarios().size(); i += step)
  {
    const Scenario & scenario = Scenarios()[i];
    EXPECT_EQ(InChild([&] { return Hindered(scenario, this->GetParam()); }), "") << scenario.name;
  }
}

TEST_P(HinderedStart, ByChoiceTheDeviceIsNotTriedAgainAtOnce)
{
  for (const Scenario & scenario : Scenarios())
  {
    // Scenarios in which every run is one operation that evaluates all samples, with one number each.
    if (scenario.name == "Cubic" || scenario.name == "Chain" || scenario.name == "Texture")
    {
      EXPECT_EQ(InChild([&] { return HinderedByChoice(scenario, this->GetParam()); }), "") << scenario.name;
    }
  }
}

// Each of these operations justifies a start.
TEST(HinderedStart, TryingCostsATenthAtMost)
{
  EXPECT_EQ(InChild([&]() -> std::string {
              const auto  subject = WorthAStart();
              std::string wrong;
              if (const int before = RunUntilTheDeviceIsTried(*subject, wrong))
              {
                return "the first operation stayed, " + std::to_string(before) + wrong;
              }
              constexpr double seconds = 0.005; // duration of the attempt
              itk::CudaSpline::ReportStartFailure("held by somebody", seconds);
              const auto begin = std::chrono::steady_clock::now();
              subject->Run();
              if (subject->GetFallbackReason() != "held by somebody; it is not tried again yet")
              {
                return "the reason: " + subject->GetFallbackReason();
              }
              const int                           after = RunUntilTheDeviceIsTried(*subject, wrong);
              const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
              return after >= 0 && passed.count() >= 10.0 * seconds
                       ? ""
                       : "tried after " + std::to_string(after) + " more, " + std::to_string(passed.count()) + " s " +
                           wrong;
            }),
            "");
}

// A device that the user named and that cannot be started does not affect the device that the module would choose.
TEST(HinderedStart, OfANamedDeviceNobodyElseIsTold)
{
  EXPECT_EQ(InChild([&]() -> std::string {
              const auto subject = WorthAStart();
              subject->SetGPUEnabled(true);
              subject->Run();
              if (subject->GetFallbackReason().find("busy or unavailable") == std::string::npos)
              {
                return "the reason: " + subject->GetFallbackReason();
              }
              HinderShim();
              const auto another = WorthAStart();
              HinderShim();
              another->Run();
              return another->GetLastBackend() == Backend::Cuda ? "" : "another: " + another->GetFallbackReason();
            }),
            "");
}

TEST(HinderedStart, AFailureInTheBackgroundIsTheReason)
{
  EXPECT_EQ(InChild([&]() -> std::string {
              const auto subject = WorthAStart();
              itk::CudaSpline::StartDeviceInBackground(0, [] {});
              itk::CudaSpline::WaitForDeviceStart();
              ArmShim(Fault());
              subject->Run();
              DisarmShim();
              if (const std::int64_t calls = CallsOf("cudaFree"))
              {
                return std::to_string(calls) + " calls of cudaFree: it was tried again";
              }
              if (subject->GetFallbackReason().find("busy or unavailable") == std::string::npos)
              {
                return "the reason: " + subject->GetFallbackReason();
              }
              return itk::CudaSpline::TakeFailedStart(0) ? "told twice" : "";
            }),
            "");
  // If there is no device, the reason is that of the search for devices: a driver that is too old fails at every call.
  EXPECT_EQ(InChild([&]() -> std::string {
              const auto subject = WorthAStart();
              HinderShim({ "cudaInitDevice", static_cast<int>(cudaErrorInsufficientDriver), 11040, 0 });
              itk::CudaSpline::StartDeviceInBackground(0, [] {});
              itk::CudaSpline::WaitForDeviceStart();
              if (FailedCall() != "cudaInitDevice")
              {
                return "started";
              }
              HinderShim({ "cudaGetDeviceCount", static_cast<int>(cudaErrorInsufficientDriver), 11040, 0 });
              subject->Run();
              const std::string reason = subject->GetFallbackReason();
              return reason.find("the driver supports CUDA 11.4") == std::string::npos ? "the reason: " + reason : "";
            }),
            "");
  // A user who starts the device.
  EXPECT_EQ(InChild([&]() -> std::string {
              WorthAStart();
              itk::CudaSpline::StartDeviceInBackground(0, [] {});
              itk::CudaSpline::WaitForDeviceStart();
              HinderShim();
              try
              {
                itk::CudaSpline::StartDevice(0);
                return "the failure is forgotten";
              }
              catch (const itk::CudaSpline::DeviceError & error)
              {
                if (error.GetKind() != itk::CudaSpline::DeviceError::Kind::Unavailable)
                {
                  return error.what();
                }
              }
              itk::CudaSpline::StartDevice(0); // the warning is not repeated
              return "";
            }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Machines,
                         HinderedStart,
                         testing::ValuesIn(Machines()),
                         [](const testing::TestParamInfo<Machine> & test) { return test.param.name; });
