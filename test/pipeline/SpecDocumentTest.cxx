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

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Documents of registrations: defaults, presets, what is written is read again, and every problem is reported.
 */

namespace
{

using namespace itk::CudaSpline;
using Json = nlohmann::ordered_json;

constexpr StageKind allKinds[] = { StageKind::Translation, StageKind::Rigid,   StageKind::Similarity, StageKind::Affine,
                                   StageKind::BSpline,     StageKind::Syn,     StageKind::Greedy,     StageKind::Demons,
                                   StageKind::Tvf,         StageKind::Discrete };

Json
MakeDocument(const Json & stages)
{
  return { { "cudaspline_registration", 1 }, { "stages", stages } };
}

/** The problems of a document. */
std::vector<SpecProblem>
ProblemsOf(const Json & document)
{
  try
  {
    ReadSpec(document.dump());
    return {};
  }
  catch (const SpecError & error)
  {
    return error.GetProblems();
  }
}

TEST(SpecDocument, HasTheDefaultsOfEachKind)
{
  for (const StageKind kind : allKinds)
  {
    SCOPED_TRACE(NameOf(kind));
    const StageSpec stage = ReadSpec(MakeDocument({ NameOf(kind) }).dump()).stages.at(0);
    EXPECT_EQ(stage.GetKind(), kind);
    EXPECT_EQ(stage.IsOfFields(), kind >= StageKind::Syn);
    if (kind == StageKind::Discrete)
    {
      EXPECT_EQ(stage.metrics.front().kind, MetricKind::SelfSimilarity);
      ASSERT_EQ(stage.levels.size(), 1u);
      EXPECT_EQ(stage.levels.front().iterations, std::get<DiscreteModel>(stage.model).search.passes);
      continue;
    }
    ASSERT_EQ(stage.levels.size(), stage.IsOfFields() ? 4u : 3u);
    EXPECT_EQ(stage.levels.back().limit, stage.IsOfFields() ? 0u : 5u * stage.levels.back().iterations);
    EXPECT_EQ(stage.levels.back().shrink, 1u);
    EXPECT_EQ(stage.levels.back().iterations, stage.IsOfFields() ? 20u : kind == StageKind::BSpline ? 50u : 200u);
    EXPECT_EQ(stage.metrics.front().kind,
              kind == StageKind::Demons ? MetricKind::MeanSquares
              : kind >= StageKind::Syn  ? MetricKind::LocalCorrelation
                                        : MetricKind::Mattes);
  }
  const RegistrationSpec spec = ReadSpec(R"({ "cudaspline_registration": 1 })");
  ASSERT_EQ(spec.stages.size(), 2u);
  EXPECT_EQ(spec.stages[1].GetKind(), StageKind::Affine);
  EXPECT_EQ(spec.initial, InitialAlignment::Moments);
  EXPECT_EQ(spec.precision, ScalarType::Float32);
  EXPECT_FALSE(spec.winsorize);
}

/** A random value that is allowed for an option of a kind. */
Json
RandomValue(const std::string & name, StageKind kind, std::size_t levels, std::mt19937 & random)
{
  const auto integer = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  const auto real = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); };
  const auto list = [&](const auto & valueOf) {
    Json values = Json::array();
    for (std::size_t level = 0; level < levels; ++level)
    {
      values.push_back(valueOf());
    }
    return values;
  };
  if (name == "metric")
  {
    const char * const linear[] = { "mattes", "MeanSquares", "correlation" };
    const char * const ofFields[] = { "mattes", "LNCC", "NGF" };
    return kind == StageKind::Discrete ? Json("mind")
           : kind == StageKind::Demons ? Json("meansquares")
                                       : Json((kind < StageKind::Syn ? linear : ofFields)[integer(0, 2)]);
  }
  if (name == "iterations" && kind == StageKind::Discrete)
  {
    return Json::array({ integer(1, 20) });
  }
  if (name == "control_spacing" || name == "search_step" || name == "search_radius")
  {
    return name == "control_spacing" ? integer(8, 32) : name == "search_step" ? integer(1, 4) : integer(1, 16);
  }
  if (name == "time_points")
  {
    return integer(2, 16);
  }
  if (name == "symmetric" || name == "average_midpoint_gradients" || name == "smooth_under_masks" || name == "sliding")
  {
    return integer(0, 1) == 1;
  }
  if (name == "iterations" || name == "iteration_limit")
  {
    return list([&] { return integer(0, 1000); });
  }
  if (name == "shrink")
  {
    return list([&] { return integer(1, 16); });
  }
  if (name == "sigmas")
  {
    return list([&] { return real(0.0, 5.0); });
  }
  if (name == "restrict_deformation")
  {
    return Json::array({ real(0.0, 1.0), 0, 1 });
  }
  if (name == "sigmas_in_mm" || name == "step_in_voxels")
  {
    return integer(0, 1) == 1;
  }
  if (name == "levels")
  {
    return levels;
  }
  if (name == "optimizer")
  {
    return kind == StageKind::BSpline ? Json("lbfgs")
           : kind >= StageKind::Syn   ? Json("adam")
                                      : Json("conjugate-gradient");
  }
  if (name == "determinant_limit")
  {
    return real(1.5, 10.0);
  }
  if (name == "inversion")
  {
    return "anderson";
  }
  if (name == "sampling")
  {
    return "random";
  }
  if (name == "gradient")
  {
    return kind > StageKind::Syn ? "grid" : "filter";
  }
  if (name == "fraction")
  {
    return real(0.01, 1.0);
  }
  if (name == "radius" || name == "bins" || name == "seed" || name == "order")
  {
    return name == "bins"    ? integer(5, 160)
           : name == "order" ? (kind < StageKind::Syn ? integer(1, 5) : 3)
                             : integer(1, 100);
  }
  return real(1e-9, 10.0);
}

/** Whether a stage of a document with a metric and samples uses an option. */
bool
UsesOption(const std::string & name, const Json & stage)
{
  const std::string metric = stage["metric"];
  if (name == "fraction" || name == "seed")
  {
    return stage.contains("sampling");
  }
  return name == "step_in_voxels"   ? stage.contains("step")
         : name == "bins"           ? metric == "mattes"
         : name == "edge_factor"    ? metric == "NGF"
         : name == "variance_floor" ? metric == "LNCC"
         : name == "radius"         ? metric == "LNCC"
                                    : true;
}

/** Reading a written document gives the same values. */
TEST(SpecDocument, IsReadAsItWasWritten)
{
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial)
  {
    Json stages = Json::array();
    for (int number = 0; number < 3; ++number)
    {
      const StageKind   kind = allKinds[random() % std::size(allKinds)];
      const std::size_t levels = 1 + random() % 16;
      Json              stage{ { "kind", NameOf(kind) } };
      for (const StageOptionInfo & option : GetStageOptions())
      {
        const bool isFor = std::find(option.kinds.begin(), option.kinds.end(), kind) != option.kinds.end();
        const bool isMetric = std::string(option.name) == "metric";
        if (isFor && (isMetric || (UsesOption(option.name, stage) && random() % 2 == 0)))
        {
          stage[option.name] = RandomValue(option.name, kind, levels, random);
        }
      }
      stages.push_back(stage);
    }
    Json document = MakeDocument(stages);
    document["winsorize"] = { 0.01, 0.875 };
    document["initial"] = trial % 2 == 0 ? "search" : "Centre";
    document["precision"] = trial % 3 == 0 ? "float64" : "float32";
    const RegistrationSpec spec = ReadSpec(document.dump());
    const std::string      written = WriteSpec(spec);
    EXPECT_EQ(WriteSpec(ReadSpec(written)), written);
    // The document has the given values.
    const Json complete = Json::parse(written);
    for (std::size_t number = 0; number < stages.size(); ++number)
    {
      for (const auto & member : stages[number].items())
      {
        const Json & found = complete["stages"][number].value(member.key(), Json());
        const bool   isOfLevels = member.key() == "iterations" || member.key() == "iteration_limit";
        if (isOfLevels && member.value().size() == 1) // for all levels
        {
          EXPECT_EQ(found[0], member.value()[0]);
        }
        else if (member.key() != "levels" && !member.value().is_string())
        {
          EXPECT_EQ(found, member.value()) << member.key();
        }
      }
    }
  }
}

/** Numbers of iterations that are given are limits, unless a limit is given, too; in any order. */
TEST(SpecDocument, LimitsOfIterations)
{
  const auto limitOf = [](const Json & options) {
    Json document = MakeDocument({ "rigid" });
    document["options"] = options;
    return ReadSpec(document.dump()).stages.at(0).levels.front().limit;
  };
  EXPECT_EQ(limitOf({ { "iterations", 7 } }), 7u);
  EXPECT_EQ(limitOf({ { "iterations", 7 }, { "iteration_limit", 9 } }), 9u);
  EXPECT_EQ(limitOf({ { "iteration_limit", { 9, 8 } }, { "iterations", 7 } }), 9u);
  Json preset{ { "cudaspline_registration", 1 }, { "preset", "brain" } };
  EXPECT_EQ(ReadSpec(preset.dump()).stages.at(0).levels.front().limit, 100u);
}

/** Each option refuses values that are not allowed, with its name in the message, and kinds of stages without it. */
TEST(SpecDocument, EachOptionIsChecked)
{
  for (const StageOptionInfo & option : GetStageOptions())
  {
    SCOPED_TRACE(option.name);
    for (const StageKind kind : allKinds)
    {
      const bool isFor = std::find(option.kinds.begin(), option.kinds.end(), kind) != option.kinds.end();
      for (const Json & value : { Json(Json::object()), Json("no such value"), Json(-1), Json(Json::array()) })
      {
        if (isFor && std::string(option.name) == "convergence" && value == -1)
        {
          continue; // all iterations are made
        }
        const auto problems = ProblemsOf(MakeDocument({ { { "kind", NameOf(kind) }, { option.name, value } } }));
        ASSERT_EQ(problems.size(), 1u) << NameOf(kind) << ' ' << value;
        EXPECT_EQ(problems[0].option, option.name);
        EXPECT_EQ(problems[0].stage, 0);
        EXPECT_EQ(problems[0].Describe().find("{value}"), std::string::npos) << problems[0].Describe();
        EXPECT_EQ(problems[0].text.find("cannot be used with a stage") != std::string::npos, !isFor)
          << problems[0].text;
      }
    }
  }
}

TEST(SpecDocument, AllProblemsAreReported)
{
  const auto               problems = ProblemsOf({ { "cudaspline_registration", 1 },
                                                   { "precision", "half" },
                                                   { "colour", "red" },
                                                   { "options", { { "radius", 0 }, { "grid_spacing", 9 }, { "odrer", 3 } } },
                                                   { "stages",
                                                     { { { "kind", "rigid" }, { "step", 0 }, { "order", 9 } },
                                                       "elastic",
                                                       3,
                                                       { { "kind", "syn" }, { "iterations", { 1, 2 } }, { "shrink", { 1 } } } } } });
  std::vector<std::string> options;
  std::transform(
    problems.begin(), problems.end(), std::back_inserter(options), [](const SpecProblem & one) { return one.option; });
  for (const char * const name :
       { "precision", "colour", "radius", "grid_spacing", "odrer", "step", "order", "stages" })
  {
    EXPECT_NE(std::find(options.begin(), options.end(), name), options.end()) << name;
  }
  EXPECT_EQ(std::count(options.begin(), options.end(), "stages"), 2);
  // Each message has the allowed values.
  const auto textOf = [](const std::vector<SpecProblem> & found, const std::string & option) {
    const auto one = std::find_if(
      found.begin(), found.end(), [&option](const SpecProblem & problem) { return problem.option == option; });
    return one == found.end() ? std::string() : one->Describe();
  };
  EXPECT_NE(textOf(problems, "radius").find("0: whole numbers from 1 to 100"), std::string::npos);
  EXPECT_NE(textOf(problems, "order").find("9: whole numbers from 1 to 5"), std::string::npos);
  EXPECT_NE(textOf(problems, "step").find("0: numbers above 0"), std::string::npos);
  EXPECT_NE(textOf(problems, "precision").find("float32, float64"), std::string::npos);
  // If the stages are not known, a value is allowed if any kind accepts it.
  const auto ofPreset = ProblemsOf(
    { { "cudaspline_registration", 1 },
      { "preset", "best" },
      { "options", { { "bins", 161 }, { "metric", "correlation" }, { "learning_rate", 0 }, { "odrer", 3 } } } });
  EXPECT_EQ(ofPreset.size(), 4u);
  EXPECT_NE(textOf(ofPreset, "preset").find("abdomen, brain, fast, histology, lung, multimodal, standard, syn"),
            std::string::npos);
  EXPECT_NE(textOf(ofPreset, "bins").find("161: whole numbers from 5 to 160"), std::string::npos);
  EXPECT_NE(textOf(ofPreset, "learning_rate").find("0: numbers above 0"), std::string::npos);
  EXPECT_NE(textOf(ofPreset, "odrer").find("no such option"), std::string::npos);
  // Wrong types of several members, and an unused option next to a wrong value.
  const auto namesOf = [](const Json & document) {
    std::vector<std::string> names;
    for (const SpecProblem & problem : ProblemsOf(document))
    {
      names.push_back(problem.option);
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(namesOf({ { "cudaspline_registration", 1 }, { "options", 3 }, { "stages", 4 }, { "stage_options", "a" } }),
            (Names{ "options", "stage_options", "stages" }));
  Json rigid = MakeDocument({ "rigid" });
  rigid["options"] = { { "radius", 3 }, { "bins", 200 } };
  EXPECT_EQ(namesOf(rigid), (Names{ "bins", "radius" }));
  EXPECT_EQ(namesOf(MakeDocument({ { { "kind", "syn" }, { "bins", 20 }, { "learning_rate", 0 } }, "elastic" })),
            (Names{ "bins", "learning_rate", "stages" }));
  // With a wrong metric, options that depend on the metric are not checked.
  EXPECT_EQ(namesOf(MakeDocument({ { { "kind", "rigid" }, { "metric", "c" }, { "radius", 2 } } })),
            (Names{ "metric" }));
  for (const char * const text : { "", "[]", "3", "{", R"({ "cudaspline_registration": 2 })", "{}" })
  {
    EXPECT_THROW(ReadSpec(text), SpecError) << text;
  }
}

/** An option of a metric, of samples or of a step is refused where no stage to which it is given uses it. */
TEST(SpecDocument, RefusesOptionsWithoutUse)
{
  struct Need
  {
    const char * option;
    Json         value;
    Json         unused; ///< a stage that does not use it
    Json         used;
    const char * needed;
  };
  const Need needs[] = {
    { "radius", 2, { { "kind", "rigid" } }, { { "kind", "rigid" }, { "metric", "cc" } }, "the metric 'cc' or 'lncc'" },
    { "bins", 20, { { "kind", "syn" } }, { { "kind", "syn" }, { "metric", "mattes" } }, "the metric 'mattes'" },
    { "bins",
      20,
      { { "kind", "syn" }, { "metric", { "cc", "ngf" } } },
      { { "kind", "syn" }, { "metric", { "cc", "mattes" } } },
      "the metric 'mattes'" },
    { "variance_floor",
      0.1,
      { { "kind", "greedy" } },
      { { "kind", "greedy" }, { "metric", "lncc" } },
      "the metric 'lncc'" },
    { "edge_factor", 0.1, { { "kind", "affine" } }, { { "kind", "affine" }, { "metric", "ngf" } }, "the metric 'ngf'" },
    { "fraction",
      0.5,
      { { "kind", "bspline" } },
      { { "kind", "bspline" }, { "sampling", "random" } },
      "sampling 'regular' or 'random'" },
    { "seed", 3, { { "kind", "rigid" } }, { { "kind", "rigid" }, { "sampling", "regular" } }, "sampling 'regular'" },
    { "step_in_voxels", true, { { "kind", "rigid" } }, { { "kind", "rigid" }, { "step", 1 } }, "it needs step" },
  };
  for (const Need & need : needs)
  {
    SCOPED_TRACE(need.option);
    const auto check = [&](const Json & document, int stage) {
      const auto problems = ProblemsOf(document);
      ASSERT_EQ(problems.size(), 1u);
      const std::string text = problems[0].Describe();
      EXPECT_EQ(problems[0].option, need.option);
      EXPECT_EQ(problems[0].stage, stage);
      EXPECT_NE(text.find(need.value.dump() + " is not used by the stage '" + need.unused["kind"].get<std::string>()),
                std::string::npos)
        << text;
      EXPECT_NE(text.find(need.needed), std::string::npos) << text;
    };
    Json own = need.unused;
    own[need.option] = need.value;
    check(MakeDocument({ own }), 0);
    Json ofAll = MakeDocument({ need.unused });
    ofAll["options"][need.option] = need.value;
    check(ofAll, -1);
    Json ofEach = MakeDocument({ need.used, need.unused });
    ofEach["stage_options"][need.option] = { need.value, need.value };
    check(ofEach, 1);
    ofEach["stage_options"][need.option] = { need.value, nullptr };
    EXPECT_TRUE(ProblemsOf(ofEach).empty());
    ofAll["stages"] = { need.unused, need.used }; // one that uses it is enough
    EXPECT_TRUE(ProblemsOf(ofAll).empty());
    // A complete document has no such options.
    const Json complete = Json::parse(WriteSpec(ReadSpec(MakeDocument({ need.unused }).dump())));
    EXPECT_FALSE(complete["stages"][0].contains(need.option));
  }
}

/** Presets have options of their own metrics, which another metric does not use. */
TEST(SpecDocument, OptionsOfPresetsAreNotRefused)
{
  for (const std::string & preset : GetPresetNames())
  {
    for (const char * const metric : { "mattes", "meansquares", "cc", "ngf" })
    {
      Json document{ { "cudaspline_registration", 1 }, { "preset", preset } };
      if (preset != "lung") // its first stage has one metric
      {
        document["options"]["metric"] = metric;
      }
      EXPECT_TRUE(ProblemsOf(document).empty()) << preset << ' ' << metric;
    }
  }
  Json document{ { "cudaspline_registration", 1 }, { "preset", "brain" } };
  document["options"] = { { "metric", "mattes" }, { "radius", 3 } };
  const auto problems = ProblemsOf(document);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(
    problems[0].Describe().find(
      "radius: 3 is not used by the stages 'affine' with the metric 'mattes' and 'syn' with the metric 'mattes'"),
    std::string::npos)
    << problems[0].Describe();
}

/** A dense search has one level, and steps that are not longer than its control points are apart. */
TEST(SpecDocument, PassesAndStepsOfADenseSearch)
{
  const auto read = [](const Json & options) {
    Json stage{ { "kind", "discrete" } };
    stage.update(options);
    return MakeDocument({ stage });
  };
  const StageSpec stage = ReadSpec(read({ { "iterations", { 3 } }, { "symmetric", false } }).dump()).stages.at(0);
  EXPECT_EQ(stage.levels.front().iterations, 3u);
  EXPECT_EQ(std::get<DiscreteModel>(stage.model).search.passes, 3u);
  EXPECT_FALSE(std::get<DiscreteModel>(stage.model).search.isSymmetric);
  EXPECT_EQ(ProblemsOf(read({ { "iterations", { 3, 2 } } })).at(0).option, "iterations");
  EXPECT_EQ(ProblemsOf(read({ { "iterations", 0 } })).at(0).option, "iterations");
  EXPECT_EQ(ProblemsOf(read({ { "search_step", 5 } })).at(0).option, "search_step");
  EXPECT_TRUE(ProblemsOf(read({ { "search_step", 5 }, { "control_spacing", 5 } })).empty());
  EXPECT_EQ(ProblemsOf(read({ { "metric", "cc" } })).at(0).option, "metric");
}

/** Values for all stages go to those that have the option; values for each stage to that one. */
TEST(SpecDocument, OptionsOfAllAndOfEachStage)
{
  const RegistrationSpec spec =
    ReadSpec(Json({ { "cudaspline_registration", 1 },
                    { "stages", { "affine", "bspline", "syn" } },
                    { "options", { { "learning_rate", 0.25 }, { "optimizer", "gradient-descent" } } },
                    { "stage_options", { { "iterations", { { 7 }, { 8 }, { 9, 3 } } } } } })
               .dump());
  EXPECT_EQ(std::get<LinearModel>(spec.stages[0].model).optimizer, LinearDescent::GradientDescent);
  EXPECT_EQ(std::get<FieldModel>(spec.stages[2].model).learningRate, 0.25);
  EXPECT_EQ(spec.stages[0].levels.front().iterations, 7u);
  EXPECT_EQ(spec.stages[1].levels.back().iterations, 8u);
  ASSERT_EQ(spec.stages[2].levels.size(), 2u);
  EXPECT_EQ(spec.stages[2].levels.back().iterations, 3u);
  EXPECT_EQ(ProblemsOf({ { "cudaspline_registration", 1 }, { "stage_options", { { "bins", { 9 } } } } }).at(0).option,
            "bins");
}

/** An optimizer for all stages goes to those that have it; a name that none has is a problem of each. */
TEST(SpecDocument, OptimizersOfEachModel)
{
  const auto document = [](const char * optimizer) {
    return Json({ { "cudaspline_registration", 1 },
                  { "stages", { "affine", "bspline", "syn", "greedy" } },
                  { "options", { { "optimizer", optimizer } } } });
  };
  const RegistrationSpec spec = ReadSpec(document("Momentum").dump());
  EXPECT_EQ(std::get<LinearModel>(spec.stages[0].model).optimizer, LinearDescent::RegularStep);
  EXPECT_EQ(std::get<FieldModel>(spec.stages[2].model).optimizer, FieldOptimizer::Momentum);
  EXPECT_EQ(std::get<FieldModel>(spec.stages[3].model).optimizer, FieldOptimizer::Momentum);
  const RegistrationSpec spline = ReadSpec(document("lbfgs").dump());
  EXPECT_EQ(std::get<FieldModel>(spline.stages[2].model).optimizer, FieldOptimizer::FixedStep);
  EXPECT_EQ(ProblemsOf(document("newton")).at(0).option, "optimizer");
  EXPECT_EQ(
    ProblemsOf({ { "cudaspline_registration", 1 },
                 { "stages", { { { "kind", "syn" }, { "optimizer", "lbfgs" }, { "determinant_limit", 1 } } } } })
      .size(),
    2u);
}

/** A complete document has all options that its stages use: null for defaults that depend on the images. */
TEST(SpecDocument, CompleteDocumentsHaveAllOptions)
{
  for (const StageKind kind : allKinds)
  {
    SCOPED_TRACE(NameOf(kind));
    const RegistrationSpec spec = ReadSpec(MakeDocument({ NameOf(kind) }).dump());
    const Json             complete = Json::parse(WriteSpec(spec));
    const std::string      metric = complete["stages"][0]["metric"];
    for (const StageOptionInfo & option : GetStageOptions())
    {
      const std::string name = option.name;
      const bool        isFor = std::find(option.kinds.begin(), option.kinds.end(), kind) != option.kinds.end();
      const bool        isUsed = name == "radius" ? metric == "cc" : name == "bins" ? metric == "mattes" : true;
      const bool        needsOthers = name == "variance_floor" || name == "edge_factor" || name == "fraction" ||
                               name == "seed" || name == "step_in_voxels" || name == "levels";
      EXPECT_EQ(complete["stages"][0].contains(name), isFor && isUsed && !needsOthers) << name;
    }
    EXPECT_EQ(complete["warped_order"], 1);
  }
  const Json spline = Json::parse(WriteSpec(ReadSpec(MakeDocument({ "bspline" }).dump())))["stages"][0];
  EXPECT_TRUE(spline["grid_spacing"].is_null());
  EXPECT_TRUE(spline["step"].is_null());
}

/** Warped images have the order of the last stage that has one, unless it is given. */
TEST(SpecDocument, OrderOfWarpedImages)
{
  const auto orderOf = [](const Json & stages, const Json & given) {
    Json document = MakeDocument(stages);
    document["warped_order"] = given;
    const RegistrationSpec spec = ReadSpec(document.dump());
    EXPECT_EQ(ReadSpec(WriteSpec(spec)).warpedOrder, spec.warpedOrder);
    return spec.warpedOrder;
  };
  const Json cubic{ { "kind", "affine" }, { "order", 3 } };
  EXPECT_EQ(orderOf({ "rigid" }, nullptr), 1u);
  EXPECT_EQ(orderOf({ cubic }, nullptr), 3u);
  EXPECT_EQ(orderOf({ cubic, "demons" }, nullptr), 3u);
  EXPECT_EQ(orderOf({ cubic, "syn" }, nullptr), 1u);
  EXPECT_EQ(orderOf({ "demons" }, nullptr), 1u);
  EXPECT_EQ(orderOf({ cubic }, 1), 1u);
  EXPECT_EQ(orderOf({ "demons" }, 5), 5u);
  Json document = MakeDocument({ "rigid" });
  document["warped_order"] = 6;
  EXPECT_EQ(ProblemsOf(document).at(0).option, "warped_order");
}

TEST(SpecDocument, PresetsAndTheirLevelsOfLargeImages)
{
  EXPECT_EQ(
    GetPresetNames(),
    (std::vector<std::string>{ "brain", "fast", "syn", "multimodal", "lung", "abdomen", "histology", "standard" }));
  const auto standard = [](std::int64_t size, const Json & options) {
    const Json document{ { "cudaspline_registration", 1 }, { "preset", "standard" }, { "options", options } };
    return ReadSpec(document.dump(), { { size, 20, 20 } });
  };
  const RegistrationSpec small = standard(256, Json::object());
  ASSERT_EQ(small.stages.size(), 3u);
  EXPECT_EQ(small.winsorize, (std::array<double, 2>{ { 0.005, 0.995 } }));
  EXPECT_EQ(small.stages[0].samples.fraction, 0.25);
  EXPECT_EQ(small.stages[2].levels.front().shrink, 8u);
  EXPECT_EQ(standard(257, Json::object()).stages[2].levels.front().shrink, 10u);
  EXPECT_EQ(standard(257, { { "iterations", 5 } }).stages[2].levels.front().shrink, 8u);
  // A fraction belongs to the preset's sampling; another metric may be chosen.
  const RegistrationSpec none = standard(100, { { "sampling", "none" }, { "metric", "mattes" } });
  EXPECT_EQ(none.stages[0].samples.choice, SampleChoice::All);
  EXPECT_EQ(none.stages[2].metrics.front().kind, MetricKind::Mattes);
  // Local correlation compares all samples, whatever the preset's own metric does.
  const RegistrationSpec local = standard(100, { { "metric", "cc" } });
  EXPECT_EQ(local.stages[0].samples.choice, SampleChoice::All);
  EXPECT_THROW(standard(100, { { "metric", "cc" }, { "sampling", "regular" } }), SpecError);
}

TEST(SpecDocument, FitsItsImages)
{
  FieldGrid fixed;
  fixed.dimension = 2;
  fixed.size = { { 100, 80, 1 } };
  const auto problemOf = [&fixed](const Json & stage, std::size_t pairs) -> std::string {
    try
    {
      CheckSpec(ReadSpec(MakeDocument({ stage }).dump()), fixed, pairs);
      return "";
    }
    catch (const SpecError & error)
    {
      return error.GetProblems().front().option;
    }
  };
  EXPECT_EQ(problemOf("bspline", 1), "");
  EXPECT_EQ(problemOf({ { "kind", "bspline" }, { "grid_spacing", { 9, 9, 9 } } }, 1), "grid_spacing");
  EXPECT_EQ(problemOf({ { "kind", "bspline" }, { "grid_spacing", 1e-9 } }, 1), "grid_spacing");
  EXPECT_EQ(problemOf({ { "kind", "syn" }, { "metric", { "cc", "mattes" } } }, 1), "metric");
  EXPECT_EQ(problemOf({ { "kind", "syn" }, { "metric", { "cc", "mattes" } } }, 2), "");
  EXPECT_EQ(problemOf("syn", 2), "also");
}

} // namespace
