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

#include "GpuIsRequired.h"

#include "itkVersion.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>

/** \file
 * \brief Output of the program: versions, help, progress on a terminal, times, differences from ITK. */

namespace
{

using FloatVolume = itk::Image<float, 3>;

class ProgramReport : public ProgramTest
{
protected:
  void
  SetUp() override
  {
    ProgramTest::SetUp();
    WriteTestImage(MakePhantom<FloatVolume>({ { 40, 36, 30 } }).GetPointer(), Path("in.nrrd"));
  }

  nlohmann::json
  Report(std::vector<std::string> options)
  {
    options.insert(options.begin(), { Path("in.nrrd"), Path("out.nrrd"), "--report", Path("report.json") });
    const ProgramResult result = RunProgram(options);
    EXPECT_EQ(result.code, 0) << result.errors;
    return nlohmann::json::parse(Content(Path("report.json")));
  }
};

TEST_F(ProgramReport, Version)
{
  const ProgramResult result = RunProgram({ "--version" });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("CudaSplineResample " CUDASPLINE_VERSION "\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(std::string("ITK ") + itk::Version::GetITKVersion()), std::string::npos)
    << result.output;
  EXPECT_TRUE(result.output.find("CUDA Toolkit 1") != std::string::npos ||
              result.output.find("without the CUDA Toolkit") != std::string::npos)
    << result.output;
}

TEST_F(ProgramReport, Help)
{
  const ProgramResult result = RunProgram({ "--help" });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
  for (const char * const word :
       { "--reference",   "--transform",  "--interpolation", "--order",  "--spacing",
         "--size",        "--rotate",     "--default-value", "--device", "--output-type",
         "--compare-itk", "--difference", "--report",        "--series", "--force",
         "--verbose",     "--version",    "Examples",        "A(B(p))",  "CUDASPLINE_DEVICE" })
  {
    EXPECT_NE(result.output.find(word), std::string::npos) << word;
  }
}

/** Lines are as wide as COLUMNS, otherwise 80 columns. There are groups and five examples. */
TEST_F(ProgramReport, HelpIsWrapped)
{
  for (const std::string program : { "CudaSplineResample", "CudaSplineRegister" })
  {
    for (const auto & [columns, width] : { std::pair("", 80), std::pair("100", 100), std::pair("50", 50) })
    {
      ProgramSettings settings;
      settings.program = program;
      settings.environment = { { "COLUMNS", columns } };
      const ProgramResult result = RunProgram({ "--help" }, settings);
      EXPECT_EQ(result.code, 0);
      std::istringstream lines(result.output);
      std::size_t        longest = 0;
      for (std::string line; std::getline(lines, line);)
      {
        // A single word, such as the names of an option, may be longer than a narrow line.
        const bool isWord = line.find(' ', line.find_first_not_of(' ')) == std::string::npos || line.find("  -") == 0;
        EXPECT_TRUE(line.size() <= static_cast<std::size_t>(width) || (width < 80 && isWord)) << width << ": " << line;
        longest = std::max(longest, line.size());
      }
      EXPECT_GE(longest, static_cast<std::size_t>(width) - 12); // otherwise nothing fills the lines
      const std::size_t examples = result.output.find("\nExamples\n");
      ASSERT_NE(examples, std::string::npos);
      std::size_t count = 0;
      for (std::size_t at = result.output.find("\n  " + program, examples); at != std::string::npos;
           at = result.output.find("\n  " + program, at + 1))
      {
        ++count;
      }
      EXPECT_EQ(count, 5U);
      EXPECT_NE(result.output.find("\nComputation:\n"), std::string::npos);
      EXPECT_NE(result.output.find("\nHelp:\n"), std::string::npos);
    }
  }
}

/** The variables of the module and of ITK, in their order, and the processors on which the process may run. */
TEST_F(ProgramReport, Threads)
{
  using Environment = std::vector<std::pair<std::string, std::string>>;
  const auto run = [this](const std::string & ours, const std::string & ofItk, const std::string & openMp) {
    ProgramSettings settings;
    settings.environment = Environment{ { "CUDASPLINE_THREADS", ours },
                                        { "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", ofItk },
                                        { "ITK_NUMBER_OF_THREADS_ENV_LIST", "" },
                                        { "NSLOTS", "" },
                                        { "OMP_NUM_THREADS", openMp } };
    return RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--device", "cpu", "--report", Path("report.json") },
                      settings);
  };
  const auto device = [&](const std::string & ours, const std::string & ofItk, const std::string & openMp) {
    ExpectQuietSuccess(run(ours, ofItk, openMp));
    return nlohmann::json::parse(Content(Path("report.json")))["device"].get<std::string>();
  };
  EXPECT_EQ(device("3", "5", "4"), "CPU, 3 threads");
  EXPECT_EQ(device("", "5", "4"), "CPU, 5 threads");
  EXPECT_EQ(device("", "", "4,2"), "CPU, 4 threads");
  ExpectError(run("many", "", ""), { "CUDASPLINE_THREADS", "many" });

  cpu_set_t before;
  cpu_set_t first;
  CPU_ZERO(&first);
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  for (int processor = 0; CPU_COUNT(&first) == 0; ++processor)
  {
    if (CPU_ISSET(processor, &before))
    {
      CPU_SET(processor, &first);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(first), &first), 0); // the program inherits it
  EXPECT_EQ(device("", "", ""), "CPU, 1 threads");
  EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST_F(ProgramReport, SilentUnlessAsked)
{
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd") });
  ExpectQuietSuccess(result);
  EXPECT_EQ(result.output, "");
}

TEST_F(ProgramReport, VerboseTellsStages)
{
  const ProgramResult result =
    RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--verbose", "--device", "cpu", "-i", "bspline" });
  ExpectQuietSuccess(result);
  for (const char * const word :
       { "read", "prepare", "evaluate", "write", "40 x 36 x 30", "bspline of order 3 by Cpu" })
  {
    EXPECT_NE(result.output.find(word), std::string::npos) << word << " is missing in: " << result.output;
  }
}

TEST_F(ProgramReport, ProgressOnATerminalOnly)
{
  ProgramSettings settings;
  settings.onTerminal = true;
  if (!std::filesystem::exists("/dev/pts/ptmx"))
  {
    GTEST_SKIP() << "no pseudo-terminals here";
  }
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-i", "bspline" }, settings);
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.errors.find("100 % resampling"), std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find('\n'), std::string::npos); // a line that is redrawn, and cleared at the end
  EXPECT_EQ(result.errors.substr(result.errors.size() - 4), "\r\033[K");
}

/** Every interpolation in float is within 1e-6 of the range of ITK in double, according to this program. */
TEST_F(ProgramReport, DifferenceFromItk)
{
  for (const std::string interpolation : { "nearest", "linear", "bspline" })
  {
    const auto report =
      Report({ "-i", interpolation, "--rotate", "10", "-5", "20", "--spacing", "0.8", "--compare-itk" });
    EXPECT_EQ(report["interpolation"], interpolation);
    EXPECT_TRUE(report["backend"] == "Cpu" || report["backend"] == "Cuda") << report["backend"];
    EXPECT_LT(report["comparison"]["maximum_fraction"].get<double>(), 1e-6) << interpolation;
    EXPECT_LE(report["comparison"]["rms"].get<double>(), report["comparison"]["maximum"].get<double>());
    EXPECT_LE(report["comparison"]["percentile_99_9"].get<double>(), report["comparison"]["maximum"].get<double>());
    EXPECT_GT(report["comparison"]["input_maximum"].get<double>(), 100.0);
    EXPECT_GT(report["comparison"]["itk_seconds"].get<double>(), 0.0);
    EXPECT_EQ(report["comparison"]["voxels"].get<std::size_t>(), 50u * 56u * 56u);
  }
}

TEST_F(ProgramReport, DifferenceFromItkInDouble)
{
  // ITK's own prefilter has an initial error of 1.2e-10 near the low edge.
  const auto report = Report({ "-i", "bspline", "--rotate", "10,-5,20", "--output-type", "double", "--compare-itk" });
  EXPECT_LT(report["comparison"]["maximum_fraction"].get<double>(), 4e-10);
}

/** Integer outputs differ by at most 1, where ITK's value is close to an integer. */
TEST_F(ProgramReport, DifferenceFromItkInIntegers)
{
  const auto report = Report({ "-i", "bspline", "--rotate", "10,-5,20", "--output-type", "uint8", "--compare-itk" });
  EXPECT_LE(report["comparison"]["maximum"].get<double>(), 1.0);
  EXPECT_LT(report["comparison"]["distance_from_step"].get<double>(), 200e-6);
}

TEST_F(ProgramReport, DifferenceFromItkIn2D)
{
  WriteTestImage(MakePhantom<itk::Image<short, 2>>({ { 50, 41 } }).GetPointer(), Path("in.nrrd"));
  const auto report = Report({ "-i", "bspline", "--rotate", "33", "--output-type", "float", "--compare-itk" });
  EXPECT_LT(report["comparison"]["maximum_fraction"].get<double>(), 1e-6);
  EXPECT_EQ(report["input"]["size"], (std::vector<int>{ 50, 41 }));
}

/** The image of the differences has the output's grid and the reported maximum. */
TEST_F(ProgramReport, DifferenceImage)
{
  const auto report =
    Report({ "-i", "bspline", "--rotate", "10,-5,20", "--compare-itk", "--difference", Path("difference.nrrd") });
  const auto output = ReadTestImage<FloatVolume>(Path("out.nrrd"));
  const auto difference = ReadTestImage<FloatVolume>(Path("difference.nrrd"));
  ExpectSameGrid(difference.GetPointer(), output.GetPointer());
  const auto zero = MakeObliqueImage<FloatVolume>(output->GetLargestPossibleRegion().GetSize());
  const auto maximum = report["comparison"]["maximum"].get<double>();
  EXPECT_GT(maximum, 0.0);
  EXPECT_NEAR(LargestDifference(difference.GetPointer(), zero.GetPointer()), maximum, 1e-6 * maximum);
  ExpectError(RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--difference", Path("d.nrrd") }),
              { "--difference", "--compare-itk" },
              2);
}

TEST_F(ProgramReport, PrintsTheDifference)
{
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "--compare-itk", "--device", "cpu" });
  ExpectQuietSuccess(result);
  for (const char * const word :
       { "Difference from ITK", "maximum", "RMS", "99.9th percentile", "pixel units", "range", "by Cpu", "by ITK" })
  {
    EXPECT_NE(result.output.find(word), std::string::npos) << word << " is missing in: " << result.output;
  }
}

TEST_F(ProgramReport, ConstantImageHasNoRange)
{
  const auto image = MakeObliqueImage<FloatVolume>({ { 8, 8, 8 } });
  image->FillBuffer(3.0f);
  WriteTestImage(image.GetPointer(), Path("in.nrrd"));
  const auto report = Report({ "-i", "bspline", "--compare-itk" });
  EXPECT_LT(report["comparison"]["maximum"].get<double>(), 1e-5);
  EXPECT_TRUE(report["comparison"]["maximum_fraction"].is_null() || report["comparison"]["maximum_fraction"] == 0.0);
}

TEST_F(ProgramReport, ExplainSaysWhatWouldBeDoneAndDoesNothing)
{
  const auto explain = [this](std::vector<std::string> words) {
    words.insert(words.begin(), { Path("in.nrrd"), Path("none.nrrd"), "--explain" });
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(Path("none.nrrd")));
    return result.output;
  };
  const std::string cpu = explain({ "--device", "cpu", "-i", "bspline", "--size", "50" });
  for (const char * const word :
       { "operation: ", "BSpline 3", "50x50x50", "backend: Cpu\n", "reason: ", "pieces: 1\n", "estimate: ", " ms" })
  {
    EXPECT_NE(cpu.find(word), std::string::npos) << word << " is not in\n" << cpu;
  }
  EXPECT_EQ(cpu.find("device memory"), std::string::npos) << cpu;
  EXPECT_NE(explain({ "-i", "nearest", "--device", "cpu" }).find("Nearest"), std::string::npos);
}

TEST_F(ProgramReport, ExplainOfADevice)
{
  const ProgramResult gpu = RunProgram({ Path("in.nrrd"), Path("none.nrrd"), "--explain", "--device", "0" });
  if (gpu.code != 0)
  {
    EXPECT_NE(gpu.errors.find("allowed are cpu"), std::string::npos) << gpu.errors;
    CUDASPLINE_SKIP_WITHOUT_GPU();
  }
  for (const char * const word : { "backend: Cuda, device 0\n", "slabs: ", "device memory: ", "transfers: " })
  {
    EXPECT_NE(gpu.output.find(word), std::string::npos) << word << " is not in\n" << gpu.output;
  }
}

TEST_F(ProgramReport, DeviceOfTheEnvironment)
{
  ProgramSettings settings;
  settings.environment = { { "CUDASPLINE_DEVICE", "cpu" } };
  const ProgramResult result = RunProgram({ Path("in.nrrd"), Path("out.nrrd"), "-v" }, settings);
  EXPECT_NE(result.output.find("by Cpu"), std::string::npos) << result.output;
}

} // namespace
