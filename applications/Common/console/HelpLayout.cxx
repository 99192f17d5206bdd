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
#include "console/HelpLayout.h"

#include "console/Numbers.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace CudaSplineProgram
{

std::size_t
GetTextWidth(int descriptor)
{
  constexpr double            smallest = 40.0; // the longest names of options, and some words next to them
  constexpr double            largest = 120.0; // longer lines are hard to read
  constexpr double            usual = 80.0;
  const char * const          columns = std::getenv("COLUMNS");
  const std::optional<double> asked = columns == nullptr ? std::nullopt : ParseNumber(columns);
  winsize                     window{};
  double                      width = usual;
  if (asked && *asked > 0.0)
  {
    width = *asked;
  }
  else if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
  {
    width = window.ws_col;
  }
  return static_cast<std::size_t>(std::clamp(width, smallest, largest));
}

std::size_t
GetHelpWidth()
{
  return GetTextWidth(STDOUT_FILENO);
}

std::string
WrapParagraph(const std::string & text,
              std::size_t         width,
              const std::string & first,
              const std::string & rest,
              const std::string & continued)
{
  std::istringstream words(text);
  std::string        wrapped;
  std::string        line = first;
  bool               isEmpty = true; // whether the line is empty after its beginning
  for (std::string word; words >> word;)
  {
    if (!isEmpty && line.size() + 1 + word.size() + continued.size() > width)
    {
      wrapped += line + continued + "\n";
      line = rest;
      isEmpty = true;
    }
    line += (isEmpty ? "" : " ") + word;
    isEmpty = false;
  }
  return wrapped + line + "\n";
}

std::string
WrapHelp(const std::string & text, std::size_t width)
{
  constexpr char     joint = '\x01'; // a space at which lines are not broken
  std::istringstream linesOfText(text);
  std::string        wrapped;
  std::string        paragraph;
  std::string        first;
  std::string        rest;
  std::string        continued;
  const auto         flush = [&] {
    if (!continued.empty()) // a command: values are on the same line as their options
    {
      std::istringstream words(paragraph);
      paragraph.clear();
      for (std::string word; words >> word;)
      {
        paragraph += (paragraph.empty() ? "" : std::string(1, word[0] == '-' ? ' ' : joint)) + word;
      }
    }
    std::string lines = paragraph.empty() ? "" : WrapParagraph(paragraph, width, first, rest, continued);
    std::replace(lines.begin(), lines.end(), joint, ' ');
    wrapped += lines;
    paragraph.clear();
  };
  const auto begin = [&](const char * firstOfLine, const char * restOfLines, const char * end) {
    flush();
    first = firstOfLine;
    rest = restOfLines;
    continued = end;
  };
  for (std::string line; std::getline(linesOfText, line);)
  {
    const std::string mark = line.substr(0, 4);
    if (line.empty())
    {
      flush();
      wrapped += "\n";
    }
    else if (line[0] != ' ')
    {
      begin("", "", "");
      paragraph = line;
      flush();
    }
    else if (mark == "  - " || mark == "  $ ")
    {
      begin(mark == "  - " ? "  - " : "  ", mark == "  - " ? "    " : "      ", mark == "  - " ? "" : " \\");
      paragraph = line.substr(mark.size());
    }
    else
    {
      if (paragraph.empty())
      {
        begin("  ", "  ", "");
      }
      paragraph += " " + line;
    }
  }
  flush();
  return wrapped;
}

} // namespace CudaSplineProgram
