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
#include "files/HeaderText.h"
#include "files/NrrdAxes.h"
#include "files/NrrdFields.h"
#include "files/NrrdGeometry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

/** \file
 * \brief NRRD headers according to the definition of the format, https://teem.sourceforge.net/nrrd/format.html. */

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int maxAxes = 16; // of the format

ScalarType
TypeOf(const std::string & value)
{
  static const std::map<std::string, ScalarType> types{ { "signed char", ScalarType::Int8 },
                                                        { "int8", ScalarType::Int8 },
                                                        { "int8_t", ScalarType::Int8 },
                                                        { "uchar", ScalarType::UInt8 },
                                                        { "unsigned char", ScalarType::UInt8 },
                                                        { "uint8", ScalarType::UInt8 },
                                                        { "uint8_t", ScalarType::UInt8 },
                                                        { "short", ScalarType::Int16 },
                                                        { "short int", ScalarType::Int16 },
                                                        { "signed short", ScalarType::Int16 },
                                                        { "signed short int", ScalarType::Int16 },
                                                        { "int16", ScalarType::Int16 },
                                                        { "int16_t", ScalarType::Int16 },
                                                        { "ushort", ScalarType::UInt16 },
                                                        { "unsigned short", ScalarType::UInt16 },
                                                        { "unsigned short int", ScalarType::UInt16 },
                                                        { "uint16", ScalarType::UInt16 },
                                                        { "uint16_t", ScalarType::UInt16 },
                                                        { "int", ScalarType::Int32 },
                                                        { "signed int", ScalarType::Int32 },
                                                        { "int32", ScalarType::Int32 },
                                                        { "int32_t", ScalarType::Int32 },
                                                        { "uint", ScalarType::UInt32 },
                                                        { "unsigned int", ScalarType::UInt32 },
                                                        { "uint32", ScalarType::UInt32 },
                                                        { "uint32_t", ScalarType::UInt32 },
                                                        { "longlong", ScalarType::Int64 },
                                                        { "long long", ScalarType::Int64 },
                                                        { "long long int", ScalarType::Int64 },
                                                        { "signed long long", ScalarType::Int64 },
                                                        { "signed long long int", ScalarType::Int64 },
                                                        { "int64", ScalarType::Int64 },
                                                        { "int64_t", ScalarType::Int64 },
                                                        { "ulonglong", ScalarType::UInt64 },
                                                        { "unsigned long long", ScalarType::UInt64 },
                                                        { "unsigned long long int", ScalarType::UInt64 },
                                                        { "uint64", ScalarType::UInt64 },
                                                        { "uint64_t", ScalarType::UInt64 },
                                                        { "float", ScalarType::Float32 },
                                                        { "double", ScalarType::Float64 } };
  const auto                                     found = types.find(Lower(value));
  if (found == types.end())
  {
    RefuseField("type", value, "integers of 8 to 64 bits, float and double are allowed");
  }
  return found->second;
}

FileEncoding
EncodingOf(const std::string & value)
{
  static const std::map<std::string, FileEncoding> encodings{
    { "raw", FileEncoding::Raw },   { "gzip", FileEncoding::Deflate }, { "gz", FileEncoding::Deflate },
    { "text", FileEncoding::Text }, { "txt", FileEncoding::Text },     { "ascii", FileEncoding::Text },
    { "hex", FileEncoding::Hex }
  };
  const auto found = encodings.find(Lower(value));
  if (found == encodings.end())
  {
    RefuseField("encoding", value, "raw, gzip, text and hex are allowed");
  }
  return found->second;
}

/** Finds the files of the numbers. */
void
FindFiles(const NrrdFields & fields, ImageFileHeader & header)
{
  const auto dimension = static_cast<unsigned int>(header.storedSizes.size());
  header.axesOfFile = dimension;
  if (!fields.Has("data file"))
  {
    return;
  }
  const std::string &            value = fields.Get("data file");
  const std::vector<std::string> words = SplitWords(value);
  const auto                     axesOf = [&](std::size_t word) {
    header.axesOfFile = dimension - 1;
    if (words.size() > word)
    {
      const std::optional<double> axes = NumberOf(words[word]);
      if (!axes || !(*axes >= 1.0) || *axes > dimension || *axes != std::floor(*axes))
      {
        RefuseField("data file", value, "a file has 1 to " + std::to_string(dimension) + " of the axes");
      }
      header.axesOfFile = static_cast<unsigned int>(*axes);
    }
  };
  if (value.empty())
  {
    RefuseField("data file", value, "the name of a file is needed");
  }
  if (Lower(words[0]) == "list")
  {
    axesOf(1);
    header.files = fields.list;
    if (header.files.empty())
    {
      RefuseField("data file", value, "a file name must follow");
    }
    return;
  }
  constexpr std::size_t wordsOfPattern = 4;
  if (words.size() >= wordsOfPattern && words[0].find('%') != std::string::npos)
  {
    const std::optional<double> first = NumberOf(words[1]);
    const std::optional<double> last = NumberOf(words[2]);
    const std::optional<double> step = NumberOf(words[3]);
    constexpr double            most = 1e15;
    if (first && last && step && std::abs(*first) < most && std::abs(*last) < most && std::abs(*step) < most)
    {
      if (const auto files = ExpandPattern(
            words[0], static_cast<long long>(*first), static_cast<long long>(*last), static_cast<long long>(*step)))
      {
        axesOf(wordsOfPattern);
        header.files = *files;
        header.literalName = value;
        return;
      }
    }
    RefuseField(
      "data file", value, "a pattern such as slice%03d.raw with the first and last number and a step is allowed");
  }
  header.files = { value };
}

/** Returns the integer of a skip. */
std::int64_t
SkipOf(const NrrdFields & fields, const std::string & field, double least)
{
  if (!fields.Has(field))
  {
    return 0;
  }
  constexpr double most = 1e15;
  const double     skip = NumbersOfField(field, fields.Get(field), 1)[0];
  if (!(skip >= least) || skip > most || skip != std::floor(skip))
  {
    RefuseField(field, fields.Get(field), "an integer from " + ToText(least) + " is allowed");
  }
  return static_cast<std::int64_t>(skip);
}

/** Sets the storage of the numbers, and their position. */
void
SetData(const NrrdFields & fields, ImageFileHeader & header)
{
  for (const char * const field : { "dimension", "sizes", "type", "encoding" })
  {
    if (!fields.Has(field))
    {
      throw std::invalid_argument(std::string("the field ") + field + " is missing");
    }
  }
  const double dimension = NumbersOfField("dimension", fields.Get("dimension"), 1)[0];
  if (!(dimension >= 1.0 && dimension <= maxAxes) || dimension != std::floor(dimension))
  {
    RefuseField("dimension", fields.Get("dimension"), "1 to 16 are allowed");
  }
  const auto axisCount = static_cast<std::size_t>(dimension);
  header.storedSizes = SizesOfField("sizes", fields.Get("sizes"), axisCount);
  header.type = TypeOf(fields.Get("type"));
  header.encoding = EncodingOf(fields.Get("encoding"));
  const bool isBinary = header.encoding == FileEncoding::Raw || header.encoding == FileEncoding::Deflate ||
                        header.encoding == FileEncoding::Hex;
  if (isBinary && SizeOf(header.type) > 1)
  {
    const std::string endian = Lower(fields.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      RefuseField("endian", fields.Get("endian"), "little and big are allowed");
    }
    header.isSwapped = (endian == "little") != IsLittleEndian();
  }
  header.dataBegin = fields.end;
  header.lineSkip = SkipOf(fields, "line skip", 0.0);
  header.byteSkip = SkipOf(fields, "byte skip", header.encoding == FileEncoding::Raw ? -1e15 : 0.0);
  FindFiles(fields, header);
}

} // namespace

bool
IsNrrd(std::string_view beginning)
{
  return beginning.compare(0, 4, "NRRD") == 0;
}

ImageFileHeader
ParseNrrdHeader(std::string_view text)
{
  const NrrdFields fields = ReadNrrdFields(text);
  ImageFileHeader  header;
  SetData(fields, header);
  const NrrdSpace             space = ReadNrrdSpace(fields, header.warnings);
  const std::vector<NrrdAxis> axes = FindNrrdAxes(fields, space.dimension, header.storedSizes.size());
  SetNrrdComponents(axes, header);
  const std::vector<unsigned int> order = OrderNrrdAxes(fields, axes, header.storedSizes);
  header.order.insert(header.order.end(), order.begin(), order.end());
  header.isSeries = order.size() > 3;
  header.dimension = static_cast<unsigned int>(order.size()) - (header.isSeries ? 1 : 0);
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    header.size[axis] = header.storedSizes[order[axis]];
  }
  header.volumes = header.isSeries ? header.storedSizes[order.back()] : 1;
  SetNrrdGrid(fields, space, axes, order, header);
  CheckNrrdMeasurementFrame(fields, space, header);
  return header;
}

} // namespace itk::CudaSpline
