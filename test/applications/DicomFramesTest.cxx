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
#include "StoredFormats.h"

#include <algorithm>
#include <sstream>

/** \file
 * \brief DICOM files whose frames have their own positions (enhanced objects, RT Dose), or none. Frames are sorted and
 * measured by their elements, as PS3.3 defines them, or the file is refused with the numbers. The tests write the
 * files byte by byte, and expected grids follow from the written numbers. */

namespace
{

/** An element in little endian with explicit value representations. */
std::string
DicomElement(unsigned int group, unsigned int element, const std::string & vr, std::string value)
{
  const auto word = [](unsigned int number) {
    return std::string{ static_cast<char>(number & 255), static_cast<char>(number >> 8 & 255) };
  };
  const auto length = [&word](std::size_t number) {
    return word(static_cast<unsigned int>(number & 65535)) + word(static_cast<unsigned int>(number >> 16));
  };
  if (value.size() % 2 == 1)
  {
    value += vr == "UI" || vr == "OB" ? '\0' : ' ';
  }
  const bool isLong = vr == "OW" || vr == "OB" || vr == "SQ";
  return word(group) + word(element) + vr +
         (isLong ? std::string(2, '\0') + length(value.size()) : word(static_cast<unsigned int>(value.size()))) + value;
}

std::string
DicomNumber(unsigned int group, unsigned int element, unsigned int number)
{
  return DicomElement(group, element, "US", { static_cast<char>(number & 255), static_cast<char>(number >> 8 & 255) });
}

/** A sequence of items. */
std::string
DicomSequence(unsigned int group, unsigned int element, const std::vector<std::string> & items)
{
  std::string value;
  for (const std::string & item : items)
  {
    const auto size = static_cast<std::uint32_t>(item.size());
    value += std::string("\xFE\xFF\x00\xE0", 4);
    for (int byte = 0; byte < 4; ++byte)
    {
      value += static_cast<char>(size >> 8 * byte & 255);
    }
    value += item;
  }
  return DicomElement(group, element, "SQ", value);
}

/** Returns for example "1\2.5\3". */
std::string
DecimalString(const std::vector<double> & numbers)
{
  std::ostringstream stream;
  stream.precision(10);
  for (std::size_t index = 0; index < numbers.size(); ++index)
  {
    stream << (index == 0 ? "" : "\\") << numbers[index];
  }
  return stream.str();
}

/** A file to write. Empty texts are omitted. */
struct FramesToWrite
{
  std::string              sopClass{ "1.2.840.10008.5.1.4.1.1.2.1" }; ///< Enhanced CT Image Storage
  std::string              modality{ "CT" };
  std::string              instance{ "1.2.3.4.1" };
  std::string              position;    ///< at the top level
  std::string              orientation; ///< at the top level
  std::string              spacing;     ///< at the top level
  std::string              more;        ///< elements of the top level, in groups below 0028
  std::string              late;        ///< elements after the pixels' description
  std::string              shared;      ///< functional groups
  std::vector<std::string> frames;      ///< functional groups of each frame
  std::vector<int>         values;      ///< added to the pixels of each frame
  std::string              photometric{ "MONOCHROME2" };
  unsigned int             bits{ 16 }; ///< bits of a pixel: 16, or 1 for the lowest bit of each
};

constexpr int columnsOfFrame = 4;
constexpr int rowsOfFrame = 3;

int
StoredValue(int value, int x, int y)
{
  return 100 * value + 10 * y + x;
}

void
WriteFrames(const FramesToWrite & file, const std::string & path)
{
  const auto optional =
    [](unsigned int group, unsigned int element, const std::string & vr, const std::string & value) {
      return value.empty() ? std::string() : DicomElement(group, element, vr, value);
    };
  std::string meta = DicomElement(2, 1, "OB", std::string("\0\1", 2)) + DicomElement(2, 2, "UI", file.sopClass) +
                     DicomElement(2, 3, "UI", file.instance) + DicomElement(2, 16, "UI", "1.2.840.10008.1.2.1");
  std::string body = DicomElement(8, 0x16, "UI", file.sopClass) + DicomElement(8, 0x18, "UI", file.instance) +
                     DicomElement(8, 0x60, "CS", file.modality) + file.more + DicomElement(0x20, 0xD, "UI", "1.2.3") +
                     DicomElement(0x20, 0xE, "UI", "1.2.3.5") + optional(0x20, 0x32, "DS", file.position) +
                     optional(0x20, 0x37, "DS", file.orientation) + DicomNumber(0x28, 2, 1) +
                     DicomElement(0x28, 4, "CS", file.photometric);
  if (file.values.size() > 1)
  {
    body += DicomElement(0x28, 8, "IS", std::to_string(file.values.size()));
  }
  body += DicomNumber(0x28, 0x10, rowsOfFrame) + DicomNumber(0x28, 0x11, columnsOfFrame) +
          optional(0x28, 0x30, "DS", file.spacing) + DicomNumber(0x28, 0x100, file.bits) +
          DicomNumber(0x28, 0x101, file.bits) + DicomNumber(0x28, 0x102, file.bits - 1) + DicomNumber(0x28, 0x103, 0) +
          file.late;
  if (!file.shared.empty())
  {
    body += DicomSequence(0x5200, 0x9229, { file.shared });
  }
  if (!file.frames.empty())
  {
    body += DicomSequence(0x5200, 0x9230, file.frames);
  }
  std::vector<std::uint16_t> pixels;
  for (const int value : file.values)
  {
    for (int y = 0; y < rowsOfFrame; ++y)
    {
      for (int x = 0; x < columnsOfFrame; ++x)
      {
        pixels.push_back(static_cast<std::uint16_t>(StoredValue(value, x, y)));
      }
    }
  }
  std::vector<std::uint8_t> bits((pixels.size() + 7) / 8, 0);
  for (std::size_t pixel = 0; pixel < pixels.size(); ++pixel)
  {
    bits[pixel / 8] = static_cast<std::uint8_t>(bits[pixel / 8] | (pixels[pixel] & 1U) << pixel % 8);
  }
  body += file.bits == 1 ? DicomElement(0x7FE0, 0x10, "OB", BytesOf(bits))
                         : DicomElement(0x7FE0, 0x10, "OW", BytesOf(pixels));
  const auto size = static_cast<std::uint32_t>(meta.size());
  meta = DicomElement(2, 0, "UL", BytesOf(std::vector<std::uint32_t>{ size })) + meta;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << std::string(128, '\0') << "DICM" << meta << body;
}

std::string
PlanePosition(const Vector3d & point)
{
  return DicomSequence(
    0x20, 0x9113, { DicomElement(0x20, 0x32, "DS", DecimalString({ point[0], point[1], point[2] })) });
}

std::string
PlaneOrientation(const std::vector<double> & cosines)
{
  return DicomSequence(0x20, 0x9116, { DicomElement(0x20, 0x37, "DS", DecimalString(cosines)) });
}

/** Between rows, between columns. */
std::string
PixelMeasures(double rows, double columns, double thickness = 9.0)
{
  return DicomSequence(0x28,
                       0x9110,
                       { DicomElement(0x18, 0x50, "DS", DecimalString({ thickness })) +
                         DicomElement(0x28, 0x30, "DS", DecimalString({ rows, columns })) });
}

std::string
ValueTransformation(double slope, double intercept)
{
  return DicomSequence(0x28,
                       0x9145,
                       { DicomElement(0x28, 0x1052, "DS", DecimalString({ intercept })) +
                         DicomElement(0x28, 0x1053, "DS", DecimalString({ slope })) +
                         DicomElement(0x28, 0x1054, "LO", "US") });
}

class ProgramDicomFrames : public StoredFormatTest
{
protected:
  const std::vector<double> m_Cosines{ 0.8, 0.6, 0.0, 0.0, 0.0, -1.0 };
  const Vector3d            m_Normal{ { -0.6, 0.8, 0.0 } }; // the cross product of both
  const Vector3d            m_First{ { 11.0, -22.0, 33.0 } };

  Vector3d
  PointAt(double distance) const
  {
    return {
      { m_First[0] + distance * m_Normal[0], m_First[1] + distance * m_Normal[1], m_First[2] + distance * m_Normal[2] }
    };
  }

  /** Returns frames at distances along the normal. Their values are their numbers. */
  FramesToWrite
  Enhanced(const std::vector<double> & distances) const
  {
    FramesToWrite file;
    file.shared = PlaneOrientation(m_Cosines) + PixelMeasures(0.75, 0.5);
    for (std::size_t frame = 0; frame < distances.size(); ++frame)
    {
      file.frames.push_back(PlanePosition(PointAt(distances[frame])));
      file.values.push_back(static_cast<int>(frame));
    }
    return file;
  }

  /** Returns the grid of count planes from a distance on. */
  ReferenceGrid
  Grid(int count, double first, double step) const
  {
    return { { { columnsOfFrame, rowsOfFrame, count } },
             PointAt(first),
             { { { { 0.5 * 0.8, 0.5 * 0.6, 0.0 } },
                 { { 0.0, 0.0, -0.75 } },
                 { { step * m_Normal[0], step * m_Normal[1], step * m_Normal[2] } } } } };
  }

  template <typename T>
  static std::vector<T>
  Values(const std::vector<int> &    frames,
         const std::vector<double> & slopes = {},
         const std::vector<double> & intercepts = {})
  {
    std::vector<T> values;
    for (std::size_t frame = 0; frame < frames.size(); ++frame)
    {
      for (int y = 0; y < rowsOfFrame; ++y)
      {
        for (int x = 0; x < columnsOfFrame; ++x)
        {
          const double stored = StoredValue(frames[frame], x, y);
          values.push_back(static_cast<T>(slopes.empty() ? stored : slopes[frame] * stored + intercepts[frame]));
        }
      }
    }
    return values;
  }

  /** Expects that both programs refuse the file, and that --force gives a warning with the same words. */
  void
  ExpectRefusedUnlessForced(const std::string & name, std::vector<std::string> words)
  {
    words.emplace_back("--force");
    ExpectRefusedByBoth(name, words);
    words.pop_back();
    const ProgramResult forced = Convert(name, { "--force" });
    EXPECT_EQ(forced.code, 0) << forced.errors;
    EXPECT_EQ(forced.CountErrorLines(), 1u) << forced.errors;
    for (const std::string & word : words)
    {
      EXPECT_NE(forced.errors.find(word), std::string::npos) << "\"" << word << "\" is missing in: " << forced.errors;
    }
  }
};

TEST_F(ProgramDicomFrames, EnhancedFramesAreSortedByTheirPositions)
{
  WriteFrames(Enhanced({ 4, 0, 6, 2 }), Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(4, 0, 2));
  ExpectNumbers(Values<std::uint16_t>({ 1, 3, 0, 2 }));
  // Stored in reverse order.
  WriteFrames(Enhanced({ 3.75, 2.5, 1.25, 0 }), Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(4, 0, 1.25));
  ExpectNumbers(Values<std::uint16_t>({ 3, 2, 1, 0 }));
  // The registration reads the same values.
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  const ProgramResult result = RunProgram({ Path("in.dcm"),
                                            Path("in.dcm"),
                                            "-w",
                                            Path("warped.mha"),
                                            "--stage",
                                            "translation",
                                            "--levels",
                                            "1",
                                            "--iterations",
                                            "1",
                                            "--device",
                                            "cpu" },
                                          settings);
  EXPECT_EQ(result.code, 0) << result.errors;
  ExpectGrid(Grid(4, 0, 1.25), "warped.mha");
  // A folder with only this file gives the same result.
  std::filesystem::create_directory(Path("folder"));
  std::filesystem::rename(Path("in.dcm"), Path("folder/in.dcm"));
  ExpectQuietSuccess(Convert("folder"));
  ExpectGrid(Grid(4, 0, 1.25));
  ExpectNumbers(Values<std::uint16_t>({ 3, 2, 1, 0 }));
}

/** All shared groups may also belong to each frame, and vice versa. */
TEST_F(ProgramDicomFrames, GroupsOfFrames)
{
  FramesToWrite file = Enhanced({ 1, 0, 2 });
  file.sopClass = "1.2.840.10008.5.1.4.1.1.4.1"; // Enhanced MR Image Storage
  file.modality = "MR";
  for (std::string & frame : file.frames)
  {
    frame += PlaneOrientation(m_Cosines) + PixelMeasures(0.75, 0.5);
  }
  file.shared = ValueTransformation(1, 0);
  WriteFrames(file, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(3, 0, 1));
  ExpectNumbers(Values<std::uint16_t>({ 1, 0, 2 }));
  // A single frame: its thickness is that of the slice.
  file = Enhanced({ 5 });
  WriteFrames(file, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(1, 5, 9));
}

/** Slopes and intercepts of frames, as in PET. */
TEST_F(ProgramDicomFrames, RescaledFrames)
{
  FramesToWrite file = Enhanced({ 4, 0, 2 });
  file.sopClass = "1.2.840.10008.5.1.4.1.1.130"; // Enhanced PET Image Storage
  file.modality = "PT";
  const std::vector<double> slopes{ 0.5, 2.0, 0.125 };
  const std::vector<double> intercepts{ 0.0, -7.0, 1.0 };
  for (std::size_t frame = 0; frame < 3; ++frame)
  {
    file.frames[frame] += ValueTransformation(slopes[frame], intercepts[frame]);
  }
  WriteFrames(file, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(3, 0, 2));
  ExpectNumbers(Values<double>({ 1, 2, 0 }, { 2.0, 0.125, 0.5 }, { -7.0, 1.0, 0.0 }));
}

TEST_F(ProgramDicomFrames, IrregularFrames)
{
  WriteFrames(Enhanced({ 0, 2, 4, 6.5, 8.5 }), Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "in.dcm", "not uniform", "gaps from 2 to 2.5 mm, usually 2 mm" });
  WriteFrames(Enhanced({ 8, 2, 4, 0 }), Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "in.dcm", "1 slice is missing", "gap is 4 mm, elsewhere 2 mm" });
  // Sheared, as with a tilted gantry.
  FramesToWrite file = Enhanced({ 0, 2, 4 });
  for (std::size_t frame = 0; frame < 3; ++frame)
  {
    Vector3d point = PointAt(2.0 * static_cast<double>(frame));
    point[2] -= 0.5 * static_cast<double>(frame);
    file.frames[frame] = PlanePosition(point);
  }
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "in.dcm", "sheared by 14.03" });
  // Never a volume.
  WriteFrames(Enhanced({ 0, 2, 2, 4 }), Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "in.dcm", "cannot be one volume", "several slices lie at the position" });
  file = Enhanced({ 0, 2, 4 });
  file.frames[1] += PlaneOrientation({ 1, 0, 0, 0, 1, 0 });
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "in.dcm", "cannot be one volume", "differ in orientation" });
  file = Enhanced({ 0, 2, 4 });
  file.frames[1] += PixelMeasures(0.75, 0.6);
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "in.dcm", "cannot be one volume", "differ in pixel spacing" });
}

/** Missing information is not invented. */
TEST_F(ProgramDicomFrames, MissingElements)
{
  FramesToWrite file = Enhanced({ 0, 2, 4 });
  file.shared = PixelMeasures(0.75, 0.5);
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "ImageOrientationPatient (0020,0037) is missing for 3 of 3 frames", "--force" });
  file = Enhanced({ 0, 2, 4 });
  file.shared = PlaneOrientation(m_Cosines);
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm",
                            { "PixelSpacing (0028,0030) is missing for 3 of 3 frames", "--force takes 1 mm" });
  file = Enhanced({ 0, 2, 4 });
  file.frames[1] = DicomElement(0x20, 0x9057, "UL", std::string(4, '\1'));
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "ImagePositionPatient (0020,0032) is missing for 1 of 3 frames" });

  // A file of one frame.
  FramesToWrite single;
  single.sopClass = "1.2.840.10008.5.1.4.1.1.2";
  single.position = "1\\2\\3";
  single.orientation = "1\\0\\0\\0\\1\\0";
  single.spacing = "0.75\\0.5";
  single.values = { 0 };
  WriteFrames(single, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  const ReferenceGrid grid{ { { columnsOfFrame, rowsOfFrame, 1 } },
                            { { 1, 2, 3 } },
                            { { { { 0.5, 0, 0 } }, { { 0, 0.75, 0 } }, { { 0, 0, 1 } } } } };
  ExpectGrid(grid);
  for (const auto & [element, words] :
       { std::pair(&FramesToWrite::position, "ImagePositionPatient (0020,0032) is missing"),
         std::pair(&FramesToWrite::orientation,
                   "ImageOrientationPatient (0020,0037) is missing (--force takes an axial plane"),
         std::pair(&FramesToWrite::spacing, "PixelSpacing (0028,0030) is missing (--force takes 1 mm") })
  {
    FramesToWrite without = single;
    without.*element = "";
    WriteFrames(without, Path("in.dcm"));
    ExpectRefusedUnlessForced("in.dcm", { "in.dcm", words });
    // A folder with such files.
    std::filesystem::remove_all(Path("folder"));
    for (int slice = 0; slice < 3; ++slice)
    {
      without = single;
      without.position = DecimalString({ 1, 2, 3.0 + 2 * slice });
      without.instance = "1.2.3.4." + std::to_string(10 + slice);
      if (slice == 1)
      {
        without.*element = "";
      }
      WriteFrames(without, Path("folder/" + std::to_string(slice) + ".dcm"));
    }
    ExpectRefusedByBoth("folder", { "1.dcm", std::string(words).substr(0, 20), "--force" });
  }
  // The spacing at the detector differs from that in the patient.
  FramesToWrite radiograph = single;
  radiograph.sopClass = "1.2.840.10008.5.1.4.1.1.1";
  radiograph.modality = "CR";
  radiograph.spacing = "";
  radiograph.more = DicomElement(0x18, 0x1164, "DS", "0.15\\0.125");
  WriteFrames(radiograph, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm",
                            { "PixelSpacing (0028,0030) is missing", "0.15\\0.125 mm, which is at the detector" });
  EXPECT_NEAR(ReadTestImage<Volume>(Path("out.mha"))->GetSpacing()[0], 0.125, 1e-9);

  // Several frames without positions.
  FramesToWrite frames = single;
  frames.sopClass = "1.2.840.10008.5.1.4.1.1.7.3";
  frames.modality = "OT";
  frames.values = { 0, 1, 2 };
  WriteFrames(frames, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm",
                            { "ImagePositionPatient (0020,0032) is missing for 2 of 3 frames", "steps of 1 mm" });
}

/** Reports, plans and structures. */
TEST_F(ProgramDicomFrames, FilesWithoutPixels)
{
  FramesToWrite file = Enhanced({ 0 });
  file.values.clear();
  WriteFrames(file, Path("in.dcm"));
  std::string       bytes = Content(Path("in.dcm"));
  const std::size_t pixels = bytes.rfind(std::string("\xE0\x7F\x10\x00", 4));
  ASSERT_NE(pixels, std::string::npos);
  Write("in.dcm", bytes.substr(0, pixels));
  ExpectRefusedByBoth("in.dcm", { "in.dcm", "no PixelData (7FE0,0010)" });
}

TEST_F(ProgramDicomFrames, WrongValues)
{
  FramesToWrite single;
  single.sopClass = "1.2.840.10008.5.1.4.1.1.2";
  single.position = "1\\2\\3";
  single.orientation = "1\\0\\0\\0\\1\\0";
  single.spacing = "0.75\\0.5";
  single.values = { 0 };
  const auto expect =
    [&](std::string FramesToWrite::*element, const std::string & value, std::vector<std::string> words) {
      FramesToWrite file = single;
      file.*element = value;
      WriteFrames(file, Path("in.dcm"));
      words.push_back("\"" + value + "\"");
      ExpectRefusedByBoth("in.dcm", words);
    };
  expect(&FramesToWrite::spacing, "0\\0.5", { "PixelSpacing", "above 0" });
  expect(&FramesToWrite::spacing, "0.5", { "PixelSpacing", "2 numbers" });
  expect(&FramesToWrite::spacing, "0.5\\x", { "PixelSpacing", "finite numbers" });
  expect(&FramesToWrite::position, "1\\2\\nan", { "ImagePositionPatient", "finite numbers" });
  expect(&FramesToWrite::orientation, "1\\0\\0\\1\\0\\0", { "ImageOrientationPatient", "right angles" });
  expect(&FramesToWrite::orientation, "0\\0\\0\\0\\1\\0", { "ImageOrientationPatient", "unit vectors" });
}

/** The smallest value is displayed as white in MONOCHROME1. The values are the stored ones, rescaled. */
TEST_F(ProgramDicomFrames, WhiteZero)
{
  FramesToWrite file = Enhanced({ 2, 0 });
  file.photometric = "MONOCHROME1";
  WriteFrames(file, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectNumbers(Values<double>({ 1, 0 }));
  // In a series, with a slope.
  for (int slice = 0; slice < 3; ++slice)
  {
    FramesToWrite single;
    single.sopClass = "1.2.840.10008.5.1.4.1.1.2";
    single.instance = "1.2.3.4." + std::to_string(10 + slice);
    single.position = DecimalString({ 1, 2, 3.0 + 2 * slice });
    single.orientation = "1\\0\\0\\0\\1\\0";
    single.spacing = "0.75\\0.5";
    single.photometric = "MONOCHROME1";
    single.late = DicomElement(0x28, 0x1052, "DS", "-10") + DicomElement(0x28, 0x1053, "DS", "0.5");
    single.values = { slice };
    WriteFrames(single, Path("folder/" + std::to_string(slice) + ".dcm"));
  }
  ExpectQuietSuccess(Convert("folder"));
  ExpectNumbers(Values<double>({ 0, 1, 2 }, { 0.5, 0.5, 0.5 }, { -10, -10, -10 }));
}

/** One bit per pixel, frames without padding: 0 and 1, up to the last one. */
TEST_F(ProgramDicomFrames, Masks)
{
  FramesToWrite file = Enhanced({ 0, 2, 4 });
  file.sopClass = "1.2.840.10008.5.1.4.1.1.66.4";
  file.modality = "SEG";
  file.bits = 1;
  WriteFrames(file, Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  auto wanted = Values<std::uint8_t>({ 0, 1, 2 });
  std::transform(
    wanted.begin(), wanted.end(), wanted.begin(), [](std::uint8_t x) { return static_cast<std::uint8_t>(x & 1U); });
  ExpectNumbers(wanted);
}

/** Slices as tiles of a picture, values in a table, a slope of 0: none of these is a volume of the stored numbers. */
TEST_F(ProgramDicomFrames, OtherThanTheStoredNumbers)
{
  FramesToWrite single;
  single.sopClass = "1.2.840.10008.5.1.4.1.1.4";
  single.position = "1\\2\\3";
  single.orientation = "1\\0\\0\\0\\1\\0";
  single.spacing = "0.75\\0.5";
  single.values = { 0 };
  FramesToWrite file = single;
  file.more = DicomElement(8, 8, "CS", "ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC");
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "ImageType (0008,0008) is \"ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC\"", "tiles" });
  file = single;
  file.late = DicomSequence(0x28, 0x3000, { DicomElement(0x28, 0x3004, "LO", "HU") });
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "ModalityLUTSequence (0028,3000)", "table" });
  file = single;
  file.late = DicomElement(0x28, 0x1053, "DS", "0");
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "RescaleSlope (0028,1053) \"0\"", "other than 0" });
}

class ProgramDicomDose : public ProgramDicomFrames
{
protected:
  static FramesToWrite
  Dose(const std::vector<double> & offsets, const std::string & scaling = "0.5")
  {
    FramesToWrite file;
    file.sopClass = "1.2.840.10008.5.1.4.1.1.481.2";
    file.modality = "RTDOSE";
    file.position = "11\\-22\\33";
    file.orientation = "0.8\\0.6\\0\\0\\0\\-1";
    file.spacing = "0.75\\0.5";
    file.late = DicomElement(0x3004, 2, "CS", "GY");
    if (!offsets.empty())
    {
      file.late += DicomElement(0x3004, 0xC, "DS", DecimalString(offsets));
    }
    if (!scaling.empty())
    {
      file.late += DicomElement(0x3004, 0xE, "DS", scaling);
    }
    for (std::size_t frame = 0; frame < std::max<std::size_t>(offsets.size(), 3); ++frame)
    {
      file.values.push_back(static_cast<int>(frame));
    }
    return file;
  }
};

TEST_F(ProgramDicomDose, OffsetsAndScaling)
{
  const std::vector<double> half(3, 0.5);
  const std::vector<double> zero(3, 0.0);
  WriteFrames(Dose({ 0, 2.5, 5 }), Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(3, 0, 2.5));
  ExpectNumbers(Values<double>({ 0, 1, 2 }, half, zero));
  // Against the normal.
  WriteFrames(Dose({ 0, -2.5, -5 }), Path("in.dcm"));
  ExpectQuietSuccess(Convert("in.dcm"));
  ExpectGrid(Grid(3, -5, 2.5));
  ExpectNumbers(Values<double>({ 2, 1, 0 }, half, zero));
  // z coordinates of transverse planes.
  for (const double direction : { 1.0, -1.0 })
  {
    FramesToWrite file = Dose({ 33, 35, 37 }, "0.25");
    file.orientation = direction > 0 ? "1\\0\\0\\0\\1\\0" : "-1\\0\\0\\0\\1\\0";
    WriteFrames(file, Path("in.dcm"));
    ExpectQuietSuccess(Convert("in.dcm"));
    ExpectGrid({ { { columnsOfFrame, rowsOfFrame, 3 } },
                 { { 11, -22, direction > 0 ? 33.0 : 37.0 } },
                 { { { { direction * 0.5, 0, 0 } }, { { 0, 0.75, 0 } }, { { 0, 0, 2 * direction } } } } });
    ExpectNumbers(Values<double>(
      direction > 0 ? std::vector<int>{ 0, 1, 2 } : std::vector<int>{ 2, 1, 0 }, std::vector<double>(3, 0.25), zero));
  }
}

TEST_F(ProgramDicomDose, Refusals)
{
  WriteFrames(Dose({ 0, 2, 4, 7 }), Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "not uniform", "gaps from 2 to 3 mm" });
  FramesToWrite file = Dose({ 0, 2, 4 });
  file.late = DicomElement(0x3004, 2, "CS", "GY") + DicomElement(0x3004, 0xC, "DS", "0\\2") +
              DicomElement(0x3004, 0xE, "DS", "1");
  WriteFrames(file, Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm",
                      { "GridFrameOffsetVector (3004,000C) \"0\\2\"", "3 numbers are allowed", "there are 2" });
  WriteFrames(Dose({ 5, 7, 9 }), Path("in.dcm"));
  ExpectRefusedByBoth("in.dcm", { "GridFrameOffsetVector (3004,000C) \"5\\7\\9\"", "begin with 0", "33" });
  WriteFrames(Dose({ 0, 2, 4 }, ""), Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "DoseGridScaling (3004,000E) is missing" });
  WriteFrames(Dose({}), Path("in.dcm"));
  ExpectRefusedUnlessForced("in.dcm", { "ImagePositionPatient (0020,0032) is missing for 2 of 3 frames" });
}

} // namespace
