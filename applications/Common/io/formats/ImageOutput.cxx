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
#include "io/formats/ImageOutput.h"

#include "console/Error.h"
#include "io/formats/FormatLoss.h"
#include "io/formats/ImageReading.h"
#include "process/LibraryMessages.h"
#include "io/formats/NiftiOutput.h"
#include "io/formats/PackedData.h"
#include "io/volume/PixelType.h"

#include "itkImageFileWriter.h" // registers the formats of the build
#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <cmath>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace CudaSplineProgram
{

namespace
{

std::string
BareName(const std::string & file)
{
  return std::filesystem::path(file).filename().string();
}

/** Returns the writer of a format, configured like itk::ImageFileWriter does. */
itk::ImageIOBase::Pointer
MakeWriter(const Volume & volume, const std::string & file, const ImageLayout & layout)
{
  const itk::ImageIOBase::Pointer io = itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::IOFileModeEnum::WriteMode);
  if (io.IsNull() || std::string(io->GetNameOfClass()) == "NiftiImageIO")
  {
    throw ProgramError("the format of the output \"" + BareName(file) +
                       "\" is unknown; use a suffix such as .nii.gz, .nii, .nrrd, .mha, .mhd, .png or .tif");
  }
  if (std::string(io->GetNameOfClass()) == "GDCMImageIO" &&
      (IsReal(volume.type) || itk::CudaSpline::SizeOf(volume.type) > 4))
  {
    throw ProgramError("a DICOM file cannot store pixels of type " + NameOfPixelType(volume.type) + "; \"" +
                       BareName(file) +
                       "\" supports uint8, int8, uint16, int16, uint32 and int32 (--output-type); or name a folder for "
                       "a series with rescale slope and intercept (--dicom)");
  }
  if (std::string(io->GetNameOfClass()) == "GDCMImageIO" && layout.isSeries)
  {
    throw ProgramError("a DICOM file cannot store the series of volumes \"" + BareName(file) +
                       "\"; use .nii.gz, .nrrd or .mha");
  }
  if (std::string(io->GetNameOfClass()) == "JPEGImageIO" && layout.components != 1 && layout.components != 3)
  {
    throw ProgramError("JPEG stores 1 or 3 components per pixel, but \"" + BareName(file) + "\" has " +
                       std::to_string(layout.components) + "; use .png");
  }
  const Grid &       grid = volume.grid;
  const unsigned int dimension = grid.dimension + (layout.isSeries ? 1 : 0);
  itk::ImageIORegion region(dimension);
  io->SetFileName(file);
  io->SetNumberOfDimensions(dimension);
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    io->SetDimensions(axis, grid.size[axis]);
    io->SetSpacing(axis, grid.spacing[axis]);
    io->SetOrigin(axis, grid.origin[axis]);
    std::vector<double> column;
    for (unsigned int row = 0; row < grid.dimension; ++row)
    {
      column.push_back(grid.direction[row][axis]);
    }
    column.resize(dimension, 0.0);
    io->SetDirection(axis, column);
    region.SetIndex(axis, 0);
    region.SetSize(axis, grid.size[axis]);
  }
  if (layout.isSeries)
  {
    io->SetDimensions(grid.dimension, layout.volumes);
    io->SetSpacing(grid.dimension, layout.volumeSpacing);
    io->SetOrigin(grid.dimension, layout.volumeOrigin);
    std::vector<double> column(dimension, 0.0);
    column.back() = 1.0;
    io->SetDirection(grid.dimension, column);
    region.SetIndex(grid.dimension, 0);
    region.SetSize(grid.dimension, layout.volumes);
  }
  for (const auto & [key, value] : layout.notes)
  {
    itk::EncapsulateMetaData<std::string>(io->GetMetaDataDictionary(), key, value);
  }
  io->SetPixelType(layout.pixel);
  io->SetComponentType(ComponentOfPixelType(volume.type));
  io->SetNumberOfComponents(layout.components);
  io->SetUseCompression(false); // a name such as .nii.gz implies compression
  io->SetIORegion(region);
  return io;
}

/** Returns the name under which ITK writes a file. Readers would interpret a "%" in the name of a data file as a
 * pattern, so an image with such a name is written with its data in the header file. Other names are not changed. */
std::string
NameForItk(const std::string & file)
{
  const std::filesystem::path path(file);
  std::string                 ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (BareName(file).find('%') == std::string::npos || (ending != ".mhd" && ending != ".nhdr"))
  {
    return file;
  }
  return std::filesystem::path(path).replace_extension(ending == ".mhd" ? ".mha" : ".nrrd").string();
}

/** Returns the pixels of a volume of the output. */
using PixelsOf = std::function<const void *(std::size_t number)>;
using ReadStored = itk::CudaSpline::NiftiFileBytes::ReadPixels;

/** Reads a file back and compares it with the image.
 *
 * \param[in] volume grid and type
 * \param[in] pixelsOf empty if pixels have been compared already
 * \param[in] name name of the file that is read
 * \param[in] file name of the file for users */
std::string
Verify(const Volume &      volume,
       const PixelsOf &    pixelsOf,
       const std::string & name,
       const std::string & file,
       const std::string & format,
       const ImageLayout & layout)
{
  const bool  isLossy = format.compare(0, 4, "JPEG") == 0;
  bool        isSame = true;
  OpenedImage description;
  try
  {
    // In this process: a file that it has written itself is harmless.
    description = OpenImage(name, { "", true, true });
    const bool isComparable = description.grid.size == volume.grid.size && description.type == volume.type &&
                              description.layout.volumes == layout.volumes &&
                              description.layout.components == layout.components;
    if (isComparable && pixelsOf)
    {
      const std::size_t             bytes = BytesOfVolume(description);
      const std::unique_ptr<char[]> written(new char[bytes]);
      for (std::size_t number = 0; number < layout.volumes; ++number)
      {
        ReadPixels(description, number, written.get());
        isSame = isSame && std::memcmp(written.get(), pixelsOf(number), bytes) == 0;
      }
    }
  }
  catch (const std::exception & exception)
  {
    throw ProgramError(
      "the output \"" + BareName(file) + "\" was written but cannot be read back: " + exception.what() +
      "; possible reasons: the disk is full, or ITK cannot read the files that it writes in this format");
  }
  if (description.grid.size != volume.grid.size)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" cannot store images of " +
                       std::to_string(volume.grid.dimension) +
                       " dimensions; use another format, such as .nii.gz or .nrrd");
  }
  if (description.layout.volumes != layout.volumes || description.layout.components != layout.components)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" cannot store " + std::to_string(layout.volumes) +
                       " volumes of " + std::to_string(layout.components) +
                       " components per pixel; use another format, such as .nii.gz or .nrrd");
  }
  if (description.type != volume.type)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" cannot store pixels of type " +
                       NameOfPixelType(volume.type) + " (they became " + NameOfPixelType(description.type) +
                       "); use another format, or --output-type");
  }
  if (!isLossy && !isSame)
  {
    throw ProgramError("the output \"" + BareName(file) + "\" was not written in full (is the disk full?)");
  }
  return JoinLosses(CompareGeometry(volume.grid, description.grid),
                    CompareMeaning(layout, description.layout, volume.type));
}

/** Throws if the disk has no space for a picture: PNG's library would crash, and JPEG's would end the program.
 *
 * \param[in] name name of the file, which is empty afterwards
 * \param[in] bytes bytes of the pixels: compressed files are rarely larger */
void
CheckRoom(const std::string & name, std::size_t bytes)
{
  const int file = open(name.c_str(), O_WRONLY | O_CREAT, 0666);
  if (file < 0)
  {
    return; // ITK's message is sufficient
  }
  const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes + bytes / 2 + 4096));
  const int emptied = ftruncate(file, 0);
  close(file);
  if (emptied == 0 && (error == ENOSPC || error == EDQUOT || error == EFBIG))
  {
    throw ProgramError("there is not enough space for the output \"" + BareName(name) + "\": " + std::strerror(error));
  }
}

/** Writes with ITK.
 *
 * \return the format */
std::string
WriteByItk(const Volume & volume, const std::string & name, const std::string & file, const ImageLayout & layout)
{
  const itk::ImageIOBase::Pointer io = MakeWriter(volume, name, layout);
  const std::string               format = io->GetNameOfClass();
  if (format == "PNGImageIO" || format == "JPEGImageIO")
  {
    CheckRoom(name, static_cast<std::size_t>(io->GetImageSizeInBytes()));
  }
  try
  {
    const LibraryMessages messages;
    io->Write(volume.pixels.get());
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot write \"" + BareName(file) + "\" with pixels of type " + NameOfPixelType(volume.type) +
                       ": " + TextOf(exception) +
                       (format == "GDCMImageIO"
                          ? " in a single file; --output-type uint16 may help, or a folder for a series (--dicom)"
                        : format == "PNGImageIO" && IsReal(volume.type) ? " (--output-type)"
                                                                        : ""));
  }
  return format;
}

/** Reads the first bytes of a file. */
std::string
ReadBeginning(const std::string & file, std::size_t bytes)
{
  std::string   text(bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/** Writes all volumes after a header that ITK has written for two of them.
 *
 * \return false if this is not possible for the file, which is then unchanged */
bool
AppendVolumes(const std::string & name,
              const std::string & format,
              const Volume &      volume,
              const PixelsOf &    pixelsOf,
              const ImageLayout & layout)
{
  const OpenedImage written = OpenImage(name, {});
  if (!written.place || written.place->isPacked || written.place->isSwapped || written.type != volume.type)
  {
    return false;
  }
  std::error_code   error;
  const std::string data = written.place->path;
  const bool        isDetached = data != name;
  const auto        begin = static_cast<std::size_t>(written.place->begin);
  std::string       header =
    ReadBeginning(name, isDetached ? static_cast<std::size_t>(std::filesystem::file_size(name, error)) : begin);
  if ((isDetached && begin != 0) || !SetNumberOfVolumes(format, header, layout.volumes))
  {
    return false;
  }
  std::ofstream stream(name, std::ios::binary | std::ios::trunc);
  stream << header;
  if (isDetached)
  {
    stream.close();
    stream.open(data, std::ios::binary | std::ios::trunc);
  }
  const std::size_t bytes = BytesOfVolume(written);
  for (std::size_t number = 0; number < layout.volumes && stream; ++number)
  {
    stream.write(static_cast<const char *>(pixelsOf(number)), static_cast<std::streamsize>(bytes));
  }
  stream.close();
  if (!stream)
  {
    throw ProgramError("the output \"" + BareName(name) + "\" was not written in full (is the disk full?)");
  }
  return true;
}

/** Writes an image and reads it back.
 *
 * \param[in] volume grid and type; all pixels if \p read is empty
 * \param[in] all the image with all its pixels
 * \param[in] pixelsOf the pixels of one volume
 * \param[in] read copies bytes of all pixels that are not in memory */
std::string
Write(const Volume &                  volume,
      const std::function<Volume()> & all,
      const PixelsOf &                pixelsOf,
      const ReadStored &              read,
      const std::string &             file,
      const ImageLayout &             layout)
{
  if (IsNiftiName(file))
  {
    NiftiInput written;
    written.description = WriteNifti(volume, read, file, layout);
    const Grid grid = GridOfNifti(written.description.grid);
    const bool isSlice = grid.dimension != volume.grid.dimension; // a 2D image with another number of components than 2
    return JoinLosses(
      JoinLosses(CompareGeometry(volume.grid, grid), isSlice ? "2 dimensions (it becomes a slice of 3)" : ""),
      CompareMeaning(layout, LayoutOfNifti(written), volume.type));
  }
  constexpr std::size_t few = 2; // enough for a format to have a fourth axis
  const std::string     name = NameForItk(file);
  ImageLayout           begun = layout;
  begun.volumes = std::min(layout.volumes, few);
  std::string format = WriteByItk(all(), name, file, begun);
  if (layout.volumes > few && !AppendVolumes(name, format, volume, pixelsOf, layout))
  {
    format = WriteByItk(all(), name, file, layout);
  }
  const std::string lost = Verify(volume, pixelsOf, name, file, format, layout);
  std::error_code   error;
  if (name != file)
  {
    std::filesystem::rename(name, file, error);
  }
  if (error)
  {
    throw ProgramError("cannot write \"" + BareName(file) + "\": " + error.message());
  }
  return lost;
}

} // namespace

std::string
WriteImage(const Volume & volume, const std::string & file, const ImageLayout & layout)
{
  const std::size_t bytes = volume.GetNumberOfBytes() * layout.components;
  return Write(
    volume,
    [&volume] { return volume; },
    [&volume, bytes](std::size_t number) { return static_cast<const char *>(volume.pixels.get()) + number * bytes; },
    nullptr,
    file,
    layout);
}

std::string
WriteSeries(const VolumeStore & store, const std::string & file, const ImageLayout & layout)
{
  Volume volume;
  volume.grid = store.GetGrid();
  volume.type = store.GetType();
  const auto        bytes = store.GetNumberOfBytes();
  std::vector<char> pixels(bytes);
  std::size_t       held = layout.volumes; // number of the volume in memory
  return Write(
    volume,
    [&] {
      Volume all = volume;
      all.pixels = store.Map(); // pages that are not accessed need no memory
      return all;
    },
    [&](std::size_t number) {
      if (number != held)
      {
        store.Get(number, pixels.data());
        held = number;
      }
      return static_cast<const void *>(pixels.data());
    },
    [&store](std::uint64_t begin, std::size_t count, char * to) { store.Read(begin, count, to); },
    file,
    layout);
}

std::string
ProbeOutput(const Grid & grid, ScalarType type, const std::string & file, const ImageLayout & layout)
{
  Grid small = grid;
  for (std::size_t & size : small.size)
  {
    size = std::min<std::size_t>(size, 2);
  }
  ImageLayout few = layout;
  few.volumes = std::min<std::size_t>(layout.volumes, 2);
  Volume volume;
  volume.grid = small;
  volume.type = type;
  std::vector<char> zeros(volume.GetNumberOfBytes() * few.GetNumberOfPlanes());
  volume.pixels = std::shared_ptr<void>(zeros.data(), [](void *) {});
  return WriteImage(volume, file, few);
}

void
ProbeOutput(AtomicOutput &      file,
            const std::string & name,
            const Grid &        grid,
            ScalarType          type,
            const ImageLayout & layout)
{
  const std::string lost = ProbeOutput(grid, type, file.GetTemporaryName(), layout);
  file.Clear();
  if (!lost.empty())
  {
    Warn("the format of \"" + name + "\" does not keep the image's " + lost);
  }
}

} // namespace CudaSplineProgram
