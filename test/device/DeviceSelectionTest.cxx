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
// Expected: the rules of SelectDevice(), on machines with and without a GPU.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "Gpu.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace itk::CudaSpline;

namespace
{
std::string
MessageOf(const std::string & word)
{
  try
  {
    SelectDevice(word);
  }
  catch (const DeviceError & error)
  {
    return error.what();
  }
  return {};
}
} // namespace

TEST(DeviceSelection, CpuIsNoDeviceWithAReason)
{
  const DeviceChoice choice = SelectDevice("cpu");
  EXPECT_FALSE(choice);
  EXPECT_TRUE(choice.demanded);
  EXPECT_NE(choice.reason.find("cpu"), std::string::npos);
}

TEST(DeviceSelection, UnknownDevicesAreRefusedWithWhatIsAllowed)
{
  for (const std::string word : { "99", "-1", "gpus", "0x", "1.5", " ", "99999999999" })
  {
    const std::string message = MessageOf(word);
    EXPECT_NE(message.find("\"" + word + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("cpu"), std::string::npos) << message;
  }
}

TEST(DeviceSelection, EnvironmentIsFollowed)
{
  const char * const before = std::getenv("CUDASPLINE_DEVICE");
  const std::string  kept = before != nullptr ? before : "";
  setenv("CUDASPLINE_DEVICE", "cpu", 1);
  EXPECT_FALSE(SelectDevice());
  setenv("CUDASPLINE_DEVICE", "nonsense", 1);
  EXPECT_THROW(SelectDevice(), DeviceError);
  unsetenv("CUDASPLINE_DEVICE");
  EXPECT_EQ(static_cast<bool>(SelectDevice()), DeviceCount() > 0);
  EXPECT_EQ(SelectDevice().reason.empty(), DeviceCount() > 0);
  if (!kept.empty())
  {
    setenv("CUDASPLINE_DEVICE", kept.c_str(), 1);
  }
}

TEST(DeviceSelection, VersionTellsTheBuild)
{
  EXPECT_EQ(CudaToolkitVersion().empty(), !BuiltWithCuda());
}

TEST(DeviceSelection, ThereIsADeviceOrAReason)
{
  const bool any = DeviceCount() > 0;
  EXPECT_EQ(SelectDevice("").reason.empty(), any);
  for (const int missing : { -1, 1000 })
  {
    EXPECT_THROW(QueryDevice(missing), DeviceError);
    EXPECT_THROW(AvailableDeviceMemory(missing), DeviceError);
  }
  if (!any)
  {
    EXPECT_THROW(QueryDevice(0), DeviceError);
    EXPECT_THROW(AvailableDeviceMemory(0), DeviceError);
  }
}

TEST(DeviceSelectionGpu, DevicesAreDescribed)
{
  CUDASPLINE_NEEDS_GPU();
  const DeviceInfo info = QueryDevice(0);
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.major, 5);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.totalMemory, std::size_t(1) << 28);
  EXPECT_LT(AvailableDeviceMemory(0), info.totalMemory);
  EXPECT_THROW(QueryDevice(DeviceCount()), DeviceError);
  EXPECT_EQ(SelectDevice("0").device, 0);
  EXPECT_TRUE(SelectDevice("0").demanded);
}

TEST(DeviceSelectionGpu, AForkedChildUsesTheCpu)
{
  CUDASPLINE_NEEDS_GPU();
  ASSERT_TRUE(SelectDevice(""));
  const pid_t child = fork();
  if (child == 0)
  {
    const DeviceChoice choice = SelectDevice("");
    const DeviceChoice demanded = SelectDevice("0");
    _exit(!choice && !demanded && choice.reason.find("forked") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(SelectDevice(""));
}
