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
#ifndef itkCudaSplineBackend_h
#define itkCudaSplineBackend_h

#include "CudaSplineExport.h"
#include "itkCudaSplineTrace.h"
#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include "itkIndent.h"
#include "itkMultiThreaderBase.h"
#include "itkProcessObject.h"

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineHostExecutor
 * \brief Runs the lower layers' loops on ITK's multi-threader, so that ITK's thread settings hold.
 *
 * \ingroup CudaSpline */
class CudaSpline_EXPORT CudaSplineHostExecutor : public CudaSpline::HostExecutor
{
public:
  /** \param[in] threader runs the loops; kept for the life of this object */
  explicit CudaSplineHostExecutor(MultiThreaderBase * threader)
    : m_Threader(threader)
  {}

  void
  ParallelFor(std::int64_t count, const Body & body) const override;

  /** Number of work units of the threader, at most its threads. */
  unsigned int
  GetConcurrency() const override;

private:
  MultiThreaderBase::Pointer m_Threader;
};

/** \class CudaSplineBackend
 * \brief Selects the backend of a class of the module, and records which one ran and the reason if it was not the first
 * choice.
 *
 * Each class of the module has one, which itkCudaSplineBackendMacro() makes public. Backends are tried in the order
 * Cuda, Cpu. If neither supports an operation, the class calls its superclass with RunSuperclass(). Each operation is a
 * line of the trace (CudaSplineTrace).
 *
 * \ingroup CudaSpline */
class CudaSpline_EXPORT CudaSplineBackend
{
public:
  /** An operation, with the functions that are needed to choose its backend. */
  struct Operation
  {
    /** The work on the host and on a device; called if the module chooses the backend. */
    std::function<CudaSpline::BackendWork(int device)> work;
    /** The device memory that it needs, compared with the available memory of a device. */
    std::function<CudaSpline::MemoryPlan(int device)> memory;
    /** Runs the operation on the backend of the context; after a failure it is called again for the next backend. */
    std::function<void(const CudaSpline::ExecutionContext &)> run;
    /** Instead of the memory and the run: plans it, for several devices that share it too (RunnableOperation::plan). */
    std::function<CudaSpline::OperationPlan(const std::vector<int> & devices)> plan;
    /** Describes the operation for the trace. */
    CudaSplineTrace::Describe describe;
  };

  /** Switches the GPU on or off. If it is on, operations run on the GPU. Before the first call, operations run on the
   * backend that is expected to finish them and those that follow first, including the start of CUDA
   * (BackendCostModel.h). Returns true for a change. */
  bool
  SetGPUEnabled(bool enabled);
  /** True if the GPU was switched on, or if the module chooses and a GPU is usable. The latter starts CUDA. */
  bool
  GetGPUEnabled() const;

  /** Device to use: "cpu", "gpu" (the first), a number, or several numbers ("0,1") that share operations if possible.
   * "auto" chooses for each operation; "" follows CUDASPLINE_DEVICE, or chooses if it is not set. Returns true for a
   * change. */
  bool
  SetDevice(const std::string & device);
  /** The argument of SetDevice(). */
  const std::string &
  GetDevice() const
  {
    return m_Device;
  }

  /** The backend that computed the last operation. */
  CudaSpline::Backend
  GetLastBackend() const
  {
    return m_LastBackend;
  }
  /** The reason why it was not the first backend; empty if it was. */
  std::string
  GetFallbackReason() const
  {
    return m_Decision && m_LastBackend == CudaSpline::Backend::Cpu && m_FallbackReason.empty() ? m_Decision->Describe()
                                                                                               : m_FallbackReason;
  }
  /** The reason for the backend, with the estimates if the module chose it; empty if there was no choice. */
  std::string
  GetReason() const
  {
    return m_FallbackReason.empty() && m_Decision ? m_Decision->Describe() : m_FallbackReason;
  }
  /** How many operations of this object each backend has computed, in how many seconds. */
  const CudaSpline::BackendUse &
  GetUse() const
  {
    return m_Calls.use;
  }
  /** The devices that were chosen for the operation that runs, or ran last; empty for the host. */
  const std::vector<int> &
  GetChosenDevices() const
  {
    return m_Devices;
  }

  /** \brief Starts the GPU in the background if the module chooses the backend and the expected calls are worth it.
   *
   * \param[in] work the work of these calls
   * \param[in] threads threads of the host */
  void
  StartAhead(const CudaSpline::BackendWork & work, unsigned int threads) const;

  /** \brief What Run() would choose: the backend, the devices, and the reason. Starts a device if Run() would.
   *
   * \param[in] operation the operation, which is not run
   * \param[in] threads threads of the host
   * \exception ExceptionObject an unknown device */
  CudaSplineBackend
  Predict(const Operation & operation, unsigned int threads) const;

  /** \brief Runs an operation on the first backend that supports it, and records which.
   *
   * If a device has too little memory, is unavailable or lost, or fails, the Cpu backend runs the operation, with the
   * reason.
   *
   * \param[in] operation the operation
   * \param[in] threader threads of the host
   * \param[in] process receives progress, and is asked for an abort; may be null
   * \exception ExceptionObject an unknown device, or invalid arguments of the operation
   * \exception ProcessAborted the process object's abort flag is set */
  void
  Run(const Operation & operation, MultiThreaderBase * threader, ProcessObject * process);

  /** \brief Runs an operation on the device that has its arrays, without a fallback, and records it.
   *
   * \param[in] device the device
   * \param[in] operation the operation; its work and its memory are not queried
   * \exception ExceptionObject the user's choice excludes that device, the device fails, or invalid arguments */
  void
  RunOnDevice(int device, const Operation & operation);

  /** Records that the superclass answers, and why. */
  void
  RecordSuperclass(const std::string & reason);

  /** \brief Runs the superclass, and records that and the reason.
   *
   * \param[in] reason the reason
   * \param[in] describe what the operation is, for the trace
   * \param[in] run calls the superclass; its exceptions are passed on
   * \param[in] process its inputs are copied to host memory before; null: none */
  void
  RunSuperclass(const std::string &               reason,
                const CudaSplineTrace::Describe & describe,
                const std::function<void()> &     run,
                ProcessObject *                   process = nullptr);

  /** Records the operations that another object of the module ran for the owner. */
  void
  Record(const CudaSplineBackend & other);

  /** Takes the user's choices of another object. */
  void
  CopyChoice(const CudaSplineBackend & other);

  /** Prints the user's choice, the backend that ran last, and the reason. */
  void
  Print(std::ostream & os, Indent indent) const;

private:
  enum class Choice : unsigned char
  {
    Automatic,
    On,
    Off
  };

  /** True if neither the user nor the environment sets where operations run. */
  bool
  IsAutomatic() const;

  /** Counts an operation of the last backend that began then. */
  void
  CountSince(std::chrono::steady_clock::time_point begin);

  /** Chooses the devices to try, none for the host, and sets them and why. */
  CudaSpline::DeviceSelection
  ChooseDevices(const CudaSpline::RunnableOperation & operation, unsigned int threads, bool isAsked = true);

  Choice              m_Choice{ Choice::Automatic };
  std::string         m_Device;
  CudaSpline::Backend m_LastBackend{ CudaSpline::Backend::None };
  std::string         m_FallbackReason;
  std::vector<int>    m_Devices;

  std::optional<CudaSpline::BackendDecision> m_Decision; ///< where the choice was ours
  CudaSpline::CallSequence                   m_Calls;
};

/** \def itkCudaSplineBackendUseMacro
 * \brief The part of itkCudaSplineBackendMacro() whose type ITK's wrapping does not know. */
#if defined(ITK_WRAPPING_PARSER)
#  define itkCudaSplineBackendUseMacro()
#else
#  define itkCudaSplineBackendUseMacro()                                                                               \
    virtual CudaSpline::BackendUse GetBackendUse() const                                                               \
    {                                                                                                                  \
      return m_Backend.GetUse();                                                                                       \
    }
#endif

/** \def itkCudaSplineBackendMacro
 * \brief The functions by which every class of the module shows its CudaSplineBackend, m_Backend.
 *
 * SetGPUEnabled(bool) chooses; the default is on when a usable GPU is there, for operations that are estimated to be
 * done first there. SetDevice() names one ("cpu", "gpu", "0", "1", "0,1", ...; "" follows the environment variable
 * CUDASPLINE_DEVICE). GetLastBackend() returns the backend that ran last, GetFallbackReason() why it was not a
 * preferred one, GetBackendUse() the number of calls of each so far. */
#define itkCudaSplineBackendMacro()                                                                                    \
  virtual void SetGPUEnabled(bool enabled)                                                                             \
  {                                                                                                                    \
    if (m_Backend.SetGPUEnabled(enabled))                                                                              \
    {                                                                                                                  \
      this->Modified();                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  virtual bool GetGPUEnabled() const                                                                                   \
  {                                                                                                                    \
    return m_Backend.GetGPUEnabled();                                                                                  \
  }                                                                                                                    \
  virtual void GPUEnabledOn()                                                                                          \
  {                                                                                                                    \
    this->SetGPUEnabled(true);                                                                                         \
  }                                                                                                                    \
  virtual void GPUEnabledOff()                                                                                         \
  {                                                                                                                    \
    this->SetGPUEnabled(false);                                                                                        \
  }                                                                                                                    \
  virtual void SetDevice(const std::string & device)                                                                   \
  {                                                                                                                    \
    if (m_Backend.SetDevice(device))                                                                                   \
    {                                                                                                                  \
      this->Modified();                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  virtual const std::string & GetDevice() const                                                                        \
  {                                                                                                                    \
    return m_Backend.GetDevice();                                                                                      \
  }                                                                                                                    \
  virtual CudaSpline::Backend GetLastBackend() const                                                                   \
  {                                                                                                                    \
    return m_Backend.GetLastBackend();                                                                                 \
  }                                                                                                                    \
  virtual std::string GetFallbackReason() const                                                                        \
  {                                                                                                                    \
    return m_Backend.GetFallbackReason();                                                                              \
  }                                                                                                                    \
  itkCudaSplineBackendUseMacro() static_assert(true, "a semicolon follows the macro")

} // namespace itk

#endif
