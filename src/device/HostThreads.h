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
#ifndef HostThreads_h
#define HostThreads_h

#include <cstdint>
#include <functional>

/** \file
 * \brief Threads of the host that wait for loops, one pool per process. */

namespace itk::CudaSpline
{

/** \brief Calls \p part with each of 0 to \p parts - 1, once, and returns when all calls have returned.
 *
 * The calling thread also runs parts: nested loops, and many loops at once, make progress. Threads are started on first
 * use, and kept: starting 15 takes longer than many loops. A forked child does not have its parent's threads and starts
 * its own.
 *
 * \param[in] parts number of calls
 * \param[in] threads threads that run them, including the calling one; fewer if no more are available
 * \param[in] part must not throw */
void
RunOnHostThreads(std::int64_t parts, unsigned int threads, const std::function<void(std::int64_t)> & part);

} // namespace itk::CudaSpline

#endif
