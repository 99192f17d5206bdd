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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"

#include <cerrno>
#include <cstdlib>

#if defined(CUDASPLINE_HAS_CUDA)
#  include <cuda_runtime_api.h>
#  include <limits>
#endif

namespace itk::CudaSpline
{

namespace
{
std::string
EnvironmentWord(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string
AllowedDevices(int count)
{
  std::string allowed = "allowed are cpu";
  for (int device = 0; device < count; ++device)
  {
    allowed += (device + 1 == count ? " and " : ", ") + std::to_string(device);
  }
  return allowed;
}

/** The devices that this process can use, or why there are none. */
struct DeviceProbe
{
  int         count{ 0 };
  std::string reason;
};

DeviceProbe
ProbeDevices();
} // namespace

int
DeviceCount()
{
  return ProbeDevices().count;
}

DeviceChoice
SelectDevice()
{
  return SelectDevice(EnvironmentWord("CUDASPLINE_DEVICE"));
}

DeviceChoice
SelectDevice(const std::string & word)
{
  DeviceChoice choice;
  if (word == "cpu")
  {
    choice.demanded = true;
    choice.reason = "the device cpu was asked for";
    return choice;
  }
  // Whether the device exists can be asked only where the runtime works.
  const DeviceProbe probe = ProbeDevices();
  const int         count = probe.count;
  choice.reason = probe.reason;
  if (!word.empty() && word != "auto")
  {
    char *     end = nullptr;
    const long number = std::strtol(word.c_str(), &end, 10);
    const bool isNumber = end != word.c_str() && *end == '\0' && number >= 0;
    choice.demanded = true;
    if (isNumber && (!LostDeviceReason().empty() || IsForkedChild()))
    {
      return choice; // there may be such a device, but not for this process any more: the Cpu goes on
    }
    if (!isNumber || number >= count)
    {
      throw DeviceError(DeviceError::Kind::Request,
                        "There is no device \"" + word + "\"; " + AllowedDevices(count) +
                          (choice.reason.empty() ? "." : " (" + choice.reason + ")."));
    }
    choice.device = static_cast<int>(number);
    return choice;
  }
  choice.device = count > 0 ? 0 : -1;
  return choice;
}

#if defined(CUDASPLINE_HAS_CUDA)

namespace
{
DeviceProbe
ProbeDevices()
{
  DeviceProbe probe;
  if (!LostDeviceReason().empty())
  {
    probe.reason = "a device was lost before: " + LostDeviceReason();
    return probe;
  }
  if (IsForkedChild())
  {
    probe.reason = "this process was forked from one that used CUDA, which cannot be used in the child";
    return probe;
  }
  const cudaError_t error = cudaGetDeviceCount(&probe.count);
  if (error != cudaSuccess)
  {
    (void)cudaGetLastError();
    probe.count = 0;
    probe.reason = std::string("no usable GPU: ") + cudaGetErrorString(error);
    return probe;
  }
  RememberProcess();
  probe.reason = probe.count > 0 ? "" : "no usable GPU";
  return probe;
}

/** Bytes of "12345", "512M" and the like. */
std::size_t
ParseBytes(const std::string & word)
{
  char * end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(word.c_str(), &end, 10);
  const std::string        suffix(end);
  const bool               wrong = end == word.c_str() || errno != 0 || word[0] == '-';
  if (!wrong && suffix.empty())
  {
    return static_cast<std::size_t>(number);
  }
  const std::size_t power = std::string("KMG").find(suffix.size() == 1 ? suffix[0] : ' ');
  if (wrong || power == std::string::npos)
  {
    throw DeviceError(DeviceError::Kind::Request,
                      "CUDASPLINE_MEMORY_LIMIT is \"" + word +
                        "\"; allowed is a number of bytes, with K, M or G behind it if wanted.");
  }
  return static_cast<std::size_t>(number) << (10 * (power + 1));
}
} // namespace

bool
BuiltWithCuda()
{
  return true;
}

std::string
CudaToolkitVersion()
{
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

DeviceInfo
QueryDevice(int device)
{
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.totalMemory = properties.totalGlobalMem;
  return info;
}

std::size_t
AvailableDeviceMemory(int device, std::size_t resident)
{
  const std::string limit = EnvironmentWord("CUDASPLINE_MEMORY_LIMIT");
  const std::size_t most = limit.empty() ? std::numeric_limits<std::size_t>::max() : ParseBytes(limit);
  int               current = 0;
  CheckCuda(cudaGetDevice(&current), "cudaGetDevice");
  CheckCuda(cudaSetDevice(device), "cudaSetDevice");
  std::size_t free = 0;
  std::size_t total = 0;
  const int   code = cudaMemGetInfo(&free, &total);
  // What the stream-ordered pool holds back counts as used, but is ours to take.
  cudaMemPool_t pool = nullptr;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
  {
    (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    (void)cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  }
  (void)cudaSetDevice(current); // that device may be another's: no error of this operation
  CheckCuda(code, "cudaMemGetInfo");
  const std::size_t available = (free + static_cast<std::size_t>(reserved - used) + resident) / 10 * 9;
  return available < most ? available : most;
}

#else

bool
BuiltWithCuda()
{
  return false;
}

std::string
CudaToolkitVersion()
{
  return {};
}

namespace
{
DeviceProbe
ProbeDevices()
{
  return { 0, "this library was built without the CUDA Toolkit" };
}
} // namespace

DeviceInfo
QueryDevice(int)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "There is no device: " + ProbeDevices().reason + ".");
}

std::size_t
AvailableDeviceMemory(int, std::size_t)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "There is no device: " + ProbeDevices().reason + ".");
}

#endif

} // namespace itk::CudaSpline
