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
#ifndef CudaSplineRegister_SeriesCommand_h
#define CudaSplineRegister_SeriesCommand_h

#include "registration/RegistrationInput.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Returns the names of the transforms of a series, one for each volume. The number of the volume replaces %d or
 * %04d, precedes the suffix, or is the name in a folder.
 *
 * \param[in] output the argument of the option; empty: no names
 * \param[in] volumes number of volumes
 * \exception ProgramError another use of % */
std::vector<std::string>
NamesOfVolumes(const std::string & output, std::size_t volumes);

/** \brief Registers each volume of a series, with one in memory at a time. Writes transforms, their table, and the
 * registered series.
 *
 * All volumes have the same start, so that their results are independent.
 *
 * \return the exit code of the program
 * \exception ProgramError the options are not for a series, or a file cannot be read or written */
int
RunSeries(const Options & options, RegistrationInputs & inputs);

} // namespace CudaSplineRegister

#endif
