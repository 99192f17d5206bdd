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
#include "cli/RawOptions.h"

#include "console/DeviceOption.h"
#include "console/Error.h"
#include "console/Names.h"
#include "console/Numbers.h"
#include "cli/OptionChecks.h"
#include "io/volume/PixelType.h"
#include "process/ReadingProcess.h"
#include "cli/RegistrationDocument.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace CudaSplineRegister
{

namespace
{

/** Returns the order of the B-spline of an interpolation. Names of NumPy and ANTs are accepted, too. */
unsigned int
ParseOrder(const std::string & word)
{
  static const std::map<std::string, unsigned int> orders{
    { "", 1 }, { "linear", 1 }, { "bspline", 3 }, { "bspline[3]", 3 }, { "cubic", 3 }
  };
  const auto found = orders.find(ToLower(word));
  if (found == orders.end())
  {
    throw ProgramError(DescribeUnknownName("--interpolation", word, { "bspline", "linear" }, { "cubic" }));
  }
  return found->second;
}

/** Reads the additional pairs of images. */
void
InterpretPairs(const RawOptions & raw, Options & options)
{
  if (raw.alsoFixed.size() != raw.alsoMoving.size())
  {
    throw ProgramError("--also-fixed is given " + std::to_string(raw.alsoFixed.size()) + " times and --also-moving " +
                       std::to_string(raw.alsoMoving.size()) + " times; the numbers must be equal");
  }
  if (!raw.alsoFixed.empty() && !raw.motion.empty())
  {
    throw ProgramError("--also-moving \"" + raw.alsoMoving.front() + "\" cannot be used with --motion");
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

/** Returns whether an option has a value for each level, and so defines their number. */
bool
HasValuesByLevel(const RawOptions & raw)
{
  const auto has = [&raw](const char * name, auto isByLevel) {
    const auto found = raw.stageOptions.find(name);
    return found != raw.stageOptions.end() && std::any_of(found->second.begin(), found->second.end(), isByLevel);
  };
  const auto isList = [](const std::string & word) { return word.find_first_of(",x") != std::string::npos; };
  const auto isAny = [](const std::string & word) { return ToLower(word) != "default"; };
  return has("iterations", isList) || has("iteration_limit", isList) || has("shrink", isAny) || has("sigmas", isAny);
}

/** Sets the reference of a series, and the defaults of motion correction. */
void
InterpretMotion(RawOptions & raw, Options & options)
{
  raw.motion = ToLower(raw.motion);
  if (raw.motion.empty())
  {
    if (options.moving.empty())
    {
      throw ProgramError("moving is required (to register a series to one of its own volumes, use --motion)");
    }
    return;
  }
  if (!options.moving.empty())
  {
    throw ProgramError("--motion registers a series to one of its own volumes and needs only one image; remove \"" +
                       options.moving + "\"");
  }
  options.moving = options.fixed;
  options.target = raw.motion == "mean" ? TargetKind::Mean : TargetKind::Volume;
  if (raw.motion != "mean" && raw.motion != "first")
  {
    const std::optional<double> number = ParseNumber(raw.motion);
    if (!number || !(*number >= 0.0 && *number <= 1e6) || *number != std::floor(*number))
    {
      throw ProgramError("--motion " + raw.motion +
                         " is not allowed; use first, mean, or the number of a volume from 0 to 1000000");
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
    setDefault("metric", "correlation"); // the volumes are similar
    if (!HasValuesByLevel(raw))
    {
      setDefault("levels", "2"); // and nearly aligned
    }
  }
  if (raw.initialization.empty() && raw.spec.empty())
  {
    raw.initialization = raw.initial.empty() ? "none" : "";
  }
}

} // namespace

std::string
JoinNames(const std::vector<std::string> & names)
{
  std::string text;
  for (std::size_t n = 0; n < names.size(); ++n)
  {
    text += (n == 0 ? "" : n + 1 == names.size() ? " and " : ", ") + names[n];
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
  const unsigned int order = ParseOrder(raw.interpolation);
  const auto         gradient = raw.stageOptions.find("gradient");
  if (gradient != raw.stageOptions.end() && order == 1 &&
      std::any_of(gradient->second.begin(), gradient->second.end(), [](const std::string & word) {
        return ToLower(word) == "analytic";
      }))
  {
    throw ProgramError("--gradient analytic needs --interpolation bspline");
  }
  InterpretPairs(raw, options);
  InterpretDocument(raw, order, options);
  CheckStages(raw, options);
  if (!raw.initial.empty())
  {
    if (!raw.initialization.empty() && ToLower(raw.initialization) != "none")
    {
      throw ProgramError("--initialize " + raw.initialization + " and --initial-transform cannot be used together");
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
    throw ProgramError("--default-value \"" + raw.defaultValue + "\" is not a number");
  }
  options.defaultValue = *defaultValue;
  options.grid = ParseGridArguments(raw.grid);
  if (!raw.outputType.empty())
  {
    options.outputType = ParsePixelType("--output-type", raw.outputType);
  }
  CheckWarped(options);
  options.device = ParseDevice(raw.device);
}

} // namespace CudaSplineRegister
