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
// Expected: a file that is read back to the bit by the machine that wrote it, and by no other; anything else than such
// a file is no calibration. The folder follows the environment.

#include "TemporaryFolder.h"

#include "itkCudaSpline/kernels/Calibration.h"

#include "device/FileLock.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/resource.h>
#include <unistd.h>

using namespace itk::CudaSpline;

namespace
{
/** A folder of the test's own that is gone with it, and the environment as it was. */
class CalibrationFiles : public testing::Test
{
protected:
  CalibrationFiles()
  {
    for (std::size_t i = 0; i < m_Names.size(); ++i)
    {
      const char * const value = std::getenv(m_Names[i]);
      m_WasSet[i] = value != nullptr;
      m_Values[i] = value != nullptr ? value : "";
      unsetenv(m_Names[i]);
    }
  }

  ~CalibrationFiles() override
  {
    for (std::size_t i = 0; i < m_Names.size(); ++i)
    {
      m_WasSet[i] ? setenv(m_Names[i], m_Values[i].c_str(), 1) : unsetenv(m_Names[i]);
    }
  }

  std::string
  Path(const std::string & name) const
  {
    return (m_Folder / name).string();
  }

private:
  CudaSplineTest::TemporaryFolder m_Own;

protected:
  const std::filesystem::path & m_Folder = m_Own.GetPath();

private:
  std::array<const char *, 3> m_Names{ { "CUDASPLINE_CACHE_DIR", "XDG_CACHE_HOME", "HOME" } };
  std::array<bool, 3>         m_WasSet{};
  std::array<std::string, 3>  m_Values;
};

MachineSpeeds
SomeSpeeds()
{
  MachineSpeeds speeds = TypicalSpeeds(7);
  speeds.host.tap = 1.0 / 3.0e9; // no short decimal
  speeds.device.start = 0.7123456789012345;
  return speeds;
}

std::string
ContentOf(const std::string & file)
{
  std::ifstream stream(file);
  return { std::istreambuf_iterator<char>(stream), {} };
}
} // namespace

TEST_F(CalibrationFiles, AreReadBackToTheBit)
{
  const std::string file = Path("new/folders/speeds.txt");
  ASSERT_TRUE(WriteCalibration(file, "a machine", SomeSpeeds()));
  const auto read = ReadCalibration(file, "a machine");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->host.threads, 7.0);
  EXPECT_EQ(read->host.convert, SomeSpeeds().host.convert);
  EXPECT_EQ(read->host.filter, SomeSpeeds().host.filter);
  EXPECT_EQ(read->host.sample, SomeSpeeds().host.sample);
  EXPECT_EQ(read->host.tap, SomeSpeeds().host.tap);
  EXPECT_EQ(read->device.start, SomeSpeeds().device.start);
  EXPECT_EQ(read->device.operation, SomeSpeeds().device.operation);
  EXPECT_EQ(read->device.upload, SomeSpeeds().device.upload);
  EXPECT_EQ(read->device.filter, SomeSpeeds().device.filter);
  EXPECT_EQ(read->device.sample, SomeSpeeds().device.sample);
  EXPECT_EQ(read->device.tap, SomeSpeeds().device.tap);
  EXPECT_EQ(read->device.download, SomeSpeeds().device.download);
  EXPECT_FALSE(ReadCalibration(file, "another machine"));
  // Nothing unfinished is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_Folder / "new/folders"), {}), 1);
}

TEST_F(CalibrationFiles, OfAnotherKindAreNotRead)
{
  const std::string file = Path("speeds.txt");
  ASSERT_TRUE(WriteCalibration(file, "a machine", SomeSpeeds()));
  const std::string good = ContentOf(file);
  const auto        isRead = [&](const std::string & content) {
    std::ofstream(file) << content;
    return ReadCalibration(file, "a machine").has_value();
  };
  const auto replaced = [&good](const std::string & from, const std::string & to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  ASSERT_TRUE(isRead(good));
  EXPECT_FALSE(isRead(""));
  EXPECT_FALSE(isRead(good.substr(0, good.rfind("device.download")))) << "the last line is missing";
  EXPECT_FALSE(isRead(replaced("calibration 1", "calibration 0")));
  EXPECT_FALSE(isRead(replaced("host.tap", "host.tip")));
  EXPECT_FALSE(isRead(replaced("host.threads 7", "host.threads 0")));
  EXPECT_FALSE(isRead(replaced("host.threads 7", "host.threads -7")));
  EXPECT_FALSE(isRead(replaced("host.threads 7", "host.threads nan")));
  EXPECT_FALSE(isRead(replaced("host.threads 7", "host.threads 1e300")));
  EXPECT_FALSE(isRead(std::string(100000, '\0')));
  EXPECT_FALSE(ReadCalibration(Path("missing"), "a machine"));
  EXPECT_FALSE(ReadCalibration(m_Folder.string(), "a machine"));
  EXPECT_FALSE(ReadCalibration("", "a machine"));
}

TEST_F(CalibrationFiles, ThatCannotBeWrittenAreNoError)
{
  EXPECT_FALSE(WriteCalibration("", "a machine", SomeSpeeds()));
  std::ofstream(Path("file")) << "no folder";
  EXPECT_FALSE(WriteCalibration(Path("file/speeds.txt"), "a machine", SomeSpeeds()));
  EXPECT_EQ(ContentOf(Path("file")), "no folder");
  EXPECT_FALSE(WriteCalibration(m_Folder.string(), "a machine", SomeSpeeds())) << "the name is taken by a folder";
}

TEST_F(CalibrationFiles, LieWhereTheEnvironmentSays)
{
  EXPECT_EQ(CalibrationFile("a machine"), "");
  setenv("HOME", "/place/somebody", 1);
  EXPECT_EQ(CalibrationFile("a machine").rfind("/place/somebody/.cache/cudaspline/calibration-", 0), 0u);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(CalibrationFile("a machine").rfind("/cache/cudaspline/calibration-", 0), 0u);
  setenv("CUDASPLINE_CACHE_DIR", "/own", 1);
  EXPECT_EQ(CalibrationFile("a machine").rfind("/own/calibration-", 0), 0u);
  EXPECT_NE(CalibrationFile("a machine"), CalibrationFile("another machine"));
}

TEST(Calibration, AMachineIsALineThatNamesItsThreads)
{
  const std::string machine = DescribeMachine(13);
  EXPECT_EQ(machine.find('\n'), std::string::npos);
  EXPECT_NE(machine.find("13 threads"), std::string::npos) << machine;
  EXPECT_NE(machine, DescribeMachine(14));
  EXPECT_EQ(machine, DescribeMachine(13));
}

TEST(Calibration, AMachineIsNamedAsTheKernelNamesItsProcessor)
{
  std::ifstream stream("/proc/cpuinfo");
  std::string   line;
  while (std::getline(stream, line) && line.rfind("model name", 0) != 0)
  {}
  if (line.rfind("model name", 0) != 0)
  {
    GTEST_SKIP() << "This kernel does not tell the model.";
  }
  const std::string model = line.substr(line.find(':') + 2); // without blanks at its ends
  const std::string machine = DescribeMachine(1);
  EXPECT_NE(machine.find(model), std::string::npos) << machine;
}

TEST(Calibration, TypicalSpeedsGrowWithTheThreads)
{
  EXPECT_LT(TypicalSpeeds(16).host.tap, TypicalSpeeds(1).host.tap);
  EXPECT_EQ(TypicalSpeeds(16).device.start, TypicalSpeeds(1).device.start);
}

TEST_F(CalibrationFiles, AreMeasuredByOneProcessAtATime)
{
  const std::string file = Path("new/speeds.txt");
  {
    const FileLock lock(file);
    EXPECT_TRUE(lock);
    EXPECT_FALSE(FileLock(file));
    EXPECT_TRUE(FileLock(Path("new/others.txt")));
    ASSERT_TRUE(WriteCalibration(file, "a machine", SomeSpeeds())) << "the lock is not the file's";
  }
  EXPECT_TRUE(FileLock(file)) << "given back";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_Folder / "new"), {}), 1) << "a lock is left";
  // One that a killed process has left behind is nobody's; a link is not followed.
  std::ofstream(file + ".lock") << "left behind";
  EXPECT_TRUE(FileLock(file));
  std::ofstream(Path("precious")) << "precious";
  std::filesystem::create_symlink(Path("precious"), file + ".lock");
  EXPECT_FALSE(FileLock(file));
  EXPECT_EQ(ContentOf(Path("precious")), "precious");
}

TEST_F(CalibrationFiles, ThatCannotBeKeptAreNotMeasured)
{
  EXPECT_FALSE(FileLock(""));
  std::ofstream(Path("file")) << "not a folder";
  EXPECT_FALSE(FileLock(Path("file/speeds.txt")));
  if (geteuid() == 0) // a sticky folder, in which only the owner replaces a file
  {
    std::filesystem::create_directory(m_Folder / "sticky");
    ASSERT_TRUE(WriteCalibration(Path("sticky/speeds.txt"), "a machine", SomeSpeeds()));
    std::filesystem::permissions(m_Folder / "sticky", std::filesystem::perms(01777));
    std::filesystem::permissions(m_Folder, std::filesystem::perms(0755));
    EXPECT_EXIT(
      std::exit(setuid(65534) == 0 && !FileLock(Path("sticky/speeds.txt")) && FileLock(Path("sticky/others.txt")) ? 0
                                                                                                                  : 1),
      testing::ExitedWithCode(0),
      "");
  }
  // No room: a limit for files stands for a quota.
  const auto withoutRoom = [this] {
    rlimit limit;
    limit.rlim_cur = limit.rlim_max = 1024;
    std::signal(SIGXFSZ, SIG_IGN);
    std::exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 && !FileLock(Path("full/speeds.txt")) ? 0 : 1);
  };
  EXPECT_EXIT(withoutRoom(), testing::ExitedWithCode(0), "");
}
