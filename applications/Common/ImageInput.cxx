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
#include "ImageInput.h"

#include "DicomSeries.h"
#include "Error.h"
#include "LibraryMessages.h"
#include "NiftiLength.h"
#include "PixelType.h"

#include "itkImageFileReader.h" // registers the formats of the build
#include "itkImageIOFactory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

Grid
GridOfHeader(const itk::ImageIOBase & io, const std::string & path)
{
  const unsigned int fileDimension = io.GetNumberOfDimensions();
  unsigned int       dimension = fileDimension;
  while (dimension > 3 && io.GetDimensions(dimension - 1) == 1)
  {
    --dimension;
  }
  if (dimension != 2 && dimension != 3)
  {
    std::string size;
    for (unsigned int axis = 0; axis < fileDimension; ++axis)
    {
      size += (axis == 0 ? "" : " x ") + std::to_string(io.GetDimensions(axis));
    }
    throw ProgramError("\"" + path + "\" has " + std::to_string(fileDimension) + " dimensions (" + size +
                       "); images of 2 and 3 dimensions are allowed");
  }

  Grid grid;
  grid.dimension = dimension;
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    grid.size[axis] = io.GetDimensions(axis);
    grid.spacing[axis] = io.GetSpacing(axis);
    grid.origin[axis] = io.GetOrigin(axis);
    const std::vector<double> column = io.GetDirection(axis);
    const double              sign = grid.spacing[axis] < 0.0 ? -1.0 : 1.0;
    grid.spacing[axis] *= sign;
    for (unsigned int row = 0; row < dimension; ++row)
    {
      grid.direction[row][axis] = sign * column[row];
    }
    if (grid.size[axis] == 0)
    {
      throw ProgramError("\"" + path + "\" has no voxels (" + SizeText(grid) + ")");
    }
    if (!(grid.spacing[axis] > 0.0))
    {
      throw ProgramError("\"" + path + "\" has a spacing of " + Brief(grid.spacing[axis]) +
                         " mm; it has to be above 0");
    }
  }
  return grid;
}

ScalarType
TypeOfHeader(const itk::ImageIOBase & io, const std::string & path)
{
  const std::optional<ScalarType> type = PixelTypeOfComponent(io.GetComponentType());
  if (io.GetNumberOfComponents() != 1 || io.GetPixelType() != itk::IOPixelEnum::SCALAR)
  {
    throw ProgramError(
      "\"" + path + "\" has pixels of type " + itk::ImageIOBase::GetPixelTypeAsString(io.GetPixelType()) + " with " +
      std::to_string(io.GetNumberOfComponents()) + " components; scalar pixels (one number each) are allowed");
  }
  if (!type)
  {
    throw ProgramError("\"" + path + "\" has pixels of type " +
                       itk::ImageIOBase::GetComponentTypeAsString(io.GetComponentType()) + "; allowed are " +
                       PixelTypeNames());
  }
  return *type;
}

ImageDescription
DescribeImage(const std::string & path, const SeriesChoice & choice)
{
  std::error_code error;
  if (!fs::exists(path, error))
  {
    throw ProgramError("there is no file or folder \"" + path + "\"");
  }
  if (fs::is_directory(path, error))
  {
    return DescribeDicomFolder(path, choice);
  }
  if (!std::ifstream(path))
  {
    throw ProgramError("the file \"" + path + "\" may not be read");
  }

  LibraryMessages  messages;
  ImageDescription description;
  description.path = path;
  description.io = itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::IOFileModeEnum::ReadMode);
  if (description.io.IsNull())
  {
    throw ProgramError(
      "\"" + path +
      "\" is no image, or a damaged one; formats: NIfTI, NRRD, MetaImage, PNG, TIFF, DICOM and others that ITK reads");
  }
  try
  {
    description.io->SetFileName(path);
    description.io->ReadImageInformation();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot read the header of \"" + path + "\": " + TextOf(exception));
  }
  description.messages = messages.Take();
  CheckComplete(description.messages, path);
  description.grid = GridOfHeader(*description.io, path);
  description.type = TypeOfHeader(*description.io, path);
  return description;
}

Volume
ReadImage(ImageDescription & description)
{
  if (!description.slices.empty())
  {
    return ReadDicomSlices(description);
  }
  if (std::string(description.io->GetNameOfClass()) == "NiftiImageIO")
  {
    CheckNiftiLength(description.path);
  }
  else if (std::string(description.io->GetNameOfClass()) == "GDCMImageIO")
  {
    CheckDicomLength(description.path);
  }
  LibraryMessages    messages;
  Volume             volume = Volume::Allocate(description.grid, description.type);
  itk::ImageIOBase & io = *description.io;
  itk::ImageIORegion region(io.GetNumberOfDimensions());
  for (unsigned int axis = 0; axis < io.GetNumberOfDimensions(); ++axis)
  {
    region.SetIndex(axis, 0);
    region.SetSize(axis, io.GetDimensions(axis));
  }
  try
  {
    io.SetIORegion(region);
    io.Read(volume.pixels.get());
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot read the pixels of \"" + description.path + "\": " + TextOf(exception));
  }
  description.messages += messages.Take();
  CheckComplete(description.messages, description.path);
  return volume;
}

} // namespace CudaSplineProgram
