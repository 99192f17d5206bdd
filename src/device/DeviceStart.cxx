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
#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"

#include <cstdlib>
#include <string>

#include <unistd.h>

#if defined(CUDASPLINE_HAS_CUDA)
#  include "itkCudaSpline/device/Stream.h"

#  include <cuda_runtime_api.h>
#  include <dlfcn.h>

#  include <atomic>
#  include <chrono>
#  include <memory>
#  include <mutex>
#  include <system_error>
#  include <thread>
#endif

namespace itk::CudaSpline
{

bool
DriverIsPresent()
{
  // The user may hide all devices from CUDA.
  const char * const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && (*visible == '\0' || std::string(visible) == "-1"))
  {
    return false;
  }
  // Of discrete GPUs, of WSL, and of Tegra.
  for (const char * const node : { "/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu", "/dev/nvgpu" })
  {
    if (access(node, F_OK) == 0)
    {
      return true;
    }
  }
  return false;
}

#if defined(CUDASPLINE_HAS_CUDA)

namespace
{
/** The one thread that may start a device, and what starting has cost. */
class Starter
{
public:
  Starter() = default;
  Starter(const Starter &) = delete;
  Starter &
  operator=(const Starter &) = delete;

  ~Starter()
  {
    // CUDA's own clean-up at exit must not meet a start at work. A forked child has this object but not the thread,
    // which can be neither joined nor destroyed there.
    if (m_Process == getpid())
    {
      this->Wait();
    }
    else
    {
      (void)m_Thread.release();
    }
  }

  void
  Begin(int device, const std::function<void()> & then)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    if (m_Process != 0)
    {
      return;
    }
    m_Device = device;
    m_Running = true;
    try
    {
      m_Thread = std::make_unique<std::thread>([this, device, then] {
        try
        {
          StartDevice(device);
          then();
        }
        catch (...)
        {
          // The operation that needs the device meets the error again.
        }
        m_Running = false;
      });
      m_Process = getpid();
    }
    catch (const std::system_error &)
    {
      m_Running = false; // no thread to be had: the operation starts the device
    }
  }

  void
  Wait()
  {
    const std::lock_guard<std::mutex> lock(m_Join);
    if (m_Thread != nullptr && m_Process == getpid() && m_Thread->joinable())
    {
      m_Thread->join();
    }
  }

  bool
  IsStarting(int device) const
  {
    return m_Running && m_Device == device;
  }

  void
  AddSeconds(double seconds)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Seconds += seconds;
  }

  double
  GetSeconds()
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    return m_Seconds;
  }

private:
  std::mutex                   m_Mutex;
  std::mutex                   m_Join; ///< apart from the other, which the thread takes before it ends
  std::unique_ptr<std::thread> m_Thread;
  pid_t                        m_Process{ 0 }; ///< that has the thread; 0: there is none
  double                       m_Seconds{ 0.0 };
  std::atomic<int>             m_Device{ -1 };
  std::atomic<bool>            m_Running{ false };
};

Starter &
TheStarter()
{
  static Starter starter;
  return starter;
}

/** True where the process has a context on the device, whoever made it. */
bool
HasContext(int device)
{
  // A process that has not loaded the driver has no context. Where it has, the driver is asked, not the runtime, whose
  // every call would start the driver.
  void * const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr)
  {
    return false;
  }
  using GetState = int (*)(int device, unsigned int * flags, int * active);
  const auto   getState = reinterpret_cast<GetState>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned int flags = 0;
  int          active = 0;
  const bool   known = getState != nullptr && getState(device, &flags, &active) == 0; // else: not initialised
  (void)dlclose(driver); // of the handle; the library stays
  return known && active != 0;
}
} // namespace

DeviceState
GetDeviceState(int device)
{
  if (TheStarter().IsStarting(device))
  {
    return DeviceState::Starting;
  }
  return HasContext(device) ? DeviceState::Started : DeviceState::Stopped;
}

double
StartDevice(int device)
{
  if (HasContext(device))
  {
    return 0.0;
  }
  RememberProcess();
  const auto        begin = std::chrono::steady_clock::now();
  const DeviceScope scope(device);
  CheckCuda(cudaFree(nullptr), "cudaFree");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  TheStarter().AddSeconds(seconds);
  return seconds;
}

void
StartDeviceInBackground(int device, const std::function<void()> & then)
{
  if (IsForkedChild() || HasContext(device))
  {
    return;
  }
  RememberProcess(); // before the thread: a child forked meanwhile must know
  TheStarter().Begin(device, then);
}

void
WaitForDeviceStart()
{
  TheStarter().Wait();
}

double
SecondsOfDeviceStart()
{
  return TheStarter().GetSeconds();
}

#else

void
WaitForDeviceStart()
{}

DeviceState
GetDeviceState(int)
{
  return DeviceState::Stopped;
}

double
StartDevice(int)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "There is no device: this library was built without CUDA.");
}

void
StartDeviceInBackground(int, const std::function<void()> &)
{}

double
SecondsOfDeviceStart()
{
  return 0.0;
}

#endif

} // namespace itk::CudaSpline
