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

#include "itkDiffeomorphicDemonsRegistrationFilter.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Field stages of CudaSplineRegister, syn, greedy and demons: their results and outputs, masks, signals, and
 * images with little information. */

namespace
{

/** The stages of fields. */
class RegisterFieldStages
  : public RegisterFields
  , public testing::WithParamInterface<const char *>
{
protected:
  static std::string
  MetricOfStage()
  {
    return GetParam() == std::string("demons") ? "meansquares" : "cc";
  }
};

/** A deformable stage after an affine one, and all of its output files. */
TEST_P(RegisterFieldStages, WriteWhatAntsWrites)
{
  const auto known = KnownBend(KnownRigid().GetPointer());
  WritePair<2>(known.GetPointer(), fieldSize);
  std::vector<std::string> options{ "--stage",
                                    "affine",
                                    "--stage",
                                    GetParam(),
                                    "--metric",
                                    "meansquares",
                                    "--metric",
                                    MetricOfStage(),
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
                                    Path("report.json") };
  if (MetricOfStage() == "cc")
  {
    options.insert(options.end(), { "--radius", "2" });
  }
  ExpectQuietSuccess(Register(options));
  const auto   found = ReadTransform<2>(Path("out.h5"));
  const double before = MeanDistance<2>(KnownRigid().GetPointer(), known.GetPointer());
  ASSERT_GT(before, 0.5);
  EXPECT_LE(MeanDistance<2>(found, known.GetPointer()), 0.6 * before); // points in constant regions do not move

  const nlohmann::json report = ReadReport();
  ASSERT_EQ(report["stages"].size(), 2u);
  const auto & ofFields = report["stages"][1];
  EXPECT_EQ(ofFields["kind"], GetParam());
  EXPECT_EQ(ofFields["metric"], MetricOfStage());
  EXPECT_EQ(ofFields.value("optimizer", ""), std::string(GetParam()) == "demons" ? "" : "fixed-step");
  EXPECT_TRUE(ofFields["backend"] == "Cpu" || ofFields["backend"] == "Cuda") << ofFields["fallback_reason"];
  EXPECT_EQ(ofFields["parameters"], 2 * fieldSize * (fieldSize - 2));
  ASSERT_EQ(ofFields["levels"].size(), 2u);
  EXPECT_LE(ofFields["levels"][0]["iterations"], 60);
  EXPECT_GT(ofFields["levels"][0]["iterations"], 9); // a convergence value needs ten iterations
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

  // The field is applied first to a point, then the matrix. Displacements are doubles, and NIfTI's points are floats.
  const auto affine = ReadTransform<2>(Path("p_0GenericAffine.mat"));
  EXPECT_STREQ(affine->GetNameOfClass(), "AffineTransform");
  const auto warp = ReadField<2>("p_1Warp.nii.gz");
  EXPECT_TRUE(WasPackedHere("p_1Warp.nii.gz") && WasPackedHere("p_1InverseWarp.nii.gz") &&
              WasPackedHere("p_Warped.nii.gz") && WasPackedHere("p_InverseWarped.nii.gz"));
  EXPECT_LE(LargestDistanceOfTwo<2>(warp.GetPointer(), affine, found), 1e-4);
  EXPECT_LE(LargestDistance<2>(ReadField<2>("field.nrrd").GetPointer(), found, fieldSize), 1e-6);
  // ITK's inverses are accurate to a tenth of a voxel in the worst case.
  const auto identity = itk::AffineTransform<double, 2>::New();
  const auto inverseWarp = ReadField<2>("p_1InverseWarp.nii.gz");
  EXPECT_LE(LargestDistanceOfTwo<2>(warp.GetPointer(), inverseWarp.GetPointer(), identity), 0.2);
  EXPECT_LE(LargestDistanceOfTwo<2>(found, ReadField<2>("inverse.nii").GetPointer(), identity), 0.2);
  EXPECT_GT(LargestDistance<2>(inverseWarp.GetPointer(), identity, fieldSize), 0.5);

  using ImageType = Image<2>;
  const auto warped = ReadTestImage<ImageType>(Path("warped.nrrd"));
  EXPECT_LE(LargestDifference(warped.GetPointer(), ReadTestImage<ImageType>(Path("p_Warped.nii.gz")).GetPointer()),
            0.0);
  const auto back = ReadTestImage<ImageType>(Path("p_InverseWarped.nii.gz"));
  const auto moving = ReadTestImage<ImageType>(Path("moving.nrrd"));
  ExpectSameGrid(back.GetPointer(), moving.GetPointer());

  // CudaSplineResample computes the same from the files with ANTs' names. NIfTI stores displacements as doubles, points
  // in floats to some 1e-6 mm; slopes are up to 30 per millimetre.
  const auto resample = [](const std::vector<std::string> & arguments) {
    EXPECT_EQ(RunProgram(arguments).code, 0); // it may warn about coarse samples
  };
  resample(ResampleByAntsFiles("resampled.nrrd"));
  EXPECT_LE(LargestDifference(warped.GetPointer(), ReadTestImage<ImageType>(Path("resampled.nrrd")).GetPointer()),
            1e-2);
  resample({ Path("fixed.nrrd"),
             Path("resampled.nrrd"),
             "-r",
             Path("moving.nrrd"),
             "--ants-order",
             "-t",
             "[" + Path("p_0GenericAffine.mat") + ",1]",
             "-t",
             Path("p_1InverseWarp.nii.gz") });
  EXPECT_LE(LargestDifference(back.GetPointer(), ReadTestImage<ImageType>(Path("resampled.nrrd")).GetPointer()), 1e-2);

  // Determinants: the ratio of areas of a quarter of a voxel's square and its image, averaged over some voxels.
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

/** Ctrl-C in a coarse level: the field so far, on the grid of the fixed image. */
TEST_P(RegisterFieldStages, EndOnASignal)
{
  const auto known = KnownBend(nullptr);
  WritePair<2>(known.GetPointer(), fieldSize);
  ProgramSettings settings;
  settings.signalWhenOutput = std::string("stage 1/1 (") + GetParam() + "), level 1/2, iteration 20:";
  const ProgramResult result = Register({ "--stage",
                                          GetParam(),
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

/** A deformable stage uses masks and initial transforms: a bend, which only a field can correct, follows a translation
 * from a file. Near the border each image has structures that the other one lacks; masks exclude them. */
TEST_P(RegisterFieldStages, HaveMasksAndInitialTransforms)
{
  const auto shift = itk::TranslationTransform<double, 2>::New();
  auto       way = shift->GetParameters();
  way[0] = 3.0;
  way[1] = -2.0;
  shift->SetParameters(way);
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(shift);
  writer->SetFileName(Path("shift.tfm"));
  writer->Update();
  const auto known = KnownBend(shift.GetPointer());
  WritePair<2>(known.GetPointer(), fieldSize);

  // Squares outside of the middle half, in which distances are measured.
  const auto spoil = [this](const std::string & name, itk::IndexValueType first) {
    const auto image = ReadTestImage<Image<2>>(Path(name + ".nrrd"));
    const auto mask = itk::Image<std::uint8_t, 2>::New();
    mask->CopyInformation(image);
    mask->SetRegions(image->GetBufferedRegion());
    mask->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Image<2>> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
    {
      const auto index = at.GetIndex();
      const bool isOut = index[0] >= first && index[0] < first + 8 && index[1] >= first && index[1] < first + 8;
      mask->SetPixel(index, isOut ? 0 : 1);
      at.Set(isOut ? static_cast<float>(400 + 97 * ((index[0] + 2 * index[1]) % 5)) : at.Get());
    }
    WriteTestImage(image.GetPointer(), Path(name + ".nrrd"));
    WriteTestImage(mask.GetPointer(), Path(name + "-mask.nrrd"));
  };
  spoil("fixed", 4);
  spoil("moving", 42);
  const auto distance = [&](const std::vector<std::string> & more) {
    std::vector<std::string> options{ "--stage",         GetParam(),     "--initial-transform",
                                      Path("shift.tfm"), "--iterations", "60,40",
                                      "--learning-rate", "0.25",         "--precision",
                                      "double",          "-o",           Path("out.h5") };
    if (MetricOfStage() == "cc")
    {
      options.insert(options.end(), { "--radius", "2" });
    }
    options.insert(options.end(), more.begin(), more.end());
    const ProgramResult result = Register(options);
    EXPECT_EQ(result.code, 0) << result.errors;
    return MeanDistance<2>(ReadTransform<2>(Path("out.h5")), known.GetPointer());
  };
  const double before = MeanDistance<2>(shift.GetPointer(), known.GetPointer());
  const double masked =
    distance({ "--fixed-mask", Path("fixed-mask.nrrd"), "--moving-mask", Path("moving-mask.nrrd") });
  ASSERT_GT(before, 0.5);
  EXPECT_LE(masked, 0.85 * before); // without the translation it would be above 3 mm
  EXPECT_NE(distance({}), masked);
}

/** One level of demons equals ITK's filter: the same field, except for the rounding of 20 iterations. */
TEST_F(RegisterFields, DemonsAreItks)
{
  WritePair<2>(KnownBend(nullptr).GetPointer(), fieldSize);
  ExpectQuietSuccess(Register({ "--stage",
                                "demons",
                                "--initialize",
                                "none",
                                "--shrink",
                                "1",
                                "--sigmas",
                                "0",
                                "--iterations",
                                "20",
                                "--convergence=-1",
                                "--learning-rate",
                                "0.4",
                                "--update-variance",
                                "0.25",
                                "--total-variance",
                                "2.25",
                                "--precision",
                                "double",
                                "--field",
                                Path("field.nrrd") }));
  using Double = itk::Image<double, 2>;
  using Filter = itk::DiffeomorphicDemonsRegistrationFilter<Double, Double, Field<2>>;
  const auto filter = Filter::New();
  filter->SetFixedImage(ReadTestImage<Double>(Path("fixed.nrrd")));
  filter->SetMovingImage(ReadTestImage<Double>(Path("moving.nrrd")));
  filter->SetNumberOfIterations(20);
  filter->SetMaximumUpdateStepLength(0.4);
  filter->SmoothUpdateFieldOn();
  // ITK 6 takes a single number for that of the field.
  filter->SetUpdateFieldStandardDeviations(Filter::StandardDeviationsType(0.5));
  filter->SmoothDisplacementFieldOn();
  filter->SetStandardDeviations(1.5);
  filter->SetCoordinateTolerance(1e3); // each image has its own grid
  filter->Update();
  const auto                                  found = ReadTestImage<Field<2>>(Path("field.nrrd"));
  double                                      longest = 0.0;
  itk::ImageRegionIteratorWithIndex<Field<2>> at(found, found->GetBufferedRegion());
  for (; !at.IsAtEnd(); ++at)
  {
    const auto wanted = filter->GetOutput()->GetPixel(at.GetIndex());
    ASSERT_LE((at.Get() - wanted).GetNorm(), 1e-6) << at.GetIndex();
    longest = std::max(longest, wanted.GetNorm());
  }
  EXPECT_GT(longest, 1.0);
}

/** Images of one slice, constant images, levels that shrink an axis to one sample, variances of 0: the result is a
 * field, or an error of one line. */
TEST_P(RegisterFieldStages, TakeImagesThatTellLittle)
{
  const auto write = [this](const std::string & name, unsigned int width, double slope) {
    const auto image = Image<2>::New();
    image->SetRegions(itk::Size<2>{ { width, 40 } });
    image->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Image<2>> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
    {
      at.Set(static_cast<float>(100.0 + slope * std::sin(0.4 * static_cast<double>(at.GetIndex()[1]))));
    }
    WriteTestImage(image.GetPointer(), Path(name + ".nrrd"));
  };
  const auto run = [this](const std::vector<std::string> & more) {
    std::vector<std::string> options{ "--stage", GetParam(), "--initialize", "none", "--field", Path("field.nrrd") };
    options.insert(options.end(), more.begin(), more.end());
    return Register(options);
  };
  const auto longest = [this] {
    const auto                                  field = ReadTestImage<Field<2>>(Path("field.nrrd"));
    double                                      length = 0.0;
    itk::ImageRegionIteratorWithIndex<Field<2>> at(field, field->GetBufferedRegion());
    for (; !at.IsAtEnd(); ++at)
    {
      EXPECT_FALSE(std::isnan(at.Get().GetNorm())) << at.GetIndex();
      length = std::max(length, at.Get().GetNorm());
    }
    return length;
  };
  // A line of samples, which is not smoothed across.
  write("fixed", 1, 50.0);
  write("moving", 1, 50.0);
  const ProgramResult thin = run({ "--iterations", "3", "--shrink", "2,1" });
  EXPECT_EQ(thin.code, 0) << thin.errors;
  const ProgramResult line = run({ "--iterations", "3", "--shrink", "1", "--sigmas", "0" });
  EXPECT_EQ(line.code, 0) << line.errors;
  EXPECT_LE(longest(), 1e-3);
  // Constant images cannot be compared.
  write("fixed", 30, 0.0);
  write("moving", 30, 0.0);
  ExpectError(run({ "--iterations", "12", "--shrink", "2,1" }),
              { std::string("the fixed image has only one value (100); stage 1 (") + GetParam() },
              1,
              "CudaSplineRegister");
  // Shrunk to one sample per axis, without smoothing.
  write("fixed", 30, 50.0);
  write("moving", 30, 50.0);
  const ProgramResult coarse = run(
    { "--iterations", "5", "--shrink", "32,1", "--sigmas", "0,0", "--update-variance", "0", "--total-variance", "0" });
  EXPECT_EQ(coarse.code, 0) << coarse.errors;
}

/** The same in 3D: each image has one problem. */
TEST_P(RegisterFieldStages, TakeImagesInSpaceThatTellLittle)
{
  constexpr itk::SizeValueType length = 13;
  const auto write = [this](const std::string & name, itk::SizeValueType slices, double origin, const auto & valueAt) {
    const auto image = Image<3>::New();
    image->SetRegions(itk::Size<3>{ { length, length, slices } });
    Point<3> corner;
    corner.Fill(0.0);
    corner[0] = origin;
    image->SetOrigin(corner);
    image->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Image<3>> at(image, image->GetBufferedRegion()); !at.IsAtEnd(); ++at)
    {
      at.Set(static_cast<float>(valueAt(at.GetIndex())));
    }
    WriteTestImage(image.GetPointer(), Path(name + ".nrrd"));
  };
  const auto waves = [](double phase) {
    return [phase](const itk::Index<3> & at) {
      return 100.0 + 30.0 * std::sin(0.6 * static_cast<double>(at[0]) + 0.3 * static_cast<double>(at[1]) + phase) +
             20.0 * std::sin(0.5 * static_cast<double>(at[1]) - 0.4 * static_cast<double>(at[2]) + phase);
    };
  };
  const auto run = [this](const std::vector<std::string> & more) {
    std::vector<std::string> options{
      "--stage", GetParam(), "--iterations",     "3",  "--initialize", "none",      "--precision",
      "double",  "--field",  Path("field.nrrd"), "-w", Path("w.nrrd"), "--inverse", Path("inverse.nrrd")
    };
    options.insert(options.end(), more.begin(), more.end());
    return Register(options);
  };
  const auto expectError = [&](const std::vector<std::string> & words, const std::vector<std::string> & more) {
    ExpectError(run(more), words, 1, "CudaSplineRegister");
  };
  const auto expectFields = [&](const std::vector<std::string> & more) {
    const ProgramResult result = run(more);
    EXPECT_EQ(result.code, 0) << result.errors;
    for (const char * const name : { "field.nrrd", "inverse.nrrd" })
    {
      const auto                                  field = ReadTestImage<Field<3>>(Path(name));
      itk::ImageRegionIteratorWithIndex<Field<3>> at(field, field->GetBufferedRegion());
      for (; !at.IsAtEnd(); ++at)
      {
        EXPECT_TRUE(std::isfinite(at.Get().GetNorm())) << name << ' ' << at.GetIndex();
      }
    }
    return result.errors;
  };
  const std::vector<std::string> smooth{ "--shrink", "2,1", "--sigmas", "1,0" };
  const std::vector<std::string> plain{ "--shrink", "1", "--sigmas", "0" };
  write("fixed", length, 0.0, waves(0.0));
  write("moving", length, 500.0, waves(0.5));
  expectError({ "do not overlap", "0 %" }, smooth);
  write("moving", length, 0.0, waves(0.5));
  write("empty", length, 0.0, [](const itk::Index<3> &) { return 0.0; });
  for (const char * const mask : { "--fixed-mask", "--moving-mask" })
  {
    expectError({ "empty.nrrd", "0 everywhere" }, { mask, Path("empty.nrrd") });
  }
  for (const bool isFirst : { true, false })
  {
    write(isFirst ? "first" : "last", length, 0.0, [&](const itk::Index<3> & at) {
      return isFirst ? at[0] < 3 : at[0] > 9;
    });
  }
  expectError({ "do not overlap", "both masks" },
              { "--fixed-mask", Path("first.nrrd"), "--moving-mask", Path("last.nrrd") });
  // Levels of three samples per axis, without smoothing, and steps that fold.
  expectFields({ "--shrink", "4,1", "--sigmas", "0,0", "--update-variance", "0", "--total-variance", "0" });
  write("moving", length, 0.0, [](const itk::Index<3> & at) { return (7 * at[0] + 11 * at[1] + 5 * at[2]) % 13; });
  const std::string folded =
    expectFields({ "--shrink", "1", "--sigmas", "0", "--update-variance", "0", "--learning-rate", "4" });
  EXPECT_TRUE(GetParam() == std::string("syn") || folded.find("the transform folds") != std::string::npos) << folded;
  write("moving", length, 0.0, [&](const itk::Index<3> & at) {
    return at[0] < 4 ? std::numeric_limits<double>::quiet_NaN() : waves(0.5)(at);
  });
  EXPECT_NE(expectFields(smooth).find("not finite"), std::string::npos);
  for (const char * const name : { "fixed", "moving" })
  {
    write(name, length, 0.0, [](const itk::Index<3> &) { return 3.0; });
  }
  expectError({ std::string("the fixed image has only one value (3); stage 1 (") + GetParam() }, smooth);
  write("fixed", 1, 0.0, waves(0.0));
  write("moving", 1, 0.0, waves(0.5));
  expectFields(smooth);
  expectFields(plain);
}

/** NaN voxels are treated as outside of the image: they are not compared, warped images have the default value there,
 * and masks still apply. */
TEST_P(RegisterFieldStages, TakeWhatIsNotANumberAsOutside)
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
                                          GetParam(),
                                          "--metric",
                                          "correlation",
                                          "--metric",
                                          MetricOfStage(),
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
  EXPECT_EQ(WithoutFewIterations(result).CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find(std::to_string(outside) + " of"), std::string::npos) << result.errors;
  EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), fieldSize), 0.6);
  // Where a voxel comes from the removed columns, and nowhere in the middle.
  const auto  found = ReadTransform<2>(Path("out.h5"));
  const auto  warped = ReadTestImage<Image<2>>(Path("warped.nrrd"));
  std::size_t blank = 0;
  for (itk::ImageRegionIteratorWithIndex<Image<2>> at(warped, warped->GetBufferedRegion()); !at.IsAtEnd(); ++at)
  {
    Point<2> point;
    warped->TransformIndexToPhysicalPoint(at.GetIndex(), point);
    itk::ContinuousIndex<double, 2> place;
    static_cast<void>(moving->TransformPhysicalPointToContinuousIndex(found->TransformPoint(point), place));
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

INSTANTIATE_TEST_SUITE_P(Of, RegisterFieldStages, testing::Values("syn", "greedy", "demons"), [](const auto & stage) {
  return std::string(stage.param);
});

} // namespace
