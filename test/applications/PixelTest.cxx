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
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include "itkBSplineInterpolateImageFunction.h"
#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkWindowedSincInterpolateImageFunction.h"

#include <nlohmann/json.hpp>

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

/** Values are rounded half to even and clamped to the output type: 1e3 and -1e3 to the limits of 8 bits, 99.9 to 100
 * and 0.5 to 0. With --round itk they are truncated as in ITK. */
TEST_F(ProgramPixels, OutputTypesRoundAndClamp)
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
  const auto row = [this](const std::string & type, const std::string & rounding = "nearest") {
    ExpectQuietSuccess(Run("in.nrrd", { "--output-type", type, "--round", rounding }));
    const auto          result = ReadTestImage<itk::Image<double, 3>>(Path("out.nrrd"));
    std::vector<double> pixels;
    for (int x = 0; x < 5; ++x)
    {
      pixels.push_back(result->GetPixel({ { x, 1, 1 } }));
    }
    return pixels;
  };
  using Row = std::vector<double>;
  for (const std::string width : { "16", "32", "64" })
  {
    EXPECT_EQ(row("uint" + width), (Row{ 1000, 0, 100, 0, 0 }));
    EXPECT_EQ(row("int" + width), (Row{ 1000, -1000, 100, -100, 0 }));
    EXPECT_EQ(row("uint" + width, "itk"), (Row{ 1000, 0, 99, 0, 0 }));
    EXPECT_EQ(row("int" + width, "itk"), (Row{ 1000, -1000, 99, -99, 0 }));
  }
  EXPECT_EQ(row("uint8"), (Row{ 255, 0, 100, 0, 0 }));
  EXPECT_EQ(row("int8"), (Row{ 127, -128, 100, -100, 0 }));
  EXPECT_EQ(row("uint8", "itk"), (Row{ 255, 0, 99, 0, 0 }));
  EXPECT_EQ(row("Int8", "Truncate"), (Row{ 127, -128, 99, -99, 0 }));
  EXPECT_EQ(row("double"), (Row{ 1e3, -1e3, 99.9f, -99.9f, 0.5 }));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "double");
  EXPECT_EQ(row("float"), (Row{ 1e3, -1e3, 99.9f, -99.9f, 0.5 }));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "float");
}

/** A warning is printed if an image looks like labels and values are mixed, unless fractions are requested. */
TEST_F(ProgramPixels, LabelsThatAreMixed)
{
  using LabelImage = itk::Image<unsigned short, 3>;
  const auto                                    image = MakeObliqueImage<LabelImage>({ { 17, 15, 13 } });
  itk::ImageRegionIteratorWithIndex<LabelImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<unsigned short>(10 * (it.GetIndex()[0] / 4 + it.GetIndex()[1] / 3)));
  }
  WriteTestImage(image.GetPointer(), Path("labels.nrrd"));
  for (const std::string interpolation : { "linear", "bspline", "lanczos" })
  {
    const ProgramResult result = Run("labels.nrrd", { "--spacing", "0.7", "-i", interpolation });
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.CountErrorLines(), 1U) << result.errors;
    EXPECT_NE(result.errors.find("label-linear"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(interpolation), std::string::npos) << result.errors;
  }
  for (const std::vector<std::string> & options : { std::vector<std::string>{ "-i", "nearest" },
                                                    { "-i", "label-linear" },
                                                    { "-i", "bspline", "--order", "0" },
                                                    { "-i", "linear", "--output-type", "float" } })
  {
    std::vector<std::string> all{ "--spacing", "0.7" };
    all.insert(all.end(), options.begin(), options.end());
    ExpectQuietSuccess(Run("labels.nrrd", all));
  }
}

/** The warning also applies to labels that are stored as real numbers, but not to masks of 0 and 1, and fractions. */
TEST_F(ProgramPixels, LabelsOfRealNumbersThatAreMixed)
{
  const auto write = [this](float factor, int values) {
    const auto                                    image = MakeObliqueImage<FloatImage>({ { 17, 15, 13 } });
    itk::ImageRegionIteratorWithIndex<FloatImage> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      it.Set(factor * static_cast<float>((it.GetIndex()[0] / 4 + it.GetIndex()[1] / 3) % values));
    }
    WriteTestImage(image.GetPointer(), Path("labels.nrrd"));
  };
  write(1.0f, 3);
  for (const std::string interpolation : { "linear", "bspline" })
  {
    const ProgramResult result = Run("labels.nrrd", { "--spacing", "0.7", "-i", interpolation });
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.CountErrorLines(), 1U) << result.errors;
    EXPECT_NE(result.errors.find("float has few distinct values"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("label-linear"), std::string::npos) << result.errors;
  }
  ExpectQuietSuccess(Run("labels.nrrd", { "--spacing", "0.7", "--output-type", "float" }));
  ExpectQuietSuccess(Run("labels.nrrd", { "--spacing", "0.7", "-i", "label-linear" }));
  write(1.0f, 2);
  ExpectQuietSuccess(Run("labels.nrrd", { "--spacing", "0.7" }));
  write(0.25f, 4);
  ExpectQuietSuccess(Run("labels.nrrd", { "--spacing", "0.7" }));
}

/** A warning about non-finite voxels is printed once if a recursive filter spreads them. */
TEST_F(ProgramPixels, NonFiniteVoxelsThatSpread)
{
  const auto                                    image = MakeObliqueImage<FloatImage>({ { 17, 15, 13 } });
  itk::ImageRegionIteratorWithIndex<FloatImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    it.Set(0.5f + static_cast<float>(it.GetIndex()[0] * it.GetIndex()[1] % 7));
  }
  image->SetPixel({ { 3, 4, 5 } }, std::numeric_limits<float>::quiet_NaN());
  image->SetPixel({ { 9, 4, 5 } }, std::numeric_limits<float>::infinity());
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  for (const std::vector<std::string> & options :
       { std::vector<std::string>{ "-i", "bspline" }, { "-i", "bspline", "--order", "2" }, { "--smooth", "auto" } })
  {
    std::vector<std::string> all{ "--spacing", "4" };
    all.insert(all.end(), options.begin(), options.end());
    const ProgramResult result = Run("in.nrrd", all);
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.errors.find("2 of 3315 voxels of the input are not finite"), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find(options.front() == "-i" ? "the filter of --interpolation bspline" : "--smooth auto"),
              std::string::npos)
      << result.errors;
  }
  for (const std::vector<std::string> & options : { std::vector<std::string>{ "-i", "linear" },
                                                    { "-i", "catmull-rom" },
                                                    { "-i", "bspline", "--order", "1" },
                                                    { "--smooth", "auto" } })
  {
    std::vector<std::string> all{ "--spacing", "0.7" }; // nothing is smoothed
    all.insert(all.end(), options.begin(), options.end());
    ExpectQuietSuccess(Run("in.nrrd", all));
  }
}

/** Nearest neighbours give only labels of the input, and equal ITK's in every voxel. */
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

/** Returns samples of a 3D image beyond its edges, mirrored at the outermost ones. */
double
MirroredSample(const itk::Image<float, 3> * image, std::array<long, 3> index)
{
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const long last = static_cast<long>(image->GetBufferedRegion().GetSize(axis)) - 1;
    index[axis] = index[axis] < 0 ? -index[axis] : (index[axis] > last ? 2 * last - index[axis] : index[axis]);
  }
  return image->GetPixel({ { index[0], index[1], index[2] } });
}

/** Cubic convolution of Keys with a = -1/2. */
double
KeysKernel(double x)
{
  x = std::abs(x);
  return x < 1.0 ? 1.5 * x * x * x - 2.5 * x * x + 1.0
                 : (x < 2.0 ? -0.5 * x * x * x + 2.5 * x * x - 4.0 * x + 2.0 : 0.0);
}

/** Mitchell and Netravali's filter, B = C = 1/3, as their paper prints it for these. */
double
MitchellKernel(double x)
{
  x = std::abs(x);
  return (x < 1.0 ? 7.0 * x * x * x - 12.0 * x * x + 16.0 / 3.0
                  : (x < 2.0 ? -7.0 / 3.0 * x * x * x + 12.0 * x * x - 20.0 * x + 32.0 / 3.0 : 0.0)) /
         6.0;
}

/** Returns the sum over the samples around a point with a kernel. */
double
ConvolvedAt(const itk::Image<float, 3> * image, const itk::ContinuousIndex<double, 3> & place, double (*kernel)(double))
{
  double sum = 0.0;
  for (long z = -1; z < 3; ++z)
  {
    for (long y = -1; y < 3; ++y)
    {
      for (long x = -1; x < 3; ++x)
      {
        const std::array<long, 3> index{ static_cast<long>(std::floor(place[0])) + x,
                                         static_cast<long>(std::floor(place[1])) + y,
                                         static_cast<long>(std::floor(place[2])) + z };
        sum += kernel(place[0] - index[0]) * kernel(place[1] - index[1]) * kernel(place[2] - index[2]) *
               MirroredSample(image, index);
      }
    }
  }
  return sum;
}

/** Returns the continuous index in the input for a voxel of a result on another grid, if it is well inside. */
template <typename TImage>
std::optional<itk::ContinuousIndex<double, 3>>
PlaceInside(const itk::Image<float, 3> * input, const TImage * result, const typename TImage::IndexType & index)
{
  itk::Point<double, 3>           point;
  itk::ContinuousIndex<double, 3> place;
  result->TransformIndexToPhysicalPoint(index, point);
  static_cast<void>(input->TransformPhysicalPointToContinuousIndex(point, place));
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    if (!(place[axis] > 0.01 && place[axis] < static_cast<double>(input->GetBufferedRegion().GetSize(axis)) - 1.01))
    {
      return std::nullopt;
    }
  }
  return place;
}

template <typename TInterpolator>
double
LargestDistanceFrom(const itk::Image<float, 3> * input, const itk::Image<float, 3> * result)
{
  const auto interpolator = TInterpolator::New();
  interpolator->SetInputImage(input);
  double                                                       largest = 0.0;
  itk::ImageRegionConstIteratorWithIndex<itk::Image<float, 3>> it(result, result->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    if (const auto place = PlaceInside(input, result, it.GetIndex()))
    {
      largest = std::max(largest, std::abs(it.Get() - interpolator->EvaluateAtContinuousIndex(*place)));
    }
  }
  return largest;
}

/** Windowed sincs with each window and several radii equal ITK's. Catmull-Rom is the cubic of Keys, Mitchell-Netravali
 * that of their paper. The limit is 1e-3 for sums of roundings of float, values of some 200, and indices by other
 * formulas. Windows and radii differ by tenths. */
TEST_F(ProgramPixels, WindowedSincsAndCubicConvolution)
{
  namespace Function = itk::Function;
  const auto image = MakePhantom<FloatImage>({ { 15, 14, 13 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  const auto run = [this](std::vector<std::string> options) {
    options.insert(options.end(), { "--spacing", "0.83" });
    ExpectQuietSuccess(Run("in.nrrd", options));
    return ReadTestImage<FloatImage>(Path("out.nrrd"));
  };
  using Boundary = itk::ZeroFluxNeumannBoundaryCondition<FloatImage>;
  const auto distance = [&image](const FloatImage * result, auto window, auto radius) {
    constexpr unsigned int r = decltype(radius)::value;
    return LargestDistanceFrom<
      itk::WindowedSincInterpolateImageFunction<FloatImage, r, decltype(window), Boundary, double>>(image, result);
  };
  using Two = std::integral_constant<unsigned int, 2>;
  using Three = std::integral_constant<unsigned int, 3>;
  constexpr double tolerance = 1e-3;
  const auto       lanczos = run({ "-i", "lanczos" });
  EXPECT_LE(distance(lanczos, Function::LanczosWindowFunction<3>(), Three()), tolerance);
  EXPECT_GT(distance(lanczos, Function::WelchWindowFunction<3>(), Three()), 0.1);
  EXPECT_LE(
    distance(run({ "-i", "LanczosWindowedSinc", "--radius", "2" }), Function::LanczosWindowFunction<2>(), Two()),
    tolerance);
  EXPECT_LE(distance(run({ "-i", "hamming" }), Function::HammingWindowFunction<3>(), Three()), tolerance);
  EXPECT_LE(distance(run({ "-i", "cosine", "--radius", "2" }), Function::CosineWindowFunction<2>(), Two()), tolerance);
  EXPECT_LE(distance(run({ "-i", "welch" }), Function::WelchWindowFunction<3>(), Three()), tolerance);
  EXPECT_LE(distance(run({ "-i", "blackman" }), Function::BlackmanWindowFunction<3>(), Three()), tolerance);

  const auto expectConvolution = [&](const std::string & name, double (*kernel)(double)) {
    const auto                                         result = run({ "-i", name });
    itk::ImageRegionConstIteratorWithIndex<FloatImage> it(result, result->GetBufferedRegion());
    int                                                compared = 0;
    for (; !it.IsAtEnd(); ++it)
    {
      if (const auto place = PlaceInside(image.GetPointer(), result.GetPointer(), it.GetIndex()))
      {
        ASSERT_NEAR(it.Get(), ConvolvedAt(image, *place, kernel), tolerance) << name;
        ++compared;
      }
    }
    EXPECT_GT(compared, 1000);
  };
  expectConvolution("catmull-rom", KeysKernel);
  expectConvolution("mitchell", MitchellKernel);
  expectConvolution("Mitchell-Netravali", MitchellKernel);
  // Integers are computed as real numbers, rounded and clamped.
  const auto bytes = MakePhantom<itk::Image<unsigned char, 3>>({ { 15, 14, 13 } });
  WriteTestImage(bytes.GetPointer(), Path("bytes.nrrd"));
  ExpectQuietSuccess(Run("bytes.nrrd", { "-i", "lanczos", "--spacing", "0.83" }));
  EXPECT_EQ(ComponentOfFile(Path("out.nrrd")), "unsigned_char");
  const auto rounded = ReadTestImage<FloatImage>(Path("out.nrrd"));
  ExpectQuietSuccess(Run("bytes.nrrd", { "-i", "lanczos", "--spacing", "0.83", "--output-type", "float" }));
  const auto         real = ReadTestImage<FloatImage>(Path("out.nrrd"));
  const auto * const whole = rounded->GetBufferPointer();
  for (std::size_t voxel = 0; voxel < real->GetBufferedRegion().GetNumberOfPixels(); ++voxel)
  {
    ASSERT_EQ(whole[voxel], std::nearbyint(std::max(0.0f, std::min(real->GetBufferPointer()[voxel], 255.0f))));
  }
  ExpectError(Run("in.nrrd", { "-i", "lanczos", "--compare-itk" }), { "--compare-itk", "lanczos" });
  ExpectError(Run("in.nrrd", { "-i", "lanczos", "--radius", "6" }), { "--radius 6", "1 to 5" }, 2);
  ExpectError(Run("in.nrrd", { "-i", "linear", "--radius", "2" }), { "--radius", "linear" }, 2);
  ExpectError(Run("in.nrrd", { "-i", "nearest", "--sigma", "2" }), { "--sigma", "nearest" }, 2);
}

/** The label has the largest indicator, with each method to interpolate it, or the largest Gaussian weight. */
TEST_F(ProgramPixels, LabelsByTheirIndicators)
{
  using LabelImage = itk::Image<unsigned short, 3>;
  const auto                                    labels = MakeObliqueImage<LabelImage>({ { 12, 11, 10 } });
  const std::vector<unsigned short>             values{ 3, 40, 1000 };
  itk::ImageRegionIteratorWithIndex<LabelImage> it(labels, labels->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    const auto & index = it.GetIndex();
    it.Set(values[static_cast<std::size_t>((index[0] * index[1] / 5 + index[2] / 3 + index[0] / 4) % 3)]);
  }
  WriteTestImage(labels.GetPointer(), Path("labels.nrrd"));
  std::vector<FloatImage::Pointer> indicators;
  for (const unsigned short value : values)
  {
    const auto indicator = MakeObliqueImage<FloatImage>(labels->GetBufferedRegion().GetSize());
    for (std::size_t voxel = 0; voxel < labels->GetBufferedRegion().GetNumberOfPixels(); ++voxel)
    {
      indicator->GetBufferPointer()[voxel] = labels->GetBufferPointer()[voxel] == value ? 1.0f : 0.0f;
    }
    indicators.push_back(indicator);
  }
  using Valued = std::function<double(std::size_t label, const itk::ContinuousIndex<double, 3> & place)>;
  const auto expect = [&](std::vector<std::string> options, const Valued & valueOf) {
    SCOPED_TRACE(options[1]);
    options.insert(options.end(), { "--spacing", "0.83" });
    ExpectQuietSuccess(Run("labels.nrrd", options));
    const auto                                         result = ReadTestImage<LabelImage>(Path("out.nrrd"));
    std::size_t                                        compared = 0;
    itk::ImageRegionConstIteratorWithIndex<LabelImage> voxel(result, result->GetBufferedRegion());
    for (; !voxel.IsAtEnd(); ++voxel)
    {
      const auto place = PlaceInside(indicators.front().GetPointer(), result.GetPointer(), voxel.GetIndex());
      if (!place)
      {
        continue;
      }
      std::vector<double> all;
      for (std::size_t label = 0; label < values.size(); ++label)
      {
        all.push_back(valueOf(label, *place));
      }
      const auto   best = std::max_element(all.begin(), all.end());
      const auto   winner = static_cast<std::size_t>(best - all.begin());
      const double largest = *best;
      *best = -HUGE_VAL;
      if (largest - *std::max_element(all.begin(), all.end()) > 1e-3) // otherwise rounding may decide
      {
        ASSERT_EQ(voxel.Get(), values[winner]);
        ++compared;
      }
    }
    EXPECT_GT(compared, 500u);
  };
  expect({ "-i", "label-linear" }, [&](std::size_t label, const auto & place) {
    const auto linear = itk::LinearInterpolateImageFunction<FloatImage>::New();
    linear->SetInputImage(indicators[label]);
    return linear->EvaluateAtContinuousIndex(place);
  });
  expect({ "-i", "label-catmull-rom" },
         [&](std::size_t label, const auto & place) { return ConvolvedAt(indicators[label], place, KeysKernel); });
  std::vector<itk::BSplineInterpolateImageFunction<FloatImage>::Pointer> splines;
  for (const auto & indicator : indicators)
  {
    splines.push_back(itk::BSplineInterpolateImageFunction<FloatImage>::New());
    splines.back()->SetSplineOrder(2);
    splines.back()->SetInputImage(indicator);
  }
  expect({ "-i", "label-bspline", "--order", "2" },
         [&](std::size_t label, const auto & place) { return splines[label]->EvaluateAtContinuousIndex(place); });
  // ITK's weights are sums of products of differences of the error function over the voxels. These are the same.
  const auto gaussian = [&](double sigma) {
    return [&, sigma](std::size_t label, const itk::ContinuousIndex<double, 3> & place) {
      const FloatImage * const           indicator = indicators[label];
      std::array<std::vector<double>, 3> weights;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        const double spacing = indicator->GetSpacing()[axis];
        const double scale = spacing / (std::sqrt(2.0) * (sigma > 0.0 ? sigma : spacing));
        for (std::size_t sample = 0; sample < indicator->GetBufferedRegion().GetSize(axis); ++sample)
        {
          const double distance = static_cast<double>(sample) - place[axis];
          weights[axis].push_back(std::erf((distance + 0.5) * scale) - std::erf((distance - 0.5) * scale));
        }
      }
      double                                             sum = 0.0;
      double                                             all = 0.0;
      itk::ImageRegionConstIteratorWithIndex<FloatImage> sample(indicator, indicator->GetBufferedRegion());
      for (; !sample.IsAtEnd(); ++sample)
      {
        const auto & index = sample.GetIndex();
        const double product = weights[0][index[0]] * weights[1][index[1]] * weights[2][index[2]];
        sum += sample.Get() * product;
        all += product;
      }
      // Samples beyond the cut-off of 4 sigmas, some 1e-4 of the sum, may be omitted: winners by less are not compared.
      return sum / all;
    };
  };
  expect({ "-i", "label-gaussian" }, gaussian(0.0));
  expect({ "-i", "MultiLabel", "--sigma", "0.6" }, gaussian(0.6));
}

class ProgramOrders
  : public ProgramPixels
  , public ::testing::WithParamInterface<unsigned int>
{};

/** Every spline order is compared with ITK's interpolator in double: within 1e-6 of the range in float (NUMERICS.md
 * allows orders 4 and 5 more on noise; this image is smooth). */
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

/** The values of a spline at samples are slightly below or above integers. Rounding removes this error, truncation does
 * not. */
TEST_F(ProgramPixels, IntegersAreRounded)
{
  using ImageType = itk::Image<unsigned char, 3>;
  const auto image = MakePhantom<ImageType>({ { 30, 28, 26 } });
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-i", "bspline" }));
  EXPECT_EQ(LargestDifference(ReadTestImage<ImageType>(Path("out.nrrd")).GetPointer(), image.GetPointer()), 0.0);
  ExpectQuietSuccess(
    RunProgram({ Path("in.nrrd"), Path("real.nrrd"), "--rotate", "7", "3", "5", "--output-type", "float" }));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--rotate", "7", "3", "5" }));
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("cut.nrrd"), "--rotate", "7", "3", "5", "--round", "itk" }));
  const auto real = ReadTestImage<itk::Image<float, 3>>(Path("real.nrrd"));
  const auto rounded = ReadTestImage<ImageType>(Path("out.nrrd"));
  const auto truncated = ReadTestImage<ImageType>(Path("cut.nrrd"));
  for (std::size_t voxel = 0; voxel < 30 * 28 * 26; ++voxel)
  {
    ASSERT_EQ(static_cast<float>(rounded->GetBufferPointer()[voxel]), std::nearbyint(real->GetBufferPointer()[voxel]));
    ASSERT_EQ(static_cast<float>(truncated->GetBufferPointer()[voxel]), std::trunc(real->GetBufferPointer()[voxel]));
  }
  // ITK's values are rounded in the same way. Very few voxels differ, and these have values close to a half.
  for (const std::string rounding : { "nearest", "itk" })
  {
    ExpectQuietSuccess(RunProgram({ Path("in.nrrd"),
                                    Path("out.nrrd"),
                                    "--rotate",
                                    "7",
                                    "3",
                                    "5",
                                    "--compare-itk",
                                    "--round",
                                    rounding,
                                    "--report",
                                    Path("report.json") }));
    const auto comparison = nlohmann::json::parse(Content(Path("report.json")))["comparison"];
    EXPECT_LT(comparison["differing_voxels"].get<int>(), 30 * 28 * 26 / 1000) << rounding;
    EXPECT_LT(comparison["distance_from_step"].get<double>(), 1e-4) << rounding;
  }
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--round", "up" }), { "--round", "up" }, 2);
}

/** Stripes of two voxels vanish in samples of four voxels, and constant regions do not change. */
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
      // The filter extends the image with the outermost value, so a stripe is still visible at the border.
      if (pixel % 16 > 1 && pixel % 16 < 14)
      {
        largest = std::max(largest, std::abs(out->GetBufferPointer()[pixel] - 100.0));
      }
    }
    return largest;
  };
  EXPECT_EQ(spread({}), 50.0);
  // A Gaussian of sigma s multiplies the wave of two voxels by exp(-(pi s)^2 / 2), here s^2 = 15 / (8 ln 2): 1.6e-6.
  // The recursive one is an approximation to about 1e-3.
  EXPECT_LT(spread({ "--smooth", "auto" }), 0.1);
  ExpectQuietSuccess(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--size", "16", "--smooth", "auto" }));
}

} // namespace
