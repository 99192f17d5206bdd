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
#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/device/MemorySnapshot.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

double
SecondsSince(std::chrono::steady_clock::time_point begin)
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/** Plans an operation again for devices that are out of memory. Others may have allocated the memory since the first
 * plan. */
bool
PlanAgain(const RunnableOperation & operation,
          const std::vector<int> &  devices,
          OperationPlan &           plan,
          std::string &             reason)
{
  try
  {
    MemorySnapshot::Forget();
    plan = operation.plan(devices);
    reason += plan.memory.fits ? "" : "; " + plan.memory.reason;
    return plan.memory.fits;
  }
  catch (const DeviceError &)
  {
    return false;
  }
}

/** Leaves one core of the host to the thread that starts a device. If all cores are busy, a start takes twice as long.
 */
class SparingExecutor : public HostExecutor
{
public:
  explicit SparingExecutor(const HostExecutor & all)
    : m_All(all)
  {}

  void
  ParallelFor(std::int64_t count, const Body & body) const override
  {
    m_All.ParallelFor(count, body);
  }

  unsigned int
  GetConcurrency() const override
  {
    return std::max(2U, m_All.GetConcurrency()) - 1;
  }

private:
  const HostExecutor & m_All;
};

} // namespace

DeviceSelection
ChooseDevices(const RunnableOperation & operation,
              const std::string &       word,
              bool                      isOurs,
              unsigned int              threads,
              const CallSequence *      sequence,
              bool                      isAsked)
{
  std::optional<BackendDecision> decision;
  try
  {
    if (isOurs)
    {
      constexpr int first = 0; // the device that SelectDevice() selects
      if (const std::optional<FailedStart> failed = isAsked ? TakeFailedStart(first) : std::nullopt)
      {
        // If there are no devices at all, SelectDevice() has a better reason than the call that failed.
        const DeviceChoice choice = SelectDevice(word);
        const std::string  cause = choice ? failed->error.what() : choice.reason;
        ReportStartFailure(cause, failed->seconds);
        return { {}, cause, {}, decision };
      }
      decision = HasMultipleBackends() ? DecideBackend(operation.work(first), threads, first, sequence) : std::nullopt;
      if (decision && !decision->toDevice)
      {
        if (decision->startsInBackground && isAsked)
        {
          StartDeviceInBackground(first, {});
        }
        return { {}, "", {}, decision };
      }
    }
    const auto         begin = std::chrono::steady_clock::now();
    const DeviceChoice choice = SelectDevice(word);
    if (!choice)
    {
      if (isOurs)
      {
        ReportStartFailure(choice.reason, SecondsSince(begin));
      }
      return { {}, choice.reason, {}, decision };
    }
    std::vector<int> devices{ choice.device };
    if (operation.isShared)
    {
      devices.insert(devices.end(), choice.more.begin(), choice.more.end());
    }
    try
    {
      std::for_each(devices.begin(), devices.end(), StartDevice);
    }
    catch (const DeviceError & error)
    {
      if (isOurs)
      {
        // The failed start may have been in the background, so that only its end was waited for.
        ReportStartFailure(error.what(), std::max(SecondsSince(begin), SecondsOfFailedStart()));
      }
      throw;
    }
    OperationPlan plan = operation.plan(devices);
    return plan.memory.fits ? DeviceSelection{ devices, "", std::move(plan), decision }
                            : DeviceSelection{ {}, plan.memory.reason, {}, decision };
  }
  catch (const DeviceError & error)
  {
    if (error.GetKind() == DeviceError::Kind::Request)
    {
      throw;
    }
    return { {}, error.what(), {}, decision };
  }
}

RunRecord
RunSelected(const RunnableOperation & operation,
            const DeviceSelection &   selection,
            const ExecutionContext &  context,
            CallSequence *            sequence)
{
  RunRecord record;
  record.reason = selection.reason;
  record.devices = selection.devices;
  record.decision = selection.decision;
  OperationPlan    plan = selection.plan;
  ExecutionContext placed = context;
  double           failed = 0.0; // s on devices
  const auto       run = [&](Backend backend) {
    placed.backend = backend;
    placed.device = record.devices.empty() ? 0 : record.devices.front();
    const auto begin = std::chrono::steady_clock::now();
    plan.run(placed);
    record.backend = backend;
    record.seconds = SecondsSince(begin);
    CountCall(backend, record.seconds, sequence);
    if (record.decision && operation.isMeasured)
    {
      if (failed > 0.0)
      {
        // The cost of a call on this backend.
        LearnFromCall(record.decision->forecast, Backend::Cuda, failed + record.seconds, sequence);
      }
      LearnFromCall(record.decision->forecast, backend, record.seconds, sequence);
    }
  };
  for (bool isPlannedAgain = false; !record.devices.empty(); isPlannedAgain = true)
  {
    const auto begin = std::chrono::steady_clock::now();
    try
    {
      run(Backend::Cuda);
      record.reason.clear();
      return record;
    }
    catch (const DeviceError & error)
    {
      record.reason = error.what();
      failed += SecondsSince(begin);
      const bool isFull = error.GetKind() == DeviceError::Kind::OutOfMemory;
      if (isPlannedAgain || !isFull || !PlanAgain(operation, record.devices, plan, record.reason))
      {
        record.devices.clear();
      }
    }
  }
  const bool isStarting = record.decision && (record.decision->startsInBackground || record.decision->isStarting);
  const std::optional<SparingExecutor> sparing =
    isStarting && context.host != nullptr ? std::make_optional<SparingExecutor>(*context.host) : std::nullopt;
  placed.host = sparing ? &*sparing : context.host;
  plan = operation.plan({});
  run(Backend::Cpu);
  return record;
}

RunRecord
RunOperation(const RunnableOperation & operation, const std::string & word, const ExecutionContext & context)
{
  const MemorySnapshot snapshot;
  const bool           isOurs = ParseDeviceWish(word).kind == DeviceRequest::Kind::Fastest;
  const unsigned int   threads = context.host != nullptr ? context.host->GetConcurrency() : 1;
  return RunSelected(operation, ChooseDevices(operation, word, isOurs, threads), context);
}

} // namespace itk::CudaSpline
