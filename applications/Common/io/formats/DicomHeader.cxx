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
#include "io/formats/DicomHeader.h"

#include "console/Error.h"
#include "process/LibraryMessages.h"
#include "console/Numbers.h"

#include "gdcmAttribute.h"
#include "gdcmReader.h"
#include "gdcmSequenceOfItems.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace CudaSplineProgram
{

namespace
{

/** A file that records whether it ended during a read. */
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
    // The parser may read up to four bytes beyond the end: it finds the end when it looks for another tag.
    m_EndedWithinAValue = m_EndedWithinAValue || (read < count && count > 4);
    return read;
  }

private:
  bool m_EndedWithinAValue{ false };
};

struct Element
{
  gdcm::Tag    tag;
  const char * name;
};

const Element imagePosition{ { 0x0020, 0x0032 }, "ImagePositionPatient (0020,0032)" };
const Element imageOrientation{ { 0x0020, 0x0037 }, "ImageOrientationPatient (0020,0037)" };
const Element pixelSpacing{ { 0x0028, 0x0030 }, "PixelSpacing (0028,0030)" };
const Element imagerPixelSpacing{ { 0x0018, 0x1164 }, "ImagerPixelSpacing (0018,1164)" };
const Element nominalPixelSpacing{ { 0x0018, 0x2010 }, "NominalScannedPixelSpacing (0018,2010)" };
const Element sliceThickness{ { 0x0018, 0x0050 }, "SliceThickness (0018,0050)" };
const Element spacingBetweenSlices{ { 0x0018, 0x0088 }, "SpacingBetweenSlices (0018,0088)" };
const Element numberOfFrames{ { 0x0028, 0x0008 }, "NumberOfFrames (0028,0008)" };
const Element rescaleIntercept{ { 0x0028, 0x1052 }, "RescaleIntercept (0028,1052)" };
const Element rescaleSlope{ { 0x0028, 0x1053 }, "RescaleSlope (0028,1053)" };
const Element gridFrameOffsets{ { 0x3004, 0x000C }, "GridFrameOffsetVector (3004,000C)" };
const Element doseGridScaling{ { 0x3004, 0x000E }, "DoseGridScaling (3004,000E)" };
const Element gantryTilt{ { 0x0018, 0x1120 }, "GantryDetectorTilt (0018,1120)" };
const Element sopClass{ { 0x0008, 0x0016 }, "SOPClassUID (0008,0016)" };
const Element imageType{ { 0x0008, 0x0008 }, "ImageType (0008,0008)" };
const Element photometricInterpretation{ { 0x0028, 0x0004 }, "PhotometricInterpretation (0028,0004)" };

/** For integers, float and double. */
const gdcm::Tag pixelData[] = { { 0x7FE0, 0x0010 }, { 0x7FE0, 0x0008 }, { 0x7FE0, 0x0009 } };

const gdcm::Tag sharedGroups(0x5200, 0x9229);
const gdcm::Tag groupsOfFrames(0x5200, 0x9230);
const gdcm::Tag planePosition(0x0020, 0x9113);
const gdcm::Tag planeOrientation(0x0020, 0x9116);
const gdcm::Tag pixelMeasures(0x0028, 0x9110);
const gdcm::Tag valueTransformation(0x0028, 0x9145);
const gdcm::Tag detectorInformation(0x0054, 0x0022);
const gdcm::Tag modalityTable(0x0028, 0x3000);

/** Returns the text of an element without padding. Empty if it is missing. */
std::string
TextOfElement(const gdcm::DataSet & data, const Element & element)
{
  if (!data.FindDataElement(element.tag))
  {
    return {};
  }
  const auto * const value = data.GetDataElement(element.tag).GetByteValue();
  if (value == nullptr || value->GetPointer() == nullptr)
  {
    return {};
  }
  std::string text(value->GetPointer(), value->GetLength());
  const auto  first = text.find_first_not_of(std::string(" \0", 2));
  const auto  last = text.find_last_not_of(std::string(" \0", 2));
  return first == std::string::npos ? std::string() : text.substr(first, last + 1 - first);
}

[[noreturn]] void
Refuse(const std::string & path, const Element & element, const std::string & text, const std::string & rule)
{
  constexpr std::size_t most = 120;
  throw ProgramError("the DICOM file \"" + path + "\" has " + element.name + " \"" +
                     (text.size() > most ? text.substr(0, most) + "..." : text) + "\"; " + rule);
}

/** Returns the decimal numbers of an element. Empty if it is missing. */
std::vector<double>
NumbersOf(const gdcm::DataSet & data, const Element & element, const std::string & path, std::size_t count)
{
  const std::string   text = TextOfElement(data, element);
  std::vector<double> numbers;
  std::istringstream  words(text);
  for (std::string word; std::getline(words, word, '\\');)
  {
    const auto                  first = word.find_first_not_of(' ');
    const auto                  last = word.find_last_not_of(' ');
    const std::optional<double> number =
      first == std::string::npos ? std::nullopt : ParseNumber(word.substr(first, last + 1 - first));
    if (!number || !std::isfinite(*number))
    {
      Refuse(path, element, text, "finite numbers are allowed");
    }
    numbers.push_back(*number);
  }
  if (!numbers.empty() && count != 0 && numbers.size() != count)
  {
    Refuse(path, element, text, std::to_string(count) + " numbers are allowed");
  }
  return numbers;
}

/** Returns a single number. */
std::optional<double>
NumberOf(const gdcm::DataSet & data, const Element & element, const std::string & path)
{
  const std::vector<double> numbers = NumbersOf(data, element, path, 1);
  return numbers.empty() ? std::nullopt : std::optional<double>(numbers.front());
}

std::optional<std::array<double, 2>>
SpacingOf(const gdcm::DataSet & data, const Element & element, const std::string & path)
{
  const std::vector<double> numbers = NumbersOf(data, element, path, 2);
  if (numbers.empty())
  {
    return std::nullopt;
  }
  if (!(numbers[0] > 0.0 && numbers[1] > 0.0))
  {
    Refuse(path, element, TextOfElement(data, element), "numbers above 0 are allowed");
  }
  return std::array<double, 2>{ numbers[0], numbers[1] };
}

/** Returns orthogonal unit vectors, up to the precision of the file. */
std::optional<std::array<double, 6>>
OrientationOf(const gdcm::DataSet & data, const std::string & path)
{
  const std::vector<double> numbers = NumbersOf(data, imageOrientation, path, 6);
  if (numbers.empty())
  {
    return std::nullopt;
  }
  constexpr double      tolerance = 1e-2;
  const double          row = std::hypot(numbers[0], numbers[1], numbers[2]);
  const double          column = std::hypot(numbers[3], numbers[4], numbers[5]);
  const double          product = numbers[0] * numbers[3] + numbers[1] * numbers[4] + numbers[2] * numbers[5];
  std::array<double, 6> cosines{};
  if (std::abs(row - 1.0) > tolerance || std::abs(column - 1.0) > tolerance || std::abs(product) > tolerance)
  {
    Refuse(
      path, imageOrientation, TextOfElement(data, imageOrientation), "two unit vectors at right angles are allowed");
  }
  for (std::size_t index = 0; index < cosines.size(); ++index)
  {
    cosines[index] = numbers[index] / (index < 3 ? row : column);
  }
  return cosines;
}

using Sequence = gdcm::SmartPointer<gdcm::SequenceOfItems>;

/** Returns a sequence, which is parsed if the file has no value representations. Null if it is missing. */
Sequence
SequenceOf(const gdcm::DataSet & data, const gdcm::Tag & tag)
{
  return data.FindDataElement(tag) ? data.GetDataElement(tag).GetValueAsSQ() : Sequence();
}

/** Calls a function with an item of a sequence, if it exists. */
template <typename TUse>
void
UseItem(const Sequence & sequence, std::size_t item, const TUse & use)
{
  if (sequence != nullptr && item < sequence->GetNumberOfItems())
  {
    use(sequence->GetItem(item + 1).GetNestedDataSet());
  }
}

/** Reads the data of a plane from a data set. */
void
AddElements(const gdcm::DataSet & data, const std::string & path, DicomPlane & plane)
{
  const std::vector<double> position = NumbersOf(data, imagePosition, path, 3);
  if (!position.empty())
  {
    plane.position = Coordinates{ position[0], position[1], position[2] };
  }
  if (const auto orientation = OrientationOf(data, path))
  {
    plane.orientation = orientation;
  }
  if (const auto spacing = SpacingOf(data, pixelSpacing, path))
  {
    plane.pixelSpacing = spacing;
  }
}

/** Reads slope and intercept. */
void
AddRescale(const gdcm::DataSet & data, const std::string & path, DicomPlane & plane)
{
  const std::optional<double> slope = NumberOf(data, rescaleSlope, path);
  const std::optional<double> intercept = NumberOf(data, rescaleIntercept, path);
  if (slope && *slope == 0.0)
  {
    Refuse(path, rescaleSlope, TextOfElement(data, rescaleSlope), "a number other than 0 is allowed");
  }
  if (slope || intercept)
  {
    plane.rescale = DicomRescale{ slope.value_or(1.0), intercept.value_or(0.0) };
  }
}

/** Reads the data of a plane from the functional groups of an enhanced object. */
void
AddGroups(const gdcm::DataSet & groups, const std::string & path, DicomHeader & header, DicomPlane & plane)
{
  for (const gdcm::Tag & tag : { planePosition, planeOrientation, pixelMeasures })
  {
    UseItem(SequenceOf(groups, tag), 0, [&](const gdcm::DataSet & item) {
      AddElements(item, path, plane);
      const double thickness = NumberOf(item, sliceThickness, path).value_or(0.0);
      header.sliceSpacing = NumberOf(item, spacingBetweenSlices, path).value_or(header.sliceSpacing);
      header.thickness = thickness > 0.0 ? thickness : header.thickness;
    });
  }
  UseItem(
    SequenceOf(groups, valueTransformation), 0, [&](const gdcm::DataSet & item) { AddRescale(item, path, plane); });
}

/** Reads the positions of the planes of RT Dose: relative to the first one along the normal, or z in patient
 * coordinates. */
void
AddOffsets(const gdcm::DataSet & data, const std::string & path, DicomHeader & header)
{
  const std::string         text = TextOfElement(data, gridFrameOffsets);
  const std::vector<double> offsets = NumbersOf(data, gridFrameOffsets, path, 0);
  const DicomPlane          first = header.planes.front();
  if (offsets.empty() || !first.position || !first.orientation)
  {
    return;
  }
  if (offsets.size() != header.planes.size())
  {
    Refuse(path,
           gridFrameOffsets,
           text,
           std::to_string(header.planes.size()) + " numbers are allowed, one a frame; there are " +
             std::to_string(offsets.size()));
  }
  const auto &      o = *first.orientation;
  const Coordinates normal{ o[1] * o[5] - o[2] * o[4], o[2] * o[3] - o[0] * o[5], o[0] * o[4] - o[1] * o[3] };
  const bool        isRelative = offsets.front() == 0.0;
  constexpr double  tolerance = 1e-3;
  if (!isRelative &&
      (std::abs((*first.position)[2] - offsets.front()) > tolerance || std::abs(normal[2]) < 1 - tolerance))
  {
    Refuse(path,
           gridFrameOffsets,
           text,
           "it has to begin with 0, or, for transverse planes, with the third number of ImagePositionPatient, " +
             Brief((*first.position)[2]));
  }
  for (std::size_t frame = 0; frame < offsets.size(); ++frame)
  {
    Coordinates position = *first.position;
    if (isRelative)
    {
      for (std::size_t row = 0; row < 3; ++row)
      {
        position[row] += offsets[frame] * normal[row];
      }
    }
    else
    {
      position[2] = offsets[frame];
    }
    header.planes[frame].position = position;
  }
}

DicomHeader
HeaderOf(const gdcm::DataSet & data, const std::string & path)
{
  constexpr double mostFrames = 1e6;
  DicomHeader      header;
  const double     frames = NumberOf(data, numberOfFrames, path).value_or(1.0);
  if (!(frames >= 1.0 && frames <= mostFrames) || frames != std::floor(frames))
  {
    Refuse(path, numberOfFrames, TextOfElement(data, numberOfFrames), "1 to 1000000 are allowed");
  }
  header.tilt = TextOfElement(data, gantryTilt);
  header.sliceSpacing = NumberOf(data, spacingBetweenSlices, path).value_or(0.0);
  header.thickness = NumberOf(data, sliceThickness, path).value_or(0.0);
  header.isDose = TextOfElement(data, sopClass) == "1.2.840.10008.5.1.4.1.1.481.2";
  header.detectorSpacing = SpacingOf(data, imagerPixelSpacing, path);
  if (!header.detectorSpacing)
  {
    header.detectorSpacing = SpacingOf(data, nominalPixelSpacing, path);
  }
  const std::string type = TextOfElement(data, imageType);
  header.mosaic = type.find("MOSAIC") == std::string::npos ? std::string() : type;
  header.hasTable = data.FindDataElement(modalityTable);
  header.isInverted = TextOfElement(data, photometricInterpretation) == "MONOCHROME1";
  gdcm::Attribute<0x0028, 0x0100> bitsAllocated;
  bitsAllocated.SetFromDataSet(data);
  header.isMask = bitsAllocated.GetValue() == 1;
  DicomPlane all;
  UseItem(SequenceOf(data, detectorInformation), 0, [&](const gdcm::DataSet & item) { // of nuclear medicine
    AddElements(item, path, all);
  });
  AddElements(data, path, all);
  AddRescale(data, path, all);
  if (header.isDose)
  {
    all.rescale = std::nullopt;
    if (const std::optional<double> scaling = NumberOf(data, doseGridScaling, path))
    {
      all.rescale = DicomRescale{ *scaling, 0.0 };
    }
  }
  UseItem(SequenceOf(data, sharedGroups), 0, [&](const gdcm::DataSet & item) { AddGroups(item, path, header, all); });
  header.planes.assign(static_cast<std::size_t>(frames), all);
  if (header.isDose)
  {
    AddOffsets(data, path, header);
  }
  const Sequence groups = SequenceOf(data, groupsOfFrames);
  const bool     hasOffsets = header.isDose && !TextOfElement(data, gridFrameOffsets).empty();
  for (std::size_t frame = 0; frame < header.planes.size(); ++frame)
  {
    if (groups == nullptr && !hasOffsets && frame > 0)
    {
      header.planes[frame].position = std::nullopt; // it is the position of the first frame
    }
    UseItem(groups, frame, [&](const gdcm::DataSet & item) { AddGroups(item, path, header, header.planes[frame]); });
  }
  if (header.sliceSpacing != 0.0)
  {
    header.thickness = std::abs(header.sliceSpacing);
  }
  return header;
}

} // namespace

bool
HasDicomPreamble(const std::string & path)
{
  constexpr std::streamoff preamble = 128;
  char                     letters[4] = {};
  std::ifstream            stream(path, std::ios::binary);
  return stream.seekg(preamble) && stream.read(letters, sizeof(letters)) && std::string(letters, 4) == "DICM";
}

bool
HasPixels(const gdcm::DataSet & data)
{
  return std::any_of(
    std::begin(pixelData), std::end(pixelData), [&data](const gdcm::Tag & tag) { return data.FindDataElement(tag); });
}

DicomHeader
ReadDicomHeader(const std::string & path)
{
  const LibraryMessages messages;
  WatchedFile           file;
  file.open(path, std::ios::in | std::ios::binary);
  std::istream stream(&file);
  gdcm::Reader reader;
  reader.SetStream(stream);
  const bool isRead = reader.Read();
  // Deflated data are read in blocks, of which the last one is rarely complete. zlib finds their end.
  const bool isDeflated =
    reader.GetFile().GetHeader().GetDataSetTransferSyntax() == gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian;
  if (!isRead || (file.EndedWithinAValue() && !isDeflated))
  {
    throw ProgramError("the DICOM file \"" + path + "\" is damaged or truncated: it ends within its data");
  }
  const gdcm::DataSet & data = reader.GetFile().GetDataSet();
  if (!HasPixels(data))
  {
    throw ProgramError("the DICOM file \"" + path + "\" is not an image: it has no PixelData (7FE0,0010)");
  }
  return HeaderOf(data, path);
}

} // namespace CudaSplineProgram
