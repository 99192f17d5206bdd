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
#include "TestImages.h"

#include <algorithm>

/** \file
 * \brief An output file is replaced only when the new one is complete: full disks, signals, pairs of files, links. */

namespace
{

using ShortImage = itk::Image<short, 3>;

class ProgramOutput : public ProgramTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    m_Image = MakePhantom<ShortImage>({ { 40, 40, 40 } }); // 128 kB
    WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  }

  ShortImage::Pointer m_Image;
};

class ProgramFullDisk
  : public ProgramOutput
  , public ::testing::WithParamInterface<const char *>
{};

/** Writing stops in the middle of the pixels, or of the zeros at their end, which a reader would add. */
TEST_P(ProgramFullDisk, KeepsTheOldFile)
{
  // The second half of the slices is zero.
  std::fill_n(m_Image->GetBufferPointer() + 32000, 32000, short{ 0 });
  WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  const std::string output = Path("out" + std::string(GetParam()));
  std::ofstream(output) << "what was there";
  const std::size_t files = CountFiles();
  for (const long limit : { 3000L, 40000L, 100000L })
  {
    const bool      isCompressed = output.find(".gz") != std::string::npos;
    ProgramSettings settings;
    settings.fileSizeLimit = isCompressed ? limit / 10 : limit;
    ExpectError(RunProgram({ Path("in.nrrd"), output, "-i", "nearest" }, settings),
                { "out" + std::string(GetParam()) });
    EXPECT_EQ(Content(output), "what was there");
    EXPECT_EQ(CountFiles(), files);
  }
}

INSTANTIATE_TEST_SUITE_P(ProgramOutput,
                         ProgramFullDisk,
                         ::testing::Values(".nii", ".nii.gz", ".nrrd", ".mha", ".mhd", ".hdr", ".tif"));

TEST_F(ProgramOutput, ReplacesAFile)
{
  std::ofstream(Path("out.mha")) << "what was there";
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.mha"), "-i", "nearest" }));
  EXPECT_EQ(LargestDifference(ReadTestImage<ShortImage>(Path("out.mha")).GetPointer(), m_Image.GetPointer()), 0.0);
  EXPECT_EQ(CountFiles(), 2u);
}

/** Both files of a pair are replaced, and the header has the final name of its data file. */
TEST_F(ProgramOutput, Pairs)
{
  for (const auto & [header, data] :
       { std::pair("out.mhd", "out.raw"), std::pair("out.hdr", "out.img"), std::pair("out.nhdr", "out.raw") })
  {
    std::ofstream(Path(header)) << "old header";
    std::ofstream(Path(data)) << "old data";
    ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path(header), "-i", "nearest" }));
    EXPECT_EQ(std::filesystem::file_size(Path(data)), 128000u);
    EXPECT_EQ(LargestDifference(ReadTestImage<ShortImage>(Path(header)).GetPointer(), m_Image.GetPointer()), 0.0);
    EXPECT_EQ(Content(Path(header)).find(".CudaSplineResample"), std::string::npos);
    std::filesystem::remove(Path(header));
    std::filesystem::remove(Path(data));
  }
  EXPECT_EQ(CountFiles(), 1u);
}

/** If the second file of a pair cannot be replaced, both files are unchanged. */
TEST_F(ProgramOutput, PairThatCannotBeReplaced)
{
  std::ofstream(Path("out.mhd")) << "old header";
  std::filesystem::create_directories(m_Folder / "out.raw" / "not empty");
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.mhd") }), { "cannot replace", "out.raw" });
  EXPECT_EQ(Content(Path("out.mhd")), "old header");
  EXPECT_EQ(CountFiles(), 3u);
}

/** A pair of files: the data were replaced, but the header cannot be. The old data are restored, also if the file
 * system does not support hard links. */
TEST_F(ProgramOutput, DataComeBack)
{
  for (const bool hasNoLinks : { false, true })
  {
    SCOPED_TRACE(hasNoLinks);
    if (hasNoLinks && !CanForbidLinks())
    {
      GTEST_SKIP() << "calls of the system cannot be forbidden here";
    }
    std::filesystem::remove_all(Path("out.mhd"));
    std::ofstream(Path("out.mhd")) << "old header";
    std::ofstream(Path("out.raw")) << "old data";
    ProgramSettings settings;
    settings.hasNoLinks = hasNoLinks;
    settings.signalWhenFolder = m_Folder.string();
    settings.whenFolder = [this] {
      std::filesystem::remove(Path("out.mhd"));
      std::filesystem::create_directories(m_Folder / "out.mhd" / "not empty");
    };
    ExpectError(RunProgram({ Path("in.nrrd"),
                             Path("out.mhd"),
                             "-i",
                             "bspline",
                             "--order",
                             "5",
                             "--size",
                             "130",
                             "--output-type",
                             "double" },
                           settings),
                { "cannot replace", "out.mhd" });
    EXPECT_EQ(Content(Path("out.raw")), "old data");
    EXPECT_EQ(CountFiles(), 3u);

    // A pair that can be replaced is written afterwards.
    std::filesystem::remove_all(Path("out.mhd"));
    settings.signalWhenFolder.clear();
    ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.mhd"), "-i", "nearest" }, settings));
    EXPECT_EQ(std::filesystem::file_size(Path("out.raw")), 128000u);
    EXPECT_EQ(CountFiles(), 3u);
  }
}

TEST_F(ProgramOutput, LinkStaysALink)
{
  std::filesystem::create_directory(m_Folder / "elsewhere");
  std::ofstream(Path("elsewhere/real.nrrd")) << "what was there";
  std::filesystem::create_symlink("elsewhere/real.nrrd", Path("out.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-i", "nearest" }));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("out.nrrd")));
  EXPECT_EQ(
    LargestDifference(ReadTestImage<ShortImage>(Path("elsewhere/real.nrrd")).GetPointer(), m_Image.GetPointer()), 0.0);
}

TEST_F(ProgramOutput, NameWithoutFolder)
{
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(m_Folder);
  ExpectQuietSuccess(RunProgram({ "in.nrrd", "out.nrrd" }));
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(Path("out.nrrd")));
}

/** SIGTERM during the work: the old file is kept, and the hidden folder is removed. */
TEST_F(ProgramOutput, SignalLeavesNothingBehind)
{
  std::ofstream(Path("out.nrrd")) << "what was there";
  ProgramSettings settings;
  settings.signalWhenFolder = m_Folder.string();
  const ProgramResult result = RunProgram(
    { Path("in.nrrd"), Path("out.nrrd"), "-i", "bspline", "--order", "5", "--size", "300", "--output-type", "double" },
    settings);
  EXPECT_EQ(result.signal, SIGTERM) << "it was done before the signal: " << result.code << result.errors;
  EXPECT_EQ(Content(Path("out.nrrd")), "what was there");
  EXPECT_EQ(CountFiles(), 2u);
}

} // namespace
