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
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include "pipeline/DocumentNames.h"
#include "pipeline/Presets.h"
#include "pipeline/StageOptions.h"

#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** Returns the members of an object, one per line. */
std::string
WriteMembers(const Json & object, const std::string & indent)
{
  std::string text;
  for (const auto & member : object.items())
  {
    text += (text.empty() ? "" : ",\n") + indent + Json(member.key()).dump() + ": " + member.value().dump();
  }
  return text;
}

std::string
DescribeAll(const std::vector<SpecProblem> & problems)
{
  std::string text;
  for (const SpecProblem & problem : problems)
  {
    text += (text.empty() ? "" : "\n") + problem.Describe() + '.';
  }
  return text;
}

} // namespace

std::string
SpecProblem::Describe(const std::string & written) const
{
  const std::string place = "{value}";
  std::string       whole = text;
  if (const std::size_t at = whole.find(place); at != std::string::npos)
  {
    whole.replace(at, place.size(), written);
  }
  return whole;
}

std::string
SpecProblem::Describe() const
{
  std::string where = stage < 0 ? "" : "stages[" + std::to_string(stage) + "].";
  where = option == "stages" && stage >= 0 ? "stages[" + std::to_string(stage) + "]" : where + option;
  return where + (where.empty() ? "" : ": ") + this->Describe(value);
}

SpecError::SpecError(std::vector<SpecProblem> problems)
  : std::invalid_argument(DescribeAll(problems))
  , m_Problems(std::move(problems))
{}

std::string
WriteSpec(const RegistrationSpec & spec)
{
  Json document;
  document[VersionKey] = SpecVersion;
  document["precision"] = PrecisionNames[spec.precision == ScalarType::Float32 ? 0 : 1];
  document["initial"] = NameOf(spec.initial);
  document["winsorize"] = spec.winsorize ? Json(*spec.winsorize) : Json();
  document["warped_order"] = spec.warpedOrder;
  std::string text = "{\n" + WriteMembers(document, "  ") + ",\n  \"stages\": [";
  for (const StageSpec & stage : spec.stages)
  {
    Json of;
    of["kind"] = NameOf(stage.GetKind());
    for (const StageOption & option : AllStageOptions())
    {
      if (option.write != nullptr && option.IsFor(stage.GetKind()) && option.use.IsIn(stage))
      {
        of[option.name] = option.write(stage);
      }
    }
    text +=
      std::string(&stage == &spec.stages.front() ? "" : ",") + "\n    {\n" + WriteMembers(of, "      ") + "\n    }";
  }
  return text + "\n  ]\n}";
}

const std::vector<StageOptionInfo> &
GetStageOptions()
{
  static const std::vector<StageOptionInfo> options = [] {
    std::vector<StageOptionInfo> made;
    for (const StageOption & option : AllStageOptions())
    {
      StageOptionInfo info{ option.name, {}, option.isList };
      for (int kind = 0; kind <= static_cast<int>(StageKind::Discrete); ++kind)
      {
        if (option.IsFor(static_cast<StageKind>(kind)))
        {
          info.kinds.push_back(static_cast<StageKind>(kind));
        }
      }
      made.push_back(info);
    }
    return made;
  }();
  return options;
}

std::vector<std::string>
GetPresetNames()
{
  std::vector<std::string> names;
  for (const auto & preset : GetPresets())
  {
    names.push_back(preset.first);
  }
  return names;
}

} // namespace itk::CudaSpline
