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
#include "io/formats/ImageInput.h"

#include "console/Error.h"
#include "io/volume/GridCheck.h"
#include "io/formats/ImageFiles.h"
#include "io/formats/ImageReading.h"
#include "io/formats/PackedData.h"
#include "io/volume/PlanarPixels.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Returns the minimum size of all files of an image in bytes. */
double
BytesOf(const std::string & path)
{
  double bytes = 0.0;
  for (const fs::path & file : FilesOf(path))
  {
    std::error_code error;
    const auto      size = fs::file_size(file, error);
    bytes += error ? 0.0 : static_cast<double>(size);
  }
  return bytes;
}

nlohmann::json
AsJson(const Grid & grid)
{
  return { grid.dimension, grid.size, grid.spacing, grid.origin, grid.direction };
}

Grid
GridFromJson(const nlohmann::json & json)
{
  Grid grid;
  grid.dimension = json.at(0);
  grid.size = json.at(1);
  grid.spacing = json.at(2);
  grid.origin = json.at(3);
  grid.direction = json.at(4);
  return grid;
}

nlohmann::json
AsJson(const NiftiOrigin & nifti)
{
  const itk::CudaSpline::NiftiFields & f = nifti.fields;
  return { nifti.version, nifti.isDisplacement, AsJson(nifti.grid), nifti.foreignWarp, f.qformCode,
           f.sformCode,   f.intentCode,         f.intentParameters, f.intentName,      f.calMin,
           f.calMax,      f.description,        f.auxFile,          f.dimInfo,         f.sliceCode,
           f.sliceStart,  f.sliceEnd,           f.sliceDuration,    f.volumeUnit,      f.volumeSpacing,
           f.volumeOrigin };
}

NiftiOrigin
NiftiFromJson(const nlohmann::json & json)
{
  NiftiOrigin                    nifti;
  itk::CudaSpline::NiftiFields & f = nifti.fields;
  std::size_t                    index = 0;
  const auto                     get = [&json, &index](auto & field) { field = json.at(index++); };
  get(nifti.version);
  get(nifti.isDisplacement);
  nifti.grid = GridFromJson(json.at(index++));
  get(nifti.foreignWarp);
  get(f.qformCode);
  get(f.sformCode);
  get(f.intentCode);
  get(f.intentParameters);
  get(f.intentName);
  get(f.calMin);
  get(f.calMax);
  get(f.description);
  get(f.auxFile);
  get(f.dimInfo);
  get(f.sliceCode);
  get(f.sliceStart);
  get(f.sliceEnd);
  get(f.sliceDuration);
  get(f.volumeUnit);
  get(f.volumeSpacing);
  get(f.volumeOrigin);
  return nifti;
}

nlohmann::json
AsJson(const ImageDescription & image)
{
  nlohmann::json json;
  json["grid"] = AsJson(image.grid);
  json["type"] = static_cast<int>(image.type);
  json["messages"] = image.messages;
  json["slices"] = image.slices;
  const ImageLayout & layout = image.layout;
  json["layout"] = { layout.components, static_cast<int>(layout.pixel), layout.volumes,
                     layout.isSeries,   layout.volumeSpacing,           layout.volumeOrigin,
                     layout.notes };
  if (layout.nifti)
  {
    json["nifti"] = AsJson(*layout.nifti);
  }
  return json;
}

ImageDescription
FromJson(const nlohmann::json & json)
{
  ImageDescription image;
  image.grid = GridFromJson(json.at("grid"));
  image.type = static_cast<ScalarType>(json.at("type").get<int>());
  image.messages = json.at("messages");
  image.slices = json.at("slices").get<std::vector<std::string>>();
  const nlohmann::json & layout = json.at("layout");
  image.layout.components = layout.at(0);
  image.layout.pixel = static_cast<itk::IOPixelEnum>(layout.at(1).get<int>());
  image.layout.volumes = layout.at(2);
  image.layout.isSeries = layout.at(3);
  image.layout.volumeSpacing = layout.at(4);
  image.layout.volumeOrigin = layout.at(5);
  image.layout.notes = layout.at(6).get<std::map<std::string, std::string>>();
  if (json.contains("nifti"))
  {
    image.layout.nifti = NiftiFromJson(json.at("nifti"));
  }
  return image;
}

/** Reads a volume as planes. */
void
ReadApart(OpenedImage & image, std::size_t number, void * to)
{
  const unsigned int components = image.layout.components;
  if (image.nifti || components == 1)
  {
    ReadPixels(image, number, to);
    return;
  }
  std::vector<char> pixels(BytesOfVolume(image));
  ReadPixels(image, number, pixels.data());
  TakeApart(itk::CudaSpline::SizeOf(image.type), pixels.data(), image.grid.GetNumberOfVoxels(), components, to);
}

/** Reads the header first, then volumes, into the memory of both processes. */
nlohmann::json
ReadStep(OpenedImage &          image,
         const nlohmann::json & order,
         const std::string &    path,
         const SeriesChoice &   choice,
         double                 fileBytes,
         SharedMemory &         memory)
{
  if (order.is_null())
  {
    image = OpenImage(path, choice);
    return AsJson(image);
  }
  const double volume = CountBytes(image.grid, image.type) * image.layout.components;
  const double declared = volume * static_cast<double>(image.layout.volumes);
  // Rescaled integers of NIfTI become real numbers of up to 8 bytes. The length of the file itself is compared when it
  // is read.
  const double most = MaxBytes(fileBytes, PackingOf(image)) * (image.nifti ? 8.0 : 1.0);
  if (declared > most)
  {
    CheckPixels(image); // this check may have a better message, such as missing files
    throw ProgramError("\"" + path + "\" is damaged or truncated: its header requires " + SizeText(image.grid) +
                       " voxels (" + Brief(declared / 1e6) + " MB), but its " + Brief(fileBytes) +
                       " bytes cannot hold more than " + Brief(most / 1e6) + " MB");
  }
  const bool isByVolume = image.nifti ? !image.nifti->IsKeptDecompressed() : image.place.has_value();
  AllowReading(isByVolume ? std::min(declared, volume * 8.0) : declared, most);
  const std::shared_ptr<void> pixels = memory.Map(BytesOfVolume(image));
  ReadApart(image, order.get<std::size_t>(), pixels.get());
  return image.messages;
}

/** Throws with the name of the first file of a folder that a library cannot read. */
void
FindDamagedFile(const std::string & path)
{
  std::error_code error;
  if (!fs::is_directory(path, error))
  {
    return;
  }
  for (const fs::directory_entry & entry : fs::directory_iterator(path))
  {
    try
    {
      if (entry.is_regular_file())
      {
        DescribeImage(entry.path().string(), {});
      }
    }
    catch (const ReadingProcessError &)
    {
      throw;
    }
    catch (const ProgramError &)
    {} // folders may have files of other kinds
  }
}

} // namespace

ImageDescription
DescribeImage(const std::string & path, const SeriesChoice & choice)
{
  std::error_code error;
  if (!fs::exists(path, error))
  {
    throw ProgramError("there is no file or folder \"" + path + "\"");
  }
  if (!fs::is_directory(path, error) && !fs::is_regular_file(path, error))
  {
    throw ProgramError("\"" + path + "\" is a device or a pipe; images are read from files and folders");
  }
  if (fs::is_regular_file(path, error) && !std::ifstream(path))
  {
    throw ProgramError("the file \"" + path + "\" may not be read: " + std::strerror(errno));
  }
  const double fileBytes = BytesOf(path);
  const auto   reader = std::make_shared<ReadingProcess>(
    path, fileBytes, [=, image = OpenedImage()](const nlohmann::json & order, SharedMemory & memory) mutable {
      return ReadStep(image, order, path, choice, fileBytes, memory);
    });
  ImageDescription description;
  try
  {
    description = FromJson(reader->Ask(nullptr));
  }
  catch (const ReadingProcessError &)
  {
    FindDamagedFile(path);
    throw;
  }
  description.path = path;
  description.reader = reader;
  return description;
}

std::vector<Volume>
ReadPlanes(ImageDescription & description, std::size_t volume)
{
  description.messages = description.reader->Ask(volume).get<std::string>();
  Volume plane;
  plane.grid = description.grid;
  plane.type = description.type;
  const std::size_t           bytes = plane.GetNumberOfBytes();
  const std::shared_ptr<void> memory = description.reader->TakeMemory(bytes * description.layout.components);
  std::vector<Volume>         planes(description.layout.components, plane);
  for (std::size_t component = 0; component < planes.size(); ++component)
  {
    planes[component].pixels = std::shared_ptr<void>(memory, static_cast<char *>(memory.get()) + component * bytes);
  }
  return planes;
}

void
CheckIsPlain(const ImageDescription & description)
{
  const ImageLayout & layout = description.layout;
  if (layout.components != 1)
  {
    throw ProgramError("\"" + description.path + "\" has pixels of type " +
                       itk::ImageIOBase::GetPixelTypeAsString(layout.pixel) + " with " +
                       std::to_string(layout.components) +
                       " components; only scalar pixels (one number each) are supported here");
  }
  if (layout.volumes != 1)
  {
    throw ProgramError("\"" + description.path + "\" is a series of " + std::to_string(layout.volumes) +
                       " volumes (4 dimensions); only images of 2 and 3 dimensions are supported here");
  }
}

Volume
ReadImage(ImageDescription & description)
{
  CheckIsPlain(description);
  const Volume volume = ReadPlanes(description, 0).front();
  description.reader = nullptr; // the process has no more work
  return volume;
}

} // namespace CudaSplineProgram
