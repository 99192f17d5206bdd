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
#include "cli/RegistrationDocument.h"

#include "console/Error.h"
#include "console/Names.h"
#include "console/Numbers.h"

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

using Json = nlohmann::ordered_json;

/** Converts "learning_rate" to "--learning-rate". */
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

/** Converts a number to JSON: whole numbers to integers. */
Json
NumberAsJson(double number)
{
  constexpr double most = 9007199254740992.0; // 2^53
  return number == std::floor(number) && std::abs(number) <= most ? Json(static_cast<std::int64_t>(number))
                                                                  : Json(number);
}

/** Converts a number to JSON. Other text is kept, so that the check of the document reports it. */
Json
NumberOrText(const std::string & word)
{
  const std::optional<double> number = ParseNumber(word);
  return number && std::isfinite(*number) ? NumberAsJson(*number) : Json(word);
}

/** Converts "4,2,1" or "4x2x1" to a list. */
Json
NumbersAsJson(const std::string & text)
{
  Json list = Json::array();
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t end = std::min(text.find_first_of(",x", begin), text.size());
    list.push_back(NumberOrText(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return list;
}

/** Converts "cc" or "cc:0.7,mattes:0.3" to a value of documents. */
Json
MetricsAsJson(const std::string & text)
{
  Json               list = Json::array();
  std::istringstream entries(text + ","); // also counts an empty entry at the end
  for (std::string entry; std::getline(entries, entry, ',');)
  {
    const std::size_t colon = entry.find(':');
    list.push_back(colon == std::string::npos
                     ? Json(entry)
                     : Json::array({ entry.substr(0, colon), NumberOrText(entry.substr(colon + 1)) }));
  }
  return list.size() == 1 && list[0].is_string() ? list[0] : list;
}

bool
IsList(const std::string & name)
{
  const auto & options = itk::CudaSpline::GetStageOptions();
  return std::any_of(options.begin(), options.end(), [&name](const itk::CudaSpline::StageOptionInfo & option) {
    return option.isList && option.name == name;
  });
}

/** Returns whether a value selects the default of a stage, while other stages have values. */
bool
IsDefault(const std::string & word)
{
  return ToLower(word) == "default";
}

/** Converts the value of an option of stages to a value of documents. */
Json
ValueAsJson(const std::string & name, const std::string & word)
{
  if (IsDefault(word))
  {
    return nullptr;
  }
  if (name == "metric")
  {
    return MetricsAsJson(word);
  }
  if (IsList(name))
  {
    return NumbersAsJson(word);
  }
  if (ToLower(word) == "true" || ToLower(word) == "false")
  {
    return ToLower(word) == "true";
  }
  return NumberOrText(word);
}

/** Reads the stages of a document without options. Empty if it has problems, which are reported with those of options.
 */
std::vector<StageSpec>
ReadStages(const Json & bare)
{
  try
  {
    return itk::CudaSpline::ReadSpec(bare.dump()).stages;
  }
  catch (const itk::CudaSpline::SpecError &)
  {
    return {};
  }
}

/** Adds the options of stages to a document. */
void
AddOptions(const RawOptions &                   raw,
           const std::vector<StageSpec> &       stages,
           Json &                               document,
           std::map<std::string, std::string> & written)
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
    const std::size_t count = stages.empty() ? raw.stages.size() : stages.size(); // 0: an unknown preset
    if (count != 0 && words.size() != count)
    {
      throw ProgramError(OptionOf(name) + " is given " + std::to_string(words.size()) +
                         " times; it must be given once, or once per stage (" + std::to_string(count) + ")");
    }
    Json values = Json::array();
    for (const std::string & word : words)
    {
      values.push_back(valueOf(word));
    }
    document["stage_options"][name] = values;
  };
  for (const auto & [name, words] : raw.stageOptions)
  {
    if (words.empty())
    {
      continue;
    }
    if (name == "sigmas")
    {
      const auto endsWith = [](const std::string & word, const std::string & unit) {
        return word.size() > unit.size() && word.compare(word.size() - unit.size(), unit.size(), unit) == 0;
      };
      const auto               isInMm = [&](const std::string & word) { return endsWith(word, "mm"); };
      std::vector<std::string> numbers;
      for (const std::string & word : words)
      {
        const std::size_t unit = isInMm(word) ? 2 : endsWith(word, "vox") ? 3 : 0;
        numbers.push_back(word.substr(0, word.size() - unit));
      }
      set(name, numbers, [](const std::string & word) { return ValueAsJson("sigmas", word); });
      set(
        "sigmas_in_mm", words, [&](const std::string & word) { return IsDefault(word) ? Json() : Json(isInMm(word)); });
      continue;
    }
    set(name, words, [&, option = name](const std::string & word) { return ValueAsJson(option, word); });
  }
}

/** Makes the document of the command line. */
Json
MakeDocument(const RawOptions & raw, unsigned int order, Options & options)
{
  Json document;
  document["cudaspline_registration"] = itk::CudaSpline::SpecVersion;
  const auto say = [&](const char * name, const std::string & word) {
    if (!word.empty())
    {
      document[name] = word;
      options.written[name] = word;
    }
  };
  say("preset", raw.preset);
  say("precision", raw.precision);
  if (!raw.stages.empty())
  {
    document["stages"] = raw.stages;
  }
  say("initial", raw.initialization);
  if (!raw.winsorize.empty())
  {
    document["winsorize"] = NumbersAsJson(raw.winsorize);
    options.written["winsorize"] = raw.winsorize;
  }
  options.spec.stages = ReadStages(document);
  const std::vector<StageSpec> & stages = options.spec.stages;
  AddOptions(raw, stages, document, options.written);
  const auto interpolates = [](const StageSpec & stage) {
    return stage.GetKind() != StageKind::Demons && stage.GetKind() != StageKind::Discrete;
  };
  if (order > 1)
  {
    document["warped_order"] = order;
    if (std::any_of(stages.begin(), stages.end(), interpolates))
    {
      document["options"]["order"] = order;
    }
  }
  return document;
}

/** Reads the document of a file. Other options that a document contains are then not allowed. */
std::string
ReadDocument(const RawOptions & raw)
{
  std::vector<std::string> given;
  for (const auto & [name, isGiven] : { std::pair("--stage", !raw.stages.empty()),
                                        std::pair("--preset", !raw.preset.empty()),
                                        std::pair("--winsorize", !raw.winsorize.empty()),
                                        std::pair("--precision", !raw.precision.empty()),
                                        std::pair("--initialize", !raw.initialization.empty()),
                                        std::pair("--interpolation", !raw.interpolation.empty()) })
  {
    given.insert(given.end(), isGiven ? 1 : 0, name);
  }
  for (const auto & [name, words] : raw.stageOptions)
  {
    given.insert(given.end(), words.empty() ? 0 : 1, OptionOf(name));
  }
  if (!given.empty())
  {
    throw ProgramError(JoinNames(given) + " cannot be used together with --spec \"" + raw.spec +
                       "\", which contains the values of these options");
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

/** Returns whether an option is for a stage. */
bool
IsFor(const StageSpec & stage, const std::string & name)
{
  const auto & options = itk::CudaSpline::GetStageOptions();
  return std::any_of(options.begin(), options.end(), [&](const itk::CudaSpline::StageOptionInfo & option) {
    return option.name == name &&
           std::find(option.kinds.begin(), option.kinds.end(), stage.GetKind()) != option.kinds.end();
  });
}

/** Returns the form of an option that applies only to the stages that allow its value. Empty if no stage allows it. */
std::string
DescribeFormForSomeStages(const itk::CudaSpline::SpecError & error,
                          const std::string &                name,
                          const std::string &                value,
                          const std::vector<StageSpec> &     stages)
{
  std::string form;
  bool        helps = false;
  for (std::size_t number = 0; number < stages.size(); ++number)
  {
    const auto & problems = error.GetProblems();
    const bool   isWrong = std::any_of(problems.begin(), problems.end(), [&](const itk::CudaSpline::SpecProblem & one) {
      return one.option == name && (one.stage < 0 || one.stage == static_cast<int>(number));
    });
    const bool   isAllowed = !isWrong && IsFor(stages[number], name);
    helps = helps || isAllowed;
    form += " " + OptionOf(name) + " " + (isAllowed ? value : "default");
  }
  return helps && value.find(' ') == std::string::npos ? form : "";
}

/** Describes a problem of the command line.
 *
 * \param[in] problem the problem
 * \param[in] value as the user wrote it
 * \param[in] options the options */
std::string
DescribeProblem(const itk::CudaSpline::SpecProblem & problem, const std::string & value, const Options & options)
{
  if (problem.option == "also")
  {
    const AdditionalFiles & pair = options.further.at(std::stoul(problem.value) - 1);
    return pair.plane
             ? "--channels: no stage compares red, green and blue; give a stage 'syn', 'greedy' or 'tvf' metrics of "
               "the "
               "luminance and of each colour"
             : "--also-fixed \"" + pair.fixed + "\" and --also-moving \"" + pair.moving + "\": " + problem.text;
  }
  const std::string option = OptionOf(problem.option);
  const bool        isUnknown = !problem.names.empty() && problem.value.front() == '"';
  const bool        hasPlace = problem.text.find("{value}") != std::string::npos;
  return isUnknown  ? DescribeUnknownName(option, value, problem.names)
         : hasPlace ? option + " " + problem.Describe(value)
                    : option + (value.empty() ? "" : " \"" + value + "\"") + ": " + problem.text;
}

/** Returns a hint for a problem with pairs of images. Empty for other problems. */
std::string
DescribeHelp(const itk::CudaSpline::SpecProblem & problem, const Options & options)
{
  if (problem.option == "metric" && problem.stage < 0 && problem.value.empty())
  {
    return "; --also-fixed and --also-moving name additional pairs";
  }
  if (problem.option != "also")
  {
    return "";
  }
  std::string metrics = "cc";
  for (std::size_t pair = 0; pair < options.further.size(); ++pair)
  {
    metrics += ",cc";
  }
  return ", for example --stage syn --metric " + metrics;
}

} // namespace

std::string
DescribeProblems(const itk::CudaSpline::SpecError & error, const Options & options)
{
  const auto & written = options.written;
  std::string  text;
  std::string  forms; // for options that only some of the stages allow
  for (const itk::CudaSpline::SpecProblem & problem : error.GetProblems())
  {
    const auto  found = written.find(problem.option);
    std::string value = found == written.end() ? problem.value : found->second;
    if (found == written.end() && value.size() > 1 && value.front() == '"')
    {
      value = value.substr(1, value.size() - 2);
    }
    const std::string one = (options.specFile.empty() ? DescribeProblem(problem, value, options) : problem.Describe()) +
                            DescribeHelp(problem, options);
    if (text.find(one) == std::string::npos) // several stages may have the same problem
    {
      text += (text.empty() ? "" : "; ") + one;
    }
    const std::string form =
      found == written.end() ? "" : DescribeFormForSomeStages(error, problem.option, value, options.spec.stages);
    forms += forms.find(form) == std::string::npos ? "; to use it only in the stages that allow it:" + form : "";
  }
  return (options.specFile.empty() ? "" : "--spec \"" + options.specFile + "\": ") + text + forms;
}

void
InterpretDocument(const RawOptions & raw, unsigned int order, Options & options)
{
  options.specFile = raw.spec;
  try
  {
    options.document = raw.spec.empty() ? MakeDocument(raw, order, options).dump() : ReadDocument(raw);
    options.spec = itk::CudaSpline::ReadSpec(options.document);
  }
  catch (const itk::CudaSpline::SpecError & error)
  {
    throw ProgramError(DescribeProblems(error, options));
  }
}

void
FitDocument(const itk::CudaSpline::FieldGrid & fixed, Options & options)
{
  options.spec = itk::CudaSpline::ReadSpec(options.document, fixed.size);
}

void
CheckDocument(const itk::CudaSpline::FieldGrid & fixed, const Options & options)
{
  try
  {
    itk::CudaSpline::CheckSpec(options.spec, fixed, 1 + options.further.size());
  }
  catch (const itk::CudaSpline::SpecError & error)
  {
    throw ProgramError(DescribeProblems(error, options));
  }
}

} // namespace CudaSplineRegister
