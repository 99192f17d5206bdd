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

#include "../files/NiftiReference.h"

#include "itkVectorImage.h"
#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

/** \file
 * \brief NIfTI in both programs: the geometry and the values of headers that are written here byte by byte are
 * compared with the rule of NiftiReference.h. (NiftiHeaderTest.cxx has the sentences of the rule and 20,000 random
 * headers.) */

namespace
{

using Image3 = itk::Image<float, 3>;
using Vectors3 = itk::VectorImage<float, 3>;
using Vectors4 = itk::VectorImage<float, 4>;
using NiftiReference::Affine;
using NiftiReference::Fields;

class ProgramNifti : public ProgramTest
{
protected:
  using Size = std::array<std::int64_t, 3>;

  static constexpr Size size{ 24, 20, 16 };

  static Fields
  Plain()
  {
    Fields f;
    f.dim = { { 3, size[0], size[1], size[2], 1, 1, 1, 1 } };
    f.pixdim = { { 1, 2, 3, 4, 0, 0, 0, 0 } };
    return f;
  }

  /** Returns a smooth number for each voxel and each plane. */
  static std::vector<float>
  Values(std::size_t planes = 1)
  {
    std::vector<float> values;
    for (std::size_t plane = 0; plane < planes; ++plane)
    {
      for (std::int64_t z = 0; z < size[2]; ++z)
      {
        for (std::int64_t y = 0; y < size[1]; ++y)
        {
          for (std::int64_t x = 0; x < size[0]; ++x)
          {
            const double square =
              (x - 11.0) * (x - 11.0) / 60 + (y - 9.0) * (y - 9.0) / 40 + (z - 8.0) * (z - 8.0) / 30;
            values.push_back(static_cast<float>(100 * std::exp(-square) + 3 * std::sin(0.5 * static_cast<double>(x)) +
                                                1000 * static_cast<double>(plane)));
          }
        }
      }
    }
    return values;
  }

  /** Returns the bytes of numbers in the order of a header. */
  template <typename T>
  static std::string
  BytesOf(const Fields & fields, const std::vector<T> & values)
  {
    NiftiReference::Packer packer(values.size() * sizeof(T), fields.isSwapped);
    for (std::size_t index = 0; index < values.size(); ++index)
    {
      packer.Put<T>(index * sizeof(T), values[index]);
    }
    return packer.Take();
  }

  void
  Write(const std::string & name, const std::string & bytes) const
  {
    if (name.size() > 3 && name.compare(name.size() - 3, 3, ".gz") == 0)
    {
      const gzFile file = gzopen(Path(name).c_str(), "wb1");
      EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned int>(bytes.size())), static_cast<int>(bytes.size()));
      EXPECT_EQ(gzclose(file), Z_OK);
      return;
    }
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }

  template <typename T>
  void
  WriteFile(const std::string & name, const Fields & fields, const std::vector<T> & values) const
  {
    std::string bytes = NiftiReference::Pack(fields);
    bytes.resize(static_cast<std::size_t>(fields.voxOffset), '\0');
    Write(name, bytes + BytesOf(fields, values));
  }

  std::string
  ReadUnpacked(const std::string & name) const
  {
    const gzFile      file = gzopen(Path(name).c_str(), "rb");
    std::string       bytes;
    std::vector<char> buffer(1 << 16);
    for (int count = 0; (count = gzread(file, buffer.data(), static_cast<unsigned int>(buffer.size()))) > 0;)
    {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    EXPECT_EQ(gzclose(file), Z_OK);
    return bytes;
  }

  ProgramResult
  Resample(const std::string &      in,
           const std::string &      out,
           std::vector<std::string> options = { "-i", "nearest" }) const
  {
    options.insert(options.begin(), { Path(in), Path(out) });
    return RunProgram(options);
  }

  /** Runs CudaSplineRegister with the same image twice: the output is the image on its grid. */
  ProgramResult
  Register(const std::string & in, const std::string & out) const
  {
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    return RunProgram({ Path(in),
                        Path(in),
                        "-o",
                        Path("t.tfm"),
                        "-w",
                        Path(out),
                        "--stage",
                        "translation",
                        "--iterations",
                        "1",
                        "--levels",
                        "1",
                        "--device",
                        "cpu" },
                      settings);
  }

  /** Expects the matrix (mm, RAS) within 1e-5 voxel at all corners. */
  template <typename TImage>
  static void
  ExpectGeometry(const TImage * image, const Affine & affine)
  {
    const auto sizes = image->GetLargestPossibleRegion().GetSize();
    double     finest = 1e30;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      finest = std::min(finest, image->GetSpacing()[axis]);
    }
    for (unsigned int corner = 0; corner < 8; ++corner)
    {
      typename TImage::IndexType index;
      index.Fill(0);
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        index[axis] = (corner >> axis & 1U) != 0 ? static_cast<itk::IndexValueType>(sizes[axis]) - 1 : 0;
      }
      typename TImage::PointType point;
      image->TransformIndexToPhysicalPoint(index, point);
      for (unsigned int row = 0; row < 3; ++row)
      {
        double wanted = affine[row][3];
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          wanted += affine[row][axis] * static_cast<double>(index[axis]);
        }
        EXPECT_NEAR(point[row], (row < 2 ? -1.0 : 1.0) * wanted, 1e-5 * finest) << "row " << row;
      }
    }
  }

  static Affine
  Diagonal(double x, double y, double z, std::array<double, 3> offset = {})
  {
    return { { { x, 0, 0, offset[0] }, { 0, y, 0, offset[1] }, { 0, 0, z, offset[2] } } };
  }
};

constexpr ProgramNifti::Size ProgramNifti::size;

} // namespace

/** All ways in which a header can define the positions of voxels. */
TEST_F(ProgramNifti, Geometry)
{
  const std::vector<std::pair<std::string, std::function<void(Fields &)>>> cases{
    { "method 1", [](Fields &) {} },
    { "negative pixdim",
      [](Fields & f) {
        f.pixdim = { { 1, -2, -3, -4, 0, 0, 0, 0 } };
        f.qformCode = 1;
        f.qoffset = { 5, 6, 7 };
      } },
    { "qform",
      [](Fields & f) {
        f.qformCode = 3;
        f.quatern = { 0.1, -0.2, 0.3 };
        f.qoffset = { -50, 60, 70 };
        f.pixdim[0] = -1;
      } },
    { "half a turn",
      [](Fields & f) {
        f.qformCode = 1;
        f.quatern = { 0, 0, 0.99999998 };
      } },
    { "sform",
      [](Fields & f) {
        f.sformCode = 4;
        f.srow = { { { 0, 0, 2, 10 }, { -3, 0, 0, 20 }, { 0, 4, 0, -30 } } };
      } },
    { "micrometres",
      [](Fields & f) {
        f.sformCode = 1;
        f.xyztUnits = 3;
        f.srow = Diagonal(400, 400, 500, { -500, 600, 700 });
      } },
    { "metres",
      [](Fields & f) {
        f.qformCode = 1;
        f.xyztUnits = 1;
        f.pixdim = { { 1, 0.002, 0.003, 0.004, 0, 0, 0, 0 } };
        f.qoffset = { 0.1, 0.2, 0.3 };
      } },
    { "small voxels", [](Fields & f) { f.sformCode = 2, f.srow = Diagonal(-0.001, 0.001, 0.001); } },
    { "large voxels", [](Fields & f) { f.sformCode = 2, f.srow = Diagonal(-1000, 1000, 1000); } },
    { "three digits",
      [](Fields & f) {
        f.sformCode = 1;
        f.srow = { { { 0.94, -0.342, 0, 0 }, { 0.342, 0.94, 0, 0 }, { 0, 0, 1, 0 } } };
      } },
    { "NIfTI-2, big endian",
      [](Fields & f) {
        f.version = 2;
        f.magic = NiftiReference::SecondMagic();
        f.voxOffset = 544;
        f.isSwapped = true;
        f.sformCode = 1;
        f.srow = Diagonal(-1, 1.5, 2, { 1, 2, 3 });
      } },
    { "big endian",
      [](Fields & f) {
        f.isSwapped = true, f.sformCode = 1, f.srow = Diagonal(-1, 1.5, 2, { 1, 2, 3 });
      } },
    { "an extension", [](Fields & f) { f.voxOffset = 480, f.sformCode = 1, f.srow = Diagonal(-1, 1.5, 2); } },
  };
  const std::vector<float> values = Values();
  for (const auto & [name, change] : cases)
  {
    SCOPED_TRACE(name);
    Fields fields = Plain();
    change(fields);
    const auto answer = NiftiReference::Interpret(fields);
    ASSERT_TRUE(answer);
    WriteFile("in.nii.gz", fields, values);
    for (const bool registers : { false, true })
    {
      SCOPED_TRACE(registers ? "CudaSplineRegister" : "CudaSplineResample");
      const ProgramResult result = registers ? Register("in.nii.gz", "out.nrrd") : Resample("in.nii.gz", "out.nrrd");
      ASSERT_EQ(result.code, 0) << result.errors;
      EXPECT_EQ(result.errors.find("NIfTI"), std::string::npos) << result.errors;
      const auto image = ReadTestImage<Image3>(Path("out.nrrd"));
      ExpectGeometry(image.GetPointer(), answer->affine);
      // A registration moves the image slightly: the sum shows whether other numbers were read.
      std::size_t wrong = 0;
      double      sum = 0.0;
      for (std::size_t voxel = 0; voxel < values.size(); ++voxel)
      {
        wrong += image->GetBufferPointer()[voxel] != values[voxel] ? 1 : 0;
        sum += static_cast<double>(image->GetBufferPointer()[voxel]) - static_cast<double>(values[voxel]);
      }
      EXPECT_TRUE(registers || wrong == 0) << wrong;
      EXPECT_LT(std::abs(sum) / static_cast<double>(values.size()), 3.0);
    }
    // The output has the same matrix, to the rounding of its fields.
    ASSERT_EQ(Resample("in.nii.gz", "again.nii").code, 0);
    ASSERT_EQ(Resample("again.nii", "again.nrrd").code, 0);
    if (fields.version == 1) // ITK 5.2 reads it by the quaternion
    {
      const auto byItk = ReadTestImage<Image3>(Path("again.nii"));
      const auto ours = ReadTestImage<Image3>(Path("again.nrrd"));
      for (unsigned int corner = 0; corner < 8; ++corner)
      {
        Image3::IndexType index;
        Image3::PointType one;
        Image3::PointType other;
        for (unsigned int axis = 0; axis < 3; ++axis)
        {
          index[axis] = (corner >> axis & 1U) != 0 ? size[axis] - 1 : 0;
        }
        byItk->TransformIndexToPhysicalPoint(index, one);
        ours->TransformIndexToPhysicalPoint(index, other);
        // The fourth number of a quaternion has the square root of the rounding of the others, 2^-24.
        EXPECT_LT(one.EuclideanDistanceTo(other), 40 * 2 * 2.5e-4 * ours->GetSpacing().GetNorm());
      }
    }
    const auto again = ReadTestImage<Image3>(Path("again.nrrd"));
    Affine     written = answer->affine;
    if (fields.version == 1)
    {
      for (auto & row : written)
      {
        for (double & number : row)
        {
          number = static_cast<float>(number);
        }
      }
    }
    ExpectGeometry(again.GetPointer(), written);
  }
}

/** The sform is used, and a one-line warning gives the distance of the qform from it. */
TEST_F(ProgramNifti, TwoMatrices)
{
  Fields f = Plain();
  f.sformCode = 2;
  f.srow = Diagonal(-2, 2, 2);
  f.pixdim = { { -1, 2, 2, 2, 0, 0, 0, 0 } };
  f.qformCode = 1;
  f.quatern = { 0, 1, 0 };
  f.qoffset = { 9, 0, 0 };
  WriteFile("in.nii", f, Values());
  const ProgramResult resampled = Resample("in.nii", "out.nrrd", { "-i", "nearest", "-r", Path("in.nii") });
  const ProgramResult registered = Register("in.nii", "warped.nrrd");
  for (const ProgramResult & result : { resampled, registered })
  {
    EXPECT_EQ(result.code, 0);
    const auto first = result.errors.find("its sform and its qform (code 1) differ by up to 9 mm");
    EXPECT_NE(first, std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("ITK 5.2 and ANTs may take the qform"), std::string::npos);
    EXPECT_EQ(result.errors.find("its sform and its qform", first + 1), std::string::npos) << result.errors;
  }
  ExpectGeometry(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), f.srow);
  ExpectGeometry(ReadTestImage<Image3>(Path("warped.nrrd")).GetPointer(), f.srow);
}

TEST_F(ProgramNifti, Shears)
{
  Fields f = Plain();
  f.sformCode = 1;
  f.srow = Diagonal(-2, 2, 2);
  f.srow[0][1] = 2 * std::tan(0.3 / 57.29577951308232);
  WriteFile("in.nii", f, Values());
  const ProgramResult result = Resample("in.nii", "out.nrrd");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1U) << result.errors;
  EXPECT_NE(result.errors.find("sheared by 0.3 degrees"), std::string::npos) << result.errors;
  ExpectGeometry(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), NiftiReference::Interpret(f)->affine);
  f.srow[0][1] = 0.5;
  WriteFile("in.nii", f, Values());
  ExpectError(Resample("in.nii", "none.nrrd"), { "in.nii", "sheared by 14.0362 degrees", "at most 0.5" });
  ExpectError(Register("in.nii", "none.nrrd"), { "in.nii", "sheared by 14.0362 degrees" }, 1, "CudaSplineRegister");
  EXPECT_FALSE(std::filesystem::exists(Path("none.nrrd")));
}

/** The slope applies to each number of a vector. */
TEST_F(ProgramNifti, SlopesOfVectors)
{
  Fields f = Plain();
  f.dim = { { 5, 5, 6, 7, 1, 3, 1, 1 } };
  f.intentCode = 1007;
  f.slope = 0.5;
  f.intercept = 1;
  f.datatype = 4;
  f.bitpix = 16;
  std::vector<std::int16_t> values(210 * 3);
  for (std::size_t index = 0; index < values.size(); ++index)
  {
    values[index] = static_cast<std::int16_t>(index);
  }
  WriteFile("in.nii", f, values);
  ExpectQuietSuccess(Resample("in.nii", "out.nrrd"));
  const auto image = ReadTestImage<Vectors3>(Path("out.nrrd"));
  for (std::size_t voxel = 0; voxel < 210; ++voxel)
  {
    for (std::size_t component = 0; component < 3; ++component)
    {
      ASSERT_EQ(image->GetBufferPointer()[3 * voxel + component],
                0.5F * static_cast<float>(voxel + 210 * component) + 1);
    }
  }
}

/** Series with several numbers per voxel, from NRRD to NIfTI and back, compressed or not. */
TEST_F(ProgramNifti, SeriesOfVectors)
{
  for (const unsigned int components : { 2U, 3U, 6U })
  {
    const auto            image = Vectors4::New();
    Vectors4::SizeType    sizes{ { 6, 5, 4, 3 } };
    constexpr std::size_t voxels = 6 * 5 * 4;
    image->SetRegions(sizes);
    image->SetNumberOfComponentsPerPixel(components);
    image->Allocate();
    for (std::size_t index = 0; index < voxels * 3 * components; ++index)
    {
      image->GetBufferPointer()[index] = static_cast<float>(index) * 0.5F;
    }
    WriteTestImage(image.GetPointer(), Path("in.nrrd"));
    for (const std::string ending : { ".nii", ".nii.gz", ".hdr" })
    {
      SCOPED_TRACE(ending + ", " + std::to_string(components) + " components");
      ExpectQuietSuccess(Resample("in.nrrd", "out" + ending));
      std::string bytes =
        ending == ".hdr" ? Content(Path("out.hdr")) + "...." + Content(Path("out.img")) : ReadUnpacked("out" + ending);
      std::array<std::int16_t, 8> dim{};
      ASSERT_EQ(bytes.size(), 352 + voxels * 3 * components * sizeof(float));
      std::memcpy(dim.data(), bytes.data() + 40, sizeof(dim));
      EXPECT_EQ(dim, (std::array<std::int16_t, 8>{ 5, 6, 5, 4, 3, static_cast<std::int16_t>(components), 1, 1 }));
      for (std::size_t component = 0; component < components; ++component)
      {
        for (std::size_t volume = 0; volume < 3; ++volume)
        {
          for (std::size_t voxel = 0; voxel < voxels; ++voxel)
          {
            float number = 0;
            std::memcpy(&number,
                        bytes.data() + 352 + sizeof(float) * ((component * 3 + volume) * voxels + voxel),
                        sizeof(number));
            ASSERT_EQ(number, 0.5F * static_cast<float>((volume * voxels + voxel) * components + component));
          }
        }
      }
      ExpectQuietSuccess(Resample("out" + ending, "back.nrrd"));
      const auto back = ReadTestImage<Vectors4>(Path("back.nrrd"));
      ASSERT_EQ(back->GetNumberOfComponentsPerPixel(), components);
      ASSERT_EQ(back->GetLargestPossibleRegion().GetSize(), sizes);
      EXPECT_EQ(
        std::memcmp(back->GetBufferPointer(), image->GetBufferPointer(), voxels * 3 * components * sizeof(float)), 0);
    }
  }
}

/** The colours of a series are together in a voxel, and are resampled like others. */
TEST_F(ProgramNifti, SeriesOfColours)
{
  Fields f = Plain();
  f.dim = { { 4, 5, 6, 7, 3, 1, 1, 1 } };
  f.datatype = 128;
  f.bitpix = 24;
  f.slope = 2; // has no meaning
  std::vector<std::uint8_t> values(210 * 3 * 3);
  for (std::size_t index = 0; index < values.size(); ++index)
  {
    values[index] = static_cast<std::uint8_t>(index * 7);
  }
  for (const std::string ending : { ".nii", ".nii.gz" })
  {
    WriteFile("in" + ending, f, values);
    ExpectQuietSuccess(Resample("in" + ending, "out" + ending));
    const std::string bytes = ReadUnpacked("out" + ending);
    ASSERT_EQ(bytes.size(), 352 + values.size());
    EXPECT_EQ(std::memcmp(bytes.data() + 352, values.data(), values.size()), 0);
    std::int16_t datatype = 0;
    std::memcpy(&datatype, bytes.data() + 70, sizeof(datatype));
    EXPECT_EQ(datatype, 128);
  }
}

/** A series of tensors keeps its intent and the order of its numbers. */
TEST_F(ProgramNifti, SeriesOfTensors)
{
  Fields f = Plain();
  f.dim = { { 5, 5, 6, 7, 2, 6, 1, 1 } };
  f.intentCode = 1005;
  f.intentP[0] = 3;
  std::vector<float> values(210 * 2 * 6);
  for (std::size_t index = 0; index < values.size(); ++index)
  {
    values[index] = static_cast<float>(index);
  }
  f.isSwapped = true;
  WriteFile("in.nii.gz", f, values);
  ExpectQuietSuccess(Resample("in.nii.gz", "out.nii"));
  const std::string bytes = Content(Path("out.nii"));
  ASSERT_EQ(bytes.size(), 352 + values.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(bytes.data() + 352, values.data(), values.size() * sizeof(float)), 0);
  std::int16_t intent = 0;
  std::memcpy(&intent, bytes.data() + 68, sizeof(intent));
  EXPECT_EQ(intent, 1005);
  ExpectQuietSuccess(Resample("in.nii.gz", "out.nrrd"));
  const auto image = ReadTestImage<Vectors4>(Path("out.nrrd"));
  EXPECT_EQ(image->GetBufferPointer()[2], 3 * 420.0F); // xz, which is the fourth in the file
}

/** A pair is read by either of its names, for any combination of compressed files. */
TEST_F(ProgramNifti, Pairs)
{
  const std::vector<float> values = Values();
  for (const bool isSwapped : { false, true })
  {
    for (const auto & [header, pixels] : { std::pair("in.hdr", "in.img"),
                                           std::pair("in.hdr.gz", "in.img.gz"),
                                           std::pair("in.hdr", "in.img.gz"),
                                           std::pair("in.hdr.gz", "in.img"),
                                           std::pair("IN.HDR", "IN.IMG") })
    {
      for (const double offset : { 0.0, 16.0 })
      {
        Fields f = Plain();
        f.isSwapped = isSwapped;
        f.magic = "ni1";
        f.voxOffset = offset;
        f.sformCode = 1;
        f.srow = Diagonal(-2, 3, 4, { 1, 2, 3 });
        Write(header, NiftiReference::Pack(f));
        Write(pixels, std::string(static_cast<std::size_t>(offset), '?') + BytesOf(f, values));
        for (const std::string name : { header, pixels })
        {
          SCOPED_TRACE(name);
          ExpectQuietSuccess(Resample(name, "out.nrrd"));
          const auto image = ReadTestImage<Image3>(Path("out.nrrd"));
          ExpectGeometry(image.GetPointer(), f.srow);
          EXPECT_EQ(std::memcmp(image->GetBufferPointer(), values.data(), values.size() * sizeof(float)), 0);
        }
        std::filesystem::remove(Path(header));
        std::filesystem::remove(Path(pixels));
      }
    }
  }
  Fields f = Plain();
  f.magic = "ni1";
  f.voxOffset = 352;
  WriteFile("alone.nii", f, values);
  ExpectError(Resample("alone.nii", "none.nrrd"), { "alone.nii", ".img file", "missing" });
  // Pairs as outputs.
  WriteFile("in.nii", Plain(), values);
  for (const std::string name : { "out.hdr", "out.img", "out.hdr.gz", "out.img.gz" })
  {
    SCOPED_TRACE(name);
    ExpectQuietSuccess(Resample("in.nii", name));
    ExpectQuietSuccess(Resample(name, "out.nrrd"));
    const auto image = ReadTestImage<Image3>(Path("out.nrrd"));
    EXPECT_EQ(std::memcmp(image->GetBufferPointer(), values.data(), values.size() * sizeof(float)), 0);
    std::filesystem::remove(Path(name));
  }
}

/** The fields of a header other than grid and values. */
TEST_F(ProgramNifti, FieldsSurvive)
{
  Fields f = Plain();
  f.dim = { { 4, size[0], size[1], size[2], 2, 1, 1, 1 } };
  f.sformCode = 4;
  f.srow = Diagonal(-2, 3, 4);
  f.qformCode = 0;
  f.intentCode = 3;
  f.intentP = { 12, 0, 0 };
  f.intentName = "t statistic";
  f.calMin = -2;
  f.calMax = 8;
  f.descrip = std::string(80, 'd');
  f.toffset = 500;
  f.xyztUnits = 2 | 16; // ms
  f.pixdim[4] = 2000;
  f.sliceCode = 3;
  f.sliceDuration = 62.5;
  WriteFile("in.nii", f, Values(2));
  for (const std::string name : { "out.nii", "out.nii.gz" })
  {
    for (const bool isOther : { false, true })
    {
      SCOPED_TRACE(name);
      ExpectQuietSuccess(Resample("in.nii",
                                  name,
                                  isOther ? std::vector<std::string>{ "-i", "linear", "--spacing", "2" }
                                          : std::vector<std::string>{ "-i", "nearest" }));
      const std::string bytes = ReadUnpacked(name);
      const auto        real = [&bytes](std::size_t offset) {
        float number = 0;
        std::memcpy(&number, bytes.data() + offset, sizeof(number));
        return number;
      };
      const auto code = [&bytes](std::size_t offset) {
        std::int16_t number = 0;
        std::memcpy(&number, bytes.data() + offset, sizeof(number));
        return number;
      };
      EXPECT_EQ(code(252), 4); // that of the other matrix
      EXPECT_EQ(code(254), 4);
      EXPECT_EQ(code(68), 3);
      EXPECT_EQ(real(56), 12);
      EXPECT_EQ(bytes.substr(328, 11), "t statistic");
      EXPECT_EQ(real(124), 8);
      EXPECT_EQ(real(128), -2);
      EXPECT_EQ(bytes.substr(148, 80), f.descrip);
      EXPECT_EQ(real(136), 0.5F); // s
      EXPECT_EQ(real(92), 2);
      EXPECT_EQ(bytes[123], 10);
      EXPECT_EQ(bytes[122], isOther ? 0 : 3); // of slices that no longer exist
      EXPECT_EQ(real(132), isOther ? 0.0F : 0.0625F);
    }
  }
}

/** In two dimensions, the position and the thickness of the plane are kept. */
TEST_F(ProgramNifti, TwoDimensions)
{
  using Image2 = itk::Image<float, 2>;
  Fields f = Plain();
  f.dim[0] = 2;
  f.sformCode = 1;
  f.srow = Diagonal(-2, 3, 4, { 10, 20, 30 });
  std::vector<float> values = Values();
  values.resize(static_cast<std::size_t>(size[0] * size[1]));
  WriteFile("in.nii", f, values);
  ExpectQuietSuccess(Resample("in.nii", "out.nii.gz"));
  const std::string     bytes = ReadUnpacked("out.nii.gz");
  std::array<float, 12> matrix{};
  std::memcpy(matrix.data(), bytes.data() + 280, sizeof(matrix));
  EXPECT_EQ(matrix, (std::array<float, 12>{ -2, 0, 0, 10, 0, 3, 0, 20, 0, 0, 4, 30 }));
  EXPECT_EQ(bytes[40], 2);
  ExpectQuietSuccess(Resample("in.nii", "out.nrrd"));
  const auto flat = ReadTestImage<Image2>(Path("out.nrrd"));
  EXPECT_EQ(flat->GetOrigin()[0], -10);
  EXPECT_EQ(flat->GetSpacing()[1], 3);
  // NIfTI stores pixels with three numbers as slices, with a warning, or as colours.
  for (const bool isColour : { false, true })
  {
    std::ofstream(Path("in.nrrd"), std::ios::binary)
      << "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 2 2\nspace dimension: 2\nkinds: "
      << (isColour ? "RGB-color" : "vector")
      << " domain domain\nspace directions: none (2,0) (0,3)\nspace origin: (1,2)\nencoding: raw\n\n012345678901";
    const ProgramResult result = Resample("in.nrrd", "out.nii");
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.errors.find("does not keep the image's 2 dimensions (it becomes a slice of 3)") ==
                std::string::npos,
              isColour)
      << result.errors;
    EXPECT_EQ(result.CountErrorLines(), isColour ? 0U : 1U) << result.errors;
  }
  // A sagittal plane is not parallel to x and y: it is a slice in space.
  f.srow = { { { 0, 0, 4, 10 }, { 2, 0, 0, 20 }, { 0, 3, 0, 30 } } };
  WriteFile("in.nii", f, values);
  ExpectQuietSuccess(Resample("in.nii", "out.nrrd"));
  ExpectGeometry(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(), f.srow);
}

/** Displacements of intent 1006 are along RAS, those of 1007 along LPS. */
TEST_F(ProgramNifti, DisplacementFields)
{
  Fields f = Plain();
  f.dim = { { 3, 20, 20, 5, 1, 1, 1, 1 } };
  f.sformCode = 1;
  f.srow = Diagonal(-1, -1, 1);
  std::vector<float> ramp(2000);
  for (std::size_t voxel = 0; voxel < ramp.size(); ++voxel)
  {
    ramp[voxel] = static_cast<float>(voxel);
  }
  WriteFile("ramp.nii", f, ramp);
  f.dim = { { 5, 20, 20, 5, 1, 3, 1, 1 } };
  std::vector<float> field(6000, 0.0F);
  std::fill_n(field.begin(), 2000, 2.0F);
  std::fill_n(field.begin() + 2000, 2000, 3.0F);
  for (const int intent : { 1006, 1007, 0 })
  {
    SCOPED_TRACE(intent);
    const int sign = intent == 1006 ? -1 : 1;
    f.intentCode = intent;
    for (const bool isSwapped : { false, true })
    {
      f.isSwapped = isSwapped;
      WriteFile("field.nii.gz", f, field);
      ExpectQuietSuccess(Resample("ramp.nii", "out.nrrd", { "-i", "nearest", "-t", Path("field.nii.gz") }));
      const auto image = ReadTestImage<Image3>(Path("out.nrrd"));
      EXPECT_EQ(image->GetPixel({ { 10, 10, 2 } }), 800 + 20 * (10 + sign * 3) + 10 + sign * 2);
    }
    // As an image it keeps its meaning: along LPS if there is no intent, in NIfTI as in the input.
    ExpectQuietSuccess(Resample("field.nii.gz", "field.nrrd"));
    EXPECT_EQ(ReadTestImage<Vectors3>(Path("field.nrrd"))->GetBufferPointer()[1], sign * 3.0F);
    ExpectQuietSuccess(Resample("field.nii.gz", "again.nii"));
    float number = 0;
    std::memcpy(&number, Content(Path("again.nii")).data() + 352 + 2000 * sizeof(float), sizeof(number));
    EXPECT_EQ(number, 3.0F);
  }
  f.intentCode = 2006;
  WriteFile("field.nii", f, field);
  ExpectError(Resample("ramp.nii", "none.nrrd", { "-t", Path("field.nii") }), { "field.nii", "FSL", "wb_command" });
}

TEST_F(ProgramNifti, BadInputIsOneLine)
{
  const auto expect = [&](const std::function<void(Fields &)> & change, std::vector<std::string> words) {
    Fields f = Plain();
    change(f);
    std::string bytes = NiftiReference::Pack(f);
    bytes.resize(352, '\0');
    Write("bad.nii", bytes + BytesOf(f, Values()));
    words.emplace_back("bad.nii");
    ExpectError(Resample("bad.nii", "none.nrrd"), words);
    ExpectError(Register("bad.nii", "none.nrrd"), words, 1, "CudaSplineRegister");
    EXPECT_FALSE(std::filesystem::exists(Path("none.nrrd")));
  };
  expect([](Fields & f) { f.voxOffset = 100; }, { "vox_offset", "100", "348" });
  expect([](Fields & f) { f.datatype = 1536; }, { "datatype is 1536 (float128)" });
  expect([](Fields & f) { f.dim = { { 6, 4, 4, 4, 1, 1, 3, 1 } }; }, { "6 dimensions (4 x 4 x 4 x 1 x 1 x 3)" });
  expect([](Fields & f) { f.slope = 2, f.intercept = NAN; }, { "scl_inter is nan" });
  expect([](Fields & f) { f.slope = 3e38F, f.datatype = 16, f.bitpix = 32; },
         { "scl_slope is 3e+38", "outside the range of float32" });
  expect([](Fields & f) { f.magic = ""; }, { "Analyze 7.5" });
  expect([](Fields & f) { f.qformCode = 1, f.quatern = { 1, 1, 1 }; }, { "sum of their squares is 3" });
}

/** A file that is shorter than its header specifies is detected with and without compression. */
TEST_F(ProgramNifti, ShortFiles)
{
  std::string bytes = NiftiReference::Pack(Plain());
  bytes.resize(352, '\0');
  bytes += BytesOf(Plain(), Values());
  for (const std::string name : { "short.nii", "short.nii.gz" })
  {
    Write(name, bytes.substr(0, bytes.size() - 1));
    ExpectError(Resample(name, "none.nrrd"), { name, "damaged or truncated" });
    Write(name, bytes.substr(0, 100));
    ExpectError(Resample(name, "none.nrrd"), { name, "truncated: it has 100 of 348 bytes" });
  }
}

/** Voxels of 0.01 mm are written and read. */
TEST_F(ProgramNifti, SmallVoxels)
{
  Fields f = Plain();
  f.dim = { { 3, 5, 6, 7, 1, 1, 1, 1 } };
  f.sformCode = 1;
  f.srow = Diagonal(0.1, 0.1, 0.1);
  WriteFile("in.nii", f, std::vector<float>(210, 1.0F));
  ExpectQuietSuccess(Resample("in.nii", "out.nii", { "--spacing", "0.01" }));
  ExpectQuietSuccess(Resample("out.nii", "out.nrrd"));
  EXPECT_NEAR(ReadTestImage<Image3>(Path("out.nrrd"))->GetSpacing()[0], 0.01, 1e-8);
}
