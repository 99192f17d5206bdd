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

/** \file
 * \brief CudaSplineRegister reports problems in one line and does not change its outputs. */

namespace
{

class RegisterErrors : public RegisterTest
{
protected:
  void
  SetUp() override
  {
    RegisterTest::SetUp();
    WritePair<2>(KnownRigid().GetPointer(), 24);
  }

  void
  ExpectRegisterError(const std::vector<std::string> & options, const std::vector<std::string> & words, int code = 1)
  {
    SCOPED_TRACE(words.front());
    std::ofstream(Path("out.tfm")) << "what was there";
    const std::size_t files = CountFiles();
    auto              all = options;
    all.insert(all.end(), { "-o", Path("out.tfm") });
    ExpectError(Register(all), words, code, "CudaSplineRegister");
    EXPECT_EQ(Content(Path("out.tfm")), "what was there");
    EXPECT_EQ(CountFiles(), files);
  }
};

TEST_F(RegisterErrors, CommandLine)
{
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, Words>> wrong{
    { { "--stage", "elastic" }, { "--stage \"elastic\"", "affine, bspline, demons, discrete, greedy, rigid" } },
    { { "--metric", "ssd" }, { "--metric \"ssd\"", "cc, correlation, lncc, mattes, meansquares, mind, ngf" } },
    { { "--optimizer", "newton" }, { "--optimizer \"newton\"", "conjugate-gradient, gradient-descent" } },
    { { "--metric", "mattes", "--metric", "mattes", "--metric", "mattes" }, { "--metric is given 3 times", "(2)" } },
    { { "--optimizer", "lbfgs" }, { "--optimizer lbfgs cannot be used with the stages", "rigid, affine" } },
    { { "--stage", "rigid", "--metric", "cc", "--sampling", "random" },
      { "--sampling random", "'cc'", "all samples" } },
    { { "--bins", "161" }, { "--bins 161", "from 5 to 160" } },
    { { "--levels", "0" }, { "--levels 0", "from 1 to 16" } },
    { { "--stage", "elastic", "--stage", "syn", "--bins", "161", "--radius", "0", "--learning-rate", "0" },
      { "--stage \"elastic\"",
        "--radius 0: whole numbers from 1 to 100",
        "--bins 161: whole numbers from 5 to 160",
        "--learning-rate 0: numbers above 0" } },
    { { "--preset", "best", "--bins", "161", "--precision", "half" },
      { "--preset \"best\"",
        "abdomen, brain, fast, histology, lung, multimodal, standard, syn",
        "--bins 161",
        "--precision \"half\"",
        "float32, float64" } },
    { { "--levels", "3", "--shrink", "2,1" }, { "--levels 3", "2 levels" } },
    { { "--shrink", "2,1", "--sigmas", "2,1,0" }, { "different numbers of levels" } },
    { { "--shrink", "0" }, { "--shrink 0", "from 1" } },
    { { "--shrink", "1.5" }, { "--shrink 1.5", "whole numbers" } },
    { { "--sigmas", "1,-1" }, { "--sigmas 1,-1", "from 0" } },
    { { "--sigmas", "wide" }, { "--sigmas wide", "numbers from 0 to 1e6" } },
    { { "--sigmas", "," }, { "--sigmas ,", "numbers from 0 to 1e6" } },
    { { "--sigmas", ",,mm" }, { "--sigmas ,,", "numbers from 0 to 1e6" } },
    { { "--sigmas", "mm" }, { "--sigmas mm", "numbers from 0 to 1e6" } },
    { { "--shrink", ",," }, { "--shrink ,,", "whole numbers from 1 to 1024" } },
    { { "--iterations", "," }, { "--iterations ,", "whole numbers from 0 to 1000000" } },
    { { "--iterations", "10,,5" }, { "--iterations 10,,5", "whole numbers from 0 to 1000000" } },
    { { "--stage", "rigid", "--iterations", "3,x", "--radius", "500" },
      { "--iterations 3,x: whole numbers", "--radius 500: whole numbers from 1 to 100" } },
    { { "--stage", "rigid", "--bins", "200", "--radius", "3" },
      { "--bins 200: whole numbers from 5 to 160", "--radius 3 is not used by the stage 'rigid'" } },
    { { "--shrink", "2", "--sigmas", "1,2", "--iterations", "3,3,3" },
      { "--iterations, --shrink and --sigmas: they have values for different numbers of levels (3, 1, 2)" } },
    { { "--winsorize", "," }, { "--winsorize ,", "two quantiles" } },
    { { "--stage", "bspline", "--grid-spacing", ",," }, { "--grid-spacing ,,", "numbers above 0" } },
    { { "--device", "," }, { "--device \",\"", "auto, cpu, gpu" } },
    { { "--stage", "," }, { "--stage \",\"", "affine, bspline" } },
    { { "--initial-transform", ",inverse" }, { "\",inverse\" does not name a transform" } },
    { { "--iterations", "-5" }, { "--iterations" } },
    { { "--sampling", "some" }, { "--sampling \"some\"", "none, random, regular" } },
    { { "--fraction", "0.5" }, { "--fraction 0.5 is not used by", "it needs sampling 'regular' or 'random'" } },
    { { "--sampling", "random", "--fraction", "1.5" }, { "--fraction 1.5", "up to 1" } },
    { { "--step", "0" }, { "--step 0", "above 0" } },
    { { "--grid-spacing", "10" }, { "--grid-spacing 10 cannot be used with the stages" } },
    { { "--stage", "bspline", "--grid-spacing", "0" }, { "--grid-spacing 0", "above 0" } },
    { { "--initialize", "guess" }, { "--initialize \"guess\"", "centre, moments, none" } },
    { { "--initialize", "centre", "--initial-transform", "a.tfm" }, { "cannot be used together" } },
    { { "--bins", "4" }, { "--bins 4", "from 5" } },
    { { "--interpolation", "sinc" }, { "--interpolation \"sinc\"", "bspline, linear" } },
    { { "--gradient", "analytic" }, { "--gradient analytic needs --interpolation bspline" } },
    { { "--precision", "half" }, { "--precision \"half\"", "double, float" } },
    { { "--device", "fast" }, { "--device \"fast\"", "auto, cpu, gpu" } },
    { { "--device", "0,1," }, { "--device \"0,1,\"", "such as 0 or 0,1" } },
    { { "--default-value", "none" }, { "--default-value \"none\"" } },
    { { "--unknown" }, { "--unknown" } },
    { { "one", "more" }, { "more" } },
  };
  for (const auto & [options, words] : wrong)
  {
    ExpectRegisterError(options, words, 2);
  }
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  ExpectError(RunProgram({ Path("fixed.nrrd") }, settings), { "moving is required" }, 2, "CudaSplineRegister");
  ExpectError(Register({}), { "nothing to write" }, 2, "CudaSplineRegister");
}

/** Problems of a file have the names of documents. Options that a document contains cannot be given. */
TEST_F(RegisterErrors, Documents)
{
  const auto expect = [this](const std::string & text, const std::vector<std::string> & words, int code = 2) {
    std::ofstream(Path("spec.json")) << text;
    auto all = words;
    all.push_back("spec.json\": ");
    ExpectRegisterError({ "--spec", Path("spec.json") }, all, code);
  };
  const std::string version = R"({ "cudaspline_registration": 1)";
  expect(version + R"(, "bogus": 1 })", { ": bogus: a registration has no such option" });
  expect(R"({ "cudaspline_registration": 2 })", { ": cudaspline_registration: 2: this library reads documents" });
  expect(version + R"(, "options": [1], "stages": 4 })",
         { ": stages: 4: a list of stages is needed", "options: [1]: an object is needed" });
  expect("[]", { ": []: a JSON object is needed" });
  expect(version + R"(, "stages": ["rigid", { "kind": "syn", "radius": 0 }] })",
         { ": stages[1].radius: 0: whole numbers from 1 to 100 are allowed" });
  expect(version + R"(, "stages": [{ "kind": "syn", "metric": ["cc", "cc"] }] })",
         { ": metric: it has metrics for 2 pairs of images, but there is 1", "--also-fixed" },
         1);
  std::ofstream(Path("spec.json")) << version << " }";
  for (const auto & [option, value] : { std::pair("--precision", "bogus"),
                                        std::pair("--initialize", "none"),
                                        std::pair("--interpolation", "linear"),
                                        std::pair("--winsorize", "0,1"),
                                        std::pair("--radius", "3"),
                                        std::pair("--preset", "brain"),
                                        std::pair("--stage", "rigid") })
  {
    ExpectRegisterError({ "--spec", Path("spec.json"), option, value },
                        { std::string(option) + " cannot be used together with --spec" },
                        2);
  }
}

TEST_F(RegisterErrors, Files)
{
  WriteTestImage(MakePhantom<itk::Image<float, 3>>({ { 8, 8, 8 } }).GetPointer(), Path("volume.nrrd"));
  const auto empty = MakeGrid<2>(8);
  WriteTestImage(empty.GetPointer(), Path("empty.nrrd"));
  ExpectRegisterError({ "--fixed-mask", Path("none.nrrd") }, { "none.nrrd" });
  ExpectRegisterError({ "--fixed-mask", Path("volume.nrrd") }, { "volume.nrrd", "3 dimensions", "2" });
  ExpectRegisterError({ "--moving-mask", Path("empty.nrrd") }, { "empty.nrrd", "0 everywhere" });
  ExpectRegisterError({ "--initial-transform", Path("none.tfm") }, { "none.tfm" });
  ExpectRegisterError({ "-w", Path("no/folder.nrrd") }, { "folder", "does not exist" });
  ExpectRegisterError({ "-w", Path("warped.unknown") }, { "warped.unknown", "is unknown" });
  ExpectRegisterError({ "-p", Path("picture.unknown") }, { "picture.unknown", "is unknown" });
  ExpectRegisterError({ "--stage", "bspline", "--grid-spacing", "3,4,5" },
                      { "--grid-spacing \"3,4,5\"", "3 numbers", "2 axes" });

  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  ExpectError(RunProgram({ Path("fixed.nrrd"), Path("volume.nrrd"), "-o", Path("out.tfm") }, settings),
              { "2 dimensions", "moving image 3" },
              1,
              "CudaSplineRegister");
  ExpectError(RunProgram({ Path("fixed.nrrd"), Path("empty.nrrd"), "-o", Path("out.tfm") }, settings),
              { "moving image has only one value", "stage 1 (rigid, metric mattes)" },
              1,
              "CudaSplineRegister");
  ExpectError(RunProgram({ Path("fixed.nrrd"), Path("moving.nrrd"), "-o", Path("out.unknown") }, settings),
              { "cannot write the transform \"out.unknown\"" },
              1,
              "CudaSplineRegister");
  // MATLAB files contain one transform.
  ExpectError(
    RunProgram({ Path("fixed.nrrd"), Path("moving.nrrd"), "-o", Path("out.mat"), "--stage", "bspline" }, settings),
    { "cannot write the transform \"out.mat\"" },
    1,
    "CudaSplineRegister");
}

TEST_F(RegisterErrors, NoOverlap)
{
  auto far = ReadTestImage<Image<2>>(Path("moving.nrrd"));
  auto origin = far->GetOrigin();
  origin[0] += 1000.0;
  far->SetOrigin(origin);
  WriteTestImage(far.GetPointer(), Path("moving.nrrd"));
  for (const std::string metric : { "mattes", "meansquares", "correlation", "cc" })
  {
    SCOPED_TRACE(metric);
    ExpectRegisterError({ "--stage", "rigid", "--initialize", "none", "--metric", metric },
                        { "do not overlap", ": 0 % of the fixed image", "--initialize moments|centre|search" });
  }
  ExpectRegisterError({ "--stage", "syn", "--initialize", "none" }, { "do not overlap", "0 %" });
  // With an initial transform, the advice is to omit it.
  const auto away = itk::AffineTransform<double, 2>::New();
  auto       way = away->GetTranslation();
  way[0] = -1000.0;
  away->SetTranslation(way);
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(away);
  writer->SetFileName(Path("away.tfm"));
  writer->Update();
  ExpectRegisterError({ "--stage", "rigid", "--initial-transform", Path("away.tfm") },
                      { "do not overlap", "instead of --initial-transform" });
}

/** Smoothing that is too wide for ITK's kernels ended the program with a signal. */
TEST_F(RegisterErrors, WideSmoothing)
{
  ExpectRegisterError({ "--levels", "3", "--sigmas", "1e9,1,1" }, { "--sigmas 1e9,1,1", "from 0 to 1e6" }, 2);
}

/** A step out of the moving image causes the same error for the stage. */
TEST_F(RegisterErrors, StepsOutOfTheImage)
{
  ExpectRegisterError(
    { "--stage", "rigid", "--initialize", "none", "--optimizer", "gradient-descent", "--step", "1e4" },
    { "do not overlap", "stage 1 (rigid)", "% of the fixed image", "--initialize" });
}

TEST_F(RegisterErrors, AbsentDevice)
{
  ExpectRegisterError({ "--device", "99" }, { "99" });
}

TEST_F(RegisterErrors, HelpAndVersion)
{
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  const ProgramResult help = RunProgram({ "--help" }, settings);
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.output.find("--grid-spacing"), std::string::npos);
  EXPECT_NE(help.output.find("SIGTERM"), std::string::npos);
  const ProgramResult version = RunProgram({ "--version" }, settings);
  EXPECT_EQ(version.code, 0);
  EXPECT_NE(version.output.find("CudaSplineRegister " CUDASPLINE_VERSION "\n"), std::string::npos) << version.output;
}

} // namespace
