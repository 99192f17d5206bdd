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
#ifndef itkCudaSpline_kernels_backend_OperationRun_h
#define itkCudaSpline_kernels_backend_OperationRun_h

#include "itkCudaSpline/kernels/backend/BackendChoice.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A plan of an operation for some devices, or for the host. */
struct OperationPlan
{
  MemoryPlan memory; ///< the memory that it needs, compared with what the devices can allocate; not used for the host
  /** Runs the planned operation on the backend and the first device of the context. */
  std::function<void(const ExecutionContext & context)> run;
};

/** \brief An operation on host arrays, with the information to select its backend. */
struct RunnableOperation
{
  /** Returns the work on the host and on the device with that number. It is called if the choice is the module's. */
  std::function<BackendWork(int device)> work;
  /** Plans the operation for some devices, of which the first one does all work that is not shared. Without devices it
   * is planned for the host. This has no side effects; only the last plan is run, from its beginning. */
  std::function<OperationPlan(const std::vector<int> & devices)> plan;
  /** Whether several devices can share the work. */
  bool isShared{ false };
  /** Whether the duration of the run can be compared with the estimated work. False if the estimate includes later uses
   * of the result. */
  bool isMeasured{ true };
};

/** \brief The backend that computed an operation. */
struct RunRecord
{
  Backend          backend{ Backend::None }; ///< the backend
  std::string      reason;                   ///< why a preferred backend was not used, in addition to the decision
  std::vector<int> devices;                  ///< devices of the Cuda backend
  double           seconds{ 0.0 };           ///< its duration there
  /** The module's decision; empty if the user decided, or if there was no choice. */
  std::optional<BackendDecision> decision;

  /** Why an earlier backend was not used; empty if it was the first one. */
  std::string
  DescribeFallback() const
  {
    const bool isChosen = backend == Backend::Cpu && reason.empty() && decision;
    return isChosen ? decision->Describe() : reason;
  }
};

/** \brief The devices on which an operation is tried. */
struct DeviceSelection
{
  std::vector<int> devices; ///< empty: the host
  std::string      reason;  ///< why there are no devices, in addition to the decision; else empty
  OperationPlan    plan;    ///< plan for the devices; empty without devices
  /** The module's decision; empty if the user decided, or if there was no choice. */
  std::optional<BackendDecision> decision;
};

/** \brief Selects the devices of an operation, and starts them: devices that it needs before the function returns, and
 * a device that later calls will need in the background.
 *
 * \param[in] operation the operation, which is not run
 * \param[in] word the user's option, as for SelectDevice()
 * \param[in] isOurs the choice is the module's: the backend that is estimated to finish first
 * \param[in] threads threads of the host
 * \param[in] sequence the calls of the operation's object; may be null
 * \param[in] isAsked false for a query only: no device is started in the background
 * \exception DeviceError the user requested a device that is not available (Kind::Request) */
DeviceSelection
ChooseDevices(const RunnableOperation & operation,
              const std::string &       word,
              bool                      isOurs,
              unsigned int              threads,
              const CallSequence *      sequence = nullptr,
              bool                      isAsked = true);

/** \brief Runs an operation on the selected devices, or on the host if there are none or if they fail. Counts the call,
 * and records its duration if the choice was the module's.
 *
 * If a device lacks memory, is unavailable or lost, or fails in another way, the host takes over, and the reason is
 * recorded. If memory runs out, the operation is first planned again with the remaining memory.
 *
 * \param[in] operation the operation
 * \param[in] selection the devices
 * \param[in] context threads, progress; backend and device are set by this function
 * \param[in,out] sequence the calls of the operation's object; may be null
 * \return its backend
 * \exception std::invalid_argument an exception of the operation
 * \exception OperationAborted the progress callback stopped it */
RunRecord
RunSelected(const RunnableOperation & operation,
            const DeviceSelection &   selection,
            const ExecutionContext &  context,
            CallSequence *            sequence = nullptr);

/** \brief ChooseDevices() and RunSelected().
 *
 * \param[in] operation the operation
 * \param[in] word the user's option, as for SelectDevice()
 * \param[in] context as for RunSelected()
 * \return its backend
 * \exception DeviceError the user requested a device that is not available (Kind::Request)
 * \exception std::invalid_argument an exception of the operation
 * \exception OperationAborted the progress callback stopped it */
RunRecord
RunOperation(const RunnableOperation & operation, const std::string & word, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
