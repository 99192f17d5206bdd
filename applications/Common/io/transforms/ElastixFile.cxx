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
#include "io/transforms/ElastixFile.h"

#include "console/Error.h"
#include "console/Numbers.h"
#include "io/files/TextLines.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace CudaSplineProgram
{

bool
IsElastixFile(const std::string & file)
{
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) // opening a pipe would wait
  {
    return false;
  }
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; GetTextLine(stream, line) && line.size() < 4096;)
  {
    const auto first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos && line.compare(first, 2, "//") != 0)
    {
      return line[first] == '(';
    }
  }
  return false;
}

ElastixParameters
ReadElastixText(std::istream & stream)
{
  ElastixParameters parameters;
  std::size_t       number = 0;
  for (std::string line; std::getline(stream, line);)
  {
    ++number;
    const auto refuse = [number](const std::string & why) {
      throw ProgramError("line " + std::to_string(number) + ": " + why);
    };
    std::vector<std::string> words;
    bool                     isOpen = false;
    bool                     isClosed = false;
    for (std::size_t at = 0; at < line.size();)
    {
      const char letter = line[at];
      if (std::isspace(static_cast<unsigned char>(letter)) != 0)
      {
        ++at;
      }
      else if (line.compare(at, 2, "//") == 0)
      {
        break;
      }
      else if (!isOpen || isClosed)
      {
        if (letter != '(' || isClosed)
        {
          refuse("there is more than \"(Name value ...)\"");
        }
        isOpen = true;
        ++at;
      }
      else if (letter == ')')
      {
        isClosed = true;
        ++at;
      }
      else if (letter == '"')
      {
        const auto end = line.find('"', at + 1);
        if (end == std::string::npos)
        {
          refuse("a quotation is not closed");
        }
        words.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1;
      }
      else
      {
        const auto end = std::min(line.find_first_of(" \t\r\")", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
      }
    }
    if (isOpen != isClosed)
    {
      refuse("a bracket is not closed");
    }
    if (isOpen)
    {
      if (words.empty() || words.front().empty())
      {
        refuse("a bracket has no name");
      }
      const std::string name = words.front();
      words.erase(words.begin());
      if (!parameters.emplace(name, std::move(words)).second)
      {
        refuse(name.substr(0, 40) + " is there twice");
      }
    }
  }
  return parameters;
}

ElastixFile::ElastixFile(std::string file)
  : m_File(std::move(file))
{
  std::error_code error;
  if (!std::filesystem::is_regular_file(m_File, error))
  {
    throw ProgramError("there is no transform file \"" + m_File + "\"");
  }
  std::ifstream stream(m_File, std::ios::binary);
  try
  {
    m_Parameters = ReadElastixText(stream);
  }
  catch (const ProgramError & exception)
  {
    this->Refuse(exception.what());
  }
}

void
ElastixFile::Refuse(const std::string & why) const
{
  throw ProgramError("cannot read the transform \"" + m_File + "\" of elastix: " + why);
}

std::string
ElastixFile::Word(const std::string & name, const std::string & otherwise) const
{
  const auto found = m_Parameters.find(name);
  return found == m_Parameters.end() || found->second.empty() ? otherwise : found->second.front();
}

bool
ElastixFile::Has(const std::string & name) const
{
  return m_Parameters.count(name) > 0;
}

std::vector<double>
ElastixFile::Numbers(const std::string & name, std::size_t count) const
{
  const auto found = m_Parameters.find(name);
  if (found == m_Parameters.end())
  {
    this->Refuse("it has no " + name);
  }
  std::vector<double> numbers;
  numbers.reserve(found->second.size());
  for (const std::string & word : found->second)
  {
    const std::optional<double> number = ParseNumber(word);
    if (!number || !std::isfinite(*number))
    {
      this->Refuse("\"" + word.substr(0, 40) + "\" after " + name + " is not a number");
    }
    numbers.push_back(*number);
  }
  if (count != 0 && numbers.size() != count)
  {
    this->Refuse(name + " needs " + std::to_string(count) + " numbers; it has " + std::to_string(numbers.size()));
  }
  return numbers;
}

unsigned int
ElastixFile::Dimension() const
{
  const double dimension = this->Numbers("FixedImageDimension", 1)[0];
  if (dimension != 2.0 && dimension != 3.0)
  {
    this->Refuse("its FixedImageDimension is " + Brief(dimension) + "; 2 and 3 are allowed");
  }
  return static_cast<unsigned int>(dimension);
}

std::vector<double>
ElastixFile::TransformParameters() const
{
  if (this->Word("UseBinaryFormatForTransformationParameters", "false") != "true")
  {
    return this->Numbers("TransformParameters", 0);
  }
  std::ifstream     stream(m_File + ".dat", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (bytes.empty() || bytes.size() % sizeof(double) != 0)
  {
    this->Refuse("its parameters should be in \"" + m_File + ".dat\", which is missing or cut");
  }
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(numbers.data()));
  return numbers;
}

std::string
ElastixFile::InitialFile() const
{
  const std::string name =
    this->Word("InitialTransformParameterFileName", this->Word("InitialTransformParametersFileName", ""));
  if (name.empty() || name == "NoInitialTransform")
  {
    return "";
  }
  std::error_code             error;
  const std::filesystem::path path(name);
  const auto                  folder = std::filesystem::path(m_File).parent_path();
  // A Windows path has backslashes, and may have a drive letter.
  std::string slashes = name;
  std::replace(slashes.begin(), slashes.end(), '\\', '/');
  const bool hasDrive = slashes.size() > 1 && slashes[1] == ':';
  const auto relative = std::filesystem::path(hasDrive ? slashes.substr(2) : slashes).relative_path();
  for (const auto & candidate : { path, folder / path, folder / relative, folder / relative.filename() })
  {
    if (std::filesystem::is_regular_file(candidate, error))
    {
      return candidate.string();
    }
  }
  this->Refuse("its initial transform \"" + name + "\" exists neither at that path nor in the folder of the file");
}

const std::string &
ElastixFile::Name() const
{
  return m_File;
}

Grid
IndexedGridOf(const ElastixFile & file)
{
  Grid       grid;
  const auto dimension = file.Dimension();
  grid.dimension = dimension;
  const auto size = file.Numbers("Size", dimension);
  const auto spacing = file.Numbers("Spacing", dimension);
  const auto origin = file.Numbers("Origin", dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    constexpr double most = 1e9; // maximum length of an image
    if (!(size[d] >= 1.0 && size[d] <= most) || size[d] != std::floor(size[d]) || !(spacing[d] > 0.0))
    {
      file.Refuse("its grid has a size of " + Brief(size[d]) + " and a spacing of " + Brief(spacing[d]) + " mm");
    }
    grid.size[d] = static_cast<std::size_t>(size[d]);
    grid.spacing[d] = spacing[d];
    grid.origin[d] = origin[d];
  }
  if (file.Has("Direction"))
  {
    const auto direction = file.Numbers("Direction", std::size_t{ dimension } * dimension);
    for (unsigned int row = 0; row < dimension; ++row)
    {
      for (unsigned int column = 0; column < dimension; ++column)
      {
        grid.direction[row][column] = direction[column * dimension + row];
      }
    }
  }
  return grid;
}

Grid
ReadElastixGrid(const std::string & name)
{
  const ElastixFile file(name);
  Grid              grid = IndexedGridOf(file);
  if (file.Has("Index"))
  {
    const auto  index = file.Numbers("Index", grid.dimension);
    Coordinates first{ 0.0, 0.0, 0.0 };
    std::copy(index.begin(), index.end(), first.begin());
    grid.origin = PointOfIndex(grid, first);
  }
  return grid;
}

} // namespace CudaSplineProgram
