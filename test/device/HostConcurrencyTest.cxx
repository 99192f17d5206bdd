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
#include "device/HostConcurrency.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#if defined(__linux__)
#  include <sched.h>
#endif

using namespace itk::CudaSpline;

namespace
{

/** A folder of files that is removed at the end. */
class Folder
{
public:
  Folder()
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "cudaspline-cgroup-XXXXXX").string();
    m_Path = mkdtemp(pattern.data());
  }
  Folder(const Folder &) = delete;
  Folder &
  operator=(const Folder &) = delete;
  ~Folder() { std::filesystem::remove_all(m_Path); }

  std::string
  Write(const std::string & name, const std::string & text) const
  {
    const std::filesystem::path path = m_Path / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  std::string
  GetPath() const
  {
    return m_Path.string();
  }

private:
  std::filesystem::path m_Path;
};

/** An environment variable, until the end of a scope. */
class Variable
{
public:
  Variable(const char * name, const char * value)
    : m_Name(name)
  {
    const char * const before = std::getenv(name);
    m_WasSet = before != nullptr;
    m_Before = m_WasSet ? before : "";
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  Variable(const Variable &) = delete;
  Variable &
  operator=(const Variable &) = delete;
  ~Variable() { m_WasSet ? setenv(m_Name, m_Before.c_str(), 1) : unsetenv(m_Name); }

private:
  const char * m_Name;
  bool         m_WasSet;
  std::string  m_Before;
};

} // namespace

TEST(HostConcurrency, AQuotaOfAGroupOrOneAboveItCounts)
{
  const Folder folder;
  const auto   membership = folder.Write("membership", "0::/pod/one\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 0U);
  folder.Write("pod/one/cpu.max", "max 100000\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 0U);
  folder.Write("pod/cpu.max", "250000 100000\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 3U);
  folder.Write("pod/one/cpu.max", "50000 100000\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 1U);
}

TEST(HostConcurrency, AQuotaOfVersionOneCounts)
{
  const Folder folder;
  const auto   membership = folder.Write("membership", "12:memory:/pod\n4:cpu,cpuacct:/pod\n");
  folder.Write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  folder.Write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 0U);
  folder.Write("cpu,cpuacct/pod/cpu.cfs_quota_us", "400000\n");
  folder.Write("cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ConcurrencyOfCgroup(membership, folder.GetPath()), 4U);
  EXPECT_EQ(ConcurrencyOfCgroup(folder.GetPath() + "/none", folder.GetPath()), 0U);
}

TEST(HostConcurrency, TheEnvironmentSaysIt)
{
  const Variable ours("CUDASPLINE_THREADS", nullptr);
  const Variable openMP("OMP_NUM_THREADS", "7,2");
  EXPECT_EQ(UsableConcurrency(), 7U);
  {
    const Variable wish("CUDASPLINE_THREADS", "3");
    EXPECT_EQ(UsableConcurrency(), 3U);
  }
  for (const char * const wrong : { "0", "-1", "many", "2.5", "1000000" })
  {
    const Variable wish("CUDASPLINE_THREADS", wrong);
    EXPECT_THROW(UsableConcurrency(), std::invalid_argument) << wrong;
  }
  const Variable unknown("OMP_NUM_THREADS", "all");
  EXPECT_GE(UsableConcurrency(), 1U);
}

#if defined(__linux__)
TEST(HostConcurrency, TheAffinityIsHeard)
{
  const Variable ours("CUDASPLINE_THREADS", nullptr);
  const Variable openMP("OMP_NUM_THREADS", nullptr);
  cpu_set_t      before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before))
  {
    ++first;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(UsableConcurrency(), 1U);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}
#endif
