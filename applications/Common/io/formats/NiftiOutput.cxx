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
#include "io/formats/NiftiOutput.h"

#include "console/Error.h"
#include "io/files/Gzip.h"
#include "io/formats/NiftiInput.h"

#include "itkCudaSpline/files/NiftiHeader.h"
#include "itkCudaSpline/files/NiftiPixels.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <vector>

namespace CudaSplineProgram
{

using itk::CudaSpline::NiftiDescription;
using itk::CudaSpline::NiftiFields;
using itk::CudaSpline::NiftiFileBytes;
using itk::CudaSpline::NiftiPixel;

namespace
{

NiftiPixel
PixelOf(const ImageLayout & layout)
{
  switch (layout.pixel)
  {
    case itk::IOPixelEnum::RGB:
      return NiftiPixel::Rgb;
    case itk::IOPixelEnum::RGBA:
      return NiftiPixel::Rgba;
    case itk::IOPixelEnum::COMPLEX:
      return NiftiPixel::Complex;
    case itk::IOPixelEnum::SYMMETRICSECONDRANKTENSOR:
    case itk::IOPixelEnum::DIFFUSIONTENSOR3D:
      return NiftiPixel::SymmetricMatrix;
    default:
      break;
  }
  if (layout.components == 1)
  {
    return NiftiPixel::Scalar;
  }
  return layout.nifti && layout.nifti->isDisplacement ? NiftiPixel::Displacement : NiftiPixel::Vector;
}

/** Returns whether the voxels of two grids are at the same points, to a thousandth of a voxel. */
bool
IsSameGrid(const Grid & one, const Grid & other)
{
  if (one.dimension != other.dimension || one.size != other.size)
  {
    return false;
  }
  const double finest = *std::min_element(one.spacing.begin(), one.spacing.begin() + one.dimension);
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    Coordinates index{ 0.0, 0.0, 0.0 };
    for (unsigned int axis = 0; axis < one.dimension; ++axis)
    {
      index[axis] = (corner >> axis & 1U) != 0 ? static_cast<double>(one.size[axis]) : 0.0;
    }
    const Coordinates a = PointOfIndex(one, index);
    const Coordinates b = PointOfIndex(other, index);
    for (unsigned int row = 0; row < one.dimension; ++row)
    {
      if (!(std::abs(a[row] - b[row]) <= 1e-3 * finest))
      {
        return false;
      }
    }
  }
  return true;
}

/** Returns properties of an image that are written in addition to its numbers and geometry. */
NiftiFields
FieldsOf(const Grid & grid, const ImageLayout & layout)
{
  NiftiFields fields = layout.nifti ? layout.nifti->fields : NiftiFields();
  const auto  note = [&layout](const char * key) {
    const auto found = layout.notes.find(key);
    return found == layout.notes.end() ? std::string() : found->second;
  };
  // The codes belong to the space of the output. The texts may come from another format.
  fields.qformCode = std::max(0, std::min(std::atoi(note("qform_code").c_str()), 32767));
  fields.sformCode = std::max(0, std::min(std::atoi(note("sform_code").c_str()), 32767));
  if (!layout.nifti)
  {
    fields.description = note("ITK_FileNotes");
    fields.auxFile = note("aux_file");
  }
  if (layout.isSeries)
  {
    const bool isUnknown = layout.nifti && fields.volumeSpacing == 0.0 && layout.volumeSpacing == 1.0;
    fields.volumeSpacing = isUnknown ? 0.0 : layout.volumeSpacing;
    fields.volumeOrigin = layout.volumeOrigin;
  }
  if (layout.nifti && !IsSameGrid(grid, layout.nifti->grid))
  {
    // Slice times and encoding axes refer to slices that no longer exist.
    fields.dimInfo = 0;
    fields.sliceCode = 0;
    fields.sliceStart = 0;
    fields.sliceEnd = 0;
    fields.sliceDuration = 0.0;
  }
  return fields;
}

NiftiDescription
DescribeOutput(const Volume & volume, const ImageLayout & layout)
{
  NiftiDescription description;
  description.version = layout.nifti ? layout.nifti->version : 1;
  description.grid.dimension = volume.grid.dimension;
  std::copy(volume.grid.size.begin(), volume.grid.size.end(), description.grid.size.begin());
  description.grid.spacing = volume.grid.spacing;
  description.grid.origin = volume.grid.origin;
  description.grid.direction = volume.grid.direction;
  description.volumes = layout.volumes;
  description.components = layout.components;
  description.pixel = PixelOf(layout);
  description.type = volume.type;
  description.fields = FieldsOf(volume.grid, layout);
  return description;
}

[[noreturn]] void
FailToWrite(const std::string & file)
{
  throw ProgramError("the output \"" + std::filesystem::path(file).filename().string() +
                     "\" was not written in full (is the disk full?)");
}

/** Writes bytes, which need not be in memory at once, and compares them with the content of the file.
 *
 * \param[in] output name of the file for users, for errors */
void
WriteBytes(const std::function<void(std::uint64_t, std::size_t, char *)> & read,
           std::uint64_t                                                   size,
           const std::string &                                             file,
           const std::string &                                             output)
{
  constexpr std::size_t piece = 1 << 22;
  std::vector<char>     wanted(static_cast<std::size_t>(std::min<std::uint64_t>(size, piece)));
  std::ofstream         stream(file, std::ios::binary | std::ios::trunc);
  const auto            goThrough = [&](const std::function<bool(const char *, std::size_t)> & use) {
    for (std::uint64_t begin = 0; begin < size; begin += wanted.size())
    {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(wanted.size(), size - begin));
      read(begin, count, wanted.data());
      if (!use(wanted.data(), count))
      {
        FailToWrite(output);
      }
    }
  };
  goThrough([&stream](const char * bytes, std::size_t count) {
    stream.write(bytes, static_cast<std::streamsize>(count));
    return static_cast<bool>(stream);
  });
  stream.close();
  if (!stream)
  {
    FailToWrite(output);
  }
  std::ifstream     written(file, std::ios::binary);
  std::vector<char> found(wanted.size());
  goThrough([&written, &found](const char * bytes, std::size_t count) {
    written.read(found.data(), static_cast<std::streamsize>(count));
    return written.gcount() == static_cast<std::streamsize>(count) && std::memcmp(bytes, found.data(), count) == 0;
  });
  if (written.peek() != std::ifstream::traits_type::eof())
  {
    FailToWrite(output);
  }
}

/** Returns the suffix of a name in lower case, including the suffix of the compression. */
std::string
EndingOf(const std::string & file, bool & isPacked)
{
  std::filesystem::path path(file);
  const auto            lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  isPacked = lower(path.extension().string()) == ".gz";
  return lower((isPacked ? path.stem() : path).extension().string());
}

} // namespace

NiftiDescription
WriteNifti(const Volume &                     volume,
           const NiftiFileBytes::ReadPixels & read,
           const std::string &                file,
           const ImageLayout &                layout)
{
  bool              isPacked = false;
  const std::string ending = EndingOf(file, isPacked);
  NiftiDescription  description = DescribeOutput(volume, layout);
  description.isSingleFile = ending == ".nii";
  const NiftiFileBytes bytes =
    read ? NiftiFileBytes(description, read) : NiftiFileBytes(description, volume.pixels.get());
  NiftiDescription written;
  try
  {
    written = itk::CudaSpline::DescribeNifti(bytes.GetHeader().data(), bytes.GetHeader().size());
  }
  catch (const std::invalid_argument & invalid)
  {
    throw ProgramError("NIfTI cannot store the geometry of \"" + std::filesystem::path(file).filename().string() +
                       "\": " + invalid.what());
  }
  const auto write = [isPacked, &file](const auto & copy, std::uint64_t size, const std::string & name) {
    if (!isPacked)
    {
      WriteBytes(copy, size, name, file);
      return;
    }
    CompressBytes(
      [&copy](std::uint64_t begin, std::size_t count, char * to) {
        copy(begin, count, to);
        return true;
      },
      size,
      name);
  };
  const auto readPixels = [&bytes](std::uint64_t begin, std::size_t count, char * to) { bytes.Read(begin, count, to); };
  if (description.isSingleFile)
  {
    write(readPixels, bytes.GetSize(), file);
  }
  else
  {
    const std::string   base = file.substr(0, file.size() - ending.size() - (isPacked ? 3 : 0));
    const std::string   given = file.substr(base.size(), ending.size());
    const bool          isUpper = std::isupper(static_cast<unsigned char>(given[1])) != 0;
    const std::string   compression = file.substr(base.size() + ending.size());
    const std::string   header = base + (ending == ".hdr" ? given : isUpper ? ".HDR" : ".hdr") + compression;
    const std::string   pixels = base + (ending == ".img" ? given : isUpper ? ".IMG" : ".img") + compression;
    const std::string & text = bytes.GetHeader();
    write(
      [&text](std::uint64_t begin, std::size_t count, char * to) { text.copy(to, count, begin); }, text.size(), header);
    write(readPixels, bytes.GetSize(), pixels);
  }
  return written;
}

} // namespace CudaSplineProgram
