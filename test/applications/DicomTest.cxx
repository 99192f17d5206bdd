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
#include "DicomWriter.h"
#include "TestImages.h"

#include "itkGDCMSeriesFileNames.h"
#include "itkImageSeriesReader.h"

#include <algorithm>
#include <cstdlib>
#include <set>

/** \file
 * \brief DICOM series in folders: regular ones are read as by ITK's own series reader, with rescaled values and their
 * geometry. Irregular ones are refused with the numbers, and read with --force. */

namespace
{

using VolumeType = itk::Image<double, 3>;

class ProgramDicom : public ProgramTest
{
protected:
  /** Writes slices to a folder. Their names are not in the order of their positions. */
  void
  WriteSeries(const std::vector<DicomSliceToWrite> & slices, const std::string & folder = "series")
  {
    std::filesystem::create_directories(m_Folder / folder);
    for (std::size_t index = 0; index < slices.size(); ++index)
    {
      const std::size_t number = 100 * m_Series + (index % 2 == 0 ? 50 - index : index);
      WriteDicomSlice(slices[index], (m_Folder / folder / (std::to_string(number) + ".dcm")).string());
    }
    ++m_Series;
  }

  static std::vector<DicomSliceToWrite>
  Positions(const std::vector<double> & positions)
  {
    std::vector<DicomSliceToWrite> slices;
    for (const double position : positions)
    {
      DicomSliceToWrite slice;
      slice.position = position;
      slices.push_back(slice);
    }
    return slices;
  }

  ProgramResult
  Run(std::vector<std::string> options)
  {
    options.insert(options.begin(), { Path("series"), Path("out.nrrd") });
    return RunProgram(options);
  }

  /** Expects an error without output, and an output with a warning for --force. */
  void
  ExpectRefusalUnlessForced(const std::vector<std::string> & words)
  {
    std::vector<std::string> errors = words;
    errors.push_back("--force");
    ExpectError(Run({}), errors);
    EXPECT_FALSE(std::filesystem::exists(Path("out.nrrd")));
    const ProgramResult forced = Run({ "--force" });
    EXPECT_EQ(forced.code, 0);
    EXPECT_EQ(forced.errors.find("CudaSplineResample: warning: "), 0u) << forced.errors;
    EXPECT_EQ(forced.CountErrorLines(), 1u) << forced.errors;
    for (const std::string & word : words)
    {
      EXPECT_NE(forced.errors.find(word), std::string::npos) << "\"" << word << "\" is missing in: " << forced.errors;
    }
    EXPECT_TRUE(std::filesystem::exists(Path("out.nrrd")));
  }

  /** Reads a series with ITK's own reader. */
  VolumeType::Pointer
  ReadSeries(const std::string & folder) const
  {
    const auto names = itk::GDCMSeriesFileNames::New();
    names->SetDirectory(Path(folder));
    const auto reader = itk::ImageSeriesReader<VolumeType>::New();
    reader->SetImageIO(itk::GDCMImageIO::New());
    reader->SetFileNames(names->GetInputFileNames());
    reader->Update();
    return reader->GetOutput();
  }

  /** Returns the text of an element of a file without padding. */
  static std::string
  Element(const std::string & file, std::uint16_t group, std::uint16_t element)
  {
    gdcm::Reader reader;
    reader.SetFileName(file.c_str());
    EXPECT_TRUE(reader.Read()) << file;
    const gdcm::Tag tag(group, element);
    const auto &    data = reader.GetFile().GetDataSet();
    if (!data.FindDataElement(tag) || data.GetDataElement(tag).GetByteValue() == nullptr)
    {
      return {};
    }
    const auto * const value = data.GetDataElement(tag).GetByteValue();
    std::string        text(value->GetPointer(), value->GetLength());
    text.erase(text.find_last_not_of(std::string(" \0", 2)) + 1);
    return text;
  }

  std::size_t m_Series{ 0 };
};

TEST_F(ProgramDicom, RegularSeries)
{
  WriteSeries(Positions({ -3.0, -1.5, 0.0, 1.5, 3.0, 4.5, 6.0 }));
  ExpectQuietSuccess(Run({ "-i", "nearest" }));
  const auto result = ReadTestImage<VolumeType>(Path("out.nrrd"));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), ComponentOfFile(Path("series/1.dcm"))); // GDCM's choice after rescaling
  EXPECT_EQ(result->GetLargestPossibleRegion().GetSize(), (VolumeType::SizeType{ { 12, 10, 7 } }));
  EXPECT_EQ(result->GetPixel({ { 3, 2, 0 } }), DicomValue(-3.0, 3, 2)); // in Hounsfield units, slices in order
  EXPECT_EQ(result->GetPixel({ { 3, 2, 5 } }), DicomValue(4.5, 3, 2));

  const auto names = itk::GDCMSeriesFileNames::New();
  names->SetDirectory(Path("series"));
  const auto reader = itk::ImageSeriesReader<VolumeType>::New();
  reader->SetImageIO(itk::GDCMImageIO::New());
  reader->SetFileNames(names->GetInputFileNames());
  reader->Update();
  ExpectSameGrid(result.GetPointer(), reader->GetOutput());
  EXPECT_EQ(LargestDifference(result.GetPointer(), reader->GetOutput()), 0.0);
  EXPECT_NEAR(result->GetDirection()[1][0], std::sin(20 * 0.017453292519943295), 1e-6);
  EXPECT_NEAR(result->GetOrigin()[2], -3.0, 1e-9);
  EXPECT_NEAR(result->GetSpacing()[2], 1.5, 1e-9);
}

TEST_F(ProgramDicom, NiftiKeepsValuesAndGeometry)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0 }));
  ExpectQuietSuccess(RunProgram({ Path("series"), Path("out.nii.gz"), "-i", "nearest" }));
  const auto result = ReadTestImage<VolumeType>(Path("out.nii.gz"));
  EXPECT_EQ(result->GetPixel({ { 11, 9, 2 } }), DicomValue(4.0, 11, 9));
  EXPECT_NEAR(result->GetDirection()[0][1], -std::sin(20 * 0.017453292519943295), 1e-6);
  EXPECT_NEAR(result->GetOrigin()[0], 5.0, 1e-5);
  EXPECT_NEAR(result->GetSpacing()[1], 0.75, 1e-6);
}

/** Each slice has its own slope, some with integers as result and some not: the volume has a type that represents all.
 */
TEST_F(ProgramDicom, SlopesOfEachSlice)
{
  auto         slices = Positions({ 0.0, 2.0, 4.0 });
  const double slopes[] = { 1.0, 0.5, 0.25 };
  for (std::size_t index = 0; index < 3; ++index)
  {
    slices[index].slope = slopes[index];
  }
  WriteSeries(slices);
  ExpectQuietSuccess(Run({}));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "double");
  const auto result = ReadTestImage<VolumeType>(Path("out.nrrd"));
  for (int z = 0; z < 3; ++z)
  {
    EXPECT_NEAR(result->GetPixel({ { 4, 5, z } }), DicomValue(2.0 * z, 4, 5), 1e-9);
  }
}

TEST_F(ProgramDicom, SingleFile)
{
  WriteSeries(Positions({ 3.0 }));
  ExpectQuietSuccess(RunProgram({ Path("series/50.dcm"), Path("out.nrrd"), "-i", "nearest" }));
  const auto result = ReadTestImage<VolumeType>(Path("out.nrrd"));
  EXPECT_EQ(result->GetPixel({ { 4, 5, 0 } }), DicomValue(3.0, 4, 5));
  EXPECT_NEAR(result->GetOrigin()[2], 3.0, 1e-9);
}

TEST_F(ProgramDicom, FolderAsReference)
{
  WriteSeries(Positions({ 0.0, 1.5, 3.0 }));
  WriteTestImage(MakePhantom<itk::Image<float, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("in.nrrd"));
  // They do not overlap, and a warning reports this.
  EXPECT_EQ(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-r", Path("series") }).code, 0);
  EXPECT_EQ(ReadTestImage<VolumeType>(Path("out.nrrd"))->GetLargestPossibleRegion().GetSize(),
            (VolumeType::SizeType{ { 12, 10, 3 } }));
}

TEST_F(ProgramDicom, SeveralSeries)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0 }));
  auto others = Positions({ 0.0, 1.0 });
  for (DicomSliceToWrite & slice : others)
  {
    slice.uid = "1.2.826.0.1.3680043.2.1125.2";
  }
  WriteSeries(others);
  ExpectRefusalUnlessForced(
    { "contains 2 DICOM series", "1.2.826.0.1.3680043.2.1125.1 (3 files)", "1.2.826.0.1.3680043.2.1125.2 (2 files)" });
  EXPECT_EQ(ReadTestImage<VolumeType>(Path("out.nrrd"))->GetLargestPossibleRegion().GetSize()[2], 3u); // the larger one
  ExpectQuietSuccess(Run({ "--series", "1.2.826.0.1.3680043.2.1125.2" }));
  EXPECT_EQ(ReadTestImage<VolumeType>(Path("out.nrrd"))->GetLargestPossibleRegion().GetSize()[2], 2u);
  ExpectError(Run({ "--series", "1.2.3" }),
              { "does not contain the series 1.2.3", "1.2.826.0.1.3680043.2.1125.1 (3 files)" });
}

TEST_F(ProgramDicom, MissingSlice)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0, 8.0, 10.0 }));
  ExpectRefusalUnlessForced(
    { "1 slice is missing", "between the positions 4 and 8 mm", "gap is 4 mm, elsewhere 2 mm" });
}

TEST_F(ProgramDicom, SeveralMissingSlices)
{
  WriteSeries(Positions({ 0.0, 2.0, 8.0, 10.0, 12.0, 16.0 }));
  ExpectRefusalUnlessForced({ "3 slices are missing" });
}

TEST_F(ProgramDicom, NonUniformSpacing)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0, 6.5, 8.5 }));
  ExpectRefusalUnlessForced({ "not uniform", "gaps from 2 to 2.5 mm, usually 2 mm" });
}

/** Positions that are rounded to two digits are not irregular. */
TEST_F(ProgramDicom, RoundedPositions)
{
  WriteSeries(Positions({ 0.0, 0.63, 1.25, 1.88, 2.5, 3.13 }));
  ExpectQuietSuccess(Run({}));
  EXPECT_NEAR(ReadTestImage<VolumeType>(Path("out.nrrd"))->GetSpacing()[2], 0.626, 1e-9);
}

TEST_F(ProgramDicom, GantryTilt)
{
  auto slices = Positions({ 0.0, 2.0, 4.0, 6.0 });
  for (DicomSliceToWrite & slice : slices)
  {
    slice.shift = slice.position * std::tan(12.0 * 0.017453292519943295);
    slice.tilt = "12";
  }
  WriteSeries(slices);
  ExpectRefusalUnlessForced({ "gantry tilt", "sheared by 12 degrees", "Gantry/Detector Tilt 12" });
}

/** A slice that is not on the line between the first and the last one. */
TEST_F(ProgramDicom, SliceShiftedWithinItsPlane)
{
  auto slices = Positions({ 0.0, 2.0, 4.0, 6.0 });
  slices[2].shift = 0.04; // rounding
  WriteSeries(slices);
  ExpectQuietSuccess(Run({}));

  std::filesystem::remove_all(m_Folder / "series");
  std::filesystem::remove(Path("out.nrrd"));
  slices[2].shift = 3.0;
  WriteSeries(slices);
  ExpectRefusalUnlessForced({ "shifted within their plane", "at the position 4 mm by 3 mm" });
}

/** Gaps that differ by less than 1 %, with equal signs in the first half. */
TEST_F(ProgramDicom, GapsThatAddUp)
{
  std::vector<double> positions{ 0.0 };
  for (int gap = 0; gap < 80; ++gap)
  {
    positions.push_back(positions.back() + (gap < 40 ? 1.99 : 2.009));
  }
  WriteSeries(Positions(positions));
  ExpectRefusalUnlessForced({ "not uniform", "up to 0.38 mm from where even gaps of 1.9995 mm have them" });
}

/** Several faults are reported together. */
TEST_F(ProgramDicom, TiltAndMissingSlice)
{
  auto slices = Positions({ 0.0, 2.0, 4.0, 8.0 });
  for (DicomSliceToWrite & slice : slices)
  {
    slice.shift = slice.position * 0.1;
  }
  WriteSeries(slices);
  ExpectRefusalUnlessForced({ "1 slice is missing", "sheared by 5.71059 degrees" });
}

TEST_F(ProgramDicom, NeverAVolume)
{
  auto slices = Positions({ 0.0, 2.0, 4.0 });
  slices[1].width = 14;
  WriteSeries(slices);
  ExpectError(Run({ "--force" }), { "cannot be one volume", "differ in size", "12 x 10", "14 x 10" });

  std::filesystem::remove_all(m_Folder / "series");
  slices = Positions({ 0.0, 2.0, 4.0 });
  slices[2].angle = 35.0;
  WriteSeries(slices);
  ExpectError(Run({ "--force" }), { "cannot be one volume", "differ in orientation" });

  std::filesystem::remove_all(m_Folder / "series");
  WriteSeries(Positions({ 0.0, 2.0, 2.0, 4.0 }));
  ExpectError(Run({ "--force" }), { "cannot be one volume", "several slices lie at the position 2 mm" });
}

TEST_F(ProgramDicom, FolderWithout)
{
  std::filesystem::create_directories(m_Folder / "series");
  std::ofstream(m_Folder / "series" / "readme.txt") << "nothing\n";
  ExpectError(Run({}), { "does not contain a DICOM series", "series" });
}

/** Truncated within the pixels, where GDCM adds zeros, and within the header, where it omits the slice. */
/** A series that is written from a series on another, oblique grid. ITK's series reader finds the same as in another
 * format. */
TEST_F(ProgramDicom, SeriesOut)
{
  WriteSeries(Positions({ -3.0, -1.5, 0.0, 1.5, 3.0, 4.5, 6.0 }));
  const std::vector<std::string> how{ "--rotate", "8,-5,12", "--spacing", "0.45,0.6,1.1", "-i", "bspline" };
  const auto                     run = [&](const std::string & output, std::vector<std::string> more = {}) {
    std::vector<std::string> all{ Path("series"), output };
    all.insert(all.end(), how.begin(), how.end());
    all.insert(all.end(), more.begin(), more.end());
    return RunProgram(all);
  };
  ExpectQuietSuccess(run(Path("new/series/")));
  ExpectQuietSuccess(run(Path("out.nrrd")));
  const auto expected = ReadTestImage<VolumeType>(Path("out.nrrd"));
  const auto found = ReadSeries("new/series");
  ExpectSameGrid(found.GetPointer(), expected.GetPointer());
  EXPECT_EQ(LargestDifference(found.GetPointer(), expected.GetPointer()), 0.0);
  EXPECT_FALSE(HasHiddenFolder(Path("new/series")));

  // It is a new series of the same study and patient.
  const std::string     before = Path("series/50.dcm");
  std::set<std::string> instances;
  std::set<std::string> others;
  for (const auto & entry : std::filesystem::directory_iterator(Path("new/series")))
  {
    const std::string file = entry.path().string();
    EXPECT_EQ(Element(file, 0x0020, 0x000D), Element(before, 0x0020, 0x000D));
    EXPECT_EQ(Element(file, 0x0010, 0x0010), "Phantom");
    EXPECT_EQ(Element(file, 0x0008, 0x0016), Element(before, 0x0008, 0x0016));
    EXPECT_EQ(Element(file, 0x0008, 0x0060), "CT");
    EXPECT_EQ(Element(file, 0x0008, 0x0008).find("DERIVED\\SECONDARY"), 0u);
    EXPECT_NE(Element(file, 0x0020, 0x0052), Element(before, 0x0020, 0x0052));
    others.insert(Element(file, 0x0020, 0x000E) + " " + Element(file, 0x0020, 0x0052));
    instances.insert(Element(file, 0x0008, 0x0018));
  }
  EXPECT_EQ(others.size(), 1u);
  EXPECT_NE(others.begin()->find("."), std::string::npos);
  EXPECT_EQ(others.begin()->find(Element(before, 0x0020, 0x000E) + " "), std::string::npos);
  EXPECT_EQ(instances.size(), found->GetLargestPossibleRegion().GetSize()[2]);

  // Another run writes another series.
  ExpectQuietSuccess(run(Path("again/")));
  EXPECT_EQ(others.count(Element(Path("again/IM00001.dcm"), 0x0020, 0x000E) + " " +
                         Element(Path("again/IM00001.dcm"), 0x0020, 0x0052)),
            0u);

  // Fractions are stored in 65535 steps, with an error of half a step, which the program reports.
  const ProgramResult fractions = run(Path("fractions/"), { "--output-type", "float" });
  EXPECT_EQ(fractions.code, 0);
  EXPECT_NE(fractions.errors.find("in steps of "), std::string::npos) << fractions.errors;
  ExpectQuietSuccess(run(Path("out.nrrd"), { "--output-type", "float" }));
  const auto real = ReadTestImage<VolumeType>(Path("out.nrrd"));
  const auto range = std::minmax_element(real->GetBufferPointer(),
                                         real->GetBufferPointer() + real->GetBufferedRegion().GetNumberOfPixels());
  EXPECT_LE(LargestDifference(ReadSeries("fractions").GetPointer(), real.GetPointer()),
            0.52 * (*range.second - *range.first) / 65535.0);
}

/** The study may come from the reference. A left-handed grid is the same image as a right-handed one. */
TEST_F(ProgramDicom, SeriesOutOfOtherFormats)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0 }));
  ExpectQuietSuccess(RunProgram({ Path("series"), Path("in.nrrd"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("new"), "--dicom", "-r", Path("series"), "-i", "nearest" }));
  const auto volume = ReadTestImage<VolumeType>(Path("in.nrrd"));
  EXPECT_EQ(LargestDifference(ReadSeries("new").GetPointer(), volume.GetPointer()), 0.0);

  const auto flipped = VolumeType::New();
  flipped->SetRegions(volume->GetLargestPossibleRegion());
  flipped->SetSpacing(volume->GetSpacing());
  auto direction = volume->GetDirection();
  for (unsigned int row = 0; row < 3; ++row)
  {
    direction[row][2] = -direction[row][2];
  }
  VolumeType::PointType last;
  volume->TransformIndexToPhysicalPoint({ { 0, 0, 2 } }, last);
  flipped->SetOrigin(last);
  flipped->SetDirection(direction);
  flipped->Allocate(true);
  WriteTestImage(flipped.GetPointer(), Path("flipped.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("series"), Path("turned/"), "-r", Path("flipped.nrrd"), "-i", "nearest" }));
  ExpectSameGrid(ReadSeries("turned").GetPointer(), volume.GetPointer());
  EXPECT_EQ(LargestDifference(ReadSeries("turned").GetPointer(), volume.GetPointer()), 0.0);

  ExpectError(RunProgram({ Path("in.nrrd"), Path("none"), "--dicom" }), { "patient and a study", "--reference" });
  EXPECT_FALSE(std::filesystem::exists(Path("none")));
  ExpectError(RunProgram({ Path("series"), Path("new/") }), { "new/", "not empty" });
  ExpectError(RunProgram({ Path("series"), Path("series/") }), { "input and an output" });
  ExpectError(RunProgram({ Path("series"), Path("out.dcm"), "--output-type", "float" }),
              { "out.dcm", "float", "uint8, int8, uint16, int16", "--dicom" });
  ExpectError(RunProgram({ Path("series"),
                           Path("nan/"),
                           "--default-value",
                           "nan",
                           "--output-type",
                           "float",
                           "--size",
                           "40",
                           "--spacing",
                           "1" }),
              { "finite" });
  EXPECT_FALSE(std::filesystem::exists(Path("nan")));
}

/** Another library reads the written series and prints the positions of the slices. */
TEST_F(ProgramDicom, DcmdumpReadsTheSeries)
{
  if (std::system("dcmdump --version > /dev/null 2>&1") != 0)
  {
    GTEST_SKIP() << "There is no dcmdump (Debian's dcmtk) here.";
  }
  WriteSeries(Positions({ 0.0, 2.0, 4.0 }));
  for (const auto & entry : std::filesystem::directory_iterator(Path("series")))
  {
    // As many archives store it: without value representations.
    const std::string file = entry.path().string();
    gdcm::Reader      reader;
    reader.SetFileName(file.c_str());
    ASSERT_TRUE(reader.Read());
    gdcm::Writer writer;
    writer.CheckFileMetaInformationOff();
    writer.SetFile(reader.GetFile());
    writer.GetFile().GetHeader().SetDataSetTransferSyntax(gdcm::TransferSyntax::ImplicitVRLittleEndian);
    writer.SetFileName((file + ".new").c_str());
    ASSERT_TRUE(writer.Write());
    std::filesystem::rename(file + ".new", file);
  }
  ExpectQuietSuccess(RunProgram({ Path("series"), Path("new/"), "-i", "nearest" }));
  for (const auto & entry : std::filesystem::directory_iterator(Path("new")))
  {
    const std::string dump = Path("dump.txt");
    ASSERT_EQ(std::system(("dcmdump '" + entry.path().string() + "' > '" + dump + "' 2>&1").c_str()), 0);
    const std::string text = Content(dump);
    for (const char * const words : { "ImagePositionPatient",
                                      "ImageOrientationPatient",
                                      "FrameOfReferenceUID",
                                      "RescaleSlope",
                                      "PN [Phantom]",
                                      "CS [CT]",
                                      "=CTImageStorage",
                                      "=LittleEndianExplicit",
                                      "PixelData" })
    {
      EXPECT_NE(text.find(words), std::string::npos) << words << " is missing in: " << text;
    }
    EXPECT_EQ(text.find("W: "), std::string::npos) << text;
    EXPECT_EQ(text.find("E: "), std::string::npos) << text;
  }
}

TEST_F(ProgramDicom, CutShort)
{
  WriteSeries(Positions({ 0.0, 2.0, 4.0 }));
  const std::filesystem::path file = m_Folder / "series" / "1.dcm";
  for (const std::uintmax_t cut : { 2, 98, 300 })
  {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - cut);
    ExpectError(Run({}), { "1.dcm", "truncated" });
    ExpectError(Run({ "--force" }), { "1.dcm", "truncated" });
    // A single file with almost no header is no longer recognized.
    ExpectError(RunProgram({ file.string(), Path("out.nrrd") }), { "1.dcm", "damaged" });
  }
  // An empty slice may be the last one, so that no gap shows it.
  for (const std::uintmax_t size : { 100, 0 })
  {
    std::filesystem::resize_file(file, size);
    ExpectError(Run({}), { "1.dcm", "damaged" });
    ExpectError(Run({ "--force" }), { "1.dcm", "damaged" });
  }
  WriteSeries(Positions({ 6.0 }), "last");
  const std::string bytes = Content(std::filesystem::directory_iterator(m_Folder / "last")->path().string());
  // After an element of the header, before the series number, and within its elements.
  const std::size_t series = bytes.find(std::string("\x20\x00\x0D\x00", 4));
  ASSERT_NE(series, std::string::npos);
  for (const std::size_t size : { series, series + 6, std::size_t{ 160 } })
  {
    std::ofstream(file, std::ios::binary) << bytes.substr(0, size);
    for (const std::vector<std::string> & options : { std::vector<std::string>{}, { "--force" } })
    {
      const ProgramResult result = Run(options);
      ExpectError(result, { "1.dcm" });
      EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
    }
  }
  std::filesystem::resize_file(file, 0);
  std::filesystem::rename(file, m_Folder / "series" / "notes");
  EXPECT_EQ(Run({ "--force" }).code, 0); // a file without any DICOM element is ignored
}

} // namespace
