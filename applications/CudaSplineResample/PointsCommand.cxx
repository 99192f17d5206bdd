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
#include "PointsCommand.h"

#include "io/files/AtomicOutput.h"
#include "io/files/CsvLine.h"
#include "console/Error.h"
#include "console/Names.h"
#include "console/Numbers.h"
#include "io/formats/PathIdentity.h"
#include "io/files/TextLines.h"
#include "io/transforms/TransformInput.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <optional>

namespace CudaSplineResample
{

namespace
{

constexpr std::size_t noColumn = ~std::size_t{ 0 };

/** A line of the table. Lines without fields are comments or empty. */
struct Line
{
  std::string              text;
  std::vector<std::string> fields;
  Coordinates              point{ 0.0, 0.0, 0.0 };
  bool                     isPoint{ false };
};

struct Table
{
  std::vector<Line>          lines;
  std::array<std::size_t, 3> columns{ 0, 1, noColumn }; ///< of x, y and z
  std::size_t                points{ 0 };

  unsigned int
  GetDimension() const
  {
    return columns[2] == noColumn ? 2 : 3;
  }
};

std::string
WithoutSpaces(const std::string & text)
{
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/** Formats a number as the shortest text that reads back to it. */
std::string
Exactly(double number)
{
  std::array<char, 40> text{};
  const auto           end = std::to_chars(text.data(), text.data() + text.size(), number);
  return { text.data(), end.ptr };
}

/** Finds the columns from the names or the numbers of a first line. */
bool
FindColumns(const std::vector<std::string> & fields, const std::string & where, Table & table)
{
  std::array<std::size_t, 3> named{ noColumn, noColumn, noColumn };
  std::size_t                numbers = 0;
  for (std::size_t field = 0; field < fields.size(); ++field)
  {
    const std::string word = ToLower(WithoutSpaces(fields[field]));
    if (word.size() == 1 && word[0] >= 'x' && word[0] <= 'z')
    {
      named[static_cast<std::size_t>(word[0] - 'x')] = field;
    }
    numbers += numbers == field && ParseNumber(word) ? 1 : 0;
  }
  if (named[0] != noColumn && named[1] != noColumn)
  {
    table.columns = named;
    return true;
  }
  if (numbers < 2)
  {
    throw ProgramError(where + ": the first line must contain the column names x, y (in 2D) or x, y, z (in 3D), or the "
                               "coordinates of a point in mm");
  }
  table.columns = { 0, 1, numbers > 2 ? 2 : noColumn };
  return false;
}

Table
ReadTable(const std::string & file)
{
  std::ifstream stream(file);
  if (!stream)
  {
    throw ProgramError("the list of points \"" + file + "\" cannot be read");
  }
  Table             table;
  std::size_t       number = 0;
  bool              hasColumns = false;
  const std::string byteOrderMark = "\xEF\xBB\xBF"; // of tables from spreadsheets
  for (std::string text; GetTextLine(stream, text);)
  {
    const std::string where = "\"" + file + "\", line " + std::to_string(++number);
    if (number == 1 && text.compare(0, byteOrderMark.size(), byteOrderMark) == 0)
    {
      text.erase(0, byteOrderMark.size());
    }
    if (!text.empty() && text.back() == '\r')
    {
      text.pop_back();
    }
    Line line{ text, {}, {}, false };
    if (const std::string word = WithoutSpaces(text); !word.empty() && word[0] != '#')
    {
      line.fields = SplitCsvLine(text, where);
      line.isPoint = hasColumns || !FindColumns(line.fields, where, table);
      hasColumns = true;
    }
    for (unsigned int axis = 0; axis < table.GetDimension() && line.isPoint; ++axis)
    {
      const std::size_t           column = table.columns[axis];
      const std::optional<double> value =
        column < line.fields.size() ? ParseNumber(WithoutSpaces(line.fields[column])) : std::nullopt;
      if (!value || !std::isfinite(*value))
      {
        throw ProgramError(where + ": the value of " + "xyz"[axis] + " in column " + std::to_string(column + 1) +
                           " is missing or not a finite number");
      }
      line.point[axis] = *value;
    }
    table.points += line.isPoint ? 1 : 0;
    table.lines.push_back(std::move(line));
  }
  if (!stream.eof() || table.points == 0)
  {
    throw ProgramError("\"" + file + "\" is not a list of points (CSV)" +
                       (stream.eof() ? ": it does not contain a point" : ""));
  }
  return table;
}

/** Maps all points. */
template <unsigned int VDimension>
void
MapPoints(const Options & options, Table & table)
{
  Grid unused; // of an image that would be rotated
  unused.dimension = VDimension;
  const auto transform = MakeTransform<VDimension>(options.transforms, {}, unused);
  for (Line & line : table.lines)
  {
    if (!line.isPoint)
    {
      continue;
    }
    itk::Point<double, VDimension> point;
    std::copy_n(line.point.begin(), VDimension, point.Begin());
    const auto mapped = transform.IsNull() ? point : transform->TransformPoint(point);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      line.fields[table.columns[axis]] = Exactly(mapped[axis]);
    }
    line.text = JoinCsvLine(line.fields);
  }
}

/** Maps all points. A table of 2D points may have a column z of zeros, as ANTs' tables do. */
void
MapPoints(const Options & options, Table & table)
{
  if (table.GetDimension() == 2)
  {
    MapPoints<2>(options, table);
    return;
  }
  bool isFlat = true;
  for (const Line & line : table.lines)
  {
    isFlat = isFlat && line.point[2] == 0.0;
  }
  try
  {
    MapPoints<3>(options, table);
  }
  catch (const ProgramError & error)
  {
    if (!isFlat || !ErrorOf([&] { MapPoints<2>(options, table); }).empty())
    {
      throw ProgramError(error.what());
    }
  }
}

} // namespace

void
RunPoints(const Options & options)
{
  std::vector<NamedPath> sources{ { "the list of points", options.input } };
  for (const TransformArgument & transform : options.transforms)
  {
    sources.push_back({ "--transform", transform.file });
  }
  CheckPaths(sources, { { "the output", options.output } });
  AtomicOutput output(options.output);
  Table        table = ReadTable(options.input);
  MapPoints(options, table);
  std::ofstream stream(output.GetTemporaryName());
  for (const Line & line : table.lines)
  {
    stream << line.text << '\n';
  }
  stream.close();
  if (!stream)
  {
    throw ProgramError("the list of points \"" + options.output + "\" could not be written");
  }
  output.Commit();
  if (options.verbose)
  {
    std::cout << table.points << " points of the output's space mapped to the input's by " << options.transforms.size()
              << " transforms" << std::endl;
  }
}

} // namespace CudaSplineResample
