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
#include "io/files/CsvLine.h"

#include "console/Error.h"

#include <cstddef>

namespace CudaSplineProgram
{

std::vector<std::string>
SplitCsvLine(const std::string & line, const std::string & where)
{
  std::vector<std::string> fields(1);
  bool                     isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i)
  {
    const char character = line[i];
    if (isQuoted && character == '"' && i + 1 < line.size() && line[i + 1] == '"')
    {
      fields.back() += '"';
      ++i;
    }
    else if (character == '"' && (isQuoted || fields.back().empty()))
    {
      isQuoted = !isQuoted;
    }
    else if (character == ',' && !isQuoted)
    {
      fields.emplace_back();
    }
    else
    {
      fields.back() += character;
    }
  }
  if (isQuoted)
  {
    throw ProgramError(where + ": a closing quotation mark is missing; a field must be on one line");
  }
  return fields;
}

std::string
JoinCsvLine(const std::vector<std::string> & fields)
{
  std::string line;
  for (const std::string & field : fields)
  {
    line += &field == &fields.front() ? "" : ",";
    if (field.find_first_of(",\"") == std::string::npos)
    {
      line += field;
      continue;
    }
    line += '"';
    for (const char character : field)
    {
      line += character == '"' ? "\"\"" : std::string(1, character);
    }
    line += '"';
  }
  return line;
}

} // namespace CudaSplineProgram
