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
#ifndef CudaSplineProgram_CsvLine_h
#define CudaSplineProgram_CsvLine_h

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Returns the fields of a CSV line without their quotes.
 *
 * \param[in] line the line
 * \param[in] where file and line number, for the message
 * \exception ProgramError a quote is not closed */
std::vector<std::string>
SplitCsvLine(const std::string & line, const std::string & where);

/** \brief Returns a CSV line without its end. Fields with commas or quotes are quoted. */
std::string
JoinCsvLine(const std::vector<std::string> & fields);

} // namespace CudaSplineProgram

#endif
