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
#ifndef CudaSplineProgram_ThreadLimit_h
#define CudaSplineProgram_ThreadLimit_h

namespace CudaSplineProgram
{

/** \brief Sets the number of threads of ITK's classes, compression and the Cpu backend to the default of the module's
 * functions. ITK's default is one for each processor of the machine.
 *
 * The number is CUDASPLINE_THREADS, otherwise ITK's variables (ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS, NSLOTS), otherwise
 * OMP_NUM_THREADS. Otherwise it is the number of processors on which the process may run, but at most the quota of its
 * cgroup. It needs to be called before threads are started, and starts none.
 *
 * \exception std::invalid_argument CUDASPLINE_THREADS is not a number above 0 */
void
LimitThreads();

} // namespace CudaSplineProgram

#endif
