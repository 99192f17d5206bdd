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
#include "Numbers.h"

#include "Error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace CudaSplineProgram
{

std::optional<double>
ParseNumber(const std::string & word)
{
  char *       end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || end != word.c_str() + word.size())
  {
    return std::nullopt;
  }
  return number;
}

std::vector<double>
ParseNumbers(const std::string & option, const std::string & text, std::size_t most)
{
  std::vector<double> numbers;
  std::size_t         begin = 0;
  while (begin <= text.size())
  {
    const std::size_t           end = std::min(text.find_first_of(",x", begin), text.size());
    const std::string           item = text.substr(begin, end - begin);
    const std::optional<double> number = ParseNumber(item);
    if (!number || !std::isfinite(*number))
    {
      std::string message = option;
      message.append(" ").append(text).append(": \"").append(item).append("\" is not a number");
      throw ProgramError(message);
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (numbers.size() > most)
  {
    throw ProgramError(option + " " + text + ": " + std::to_string(numbers.size()) + " values are too many; at most " +
                       std::to_string(most) + " are allowed" + (most == 3 ? ", one per axis" : ""));
  }
  return numbers;
}

} // namespace CudaSplineProgram
