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

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#if defined(__linux__)
#  include <sched.h>
#endif

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int MaxThreads = 65536;

/** Returns a number above 0 at the beginning of a text, which is followed by its end or a comma; 0 if there is none. */
unsigned int
LeadingNumber(const char * text)
{
  char *     end = nullptr;
  const long number = std::strtol(text, &end, 10);
  const bool isNumber = end != text && (*end == '\0' || *end == ',') && number > 0 && number <= MaxThreads;
  return isNumber ? static_cast<unsigned int>(number) : 0;
}

/** Returns the lower of two limits; 0 means no limit. */
unsigned int
Lesser(unsigned int one, unsigned int other)
{
  return one == 0 ? other : (other == 0 ? one : std::min(one, other));
}

/** Returns the processors for a quota and its period in microseconds; 0 for "max", -1, and text that is not a number.
 */
unsigned int
ProcessorsOf(const std::string & quota, const std::string & period)
{
  const double numerator = std::atof(quota.c_str());
  const double denominator = std::atof(period.c_str());
  return numerator > 0.0 && denominator > 0.0
           ? static_cast<unsigned int>(std::min(std::ceil(numerator / denominator), static_cast<double>(MaxThreads)))
           : 0;
}

std::string
FirstWord(const std::string & file)
{
  std::ifstream stream(file);
  std::string   word;
  stream >> word;
  return word;
}

/** Returns the quota of one group, of either version. */
unsigned int
QuotaOf(const std::string & group)
{
  std::ifstream stream(group + "/cpu.max");
  std::string   quota;
  std::string   period;
  if (stream >> quota >> period)
  {
    return ProcessorsOf(quota, period);
  }
  return ProcessorsOf(FirstWord(group + "/cpu.cfs_quota_us"), FirstWord(group + "/cpu.cfs_period_us"));
}

/** Returns the number of processors on which the calling thread may run. */
unsigned int
Processors()
{
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 &&
      CPU_COUNT(&set) > 0) // fails if there are more than the set can represent
  {
    return static_cast<unsigned int>(CPU_COUNT(&set));
  }
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

} // namespace

unsigned int
ConcurrencyOfCgroup(const std::string & membership, const std::string & root)
{
  std::ifstream stream(membership);
  unsigned int  least = 0;
  for (std::string line; std::getline(stream, line);)
  {
    // number:controllers:path; version 2 has no controllers
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
    {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string       path = line.substr(second + 1);
    std::string       base = root;
    if (!controllers.empty())
    {
      if ((',' + controllers + ',').find(",cpu,") == std::string::npos)
      {
        continue;
      }
      base += '/' + controllers;
    }
    path = path == "/" ? "" : path;
    for (;;)
    {
      least = Lesser(least, QuotaOf(base + path));
      const auto slash = path.rfind('/');
      if (slash == std::string::npos)
      {
        break;
      }
      path.erase(slash);
    }
  }
  return least;
}

unsigned int
UsableConcurrency()
{
  if (const char * const wish = std::getenv("CUDASPLINE_THREADS"); wish != nullptr && *wish != '\0')
  {
    const unsigned int threads = LeadingNumber(wish);
    if (threads == 0)
    {
      throw std::invalid_argument("CUDASPLINE_THREADS is '" + std::string(wish) + "'; a number from 1 to " +
                                  std::to_string(MaxThreads) + " is allowed.");
    }
    return threads;
  }
  if (const char * const wish = std::getenv("OMP_NUM_THREADS"); wish != nullptr)
  {
    if (const unsigned int threads = LeadingNumber(wish); threads > 0)
    {
      return threads;
    }
  }
  // Unlike an affinity, a quota is almost never changed while a process runs.
  static const unsigned int quota = ConcurrencyOfCgroup("/proc/self/cgroup", "/sys/fs/cgroup");
  return Lesser(Processors(), quota);
}

} // namespace itk::CudaSpline
