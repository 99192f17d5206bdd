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
#include "itkCudaSpline/kernels/Calibration.h"
#include "itkCudaSpline/kernels/Execution.h"
#include "itkCudaSpline/kernels/Prefilter.h"

#include "itkCudaSpline/device/DeviceStart.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <time.h> // NOLINT(modernize-deprecated-headers): clock_gettime of POSIX is not in <ctime>

namespace itk::CudaSpline
{

namespace
{
/** A cube of noise, resampled onto a slightly shifted copy of its own grid. */
class Probe
{
public:
  explicit Probe(std::int64_t size)
    : m_Size(size)
    , m_Pixels(static_cast<std::size_t>(size * size * size))
  {
    std::minstd_rand random(1);
    for (std::int16_t & pixel : m_Pixels)
    {
      pixel = static_cast<std::int16_t>(random() & 0x0fff);
    }
    const auto end = static_cast<double>(size) - 0.75;
    for (std::int64_t line = 0; line < size * size; ++line)
    {
      const std::int64_t slice = line / size;
      const auto         y = static_cast<double>(line % size) - 0.25;
      const auto         z = static_cast<double>(slice) - 0.25;
      m_Ends.insert(m_Ends.end(), { -0.25, y, z, end + 0.5, y, z });
    }
  }

  double
  GetSamples() const
  {
    return static_cast<double>(m_Size * m_Size * m_Size);
  }

  SourceDescriptor
  DescribeSource(ScalarType element, unsigned int order) const
  {
    SourceDescriptor source;
    source.size = { { m_Size, m_Size, m_Size, 1 } };
    source.pixel = ScalarType::Int16;
    source.element = element;
    source.order = order;
    return source;
  }

  ResampleDescriptor
  DescribeResampling(Interpolation interpolation) const
  {
    ResampleDescriptor resample;
    resample.interpolation = interpolation;
    resample.output = ScalarType::Float32;
    resample.lower.fill(-0.5);
    resample.upper.fill(static_cast<double>(m_Size) - 0.5);
    resample.samples = m_Size;
    resample.lines = m_Size * m_Size;
    resample.lineLength = m_Size;
    resample.scanlineEnds = m_Ends.data();
    return resample;
  }

  const void *
  GetPixels() const
  {
    return m_Pixels.data();
  }

private:
  std::int64_t              m_Size;
  std::vector<std::int16_t> m_Pixels;
  std::vector<double>       m_Ends;
};

/** Seconds of a clock of the system's. */
double
Now(clockid_t clock)
{
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double
ShortestOfThree(clockid_t clock, const std::function<void()> & operation)
{
  double shortest = std::numeric_limits<double>::max();
  for (int run = 0; run < 3; ++run)
  {
    const double begin = Now(clock);
    operation();
    shortest = std::min(shortest, Now(clock) - begin);
  }
  // A processor's time may be counted in ticks that are longer than this, or not at all.
  return shortest > 0.0 || clock == CLOCK_MONOTONIC ? shortest : ShortestOfThree(CLOCK_MONOTONIC, operation);
}

/** Seconds of a source, and of resampling it, on a backend. */
struct Timing
{
  double source;
  double resample;
};

Timing
Measure(const Probe & probe, Interpolation interpolation, unsigned int order, const ExecutionContext & context)
{
  const ScalarType element = interpolation == Interpolation::Nearest ? ScalarType::Int16 : ScalarType::Float32;
  const auto       descriptor = probe.DescribeSource(element, order);
  auto             resample = probe.DescribeResampling(interpolation);
  resample.output = element;
  // The host's one thread by what it has worked: others may be at work on its core.
  const clockid_t clock = context.backend == Backend::Cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  std::shared_ptr<const SampleSource> source;
  Timing                              timing{};
  timing.source = ShortestOfThree(clock, [&] {
    source.reset();
    source = MakeSource(descriptor, probe.GetPixels(), context);
  });
  timing.resample = ShortestOfThree(clock, [&] {
    // Fresh memory, as a filter's output is: its pages come while it is written.
    const std::unique_ptr<char[]> output(new char[static_cast<std::size_t>(probe.GetSamples()) * SizeOf(element)]);
    Resample(resample, *source, output.get(), context);
  });
  return timing;
}

/** A part of a time that was measured as a difference: noise must not make it nothing. */
double
Rest(double seconds, double known, double units)
{
  return std::max(seconds - known, 0.02 * seconds) / units;
}

/** The host by one thread: a probe that is large enough for many would take long, and starting them for a small one is
 * most of its time. */
HostSpeeds
MeasureHost()
{
  const ExecutionContext context;
  const Probe            probe(64);
  const double           samples = probe.GetSamples();
  const Timing           nearest = Measure(probe, Interpolation::Nearest, 0, context);
  const Timing           linear = Measure(probe, Interpolation::Linear, 0, context);
  const Timing           cubic = Measure(probe, Interpolation::BSpline, 3, context);
  HostSpeeds             speeds;
  // One of many threads does about three quarters of what one does alone, which has all of the memory's speed and of
  // the processor's clock.
  speeds.threads = 4.0 / 3.0;
  speeds.convert = Rest(linear.source, 0.0, samples);
  speeds.filter = Rest(cubic.source, linear.source, 3.0 * samples);
  speeds.sample = Rest(nearest.resample, 0.0, samples);
  speeds.tap = Rest(cubic.resample, nearest.resample, 64.0 * samples);
  return speeds;
}

DeviceSpeeds
MeasureDevice(const ExecutionContext & context)
{
  const Probe  smallest(8);
  const Probe  probe(192); // 14 MB of pixels: more than the staging buffers hold
  const double samples = probe.GetSamples();
  const Timing least = Measure(smallest, Interpolation::Nearest, 0, context);
  const Timing nearest = Measure(probe, Interpolation::Nearest, 0, context);
  const Timing linear = Measure(probe, Interpolation::Linear, 0, context);
  const Timing cubic = Measure(probe, Interpolation::BSpline, 3, context);
  DeviceSpeeds speeds;
  speeds.operation = least.source + least.resample;
  speeds.upload = Rest(nearest.source, least.source, 2.0 * samples);
  speeds.filter = Rest(cubic.source, linear.source, 3.0 * samples);
  speeds.download = Rest(linear.resample, nearest.resample, 2.0 * samples); // 4 bytes for 2
  speeds.sample = Rest(nearest.resample, least.resample + speeds.download * 2.0 * samples, samples);
  speeds.tap = Rest(cubic.resample, linear.resample, 56.0 * samples);
  return speeds;
}
} // namespace

MachineSpeeds
MeasureSpeeds(int device)
{
  // Threads of its own, for the copies: the caller's may be fewer than the machine has.
  const ThreadExecutor threads;
  ExecutionContext     context;
  context.host = &threads;
  MachineSpeeds speeds;
  speeds.host = MeasureHost();
  context.backend = Backend::Cuda;
  context.device = device;
  speeds.device = MeasureDevice(context);
  const double start = MeasuredStart();
  speeds.device.start = start > 0.0 ? start : TypicalSpeeds(1).device.start;
  return speeds;
}

double
MeasuredStart()
{
  // Ending CUDA takes time, too, for which the process waits: about a third of the start's.
  return 4.0 / 3.0 * SecondsOfDeviceStart();
}

} // namespace itk::CudaSpline
