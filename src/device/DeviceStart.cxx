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

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <unistd.h>

#if defined(CUDASPLINE_HAS_CUDA)
#  include "itkCudaSpline/device/Stream.h"

#  include "device/Driver.h"
#  include "device/StartLock.h"

#  include <cuda_runtime_api.h>

#  include <atomic>
#  include <chrono>
#  include <exception>
#  include <memory>
#  include <mutex>
#  include <thread>
#  include <type_traits>
#endif

namespace itk::CudaSpline
{

bool
DevicesAreHidden()
{
  const char * const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (*visible == '\0' || std::string(visible) == "-1");
}

bool
DriverIsPresent()
{
  if (DevicesAreHidden())
  {
    return false;
  }
  // For discrete GPUs (whose node may be created by the first process that uses CUDA), WSL, and Tegra.
  constexpr std::array<const char *, 5> nodes{
    "/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg", "/dev/nvhost-ctrl-gpu", "/dev/nvgpu"
  };
  return std::any_of(nodes.begin(), nodes.end(), [](const char * node) { return access(node, F_OK) == 0; });
}

#if defined(CUDASPLINE_HAS_CUDA)

namespace
{
/** The only thread that may start a device, and the measured times of starts. */
class Starter
{
public:
  using Clock = std::chrono::steady_clock;

  constexpr Starter() = default;

  void
  Begin(int device, const std::function<void()> & then)
  {
    const std::lock_guard<std::mutex> lock(m_Thread.mutex);
    if (m_Process != getpid())
    {
      (void)std::atexit(GiveUpDeviceStart); // for an exit before the driver has registered its clean-up
      m_Process = getpid();                 // before the thread: a thread that gives up waits for it
    }
    if (m_Running || m_IsLeaving)
    {
      return;
    }
    if (m_Thread.thread != nullptr && m_Thread.thread->joinable())
    {
      m_Thread.thread->join(); // the previous one, which has ended
    }
    delete m_Thread.thread;
    m_Thread.thread = nullptr;
    m_Device = device;
    m_Begin = Clock::now().time_since_epoch().count();
    m_SeenStopped = 0;
    m_Running = true;
    try
    {
      m_Thread.thread = new std::thread([this, device, then] {
        try
        {
          this->StartDriver(device);
          if (!m_IsLeaving)
          {
            this->Start(device, true);
            if (then && !m_IsLeaving)
            {
              const StartLock startLock;
              then();
            }
          }
        }
        catch (...)
        {
          // An error of the start is kept for the operation that needs the device. That operation gets later errors
          // itself.
        }
        m_Running = false;
      });
    }
    catch (const std::exception &)
    {
      m_Running = false; // no thread is available: the operation starts the device
    }
  }

  void
  Wait()
  {
    if (m_Process != getpid())
    {
      return; // no thread, or one of the parent; checked before the lock, which a thread of the parent may have held
    }
    const std::lock_guard<std::mutex> lock(m_Thread.mutex);
    if (m_Thread.thread != nullptr && m_Thread.thread->joinable())
    {
      m_Thread.thread->join();
    }
  }

  /** Called when the process ends: a start that has not reached the context is cancelled, which saves a third of its
   * time and the whole time of the end. */
  void
  GiveUp()
  {
    m_IsLeaving = true;
    this->Wait();
  }

  double
  GetSecondsSinceBegin() const
  {
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(m_Begin.load())).count();
  }

  bool
  IsStarting(int device) const
  {
    return m_Running && m_Device == device;
  }

  bool
  IsStarting() const
  {
    return m_Running;
  }

  /** Returns whether the device was started here. */
  bool
  WasStarted(int device) const
  {
    return (m_Started & BitOf(device)) != 0;
  }

  /** Returns whether the device was found stopped less than a millisecond ago, and has not been started here since. If
   * the driver is not loaded, a query takes some ten microseconds, more than a small operation. */
  bool
  WasStoppedJustNow(int device) const
  {
    const Clock::rep when = m_SeenStopped;
    return when != 0 && m_StoppedDevice == device &&
           Clock::now().time_since_epoch() - Clock::duration(when) < std::chrono::milliseconds(1);
  }

  void
  RememberStopped(int device)
  {
    m_StoppedDevice = device;
    m_SeenStopped = Clock::now().time_since_epoch().count();
  }

  /** Runs the first half of a start in the background. */
  void
  StartDriver(int device)
  {
    const StartLock lock;
    PrepareForCuda();
    const bool        isFirst = !DriverIsLoaded();
    const auto        begin = std::chrono::steady_clock::now();
    int               count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    const double      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (code != cudaSuccess)
    {
      IgnoreCuda(code);
      const DeviceError error(DeviceError::Kind::Unavailable,
                              cudaGetErrorString(code)); // SelectDevice() has a better message
      m_FailedSeconds = seconds;
      this->Keep(error, device, seconds);
      throw error;
    }
    if (isFirst)
    {
      this->RememberDriver(seconds);
    }
    // Registered again after the driver's own clean-up, so that it runs before it at exit: the second half must not be
    // running then.
    (void)std::atexit(GiveUpDeviceStart);
  }

  /** Makes the context, one thread at a time. Other threads find it, or get the error of the start in the background.
   */
  double
  Start(int device, bool isInBackground)
  {
    const StartLock lock;
    if (HasContext(device))
    {
      return 0.0;
    }
    if (std::optional<FailedStart> failed; !isInBackground && (failed = this->TakeFailure(device)))
    {
      throw DeviceError(failed->error);
    }
    // If another library has started the driver, the total time is unknown.
    const bool isWhole = m_DriverSeconds > 0.0 || !DriverIsLoaded();
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [begin] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    try
    {
      const DeviceScope scope(device);
      CheckCuda(cudaFree(nullptr), "cudaFree");
    }
    catch (const DeviceError & error)
    {
      m_FailedSeconds = elapsed();
      if (isInBackground)
      {
        this->Keep(error, device, elapsed());
      }
      throw;
    }
    m_SeenStopped = 0;
    m_Started |= BitOf(device);
    const double seconds = elapsed();
    if (isWhole)
    {
      Remember(m_ContextSeconds, seconds);
    }
    return seconds;
  }

  /** Without a lock, because operations that are unrelated to a start call it. Errors older than a minute are ignored.
   */
  std::optional<FailedStart>
  TakeFailure(int device)
  {
    if (m_Failure.load() == nullptr)
    {
      return std::nullopt;
    }
    const std::unique_ptr<const KeptFailure> taken(m_Failure.exchange(nullptr));
    const bool                               tells =
      taken && taken->device == device && std::chrono::steady_clock::now() - taken->when < std::chrono::minutes(1);
    if (taken && taken->device != device)
    {
      const KeptFailure * none = nullptr;
      auto                back = std::make_unique<const KeptFailure>(*taken);
      if (m_Failure.compare_exchange_strong(none, back.get()))
      {
        (void)back.release(); // it belongs to another device
      }
    }
    return tells && !HasContext(device) ? std::optional<FailedStart>(taken->start) : std::nullopt;
  }

  double
  GetFailedSeconds() const
  {
    return m_FailedSeconds;
  }

  void
  RememberDriver(double seconds)
  {
    Remember(m_DriverSeconds, seconds);
  }

  double
  GetDriverSeconds() const
  {
    return m_DriverSeconds;
  }

  double
  GetSeconds() const
  {
    return m_ContextSeconds > 0.0 ? m_DriverSeconds + m_ContextSeconds : 0.0;
  }

private:
  /** Error of the start in the background, until it is taken. */
  struct KeptFailure
  {
    FailedStart                           start;
    int                                   device;
    std::chrono::steady_clock::time_point when;
  };

  void
  Keep(const DeviceError & error, int device, double seconds)
  {
    delete m_Failure.exchange(new KeptFailure{ { error, seconds }, device, std::chrono::steady_clock::now() });
  }

  static std::uint64_t
  BitOf(int device)
  {
    return device >= 0 && device < 64 ? std::uint64_t{ 1 } << device : 0;
  }

  /** If there are several devices, the first one counts. */
  static void
  Remember(std::atomic<double> & seconds, double value)
  {
    double none = 0.0;
    seconds.compare_exchange_strong(none, value);
  }

  struct
  {
    std::mutex    mutex;
    std::thread * thread{ nullptr }; ///< never destroyed: a forked child has this object, but not the thread
  } m_Thread;
  std::atomic<pid_t>  m_Process{ 0 }; ///< process that has the threads; 0: there was none
  std::atomic<double> m_DriverSeconds{ 0.0 };
  std::atomic<double> m_ContextSeconds{ 0.0 };
  std::atomic<int>    m_Device{ -1 };
  std::atomic<bool>   m_Running{ false };
  std::atomic<bool>   m_IsLeaving{ false };

  std::atomic<Clock::rep> m_Begin{ 0 };
  std::atomic<Clock::rep> m_SeenStopped{ 0 }; ///< 0: never, or long ago
  std::atomic<int>        m_StoppedDevice{ -1 };

  std::atomic<std::uint64_t> m_Started{ 0 }; ///< one bit per device

  std::atomic<const KeptFailure *> m_Failure{ nullptr };
  std::atomic<double>              m_FailedSeconds{ 0.0 };
};

Starter &
GetStarter()
{
  // Constant initialization and trivial destruction: a guard that a thread holds during a fork would never be released
  // in the child.
  static Starter starter;
  static_assert(std::is_trivially_destructible_v<Starter>);
  return starter;
}

} // namespace

DeviceState
GetDeviceState(int device)
{
  if (IsForkedChild())
  {
    return DeviceState::Stopped; // permanently, for any state of the parent
  }
  if (GetStarter().IsStarting(device))
  {
    return DeviceState::Starting;
  }
  if (GetStarter().WasStarted(device))
  {
    return DeviceState::Started;
  }
  if (GetStarter().WasStoppedJustNow(device))
  {
    return DeviceState::Stopped;
  }
  if (HasContext(device))
  {
    return DeviceState::Started;
  }
  GetStarter().RememberStopped(device);
  return DeviceState::Stopped;
}

double
StartDevice(int device)
{
  PrepareForCuda();
  return HasContext(device) ? 0.0 : GetStarter().Start(device, false);
}

std::optional<FailedStart>
TakeFailedStart(int device)
{
  return IsForkedChild() ? std::nullopt : GetStarter().TakeFailure(device);
}

bool
DriverIsAsleep()
{
  return !DriverIsLoaded() && !GetStarter().IsStarting();
}

void
RememberDriverStart(double seconds)
{
  GetStarter().RememberDriver(seconds);
}

bool
DriverStartIsTimed()
{
  return GetStarter().GetDriverSeconds() > 0.0;
}

void
StartDeviceInBackground(int device, const std::function<void()> & then)
{
  if (IsForkedChild() || HasContext(device))
  {
    return;
  }
  RememberProcess(); // before the thread: a child that is forked meanwhile must know it
  GetStarter().Begin(device, then);
}

void
WaitForDeviceStart()
{
  GetStarter().Wait();
}

void
GiveUpDeviceStart()
{
  GetStarter().GiveUp();
}

double
SecondsSinceStartBegan()
{
  return GetStarter().GetSecondsSinceBegin();
}

double
SecondsOfDeviceStart()
{
  return GetStarter().GetSeconds();
}

double
SecondsOfFailedStart()
{
  return GetStarter().GetFailedSeconds();
}

#else

void
WaitForDeviceStart()
{}

void
GiveUpDeviceStart()
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

std::optional<FailedStart>
TakeFailedStart(int)
{
  return std::nullopt;
}

void
StartDeviceInBackground(int, const std::function<void()> &)
{}

double
SecondsSinceStartBegan()
{
  return 0.0;
}

double
SecondsOfDeviceStart()
{
  return 0.0;
}

double
SecondsOfFailedStart()
{
  return 0.0;
}

#endif

} // namespace itk::CudaSpline
