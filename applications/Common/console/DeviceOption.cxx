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
#include "console/DeviceOption.h"

#include "console/Error.h"
#include "console/Names.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace CudaSplineProgram
{
namespace
{

/** An invalid limit is an error even if no device uses it. */
void
CheckMemoryLimit()
{
  const char * const word = std::getenv("CUDASPLINE_MEMORY_LIMIT");
  if (word == nullptr || *word == '\0')
  {
    return;
  }
  const char * const digits = "0123456789";
  const std::size_t  count = std::strspn(word, digits);
  const std::string  suffix(word + count);
  if (count == 0 || count > 19 || (!suffix.empty() && suffix != "K" && suffix != "M" && suffix != "G"))
  {
    throw ProgramError(std::string("CUDASPLINE_MEMORY_LIMIT is \"") + word +
                       "\"; allowed is a number of bytes, optionally followed by K, M or G");
  }
}

} // namespace

std::vector<std::string>
ParseDevices(const std::string & text)
{
  std::vector<std::string> devices;
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (word.empty() || word.size() > 5 || word.find_first_not_of("0123456789") != std::string::npos)
    {
      return {};
    }
    devices.push_back(word);
    begin = end + 1;
  }
  return devices;
}

std::string
ParseDevice(const std::string & text)
{
  std::string word = ToLower(text);
  if (word == "cuda")
  {
    word = "gpu";
  }
  else if (word.compare(0, 5, "cuda:") == 0)
  {
    word = word.substr(5);
  }
  if (word != "auto" && word != "cpu" && word != "gpu" && ParseDevices(word).empty())
  {
    const std::string similar = FindSimilarName(word, { "auto", "cpu", "gpu", "cuda" });
    throw ProgramError("--device \"" + text + "\": " + (similar.empty() ? "" : "did you mean \"" + similar + "\"? ") +
                       "allowed are auto, cpu, gpu and numbers of GPUs, from 0, such as 0 or 0,1");
  }
  return word == "auto" ? "" : word;
}

void
CheckDevice(const std::string & device)
{
  CheckMemoryLimit();
  if (!device.empty() && device != "cpu")
  {
    itk::CudaSpline::SelectDevice(device);
  }
}

void
CheckDeviceDid(itk::CudaSpline::Backend backend,
               const std::string &      reason,
               const std::string &      device,
               const std::string &      what)
{
  const bool isFree = device.empty() || device == "cpu" || backend == itk::CudaSpline::Backend::None;
  if (!isFree && backend != itk::CudaSpline::Backend::Cuda)
  {
    throw ProgramError("device " + device + " was requested but did not compute " + what + ": " + reason +
                       "; use --device auto or --device cpu");
  }
}

std::string
DeviceText(itk::CudaSpline::Backend backend, const std::string & device)
{
  std::vector<int> devices;
  if (backend == itk::CudaSpline::Backend::Cuda)
  {
    const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice(device);
    devices.assign(1, choice.device);
    devices.insert(devices.end(), choice.more.begin(), choice.more.end());
  }
  return DeviceText(backend, devices);
}

std::string
DeviceText(itk::CudaSpline::Backend backend, const std::vector<int> & devices)
{
  if (backend != itk::CudaSpline::Backend::Cuda)
  {
    return "CPU, " + std::to_string(itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads()) + " threads";
  }
  std::string numbers;
  for (const int device : devices)
  {
    numbers += (numbers.empty() ? "" : ",") + std::to_string(device);
  }
  return (devices.size() > 1 ? "devices " : "device ") + numbers + ", " +
         itk::CudaSpline::QueryDevice(devices.front()).name;
}

} // namespace CudaSplineProgram
