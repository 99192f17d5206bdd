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
#include "ImageInput.h"
#include "LibraryMessages.h"
#include "PixelType.h"

#include "itkImageFileWriter.h" // registers the formats of the build
#include "itkImageIOFactory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

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
MakeWriter(const Volume & volume, const std::string & file)
{
  const itk::ImageIOBase::Pointer io = itk::ImageIOFactory::CreateImageIO(file.c_str(), itk::IOFileModeEnum::WriteMode);
  if (io.IsNull())
  {
    throw ProgramError("no format is known for the output name \"" + BareName(file) +
                       "\"; endings such as .nii.gz, .nii, .nrrd, .mha, .mhd, .png and .tif are allowed");
  }
  const Grid &       grid = volume.grid;
  itk::ImageIORegion region(grid.dimension);
  io->SetFileName(file);
  io->SetNumberOfDimensions(grid.dimension);
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
    io->SetDirection(axis, column);
    region.SetIndex(axis, 0);
    region.SetSize(axis, grid.size[axis]);
  }
  io->SetPixelType(itk::IOPixelEnum::SCALAR);
  io->SetComponentType(ComponentOfPixelType(volume.type));
  io->SetNumberOfComponents(1);
  io->SetUseCompression(false); // a name such as .nii.gz compresses all the same
  io->SetIORegion(region);
  return io;
}

bool
IsNear(double a, double b, double tolerance)
{
  return std::abs(a - b) <= tolerance;
}

/** What of the geometry differs by more than single precision, in words. */
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

/** Reads a file back and compares it with what was to be written. */
std::string
Verify(const Volume & volume, const std::string & file, const std::string & format)
{
  ImageDescription description;
  Volume           written;
  try
  {
    description = DescribeImage(file, {});
    written = ReadImage(description);
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
  if (written.type != volume.type)
  {
    throw ProgramError("the format of \"" + BareName(file) + "\" does not hold pixels of type " +
                       NameOfPixelType(volume.type) + " (it made " + NameOfPixelType(written.type) +
                       " of them); use another, or --output-type");
  }
  const bool isLossy = format.compare(0, 4, "JPEG") == 0;
  if (!isLossy && std::memcmp(written.pixels.get(), volume.pixels.get(), volume.GetNumberOfBytes()) != 0)
  {
    throw ProgramError("the output \"" + BareName(file) + "\" was not written in full (is the disk full?)");
  }
  return CompareGeometry(volume.grid, description.grid);
}

} // namespace

std::string
WriteImage(const Volume & volume, const std::string & file)
{
  const itk::ImageIOBase::Pointer io = MakeWriter(volume, file);
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
  return Verify(volume, file, io->GetNameOfClass());
}

std::string
ProbeOutput(const Grid & grid, ScalarType type, const std::string & file)
{
  Grid small = grid;
  for (std::size_t & size : small.size)
  {
    size = std::min<std::size_t>(size, 2);
  }
  const Volume volume = Volume::Allocate(small, type);
  std::memset(volume.pixels.get(), 0, volume.GetNumberOfBytes());
  return WriteImage(volume, file);
}

void
ProbeOutput(AtomicOutput & file, const std::string & name, const Grid & grid, ScalarType type)
{
  const std::string lost = ProbeOutput(grid, type, file.GetTemporaryName());
  file.Clear();
  if (!lost.empty())
  {
    Warn("the format of \"" + name + "\" does not keep the image's " + lost);
  }
}

} // namespace CudaSplineProgram
