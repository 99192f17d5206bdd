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
#ifndef HostConcurrency_h
#define HostConcurrency_h

#include <string>

/** \file
 * \brief How many threads of the host an operation takes that was not told a number. */

namespace itk::CudaSpline
{

/** \brief The number of threads that an operation takes by itself, asked anew by each.
 *
 * CUDASPLINE_THREADS sets it, else OMP_NUM_THREADS (the first number of its list), unchanged; else it is the processors
 * that this thread may run on (its affinity), but no more than the quota of the process' cgroup gives.
 *
 * \exception std::invalid_argument CUDASPLINE_THREADS is not a number above 0 */
unsigned int
UsableConcurrency();

/** \brief Processors that the quota of a cgroup is worth, rounded up; the least of it and those above it.
 *
 * \param[in] membership file with the cgroup of the process: /proc/self/cgroup
 * \param[in] root where the groups are mounted: /sys/fs/cgroup
 * \return 0: no limit, or none that can be read */
unsigned int
ConcurrencyOfCgroup(const std::string & membership, const std::string & root);

} // namespace itk::CudaSpline

#endif
