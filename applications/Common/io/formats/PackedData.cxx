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
#include "io/formats/PackedData.h"

#include "console/Error.h"
#include "io/formats/ImageReading.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Converts to lower case, and removes blanks at both ends. */
std::string
Word(const std::string & text)
{
  const auto  first = text.find_first_not_of(" \t\r");
  std::string word = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

[[noreturn]] void
Refuse(const fs::path & file, const std::string & why)
{
  throw ProgramError("the file \"" + file.string() + "\" is damaged or truncated: " + why);
}

std::string
Whole(double number)
{
  return std::to_string(static_cast<long long>(number));
}

/** Throws if an uncompressed file is too short. */
void
CheckLength(const fs::path & path, double begin, double expected)
{
  std::error_code error;
  const auto      size = fs::file_size(path, error);
  if (error)
  {
    throw ProgramError("the data file \"" + path.string() + "\" cannot be read: " + error.message());
  }
  if (static_cast<double>(size) < begin + expected)
  {
    Refuse(path,
           "it contains " + Whole(std::max(0.0, static_cast<double>(size) - begin)) +
             " bytes of pixels, but its header requires " + Whole(expected));
  }
}

} // namespace

Packing
PackingOf(const OpenedImage & image)
{
  if (image.nifti)
  {
    return image.nifti->isPacked ? Packing::Deflate : Packing::None;
  }
  if (image.stored)
  {
    using itk::CudaSpline::FileEncoding;
    const FileEncoding encoding = image.stored->encoding;
    return encoding == FileEncoding::Raw ? Packing::None : Packing::Deflate; // text expands less than compressed data
  }
  if (image.io.IsNull())
  {
    return Packing::Other; // DICOM
  }
  return std::string(image.io->GetNameOfClass()) == "PNGImageIO" ? Packing::Deflate : Packing::Other;
}

bool
SetNumberOfVolumes(const std::string & format, std::string & header, std::size_t volumes)
{
  // The last number of a line: "sizes: 13 11 7 2", "DimSize = 13 11 7 2".
  const std::string key = format == "NrrdImageIO" ? "\nsizes:" : "\nDimSize =";
  const auto        begin = header.find(key);
  const auto        end = begin == std::string::npos ? begin : header.find('\n', begin + 1);
  if (end == std::string::npos)
  {
    return false;
  }
  const auto last = header.find_last_of("0123456789", end);
  const auto before = header.find_last_not_of("0123456789", last);
  header.replace(before + 1, last - before, std::to_string(volumes));
  return true;
}

void
CheckVtkData(const std::string & path, double numbers, double bytes)
{
  std::ifstream stream(path, std::ios::binary);
  bool          isText = false;
  bool          isNear = false; // the lines after POINT_DATA describe the numbers
  for (std::string line; std::getline(stream, line);)
  {
    const std::string word = Word(line.substr(0, line.find_first_of(" \t")));
    isText = isText || word == "ascii";
    isNear = isNear || word == "point_data";
    const bool isKind = word == "scalars" || word == "vectors" || word == "tensors" || word == "color_scalars";
    if (!isNear || !isKind)
    {
      continue;
    }
    // The line of scalars may be followed by the name of a table, after which the numbers begin.
    const std::streampos data = stream.tellg();
    if (word == "scalars" && (!std::getline(stream, line) || Word(line).compare(0, 12, "lookup_table") != 0))
    {
      stream.clear();
      stream.seekg(data);
    }
    break;
  }
  if (!isText)
  {
    CheckLength(path, static_cast<double>(stream ? static_cast<std::streamoff>(stream.tellg()) : 0), numbers * bytes);
    return;
  }
  double found = 0.0;
  for (std::string word; found < numbers && stream >> word;)
  {
    found += 1.0;
  }
  if (found < numbers)
  {
    Refuse(path, "it contains " + Whole(found) + " numbers, but its header requires " + Whole(numbers));
  }
}

} // namespace CudaSplineProgram
