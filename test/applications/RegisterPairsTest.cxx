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

#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief CudaSplineRegister with several pairs of images in a stage. */

namespace
{

/** A second pair, whose values vary along another axis than those of the first one. */
class RegisterPairs : public RegisterFields
{
protected:
  void
  SetUp() override
  {
    RegisterFields::SetUp();
    m_Known = KnownBend(nullptr);
    this->WriteStripes("fixed", "moving", 0);
    this->WriteStripes("fixed-b", "moving-b", 1);
  }

  /** Writes a pair of waves along one axis, of some 10 mm. It does not show displacements along the other axis. */
  void
  WriteStripes(const std::string & fixedName, const std::string & movingName, unsigned int axis) const
  {
    const std::function<double(const Point<2> &)> stripes = [axis](const Point<2> & place) {
      return 100.0 + 50.0 * std::cos(0.55 * place[axis] + 0.3) + 20.0 * std::cos(0.21 * place[axis]);
    };
    const auto fixed = MakeGrid<2>(fieldSize);
    const auto moving = MakeGrid<2>(fieldSize + 3);
    Fill<2>(fixed, m_Known.GetPointer(), stripes);
    Fill<2>(moving, nullptr, stripes);
    WriteTestImage(fixed.GetPointer(), Path(fixedName + ".nrrd"));
    WriteTestImage(moving.GetPointer(), Path(movingName + ".nrrd"));
  }

  std::vector<std::string>
  SecondPair() const
  {
    return { "--also-fixed", Path("fixed-b.nrrd"), "--also-moving", Path("moving-b.nrrd") };
  }

  /** Runs a stage from the initial position of the images in double precision. */
  void
  RunStage(const std::string & stage, const std::string & metric, std::vector<std::string> options) const
  {
    options.insert(options.end(),
                   { "--stage",
                     stage,
                     "--metric",
                     metric,
                     "--initialize",
                     "none",
                     "--precision",
                     "double",
                     "-o",
                     Path("out.h5"),
                     "--report",
                     Path("report.json") });
    if (metric.find("cc") != std::string::npos)
    {
      options.insert(options.end(), { "--radius", "2" });
    }
    const ProgramResult result = Register(options);
    ASSERT_EQ(result.code, 0) << result.errors;
  }

  /** Returns the distance between the result of a stage and the known bend. */
  double
  DistanceBy(const std::string & stage, const std::string & metric, std::vector<std::string> options) const
  {
    options.insert(options.end(), { "--iterations", "60,40", "--learning-rate", "0.25" });
    this->RunStage(stage, metric, options);
    return MeanDistance<2>(ReadTransform<2>(Path("out.h5")), m_Known.GetPointer());
  }

  /** Returns the value of the first iteration, before any movement. */
  double
  FirstValue(const std::string & stage, const std::string & metric, std::vector<std::string> options) const
  {
    options.insert(options.end(), { "--iterations", "1", "--shrink", "1", "--sigmas", "0" });
    this->RunStage(stage, metric, options);
    return ReadReport()["iterations"][0]["value"];
  }

  itk::CompositeTransform<double, 2>::Pointer m_Known;
};

/** Each pair determines one axis only, and both pairs together determine both axes. */
TEST_F(RegisterPairs, SeeWhatEachAloneIsBlindTo)
{
  const auto   identity = itk::AffineTransform<double, 2>::New();
  const double before = MeanDistance<2>(identity.GetPointer(), m_Known.GetPointer());
  ASSERT_GT(before, 0.5);
  const std::vector<std::pair<std::string, std::string>> stages{
    { "syn", "meansquares" }, { "syn", "cc" }, { "greedy", "meansquares" }, { "greedy", "cc" }, { "greedy", "mattes" }
  };
  for (const auto & [stage, metric] : stages)
  {
    SCOPED_TRACE(stage + " " + metric);
    const double first = this->DistanceBy(stage, metric, {});
    const double both = this->DistanceBy(stage, metric + "," + metric, this->SecondPair());
    // For a bend with equal components along both axes, half of its square remains if only one is found.
    EXPECT_GT(first, 0.5 * before);
    EXPECT_LT(both, 0.8 * first);
    EXPECT_LT(both, 0.6 * before);
  }
}

/** Values are the weighted sum over the pairs. */
TEST_F(RegisterPairs, HaveAValue)
{
  for (const std::string stage : { "syn", "greedy" })
  {
    SCOPED_TRACE(stage);
    const double correlation = this->FirstValue(stage, "cc", {});
    this->WriteStripes("fixed", "moving", 1); // the second pair equals the first one
    const double squares = this->FirstValue(stage, "meansquares", {});
    this->WriteStripes("fixed", "moving", 0);
    ASSERT_GT(squares, 10.0);
    ASSERT_LT(correlation, -0.1);
    const double value = this->FirstValue(stage, "cc:3,meansquares", this->SecondPair());
    EXPECT_NEAR(value, 0.75 * correlation + 0.25 * squares, 1e-12 * squares); // some roundings of double
    EXPECT_EQ(this->ReadReport()["stages"][0]["metric"], "cc:3,meansquares:1");
    const nlohmann::json pairs = this->ReadReport()["further_pairs"];
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0]["moving"], Path("moving-b.nrrd"));
  }
}

/** A pair with most of the weight determines the result nearly alone. */
TEST_F(RegisterPairs, HaveWeights)
{
  for (const std::string stage : { "syn", "greedy" })
  {
    SCOPED_TRACE(stage);
    const double first = this->DistanceBy(stage, "meansquares", {});
    const double heavy = this->DistanceBy(stage, "meansquares:1e6,meansquares:1", this->SecondPair());
    const double even = this->DistanceBy(stage, "meansquares,meansquares", this->SecondPair());
    EXPECT_NEAR(heavy, first, 0.05 * first);
    EXPECT_LT(even, 0.9 * heavy);
  }
}

/** A stage compares the pairs for which it has metrics: first the first pair only, then all of them. */
TEST_F(RegisterPairs, AreOfSomeStages)
{
  std::vector<std::string> options = this->SecondPair();
  options.insert(options.end(), { "--stage", "affine", "--metric", "meansquares", "--iterations", "20,10" });
  options.insert(options.end(), { "--winsorize", "0.01,0.99", "--iterations", "20,10" });
  this->RunStage("syn", "meansquares:0.5,cc:0.5", options);
  const nlohmann::json stages = ReadReport()["stages"];
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]["metric"], "meansquares");
  EXPECT_EQ(stages[1]["metric"], "meansquares:0.5,cc:0.5");
  EXPECT_NE(stages[1]["backend"], "Superclass") << stages[1]["fallback_reason"];
}

/** NaN voxels of an additional image are treated as outside, with a warning. */
TEST_F(RegisterPairs, HaveVoxelsThatAreNoNumbers)
{
  const auto image = ReadTestImage<Image<2>>(Path("fixed-b.nrrd"));
  for (int x = 0; x < 10; ++x)
  {
    image->SetPixel({ { x, 3 } }, std::numeric_limits<float>::quiet_NaN());
  }
  WriteTestImage(image.GetPointer(), Path("fixed-b.nrrd"));
  std::vector<std::string> options = this->SecondPair();
  options.insert(options.end(),
                 { "--stage",
                   "greedy",
                   "--metric",
                   "meansquares,meansquares",
                   "--initialize",
                   "none",
                   "--precision",
                   "double",
                   "--iterations",
                   "20,10",
                   "-o",
                   Path("out.h5"),
                   "--report",
                   Path("report.json") });
  const ProgramResult result = Register(options);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(result.errors.find("10 of"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("further 1. fixed"), std::string::npos) << result.errors;
  EXPECT_TRUE(ReadReport()["iterations"][0]["value"].is_number()) << "NaN is null in JSON";
}

/** Invalid combinations are refused with the option and its value. */
TEST_F(RegisterPairs, AreRefused)
{
  const auto refuse = [this](std::vector<std::string> options, const std::vector<std::string> & words, int code) {
    SCOPED_TRACE(words.front());
    options.insert(options.end(), { "-o", Path("out.h5") });
    ExpectError(Register(options), words, code, "CudaSplineRegister");
  };
  const auto with = [this](std::vector<std::string> options) {
    const auto second = this->SecondPair();
    options.insert(options.end(), second.begin(), second.end());
    return options;
  };
  refuse({ "--stage", "syn", "-m", "cc,cc", "--restrict-deformation", "1,1,1" },
         { "--metric \"cc,cc\": it has metrics for 2 pairs", "there is 1", "--also-fixed", "--restrict-deformation" },
         1);
  refuse({ "--stage", "syn", "-m", "cc:0" }, { "--metric \"cc:0\"", "weight 0", "above 0" }, 2);
  refuse({ "--stage", "syn", "-m", "cc:heavy" }, { "--metric \"cc:heavy\"", "weight 'heavy'" }, 2);
  refuse({ "--stage", "syn", "-m", "cc," }, { "--metric \"cc,\"", "'' is not known", "meansquares" }, 2);
  refuse({ "--also-fixed", "a.nii" }, { "--also-fixed is given 1 times", "--also-moving 0 times" }, 2);
  refuse(with({ "--stage", "syn" }), { "--also-fixed", "fixed-b.nrrd", "not compared in any stage", "cc,cc" }, 1);
  for (const std::string stage : { "rigid", "bspline", "demons" })
  {
    refuse(with({ "--stage", stage, "-m", "meansquares,meansquares" }),
           { "--metric meansquares,meansquares cannot be used with '" + stage + "'", "'syn', 'greedy' and 'tvf'" },
           2);
  }
  refuse(with({ "--stage", "greedy", "-m", "cc,correlation" }), { "'correlation' cannot be used with 'greedy'" }, 2);
  refuse({ "--stage", "syn", "-m", "cc,cc", "--also-fixed", Path("none.nrrd"), "--also-moving", Path("moving.nrrd") },
         { "none.nrrd" },
         1);
  WriteTestImage(MakePhantom<itk::Image<float, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("volume.nrrd"));
  refuse({ "--stage", "syn", "-m", "cc,cc", "--also-fixed", Path("volume.nrrd"), "--also-moving", Path("moving.nrrd") },
         { "--also-fixed", "volume.nrrd", "3 dimensions", "2" },
         1);
  refuse(with({ "--stage", "syn", "-m", "cc,cc", "-w", Path("moving-b.nrrd") }), { "--also-moving", "--warped" }, 1);
  const auto   far = MakePhantom<itk::Image<float, 2>>({ { fieldSize, fieldSize } });
  const double origin[2] = { 1e4, 0.0 };
  far->SetOrigin(origin);
  WriteTestImage(far.GetPointer(), Path("far.nrrd"));
  for (const auto & [fixed, moving] : { std::pair("far.nrrd", "moving-b.nrrd"), std::pair("fixed-b.nrrd", "far.nrrd") })
  {
    refuse({ "--stage", "syn", "-m", "cc,cc", "--also-fixed", Path(fixed), "--also-moving", Path(moving) },
           { "additional pair 1", "--also-moving", "no voxel" },
           1);
  }
}

} // namespace
