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
#include "RegisterTestSupport.h"

#include "DicomWriter.h"

#include "itkImageIOFactory.h"
#include "itkNiftiImageIO.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <sys/stat.h>

/** \file
 * \brief Damaged files and absurd numbers result in a line on stderr and exit code 1, and never in wrong voxels, a
 * signal or excessive memory. */

namespace
{

using ShortImage = itk::Image<short, 3>;

class ProgramDamage : public RegisterTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    m_Image = MakePhantom<ShortImage>({ { 20, 18, 16 } });
    std::ofstream(Path("out.nii")) << "what was there";
  }

  void
  TearDown() override
  {
    EXPECT_EQ(Content(Path("out.nii")), "what was there");
    ProgramTest::TearDown();
  }

  /** Expects that a file is refused with its name and other words. */
  void
  ExpectRefused(const std::string & name, std::vector<std::string> words = {}, std::vector<std::string> options = {})
  {
    SCOPED_TRACE(name);
    if (words.empty())
    {
      words.push_back(name);
    }
    options.insert(options.begin(), { Path(name), Path("out.nii") });
    const ProgramResult result = RunProgram(options);
    ExpectError(result, words);
    EXPECT_EQ(result.errors.find("0x"), std::string::npos) << result.errors;
    EXPECT_LT(result.errors.size(), 1500u);
  }

  void
  WriteCompressed(const std::string & name) const
  {
    const auto writer = itk::ImageFileWriter<ShortImage>::New();
    writer->SetInput(m_Image);
    writer->SetFileName(Path(name));
    writer->UseCompressionOn();
    writer->Update();
  }

  void
  WriteText(const std::string & name, const std::string & text) const
  {
    std::ofstream(Path(name), std::ios::binary) << text;
  }

  /** Changes bytes of a file. */
  template <typename T>
  void
  Patch(const std::string & name, std::size_t offset, T value) const
  {
    std::string text = Content(Path(name));
    std::memcpy(text.data() + offset, &value, sizeof(value));
    WriteText(name, text);
  }

  ShortImage::Pointer m_Image;
};

/** All formats with a checksum of their pixels detect every flipped bit. */
TEST_F(ProgramDamage, FlippedBitsOfCompressedPixels)
{
  for (const char * const name : { "a.mha", "a.nii.gz", "a.nrrd", "a.mhd" })
  {
    WriteCompressed(name);
    const std::string data = std::string(name) == "a.mhd" ? "a.zraw" : name;
    const std::string whole = Content(Path(data));
    ASSERT_FALSE(whole.empty()) << data;
    const std::string end = data == "a.mha" ? "LOCAL\n" : data == "a.nrrd" ? "\n\n" : "";
    const std::size_t begin = end.empty() ? (data == "a.zraw" ? 0 : 20) : whole.find(end) + end.size() + 10;
    const std::size_t trials = data == "a.mha" ? 20 : 6;
    for (std::size_t trial = 0; trial < trials; ++trial)
    {
      const std::size_t place = begin + (whole.size() - begin) * trial / trials;
      std::string       damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ (1 << (trial % 8)));
      WriteText(data, damaged);
      ExpectRefused(name, { data });
      if (HasFailure())
      {
        return;
      }
    }
  }
}

/** If there are fewer data than the header specifies, no memory of the process is written instead. */
TEST_F(ProgramDamage, MissingData)
{
  WriteTestImage(m_Image.GetPointer(), Path("a.mha"));
  const std::string whole = Content(Path("a.mha"));
  for (const std::size_t left : { whole.size() - 1, whole.size() / 2, whole.find("LOCAL\n") + 6 })
  {
    WriteText("a.mha", whole.substr(0, left));
    ExpectRefused("a.mha");
  }
  const std::string header =
    "ObjectType = Image\nNDims = 3\nDimSize = 4 4 3\nElementType = MET_UCHAR\nElementSpacing = 1 1 1\n";
  for (const char * const slice : { "s1.raw", "s2.raw" })
  {
    WriteText(slice, std::string(16, 'x'));
  }
  WriteText("list.mhd", header + "ElementDataFile = LIST\ns1.raw\ns2.raw\n");
  ExpectRefused("list.mhd", { "2 files", "needs 3" });
  WriteText("list.mhd", header + "ElementDataFile = LIST\ns1.raw\ns2.raw\ns3.raw\n");
  ExpectRefused("list.mhd", { "s3.raw", "missing" });
  WriteText("list.mhd", header + "ElementDataFile = s%d.raw 1 2 1\n");
  ExpectRefused("list.mhd", { "2 files", "needs 3" });
  WriteText("s3.raw", std::string(15, 'x'));
  WriteText("list.mhd", header + "ElementDataFile = s%d.raw 1 3 1\n");
  ExpectRefused("list.mhd", { "s3.raw", "15 bytes", "16" });
  WriteText("none.mhd", header + "ElementDataFile = none.raw\n");
  ExpectRefused("none.mhd", { "none.raw", "missing" });

  // A complete list is still read.
  WriteText("s3.raw", std::string(16, 'x'));
  ExpectQuietSuccess(RunProgram({ Path("list.mhd"), Path("list.nrrd"), "-i", "nearest" }));
}

/** Offsets of nifti1.h. */
TEST_F(ProgramDamage, NiftiGeometry)
{
  constexpr std::size_t pixdim = 76;
  constexpr std::size_t qformCode = 252;
  constexpr std::size_t sformCode = 254;
  constexpr std::size_t srow = 280;
  const auto            plain = MakePhantom<ShortImage>({ { 20, 18, 16 } });
  plain->SetDirection(ShortImage::New()->GetDirection());
  const auto write = [&] { WriteTestImage(plain.GetPointer(), Path("a.nii")); };
  for (const float wrong : { 0.0F, std::numeric_limits<float>::quiet_NaN() })
  {
    write();
    Patch("a.nii", pixdim + 8, wrong);
    Patch("a.nii", sformCode, std::int16_t{ 0 }); // it has its own spacings
    ExpectRefused("a.nii", { "pixdim[2]", "along y" });
  }
  write();
  Patch("a.nii", 44, std::int16_t{ 0 }); // dim[2]
  ExpectRefused("a.nii", { "dim[2] is 0" });
  write();
  Patch("a.nii", sformCode, std::int16_t{ 1 });
  Patch("a.nii", srow, std::numeric_limits<float>::quiet_NaN());
  ExpectRefused("a.nii", { "srow_x[0] is nan", "sform_code is 1" });
  for (std::size_t number = 0; number < 12; ++number)
  {
    Patch("a.nii", srow + 4 * number, 0.0F);
  }
  ExpectRefused("a.nii", { "sform", "spacing of 0 mm along x" });

  write();
  Patch("a.nii", qformCode, std::int16_t{ 1 });
  Patch("a.nii", sformCode, std::int16_t{ 1 });
  float x = 0.0F;
  std::memcpy(&x, Content(Path("a.nii")).data() + srow, sizeof(x));
  Patch("a.nii", srow + 4, 0.1F * std::abs(x));                     // x of the second axis
  ExpectRefused("a.nii", { "sform", "sheared by", "at most 0.5" }); // for any qform
}

/** Counts and grids are checked before ITK allocates memory for them. */
TEST_F(ProgramDamage, Transforms)
{
  WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  const std::string begin = "#Insight Transform File V1.0\n#Transform 0\nTransform: ";
  const auto        expect = [&](const std::string & text, const std::vector<std::string> & words) {
    WriteText("t.tfm", begin + text);
    const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nii"), "-t", Path("t.tfm") });
    ExpectError(result, words);
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    ExpectError(
      RunProgram({ Path("in.nrrd"), Path("in.nrrd"), "-o", Path("o.tfm"), "--initial-transform", Path("t.tfm") },
                 settings),
      words,
      1,
      "CudaSplineRegister");
  };
  const auto spline = [](const std::string & sizes) {
    return "BSplineTransform_double_3_3\nParameters: 0 0 0\nFixedParameters: " + sizes +
           " 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1\n";
  };
  expect(spline("-4 5 5"), { "t.tfm", "size of -4", "from 4" });
  expect(spline("1000000 1000000 1000000"), { "t.tfm", "3e+18 parameters", "but has 3" });
  expect(spline("nan 5 5"), { "t.tfm", "is nan" });
  expect(
    "DisplacementFieldTransform_double_3_3\nParameters: 0 0 0\nFixedParameters: 9 9 9 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1\n",
    { "t.tfm", "2187 parameters", "but has 3" });
  const auto affine = [](const std::string & numbers) {
    return "AffineTransform_double_3_3\nParameters: " + numbers + "\nFixedParameters: 0 0 0\n";
  };
  expect(affine("0 0 0 0 0 0 0 0 0 0 0 0"), { "t.tfm", "is singular", "determinant 0" });
  std::string many;
  for (int i = 0; i < 500; ++i)
  {
    many += i < 12 && i % 4 == 0 ? "1 " : "0 ";
  }
  expect(affine(many), { "t.tfm", "500 parameters", "12" });
  expect(affine("1 0 0 0 1 0 0 0 1 0 0 inf"), { "t.tfm", "is inf" });
  expect(affine("1 0 0 0 1 0 0 0 1 0 0 x"), { "t.tfm", "line 4", "\"x\" is not a number" });
  expect("UnknownTransform_double_3_3\nParameters: 0\n", { "t.tfm", "UnknownTransform_double_3_3", "not known" });

  // Files without line ends are not read into memory, for any size. Pipes are not waited for.
  const auto refused = [this](const std::string & name, const std::vector<std::string> & words) {
    const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nii"), "-t", Path(name) });
    ExpectError(result, words);
    EXPECT_LT(result.memory, 5e8);
    EXPECT_LT(result.errors.size(), 500u);
  };
  for (const std::string name : { "hole.tfm", "hole.txt", "hole.csv", "hole.mha" })
  {
    WriteText(name, name == "hole.mha" ? "ObjectType = Image\nNDims = 3" : "");
    std::filesystem::resize_file(Path(name), std::uintmax_t{ 1 } << 30);
  }
  refused("hole.tfm", { "hole.tfm", "no lines of text" });
  refused("hole.txt", { "hole.txt", "no lines of text" });
  WriteText("empty.h5", "");
  refused("empty.h5", { "empty.h5", "damaged" });
  ASSERT_EQ(mkfifo(Path("pipe.tfm").c_str(), 0600), 0);
  refused("pipe.tfm", { "pipe.tfm", "is not a file" });
  ExpectError(
    RunProgram({ Path("in.nrrd"), Path("out.nii"), "-t", "" }), { "does not name a transform", "identity" }, 2);
  const ProgramResult list = RunProgram({ "--batch", Path("hole.csv") });
  ExpectError(list, { "hole.csv", "is not a list of images" }, 2);
  EXPECT_LT(list.memory, 5e8);
  const ProgramResult image = RunProgram({ Path("hole.mha"), Path("out.nii") });
  ExpectError(image, { "hole.mha" });
  EXPECT_LT(image.memory, 5e8);
}

TEST_F(ProgramDamage, GridOfASplineThatNoMemoryHolds)
{
  WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  ExpectError(
    RunProgram(
      { Path("in.nrrd"), Path("in.nrrd"), "-o", Path("g.tfm"), "--stage", "bspline", "--grid-spacing", "0.001" },
      settings),
    { "--grid-spacing 0.001", "coefficients", "GB" },
    1,
    "CudaSplineRegister");
}

/** No memory is requested, and no work is started. */
TEST_F(ProgramDamage, AbsurdOutputs)
{
  WriteTestImage(m_Image.GetPointer(), Path("in.nrrd"));
  const auto run = [this](std::vector<std::string> options) {
    options.insert(options.begin(), { Path("in.nrrd"), Path("out.nii") });
    return RunProgram(options);
  };
  ExpectError(run({ "--spacing", "1e40" }), { "1e+40 mm" });
  ExpectError(run({ "--spacing", "1e12" }), { "1e+12 mm", "times the extent" });
  ExpectError(run({ "--spacing", "1e-40" }), { "1e-40 mm" });
  ExpectError(run({ "--size", "2000000" }), { "2000000 x 2000000 x 2000000", "GB of memory" });
  ExpectError(run({ "--size", "200", "--max-memory", "1M" }), { "200 x 200 x 200", "GB of memory" });
  ExpectError(run({ "--max-memory", "some" }), { "--max-memory some", "K, M or G" }, 2);
}

/** A small file that declares a large image needs few resources. */
TEST_F(ProgramDamage, SmallFilesThatPromiseMuch)
{
  WriteDicomSlice({}, Path("a.dcm"));
  std::string       file = Content(Path("a.dcm"));
  const std::string rows("\x28\x00\x10\x00", 4);
  const std::string columns("\x28\x00\x11\x00", 4);
  for (const std::string & tag : { rows, columns })
  {
    const std::size_t at = file.find(tag); // the value is 8 bytes after it, with or without a type of the number
    ASSERT_NE(at, std::string::npos);
    file.replace(at + 8, 2, "\xFF\xFF");
  }
  WriteText("a.dcm", file);
  ExpectRefused("a.dcm");
  WriteText("a.nrrd",
            "NRRD0004\ntype: short\ndimension: 3\nsizes: 60000 60000 60000\nencoding: raw\nendian: little\n\nxx");
  ExpectRefused("a.nrrd", { "2 bytes of pixels", "requires 432000000000000" }, { "--size", "10" });
  WriteText("a.mha",
            "ObjectType = Image\nNDims = 3\nDimSize = 60000 60000 6000\nElementType = MET_SHORT\nElementDataFile = "
            "LOCAL\nxx");
  ExpectRefused("a.mha", { "2 bytes of pixels", "requires 43200000000000" }, { "--size", "10" });
}

/** A NaN voxel does not spread in a registration. */
TEST_F(ProgramDamage, NotANumberInARegistration)
{
  const auto known = KnownRigid();
  WritePair<2>(known, 40);
  ExpectQuietSuccess(Register({ "--stage", "rigid", "-o", Path("clean.tfm") }));
  for (const char * const name : { "fixed.nrrd", "moving.nrrd" })
  {
    const auto image = ReadTestImage<Image<2>>(Path(name));
    image->SetPixel({ { 17, 21 } }, std::numeric_limits<float>::quiet_NaN());
    image->SetPixel({ { 3, 5 } }, std::numeric_limits<float>::infinity());
    WriteTestImage(image.GetPointer(), Path(name));
  }
  const ProgramResult result = Register({ "--stage", "rigid", "-o", Path("found.tfm") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("2 of 1520 voxels of the fixed image are not finite"), std::string::npos)
    << result.errors;
  EXPECT_EQ(result.CountErrorLines(), 2u) << result.errors;
  // One voxel in the middle counts as background. The result moves at most as far as this voxel can move it.
  EXPECT_LT(DistanceOf<2>("found.tfm", known, 40), DistanceOf<2>("clean.tfm", known, 40) + 0.2);
}

} // namespace
