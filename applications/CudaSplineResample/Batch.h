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
#ifndef CudaSplineResample_Batch_h
#define CudaSplineResample_Batch_h

#include "CommandLine.h"

namespace CudaSplineResample
{

/** \brief Resamples a list of images, several at a time: while one is computed the next is read and the last is
 * written.
 *
 * Each is done by one of a few processes, so an image on which a library crashes is one failure and not the end.
 * Outputs that are there and newer than what they are made from are skipped, unless Options::overwrite is set. Failures
 * are reported at the end, one line each on stderr.
 *
 * To be called before the program has other threads, and before anything touches a GPU.
 * \param[in] options with items
 * \return the exit code: 0 where every image is there in the end
 * \exception ProgramError the list is wrong, or no process can be started: nothing was done */
int
RunBatch(const Options & options);

} // namespace CudaSplineResample

#endif
