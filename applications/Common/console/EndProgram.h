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
#ifndef CudaSplineProgram_EndProgram_h
#define CudaSplineProgram_EndProgram_h

#include <string>

namespace CudaSplineProgram
{

/** \brief Ends a program: writes its error, or its warnings, to stderr, one per line, and completes the standard
 * output.
 *
 * \param[in] error of ErrorOf(); a failure reports only the error, not the warnings
 * \param[in] code exit code of a program without an error
 * \return the exit code */
int
EndProgram(const std::string & error, int code);

} // namespace CudaSplineProgram

#endif
