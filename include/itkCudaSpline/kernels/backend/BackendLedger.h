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
#ifndef itkCudaSpline_kernels_backend_BackendLedger_h
#define itkCudaSpline_kernels_backend_BackendLedger_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/** \file
 * \brief Whether the next call runs on the host or on a device, where the user leaves it to the module.
 *
 * The first use of a GPU waits until CUDA has started, longer than small calls take altogether on the host; so a call
 * is not judged alone. Three things decide, in this order:
 *
 *   1. *What is known to come.* A registration knows that some hundred calls follow. Where these are worth the start,
 *      CUDA is started at once, in a thread of its own, while the host works; between two calls the work moves over.
 *   2. *Rent or buy.* Where nothing is known, what calls lose on the host is added up. When a process has lost as much
 *      as a started device takes it to end, and has run as long as a start can cost it, the device is started in the
 *      background: a process that ends right then has taken at most twice as long as necessary. The same sum, by
 *      object, decides when images move to a device.
 *   3. *What calls have taken.* Estimates are those of typical machines; each call that ran corrects them for its kind
 *      and size. Now and then the slower side is asked again, for a fiftieth of the time: machines change their load.
 *
 * It uses neither CUDA nor a clock: the caller reports events. So the rules are tested by machines that do not exist.
 * */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What a call has to do on either side. */
struct BackendWork
{
  OperationWork host;   ///< on the host: less where a source is there already
  OperationWork device; ///< on a device, transfers included: less where a source is there already
  /** What a further call of the same object has to do, on either side, where sources and images are there. Empty: as
   * much as this one. */
  std::optional<OperationWork> further{};
  double                       calls{ 1.0 };   ///< that are known to come, with this one: so many at least
  bool                         isAll{ false }; ///< nothing else comes in this process
};

/** \brief How many calls ran where, and how long they took. */
struct BackendUse
{
  /** \brief Of one backend. */
  struct Count
  {
    std::uint64_t calls{ 0 };     ///< how many
    double        seconds{ 0.0 }; ///< all together
  };
  std::array<Count, 4> counts; ///< by Backend

  /** Adds a call. */
  void
  Add(Backend backend, double seconds)
  {
    Count & count = counts[static_cast<std::size_t>(backend)];
    ++count.calls;
    count.seconds += seconds;
  }

  /** Of a backend. */
  const Count &
  operator[](Backend backend) const
  {
    return counts[static_cast<std::size_t>(backend)];
  }

  /** The backend that computed the most calls; None where there were none. */
  Backend
  Most() const;
};

/** \brief "Cuda 140 calls in 0.21 s, Cpu 3 calls in 0.4 s"; empty where there were none. */
std::string
DescribeUse(const BackendUse & use);

/** \brief The calls of an object that is asked again and again: a metric, an interpolator, a filter in a loop. */
struct CallSequence
{
  BackendUse use;         ///< their backend
  double     lost{ 0.0 }; ///< s that they took longer on the host than on a device, since images last moved there
};

/** \brief Estimated seconds of a call. */
struct CallForecast
{
  double host{ 0.0 };          ///< s on the host
  double device{ 0.0 };        ///< s on a started device
  double furtherHost{ 0.0 };   ///< s of a further call
  double furtherDevice{ 0.0 }; ///< s of another call, if everything is on the device
  double calls{ 1.0 };         ///< that are known to come, with this one
  bool   isAll{ false };       ///< nothing else comes in this process
  /** Calls of this kind and size whose times are known, on either side. */
  ///@{
  std::uint32_t hostCalls{ 0 };
  std::uint32_t deviceCalls{ 0 };
  ///@}
  /** What calls of this kind have taken on one side since the other was last asked (s). */
  double sinceHost{ 0.0 };   ///< on the device
  double sinceDevice{ 0.0 }; ///< on the host
  /** Where the ledger keeps what it learns of this call. */
  ///@{
  std::uint64_t hostKey{ 0 };
  std::uint64_t deviceKey{ 0 };
  double        modelHost{ 0.0 };
  double        modelDevice{ 0.0 };
  ///@}
};

/** \brief How far a device has come. */
struct DeviceProgress
{
  /** \brief The states. */
  enum class State : unsigned char
  {
    Stopped,  ///< the first use pays for the start
    Starting, ///< in a thread of its own
    Started   ///< it can be used at once
  };
  State  state{ State::Stopped }; ///< which of them
  double since{ 0.0 };            ///< s since it began to start
};

/** \brief Where a call goes, and the numbers that say why. */
struct BackendDecision
{
  bool         toDevice{ false };           ///< else to the host
  bool         startsInBackground{ false }; ///< to the host, and the device is started in the background
  bool         isAskedAgain{ false };       ///< the slower side, to see whether it still is
  bool         isStarting{ false };         ///< the device was being started
  double       wait{ 0.0 };                 ///< s of the device's start that a call on it would have waited for
  CallForecast forecast;                    ///< the call
  /** Of a start that has failed, where it is too early to try again; else null. */
  const std::string * failure{ nullptr };

  /** Why, in a line. */
  std::string
  Describe() const;
};

/** \brief What a process has learned of its machine, and the rules above.
 *
 * Without a lock that is waited for, and with nothing to destroy: a child that is forked while another thread holds one
 * would wait endlessly. Threads that learn at the same time may lose each other's times, which are estimates. */
class BackendLedger
{
public:
  constexpr BackendLedger() = default;

  /** \brief Estimates a call.
   *
   * \param[in] work what it has to do
   * \param[in] threads threads of the host */
  CallForecast
  Forecast(const BackendWork & work, unsigned int threads) const;

  /** \brief Decides where a call goes. Changes nothing.
   *
   * \param[in] forecast the call
   * \param[in] progress of the device
   * \param[in] lostHere CallSequence::lost of its object
   * \param[in] age s that the process has lived */
  BackendDecision
  Decide(const CallForecast & forecast, const DeviceProgress & progress, double lostHere, double age) const;

  /** \brief Whether a device is worth starting for calls that will come later.
   *
   * \param[in] forecast the calls
   * \param[in] overlap s of other work before the first, with which the start overlaps */
  bool
  IsWorthAStart(const CallForecast & forecast, double overlap) const;

  /** \brief Learns what a call has taken.
   *
   * \param[in] forecast as it was before the call
   * \param[in] backend Cuda or Cpu
   * \param[in] seconds that it took
   * \param[in,out] sequence the calls of its object; may be null */
  void
  Learn(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence);

  /** \brief Counts a call, whoever chose its backend. */
  void
  Count(Backend backend, double seconds);

  /** \brief Who computed the calls of the process. */
  BackendUse
  GetUse() const;

  /** \brief Starts again, except for the measured times: the process is a forked child. */
  void
  Restart();

  /** \brief The device could not be started: what calls have lost is counted anew, and none is sent there before the
   * host has worked ten times as long as the try took.
   *
   * \param[in] reason for the calls that follow
   * \param[in] seconds that the try took */
  void
  RememberFailure(const std::string & reason, double seconds);

  /** \brief Speeds of a machine that is not typical, for those who know it. Before the first call. */
  ///@{
  void
  SetSpeeds(const HostSpeeds & host, const DeviceSpeeds & device);

  DeviceSpeeds
  GetDeviceSpeeds() const
  {
    return m_Known ? m_Device : TypicalDevice();
  }
  ///@}

private:
  /** What calls of a kind, of about a size, have taken on one side: factors by which the model was off. */
  struct Entry
  {
    std::atomic<std::uint64_t>        key{ 0 }; ///< 0: free
    std::atomic<std::uint32_t>        calls{ 0 };
    std::array<std::atomic<float>, 3> factors{};    ///< of the last three
    std::atomic<float>                since{ 0.F }; ///< s on the other side since the last of them
  };
  /** Kinds and sizes that a process is thought to have; those beyond are estimated by the model. */
  static constexpr std::size_t Entries = 1024;
  /** As many are looked at for one of them. */
  static constexpr std::size_t Probes = 32;

  static double
  FactorOf(const Entry & entry);
  const Entry *
  Find(std::uint64_t key) const;
  Entry *
  FindOrAdd(std::uint64_t key);
  double
  FactorFor(std::uint64_t kind, int size) const;

  std::array<Entry, Entries>                m_Entries{};
  std::array<std::atomic<std::uint64_t>, 4> m_Calls{};
  std::array<std::atomic<double>, 4>        m_Seconds{};
  std::atomic<double>                       m_Lost{ 0.0 }; ///< s by all calls on the host
  std::atomic<double>                       m_Wait{ 0.0 }; ///< s of the host's work before the device is tried again
  std::atomic<const std::string *>          m_Failure{ nullptr }; ///< of the last try, never freed
  bool                                      m_Known{ false };
  HostSpeeds                                m_Host;
  DeviceSpeeds                              m_Device;
};

/** @} */
} // namespace itk::CudaSpline

#endif
