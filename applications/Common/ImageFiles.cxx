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
#include "ImageFiles.h"

#include "TextLines.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Lower case, without blanks at both ends. */
std::string
Word(const std::string & text)
{
  const auto  first = text.find_first_not_of(" \t\r");
  std::string word = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}

/** Adds the files of a folder that a header's name of its data stands for: "a.raw", or "a%03d.raw 1 20 1". */
void
AddNamed(const fs::path & folder, const std::string & name, std::vector<fs::path> & files)
{
  const auto percent = name.find('%');
  if (percent == std::string::npos)
  {
    files.push_back(folder / name);
    return;
  }
  const auto        conversion = std::min(name.find_first_of("dDiu", percent), name.size() - 1);
  const std::string before = name.substr(0, percent);
  const std::string behind = name.substr(conversion + 1, name.find_first_of(" \t", conversion) - conversion - 1);
  const fs::path    searched = folder / fs::path(before).parent_path();
  for (const fs::directory_entry & entry : fs::directory_iterator(searched.empty() ? "." : searched))
  {
    const std::string file = (fs::path(before).parent_path() / entry.path().filename()).string();
    if (file.size() >= before.size() + behind.size() && file.compare(0, before.size(), before) == 0 &&
        file.compare(file.size() - behind.size(), behind.size(), behind) == 0)
    {
      files.push_back(folder / file);
    }
  }
}

/** Adds what a header of MetaImage or NRRD names as its data: behind the key, and of a list in the lines after it.
 * Where the data are in the same file the header ends at the key LOCAL, or NRRD's at an empty line. */
void
AddDataOfHeader(const fs::path & header, bool isNrrd, std::vector<fs::path> & files)
{
  std::ifstream stream(header);
  bool          isList = false;
  for (std::string line; GetTextLine(stream, line);)
  {
    const auto        at = line.find_first_of(":=");
    const std::string key = Word(line.substr(0, at));
    const bool isKey = at != std::string::npos && (key == "elementdatafile" || key == "data file" || key == "datafile");
    if (isNrrd && !isList && line.find_first_not_of(" \t\r") == std::string::npos)
    {
      return;
    }
    if (!isList && !isKey)
    {
      continue;
    }
    std::string name = isKey ? line.substr(at + 1) : line;
    name.erase(0, name.find_first_not_of(" \t"));
    name.erase(name.find_last_not_of(" \t\r") + 1);
    const std::string first = Word(name.substr(0, name.find_first_of(" \t")));
    if (isKey && first == "local")
    {
      return;
    }
    isList = isList || (isKey && first == "list");
    if (!name.empty() && first != "list")
    {
      AddNamed(header.parent_path(), name, files);
    }
  }
}

/** Adds the other file of a pair. */
void
AddPartner(const fs::path & file, std::vector<fs::path> & files)
{
  const bool        isCompressed = Word(file.extension().string()) == ".gz";
  const fs::path    plain = isCompressed ? fs::path(file).replace_extension() : file;
  const std::string ending = Word(plain.extension().string());
  for (const auto & [header, data] :
       { std::pair(".hdr", ".img"), std::pair(".par", ".rec"), std::pair(".spr", ".sdt") })
  {
    if (ending == header || ending == data)
    {
      std::string partner = ending == header ? data : header;
      std::string compression = ".gz";
      const auto  upper = [](unsigned char c) { return std::toupper(c); };
      if (std::isupper(static_cast<unsigned char>(plain.extension().string()[1])) != 0)
      {
        std::transform(partner.begin(), partner.end(), partner.begin(), upper);
        std::transform(compression.begin(), compression.end(), compression.begin(), upper);
      }
      fs::path other = plain;
      other.replace_extension(partner);
      files.push_back(other);
      files.push_back(other += compression);
    }
  }
}

} // namespace

std::vector<fs::path>
FilesOf(const std::string & name)
{
  const fs::path        path(name);
  std::vector<fs::path> files{ path };
  if (fs::is_directory(path))
  {
    for (const fs::directory_entry & entry : fs::directory_iterator(path))
    {
      files.push_back(entry.path());
    }
  }
  const std::string ending = Word(path.extension().string());
  const bool        isNrrd = ending == ".nhdr" || ending == ".nrrd";
  if ((isNrrd || ending == ".mhd" || ending == ".mha") && fs::is_regular_file(path)) // who opens a pipe waits
  {
    AddDataOfHeader(path, isNrrd, files);
  }
  AddPartner(path, files);
  files.erase(
    std::remove_if(files.begin(), files.end(), [](const fs::path & file) { return !fs::is_regular_file(file); }),
    files.end());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace CudaSplineProgram
