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
#include "ImageOutput.h"

#include "Error.h"
#include "ImageReading.h"
#include "LibraryMessages.h"
#include "NiftiFile.h"
#include "PixelType.h"

#include "itkImageFileWriter.h" // registers the formats of the build
#include "itkImageIOFactory.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
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

/** The writer of a format, configured as itk::ImageFileWriter does. */
itk::ImageIOBase::Pointer
MakeWriter(const Volume & volume, const std::string & file, const ImageLayout & layout)
{
  const itk::ImageIOBase::Pointer io = itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::IOFileModeEnum::WriteMode);
  if (io.IsNull())
  {
    throw ProgramError("no format is known for the output name \"" + BareName(file) +
                       "\"; endings such as .nii.gz, .nii, .nrrd, .mha, .mhd, .png and .tif are allowed");
  }
  if (std::string(io->GetNameOfClass()) == "GDCMImageIO" &&
      (IsReal(volume.type) || itk::CudaSpline::SizeOf(volume.type) > 4))
  {
    throw ProgramError("a DICOM file holds no pixels of type " + NameOfPixelType(volume.type) + "; \"" +
                       BareName(file) +
                       "\" may have uint8, int8, uint16, int16, uint32 or int32 (--output-type), or name a folder for "
                       "a series with rescale slope and intercept (--dicom)");
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
  io->SetUseCompression(false); // a name such as .nii.gz compresses all the same
  io->SetIORegion(region);
  return io;
}

/** The name under which ITK writes a NIfTI file whose ending is in capitals, which it refuses; other names as they are.
 */
std::string
NameForItk(const std::string & file)
{
  std::string lower = file;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string ending : { ".nii.gz", ".nii" })
  {
    if (lower.size() > ending.size() && lower.compare(lower.size() - ending.size(), ending.size(), ending) == 0)
    {
      return file.substr(0, file.size() - ending.size()) + ending;
    }
  }
  return file;
}

/** What notes have for the header of a NIfTI file and ITK does not write. */
NiftiMarks
MarksOf(const ImageLayout & layout)
{
  const auto get = [&layout](const char * key) -> std::optional<int> {
    const auto found = layout.notes.find(key);
    return found == layout.notes.end() ? std::nullopt : std::optional<int>(std::atoi(found->second.c_str()));
  };
  NiftiMarks marks;
  marks.qform = get("qform_code");
  marks.sform = get("sform_code");
  const std::pair codes(marks.qform.value_or(0), marks.sform.value_or(0));
  const bool      isKnown = codes.first >= 0 && codes.first <= 5 && codes.second >= 0 && codes.second <= 5;
  const bool      isOfItk = codes == std::pair(1, 1) || codes == std::pair(0, 0);
  if (isKnown && !isOfItk)
  {
    marks.qform = codes.first;
    marks.sform = codes.second;
  }
  else
  {
    marks.qform = std::nullopt;
    marks.sform = std::nullopt;
  }
  if (layout.isSeries)
  {
    marks.timeUnit = get("nifti_time_unit");
  }
  const auto description = layout.notes.find("nifti_description");
  marks.description = description == layout.notes.end() ? std::string() : description->second;
  return marks;
}

bool
IsNear(double a, double b, double tolerance)
{
  return std::abs(a - b) <= tolerance;
}

/** Reads a file back and compares it with what was to be written. */
std::string
Verify(const Volume & volume, const std::string & file, const std::string & format, const ImageLayout & layout)
{
  const bool  isLossy = format.compare(0, 4, "JPEG") == 0;
  bool        isSame = true;
  OpenedImage description;
  try
  {
    // In this process: what it has written itself does no harm.
    description = OpenImage(file, {});
    const bool isComparable = description.grid.size == volume.grid.size && description.type == volume.type &&
                              description.layout.volumes == layout.volumes &&
                              description.layout.components == layout.components;
    if (isComparable)
    {
      const std::size_t bytes = BytesOfVolume(description);
      std::vector<char> written(bytes);
      for (std::size_t number = 0; number < layout.volumes; ++number)
      {
        ReadPixels(description, number, written.data());
        isSame =
          isSame &&
          std::memcmp(written.data(), static_cast<const char *>(volume.pixels.get()) + number * bytes, bytes) == 0;
      }
    }
  }
  catch (const std::exception & exception)
  {
    throw ProgramError(
      "the output \"" + BareName(file) +
      "\" cannot be read back (a full disk, or a format that ITK writes but does not read): " + exception.what());
  }
  if (description.grid.size != volume.grid.size)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" does not hold images of " +
                       std::to_string(volume.grid.dimension) + " dimensions; use another, such as .nii.gz or .nrrd");
  }
  if (description.layout.volumes != layout.volumes || description.layout.components != layout.components)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" does not hold " + std::to_string(layout.volumes) +
                       " volumes of " + std::to_string(layout.components) +
                       " components a pixel; use another, such as .nii.gz or .nrrd");
  }
  if (description.type != volume.type)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" does not hold pixels of type " +
                       NameOfPixelType(volume.type) + " (it made " + NameOfPixelType(description.type) +
                       " of them); use another, or --output-type");
  }
  if (!isLossy && !isSame)
  {
    throw ProgramError("the output \"" + BareName(file) + "\" was not written in full (is the disk full?)");
  }
  return CompareGeometry(volume.grid, description.grid);
}

} // namespace

std::string
CompareGeometry(const Grid & wanted, const Grid & found)
{
  bool         spacing = true;
  bool         origin = true;
  bool         direction = true;
  const double largest = *std::max_element(wanted.spacing.begin(), wanted.spacing.end());
  for (unsigned int axis = 0; axis < wanted.dimension; ++axis)
  {
    spacing = spacing && IsNear(wanted.spacing[axis], found.spacing[axis], 1e-4 * wanted.spacing[axis]);
    origin =
      origin && IsNear(wanted.origin[axis], found.origin[axis], 1e-3 * largest + 1e-6 * std::abs(wanted.origin[axis]));
    for (unsigned int row = 0; row < wanted.dimension; ++row)
    {
      direction = direction && IsNear(wanted.direction[row][axis], found.direction[row][axis], 1e-4);
    }
  }
  std::string lost;
  for (const auto & [kept, name] :
       { std::pair(spacing, "spacing"), std::pair(origin, "origin"), std::pair(direction, "direction") })
  {
    lost += kept ? "" : (lost.empty() ? "" : ", ") + std::string(name);
  }
  return lost;
}

std::string
WriteImage(const Volume & volume, const std::string & file, const ImageLayout & layout)
{
  std::string      name = NameForItk(file);
  const NiftiMarks marks = MarksOf(layout);
  const bool       hasMarks = marks.qform || marks.sform || marks.timeUnit || !marks.description.empty();
  const bool       isPacked = hasMarks && name.size() > 7 && name.compare(name.size() - 7, 7, ".nii.gz") == 0;
  const bool       setsMarks = hasMarks && (isPacked || std::filesystem::path(name).extension() == ".nii");
  if (isPacked)
  {
    name.resize(name.size() - 3); // compressed when they are in it
  }
  const itk::ImageIOBase::Pointer io = MakeWriter(volume, name, layout);
  try
  {
    const LibraryMessages messages;
    io->Write(volume.pixels.get());
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot write \"" + BareName(file) + "\" with pixels of type " + NameOfPixelType(volume.type) +
                       ": " + TextOf(exception));
  }
  if (setsMarks)
  {
    WriteNiftiMarks(name, marks);
  }
  if (isPacked)
  {
    CompressFile(name, file);
  }
  else if (name != file)
  {
    std::error_code error;
    std::filesystem::rename(name, file, error);
  }
  return Verify(volume, file, io->GetNameOfClass(), layout);
}

std::shared_ptr<void>
MapPixels(const AtomicOutput & file, std::size_t bytes)
{
  const std::string name = file.GetTemporaryName() + ".pixels";
  const int         descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool        hasRoom = descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
  void * const memory = hasRoom ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0)
  {
    unlink(name.c_str());
    close(descriptor);
  }
  if (memory == MAP_FAILED)
  {
    throw ProgramError("there is no room for " + Brief(static_cast<double>(bytes) / 1e6) +
                       " MB in the folder of the output: " + reason);
  }
  return { memory, [bytes](void * pointer) { munmap(pointer, bytes); } };
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
