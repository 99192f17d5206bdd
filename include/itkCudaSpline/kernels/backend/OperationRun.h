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

/** \brief How an operation is done on some devices, or on the host. */
struct OperationPlan
{
  MemoryPlan memory; ///< what it needs, held against what the devices have to give; of the host nothing is asked
  /** Does what was planned, on the backend and the first device of the context. */
  std::function<void(const ExecutionContext & context)> run;
};

/** \brief An operation on host arrays, and what has to be known to choose where it runs. */
struct RunnableOperation
{
  /** What there is to do on the host and on the device of that number; asked where the choice is the module's. */
  std::function<BackendWork(int device)> work;
  /** Plans it for some devices, of which the first does what is not shared; none: for the host. Nothing is changed by
   * that; the plan that was made last is the one that runs, from its start. */
  std::function<OperationPlan(const std::vector<int> & devices)> plan;
  /** Whether several devices can share it. */
  bool isShared{ false };
  /** Whether the work is what is run, so that its time says something of the estimates; not where it includes what will
   * be done with the result. */
  bool isMeasured{ true };
};

/** \brief Who computed an operation. */
struct RunRecord
{
  Backend          backend{ Backend::None }; ///< the backend
  std::string      reason;                   ///< why it was not a preferred backend, in addition to the choice
  std::vector<int> devices;                  ///< of the Cuda backend
  double           seconds{ 0.0 };           ///< that it took there
  /** What the module has chosen; empty where the user has, or there is nothing to choose. */
  std::optional<BackendDecision> decision;

  /** Why it was not an earlier backend; empty where it was the first. */
  std::string
  DescribeFallback() const
  {
    const bool isChosen = backend == Backend::Cpu && reason.empty() && decision;
    return isChosen ? decision->Describe() : reason;
  }
};

/** \brief The devices that an operation shall try. */
struct DeviceSelection
{
  std::vector<int> devices; ///< none: the host
  std::string      reason;  ///< why there are none, in addition to the choice; empty otherwise
  OperationPlan    plan;    ///< for the devices; empty where there are none
  /** What the module has chosen; empty where the user has, or there is nothing to choose. */
  std::optional<BackendDecision> decision;
};

/** \brief Chooses the devices for an operation, and starts them: those that it needs now before it returns, one that
 * later calls will need in the background.
 *
 * \param[in] operation the operation, which is not run
 * \param[in] word the user's wish, as for SelectDevice()
 * \param[in] isOurs the choice is left to the module: what is estimated to be done first
 * \param[in] threads threads of the host
 * \param[in] sequence the calls of the operation's object; may be null
 * \param[in] isAsked false where it is only asked what would be done: nothing is started in the background then
 * \exception DeviceError the user asked for what there is not (Kind::Request) */
DeviceSelection
ChooseDevices(const RunnableOperation & operation,
              const std::string &       word,
              bool                      isOurs,
              unsigned int              threads,
              const CallSequence *      sequence = nullptr,
              bool                      isAsked = true);

/** \brief Runs an operation on the devices that were chosen for it, and on the host where there are none or they fail;
 * counts it, and learns what it took where the choice was the module's.
 *
 * A device that lacks memory, is unavailable or lost, or fails otherwise, makes the host take over, with the reason;
 * memory that ran out first makes another plan with what is left.
 *
 * \param[in] operation the operation
 * \param[in] selection the devices
 * \param[in] context threads, progress; backend and device are set by this function
 * \param[in,out] sequence the calls of the operation's object; may be null
 * \return its backend
 * \exception std::invalid_argument of the operation
 * \exception OperationAborted the progress callback stopped it */
RunRecord
RunSelected(const RunnableOperation & operation,
            const DeviceSelection &   selection,
            const ExecutionContext &  context,
            CallSequence *            sequence = nullptr);

/** \brief ChooseDevices() and RunSelected().
 *
 * \param[in] operation the operation
 * \param[in] word the user's wish, as for SelectDevice()
 * \param[in] context as for RunSelected()
 * \return its backend
 * \exception DeviceError the user asked for what there is not (Kind::Request)
 * \exception std::invalid_argument of the operation
 * \exception OperationAborted the progress callback stopped it */
RunRecord
RunOperation(const RunnableOperation & operation, const std::string & word, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
