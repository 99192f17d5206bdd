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
#include "RegisterFieldSupport.h"
#include "RunProgram.h"

#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

/** \file
 * \brief Determinants and inverses of the other stages of CudaSplineRegister, SyN with ITK's own class, presets, the
 * evaluation at the end, and warnings. */

namespace
{

/** The determinants of an affine transform are those of its matrix, for any directions. The logarithm for the inverse
 * has the opposite sign. The inverse of a B-spline is computed by iteration. */
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

/** SyN with other metrics than local correlation does not run in ITK's class either. */
TEST_F(RegisterFields, OtherMetricsAreAccelerated)
{
  WritePair<2>(KnownBend(nullptr).GetPointer(), fieldSize);
  for (const std::string metric : { "meansquares", "mattes" })
  {
    const ProgramResult result = Register({ "--stage",
                                            "syn",
                                            "--metric",
                                            metric,
                                            "--iterations",
                                            "3",
                                            "--shrink",
                                            "2",
                                            "-o",
                                            Path("out.h5"),
                                            "--report",
                                            Path("report.json") });
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(WithoutFewIterations(result).CountErrorLines(), 0u) << result.errors;
    EXPECT_NE(ReadReport()["stages"][0]["backend"], "Superclass") << metric;
  }
}

/** Local correlation in a linear stage; the stages and values of a preset, which options of the user override. */
TEST_F(RegisterFields, Presets)
{
  const auto known = KnownRigid();
  WritePair<2>(known, fieldSize);
  ExpectQuietSuccess(WithoutFewIterations(Register({ "--stage",
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
                                                     Path("report.json") })));
  EXPECT_LE(DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize), 0.2);
  EXPECT_EQ(ReadReport()["stages"][0]["metric"], "cc");

  for (const std::string preset : { "standard", "brain", "syn", "fast" })
  {
    SCOPED_TRACE(preset);
    std::vector<std::string> options{ "--preset", preset,         "--iterations", "20,3",
                                      "--shrink", "2,1",          "--sigmas",     "1,0",
                                      "-o",       Path("out.h5"), "--report",     Path("report.json") };
    ExpectQuietSuccess(WithoutFewIterations(Register(options)));
    const nlohmann::json report = ReadReport();
    const bool           isStandard = preset == "standard";
    ASSERT_EQ(report["stages"].size(), isStandard ? 3u : 2u);
    EXPECT_EQ(report["stages"].front()["kind"], isStandard ? "rigid" : "affine");
    EXPECT_EQ(report["stages"].front()["optimizer"], isStandard ? "gradient-descent" : "regular-step");
    EXPECT_EQ(report["stages"].back()["kind"], "syn");
    EXPECT_EQ(report["stages"].back()["levels"].size(), 2u);
    // The levels of brain need more iterations than these.
    EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), fieldSize), preset == "brain" ? 0.6 : 0.5);
  }
  ExpectError(Register({ "--preset", "best", "-o", Path("out.h5") }), { "fast" }, 2, "CudaSplineRegister");
  ExpectError(Register({ "--preset", "fast", "--stage", "rigid", "-o", Path("out.h5") }),
              { "--preset fast contains stages" },
              2,
              "CudaSplineRegister");
}

/** --preset standard is antsRegistrationSyN.sh, stage by stage, including its levels for large images. --help lists the
 * differences. */
TEST_F(RegisterFields, StandardIsAntsRegistrationSyN)
{
  using Levels = std::vector<unsigned int>;
  struct Expected
  {
    Levels iterations;
    Levels shrink;
    Levels sigmas;
  };
  const auto expectLevels = [](const nlohmann::json & stage, const Expected & expected) {
    EXPECT_EQ(stage["options"]["iterations"], nlohmann::json(expected.iterations));
    EXPECT_EQ(stage["options"]["shrink"], nlohmann::json(expected.shrink));
    EXPECT_EQ(stage["options"]["sigmas"].get<Levels>(), expected.sigmas);
    EXPECT_EQ(stage["options"]["sigma_unit"], "vox");
    EXPECT_EQ(stage["levels"].size(), expected.shrink.size());
  };
  const auto run = [this](const std::vector<std::string> & more) {
    std::vector<std::string> options{ "--preset", "standard", "-o", Path("out.h5"), "--report", Path("report.json") };
    options.insert(options.end(), more.begin(), more.end());
    const ProgramResult result = Register(options);
    EXPECT_EQ(result.code, 0) << result.errors;
    nlohmann::json report = ReadReport();
    EXPECT_EQ(report["stages"].size(), 3U);
    return report;
  };
  const Expected matrices{ { 1000, 500, 250, 100 }, { 8, 4, 2, 1 }, { 3, 2, 1, 0 } };
  const Expected fields{ { 100, 70, 50, 20 }, { 8, 4, 2, 1 }, { 3, 2, 1, 0 } };
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  const nlohmann::json report = run({});
  EXPECT_EQ(report["initialize"], "moments");
  EXPECT_EQ(report["winsorize"], nlohmann::json({ 0.005, 0.995 }));
  for (const std::size_t number : { 0U, 1U })
  {
    const nlohmann::json & stage = report["stages"][number];
    const nlohmann::json & options = stage["options"];
    EXPECT_EQ(stage["kind"], number == 0 ? "rigid" : "affine");
    EXPECT_EQ(stage["metric"], "mattes");
    EXPECT_EQ(options["bins"], 32);
    EXPECT_EQ(options["sampling"], "regular");
    EXPECT_EQ(options["fraction"], 0.25);
    EXPECT_EQ(options["step"], 0.1);
    EXPECT_EQ(options["convergence"], 1e-6);
    EXPECT_EQ(options["window"], 10);
    expectLevels(stage, matrices);
  }
  const nlohmann::json & syn = report["stages"][2];
  EXPECT_EQ(syn["kind"], "syn");
  EXPECT_EQ(syn["metric"], "cc");
  EXPECT_EQ(syn["options"]["radius"], 4);
  EXPECT_EQ(syn["options"]["learning_rate"], 0.1);
  EXPECT_EQ(syn["options"]["update_variance"], 3.0);
  EXPECT_EQ(syn["options"]["total_variance"], 0.0);
  EXPECT_EQ(syn["options"]["convergence"], 1e-6);
  EXPECT_EQ(syn["options"]["window"], 10);
  expectLevels(syn, fields);

  // More than 256 voxels along an axis; levels end as soon as there is a convergence value.
  WritePair<2>(KnownRigid().GetPointer(), 257);
  const nlohmann::json large = run({ "--convergence", "1" });
  const Expected       largeMatrices{ matrices.iterations, { 12, 8, 4, 2 }, { 4, 3, 2, 1 } };
  expectLevels(large["stages"][0], largeMatrices);
  expectLevels(large["stages"][1], largeMatrices);
  expectLevels(large["stages"][2], { { 100, 100, 70, 50, 20 }, { 10, 6, 4, 2, 1 }, { 5, 3, 2, 1, 0 } });
  expectLevels(run({ "--convergence", "1", "--iterations", "1,1,1,0" })["stages"][2],
               { { 1, 1, 1, 0 }, { 8, 4, 2, 1 }, { 3, 2, 1, 0 } });
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  const std::string help = RunProgram({ "--help" }, settings).output;
  for (const char * const word : { "12,8,4,2", "10,6,4,2,1", "more than 256", "conjugate gradients" })
  {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

/** Some voxels of the moving image are much brighter than all others: with --winsorize they have no effect. */
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
    EXPECT_EQ(Register(options).code, 0); // outliers may cause a warning, because they hide that the images agree
    return DistanceOf<2>("out.tfm", known.GetPointer(), fieldSize);
  };
  EXPECT_LE(distance({ "--winsorize", "0.005,0.99" }), 0.3);
  EXPECT_GT(distance({}), 0.6);
  ExpectError(Register({ "--winsorize", "0.9,0.1", "-o", Path("out.tfm") }),
              { "--winsorize 0.9,0.1", "lower first" },
              2,
              "CudaSplineRegister");
}

/** Dice overlap, landmarks and similarity before and after. */
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
    // The boxes have edges of some ten voxels.
    EXPECT_GT(evaluation["dice"][label]["after"], 0.9) << label;
    EXPECT_LT(evaluation["dice"][label]["before"], 0.85) << label;
  }
  EXPECT_EQ(evaluation["landmarks"]["number"], 4);
  // The known transform moves points by its translation, about a voxel more or less due to its angle.
  EXPECT_GT(evaluation["landmarks"]["mean_mm"]["before"], 2.0);
  EXPECT_LT(evaluation["landmarks"]["largest_mm"]["after"], 0.15);

  std::ofstream(Path("moving.csv")) << "1,2\n3\n";
  ExpectError(Register(options), { "moving.csv", "line 2", "2 numbers" }, 1, "CudaSplineRegister");
  std::ofstream(Path("moving.csv")) << "1,2\n3,4\n";
  ExpectError(Register(options), { "4 fixed landmarks", "2 moving landmarks" }, 1, "CudaSplineRegister");
  // A damaged first line is not a line of titles. Spreadsheets write a byte order mark before it, and quotes.
  std::ofstream(Path("moving.csv")) << "1x,2\n3,4\n";
  ExpectError(Register(options), { "moving.csv", "line 1", "2 numbers" }, 1, "CudaSplineRegister");
  std::ofstream(Path("moving.csv")) << "\xEF\xBB\xBF"
                                    << "1,2\n\"3\",\"4\"\n";
  std::ofstream(Path("fixed.csv")) << "\"x\",\"y\"\n1,2\n3,4\n";
  ExpectQuietSuccess(Register(options));
  EXPECT_EQ(ReadReport()["evaluation"]["landmarks"]["number"], 2);
}

/** A matrix after a field has scales from random points (of more than 1000), which are the same in each run. */
TEST_F(RegisterFields, MatricesBehindFieldsAreRepeated)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  for (const char * const name : { "first.tfm", "second.tfm" })
  {
    const std::vector<std::string> options{ "--stage",      "syn",     "--stage",  "affine", "--metric", "meansquares",
                                            "--iterations", "2",       "--shrink", "1",      "--sigmas", "0",
                                            "-o",           Path(name) };
    ExpectQuietSuccess(WithoutFewIterations(Register(options)));
  }
  EXPECT_EQ(Content(Path("first.tfm")), Content(Path("second.tfm")));
}

/** The inverse of a rigid transform is written as a class that every ITK program reads. */
TEST_F(RegisterFields, InverseOfARigidTransform)
{
  const auto known = KnownRigid();
  WritePair<2>(known.GetPointer(), fieldSize);
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  const auto back = itk::Euler2DTransform<double>::New();
  known->GetInverse(back);
  writer->SetInput(back);
  writer->SetFileName(Path("back.tfm"));
  writer->Update();
  ExpectQuietSuccess(WithoutFewIterations(Register({ "--stage",
                                                     "bspline",
                                                     "--iterations",
                                                     "0",
                                                     "--initial-transform",
                                                     Path("back.tfm") + ",inverse",
                                                     "-o",
                                                     Path("out.h5") })));
  EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), fieldSize), 1e-6);
}

/** Displacements in a file format without geometry. */
TEST_F(RegisterFields, WarnsOfGeometryThatTheFormatDrops)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  const ProgramResult result =
    Register({ "--stage", "translation", "--iterations", "1", "--levels", "1", "--field", Path("field.vtk") });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find("field.vtk\" does not keep the direction"), std::string::npos) << result.errors;
}

/** Fields of an earlier run with the same prefix do not belong to the new matrix. */
TEST_F(RegisterFields, WarnsOfFieldsThatWereThere)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  const std::vector<std::string> options{ "--stage", "rigid", "--iterations", "1", "--output-prefix", Path("p_") };
  ExpectQuietSuccess(Register(options));
  std::ofstream(Path("p_1Warp.nii.gz")) << "what was there";
  const ProgramResult result = Register(options);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find("p_1Warp.nii.gz\" is from an earlier registration"), std::string::npos) << result.errors;
}

/** ITK's NIfTI reader finds two axes for a field of one slice. A warning is printed, and the field is read. */
TEST_F(RegisterFields, FieldsOfOneSlice)
{
  const auto image = MakeObliqueImage<Image<3>>({ { 22, 20, 1 } });
  for (const double phase : { 0.0, 0.3 })
  {
    Fill<3>(image.GetPointer(), nullptr, [phase](const Point<3> & place) {
      return 50.0 + 40.0 * std::sin(0.4 * place[0] + phase);
    });
    WriteTestImage(image.GetPointer(), Path(phase == 0.0 ? "fixed.nrrd" : "moving.nrrd"));
  }
  const auto run = [this](const std::string & stage) {
    return Register({ "--stage",
                      stage,
                      "--iterations",
                      "5",
                      "--shrink",
                      "1",
                      "--sigmas",
                      "0",
                      "--initialize",
                      "none",
                      "--report",
                      Path("report.json"),
                      "--output-prefix",
                      Path("p_") });
  };
  // SyN fields do not move at the ends of an axis, where all samples of this one are.
  EXPECT_NE(run("syn").errors.find("1 of 1 levels have no effect"), std::string::npos);
  const ProgramResult result = run("demons");
  EXPECT_EQ(result.code, 0);
  // Points that rounding moves out of the slice are inside.
  EXPECT_GT(ReadReport()["agreement"]["explained"], 0.3);
  EXPECT_EQ(WithoutFewIterations(result).errors, ""); // a field of one slice keeps its position in NIfTI
  ExpectQuietSuccess(RunProgram(ResampleByAntsFiles("warped.nrrd")));
  const auto warped = ReadTestImage<Image<3>>(Path("warped.nrrd"));
  EXPECT_GT(LargestDifference(warped.GetPointer(), image.GetPointer()), 1.0); // it has moved
  EXPECT_LE(LargestDifference(warped.GetPointer(), ReadTestImage<Image<3>>(Path("p_Warped.nii.gz")).GetPointer()),
            0.02);
}

/** A level without iterations is not reported as a level without valid samples. */
TEST_F(RegisterFields, SplineLevelsWithoutIterations)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  ExpectQuietSuccess(WithoutFewIterations(Register(
    { "--stage", "bspline", "--iterations", "5,0", "--grid-spacing", "20", "--report", Path("report.json") })));
  const nlohmann::json levels = ReadReport()["stages"][0]["levels"];
  EXPECT_EQ(levels[0]["iterations"], 5);
  EXPECT_EQ(levels[1]["iterations"], 0);
  EXPECT_EQ(levels[1]["stop"].get<std::string>().find("no sample"), std::string::npos) << levels[1]["stop"];
}

/** A transform that does not fit on the disk causes an error, also for a format whose library crashes. */
TEST_F(RegisterFields, FullDisk)
{
  WritePair<2>(KnownRigid().GetPointer(), fieldSize);
  ProgramSettings settings;
  settings.fileSizeLimit = 20000; // images have 10 kB, the field 35 kB
  for (const char * const name : { "out.h5", "out.tfm" })
  {
    ExpectError(Register({ "--stage", "syn", "--iterations", "1", "--levels", "1", "-o", Path(name) }, settings),
                { "cannot write the transform", name },
                1,
                "CudaSplineRegister");
  }
  settings.fileSizeLimit = 4000;
  for (const char * const name : { "out.png", "out.jpg" })
  {
    ExpectError(
      Register({ "--iterations", "1", "--levels", "1", "-o", Path("out.tfm"), "--picture", Path(name) }, settings),
      { "there is not enough space", name },
      1,
      "CudaSplineRegister");
  }
}

/** Options that exclude each other, and files that are impossible: one line, and nothing is written. */
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
  expect({ "--radius", "2" }, { "--radius 2 is not used by the stages 'rigid'", "metric 'cc' or 'lncc'" }, 2);
  expect({ "--learning-rate", "0.5" }, { "--learning-rate 0.5", "cannot be used with the stages" }, 2);
  expect({ "--stage", "syn", "--learning-rate", "0" }, { "--learning-rate 0", "above 0" }, 2);
  expect({ "--stage", "syn", "--update-variance", "wide" }, { "--update-variance wide", "from 0" }, 2);
  for (const std::string stage : { "syn", "greedy", "demons" })
  {
    expect(
      { "--stage", stage, "--sampling", "random" }, { "--sampling random cannot be used with the stages", stage }, 2);
  }
  expect({ "--stage", "syn", "-m", "correlation" },
         { "--metric \"correlation\"", "'correlation' cannot be used with 'syn'", "'cc'" },
         2);
  expect({ "--stage", "greedy", "-m", "correlation" },
         { "--metric \"correlation\"", "'correlation' cannot be used with 'greedy'", "'cc'" },
         2);
  expect({ "--stage", "demons", "-m", "cc" },
         { "--metric \"cc\"", "'cc' cannot be used with 'demons'", "'meansquares'" },
         2);
  expect({ "--stage", "demons", "--radius", "2" }, { "--radius 2 cannot be used with the stages", "demons" }, 2);
  expect({ "--stage", "greedy", "--gradient", "filter" }, { "'filter' cannot be used with 'greedy'", "'grid'" }, 2);
  expect({ "--stage", "demons", "--gradient", "filter" }, { "'filter' cannot be used with 'demons'", "'grid'" }, 2);
  expect(
    { "--stage", "greedy", "--grid-spacing", "9" }, { "--grid-spacing 9 cannot be used with the stages", "greedy" }, 2);
  expect({ "--stage", "greedy", "--update-variance", "-1" }, { "--update-variance -1", "from 0" }, 2);
  expect({ "--log-jacobian" }, { "--log-jacobian needs --jacobian" }, 2);
  expect({ "--fixed-labels", "a.nii" }, { "--fixed-labels needs --moving-labels" }, 2);
  expect({ "--moving-landmarks", "a.csv" }, { "--moving-landmarks needs --fixed-landmarks" }, 2);
  expect({ "--field", Path("field.png") }, { "cannot write the displacements \"field.png\"", "stores vectors" }, 1);
  expect({ "--fixed-landmarks", Path("no.csv"), "--moving-landmarks", Path("no.csv") }, { "no.csv" }, 1);
}

} // namespace
