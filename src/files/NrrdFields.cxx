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
#include "files/NrrdFields.h"

#include "files/HeaderText.h"

#include <algorithm>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

/** Returns one name for each field: some may be written as one word, or have a second name. */
std::string
FieldName(const std::string & written)
{
  static const std::map<std::string, std::string> others{
    { "datafile", "data file" },   { "lineskip", "line skip" },      { "byteskip", "byte skip" },
    { "centers", "centerings" },   { "axismins", "axis mins" },      { "axismaxs", "axis maxs" },
    { "blocksize", "block size" }, { "sampleunits", "sample units" }
  };
  const std::string name = Lower(Trim(written));
  const auto        found = others.find(name);
  return found == others.end() ? name : found->second;
}

} // namespace

NrrdFields
ReadNrrdFields(std::string_view text)
{
  NrrdFields  fields;
  std::size_t at = 0;
  std::string line;
  NextLine(text, at, line);
  constexpr std::size_t letters = 7;
  if (line.compare(0, letters, "NRRD000") != 0 || line.size() <= letters || line[letters] < '1' || line[letters] > '6')
  {
    throw std::invalid_argument("the first line is \"" + ToPrintable(line.substr(0, 20)) +
                                "\"; NRRD0001 to NRRD0006 are allowed");
  }
  while (NextLine(text, at, line) && !line.empty())
  {
    const auto colon = line.find(':');
    if (line[0] == '#' || colon == std::string::npos || line.compare(colon, 2, ":=") == 0)
    {
      continue; // a comment, or a key and a value of the user
    }
    const std::string name = FieldName(line.substr(0, colon));
    const std::string value = Trim(line.substr(colon + 1));
    if (fields.Has(name) && fields.Get(name) != value)
    {
      RefuseField(name, value, "an earlier line has \"" + fields.Get(name) + "\"; one value is allowed");
    }
    fields.values[name] = value;
    if (name == "data file" && Lower(value.substr(0, 4)) == "list")
    {
      while (NextLine(text, at, line))
      {
        if (!Trim(line).empty())
        {
          fields.list.push_back(Trim(line));
        }
      }
    }
  }
  fields.end = at;
  return fields;
}

std::vector<std::string>
QuotedWordsOfField(const std::string & field, const std::string & value)
{
  std::vector<std::string> words;
  for (std::size_t at = value.find_first_not_of(" \t"); at != std::string::npos;
       at = value.find_first_not_of(" \t", at))
  {
    const std::size_t end = value[at] == '"' ? value.find('"', at + 1) : value.find_first_of(" \t", at);
    if (value[at] == '"' && end == std::string::npos)
    {
      RefuseField(field, value, "a quotation mark is missing");
    }
    const std::size_t begin = value[at] == '"' ? at + 1 : at;
    words.push_back(Trim(value.substr(begin, end == std::string::npos ? end : end - begin)));
    at = end == std::string::npos ? value.size() : end + (value[end] == '"' ? 1 : 0);
  }
  return words;
}

std::optional<double>
SecondsOf(const std::string & unit)
{
  static const std::map<std::string, double> units{
    { "s", 1.0 },   { "sec", 1.0 },   { "second", 1.0 },       { "seconds", 1.0 },
    { "ms", 1e-3 }, { "msec", 1e-3 }, { "millisecond", 1e-3 }, { "milliseconds", 1e-3 },
    { "us", 1e-6 }, { "usec", 1e-6 }, { "min", 60.0 }
  };
  const auto found = units.find(Lower(unit));
  return found == units.end() ? std::nullopt : std::optional<double>(found->second);
}

double
LengthUnitOfField(const std::string & field, const std::string & value, const std::string & unit)
{
  const std::optional<double> millimetres = MillimetresOf(unit);
  if (!millimetres)
  {
    RefuseField(field, value, std::string("the unit is unknown; allowed are ") + namesOfLengthUnits);
  }
  return *millimetres;
}

std::vector<std::vector<double>>
VectorsOfField(const std::string & field, const std::string & value, std::size_t count, std::size_t coordinates)
{
  std::vector<std::vector<double>> vectors;
  std::size_t                      at = 0;
  while ((at = value.find_first_not_of(" \t", at)) != std::string::npos)
  {
    if (value[at] != '(')
    {
      const std::size_t end = std::min(value.find_first_of(" \t", at), value.size());
      const std::string word = Lower(value.substr(at, end - at));
      if (word != "none" && word != "nan")
      {
        RefuseField(field, value, "vectors such as (1,0,0), and the word none, are allowed");
      }
      vectors.emplace_back();
      at = end;
      continue;
    }
    const std::size_t end = value.find(')', at);
    if (end == std::string::npos)
    {
      RefuseField(field, value, "a closing bracket is missing");
    }
    std::string numbers = value.substr(at + 1, end - at - 1);
    std::replace(numbers.begin(), numbers.end(), ',', ' ');
    vectors.push_back(NumbersOfField(field, numbers, coordinates));
    at = end + 1;
  }
  if (vectors.size() != count)
  {
    RefuseField(
      field, value, std::to_string(count) + " vectors of " + std::to_string(coordinates) + " numbers are needed");
  }
  return vectors;
}

} // namespace itk::CudaSpline
