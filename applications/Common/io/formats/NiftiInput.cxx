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
#include "io/formats/NiftiInput.h"

#include "console/Error.h"
#include "io/volume/PlanarPixels.h"
#include "process/TemporaryMemory.h"

#include "itkCudaSpline/files/NiftiHeader.h"
#include "itkCudaSpline/files/NiftiPixels.h"

#include "itk_zlib.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;
using itk::CudaSpline::NiftiPixel;

namespace
{

std::string
LowerCase(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool
EndsWith(const std::string & name, const std::string & ending)
{
  const std::string lower = LowerCase(name);
  return lower.size() > ending.size() && lower.compare(lower.size() - ending.size(), ending.size(), ending) == 0;
}

/** Returns the first bytes of a file, decompressed if it is compressed. */
std::string
ReadBeginning(const std::string & path, std::size_t bytes, bool & isPacked)
{
  std::string  beginning(bytes, '\0');
  const gzFile file = gzopen(path.c_str(), "rb");
  const int    count = file == nullptr ? 0 : gzread(file, beginning.data(), static_cast<unsigned int>(bytes));
  isPacked = file != nullptr && gzdirect(file) == 0;
  if (count < 0)
  {
    gzclose(file);
    throw ProgramError("the file \"" + path + "\" is damaged: its compressed data or their checksum are wrong");
  }
  if (file != nullptr)
  {
    gzclose(file);
  }
  beginning.resize(static_cast<std::size_t>(count));
  return beginning;
}

/** Returns the other file of a pair: the one with the same compression, otherwise the existing one. */
std::string
Partner(const std::string & path, const std::string & from, const std::string & to)
{
  const bool        isPacked = EndsWith(path, from + ".gz");
  const std::size_t length = from.size() + (isPacked ? 3 : 0);
  if (!isPacked && !EndsWith(path, from))
  {
    return {};
  }
  const std::string base = path.substr(0, path.size() - length);
  const bool        isUpper = std::isupper(static_cast<unsigned char>(path[path.size() - length + 1])) != 0;
  const auto        inCase = [isUpper](std::string ending) {
    std::transform(ending.begin(), ending.end(), ending.begin(), [isUpper](unsigned char c) {
      return isUpper ? std::toupper(c) : c;
    });
    return ending;
  };
  for (const bool packed : { isPacked, !isPacked })
  {
    const std::string candidate = base + inCase(to + (packed ? ".gz" : ""));
    std::error_code   error;
    if (fs::exists(candidate, error))
    {
      return candidate;
    }
  }
  return {};
}

constexpr std::size_t beginningBytes = 1 << 16; // including usual extensions

/** Returns the name of a space of NIfTI as in ITK. */
std::string
NameOfSpace(int code)
{
  constexpr const char * names[] = {
    "UNKNOWN", "SCANNER_ANAT", "ALIGNED_ANAT", "TALAIRACH", "MNI_152", "TEMPLATE_OTHER"
  };
  return code >= 0 && code < 6 ? std::string("NIFTI_XFORM_") + names[code] : std::to_string(code);
}

itk::IOPixelEnum
PixelOfNifti(NiftiPixel pixel)
{
  switch (pixel)
  {
    case NiftiPixel::Scalar:
      return itk::IOPixelEnum::SCALAR;
    case NiftiPixel::SymmetricMatrix:
      return itk::IOPixelEnum::SYMMETRICSECONDRANKTENSOR;
    case NiftiPixel::Rgb:
      return itk::IOPixelEnum::RGB;
    case NiftiPixel::Rgba:
      return itk::IOPixelEnum::RGBA;
    case NiftiPixel::Complex:
      return itk::IOPixelEnum::COMPLEX;
    default:
      return itk::IOPixelEnum::VECTOR;
  }
}

VolumePlace
PlaceOf(const NiftiInput & input)
{
  VolumePlace place;
  place.path = input.path;
  place.begin = static_cast<double>(input.description.pixelOffset);
  place.isPacked = input.isPacked;
  return place;
}

} // namespace

bool
IsNiftiName(const std::string & path)
{
  for (const std::string ending : { ".nii", ".hdr", ".img" })
  {
    if (EndsWith(path, ending) || EndsWith(path, ending + ".gz"))
    {
      return true;
    }
  }
  return false;
}

std::optional<NiftiInput>
OpenNifti(const std::string & path)
{
  const std::string other = Partner(path, ".img", ".hdr");
  const std::string header = other.empty() ? path : other;
  NiftiInput        input;
  const std::string beginning = ReadBeginning(header, beginningBytes, input.isPacked);
  const bool        isNamed = IsNiftiName(path);
  if (!isNamed && !itk::CudaSpline::IsNiftiHeader(beginning.data(), beginning.size()))
  {
    return std::nullopt;
  }
  try
  {
    input.description = itk::CudaSpline::DescribeNifti(beginning.data(), beginning.size());
    input.foreignWarp = itk::CudaSpline::GetForeignWarpReason(beginning.data(), beginning.size());
  }
  catch (const std::invalid_argument & invalid)
  {
    if (!isNamed)
    {
      return std::nullopt; // its first number only matches that of NIfTI by chance
    }
    throw ProgramError("the NIfTI file \"" + path + "\" cannot be read: " + invalid.what());
  }
  input.path = header;
  if (!input.description.isSingleFile)
  {
    input.path = Partner(header, ".hdr", ".img");
    if (input.path.empty())
    {
      throw ProgramError(
        "the NIfTI file \"" + path +
        "\" cannot be read: its magic requires an .img file with the pixels next to it, which is missing");
    }
    ReadBeginning(input.path, 1, input.isPacked);
  }
  std::string warnings;
  for (const std::string & warning : input.description.warnings)
  {
    warnings += (warnings.empty() ? "" : "; ") + warning;
  }
  if (!warnings.empty())
  {
    Warn("the NIfTI file \"" + header + "\": " + warnings);
  }
  return input;
}

Grid
GridOfNifti(const itk::CudaSpline::NiftiGrid & from)
{
  Grid grid;
  grid.dimension = from.dimension;
  std::copy(from.size.begin(), from.size.end(), grid.size.begin());
  grid.spacing = from.spacing;
  grid.origin = from.origin;
  grid.direction = from.direction;
  return grid;
}

ImageLayout
LayoutOfNifti(const NiftiInput & input)
{
  const itk::CudaSpline::NiftiDescription & description = input.description;
  const itk::CudaSpline::NiftiFields &      fields = description.fields;
  ImageLayout                               layout;
  layout.components = description.components;
  layout.pixel = PixelOfNifti(description.pixel);
  layout.volumes = static_cast<std::size_t>(description.volumes);
  layout.isSeries = description.volumes > 1;
  layout.volumeSpacing = fields.volumeSpacing > 0.0 ? fields.volumeSpacing : 1.0;
  layout.volumeOrigin = fields.volumeOrigin;
  layout.notes["qform_code"] = std::to_string(fields.qformCode);
  layout.notes["qform_code_name"] = NameOfSpace(fields.qformCode);
  layout.notes["sform_code"] = std::to_string(fields.sformCode);
  layout.notes["sform_code_name"] = NameOfSpace(fields.sformCode);
  if (!fields.description.empty())
  {
    layout.notes["ITK_FileNotes"] = fields.description;
  }
  if (!fields.auxFile.empty())
  {
    layout.notes["aux_file"] = fields.auxFile;
  }
  layout.nifti = NiftiOrigin{ description.version,
                              description.pixel == NiftiPixel::Displacement,
                              fields,
                              GridOfNifti(description.grid),
                              input.foreignWarp };
  return layout;
}

NiftiReader::NiftiReader(const NiftiInput & input)
  : m_Input(input)
  , m_Reader(PlaceOf(input))
  , m_PlaneBytes(static_cast<std::size_t>(itk::CudaSpline::GetNiftiPlane(input.description, 0, 0).count) *
                 itk::CudaSpline::SizeOf(input.description.storedType))
  , m_Planes(static_cast<std::size_t>(input.description.volumes) *
             itk::CudaSpline::GetNumberOfNiftiPlanes(input.description))
{}

void
NiftiReader::ReadStored(std::size_t index, void * bytes)
{
  if (m_All != nullptr)
  {
    std::memcpy(bytes, static_cast<const char *>(m_All.get()) + index * m_PlaneBytes, m_PlaneBytes);
    return;
  }
  m_Reader.Read(index, m_Planes, m_PlaneBytes, bytes);
}

void
NiftiReader::Convert(std::uint32_t component, const void * stored, std::size_t count, void * numbers) const
{
  try
  {
    itk::CudaSpline::ConvertNiftiNumbers(m_Input.description, component, stored, count, numbers);
  }
  catch (const std::invalid_argument & invalid)
  {
    throw ProgramError("the NIfTI file \"" + m_Input.path + "\" cannot be read: " + invalid.what());
  }
}

void
NiftiReader::Read(std::size_t volume, void * numbers)
{
  const auto &        description = m_Input.description;
  const std::uint32_t planes = itk::CudaSpline::GetNumberOfNiftiPlanes(description);
  const auto          volumes = static_cast<std::size_t>(description.volumes);
  if (m_Input.IsKeptDecompressed() && m_All == nullptr)
  {
    const auto all = MapTemporaryFile(m_PlaneBytes * m_Planes);
    for (std::size_t index = 0; index < m_Planes; ++index)
    {
      this->ReadStored(index, static_cast<char *>(all.get()) + index * m_PlaneBytes);
    }
    m_All = all;
  }
  const std::size_t       numberBytes = itk::CudaSpline::SizeOf(description.type);
  std::unique_ptr<char[]> stored;
  for (std::uint32_t index = 0; index < planes; ++index)
  {
    const auto        plane = itk::CudaSpline::GetNiftiPlane(description, volume, index);
    const auto        count = static_cast<std::size_t>(plane.count);
    char * const      to = static_cast<char *>(numbers) + plane.component * count * numberBytes;
    const std::size_t at = index * volumes + volume;
    const bool        isTogether = planes == 1 && description.components > 1;
    if (!isTogether && (!description.isScaled || description.storedType == description.type))
    {
      this->ReadStored(at, to);
      if (itk::CudaSpline::NeedsNiftiConversion(description, plane.component))
      {
        this->Convert(plane.component, to, count, to);
      }
      continue;
    }
    if (stored == nullptr)
    {
      stored.reset(new char[m_PlaneBytes]);
    }
    this->ReadStored(at, stored.get());
    if (!isTogether)
    {
      this->Convert(plane.component, stored.get(), count, to);
      continue;
    }
    const std::unique_ptr<char[]> pixels(new char[count * numberBytes]);
    this->Convert(0, stored.get(), count, pixels.get());
    TakeApart(numberBytes, pixels.get(), count / description.components, description.components, to);
  }
}

} // namespace CudaSplineProgram
