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

/** \brief Resamples a list of images, several at a time: while one is computed, the next one is read and the previous
 * one is written.
 *
 * Each image is processed by one of a few processes. If a library crashes, only one image fails. Outputs that exist and
 * are newer than their inputs are skipped, unless Options::overwrite is set. Failures are reported at the end, one line
 * each on stderr.
 *
 * It needs to be called before the program has other threads, and before a GPU is used.
 *
 * \param[in] options with items
 * \return the exit code: 0 if every image exists at the end
 * \exception ProgramError the list is invalid, or no process can be started: no image was processed */
int
RunBatch(const Options & options);

} // namespace CudaSplineResample

#endif
