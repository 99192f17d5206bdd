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
#include "itkCudaSpline/kernels/backend/BackendCostModel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace itk::CudaSpline
{

namespace
{
/** Maximum loss of a process that ends while the device is starting in vain, as a fraction of the times of start and
 * end. The start is abandoned between its two halves, the driver's and the context's. Measured on an H100: 0.25 of
 * 0.35 s. */
constexpr double LossAtMost = 0.7;

/** Fraction of the time that another measurement of the slower backend may take. */
constexpr double AskAgain = 0.02;

/** Fraction of the time that a start of the device may take to check whether it is as slow as estimated. */
constexpr double StartToSee = 0.05;

/** The slower backend is not measured again if it is slower by this factor. */
constexpr double NeverAgain = 10.0;

/** Additional time of a first call compared with the following ones (s): it loads kernels, starts threads and touches
 * memory. */
constexpr double WarmUp = 0.03;

/** Sizes of calls are distinguished by this factor of their estimated time. */
constexpr double SizeStep = 8.0;

void
AddTo(std::atomic<double> & sum, double more)
{
  double before = sum;
  while (!sum.compare_exchange_weak(before, before + more))
  {}
}

std::string
DurationText(double seconds)
{
  const bool   isShort = seconds < 1.0;
  const double number = isShort ? 1000.0 * seconds : seconds;
  // Two significant digits without an exponent: not 4.7e+02.
  const double unit = number > 0.0 ? std::pow(10.0, std::floor(std::log10(number)) - 1.0) : 1.0;
  char         text[32];
  std::snprintf(text, sizeof(text), "%g %s", std::round(number / unit) * unit, isShort ? "ms" : "s");
  return text;
}

/** Returns the size class of a call: a small integer that increases by one for each factor of SizeStep of its estimated
 * time. */
int
SizeOfCall(double seconds)
{
  return static_cast<int>(std::floor(std::log(std::max(seconds, 1e-9)) / std::log(SizeStep)));
}

std::uint64_t
KeyOf(std::uint64_t kind, int size)
{
  return KindOf({ kind, static_cast<std::uint64_t>(size + 1000) }) | 1U; // never 0, which marks a free entry
}
} // namespace

Backend
BackendUse::Most() const
{
  const auto most =
    std::max_element(counts.begin(), counts.end(), [](const Count & a, const Count & b) { return a.calls < b.calls; });
  return static_cast<Backend>(most - counts.begin());
}

std::string
DescribeUse(const BackendUse & use)
{
  std::string text;
  for (const Backend backend : { Backend::Cuda, Backend::Cpu, Backend::Superclass })
  {
    if (const BackendUse::Count & count = use[backend]; count.calls > 0)
    {
      text += (text.empty() ? "" : ", ") + std::string(NameOf(backend)) + " " + std::to_string(count.calls) +
              (count.calls == 1 ? " call in " : " calls in ") + DurationText(count.seconds);
    }
  }
  return text;
}

std::string
BackendDecision::Describe() const
{
  if (failure != nullptr)
  {
    return *failure + "; it is not tried again yet";
  }
  std::string text = "estimated " + DurationText(forecast.host) + " on the CPU and " +
                     DurationText(forecast.device + wait) + " on the GPU";
  if (wait > 0.0)
  {
    text += ", " + DurationText(wait) + (isStarting ? " of these until it has started" : " of these to start it");
  }
  if (forecast.calls > 1.0)
  {
    text += ", " + DurationText(forecast.furtherHost) + " and " + DurationText(forecast.furtherDevice) +
            " for each of " + std::to_string(std::llround(forecast.calls) - 1) + " more";
  }
  return text + (isAskedAgain ? ", asked again" : "") +
         (startsInBackground ? "; the GPU is started in the background" : "");
}

void
BackendCostModel::SetSpeeds(const HostSpeeds & host, const DeviceSpeeds & device)
{
  m_Host = host;
  m_Device = device;
  m_Known = true;
}

const BackendCostModel::Entry *
BackendCostModel::Find(std::uint64_t key) const
{
  for (std::size_t i = 0; i < Probes; ++i)
  {
    const Entry &       entry = m_Entries[(key + i) % Entries];
    const std::uint64_t found = entry.key;
    if (found == key)
    {
      return &entry;
    }
    if (found == 0)
    {
      return nullptr;
    }
  }
  return nullptr;
}

BackendCostModel::Entry *
BackendCostModel::FindOrAdd(std::uint64_t key)
{
  for (std::size_t i = 0; i < Probes; ++i)
  {
    Entry &       entry = m_Entries[(key + i) % Entries];
    std::uint64_t found = 0;
    if (entry.key == key || entry.key.compare_exchange_strong(found, key) || found == key)
    {
      return &entry;
    }
  }
  return nullptr;
}

double
BackendCostModel::FactorOf(const Entry & entry)
{
  // A slow call among the first two is not significant yet.
  const float first = entry.factors[0];
  const float second = entry.factors[1];
  const float third = entry.factors[2];
  switch (entry.calls)
  {
    case 0:
      return 1.0;
    case 1:
      return first;
    case 2:
      return std::min(first, second);
    default: // the median
      return std::max(std::min(first, second), std::min(std::max(first, second), third));
  }
}

double
BackendCostModel::FactorFor(std::uint64_t kind, int size) const
{
  for (const int near : { size, size - 1, size + 1 })
  {
    const Entry * const entry = Find(KeyOf(kind, near));
    if (entry != nullptr && entry->calls > 0)
    {
      return FactorOf(*entry);
    }
  }
  return 1.0;
}

CallForecast
BackendCostModel::Forecast(const BackendWork & work, unsigned int threads) const
{
  const HostSpeeds   host = m_Known ? m_Host : TypicalHost(threads);
  const DeviceSpeeds device = GetDeviceSpeeds();
  // The size is that of the work on the host, also for the device, because the transfers are proportional to it.
  const auto kindOf = [threads](const OperationWork & operation, std::uint64_t side) {
    return KindOf({ operation.kind, side, threads });
  };
  CallForecast forecast;
  const auto   estimate = [&](const OperationWork & operation, bool onDevice, double & model, std::uint64_t & key) {
    const int           size = SizeOfCall(EstimateSeconds(operation, host));
    const std::uint64_t kind = kindOf(operation, onDevice ? 2 : 1);
    model = onDevice ? EstimateSeconds(operation, device) : EstimateSeconds(operation, host);
    key = KeyOf(kind, size);
    return model * FactorFor(kind, size);
  };
  forecast.host = estimate(work.host, false, forecast.modelHost, forecast.hostKey);
  forecast.device = estimate(work.device, true, forecast.modelDevice, forecast.deviceKey);
  forecast.furtherHost = forecast.host;
  forecast.furtherDevice = forecast.device;
  if (work.further)
  {
    double        model = 0.0;
    std::uint64_t key = 0;
    forecast.furtherHost = std::min(forecast.host, estimate(*work.further, false, model, key));
    forecast.furtherDevice = std::min(forecast.device, estimate(*work.further, true, model, key));
  }
  forecast.calls = std::max(1.0, work.calls);
  forecast.isAll = work.isAll;
  if (const Entry * const entry = Find(forecast.hostKey))
  {
    forecast.sinceHost = entry->since;
    forecast.hostCalls = entry->calls;
  }
  if (const Entry * const entry = Find(forecast.deviceKey))
  {
    forecast.sinceDevice = entry->since;
    forecast.deviceCalls = entry->calls;
  }
  return forecast;
}

BackendDecision
BackendCostModel::Decide(const CallForecast &   forecast,
                         const DeviceProgress & progress,
                         double                 lostHere,
                         double                 age) const
{
  using State = DeviceProgress::State;
  const DeviceSpeeds speeds = GetDeviceSpeeds();
  BackendDecision    decision;
  decision.forecast = forecast;
  decision.isStarting = progress.state == State::Starting;
  const double more = forecast.calls - 1.0;
  const double onHost = forecast.host + more * forecast.furtherHost;
  const double onDevice = forecast.device + more * forecast.furtherDevice;
  // Images are moved to the device for calls that are announced, or when previous calls have lost as much time as the
  // transfer takes.
  const bool isBetter = forecast.furtherDevice < forecast.furtherHost;
  const bool isFaster = onDevice < onHost || (isBetter && lostHere >= forecast.device - forecast.furtherDevice);
  if (progress.state == State::Started)
  {
    const double other = isFaster ? forecast.host : forecast.device;
    const double since = isFaster ? forecast.sinceHost : forecast.sinceDevice;
    const double ratio = forecast.furtherHost / std::max(forecast.furtherDevice, 1e-12);
    // One or two calls are not significant: they may have loaded kernels, or other processes may have been busy.
    const std::uint32_t calls = isFaster ? forecast.hostCalls : forecast.deviceCalls;
    const bool          isFar = (isFaster ? ratio : 1.0 / ratio) > NeverAgain && calls != 1 && calls != 2;
    decision.isAskedAgain = !isFar && other < AskAgain * since;
    decision.toDevice = isFaster != decision.isAskedAgain;
    return decision;
  }
  if (m_Wait > 0.0)
  {
    decision.failure = m_Failure;
    return decision;
  }
  // The transfer of images for a call that begins now is needed in any case if additional calls follow.
  const double first = isFaster && more > 0.0 ? forecast.furtherDevice : forecast.device;
  if (decision.isStarting)
  {
    // A start that takes longer than usual is assumed to continue for a quarter of its time so far, repeatedly.
    decision.wait = std::max(speeds.start - progress.since, 0.25 * progress.since);
    decision.toDevice = isFaster && decision.wait + first < forecast.host;
    return decision;
  }
  decision.wait = speeds.start + speeds.end;
  const bool isRented = !forecast.isAll && isBetter && m_Lost >= speeds.end && age >= LossAtMost * decision.wait;
  const bool isToSee = !forecast.isAll && forecast.furtherDevice < NeverAgain * forecast.furtherHost &&
                       decision.wait + forecast.device < StartToSee * forecast.sinceDevice;
  if (isRented || isToSee || (more > 0.0 && IsWorthAStart(forecast, 0.0)))
  {
    decision.toDevice = speeds.start + first < forecast.host;
    decision.startsInBackground = !decision.toDevice;
    return decision;
  }
  decision.toDevice = decision.wait + forecast.device < forecast.host;
  return decision;
}

bool
BackendCostModel::IsWorthAStart(const CallForecast & forecast, double overlap) const
{
  const DeviceSpeeds speeds = GetDeviceSpeeds();
  const double       wait = std::max(0.0, speeds.start - overlap);
  const double       more = forecast.calls - 1.0;
  const double       onHost = forecast.host + more * forecast.furtherHost;
  if (m_Wait > 0.0)
  {
    return false;
  }
  // During the start, the host executes as many calls as it can. At least one is left for the device.
  const double meanwhile = forecast.furtherHost > 0.0 ? std::min(more, std::floor(wait / forecast.furtherHost)) : 0.0;
  const double onBoth = meanwhile > 0.0 ? std::max(wait, meanwhile * forecast.furtherHost) + forecast.device +
                                            (more - meanwhile) * forecast.furtherDevice
                                        : wait + forecast.device + more * forecast.furtherDevice;
  return onBoth + speeds.end < onHost;
}

void
BackendCostModel::Learn(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence)
{
  const bool isDevice = backend == Backend::Cuda;
  if (Entry * const entry = FindOrAdd(isDevice ? forecast.deviceKey : forecast.hostKey))
  {
    const double        model = isDevice ? forecast.modelDevice : forecast.modelHost;
    const std::uint32_t calls = entry->calls;
    const double        kept = calls == 0 ? std::max(std::min(seconds, model), seconds - WarmUp) : seconds;
    entry->factors[calls % 3] = static_cast<float>(kept / std::max(model, 1e-9));
    entry->since = 0.F;
    entry->calls = calls < 3000000000U ? calls + 1 : 3; // 3000000000 is a multiple of 3, too
  }
  if (Entry * const other = FindOrAdd(isDevice ? forecast.hostKey : forecast.deviceKey))
  {
    other->since = other->since + static_cast<float>(seconds);
  }
  if (isDevice)
  {
    if (sequence != nullptr && forecast.device > forecast.furtherDevice)
    {
      sequence->lost = 0.0; // the images are on the device; other images have to justify their own transfer
    }
    return;
  }
  // If the images of a call are on the host, the time beyond their transfer is lost because the device has not started.
  const double lost = std::max(0.0, seconds - forecast.furtherDevice);
  const double moving = std::max(0.0, forecast.device - forecast.furtherDevice);
  const double before = sequence != nullptr ? sequence->lost : 0.0;
  AddTo(m_Lost, std::max(0.0, before + lost - moving) - std::max(0.0, before - moving));
  if (sequence != nullptr)
  {
    sequence->lost += lost;
  }
  if (m_Wait > 0.0)
  {
    AddTo(m_Wait, -seconds);
  }
}

void
BackendCostModel::Restart()
{
  m_Lost = 0.0;
  m_Wait = 0.0;
  for (std::size_t i = 0; i < m_Calls.size(); ++i)
  {
    m_Calls[i] = 0;
    m_Seconds[i] = 0.0;
  }
}

void
BackendCostModel::Count(Backend backend, double seconds)
{
  const auto i = static_cast<std::size_t>(backend);
  ++m_Calls[i];
  AddTo(m_Seconds[i], seconds);
}

BackendUse
BackendCostModel::GetUse() const
{
  BackendUse use;
  for (std::size_t i = 0; i < use.counts.size(); ++i)
  {
    use.counts[i] = { m_Calls[i], m_Seconds[i] };
  }
  return use;
}

void
BackendCostModel::RememberFailure(const std::string & reason, double seconds)
{
  if (const std::string * const known = m_Failure; known == nullptr || *known != reason)
  {
    m_Failure = new std::string(
      reason); // the previous string is kept for threads that are reading it; there are only a few in a process
  }
  m_Lost = 0.0;
  m_Wait = 10.0 * seconds;
}

} // namespace itk::CudaSpline
