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
#include "itkCudaSpline/kernels/Calibration.h"
#include "itkCudaSpline/device/Processor.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <locale>
#include <random>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#if defined(CUDASPLINE_HAS_CUDA)
#  include <cuda_runtime_api.h>
#endif

namespace itk::CudaSpline
{

namespace
{
/** Changes with the meaning of a number in the file, or with kernels that are much faster. */
constexpr const char * Format = "CudaSpline calibration 1";

/** The numbers of the file by their names. */
std::array<std::pair<const char *, double *>, 12>
Entries(MachineSpeeds & speeds)
{
  return { { { "host.threads", &speeds.host.threads },
             { "host.convert", &speeds.host.convert },
             { "host.filter", &speeds.host.filter },
             { "host.sample", &speeds.host.sample },
             { "host.tap", &speeds.host.tap },
             { "device.start", &speeds.device.start },
             { "device.operation", &speeds.device.operation },
             { "device.upload", &speeds.device.upload },
             { "device.filter", &speeds.device.filter },
             { "device.sample", &speeds.device.sample },
             { "device.tap", &speeds.device.tap },
             { "device.download", &speeds.device.download } } };
}

/** What follows "name" and a colon in the first line of a file that has it; empty where none has. */
std::string
FieldOf(const std::filesystem::path & file, const std::string & name)
{
  std::ifstream stream(file);
  std::string   line;
  while (std::getline(stream, line))
  {
    const std::size_t colon = line.find(':');
    if (line.compare(0, name.size(), name) == 0 && colon != std::string::npos)
    {
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? std::string() : line.substr(begin);
    }
  }
  return {};
}

std::string
EnvironmentWord(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/** FNV-1a: a name for a file, nothing more. */
std::uint64_t
HashOf(const std::string & text)
{
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : text)
  {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  }
  return hash;
}
} // namespace

MachineSpeeds
TypicalSpeeds(unsigned int threads)
{
  MachineSpeeds speeds;
  // An x86-64 core at 3 GHz, doc/Performance.md; all cores of a socket together are slower than that many single ones.
  const double cores = std::max(1.0, 0.7 * threads + 0.3);
  speeds.host.threads = threads;
  speeds.host.convert = 1.0e-9 / cores;
  speeds.host.filter = 3.0e-9 / cores;
  speeds.host.sample = 10.0e-9 / cores;
  speeds.host.tap = 0.6e-9 / cores;
  speeds.device.start = 0.5;
  speeds.device.operation = 5.0e-4;
  speeds.device.upload = 1.0e-10;
  speeds.device.filter = 2.0e-11;
  speeds.device.sample = 2.0e-11;
  speeds.device.tap = 2.0e-12;
  speeds.device.download = 1.2e-10;
  return speeds;
}

std::string
DescribeMachine(unsigned int threads)
{
  std::string text = ProcessorName();
  if (text.empty())
  {
    text = FieldOf("/proc/cpuinfo", "model name");
  }
  text += ", " + std::to_string(threads) + " threads";
  // Sorted: a folder has no order.
  std::set<std::string> gpus;
  std::error_code       error;
  for (std::filesystem::directory_iterator entry("/proc/driver/nvidia/gpus", error), end; !error && entry != end;
       entry.increment(error))
  {
    gpus.insert(entry->path().filename().string() + " " + FieldOf(entry->path() / "information", "Model"));
  }
  for (const std::string & gpu : gpus)
  {
    text += ", " + gpu;
  }
  text += ", CudaSpline " CUDASPLINE_VERSION ", driver " + FieldOf("/proc/driver/nvidia/version", "NVRM version");
  const std::string visible = EnvironmentWord("CUDA_VISIBLE_DEVICES");
  text += visible.empty() ? "" : ", visible " + visible;
#if defined(CUDASPLINE_HAS_CUDA)
  text += ", CUDA " + std::to_string(CUDART_VERSION);
#endif
  for (char & letter : text) // it is a line of the file
  {
    letter = letter == '\n' || letter == '\r' || letter == '\t' ? ' ' : letter;
  }
  return text;
}

std::string
CalibrationFile(const std::string & machine)
{
  std::filesystem::path folder = EnvironmentWord("CUDASPLINE_CACHE_DIR");
  if (folder.empty() && !EnvironmentWord("XDG_CACHE_HOME").empty())
  {
    folder = std::filesystem::path(EnvironmentWord("XDG_CACHE_HOME")) / "cudaspline";
  }
  if (folder.empty() && !EnvironmentWord("HOME").empty())
  {
    folder = std::filesystem::path(EnvironmentWord("HOME")) / ".cache" / "cudaspline";
  }
  if (folder.empty())
  {
    return {};
  }
  std::ostringstream name;
  name.imbue(std::locale::classic());
  name << "calibration-" << std::hex << std::setw(16) << std::setfill('0') << HashOf(machine) << ".txt";
  return (folder / name.str()).string();
}

std::optional<MachineSpeeds>
ReadCalibration(const std::string & file, const std::string & machine)
{
  std::ifstream stream(file);
  stream.imbue(std::locale::classic());
  std::string format;
  std::string name;
  if (!std::getline(stream, format) || format != Format || !std::getline(stream, name) || name != machine)
  {
    return std::nullopt;
  }
  MachineSpeeds speeds;
  for (const auto & [expected, number] : Entries(speeds))
  {
    // A year for a sample, or nothing at all, is a broken file.
    if (!(stream >> name >> *number) || name != expected || !(*number > 0.0) || !(*number < 3.0e7))
    {
      return std::nullopt;
    }
  }
  return speeds;
}

bool
WriteCalibration(const std::string & file, const std::string & machine, const MachineSpeeds & speeds)
{
  if (file.empty())
  {
    return false;
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const std::string unfinished = file + "." + std::to_string(std::random_device()()); // of this writer's own
  {
    std::ofstream stream(unfinished);
    stream.imbue(std::locale::classic());
    stream << Format << '\n' << machine << '\n' << std::setprecision(std::numeric_limits<double>::max_digits10);
    MachineSpeeds copy = speeds;
    for (const auto & [name, number] : Entries(copy))
    {
      stream << name << ' ' << *number << '\n';
    }
    stream.close();
    if (stream)
    {
      std::filesystem::rename(unfinished, file, error);
      if (!error)
      {
        return true;
      }
    }
  }
  std::filesystem::remove(unfinished, error);
  return false;
}

} // namespace itk::CudaSpline
