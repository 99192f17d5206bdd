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
// Calls of CUDA fail, one in turn: the operation is done by the next backend, with its result and the reason, nothing
// is left behind, and the same object is done on the device again afterwards. On a GPU where there is one, else on a
// stand-in, whose kernels do nothing, so that only the host's numbers are compared (CudaShim.h).

#include "CudaShim.h"
#include "FaultScenarios.h"

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSpline/device/PinnedBuffer.h"

#include "itkCommand.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

namespace
{

/** Compares numbers of the host and of the device with the tolerance of their precision. */
void
ExpectNear(const std::vector<double> & a, const std::vector<double> & b, double tolerance)
{
  EXPECT_LE(LargestDifference(a, b), tolerance);
}

/** Expects that nothing remains of destroyed operations, except resources that are kept for the next ones. */
void
ExpectNothingLeft(const std::string & where)
{
  ReleaseWhatIsKept();
  for (const auto & thing : Unreleased())
  {
    ADD_FAILURE() << where << ": " << thing.second << " of " << thing.first << " were not freed";
  }
  EXPECT_EQ(WrongReleases(), 0) << where;
}

/** Resources that previous operations have left for an operation. */
enum class Kept : unsigned char
{
  Nothing, ///< page-locked memory is allocated, and streams are created
  Streams
};

class FaultInjection : public testing::TestWithParam<Scenario>
{
protected:
  void
  SetUp() override
  {
    const auto host = GetParam().make();
    host->SetGPUEnabled(false);
    host->Run();
    ASSERT_EQ(host->GetLastBackend(), Backend::Cpu);
    m_Expected = host->GetNumbers();
  }

  void
  TearDown() override
  {
    DisarmShim();
    HinderShim();
  }

  /** Runs on the device and checks the result. */
  void
  ExpectOnDevice(Subject & subject, const std::string & where) const
  {
    subject.Run();
    ASSERT_EQ(subject.GetLastBackend(), Backend::Cuda) << where << ": " << subject.GetFallbackReason();
    EXPECT_TRUE(subject.GetFallbackReason().empty()) << where;
    if (ShimIsReal())
    {
      ExpectNear(subject.GetNumbers(), m_Expected, GetParam().tolerance);
    }
  }

  /** Prepares the resources for an operation. */
  void
  Begin(Kept kept) const
  {
    ReleaseWhatIsKept();
    if (kept == Kept::Streams)
    {
      const auto before = GetParam().make();
      before->SetGPUEnabled(true);
      this->ExpectOnDevice(*before, "the operation before");
      itk::CudaSpline::ReleasePinnedMemory();
    }
  }

  /** Returns the number of calls of an operation. */
  std::int64_t
  CountCalls(bool onlyAllocations, Kept kept) const
  {
    {
      const auto first = GetParam().make();
      first->SetGPUEnabled(true);
      this->ExpectOnDevice(*first, "the first time"); // one-time initializations of a process are then complete
    }
    const auto subject = GetParam().make(); // another object, because the first one may keep its source
    subject->SetGPUEnabled(true);
    this->Begin(kept);
    Fault none;
    none.onlyAllocations = onlyAllocations;
    ArmShim(none);
    this->ExpectOnDevice(*subject, "without a fault");
    return DisarmShim();
  }

  /** Makes one call fail, or all calls from one on. */
  void
  ExpectRecovery(const Fault & fault, Kept kept) const
  {
    std::string where = "call " + std::to_string(fault.at) + (kept == Kept::Nothing ? "" : ", with kept resources");
    {
      const auto subject = GetParam().make();
      subject->SetGPUEnabled(true);
      this->Begin(kept);
      ArmShim(fault);
      EXPECT_NO_THROW(subject->Run()) << where;
      DisarmShim();
      where += " (" + FailedCall() + ")";
      ASSERT_FALSE(FailedCall().empty()) << where;
      EXPECT_EQ(PendingError(), cudaSuccess) << where << ": a later call would see the error";
      if (subject->GetLastBackend() == Backend::Cpu)
      {
        // If memory ran out once, the operation is planned again.
        EXPECT_FALSE(fault.onlyAllocations && !fault.lasting) << where << ": " << subject->GetFallbackReason();
        EXPECT_FALSE(subject->GetFallbackReason().empty()) << where;
        if (!GetParam().goesOn || ShimIsReal())
        {
          ExpectNear(subject->GetNumbers(), m_Expected, GetParam().goesOn ? GetParam().tolerance : 0.0);
        }
      }
      else
      {
        // Calls that free something, and optional queries, may fail silently.
        EXPECT_FALSE(fault.lasting && !GetParam().hasOptionalAllocations)
          << where << " failed, and the device continued";
        ASSERT_EQ(subject->GetLastBackend(), Backend::Cuda) << where;
        if (ShimIsReal())
        {
          ExpectNear(subject->GetNumbers(), m_Expected, GetParam().tolerance);
        }
      }
      this->ExpectOnDevice(*subject, "again after " + where);
    }
    ExpectNothingLeft(where);
  }

  std::vector<double> m_Expected;
};

/** Operations that can be aborted, unlike a batch of points. */
class FaultInjectionOfFilters : public FaultInjection
{};

/** An operation that can be divided with so few samples. */
class FaultInjectionInPieces : public FaultInjection
{};

} // namespace

// A call without a context would start one on device 0, with hundreds of megabytes, in a process that uses another
// device.
TEST_P(FaultInjection, EveryCallHasAContext)
{
  this->Begin(Kept::Nothing);
  ArmShim(Fault());
  auto subject = GetParam().make();
  subject->SetGPUEnabled(true);
  this->ExpectOnDevice(*subject, "without a fault");
  // Its device resources are freed in a thread without a current device.
  std::thread([&subject] { subject.reset(); }).join();
  ReleaseWhatIsKept();
  EXPECT_GT(DisarmShim(), 0);
  EXPECT_EQ(StrayCall(), "");
}

TEST_P(FaultInjection, EachAllocationFails)
{
  const std::int64_t count = this->CountCalls(true, Kept::Nothing);
  ExpectNothingLeft("without a fault");
  ASSERT_GE(count, 5) << "hardly anything was allocated";
  for (std::int64_t at = 0; at < 2 * count; ++at)
  {
    Fault fault;
    fault.at = at / 2;
    fault.error = cudaErrorMemoryAllocation;
    fault.onlyAllocations = true;
    fault.lasting = at % 2 == 1;
    this->ExpectRecovery(fault, Kept::Nothing);
    if (this->HasFatalFailure())
    {
      return;
    }
  }
  this->RecordProperty("allocations", static_cast<int>(count));
}

/** Other processes allocate memory between the plan and an allocation: the rest is planned again, in pieces. */
TEST_P(FaultInjectionInPieces, WhatIsLeftDoesForPieces)
{
  using Filter = itk::CudaResampleImageFilter<itk::Image<float, 3>, itk::Image<float, 3>>;
  const auto     subject = GetParam().make();
  Filter * const filter = dynamic_cast<Filter *>(subject->GetProcess());
  ASSERT_NE(filter, nullptr);
  subject->SetGPUEnabled(true);
  this->ExpectOnDevice(*subject, "at once");
  ASSERT_EQ(filter->GetNumberOfPieces(), 1u);
  Fault fault;
  fault.error = cudaErrorMemoryAllocation;
  fault.onlyAllocations = true;
  std::size_t planned = 1;
  for (fault.free = std::size_t{ 1 } << 24; planned == 1 && fault.free > 64; fault.free /= 2)
  {
    HinderShim({ "", 0, 0, fault.free / 2 });
    planned = filter->GetPlan().pieces;
  }
  ASSERT_GT(planned, 1u);
  ASSERT_EQ(filter->GetPlan().backend, Backend::Cuda);
  for (fault.at = 0; fault.at < 4; ++fault.at)
  {
    HinderShim();
    this->Begin(Kept::Nothing);
    ArmShim(fault);
    this->ExpectOnDevice(*subject, "with what is left at allocation " + std::to_string(fault.at));
    DisarmShim();
    EXPECT_FALSE(FailedCall().empty());
    EXPECT_EQ(filter->GetNumberOfPieces(), planned);
  }
  HinderShim();
  this->ExpectOnDevice(*subject, "at once again");
  EXPECT_EQ(filter->GetNumberOfPieces(), 1u);
}

TEST_P(FaultInjection, EachCallFails)
{
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const Kept kept : { Kept::Nothing, Kept::Streams })
  {
    const std::int64_t count = this->CountCalls(false, kept);
    ASSERT_GE(count, 30);
    ASSERT_LT(count, before) << "streams that are kept are not used";
    before = count;
    for (std::int64_t at = 0; at < count; ++at)
    {
      Fault fault;
      fault.at = at;
      fault.error = cudaErrorUnknown;
      this->ExpectRecovery(fault, kept);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
    this->RecordProperty(kept == Kept::Nothing ? "calls" : "calls with streams that are kept", static_cast<int>(count));
  }
}

/** If the second iteration of each level cannot be recorded, it continues from the first one instead of starting again.
 */
TEST(FaultInjectionOfLevels, WhatHasEndedIsKept)
{
  for (const Scenario & scenario : Scenarios())
  {
    if (!scenario.goesOn)
    {
      continue;
    }
    const auto subject = scenario.make();
    subject->SetGPUEnabled(false);
    subject->Run();
    const int iterations = subject->GetIterations();
    EXPECT_EQ(iterations, 4) << scenario.name;
    subject->SetGPUEnabled(true);
    for (const std::string call : { "cudaStreamBeginCapture", "cudaGraphInstantiate" })
    {
      // After running out of memory the device is tried again, and computes the same as the host.
      for (const int error : { cudaErrorUnknown, cudaErrorMemoryAllocation })
      {
        HinderShim({ call, error });
        EXPECT_NO_THROW(subject->Run()) << scenario.name << ", " << call << ", " << error;
        HinderShim();
        EXPECT_EQ(subject->GetLastBackend(), error == cudaErrorUnknown ? Backend::Cpu : Backend::Cuda)
          << scenario.name << ", " << call;
        EXPECT_EQ(subject->GetIterations(), iterations) << scenario.name << ", " << call << ", " << error;
      }
    }
    subject->Run();
    EXPECT_EQ(subject->GetLastBackend(), Backend::Cuda) << scenario.name;
    EXPECT_EQ(subject->GetIterations(), iterations) << scenario.name;
  }
}

TEST_P(FaultInjectionOfFilters, AnAbortInTheMidstLeavesNothing)
{
  {
    const auto                 subject = GetParam().make();
    itk::ProcessObject * const process = subject->GetProcess();
    subject->SetGPUEnabled(true);
    ArmShim(Fault());
    int        events = 0;
    int        abortAt = -1;
    const auto observer = itk::CStyleCommand::New();
    struct Watch
    {
      int & events;
      int & abortAt;
    } watch{ events, abortAt };
    observer->SetClientData(&watch);
    observer->SetCallback([](itk::Object * caller, const itk::EventObject &, void * data) {
      auto * const what = static_cast<Watch *>(data);
      if (what->events++ == what->abortAt)
      {
        static_cast<itk::ProcessObject *>(caller)->AbortGenerateDataOn();
      }
    });
    const auto tag = process->AddObserver(itk::ProgressEvent(), observer);
    this->ExpectOnDevice(*subject, "without an abort");
    // ITK's own first and last report are outside the operation.
    const int reports = events;
    ASSERT_GE(reports, 2);
    int aborted = 0;
    for (abortAt = 0; abortAt < reports; ++abortAt)
    {
      events = 0;
      try
      {
        subject->Run();
      }
      catch (const itk::ProcessAborted &)
      {
        ++aborted;
      }
      process->AbortGenerateDataOff();
    }
    EXPECT_GE(aborted, 1);
    abortAt = -1;
    this->ExpectOnDevice(*subject, "after an abort");
    process->RemoveObserver(tag);
    DisarmShim();
  }
  ExpectNothingLeft("after an abort");
}

std::string
NameOfScenario(const testing::TestParamInfo<Scenario> & test)
{
  return test.param.name;
}

template <typename TPredicate>
std::vector<Scenario>
ScenariosThat(const TPredicate & predicate)
{
  std::vector<Scenario> some;
  std::copy_if(Scenarios().begin(), Scenarios().end(), std::back_inserter(some), predicate);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Operations, FaultInjection, testing::ValuesIn(Scenarios()), NameOfScenario);
INSTANTIATE_TEST_SUITE_P(Operations,
                         FaultInjectionOfFilters,
                         testing::ValuesIn(ScenariosThat([](const Scenario & scenario) {
                           return scenario.make()->GetProcess() != nullptr;
                         })),
                         NameOfScenario);
INSTANTIATE_TEST_SUITE_P(Operations,
                         FaultInjectionInPieces,
                         testing::ValuesIn(ScenariosThat([](const Scenario & scenario) {
                           return scenario.name == "Chain";
                         })),
                         NameOfScenario);
