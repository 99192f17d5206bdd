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
#include "BatchList.h"

#include "io/files/CsvLine.h"
#include "console/Error.h"
#include "io/formats/PathIdentity.h"
#include "io/files/TextLines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace CudaSplineResample
{

namespace fs = std::filesystem;

namespace
{

/** Positions of the columns. */
struct Columns
{
  std::size_t input{ 0 };
  std::size_t transform{ 1 };
  std::size_t output{ 2 };
  std::size_t count{ 3 };
};

constexpr std::size_t noColumn = ~std::size_t{ 0 };

/** Reads the names of columns from a first line. Returns false if it does not have names. */
bool
ReadHeader(const std::vector<std::string> & fields, Columns & columns)
{
  const auto find = [&fields](const char * name) {
    const auto found = std::find(fields.begin(), fields.end(), name);
    return found == fields.end() ? noColumn : static_cast<std::size_t>(found - fields.begin());
  };
  const Columns named{ find("input"), find("transform"), find("output"), fields.size() };
  if (named.input == noColumn || named.output == noColumn)
  {
    return false;
  }
  columns = named;
  return true;
}

/** Returns a path that is relative to the folder of a list. */
std::string
RelativeToList(const std::string & path, const std::string & list)
{
  const fs::path  given(path);
  std::error_code error;
  // A list that is read from a pipe has no folder.
  const fs::path folder = fs::is_fifo(list, error) ? fs::path() : fs::path(list).parent_path();
  return given.is_absolute() || folder.empty() ? path : (folder / given).string();
}

/** Reads the transforms of a field, which are separated by semicolons. */
std::vector<TransformArgument>
Transforms(const std::string & field, const std::string & list)
{
  std::vector<TransformArgument> transforms;
  std::istringstream             words(field);
  for (std::string word; std::getline(words, word, ';');)
  {
    word.erase(0, word.find_first_not_of(" \t"));
    word.erase(word.find_last_not_of(" \t") + 1);
    if (!word.empty())
    {
      transforms.push_back(ParseTransform(word));
      std::string & file = transforms.back().file;
      file = file.empty() ? file : RelativeToList(file, list); // the identity has no file
    }
  }
  return transforms;
}

} // namespace

std::vector<BatchItem>
ReadBatchList(const std::string & file)
{
  std::ifstream stream(file);
  if (!stream)
  {
    throw ProgramError("the list \"" + file + "\" cannot be read: " + std::strerror(errno));
  }
  return ReadBatchList(stream, file);
}

std::vector<BatchItem>
ReadBatchList(std::istream & stream, const std::string & file)
{
  std::vector<BatchItem> items;
  Columns                columns;
  std::string            line;
  bool                   isFirst = true;
  for (std::size_t number = 1; GetTextLine(stream, line); ++number)
  {
    if (!line.empty() && line.back() == '\r')
    {
      line.pop_back();
    }
    if (number == 1 && line.compare(0, 3, "\xEF\xBB\xBF") == 0)
    {
      line.erase(0, 3); // the byte order mark of spreadsheets
    }
    // Spreadsheets write empty lines as commas alone.
    if (line.find_first_not_of(" \t,") == std::string::npos || line[0] == '#')
    {
      continue;
    }
    const std::string              where = "the list \"" + file + "\", line " + std::to_string(number);
    const std::vector<std::string> fields = SplitCsvLine(line, where);
    if (isFirst)
    {
      isFirst = false;
      if (ReadHeader(fields, columns))
      {
        continue;
      }
      if (fields.size() == 2)
      {
        columns = { 0, noColumn, 1, 2 };
      }
    }
    if (fields.size() != columns.count)
    {
      throw ProgramError(where + " has " + std::to_string(fields.size()) + " fields; " + std::to_string(columns.count) +
                         " are expected: input, transforms (may be empty), output");
    }
    BatchItem item;
    item.input = fields[columns.input];
    item.output = fields[columns.output];
    if (item.input.empty() || item.output.empty())
    {
      throw ProgramError(where + ": the " + (item.input.empty() ? "input" : "output") + " is missing");
    }
    item.input = RelativeToList(item.input, file);
    item.output = RelativeToList(item.output, file);
    if (columns.transform != noColumn)
    {
      item.transforms = Transforms(fields[columns.transform], file);
    }
    items.push_back(item);
  }
  if (HasNoLines(stream))
  {
    throw ProgramError("the list \"" + file + "\" has a line of more than 1 MB and is not a list of images");
  }
  if (stream.bad() || items.empty())
  {
    throw ProgramError("the list \"" + file + "\" is empty; it needs one line per image: input, transform, output");
  }
  return items;
}

std::vector<BatchItem>
ItemsToFolder(const std::vector<std::string> & inputs, const std::string & folder)
{
  std::error_code error;
  if (!folder.empty() && folder.back() == '/')
  {
    fs::create_directories(folder, error); // requested by the slash
  }
  if (!fs::is_directory(folder, error))
  {
    throw ProgramError(
      "the last argument must be the folder for the results of several images, which exists or ends with /; \"" +
      folder + "\" is not a folder");
  }
  std::vector<BatchItem> items;
  for (const std::string & input : inputs)
  {
    const fs::path path(input);
    const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename(); // for "folder/"
    if (fs::is_directory(path, error))
    {
      throw ProgramError("\"" + input +
                         "\" is a folder, so the format of its output cannot be derived from its name; " +
                         "use --batch with a list that names the output");
    }
    BatchItem item;
    item.input = input;
    item.output = (fs::path(folder) / name).string();
    items.push_back(item);
  }
  return items;
}

void
CheckBatch(const std::vector<BatchItem> & items, const Options & options)
{
  std::vector<NamedPath> inputs{ { "--reference", options.reference } };
  std::vector<NamedPath> outputs{ { "--report", options.report } };
  for (const BatchItem & item : items)
  {
    inputs.push_back({ "the input \"" + item.input + "\"", item.input });
    for (const TransformArgument & transform : item.transforms)
    {
      inputs.push_back({ "a transform", transform.file });
    }
    outputs.push_back({ "the output of \"" + item.input + "\"", item.output });
  }
  for (const TransformArgument & transform : options.transforms)
  {
    inputs.push_back({ "--transform", transform.file });
  }
  CheckPaths(inputs, outputs);
}

std::vector<std::string>
SourcesOf(const BatchItem & item, const Options & options)
{
  std::vector<std::string> sources{ item.input };
  for (const TransformArgument & transform : OptionsOf(item, options).transforms)
  {
    if (!transform.file.empty()) // the identity
    {
      sources.push_back(transform.file);
    }
  }
  if (!options.reference.empty())
  {
    sources.push_back(options.reference);
  }
  return sources;
}

Options
OptionsOf(const BatchItem & item, const Options & options)
{
  Options one = options;
  one.items.clear();
  one.input = item.input;
  one.output = item.output;
  one.transforms.insert(one.transforms.end(), item.transforms.begin(), item.transforms.end());
  return one;
}

} // namespace CudaSplineResample
