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
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

/** \file
 * \brief Input and output formats: pixels, their type and the geometry are kept. Nearest neighbours on the grid of the
 * image are its pixels. (Other interpolations may differ by 1 in integers, because coordinates are rounded and ITK
 * truncates.) */

namespace
{

using Image3 = itk::Image<short, 3>;
using Image2 = itk::Image<unsigned char, 2>;

class VolumeFormats
  : public ProgramTest
  , public ::testing::WithParamInterface<const char *>
{};

TEST_P(VolumeFormats, RoundTrip)
{
  const auto        image = MakePhantom<Image3>({ { 13, 11, 7 } });
  const std::string input = Path("in" + std::string(GetParam()));
  const std::string output = Path("out" + std::string(GetParam()));
  WriteTestImage(image.GetPointer(), input);
  ExpectQuietSuccess(RunProgram({ input, output, "-i", "nearest" }));
  const auto result = ReadTestImage<Image3>(output);
  ExpectSameGrid(result.GetPointer(), image.GetPointer());
  EXPECT_EQ(LargestDifference(result.GetPointer(), image.GetPointer()), 0.0);
  EXPECT_EQ(ComponentOfFile(output), "short");
}

INSTANTIATE_TEST_SUITE_P(ProgramFormats,
                         VolumeFormats,
                         ::testing::Values(".nii", ".nii.gz", ".hdr", ".nrrd", ".nhdr", ".mha", ".mhd"));

/** Non-finite values are kept. For NIfTI, ITK's library replaces them with zeros. */
TEST_P(VolumeFormats, KeepWhatIsNotFinite)
{
  const auto image = MakePhantom<itk::Image<float, 3>>({ { 13, 11, 7 } });
  image->SetPixel({ { 3, 4, 5 } }, std::numeric_limits<float>::quiet_NaN());
  image->SetPixel({ { 12, 10, 6 } }, std::numeric_limits<float>::infinity());
  const std::string input = Path("in" + std::string(GetParam()));
  WriteTestImage(image.GetPointer(), input);
  ExpectQuietSuccess(RunProgram({ input, Path("out.mha"), "-i", "nearest" }));
  const auto result = ReadTestImage<itk::Image<float, 3>>(Path("out.mha"));
  EXPECT_TRUE(std::isnan(result->GetPixel({ { 3, 4, 5 } })));
  EXPECT_GT(result->GetPixel({ { 12, 10, 6 } }), 1e38F); // ITK's cast clamps this
  for (const auto & place : { itk::Index<3>{ { 3, 4, 5 } }, itk::Index<3>{ { 12, 10, 6 } } })
  {
    image->SetPixel(place, 0.0F);
    result->SetPixel(place, 0.0F);
  }
  EXPECT_EQ(LargestDifference(result.GetPointer(), image.GetPointer()), 0.0);
}

class PictureFormats
  : public ProgramTest
  , public ::testing::WithParamInterface<const char *>
{};

TEST_P(PictureFormats, RoundTrip)
{
  const auto image = MakePhantom<Image2>({ { 13, 11 } });
  const auto plain = Image2::New(); // these formats have no geometry
  image->SetSpacing(plain->GetSpacing());
  image->SetOrigin(plain->GetOrigin());
  image->SetDirection(plain->GetDirection());
  const std::string input = Path("in" + std::string(GetParam()));
  const std::string output = Path("out" + std::string(GetParam()));
  WriteTestImage(image.GetPointer(), input);
  ExpectQuietSuccess(RunProgram({ input, output, "-i", "nearest" }));
  const auto result = ReadTestImage<Image2>(output);
  EXPECT_EQ(LargestDifference(result.GetPointer(), image.GetPointer()), 0.0);
  EXPECT_EQ(ComponentOfFile(output), "unsigned_char");
}

INSTANTIATE_TEST_SUITE_P(ProgramFormats, PictureFormats, ::testing::Values(".png", ".tif", ".nii", ".mha"));

using ProgramFormats = ProgramTest;

TEST_F(ProgramFormats, ObliqueGeometryOf2DImages)
{
  const auto image = MakePhantom<itk::Image<float, 2>>({ { 13, 11 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.mha"), "-i", "nearest" }));
  const auto result = ReadTestImage<itk::Image<float, 2>>(Path("out.mha"));
  ExpectSameGrid(result.GetPointer(), image.GetPointer());
  EXPECT_EQ(LargestDifference(result.GetPointer(), image.GetPointer()), 0.0);
}

template <typename TPixel>
class ProgramPixelTypes : public ProgramTest
{};
using AllPixelTypes = ::testing::Types<std::uint8_t,
                                       std::int8_t,
                                       std::uint16_t,
                                       std::int16_t,
                                       std::uint32_t,
                                       std::int32_t,
                                       std::uint64_t,
                                       std::int64_t,
                                       float,
                                       double>;
TYPED_TEST_SUITE(ProgramPixelTypes, AllPixelTypes, );

/** Every pixel type is kept by the default output type, including its extreme values. */
TYPED_TEST(ProgramPixelTypes, SurviveNearest)
{
  using ImageType = itk::Image<TypeParam, 3>;
  const auto image = MakePhantom<ImageType>({ { 5, 4, 3 } });
  image->SetPixel({ { 0, 0, 0 } }, std::numeric_limits<TypeParam>::lowest());
  image->SetPixel({ { 1, 0, 0 } }, std::numeric_limits<TypeParam>::max());
  const std::string input = this->Path("in.nrrd");
  const std::string output = this->Path("out.nrrd");
  WriteTestImage(image.GetPointer(), input);
  ExpectQuietSuccess(RunProgram({ input, output, "--interpolation", "nearest" }));
  EXPECT_EQ(ComponentOfFile(output), ComponentOfFile(input));
  const auto result = ReadTestImage<ImageType>(output);
  EXPECT_TRUE(std::equal(image->GetBufferPointer(), image->GetBufferPointer() + 60, result->GetBufferPointer()));
}

TEST_F(ProgramFormats, OthersAreRefusedWithAConverter)
{
  for (const auto & [name, converter] : { std::pair("a.mgz", "mri_convert"),
                                          std::pair("a.BRIK.gz", "3dAFNItoNIFTI"),
                                          std::pair("a.nii.bz2", "bunzip2") })
  {
    std::ofstream(Path(name)) << std::string(500, 'x');
    ExpectError(RunProgram({ Path(name), Path("out.nrrd") }), { name, "not supported", converter });
  }
}

TEST_F(ProgramFormats, FourDimensionsWithOneVolumeAreThree)
{
  using Image4 = itk::Image<short, 4>;
  const auto image = Image4::New();
  image->SetRegions(Image4::SizeType{ { 4, 5, 6, 1 } });
  image->Allocate(true);
  image->SetPixel({ { 1, 2, 3, 0 } }, 42);
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-i", "nearest" }));
  EXPECT_EQ(ReadTestImage<Image3>(Path("out.nrrd"))->GetPixel({ { 1, 2, 3 } }), 42);
}

TEST_F(ProgramFormats, WarnsOfGeometryThatTheFormatDrops)
{
  WriteTestImage(MakePhantom<Image2>({ { 13, 11 } }).GetPointer(), Path("in.nrrd"));
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.png") });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u);
  EXPECT_NE(result.errors.find("does not keep the image's origin, direction"), std::string::npos) << result.errors;
}

/** A warning is printed once for each file, for any names of the file. */
TEST_F(ProgramFormats, WarnsOnceOfAFileWithSeveralNames)
{
  WriteTestImage(MakePhantom<Image3>({ { 13, 11, 7 } }).GetPointer(), Path("in.nii"));
  std::fstream header(Path("in.nii"), std::ios::in | std::ios::out | std::ios::binary);
  header.seekp(72); // bitpix
  header.put('\x07');
  header.close();
  std::ofstream(Path("in.nrrd"), std::ios::binary)
    << "NRRD0004\ntype: uint8\ndimension: 3\nspace: 3D-right-handed\nsizes: 2 2 2\nspace directions: (1,0,0) (0,1,0) "
       "(0,0,1)\nspace origin: (0,0,0)\nencoding: raw\n\n12345678";
  std::filesystem::create_directory(Path("folder"));
  for (const std::string name : { "in.nii", "in.nrrd" })
  {
    const std::string ending = name.substr(2);
    std::filesystem::create_symlink(name, Path("link" + ending));
    std::filesystem::create_hard_link(Path(name), Path("hard" + ending));
    for (const std::string & other :
         { name, "./" + name, "folder/../" + name, "link" + ending, std::string("hard" + ending) })
    {
      const ProgramResult result = RunProgram({ Path(name), Path("out.mha"), "-i", "nearest", "-r", Path(other) });
      EXPECT_EQ(result.code, 0);
      EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
      EXPECT_NE(result.errors.find("\"" + Path(name) + "\""), std::string::npos) << result.errors;
    }
  }
}

TEST_F(ProgramFormats, EndingsInCapitals)
{
  const auto image = MakePhantom<Image3>({ { 13, 11, 7 } });
  WriteTestImage(image.GetPointer(), Path("in.nii.gz"));
  std::filesystem::rename(Path("in.nii.gz"), Path("IN.NII.GZ"));
  for (const char * const name : { "OUT.NII.GZ", "OUT.NII" })
  {
    ExpectQuietSuccess(RunProgram({ Path("IN.NII.GZ"), Path(name), "-i", "nearest" }));
    std::filesystem::rename(Path(name), Path(std::string(name) == "OUT.NII" ? "out.nii" : "out.nii.gz"));
    const auto result = ReadTestImage<Image3>(Path(std::string(name) == "OUT.NII" ? "out.nii" : "out.nii.gz"));
    EXPECT_EQ(LargestDifference(result.GetPointer(), image.GetPointer()), 0.0);
  }
}

/** The named file is read, whatever other files are next to it. */
TEST_F(ProgramFormats, NamesThatDifferByTheirEnding)
{
  const auto packed = MakePhantom<Image3>({ { 13, 11, 7 } });
  const auto plain = MakeObliqueImage<Image3>({ { 13, 11, 7 } });
  plain->FillBuffer(3);
  WriteTestImage(packed.GetPointer(), Path("in.nii.gz"));
  WriteTestImage(plain.GetPointer(), Path("in.nii"));
  std::filesystem::create_directory(Path("capitals"));
  std::filesystem::copy_file(Path("in.nii.gz"), Path("capitals/IN.NII.GZ"));
  std::filesystem::copy_file(Path("in.nii"), Path("capitals/IN.NII"));
  for (const auto & [name, image] : { std::pair("in.nii.gz", packed),
                                      std::pair("in.nii", plain),
                                      std::pair("capitals/IN.NII.GZ", packed),
                                      std::pair("capitals/IN.NII", plain) })
  {
    SCOPED_TRACE(name);
    ExpectQuietSuccess(RunProgram({ Path(name), Path("out.nrrd"), "-i", "nearest" }));
    EXPECT_EQ(LargestDifference(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), image.GetPointer()), 0.0);
  }
  // An output next to its other form is verified with its own pixels.
  ExpectQuietSuccess(RunProgram({ Path("in.nii"), Path("out.nii.gz"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("in.nii.gz"), Path("out.nii"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("out.nii.gz"), Path("out.nrrd"), "-i", "nearest" }));
  EXPECT_EQ(LargestDifference(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), plain.GetPointer()), 0.0);
  // The same holds for pairs of header and image.
  WriteTestImage(packed.GetPointer(), Path("pair.img.gz"));
  WriteTestImage(plain.GetPointer(), Path("pair.img"));
  for (const auto & [name, image] : { std::pair("pair.img.gz", packed), std::pair("pair.img", plain) })
  {
    ExpectQuietSuccess(RunProgram({ Path(name), Path("out.nrrd"), "-i", "nearest" }));
    EXPECT_EQ(LargestDifference(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), image.GetPointer()), 0.0);
  }
}

/** The codes of the space belong to the grid, and the description is kept. Offsets are those of nifti1.h. */
TEST_F(ProgramFormats, CodesOfTheSpace)
{
  constexpr std::size_t qformCode = 252;
  constexpr std::size_t sformCode = 254;
  const auto            patch = [this](const std::string & name, std::size_t offset, std::int16_t value) {
    std::string text = Content(Path(name));
    std::memcpy(text.data() + offset, &value, sizeof(value));
    std::ofstream(Path(name), std::ios::binary) << text;
  };
  const auto code = [this](const std::string & name, std::size_t offset) {
    std::int16_t value = 0;
    std::memcpy(&value, Content(Path(name)).data() + offset, sizeof(value));
    return value;
  };
  const auto image = MakePhantom<Image3>({ { 13, 11, 7 } });
  WriteTestImage(image.GetPointer(), Path("scanner.nii"));
  WriteTestImage(image.GetPointer(), Path("mni.nii"));
  for (const std::size_t offset : { qformCode, sformCode })
  {
    patch("scanner.nii", offset, 1);
    patch("mni.nii", offset, 4);
  }
  constexpr std::size_t description = 148;
  const std::string     said = "a phantom, T1";
  std::string           described = Content(Path("mni.nii"));
  described.replace(description, said.size() + 1, said.c_str(), said.size() + 1);
  std::ofstream(Path("mni.nii"), std::ios::binary) << described;
  ExpectQuietSuccess(RunProgram({ Path("mni.nii"), Path("out.nii"), "--spacing", "2", "--smooth", "auto" }));
  EXPECT_EQ(std::string(Content(Path("out.nii")).substr(description).c_str()), said);
  EXPECT_EQ(code("out.nii", qformCode), 4);
  EXPECT_EQ(code("out.nii", sformCode), 4);
  // An image that is resampled to a template is in its space.
  ExpectQuietSuccess(RunProgram({ Path("scanner.nii"), Path("out.nii"), "-r", Path("mni.nii") }));
  EXPECT_EQ(code("out.nii", qformCode), 4);
  EXPECT_EQ(code("out.nii", sformCode), 4);
  EXPECT_NE(std::string(Content(Path("out.nii")).substr(description).c_str()), said); // it is not the template
  ExpectQuietSuccess(RunProgram({ Path("mni.nii"), Path("packed.nii.gz"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("packed.nii.gz"), Path("again.nii"), "-i", "nearest" }));
  EXPECT_EQ(code("again.nii", sformCode), 4);
  // The pixels are unchanged for any header.
  const std::string pixels = Content(Path("mni.nii")).substr(352);
  EXPECT_EQ(Content(Path("again.nii")).substr(352), pixels);
  EXPECT_EQ(CountFiles(), 5u);
}

/** The unit of time of a series is written with it. */
TEST_F(ProgramFormats, Units)
{
  constexpr std::size_t pixdim = 76;
  constexpr std::size_t units = 123;
  using Image4 = itk::Image<short, 4>;
  const auto series = Image4::New();
  series->SetRegions(Image4::SizeType{ { 6, 5, 4, 3 } });
  const double spacing[] = { 2.0, 2.0, 2.0, 1500.0 };
  series->SetSpacing(spacing);
  series->Allocate(true);
  WriteTestImage(series.GetPointer(), Path("in.nii"));
  std::string text = Content(Path("in.nii"));
  text[units] = 2 + 16; // ms
  std::ofstream(Path("in.nii"), std::ios::binary) << text;
  ExpectQuietSuccess(RunProgram({ Path("in.nii"), Path("out.nii"), "-i", "nearest", "--size", "6,5,4" }));
  text = Content(Path("out.nii"));
  EXPECT_EQ(text[units] & 7, 2);
  float time = 0.0f;
  std::memcpy(&time, text.data() + pixdim + 4 * sizeof(float), sizeof(time));
  const int unit = text[units] & 0x38; // the unit depends on whether ITK converts, which differs between its versions
  EXPECT_TRUE(unit == 8 || unit == 16) << unit;
  EXPECT_NEAR(time * (unit == 16 ? 1e-3 : 1.0), 1.5, 1e-5);
}

} // namespace
