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
#ifndef Driver_h
#define Driver_h

/** \file
 * \brief Calls of NVIDIA's driver itself: a call of the runtime would start it, or can do less. */

struct CUctx_st;

namespace itk::CudaSpline
{

/** \brief The driver's handle of a context: CUcontext, without a CUDA header. */
using ContextHandle = CUctx_st *;

/** \brief True where the process has loaded the driver, whoever it was. */
bool
DriverIsLoaded();

/** \brief True where the process has a context on the device, whoever made it. */
bool
HasContext(int device);

/** \brief Makes a device's primary context, the one that the runtime uses, current in the calling thread.
 *
 * The runtime's cudaSetDevice() does so too, but nothing of the runtime goes back to no context: setting the device
 * before makes a context there, of some hundred megabytes, in every process that works on another device.
 *
 * \param[in] device one that cudaInitDevice() has started
 * \param[out] previous the context that was current, null where there was none; for LeaveContext()
 * \return CUDA's error code, 0 where it is done */
int
EnterContext(int device, ContextHandle * previous);

/** \brief Makes the context before EnterContext() current again; none, where that one is gone.
 *
 * \param[in] device
 * \param[in] previous of EnterContext(), which succeeded */
void
LeaveContext(int device, ContextHandle previous);

} // namespace itk::CudaSpline

#endif
