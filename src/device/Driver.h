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
 * \brief Calls of NVIDIA's driver API, because calls of the runtime would start the driver, or are insufficient. */

struct CUctx_st;

namespace itk::CudaSpline
{

/** \brief The driver's handle of a context: CUcontext, without a CUDA header. */
using ContextHandle = CUctx_st *;

/** \brief True if the process has loaded the driver, by any code. */
bool
DriverIsLoaded();

/** \brief True if the process has a context on the device, created by any code. */
bool
HasContext(int device);

/** \brief Returns a function of the driver, which is loaded if necessary and remains loaded; null if it has none of
 * that name.
 *
 * \param[in] name name in the driver's library, with a version if there is one */
void *
FindDriverFunction(const char * name);

/** \brief Makes a device's primary context, which the runtime uses, current in the calling thread.
 *
 * cudaSetDevice() of the runtime does so too, but the runtime cannot return to the state without a context: setting the
 * previous device creates a context there, of some hundred megabytes, in every process that works on another device.
 *
 * \param[in] device device that cudaInitDevice() has started
 * \param[out] previous the previous context, null if there was none; for LeaveContext()
 * \return CUDA's error code, 0 for success */
int
EnterContext(int device, ContextHandle * previous);

/** \brief Restores the context before EnterContext(), or no context if it no longer exists.
 *
 * \param[in] device number of the device
 * \param[in] previous result of EnterContext(), which succeeded */
void
LeaveContext(int device, ContextHandle previous);

} // namespace itk::CudaSpline

#endif
