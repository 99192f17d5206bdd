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

/** \brief The name of the program, for messages and hidden files. Its main file defines it. */
extern const char * const programName;

/** \brief Ends the program. The text is one line: what is wrong and what is allowed. */
class ProgramError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/** \brief Joins lines of a text to one line with single spaces, such as ITK's messages, for a terminal or a log. */
std::string
OneLine(const std::string & text);

/** \brief Returns the message of an ITK exception as one line, without the prefix "ITK ERROR: Class(0x...): ". */
std::string
TextOf(const itk::ExceptionObject & exception);

/** \brief Calls a function and returns its error as one line. Empty if there is none. */
std::string
ErrorOf(const std::function<void()> & run);

/** \brief Formats a number with 6 significant digits, without trailing zeros. */
std::string
Brief(double number);

/** \brief Stores a warning for ShowWarnings(), once for each file: names in quotation marks are compared by the file
 * that they refer to. */
void
Warn(const std::string & message);

/** \brief Returns the stored warnings and clears them. */
std::vector<std::string>
TakeWarnings();

/** \brief Writes the warnings to stderr, one per line. It is called at the end, because a failure should only report
 * the error. */
void
ShowWarnings();

} // namespace CudaSplineProgram

#endif
