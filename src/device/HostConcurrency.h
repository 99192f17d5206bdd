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
 * \brief The default number of host threads of an operation. */

namespace itk::CudaSpline
{

/** \brief The default number of threads of an operation, determined for each operation.
 *
 * CUDASPLINE_THREADS sets it, else OMP_NUM_THREADS (the first number of its list), unchanged. Else it is the number of
 * processors on which this thread may run (its affinity), limited by the quota of the process' cgroup.
 *
 * \exception std::invalid_argument CUDASPLINE_THREADS is not a number above 0 */
unsigned int
UsableConcurrency();

/** \brief Number of processors that the quota of a cgroup allows, rounded up; the smallest of its own and those of its
 * parents.
 *
 * \param[in] membership file with the cgroup of the process: /proc/self/cgroup
 * \param[in] root mount point of the groups: /sys/fs/cgroup
 * \return 0: no limit, or none that can be read */
unsigned int
ConcurrencyOfCgroup(const std::string & membership, const std::string & root);

} // namespace itk::CudaSpline

#endif
