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
#include "device/DeviceHealth.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/MemorySnapshot.h"

#include <atomic>
#include <memory>
#include <type_traits>

#include <unistd.h>

#if defined(CUDASPLINE_HAS_CUDA)
#  include "itkCudaSpline/device/DeviceStart.h"

#  include "device/Driver.h"

#  include <cuda_runtime_api.h>
#endif

namespace itk::CudaSpline
{

namespace
{
struct Health
{
  std::atomic<const std::string *> lost{ nullptr }; // never freed
  std::atomic<pid_t>               process{ 0 };
};

Health &
GetHealth()
{
  // Constant initialization and trivial destruction: a guard that a thread holds during a fork would never be released
  // in the child.
  static Health health;
  static_assert(std::is_trivially_destructible_v<Health>);
  return health;
}

const pid_t LoadingProcess = getpid();
} // namespace

const char * const ForkedReason = "this process was forked from one that used CUDA, which cannot be used in the child";

std::string
LostDeviceReason()
{
  const std::string * const lost = GetHealth().lost;
  return lost == nullptr ? std::string() : *lost;
}

void
RememberLostDevice(const std::string & reason)
{
  auto                own = std::make_unique<const std::string>(reason);
  const std::string * none = nullptr;
  if (GetHealth().lost.compare_exchange_strong(none, own.get()))
  {
    (void)own.release();
  }
}

int
ProcessNumber()
{
  return getpid();
}

void
RememberProcess()
{
  pid_t none = 0;
  GetHealth().process.compare_exchange_strong(none, getpid());
}

bool
IsForkedChild()
{
  const pid_t process = GetHealth().process;
  return process != 0 && process != getpid();
}

bool
RememberForkOfAnother()
{
  const bool isForked = LoadingProcess != 0 && LoadingProcess != getpid(); // 0: before initialization
  if (isForked)
  {
    GetHealth().process = LoadingProcess;
  }
  return isForked;
}

#if defined(CUDASPLINE_HAS_CUDA)

void
PrepareForCuda()
{
  if (IsForkedChild())
  {
    throw DeviceError(DeviceError::Kind::Unavailable, ForkedReason);
  }
  // Without a driver the call fails, and starts nothing.
  if (GetHealth().process == 0 && (DriverIsPresent() || DevicesAreHidden() || DriverIsLoaded()))
  {
    RememberProcess();
  }
}

namespace
{
/** Returns whether every further call of the process fails after an error, according to the documentation of CUDA. */
bool
IsSticky(cudaError_t error)
{
  switch (error)
  {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorMpsClientTerminated:
      return true;
    default:
      return false;
  }
}
} // namespace

void
IgnoreCuda(int code) noexcept
{
  const auto error = static_cast<cudaError_t>(code);
  if (error == cudaSuccess)
  {
    return;
  }
  (void)cudaGetLastError();
  if (IsSticky(error))
  {
    try
    {
      RememberLostDevice(std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")");
    }
    catch (...)
    {
      // There is no memory for a message. The next call that is checked returns the same error.
    }
  }
}

void
CheckCuda(int code, const char * what)
{
  const auto error = static_cast<cudaError_t>(code);
  if (error == cudaSuccess)
  {
    return;
  }
  (void)cudaGetLastError(); // the next call must not report an error that is not sticky
  const std::string message =
    std::string(what) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  if (IsSticky(error))
  {
    RememberLostDevice(message);
    throw DeviceError(DeviceError::Kind::Lost, message);
  }
  if (error == cudaErrorMemoryAllocation)
  {
    MemorySnapshot::Forget();
    throw DeviceError(DeviceError::Kind::OutOfMemory, message);
  }
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver || error == cudaErrorInvalidDevice ||
      error == cudaErrorDevicesUnavailable || error == cudaErrorInitializationError)
  {
    throw DeviceError(DeviceError::Kind::Unavailable, message);
  }
  throw DeviceError(DeviceError::Kind::Other, message);
}

#endif

} // namespace itk::CudaSpline
