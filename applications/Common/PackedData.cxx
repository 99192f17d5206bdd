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
#include "PackedData.h"

#include "Error.h"
#include "ImageFiles.h"
#include "ImageReading.h"

#include "itk_zlib.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

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

[[noreturn]] void
Refuse(const fs::path & file, const std::string & why)
{
  throw ProgramError("the file \"" + file.string() + "\" is damaged or cut short: " + why);
}

std::string
Whole(double number)
{
  return std::to_string(static_cast<long long>(number));
}

/** Decompresses a stream of zlib or gzip, and throws where it is not what was written.
 *
 * \param[in] begin where it begins in the file
 * \param[in] expected bytes that it has to hold, at least */
void
CheckStream(const fs::path & path, std::streamoff begin, double expected)
{
  std::ifstream file(path, std::ios::binary);
  file.seekg(begin);
  z_stream stream{};
  if (inflateInit2(&stream, 47) != Z_OK) // either format
  {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_stream *)> end(&stream, &inflateEnd);
  std::vector<char>                                    in(1 << 16);
  std::vector<char>                                    out(1 << 18);
  double                                               count = 0.0;
  int                                                  state = Z_OK;
  while (state == Z_OK || state == Z_BUF_ERROR)
  {
    if (stream.avail_in == 0)
    {
      file.read(in.data(), static_cast<std::streamsize>(in.size()));
      stream.next_in = reinterpret_cast<Bytef *>(in.data());
      stream.avail_in = static_cast<uInt>(file.gcount());
      if (stream.avail_in == 0)
      {
        Refuse(path, "its compressed data end after " + Whole(count) + " of " + Whole(expected) + " bytes");
      }
    }
    stream.next_out = reinterpret_cast<Bytef *>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    state = inflate(&stream, Z_NO_FLUSH);
    count += static_cast<double>(out.size() - stream.avail_out);
  }
  if (state != Z_STREAM_END)
  {
    Refuse(path, "its compressed data, or their checksum, are wrong");
  }
  if (count < expected)
  {
    Refuse(path, "it holds " + Whole(count) + " bytes (decompressed) where its header promises " + Whole(expected));
  }
}

/** Throws where a file that is not compressed is too short. */
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
           "it holds " + Whole(std::max(0.0, static_cast<double>(size) - begin)) +
             " bytes of pixels where its header promises " + Whole(expected));
  }
}

/** A MetaImage's header. */
struct MetaHeader
{
  std::map<std::string, std::string> values;   ///< by key, as they are written
  std::streamoff                     end{ 0 }; ///< behind the key of the data
  std::vector<std::string>           list;     ///< the lines behind it, of a list of files
  std::string
  Get(const std::string & key) const
  {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
};

MetaHeader
ReadMetaHeader(const std::string & path)
{
  MetaHeader    header;
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line);)
  {
    const auto at = line.find_first_of("=:");
    if (at == std::string::npos)
    {
      continue;
    }
    const std::string key = Word(line.substr(0, at));
    const auto        first = line.find_first_not_of(" \t", at + 1);
    std::string       value = first == std::string::npos ? "" : line.substr(first);
    value.erase(value.find_last_not_of(" \t\r") + 1);
    header.values[key] = value;
    if (key == "elementdatafile")
    {
      header.end = stream.tellg();
      break;
    }
  }
  if (Word(header.Get("elementdatafile")).compare(0, 4, "list") == 0)
  {
    for (std::string line; std::getline(stream, line);)
    {
      line.erase(line.find_last_not_of(" \t\r") + 1);
      if (!line.empty())
      {
        header.list.push_back(line);
      }
    }
  }
  return header;
}

/** The files with the pixels, each of which has the same part of them. */
std::vector<std::string>
DataFiles(const MetaHeader & header)
{
  const std::string name = header.Get("elementdatafile");
  if (!header.list.empty())
  {
    return header.list;
  }
  const auto percent = name.find('%');
  if (percent == std::string::npos)
  {
    return { name };
  }
  // "slice%03d.raw first last step"
  std::istringstream words(name);
  std::string        pattern;
  long               first = 0;
  long               last = 0;
  long               step = 1;
  words >> pattern >> first >> last;
  if (!(words >> step) || step < 1)
  {
    step = 1;
  }
  const auto               begin = pattern.find('%');
  const auto               end = pattern.find_first_of("dDiu", begin);
  const std::string        digits = pattern.substr(begin + 1, end == std::string::npos ? 0 : end - begin - 1);
  std::vector<std::string> files;
  if (end == std::string::npos || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
  {
    throw ProgramError("the name of the data files, \"" + name + "\", has no number in it that is understood");
  }
  const auto width = static_cast<std::size_t>(std::atoi(digits.c_str()));
  for (long number = first; number <= last && files.size() < 1000000; number += step)
  {
    std::string text = std::to_string(number);
    text.insert(0, text.size() < width ? width - text.size() : 0, digits[0] == '0' ? '0' : ' ');
    files.push_back(pattern.substr(0, begin) + text + pattern.substr(end + 1));
  }
  return files;
}

/** How many files there have to be. */
double
NumberOfFiles(const MetaHeader & header)
{
  std::istringstream sizes(header.Get("dimsize"));
  std::vector<long>  dimensions;
  for (long size = 0; sizes >> size;)
  {
    dimensions.push_back(std::max(1L, size));
  }
  std::istringstream name(header.Get("elementdatafile"));
  std::string        word;
  std::size_t        ofFile = dimensions.empty() ? 0 : dimensions.size() - 1;
  name >> word;
  if (std::size_t given = 0; !header.list.empty() && name >> given) // "LIST 2"
  {
    ofFile = given;
  }
  double count = 1.0;
  for (std::size_t axis = ofFile; axis < dimensions.size(); ++axis)
  {
    count *= static_cast<double>(dimensions[axis]);
  }
  return count;
}

/** The file beside a header that its data are in. */
fs::path
Beside(const std::string & header, const fs::path & name)
{
  return name.is_absolute() ? name : fs::path(header).parent_path() / name;
}

bool
IsTrue(const std::string & value)
{
  return !value.empty() && (value[0] == 'T' || value[0] == 't' || value[0] == '1');
}

/** An NRRD file's header. */
struct NrrdHeader
{
  std::map<std::string, std::string> values;   ///< by key, as words
  std::streamoff                     end{ 0 }; ///< behind the empty line
  std::string
  Get(const std::string & key) const
  {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
  }
  bool
  Has(const std::string & key) const
  {
    return values.count(key) > 0;
  }
  bool
  IsDetached() const
  {
    return this->Has("data file") || this->Has("datafile");
  }
  bool
  HasSkips() const
  {
    return this->Has("line skip") || this->Has("lineskip") || this->Has("byte skip") || this->Has("byteskip");
  }
};

NrrdHeader
ReadNrrdHeader(const std::string & path)
{
  NrrdHeader    header;
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line) && line.find_first_not_of(" \t\r") != std::string::npos;)
  {
    const auto colon = line.find(':');
    header.values[Word(line.substr(0, colon))] = colon == std::string::npos ? "" : Word(line.substr(colon + 1));
  }
  header.end = stream ? static_cast<std::streamoff>(stream.tellg()) : std::streamoff{ 0 };
  return header;
}

/** The whole numbers of a text. */
std::vector<double>
NumbersOf(const std::string & text)
{
  std::istringstream  words(text);
  std::vector<double> numbers;
  for (double number = 0.0; words >> number;)
  {
    numbers.push_back(number);
  }
  return numbers;
}

/** The sizes that a header has where the volumes of an image lie behind each other. */
std::vector<double>
SizesOf(const OpenedImage & image, bool hasComponents)
{
  std::vector<double> sizes;
  if (hasComponents && image.layout.components > 1)
  {
    sizes.push_back(image.layout.components);
  }
  for (unsigned int axis = 0; axis < image.grid.dimension; ++axis)
  {
    sizes.push_back(static_cast<double>(image.grid.size[axis]));
  }
  sizes.push_back(static_cast<double>(image.layout.volumes));
  return sizes;
}

bool
IsLittleEndian()
{
  const std::uint16_t number = 1;
  unsigned char       first = 0;
  std::memcpy(&first, &number, 1);
  return first == 1;
}

bool
IsDeflate(const std::string & encoding)
{
  return encoding == "gzip" || encoding == "gz";
}

/** Where a MetaImage has its volumes. */
std::optional<VolumePlace>
PlaceOfMetaVolumes(const OpenedImage & image)
{
  const MetaHeader  header = ReadMetaHeader(image.path);
  const std::string name = header.Get("elementdatafile");
  const bool        isLocal = Word(name) == "local";
  const bool        isSeveral = Word(name).compare(0, 4, "list") == 0 || name.find('%') != std::string::npos;
  const bool        isBinary = header.Get("binarydata").empty() || IsTrue(header.Get("binarydata"));
  const bool        isElsewhere = !header.Get("headersize").empty() && header.Get("headersize") != "0";
  const bool        isRescaled = header.values.count("elementtointensityfunctionslope") > 0 ||
                          header.values.count("elementtointensityfunctionoffset") > 0;
  if (name.empty() || isSeveral || !isBinary || isElsewhere || isRescaled ||
      NumbersOf(header.Get("dimsize")) != SizesOf(image, false))
  {
    return std::nullopt;
  }
  const std::string order = header.Get("binarydatabyteordermsb") + header.Get("elementbyteordermsb");
  VolumePlace       place;
  place.path = isLocal ? image.path : Beside(image.path, name).string();
  place.isPacked = IsTrue(header.Get("compresseddata"));
  (place.isPacked ? place.stream : place.begin) = isLocal ? static_cast<double>(header.end) : 0.0;
  place.isSwapped = IsTrue(order) == IsLittleEndian();
  return place;
}

/** Where an NRRD file has its volumes. */
std::optional<VolumePlace>
PlaceOfNrrdVolumes(const OpenedImage & image)
{
  const NrrdHeader  header = ReadNrrdHeader(image.path);
  const std::string encoding = header.Get("encoding");
  const std::string name = header.Get("data file") + header.Get("datafile");
  const bool        isSeveral = name.compare(0, 4, "list") == 0 || name.find('%') != std::string::npos;
  const bool        isSwapped = !header.Get("endian").empty() && (header.Get("endian") == "little") != IsLittleEndian();
  // Components lie together where theirs is the first axis.
  const std::string kind = header.Get("kinds").substr(0, header.Get("kinds").find(' '));
  const bool        isMixed = image.layout.components > 1 && (kind.empty() || kind == "domain" || kind == "space");
  if ((encoding != "raw" && !IsDeflate(encoding)) || header.HasSkips() || isSeveral || isMixed ||
      NumbersOf(header.Get("sizes")) != SizesOf(image, true))
  {
    return std::nullopt;
  }
  std::vector<fs::path> files = FilesOf(image.path);
  files.erase(std::remove(files.begin(), files.end(), fs::path(image.path)), files.end());
  if (header.IsDetached() && files.size() != 1)
  {
    return std::nullopt;
  }
  VolumePlace place;
  place.path = header.IsDetached() ? files.front().string() : image.path;
  place.isPacked = IsDeflate(encoding);
  (place.isPacked ? place.stream : place.begin) = header.IsDetached() ? 0.0 : static_cast<double>(header.end);
  place.isSwapped = isSwapped;
  return place;
}

} // namespace

Packing
PackingOf(const OpenedImage & image)
{
  if (image.nifti)
  {
    return image.nifti->isPacked ? Packing::Deflate : Packing::None;
  }
  if (image.io.IsNull())
  {
    return Packing::Other; // DICOM
  }
  const std::string format = image.io->GetNameOfClass();
  if (format == "MetaImageIO")
  {
    return IsTrue(ReadMetaHeader(image.path).Get("compresseddata")) ? Packing::Deflate : Packing::None;
  }
  if (format == "NrrdImageIO")
  {
    const std::string encoding = ReadNrrdHeader(image.path).Get("encoding");
    return IsDeflate(encoding) ? Packing::Deflate : encoding == "raw" ? Packing::None : Packing::Other;
  }
  return format == "PNGImageIO" ? Packing::Deflate : Packing::Other;
}

std::optional<VolumePlace>
PlaceOfVolumes(const OpenedImage & image)
{
  const std::string format = image.io.IsNull() ? "" : image.io->GetNameOfClass();
  auto              place = format == "MetaImageIO"   ? PlaceOfMetaVolumes(image)
                            : format == "NrrdImageIO" ? PlaceOfNrrdVolumes(image)
                                                      : std::nullopt;
  if (place)
  {
    place->numberBytes = itk::CudaSpline::SizeOf(image.type);
  }
  return place;
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
CheckMetaImageData(const std::string & path, double bytesOfPixels)
{
  const MetaHeader header = ReadMetaHeader(path);
  const bool       isBinary = header.Get("binarydata").empty() || IsTrue(header.Get("binarydata"));
  const bool       isCompressed = IsTrue(header.Get("compresseddata"));
  if (header.Get("elementdatafile").empty() || (!isBinary && !isCompressed))
  {
    return; // as text, which ITK counts
  }
  const auto check = [&](const fs::path & file, std::streamoff begin, double expected) {
    if (isCompressed)
    {
      CheckStream(file, begin, expected);
    }
    else
    {
      CheckLength(file, static_cast<double>(begin), expected);
    }
  };
  const std::string word = Word(header.Get("elementdatafile"));
  if (word == "local")
  {
    check(path, header.end, bytesOfPixels);
    return;
  }
  const std::vector<std::string> files = DataFiles(header);
  const bool                     isSingle = word.compare(0, 4, "list") != 0 && word.find('%') == std::string::npos;
  const double                   count = isSingle ? 1.0 : NumberOfFiles(header);
  if (static_cast<double>(files.size()) < count ||
      (!isSingle && header.list.empty() && word.compare(0, 4, "list") == 0))
  {
    Refuse(path, "it names " + std::to_string(files.size()) + " files of pixels where its size needs " + Whole(count));
  }
  const long skip = isCompressed ? 0 : std::max(0L, std::atol(header.Get("headersize").c_str()));
  for (std::size_t index = 0; static_cast<double>(index) < count; ++index)
  {
    const fs::path file = Beside(path, files[index]);
    if (!fs::exists(file))
    {
      throw ProgramError("the data file \"" + file.string() + "\" of \"" + path + "\" is missing");
    }
    check(file, skip, bytesOfPixels / count);
  }
}

void
CheckVtkData(const std::string & path, double numbers, double bytes)
{
  std::ifstream stream(path, std::ios::binary);
  bool          isText = false;
  bool          isNear = false; // the lines behind POINT_DATA say what the numbers are
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
    // What is said of scalars may be followed by the name of a table, behind which the numbers begin.
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
    Refuse(path, "it holds " + Whole(found) + " numbers where its header promises " + Whole(numbers));
  }
}

void
CheckNrrdData(const std::string & path, double bytesOfPixels)
{
  const NrrdHeader header = ReadNrrdHeader(path);
  if (!IsDeflate(header.Get("encoding")) || header.HasSkips())
  {
    return; // NrrdIO refuses what is too short
  }
  if (!header.IsDetached())
  {
    CheckStream(path, header.end, bytesOfPixels);
    return;
  }
  std::vector<fs::path> files = FilesOf(path);
  files.erase(std::remove(files.begin(), files.end(), fs::path(path)), files.end());
  for (const fs::path & file : files)
  {
    CheckStream(file, 0, bytesOfPixels / static_cast<double>(files.size()));
  }
}

} // namespace CudaSplineProgram
