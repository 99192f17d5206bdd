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

#include "itkRGBAPixel.h"
#include "itkRGBPixel.h"
#include "itkSymmetricSecondRankTensor.h"
#include "itk_zlib.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

/** \file
 * \brief Series of volumes, and several numbers per pixel: each volume and each component is processed like a separate
 * image. */

namespace
{

using Image3 = itk::Image<short, 3>;
using Image4 = itk::Image<short, 4>;

class ProgramSeries
  : public ProgramTest
  , public ::testing::WithParamInterface<const char *>
{
protected:
  static constexpr unsigned int volumes = 4;

  /** Writes the phantom, brighter from volume to volume, as a series and as single files. */
  void
  WriteSeries(const std::string & name)
  {
    const auto plain = MakePhantom<Image3>({ { 13, 11, 7 } });
    const auto series = Image4::New();
    series->SetRegions(Image4::SizeType{ { 13, 11, 7, volumes } });
    series->Allocate();
    Image4::SpacingType   spacing;
    Image4::PointType     origin;
    Image4::DirectionType direction;
    direction.SetIdentity();
    for (unsigned int row = 0; row < 3; ++row)
    {
      spacing[row] = plain->GetSpacing()[row];
      origin[row] = plain->GetOrigin()[row];
      for (unsigned int column = 0; column < 3; ++column)
      {
        direction[row][column] = plain->GetDirection()[row][column];
      }
    }
    spacing[3] = 2.5;
    origin[3] = 0.0;
    series->SetSpacing(spacing);
    series->SetOrigin(origin);
    series->SetDirection(direction);
    const std::size_t count = 13 * 11 * 7;
    for (unsigned int number = 0; number < volumes; ++number)
    {
      for (std::size_t voxel = 0; voxel < count; ++voxel)
      {
        plain->GetBufferPointer()[voxel] = static_cast<short>(plain->GetBufferPointer()[voxel] + 11 * number);
      }
      std::memcpy(series->GetBufferPointer() + number * count, plain->GetBufferPointer(), count * sizeof(short));
      WriteTestImage(plain.GetPointer(), Path("one" + std::to_string(number) + ".nrrd"));
    }
    WriteTestImage(series.GetPointer(), Path(name));
  }
};

TEST_P(ProgramSeries, EveryVolumeIsResampled)
{
  const std::string name = "in" + std::string(GetParam());
  WriteSeries(name);
  const std::vector<std::string> options{ "-i", "bspline", "--spacing", "1.5", "--rotate", "3", "0", "5" };
  const auto                     run = [&options](const std::string & input, const std::string & output) {
    std::vector<std::string> arguments{ input, output };
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  };
  const std::string   output = Path("out" + std::string(GetParam()));
  const ProgramResult result = run(Path(name), output);
  EXPECT_EQ(result.code, 0) << result.errors;
  const auto series = ReadTestImage<Image4>(output);
  const auto size = series->GetLargestPossibleRegion().GetSize();
  ASSERT_EQ(size[3], volumes);
  EXPECT_NEAR(series->GetSpacing()[3], 2.5, 1e-5);
  const std::size_t count = size[0] * size[1] * size[2];
  for (unsigned int number = 0; number < volumes; ++number)
  {
    SCOPED_TRACE(number);
    EXPECT_EQ(run(Path("one" + std::to_string(number) + ".nrrd"), Path("one.nrrd")).code, 0);
    const auto one = ReadTestImage<Image3>(Path("one.nrrd"));
    ASSERT_EQ(one->GetBufferedRegion().GetNumberOfPixels(), count);
    // A header that is rounded to single precision moves samples, which may change a truncated value by 1.
    std::size_t different = 0;
    for (std::size_t voxel = 0; voxel < count; ++voxel)
    {
      const int distance =
        std::abs(series->GetBufferPointer()[number * count + voxel] - one->GetBufferPointer()[voxel]);
      EXPECT_LE(distance, 1);
      different += distance > 0 ? 1 : 0;
    }
    EXPECT_LT(different, count / 50);
  }
  // The folder contains no other files: the series, its four volumes, two results, the data of headers.
  EXPECT_FALSE(HasHiddenFolder(m_Folder.string()));
}

INSTANTIATE_TEST_SUITE_P(ProgramSeries,
                         ProgramSeries,
                         ::testing::Values(".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd"));

using ProgramSeriesToo = ProgramSeries;

TEST_P(ProgramSeriesToo, AsReferenceItGivesItsGrid)
{
  const std::string name = "in" + std::string(GetParam());
  WriteSeries(name);
  ExpectQuietSuccess(RunProgram({ Path("one0.nrrd"), Path("out.nrrd"), "-r", Path(name), "-i", "nearest" }));
  ExpectSameGrid(ReadTestImage<Image3>(Path("out.nrrd")).GetPointer(),
                 ReadTestImage<Image3>(Path("one0.nrrd")).GetPointer());
}

INSTANTIATE_TEST_SUITE_P(ProgramSeries, ProgramSeriesToo, ::testing::Values(".nii.gz"));

/** The last volume of a compressed series is damaged, or the checksum after it. */
TEST_F(ProgramSeries, DamageAtTheEnd)
{
  WriteSeries("in.nii.gz");
  const std::string whole = Content(Path("in.nii.gz"));
  for (const std::size_t fromEnd : { 7, 40 })
  {
    std::string damaged = whole;
    damaged[damaged.size() - fromEnd] = static_cast<char>(damaged[damaged.size() - fromEnd] ^ 4);
    std::ofstream(Path("in.nii.gz"), std::ios::binary) << damaged;
    ExpectError(RunProgram({ Path("in.nii.gz"), Path("out.nii") }), { "in.nii.gz", "damaged" });
  }
  std::ofstream(Path("in.nii.gz"), std::ios::binary) << whole.substr(0, whole.size() - 30);
  ExpectError(RunProgram({ Path("in.nii.gz"), Path("out.nii") }), { "in.nii.gz", "damaged" });
  EXPECT_FALSE(std::filesystem::exists(Path("out.nii")));
}

/** The volumes do not depend on the storage order of a series. */
TEST_F(ProgramSeries, BytesOfFiles)
{
  WriteSeries("plain.nrrd");
  ExpectQuietSuccess(RunProgram({ Path("plain.nrrd"), Path("expected.nrrd"), "-i", "nearest" }));
  const auto        expected = ReadTestImage<Image4>(Path("expected.nrrd"));
  const std::string plain = Content(Path("plain.nrrd"));
  const std::size_t begin = plain.find("\n\n") + 2;
  const std::string header = plain.substr(0, begin);
  const std::string pixels = plain.substr(begin);
  std::string       swapped = pixels;
  for (std::size_t at = 0; at < swapped.size(); at += 2)
  {
    std::swap(swapped[at], swapped[at + 1]);
  }
  const auto with = [](std::string text, const std::string & from, const std::string & to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const auto write = [this](const std::string & name, const std::string & text) {
    std::ofstream(Path(name), std::ios::binary) << text;
  };
  write("big.nrrd", with(header, "endian: little", "endian: big") + swapped);
  write("big.raw", swapped);
  write("big.nhdr", with(header, "endian: little", "endian: big\ndata file: big.raw"));
  write("skipped.nrrd",
        with(header, "endian: little", "endian: little\nbyte skip: -1") + pixels); // ITK reads all of it
  const auto writer = itk::ImageFileWriter<Image4>::New();
  writer->SetInput(ReadTestImage<Image4>(Path("plain.nrrd")));
  writer->UseCompressionOn();
  for (const std::string name : { "packed.nrrd", "packed.mha", "packed.mhd" })
  {
    writer->SetFileName(Path(name));
    writer->Update();
  }
  // ITK writes MetaImages only in the byte order of this machine.
  writer->UseCompressionOff();
  writer->SetFileName(Path("plain.mha"));
  writer->Update();
  const std::string meta = Content(Path("plain.mha"));
  const std::string key = "ElementDataFile = LOCAL\n";
  write("big.mha",
        with(meta.substr(0, meta.find(key) + key.size()), "ByteOrderMSB = False", "ByteOrderMSB = True") + swapped);
  for (const std::string name :
       { "big.nrrd", "big.nhdr", "skipped.nrrd", "packed.nrrd", "packed.mha", "packed.mhd", "big.mha" })
  {
    SCOPED_TRACE(name);
    ExpectQuietSuccess(RunProgram({ Path(name), Path("out.nrrd"), "-i", "nearest" }));
    EXPECT_EQ(LargestDifference(ReadTestImage<Image4>(Path("out.nrrd")).GetPointer(), expected.GetPointer()), 0.0);
  }
  // Missing data are detected before the computation, and damaged data when they are read.
  for (const std::string name : { "big.nrrd", "packed.nrrd", "packed.mha", "big.mha", "big.raw" })
  {
    SCOPED_TRACE(name);
    const std::string whole = Content(Path(name));
    write(name, whole.substr(0, whole.size() - 40));
    const std::string input = name == "big.raw" ? "big.nhdr" : name;
    ExpectError(RunProgram({ Path(input), Path("none.nrrd") }), { name, "damaged" });
  }
  EXPECT_FALSE(std::filesystem::exists(Path("none.nrrd")));
}

/** Rescaled integers of NIfTI become real numbers, which are larger than those of the file. */
TEST_F(ProgramSeries, RescaledIntegers)
{
  WriteSeries("in.nii");
  WriteTestImage(ReadTestImage<Image3>(Path("one0.nrrd")).GetPointer(), Path("one.nii"));
  for (const std::string name : { "in.nii", "one.nii" })
  {
    SCOPED_TRACE(name);
    std::string bytes = Content(Path(name));
    const float factors[] = { 2.0f, -5.0f };
    std::memcpy(bytes.data() + 112, factors, sizeof(factors)); // scl_slope and scl_inter
    std::ofstream(Path(name), std::ios::binary) << bytes;
    ExpectQuietSuccess(RunProgram({ Path(name), Path("out.nrrd"), "-i", "nearest" }));
    const std::string out = Content(Path("out.nrrd"));
    ASSERT_NE(out.find("type: float"), std::string::npos);
    const std::size_t  count = (bytes.size() - 352) / sizeof(short);
    std::vector<float> found(count);
    std::vector<short> stored(count);
    ASSERT_EQ(out.size() - out.find("\n\n") - 2, count * sizeof(float));
    std::memcpy(found.data(), out.data() + out.find("\n\n") + 2, count * sizeof(float));
    std::memcpy(stored.data(), bytes.data() + 352, count * sizeof(short));
    for (std::size_t voxel = 0; voxel < count; ++voxel)
    {
      ASSERT_EQ(found[voxel], 2.0f * static_cast<float>(stored[voxel]) - 5.0f);
    }
  }
}

/** Formats without a fourth axis give an error, and do not crash the program. */
TEST_F(ProgramSeries, FormatsWithoutThem)
{
  WriteSeries("in.nrrd");
  for (const std::string name : { "out.dcm", "out.tif", "out.vtk", "out.png", "out.jpg" })
  {
    ExpectError(RunProgram({ Path("in.nrrd"), Path(name), "--output-type", "uint8", "-i", "nearest" }), { name });
    EXPECT_FALSE(HasHiddenFolder(m_Folder.string()));
  }
}

/** A series of 64 volumes is resampled in the memory that 4 volumes need. */
class ProgramSeriesMemory
  : public ProgramTest
  , public ::testing::WithParamInterface<const char *>
{};

TEST_P(ProgramSeriesMemory, IsThatOfAFewVolumes)
{
  constexpr std::size_t bytesOfVolume = 2 * 100 * 100 * 100;
  const std::string     ending = GetParam();
  std::vector<double>   memory;
  for (const std::size_t count : { std::size_t{ 4 }, std::size_t{ 32 } })
  {
    const std::string name = std::to_string(count);
    {
      // Not written by ITK, which would have the series in the memory of this process, of which the program begins as a
      // copy.
      std::ofstream stream(Path(name + ".nrrd"), std::ios::binary);
      stream << "NRRD0004\ntype: short\ndimension: 4\nsizes: 100 100 100 " << name
             << "\nspacings: 1 1 1 2\nendian: little\nencoding: raw\n\n";
      std::string volume(bytesOfVolume, '\0');
      for (std::size_t number = 0; number < count; ++number)
      {
        for (std::size_t voxel = 0; voxel < volume.size(); voxel += 2)
        {
          volume[voxel] = static_cast<char>((voxel >> 7) + number);
        }
        stream.write(volume.data(), static_cast<std::streamsize>(volume.size()));
      }
    }
    if (ending != ".nrrd")
    {
      ASSERT_EQ(RunProgram({ Path(name + ".nrrd"), Path(name + ending), "-i", "nearest" }).code, 0);
      std::filesystem::remove(Path(name + ".nrrd"));
    }
    const ProgramResult result = RunProgram({ Path(name + ending), Path("out" + ending), "--device", "cpu" });
    EXPECT_EQ(result.code, 0) << result.errors;
    memory.push_back(result.memory);
    std::filesystem::remove(Path(name + ending));
  }
  // The difference is a few volumes, depending on the order in which threads free memory, but not 28.
  EXPECT_LT(memory[1] - memory[0], 12.0 * bytesOfVolume) << memory[0] << " and " << memory[1] << " bytes";
}

INSTANTIATE_TEST_SUITE_P(ProgramSeries, ProgramSeriesMemory, ::testing::Values(".nii", ".nrrd", ".mha", ".nii.gz"));

/** The report has the numbers of every volume, and its differences from ITK. */
TEST_F(ProgramSeries, ReportOfVolumes)
{
  WriteSeries("in.nrrd");
  const ProgramResult result = RunProgram({ Path("in.nrrd"),
                                            Path("out.nrrd"),
                                            "-i",
                                            "bspline",
                                            "--rotate",
                                            "3,0,5",
                                            "--output-type",
                                            "float",
                                            "--compare-itk",
                                            "--difference",
                                            Path("difference.nrrd"),
                                            "--report",
                                            Path("report.json") });
  ExpectQuietSuccess(result);
  const auto report = nlohmann::json::parse(Content(Path("report.json")));
  ASSERT_EQ(report["volumes"].size(), volumes);
  const auto difference = ReadTestImage<itk::Image<float, 4>>(Path("difference.nrrd"));
  const auto count = static_cast<std::size_t>(13 * 11 * 7);
  ASSERT_EQ(difference->GetBufferedRegion().GetNumberOfPixels(), volumes * count);
  double largest = 0.0;
  double squares = 0.0;
  for (unsigned int number = 0; number < volumes; ++number)
  {
    SCOPED_TRACE(number);
    const auto & volume = report["volumes"][number];
    EXPECT_EQ(volume["volume"], number);
    EXPECT_FALSE(volume["all_default"]);
    const auto & comparison = volume["comparison"];
    EXPECT_EQ(comparison["voxels"], count);
    double ofImage = 0.0;
    for (std::size_t voxel = 0; voxel < count; ++voxel)
    {
      ofImage =
        std::max(ofImage, std::abs(static_cast<double>(difference->GetBufferPointer()[number * count + voxel])));
    }
    EXPECT_NEAR(ofImage, comparison["maximum"].get<double>(), 1e-6 * ofImage); // rounded to float
    EXPECT_LT(comparison["maximum_fraction"].get<double>(), 1e-5);
    largest = std::max(largest, comparison["maximum"].get<double>());
    squares += std::pow(comparison["rms"].get<double>(), 2) / volumes;
    EXPECT_GE(volume["seconds"]["evaluate"].get<double>(), 0.0);
  }
  EXPECT_EQ(report["comparison"]["voxels"], volumes * count);
  EXPECT_EQ(report["comparison"]["maximum"].get<double>(), largest);
  EXPECT_NEAR(report["comparison"]["rms"].get<double>(), std::sqrt(squares), 1e-9);
}

using ProgramComponents = ProgramTest;

TEST_F(ProgramComponents, Colours)
{
  using Color = itk::Image<itk::RGBPixel<unsigned char>, 2>;
  using Grey = itk::Image<unsigned char, 2>;
  const auto color = Color::New();
  color->SetRegions(Color::SizeType{ { 24, 20 } });
  color->Allocate();
  for (unsigned int channel = 0; channel < 3; ++channel)
  {
    const auto grey = MakePhantom<Grey>({ { 24, 20 } });
    const auto plain = Grey::New();
    plain->SetRegions(grey->GetBufferedRegion());
    plain->Allocate();
    for (std::size_t pixel = 0; pixel < 480; ++pixel)
    {
      const auto value = static_cast<unsigned char>(grey->GetBufferPointer()[pixel] / (channel + 1));
      plain->GetBufferPointer()[pixel] = value;
      color->GetBufferPointer()[pixel][channel] = value;
    }
    WriteTestImage(plain.GetPointer(), Path("channel" + std::to_string(channel) + ".png"));
  }
  WriteTestImage(color.GetPointer(), Path("color.png"));
  ExpectQuietSuccess(RunProgram({ Path("color.png"), Path("out.png"), "--rotate", "10" }));
  const auto out = ReadTestImage<Color>(Path("out.png"));
  for (unsigned int channel = 0; channel < 3; ++channel)
  {
    ExpectQuietSuccess(
      RunProgram({ Path("channel" + std::to_string(channel) + ".png"), Path("one.png"), "--rotate", "10" }));
    const auto one = ReadTestImage<Grey>(Path("one.png"));
    for (std::size_t pixel = 0; pixel < 480; ++pixel)
    {
      ASSERT_EQ(out->GetBufferPointer()[pixel][channel], one->GetBufferPointer()[pixel]);
    }
  }
  ExpectQuietSuccess(RunProgram({ Path("color.png"), Path("out.jpg") }));
  EXPECT_EQ(ReadTestImage<Color>(Path("out.jpg"))->GetBufferedRegion().GetSize()[0], 24u);
  ExpectError(RunProgram({ Path("color.png"), Path("out.nrrd"), "--compare-itk" }),
              { "--compare-itk", "3 components" });
}

/** Palettes become their colours, and transparency becomes a fourth number. */
TEST_F(ProgramComponents, Palettes)
{
  constexpr unsigned int           width = 6;
  constexpr unsigned int           height = 5;
  const std::vector<unsigned char> palette{ 250, 10, 20, 0, 200, 90, 70, 80, 255 };
  const std::vector<unsigned char> alphas{ 255, 0, 128 };
  const auto                       indexAt = [](unsigned int pixel) { return (pixel * pixel + pixel / 7) % 3; };
  const auto                       number = [](std::uint32_t value) {
    return std::string{ static_cast<char>(value >> 24),
                        static_cast<char>(value >> 16),
                        static_cast<char>(value >> 8),
                        static_cast<char>(value) };
  };
  const auto chunk = [&number](const std::string & body) {
    const auto sum = crc32(0, reinterpret_cast<const Bytef *>(body.data()), static_cast<uInt>(body.size()));
    return number(static_cast<std::uint32_t>(body.size() - 4)) + body + number(static_cast<std::uint32_t>(sum));
  };
  std::string rows;
  for (unsigned int pixel = 0; pixel < width * height; ++pixel)
  {
    rows += pixel % width == 0 ? std::string(1, '\0') : std::string();
    rows += static_cast<char>(indexAt(pixel));
  }
  std::string packed(rows.size() + 100, '\0');
  uLongf      size = packed.size();
  ASSERT_EQ(
    compress(
      reinterpret_cast<Bytef *>(packed.data()), &size, reinterpret_cast<const Bytef *>(rows.data()), rows.size()),
    Z_OK);
  packed.resize(size);
  const auto write = [&](const std::string & name, bool hasAlpha) {
    std::ofstream(Path(name), std::ios::binary)
      << std::string("\x89PNG\r\n\x1a\n", 8)
      << chunk("IHDR" + number(width) + number(height) + std::string("\x08\x03\0\0\0", 5))
      << chunk("PLTE" + std::string(palette.begin(), palette.end()))
      << (hasAlpha ? chunk("tRNS" + std::string(alphas.begin(), alphas.end())) : std::string())
      << chunk("IDAT" + packed) << chunk("IEND");
  };
  write("plain.png", false);
  write("alpha.png", true);
  ExpectQuietSuccess(RunProgram({ Path("plain.png"), Path("out.png"), "-i", "nearest" }));
  ExpectQuietSuccess(RunProgram({ Path("alpha.png"), Path("outa.png"), "-i", "nearest" }));
  const auto colors = ReadTestImage<itk::Image<itk::RGBPixel<unsigned char>, 2>>(Path("out.png"));
  const auto clear = ReadTestImage<itk::Image<itk::RGBAPixel<unsigned char>, 2>>(Path("outa.png"));
  for (unsigned int pixel = 0; pixel < width * height; ++pixel)
  {
    for (unsigned int channel = 0; channel < 3; ++channel)
    {
      ASSERT_EQ(colors->GetBufferPointer()[pixel][channel], palette[3 * indexAt(pixel) + channel]);
      ASSERT_EQ(clear->GetBufferPointer()[pixel][channel], palette[3 * indexAt(pixel) + channel]);
    }
    ASSERT_EQ(clear->GetBufferPointer()[pixel][3], alphas[indexAt(pixel)]);
  }
  ExpectError(RunProgram({ Path("alpha.png"), Path("out.jpg") }),
              { "JPEG", "1 or 3 components per pixel", "has 4", ".png" });
}

/** Tensors are kept, too: six numbers per voxel. */
TEST_F(ProgramComponents, Tensors)
{
  using Tensors = itk::Image<itk::SymmetricSecondRankTensor<float, 3>, 3>;
  const auto tensors = Tensors::New();
  tensors->SetRegions(Tensors::SizeType{ { 6, 5, 4 } });
  tensors->Allocate();
  for (unsigned int voxel = 0; voxel < 120; ++voxel)
  {
    for (unsigned int number = 0; number < 6; ++number)
    {
      tensors->GetBufferPointer()[voxel][number] = 0.25f * static_cast<float>(voxel * (number + 1)) - 3.0f;
    }
  }
  for (const std::string format : { ".nii.gz", ".nrrd" })
  {
    SCOPED_TRACE(format);
    WriteTestImage(tensors.GetPointer(), Path("in" + format));
    ExpectQuietSuccess(RunProgram({ Path("in" + format), Path("out" + format), "-i", "nearest" }));
    const auto out = ReadTestImage<Tensors>(Path("out" + format));
    for (unsigned int voxel = 0; voxel < 120; ++voxel)
    {
      ASSERT_EQ(out->GetBufferPointer()[voxel], tensors->GetBufferPointer()[voxel]);
    }
  }
}

TEST_F(ProgramComponents, Vectors)
{
  using Vectors = itk::Image<itk::Vector<float, 3>, 3>;
  const auto vectors = Vectors::New();
  vectors->SetRegions(Vectors::SizeType{ { 6, 5, 4 } });
  vectors->Allocate();
  for (std::size_t voxel = 0; voxel < 120; ++voxel)
  {
    vectors->GetBufferPointer()[voxel] = Vector3(0.5f * voxel, 1.0f, -2.0f * voxel);
  }
  for (const std::string format : { ".nii.gz", ".nrrd", ".mha" })
  {
    SCOPED_TRACE(format);
    WriteTestImage(vectors.GetPointer(), Path("in" + format));
    ExpectQuietSuccess(RunProgram({ Path("in" + format), Path("out" + format), "-i", "nearest" }));
    const auto out = ReadTestImage<Vectors>(Path("out" + format));
    for (std::size_t voxel = 0; voxel < 120; ++voxel)
    {
      ASSERT_EQ(out->GetBufferPointer()[voxel], vectors->GetBufferPointer()[voxel]);
    }
  }
  // A series of them.
  std::string series =
    "NRRD0004\ntype: float\ndimension: 5\nsizes: 3 6 5 4 3\nspacings: nan 1 1 1 1\nkinds: vector domain domain domain "
    "domain\nendian: little\nencoding: raw\n\n";
  const std::size_t head = series.size();
  series.append(reinterpret_cast<const char *>(vectors->GetBufferPointer()), 120 * 12);
  series.append(120 * 12, '\0');
  series.append(reinterpret_cast<const char *>(vectors->GetBufferPointer()), 120 * 12);
  std::ofstream(Path("series.nrrd"), std::ios::binary) << series;
  ExpectQuietSuccess(RunProgram({ Path("series.nrrd"), Path("out.nrrd"), "-i", "nearest" }));
  const std::string out = Content(Path("out.nrrd"));
  EXPECT_EQ(out.substr(out.find("\n\n") + 2), series.substr(head));
  const ProgramResult turned = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--rotate", "0,0,9" });
  EXPECT_EQ(turned.code, 0);
  EXPECT_NE(turned.errors.find("does not rotate vectors"), std::string::npos) << turned.errors;
}

} // namespace
