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
#ifndef CudaSplineProgram_Error_h
#define CudaSplineProgram_Error_h

#include "itkMacro.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief The program's name, for messages and hidden files; its main file defines it. */
extern const char * const programName;

/** \brief Ends the program: what was wrong and what is allowed, as one line. */
class ProgramError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/** \brief A text of several lines as one, with single spaces: ITK's messages, for a terminal or a log. */
std::string
OneLine(const std::string & text);

/** \brief What an exception of ITK says, as one line, without ITK's prefix "ITK ERROR: Class(0x...): ". */
std::string
TextOf(const itk::ExceptionObject & exception);

/** \brief Calls a function and returns what was wrong as one line; empty where nothing was. */
std::string
ErrorOf(const std::function<void()> & run);

/** \brief A number with the digits that a reader wants: 6 significant ones, no trailing zeros. */
std::string
Brief(double number);

/** \brief Keeps a warning for ShowWarnings(), once for each file: names of a file in quotation marks are compared by
 * the file. */
void
Warn(const std::string & message);

/** \brief The warnings that were kept, which are forgotten. */
std::vector<std::string>
TakeWarnings();

/** \brief Writes the warnings to stderr, a line each. Called at the end, since a failure shall say one thing only: the
 * error. */
void
ShowWarnings();

} // namespace CudaSplineProgram

#endif
