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
#include "pipeline/StageValues.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace itk::CudaSpline
{

std::string
ToLower(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string
Join(const std::vector<std::string> & names)
{
  std::string text;
  for (const std::string & name : names)
  {
    text += (text.empty() ? "'" : " or '") + name + "'";
  }
  return text;
}

std::size_t
ReadName(const Json & value, const std::vector<std::string> & names)
{
  const auto found =
    value.is_string() ? std::find(names.begin(), names.end(), ToLower(value.get<std::string>())) : names.end();
  if (found == names.end())
  {
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    std::string list;
    for (const std::string & name : sorted)
    {
      list += (list.empty() ? "" : ", ") + name;
    }
    ValueError error("{value} is not known; known are " + list, false);
    error.names = sorted;
    throw error;
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::int64_t
ReadInteger(const Json & value, std::int64_t minimum, std::int64_t maximum)
{
  const std::string allowed =
    "{value}: whole numbers from " + std::to_string(minimum) + " to " + std::to_string(maximum) + " are allowed";
  if (!value.is_number_integer()) // 2.0 is rejected, too, so that no value is rounded by accident
  {
    throw ValueError(allowed, true);
  }
  const bool isHuge = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (isHuge || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum)
  {
    throw ValueError(allowed);
  }
  return value.get<std::int64_t>();
}

bool
ReadFlag(const Json & value)
{
  if (!value.is_boolean())
  {
    throw ValueError("{value}: true and false are allowed", true);
  }
  return value.get<bool>();
}

double
ReadPositive(const Json & value)
{
  return ReadNumber(
    value, [](double number) { return number > 0.0; }, "numbers above 0");
}

double
ReadFromZero(const Json & value)
{
  return ReadNumber(
    value, [](double number) { return number >= 0.0; }, "numbers from 0");
}

double
ReadAny(const Json & value)
{
  return ReadNumber(
    value, [](double) { return true; }, "finite numbers");
}

std::vector<unsigned int>
ReadIterations(const Json & value)
{
  return ReadLevels(value.is_array() ? value : Json::array({ value }),
                    [](const Json & one) { return static_cast<unsigned int>(ReadInteger(one, 0, 1000000)); });
}

} // namespace itk::CudaSpline
