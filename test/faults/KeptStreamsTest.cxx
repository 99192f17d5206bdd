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
// Streams that the device layer keeps for the next operation. Expected: the next one gets them, on their device, each
// for one owner at a time; no more than the bound are kept, and none that was not waited for, or with an error; all of
// them can be destroyed; after a loss and in a forked child none is used. Runs on a GPU if there is one, otherwise on a
// simulated one. Each test is in a process of its own, whose parent never uses CUDA.

#include "ChildProcess.h"
#include "CudaShim.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"
#include "device/StreamPool.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

constexpr const char * Made = "cudaStreamCreateWithFlags";

/** Returns the number of streams that were created and not destroyed. */
int
Streams()
{
  return Unreleased()[Made];
}

/** Compares two numbers in a child. Empty if they are the same. */
std::string
Compare(const std::string & what, std::int64_t found, std::int64_t expected)
{
  return found == expected
           ? ""
           : what + ": " + std::to_string(found) + ", where " + std::to_string(expected) + " were expected. ";
}

/** Uses several streams at the same time, and releases them afterwards. */
void
UseAtOnce(std::size_t count)
{
  const std::vector<Stream> streams(count);
}

} // namespace

TEST(KeptStreams, TheNextOperationGetsThem)
{
  EXPECT_EQ(InChild([]() -> std::string {
              ArmShim(Fault());
              std::set<StreamHandle> taken;
              for (int operation = 0; operation < 10; ++operation)
              {
                const Stream first;
                const Stream second;
                taken.insert({ first.Get(), second.Get() });
              }
              return Compare("streams", static_cast<std::int64_t>(taken.size()), 2) +
                     Compare("calls", CallsOf(Made), 2) + Compare("kept", Streams(), 2);
            }),
            "");
}

TEST(KeptStreams, OneThatABufferHasIsNotFree)
{
  EXPECT_EQ(InChild([]() -> std::string {
              DeviceBuffer buffer;
              StreamHandle first = nullptr;
              {
                const Stream stream;
                first = stream.Get();
                buffer = DeviceBuffer(1000, stream);
              }
              std::string found;
              {
                const Stream stream;
                found = stream.Get() == first ? "the stream of a buffer was handed out" : "";
              }
              buffer = DeviceBuffer();
              const Stream stream;
              return found + (stream.Get() == first ? "" : "the stream of a buffer that is gone is not kept");
            }),
            "");
}

TEST(KeptStreams, ThreadsHaveEachTheirOwn)
{
  EXPECT_EQ(InChild([]() -> std::string {
              std::mutex               mutex;
              std::set<StreamHandle>   taken;
              int                      shared = 0;
              std::vector<std::thread> threads;
              for (int t = 0; t < 8; ++t)
              {
                threads.emplace_back([&] {
                  for (int i = 0; i < 200; ++i)
                  {
                    const Stream       stream;
                    const DeviceBuffer buffer(1000, stream);
                    {
                      const std::lock_guard<std::mutex> lock(mutex);
                      shared += taken.insert(stream.Get()).second ? 0 : 1;
                    }
                    std::this_thread::yield();
                    const std::lock_guard<std::mutex> lock(mutex);
                    taken.erase(stream.Get());
                  }
                });
              }
              for (std::thread & thread : threads)
              {
                thread.join();
              }
              return Compare("streams that two threads had", shared, 0) +
                     (Streams() <= 8 ? "" : std::to_string(Streams()) + " streams of 8 threads");
            }),
            "");
}

TEST(KeptStreams, AreBounded)
{
  EXPECT_EQ(InChild([]() -> std::string {
              UseAtOnce(MaxKeptStreams + 7);
              const std::string found = Compare("kept", Streams(), MaxKeptStreams);
              UseAtOnce(MaxKeptStreams + 7);
              return found + Compare("kept then", Streams(), MaxKeptStreams) +
                     Compare("destroyed twice", WrongReleases(), 0);
            }),
            "");
}

TEST(KeptStreams, AreGivenBack)
{
  EXPECT_EQ(InChild([]() -> std::string {
              UseAtOnce(5);
              std::string found = Compare("kept", Streams(), 5);
              ReleaseStreams();
              found += Compare("after the release", Streams(), 0);
              ReleaseStreams();
              UseAtOnce(3);
              found += Compare("kept again", Streams(), 3);
              const Stream one;
              ReleaseDeviceMemory();
              return found + Compare("besides the one in use", Streams(), 1) +
                     Compare("destroyed twice", WrongReleases(), 0);
            }),
            "");
}

// A simulation can have any number of GPUs.
TEST(KeptStreams, AreOfTheirDevice)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              const auto use = [](int device) {
                const DeviceScope scope(device);
                const Stream      stream;
                return stream.Get();
              };
              const StreamHandle first = use(0);
              const StreamHandle second = use(1);
              const StreamHandle firstAgain = use(0);
              const StreamHandle secondAgain = use(1);
              return first != second && firstAgain == first && secondAgain == second ? "" : "of the other device";
            }),
            "");
}

TEST(KeptStreams, ThoseThatNobodyHasWaitedForAreNot)
{
  EXPECT_EQ(InChild([]() -> std::string {
              {
                Stream stream;
                stream = Stream(); // the work of the first one may still be running
              }
              std::string found = Compare("kept", Streams(), 1);
              ReleaseStreams();
              {
                const Stream stream;
                Hindrance    hindrance;
                hindrance.call = "cudaStreamSynchronize";
                hindrance.error = cudaErrorUnknown;
                HinderShim(hindrance);
              }
              HinderShim();
              return found + Compare("kept after an error", Streams(), 0) +
                     Compare("destroyed twice", WrongReleases(), 0) +
                     Compare("an error that is left", PendingError(), 0);
            }),
            "");
}

// The simulation, and the runtime below the shim, would continue; nevertheless, kept streams must not be used.
TEST(KeptStreams, AfterALossNoneIsUsed)
{
  EXPECT_EQ(InChild([]() -> std::string {
              UseAtOnce(4);
              {
                const Stream inUse;
                Fault        fault;
                fault.at = 0;
                fault.error = cudaErrorIllegalAddress;
                ArmShim(fault);
                try
                {
                  inUse.Synchronize();
                  return "no error";
                }
                catch (const DeviceError & error)
                {
                  if (error.GetKind() != DeviceError::Kind::Lost)
                  {
                    return error.what();
                  }
                }
                DisarmShim();
              }
              std::string found = Compare("the one in use, and those that are not touched", Streams(), 3);
              ArmShim(Fault());
              {
                const Stream stream;
                found += Compare("made anew", CallsOf(Made), 1) + Compare("besides it", Streams(), 1);
              }
              return found + Compare("kept after the loss", Streams(), 0) +
                     Compare("destroyed twice", WrongReleases(), 0);
            }),
            "");
}

TEST(KeptStreams, AForkedChildLeavesThemToItsParent)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              RememberProcess();
              StreamHandle kept = nullptr;
              {
                const Stream stream;
                kept = stream.Get();
              }
              const std::string child = InChild([kept]() -> std::string {
                alarm(20);
                ArmShim(Fault());
                ReleaseStreams();
                ReturnStream(0, kept, true, true);
                if (const std::int64_t calls = DisarmShim())
                {
                  return Compare("calls of CUDA", calls, 0);
                }
                try
                {
                  const Stream stream;
                  return stream.Get() == kept ? "the parent's stream was handed out" : "one was made";
                }
                catch (const DeviceError &)
                {
                  return "";
                }
              });
              const Stream      again;
              return child + (again.Get() == kept ? "" : "the parent has lost its stream");
            }),
            "");
}

// A callback forks a child, which continues the operation.
TEST(KeptStreams, AScopeThatAForkedChildLeavesCallsNothing)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              auto              scope = std::make_unique<DeviceScope>(0);
              const std::string child = InChild([&scope]() -> std::string {
                alarm(20);
                scope.reset();
                return CurrentDevice() == 0 ? "" : "the driver was called";
              });
              scope.reset();
              return child + (CurrentDevice() == -1 ? "" : "the parent has not left it");
            }),
            "");
}

// A caller that passes device arrays to the library does not query devices first.
TEST(KeptStreams, AForkedChildHasNoDeviceWhateverItsParentCalledFirst)
{
  const std::function<void()> calls[] = {
    [] { const DeviceScope scope(0); }, [] { (void)QueryDevice(0); }, [] { (void)Stream(); }, [] { (void)Event(); }
  };
  for (const auto & call : calls)
  {
    EXPECT_EQ(InChild([&]() -> std::string {
                PretendDriver();
                call();
                return InChild([&]() -> std::string {
                  alarm(20);
                  ArmShim(Fault());
                  std::string found = "used it";
                  try
                  {
                    call();
                  }
                  catch (const DeviceError & error)
                  {
                    found = error.GetKind() == DeviceError::Kind::Unavailable ? "" : error.what();
                  }
                  found += Compare("calls of CUDA", DisarmShim(), 0);
                  return IsForkedChild() ? found : "it does not know";
                });
              }),
              "");
  }
}
