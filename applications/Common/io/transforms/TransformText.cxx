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
#include "io/transforms/TransformText.h"

#include "console/Error.h"
#include "io/files/TextLines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace CudaSplineProgram
{

namespace
{

const std::string firstWords = "#Insight Transform File";

std::vector<double>
NumbersOf(const std::string & text, std::size_t line)
{
  std::vector<double> numbers;
  for (const char * at = text.c_str(); *at != '\0';)
  {
    if (std::isspace(static_cast<unsigned char>(*at)) != 0)
    {
      ++at;
      continue;
    }
    char *       end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at || (*end != '\0' && std::isspace(static_cast<unsigned char>(*end)) == 0))
    {
      throw ProgramError("line " + std::to_string(line) + ": \"" +
                         ShownText(std::string(at, std::strcspn(at, " \t\r"))) + "\" is not a number");
    }
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

} // namespace

std::string
WithoutBlanks(const std::string & text)
{
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::string
ShownText(std::string text)
{
  text.resize(std::min<std::size_t>(text.size(), 80));
  std::replace_if(
    text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return text;
}

bool
IsTransformText(const std::string & path)
{
  std::string beginning(firstWords.size(), '\0');
  std::ifstream(path, std::ios::binary).read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning == firstWords;
}

std::vector<TransformNumbers>
ReadTransformText(std::istream & stream)
{
  std::vector<TransformNumbers> all;
  bool                          isFirst = true;
  std::string                   line;
  const auto                    next = [&] {
    // A field may have a very long line of numbers. Other files with such lines are not read into memory.
    return isFirst ? GetTextLine(stream, line) : static_cast<bool>(std::getline(stream, line));
  };
  for (std::size_t number = 1; next(); ++number)
  {
    line = WithoutBlanks(line);
    if (isFirst && line.compare(0, firstWords.size(), firstWords) != 0)
    {
      throw ProgramError("it does not begin with \"#Insight Transform File V1.0\"");
    }
    isFirst = false;
    if (line.empty() || line[0] == '#')
    {
      continue;
    }
    const auto        colon = line.find(':');
    const std::string key = WithoutBlanks(line.substr(0, colon));
    const std::string value = colon == std::string::npos ? "" : WithoutBlanks(line.substr(colon + 1));
    if (key == "Transform" && !value.empty())
    {
      all.push_back({ value, {}, {} });
    }
    else if ((key == "Parameters" || key == "FixedParameters") && colon != std::string::npos && !all.empty())
    {
      (key == "Parameters" ? all.back().parameters : all.back().fixed) = NumbersOf(value, number);
    }
    else
    {
      throw ProgramError("line " + std::to_string(number) + ": \"" + ShownText(key) +
                         "\" is not allowed here; use Transform, Parameters or FixedParameters");
    }
  }
  if (isFirst && HasNoLines(stream))
  {
    throw ProgramError("it has no lines of text");
  }
  return all;
}

std::vector<TransformNumbers>
ReadTransformMatlab(std::istream & stream)
{
  // A variable: 5 numbers of 4 bytes (type, rows, columns, whether it is complex, length of the name), name, values.
  std::vector<TransformNumbers> all;
  for (std::array<std::uint32_t, 5> header{}; stream.peek() != std::istream::traits_type::eof();)
  {
    if (!stream.read(reinterpret_cast<char *>(header.data()), sizeof(header)))
    {
      throw ProgramError("it is truncated within a header");
    }
    const auto swap = [](std::uint32_t x) {
      return (x >> 24) | ((x >> 8) & 0xFF00U) | ((x << 8) & 0xFF0000U) | (x << 24);
    };
    const bool isSwapped = header[0] > 9999;
    if (isSwapped)
    {
      std::transform(header.begin(), header.end(), header.begin(), swap);
    }
    const std::uint32_t precision = header[0] / 10 % 10;
    if (header[0] > 9999 || header[0] % 10 != 0 || precision > 1 || header[3] != 0 || header[4] == 0 ||
        header[4] > 1000)
    {
      throw ProgramError("it is not a MATLAB file of version 4 with real numbers");
    }
    std::string name(header[4], '\0');
    stream.read(name.data(), static_cast<std::streamsize>(name.size()));
    name = name.c_str();
    std::vector<double> values;
    const std::size_t   bytes = precision == 0 ? 8 : 4;
    for (std::uint64_t left = std::uint64_t{ header[1] } * header[2]; left > 0; --left)
    {
      std::array<char, 8> value{};
      if (!stream.read(value.data(), static_cast<std::streamsize>(bytes)))
      {
        throw ProgramError("it is truncated: it contains " + std::to_string(values.size()) + " of " +
                           std::to_string(std::uint64_t{ header[1] } * header[2]) + " numbers");
      }
      if (isSwapped)
      {
        std::reverse(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(bytes));
      }
      float  single = 0.0F;
      double number = 0.0;
      std::memcpy(&single, value.data(), sizeof(single));
      std::memcpy(&number, value.data(), sizeof(number));
      values.push_back(bytes == 8 ? number : static_cast<double>(single));
    }
    if (name == "fixed" && !all.empty())
    {
      all.back().fixed = values;
    }
    else
    {
      all.push_back({ name, {}, values });
    }
  }
  return all;
}

} // namespace CudaSplineProgram
