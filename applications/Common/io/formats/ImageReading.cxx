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
#include "io/formats/ImageReading.h"

#include "io/formats/DicomPixels.h"
#include "io/formats/DicomSeries.h"
#include "console/Error.h"
#include "process/LibraryMessages.h"
#include "io/volume/GridCheck.h"
#include "io/formats/PackedData.h"
#include "io/volume/PixelType.h"
#include "io/formats/StoredImage.h"
#include "process/TemporaryMemory.h"

#include "itkImageFileReader.h" // registers the formats of the build
#include "itkImageIOFactory.h"

#include "itkMetaDataObject.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Returns a program that converts files of a format that neither the programs nor ITK read, by the suffix of the name.
 * Empty for others. */
std::string
ConverterOf(const std::string & path)
{
  constexpr std::pair<const char *, const char *> converters[] = { { ".mgz", "FreeSurfer's mri_convert" },
                                                                   { ".mgh", "FreeSurfer's mri_convert" },
                                                                   { ".mnc", "MINC's mnc2nii" },
                                                                   { ".head", "AFNI's 3dAFNItoNIFTI" },
                                                                   { ".brik", "AFNI's 3dAFNItoNIFTI" },
                                                                   { ".brik.gz", "AFNI's 3dAFNItoNIFTI" },
                                                                   { ".par", "dcm2niix" },
                                                                   { ".rec", "dcm2niix" },
                                                                   { ".bz2", "bunzip2" },
                                                                   { ".xz", "unxz" },
                                                                   { ".zst", "unzstd" },
                                                                   { ".zip", "unzip" } };
  std::string                                     name = path;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto & [ending, converter] : converters)
  {
    const std::string_view text = ending;
    if (name.size() > text.size() && name.compare(name.size() - text.size(), text.size(), text) == 0)
    {
      return converter;
    }
  }
  return {};
}

} // namespace

Grid
GridOfHeader(const itk::ImageIOBase & io, const std::string & path)
{
  const unsigned int fileDimension = io.GetNumberOfDimensions();
  unsigned int       dimension = fileDimension;
  while (dimension > 3 && io.GetDimensions(dimension - 1) == 1)
  {
    --dimension;
  }
  if (dimension < 2 || dimension > 4)
  {
    std::string size;
    for (unsigned int axis = 0; axis < fileDimension; ++axis)
    {
      size += (axis == 0 ? "" : " x ") + std::to_string(io.GetDimensions(axis));
    }
    throw ProgramError("\"" + path + "\" has " + std::to_string(fileDimension) + " dimensions (" + size +
                       "); images of 2 and 3 dimensions, and series of volumes, are allowed");
  }

  dimension = std::min(dimension, 3U);
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
  }
  const std::string why = WhyNoGeometry(grid);
  if (!why.empty())
  {
    throw ProgramError("\"" + path + "\" " + why);
  }
  return grid;
}

ScalarType
TypeOfHeader(const itk::ImageIOBase & io, const std::string & path)
{
  const std::optional<ScalarType> type = PixelTypeOfComponent(io.GetComponentType());
  if (io.GetNumberOfComponents() < 1 || io.GetNumberOfComponents() > 1024)
  {
    throw ProgramError("\"" + path + "\" has " + std::to_string(io.GetNumberOfComponents()) +
                       " components per pixel; 1 to 1024 are allowed");
  }
  if (!type)
  {
    throw ProgramError("\"" + path + "\" has pixels of type " +
                       itk::ImageIOBase::GetComponentTypeAsString(io.GetComponentType()) + "; allowed are " +
                       PixelTypeNames());
  }
  return *type;
}

ImageLayout
LayoutOfHeader(const itk::ImageIOBase & io)
{
  ImageLayout layout;
  layout.components = io.GetNumberOfComponents();
  layout.pixel = io.GetPixelType();
  if (io.GetNumberOfDimensions() > 3 && io.GetDimensions(3) > 1)
  {
    layout.isSeries = true;
    layout.volumes = io.GetDimensions(3);
    layout.volumeSpacing = io.GetSpacing(3);
    layout.volumeOrigin = io.GetOrigin(3);
  }
  for (const char * const key :
       { "qform_code", "qform_code_name", "sform_code", "sform_code_name", "ITK_FileNotes", "aux_file" })
  {
    std::string value;
    if (itk::ExposeMetaData<std::string>(io.GetMetaDataDictionary(), key, value) && !value.empty())
    {
      layout.notes[key] = value.c_str(); // up to the end of the text: fields of files are padded
    }
  }
  return layout;
}

std::size_t
BytesOfVolume(const ImageDescription & image)
{
  return image.grid.GetNumberOfVoxels() * image.layout.components * itk::CudaSpline::SizeOf(image.type);
}

namespace
{

itk::IOPixelEnum
PixelOfMeaning(itk::CudaSpline::PixelMeaning meaning)
{
  using itk::CudaSpline::PixelMeaning;
  switch (meaning)
  {
    case PixelMeaning::Complex:
      return itk::IOPixelEnum::COMPLEX;
    case PixelMeaning::Rgb:
      return itk::IOPixelEnum::RGB;
    case PixelMeaning::Rgba:
      return itk::IOPixelEnum::RGBA;
    case PixelMeaning::Vector:
      return itk::IOPixelEnum::VECTOR;
    case PixelMeaning::CovariantVector:
      return itk::IOPixelEnum::COVARIANTVECTOR;
    case PixelMeaning::Point:
      return itk::IOPixelEnum::POINT;
    case PixelMeaning::SymmetricTensor:
      return itk::IOPixelEnum::SYMMETRICSECONDRANKTENSOR;
    default:
      return itk::IOPixelEnum::SCALAR;
  }
}

/** Describes an NRRD file or a MetaImage. Empty for other files. */
std::optional<OpenedImage>
OpenStoredImage(const std::string & path)
{
  OpenedImage image;
  image.path = path;
  image.stored = ReadStoredHeader(path);
  if (!image.stored)
  {
    return std::nullopt;
  }
  const itk::CudaSpline::ImageFileHeader & header = *image.stored;
  image.grid.dimension = header.dimension;
  std::copy(header.size.begin(), header.size.end(), image.grid.size.begin());
  image.grid.spacing = header.spacing;
  image.grid.origin = header.origin;
  image.grid.direction = header.direction;
  if (const std::string why = WhyNoGeometry(image.grid); !why.empty())
  {
    throw ProgramError("\"" + path + "\" " + why);
  }
  image.type = header.type;
  image.layout.components = header.components;
  image.layout.pixel = PixelOfMeaning(header.meaning);
  image.layout.isSeries = header.isSeries;
  image.layout.volumes = header.volumes;
  image.layout.volumeSpacing = header.volumeSpacing;
  image.layout.volumeOrigin = header.volumeOrigin;
  for (const std::string & warning : header.warnings)
  {
    Warn("\"" + path + "\": " + warning);
  }
  image.place = PlaceOfVolumes(header, path);
  return image;
}

} // namespace

OpenedImage
OpenImage(const std::string & path, const SeriesChoice & choice)
{
  std::error_code error;
  if (fs::is_directory(path, error))
  {
    return DescribeDicomFolder(path, choice);
  }

  if (const std::optional<OpenedImage> stored = OpenStoredImage(path))
  {
    return *stored;
  }
  if (HasDicomPreamble(path)) // before ITK calls GDCM, which ends the process for some geometries
  {
    return DescribeDicomFile(path, choice);
  }
  OpenedImage description;
  description.path = path;
  description.nifti = OpenNifti(path);
  if (description.nifti)
  {
    description.grid = GridOfNifti(description.nifti->description.grid);
    description.type = description.nifti->description.type;
    description.layout = LayoutOfNifti(*description.nifti);
    return description;
  }
  LibraryMessages messages;
  description.io = itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::IOFileModeEnum::ReadMode);
  if (description.io.IsNull() || std::string(description.io->GetNameOfClass()) == "NiftiImageIO")
  {
    const std::string converter = ConverterOf(path);
    throw ProgramError("\"" + path + "\" is not an image, or is damaged; " +
                       (converter.empty()
                          ? "formats: NIfTI, NRRD, MetaImage, PNG, TIFF, DICOM and others that ITK reads"
                          : "files with its suffix are not supported: convert it with " + converter));
  }
  if (std::string(description.io->GetNameOfClass()) == "GDCMImageIO")
  {
    return DescribeDicomFile(path, choice);
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
  description.layout = LayoutOfHeader(*description.io);
  return description;
}

namespace
{

/** Reads a volume, or all, with ITK. */
void
ReadByItk(OpenedImage & image, std::size_t first, std::size_t count, void * pixels)
{
  itk::ImageIOBase & io = *image.io;
  itk::ImageIORegion region(io.GetNumberOfDimensions());
  for (unsigned int axis = 0; axis < io.GetNumberOfDimensions(); ++axis)
  {
    region.SetIndex(axis, 0);
    region.SetSize(axis, io.GetDimensions(axis));
  }
  if (image.layout.isSeries)
  {
    region.SetIndex(3, static_cast<itk::IndexValueType>(first));
    region.SetSize(3, count);
  }
  LibraryMessages messages;
  try
  {
    io.SetFileName(image.path);
    io.SetIORegion(region);
    io.Read(pixels);
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot read the pixels of \"" + image.path + "\": " + TextOf(exception));
  }
  image.messages += messages.Take();
  CheckComplete(image.messages, image.path);
}

} // namespace

void
CheckPixels(const OpenedImage & image)
{
  if (image.stored)
  {
    CheckStoredImage(*image.stored, image.path);
    return;
  }
  if (image.io.IsNull())
  {
    return; // DICOM slices and NIfTI volumes are checked one by one
  }
  const std::string format = image.io->GetNameOfClass();
  if (format == "VTKImageIO")
  {
    const auto component = static_cast<double>(image.io->GetComponentSize());
    CheckVtkData(image.path, static_cast<double>(image.io->GetImageSizeInBytes()) / component, component);
  }
}

void
ReadPixels(OpenedImage & image, std::size_t volume, void * pixels)
{
  if (image.slices.size() > 1)
  {
    Volume slices;
    slices.grid = image.grid;
    slices.type = image.type;
    slices.pixels = std::shared_ptr<void>(pixels, [](void *) {});
    ReadDicomSlices(image, slices);
    return;
  }
  if (!image.frames.empty())
  {
    ReadDicomFrames(image, pixels);
    return;
  }
  if (image.nifti)
  {
    if (image.reader == nullptr)
    {
      image.reader = std::make_shared<NiftiReader>(*image.nifti);
    }
    image.reader->Read(volume, pixels);
    return;
  }
  const std::size_t bytes = BytesOfVolume(image);
  const std::size_t volumes = image.layout.volumes;
  if (volumes == 1)
  {
    CheckPixels(image);
    if (image.stored)
    {
      image.place ? VolumeReader(*image.place).Read(0, 1, bytes, pixels)
                  : ReadStoredImage(*image.stored, image.path, pixels);
      return;
    }
    ReadByItk(image, 0, 1, pixels);
    return;
  }
  if (image.place)
  {
    if (image.volumes == nullptr)
    {
      image.volumes = std::make_shared<VolumeReader>(*image.place);
    }
    image.volumes->Read(volume, volumes, bytes, pixels);
    return;
  }
  if (volume == 0)
  {
    CheckPixels(image);
  }
  if (image.all == nullptr)
  {
    image.all = MapTemporaryFile(bytes * volumes);
    image.stored ? ReadStoredImage(*image.stored, image.path, image.all.get())
                 : ReadByItk(image, 0, volumes, image.all.get());
  }
  std::memcpy(pixels, static_cast<const char *>(image.all.get()) + volume * bytes, bytes);
}

} // namespace CudaSplineProgram
