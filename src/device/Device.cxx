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
#include "itkCudaSpline/device/MemorySnapshot.h"

#include "device/DeviceHealth.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#if defined(CUDASPLINE_HAS_CUDA)
#  include <unistd.h>
#  include "itkCudaSpline/device/DeviceStart.h"
#  include "itkCudaSpline/device/Stream.h"
#  include "device/DevicePool.h"
#  include "device/StartLock.h"
#  include <cuda_runtime_api.h>
#  include <chrono>
#  include <limits>
#  include <optional>
#endif

namespace itk::CudaSpline
{

namespace
{
thread_local MemorySnapshot * innermostSnapshot = nullptr;

std::string
EnvironmentWord(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string
AllowedDevices(int count)
{
  std::string allowed = "allowed are cpu, gpu";
  for (int device = 0; device < count; ++device)
  {
    allowed += (device + 1 == count ? " and " : ", ") + std::to_string(device);
  }
  return allowed + (count > 1 ? ", and several of these numbers, such as 0,1" : "");
}

/** The devices that this process can use, or the reason why there are none. */
struct DeviceProbe
{
  int         count{ 0 };
  std::string reason;
};

DeviceProbe
ProbeDevices();

[[noreturn]] void
ThrowUnknownDevice(const std::string & word, const DeviceProbe & probe)
{
  throw DeviceError(DeviceError::Kind::Request,
                    "There is no device \"" + word + "\"; " + AllowedDevices(probe.count) +
                      (probe.reason.empty() ? "." : " (" + probe.reason + ")."));
}
} // namespace

MemorySnapshot::MemorySnapshot()
  : m_Outer(std::exchange(innermostSnapshot, this))
{}

MemorySnapshot::~MemorySnapshot()
{
  innermostSnapshot = m_Outer;
}

void
MemorySnapshot::Forget() noexcept
{
  for (MemorySnapshot * snapshot = innermostSnapshot; snapshot != nullptr; snapshot = snapshot->m_Outer)
  {
    snapshot->m_Device = -1;
    snapshot->m_Bytes = 0;
  }
}

int
DeviceCount()
{
  return ProbeDevices().count;
}

DeviceRequest
ParseDeviceWish(const std::string & word)
{
  const std::string wanted = word.empty() ? EnvironmentWord("CUDASPLINE_DEVICE") : word;
  if (wanted.empty() || wanted == "auto")
  {
    return { DeviceRequest::Kind::Fastest, 0, {} };
  }
  if (wanted == "cpu" || wanted == "gpu")
  {
    return { wanted == "cpu" ? DeviceRequest::Kind::Host : DeviceRequest::Kind::Device, 0, {} };
  }
  std::vector<int> numbers;
  for (std::size_t begin = 0; begin <= wanted.size();)
  {
    const std::size_t end = std::min(wanted.find(',', begin), wanted.size());
    const std::string number = wanted.substr(begin, end - begin);
    // Nine digits fit into an int, and there are never as many devices.
    const bool isNumber =
      !number.empty() && number.size() <= 9 && number.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || std::count(numbers.begin(), numbers.end(), std::atoi(number.c_str())) > 0)
    {
      ThrowUnknownDevice(wanted, ProbeDevices());
    }
    numbers.push_back(std::atoi(number.c_str()));
    begin = end + 1;
  }
  return { DeviceRequest::Kind::Number, numbers.front(), { numbers.begin() + 1, numbers.end() } };
}

DeviceChoice
SelectDevice(const std::string & word)
{
  const DeviceRequest wish = ParseDeviceWish(word);
  DeviceChoice        choice;
  choice.demanded = wish.kind == DeviceRequest::Kind::Host || wish.kind == DeviceRequest::Kind::Number;
  if (wish.kind == DeviceRequest::Kind::Host)
  {
    choice.reason = "the device cpu was requested";
    return choice;
  }
  const DeviceProbe probe = ProbeDevices();
  choice.reason = probe.reason;
  // If the process has lost its devices, such a device may still exist: the Cpu backend continues.
  if (wish.kind == DeviceRequest::Kind::Number && wish.device >= probe.count && !IsForkedChild() &&
      LostDeviceReason().empty())
  {
    ThrowUnknownDevice(std::to_string(wish.device), probe);
  }
  for (const int device : wish.more)
  {
    if (device >= probe.count && probe.count > 0)
    {
      ThrowUnknownDevice(std::to_string(device), probe);
    }
  }
  if (wish.device < probe.count)
  {
    choice.device = wish.device;
    choice.more = wish.more;
  }
  return choice;
}

#if defined(CUDASPLINE_HAS_CUDA)

namespace
{
std::string
VersionText(int version)
{
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/** Returns, in brackets, what may hide an existing device from CUDA. */
std::string
WhyHidden()
{
  constexpr const char * node = "/dev/nvidiactl";
  if (access(node, F_OK) == 0 && access(node, R_OK | W_OK) != 0)
  {
    return std::string(" (no permission to open ") + node + ")";
  }
  const std::string visible = EnvironmentWord("CUDA_VISIBLE_DEVICES");
  return visible.empty() ? "" : " (CUDA_VISIBLE_DEVICES is \"" + visible + "\")";
}

/** Describes why there are no devices. The runtime has the same error for a missing driver and for one that is too old.
 */
std::string
DescribeProbeError(cudaError_t error)
{
  int driver = 0;
  if (error == cudaErrorNoDevice)
  {
    return cudaGetErrorString(error) + WhyHidden();
  }
  if (error != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess)
  {
    return cudaGetErrorString(error);
  }
  return driver == 0
           ? "there is no CUDA driver"
           : "the driver supports CUDA " + VersionText(driver) + ", this library needs " + VersionText(CUDART_VERSION);
}

DeviceProbe
ProbeDevices()
{
  DeviceProbe probe;
  // This check comes first: in a child, a thread that only the parent has may hold a mutex.
  if (IsForkedChild())
  {
    probe.reason = ForkedReason;
    return probe;
  }
  if (!LostDeviceReason().empty())
  {
    probe.reason = "a device was lost before: " + LostDeviceReason();
    return probe;
  }
  const bool isFirst = DriverIsAsleep();
  if (isFirst && DevicesAreHidden()) // a started driver has read the variable before, so the driver is asked
  {
    probe.reason = "no usable GPU: CUDA_VISIBLE_DEVICES hides all devices";
    return probe;
  }
  if (DriverIsPresent())
  {
    RememberProcess(); // before the call, which holds locks of the driver: a child that is forked meanwhile must know
                       // it
  }
  std::optional<StartLock> lock; // for calls that start the driver
  if (isFirst)
  {
    lock.emplace();
  }
  const auto        begin = std::chrono::steady_clock::now();
  const cudaError_t error = cudaGetDeviceCount(&probe.count);
  lock.reset();
  if (isFirst)
  {
    RememberDriverStart(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  if (error != cudaSuccess)
  {
    (void)cudaGetLastError();
    probe.count = 0;
    const bool isForked = error == cudaErrorInitializationError && !DriverStartIsTimed() && RememberForkOfAnother();
    probe.reason = isForked ? ForkedReason : "no usable GPU: " + DescribeProbeError(error);
    return probe;
  }
  RememberProcess();
  probe.reason = probe.count > 0 ? "" : "no usable GPU";
  return probe;
}

/** Parses bytes: "12345", "512M" and the like. */
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
                        "\"; allowed is a number of bytes, optionally followed by K, M or G.");
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
  return VersionText(CUDART_VERSION);
}

DeviceInfo
QueryDevice(int device)
{
  // Without a driver nothing is recorded, and its start is timed.
  if (const DeviceProbe probe = ProbeDevices(); probe.count == 0)
  {
    throw DeviceError(DeviceError::Kind::Unavailable, probe.reason);
  }
  cudaDeviceProp properties{};
  CheckCuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.totalMemory = properties.totalGlobalMem;
  info.blockMemory = static_cast<int>(properties.sharedMemPerBlockOptin);
  info.sharedMemory = static_cast<int>(properties.sharedMemPerMultiprocessor);
  return info;
}

std::size_t
AvailableDeviceMemory(int device, std::size_t resident)
{
  const std::string limit = EnvironmentWord("CUDASPLINE_MEMORY_LIMIT");
  const std::size_t most = limit.empty() ? std::numeric_limits<std::size_t>::max() : ParseBytes(limit);
  // Memory that the stream-ordered pool keeps counts as used, but is available to this library.
  const PoolBytes        pool = BytesOfPool(device);
  MemorySnapshot * const snapshot = innermostSnapshot;
  std::size_t            bytes = 0;
  if (snapshot != nullptr && snapshot->m_Device == device)
  {
    bytes = snapshot->m_Bytes;
  }
  else
  {
    const DeviceScope scope(device);
    std::size_t       total = 0;
    CheckCuda(cudaMemGetInfo(&bytes, &total), "cudaMemGetInfo");
    bytes += pool.reserved;
    if (snapshot != nullptr)
    {
      snapshot->m_Device = device;
      snapshot->m_Bytes = bytes;
    }
  }
  return std::min(most, (bytes - std::min(bytes, pool.used) + resident) / 10 * 9);
}

int
DeviceOfPointer(const void * pointer)
{
  if (pointer == nullptr || IsForkedChild() || DriverIsAsleep())
  {
    return -1;
  }
  RememberProcess(); // if the driver was only loaded, this starts it
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
  {
    (void)cudaGetLastError(); // no usable device is a valid answer; it must not be reported by a later call
    return -1;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged ? attributes.device : -1;
}

#else

bool
BuiltWithCuda()
{
  return false;
}

int
DeviceOfPointer(const void *)
{
  return -1;
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
