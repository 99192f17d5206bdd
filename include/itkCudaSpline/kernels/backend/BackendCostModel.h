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
#ifndef itkCudaSpline_kernels_backend_BackendCostModel_h
#define itkCudaSpline_kernels_backend_BackendCostModel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/** \file
 * \brief Decides whether the next call runs on the host or on a device, if the user leaves the choice to the module.
 *
 * The first use of a GPU waits until CUDA has started, which takes longer than many small calls on the host. A call is
 * therefore not considered alone. Three rules decide, in this order:
 *
 * 1. *Announced calls.* A registration knows that some hundred calls follow. If these are worth the start, CUDA is
 * started immediately, in a separate thread, while the host works. Between two calls the work moves to the device.
 * 2. *Rent or buy.* If the number of calls is unknown, the time that calls lose on the host is summed. A device is
 * started in the background when a process has lost as much time as a started device needs to shut down, and has run as
 * long as a start can cost. A process that ends at that time has taken at most twice as long as necessary. The same
 * sum, for each object, decides when images move to a device.
 * 3. *Measured durations.* Estimates are those of typical machines. Each call corrects them for its kind and size.
 * Occasionally the slower backend is tried again, for a fiftieth of the time, because the load of machines changes.
 *
 * These rules use neither CUDA nor a clock: the caller reports events. Tests can therefore simulate machines. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The work of a call on the host and on a device. */
struct BackendWork
{
  OperationWork host;   ///< on the host: less if the source exists there
  OperationWork device; ///< on a device, including transfers: less if the source exists there
  /** The work of an additional call of the same object on either backend, if sources and images exist there. Empty: the
   * same work as this call. */
  std::optional<OperationWork> further{};
  double                       calls{ 1.0 };   ///< minimum number of announced calls, including this one
  bool                         isAll{ false }; ///< this process makes no other calls
};

/** \brief Number of calls and their duration for each backend. */
struct BackendUse
{
  /** \brief The calls of one backend. */
  struct Count
  {
    std::uint64_t calls{ 0 };     ///< number of calls
    double        seconds{ 0.0 }; ///< their total duration
  };
  std::array<Count, 4> counts; ///< indexed by Backend

  /** Adds a call. */
  void
  Add(Backend backend, double seconds)
  {
    Count & count = counts[static_cast<std::size_t>(backend)];
    ++count.calls;
    count.seconds += seconds;
  }

  /** The calls of a backend. */
  const Count &
  operator[](Backend backend) const
  {
    return counts[static_cast<std::size_t>(backend)];
  }

  /** The backend with the largest number of calls; None without calls. */
  Backend
  Most() const;
};

/** \brief Text as "Cuda 140 calls in 0.21 s, Cpu 3 calls in 0.4 s"; empty without calls. */
std::string
DescribeUse(const BackendUse & use);

/** \brief The repeated calls of an object: a metric, an interpolator, a filter in a loop. */
struct CallSequence
{
  BackendUse use;         ///< their backends
  double     lost{ 0.0 }; ///< seconds that they took longer on the host than on a device, since images last moved there
};

/** \brief Estimated seconds of a call. */
struct CallForecast
{
  double host{ 0.0 };          ///< s on the host
  double device{ 0.0 };        ///< s on a started device
  double furtherHost{ 0.0 };   ///< s of an additional call on the host
  double furtherDevice{ 0.0 }; ///< s of an additional call, if everything is on the device
  double calls{ 1.0 };         ///< number of announced calls, including this one
  bool   isAll{ false };       ///< this process makes no other calls
  /** Number of measured calls of this kind and size on each backend. */
  ///@{
  std::uint32_t hostCalls{ 0 };
  std::uint32_t deviceCalls{ 0 };
  ///@}
  /** Duration of calls of this kind on one backend since the other was last tried (s). */
  double sinceHost{ 0.0 };   ///< on the device
  double sinceDevice{ 0.0 }; ///< on the host
  /** Where the cost model stores the measurements of this call. */
  ///@{
  std::uint64_t hostKey{ 0 };
  std::uint64_t deviceKey{ 0 };
  double        modelHost{ 0.0 };
  double        modelDevice{ 0.0 };
  ///@}
};

/** \brief The state of a device's start. */
struct DeviceProgress
{
  /** \brief The states. */
  enum class State : unsigned char
  {
    Stopped,  ///< the first use waits for the start
    Starting, ///< in a separate thread
    Started   ///< it can be used immediately
  };
  State  state{ State::Stopped }; ///< the state
  double since{ 0.0 };            ///< seconds since the start began
};

/** \brief The selected backend of a call, and the numbers that explain it. */
struct BackendDecision
{
  bool         toDevice{ false };           ///< else to the host
  bool         startsInBackground{ false }; ///< the host is used, and the device is started in the background
  bool         isAskedAgain{ false };       ///< the slower backend is tried again
  bool         isStarting{ false };         ///< the device was being started
  double       wait{ 0.0 };                 ///< seconds that a call on the device would have waited for its start
  CallForecast forecast;                    ///< the call
  /** Reason of a failed start, if it is too early to try again; else null. */
  const std::string * failure{ nullptr };

  /** The explanation, in one line. */
  std::string
  Describe() const;
};

/** \brief The measurements of a process on its machine, and the rules above.
 *
 * It has no lock that is waited for, and nothing to destroy: a child that is forked while another thread holds a lock
 * would wait endlessly. Threads that record times at the same time may overwrite each other's times, which are only
 * estimates. */
class BackendCostModel
{
public:
  constexpr BackendCostModel() = default;

  /** \brief Estimates a call.
   *
   * \param[in] work work of the call
   * \param[in] threads threads of the host */
  CallForecast
  Forecast(const BackendWork & work, unsigned int threads) const;

  /** \brief Selects the backend of a call, without side effects.
   *
   * \param[in] forecast the call
   * \param[in] progress state of the device
   * \param[in] lostHere CallSequence::lost of its object
   * \param[in] age age of the process (s) */
  BackendDecision
  Decide(const CallForecast & forecast, const DeviceProgress & progress, double lostHere, double age) const;

  /** \brief Whether starting a device is worth while for calls that will follow later.
   *
   * \param[in] forecast the calls
   * \param[in] overlap seconds of other work before the first call, with which the start overlaps */
  bool
  IsWorthAStart(const CallForecast & forecast, double overlap) const;

  /** \brief Records the duration of a call.
   *
   * \param[in] forecast as it was before the call
   * \param[in] backend Cuda or Cpu
   * \param[in] seconds duration of the call
   * \param[in,out] sequence the calls of its object; may be null */
  void
  Learn(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence);

  /** \brief Counts a call, for any selection of its backend. */
  void
  Count(Backend backend, double seconds);

  /** \brief The use of the backends by the calls of the process. */
  BackendUse
  GetUse() const;

  /** \brief Resets everything except the measured times, for a forked child. */
  void
  Restart();

  /** \brief Records that the device could not be started. The time that calls lose on the host is counted from zero,
   * and no call uses the device before the host has worked ten times as long as the attempt took.
   *
   * \param[in] reason the reason, for the calls that follow
   * \param[in] seconds duration of the attempt */
  void
  RememberFailure(const std::string & reason, double seconds);

  /** \brief Sets the speeds of a machine that is not typical. Must be called before the first call. */
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
  /** Measured calls of one kind and similar size on one backend: ratios of their duration to the model's. */
  struct Entry
  {
    std::atomic<std::uint64_t>        key{ 0 }; ///< 0: free
    std::atomic<std::uint32_t>        calls{ 0 };
    std::array<std::atomic<float>, 3> factors{};    ///< of the last three calls
    std::atomic<float>                since{ 0.F }; ///< seconds on the other backend since the last of them
  };
  /** Maximum number of kinds and sizes that are measured in a process; the model estimates all others. */
  static constexpr std::size_t Entries = 1024;
  /** Maximum number of entries that are searched for a key. */
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
  std::atomic<double>                       m_Lost{ 0.0 }; ///< seconds that all calls have lost on the host
  /** Seconds of the host's work before the device is tried again. */
  std::atomic<double>              m_Wait{ 0.0 };
  std::atomic<const std::string *> m_Failure{ nullptr }; ///< reason of the last failed attempt, never freed
  bool                             m_Known{ false };
  HostSpeeds                       m_Host;
  DeviceSpeeds                     m_Device;
};

/** @} */
} // namespace itk::CudaSpline

#endif
