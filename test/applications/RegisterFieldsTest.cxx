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
#include "RunProgram.h"

#include "itkDisplacementFieldTransform.h"
#include "itkImageFileReader.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief CudaSplineRegister's stage of fields, what it writes of them, presets, the search for a rotation, and the
 * evaluation at the end. */

namespace
{

constexpr unsigned int fieldSize = 48;

class RegisterFields : public RegisterTest
{
protected:
  template <unsigned int VDimension>
  using Field = itk::Image<itk::Vector<double, VDimension>, VDimension>;

  /** A smooth transform that bends the middle by up to 2 mm, behind a rigid one if there is one. */
  static itk::CompositeTransform<double, 2>::Pointer
  KnownBend(const itk::Transform<double, 2, 2> * rigid)
  {
    const auto known = itk::CompositeTransform<double, 2>::New();
    if (rigid != nullptr)
    {
      known->AddTransform(const_cast<itk::Transform<double, 2, 2> *>(rigid));
    }
    const auto spline = itk::BSplineTransform<double, 2, 3>::New();
    const auto grid = MakeGrid<2>(fieldSize);
    spline->SetTransformDomainOrigin(grid->GetOrigin());
    spline->SetTransformDomainDirection(grid->GetDirection());
    itk::BSplineTransform<double, 2, 3>::PhysicalDimensionsType extent;
    extent[0] = fieldSize - 1.0;
    extent[1] = (fieldSize - 3.0) * 1.25;
    spline->SetTransformDomainPhysicalDimensions(extent);
    spline->SetTransformDomainMeshSize({ { 4, 4 } });
    auto parameters = spline->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] = 2.0 * std::sin(1.9 * p);
    }
    spline->SetParametersByValue(parameters);
    known->AddTransform(spline);
    return known;
  }

  template <unsigned int VDimension>
  typename itk::DisplacementFieldTransform<double, VDimension>::Pointer
  ReadField(const std::string & name) const
  {
    const auto transform = itk::DisplacementFieldTransform<double, VDimension>::New();
    transform->SetDisplacementField(ReadTestImage<Field<VDimension>>(Path(name)));
    return transform;
  }

  /** Where two transforms, one behind the other, bring the points of the middle half of the grid: how far from there a
   * third does. */
  template <unsigned int VDimension>
  static double
  LargestDistanceOfTwo(const Transform<VDimension> * first,
                       const Transform<VDimension> * second,
                       const Transform<VDimension> * whole)
  {
    const auto both = itk::CompositeTransform<double, VDimension>::New();
    both->AddTransform(const_cast<Transform<VDimension> *>(second));
    both->AddTransform(const_cast<Transform<VDimension> *>(first));
    return LargestDistance<VDimension>(both.GetPointer(), whole, fieldSize);
  }
};

/** A stage of fields behind an affine one, and all that is written of it. */
TEST_F(RegisterFields, WritesWhatAntsWrites)
{
  const auto known = KnownBend(KnownRigid().GetPointer());
  WritePair<2>(known.GetPointer(), fieldSize);
  ExpectQuietSuccess(Register({ "--stage",
                                "affine",
                                "--stage",
                                "syn",
                                "--metric",
                                "meansquares",
                                "--metric",
                                "cc",
                                "--radius",
                                "2",
                                "--iterations",
                                "60,30",
                                "--iterations",
                                "60,40",
                                "--learning-rate",
                                "0.25",
                                "--precision",
                                "double",
                                "-o",
                                Path("out.h5"),
                                "-w",
                                Path("warped.nrrd"),
                                "--output-prefix",
                                Path("p_"),
                                "--field",
                                Path("field.nrrd"),
                                "--inverse",
                                Path("inverse.nii"),
                                "--jacobian",
                                Path("jacobian.nrrd"),
                                "--report",
                                Path("report.json") }));
  const auto   found = ReadTransform<2>(Path("out.h5"));
  const double before = LargestDistance<2>(KnownRigid().GetPointer(), known.GetPointer(), fieldSize);
  ASSERT_GT(before, 1.0);
  // Along edges, and where the image is flat, there is nothing to be found.
  EXPECT_LE(LargestDistance<2>(found, known.GetPointer(), fieldSize), 0.7 * before);

  const nlohmann::json report = ReadReport();
  ASSERT_EQ(report["stages"].size(), 2u);
  const auto & syn = report["stages"][1];
  EXPECT_EQ(syn["kind"], "syn");
  EXPECT_EQ(syn["metric"], "cc");
  EXPECT_TRUE(syn["backend"] == "Cpu" || syn["backend"] == "Cuda") << syn["fallback_reason"];
  ASSERT_EQ(syn["levels"].size(), 2u);
  EXPECT_LE(syn["levels"][0]["iterations"], 60);
  EXPECT_GT(syn["levels"][0]["iterations"], 9); // a convergence value needs ten
  double first = 0.0;
  double last = 0.0;
  bool   hasConvergence = false;
  for (const auto & iteration : report["iterations"])
  {
    if (iteration["stage"] == 2 && iteration["level"] == 1)
    {
      first = iteration["iteration"] == 1 ? iteration["value"].get<double>() : first;
      last = iteration["value"];
      hasConvergence = hasConvergence || iteration.contains("convergence");
    }
  }
  EXPECT_LT(last, first);
  EXPECT_TRUE(hasConvergence);

  // A point goes through the field, then through the matrix; displacements are doubles, and NIfTI's places floats.
  const auto affine = ReadTransform<2>(Path("p_0GenericAffine.mat"));
  EXPECT_STREQ(affine->GetNameOfClass(), "AffineTransform");
  const auto warp = ReadField<2>("p_1Warp.nii.gz");
  EXPECT_LE(LargestDistanceOfTwo<2>(warp.GetPointer(), affine, found), 1e-4);
  EXPECT_LE(LargestDistance<2>(ReadField<2>("field.nrrd").GetPointer(), found, fieldSize), 1e-6);
  // ITK's inverses are good to a tenth of a voxel at worst.
  const auto identity = itk::AffineTransform<double, 2>::New();
  const auto inverseWarp = ReadField<2>("p_1InverseWarp.nii.gz");
  EXPECT_LE(LargestDistanceOfTwo<2>(warp.GetPointer(), inverseWarp.GetPointer(), identity), 0.2);
  EXPECT_LE(LargestDistanceOfTwo<2>(found, ReadField<2>("inverse.nii").GetPointer(), identity), 0.2);
  EXPECT_GT(LargestDistance<2>(inverseWarp.GetPointer(), identity, fieldSize), 0.5);

  using Image = RegisterTest::Image<2>;
  const auto warped = ReadTestImage<Image>(Path("warped.nrrd"));
  EXPECT_LE(LargestDifference(warped.GetPointer(), ReadTestImage<Image>(Path("p_Warped.nii.gz")).GetPointer()), 0.0);
  const auto back = ReadTestImage<Image>(Path("p_InverseWarped.nii.gz"));
  const auto moving = ReadTestImage<Image>(Path("moving.nrrd"));
  ExpectSameGrid(back.GetPointer(), moving.GetPointer());

  // CudaSplineResample makes the same of what ANTs' users have; displacements that NIfTI keeps as doubles, places in
  // floats of some 1e-6 mm, slopes of up to 30 a millimetre.
  const auto resample = [](const std::vector<std::string> & arguments) {
    EXPECT_EQ(RunProgram(arguments).code, 0); // which may say that samples are coarse
  };
  resample({ Path("moving.nrrd"),
             Path("resampled.nrrd"),
             "-r",
             Path("fixed.nrrd"),
             "--ants-order",
             "-t",
             Path("p_1Warp.nii.gz"),
             "-t",
             Path("p_0GenericAffine.mat") });
  EXPECT_LE(LargestDifference(warped.GetPointer(), ReadTestImage<Image>(Path("resampled.nrrd")).GetPointer()), 1e-2);
  resample({ Path("fixed.nrrd"),
             Path("resampled.nrrd"),
             "-r",
             Path("moving.nrrd"),
             "--ants-order",
             "-t",
             "[" + Path("p_0GenericAffine.mat") + ",1]",
             "-t",
             Path("p_1InverseWarp.nii.gz") });
  EXPECT_LE(LargestDifference(back.GetPointer(), ReadTestImage<Image>(Path("resampled.nrrd")).GetPointer()), 1e-2);

  // Determinants: the ratio of areas of a quarter of a voxel's square and its image, on average over some voxels.
  const auto jacobian = ReadTestImage<itk::Image<double, 2>>(Path("jacobian.nrrd"));
  EXPECT_EQ(report["folding"]["voxels"], 0);
  EXPECT_EQ(report["folding"]["of"], jacobian->GetBufferedRegion().GetNumberOfPixels());
  for (int n = 0; n < 5; ++n)
  {
    const itk::Index<2> index{ { 16 + 3 * n, 20 + 2 * n } };
    const auto          at = [&](int dx, int dy) {
      itk::Point<double, 2> point;
      jacobian->TransformIndexToPhysicalPoint({ { index[0] + dx, index[1] + dy } }, point);
      return found->TransformPoint(point);
    };
    const auto   x = at(1, 0) - at(-1, 0);
    const auto   y = at(0, 1) - at(0, -1);
    const double area = (x[0] * y[1] - x[1] * y[0]) / (4.0 * 1.0 * 1.25);
    EXPECT_NEAR(jacobian->GetPixel(index), area, 1e-6);
  }
}

/** Of an affine transform determinants are the matrix's, whatever the directions; of its inverse the logarithm changes
 * its sign. B-splines have their inverse by iteration. */
TEST_F(RegisterFields, DeterminantsAndInversesOfOtherStages)
{
  const auto known = itk::AffineTransform<double, 2>::New();
  known->Scale(1.1);
  known->Rotate2D(0.05);
  WritePair<2>(known.GetPointer(), fieldSize);
  itk::TransformFileWriterTemplate<double>::Pointer writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(known);
  writer->SetFileName(Path("known.tfm"));
  writer->Update();
  ExpectQuietSuccess(Register({ "--stage",
                                "rigid",
                                "--iterations",
                                "0",
                                "--initial-transform",
                                Path("known.tfm"),
                                "--precision",
                                "double",
                                "--jacobian",
                                Path("log.nrrd"),
                                "--log-jacobian",
                                "--output-prefix",
                                Path("p_") }));
  const auto                                      logarithm = ReadTestImage<itk::Image<double, 2>>(Path("log.nrrd"));
  itk::ImageRegionIterator<itk::Image<double, 2>> it(logarithm, logarithm->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    ASSERT_NEAR(it.Get(), 2.0 * std::log(1.1), 1e-9);
  }
  EXPECT_LE(DistanceOf<2>("p_0GenericAffine.mat", known.GetPointer(), fieldSize), 1e-9);
  EXPECT_FALSE(std::ifstream(Path("p_1Warp.nii.gz")).good());

  ExpectQuietSuccess(Register({ "--stage",
                                "bspline",
                                "--metric",
                                "meansquares",
                                "--levels",
                                "1",
                                "--iterations",
                                "20",
                                "--precision",
                                "double",
                                "-o",
                                Path("spline.h5"),
                                "--inverse",
                                Path("inverse.nrrd") }));
  const auto spline = ReadTransform<2>(Path("spline.h5"));
  const auto identity = itk::AffineTransform<double, 2>::New();
  EXPECT_GT(LargestDistance<2>(spline, identity, fieldSize), 0.3);
  EXPECT_LE(LargestDistanceOfTwo<2>(spline, ReadField<2>("inverse.nrrd").GetPointer(), identity), 0.05);
}

/** Ctrl-C in a coarse level of SyN: the field so far, on the fixed image's grid. */
TEST_F(RegisterFields, Signal)
{
  const auto known = KnownBend(nullptr);
  WritePair<2>(known.GetPointer(), fieldSize);
  ProgramSettings settings;
  settings.signalWhenOutput = "stage 1/1 (syn), level 1/2, iteration 20:";
  const ProgramResult result = Register({ "--stage",
                                          "syn",
                                          "--radius",
                                          "2",
                                          "--iterations",
                                          "1000000,50",
                                          "--convergence=-1",
                                          "--initialize",
                                          "none",
                                          "--verbose",
                                          "-o",
                                          Path("out.h5"),
                                          "-w",
                                          Path("warped.nrrd") },
                                        settings);
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.errors;
  EXPECT_NE(result.errors.find("stopped by signal 15 in stage 1 of 1"), std::string::npos) << result.errors;
  const auto found = ReadTransform<2>(Path("out.h5"));
  EXPECT_STREQ(found->GetNameOfClass(), "DisplacementFieldTransform");
  const auto grid = MakeGrid<2>(fieldSize);
  EXPECT_EQ(found->GetNumberOfParameters(), 2 * grid->GetBufferedRegion().GetNumberOfPixels());
  const auto identity = itk::AffineTransform<double, 2>::New();
  EXPECT_LT(LargestDistance<2>(found, known.GetPointer(), fieldSize),
            LargestDistance<2>(identity.GetPointer(), known.GetPointer(), fieldSize));
}

/** What is not accelerated is ITK's, and the user is told. */
TEST_F(RegisterFields, OtherMetricsAreItks)
{
  WritePair<2>(KnownBend(nullptr).GetPointer(), fieldSize);
  const ProgramResult result = Register({ "--stage",
                                          "syn",
                                          "--metric",
                                          "meansquares",
                                          "--iterations",
                                          "3",
                                          "--shrink",
                                          "2",
                                          "-o",
                                          Path("out.h5"),
                                          "--report",
                                          Path("report.json") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find("stage 1 (syn) is ITK's own"), std::string::npos) << result.errors;
  EXPECT_EQ(ReadReport()["stages"][0]["backend"], "Superclass");
}

/** Local correlation in a linear stage; a preset's stages and values, of which the user's own come first. */
TEST_F(RegisterFields, Presets)
{
  const auto known = KnownRigid();
  WritePair<2>(known, fieldSize);
  ExpectQuietSuccess(Register({ "--stage",
                                "rigid",
                                "--metric",
                                "cc",
                                "--radius",
                                "3",
                                "--levels",
                                "2",
                                "-o",
                                Path("out.tfm"),
                                "--report",
                                Path("report.json") }));
  EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize), 0.2);
  EXPECT_EQ(ReadReport()["stages"][0]["metric"], "cc");

  for (const std::string preset : { "standard", "brain", "fast" })
  {
    SCOPED_TRACE(preset);
    std::vector<std::string> options{ "--preset", preset,         "--iterations", "20,3",
                                      "--shrink", "2,1",          "--sigmas",     "1,0",
                                      "-o",       Path("out.h5"), "--report",     Path("report.json") };
    ExpectQuietSuccess(Register(options));
    const nlohmann::json report = ReadReport();
    const bool           isStandard = preset == "standard";
    ASSERT_EQ(report["stages"].size(), isStandard ? 3u : 2u);
    EXPECT_EQ(report["stages"].front()["kind"], isStandard ? "rigid" : "affine");
    EXPECT_EQ(report["stages"].front()["optimizer"], isStandard ? "gradient-descent" : "regular-step");
    EXPECT_EQ(report["stages"].back()["kind"], "syn");
    EXPECT_EQ(report["stages"].back()["levels"].size(), 2u);
    EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), fieldSize), 0.5);
  }
  ExpectError(Register({ "--preset", "best", "-o", Path("out.h5") }), { "fast" }, 2, "CudaSplineRegister");
  ExpectError(
    Register({ "--preset", "fast", "--stage", "rigid", "-o", Path("out.h5") }), { "--stage" }, 2, "CudaSplineRegister");
}

/** Some voxels of the moving image outshine all: with --winsorize they do not matter. */
TEST_F(RegisterFields, Winsorize)
{
  const auto known = KnownRigid();
  WritePair<2>(known, fieldSize);
  const auto moving = ReadTestImage<Image<2>>(Path("moving.nrrd"));
  for (int n = 0; n < 6; ++n)
  {
    moving->SetPixel({ { 5 + 7 * n, 8 + (13 * n) % 31 } }, 2e4F);
  }
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  const auto distance = [&](const std::vector<std::string> & more) {
    std::vector<std::string> options{ "--stage", "rigid", "--metric", "correlation", "-o", Path("out.tfm") };
    options.insert(options.end(), { "--initialize", "centre" });
    options.insert(options.end(), more.begin(), more.end());
    ExpectQuietSuccess(Register(options));
    return DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize);
  };
  EXPECT_LE(distance({ "--winsorize", "0.005,0.99" }), 0.3);
  EXPECT_GT(distance({}), 0.6);
  ExpectError(Register({ "--winsorize", "0.9,0.1", "-o", Path("out.tfm") }),
              { "--winsorize 0.9,0.1", "lower first" },
              2,
              "CudaSplineRegister");
}

/** Dice, landmarks and similarity before and after. */
TEST_F(RegisterFields, Evaluation)
{
  const auto known = KnownRigid();
  WritePair<2>(known, fieldSize);
  for (const std::string name : { "fixed", "moving" })
  {
    const auto image = ReadTestImage<Image<2>>(Path(name + ".nrrd"));
    const auto labels = itk::Image<std::uint8_t, 2>::New();
    labels->CopyInformation(image);
    labels->SetRegions(image->GetBufferedRegion());
    labels->Allocate();
    itk::ImageRegionIteratorWithIndex<Image<2>> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      labels->SetPixel(it.GetIndex(), it.Get() > 100.0F ? 7 : (it.Get() > 50.0F ? 2 : 0));
    }
    WriteTestImage(labels.GetPointer(), Path(name + "-labels.nrrd"));
  }
  {
    std::ofstream fixed(Path("fixed.csv"));
    std::ofstream moving(Path("moving.csv"));
    fixed.precision(17);
    moving.precision(17);
    fixed << "x,y,z,t,label\n# places\n\n";
    for (int n = 0; n < 4; ++n)
    {
      Point<2> point;
      point[0] = -8.0 + 5.0 * n;
      point[1] = 7.0 - 3.0 * n;
      const Point<2> place = known->TransformPoint(point);
      fixed << point[0] << ", " << point[1] << ",0,0,1\r\n";
      moving << place[0] << "," << place[1] << "\n";
    }
  }
  const std::vector<std::string> options{ "--stage",
                                          "rigid",
                                          "--metric",
                                          "meansquares",
                                          "--initialize",
                                          "none",
                                          "--evaluate",
                                          "--fixed-labels",
                                          Path("fixed-labels.nrrd"),
                                          "--moving-labels",
                                          Path("moving-labels.nrrd"),
                                          "--fixed-landmarks",
                                          Path("fixed.csv"),
                                          "--moving-landmarks",
                                          Path("moving.csv"),
                                          "--report",
                                          Path("report.json") };
  const ProgramResult            result = Register(options);
  ExpectQuietSuccess(result);
  EXPECT_NE(result.output.find("mean distance of 4 landmarks"), std::string::npos) << result.output;
  const nlohmann::json evaluation = ReadReport()["evaluation"];
  for (const char * const name : { "correlation", "local_correlation" })
  {
    EXPECT_GT(evaluation[name]["after"], 0.99);
    EXPECT_LT(evaluation[name]["before"], evaluation[name]["after"]);
  }
  for (const char * const label : { "2", "7" })
  {
    // Of edges of some ten voxels.
    EXPECT_GT(evaluation["dice"][label]["after"], 0.9) << label;
    EXPECT_LT(evaluation["dice"][label]["before"], 0.85) << label;
  }
  EXPECT_EQ(evaluation["landmarks"]["number"], 4);
  // The known transform moves points by its translation, about a voxel more or less by its angle.
  EXPECT_GT(evaluation["landmarks"]["mean_mm"]["before"], 2.0);
  EXPECT_LT(evaluation["landmarks"]["largest_mm"]["after"], 0.15);

  std::ofstream(Path("moving.csv")) << "1,2\n3\n";
  ExpectError(Register(options), { "moving.csv", "line 2", "2 numbers" }, 1, "CudaSplineRegister");
  std::ofstream(Path("moving.csv")) << "1,2\n3,4\n";
  ExpectError(Register(options), { "4 fixed landmarks", "2 moving ones" }, 1, "CudaSplineRegister");
}

/** Images that are turned far are found by --initialize search, and by the moments alone are not. */
TEST_F(RegisterFields, SearchInPlane)
{
  for (const double degrees : { 30.0, 170.0 })
  {
    SCOPED_TRACE(degrees);
    const auto known = itk::Euler2DTransform<double>::New();
    known->SetAngle(degrees * std::acos(-1.0) / 180.0);
    known->Translate({ std::array<double, 2>{ 3.0, -2.0 }.data() });
    WritePair<2>(known.GetPointer(), fieldSize);
    ExpectQuietSuccess(
      Register({ "--stage", "rigid", "--initialize", "search", "-o", Path("out.tfm"), "--levels", "2" }));
    EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize), 0.5);
  }
}

TEST_F(RegisterFields, SearchInSpace)
{
  const auto known = itk::AffineTransform<double, 3>::New();
  known->Rotate3D(Vector3(1.0, 0.5, -1.0), std::acos(-1.0) / 3.0);
  known->Translate(Vector3(2.0, -1.5, 1.0));
  constexpr unsigned int size = 28;
  WritePair<3>(known.GetPointer(), size);
  ExpectQuietSuccess(Register({ "--stage",
                                "rigid",
                                "--initialize",
                                "search",
                                "--metric",
                                "correlation",
                                "-o",
                                Path("out.tfm"),
                                "--levels",
                                "2" }));
  EXPECT_LE(DistanceOf<3>("out.tfm", known.GetPointer(), size), 0.5);
}

/** Nothing in common: a warning with the number. */
TEST_F(RegisterFields, SearchSaysWhatItDidNotFind)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  const auto                                  moving = ReadTestImage<Image<2>>(Path("moving.nrrd"));
  itk::ImageRegionIteratorWithIndex<Image<2>> it(moving, moving->GetBufferedRegion());
  std::uint32_t                               state = 1;
  for (; !it.IsAtEnd(); ++it)
  {
    state = state * 1664525u + 1013904223u;
    it.Set(static_cast<float>(state >> 16));
  }
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  const ProgramResult result = Register(
    { "--stage", "rigid", "--initialize", "search", "--iterations", "1", "--levels", "1", "-o", Path("out.tfm") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("warning: the best rotation of --initialize search explains"), std::string::npos)
    << result.errors;
}

/** Options that do not go with others, and files that cannot be: one line, and nothing is written. */
TEST_F(RegisterFields, Errors)
{
  WritePair<2>(KnownRigid().GetPointer(), 24);
  const auto expect = [&](std::vector<std::string> options, const std::vector<std::string> & words, int code) {
    SCOPED_TRACE(words.front());
    const std::size_t files = CountFiles();
    options.insert(options.end(), { "-o", Path("out.h5") });
    ExpectError(Register(options), words, code, "CudaSplineRegister");
    EXPECT_EQ(CountFiles(), files);
  };
  expect({ "--radius", "2" }, { "--radius is for --metric cc" }, 2);
  expect({ "--learning-rate", "0.5" }, { "--learning-rate", "are for --stage syn" }, 2);
  expect({ "--stage", "syn", "--learning-rate", "0" }, { "--learning-rate 0", "above 0" }, 2);
  expect({ "--stage", "syn", "--update-variance", "wide" }, { "--update-variance wide", "from 0" }, 2);
  expect({ "--stage", "syn", "--sampling", "random" }, { "--sampling is not for --stage syn" }, 2);
  expect({ "--log-jacobian" }, { "--log-jacobian needs --jacobian" }, 2);
  expect({ "--fixed-labels", "a.nii" }, { "--fixed-labels and --moving-labels belong together" }, 2);
  expect({ "--moving-landmarks", "a.csv" }, { "belong together" }, 2);
  expect({ "--field", Path("field.png") }, { "cannot write the displacements \"field.png\"", "hold vectors" }, 1);
  expect({ "--fixed-landmarks", Path("no.csv"), "--moving-landmarks", Path("no.csv") }, { "no.csv" }, 1);
}

/** What is not a number lies outside: it is not looked at, warped images have the default value there, and masks go on
 * to count. */
TEST_F(RegisterFields, NotANumberIsOutside)
{
  const auto known = KnownRigid();
  WritePair<2>(known, fieldSize);
  const auto                                  moving = ReadTestImage<Image<2>>(Path("moving.nrrd"));
  itk::ImageRegionIteratorWithIndex<Image<2>> it(moving, moving->GetBufferedRegion());
  std::size_t                                 outside = 0;
  for (; !it.IsAtEnd(); ++it)
  {
    if (it.GetIndex()[0] < 8)
    {
      it.Set(std::numeric_limits<float>::quiet_NaN());
      ++outside;
    }
  }
  WriteTestImage(moving.GetPointer(), Path("moving.nrrd"));
  const ProgramResult result = Register({ "--stage",
                                          "rigid",
                                          "--stage",
                                          "syn",
                                          "--metric",
                                          "correlation",
                                          "--metric",
                                          "cc",
                                          "--radius",
                                          "2",
                                          "--iterations",
                                          "60,20",
                                          "--iterations",
                                          "10,5",
                                          "--default-value=-7",
                                          "-o",
                                          Path("out.h5"),
                                          "-w",
                                          Path("warped.nrrd") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find(std::to_string(outside) + " of"), std::string::npos) << result.errors;
  EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), fieldSize), 0.6);
  // Where a voxel comes from the columns that were taken out, and nowhere in the middle.
  const auto  found = ReadTransform<2>(Path("out.h5"));
  const auto  warped = ReadTestImage<Image<2>>(Path("warped.nrrd"));
  std::size_t blank = 0;
  for (itk::ImageRegionIteratorWithIndex<Image<2>> at(warped, warped->GetBufferedRegion()); !at.IsAtEnd(); ++at)
  {
    Point<2> point;
    warped->TransformIndexToPhysicalPoint(at.GetIndex(), point);
    itk::ContinuousIndex<double, 2> place;
    moving->TransformPhysicalPointToContinuousIndex(found->TransformPoint(point), place);
    const bool isFar = std::abs(place[0] - 7.5) > 1e-3 && place[1] > 0.0 && place[0] > 0.0 && place[0] < fieldSize &&
                       place[1] < fieldSize - 1.0;
    if (isFar)
    {
      ASSERT_EQ(at.Get() == -7.0F, place[0] < 7.5) << place;
      blank += place[0] < 7.5 ? 1 : 0;
    }
  }
  EXPECT_GT(blank, 100u);
}

} // namespace
