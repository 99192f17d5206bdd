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
#include "c/Call.h"

#include "itkCudaSpline/c/CudaSplineImageHeadersC.h"
#include "itkCudaSpline/files/ImageFileHeader.h"

#include <cstring>
#include <locale>
#include <sstream>
#include <string>

using namespace itk::CudaSpline;

namespace
{

/** Returns a JSON string. Bytes beyond ASCII are not changed. */
std::string
Quoted(const std::string & text)
{
  std::ostringstream stream;
  stream << '"';
  for (const char letter : text)
  {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\')
    {
      stream << '\\' << letter;
    }
    else if (byte < 0x20)
    {
      constexpr const char * digits = "0123456789abcdef";
      stream << "\\u00" << digits[byte / 16] << digits[byte % 16];
    }
    else
    {
      stream << letter;
    }
  }
  stream << '"';
  return stream.str();
}

/** Consecutive members of a JSON object. */
class JsonObject
{
public:
  JsonObject()
  {
    m_Stream.imbue(std::locale::classic());
    m_Stream.precision(17);
  }

  template <typename T>
  void
  Add(const char * name, const T & value)
  {
    m_Stream << (m_IsEmpty ? "{" : ",") << '"' << name << "\":" << value;
    m_IsEmpty = false;
  }

  template <typename TList>
  void
  AddList(const char * name, const TList & values, std::size_t count)
  {
    std::ostringstream list;
    list.imbue(std::locale::classic());
    list.precision(17);
    for (std::size_t index = 0; index < count; ++index)
    {
      list << (index == 0 ? "" : ",") << values[index];
    }
    this->Add(name, "[" + list.str() + "]");
  }

  void
  AddTexts(const char * name, const std::vector<std::string> & texts)
  {
    std::vector<std::string> quoted;
    for (const std::string & text : texts)
    {
      quoted.push_back(Quoted(text));
    }
    this->AddList(name, quoted, quoted.size());
  }

  std::string
  Get() const
  {
    return m_Stream.str() + "}";
  }

private:
  std::ostringstream m_Stream;
  bool               m_IsEmpty{ true };
};

std::string
AsJson(const ImageFileHeader & header)
{
  static const char * const meanings[] = { "scalar", "complex",          "rgb",   "rgba",
                                           "vector", "covariant-vector", "point", "symmetric-tensor" };
  static const char * const encodings[] = { "raw", "deflate", "text", "hex" };
  std::vector<double>       direction;
  for (unsigned int row = 0; row < header.dimension; ++row)
  {
    direction.insert(direction.end(), header.direction[row].begin(), header.direction[row].begin() + header.dimension);
  }
  JsonObject json;
  json.AddList("size", header.size, header.dimension);
  json.AddList("spacing", header.spacing, header.dimension);
  json.AddList("origin", header.origin, header.dimension);
  json.AddList("direction", direction, direction.size());
  json.Add("type", static_cast<int>(header.type));
  json.Add("components", header.components);
  json.Add("meaning", Quoted(meanings[static_cast<int>(header.meaning)]));
  json.Add("is_series", header.isSeries ? "true" : "false");
  json.Add("volumes", header.volumes);
  json.Add("volume_spacing", header.volumeSpacing);
  json.Add("volume_origin", header.volumeOrigin);
  json.AddTexts("warnings", header.warnings);
  json.Add("encoding", Quoted(encodings[static_cast<int>(header.encoding)]));
  json.Add("is_swapped", header.isSwapped ? "true" : "false");
  json.AddList("stored_sizes", header.storedSizes, header.storedSizes.size());
  json.AddList("order", header.order, header.order.size());
  json.Add("has_component_axis", header.hasComponentAxis ? "true" : "false");
  json.Add("skipped_components", header.skippedComponents);
  json.Add("data_begin", header.dataBegin);
  json.AddTexts("files", header.files);
  json.Add("axes_of_file", header.axesOfFile);
  json.Add("literal_name", Quoted(header.literalName));
  json.Add("line_skip", header.lineSkip);
  json.Add("byte_skip", header.byteSkip);
  return json.Get();
}

} // namespace

std::int32_t
cudaspline_describe_header(const char *    format,
                           const char *    text,
                           std::uint64_t   bytes,
                           std::int32_t    is_literal,
                           char *          json,
                           std::uint64_t   capacity,
                           std::uint64_t * needed)
{
  return Call([=] {
    RequirePointer(format, "format");
    RequirePointer(text, "text");
    RequirePointer(json, "json");
    RequirePointer(needed, "needed");
    const std::string      name = format;
    const std::string_view beginning(text, static_cast<std::size_t>(bytes));
    if (name != "nrrd" && name != "metaimage")
    {
      throw std::invalid_argument("format: \"" + name + "\" is not allowed; use nrrd or metaimage");
    }
    ImageFileHeader header = name == "nrrd" ? ParseNrrdHeader(beginning) : ParseMetaImageHeader(beginning);
    if (is_literal != 0 && !header.literalName.empty())
    {
      UseLiteralName(header);
    }
    if (header.literalName.empty())
    {
      CheckNumberOfFiles(header);
    }
    const std::string described = AsJson(header);
    *needed = described.size() + 1;
    if (*needed <= capacity)
    {
      std::memcpy(json, described.c_str(), described.size() + 1);
    }
  });
}
