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
// A sticky error at each call in turn: the device is lost for the process. Expected: the Cpu backend executes the
// operation, with the reason, and all that follow, in the same object and in others; what was allocated is freed. Each
// test is in a process of its own, whose parent never uses CUDA.

#include "ChildProcess.h"
#include "CudaShim.h"
#include "FaultScenarios.h"
#include "RandomData.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

/** Returns the problem that a child found. Empty if there is none. */
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
    // The error may occur in the last call, whose failure has no effect: then the next operation gets it.
    if (subject->GetLastBackend() == Backend::Cuda)
    {
      subject->Run();
    }
    if (subject->GetLastBackend() != Backend::Cpu || subject->GetFallbackReason().empty())
    {
      return where + "answered by " + NameOf(subject->GetLastBackend());
    }
    // The numbers are from both if the host continues from the device's intermediate result.
    if (scenario.goesOn ? ShimIsReal() && LargestDifference(subject->GetNumbers(), expected) > scenario.tolerance
                        : subject->GetNumbers() != expected)
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
  ReleaseWhatIsKept();
  for (const auto & thing : Unreleased())
  {
    return FailedCall() + ": not freed: " + thing.first;
  }
  return WrongReleases() == 0 ? "" : FailedCall() + ": something was freed twice";
}

std::string
LoseInChild(const Scenario & scenario, std::int64_t at, std::int64_t & calls)
{
  return InChild([&](std::int64_t & count) { return LoseAt(scenario, at, count); }, calls);
}

class StickyFault : public testing::TestWithParam<Scenario>
{};

} // namespace

TEST_P(StickyFault, TheHostTakesOver)
{
  std::int64_t calls = 0;
  ASSERT_EQ(LoseInChild(GetParam(), -1, calls), "");
  ASSERT_GE(calls, 30);
  // With very many calls, or expensive starts, only some calls fail: distributed over all, and different each time.
  const std::int64_t step = StartsAreCheap() ? 1 + calls / 150 : calls / 5;
  for (std::int64_t at = Random(__LINE__).Integer(0, step - 1); at < calls; at += step)
  {
    std::int64_t unused = 0;
    EXPECT_EQ(LoseInChild(GetParam(), at, unused), "") << "call " << at << " of " << calls;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations,
                         StickyFault,
                         testing::ValuesIn(Scenarios()),
                         [](const testing::TestParamInfo<Scenario> & test) { return test.param.name; });
