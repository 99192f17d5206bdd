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
#include "files/HeaderText.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace itk::CudaSpline
{

const char * const namesOfLengthUnits = "nm, um, mm, cm, m";

bool
NextLine(std::string_view text, std::size_t & at, std::string & line)
{
  if (at >= text.size())
  {
    return false;
  }
  const std::size_t end = std::min(text.find('\n', at), text.size());
  line.assign(text.substr(at, end - at));
  if (!line.empty() && line.back() == '\r')
  {
    line.pop_back();
  }
  at = std::min(end + 1, text.size());
  return true;
}

std::string
Trim(const std::string & text)
{
  constexpr const char * blanks = " \t\r\n\v\f";
  const auto             first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string
Lower(std::string text)
{
  std::transform(
    text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string>
SplitWords(const std::string & text)
{
  std::istringstream       stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
  {
    words.push_back(word);
  }
  return words;
}

std::string
ToPrintable(std::string text)
{
  for (std::size_t at = 0; at < text.size(); ++at)
  {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F)
    {
      text[at] = '?';
    }
    else if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0)
    {
      text.replace(at, 2, "?"); // the control characters that UTF-8 writes in two bytes
    }
  }
  return text;
}

std::optional<double>
NumberOf(const std::string & word)
{
  const std::string lower = Lower(word);
  const bool        isNegative = !lower.empty() && lower[0] == '-';
  const std::string magnitude = isNegative || (!lower.empty() && lower[0] == '+') ? lower.substr(1) : lower;
  if (magnitude == "nan")
  {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (magnitude == "inf" || magnitude == "infinity")
  {
    return isNegative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  std::istringstream stream(word);
  stream.imbue(std::locale::classic());
  double number = 0.0;
  if (!(stream >> number) || stream.peek() != std::istringstream::traits_type::eof())
  {
    return std::nullopt;
  }
  return number;
}

std::string
ToText(double number)
{
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream << number;
  return stream.str();
}

void
RefuseField(const std::string & field, const std::string & value, const std::string & rule)
{
  constexpr std::size_t most = 100;
  throw std::invalid_argument(
    ToPrintable(field + " is \"" + (value.size() > most ? value.substr(0, most) + "..." : value) + "\"; " + rule));
}

std::vector<double>
NumbersOfField(const std::string & field, const std::string & value, std::size_t count)
{
  std::vector<double> numbers;
  for (const std::string & word : SplitWords(value))
  {
    const std::optional<double> number = NumberOf(word);
    if (!number)
    {
      RefuseField(field, value, "\"" + word.substr(0, 40) + "\" is not a number");
    }
    numbers.push_back(*number);
  }
  if (count != 0 && numbers.size() != count)
  {
    RefuseField(field, value, std::to_string(count) + " numbers are needed");
  }
  return numbers;
}

std::vector<std::uint64_t>
SizesOfField(const std::string & field, const std::string & value, std::size_t count)
{
  std::vector<std::uint64_t> sizes;
  double                     product = 1.0;
  for (const double number : NumbersOfField(field, value, count))
  {
    constexpr double most = 4.6e18; // 2^62: fits into 64 bits
    product *= number;
    if (!(number >= 1.0) || number != std::floor(number) || product > most)
    {
      RefuseField(field, value, "integers above 0 are allowed, with a product below 2^62");
    }
    sizes.push_back(static_cast<std::uint64_t>(number));
  }
  return sizes;
}

std::optional<double>
MillimetresOf(const std::string & unit)
{
  const std::string lower = Lower(unit);
  for (const auto & [name, millimetres] : { std::pair("nanomet", 1e-6),
                                            std::pair("micromet", 1e-3),
                                            std::pair("micron", 1e-3),
                                            std::pair("millimet", 1.0),
                                            std::pair("centimet", 10.0),
                                            std::pair("meter", 1000.0),
                                            std::pair("metre", 1000.0) })
  {
    if (lower.compare(0, std::strlen(name), name) == 0)
    {
      return millimetres;
    }
  }
  // Micro signs: of Latin-1, and two characters of UTF-8.
  for (const auto & [name, millimetres] : { std::pair("", 1.0),
                                            std::pair("?", 1.0),
                                            std::pair("???", 1.0),
                                            std::pair("nm", 1e-6),
                                            std::pair("um", 1e-3),
                                            std::pair("\xB5m", 1e-3),
                                            std::pair("\xC2\xB5m", 1e-3),
                                            std::pair("\xCE\xBCm", 1e-3),
                                            std::pair("mm", 1.0),
                                            std::pair("cm", 10.0),
                                            std::pair("m", 1000.0) })
  {
    if (unit == name || lower == name)
    {
      return millimetres;
    }
  }
  return std::nullopt;
}

bool
IsLittleEndian()
{
  const std::uint16_t number = 1;
  unsigned char       first = 0;
  std::memcpy(&first, &number, 1);
  return first == 1;
}

std::optional<std::vector<std::string>>
ExpandPattern(const std::string & pattern, long long first, long long last, long long step)
{
  constexpr std::size_t most = 1000000;
  const auto            begin = pattern.find('%');
  const auto            end = begin == std::string::npos ? begin : pattern.find_first_of("diu", begin + 1);
  if (end == std::string::npos || pattern.find('%', begin + 1) != std::string::npos || step == 0)
  {
    return std::nullopt;
  }
  const std::string digits = pattern.substr(begin + 1, end - begin - 1);
  if (digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
  {
    return std::nullopt;
  }
  const std::size_t        width = digits.empty() ? 0 : std::stoul(digits);
  const char               fill = !digits.empty() && digits[0] == '0' ? '0' : ' ';
  std::vector<std::string> files;
  for (long long number = first; step > 0 ? number <= last : number >= last; number += step)
  {
    if (files.size() == most)
    {
      return std::nullopt;
    }
    std::string text = std::to_string(number);
    if (text.size() < width)
    {
      text.insert(fill == '0' && number < 0 ? 1 : 0, width - text.size(), fill);
    }
    files.push_back(pattern.substr(0, begin) + text + pattern.substr(end + 1));
  }
  return files;
}

void
SetColumns(ImageFileHeader & header, const std::vector<std::array<double, 3>> & columns, const std::string & field)
{
  for (std::size_t axis = 0; axis < columns.size(); ++axis)
  {
    const auto & column = columns[axis];
    const double length = std::hypot(column[0], column[1], column[2]);
    if (!(length > 0.0) || !std::isfinite(length))
    {
      throw std::invalid_argument(field + ": the step along axis " + std::to_string(axis) + " is " + ToText(length) +
                                  " mm; it must be finite and above 0");
    }
    header.spacing[axis] = length;
    for (std::size_t row = 0; row < 3; ++row)
    {
      header.direction[row][axis] = column[row] / length;
    }
  }
}

std::uint64_t
ImageFileHeader::GetNumberOfStoredNumbers() const
{
  std::uint64_t count = 1;
  for (const std::uint64_t stored : storedSizes)
  {
    count *= stored;
  }
  return count;
}

void
UseLiteralName(ImageFileHeader & header)
{
  header.files = { header.literalName };
  header.literalName.clear();
  header.axesOfFile = static_cast<unsigned int>(header.storedSizes.size());
}

void
CheckNumberOfFiles(const ImageFileHeader & header)
{
  double needed = 1.0;
  for (std::size_t axis = header.axesOfFile; axis < header.storedSizes.size(); ++axis)
  {
    needed *= static_cast<double>(header.storedSizes[axis]);
  }
  if (!header.files.empty() && static_cast<double>(header.files.size()) != needed)
  {
    throw std::invalid_argument("it names " + std::to_string(header.files.size()) +
                                " files of pixels, but its size needs " + ToText(needed));
  }
}

} // namespace itk::CudaSpline
