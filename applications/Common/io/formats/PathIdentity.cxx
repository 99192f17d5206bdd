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
#include "io/formats/PathIdentity.h"

#include "console/Error.h"
#include "io/formats/ImageFiles.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include <sys/stat.h>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Returns keys that two names of the same file have in common: the path without links, and the inode number of the
 * existing part. */
std::vector<std::string>
KeysOf(const fs::path & path)
{
  std::vector<std::string> keys;
  std::error_code          error;
  fs::path                 target = path;
  // A link whose target does not exist yet is resolved here. The limit of the system is 40 links.
  for (int links = 0; links < 40 && fs::is_symlink(target, error) && !fs::exists(target, error); ++links)
  {
    const fs::path next = fs::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(target, error), error);
  keys.push_back(error ? target.string() : whole.string());
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0)
  {
    keys.push_back(std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino));
  }
  return keys;
}

/** Returns the files that are written for an output: the output itself, and the data file of a header. */
std::vector<fs::path>
WrittenFor(const std::string & output)
{
  const fs::path        path(output);
  std::vector<fs::path> files{ path };
  std::string           ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto & [header, data] : { std::pair(".mhd", ".raw"),
                                       std::pair(".mhd", ".zraw"),
                                       std::pair(".nhdr", ".raw"),
                                       std::pair(".hdr", ".img"),
                                       std::pair(".img", ".hdr") })
  {
    if (ending == header)
    {
      files.push_back(fs::path(path).replace_extension(data));
    }
  }
  return files;
}

/** Returns the existing files of an input. Errors are reported when it is read. */
std::vector<fs::path>
ReadFor(const std::string & input)
{
  std::vector<fs::path> files{ input };
  try
  {
    const std::vector<fs::path> all = FilesOf(input);
    files.insert(files.end(), all.begin(), all.end());
  }
  catch (const fs::filesystem_error &)
  {
    files.resize(1);
  }
  return files;
}

} // namespace

void
CheckPaths(const std::vector<NamedPath> & inputs, const std::vector<NamedPath> & outputs)
{
  std::map<std::string, std::pair<std::size_t, fs::path>> written; // by key: the output, and its file
  for (std::size_t number = 0; number < outputs.size(); ++number)
  {
    for (const fs::path & file :
         outputs[number].path.empty() ? std::vector<fs::path>() : WrittenFor(outputs[number].path))
    {
      for (const std::string & key : KeysOf(file))
      {
        const auto placed = written.emplace(key, std::pair(number, file));
        if (const std::size_t other = placed.first->second.first; other != number)
        {
          throw ProgramError(outputs[number].role + " and " + outputs[other].role + " name the same file, \"" +
                             file.string() + "\"; name different files");
        }
      }
    }
  }
  for (const NamedPath & input : inputs)
  {
    for (const fs::path & file : input.path.empty() ? std::vector<fs::path>() : ReadFor(input.path))
    {
      for (const std::string & key : KeysOf(file))
      {
        if (const auto found = written.find(key); found != written.end())
        {
          throw ProgramError("\"" + file.string() + "\" is an input and an output (" + input.role + ", and " +
                             outputs[found->second.first].role +
                             "): it would be overwritten; name another file to write");
        }
      }
    }
  }
}

} // namespace CudaSplineProgram
