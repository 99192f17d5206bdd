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
#ifndef CudaSplineResample_ComposeCommand_h
#define CudaSplineResample_ComposeCommand_h

#include "CommandLine.h"

namespace CudaSplineResample
{

/** \brief Composes the transforms of the command line to one file. It is a composite transform or, if the name is that
 * of an image, displacements on the grid of the reference or of the first field that is applied to a point.
 *
 * \param[in] options the options of the user
 * \exception ProgramError a file that cannot be read or written, an invalid transform, or displacements without a grid
 */
void
RunCompose(const Options & options);

} // namespace CudaSplineResample

#endif
