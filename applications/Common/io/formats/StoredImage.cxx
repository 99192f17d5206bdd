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
#include "io/formats/StoredImage.h"

#include "console/Error.h"
#include "console/Numbers.h"
#include "io/volume/PixelType.h"

#include "itkCudaSplineSystem.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;
using itk::CudaSpline::FileEncoding;
using itk::CudaSpline::ImageFileHeader;

namespace
{

[[noreturn]] void
RefuseDamage(const fs::path & file, const std::string & why)
{
  throw ProgramError("the file \"" + file.string() + "\" is damaged or truncated: " + why);
}

/** Returns the beginning of a file, including its header. */
std::string
ReadBeginning(const std::string & path)
{
  constexpr std::size_t most = 1 << 20; // bytes of a header, including its list of files
  std::ifstream         stream(path, std::ios::binary);
  std::string           text(most, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/** Returns the byte at which numbers begin in a file, after its header and the lines to skip. */
std::uint64_t
BeginOfNumbers(const ImageFileHeader & header, const fs::path & file)
{
  std::uint64_t begin = header.files.empty() ? header.dataBegin : 0;
  if (header.lineSkip > 0)
  {
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(begin));
    std::int64_t      lines = 0;
    std::vector<char> piece(1 << 16);
    while (lines < header.lineSkip && stream)
    {
      stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      const auto count = static_cast<std::size_t>(stream.gcount());
      for (std::size_t at = 0; at < count && lines < header.lineSkip; ++at)
      {
        ++begin;
        lines += piece[at] == '\n' ? 1 : 0;
      }
    }
    if (lines < header.lineSkip)
    {
      RefuseDamage(file,
                   "it has " + std::to_string(lines) + " of " + std::to_string(header.lineSkip) + " lines to skip");
    }
  }
  return begin;
}

std::uint64_t
SizeOfFile(const fs::path & file)
{
  std::error_code error;
  const auto      size = fs::file_size(file, error);
  if (error)
  {
    throw ProgramError("the data file \"" + file.string() + "\" cannot be read: " + error.message());
  }
  return size;
}

/** Returns the position of binary numbers in a file. */
VolumePlace
PlaceInFile(const ImageFileHeader & header, const fs::path & file, std::uint64_t bytes)
{
  VolumePlace         place;
  const std::uint64_t begin = BeginOfNumbers(header, file);
  place.path = file.string();
  place.isPacked = header.encoding == FileEncoding::Deflate;
  place.isSwapped = header.isSwapped;
  place.numberBytes = itk::CudaSpline::SizeOf(header.type);
  if (place.isPacked)
  {
    place.stream = static_cast<double>(begin);
    place.begin = static_cast<double>(header.byteSkip);
  }
  else if (header.byteSkip < 0)
  {
    const auto size = static_cast<std::int64_t>(SizeOfFile(file));
    const auto first = size - static_cast<std::int64_t>(bytes) + header.byteSkip + 1;
    if (first < static_cast<std::int64_t>(begin))
    {
      RefuseDamage(file,
                   "it contains " + std::to_string(size - static_cast<std::int64_t>(begin) + header.byteSkip + 1) +
                     " bytes of pixels, but its header requires " + std::to_string(bytes));
    }
    place.begin = static_cast<double>(first);
  }
  else
  {
    place.begin = static_cast<double>(begin) + static_cast<double>(header.byteSkip);
  }
  return place;
}

std::uint64_t
BytesOfFile(const ImageFileHeader & header)
{
  const std::uint64_t files = std::max<std::uint64_t>(1, header.files.size());
  return header.GetNumberOfStoredNumbers() * itk::CudaSpline::SizeOf(header.type) / files;
}

/** Stores a decimal number, "-inf" or "nan".
 *
 * \return false for other words, and for numbers out of the range of the type */
bool
StoreWord(const std::string & word, itk::CudaSpline::ScalarType type, std::uint64_t index, void * to)
{
  const std::size_t sign = word[0] == '-' || word[0] == '+' ? 1 : 0;
  if (word.size() > sign + 1 && (word[sign + 1] == 'x' || word[sign + 1] == 'X'))
  {
    return false; // hexadecimal numbers are valid in C, but not in these formats
  }
  const bool isSigned64 = type == itk::CudaSpline::ScalarType::Int64;
  const bool isInteger = word.find_first_not_of("0123456789", sign) == std::string::npos && word.size() > sign;
  if (isInteger && (isSigned64 || (type == itk::CudaSpline::ScalarType::UInt64 && word[0] != '-')))
  {
    errno = 0; // doubles do not represent them exactly
    const auto number = isSigned64 ? static_cast<std::uint64_t>(std::strtoll(word.c_str(), nullptr, 10))
                                   : std::strtoull(word.c_str(), nullptr, 10);
    std::memcpy(static_cast<char *>(to) + index * sizeof(number), &number, sizeof(number));
    return errno == 0;
  }
  const std::optional<double> value = ParseNumber(word);
  if (!value || !CanHold(type, *value))
  {
    return false;
  }
  if (type == itk::CudaSpline::ScalarType::Float32)
  {
    static_cast<float *>(to)[index] = static_cast<float>(*value); // also infinite numbers
    return true;
  }
  itk::CudaSpline::StoreScalar(to, type, static_cast<std::int64_t>(index), *value);
  return true;
}

/** Reads numbers from text. */
void
ReadText(const ImageFileHeader & header, const fs::path & file, std::uint64_t count, char * to)
{
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(BeginOfNumbers(header, file)) + header.byteSkip);
  std::string word;
  for (std::uint64_t index = 0; index < count; ++index)
  {
    if (!(stream >> word))
    {
      RefuseDamage(
        file, "it contains " + std::to_string(index) + " numbers, but its header requires " + std::to_string(count));
    }
    if (!StoreWord(word, header.type, index, to))
    {
      RefuseDamage(file, "\"" + word.substr(0, 40) + "\" is not a number of type " + NameOfPixelType(header.type));
    }
  }
}

/** Reads bytes from pairs of hexadecimal digits. */
void
ReadHex(const ImageFileHeader & header, const fs::path & file, std::uint64_t bytes, char * to)
{
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(BeginOfNumbers(header, file)) + header.byteSkip);
  std::uint64_t digits = 0;
  int           high = 0;
  for (int letter = stream.get(); digits < 2 * bytes; letter = stream.get())
  {
    if (letter == std::ifstream::traits_type::eof())
    {
      RefuseDamage(file,
                   "it contains " + std::to_string(digits / 2) + " bytes of pixels, but its header requires " +
                     std::to_string(bytes));
    }
    if (std::isspace(letter) != 0)
    {
      continue;
    }
    if (std::isxdigit(letter) == 0)
    {
      RefuseDamage(file, std::string("\"") + static_cast<char>(letter) + "\" is not a hexadecimal digit");
    }
    const int digit = std::isdigit(letter) != 0 ? letter - '0' : std::tolower(letter) - 'a' + 10;
    if (digits % 2 == 1)
    {
      to[digits / 2] = static_cast<char>(16 * high + digit);
    }
    high = digit;
    ++digits;
  }
  const std::size_t size = itk::CudaSpline::SizeOf(header.type);
  for (std::uint64_t at = 0; header.isSwapped && at < bytes; at += size)
  {
    std::reverse(to + at, to + at + size);
  }
}

/** Returns whether the file has exactly the numbers of the image, in its order. */
bool
IsInOrder(const ImageFileHeader & header)
{
  return header.skippedComponents == 0 && std::is_sorted(header.order.begin(), header.order.end());
}

/** Copies numbers from their stored order to that of the image. */
void
Arrange(const ImageFileHeader & header, const char * stored, char * pixels)
{
  const std::size_t        size = itk::CudaSpline::SizeOf(header.type);
  std::vector<std::size_t> strides(header.storedSizes.size(), size);
  for (std::size_t axis = 1; axis < strides.size(); ++axis)
  {
    strides[axis] = strides[axis - 1] * header.storedSizes[axis - 1];
  }
  // Components, x, y, z, volumes: a missing axis has one sample.
  std::uint64_t sizes[5] = { header.components, header.size[0], header.size[1], header.size[2], header.volumes };
  std::size_t   steps[5] = { 0, 0, 0, 0, 0 };
  std::size_t   next = 0;
  if (header.hasComponentAxis)
  {
    steps[0] = strides[header.order[next++]];
  }
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    steps[1 + axis] = strides[header.order[next++]];
  }
  if (header.isSeries)
  {
    steps[4] = strides[header.order[next]];
  }
  stored += header.skippedComponents * steps[0];
  for (std::uint64_t volume = 0; volume < sizes[4]; ++volume)
  {
    for (std::uint64_t z = 0; z < sizes[3]; ++z)
    {
      for (std::uint64_t y = 0; y < sizes[2]; ++y)
      {
        for (std::uint64_t x = 0; x < sizes[1]; ++x)
        {
          const char * const pixel = stored + volume * steps[4] + z * steps[3] + y * steps[2] + x * steps[1];
          for (std::uint64_t component = 0; component < sizes[0]; ++component, pixels += size)
          {
            std::memcpy(pixels, pixel + component * steps[0], size);
          }
        }
      }
    }
  }
}

} // namespace

std::optional<ImageFileHeader>
ReadStoredHeader(const std::string & path)
{
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool        isMetaImage = ending == ".mha" || ending == ".mhd";
  const std::string text = ReadBeginning(path);
  const bool        isNrrd = itk::CudaSpline::IsNrrd(text);
  if (!isMetaImage && !isNrrd)
  {
    return std::nullopt;
  }
  try
  {
    ImageFileHeader header =
      isNrrd ? itk::CudaSpline::ParseNrrdHeader(text) : itk::CudaSpline::ParseMetaImageHeader(text);
    std::error_code error;
    if (!header.literalName.empty() && fs::is_regular_file(fs::path(path).parent_path() / header.literalName, error))
    {
      itk::CudaSpline::UseLiteralName(header);
    }
    itk::CudaSpline::CheckNumberOfFiles(header);
    return header;
  }
  catch (const std::invalid_argument & invalid)
  {
    throw ProgramError("the header of the " + std::string(isNrrd ? "NRRD file" : "MetaImage") + " \"" + path +
                       "\" is refused: " + invalid.what());
  }
}

std::vector<fs::path>
DataFilesOf(const ImageFileHeader & header, const std::string & path)
{
  std::vector<fs::path> files;
  for (const std::string & name : header.files)
  {
    files.push_back(fs::path(path).parent_path() / name); // an absolute name is not changed by this
  }
  if (files.empty())
  {
    files.emplace_back(path);
  }
  return files;
}

std::optional<VolumePlace>
PlaceOfVolumes(const ImageFileHeader & header, const std::string & path)
{
  const std::vector<fs::path> files = DataFilesOf(header, path);
  const bool      isBinary = header.encoding == FileEncoding::Raw || header.encoding == FileEncoding::Deflate;
  std::error_code error;
  if (files.size() != 1 || !isBinary || !IsInOrder(header) || !fs::is_regular_file(files.front(), error))
  {
    return std::nullopt;
  }
  return PlaceInFile(header, files.front(), BytesOfFile(header));
}

void
CheckStoredImage(const ImageFileHeader & header, const std::string & path)
{
  for (const fs::path & file : DataFilesOf(header, path))
  {
    if (!fs::exists(file))
    {
      throw ProgramError("the data file \"" + file.string() + "\" of \"" + path + "\" is missing");
    }
    if (header.encoding != FileEncoding::Raw)
    {
      continue;
    }
    const std::uint64_t bytes = BytesOfFile(header);
    const auto          begin = static_cast<std::uint64_t>(PlaceInFile(header, file, bytes).begin);
    const std::uint64_t size = SizeOfFile(file);
    if (size < begin || size - begin < bytes)
    {
      RefuseDamage(file,
                   "it contains " + std::to_string(size < begin ? 0 : size - begin) +
                     " bytes of pixels, but its header requires " + std::to_string(bytes));
    }
  }
}

void
ReadStoredImage(const ImageFileHeader & header, const std::string & path, void * pixels)
{
  CheckStoredImage(header, path);
  const std::uint64_t           bytes = BytesOfFile(header);
  const std::vector<fs::path>   files = DataFilesOf(header, path);
  const bool                    isInOrder = IsInOrder(header);
  const std::unique_ptr<char[]> stored(isInOrder ? nullptr : new char[bytes * files.size()]);
  char *                        to = isInOrder ? static_cast<char *>(pixels) : stored.get();
  for (const fs::path & file : files)
  {
    if (header.encoding == FileEncoding::Text)
    {
      ReadText(header, file, bytes / itk::CudaSpline::SizeOf(header.type), to);
    }
    else if (header.encoding == FileEncoding::Hex)
    {
      ReadHex(header, file, bytes, to);
    }
    else
    {
      VolumeReader(PlaceInFile(header, file, bytes)).Read(0, 1, bytes, to);
    }
    to += bytes;
  }
  if (!isInOrder)
  {
    Arrange(header, stored.get(), static_cast<char *>(pixels));
  }
}

} // namespace CudaSplineProgram
