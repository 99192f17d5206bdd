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
#ifndef CudaSplineProgram_TransformText_h
#define CudaSplineProgram_TransformText_h

#include "io/transforms/TransformNumbers.h"

#include <istream>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A text without blanks and ends of lines at its beginning and end. */
std::string
WithoutBlanks(const std::string & text);

/** \brief A piece of a file as a message can show it. */
std::string
ShownText(std::string text);

/** \brief Whether a file begins as ITK's text of transforms does, whatever its name is. */
bool
IsTransformText(const std::string & path);

/** \brief Reads ITK's text. \exception ProgramError what is wrong, with the line */
std::vector<TransformNumbers>
ReadTransformText(std::istream & stream);

/** \brief Reads a MATLAB file of version 4, as ITK and ANTs write them. \exception ProgramError what is wrong */
std::vector<TransformNumbers>
ReadTransformMatlab(std::istream & stream);

} // namespace CudaSplineProgram

#endif
