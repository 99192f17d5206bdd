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
#ifndef CudaSplineProgram_VolumeNames_h
#define CudaSplineProgram_VolumeNames_h

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A pattern for the names of files, one for each volume of a series: "moco_%04d.tfm". */
struct VolumePattern
{
  std::string before;
  std::string after;
  std::size_t width{ 4 }; ///< minimum digits of the volume's number
};

/** \brief Parses a pattern.
 *
 * \param[in] option name of the option, for the message
 * \param[in] name the pattern
 * \return empty for a name without a percent sign
 * \exception ProgramError the name has a percent sign that is not a single %d (or %04d) */
std::optional<VolumePattern>
ParseVolumePattern(const std::string & option, const std::string & name);

/** \brief Returns the names of the volumes, whose numbers begin at 0. */
std::vector<std::string>
NamesOfPattern(const VolumePattern & pattern, std::size_t volumes);

} // namespace CudaSplineProgram

#endif
