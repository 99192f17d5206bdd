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
#include "io/formats/DicomSeries.h"

#include "io/formats/DicomGeometry.h"
#include "io/formats/DicomHeader.h"
#include "console/Error.h"
#include "io/volume/GridCheck.h"
#include "process/LibraryMessages.h"
#include "io/volume/PixelType.h"

#include "gdcmMediaStorage.h"
#include "gdcmReader.h"
#include "gdcmTrace.h"
#include "itkGDCMImageIO.h"
#include "itkGDCMSeriesFileNames.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** The series of a folder: UIDs and their files. */
struct Series
{
  std::string              uid;
  std::vector<std::string> files;
};

std::vector<Series>
FindSeries(const std::string & path)
{
  const LibraryMessages messages; // captures remarks on positions, which are checked below with numbers
  const auto            names = itk::GDCMSeriesFileNames::New();
  names->SetUseSeriesDetails(false); // only the UID: differences within a series are reported below
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
  // The search switches off the warnings of GDCM, which report truncated slices.
  gdcm::Trace::WarningOn();
  return all;
}

/** Returns whether a file has the suffix of DICOM files. */
bool
IsDicomName(const std::filesystem::path & file)
{
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".dcm" || ending == ".dicom" || ending == ".ima";
}

/** Throws if a DICOM file of the folder, judged by its beginning or its name, belongs to no series because it is
 * damaged or empty. GDCM omits such slices silently. A file that GDCM reads completely is not an image (a report, a
 * directory) and may be omitted. */
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
    if (!entry.is_regular_file() || known.count(entry.path().filename().string()) > 0 ||
        !(HasDicomPreamble(file) || IsDicomName(entry.path())))
    {
      continue;
    }
    const LibraryMessages messages;
    gdcm::Reader          reader;
    reader.SetFileName(file.c_str());
    if (!reader.Read())
    {
      throw ProgramError("the DICOM file \"" + file +
                         "\" is damaged or truncated; restore it or remove it from the folder");
    }
    // A file that is truncated between two elements of its header looks complete.
    gdcm::MediaStorage storage;
    storage.SetFromFile(reader.GetFile());
    if (gdcm::MediaStorage::IsImage(storage) && !HasPixels(reader.GetFile().GetDataSet()))
    {
      throw ProgramError("the DICOM file \"" + file + "\" is an image (" + storage.GetString() +
                         ") without PixelData (7FE0,0010): it is truncated; restore it or remove it from the folder");
    }
  }
}

/** Returns for example "1.2.3 (24 slices), 1.2.4 (3 slices)". */
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

/** Returns the series that the user has chosen. */
Series
ChooseSeries(const std::string & path, const SeriesChoice & choice)
{
  const std::vector<Series> all = FindSeries(path);
  CheckLeftOut(path, all);
  if (all.empty())
  {
    throw ProgramError("the folder \"" + path +
                       "\" does not contain a DICOM series; name an image file or a folder of DICOM files");
  }
  if (!choice.uid.empty())
  {
    const auto found =
      std::find_if(all.begin(), all.end(), [&](const Series & series) { return series.uid == choice.uid; });
    if (found == all.end())
    {
      throw ProgramError("the folder \"" + path + "\" does not contain the series " + choice.uid + "; it contains " +
                         Enumerate(all));
    }
    return *found;
  }
  const auto largest = std::max_element(
    all.begin(), all.end(), [](const Series & a, const Series & b) { return a.files.size() < b.files.size(); });
  if (all.size() > 1)
  {
    const std::string text =
      "the folder \"" + path + "\" contains " + std::to_string(all.size()) + " DICOM series: " + Enumerate(all);
    if (!choice.force)
    {
      throw ProgramError(text + "; choose one with --series UID, or use --force to read the one with the most files");
    }
    Warn(text + "; the series with the most files is read: " + largest->uid + " (--series chooses another)");
  }
  return *largest;
}

/** Returns for example "0.5\\0.5". */
std::string
SpacingText(const std::array<double, 2> & spacing)
{
  return Brief(spacing[0]) + "\\" + Brief(spacing[1]);
}

/** Describes why a file is only read with --force: missing information on the position of its frames, and features that
 * are not supported. Empty if there are none. */
std::string
FindObstacles(const DicomHeader & header)
{
  std::string missing;
  const auto  add = [&missing](const std::string & text) { missing += (missing.empty() ? "" : "; ") + text; };
  const auto  countWithout = [&header](const auto & has) {
    return std::count_if(
      header.planes.begin(), header.planes.end(), [&has](const DicomPlane & plane) { return !has(plane); });
  };
  const auto of = [&header](std::ptrdiff_t count) {
    return header.planes.size() == 1
             ? std::string(" is missing")
             : " is missing for " + std::to_string(count) + " of " + std::to_string(header.planes.size()) + " frames";
  };
  if (const auto count = countWithout([](const DicomPlane & plane) { return plane.pixelSpacing.has_value(); }))
  {
    add("PixelSpacing (0028,0030)" + of(count) +
        (header.detectorSpacing
           ? " (--force takes " + SpacingText(*header.detectorSpacing) + " mm, which is at the detector)"
           : " (--force takes 1 mm)"));
  }
  if (const auto count = countWithout([](const DicomPlane & plane) { return plane.orientation.has_value(); }))
  {
    add("ImageOrientationPatient (0020,0037)" + of(count) + " (--force takes an axial plane)");
  }
  if (const auto count = countWithout([](const DicomPlane & plane) { return plane.position.has_value(); }))
  {
    const double step = header.thickness > 0.0 ? header.thickness : 1.0;
    add("ImagePositionPatient (0020,0032)" + of(count) +
        (header.planes.size() == 1 ? " (--force takes 0)"
                                   : " (--force takes steps of " + Brief(step) + " mm in the order of the frames)"));
  }
  if (header.isDose && !header.planes.front().rescale)
  {
    add("DoseGridScaling (3004,000E) is missing (--force takes 1)");
  }
  if (!header.mosaic.empty())
  {
    add("ImageType (0008,0008) is \"" + OneLine(header.mosaic) +
        "\": slices are tiles of a single picture; dcm2niix converts it (--force takes the picture as a slice)");
  }
  if (header.hasTable)
  {
    add("ModalityLUTSequence (0028,3000) has the values in a table, which is not applied (--force takes the stored "
        "numbers)");
  }
  return missing;
}

/** Returns the slices of a file, one for each frame. Missing information is filled in: the caller has checked
 * FindObstacles(). */
std::vector<DicomSlice>
SlicesOf(const DicomHeader & header, const itk::ImageIOBase & io, const std::string & file)
{
  const std::array<double, 2> spacing = header.detectorSpacing.value_or(std::array<double, 2>{ 1.0, 1.0 });
  const double                thickness = header.thickness > 0.0 ? header.thickness : 1.0;
  std::vector<DicomSlice>     slices;
  for (std::size_t frame = 0; frame < header.planes.size(); ++frame)
  {
    const DicomPlane &          plane = header.planes[frame];
    const std::array<double, 2> found = plane.pixelSpacing.value_or(spacing);
    const std::array<double, 6> o = plane.orientation.value_or(std::array<double, 6>{ 1, 0, 0, 0, 1, 0 });
    const Coordinates normal{ o[1] * o[5] - o[2] * o[4], o[2] * o[3] - o[0] * o[5], o[0] * o[4] - o[1] * o[3] };
    DicomSlice        slice;
    slice.file = file;
    slice.frame = frame;
    slice.tilt = header.tilt;
    slice.type = TypeOfHeader(io, file);
    slice.grid.size = { io.GetDimensions(0), io.GetDimensions(1), 1 };
    slice.grid.spacing = { found[1], found[0], thickness };
    for (std::size_t row = 0; row < 3; ++row)
    {
      slice.grid.direction[row] = { o[row], o[3 + row], normal[row] };
    }
    const Coordinates first = header.planes.front().position.value_or(Coordinates{ 0.0, 0.0, 0.0 });
    const double      step = header.sliceSpacing != 0.0 ? header.sliceSpacing : thickness;
    for (std::size_t row = 0; row < 3; ++row)
    {
      slice.grid.origin[row] =
        plane.position ? (*plane.position)[row] : first[row] + static_cast<double>(frame) * step * normal[row];
    }
    const std::string why = WhyNoGeometry(slice.grid);
    if (!why.empty())
    {
      throw ProgramError("the DICOM file \"" + file + "\" " + why);
    }
    slices.push_back(slice);
  }
  return slices;
}

/** Warns or throws, depending on the user's choice. */
void
Judge(const std::string & which, const std::string & problems, const SeriesChoice & choice)
{
  if (problems.empty())
  {
    return;
  }
  if (!choice.force)
  {
    throw ProgramError(which + " is refused: " + problems);
  }
  if (!choice.isQuiet)
  {
    Warn(which + ": " + problems);
  }
}

std::string
Join(const std::vector<std::string> & problems)
{
  std::string text;
  for (const std::string & problem : problems)
  {
    text += (text.empty() ? "" : "; ") + problem;
  }
  return text;
}

/** Returns ITK's description of a file: type and number of its pixels. GDCM's remarks on geometry are ignored, because
 * it is computed from the elements. */
itk::GDCMImageIO::Pointer
OpenByItk(const std::string & file, const DicomHeader & header)
{
  LibraryMessages                 messages;
  const itk::GDCMImageIO::Pointer io = itk::GDCMImageIO::New();
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
  const std::size_t frames = io->GetNumberOfDimensions() > 2 ? io->GetDimensions(2) : 1;
  if (frames != header.planes.size())
  {
    throw ProgramError("the DICOM file \"" + file + "\" has " + std::to_string(frames) +
                       " frames of pixels, but NumberOfFrames (0028,0008) is " + std::to_string(header.planes.size()));
  }
  return io;
}

/** Returns whether ITK's reader has the correct values of all frames. It applies one slope and intercept to all of
 * them, and inverts MONOCHROME1, which defines the display of values, not their meaning. */
bool
HasValuesOfItk(const DicomHeader & header, const itk::GDCMImageIO & io)
{
  const auto isNear = [](double wanted, double found) { return std::abs(wanted - found) <= 1e-9 * std::abs(wanted); };
  return !header.isInverted && std::all_of(header.planes.begin(), header.planes.end(), [&](const DicomPlane & plane) {
    return !plane.rescale || (isNear(plane.rescale->slope, io.GetRescaleSlope()) &&
                              isNear(plane.rescale->intercept, io.GetRescaleIntercept()));
  });
}

/** Returns the slice of a file of a series.
 *
 * \param[in,out] obstacles the obstacles of the first file that has some */
DicomSlice
DescribeSlice(const std::string & file, const SeriesChoice & choice, std::string & obstacles)
{
  const DicomHeader header = ReadDicomHeader(file);
  const std::string ofFile = FindObstacles(header);
  if (!ofFile.empty() && obstacles.empty())
  {
    obstacles = "in \"" + file + "\" " + ofFile;
    if (!choice.force)
    {
      throw ProgramError("the DICOM series is refused: " + obstacles);
    }
  }
  const itk::GDCMImageIO::Pointer io = OpenByItk(file, header);
  if (io->GetNumberOfComponents() != 1)
  {
    throw ProgramError("the DICOM file \"" + file + "\" has " + std::to_string(io->GetNumberOfComponents()) +
                       " components per pixel; a series must have one component per pixel");
  }
  DicomSlice slice = SlicesOf(header, *io, file).front();
  slice.grid.size[2] = header.planes.size();
  if (!HasValuesOfItk(header, *io))
  {
    slice.rescale = header.planes.front().rescale.value_or(DicomRescale{});
    slice.type = ScalarType::Float64;
  }
  slice.isMask = header.isMask;
  return slice;
}

/** Returns the smallest type that represents all values of all slices, which may have different rescaling. */
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

OpenedImage
DescribeDicomFile(const std::string & path, const SeriesChoice & choice)
{
  const DicomHeader header = ReadDicomHeader(path);
  const std::string which = "the DICOM file \"" + path + "\"";
  Judge(which, FindObstacles(header), choice); // before GDCM ends the process because of it
  const itk::GDCMImageIO::Pointer io = OpenByItk(path, header);
  std::vector<DicomSlice>         slices = SlicesOf(header, *io, path);
  SortByPosition(slices);
  const std::string why = WhyNoVolume(slices);
  if (!why.empty())
  {
    throw ProgramError(which + " cannot be one volume: " + why);
  }
  const std::string irregular = Join(FindIrregularities(slices));
  Judge(which, irregular.empty() ? irregular : irregular + " (--force takes even spacing without shear)", choice);

  OpenedImage image;
  image.path = path;
  image.io = io.GetPointer();
  image.grid = GridOfSlices(slices);
  image.layout = LayoutOfHeader(*io);
  image.layout.isSeries = false;
  image.layout.volumes = 1;
  image.type = TypeOfHeader(*io, path);
  const bool isOfItk = HasValuesOfItk(header, *io);
  for (const DicomSlice & slice : slices)
  {
    DicomFrame frame;
    frame.number = slice.frame;
    frame.isMask = header.isMask;
    if (!isOfItk)
    {
      frame.rescale = header.planes[slice.frame].rescale.value_or(DicomRescale{});
    }
    image.frames.push_back(frame);
  }
  if (!isOfItk)
  {
    if (image.layout.components != 1)
    {
      throw ProgramError(which + " has " + std::to_string(image.layout.components) +
                         " components per pixel, which are rescaled or inverted (MONOCHROME1); this is supported only "
                         "for one component per pixel");
    }
    image.type = ScalarType::Float64;
  }
  return image;
}

OpenedImage
DescribeDicomFolder(const std::string & path, const SeriesChoice & choice)
{
  const Series series = ChooseSeries(path, choice);
  if (series.files.size() == 1)
  {
    OpenedImage image = DescribeDicomFile(series.files.front(), choice);
    image.path = path;
    image.slices = series.files;
    return image;
  }
  std::vector<DicomSlice> slices;
  std::string             obstacles;
  for (const std::string & file : series.files)
  {
    slices.push_back(DescribeSlice(file, choice, obstacles));
  }
  SortByPosition(slices);
  const std::string which = "the DICOM series " + series.uid + " in \"" + path + "\"";
  const std::string why = WhyNoVolume(slices);
  if (!why.empty())
  {
    throw ProgramError(which + " cannot be one volume: " + why);
  }
  Judge(which, obstacles, choice);
  const std::string problems = Join(FindIrregularities(slices));
  if (!problems.empty())
  {
    if (!choice.force)
    {
      throw ProgramError(which + " is refused: " + problems + "; --force reads it as evenly spaced, without shear");
    }
    Warn(which + " is read as evenly spaced, without shear: " + problems);
  }

  OpenedImage description;
  description.path = path;
  description.grid = GridOfSlices(slices);
  description.type = CommonType(slices);
  for (const DicomSlice & slice : slices)
  {
    description.slices.push_back(slice.file);
    description.frames.push_back({ 0, slice.rescale, slice.isMask });
  }
  return description;
}

} // namespace CudaSplineProgram
