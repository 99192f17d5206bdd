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

/** \brief Removes blanks and ends of lines at the beginning and end of a text. */
std::string
WithoutBlanks(const std::string & text);

/** \brief Shortens a piece of a file for a message. */
std::string
ShownText(std::string text);

/** \brief Returns whether a file begins like ITK's text files of transforms, for any name. */
bool
IsTransformText(const std::string & path);

/** \brief Reads ITK's text format.
 *
 * \exception ProgramError the problem, with the line */
std::vector<TransformNumbers>
ReadTransformText(std::istream & stream);

/** \brief Reads a MATLAB file of version 4, as written by ITK and ANTs.
 *
 * \exception ProgramError the problem */
std::vector<TransformNumbers>
ReadTransformMatlab(std::istream & stream);

} // namespace CudaSplineProgram

#endif
