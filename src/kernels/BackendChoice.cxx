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
#include "itkCudaSpline/kernels/BackendChoice.h"
#include "itkCudaSpline/kernels/Calibration.h"
#include "itkCudaSpline/kernels/Prefilter.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceStart.h"

#include "device/DeviceHealth.h"
#include "device/FileLock.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
std::string
DurationText(double seconds)
{
  const bool   isShort = seconds < 1.0;
  const double number = isShort ? 1000.0 * seconds : seconds;
  // Two digits that say something, and as many zeros as it takes: not 4.7e+02.
  const double unit = number > 0.0 ? std::pow(10.0, std::floor(std::log10(number)) - 1.0) : 1.0;
  char         text[32];
  std::snprintf(text, sizeof(text), "%g %s", std::round(number / unit) * unit, isShort ? "ms" : "s");
  return text;
}

/** What the process knows of its machine. */
struct Machine
{
  MachineSpeeds speeds;
  bool          calibrated{ false };
  std::string   description;
  std::string   file;
};

Machine
ReadMachine()
{
  const unsigned int threads = std::max(1U, std::thread::hardware_concurrency());
  Machine            machine;
  machine.description = DescribeMachine(threads);
  machine.file = CalibrationFile(machine.description);
  const std::optional<MachineSpeeds> kept = ReadCalibration(machine.file, machine.description);
  machine.calibrated = kept.has_value();
  machine.speeds = kept.value_or(TypicalSpeeds(threads));
  return machine;
}

/** The speeds of the machine, and how much the host's operations have lost for want of a started device.
 *
 * Without a lock that is waited for: a child that is forked while another thread holds one would wait for it for ever.
 */
class Planner
{
public:
  constexpr Planner() = default;

  MachineSpeeds
  GetSpeeds()
  {
    const Machine * known = m_Machine;
    if (known == nullptr)
    {
      // Threads that come at the same time all read, and the first one's is kept.
      auto machine = std::make_unique<const Machine>(ReadMachine());
      if (m_Machine.compare_exchange_strong(known, machine.get()))
      {
        known = machine.release();
      }
    }
    return known->speeds;
  }

  /** Measures the machine, or mends what was measured of the start: not while others do. */
  void
  Calibrate(int device)
  {
    const Machine * const known = m_Machine;
    // A start may have been the first one since the machine itself was started, and took seconds. Half of it is sure to
    // be another kind of start: smaller differences are noise, whose least value would be too good.
    const double start = MeasuredStart();
    const auto   isShorter = [start](const Machine & machine) {
      return machine.calibrated && start > 0.0 && start < 0.5 * machine.speeds.device.start;
    };
    // Where another process measures, or nothing can be written, some of the next operations look again.
    if (known == nullptr || (known->calibrated && !isShorter(*known)) || m_Looks.fetch_add(1) >= 10)
    {
      return;
    }
    // What cannot be kept is not measured, as every process would pay for it, nor what another one measures: they would
    // measure each other. A thread of this one knows also where the file system has no locks.
    const std::unique_lock<std::mutex> turn(m_Measuring, std::try_to_lock);
    const FileLock                     lock(turn ? known->file : std::string());
    if (!lock)
    {
      return;
    }
    auto machine = std::make_unique<Machine>(*known);
    // Others may have measured since this process has looked.
    const std::optional<MachineSpeeds> others = ReadCalibration(machine->file, machine->description);
    machine->speeds = others ? *others : (known->calibrated ? known->speeds : MeasureSpeeds(device));
    machine->calibrated = true;
    const bool mends = isShorter(*machine);
    if (mends)
    {
      machine->speeds.device.start = start;
    }
    if (mends || !others)
    {
      WriteCalibration(machine->file, machine->description, machine->speeds);
    }
    m_Machine = machine.release(); // the one before stays, for those who are reading it
  }

  /** This process measures nothing. */
  void
  SkipCalibration()
  {
    m_Looks = 1000;
  }

  /** The device could not be started: what was saved for that is spent, and ten times as long is waited as that took.
   */
  void
  RememberFailure(const std::string & reason, double seconds)
  {
    if (const std::string * const known = m_Failure; known == nullptr || *known != reason)
    {
      m_Failure = new std::string(reason); // the one before stays, for those who are reading it: a few in a process
    }
    m_Lost = 0.0;
    m_Wait = 10.0 * seconds;
  }

  /** Why an operation goes to the host, with what those before have lost; empty where it goes to the device. */
  std::string
  ReasonForHost(const BackendEstimate & estimate, bool counts)
  {
    double     lost = m_Lost;
    double     wait = m_Wait;
    const bool isWaiting = wait > 0.0 && estimate.start > 0.0;
    if (!isWaiting && estimate.PrefersDevice(lost))
    {
      return {};
    }
    if (counts)
    {
      const double more = std::max(0.0, estimate.host - estimate.device);
      while (!m_Lost.compare_exchange_weak(lost, lost + more))
      {}
      while (isWaiting && !m_Wait.compare_exchange_weak(wait, wait - estimate.host))
      {}
    }
    return isWaiting ? *m_Failure.load() + "; it is not tried again yet" : estimate.ReasonForHost();
  }

private:
  std::atomic<const Machine *> m_Machine{ nullptr }; ///< never freed
  std::mutex                   m_Measuring;          ///< never waited for
  std::atomic<int>             m_Looks{ 0 };         ///< for a calibration that could be made
  std::atomic<double>          m_Lost{ 0.0 };
  std::atomic<double>          m_Wait{ 0.0 }; ///< seconds of the host's work before the device is tried again

  std::atomic<const std::string *> m_Failure{ nullptr }; ///< of the last try, never freed
};

Planner &
ThePlanner()
{
  // Constant, with nothing to destroy: other global objects may have work before and after, and a guard that a thread
  // holds while another one forks never opens in the child.
  static Planner planner;
  static_assert(std::is_trivially_destructible_v<Planner>);
  return planner;
}

/** A chain of the same kinds of stages with tiny grids of their own: the caller's displacements may be gone soon. */
TransformChain
TinyChain(TransformChain chain, unsigned int dimension)
{
  for (TransformChain::Stage & stage : chain.stages)
  {
    if (stage.kind != TransformKind::Affine)
    {
      const auto numbers = std::make_shared<std::vector<double>>(std::size_t{ 4 } * 4 * 4 * dimension);
      stage.size = { { 1, 1, 1 } };
      std::fill_n(stage.size.begin(), dimension, 4); // the support of a cubic
      if (stage.singleData != nullptr)
      {
        stage.singleData = { numbers, reinterpret_cast<const float *>(numbers->data()) };
      }
      else
      {
        stage.data = { numbers, numbers->data() };
      }
    }
  }
  chain.regionSize = { { 4, 1, 1 } };
  return chain;
}

/** Loads the kernels of an operation by a tiny one of the same kind.
 *
 * \param[in] chain the tiny chain where the operation has one */
void
LoadKernels(SourceDescriptor source, ResampleDescriptor resample, const TransformChain & chain, int device)
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  context.device = device;
  // Large enough for the kernel that filters planes.
  std::fill_n(source.size.begin(), source.dimension, 4);
  source.size[0] = 65;
  source.size[1] = source.dimension > 1 ? 33 : 1;
  const std::vector<double> pixels(static_cast<std::size_t>(source.Elements()));
  const auto                made = MakeSource(source, pixels.data(), context);

  const std::vector<double> ends(std::size_t{ 2 } * source.dimension);
  std::vector<double>       output(std::size_t{ 4 } * source.components);
  resample.defaultPixels = nullptr; // the caller's memory may be gone
  resample.extrapolation = nullptr;
  resample.samples = 4;
  resample.lines = 1;
  resample.lineOffset = 0;
  resample.lineLength = 4;
  if (resample.chain != nullptr)
  {
    resample.chain = &chain;
  }
  else if (resample.indexProvider)
  {
    resample.indexProvider = [count = 4 * source.dimension](std::int64_t, std::int64_t lines, double * indices) {
      std::fill_n(indices, lines * count, 0.0);
    };
  }
  else
  {
    resample.scanlineEnds = ends.data();
  }
  Resample(resample, *made, output.data(), context);
}
} // namespace

std::string
BackendEstimate::ReasonForHost() const
{
  std::string reason = "estimated " + DurationText(host) + " on the CPU and " +
                       DurationText(device + std::max(start, 0.0)) + " on the GPU";
  if (start > 0.0)
  {
    reason += ", " + DurationText(start) + " of these to start it";
  }
  return reason;
}

BackendEstimate
EstimateBackends(const BackendWork &   work,
                 const MachineSpeeds & speeds,
                 unsigned int          threads,
                 bool                  started,
                 double                overlap)
{
  BackendEstimate estimate;
  estimate.host = EstimateSeconds(work.host, speeds.host, threads);
  estimate.device = EstimateSeconds(work.device, speeds.device);
  estimate.start = started ? 0.0 : std::max(0.0, speeds.device.start - overlap);
  return estimate;
}

BackendEstimate
EstimateOnThisMachine(const BackendWork & work, unsigned int threads, int device)
{
  return EstimateBackends(work, ThePlanner().GetSpeeds(), threads, GetDeviceState(device) != DeviceState::Stopped);
}

std::string
ReasonForHost(const BackendWork & work, unsigned int threads, int device, bool counts)
{
  if (!BuiltWithCuda() || !DriverIsPresent() || IsForkedChild() || !LostDeviceReason().empty())
  {
    return {}; // there is nothing to choose: SelectDevice() has a better reason
  }
  return ThePlanner().ReasonForHost(EstimateOnThisMachine(work, threads, device), counts);
}

bool
StartDeviceAhead(const std::string &        word,
                 const SourceDescriptor &   source,
                 const ResampleDescriptor & resample,
                 unsigned int               threads,
                 double                     overlap)
{
  const DeviceWish wish = ParseDeviceWish(word);
  if (wish.kind == DeviceWish::Kind::Host || !BuiltWithCuda() || !DriverIsPresent() || IsForkedChild())
  {
    return false;
  }
  if (GetDeviceState(wish.device) == DeviceState::Stopped)
  {
    if (wish.kind == DeviceWish::Kind::Fastest)
    {
      const OperationWork work = CountSourceWork(source) + CountResampleWork(source, resample);
      if (!EstimateBackends({ work, work }, ThePlanner().GetSpeeds(), threads, false, overlap).PrefersDevice())
      {
        return false;
      }
    }
    const TransformChain chain =
      resample.chain != nullptr ? TinyChain(*resample.chain, source.dimension) : TransformChain();
    StartDeviceInBackground(
      wish.device, [source, resample, chain, device = wish.device] { LoadKernels(source, resample, chain, device); });
  }
  return true;
}

void
CalibrateOnce(int device)
{
  try
  {
    ThePlanner().Calibrate(device);
  }
  catch (const std::exception &)
  {
    // Typical speeds go on to serve: the operation itself has succeeded. Each further try would cost as much.
    ThePlanner().SkipCalibration();
  }
}

void
SkipCalibration()
{
  ThePlanner().SkipCalibration();
}

void
ReportStartFailure(const std::string & reason, double seconds)
{
  if (!IsForkedChild()) // which does not try again
  {
    ThePlanner().RememberFailure(reason, seconds);
  }
}

} // namespace itk::CudaSpline
