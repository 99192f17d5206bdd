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
#include "io/formats/DicomOutput.h"

#include "console/Error.h"
#include "io/formats/FormatLoss.h"
#include "io/formats/ImageOutput.h"
#include "io/formats/ImageReading.h"
#include "process/LibraryMessages.h"
#include "io/volume/PixelType.h"
#include "process/ReadingProcess.h"

#include "gdcmDataSetHelper.h"
#include "gdcmReader.h"
#include "gdcmUIDGenerator.h"
#include "gdcmWriter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace CudaSplineProgram
{

namespace
{

/** Returns whether an element is still valid for a derived image. These are all elements of the patient, of a clinical
 * trial and of nuclear medicine, and the following ones. */
bool
IsKept(const gdcm::Tag & tag)
{
  static const std::set<std::pair<unsigned int, unsigned int>> kept{
    { 0x0008, 0x0005 },                                                             // character set
    { 0x0008, 0x0008 },                                                             // image type
    { 0x0008, 0x0016 },                                                             // class
    { 0x0008, 0x0020 }, { 0x0008, 0x0022 }, { 0x0008, 0x0030 }, { 0x0008, 0x0032 }, // dates of study and acquisition
    { 0x0008, 0x0050 }, { 0x0008, 0x0060 }, { 0x0008, 0x0070 }, { 0x0008, 0x0080 }, { 0x0008, 0x0090 },
    { 0x0008, 0x1010 }, { 0x0008, 0x1030 }, { 0x0008, 0x103E }, { 0x0008, 0x1090 }, { 0x0018, 0x0010 },
    { 0x0018, 0x0015 }, { 0x0018, 0x0020 }, { 0x0018, 0x0021 }, { 0x0018, 0x0022 }, { 0x0018, 0x0023 },
    { 0x0018, 0x0024 }, { 0x0018, 0x0060 }, { 0x0018, 0x0080 }, { 0x0018, 0x0081 }, { 0x0018, 0x0087 },
    { 0x0018, 0x0091 }, { 0x0018, 0x1030 }, { 0x0018, 0x1210 }, { 0x0018, 0x1314 }, { 0x0018, 0x5100 },
    { 0x0020, 0x000D }, { 0x0020, 0x0010 }, { 0x0020, 0x0011 }, // study, and series number
    { 0x0028, 0x1050 }, { 0x0028, 0x1051 }, { 0x0028, 0x1054 }  // window and unit of rescaled values
  };
  const unsigned int group = tag.GetGroup();
  return group == 0x0010 || group == 0x0012 || group == 0x0054 || kept.count({ group, tag.GetElement() }) > 0;
}

/** Returns text without padding. */
std::string
TextOf(const gdcm::DataSet & data, const gdcm::Tag & tag)
{
  if (!data.FindDataElement(tag))
  {
    return {};
  }
  const gdcm::ByteValue * const value = data.GetDataElement(tag).GetByteValue();
  std::string text = value == nullptr ? std::string() : std::string(value->GetPointer(), value->GetLength());
  text.erase(text.find_last_not_of(std::string(" \0", 2)) + 1);
  return text;
}

void
Put(gdcm::DataSet & data, const gdcm::Tag & tag, gdcm::VR vr, std::string bytes)
{
  if (bytes.size() % 2 != 0)
  {
    bytes += vr == gdcm::VR::UI ? '\0' : ' ';
  }
  gdcm::DataElement element(tag);
  element.SetVR(vr);
  element.SetByteValue(bytes.data(), gdcm::VL(static_cast<std::uint32_t>(bytes.size())));
  data.Replace(element);
}

void
PutShort(gdcm::DataSet & data, const gdcm::Tag & tag, std::uint16_t number)
{
  Put(data, tag, gdcm::VR::US, { static_cast<char>(number & 0xFF), static_cast<char>(number >> 8) });
}

/** Formats a number as a decimal string of DICOM, which has at most 16 characters. */
std::string
Decimal(double number)
{
  std::array<char, 40> text{};
  for (int digits = 15; digits > 0; --digits)
  {
    std::snprintf(text.data(), text.size(), "%.*g", digits, number == 0.0 ? 0.0 : number);
    if (std::strlen(text.data()) <= 16)
    {
      break;
    }
  }
  return text.data();
}

template <typename TNumbers>
std::string
Decimals(const TNumbers & numbers)
{
  std::string text;
  for (const double number : numbers)
  {
    text += (text.empty() ? "" : "\\") + Decimal(number);
  }
  return text;
}

/** Identifiers of a new series, and its date. */
struct NewSeries
{
  std::string uid;
  std::string frame; ///< frame of reference
  std::string date;
  std::string time;
};

/** Storage of values: value = slope * stored + intercept. */
struct Rescale
{
  double slope{ 1.0 };
  double intercept{ 0.0 };
  bool   isSigned{ false };
};

/** Returns the volume as doubles, beginning with the slice that is first along the normal of the image plane. */
Volume
MakeRightHanded(const Volume & volume)
{
  Volume       real = volume.type == ScalarType::Float64 ? volume : CastVolume(volume, ScalarType::Float64);
  Grid &       grid = real.grid;
  const auto & d = grid.direction;
  const double determinant = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                             d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                             d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
  if (determinant > 0.0)
  {
    return real;
  }
  Volume             turned = Volume::Allocate(grid, ScalarType::Float64);
  const std::size_t  slice = grid.size[0] * grid.size[1];
  const auto * const from = static_cast<const double *>(real.pixels.get());
  auto * const       to = static_cast<double *>(turned.pixels.get());
  for (std::size_t z = 0; z < grid.size[2]; ++z)
  {
    std::copy_n(from + (grid.size[2] - 1 - z) * slice, slice, to + z * slice);
  }
  turned.grid.origin = PointOfIndex(grid, { 0.0, 0.0, static_cast<double>(grid.size[2] - 1) });
  for (auto & row : turned.grid.direction)
  {
    row[2] = -row[2];
  }
  return turned;
}

/** Chooses the rescaling for the values of a volume. */
Rescale
ChooseRescale(const Volume & volume)
{
  const auto * const values = static_cast<const double *>(volume.pixels.get());
  const std::size_t  count = volume.grid.GetNumberOfVoxels();
  if (!std::all_of(values, values + count, [](double value) { return std::isfinite(value); }))
  {
    throw ProgramError("the output has values that are not finite (NaN or infinity), which DICOM cannot store");
  }
  const auto [least, largest] = std::minmax_element(values, values + count);
  const bool isWhole = std::all_of(values, values + count, [](double value) { return value == std::rint(value); });
  Rescale    rescale;
  if (isWhole && *least >= -32768.0 && *largest <= 32767.0)
  {
    rescale.isSigned = *least < 0.0;
    return rescale;
  }
  rescale.intercept = *least;
  if (isWhole && *largest - *least <= 65535.0)
  {
    rescale.intercept = *least >= 0.0 && *largest <= 65535.0 ? 0.0 : *least;
    return rescale;
  }
  // Rounded to the text in the file, so that the stored numbers match the slope and intercept that are read.
  rescale.intercept = std::stod(Decimal(*least));
  rescale.slope = std::stod(Decimal((*largest - *least) / 65535.0));
  if (!(rescale.slope > 0.0) || !std::isfinite(rescale.slope))
  {
    throw ProgramError("the output's values from " + Brief(*least) + " to " + Brief(*largest) +
                       " cannot be stored in 16 bits");
  }
  Warn("DICOM has 16 bits per pixel: values are stored in steps of " + Brief(rescale.slope) + ", from " +
       Brief(*least) + " to " + Brief(*largest));
  return rescale;
}

/** Writes the file of a slice. */
void
WriteSlice(const Volume &        volume,
           std::size_t           slice,
           const Rescale &       rescale,
           const gdcm::DataSet & origin,
           const NewSeries &     series,
           const std::string &   file)
{
  const Grid &    grid = volume.grid;
  gdcm::Writer    writer;
  gdcm::DataSet & data = writer.GetFile().GetDataSet();
  data = origin;
  gdcm::UIDGenerator generator;
  std::string        type = TextOf(origin, { 0x0008, 0x0008 });
  const std::size_t  first = type.find('\\');
  const std::size_t  second = first == std::string::npos ? first : type.find('\\', first + 1);
  type = "DERIVED\\SECONDARY" + (second == std::string::npos ? std::string() : type.substr(second));
  const std::string description = TextOf(origin, { 0x0008, 0x103E });
  const std::string before = TextOf(origin, { 0x0020, 0x0011 });
  const Coordinates place = PointOfIndex(grid, { 0.0, 0.0, static_cast<double>(slice) });
  double            location = 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    location += place[axis] * grid.direction[axis][2];
  }
  Put(data, { 0x0008, 0x0008 }, gdcm::VR::CS, type);
  Put(data, { 0x0008, 0x0012 }, gdcm::VR::DA, series.date);
  Put(data, { 0x0008, 0x0013 }, gdcm::VR::TM, series.time);
  Put(data, { 0x0008, 0x0018 }, gdcm::VR::UI, generator.Generate());
  Put(data, { 0x0008, 0x0021 }, gdcm::VR::DA, series.date);
  Put(data, { 0x0008, 0x0023 }, gdcm::VR::DA, series.date);
  Put(data, { 0x0008, 0x0031 }, gdcm::VR::TM, series.time);
  Put(data, { 0x0008, 0x0033 }, gdcm::VR::TM, series.time);
  Put(data,
      { 0x0008, 0x103E },
      gdcm::VR::LO,
      (description.empty() ? "" : description.substr(0, 53) + ", ") + "resampled");
  Put(data, { 0x0008, 0x2111 }, gdcm::VR::ST, "Resampled by CudaSplineResample");
  Put(data, { 0x0018, 0x0050 }, gdcm::VR::DS, Decimal(grid.spacing[2]));
  Put(data, { 0x0018, 0x0088 }, gdcm::VR::DS, Decimal(grid.spacing[2]));
  Put(data, { 0x0020, 0x000E }, gdcm::VR::UI, series.uid);
  Put(data,
      { 0x0020, 0x0011 },
      gdcm::VR::IS,
      std::to_string((std::strtol(before.c_str(), nullptr, 10) % 1000000) + 1000));
  Put(data, { 0x0020, 0x0013 }, gdcm::VR::IS, std::to_string(slice + 1));
  Put(data, { 0x0020, 0x0032 }, gdcm::VR::DS, Decimals(place));
  const auto & d = grid.direction;
  Put(data,
      { 0x0020, 0x0037 },
      gdcm::VR::DS,
      Decimals(std::array<double, 6>{ d[0][0], d[1][0], d[2][0], d[0][1], d[1][1], d[2][1] }));
  Put(data, { 0x0020, 0x0052 }, gdcm::VR::UI, series.frame);
  Put(data, { 0x0020, 0x1040 }, gdcm::VR::LO, "");
  Put(data, { 0x0020, 0x1041 }, gdcm::VR::DS, Decimal(location));
  PutShort(data, { 0x0028, 0x0002 }, 1);
  Put(data, { 0x0028, 0x0004 }, gdcm::VR::CS, "MONOCHROME2");
  PutShort(data, { 0x0028, 0x0010 }, static_cast<std::uint16_t>(grid.size[1]));
  PutShort(data, { 0x0028, 0x0011 }, static_cast<std::uint16_t>(grid.size[0]));
  Put(data, { 0x0028, 0x0030 }, gdcm::VR::DS, Decimals(std::array<double, 2>{ grid.spacing[1], grid.spacing[0] }));
  PutShort(data, { 0x0028, 0x0100 }, 16);
  PutShort(data, { 0x0028, 0x0101 }, 16);
  PutShort(data, { 0x0028, 0x0102 }, 15);
  PutShort(data, { 0x0028, 0x0103 }, rescale.isSigned ? 1 : 0);
  Put(data, { 0x0028, 0x1052 }, gdcm::VR::DS, Decimal(rescale.intercept));
  Put(data, { 0x0028, 0x1053 }, gdcm::VR::DS, Decimal(rescale.slope));

  const std::size_t  count = grid.size[0] * grid.size[1];
  const auto * const values = static_cast<const double *>(volume.pixels.get()) + slice * count;
  std::string        pixels(2 * count, '\0');
  for (std::size_t pixel = 0; pixel < count; ++pixel)
  {
    const double stored = std::rint((values[pixel] - rescale.intercept) / rescale.slope);
    const auto   bits = static_cast<std::uint16_t>(static_cast<std::int32_t>(
      std::max(rescale.isSigned ? -32768.0 : 0.0, std::min(stored, rescale.isSigned ? 32767.0 : 65535.0))));
    pixels[2 * pixel] = static_cast<char>(bits & 0xFF); // little endian, as in the transfer syntax
    pixels[2 * pixel + 1] = static_cast<char>(bits >> 8);
  }
  Put(data, { 0x7FE0, 0x0010 }, gdcm::VR::OW, pixels);
  writer.GetFile().GetHeader().SetDataSetTransferSyntax(gdcm::TransferSyntax::ExplicitVRLittleEndian);
  writer.SetFileName(file.c_str());
  if (!writer.Write())
  {
    throw ProgramError("the DICOM file \"" + std::filesystem::path(file).filename().string() +
                       "\" could not be written (is the disk full?)");
  }
}

/** Reads a series back and compares it with the volume. */
void
VerifySeries(const Volume & volume, const Rescale & rescale, const std::string & folder)
{
  OpenedImage       read = OpenImage(folder, {});
  const std::string lost = read.grid.size == volume.grid.size ? CompareGeometry(volume.grid, read.grid) : "size";
  if (!lost.empty())
  {
    throw ProgramError("the DICOM series was written but differs when it is read back: its " + lost +
                       " changed; its SOP class may not store positions");
  }
  Volume found = Volume::Allocate(read.grid, read.type);
  ReadPixels(read, 0, found.pixels.get());
  found = found.type == ScalarType::Float64 ? found : CastVolume(found, ScalarType::Float64);
  const auto * const wanted = static_cast<const double *>(volume.pixels.get());
  const auto * const values = static_cast<const double *>(found.pixels.get());
  for (std::size_t voxel = 0; voxel < volume.grid.GetNumberOfVoxels(); ++voxel)
  {
    // Half a step, and the rounding of GDCM's rescaling in single precision.
    const double tolerance = (rescale.slope == 1.0 ? 0.0 : 0.51 * rescale.slope) +
                             1e-6 * std::max(std::abs(wanted[voxel]), std::abs(rescale.intercept));
    if (!(std::abs(values[voxel] - wanted[voxel]) <= tolerance))
    {
      throw ProgramError("the DICOM series was written but differs when it is read back: a value of " +
                         Brief(wanted[voxel]) + " became " + Brief(values[voxel]));
    }
  }
}

/** Returns the current date and time in DICOM format. */
std::pair<std::string, std::string>
DateAndTime()
{
  const std::time_t    now = std::time(nullptr);
  std::tm              parts{};
  std::array<char, 16> date{};
  std::array<char, 16> time{};
  localtime_r(&now, &parts);
  std::strftime(date.data(), date.size(), "%Y%m%d", &parts);
  std::strftime(time.data(), time.size(), "%H%M%S", &parts);
  return { date.data(), time.data() };
}

/** Runs in the child process: reads the elements of a file that are kept, and returns them as a file. */
nlohmann::json
ReadKept(const std::string & file)
{
  const LibraryMessages silence;
  gdcm::Reader          reader;
  reader.SetFileName(file.c_str());
  if (!reader.ReadUpToTag(gdcm::Tag(0x7FE0, 0x0010)))
  {
    throw ProgramError("the DICOM file \"" + file + "\" cannot be read");
  }
  gdcm::TransferSyntax  syntax = reader.GetFile().GetHeader().GetDataSetTransferSyntax();
  const gdcm::DataSet & data = reader.GetFile().GetDataSet();
  gdcm::Writer          writer;
  for (gdcm::DataElement element : data.GetDES())
  {
    if (IsKept(element.GetTag()))
    {
      if (syntax.IsImplicit()) // the value representations are in the dictionary
      {
        element.SetVR(gdcm::DataSetHelper::ComputeVR(reader.GetFile(), data, element.GetTag()));
      }
      writer.GetFile().GetDataSet().Insert(element);
    }
  }
  if (syntax == gdcm::TransferSyntax::ImplicitVRLittleEndian)
  {
    syntax = gdcm::TransferSyntax::ExplicitVRLittleEndian;
  }
  std::ostringstream stream;
  writer.GetFile().GetHeader().SetDataSetTransferSyntax(syntax);
  writer.CheckFileMetaInformationOff();
  writer.SetStream(stream);
  if (!writer.Write())
  {
    throw ProgramError("the patient and study attributes of the DICOM file \"" + file +
                       "\" cannot be copied to the output");
  }
  const std::string bytes = stream.str();
  return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
}

} // namespace

DicomOrigin
ReadDicomOrigin(const std::vector<std::string> & files)
{
  for (const std::string & file : files)
  {
    std::array<char, 132> start{};
    std::error_code       error;
    if (!std::filesystem::is_regular_file(file, error) ||
        !std::ifstream(file, std::ios::binary).read(start.data(), start.size()) ||
        std::memcmp(start.data() + 128, "DICM", 4) != 0)
    {
      continue;
    }
    const double fileBytes = static_cast<double>(std::filesystem::file_size(file, error));
    const auto   bytes =
      ReadInChild(file, fileBytes, [&file] { return ReadKept(file); }).get<std::vector<std::uint8_t>>();
    return { std::string(bytes.begin(), bytes.end()) };
  }
  return {};
}

std::string
FirstDicomName()
{
  return "IM00001.dcm";
}

void
WriteDicomSeries(const Volume & volume, const DicomOrigin & origin, const std::string & folder)
{
  if (*std::max_element(volume.grid.size.begin(), volume.grid.size.begin() + 2) > 65535)
  {
    throw ProgramError("a DICOM slice has at most 65535 rows and columns; the output is " + SizeText(volume.grid));
  }
  const LibraryMessages silence;
  std::istringstream    stream(origin.bytes);
  gdcm::Reader          reader;
  reader.SetStream(stream);
  if (!reader.Read())
  {
    throw ProgramError("the patient and study attributes of the DICOM input cannot be read again");
  }
  gdcm::DataSet kept = reader.GetFile().GetDataSet();
  // The class without "enhanced" has one file per slice.
  const std::string image = "1.2.840.10008.5.1.4.1.1.";
  for (const auto & [enhanced, plain] : { std::pair("2.1", "2"), std::pair("4.1", "4"), std::pair("130", "128") })
  {
    if (TextOf(kept, { 0x0008, 0x0016 }) == image + enhanced)
    {
      Put(kept, { 0x0008, 0x0016 }, gdcm::VR::UI, image + plain);
    }
  }
  gdcm::UIDGenerator generator;
  NewSeries          series;
  series.uid = generator.Generate();
  series.frame = generator.Generate();
  std::tie(series.date, series.time) = DateAndTime();
  const Volume  right = MakeRightHanded(volume);
  const Rescale rescale = ChooseRescale(right);
  for (std::size_t slice = 0; slice < right.grid.size[2]; ++slice)
  {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "IM%05zu.dcm", slice + 1);
    WriteSlice(right, slice, rescale, kept, series, (std::filesystem::path(folder) / name.data()).string());
  }
  VerifySeries(right, rescale, folder);
}

} // namespace CudaSplineProgram
