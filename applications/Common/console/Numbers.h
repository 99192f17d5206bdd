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
#ifndef CudaSplineProgram_Numbers_h
#define CudaSplineProgram_Numbers_h

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Parses a complete word as a number. Empty if it is not a number. */
std::optional<double>
ParseNumber(const std::string & word);

/** \brief Parses "1,2.5,3", or "1x2.5x3" as in ANTs.
 *
 * \param[in] option name of the option, for messages
 * \param[in] text its value
 * \param[in] most maximum number of values
 * \exception ProgramError a word is not a finite number, or there are too many */
std::vector<double>
ParseNumbers(const std::string & option, const std::string & text, std::size_t most = 3);

} // namespace CudaSplineProgram

#endif
