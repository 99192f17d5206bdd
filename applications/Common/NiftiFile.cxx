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
#include "NiftiFile.h"

#include "Error.h"

#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

/** Opens a file, compressed or not. */
GzFile
Open(const std::string & path)
{
  return GzFile(gzopen(path.c_str(), "rb"), &gzclose);
}

/** Number of bytes of a file after decompression, as many as can be read. */
double
CountBytes(const std::string & path)
{
  const GzFile file = Open(path);
  if (!file)
  {
    return 0.0;
  }
  if (gzdirect(file.get()) == 1)
  {
    return static_cast<double>(fs::file_size(path));
  }
  std::vector<char> buffer(1 << 18);
  double            bytes = 0.0;
  int               count = 0;
  while ((count = gzread(file.get(), buffer.data(), static_cast<unsigned int>(buffer.size()))) > 0)
  {
    bytes += count;
  }
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (error == Z_DATA_ERROR)
  {
    throw ProgramError("the file \"" + path + "\" is damaged: its compressed data, or their checksum, are wrong");
  }
  return bytes;
}

/** A number of a header, of either byte order. */
template <typename T>
T
Number(const std::vector<char> & header, std::size_t offset, bool isSwapped)
{
  std::array<char, sizeof(T)> bytes;
  std::copy_n(header.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), bytes.begin());
  if (isSwapped)
  {
    std::reverse(bytes.begin(), bytes.end());
  }
  T number;
  std::memcpy(&number, bytes.data(), sizeof(T));
  return number;
}

/** What a header says of the file with the pixels. */
struct Layout
{
  double bytes{ 0.0 };          ///< of that file, at least
  bool   isSingleFile{ false }; ///< header and pixels in one
};

/** Reads the bytes of a header. */
std::vector<char>
ReadHeader(const std::string & path)
{
  std::vector<char> header(540, '\0');
  const GzFile      file = Open(path);
  if (!file || gzread(file.get(), header.data(), 540) < 348)
  {
    throw ProgramError("the file \"" + path + "\" is cut short within its header");
  }
  return header;
}

/** Reads a header of version 1 (348 bytes), or 2 (540 bytes); offsets are those of nifti1.h and nifti2.h. */
Layout
ReadLayout(const std::string & path)
{
  const std::vector<char> header = ReadHeader(path);
  const auto              isSize = [](std::int32_t size) { return size == 348 || size == 540; };
  const bool              isSwapped = !isSize(Number<std::int32_t>(header, 0, false));
  const auto              size = Number<std::int32_t>(header, 0, isSwapped);
  if (!isSize(size))
  {
    return {}; // of another kind, for the reader to judge
  }
  const bool isSecond = size == 540;
  Layout     layout;
  layout.isSingleFile = header[isSecond ? 4 : 344] == 'n' && header[isSecond ? 5 : 345] == '+';
  const auto dimension = [&](unsigned int index) {
    return isSecond ? static_cast<double>(Number<std::int64_t>(header, 16 + 8 * index, isSwapped))
                    : static_cast<double>(Number<std::int16_t>(header, 40 + 2 * index, isSwapped));
  };
  layout.bytes = Number<std::int16_t>(header, isSecond ? 14 : 72, isSwapped) / 8.0; // a pixel
  for (unsigned int index = 1; index <= std::min(7.0, dimension(0)); ++index)
  {
    layout.bytes *= std::max(1.0, dimension(index));
  }
  layout.bytes += isSecond ? static_cast<double>(Number<std::int64_t>(header, 168, isSwapped))
                           : static_cast<double>(Number<float>(header, 108, isSwapped));
  return layout;
}

/** The other file of a pair, which may be compressed or not; empty where there is none. */
std::string
Partner(const std::string & path, const std::string & from, const std::string & to)
{
  const std::size_t end = path.rfind(from);
  for (const char * const compression : { "", ".gz" })
  {
    std::string candidate = end == std::string::npos ? "" : path.substr(0, end) + to + compression;
    if (!candidate.empty() && fs::exists(candidate))
    {
      return candidate;
    }
  }
  return {};
}

/** Writes the samples along an axis, of 1 to 7, into a header. \return false where there is no room for so many */
bool
SetDimension(std::string & header, std::size_t axis, std::size_t samples)
{
  std::int32_t size = 0;
  std::memcpy(&size, header.data(), sizeof(size));
  const bool isSecond = size == 540;
  if (!isSecond && samples > 32767)
  {
    return false;
  }
  const auto count = static_cast<std::int64_t>(samples);
  const auto few = static_cast<std::int16_t>(samples);
  isSecond ? std::memcpy(header.data() + 16 + 8 * axis, &count, sizeof(count))
           : std::memcpy(header.data() + 40 + 2 * axis, &few, sizeof(few));
  return true;
}

/** The columns of a sform's matrix, and how they fail to be axes of an image. */
class SForm
{
public:
  /** \param[in] rows three of four numbers, the last the offset */
  explicit SForm(const std::array<double, 12> & rows)
    : m_Rows(rows)
  {}

  bool
  IsFinite() const
  {
    return std::all_of(m_Rows.begin(), m_Rows.end(), [](double number) { return std::isfinite(number); });
  }

  bool
  IsSingular() const
  {
    double       size = 1.0;
    const auto & r = m_Rows;
    const double det =
      r[0] * (r[5] * r[10] - r[6] * r[9]) - r[1] * (r[4] * r[10] - r[6] * r[8]) + r[2] * (r[4] * r[9] - r[5] * r[8]);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      size *= std::sqrt(this->Dot(axis, axis));
    }
    return !(std::abs(det) > 1e-9 * size);
  }

  /** Largest angle between two axes that lacks to a right one, in degrees. */
  double
  Shear() const
  {
    double shear = 0.0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const unsigned int next = (axis + 1) % 3;
      const double       cosine = this->Dot(axis, next) / std::sqrt(this->Dot(axis, axis) * this->Dot(next, next));
      shear = std::max(shear, std::abs(std::asin(std::max(-1.0, std::min(cosine, 1.0)))) * 57.29577951308232);
    }
    return shear;
  }

private:
  double
  Dot(unsigned int a, unsigned int b) const
  {
    return m_Rows[a] * m_Rows[b] + m_Rows[4 + a] * m_Rows[4 + b] + m_Rows[8 + a] * m_Rows[8 + b];
  }

  std::array<double, 12> m_Rows;
};

} // namespace

NiftiName::NiftiName(const std::string & path)
  : m_Name(path)
{
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto endsWith = [&lower](const std::string & ending) {
    return lower.size() > ending.size() && lower.compare(lower.size() - ending.size(), ending.size(), ending) == 0;
  };
  const bool isPair = endsWith(".hdr.gz") || endsWith(".img.gz");
  if (!isPair && !endsWith(".nii.gz"))
  {
    return;
  }
  const std::string base = path.substr(0, path.size() - std::strlen(".nii.gz"));
  for (const char * const ending : { isPair ? ".img" : ".nii", isPair ? ".IMG" : ".NII" })
  {
    std::error_code error;
    if (!fs::exists(base + ending, error))
    {
      continue;
    }
    if (isPair)
    {
      throw ProgramError("beside \"" + path + "\" is \"" + base + ending +
                         "\", of which the NIfTI library would take the pixels; move one of them");
    }
    m_Folder = (fs::temp_directory_path() / "CudaSpline-XXXXXX").string();
    if (mkdtemp(m_Folder.data()) == nullptr)
    {
      throw ProgramError("cannot make a folder in \"" + fs::temp_directory_path().string() + "\", which \"" + path +
                         "\" needs beside \"" + base + ending + "\": " + std::strerror(errno));
    }
    m_Name = m_Folder + "/image.nii.gz";
    fs::create_symlink(fs::absolute(path), m_Name);
    return;
  }
}

NiftiName::~NiftiName()
{
  std::error_code error;
  if (!m_Folder.empty())
  {
    fs::remove_all(m_Folder, error);
  }
}

void
CheckNiftiGeometry(const std::string & path)
{
  const std::string       otherHeader = Partner(path, ".img", ".hdr");
  const std::vector<char> header = ReadHeader(otherHeader.empty() ? path : otherHeader);
  const auto              isSize = [](std::int32_t size) { return size == 348 || size == 540; };
  const bool              isSwapped = !isSize(Number<std::int32_t>(header, 0, false));
  const auto              size = Number<std::int32_t>(header, 0, isSwapped);
  const bool              isSecond = size == 540;
  if (!isSize(size))
  {
    return; // of another kind, for the reader to judge
  }
  const auto real = [&](std::size_t first, std::size_t second, std::size_t index) {
    return isSecond ? Number<double>(header, second + 8 * index, isSwapped)
                    : static_cast<double>(Number<float>(header, first + 4 * index, isSwapped));
  };
  const auto refuse = [&path](const std::string & what) {
    throw ProgramError("the geometry of the NIfTI file \"" + path + "\" is none: " + what);
  };
  const double dimensions = isSecond ? static_cast<double>(Number<std::int64_t>(header, 16, isSwapped))
                                     : Number<std::int16_t>(header, 40, isSwapped);
  for (unsigned int axis = 1; axis <= 3; ++axis)
  {
    const double voxels = isSecond ? static_cast<double>(Number<std::int64_t>(header, 16 + 8 * axis, isSwapped))
                                   : Number<std::int16_t>(header, 40 + 2 * axis, isSwapped);
    const double spacing = real(76, 104, axis);
    if (voxels < 1.0 && axis <= dimensions)
    {
      refuse(std::string("its size (dim) along ") + "xyz"[axis - 1] + " is " + Brief(voxels));
    }
    if (voxels > 1.0 && (!std::isfinite(spacing) || spacing == 0.0))
    {
      refuse(std::string("its spacing (pixdim) along ") + "xyz"[axis - 1] + " is " + Brief(spacing) + " mm");
    }
  }
  const bool isNifti = header[isSecond ? 4 : 344] == 'n';
  const int  qform =
    isSecond ? Number<std::int32_t>(header, 344, isSwapped) : Number<std::int16_t>(header, 252, isSwapped);
  const int sform =
    isSecond ? Number<std::int32_t>(header, 348, isSwapped) : Number<std::int16_t>(header, 254, isSwapped);
  for (std::size_t index = 0; isNifti && qform > 0 && index < 6; ++index)
  {
    const double number = real(256, 352, index);
    if (!std::isfinite(number))
    {
      refuse("its qform has the number " + Brief(number));
    }
  }
  if (!isNifti || sform <= 0)
  {
    return;
  }
  std::array<double, 12> rows{};
  for (std::size_t index = 0; index < rows.size(); ++index)
  {
    rows[index] = real(280, 400, index);
  }
  const SForm matrix(rows);
  if (!matrix.IsFinite())
  {
    refuse("its sform has numbers that are not finite");
  }
  if (matrix.IsSingular())
  {
    refuse("its sform has no inverse (its determinant is 0)");
  }
  constexpr double most = 0.05; // degrees, as of slices of DICOM
  if (const double shear = matrix.Shear(); shear > most)
  {
    const std::string what = "its sform is sheared by " + Brief(shear) + " degrees, which an image cannot be";
    if (qform <= 0)
    {
      refuse(what + ", and there is no qform");
    }
    Warn("the NIfTI file \"" + path + "\": " + what + "; its qform is taken");
  }
}

void
CheckNiftiLength(const std::string & path)
{
  const std::string otherHeader = Partner(path, ".img", ".hdr");
  const Layout      layout = ReadLayout(otherHeader.empty() ? path : otherHeader);
  const std::string otherPixels = layout.isSingleFile ? "" : Partner(path, ".hdr", ".img");
  const std::string pixels = otherPixels.empty() ? path : otherPixels;
  if (layout.bytes > 0.0)
  {
    const double found = CountBytes(pixels);
    if (found < layout.bytes)
    {
      throw ProgramError("the file \"" + pixels + "\" is damaged or cut short: it holds " +
                         std::to_string(static_cast<long long>(found)) +
                         " bytes (decompressed) where its header promises " +
                         std::to_string(static_cast<long long>(layout.bytes)));
    }
  }
}

std::optional<VolumePlace>
PlaceOfNiftiVolumes(const std::string & path, unsigned int components, double bytes)
{
  const std::vector<char> header = ReadHeader(path);
  const bool              isFirst = Number<std::int32_t>(header, 0, false) == 348;
  const bool              isSecond = Number<std::int32_t>(header, 0, false) == 540;
  if (components != 1 || (!isFirst && !isSecond) || header[isSecond ? 4 : 344] != 'n' ||
      header[isSecond ? 5 : 345] != '+')
  {
    return std::nullopt;
  }
  const double slope =
    isSecond ? Number<double>(header, 176, false) : static_cast<double>(Number<float>(header, 112, false));
  const double shift =
    isSecond ? Number<double>(header, 184, false) : static_cast<double>(Number<float>(header, 116, false));
  const auto offset = isSecond ? static_cast<double>(Number<std::int64_t>(header, 168, false))
                               : static_cast<double>(Number<float>(header, 108, false));
  const bool isRescaled = slope != 0.0 && !(slope == 1.0 && shift == 0.0);
  if (isRescaled || ReadLayout(path).bytes - offset != bytes || !(offset >= 0.0 && offset < 1e9))
  {
    return std::nullopt;
  }
  VolumePlace place;
  place.path = path;
  place.begin = std::floor(offset);
  place.isPacked = gzdirect(Open(path).get()) == 0;
  return place;
}

bool
SetNumberOfNiftiVolumes(std::string & header, std::size_t volumes)
{
  return SetDimension(header, 4, volumes);
}

bool
SetSizeOfNifti(std::string & header, const std::array<std::size_t, 3> & size)
{
  return SetDimension(header, 1, size[0]) && SetDimension(header, 2, size[1]) && SetDimension(header, 3, size[2]);
}

std::string
BeginningOfOneSlice(const std::string & path)
{
  const std::vector<char> bytes = ReadHeader(path);
  const auto              size = Number<std::int32_t>(bytes, 0, false);
  const bool              isSecond = size == 540;
  if ((size != 348 && !isSecond) || bytes[isSecond ? 4 : 344] != 'n' || bytes[isSecond ? 5 : 345] != '+')
  {
    return {};
  }
  const auto samples = [&](std::size_t axis) {
    return isSecond ? Number<std::int64_t>(bytes, 16 + 8 * axis, false)
                    : std::int64_t{ Number<std::int16_t>(bytes, 40 + 2 * axis, false) };
  };
  if (samples(0) != 5 || samples(3) != 1 || samples(4) != 1)
  {
    return {};
  }
  std::string header(bytes.begin(), bytes.begin() + size);
  SetDimension(header, 0, 3);
  SetDimension(header, 5, 1);
  const std::size_t intent = isSecond ? 504 : 68;
  header.replace(intent, isSecond ? 4 : 2, isSecond ? 4 : 2, '\0');
  return header + std::string(4, '\0'); // there is no extension
}

NiftiMarks
ReadNiftiMarks(const std::string & path, double volumeSpacing)
{
  const std::string       otherHeader = Partner(path, ".img", ".hdr");
  const std::vector<char> header = ReadHeader(otherHeader.empty() ? path : otherHeader);
  const auto              isSize = [](std::int32_t size) { return size == 348 || size == 540; };
  const bool              isSwapped = !isSize(Number<std::int32_t>(header, 0, false));
  const auto              size = Number<std::int32_t>(header, 0, isSwapped);
  const bool              isSecond = size == 540;
  NiftiMarks              marks;
  if (!isSize(size) || header[isSecond ? 4 : 344] != 'n')
  {
    return marks;
  }
  const auto code = [&](std::size_t first, std::size_t second) {
    const int number =
      isSecond ? Number<std::int32_t>(header, second, isSwapped) : Number<std::int16_t>(header, first, isSwapped);
    return number >= 0 && number <= 5 ? std::optional<int>(number) : std::nullopt;
  };
  marks.qform = code(252, 344);
  marks.sform = code(254, 348);
  const auto text = header.begin() + (isSecond ? 240 : 148);
  marks.description = std::string(text, std::find(text, text + 80, '\0'));
  const int unit = (isSecond ? Number<std::int32_t>(header, 500, isSwapped) : header[123]) & 0x38;
  if (unit == 8 || unit == 16 || unit == 24)
  {
    const double spacing =
      isSecond ? Number<double>(header, 104 + 8 * 4, isSwapped) : Number<float>(header, 76 + 4 * 4, isSwapped);
    marks.timeUnit = std::abs(spacing - volumeSpacing) <= 1e-3 * std::abs(spacing) ? unit : 8;
  }
  return marks;
}

void
WriteNiftiMarks(const std::string & path, const NiftiMarks & marks)
{
  const std::vector<char> header = ReadHeader(path);
  const bool              isSecond = Number<std::int32_t>(header, 0, false) == 540;
  std::fstream            stream(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto              put = [&stream](std::streamoff place, const auto & value) {
    stream.seekp(place);
    stream.write(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  const auto putCode = [&](std::streamoff first, std::streamoff second, const std::optional<int> & code) {
    if (code)
    {
      isSecond ? put(second, static_cast<std::int32_t>(*code)) : put(first, static_cast<std::int16_t>(*code));
    }
  };
  putCode(252, 344, marks.qform);
  putCode(254, 348, marks.sform);
  if (marks.timeUnit)
  {
    constexpr int space = 2; // mm, as ITK writes it
    isSecond ? put(500, static_cast<std::int32_t>(space + *marks.timeUnit))
             : put(123, static_cast<char>(space + *marks.timeUnit));
  }
  if (!marks.description.empty())
  {
    std::array<char, 80> text{};
    std::copy_n(marks.description.begin(), std::min<std::size_t>(marks.description.size(), 79), text.begin());
    put(isSecond ? 240 : 148, text);
  }
  stream.close();
  if (!stream)
  {
    throw ProgramError("the header of the output cannot be written (is the disk full?)");
  }
}

} // namespace CudaSplineProgram
