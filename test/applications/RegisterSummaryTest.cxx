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
/** \file
 * \brief Output of CudaSplineRegister on stderr: progress, and a summary at the end. */

#include "RegisterTestSupport.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace
{

constexpr unsigned int summarySize = 40;

class RegisterSummary : public RegisterTest
{
protected:
  void
  SetUp() override
  {
    RegisterTest::SetUp();
    WritePair<2>(KnownRigid().GetPointer(), summarySize);
  }

  /** Runs two stages of two levels, with everything that a summary contains. */
  ProgramResult
  Run(bool onTerminal, const std::string & columns, std::vector<std::string> further = {}) const
  {
    std::vector<std::string> options{ "--stage", "rigid", "--stage",      "syn",      "--iterations",
                                      "6,3",     "-o",    Path("out.h5"), "--report", Path("out.json") };
    options.insert(options.end(), further.begin(), further.end());
    ProgramSettings settings;
    settings.hasSummary = true;
    settings.onTerminal = onTerminal;
    settings.environment.emplace_back("COLUMNS", columns);
    return Register(options, settings);
  }

  static std::vector<std::string>
  LinesOf(const std::string & text)
  {
    std::vector<std::string> lines;
    std::istringstream       stream(text);
    for (std::string line; std::getline(stream, line);)
    {
      line.erase(std::remove(line.begin(), line.end(), '\r'), line.end());
      lines.push_back(line);
    }
    return lines;
  }

  static std::string
  Short(double number)
  {
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g", number);
    return text;
  }

  /** Returns lines that begin with a text. */
  static std::vector<std::string>
  LinesWith(const std::vector<std::string> & lines, const std::string & begin)
  {
    std::vector<std::string> found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found), [&begin](const std::string & line) {
      return line.compare(0, begin.size(), begin) == 0;
    });
    return found;
  }
};

/** One line per level, then the numbers of the report, and the names of the files. */
TEST_F(RegisterSummary, HasTheNumbersOfTheReport)
{
  const ProgramResult result = Run(false, "120");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  const auto lines = LinesOf(result.errors);
  const auto report = ReadReport("out.json");
  ASSERT_EQ(LinesWith(lines, "stage 1/2 (rigid), level").size(), 2u) << result.errors;
  ASSERT_EQ(LinesWith(lines, "stage 2/2 (syn), level").size(), 2u) << result.errors;
  for (const auto & stage : report["stages"])
  {
    for (std::size_t level = 0; level < 2; ++level)
    {
      const auto        found = stage["levels"][level];
      const std::string iterations = std::to_string(found["iterations"].get<int>()) + (level == 0 ? "/6 " : "/3 ");
      EXPECT_NE(result.errors.find(iterations), std::string::npos) << iterations << result.errors;
      EXPECT_NE(result.errors.find(Short(found["value"]) + "  " + found["stop"].get<std::string>()), std::string::npos)
        << found << result.errors;
    }
  }
  const double before = report["agreement_before"]["explained"];
  const double after = report["agreement"]["explained"];
  EXPECT_GT(after, before);
  const auto similarity = LinesWith(lines, "similarity");
  ASSERT_EQ(similarity.size(), 1u);
  EXPECT_NE(similarity[0].find(Short(100 * before) + " % before, " + Short(100 * after) + " % after"),
            std::string::npos)
    << similarity[0];
  const auto overlap = LinesWith(lines, "overlap");
  ASSERT_EQ(overlap.size(), 1u);
  EXPECT_NE(overlap[0].find(Short(100 * report["agreement"]["overlap"].get<double>()) + " % after"), std::string::npos);
  const auto folds = LinesWith(lines, "folds");
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_NE(folds[0].find(std::to_string(report["folding"]["voxels"].get<int>()) + " of " +
                          std::to_string(report["folding"]["of"].get<int>())),
            std::string::npos);
  EXPECT_EQ(LinesWith(lines, "written").size(), 1u);
  EXPECT_NE(result.errors.find(Path("out.h5")), std::string::npos);
  EXPECT_NE(result.errors.find(Path("out.json")), std::string::npos);
  EXPECT_EQ(LinesWith(lines, "time").size(), 1u);
}

/** On a terminal a bar is shown and cleared; the summary fits the width. */
TEST_F(RegisterSummary, FitsTheTerminal)
{
  if (!std::filesystem::exists("/dev/pts/ptmx"))
  {
    GTEST_SKIP() << "no pseudo-terminals here";
  }
  for (const std::size_t columns : { std::size_t{ 60 }, std::size_t{ 80 }, std::size_t{ 120 } })
  {
    const ProgramResult result = Run(true, std::to_string(columns));
    ASSERT_EQ(result.code, 0) << result.errors;
    const std::size_t end = result.errors.rfind("\r\033[K");
    ASSERT_NE(end, std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find("(rigid), level"), std::string::npos) << "lines are for files";
    const std::string bar = result.errors.substr(0, end);
    EXPECT_NE(bar.find("iteration 1 of at most 6"), std::string::npos) << bar;
    EXPECT_EQ(bar.find('\n'), std::string::npos) << bar;
    std::istringstream drawn(bar);
    for (std::string line; std::getline(drawn, line, '\r');)
    {
      EXPECT_LT(line.substr(0, line.find('\033')).size(), columns) << line;
    }
    for (const std::string & line : LinesOf(result.errors.substr(end + 4)))
    {
      EXPECT_TRUE(line.size() <= columns || line.find(Path("")) != std::string::npos) << columns << ": " << line;
    }
  }
}

/** --quiet shows only warnings, on a terminal, too. */
TEST_F(RegisterSummary, QuietHasWarningsOnly)
{
  for (const bool onTerminal : { false, true })
  {
    EXPECT_EQ(Run(onTerminal, "80", { "--quiet" }).errors, "");
  }
}

/** Dice overlaps are a table with their mean. */
TEST_F(RegisterSummary, OverlapsAreATable)
{
  for (const char * const name : { "fixed", "moving" })
  {
    const auto                                  image = itk::ReadImage<Image<2>>(Path(std::string(name) + ".nrrd"));
    itk::ImageRegionIteratorWithIndex<Image<2>> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      it.Set(it.Get() > 100.0F ? 12.0F : it.Get() > 50.0F ? 3.0F : 0.0F);
    }
    WriteTestImage(image.GetPointer(), Path(std::string(name) + "-labels.nrrd"));
  }
  const ProgramResult result =
    Run(false, "80", { "--fixed-labels", Path("fixed-labels.nrrd"), "--moving-labels", Path("moving-labels.nrrd") });
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto lines = LinesOf(result.output);
  ASSERT_EQ(lines.size(), 4u) << result.output;
  EXPECT_EQ(lines[0], "   label   Dice before    Dice after");
  const auto evaluation = ReadReport("out.json")["evaluation"];
  double     mean = 0.0;
  for (std::size_t row = 1; row < 4; ++row)
  {
    std::istringstream stream(lines[row]);
    std::string        label;
    double             before = 0.0;
    double             after = 0.0;
    stream >> label >> before >> after;
    EXPECT_EQ(label, row == 1 ? "3" : row == 2 ? "12" : "mean");
    const auto written = row == 3 ? evaluation["dice_mean"] : evaluation["dice"][label];
    EXPECT_NEAR(before, written["before"].get<double>(), 5.1e-5);
    EXPECT_NEAR(after, written["after"].get<double>(), 5.1e-5);
    mean += row == 3 ? 0.0 : 0.5 * written["after"].get<double>();
  }
  EXPECT_NEAR(evaluation["dice_mean"]["after"].get<double>(), mean, 1e-12);
}

/** For a series one line per volume, and a summary. */
TEST_F(RegisterSummary, Series)
{
  const auto volume = MakeGrid<3>(16);
  Fill<3>(volume, nullptr, &ValueAt<3>);
  using Series = itk::Image<float, 4>;
  const auto series = Series::New();
  series->SetRegions(Series::SizeType{ { volume->GetBufferedRegion().GetSize()[0],
                                         volume->GetBufferedRegion().GetSize()[1],
                                         volume->GetBufferedRegion().GetSize()[2],
                                         3 } });
  series->Allocate();
  for (std::size_t number = 0; number < 3; ++number)
  {
    const std::size_t count = volume->GetBufferedRegion().GetNumberOfPixels();
    std::copy_n(volume->GetBufferPointer(), count, series->GetBufferPointer() + number * count);
  }
  itk::WriteImage(series, Path("series.nii"));
  ProgramSettings settings;
  settings.program = "CudaSplineRegister";
  settings.hasSummary = true;
  const ProgramResult result =
    RunProgram({ Path("series.nii"), "--motion", "first", "--parameters", Path("motion.tsv") }, settings);
  ASSERT_EQ(result.code, 0) << result.errors;
  const auto lines = LinesOf(result.errors);
  EXPECT_EQ(LinesWith(lines, "volume 2 (3 of 3): ").size(), 1u) << result.errors;
  EXPECT_EQ(LinesWith(lines, "volumes     3, ").size(), 1u) << result.errors;
  EXPECT_EQ(LinesWith(lines, "motion      framewise displacement up to ").size(), 1u) << result.errors;
  EXPECT_EQ(LinesWith(lines, "overlap     at least ").size(), 1u) << result.errors;
  EXPECT_EQ(LinesWith(lines, "written     " + Path("motion.tsv")).size(), 1u) << result.errors;
}

} // namespace
