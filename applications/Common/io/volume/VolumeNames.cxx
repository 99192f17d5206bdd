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
#include "io/volume/VolumeNames.h"

#include "console/Error.h"

#include <cctype>

namespace CudaSplineProgram
{

std::optional<VolumePattern>
ParseVolumePattern(const std::string & option, const std::string & name)
{
  const std::size_t percent = name.find('%');
  if (percent == std::string::npos)
  {
    return std::nullopt;
  }
  std::size_t end = percent + 1;
  while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0)
  {
    ++end;
  }
  const std::string digits = name.substr(percent + 1, end - percent - 1);
  if (end == name.size() || name[end] != 'd' || digits.size() > 2 || name.find('%', end) != std::string::npos)
  {
    throw ProgramError(option + " \"" + name +
                       "\" must contain exactly one %d, or one such as %04d, for the number of the volume");
  }
  return VolumePattern{ name.substr(0, percent),
                        name.substr(end + 1),
                        digits.empty() ? 1 : static_cast<std::size_t>(std::stoul(digits)) };
}

std::vector<std::string>
NamesOfPattern(const VolumePattern & pattern, std::size_t volumes)
{
  std::vector<std::string> names;
  for (std::size_t number = 0; number < volumes; ++number)
  {
    const std::string digits = std::to_string(number);
    const std::string zeros(pattern.width > digits.size() ? pattern.width - digits.size() : 0, '0');
    names.push_back(pattern.before + zeros + digits + pattern.after);
  }
  return names;
}

} // namespace CudaSplineProgram
