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
#ifndef itkCudaSpline_kernels_backend_BackendChoice_h
#define itkCudaSpline_kernels_backend_BackendChoice_h

#include "itkCudaSpline/kernels/backend/BackendCostModel.h"

#include <functional>
#include <optional>
#include <string>

/** \file
 * \brief Selects host or device for the calls of this process: the rules of BackendCostModel with this machine's
 * devices and clock. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief True if there is a choice: the library can use the driver, the process is not a forked child, and no device
 * has been lost. Does not call CUDA. */
bool
HasMultipleBackends();

/** \brief Selects the backend of a call for which the user selected no device; empty if there is no choice. Does not
 * call CUDA unless the process has started it, and starts no device.
 *
 * \param[in] work work of the call
 * \param[in] threads threads of the host for the call
 * \param[in] device the device in question
 * \param[in] sequence the calls of its object; may be null */
std::optional<BackendDecision>
DecideBackend(const BackendWork & work, unsigned int threads, int device, const CallSequence * sequence = nullptr);

/** \brief Estimates the seconds of a call on the host and on a started device. Does not call CUDA.
 *
 * \param[in] work work of the call
 * \param[in] threads threads of the host for the call */
CallForecast
ForecastOnThisMachine(const BackendWork & work, unsigned int threads);

/** \brief Records the duration of a call whose backend DecideBackend() selected.
 *
 * \param[in] forecast BackendDecision::forecast
 * \param[in] backend backend that computed it
 * \param[in] seconds its duration
 * \param[in,out] sequence the calls of its object; may be null */
void
LearnFromCall(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence);

/** \brief Counts a call, for any selection of its backend.
 *
 * \param[in] backend backend that computed it
 * \param[in] seconds its duration
 * \param[in,out] sequence the calls of its object; may be null */
void
CountCall(Backend backend, double seconds, CallSequence * sequence);

/** \brief The use of the backends by the calls of this process so far. */
BackendUse
GetBackendUse();

/** \brief Starts a device in the background if calls that follow other work will run on it.
 *
 * Returns immediately. The start overlaps with earlier work. It is for programs that know their operation from a file's
 * header, and for objects that are prepared for many calls.
 *
 * \param[in] word the user's option, as for SelectDevice(): a device that was named is started in any case
 * \param[in] work the calls
 * \param[in] threads threads of the host for the calls
 * \param[in] overlap seconds of other work before them
 * \param[in] then called in the starting thread after the start, for example to load kernels (ResampleKernelsLoader());
 * may be empty
 * \return true if the device is being started or was started before */
bool
StartDeviceAhead(const std::string &              word,
                 const BackendWork &              work,
                 unsigned int                     threads,
                 double                           overlap,
                 const std::function<void(int)> & then = {});

/** \brief Reports that a device could not be started for a call for which DecideBackend() selected it.
 *
 * The time that calls lose on the host is then counted from zero. No call uses the device before the host has worked
 * ten times as long as the attempt took: attempts cost at most a tenth.
 *
 * \param[in] reason the reason, for the calls that follow
 * \param[in] seconds duration of the attempt */
void
ReportStartFailure(const std::string & reason, double seconds);

/** \brief Sets the speeds of this machine, if they are known and far from typical. Must be called before the first
 * call.
 *
 * \param[in] host speeds of its host, with the threads of the calls
 * \param[in] device speeds of its device */
void
SetMachineSpeeds(const HostSpeeds & host, const DeviceSpeeds & device);

/** @} */
} // namespace itk::CudaSpline

#endif
