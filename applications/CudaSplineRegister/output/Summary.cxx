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
#include "output/Summary.h"

#include "console/Error.h"
#include "console/HelpLayout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

/** Formats a number with a few digits. */
std::string
Short(double number)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

std::string
Percent(double fraction)
{
  return std::isnan(fraction) ? "unknown" : Short(100.0 * fraction) + " %";
}

std::string
Seconds(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f s", seconds);
  return text;
}

std::string
RightAligned(const std::string & text, std::size_t width)
{
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

/** Adds lines "name   text", with the text wrapped. */
class Lines
{
public:
  explicit Lines(std::size_t width)
    : m_Width(width)
  {}

  void
  Add(const std::string & name, const std::string & text)
  {
    constexpr std::size_t column = 12; // of texts
    m_Text += WrapParagraph(
      text, m_Width, name + std::string(column - std::min(name.size(), column), ' '), std::string(column, ' '));
  }

  /** Adds a line of a table, whose last column is wrapped. */
  void
  AddRow(const std::string & cells, const std::string & last)
  {
    m_Text += WrapParagraph(last, m_Width, cells, std::string(cells.size(), ' '));
  }

  const std::string &
  GetText() const
  {
    return m_Text;
  }

private:
  std::size_t m_Width;
  std::string m_Text;
};

/** Returns the columns of a table of levels; the last one follows. */
std::string
LevelCells(const std::string & level, const std::string & iterations, const std::string & from, const std::string & to)
{
  return "  " + RightAligned(level, 5) + RightAligned(iterations, 12) + RightAligned(from, 11) + RightAligned(to, 11) +
         "  ";
}

/** Returns the value of the metric after the first iteration of a level. Empty if there is none. */
std::string
FirstValue(const Report & report, std::size_t stage, std::size_t level)
{
  const auto found = std::find_if(report.iterations.begin(), report.iterations.end(), [&](const Iteration & one) {
    return one.stage == stage && one.level == level;
  });
  return found == report.iterations.end() ? "-" : Short(found->value);
}

void
AddStage(const Report & report, const Options & options, std::size_t number, Lines & lines)
{
  const StageResult & stage = report.stages[number];
  const StageSpec &   asked = options.spec.stages[number];
  lines.AddRow("",
               "stage " + std::to_string(number + 1) + "/" + std::to_string(options.spec.stages.size()) + " " +
                 NameOf(stage.kind) + ", " + NamesOf(asked.metrics) + ", " + itk::CudaSpline::NameOf(stage.backend) +
                 ", " + Seconds(stage.seconds));
  lines.AddRow(LevelCells("level", "iterations", "first", "last"), "ended because");
  for (std::size_t level = 0; level < stage.levels.size(); ++level)
  {
    const LevelResult & found = stage.levels[level];
    const bool          isIterated = found.iterations > 0;
    lines.AddRow(LevelCells(std::to_string(level + 1) + "/" + std::to_string(stage.levels.size()),
                            std::to_string(found.iterations) + "/" + std::to_string(asked.levels[level].GetMaximum()),
                            FirstValue(report, number, level),
                            isIterated ? Short(found.value) : "-"),
                 found.stop);
  }
}

/** Adds similarity and overlap, before and after. */
void
AddAgreement(const Report & report, Lines & lines)
{
  if (report.evaluation && report.evaluation->similarity)
  {
    const auto & [before, after] = *report.evaluation->similarity;
    lines.Add("correlation", Short(before.correlation) + " before, " + Short(after.correlation) + " after");
  }
  if (report.agreement && report.before)
  {
    lines.Add("similarity",
              Percent(report.before->explained) + " before, " + Percent(report.agreement->explained) +
                " after, of the fixed image's entropy (mutual information)");
    lines.Add("overlap",
              Percent(report.before->overlap) + " before, " + Percent(report.agreement->overlap) +
                " after, of the fixed image");
  }
}

void
AddFiles(const std::vector<std::string> & files, Lines & lines)
{
  constexpr std::size_t most = 12;
  for (std::size_t number = 0; number < files.size() && (number + 1 < most || files.size() <= most); ++number)
  {
    lines.Add(number == 0 ? "written" : "", files[number]);
  }
  if (files.size() > most)
  {
    lines.Add("", "and " + std::to_string(files.size() + 1 - most) + " more files, the last " + files.back());
  }
}

} // namespace

std::string
MakeSummary(const Report & report, const Options & options, std::size_t width)
{
  Lines lines(width);
  for (std::size_t number = 0; number < report.stages.size(); ++number)
  {
    AddStage(report, options, number, lines);
  }
  AddAgreement(report, lines);
  if (report.folding)
  {
    lines.Add("folds",
              std::to_string(report.folding->voxels) + " of " + std::to_string(report.folding->all) + " voxels");
  }
  AddFiles(report.files, lines);
  const double whole =
    report.readSeconds + report.registerSeconds + report.evaluateSeconds + report.warpSeconds + report.writeSeconds;
  lines.Add("time",
            Seconds(whole) + ": read " + Seconds(report.readSeconds) + ", register " + Seconds(report.registerSeconds) +
              ", evaluate " + Seconds(report.evaluateSeconds) + ", warp " + Seconds(report.warpSeconds) + ", write " +
              Seconds(report.writeSeconds));
  return lines.GetText();
}

std::string
MakeSummary(const SeriesReport & report, std::size_t width)
{
  std::size_t  iterations = 0;
  std::size_t  least = 0;   // overlap
  std::size_t  largest = 0; // displacement
  double       displacement = -1.0;
  const auto & volumes = report.volumes;
  for (std::size_t number = 0; number < volumes.size(); ++number)
  {
    for (const StageResult & stage : volumes[number].stages)
    {
      for (const LevelResult & level : stage.levels)
      {
        iterations += level.iterations;
      }
    }
    least = volumes[number].agreement.overlap < volumes[least].agreement.overlap ? number : least;
    const bool   hasMotion = number > 0 && !volumes[number].motion.empty();
    const double moved = hasMotion ? FramewiseDisplacement(volumes[number - 1].motion, volumes[number].motion) : -1.0;
    largest = moved > displacement ? number : largest;
    displacement = std::max(displacement, moved);
  }
  Lines lines(width);
  lines.Add("volumes", std::to_string(volumes.size()) + ", " + std::to_string(iterations) + " iterations");
  if (displacement >= 0.0)
  {
    lines.Add("motion",
              "framewise displacement up to " + Short(displacement) + " mm (volume " + std::to_string(largest) + ")");
  }
  if (!volumes.empty())
  {
    lines.Add("overlap",
              "at least " + Percent(volumes[least].agreement.overlap) + " of the fixed image (volume " +
                std::to_string(least) + ")");
  }
  AddFiles(report.files, lines);
  lines.Add("time", Seconds(report.seconds));
  return lines.GetText();
}

} // namespace CudaSplineRegister
