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
#include "RandomData.h"
#include "RegisterTestSupport.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>

/** \file
 * \brief CudaSplineRegister finds known transforms in 2D and 3D, in stages, with every metric and optimizer, and with
 * masks. CudaSplineResample computes the same image from its outputs. Limits are tenths of a voxel, which linear
 * interpolation of a smooth image allows. If nothing is found, the transforms differ by millimetres. */

namespace
{

constexpr unsigned int planeSize = 48;
constexpr double       startDistance = 2.0; ///< mm; minimum distance at the start of the stages

/** Both programs agree on the output files. */
template <unsigned int VDimension>
class Warped : public RegisterTest
{
protected:
  void
  ExpectSameByResample(const std::string & transform,
                       const std::string & warped,
                       const std::string & interpolation = "linear") const
  {
    const ProgramResult resampled = RunProgram({ this->Path("moving.nrrd"),
                                                 this->Path("resampled.nrrd"),
                                                 "-r",
                                                 this->Path("fixed.nrrd"),
                                                 "-t",
                                                 this->Path(transform),
                                                 "-i",
                                                 interpolation,
                                                 "--output-type",
                                                 "float" });
    ASSERT_EQ(resampled.code, 0) << resampled.errors;
    const auto ours = ReadTestImage<RegisterTest::Image<VDimension>>(this->Path(warped));
    const auto theirs = ReadTestImage<RegisterTest::Image<VDimension>>(this->Path("resampled.nrrd"));
    const auto fixed = ReadTestImage<RegisterTest::Image<VDimension>>(this->Path("fixed.nrrd"));
    ExpectSameGrid(ours.GetPointer(), fixed.GetPointer());
    // It is the same filter; text has every digit of a transform.
    EXPECT_LE(LargestDifference(ours.GetPointer(), theirs.GetPointer()), 1e-4);
    EXPECT_GT(LargestDifference(ours.GetPointer(), fixed.GetPointer()), 0.0);
  }
};

using RegisterInPlane = Warped<2>;
using RegisterInSpace = Warped<3>;

TEST_F(RegisterInSpace, RigidThenAffine)
{
  const auto known = itk::AffineTransform<double, 3>::New();
  known->Rotate3D(Vector3(1.0, 2.0, -1.0), 0.08);
  known->Scale(1.04);
  known->Translate(Vector3(2.0, -1.5, 1.0));
  constexpr unsigned int size = 26;
  WritePair<3>(known, size);
  const ProgramResult result = Register({ "-o",
                                          Path("out.tfm"),
                                          "-w",
                                          Path("warped.nrrd"),
                                          "-p",
                                          Path("picture.png"),
                                          "--report",
                                          Path("report.json"),
                                          "--metric",
                                          "meansquares",
                                          "--levels",
                                          "2",
                                          "--iterations",
                                          "60" });
  ExpectQuietSuccess(result);
  EXPECT_EQ(result.output, "");
  EXPECT_LE(DistanceOf<3>("out.tfm", known, size), 0.1);
  // One matrix: the affine stage continued from the rigid one.
  EXPECT_STREQ(ReadTransform<3>(Path("out.tfm"))->GetNameOfClass(), "AffineTransform");
  ExpectSameByResample("out.tfm", "warped.nrrd");

  const nlohmann::json report = ReadReport();
  ASSERT_EQ(report["stages"].size(), 2u);
  EXPECT_EQ(report["stages"][0]["kind"], "rigid");
  EXPECT_EQ(report["stages"][1]["parameters"], 12);
  for (const auto & stage : report["stages"])
  {
    EXPECT_NE(stage["backend"], "Superclass") << stage["fallback_reason"];
    ASSERT_EQ(stage["levels"].size(), 2u);
    EXPECT_GT(stage["seconds"].get<double>(), 0.0);
  }
  EXPECT_GT(report["iterations"].size(), 8u);
  const auto values = [](const nlohmann::json & iteration) { return iteration["value"].get<double>(); };
  EXPECT_GT(values(report["iterations"].front()), 10.0 * values(report["iterations"].back()));

  // Three slices in two rows: background, text, and both images.
  using Picture = itk::Image<unsigned char, 2>;
  const auto picture = ReadTestImage<Picture>(Path("picture.png"));
  const auto width = picture->GetBufferedRegion().GetSize(0);
  EXPECT_GE(width, 899u);
  EXPECT_LE(width, 903u);
  const auto *      pixels = picture->GetBufferPointer();
  const std::size_t count = picture->GetBufferedRegion().GetNumberOfPixels();
  for (const unsigned char grey : { 40, 235, 0, 255 })
  {
    EXPECT_GT(std::count(pixels, pixels + count, grey), 500) << int(grey);
  }
  // A fifth of the height of the rows is titles and letters.
  EXPECT_GT(std::count(pixels, pixels + count, 40), static_cast<std::ptrdiff_t>(count / 10));
}

/** Spacings of 0.01 and 10 mm: at the smaller one slices would have gigapixels, so they are drawn coarser. The short
 * axis is then narrower than the title, which is nevertheless drawn completely. */
template <unsigned int VDimension>
void
ExpectPictureOfNeedles(const std::string & image, const std::string & picture)
{
  constexpr unsigned int along = VDimension - 1; // upright in each slice that contains it
  const auto             needle = itk::Image<float, VDimension>::New();
  itk::Size<VDimension>  size;
  size.Fill(24);
  size[along] = 2000;
  needle->SetRegions(size);
  needle->Allocate();
  double spacing[VDimension];
  std::fill_n(spacing, VDimension, 0.01);
  spacing[along] = 10.0;
  needle->SetSpacing(spacing);
  const std::size_t across = needle->GetBufferedRegion().GetNumberOfPixels() / 2000;
  for (std::size_t n = 0; n < 2000 * across; ++n)
  {
    needle->GetBufferPointer()[n] = static_cast<float>(n / across % 200);
  }
  WriteTestImage(needle.GetPointer(), image);
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  const ProgramResult result = RunProgram(
    { image, image, "-p", picture, "-s", "translation", "-m", "meansquares", "--iterations", "0" }, settings);
  EXPECT_EQ(result.code, 0) << result.errors;
  const auto drawn = ReadTestImage<itk::Image<unsigned char, 2>>(picture);
  // At most 8192 pixels are drawn along a side. Letters are next to it, and there are two rows.
  EXPECT_GE(drawn->GetBufferedRegion().GetSize(0), 900u);
  EXPECT_LT(drawn->GetBufferedRegion().GetSize(0), 1000u);
  EXPECT_GT(drawn->GetBufferedRegion().GetSize(1), 2u * 8192u);
  EXPECT_LT(drawn->GetBufferedRegion().GetSize(1), 2u * 8192u + 1000u);
  // The title ended too early when it did not fit: "IN TURN", right of the first 300 pixels.
  std::size_t inked = 0;
  for (std::size_t y = 0; y < 20; ++y)
  {
    for (std::size_t x = 300; x < 900; ++x)
    {
      inked += drawn->GetPixel({ { static_cast<itk::IndexValueType>(x), static_cast<itk::IndexValueType>(y) } }) == 235;
    }
  }
  EXPECT_GT(inked, 200u);
  // The needle is drawn with its darkest and lightest values.
  const auto * const pixels = drawn->GetBufferPointer();
  const std::size_t  count = drawn->GetBufferedRegion().GetNumberOfPixels();
  EXPECT_GT(std::count(pixels, pixels + count, 0), 0);
  EXPECT_GT(std::count(pixels, pixels + count, 255), 0);
}

TEST_F(RegisterInSpace, PicturesOfNeedles)
{
  ExpectPictureOfNeedles<2>(Path("plane.nrrd"), Path("plane.png"));
  ExpectPictureOfNeedles<3>(Path("space.nrrd"), Path("space.png"));
}

/** A picture does not depend on the storage order of a volume: it is in radiological orientation, with the letters of
 * its sides. */
TEST_F(RegisterInSpace, PicturesOfOtherAxes)
{
  const auto size = Image<3>::SizeType{ { 21, 19, 17 } };
  const auto store = [&](const std::string & name, const std::array<unsigned int, 3> & axes, bool isMirrored) {
    // The voxel (i, j, k) of the first order is at the same point in the others.
    const auto              image = Image<3>::New();
    Image<3>::SizeType      sizes;
    Image<3>::DirectionType direction;
    Image<3>::PointType     origin;
    direction.Fill(0.0);
    origin.Fill(0.0);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      sizes[axis] = size[axes[axis]];
      direction[axes[axis]][axis] = isMirrored ? -1.0 : 1.0;
      origin[axes[axis]] = isMirrored ? static_cast<double>(size[axes[axis]]) - 1.0 : 0.0;
    }
    image->SetRegions(sizes);
    image->SetDirection(direction);
    image->SetOrigin(origin);
    image->Allocate();
    Fill<3>(image, nullptr, [](const Point<3> & point) {
      Point<3> place;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        place[axis] = point[axis] - 8.0;
      }
      return ValueAt<3>(place);
    });
    WriteTestImage(image.GetPointer(), Path("fixed.nrrd"));
    WriteTestImage(image.GetPointer(), Path("moving.nrrd"));
    ExpectQuietSuccess(
      Register({ "--stage", "rigid", "--levels", "1", "--iterations", "0", "--initialize", "none", "-p", Path(name) }));
  };
  store("plain.png", { 0, 1, 2 }, false);
  store("mirrored.png", { 0, 1, 2 }, true);
  using Picture = itk::Image<unsigned char, 2>;
  const auto plain = ReadTestImage<Picture>(Path("plain.png"));
  // Points between samples are rounded differently.
  EXPECT_LE(LargestDifference(plain.GetPointer(), ReadTestImage<Picture>(Path("mirrored.png")).GetPointer()), 1.0);
  // A volume of sagittal slices has its panels in another order, with the same number of pixels of each.
  store("turned.png", { 1, 2, 0 }, true);
  const auto turned = ReadTestImage<Picture>(Path("turned.png"));
  EXPECT_EQ(turned->GetBufferedRegion().GetSize(), plain->GetBufferedRegion().GetSize());
  const auto sum = [](const Picture * picture) {
    const auto * const pixels = picture->GetBufferPointer();
    return std::accumulate(pixels, pixels + picture->GetBufferedRegion().GetNumberOfPixels(), 0.0);
  };
  EXPECT_NEAR(sum(turned), sum(plain), 1e-3 * sum(plain));
}

/** Warnings report the number if images are unrelated or hardly overlap. */
TEST_F(RegisterInSpace, PoorAgreement)
{
  WritePair<3>(itk::AffineTransform<double, 3>::New().GetPointer(), 26);
  const std::vector<std::string> still{
    "--stage", "rigid", "--levels",      "1",        "--iterations",     "0", "--initialize",
    "none",    "-o",    Path("out.tfm"), "--report", Path("report.json")
  };
  ExpectQuietSuccess(Register(still));
  EXPECT_GT(ReadReport()["agreement"]["explained"], 0.2);
  EXPECT_GT(ReadReport()["agreement"]["overlap"], 0.99);

  const auto             moving = ReadTestImage<Image<3>>(Path("moving.nrrd"));
  const auto             noise = MakeGrid<3>(29);
  CudaSplineTest::Random random(__LINE__);
  for (std::size_t voxel = 0; voxel < noise->GetBufferedRegion().GetNumberOfPixels(); ++voxel)
  {
    noise->GetBufferPointer()[voxel] = static_cast<float>(random.Uniform(0.0, 100.0));
  }
  WriteTestImage(noise.GetPointer(), Path("moving.nrrd"));
  ProgramResult result = Register(still);
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.errors.find("the moving image explains "), std::string::npos) << result.errors;
  EXPECT_LT(ReadReport()["agreement"]["explained"], 0.02);

  auto origin = moving->GetOrigin();
  origin[2] += 23.0 * 1.5; // 24 slices of 1.5 mm, two of which remain
  moving->SetOrigin(origin);
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  result = Register(still);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("% of the fixed image is inside the moving image"), std::string::npos) << result.errors;
}

/** An image on the grid of a template is in its space, and keeps its own description. Offsets are those of nifti1.h. */
TEST_F(RegisterInSpace, CodesOfTheSpace)
{
  constexpr std::size_t description = 148;
  constexpr std::size_t units = 123;
  constexpr std::size_t qformCode = 252;
  constexpr std::size_t sformCode = 254;
  WritePair<3>(itk::AffineTransform<double, 3>::New().GetPointer(), 20);
  const auto mark = [this](const std::string & name, char code, const std::string & text) {
    WriteTestImage(ReadTestImage<Image<3>>(Path(name + ".nrrd")).GetPointer(), Path(name + ".nii"));
    std::string bytes = Content(Path(name + ".nii"));
    bytes[qformCode] = code;
    bytes[sformCode] = code;
    bytes.replace(description, text.size() + 1, text.c_str(), text.size() + 1);
    std::ofstream(Path(name + ".nii"), std::ios::binary) << bytes;
  };
  mark("fixed", 4, "a template"); // MNI
  mark("moving", 1, "a subject"); // of the scanner
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  ExpectQuietSuccess(RunProgram({ Path("fixed.nii"),
                                  Path("moving.nii"),
                                  "--stage",
                                  "rigid",
                                  "--levels",
                                  "1",
                                  "--iterations",
                                  "1",
                                  "-w",
                                  Path("warped.nii"),
                                  "--output-prefix",
                                  Path("p_") },
                                settings));
  for (const std::string name : { "p_Warped", "p_InverseWarped" })
  {
    // Uncompressed, so that the test can read it.
    ExpectQuietSuccess(RunProgram({ Path(name + ".nii.gz"), Path(name + ".nii"), "-i", "nearest" }));
  }
  for (const auto & [name, code, text] : { std::tuple("warped.nii", 4, "a subject"),
                                           std::tuple("p_Warped.nii", 4, "a subject"),
                                           std::tuple("p_InverseWarped.nii", 1, "a template") })
  {
    SCOPED_TRACE(name);
    const std::string header = Content(Path(name)).substr(0, 352);
    EXPECT_EQ(header[qformCode], code);
    EXPECT_EQ(header[sformCode], code);
    EXPECT_STREQ(header.substr(description).c_str(), text);
    EXPECT_EQ(header[units] & 7, 2); // mm
  }
}

TEST_F(RegisterInPlane, SplineBehindAffine)
{
  const auto known = itk::CompositeTransform<double, 2>::New();
  known->AddTransform(KnownRigid());
  const auto spline = itk::BSplineTransform<double, 2, 3>::New();
  const auto grid = MakeGrid<2>(planeSize);
  spline->SetTransformDomainOrigin(grid->GetOrigin());
  spline->SetTransformDomainDirection(grid->GetDirection());
  itk::BSplineTransform<double, 2, 3>::PhysicalDimensionsType extent;
  extent[0] = planeSize - 1.0;
  extent[1] = (planeSize - 3.0) * 1.25;
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainMeshSize({ { 4, 4 } });
  auto parameters = spline->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 1.5 * std::sin(1.9 * p);
  }
  spline->SetParametersByValue(parameters);
  known->AddTransform(spline);
  WritePair<2>(known, planeSize);
  ASSERT_GT(LargestDistance<2>(KnownRigid().GetPointer(), known, planeSize), 0.5);
  ExpectQuietSuccess(Register({ "--stage",
                                "affine",
                                "--stage",
                                "bspline",
                                "--metric",
                                "meansquares",
                                "--grid-spacing",
                                "12,14",
                                "--iterations",
                                "50",
                                "--levels",
                                "2",
                                "--gradient",
                                "analytic",
                                "-i",
                                "bspline",
                                "-o",
                                Path("out.h5"),
                                "-w",
                                Path("warped.nrrd"),
                                "--report",
                                Path("report.json"),
                                "-p",
                                Path("picture.png") }));
  EXPECT_LE(DistanceOf<2>("out.h5", known, planeSize), 0.2);
  ExpectSameByResample("out.h5", "warped.nrrd", "bspline");
  const nlohmann::json report = ReadReport();
  EXPECT_EQ(report["stages"][1]["optimizer"], "lbfgs");
  EXPECT_EQ(report["stages"][1]["parameters"], 2 * 7 * 7); // 4 by 4 cells at the last level
  using Picture = itk::Image<unsigned char, 2>;
  EXPECT_GE(ReadTestImage<Picture>(Path("picture.png"))->GetBufferedRegion().GetSize(0), 899u);
}

class RegisterWays
  : public RegisterTest
  , public ::testing::WithParamInterface<std::vector<std::string>>
{};

/** Other metrics, optimizers, samples, gradients, precisions and devices. */
TEST_P(RegisterWays, FindsARigidTransform)
{
  const auto known = KnownRigid();
  WritePair<2>(known, planeSize);
  std::vector<std::string> options = GetParam();
  options.insert(options.end(), { "--stage", "rigid", "-o", Path("out.txt"), "--report", Path("report.json") });
  ExpectQuietSuccess(Register(options));
  EXPECT_LE(DistanceOf<2>("out.txt", known, planeSize), 0.15);
  EXPECT_NE(ReadReport()["stages"][0]["backend"], "Superclass");
}

INSTANTIATE_TEST_SUITE_P(
  Register,
  RegisterWays,
  ::testing::Values(
    std::vector<std::string>{ "--device", "cpu" },
    std::vector<std::string>{ "--metric", "correlation", "--precision", "double" },
    std::vector<std::string>{ "--metric", "meansquares", "--optimizer", "gradient-descent", "--step", "0.1" },
    std::vector<std::string>{ "--metric", "correlation", "--optimizer", "conjugate-gradient" },
    std::vector<std::string>{ "--gradient", "filter", "--interpolation", "bspline" },
    std::vector<std::string>{ "--gradient", "analytic", "-i", "bspline", "--bins", "32" },
    std::vector<std::string>{ "--sampling", "regular", "--fraction", "0.5" },
    std::vector<std::string>{ "--metric", "meansquares", "--sampling", "random", "--fraction", "0.3" },
    std::vector<std::string>{ "--initialize", "centre", "--shrink", "2,1", "--sigmas", "2,0.5mm" },
    std::vector<std::string>{ "--initialize", "none", "--step", "0.5", "--minimum-step", "0.01" }));

/** Regions outside of the mask would be misleading. */
TEST_F(RegisterInPlane, Masks)
{
  const auto known = KnownRigid();
  const auto fixed = MakeGrid<2>(planeSize);
  const auto moving = MakeGrid<2>(planeSize);
  // A bright bar that does not move with the rest, and is at the same position in both images.
  const auto isInBar = [](const Point<2> & point) { return point[0] + 0.4 * point[1] > 14.0; };
  Fill<2>(fixed, nullptr, [&](const Point<2> & point) {
    return isInBar(point) ? 400.0 : ValueAt<2>(known->TransformPoint(point));
  });
  Fill<2>(moving, nullptr, [&](const Point<2> & point) { return isInBar(point) ? 400.0 : ValueAt<2>(point); });
  WriteTestImage(fixed.GetPointer(), Path("fixed.nrrd"));
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  // The masks exclude more than the bar: a moved point near it may be in the bar of the moving image, and gradients
  // read neighbours of a point.
  const auto mask = MakeGrid<2>(planeSize);
  Fill<2>(mask, nullptr, [&](const Point<2> & point) { return point[0] + 0.4 * point[1] > 9.0 ? 0.0 : 0.5; });
  WriteTestImage(mask.GetPointer(), Path("fixed-mask.nrrd"));
  Fill<2>(mask, nullptr, [&](const Point<2> & point) { return point[0] + 0.4 * point[1] > 11.5 ? 0.0 : 3.0; });
  WriteTestImage(mask.GetPointer(), Path("moving-mask.nrrd"));

  const std::vector<std::string> common{ "--stage",      "rigid", "--metric",     "meansquares",
                                         "--levels",     "1",     "-o",           Path("out.tfm"),
                                         "--initialize", "none",  "--iterations", "200" };
  ExpectQuietSuccess(Register(common));
  EXPECT_GT(DistanceOf<2>("out.tfm", known.GetPointer(), planeSize), 0.5) << "the bar does not lead astray";
  auto options = common;
  options.insert(options.end(), { "--fixed-mask", Path("fixed-mask.nrrd"), "--moving-mask", Path("moving-mask.nrrd") });
  ExpectQuietSuccess(Register(options));
  EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), planeSize), 0.15);
}

TEST_F(RegisterInPlane, GoesOnFromATransform)
{
  const auto known = KnownRigid();
  WritePair<2>(known, planeSize);
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(known->GetInverseTransform());
  writer->SetFileName(Path("start.tfm"));
  writer->Update();
  // The images are aligned: the first values are as good as the last.
  ExpectQuietSuccess(Register({ "--stage",
                                "affine",
                                "--metric",
                                "meansquares",
                                "--initial-transform",
                                Path("start.tfm") + ",inverse",
                                "-o",
                                Path("out.tfm"),
                                "--report",
                                Path("report.json") }));
  EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), planeSize), 0.05);
  EXPECT_LE(ReadReport()["iterations"].front()["value"].get<double>(), 1.0);
  // Without iterations the result is the start.
  ExpectQuietSuccess(
    Register({ "--stage", "rigid", "--initialize", "none", "--iterations", "0", "-o", Path("out.tfm") }));
  EXPECT_GT(DistanceOf<2>("out.tfm", known.GetPointer(), planeSize), startDistance);
}

/** The same seed selects the same samples. */
TEST_F(RegisterInPlane, Seeds)
{
  WritePair<2>(KnownRigid().GetPointer(), planeSize);
  const auto register_ = [this](const std::string & seed) {
    ExpectQuietSuccess(WithoutFewIterations(Register({ "--stage",
                                                       "rigid",
                                                       "--sampling",
                                                       "random",
                                                       "--fraction",
                                                       "0.2",
                                                       "--bins",
                                                       "10",
                                                       "--device",
                                                       "cpu",
                                                       "--seed",
                                                       seed,
                                                       "--levels",
                                                       "1",
                                                       "--iterations",
                                                       "60",
                                                       "-o",
                                                       Path("out.tfm") })));
    return Content(Path("out.tfm"));
  };
  const std::string first = register_("11");
  EXPECT_EQ(register_("11"), first);
  EXPECT_NE(register_("12"), first);
}

TEST_F(RegisterInPlane, SaysWhatItDoes)
{
  WritePair<2>(KnownRigid().GetPointer(), planeSize);
  const ProgramResult result = Register({ "--stage",
                                          "rigid",
                                          "--stage",
                                          "affine",
                                          "--metric",
                                          "mattes",
                                          "--metric",
                                          "correlation",
                                          "--iterations",
                                          "3,2",
                                          "-o",
                                          Path("out.tfm"),
                                          "--verbose" });
  ExpectQuietSuccess(result);
  for (const char * const words : { "stage 1/2 (rigid), level 1/2, iteration 1: value ",
                                    "stage 1/2 (rigid), level 1/2, iteration 3: value ",
                                    "stage 2/2 (affine), level 2/2, iteration 2: value ",
                                    " mm\n",
                                    "stage 1, rigid",
                                    "correlation by ",
                                    "level 2" })
  {
    EXPECT_NE(result.output.find(words), std::string::npos) << words << " is missing in:\n" << result.output;
  }
  EXPECT_EQ(result.output.find("iteration 4"), std::string::npos);

  // A bar on a terminal, without one line per iteration.
  ProgramSettings settings;
  settings.onTerminal = true;
  settings.hasSummary = true;
  const ProgramResult quiet = Register({ "-o", Path("out.tfm") }, settings);
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.output, "");
  EXPECT_NE(quiet.errors.find("rigid"), std::string::npos);
  EXPECT_NE(quiet.errors.find("affine"), std::string::npos);
}

/** A signal stops the registration, and the best transform so far is written. Without iterations or an output it ends
 * like other programs. */
TEST_F(RegisterInPlane, SignalWritesTheBest)
{
  const auto known = KnownRigid();
  WritePair<2>(known, planeSize);
  const std::vector<std::string> endless{ "--stage",        "rigid",  "--metric",         "meansquares",
                                          "--levels",       "1",      "--iterations",     "1000000",
                                          "--minimum-step", "1e-300", "--verbose",        "--initialize",
                                          "none",           "-w",     Path("warped.nrrd") };
  std::ofstream(Path("warped.nrrd")) << "what was there";
  const std::size_t files = CountFiles();
  auto              options = endless;
  options.insert(options.end(), { "-o", Path("out.tfm") });
  ProgramSettings settings;
  settings.signalWhenOutput = "iteration 40:";
  const ProgramResult result = Register(options, settings);
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.errors;
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find("warning: stopped by signal 15"), std::string::npos) << result.errors;
  EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), planeSize), 0.3);
  EXPECT_EQ(Content(Path("warped.nrrd")), "what was there");
  EXPECT_EQ(CountFiles(), files + 1); // and no hidden folder

  const ProgramResult ended = Register(endless, settings);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_EQ(Content(Path("warped.nrrd")), "what was there");
  EXPECT_EQ(CountFiles(), files + 1);
}

} // namespace
