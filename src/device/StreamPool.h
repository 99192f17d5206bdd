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
 * \brief Unused streams, kept for the next operations on a device.
 *
 * Creating and destroying a stream takes longer than the kernel of a small image, and memory that was freed in a stream
 * can be reused in it without waiting. A stream is kept if waiting for it returned no error. Streams are not reused in
 * a forked child, whose parent owns them, or after a device was lost. At exit they are left to the driver, which may
 * already be unloaded. */

namespace itk::CudaSpline
{

/** \brief Maximum number of streams that are kept for a device: those of two operations on 16 threads each. */
constexpr std::size_t MaxKeptStreams = 32;

/** \brief Returns a stream of a device that does not synchronise with other streams: a kept one, or a new one.
 *
 * \param[in] device the current device
 * \exception DeviceError it cannot be created */
StreamHandle
TakeStream(int device);

/** \brief Returns a stream to the pool, which keeps or destroys it.
 *
 * \param[in] device device of the stream
 * \param[in] stream result of TakeStream()
 * \param[in] isDone its work has been waited for, without an error
 * \param[in] hasFreed memory was freed in it since: a memory pool can reuse that only after a wait */
void
ReturnStream(int device, StreamHandle stream, bool isDone, bool hasFreed) noexcept;

/** \brief Destroys the kept streams, after the memory that is freed in them. */
void
ReleaseStreams() noexcept;

/** \brief Throws for a stream of the caller whose work is captured into a graph: a stream that waits for it would also
 * be captured.
 *
 * \param[in] stream stream of the current device
 * \exception std::invalid_argument it is captured; the capture continues
 * \exception DeviceError the device is lost */
void
RefuseCapture(StreamHandle stream);

/** \brief Makes a stream wait for the current work of another one, without blocking the host.
 *
 * \param[in] waiting the stream that waits
 * \param[in] other the other stream, both of the current device
 * \exception std::invalid_argument the other one is captured into a graph
 * \exception DeviceError the device is lost */
void
WaitInStream(StreamHandle waiting, StreamHandle other);

} // namespace itk::CudaSpline

#endif
