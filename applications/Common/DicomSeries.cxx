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
#include "DicomSeries.h"

#include "DicomGeometry.h"
#include "Error.h"
#include "ImageReading.h"
#include "LibraryMessages.h"
#include "PixelType.h"

#include "gdcmReader.h"
#include "gdcmTrace.h"
#include "itkGDCMImageIO.h"
#include "itkGDCMSeriesFileNames.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace CudaSplineProgram
{

namespace
{

/** A file that remembers whether it ended within what was asked of it. */
class WatchedFile : public std::filebuf
{
public:
  bool
  EndedWithinAValue() const
  {
    return m_EndedWithinAValue;
  }

protected:
  std::streamsize
  xsgetn(char * text, std::streamsize count) override
  {
    const std::streamsize read = std::filebuf::xsgetn(text, count);
    // Up to four bytes: the parser looks for one more tag, which is how it finds the end of a file.
    m_EndedWithinAValue = m_EndedWithinAValue || (read < count && count > 4);
    return read;
  }

private:
  bool m_EndedWithinAValue{ false };
};

/** The series of a folder: UIDs and their files. */
struct Series
{
  std::string              uid;
  std::vector<std::string> files;
};

std::vector<Series>
FindSeries(const std::string & path)
{
  const LibraryMessages messages; // remarks on positions, which are judged below with the numbers
  const auto            names = itk::GDCMSeriesFileNames::New();
  names->SetUseSeriesDetails(false); // the UID alone: differences within a series are found and named below
  names->SetRecursive(false);
  names->SetInputDirectory(path);
  std::vector<Series> all;
  for (const std::string & uid : names->GetSeriesUIDs())
  {
    Series series{ uid, names->GetFileNames(uid) };
    if (!series.files.empty())
    {
      all.push_back(series);
    }
  }
  // Finding series switches GDCM's warnings off; they tell of slices that are cut short.
  gdcm::Trace::WarningOn();
  return all;
}

/** Throws where a DICOM file of the folder belongs to no series because it is damaged: GDCM leaves such slices out in
 * silence. What GDCM can read in full is no image (a report, a directory) and may stay out. */
void
CheckLeftOut(const std::string & path, const std::vector<Series> & all)
{
  std::set<std::string> known;
  for (const Series & series : all)
  {
    for (const std::string & file : series.files)
    {
      known.insert(std::filesystem::path(file).filename().string());
    }
  }
  for (const std::filesystem::directory_entry & entry : std::filesystem::directory_iterator(path))
  {
    const std::string file = entry.path().string();
    char              start[132] = {};
    if (!entry.is_regular_file() || known.count(entry.path().filename().string()) > 0 ||
        !std::ifstream(file, std::ios::binary).read(start, sizeof(start)) || std::memcmp(start + 128, "DICM", 4) != 0)
    {
      continue;
    }
    const LibraryMessages messages;
    gdcm::Reader          reader;
    reader.SetFileName(file.c_str());
    if (!reader.Read())
    {
      throw ProgramError("the DICOM file \"" + file +
                         "\" is damaged or cut short; restore it or take it out of the folder");
    }
  }
}

/** "1.2.3 (24 slices), 1.2.4 (3 slices)" */
std::string
Enumerate(const std::vector<Series> & all)
{
  std::string text;
  for (const Series & series : all)
  {
    text += (text.empty() ? "" : ", ") + series.uid + " (" + std::to_string(series.files.size()) +
            (series.files.size() == 1 ? " file)" : " files)");
  }
  return text;
}

/** The series to read, by the user's choice. */
Series
ChooseSeries(const std::string & path, const SeriesChoice & choice)
{
  const std::vector<Series> all = FindSeries(path);
  CheckLeftOut(path, all);
  if (all.empty())
  {
    throw ProgramError("the folder \"" + path +
                       "\" holds no DICOM series; name an image file or a folder of DICOM files");
  }
  if (!choice.uid.empty())
  {
    const auto found =
      std::find_if(all.begin(), all.end(), [&](const Series & series) { return series.uid == choice.uid; });
    if (found == all.end())
    {
      throw ProgramError("the folder \"" + path + "\" holds no series " + choice.uid + "; there are " + Enumerate(all));
    }
    return *found;
  }
  const auto largest = std::max_element(
    all.begin(), all.end(), [](const Series & a, const Series & b) { return a.files.size() < b.files.size(); });
  if (all.size() > 1)
  {
    const std::string text =
      "the folder \"" + path + "\" holds " + std::to_string(all.size()) + " DICOM series: " + Enumerate(all);
    if (!choice.force)
    {
      throw ProgramError(text + "; choose one by --series UID, or let --force take the one with most files");
    }
    Warn(text + "; taken is " + largest->uid);
  }
  return *largest;
}

/** Reads the header of one file. */
DicomSlice
DescribeSlice(const std::string & file)
{
  LibraryMessages messages;
  const auto      io = itk::GDCMImageIO::New();
  try
  {
    io->SetFileName(file);
    io->ReadImageInformation();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("cannot read the DICOM file \"" + file + "\": " + TextOf(exception));
  }
  CheckComplete(messages.Take(), file);
  CheckDicomLength(file);
  DicomSlice slice;
  slice.file = file;
  slice.grid = GridOfHeader(*io, file);
  slice.type = TypeOfHeader(*io, file);
  if (io->GetNumberOfComponents() != 1)
  {
    throw ProgramError("the DICOM file \"" + file + "\" has " + std::to_string(io->GetNumberOfComponents()) +
                       " components a pixel; in a series scalar pixels (one number each) are allowed");
  }
  itk::ExposeMetaData<std::string>(io->GetMetaDataDictionary(), "0018|1120", slice.tilt);
  return slice;
}

/** The smallest type that has every value of all slices: rescaling may give each its own. */
ScalarType
CommonType(const std::vector<DicomSlice> & slices)
{
  for (const ScalarType type : { ScalarType::UInt8,
                                 ScalarType::Int8,
                                 ScalarType::UInt16,
                                 ScalarType::Int16,
                                 ScalarType::UInt32,
                                 ScalarType::Int32,
                                 ScalarType::Float32 })
  {
    if (std::all_of(
          slices.begin(), slices.end(), [&](const DicomSlice & slice) { return HoldsAllValues(slice.type, type); }))
    {
      return type;
    }
  }
  return ScalarType::Float64;
}

} // namespace

void
CheckDicomLength(const std::string & path)
{
  const LibraryMessages messages;
  WatchedFile           file;
  file.open(path, std::ios::in | std::ios::binary);
  std::istream stream(&file);
  gdcm::Reader reader;
  reader.SetStream(stream);
  if (!reader.Read() || file.EndedWithinAValue())
  {
    throw ProgramError("the DICOM file \"" + path + "\" is damaged or cut short: it ends within its data");
  }
}

ImageDescription
DescribeDicomFolder(const std::string & path, const SeriesChoice & choice)
{
  const Series            series = ChooseSeries(path, choice);
  std::vector<DicomSlice> slices;
  for (const std::string & file : series.files)
  {
    slices.push_back(DescribeSlice(file));
  }
  SortByPosition(slices);
  const std::string which = "the DICOM series " + series.uid + " in \"" + path + "\"";
  const std::string why = WhyNoVolume(slices);
  if (!why.empty())
  {
    throw ProgramError(which + " is no volume: " + why);
  }
  std::string problems;
  for (const std::string & problem : FindIrregularities(slices))
  {
    problems += (problems.empty() ? "" : "; ") + problem;
  }
  if (!problems.empty())
  {
    if (!choice.force)
    {
      throw ProgramError(which + " is refused: " + problems + "; --force reads it as evenly spaced, without shear");
    }
    Warn(which + " is read as evenly spaced, without shear: " + problems);
  }

  ImageDescription description;
  description.path = path;
  description.grid = GridOfSlices(slices);
  description.type = CommonType(slices);
  for (const DicomSlice & slice : slices)
  {
    description.slices.push_back(slice.file);
  }
  return description;
}

void
ReadDicomSlices(ImageDescription & description, const Volume & volume)
{
  Grid              sliceGrid = description.grid;
  const std::size_t count = description.slices.size();
  sliceGrid.size[2] = count > 1 ? 1 : description.grid.size[2];
  const std::size_t bytes = volume.GetNumberOfBytes() / count;
  LibraryMessages   messages;
  for (std::size_t slice = 0; slice < count; ++slice)
  {
    const auto io = itk::GDCMImageIO::New();
    try
    {
      io->SetFileName(description.slices[slice]);
      io->ReadImageInformation();
      Volume pixels = Volume::Allocate(sliceGrid, TypeOfHeader(*io, description.slices[slice]));
      io->Read(pixels.pixels.get());
      pixels = pixels.type == volume.type ? pixels : CastVolume(pixels, volume.type);
      std::memcpy(static_cast<char *>(volume.pixels.get()) + slice * bytes, pixels.pixels.get(), bytes);
    }
    catch (const itk::ExceptionObject & exception)
    {
      throw ProgramError("cannot read the DICOM file \"" + description.slices[slice] + "\": " + TextOf(exception));
    }
  }
  description.messages += messages.Take();
}

} // namespace CudaSplineProgram
