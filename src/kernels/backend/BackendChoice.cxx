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
#include "itkCudaSpline/kernels/backend/BackendChoice.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceStart.h"

#include "device/DeviceHealth.h"

#include <atomic>
#include <chrono>
#include <type_traits>

namespace itk::CudaSpline
{

namespace
{
/** The cost model of the process, and the begin of the process. */
struct Process
{
  std::atomic<int>                            number{ 0 };
  std::atomic<std::chrono::steady_clock::rep> begin{ 0 };
  BackendCostModel                            costModel;
};

Process &
GetProcess()
{
  // Constant initialization and trivial destruction: other global objects may use it before main() and after it. It
  // also has no guard: a guard that a thread holds during a fork would never be released in the child.
  static Process process;
  static_assert(std::is_trivially_destructible_v<Process>);
  // A forked child has lost no time yet, and has just begun.
  const int number = ProcessNumber();
  if (int before = process.number; before != number && process.number.compare_exchange_strong(before, number))
  {
    process.begin = std::chrono::steady_clock::now().time_since_epoch().count();
    process.costModel.Restart();
  }
  return process;
}

BackendCostModel &
GetCostModel()
{
  return GetProcess().costModel;
}

/** Returns the approximate age of the process in seconds: the time since this library was loaded, or since the fork. */
double
ProcessAge()
{
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(GetProcess().begin)).count();
}

/** The first call is when the library is loaded. */
const double AgeAtLoad = ProcessAge();

DeviceProgress
ProgressOf(int device)
{
  using State = DeviceProgress::State;
  switch (GetDeviceState(device))
  {
    case DeviceState::Started:
      return { State::Started, 0.0 };
    case DeviceState::Starting:
      return { State::Starting, SecondsSinceStartBegan() };
    default:
      return { State::Stopped, 0.0 };
  }
}

} // namespace

bool
HasMultipleBackends()
{
  // Without a driver, SelectDevice() returns the better reason.
  return BuiltWithCuda() && DriverIsPresent() && !IsForkedChild() && LostDeviceReason().empty();
}

std::optional<BackendDecision>
DecideBackend(const BackendWork & work, unsigned int threads, int device, const CallSequence * sequence)
{
  if (!HasMultipleBackends())
  {
    return std::nullopt;
  }
  const BackendCostModel & costModel = GetCostModel();
  const double             lost = sequence != nullptr ? sequence->lost : 0.0;
  return costModel.Decide(costModel.Forecast(work, threads), ProgressOf(device), lost, ProcessAge());
}

CallForecast
ForecastOnThisMachine(const BackendWork & work, unsigned int threads)
{
  return GetCostModel().Forecast(work, threads);
}

void
LearnFromCall(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence)
{
  GetCostModel().Learn(forecast, backend, seconds, sequence);
}

void
CountCall(Backend backend, double seconds, CallSequence * sequence)
{
  GetCostModel().Count(backend, seconds);
  if (sequence != nullptr)
  {
    sequence->use.Add(backend, seconds);
  }
}

BackendUse
GetBackendUse()
{
  return GetCostModel().GetUse();
}

bool
StartDeviceAhead(const std::string &              word,
                 const BackendWork &              work,
                 unsigned int                     threads,
                 double                           overlap,
                 const std::function<void(int)> & then)
{
  const DeviceRequest wish = ParseDeviceWish(word);
  if (wish.kind == DeviceRequest::Kind::Host || !HasMultipleBackends())
  {
    return false;
  }
  if (GetDeviceState(wish.device) == DeviceState::Stopped)
  {
    const BackendCostModel & costModel = GetCostModel();
    if (wish.kind == DeviceRequest::Kind::Fastest &&
        !costModel.IsWorthAStart(costModel.Forecast(work, threads), overlap))
    {
      return false;
    }
    StartDeviceInBackground(wish.device, [then, device = wish.device] {
      if (then)
      {
        then(device);
      }
    });
  }
  return true;
}

void
ReportStartFailure(const std::string & reason, double seconds)
{
  if (!IsForkedChild()) // a forked child does not try again
  {
    GetCostModel().RememberFailure(reason, seconds);
  }
}

void
SetMachineSpeeds(const HostSpeeds & host, const DeviceSpeeds & device)
{
  GetCostModel().SetSpeeds(host, device);
}

} // namespace itk::CudaSpline
