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

#include "itkBSplineInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"

/** \file
 * \brief Pixel values: output types and ITK's cast, labels, the value outside, every order, in comparison with ITK. */

namespace
{

class ProgramPixels : public ProgramTest
{
protected:
  using FloatImage = itk::Image<float, 3>;

  ProgramResult
  Run(const std::string & input, std::vector<std::string> options)
  {
    options.insert(options.begin(), { Path(input), Path("out.nrrd") });
    return RunProgram(options);
  }
};

/** The cast clamps to the output type, then truncates: 1e3 and -1e3 to the limits of 8 bits, 99.9 to 99 and -99.9 to
 * -99. */
TEST_F(ProgramPixels, OutputTypesClampAndTruncate)
{
  const auto image = FloatImage::New(); // without spacing and origin: coordinates are exact, and so are linear values
  image->SetRegions(FloatImage::SizeType{ { 5, 3, 2 } });
  image->Allocate(true);
  const float values[] = { 1e3f, -1e3f, 99.9f, -99.9f, 0.5f };
  for (int x = 0; x < 5; ++x)
  {
    image->SetPixel({ { x, 1, 1 } }, values[x]);
  }
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  const auto row = [this](const std::string & type) {
    ExpectQuietSuccess(Run("in.nrrd", { "--output-type", type }));
    const auto          result = ReadTestImage<itk::Image<double, 3>>(Path("out.nrrd"));
    std::vector<double> pixels;
    for (int x = 0; x < 5; ++x)
    {
      pixels.push_back(result->GetPixel({ { x, 1, 1 } }));
    }
    return pixels;
  };
  using Row = std::vector<double>;
  EXPECT_EQ(row("uint8"), (Row{ 255, 0, 99, 0, 0 }));
  EXPECT_EQ(row("int8"), (Row{ 127, -128, 99, -99, 0 }));
  EXPECT_EQ(row("uint16"), (Row{ 1000, 0, 99, 0, 0 }));
  EXPECT_EQ(row("int16"), (Row{ 1000, -1000, 99, -99, 0 }));
  EXPECT_EQ(row("uint32"), (Row{ 1000, 0, 99, 0, 0 }));
  EXPECT_EQ(row("int32"), (Row{ 1000, -1000, 99, -99, 0 }));
  EXPECT_EQ(row("uint64"), (Row{ 1000, 0, 99, 0, 0 }));
  EXPECT_EQ(row("int64"), (Row{ 1000, -1000, 99, -99, 0 }));
  EXPECT_EQ(row("double"), (Row{ 1e3, -1e3, 99.9f, -99.9f, 0.5 }));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "double");
  EXPECT_EQ(row("float"), (Row{ 1e3, -1e3, 99.9f, -99.9f, 0.5 }));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "float");
}

/** Nearest neighbours give no label that was not there, and are ITK's in every voxel. */
TEST_F(ProgramPixels, LabelsStayLabels)
{
  using LabelImage = itk::Image<unsigned short, 3>;
  const auto                                    image = MakeObliqueImage<LabelImage>({ { 17, 15, 13 } });
  itk::ImageRegionIteratorWithIndex<LabelImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<unsigned short>(1000 * (it.GetIndex()[0] / 4 + it.GetIndex()[1] / 3 + it.GetIndex()[2] / 5)));
  }
  WriteTestImage(image.GetPointer(), Path("labels.nrrd"));
  ExpectQuietSuccess(
    Run("labels.nrrd", { "-i", "nearest", "--rotate", "7", "11", "-23", "--compare-itk", "--spacing", "0.9" }));
  const auto                                result = ReadTestImage<LabelImage>(Path("out.nrrd"));
  itk::ImageRegionConstIterator<LabelImage> pixel(result, result->GetBufferedRegion());
  for (; !pixel.IsAtEnd(); ++pixel)
  {
    ASSERT_EQ(pixel.Get() % 1000, 0);
  }
  EXPECT_NE(Run("labels.nrrd", { "-i", "nearest", "--rotate", "7", "11", "-23", "--compare-itk" })
              .output.find("  0 voxels differ"),
            std::string::npos);
}

TEST_F(ProgramPixels, DefaultValue)
{
  const auto image = MakePhantom<itk::Image<short, 3>>({ { 6, 5, 4 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  const auto corner = [this](const std::vector<std::string> & options) {
    ExpectQuietSuccess(Run("in.nrrd", options));
    return ReadTestImage<itk::Image<double, 3>>(Path("out.nrrd"))->GetPixel({ { 0, 0, 0 } });
  };
  EXPECT_EQ(corner({ "--size", "30", "--spacing", "1" }), 0.0);
  EXPECT_EQ(corner({ "--size", "30", "--spacing", "1", "--default-value", "-1024" }), -1024.0);
  EXPECT_EQ(corner({ "--size", "30", "--spacing", "1", "--default-value=-0.5", "--output-type", "double" }), -0.5);
  EXPECT_TRUE(
    std::isnan(corner({ "--size", "30", "--spacing", "1", "--default-value", "nan", "--output-type", "float" })));
  ExpectError(Run("in.nrrd", { "--default-value", "0.5" }), { "--default-value 0.5", "int16" });
  ExpectError(Run("in.nrrd", { "--default-value", "-1", "--output-type", "uint8" }), { "--default-value -1", "uint8" });
  ExpectError(Run("in.nrrd", { "--default-value", "40000" }), { "--default-value 40000", "int16" });
  ExpectError(Run("in.nrrd", { "--default-value", "black" }), { "--default-value", "black" }, 2);
}

class ProgramOrders
  : public ProgramPixels
  , public ::testing::WithParamInterface<unsigned int>
{};

/** Every spline order against ITK's interpolator in double: within 1e-6 of the range in float (NUMERICS.md allows
 * orders 4 and 5 more on noise; this is no noise). */
TEST_P(ProgramOrders, AgreeWithItk)
{
  const auto image = MakePhantom<FloatImage>({ { 21, 18, 15 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(Run("in.nrrd", { "-i", "bspline", "--order", std::to_string(GetParam()), "--spacing", "0.8" }));
  const auto result = ReadTestImage<FloatImage>(Path("out.nrrd"));

  const auto interpolator = itk::BSplineInterpolateImageFunction<FloatImage>::New();
  interpolator->SetSplineOrder(GetParam());
  const auto filter = itk::ResampleImageFilter<FloatImage, itk::Image<double, 3>>::New();
  filter->SetInput(image);
  filter->SetInterpolator(interpolator);
  filter->UseReferenceImageOn();
  filter->SetReferenceImage(result);
  filter->Update();
  EXPECT_LT(LargestDifference(result.GetPointer(), filter->GetOutput()), 200e-6);
}

INSTANTIATE_TEST_SUITE_P(ProgramPixels, ProgramOrders, ::testing::Range(0u, 6u));

/** What a spline's values at the samples lack to the integers that they are is rounded away; truncated it is not. */
TEST_F(ProgramPixels, RoundingToTheNearest)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakePhantom<ImageType>({ { 30, 28, 26 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-i", "bspline", "--round", "nearest" }));
  EXPECT_EQ(LargestDifference(ReadTestImage<ImageType>(Path("out.nrrd")).GetPointer(), image.GetPointer()), 0.0);
  ExpectQuietSuccess(
    RunProgram({ Path("in.nrrd"), Path("real.nrrd"), "--rotate", "7", "3", "5", "--output-type", "float" }));
  ExpectQuietSuccess(
    RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--rotate", "7", "3", "5", "--round", "nearest" }));
  const auto real = ReadTestImage<itk::Image<float, 3>>(Path("real.nrrd"));
  const auto rounded = ReadTestImage<ImageType>(Path("out.nrrd"));
  for (std::size_t voxel = 0; voxel < 30 * 28 * 26; ++voxel)
  {
    ASSERT_EQ(static_cast<float>(rounded->GetBufferPointer()[voxel]), std::round(real->GetBufferPointer()[voxel]));
  }
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--round", "up" }), { "--round", "up" }, 2);
}

/** Stripes of two voxels vanish in samples of four voxels, and what is flat stays. */
TEST_F(ProgramPixels, SmoothingBeforeDownsampling)
{
  using ImageType = itk::Image<float, 2>;
  const auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 64, 64 } });
  image->Allocate();
  for (std::size_t pixel = 0; pixel < 64 * 64; ++pixel)
  {
    image->GetBufferPointer()[pixel] = 100.0F + (pixel % 2 == 0 ? 50.0F : -50.0F);
  }
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  const auto spread = [this](const std::vector<std::string> & more) {
    std::vector<std::string> arguments{ Path("in.nrrd"), Path("out.nrrd"), "--size", "16", "-i", "nearest" };
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(RunProgram(arguments).code, 0);
    const auto out = ReadTestImage<ImageType>(Path("out.nrrd"));
    double     largest = 0.0;
    for (std::size_t pixel = 0; pixel < 16 * 16; ++pixel)
    {
      // Beyond the borders the filter goes on with the outermost value, so that they keep some of a stripe.
      if (pixel % 16 > 1 && pixel % 16 < 14)
      {
        largest = std::max(largest, std::abs(out->GetBufferPointer()[pixel] - 100.0));
      }
    }
    return largest;
  };
  EXPECT_EQ(spread({}), 50.0);
  // A Gaussian of sigma s takes the wave of two voxels times exp(-(pi s)^2 / 2), here s^2 = 15 / (8 ln 2): 1.6e-6; the
  // recursive one is an approximation to about 1e-3.
  EXPECT_LT(spread({ "--smooth", "auto" }), 0.1);
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--size", "16", "--smooth", "auto" }));
}

} // namespace
