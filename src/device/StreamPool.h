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
#ifndef StreamPool_h
#define StreamPool_h

#include "itkCudaSpline/device/Stream.h"

#include <cstddef>

/** \file
 * \brief Unused streams, kept by device for the next operations.
 *
 * To make a stream and to destroy it takes longer than the kernel of a small image, and memory that was freed in a
 * stream is taken again in it without a wait. A stream is kept where it was waited for without an error. None is handed
 * out in a forked child, whose parent has them, and none after a device was lost; at exit they are left to the driver,
 * which may be gone by then. */

namespace itk::CudaSpline
{

/** \brief Streams that are kept of a device: those of two operations on 16 threads each. */
constexpr std::size_t MaxKeptStreams = 32;

/** \brief A stream of a device that holds up no other, and is held up by none: one that is kept, or a new one.
 *
 * \param[in] device the current one
 * \exception DeviceError it cannot be made */
StreamHandle
TakeStream(int device);

/** \brief Gives a stream back, which is kept or destroyed.
 *
 * \param[in] device of the stream
 * \param[in] stream from TakeStream()
 * \param[in] isDone its work was waited for, without an error
 * \param[in] hasFreed memory was freed in it since: a pool counts that as free only once somebody has waited */
void
ReturnStream(int device, StreamHandle stream, bool isDone, bool hasFreed) noexcept;

/** \brief Destroys the kept streams, after the memory that is freed in them. */
void
ReleaseStreams() noexcept;

/** \brief Refuses a stream of the caller's whose work is captured into a graph: a stream that waits for it would be
 * captured with it.
 *
 * \param[in] stream of the current device
 * \exception std::invalid_argument it is captured; the capture continues
 * \exception DeviceError the device is lost */
void
RefuseCapture(StreamHandle stream);

/** \brief Makes a stream continue only after the current work of another one, without a wait of the host.
 *
 * \param[in] waiting
 * \param[in] other streams of the current device
 * \exception std::invalid_argument the other one is captured into a graph
 * \exception DeviceError the device is lost */
void
WaitInStream(StreamHandle waiting, StreamHandle other);

} // namespace itk::CudaSpline

#endif
