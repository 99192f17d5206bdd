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
// Expected: the rules of BackendCostModel.h, by machines that do not exist. A simulated process makes calls whose times
// the test gives and the cost model does not know; what it took is compared with the better one of the two pinned
// backends, by the same clock. Factors: a start that turns out not to be needed costs what the process has lived
// already, so twice the better backend; a call that is estimated wrong is paid for once, and then known.

#include "itkCudaSpline/kernels/backend/BackendCostModel.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace itk::CudaSpline;
using CudaSplineTest::TestSeed;

namespace
{

/** The calls of an object: all alike. */
struct Calls
{
  int           number{ 1 };
  double        host{ 0.0 };   ///< s on the typical host
  double        device{ 0.0 }; ///< s on the typical device
  double        moving{ 0.0 }; ///< s more of the first on a device, of an object that keeps its images there
  bool          isKnown{ false };
  std::uint64_t kind{ 1 };
  bool          changes{ false }; ///< each call has another image, without a new modification time
  int           expected{ 0 };    ///< instead of the number, where that is known wrongly
};

/** A machine, and how it differs from the typical one that the cost model knows. */
struct Machine
{
  double                              hostFactor{ 1.0 };
  double                              deviceFactor{ 1.0 };
  double                              startFactor{ 1.0 };
  std::function<double(double clock)> load = [](double) { return 1.0; }; ///< by which the host is slower
  double                              mostLoad{ 0.0 };                   ///< the most of it that comes unforeseen
};

constexpr double Loading = 0.05;   ///< s of a process before its first call
constexpr double Operation = 2e-4; ///< s of every operation of a device, which the model adds

/** The typical machine: a tap a second on the host, a thousandth on the device. */
DeviceSpeeds
ModelOfDevice()
{
  DeviceSpeeds speeds;
  speeds.start = TypicalDevice().start;
  speeds.end = TypicalDevice().end;
  speeds.operation = Operation;
  speeds.upload = 1.0; // bytes stand for seconds
  return speeds;
}

HostSpeeds
ModelOfHost()
{
  HostSpeeds speeds;
  speeds.tap = 1.0;
  return speeds;
}

std::unique_ptr<BackendCostModel>
NewCostModel()
{
  auto costModel = std::make_unique<BackendCostModel>();
  costModel->SetSpeeds(ModelOfHost(), ModelOfDevice());
  return costModel;
}

OperationWork
WorkOf(const Calls & calls)
{
  OperationWork work;
  work.kind = calls.kind;
  work.taps = calls.host;
  work.uploadBytes = calls.device;
  return work;
}

/** A process that makes calls, with a clock. */
class Process
{
public:
  enum class Choice
  {
    Ours,
    Host,
    Device
  };

  Process(const Machine & machine, Choice choice)
    : m_Machine(machine)
    , m_Choice(choice)
    , m_CostModel(NewCostModel())
  {}

  void
  Make(const Calls & calls)
  {
    CallSequence sequence;
    bool         isThere = calls.moving == 0.0;
    for (int i = 0; i < calls.number; ++i)
    {
      BackendWork work;
      work.host = WorkOf(calls);
      work.device = work.host;
      work.further = work.host;
      if (!isThere)
      {
        work.device.kind = KindOf({ calls.kind, 77 });
        work.device.uploadBytes += calls.moving;
      }
      work.calls = std::max(1, calls.isKnown ? (calls.expected > 0 ? calls.expected : calls.number) - i : 1);
      const CallForecast forecast = m_CostModel->Forecast(work, 16);
      bool               toDevice = m_Choice == Choice::Device;
      if (m_Choice == Choice::Ours)
      {
        const BackendDecision decision = m_CostModel->Decide(forecast, this->GetProgress(), sequence.lost, m_Clock);
        toDevice = decision.toDevice;
        if (decision.startsInBackground && m_Begin < 0.0)
        {
          m_Begin = m_Clock;
        }
      }
      const double begin = m_Clock;
      if (toDevice)
      {
        if (m_Begin < 0.0)
        {
          m_Begin = m_Clock;
        }
        m_Clock = std::max(m_Clock, m_Begin + this->GetStart()); // is waited for, and not part of the call
        const double called = m_Clock;
        const bool   moves = !isThere || calls.changes;
        m_Clock += m_Machine.deviceFactor * (calls.device + (moves ? calls.moving : 0.0) + Operation);
        isThere = true;
        ++m_OnDevice;
        m_CostModel->Learn(forecast, Backend::Cuda, m_Clock - called, &sequence);
      }
      else
      {
        m_Clock += m_Machine.hostFactor * m_Machine.load(m_Clock) * calls.host;
        ++m_OnHost;
        m_CostModel->Learn(forecast, Backend::Cpu, m_Clock - begin, &sequence);
      }
    }
  }

  /** Seconds of the whole process. */
  double
  End() const
  {
    if (m_Begin < 0.0)
    {
      return m_Clock;
    }
    // The half of the start that is at work is waited for; without a context there is less to end.
    const double half = 0.5 * this->GetStart();
    const double end = m_Machine.startFactor * ModelOfDevice().end;
    return m_Clock < m_Begin + half ? m_Begin + half + end : std::max(m_Clock, m_Begin + 2.0 * half) + end;
  }

  int
  CountOnDevice() const
  {
    return m_OnDevice;
  }

  int
  CountOnHost() const
  {
    return m_OnHost;
  }

  BackendCostModel &
  GetCostModel()
  {
    return *m_CostModel;
  }

private:
  double
  GetStart() const
  {
    return m_Machine.startFactor * ModelOfDevice().start;
  }

  DeviceProgress
  GetProgress() const
  {
    using State = DeviceProgress::State;
    if (m_Begin < 0.0)
    {
      return { State::Stopped, 0.0 };
    }
    const double since = m_Clock - m_Begin;
    return since < this->GetStart() ? DeviceProgress{ State::Starting, since } : DeviceProgress{ State::Started, 0.0 };
  }

  Machine                           m_Machine;
  Choice                            m_Choice;
  std::unique_ptr<BackendCostModel> m_CostModel;
  double                            m_Clock{ Loading };
  double                            m_Begin{ -1.0 }; ///< of the start
  int                               m_OnDevice{ 0 };
  int                               m_OnHost{ 0 };
};

/** Seconds of a process, by the choice and by the better pinned backend. */
struct Comparison
{
  double ours;
  double best;
};

Comparison
Compare(const Machine & machine, const std::vector<Calls> & objects)
{
  const auto run = [&](Process::Choice choice) {
    Process process(machine, choice);
    for (const Calls & calls : objects)
    {
      process.Make(calls);
    }
    return process.End();
  };
  return { run(Process::Choice::Ours), std::min(run(Process::Choice::Host), run(Process::Choice::Device)) };
}

double
Between(std::mt19937_64 & random, double low, double high)
{
  return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
}

/** Objects as programs have them: one to three, of one call to three thousand, a minute at most. */
std::vector<Calls>
DrawObjects(std::mt19937_64 & random)
{
  std::vector<Calls> objects(1 + random() % 3);
  for (Calls & calls : objects)
  {
    calls.kind = 1 + random() % 1000;
    calls.host = Between(random, 5e-5, 1.0);
    calls.device = calls.host * Between(random, 0.003, 3.0);
    calls.number = static_cast<int>(std::min(Between(random, 1.0, 3000.0), 60.0 / calls.host));
    calls.isKnown = random() % 4 == 0;
    calls.moving = random() % 2 == 0 ? 0.0 : calls.device * Between(random, 0.3, 10.0);
    // Who says too little. Too much costs a start, at the most.
    calls.expected = random() % 2 == 0 ? 0 : static_cast<int>(Between(random, 1.0, calls.number));
  }
  return objects;
}

/** What hundreds of drawn processes lose. */
struct Losses
{
  double      worst{ 0.0 };    ///< factor of the better backend
  double      within{ 0.0 };   ///< part of them within 15 % or 0.15 s of it
  double      together{ 0.0 }; ///< all of ours by all of the better ones
  std::string text;            ///< of the worst
};

Losses
Draw(std::uint64_t seed, int number, const std::function<Machine(std::mt19937_64 &)> & drawMachine)
{
  Losses losses;
  double ours = 0.0;
  double best = 0.0;
  for (int i = 0; i < number; ++i)
  {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(i));
    const Machine   machine = drawMachine(random);
    const auto      objects = DrawObjects(random);
    const auto      times = Compare(machine, objects);
    ours += times.ours;
    best += times.best;
    // A call that has begun is not moved, whatever comes: renting ends up to one call later than it should, and that
    // call may meet any load.
    double unforeseen = 0.0;
    for (const Calls & calls : objects)
    {
      unforeseen = std::max(unforeseen, (1.0 + machine.mostLoad) * calls.host);
    }
    losses.within += times.ours <= std::max(1.15 * times.best, times.best + 0.15) ? 1.0 / number : 0.0;
    if ((times.ours - unforeseen) / times.best > losses.worst)
    {
      losses.worst = (times.ours - unforeseen) / times.best;
      losses.text = "process " + std::to_string(i) + ": " + std::to_string(times.ours) + " s, " +
                    std::to_string(times.best) + " s by the better backend;";
      for (const Calls & calls : objects)
      {
        losses.text += " " + std::to_string(calls.number) + (calls.isKnown ? " known" : "") + " calls of " +
                       std::to_string(calls.host) + " and " + std::to_string(calls.device) + " s, moving " +
                       std::to_string(calls.moving) + ";";
      }
      losses.text += " host " + std::to_string(machine.hostFactor) + ", device " +
                     std::to_string(machine.deviceFactor) + ", start " + std::to_string(machine.startFactor);
    }
  }
  losses.together = ours / best;
  return losses;
}

} // namespace

TEST(BackendCostModel, OfRightEstimatesTakesTwiceTheBetterBackendAtWorst)
{
  const Losses losses = Draw(TestSeed(), 600, [](std::mt19937_64 &) { return Machine(); });
  EXPECT_LE(losses.worst, 2.0) << losses.text;
  EXPECT_LE(losses.together, 1.0) << "the better of two backends for a whole process is not the best of both";
  EXPECT_GE(losses.within, 0.75);
}

// A call that is estimated wrong by twice the factor on either side may go to the wrong one once: that bounds a process
// of one call. In longer ones it is known after that.
TEST(BackendCostModel, OfWrongEstimatesTakesThriceTheBetterBackendAtWorst)
{
  for (const double wrong : { 1.25, 1.5, 2.0 })
  {
    const Losses losses = Draw(TestSeed() + 10000, 300, [wrong](std::mt19937_64 & random) {
      Machine machine;
      machine.hostFactor = Between(random, 1.0 / wrong, wrong);
      machine.deviceFactor = Between(random, 1.0 / wrong, wrong);
      machine.startFactor = Between(random, 1.0 / wrong, wrong);
      return machine;
    });
    EXPECT_LE(losses.worst, std::max(2.0 * wrong, wrong * wrong)) << wrong << ", " << losses.text;
    EXPECT_LE(losses.together, 1.05) << wrong;
  }
}

// Others work on the host for a while: its calls take up to eight times as long. Nobody can know that before, and that
// it is over is noticed when the host is asked again, which is seldom as long as it is thought to be slow.
TEST(BackendCostModel, OfAHostWithChangingLoadTakesThriceTheBetterBackendAndOneCallAtWorst)
{
  const Losses losses = Draw(TestSeed() + 20000, 600, [](std::mt19937_64 & random) {
    Machine      machine;
    const double begin = Between(random, 0.1, 10.0);
    const double end = begin * Between(random, 1.2, 5.0);
    const double by = Between(random, 1.0, 8.0);
    machine.load = [=](double clock) { return clock > begin && clock < end ? by : 1.0; };
    machine.mostLoad = by;
    return machine;
  });
  EXPECT_LE(losses.worst, 3.0) << losses.text;
  EXPECT_LE(losses.together, 1.15);
}

TEST(BackendCostModel, ALongSequenceIsAsFastAsTheBetterBackend)
{
  for (const double hostFactor : { 0.25, 1.0, 4.0 })
  {
    for (const double deviceFactor : { 0.25, 1.0, 4.0 })
    {
      Machine machine;
      machine.hostFactor = hostFactor;
      machine.deviceFactor = deviceFactor;
      for (const double device : { 1e-4, 1e-3, 5e-3, 2e-2 })
      {
        const Comparison times = Compare(machine, { { 5000, 5e-3, device, 10.0 * device } });
        // Asking the slower side again takes a fiftieth. Where the device was thought to be no better, it is started to
        // see, after twenty times as long as that and a first call there are thought to take; a further call there,
        // where the images are, has then to wait for fifty times its own time.
        const double toSee = 20.0 * (ModelOfDevice().start + ModelOfDevice().end + 11.0 * device) + 51.0 * device;
        EXPECT_LE(times.ours, 1.07 * times.best + toSee) << hostFactor << " " << deviceFactor << " " << device;
      }
    }
  }
}

// The host's estimates are six times too low and the device's thirty times too high, as was measured once.
TEST(BackendCostModel, WrongEstimatesCorrectThemselvesAfterThreeCalls)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 3e-3, 9e-3, 0.0, false, 1 });
  work.device = work.host;
  for (int call = 0; call < 3; ++call)
  {
    const CallForecast forecast = costModel->Forecast(work, 16);
    costModel->Learn(forecast, Backend::Cpu, 18e-3, nullptr);
    costModel->Learn(forecast, Backend::Cuda, 0.3e-3, nullptr);
  }
  const CallForecast learned = costModel->Forecast(work, 16);
  EXPECT_NEAR(learned.host, 18e-3, 1e-6);
  EXPECT_NEAR(learned.device, 0.3e-3, 1e-6);
  // Of the same kind and about the same size, by the model's proportion; of others it knows nothing.
  BackendWork larger = work;
  larger.host.taps *= 1.5;
  EXPECT_NEAR(costModel->Forecast(larger, 16).host, 27e-3, 1e-6);
  BackendWork other = work;
  other.host.kind = 2;
  EXPECT_NEAR(costModel->Forecast(other, 16).host, 3e-3, 1e-6);
  EXPECT_NEAR(costModel->Forecast(work, 8).host, 3e-3, 1e-6) << "with other threads";
}

// Both occur permanently: an object whose images change although it seems that they do not, and one that continues for
// much longer than it has announced.
TEST(BackendCostModel, WhatObjectsSayWrongIsNoticed)
{
  for (const double moving : { 6e-3, 20e-3, 60e-3 })
  {
    Calls calls{ 5000, 2e-3, 0.2e-3, moving };
    calls.changes = true;
    const Comparison times = Compare(Machine(), { calls });
    EXPECT_LE(times.ours, 1.1 * times.best + 1.0) << moving;
  }
  for (const int expected : { 1, 10, 100 })
  {
    Calls calls{ 10000, 2e-3, 0.3e-3, 10e-3, true };
    calls.expected = expected;
    const Comparison times = Compare(Machine(), { calls });
    EXPECT_LE(times.ours, 1.1 * times.best + 0.5) << expected;
  }
  Calls tooMuch{ 2, 40e-3, 8e-3, 5e-3, true };
  tooMuch.expected = 300;
  const Comparison promised = Compare(Machine(), { tooMuch });
  EXPECT_LE(promised.ours, promised.best + ModelOfDevice().start + ModelOfDevice().end);
  // Many registrations, none of which is worth a start.
  std::vector<Calls> registrations(100, Calls{ 50, 2e-3, 0.3e-3, 10e-3, true });
  const Comparison   times = Compare(Machine(), registrations);
  EXPECT_LE(times.ours, 1.1 * times.best + 0.5);
}

// It is not started for what a process has lost that has nothing left to do.
TEST(BackendCostModel, WhoHasAllToldIsNotSurprised)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 0.1, 0.001, 0.0, false, 1 });
  work.device = work.host;
  for (int call = 0; call < 10; ++call)
  {
    costModel->Learn(costModel->Forecast(work, 16), Backend::Cpu, 0.1, nullptr);
  }
  const auto starts = [&] {
    return costModel->Decide(costModel->Forecast(work, 16), DeviceProgress(), 0.0, 10.0).startsInBackground;
  };
  EXPECT_TRUE(starts());
  work.isAll = true;
  EXPECT_FALSE(starts());
  work.calls = 50.0;
  EXPECT_TRUE(starts());
}

TEST(BackendCostModel, AChildBeginsAnew)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 0.1, 0.001, 0.0, false, 1 });
  work.device = work.host;
  for (int call = 0; call < 10; ++call)
  {
    costModel->Learn(costModel->Forecast(work, 16), Backend::Cpu, 0.2, nullptr);
    costModel->Count(Backend::Cpu, 0.2);
  }
  costModel->Restart();
  EXPECT_EQ(costModel->GetUse()[Backend::Cpu].calls, 0U);
  EXPECT_FALSE(costModel->Decide(costModel->Forecast(work, 16), DeviceProgress(), 0.0, 10.0).startsInBackground);
  EXPECT_NEAR(costModel->Forecast(work, 16).host, 0.2, 1e-6) << "what was learned stays";
}

TEST(BackendCostModel, ASingleSlowCallChangesNothing)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 3e-3, 9e-3, 0.0, false, 1 });
  work.device = work.host;
  for (const double seconds : { 25e-3, 3e-3, 3e-3, 30e-3 }) // the first loads, the last was disturbed
  {
    const CallForecast forecast = costModel->Forecast(work, 16);
    EXPECT_NEAR(forecast.host, 3e-3, 1e-6);
    costModel->Learn(forecast, Backend::Cpu, seconds, nullptr);
  }
  EXPECT_NEAR(costModel->Forecast(work, 16).host, 3e-3, 1e-6);
}

TEST(BackendCostModel, ARegistrationStartsTheDeviceAtOnce)
{
  Process process(Machine(), Process::Choice::Ours);
  process.Make({ 200, 0.02, 0.0003, 0.01, true });
  EXPECT_LE(process.CountOnHost(), 0.3 / 0.02);
  EXPECT_GE(process.CountOnDevice(), 185);
  // Not for as many calls as the host has done before it would be started.
  Process small(Machine(), Process::Choice::Ours);
  small.Make({ 100, 0.001, 0.0003, 0.01, true });
  EXPECT_EQ(small.CountOnDevice(), 0);
}

// Images move when calls have lost as much on the host as moving takes.
TEST(BackendCostModel, ImagesMoveWhenCallsHavePaidForIt)
{
  const auto           costModel = NewCostModel();
  const DeviceProgress started{ DeviceProgress::State::Started, 0.0 };
  BackendWork          work;
  work.further = WorkOf({ 1, 2e-3, 0.8e-3, 0.0, false, 1 });
  work.host = *work.further;
  work.device = *work.further;
  work.device.uploadBytes += 20e-3;
  const CallForecast forecast = costModel->Forecast(work, 16);
  EXPECT_FALSE(costModel->Decide(forecast, started, 0.0, 100.0).toDevice);
  EXPECT_FALSE(costModel->Decide(forecast, started, 19e-3, 100.0).toDevice);
  EXPECT_TRUE(costModel->Decide(forecast, started, 20e-3, 100.0).toDevice);
  work.calls = 30.0;
  EXPECT_TRUE(costModel->Decide(costModel->Forecast(work, 16), started, 0.0, 100.0).toDevice)
    << "thirty are known to come";
}

TEST(BackendCostModel, ALongCallWaitsForADeviceThatStarts)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 0.2, 0.01, 0.0, false, 1 });
  work.device = work.host;
  const CallForecast forecast = costModel->Forecast(work, 16);
  const auto         decide = [&](double since) {
    return costModel->Decide(forecast, { DeviceProgress::State::Starting, since }, 0.0, 1.0).toDevice;
  };
  EXPECT_FALSE(decide(0.01));
  EXPECT_TRUE(decide(0.2));
  EXPECT_TRUE(decide(0.3)) << "it should have started: soon it will";
  EXPECT_FALSE(decide(2.0)) << "something is wrong with it";
}

TEST(BackendCostModel, AFailedStartIsNotTriedAgainAtOnce)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  work.host = WorkOf({ 1, 10.0, 0.01, 0.0, false, 1 });
  work.device = work.host;
  const CallForecast forecast = costModel->Forecast(work, 16);
  const auto         decide = [&] { return costModel->Decide(forecast, DeviceProgress(), 0.0, 100.0); };
  EXPECT_TRUE(decide().toDevice);
  costModel->RememberFailure("it is in use", 0.5);
  EXPECT_FALSE(decide().toDevice);
  EXPECT_FALSE(costModel->IsWorthAStart(forecast, 0.0));
  EXPECT_EQ(decide().Describe(), "it is in use; it is not tried again yet");
  costModel->Learn(forecast, Backend::Cpu, 4.0, nullptr);
  EXPECT_FALSE(decide().toDevice);
  costModel->Learn(forecast, Backend::Cpu, 4.0, nullptr);
  EXPECT_TRUE(decide().toDevice) << "the host has worked ten times as long as the try took";
}

TEST(BackendCostModel, UseIsCountedByBackend)
{
  const auto costModel = NewCostModel();
  EXPECT_EQ(DescribeUse(costModel->GetUse()), "");
  EXPECT_EQ(costModel->GetUse().Most(), Backend::None);
  costModel->Count(Backend::Cpu, 0.25);
  costModel->Count(Backend::Cuda, 0.5);
  costModel->Count(Backend::Cuda, 1.5);
  const BackendUse use = costModel->GetUse();
  EXPECT_EQ(use[Backend::Cuda].calls, 2U);
  EXPECT_EQ(use[Backend::Cuda].seconds, 2.0);
  EXPECT_EQ(use.Most(), Backend::Cuda);
  EXPECT_EQ(DescribeUse(use), "Cuda 2 calls in 2 s, Cpu 1 call in 250 ms");
}

TEST(BackendCostModel, TheReasonHasTheNumbersInALine)
{
  BackendDecision decision;
  decision.forecast.host = 0.0034;
  decision.forecast.device = 0.001;
  EXPECT_EQ(decision.Describe(), "estimated 3.4 ms on the CPU and 1 ms on the GPU");
  decision.wait = 1.5;
  EXPECT_EQ(decision.Describe(), "estimated 3.4 ms on the CPU and 1.5 s on the GPU, 1.5 s of these to start it");
  decision.forecast.host = 123.0;
  decision.forecast.device = 0.0;
  decision.wait = 0.468;
  EXPECT_EQ(decision.Describe(), "estimated 120 s on the CPU and 470 ms on the GPU, 470 ms of these to start it");
  decision.forecast.host = 0.00002345;
  decision.wait = 0.0;
  EXPECT_EQ(decision.Describe(), "estimated 0.023 ms on the CPU and 0 ms on the GPU");
  decision.forecast.calls = 100.0;
  decision.forecast.furtherHost = 0.02;
  decision.forecast.furtherDevice = 0.001;
  decision.wait = 0.1;
  decision.isStarting = true;
  EXPECT_EQ(decision.Describe(),
            "estimated 0.023 ms on the CPU and 100 ms on the GPU, 100 ms of these until it has started, 20 ms and 1 ms "
            "for each of 99 more");
  decision.forecast.calls = 1.0;
  decision.wait = 0.0;
  decision.startsInBackground = true;
  EXPECT_EQ(decision.Describe(),
            "estimated 0.023 ms on the CPU and 0 ms on the GPU; the GPU is started in the background");
}

// More kinds than it has room for: those are estimated by the model.
TEST(BackendCostModel, RunsOutOfRoomInSilence)
{
  const auto  costModel = NewCostModel();
  BackendWork work;
  for (std::uint64_t kind = 1; kind < 3000; ++kind)
  {
    work.host = WorkOf({ 1, 1e-3, 1e-4, 0.0, false, kind });
    work.device = work.host;
    costModel->Learn(costModel->Forecast(work, 16), Backend::Cpu, 2e-3, nullptr);
    costModel->Learn(costModel->Forecast(work, 16), Backend::Cpu, 2e-3, nullptr);
  }
  EXPECT_NEAR(costModel->Forecast(work, 16).host, 1e-3, 1e-9);
}
