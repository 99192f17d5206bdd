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

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief The initial transform of the first stage of CudaSplineRegister, the sequence of stages and levels, and the
 * reports of stages that use ITK's own metric. */

namespace
{

constexpr unsigned int stagesSize = 40;

class RegisterStages : public RegisterTest
{
protected:
  /** Returns the middle of the grid after the transform of a run without iterations. */
  Point<2>
  MiddleOf(const std::vector<std::string> & more) const
  {
    std::vector<std::string> options{ "--stage", "rigid", "--iterations", "0", "-o", Path("start.tfm") };
    options.insert(options.end(), more.begin(), more.end());
    const ProgramResult result = Register(options);
    EXPECT_EQ(result.code, 0) << result.errors;
    Point<2> middle;
    middle.Fill(0.0);
    return ReadTransform<2>(Path("start.tfm"))->TransformPoint(middle);
  }

  /** Changes the pixels of an image in place. */
  template <typename TChange>
  void
  Change(const std::string & name, const TChange & change) const
  {
    const auto                                  image = ReadTestImage<Image<2>>(Path(name));
    itk::ImageRegionIteratorWithIndex<Image<2>> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      it.Set(change(it.Get(), it.GetIndex()));
    }
    WriteTestImage(image.GetPointer(), Path(name));
  }

  /** Writes a mask of the left part of an image, with NaN elsewhere. */
  void
  WriteMask(const std::string & of, const std::string & name) const
  {
    const auto                                  mask = ReadTestImage<Image<2>>(Path(of));
    itk::ImageRegionIteratorWithIndex<Image<2>> it(mask, mask->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      it.Set(it.GetIndex()[0] < 25 ? 1.0F : std::numeric_limits<float>::quiet_NaN());
    }
    WriteTestImage(mask.GetPointer(), Path(name));
  }
};

/** As in CT: numbers below 0 have the same weight as those above. */
TEST_F(RegisterStages, MomentsOfSignedImages)
{
  WritePair<2>(KnownRigid().GetPointer(), stagesSize);
  const Point<2> expected = MiddleOf({ "--initialize", "moments" });
  ASSERT_GT(expected.EuclideanDistanceTo(MiddleOf({ "--initialize", "centre" })), 0.5);
  for (const char * const name : { "fixed.nrrd", "moving.nrrd" })
  {
    Change(name, [](float value, const auto &) { return value - 100.0F; });
  }
  // Some thousand float pixels of 100 have errors far below this.
  EXPECT_LE(expected.EuclideanDistanceTo(MiddleOf({ "--initialize", "moments" })), 1e-3);
}

/** Voxels outside of a mask, or where the mask is NaN, have no weight. */
TEST_F(RegisterStages, MomentsUnderMasks)
{
  WritePair<2>(KnownRigid().GetPointer(), stagesSize);
  WriteMask("fixed.nrrd", "fixed-mask.nrrd");
  WriteMask("moving.nrrd", "moving-mask.nrrd");
  const std::vector<std::string> masks{
    "--fixed-mask", Path("fixed-mask.nrrd"), "--moving-mask", Path("moving-mask.nrrd")
  };
  const Point<2> expected = MiddleOf(masks);
  const Point<2> before = MiddleOf({});
  EXPECT_GT(expected.EuclideanDistanceTo(before), 0.05);
  const auto blind = [](float value, const itk::Index<2> & index) {
    return index[0] < 25 ? value : (index[0] % 2 == 0 ? 5000.0F : -4000.0F);
  };
  Change("moving.nrrd", blind);
  EXPECT_LE(expected.EuclideanDistanceTo(MiddleOf(masks)), 1e-6);
  EXPECT_GT(before.EuclideanDistanceTo(MiddleOf({})), 0.5);
  // A mask that is NaN everywhere excludes everything.
  Change("fixed-mask.nrrd", [](float, const auto &) { return std::numeric_limits<float>::quiet_NaN(); });
  ExpectError(Register({ "--fixed-mask", Path("fixed-mask.nrrd"), "-o", Path("out.tfm") }),
              { "fixed-mask.nrrd", "0 everywhere" },
              1,
              "CudaSplineRegister");
}

/** A stage of each linear kind finds the part that its transform can represent, and writes a transform of its class.
 * The next stage continues from it. */
TEST_F(RegisterStages, LinearKindsInThePlane)
{
  const auto translation = itk::TranslationTransform<double, 2>::New();
  auto       offset = translation->GetOffset();
  offset[0] = 2.4;
  offset[1] = -1.7;
  translation->SetOffset(offset);
  const auto similarity = itk::Similarity2DTransform<double>::New();
  similarity->SetScale(1.06);
  similarity->SetAngle(0.1);
  similarity->SetTranslation(offset);
  const auto find = [&](const std::vector<std::string> & stages, const Transform<2> * known, const char * name) {
    WritePair<2>(known, stagesSize);
    std::vector<std::string> options{
      "--metric", "meansquares", "-o", Path("out.tfm"), "--report", Path("report.json")
    };
    for (const std::string & stage : stages)
    {
      options.insert(options.end(), { "--stage", stage });
    }
    ExpectQuietSuccess(Register(options));
    EXPECT_STREQ(ReadTransform<2>(Path("out.tfm"))->GetNameOfClass(), name);
    EXPECT_LE(DistanceOf<2>("out.tfm", known, stagesSize), 0.1) << name;
    const nlohmann::json report = ReadReport();
    ASSERT_EQ(report["stages"].size(), stages.size());
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
    {
      EXPECT_EQ(report["stages"][stage]["kind"], stages[stage]);
      EXPECT_NE(report["stages"][stage]["backend"], "Superclass");
    }
  };
  find({ "translation" }, translation, "TranslationTransform");
  find({ "similarity" }, similarity, "Similarity2DTransform");
  find({ "translation", "rigid", "similarity" }, similarity, "Similarity2DTransform");
  find({ "translation", "affine" }, similarity, "AffineTransform");
  // A translation stage cannot continue from a rotation, so it adds a transform.
  find({ "similarity", "translation" }, similarity, "CompositeTransform");
}

TEST_F(RegisterStages, LinearKindsInSpace)
{
  const auto                      similarity = itk::Similarity3DTransform<double>::New();
  itk::Versor<double>             turn;
  itk::Versor<double>::VectorType axis;
  axis[0] = 0.2;
  axis[1] = -0.5;
  axis[2] = 1.0;
  turn.Set(axis, 0.12);
  itk::Vector<double, 3> shift;
  shift[0] = 1.4;
  shift[1] = -1.2;
  shift[2] = 0.8;
  similarity->SetRotation(turn);
  similarity->SetScale(0.95);
  similarity->SetTranslation(shift);
  WritePair<3>(similarity.GetPointer(), 26);
  for (const char * const optimizer : { "regular-step", "gradient-descent", "conjugate-gradient" })
  {
    ExpectQuietSuccess(Register({ "--stage",
                                  "rigid",
                                  "--stage",
                                  "similarity",
                                  "--metric",
                                  "meansquares",
                                  "--optimizer",
                                  "regular-step",
                                  "--optimizer",
                                  optimizer,
                                  "-o",
                                  Path("out.tfm") }));
    EXPECT_STREQ(ReadTransform<3>(Path("out.tfm"))->GetNameOfClass(), "Similarity3DTransform");
    // All steps of gradient-descent are as long as the first one, a voxel of 1 mm.
    const double bound = std::string(optimizer) == "gradient-descent" ? 1.0 : 0.3;
    EXPECT_LE(DistanceOf<3>("out.tfm", similarity.GetPointer(), 26), bound) << optimizer;
  }
}

/** A stage after a B-spline stage: ITK's own metric would throw, because its B-splines have no Jacobian by position. */
TEST_F(RegisterStages, StagesBehindASpline)
{
  const auto known = KnownRigid();
  WritePair<2>(known, stagesSize);
  const ProgramResult result = Register({ "--stage",
                                          "bspline",
                                          "--stage",
                                          "affine",
                                          "--stage",
                                          "bspline",
                                          "--metric",
                                          "meansquares",
                                          "--grid-spacing",
                                          "20",
                                          "--levels",
                                          "1",
                                          "--iterations",
                                          "6",
                                          "--iterations",
                                          "30",
                                          "--iterations",
                                          "30",
                                          "-o",
                                          Path("out.h5"),
                                          "--report",
                                          Path("report.json") });
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), stagesSize), 0.25);
  const nlohmann::json report = ReadReport();
  // B-splines in sequence may fold the border, which a warning reports, and iterations may be too few.
  EXPECT_EQ(report["folding"]["voxels"] > 0, result.errors.find("the transform folds") != std::string::npos);
  EXPECT_EQ(WithoutFewIterations(result).CountErrorLines(), report["folding"]["voxels"] > 0 ? 1u : 0u) << result.errors;
  ASSERT_EQ(report["stages"].size(), 3u);
  for (const auto & stage : report["stages"])
  {
    EXPECT_TRUE(stage["backend"] == "Cpu" || stage["backend"] == "Cuda") << stage["fallback_reason"];
    EXPECT_GT(stage["levels"][0]["iterations"], 1);
    EXPECT_EQ(stage["use"][stage["backend"].get<std::string>()]["calls"], 1);
    EXPECT_LE(stage["use"][stage["backend"].get<std::string>()]["seconds"], stage["seconds"]);
  }
}

/** A signal while L-BFGS of a later stage is running. */
TEST_F(RegisterStages, SignalInTheSecondStage)
{
  const auto known = KnownRigid();
  WritePair<2>(known, stagesSize);
  ProgramSettings settings;
  settings.signalWhenOutput = "stage 2/2 (bspline), level 1/1, iteration 4:";
  const ProgramResult result = Register({ "--stage",
                                          "rigid",
                                          "--stage",
                                          "bspline",
                                          "--metric",
                                          "meansquares",
                                          "--levels",
                                          "1",
                                          "--iterations",
                                          "60",
                                          "--iterations",
                                          "1000000",
                                          "--grid-spacing",
                                          "12",
                                          "--verbose",
                                          "-o",
                                          Path("out.h5") },
                                        settings);
  EXPECT_EQ(result.code, 128 + SIGTERM) << result.errors;
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_NE(result.errors.find("stopped by signal 15 in stage 2 of 2"), std::string::npos) << result.errors;
  // The result of the first stage is included.
  EXPECT_STREQ(ReadTransform<2>(Path("out.h5"))->GetNameOfClass(), "CompositeTransform");
  EXPECT_LE(DistanceOf<2>("out.h5", known.GetPointer(), stagesSize), 0.3);
}

} // namespace
