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
#include "console/Error.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <mutex>
#include <new>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace CudaSplineProgram
{

namespace
{

/** Warnings of all threads that have not been shown yet. */
struct Warnings
{
  std::mutex               mutex;
  std::vector<std::string> list;
  std::set<std::string>    subjects; ///< subjects of the warnings in the list, see SubjectOf()
};

Warnings &
GetWarnings()
{
  static Warnings warnings;
  return warnings;
}

} // namespace

namespace
{

/** Removes addresses of objects, which do not help users: "Class (0x55d0c8): " or "0x55d0c8". */
std::string
WithoutAddresses(std::string text)
{
  for (std::size_t at = 0; (at = text.find("0x", at)) != std::string::npos;)
  {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + 2), text.size());
    const bool        isWord = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    if (!isWord || end < at + 6)
    {
      at += 2;
      continue;
    }
    const bool        isEnclosed = at > 0 && text[at - 1] == '(' && end < text.size() && text[end] == ')';
    const std::size_t begin = isEnclosed ? (at > 1 && text[at - 2] == ' ' ? at - 2 : at - 1) : at;
    text.erase(begin, (isEnclosed ? end + 1 : end) - begin);
    at = begin;
  }
  return text;
}

/** Shortens a long text to its beginning and its end. */
std::string
Shortened(const std::string & text)
{
  constexpr std::size_t most = 1000;
  constexpr std::size_t tail = 200;
  return text.size() <= most ? text : text.substr(0, most - tail) + " ... " + text.substr(text.size() - tail);
}

/** Returns a warning in which all names of a file are the same: names in quotation marks are replaced by the number of
 * the file. */
std::string
SubjectOf(std::string line)
{
  std::size_t end = 0;
  for (std::size_t begin = 0; (begin = line.find('"', end)) != std::string::npos;)
  {
    end = line.find('"', ++begin);
    if (end == std::string::npos)
    {
      break;
    }
    struct stat status = {};
    if (stat(line.substr(begin, end - begin).c_str(), &status) == 0)
    {
      const std::string number = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
      line.replace(begin, end - begin, number);
      end = begin + number.size();
    }
    ++end;
  }
  return line;
}

} // namespace

std::string
OneLine(const std::string & text)
{
  std::istringstream words(text);
  std::string        line;
  for (std::string word; words >> word;)
  {
    line += (line.empty() ? "" : " ") + word;
  }
  // Bytes of a damaged file in place of a name could move the cursor of a terminal, or worse.
  std::replace_if(
    line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  // The same for control characters that UTF-8 writes in two bytes: U+009B has the same effect as ESC [.
  for (std::size_t at = 0; (at = line.find('\xC2', at)) != std::string::npos; ++at)
  {
    if (at + 1 < line.size() && static_cast<unsigned char>(line[at + 1]) - 0x80U < 0x20U)
    {
      line.replace(at, 2, "?");
    }
  }
  return line;
}

std::string
TextOf(const itk::ExceptionObject & exception)
{
  std::string       text = OneLine(exception.GetDescription());
  const std::string prefix = "ITK ERROR: ";
  if (text.compare(0, prefix.size(), prefix) == 0)
  {
    text.erase(0, prefix.size());
  }
  const std::size_t open = text.find("(0x");
  const std::size_t close = text.find("): ");
  // Only at the start: a class name has no spaces.
  if (open != std::string::npos && close != std::string::npos && open < text.find(' '))
  {
    text.erase(0, close + 3);
  }
  return text;
}

std::string
ErrorOf(const std::function<void()> & run)
{
  try
  {
    run();
    return "";
  }
  catch (const itk::ExceptionObject & exception)
  {
    return Shortened(WithoutAddresses(OneLine(TextOf(exception))));
  }
  catch (const std::bad_alloc &)
  {
    return "not enough memory";
  }
  catch (const std::exception & exception)
  {
    const std::string text = Shortened(WithoutAddresses(OneLine(exception.what())));
    return text.empty() ? "an error without a message" : text;
  }
  catch (...)
  {
    return "an error of an unknown kind";
  }
}

std::string
Brief(double number)
{
  std::ostringstream text;
  text << number;
  return text.str();
}

void
Warn(const std::string & message)
{
  Warnings &                        warnings = GetWarnings();
  const std::lock_guard<std::mutex> lock(warnings.mutex);
  const std::string                 line = Shortened(WithoutAddresses(OneLine(message)));
  if (warnings.subjects.insert(SubjectOf(line)).second) // a file may be read twice with different names
  {
    warnings.list.push_back(line);
  }
}

std::vector<std::string>
TakeWarnings()
{
  Warnings &                        warnings = GetWarnings();
  const std::lock_guard<std::mutex> lock(warnings.mutex);
  warnings.subjects.clear();
  return std::exchange(warnings.list, {});
}

void
ShowWarnings()
{
  for (const std::string & warning : TakeWarnings())
  {
    std::cerr << programName << ": warning: " << warning << std::endl;
  }
}

} // namespace CudaSplineProgram
