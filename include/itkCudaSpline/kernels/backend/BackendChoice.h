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

#include "itkCudaSpline/kernels/backend/BackendLedger.h"

#include <functional>
#include <optional>
#include <string>

/** \file
 * \brief The choice between host and device for the calls of this process: the rules of BackendLedger with this
 * machine's devices and clock. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief True where there is something to choose: a driver that this library can use, in a process that is not a
 * forked child, and has lost no device. Touches no CUDA. */
bool
IsThereAChoice();

/** \brief Where a call goes whose device the user left to the module; empty where there is nothing to choose. Touches
 * no CUDA unless the process has started it, and starts nothing.
 *
 * \param[in] work what has to be done
 * \param[in] threads threads that it will have on the host
 * \param[in] device the device in question
 * \param[in] sequence the calls of its object; may be null */
std::optional<BackendDecision>
DecideBackend(const BackendWork & work, unsigned int threads, int device, const CallSequence * sequence = nullptr);

/** \brief Seconds of a call on either side, a device being started. Touches no CUDA.
 *
 * \param[in] work what has to be done
 * \param[in] threads threads that it will have on the host */
CallForecast
ForecastOnThisMachine(const BackendWork & work, unsigned int threads);

/** \brief Learns what a call has taken that DecideBackend() has sent somewhere.
 *
 * \param[in] forecast BackendDecision::forecast
 * \param[in] backend that computed it
 * \param[in] seconds that it took
 * \param[in,out] sequence the calls of its object; may be null */
void
LearnFromCall(const CallForecast & forecast, Backend backend, double seconds, CallSequence * sequence);

/** \brief Counts a call, whoever chose its backend.
 *
 * \param[in] backend that computed it
 * \param[in] seconds that it took
 * \param[in,out] sequence the calls of its object; may be null */
void
CountCall(Backend backend, double seconds, CallSequence * sequence);

/** \brief Who has computed the calls of this process so far. */
BackendUse
GetBackendUse();

/** \brief Starts a device in the background, where calls that come after other work will run there.
 *
 * Returns at once. For a program that knows from a file's header what it is going to do, or an object that is prepared
 * for many calls: the start overlaps with earlier work.
 *
 * \param[in] word the user's wish, as for SelectDevice(): a device that was named is started in any case
 * \param[in] work the calls
 * \param[in] threads threads that they would have on the host
 * \param[in] overlap seconds of other work before them
 * \param[in] then called in the thread afterwards, to load kernels for instance (ResampleKernelsLoader()); may be empty
 * \return true where the device is being started or was started before */
bool
StartDeviceAhead(const std::string &              word,
                 const BackendWork &              work,
                 unsigned int                     threads,
                 double                           overlap,
                 const std::function<void(int)> & then = {});

/** \brief Tells that a device could not be started for a call that DecideBackend() sent there.
 *
 * What calls have lost on the host is then counted anew, and none is sent there before the host has worked ten times as
 * long as the try took: trying costs a tenth at most.
 *
 * \param[in] reason why, for the calls that follow
 * \param[in] seconds that the try took */
void
ReportStartFailure(const std::string & reason, double seconds);

/** \brief Tells the speeds of this machine, where they are known and far from typical. Before the first call.
 *
 * \param[in] host of its host, with the threads that calls will have
 * \param[in] device of its device */
void
SetMachineSpeeds(const HostSpeeds & host, const DeviceSpeeds & device);

/** @} */
} // namespace itk::CudaSpline

#endif
