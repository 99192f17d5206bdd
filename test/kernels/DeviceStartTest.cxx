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
#include "itkCudaSpline/kernels/BackendChoice.h"
#include "itkCudaSpline/kernels/Calibration.h"
#include "Gpu.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
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
  return { work, work };
}

/** An empty folder that calibrations are kept in. A child that runs its test from its start takes that of its parent.
 */
class CalibrationFolder
{
public:
  CalibrationFolder()
  {
    const char * const given = std::getenv("CUDASPLINE_TEST_CALIBRATION");
    std::string        pattern = (std::filesystem::temp_directory_path() / "CudaSplineCalibration-XXXXXX").string();
    m_Folder = given != nullptr ? given : mkdtemp(pattern.data());
    setenv("CUDASPLINE_TEST_CALIBRATION", m_Folder.c_str(), 1);
    setenv("CUDASPLINE_CACHE_DIR", m_Folder.c_str(), 1);
  }

  ~CalibrationFolder()
  {
    unsetenv("CUDASPLINE_TEST_CALIBRATION");
    std::filesystem::remove_all(m_Folder);
  }

  CalibrationFolder(const CalibrationFolder &) = delete;
  CalibrationFolder &
  operator=(const CalibrationFolder &) = delete;

  std::ptrdiff_t
  CountFiles() const
  {
    return std::distance(std::filesystem::directory_iterator(m_Folder), {});
  }

private:
  std::filesystem::path m_Folder;
};

/** Ends a process of its own; a number tells which step went wrong. A hang ends it too. */
class FreshProcess : public testing::Test
{
protected:
  FreshProcess()
  {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    unsetenv("CUDASPLINE_DEVICE");
    setenv("CUDASPLINE_CACHE_DIR", "/dev/null/no folder", 1); // typical speeds
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
  EXPECT_EQ(ParseDeviceWish("auto").kind, DeviceWish::Kind::Fastest);
  EXPECT_EQ(ParseDeviceWish("cpu").kind, DeviceWish::Kind::Host);
  EXPECT_EQ(ParseDeviceWish("gpu").kind, DeviceWish::Kind::Device);
  EXPECT_EQ(ParseDeviceWish("3").kind, DeviceWish::Kind::Number);
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
  EXPECT_EQ(ReasonForHost(WorkOf(8), 2, 0), "");
  EXPECT_FALSE(StartDeviceAhead("gpu", Cube(1024), OntoCube(1024), 2, 100.0));
  EXPECT_EQ(GetDeviceState(0), DeviceState::Stopped);
  WaitForDeviceStart(); // for nothing
  EXPECT_EQ(SecondsOfDeviceStart(), 0.0);
  EXPECT_THROW(StartDevice(0), DeviceError);
}

TEST_F(DeviceStart, UnknownDevicesAreRefused)
{
  EXPECT_THROW(StartDeviceAhead("nonsense", Cube(8), OntoCube(8), 2, 0.0), DeviceError);
}

TEST_F(DeviceStart, AFailedStartInTheBackgroundIsLeftToTheOperation)
{
  // No such device, or no CUDA at all.
  EXPECT_EXIT(
    {
      StartDeviceInBackground(1000, [] { Leave(2); });
      Leave(0);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStart, AChildForkedWhileTheCalibrationIsReadGoesOn)
{
  EXPECT_EXIT(
    {
      alarm(100);
      // A pipe in the place of the file: its reader waits until there is a writer.
      std::string       pattern = (std::filesystem::temp_directory_path() / "CudaSplineCalibration-XXXXXX").string();
      const std::string folder = mkdtemp(pattern.data());
      setenv("CUDASPLINE_CACHE_DIR", folder.c_str(), 1);
      const std::string file = CalibrationFile(DescribeMachine(std::max(1U, std::thread::hardware_concurrency())));
      if (mkfifo(file.c_str(), S_IRUSR | S_IWUSR) != 0)
      {
        Leave(1);
      }
      std::thread reader([] { EstimateOnThisMachine(WorkOf(8), 2, 0); });
      int         pipe = -1;
      while ((pipe = open(file.c_str(), O_WRONLY | O_NONBLOCK)) < 0) // until it is open for reading
      {
        std::this_thread::yield();
      }
      const pid_t child = fork();
      if (child == 0)
      {
        alarm(20);
        setenv("CUDASPLINE_CACHE_DIR", "/dev/null/no folder", 1);
        _exit(EstimateOnThisMachine(WorkOf(8), 2, 0).host > 0.0 ? 0 : 2);
      }
      int status = -1;
      waitpid(child, &status, 0);
      close(pipe); // the reader finds an empty file
      reader.join();
      std::filesystem::remove_all(folder);
      Leave(WIFEXITED(status) ? WEXITSTATUS(status) : 10);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, SmallOperationsTouchNoCuda)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      const std::string reason = ReasonForHost(WorkOf(32), 16, 0);
      const bool        ahead = StartDeviceAhead("", Cube(32), OntoCube(32), 16, 0.0);
      Leave(reason.empty() || ahead ? 1 : (GetDeviceState(0) == DeviceState::Stopped ? 0 : 2));
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, ManySmallOperationsStartTheDeviceInTheEnd)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      int number = 0;
      while (number < 100000 && !ReasonForHost(WorkOf(96), 16, 0).empty())
      {
        ++number;
      }
      Leave(number > 5 && number < 100000 ? 0 : 1);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AStartAheadIsThereForTheOperation)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      if (!StartDeviceAhead("", Cube(1024), OntoCube(1024), 1, 100.0))
      {
        Leave(1);
      }
      if (GetDeviceState(0) == DeviceState::Stopped)
      {
        Leave(2);
      }
      // While it starts it is as good as started.
      if (!ReasonForHost(WorkOf(256), 16, 0).empty())
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
      StartDeviceAhead("0", Cube(8), OntoCube(8), 1, 0.0);
      Leave(0);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AProcessMayWaitForItsStart)
{
  CUDASPLINE_NEEDS_GPU();
  EXPECT_EXIT(
    {
      StartDeviceAhead("0", Cube(8), OntoCube(8), 1, 0.0);
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
      StartDeviceAhead("0", Cube(8), OntoCube(8), 1, 0.0);
      const pid_t child = fork();
      if (child == 0)
      {
        alarm(60);
        // std::exit: static objects end in the child, too.
        Leave(!SelectDevice("") && ReasonForHost(WorkOf(8), 2, 0).empty() ? 0 : 1);
      }
      int status = -1;
      waitpid(child, &status, 0);
      Leave(WIFEXITED(status) ? WEXITSTATUS(status) : 10);
    },
    testing::ExitedWithCode(0),
    "");
}

TEST_F(DeviceStartGpu, AMachineIsMeasuredOnce)
{
  CUDASPLINE_NEEDS_GPU();
  const CalibrationFolder folder;
  EXPECT_EXIT(
    {
      CalibrateOnce(0); // nobody has asked for a choice: nothing to measure for
      const bool early = folder.CountFiles() != 0;
      StartDevice(0);
      ReasonForHost(WorkOf(8), 2, 0);
      CalibrateOnce(0);
      Leave(early ? 1 : 0);
    },
    testing::ExitedWithCode(0),
    "");
  EXPECT_EQ(folder.CountFiles(), 1);
  const std::string machine = DescribeMachine(std::max(1U, std::thread::hardware_concurrency()));
  const auto        speeds = ReadCalibration(CalibrationFile(machine), machine);
  ASSERT_TRUE(speeds);
  EXPECT_GT(speeds->device.start, 0.01);
  EXPECT_LT(speeds->device.start, 60.0);
  // Between a tenth of a gigabyte a second and what no bus does.
  EXPECT_LT(speeds->device.upload, 1.0e-8);
  EXPECT_GT(speeds->device.upload, 1.0e-12);
  EXPECT_LT(speeds->device.tap, speeds->host.tap) << "a GPU's cubic is faster than any host's";
}

// As after a start of seconds, the first one since the machine was started.
TEST_F(DeviceStartGpu, AMuchShorterStartIsKept)
{
  CUDASPLINE_NEEDS_GPU();
  const CalibrationFolder folder;
  const std::string       machine = DescribeMachine(std::max(1U, std::thread::hardware_concurrency()));
  MachineSpeeds           kept = TypicalSpeeds(3);
  kept.device.start = 1000.0;
  ASSERT_TRUE(WriteCalibration(CalibrationFile(machine), machine, kept));
  EXPECT_EXIT(
    {
      StartDevice(0);
      ReasonForHost(WorkOf(8), 2, 0);
      CalibrateOnce(0);
      Leave(0);
    },
    testing::ExitedWithCode(0),
    "");
  const auto speeds = ReadCalibration(CalibrationFile(machine), machine);
  ASSERT_TRUE(speeds);
  EXPECT_GT(speeds->device.start, 0.01);
  EXPECT_LT(speeds->device.start, 60.0);
  EXPECT_EQ(speeds->device.tap, kept.device.tap) << "nothing else was measured";
}
