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
#ifndef DeviceHealth_h
#define DeviceHealth_h

#include <string>

/** \file
 * \brief The state of the process' CUDA context: the only state that outlives an operation. */

namespace itk::CudaSpline
{

/** \brief The sticky error that ended the process' CUDA context; empty while it is usable. */
std::string
LostDeviceReason();

/** \brief Records a sticky error: from now on no device is used. */
void
RememberLostDevice(const std::string & reason);

/** \brief Ignores the failure of a call that changes nothing, for example of a release.
 *
 * The runtime reports the error of a failed call at the next query, which would be that of a launch: this function
 * clears it. A sticky error is recorded, as by CheckCuda().
 *
 * \param[in] code result of a CUDA call, a cudaError_t */
void
IgnoreCuda(int code) noexcept;

/** \brief Records that this process has initialised CUDA, or is about to. */
void
RememberProcess();

/** \brief Records the process if there is a driver, before a call of CUDA that does not follow another one of these
 * functions.
 *
 * \exception DeviceError Unavailable: this is a forked child, where the call could fail or hang */
void
PrepareForCuda();

/** \brief For cudaErrorInitializationError of a driver that another library has started, as in a child whose parent
 * used CUDA without this library: records that this is such a child.
 *
 * \return false if the process has not been forked since it loaded this library */
bool
RememberForkOfAnother();

/** \brief The number of this process, which differs in a forked child. */
int
ProcessNumber();

/** \brief Why a forked child has no devices. */
extern const char * const ForkedReason;

/** \brief True in a child of fork() whose parent had initialised CUDA, or was about to. */
bool
IsForkedChild();

/** \brief True if the process has not loaded the driver, and is not about to. */
bool
DriverIsAsleep();

/** \brief True if the user hides all devices from CUDA with the variable CUDA_VISIBLE_DEVICES. */
bool
DevicesAreHidden();

/** \brief Records the seconds of the driver's start, the first time. */
void
RememberDriverStart(double seconds);

/** \brief True if this library has started the driver and recorded the time. */
bool
DriverStartIsTimed();

} // namespace itk::CudaSpline

#endif
