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

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

const std::vector<std::string> InitialNames{ "moments", "centre", "search", "none", "center" };

std::vector<std::string>
ListKinds()
{
  std::vector<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(StageKind::Discrete); ++kind)
  {
    names.emplace_back(NameOf(static_cast<StageKind>(kind)));
  }
  return names;
}

const std::vector<std::string> KindNames = ListKinds();

const StageOption *
FindOption(const std::string & name)
{
  const auto & all = AllStageOptions();
  const auto   found =
    std::find_if(all.begin(), all.end(), [&name](const StageOption & option) { return option.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/** Returns whether a value that is given for all stages is for a kind. */
bool
IsValueFor(const StageOption & option, const Json & value, StageKind kind)
{
  if (std::string(option.name) == "optimizer") // each model has its own optimizers
  {
    return option.IsFor(kind) && !IsOptimizerOfOthers(value, kind);
  }
  if (std::string(option.name) == "order" && kind >= StageKind::Syn) // fields support two of the orders
  {
    return option.IsFor(kind) && (value == 1 || value == 3);
  }
  return option.IsFor(kind);
}

/** Returns whether a value is an option of metrics that compare several pairs of images. */
bool
IsOfPairs(const StageOption & option, const Json & value)
{
  return std::string(option.name) == "metric" && value.is_array();
}

/** Returns for example "'syn' with the metric 'cc'". */
std::string
DescribeStage(const StageSpec & stage)
{
  std::string metrics;
  for (const MetricTerm & term : stage.metrics)
  {
    metrics += (metrics.empty() ? "'" : ", '") + std::string(WordOf(term.kind)) + "'";
  }
  return std::string("'") + NameOf(stage.GetKind()) + "' with the metric" + (stage.metrics.size() > 1 ? "s " : " ") +
         metrics;
}

/** Returns a member that is an object, or an empty object if it is not. */
Json
ObjectOf(const Json & document, const char * member)
{
  const Json value = document.value(member, Json());
  return value.is_object() ? value : Json::object();
}

/** Reads a document and collects its problems. */
class Reader
{
public:
  explicit Reader(const std::array<std::int64_t, 3> & size)
    : m_Size(size)
  {}

  RegistrationSpec
  Read(const std::string & text)
  {
    Json document;
    try
    {
      document = Json::parse(text);
    }
    catch (const Json::parse_error & error)
    {
      throw SpecError({ { "", -1, "", std::string("this is not JSON: ") + error.what(), {}, true } });
    }
    if (!document.is_object())
    {
      throw SpecError({ { "", -1, document.dump(), "{value}: a JSON object is needed", {}, true } });
    }
    this->CheckVersion(document);
    this->CheckMembers(document);
    this->ReadWhole(document);
    this->ReadStages(document);
    if (!m_Problems.empty())
    {
      throw SpecError(std::move(m_Problems));
    }
    m_Spec.warpedOrder = m_WarpedOrder.value_or(FindLastOrder(m_Spec.stages));
    return m_Spec;
  }

private:
  /** Returns whether a value is one of several names, in any case. */
  static bool
  IsAnyOf(const Json & value, const std::vector<std::string> & names)
  {
    std::string name = value.is_string() ? value.get<std::string>() : "";
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void
  Complain(const std::string & option, int stage, const Json & value, const ValueError & error)
  {
    m_Problems.push_back({ option, stage, value.dump(), error.what(), error.names, error.isType });
  }

  /** Calls a function that reads a value, and records its problem. */
  template <typename TRead>
  void
  Try(const std::string & option, int stage, const Json & value, const TRead & read)
  {
    try
    {
      read();
    }
    catch (const ValueError & error)
    {
      this->Complain(option, stage, value, error);
    }
  }

  void
  CheckVersion(const Json & document)
  {
    const Json version = document.value(VersionKey, Json());
    if (version != SpecVersion)
    {
      throw SpecError({ { VersionKey,
                          -1,
                          version.dump(),
                          "{value}: this library reads documents with \"" + std::string(VersionKey) +
                            "\": " + std::to_string(SpecVersion),
                          {},
                          false } });
    }
  }

  void
  CheckMembers(const Json & document)
  {
    static const std::vector<std::string> known{ VersionKey,  "preset",  "precision",     "initial",     "stages",
                                                 "winsorize", "options", "stage_options", "warped_order" };
    for (const auto & member : document.items())
    {
      if (std::find(known.begin(), known.end(), member.key()) == known.end())
      {
        this->Complain(member.key(), -1, member.value(), ValueError("a registration has no such option", true));
      }
    }
  }

  /** Reads options of the whole registration. */
  void
  ReadWhole(const Json & document)
  {
    const auto read = [&](const char * option, const auto & set) {
      const Json value = document.value(option, Json());
      if (!value.is_null())
      {
        this->Try(option, -1, value, [&] { set(value); });
      }
    };
    read("precision", [&](const Json & value) {
      m_Spec.precision = ReadName(value, PrecisionNames) % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64;
    });
    read("initial", [&](const Json & value) {
      const std::size_t choice = ReadName(value, InitialNames);
      m_Spec.initial = choice == 4 ? InitialAlignment::Centre : static_cast<InitialAlignment>(choice);
    });
    read("winsorize", [&](const Json & value) { m_Spec.winsorize = ReadQuantiles(value); });
    read("warped_order",
         [&](const Json & value) { m_WarpedOrder = static_cast<unsigned int>(ReadInteger(value, 1, 5)); });
  }

  /** Returns the order of the last stage that has one, or 1. */
  static unsigned int
  FindLastOrder(const std::vector<StageSpec> & stages)
  {
    const StageOption * const order = FindOption("order");
    const auto                found = std::find_if(
      stages.rbegin(), stages.rend(), [order](const StageSpec & stage) { return order->IsFor(stage.GetKind()); });
    return found == stages.rend() ? 1 : found->order;
  }

  static std::array<double, 2>
  ReadQuantiles(const Json & value)
  {
    const std::string allowed = "{value}: two quantiles from 0 to 1 are needed, the lower first";
    if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
    {
      throw ValueError(allowed, true);
    }
    const std::array<double, 2> quantiles{ { value[0].get<double>(), value[1].get<double>() } };
    if (!(quantiles[0] >= 0.0 && quantiles[0] < quantiles[1] && quantiles[1] <= 1.0))
    {
      throw ValueError(allowed);
    }
    return quantiles;
  }

  /** Returns the stages of the document, or of its preset. */
  Json
  ListStages(const Json & document, bool & isOfPreset)
  {
    const Json preset = document.value("preset", Json());
    const Json stages = document.value("stages", Json());
    isOfPreset = !preset.is_null();
    if (!isOfPreset)
    {
      return stages.is_null() ? Json::array({ "rigid", "affine" })
                              : (stages.is_string() || stages.is_object() ? Json::array({ stages }) : stages);
    }
    std::size_t choice = 0;
    try
    {
      if (IsAnyOf(preset, KindNames) && !IsAnyOf(preset, GetPresetNames()))
      {
        throw ValueError("{value} is not a preset but a stage; give it as stage");
      }
      choice = ReadName(preset, GetPresetNames());
    }
    catch (const ValueError & error)
    {
      this->Complain("preset", -1, preset, error);
      return Json::array();
    }
    if (!stages.is_null())
    {
      this->Complain("preset", -1, preset, ValueError("{value} contains stages; omit stages"));
      return Json::array();
    }
    Json chosen = Json::parse(GetPresets()[choice].second);
    if (document.value("winsorize", Json()).is_null() && chosen.contains("winsorize"))
    {
      m_Spec.winsorize = ReadQuantiles(chosen["winsorize"]);
    }
    const auto isGiven = [&document](const char * option) { return IsGiven(document, option); };
    const bool hasLevels = isGiven("iterations") || isGiven("shrink") || isGiven("sigmas") || isGiven("levels");
    if (isGiven("sampling") && !isGiven("fraction"))
    {
      DropFraction(chosen); // it belongs to the sampling of the preset
    }
    if (chosen.contains("large") && !hasLevels &&
        *std::max_element(m_Size.begin(), m_Size.end()) >= chosen["large"]["minimum_size"].get<std::int64_t>())
    {
      return chosen["large"]["stages"];
    }
    return chosen["stages"];
  }

  /** Returns whether a document has an option of stages, for all of them or for each. */
  static bool
  IsGiven(const Json & document, const char * option)
  {
    const auto isIn = [&](const char * member) { return !ObjectOf(document, member).value(option, Json()).is_null(); };
    return isIn("options") || isIn("stage_options");
  }

  static void
  DropFraction(Json & preset)
  {
    for (Json * const list : { &preset["stages"], preset.contains("large") ? &preset["large"]["stages"] : nullptr })
    {
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      {
        (*list)[i].erase("fraction");
      }
    }
  }

  /** Applies options of the document to one stage: those for all stages first, then those with a value for each stage.
   */
  void
  ApplyOptions(const Json & document, std::size_t number, std::size_t count, StageDraft & draft)
  {
    // In the order of the table: iterations replace limits of a preset, but not limits that are given with them.
    const Json forAll = ObjectOf(document, "options");
    const Json forEach = ObjectOf(document, "stage_options");
    for (const StageOption & option : AllStageOptions())
    {
      if (forAll.contains(option.name))
      {
        this->ApplyForAll(option, forAll[option.name], static_cast<int>(number), draft);
      }
      if (forEach.contains(option.name) && forEach[option.name].is_array() && forEach[option.name].size() == count)
      {
        this->ReadOwnOption(option.name, forEach[option.name][number], static_cast<int>(number), draft);
      }
    }
  }

  /** Reads a value that is given for all stages, if it is for this one. */
  void
  ApplyForAll(const StageOption & option, const Json & value, int number, StageDraft & draft)
  {
    const StageKind kind = draft.stage.GetKind();
    const bool      isOfOthers =
      IsOfPairs(option, value) && !ComparesPairs(kind) && std::any_of(m_Kinds.begin(), m_Kinds.end(), ComparesPairs);
    if (!value.is_null() && IsValueFor(option, value, kind) && !isOfOthers)
    {
      this->Try(option.name, number, value, [&] { option.read(value, draft); });
    }
  }

  /** Returns the kind of an entry of the list of stages. */
  std::optional<StageKind>
  ReadKind(const Json & entry, int number)
  {
    const Json name = entry.is_object() ? entry.value("kind", Json()) : entry;
    if (!name.is_string())
    {
      this->Complain(
        "stages", number, entry, ValueError("{value}: the name of a stage, or an object with a kind, is needed", true));
      return std::nullopt;
    }
    std::optional<StageKind> kind;
    this->Try("stages", number, name, [&] {
      if (IsAnyOf(name, GetPresetNames()) && !IsAnyOf(name, KindNames))
      {
        throw ValueError("{value} is not a stage but a preset, which has several stages; give it as preset");
      }
      kind = static_cast<StageKind>(ReadName(name, KindNames));
    });
    return kind;
  }

  /** Reads a value that is given for one stage. */
  void
  ReadOwnOption(const std::string & name, const Json & value, int number, StageDraft & draft)
  {
    const StageOption * const option = FindOption(name);
    if (value.is_null())
    {
      return;
    }
    if (option == nullptr)
    {
      this->Complain(name, number, value, ValueError("a stage has no such option", true));
    }
    else if (!option->IsFor(draft.stage.GetKind()))
    {
      this->Complain(
        name,
        number,
        value,
        ValueError(std::string("{value} cannot be used with a stage '") + NameOf(draft.stage.GetKind()) + "'"));
    }
    else
    {
      this->Try(name, number, value, [&] { option->read(value, draft); });
    }
  }

  void
  ReadOwnOptions(const Json & entry, int number, StageDraft & draft)
  {
    for (const auto & member : entry.items())
    {
      if (member.key() != "kind")
      {
        this->ReadOwnOption(member.key(), member.value(), number, draft);
      }
    }
  }

  /** Returns whether an option has a problem.
   *
   * \param[in] option name of the option
   * \param[in] number number of the stage; -1: any stage */
  bool
  HasProblem(const std::string & option, int number) const
  {
    return std::any_of(m_Problems.begin(), m_Problems.end(), [&](const SpecProblem & problem) {
      return problem.option == option && (number < 0 || problem.stage < 0 || problem.stage == number);
    });
  }

  /** Reports values of options that are for some of the stages, but used by none of them. */
  void
  CheckUse(const Json & options, int number, const std::vector<StageSpec> & stages)
  {
    for (const auto & [name, value] : options.items())
    {
      const StageOption * const option = FindOption(name);
      const auto                uses = [&](const StageSpec & stage) {
        return option->IsFor(stage.GetKind()) && option->use.IsIn(stage);
      };
      if (option == nullptr || value.is_null() || this->HasProblem(name, number) ||
          std::any_of(stages.begin(), stages.end(), uses))
      {
        continue;
      }
      std::string list;
      for (const StageSpec & stage : stages)
      {
        list += (list.empty() ? "" : " and ") + DescribeStage(stage);
      }
      const std::string subject = stages.size() == 1 ? "the stage " : "the stages ";
      this->Complain(name,
                     number,
                     value,
                     ValueError("{value} is not used by " + subject + list + "; it needs " + option->use.need()));
    }
  }

  /** Reports options that no stage uses, if they were given and are not from a preset.
   *
   * \param[in] read the stages; empty if the kind is not known */
  void
  CheckUses(const Json &                                  document,
            const Json &                                  stages,
            const std::vector<std::optional<StageSpec>> & read,
            bool                                          isOfPreset)
  {
    const auto isWrong = [this](const char * option) { return this->HasProblem(option, -1); };
    if (isWrong("metric") || isWrong("sampling") || isWrong("step")) // they determine which options are used
    {
      return;
    }
    const Json             forEach = ObjectOf(document, "stage_options");
    std::vector<StageSpec> known;
    for (std::size_t number = 0; number < stages.size(); ++number)
    {
      if (!read[number])
      {
        continue;
      }
      known.push_back(*read[number]);
      Json own = isOfPreset || !stages[number].is_object() ? Json::object() : stages[number];
      for (const auto & [name, values] : forEach.items())
      {
        own[name] = values.is_array() && values.size() == stages.size() ? values[number] : Json();
      }
      this->CheckUse(own, static_cast<int>(number), { *read[number] });
    }
    if (known.size() == stages.size())
    {
      this->CheckUse(ObjectOf(document, "options"), -1, known);
    }
  }

  void
  ReadStages(const Json & document)
  {
    bool       isOfPreset = false;
    const Json stages = this->ListStages(document, isOfPreset);
    if (!stages.is_array() || stages.empty())
    {
      if (!this->HasProblem("preset", -1))
      {
        this->Complain("stages", -1, stages, ValueError("{value}: a list of stages is needed", true));
      }
      this->CheckValues(document);
      return;
    }
    std::vector<std::optional<StageKind>> kinds;
    for (std::size_t number = 0; number < stages.size(); ++number)
    {
      kinds.push_back(this->ReadKind(stages[number], static_cast<int>(number)));
      if (kinds.back())
      {
        m_Kinds.push_back(*kinds.back());
      }
    }
    this->CheckOptions(document, stages.size());
    std::vector<std::optional<StageSpec>> read(stages.size());
    for (std::size_t number = 0; number < stages.size(); ++number)
    {
      if (!kinds[number])
      {
        continue;
      }
      const std::size_t before = m_Problems.size();
      StageDraft        draft;
      draft.stage = MakeStage(*kinds[number]);
      if (stages[number].is_object())
      {
        this->ReadOwnOptions(stages[number], static_cast<int>(number), draft);
      }
      this->ApplyOptions(document, number, stages.size(), draft);
      if (isOfPreset && draft.stage.HasMetricThat(HasWindows) && !IsGiven(document, "sampling"))
      {
        draft.stage.samples.choice = SampleChoice::All; // the sampling of the preset is for its own metric
        draft.fraction.reset();
      }
      read[number] = draft.stage;
      if (m_Problems.size() == before)
      {
        m_Spec.stages.push_back(FinishStage(draft, static_cast<int>(number), m_Problems));
      }
    }
    this->CheckUses(document, stages, read, isOfPreset);
  }

  /** Reads values for all stages if the stages are not known. Reports values that no kind of stage accepts. */
  void
  CheckValues(const Json & document)
  {
    this->CheckOptions(document, 0);
    const Json options = ObjectOf(document, "options");
    for (const StageOption & option : AllStageOptions())
    {
      if (options.contains(option.name) && !options[option.name].is_null())
      {
        this->Try(option.name, -1, options[option.name], [&] { ReadForAnyKind(option, options[option.name]); });
      }
    }
  }

  /** Reads a value like the first kind that accepts it.
   *
   * \exception ValueError no kind accepts it */
  static void
  ReadForAnyKind(const StageOption & option, const Json & value)
  {
    std::optional<ValueError> problem;
    for (std::size_t kind = 0; kind < KindNames.size(); ++kind)
    {
      StageDraft draft;
      draft.stage = MakeStage(static_cast<StageKind>(kind));
      try
      {
        if (option.IsFor(draft.stage.GetKind()))
        {
          option.read(value, draft);
          return;
        }
      }
      catch (const ValueError & error)
      {
        problem = problem ? problem : error;
      }
    }
    throw *problem;
  }

  /** Reports options that are not known, or are for none of the stages.
   *
   * \param[in] count number of stages; 0: it is not known */
  void
  CheckOptions(const Json & document, std::size_t count)
  {
    for (const char * const list : { "options", "stage_options" })
    {
      const Json options = document.value(list, Json());
      if (!options.is_object() && !options.is_null())
      {
        this->Complain(list, -1, options, ValueError("{value}: an object is needed", true));
        continue;
      }
      for (const auto & member : options.items())
      {
        this->CheckOption(member.key(), member.value(), std::string(list) == "stage_options", count);
      }
    }
  }

  void
  CheckOption(const std::string & name, const Json & value, bool isForEach, std::size_t count)
  {
    const StageOption * const option = FindOption(name);
    if (option == nullptr)
    {
      this->Complain(name, -1, value, ValueError("a registration has no such option", true));
      return;
    }
    if (value.is_null())
    {
      return;
    }
    if (isForEach && count > 0 && (!value.is_array() || value.size() != count))
    {
      this->Complain(name,
                     -1,
                     value,
                     ValueError("{value}: one value for each of the " + std::to_string(count) + " stages is needed"));
      return;
    }
    const bool isForAny = isForEach || std::any_of(m_Kinds.begin(), m_Kinds.end(), [&](StageKind kind) {
                            return IsValueFor(*option, value, kind);
                          });
    if (!isForAny && !m_Kinds.empty())
    {
      std::string list;
      for (std::size_t i = 0; i < m_Kinds.size(); ++i)
      {
        if (std::find(m_Kinds.begin(), m_Kinds.begin() + static_cast<std::ptrdiff_t>(i), m_Kinds[i]) ==
            m_Kinds.begin() + static_cast<std::ptrdiff_t>(i))
        {
          list += (list.empty() ? "" : ", ") + std::string(NameOf(m_Kinds[i]));
        }
      }
      this->Complain(
        name, -1, value, ValueError("{value} cannot be used with the stages of this registration, " + list));
    }
  }

  std::array<std::int64_t, 3> m_Size;
  RegistrationSpec            m_Spec;
  std::optional<unsigned int> m_WarpedOrder; ///< if it is given
  std::vector<StageKind>      m_Kinds;       ///< kinds of the known stages
  std::vector<SpecProblem>    m_Problems;
};

} // namespace

RegistrationSpec
ReadSpec(const std::string & document, const std::array<std::int64_t, 3> & size)
{
  return Reader(size).Read(document);
}

} // namespace itk::CudaSpline
