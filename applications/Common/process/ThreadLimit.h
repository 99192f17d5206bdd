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

/** \brief Gives ITK's classes, compression and the Cpu backend as many threads as the module's functions take by
 * themselves, where ITK would take one for each processor of the machine.
 *
 * CUDASPLINE_THREADS sets it, else ITK's variables (ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS, NSLOTS), else
 * OMP_NUM_THREADS; else it is the processors that the process may run on, but no more than the quota of its cgroup
 * gives. To be called before there are threads; starts none.
 *
 * \exception std::invalid_argument CUDASPLINE_THREADS is not a number above 0 */
void
LimitThreads();

} // namespace CudaSplineProgram

#endif
