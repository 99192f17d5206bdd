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
 * \brief The start of CUDA in a process. Driver, context and first buffers take some tenths of a second. A program can
 * overlap the start with other work, or avoid it if the host finishes first. Compiles with and without the CUDA
 * Toolkit. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief State of CUDA on a device of this process. */
enum class DeviceState : unsigned char
{
  Stopped,  ///< not started: the first operation waits for the start
  Starting, ///< StartDeviceInBackground() is running
  Started   ///< there is a context, of this library or another one
};

/** \brief True if the kernel driver of an NVIDIA GPU is loaded and CUDA_VISIBLE_DEVICES does not hide all devices. Does
 * not call CUDA: takes some microseconds. */
bool
DriverIsPresent();

/** \brief State of a device. Starts nothing: a process that never used CUDA does not load its driver here.
 *
 * \param[in] device device number */
DeviceState
GetDeviceState(int device);

/** \brief Creates the context of a device if it does not exist yet, and waits for it.
 *
 * \param[in] device device number
 * \return duration in seconds; 0 if the context existed
 * \exception DeviceError the device is unavailable: there is no driver, it is older than the runtime, or another
 * process uses the device exclusively. The error of a failed start in the background is thrown once, without another
 * attempt
 */
double
StartDevice(int device);

/** \brief A start in the background that failed. */
struct FailedStart
{
  DeviceError error;   ///< the error
  double      seconds; ///< duration of the attempt
};

/** \brief The error of a start in the background, if it failed within the last minute, was not reported yet, and the
 * device has not started since. Does not lock.
 *
 * \param[in] device device number */
std::optional<FailedStart>
TakeFailedStart(int device);

/** \brief StartDevice() in a separate thread. Returns immediately.
 *
 * Its error is kept for the first operation that needs the device, which does not try again. The start has two halves,
 * for the driver and the context; a process that ends meanwhile waits for the current half. A call has no effect in a
 * forked child, or while another start is running.
 *
 * \param[in] device device number
 * \param[in] then called in that thread after the start, for example to load kernels; its exceptions are ignored; may
 * be empty */
void
StartDeviceInBackground(int device, const std::function<void()> & then);

/** \brief Waits until no start is running in the background. */
void
WaitForDeviceStart();

/** \brief Waits for the current half of a start in the background, cancels the rest, and prevents other starts. For the
 * end of a program that may have begun a start, before CUDA's own clean-up; exit() calls it as well. */
void
GiveUpDeviceStart();

/** \brief Seconds since the last start in the background began. */
double
SecondsSinceStartBegan();

/** \brief Duration of the start for which this process has waited, in the foreground or the background (s); 0 before.
 */
double
SecondsOfDeviceStart();

/** \brief Duration of the last failed start, in the foreground or the background (s); 0 before. */
double
SecondsOfFailedStart();

/** @} */
} // namespace itk::CudaSpline

#endif
