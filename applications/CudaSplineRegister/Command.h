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
#ifndef CudaSplineRegister_Command_h
#define CudaSplineRegister_Command_h

#include "cli/CommandLine.h"

namespace CudaSplineRegister
{

/** \brief Reads, registers, warps, writes, and reports, as the options request.
 *
 * \return the exit code: 0, or 128 and the number of the signal that stopped it
 * \exception ProgramError, itk::ExceptionObject or another std::exception: no output was changed */
int
RunCommand(Options options);

} // namespace CudaSplineRegister

#endif
