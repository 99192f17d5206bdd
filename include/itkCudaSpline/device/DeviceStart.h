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
#ifndef itkCudaSpline_device_DeviceStart_h
#define itkCudaSpline_device_DeviceStart_h

#include "itkCudaSpline/device/DeviceError.h"

#include <functional>
#include <optional>

/** \file
 * \brief The start of CUDA in a process: driver, context and first buffers take some tenths of a second, which a
 * program can overlap with other work, or avoid if the host finishes first. Compiles with and without the CUDA Toolkit.
 * */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief How far CUDA has come on a device of this process. */
enum class DeviceState : unsigned char
{
  Stopped,  ///< nothing was done: the first operation pays for the start
  Starting, ///< StartDeviceInBackground() is at work
  Started   ///< there is a context, ours or another library's
};

/** \brief True where the kernel driver of an NVIDIA GPU is there and CUDA_VISIBLE_DEVICES does not hide all devices.
 * Touches no CUDA: some microseconds. */
bool
DriverIsPresent();

/** \brief State of a device. Asks without starting anything: a process that never used CUDA does not load its driver
 * here.
 *
 * \param[in] device device number */
DeviceState
GetDeviceState(int device);

/** \brief Makes the context of a device, where there is none yet, and waits for it.
 *
 * \param[in] device device number
 * \return seconds that it took; 0 where it was there
 * \exception DeviceError the device is unavailable: no driver, one older than the runtime, or in use by somebody alone;
 * or what a start in the background has met, once, without a try of its own
 */
double
StartDevice(int device);

/** \brief A start in the background that failed. */
struct FailedStart
{
  DeviceError error;   ///< that it met
  double      seconds; ///< that it took to fail
};

/** \brief The error of a start in the background, if it failed within the last minute, was not reported yet, and the
 * device has not started since. Takes no lock.
 *
 * \param[in] device device number */
std::optional<FailedStart>
TakeFailedStart(int device);

/** \brief StartDevice() in a thread of its own; returns at once.
 *
 * Its error is kept for the first operation that needs the device, which does not try again. A process that ends
 * meanwhile waits for the half of the start that is at work, the driver's or the context's. A call while another one is
 * at work, and one in a forked child, does nothing.
 *
 * \param[in] device device number
 * \param[in] then called in the thread afterwards, to load kernels for instance; its exceptions are dropped; may be
 * empty */
void
StartDeviceInBackground(int device, const std::function<void()> & then);

/** \brief Waits until no start is at work in the background. */
void
WaitForDeviceStart();

/** \brief Waits for the half of a start that is at work in the background, and has it do nothing more; no other start
 * begins. For the end of a program that may have begun one, before CUDA's own clean-up; exit() calls it as well. */
void
GiveUpDeviceStart();

/** \brief Seconds since the last start in the background began. */
double
SecondsSinceStartBegan();

/** \brief Seconds of the start that this process has paid for, in the foreground or the background; 0 before. */
double
SecondsOfDeviceStart();

/** \brief Seconds that the last start took that failed, in the foreground or the background; 0 before. */
double
SecondsOfFailedStart();

/** @} */
} // namespace itk::CudaSpline

#endif
