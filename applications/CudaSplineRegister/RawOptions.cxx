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
#include "RawOptions.h"

#include "DeviceWord.h"
#include "Error.h"
#include "Names.h"
#include "Numbers.h"
#include "PixelType.h"
#include "ReadingProcess.h"

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>

namespace CudaSplineRegister
{

namespace
{

using Json = nlohmann::ordered_json;

/** What NumPy and others call values of options, in lower case, with the names of documents. */
const std::map<std::string, std::string> otherNames{ { "center", "centre" },
                                                     { "cubic", "bspline" },
                                                     { "bspline[3]", "bspline" },
                                                     { "float", "float32" },
                                                     { "double", "float64" } };

std::string
KnownName(const std::string & word)
{
  const std::string lower = ToLower(word);
  const auto        found = otherNames.find(lower);
  return found == otherNames.end() ? lower : found->second;
}

/** The value of a name in letters of any case, or an error that says which names are allowed. */
template <typename TValue>
TValue
ValueOf(const std::string & option, const std::string & word, const std::map<std::string, TValue> & values)
{
  const auto found = values.find(KnownName(word));
  if (found == values.end())
  {
    std::vector<std::string> names;
    for (const auto & entry : values)
    {
      names.push_back(entry.first);
    }
    throw ProgramError(DescribeUnknownName(option, word, names));
  }
  return found->second;
}

/** "learning_rate" as "--learning-rate". */
std::string
OptionOf(const std::string & name)
{
  static const std::map<std::string, std::string> others{ { "stages", "--stage" },
                                                          { "initial", "--initialize" },
                                                          { "also", "--also-fixed and --also-moving" },
                                                          { "order", "--interpolation" },
                                                          { "iterations, shrink, sigmas",
                                                            "--iterations, --shrink and --sigmas" } };
  if (const auto found = others.find(name); found != others.end())
  {
    return found->second;
  }
  std::string option = "--" + name;
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

/** A number as JSON: whole ones as integers. */
Json
NumberAsJson(double number)
{
  constexpr double most = 9007199254740992.0; // 2^53
  return number == std::floor(number) && std::abs(number) <= most ? Json(static_cast<std::int64_t>(number))
                                                                  : Json(number);
}

Json
NumbersAsJson(const std::string & option, const std::string & text)
{
  constexpr std::size_t most = 64; // documents say how many are allowed
  Json                  list = Json::array();
  for (const double number : ParseNumbers(option, text, most))
  {
    list.push_back(NumberAsJson(number));
  }
  return list;
}

/** "cc" or "cc:0.7,mattes:0.3" as a value of documents. */
Json
MetricsAsJson(const std::string & text)
{
  Json               list = Json::array();
  std::istringstream entries(text + ","); // an empty one at the end counts, too
  for (std::string entry; std::getline(entries, entry, ',');)
  {
    const std::size_t colon = entry.find(':');
    if (colon == std::string::npos)
    {
      list.push_back(entry);
      continue;
    }
    const std::string           word = entry.substr(colon + 1);
    const std::optional<double> weight = ParseNumber(word);
    list.push_back(Json::array({ entry.substr(0, colon), weight ? NumberAsJson(*weight) : Json(word) }));
  }
  return list.size() == 1 && list[0].is_string() ? list[0] : list;
}

/** The value of an option of stages as documents have it. */
Json
ValueAsJson(const std::string & name, const std::string & word)
{
  if (name == "metric")
  {
    return MetricsAsJson(word);
  }
  if (name == "iterations" || name == "shrink" || name == "sigmas" || name == "grid_spacing" ||
      name == "restrict_deformation")
  {
    return NumbersAsJson(OptionOf(name), word);
  }
  if (ToLower(word) == "true" || ToLower(word) == "false")
  {
    return ToLower(word) == "true";
  }
  if (const std::optional<double> number = ParseNumber(word))
  {
    return std::isfinite(*number) ? NumberAsJson(*number) : Json(word);
  }
  return word;
}

/** The stages of a document in work. */
std::size_t
CountStages(const Json & document)
{
  return itk::CudaSpline::ReadSpec(document.dump()).stages.size();
}

/** Puts the options of stages into a document. */
void
AddOptions(const RawOptions & raw, Json & document, std::map<std::string, std::string> & written)
{
  const auto set = [&](const std::string & name, const std::vector<std::string> & words, const auto & valueOf) {
    for (const std::string & word : words)
    {
      written[name] += (written[name].empty() ? "" : " ") + word;
    }
    if (words.size() == 1)
    {
      document["options"][name] = valueOf(words.front());
      return;
    }
    if (const std::size_t stages = CountStages(document); words.size() != stages)
    {
      throw ProgramError(OptionOf(name) + " is there " + std::to_string(words.size()) +
                         " times; it has to be once, or as often as there are stages (" + std::to_string(stages) + ")");
    }
    Json values = Json::array();
    for (const std::string & word : words)
    {
      values.push_back(valueOf(word));
    }
    document["stage_options"][name] = values;
  };
  const Json bare = document; // counts of stages do not depend on options
  for (const auto & [name, words] : raw.stageOptions)
  {
    if (words.empty())
    {
      continue;
    }
    if (name == "sigmas")
    {
      const auto isInMm = [](const std::string & word) {
        return word.size() > 2 && word.compare(word.size() - 2, 2, "mm") == 0;
      };
      std::vector<std::string> numbers;
      for (const std::string & word : words)
      {
        numbers.push_back(isInMm(word) ? word.substr(0, word.size() - 2) : word);
      }
      set(name, numbers, [](const std::string & word) { return ValueAsJson("sigmas", word); });
      set("sigmas_in_mm", words, [&](const std::string & word) { return Json(isInMm(word)); });
      continue;
    }
    set(name, words, [&, option = name](const std::string & word) { return ValueAsJson(option, word); });
  }
}

/** The document of the command line. */
Json
MakeDocument(const RawOptions & raw, Options & options)
{
  Json document;
  document["cudaspline_registration"] = itk::CudaSpline::SpecVersion;
  options.written["precision"] = raw.precision;
  const auto say = [&](const char * name, const std::string & word) {
    if (!word.empty())
    {
      document[name] = KnownName(word);
      options.written[name] = word;
    }
  };
  say("preset", raw.preset);
  document["precision"] = ValueOf<std::string>(
    "--precision",
    raw.precision,
    { { "float", "float32" }, { "double", "float64" }, { "float32", "float32" }, { "float64", "float64" } });
  if (!raw.stages.empty())
  {
    document["stages"] = raw.stages;
  }
  say("initial", raw.initialization);
  if (!raw.winsorize.empty())
  {
    document["winsorize"] = NumbersAsJson("--winsorize", raw.winsorize);
    options.written["winsorize"] = raw.winsorize;
  }
  const auto stages = itk::CudaSpline::ReadSpec(document.dump()).stages;
  AddOptions(raw, document, options.written);
  if (options.order > 1 &&
      std::any_of(stages.begin(), stages.end(), [](const StageSpec & stage) { return !stage.IsOfFields(); }))
  {
    document["options"]["order"] = options.order;
  }
  return document;
}

/** The document of a file, beside which nothing else describes stages. */
std::string
ReadDocument(const RawOptions & raw)
{
  const bool hasOptions = std::any_of(
    raw.stageOptions.begin(), raw.stageOptions.end(), [](const auto & option) { return !option.second.empty(); });
  if (hasOptions || !raw.stages.empty() || !raw.preset.empty() || !raw.winsorize.empty())
  {
    throw ProgramError("--spec \"" + raw.spec + "\" has all stages and their options; leave others out");
  }
  std::ifstream      file(raw.spec, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
  {
    throw ProgramError("the file \"" + raw.spec + "\" of --spec cannot be read");
  }
  return text.str();
}

/** Pairs of images beside the first one. */
void
InterpretPairs(const RawOptions & raw, Options & options)
{
  if (raw.alsoFixed.size() != raw.alsoMoving.size())
  {
    throw ProgramError("--also-fixed is there " + std::to_string(raw.alsoFixed.size()) + " times and --also-moving " +
                       std::to_string(raw.alsoMoving.size()) + " times; they are pairs of images, in their order");
  }
  if (!raw.alsoFixed.empty() && !raw.motion.empty())
  {
    throw ProgramError("--also-moving \"" + raw.alsoMoving.front() + "\" is for one moving image, not for --motion");
  }
  for (std::size_t number = 0; number < raw.alsoFixed.size(); ++number)
  {
    options.further.push_back({ raw.alsoFixed[number], raw.alsoMoving[number], {} });
  }
  for (std::size_t plane = 0; raw.hasChannels && plane < 3; ++plane)
  {
    options.further.push_back({ options.fixed, options.moving, plane });
  }
}

/** Each pair of images is compared in a stage, and there is no metric for another one. */
void
CheckPairs(const Options & options)
{
  std::size_t most = 0;
  for (const StageSpec & stage : options.spec.stages)
  {
    most = std::max(most, stage.metrics.size());
  }
  const std::size_t pairs = 1 + options.further.size();
  if (most > pairs)
  {
    throw ProgramError("--metric \"" + options.written.at("metric") + "\" is of " + std::to_string(most) +
                       " pairs of images, and there " + (pairs == 1 ? "is 1" : "are " + std::to_string(pairs)) +
                       "; --also-fixed and --also-moving name further ones");
  }
  if (most < pairs)
  {
    const FurtherFiles & left = options.further[most - 1];
    if (left.plane)
    {
      throw ProgramError(
        "--channels: red, green and blue are compared in no stage; name a metric for each pair of images "
        "after that of the luminance, as --metric cc,cc,cc,cc for syn or greedy");
    }
    throw ProgramError("--also-fixed \"" + left.fixed + "\" and --also-moving \"" + left.moving +
                       "\" are compared in no stage; name a metric for each pair of images, as --metric cc,cc for syn "
                       "or greedy");
  }
}

/** What a series is laid over, and what motion correction takes where nothing else is said. */
void
InterpretMotion(RawOptions & raw, Options & options)
{
  raw.motion = ToLower(raw.motion);
  if (raw.motion.empty())
  {
    if (options.moving.empty())
    {
      throw ProgramError("moving is required (a series that is laid over a volume of its own needs --motion)");
    }
    return;
  }
  if (!options.moving.empty())
  {
    throw ProgramError("--motion lays the volumes of a series over one of their own; \"" + options.moving +
                       "\" is one image too many");
  }
  options.moving = options.fixed;
  options.target = raw.motion == "mean" ? TargetKind::Mean : TargetKind::Volume;
  if (raw.motion != "mean" && raw.motion != "first")
  {
    const std::optional<double> number = ParseNumber(raw.motion);
    if (!number || !(*number >= 0.0 && *number <= 1e6) || *number != std::floor(*number))
    {
      throw ProgramError("--motion " + raw.motion + ": whole numbers from 0 to 1e+06 are allowed");
    }
    options.targetVolume = static_cast<std::size_t>(*number);
  }
  if (raw.preset.empty() && raw.stages.empty() && raw.spec.empty())
  {
    raw.stages = { "rigid" };
    const auto setDefault = [&raw](const char * name, const char * word) {
      std::vector<std::string> & words = raw.stageOptions[name];
      words = words.empty() ? std::vector<std::string>{ word } : words;
    };
    setDefault("metric", "correlation"); // the volumes are alike
    if (raw.stageOptions["iterations"].empty() && raw.stageOptions["shrink"].empty() &&
        raw.stageOptions["sigmas"].empty())
    {
      setDefault("levels", "2"); // and lie nearly over each other
    }
  }
  if (raw.initialization.empty() && raw.spec.empty())
  {
    raw.initialization = raw.initial.empty() ? "none" : "";
  }
}

/** Options that go together. */
void
CheckOutputs(const Options & options)
{
  const bool writes =
    !(options.output.empty() && options.warped.empty() && options.picture.empty() && options.report.empty() &&
      options.prefix.empty() && options.field.empty() && options.inverse.empty() && options.jacobian.empty() &&
      options.parameters.empty() && options.specOutput.empty());
  if (!writes && !options.evaluate && !options.explain)
  {
    throw ProgramError(
      "there is nothing to write: name --output, --output-prefix, --warped, --field, --picture or --report");
  }
  if (options.fixedLabels.empty() != options.movingLabels.empty())
  {
    throw ProgramError("--fixed-labels and --moving-labels belong together");
  }
  if (options.fixedLandmarks.empty() != options.movingLandmarks.empty())
  {
    throw ProgramError("--fixed-landmarks and --moving-landmarks belong together");
  }
  if (options.composite && options.prefix.empty())
  {
    throw ProgramError("--composite needs --output-prefix");
  }
  if (options.logJacobian && options.jacobian.empty())
  {
    throw ProgramError("--log-jacobian needs --jacobian");
  }
}

/** Options of --warped without it. */
void
CheckWarped(const Options & options)
{
  const bool asks = !options.reference.empty() || !options.grid.IsEmpty() || options.outputType;
  if (asks && options.warped.empty() && options.prefix.empty())
  {
    throw ProgramError(
      "--reference, --crop, --spacing, --size, --origin, --direction and --output-type are of --warped, "
      "which is missing");
  }
}

/** What stages and options have to do with each other. */
void
CheckStages(const RawOptions & raw, const Options & options)
{
  const auto & stages = options.spec.stages;
  const bool   isRigid = std::all_of(
    stages.begin(), stages.end(), [](const StageSpec & stage) { return stage.GetKind() == StageKind::Rigid; });
  if (!options.parameters.empty() && (!isRigid || !raw.initial.empty()))
  {
    throw ProgramError("--parameters has translations and rotations: it needs --stage rigid alone, and no "
                       "--initial-transform");
  }
  const auto radius = raw.stageOptions.find("radius");
  const bool hasLocal = std::any_of(stages.begin(), stages.end(), [](const StageSpec & stage) {
    return stage.HasMetricThat(itk::CudaSpline::HasWindows);
  });
  if (radius != raw.stageOptions.end() && !radius->second.empty() && !hasLocal)
  {
    throw ProgramError("--radius is for --metric cc and lncc");
  }
}

} // namespace

std::string
DescribeProblems(const itk::CudaSpline::SpecError & error, const std::map<std::string, std::string> & written)
{
  std::string text;
  for (const itk::CudaSpline::SpecProblem & problem : error.GetProblems())
  {
    const std::string option = OptionOf(problem.option);
    const auto        found = written.find(problem.option);
    std::string       value = found == written.end() ? problem.value : found->second;
    if (found == written.end() && value.size() > 1 && value.front() == '"')
    {
      value = value.substr(1, value.size() - 2);
    }
    const bool        isUnknown = !problem.names.empty() && problem.value.front() == '"';
    const bool        hasPlace = problem.text.find("{value}") != std::string::npos;
    const std::string one = isUnknown  ? DescribeUnknownName(option, value, problem.names)
                            : hasPlace ? option + " " + problem.Describe(value)
                                       : option + (value.empty() ? " " : " \"" + value + "\": ") + problem.text;
    if (text.find(one) == std::string::npos) // several stages may have the same
    {
      text += (text.empty() ? "" : "; ") + one;
    }
  }
  return text;
}

bool
IsBending(const StageSpec & stage)
{
  return stage.GetKind() >= StageKind::BSpline;
}

void
Interpret(RawOptions raw, Options & options)
{
  if (!raw.maxMemory.empty())
  {
    SetMaxMemory(raw.maxMemory);
  }
  InterpretMotion(raw, options);
  CheckOutputs(options);
  options.order = ValueOf<unsigned int>("--interpolation", raw.interpolation, { { "linear", 1 }, { "bspline", 3 } });
  const auto gradient = raw.stageOptions.find("gradient");
  if (gradient != raw.stageOptions.end() && options.order == 1 &&
      std::any_of(gradient->second.begin(), gradient->second.end(), [](const std::string & word) {
        return ToLower(word) == "analytic";
      }))
  {
    throw ProgramError("--gradient analytic needs --interpolation bspline");
  }
  InterpretPairs(raw, options);
  try
  {
    options.document = raw.spec.empty() ? MakeDocument(raw, options).dump() : ReadDocument(raw);
    options.spec = itk::CudaSpline::ReadSpec(options.document);
  }
  catch (const itk::CudaSpline::SpecError & error)
  {
    throw ProgramError((raw.spec.empty() ? "" : "--spec \"" + raw.spec + "\": ") +
                       DescribeProblems(error, options.written));
  }
  CheckPairs(options);
  CheckStages(raw, options);
  if (!raw.initial.empty())
  {
    if (!raw.initialization.empty() && ToLower(raw.initialization) != "none")
    {
      throw ProgramError("--initialize " + raw.initialization + " and --initial-transform exclude each other");
    }
    std::transform(raw.initial.begin(), raw.initial.end(), std::back_inserter(options.initial), ParseTransform);
    if (raw.hasAntsOrder)
    {
      std::reverse(options.initial.begin(), options.initial.end());
    }
    else if (LooksLikeAntsOrder(options.initial))
    {
      WarnOfAntsOrder();
    }
  }
  const std::optional<double> defaultValue = ParseNumber(raw.defaultValue);
  if (!defaultValue)
  {
    throw ProgramError("--default-value \"" + raw.defaultValue + "\" is no number");
  }
  options.defaultValue = *defaultValue;
  options.grid = ParseGridArguments(raw.grid);
  if (!raw.outputType.empty())
  {
    options.outputType = ParsePixelType("--output-type", raw.outputType);
  }
  CheckWarped(options);
  options.device = ParseDevice(raw.device, false);
}

} // namespace CudaSplineRegister
