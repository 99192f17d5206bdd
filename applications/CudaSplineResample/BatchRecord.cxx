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
#include "BatchRecord.h"

#include "BatchList.h"
#include "io/formats/ImageFiles.h"
#include "PixelTreatment.h"
#include "io/volume/PixelType.h"
#include "io/files/TextLines.h"

#include <nlohmann/json.hpp>

#include "itksys/MD5.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

namespace CudaSplineResample
{

namespace fs = std::filesystem;

namespace
{

/** Hidden, so that a pattern for the results does not match it. */
constexpr const char * recordName = ".CudaSplineResample.done";

/** Returns a name with characters that JSON supports, for arbitrary bytes. */
std::string
Escaped(const std::string & name)
{
  std::string text;
  for (const char letter : name)
  {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x20 && byte < 0x7F && byte != '%')
    {
      text += letter;
    }
    else
    {
      constexpr const char * digits = "0123456789ABCDEF";
      text += { '%', digits[byte / 16], digits[byte % 16] };
    }
  }
  return text;
}

/** Formats a number as a unique text, including NaN and infinity, for which JSON has the same word. */
std::string
TextOf(double number)
{
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%a", number);
  return text.data();
}

std::string
Checksum(const nlohmann::json & json)
{
  const std::string                                             text = json.dump();
  const std::unique_ptr<itksysMD5, decltype(&itksysMD5_Delete)> md5(itksysMD5_New(), &itksysMD5_Delete);
  itksysMD5_Initialize(md5.get());
  itksysMD5_Append(md5.get(), reinterpret_cast<const unsigned char *>(text.data()), static_cast<int>(text.size()));
  std::string sum(32, '0');
  itksysMD5_FinalizeHex(md5.get(), sum.data());
  return sum;
}

/** Returns a time as a number, which is only compared for equality. */
std::int64_t
TimeOf(const fs::path & file)
{
  return static_cast<std::int64_t>(fs::last_write_time(file).time_since_epoch().count());
}

/** Returns size and time of an output, and of its data file if it has one. */
std::string
StateOf(const std::string & output)
{
  nlohmann::json files = nlohmann::json::array();
  for (const fs::path & file : FilesOf(output))
  {
    files.push_back({ Escaped(file.filename().string()), fs::file_size(file), TimeOf(file) });
  }
  return Checksum(files);
}

fs::path
FolderOf(const BatchItem & item)
{
  const fs::path output(item.output);
  return output.has_parent_path() ? output.parent_path() : fs::path(".");
}

/** Returns the name of an output in the record. */
std::string
NameOf(const BatchItem & item)
{
  return Escaped(fs::path(item.output).filename().string());
}

/** Returns all options that a result depends on. The backend is not one of them. */
nlohmann::json
Describe(const Options & options)
{
  nlohmann::json json;
  json["interpolation"] = TextOf(options.interpolation);
  json["spacing"] = options.grid.spacing;
  json["size"] = options.grid.size;
  json["origin"] = options.grid.origin;
  json["direction"] = options.grid.direction;
  json["crop"] = nlohmann::json::array();
  for (const VoxelRange & range : options.grid.crop)
  {
    json["crop"].push_back({ range.first, range.end });
  }
  json["rotation"] = options.rotation;
  json["default"] = TextOf(options.defaultValue);
  json["type"] = options.outputType ? NameOfPixelType(*options.outputType) : "";
  json["rounds"] = GetPixelTreatment().rounds;
  json["smooths"] = GetPixelTreatment().smooths;
  json["reference"] = !options.reference.empty();
  json["inverse"] = nlohmann::json::array();
  for (const TransformArgument & transform : options.transforms)
  {
    json["inverse"].push_back(transform.inverse);
  }
  if (options.transformPerVolume)
  {
    json["transformPerVolume"] = true; // omitted otherwise, so that records of earlier versions are still valid
  }
  return json;
}

} // namespace

std::optional<Making>
BatchRecord::Look(const BatchItem & item, const Options & options)
{
  try
  {
    nlohmann::json sources = nlohmann::json::array();
    for (const std::string & source : SourcesOf(item, options))
    {
      const std::vector<fs::path> files = FilesOf(source);
      if (files.empty())
      {
        return std::nullopt;
      }
      for (const fs::path & file : files)
      {
        sources.push_back({ Escaped(fs::canonical(file).string()), fs::file_size(file), TimeOf(file) });
      }
      sources.push_back(nullptr); // the next source
    }
    return Making{ Checksum(Describe(OptionsOf(item, options))), Checksum(sources) };
  }
  catch (const fs::filesystem_error &)
  {
    return std::nullopt; // the item reports missing files when it is processed
  }
}

BatchRecord::Finding
BatchRecord::Find(const BatchItem & item, const Options & options)
{
  std::error_code error;
  if (!fs::is_regular_file(item.output, error))
  {
    return {};
  }
  const std::optional<Making> making = Look(item, options);
  if (!making)
  {
    return {};
  }
  const Folder & folder = this->Read(FolderOf(item).string());
  const auto     found = folder.find(NameOf(item));
  if (found == folder.end())
  {
    return { false, "what was there was made by no batch" };
  }
  const Output & output = found->second;
  const auto     isAsItWas = [&] {
    try
    {
      return output.state == StateOf(item.output);
    }
    catch (const fs::filesystem_error &)
    {
      return false; // a header that names a missing file, or a file that is removed at this moment
    }
  };
  if (!isAsItWas())
  {
    return { false, "what was there was changed since a batch made it" };
  }
  if (output.options != making->options)
  {
    return { false, "what was there was made with other options" };
  }
  if (output.sources != making->sources)
  {
    return { false, "what was there was made from other files, or they were changed since" };
  }
  return { true, "" };
}

bool
BatchRecord::Add(const BatchItem & item, const Making & making)
{
  try
  {
    const nlohmann::json line{ { "output", NameOf(item) },
                               { "options", making.options },
                               { "sources", making.sources },
                               { "state", StateOf(item.output) } };
    // Written with one call, after the lines of other batches. A truncated line does not affect the next one.
    std::ofstream stream(FolderOf(item) / recordName, std::ios::app);
    stream << '\n' + line.dump() + '\n' << std::flush;
    return static_cast<bool>(stream);
  }
  catch (const fs::filesystem_error &)
  {
    return false;
  }
}

const BatchRecord::Folder &
BatchRecord::Read(const std::string & folder)
{
  const auto read = m_Folders.emplace(folder, Folder());
  Folder &   outputs = read.first->second;
  if (!read.second)
  {
    return outputs;
  }
  std::ifstream stream(fs::path(folder) / recordName);
  for (std::string line; GetTextLine(stream, line);)
  {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    try
    {
      // The last line of a name is valid.
      outputs[json.at("output").get<std::string>()] = { json.at("options").get<std::string>(),
                                                        json.at("sources").get<std::string>(),
                                                        json.at("state").get<std::string>() };
    }
    catch (const nlohmann::json::exception &)
    {
      continue; // empty or truncated
    }
  }
  return outputs;
}

} // namespace CudaSplineResample
