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
#include "io/formats/ImageFiles.h"

#include "console/Error.h"
#include "io/formats/StoredImage.h"

#include <algorithm>
#include <cctype>
#include <utility>

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

/** Adds the files that the header of an NRRD file or a MetaImage refers to. */
void
AddDataFiles(const std::string & header, std::vector<fs::path> & files)
{
  try
  {
    if (const auto stored = ReadStoredHeader(header); stored && !stored->files.empty())
    {
      const std::vector<fs::path> data = DataFilesOf(*stored, header);
      files.insert(files.end(), data.begin(), data.end());
    }
  }
  catch (const ProgramError &)
  {} // reading the image reports the error
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
  if (fs::is_regular_file(path)) // opening a pipe would wait
  {
    AddDataFiles(name, files);
  }
  AddPartner(path, files);
  files.erase(
    std::remove_if(files.begin(), files.end(), [](const fs::path & file) { return !fs::is_regular_file(file); }),
    files.end());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace CudaSplineProgram
