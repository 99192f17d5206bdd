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
#include "output/Explain.h"

#include "output/DeformationOutput.h"
#include "console/Error.h"
#include "cli/FileNames.h"
#include "io/volume/PixelType.h"
#include "output/Report.h"

#include "itkCudaSpline/pipeline/RegistrationForecast.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>

namespace CudaSplineRegister
{

namespace
{

template <typename TList>
std::string
ListText(const TList & list, std::size_t count)
{
  std::string text;
  for (std::size_t number = 0; number < count; ++number)
  {
    text += (number == 0 ? "" : ", ") + Brief(static_cast<double>(list[number]));
  }
  return text;
}

std::string
DirectionText(const Grid & grid)
{
  std::string text;
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    text += (row == 0 ? "" : "; ") + ListText(grid.direction[row], grid.dimension);
  }
  return text;
}

/** Returns for example "3.2 MB". */
std::string
BytesText(std::size_t bytes)
{
  char text[32];
  if (bytes < 1000000000)
  {
    std::snprintf(text, sizeof(text), "%.1f MB", static_cast<double>(bytes) / 1e6);
  }
  else
  {
    std::snprintf(text, sizeof(text), "%.2f GB", static_cast<double>(bytes) / 1e9);
  }
  return text;
}

std::string
SecondsText(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof(text), seconds < 1.0 ? "%.2f s" : "%.1f s", seconds);
  return text;
}

/** Returns type, size and geometry of an image. */
std::string
GridText(const Grid & grid, ScalarType type, const ImageLayout & layout)
{
  return NameOfPixelType(type) + " " + SizeText(grid) +
         (layout.components > 1 ? ", " + std::to_string(layout.components) + " components" : "") +
         (layout.volumes > 1 ? ", " + std::to_string(layout.volumes) + " volumes" : "") + " | spacing " +
         SpacingText(grid) + " | origin " + ListText(grid.origin, grid.dimension) + " | direction " +
         DirectionText(grid);
}

void
ExplainImage(std::ostream & stream, const std::string & role, const ImageDescription & image)
{
  stream << role << ": " << image.path << " | " << GridText(image.grid, image.type, image.layout) << '\n';
}

void
ExplainMasks(std::ostream &                                       stream,
             const std::string &                                  role,
             const std::vector<std::optional<ImageDescription>> & masks)
{
  for (std::size_t stage = 0; stage < masks.size(); ++stage)
  {
    const std::string where = masks.size() == 1 ? role : role + " in stage " + std::to_string(stage + 1);
    if (masks[stage])
    {
      ExplainImage(stream, where, *masks[stage]);
    }
    else
    {
      stream << where << ": none\n";
    }
  }
}

/** Describes a file or folder that is written. */
std::string
DescribeOutput(const NamedPath & output, const Options & options)
{
  const std::filesystem::path folder = std::filesystem::path(output.path).parent_path();
  std::error_code             error;
  if (folder.empty() || std::filesystem::is_directory(folder, error))
  {
    return std::filesystem::is_regular_file(output.path, error) ? ", which exists and is replaced" : "";
  }
  const std::string named = output.role == "--output-prefix" ? options.prefix : output.path;
  return options.makesFolders || !FolderAskedFor(named).empty() ? ", whose folder is made"
                                                                : ", whose folder does not exist (--make-folders)";
}

void
ExplainImages(std::ostream & stream, const Options & options, const RegistrationInputs & inputs)
{
  ExplainImage(stream, "fixed", inputs.fixed);
  ExplainImage(stream, "moving", inputs.moving);
  for (const AdditionalDescription & pair : inputs.further)
  {
    ExplainImage(stream, "also fixed", pair.fixed);
    ExplainImage(stream, "also moving", pair.moving);
  }
  ExplainMasks(stream, "mask of fixed", inputs.fixedMasks);
  ExplainMasks(stream, "mask of moving", inputs.movingMasks);
  stream << "pixels: " << NameOf(options.spec.precision);
  if (options.spec.winsorize)
  {
    stream << ", clipped to the quantiles " << ListText(*options.spec.winsorize, 2);
  }
  stream << '\n';
}

/** Returns the options of a stage except its kind and levels, as in a document. */
std::string
StageOptionsText(const nlohmann::ordered_json & stage, const StageSpec & spec)
{
  static const std::set<std::string> ofLevels{ "kind",   "iterations", "iteration_limit",
                                               "shrink", "sigmas",     "sigmas_in_mm" };
  std::string                        text;
  for (const auto & [name, value] : stage.items())
  {
    if (ofLevels.count(name) == 0 && !value.is_null())
    {
      text += (text.empty() ? "" : ", ") + name + " " +
              (name == "metric"    ? NamesOf(spec.metrics)
               : value.is_string() ? value.get<std::string>()
                                   : value.dump());
    }
  }
  return text;
}

void
ExplainStage(std::ostream &                         stream,
             const nlohmann::ordered_json &         stage,
             const StageSpec &                      spec,
             const itk::CudaSpline::StageForecast & forecast,
             std::size_t                            voxels)
{
  std::string shrink;
  std::string sigmas;
  std::string iterations;
  for (const itk::CudaSpline::PyramidLevel & level : spec.levels)
  {
    const char * const between = shrink.empty() ? "" : ", ";
    shrink += between + std::to_string(level.shrink);
    sigmas += between + Brief(level.sigma);
    iterations += between + std::to_string(level.GetMaximum());
  }
  stream << NameOf(spec.GetKind()) << " | " << StageOptionsText(stage, spec) << '\n'
         << "  levels: " << spec.levels.size() << " | shrink " << shrink << " | sigmas " << sigmas
         << (spec.sigmasInMm ? " mm" : " voxels") << " | at most " << iterations << " iterations\n";
  for (const std::size_t level : forecast.narrowLevels)
  {
    stream << "  level " << level + 1 << " is skipped: its grid has fewer samples along an axis than the windows of "
           << NamesOf(spec.metrics) << '\n';
  }
  const auto perVoxel = [&](std::size_t bytes) {
    return Brief(std::round(10.0 * static_cast<double>(bytes) / static_cast<double>(voxels)) / 10.0);
  };
  stream << "  memory: " << BytesText(forecast.bytes) << ", " << perVoxel(forecast.bytes)
         << " bytes per voxel of the fixed image";
  if (forecast.leastBytes < forecast.bytes)
  {
    stream << " (" << perVoxel(forecast.leastBytes) << " where memory is short)";
  }
  stream << " | backend: " << itk::CudaSpline::NameOf(forecast.backend)
         << (forecast.reason.empty() ? "" : " (" + forecast.reason + ")") << " | at most about "
         << SecondsText(forecast.seconds) << '\n';
}

/** Returns a request with the images without pixels. */
RegistrationRequest
RequestOf(const Options & options, const RegistrationInputs & inputs)
{
  const ScalarType    type = options.spec.precision;
  RegistrationRequest request;
  request.options = &options;
  request.fixed = Volume{ inputs.fixed.grid, type, nullptr };
  request.moving = Volume{ inputs.moving.grid, type, nullptr };
  for (const AdditionalDescription & pair : inputs.further)
  {
    request.further.push_back(
      { Volume{ pair.fixed.grid, type, nullptr }, Volume{ pair.moving.grid, type, nullptr }, {}, {} });
  }
  return request;
}

} // namespace

std::string
ExplainRegistration(const Options &                options,
                    const RegistrationInputs &     inputs,
                    const WarpedFormat &           format,
                    const std::vector<NamedPath> & outputs)
{
  std::ostringstream stream;
  ExplainImages(stream, options, inputs);
  stream << "start: " << StartText(options) << '\n';
  const auto        forecasts = Forecast(RequestOf(options, inputs));
  const std::size_t voxels = inputs.fixed.grid.GetNumberOfVoxels();
  const auto        document = nlohmann::ordered_json::parse(itk::CudaSpline::WriteSpec(options.spec));
  for (std::size_t number = 0; number < forecasts.size(); ++number)
  {
    stream << "stage " << number + 1 << "/" << forecasts.size() << ": ";
    ExplainStage(stream, document["stages"][number], options.spec.stages[number], forecasts[number], voxels);
  }
  if (!options.warped.empty())
  {
    stream << "warped: " << GridText(format.grid, format.type, format.layout) << '\n';
  }
  for (const NamedPath & output : outputs)
  {
    if (!output.path.empty() && MayBeWritten(output.path, options))
    {
      stream << "writes: " << output.path << " (" << output.role << ')' << DescribeOutput(output, options) << '\n';
    }
  }
  return stream.str();
}

} // namespace CudaSplineRegister
