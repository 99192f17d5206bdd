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
// Expected: CUDA is started where an operation is worth it and not before; a process that ends, fails or forks while it
// is being started neither hangs nor crashes. Each of these needs a process that has not used CUDA: a "death test" that
// runs in a program of its own and leaves with the code 0.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/kernels/backend/BackendChoice.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/resampling/ResampleKernelsLoader.h"
#include "Gpu.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace itk::CudaSpline;

namespace
{
SourceDescriptor
Cube(std::int64_t size)
{
  SourceDescriptor source;
  source.size = { { size, size, size, 1 } };
  source.order = 3;
  return source;
}

ResampleDescriptor
OntoCube(std::int64_t size)
{
  ResampleDescriptor resample;
  resample.interpolation = Interpolation::BSpline;
  resample.samples = size;
  resample.lines = size * size;
  return resample;
}

BackendWork
WorkOf(std::int64_t size)
{
  const OperationWork work = CountSourceWork(Cube(size)) + CountResampleWork(Cube(size), OntoCube(size));
  BackendWork         both;
  both.host = work;
  both.device = work;
  return both;
}

/** Returns whether a call would run on the host, if the module has a choice. */
bool
GoesToHost(std::int64_t size)
{
  const auto decision = DecideBackend(WorkOf(size), 16, 0);
  return decision && !decision->toDevice;
}

/** Starts device 0 for any amount of work. */
bool
StartAnyway()
{
  return StartDeviceAhead("0", WorkOf(8), 1, 0.0);
}

/** Runs in a separate process, whose exit status is the number of the step that failed. A process that hangs is ended,
 * too. */
class FreshProcess : public testing::Test
{
protected:
  FreshProcess()
  {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    unsetenv("CUDASPLINE_DEVICE");
  }

  static void
  Leave(int code)
  {
    std::exit(code);
  }

  /** Waits for a background start to end. */
  static bool
  WaitUntilStarted()
  {
    for (int i = 0; i < 6000 && GetDeviceState(0) != DeviceState::Started; ++i)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return GetDeviceState(0) == DeviceState::Started;
  }
};

using DeviceStart = FreshProcess;
using DeviceStartGpu = FreshProcess;
} // namespace

TEST(DeviceStartWords, AWishIsReadWithoutCuda)
{
  EXPECT_EQ(ParseDeviceWish("auto").kind, DeviceRequest::Kind::Fastest);
  EXPECT_EQ(ParseDeviceWish("cpu").kind, DeviceRequest::Kind::Host);
  EXPECT_EQ(ParseDeviceWish("gpu").kind, DeviceRequest::Kind::Device);
  EXPECT_EQ(ParseDeviceWish("3").kind, DeviceRequest::Kind::Number);
  EXPECT_EQ(ParseDeviceWish("3").device, 3);
  EXPECT_TRUE(ParseDeviceWish("3").more.empty());
  EXPECT_EQ(ParseDeviceWish("2,0,11").device, 2);
  EXPECT_EQ(ParseDeviceWish("2,0,11").more, (std::vector<int>{ 0, 11 }));
  for (const char * const wrong : { "three", "0,", ",0", "0,,1", "0,1,0", "0,cpu", "0 1" })
  {
    EXPECT_THROW(ParseDeviceWish(wrong), DeviceError) << wrong;
  }
}

TEST_F(DeviceStart, WithoutADriverThereIsNothingToChoose)
{
  if (BuiltWithCuda() && DriverIsPresent())
  {
    GTEST_SKIP() << "There is a driver.";
  }
  EXPECT_FALSE(DecideBackend(WorkOf(8), 2, 0));
  EXPECT_FALSE(StartDeviceAhead("gpu", WorkOf(1024), 2, 100.0));
  EXPECT_EQ(GetDeviceState(0), DeviceState::Stopped);
  WaitForDeviceStart(); // without a need
  EXPECT_EQ(SecondsOfDeviceStart(), 0.0);
  EXPECT_THROW(StartDevice(0), DeviceError);
}

TEST_F(DeviceStart, UnknownDevicesAreRefused)
{
  EXPECT_THROW(StartDeviceAhead("nonsense", WorkOf(8), 2, 0.0), DeviceError);
}

TEST_F(DeviceStart, AFailedStartInTheBackgroundIsLeftToTheOperation)
{
  // No such device, or no CUDA at all.
  EXPECT_EXIT(
    {
      StartDeviceInBackground(1000, [] { std::_Exit(2); });
      Leave(0);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, SmallOperationsTouchNoCuda)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      const bool onHost = GoesToHost(32);
      const bool ahead = StartDeviceAhead("", WorkOf(32), 16, 0.0);
      Leave(!onHost || ahead ? 1 : (GetDeviceState(0) == DeviceState::Stopped ? 0 : 2));
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, ManySmallOperationsStartTheDeviceInTheEnd)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      // Each takes 10 ms on the host; the process also needs to have run for a while.
      int  number = 0;
      auto decision = DecideBackend(WorkOf(96), 16, 0);
      for (; decision && !decision->startsInBackground && !decision->toDevice && number < 1000; ++number)
      {
        LearnFromCall(decision->forecast, Backend::Cpu, 0.01, nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        decision = DecideBackend(WorkOf(96), 16, 0);
      }
      Leave(number > 5 && number < 1000 && decision->startsInBackground ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AStartAheadIsThereForTheOperation)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      if (!StartDeviceAhead("", WorkOf(1024), 1, 100.0, ResampleKernelsLoader(Cube(1024), OntoCube(1024))))
      {
        Leave(1);
      }
      if (GetDeviceState(0) == DeviceState::Stopped)
      {
        Leave(2);
      }
      // During the start, calls that take longer on the host wait for it.
      if (GoesToHost(1024))
      {
        Leave(3);
      }
      if (!WaitUntilStarted())
      {
        Leave(4);
      }
      Leave(SecondsOfDeviceStart() > 0.0 && StartDevice(0) == 0.0 ? 0 : 5);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AProcessMayEndWhileItStarts)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      StartAnyway();
      Leave(0);
    },
    testing::ExitedWithCode(0),
    "");
  // At every stage of a start (the driver, the context, and after it), in steps of 15 ms.
  for (int step = 1; step <= 24; ++step)
  {
    EXPECT_EXIT(
      {
        alarm(100);
        StartAnyway();
        std::this_thread::sleep_for(std::chrono::milliseconds(15 * step));
        Leave(0);
      },
      testing::ExitedWithCode(0),
      "")
      << 15 * step << " ms";
  }
}

TEST_F(DeviceStartGpu, AStartThatIsGivenUpMakesNoContext)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      StartAnyway();
      GiveUpDeviceStart();
      GiveUpDeviceStart();
      const bool isStarted = GetDeviceState(0) == DeviceState::Started;
      StartAnyway(); // no other start begins
      WaitForDeviceStart();
      Leave(isStarted || GetDeviceState(0) != DeviceState::Stopped ? 1 : 0);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AProcessMayWaitForItsStart)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      StartAnyway();
      WaitForDeviceStart();
      WaitForDeviceStart();
      Leave(GetDeviceState(0) == DeviceState::Started ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AChildForkedWhileItStartsUsesTheCpu)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      StartAnyway();
      const pid_t child = fork();
      if (child == 0)
      {
        alarm(60);
        // std::exit: static objects are also destroyed in the child.
        Leave(!SelectDevice("") && !DecideBackend(WorkOf(8), 2, 0) ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      Leave(WIFEXITED(status) ? WEXITSTATUS(status) : 10);
    },
    testing::ExitedWithCode(0),
    "");
}

// With two GPUs, a child that was forked during the driver's half of a start hung in the clean-up of CUDA's runtime: at
// every stage of a start, in steps of 15 ms.
TEST_F(DeviceStartGpu, AChildForkedAtAnyStageOfAStartEnds)
{
  CUDASPLINE_NEEDS_GPU();
  for (int step = 0; step <= 40; ++step)
  {
    EXPECT_EXIT(
      {
        StartAnyway();
        std::this_thread::sleep_for(std::chrono::milliseconds(15 * step));
        const pid_t child = fork();
        if (child == 0)
        {
          alarm(20);
          Leave(!SelectDevice("") && !DecideBackend(WorkOf(8), 2, 0) ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        Leave(WIFEXITED(status) ? WEXITSTATUS(status) : 10);
      },
      testing::ExitedWithCode(0),
      "")
      << 15 * step << " ms";
  }
}
