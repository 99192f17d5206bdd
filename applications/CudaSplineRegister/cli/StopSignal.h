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
#ifndef CudaSplineRegister_StopSignal_h
#define CudaSplineRegister_StopSignal_h

#include <atomic>

namespace CudaSplineRegister
{

/** \brief Makes the first SIGINT, SIGTERM or SIGHUP a request to stop, if ListenToSignals() has enabled this. Every
 * other signal ends the program, and incomplete outputs are removed. It needs to be called before other threads are
 * started. */
void
HandleSignals();

/** \brief Enables or disables requests to stop by a signal. */
void
ListenToSignals(bool listens);

/** \brief Returns the signal that requests the program to stop; 0: none so far. */
const std::atomic<int> &
GetStopSignal();

} // namespace CudaSplineRegister

#endif
