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
#include "pipeline/StageOptions.h"

#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>

namespace itk::CudaSpline
{

namespace
{

constexpr std::size_t MaxLevels = 16;

constexpr unsigned int
Bit(StageKind kind)
{
  return 1U << static_cast<unsigned int>(kind);
}

constexpr unsigned int Linear =
  Bit(StageKind::Translation) | Bit(StageKind::Rigid) | Bit(StageKind::Similarity) | Bit(StageKind::Affine);
constexpr unsigned int Spline = Bit(StageKind::BSpline);
constexpr unsigned int Greedy = Bit(StageKind::Greedy);
constexpr unsigned int Velocity = Bit(StageKind::Tvf);
constexpr unsigned int Pairs =
  Bit(StageKind::Syn) | Bit(StageKind::Greedy) | Velocity; // can compare several pairs of images
constexpr unsigned int Fields = Pairs | Bit(StageKind::Demons);
constexpr unsigned int Discrete = Bit(StageKind::Discrete);
constexpr unsigned int WithLevels = Linear | Spline | Fields; // iterate from coarse to fine
constexpr unsigned int All = WithLevels | Discrete;

std::string
ToLower(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/** Reads one value for each level. */
template <typename TRead>
auto
ReadLevels(const Json & value, const TRead & read)
{
  std::vector<decltype(read(value))> values;
  if (!value.is_array())
  {
    throw ValueError("{value}: a list with one value for each level is needed", true);
  }
  for (const Json & one : value)
  {
    values.push_back(read(one));
  }
  if (values.empty() || values.size() > MaxLevels)
  {
    throw ValueError("{value}: 1 to " + std::to_string(MaxLevels) + " levels are allowed, not " +
                     std::to_string(values.size()));
  }
  return values;
}

/** Reads numbers of iterations: one for each level, or one for all. */
std::vector<unsigned int>
ReadIterations(const Json & value)
{
  return ReadLevels(value.is_array() ? value : Json::array({ value }),
                    [](const Json & one) { return static_cast<unsigned int>(ReadInteger(one, 0, 1000000)); });
}

bool
ReadFlag(const Json & value)
{
  if (!value.is_boolean())
  {
    throw ValueError("{value}: true and false are allowed", true);
  }
  return value.get<bool>();
}

double
ReadPositive(const Json & value)
{
  return ReadNumber(
    value, [](double number) { return number > 0.0; }, "numbers above 0");
}

double
ReadFromZero(const Json & value)
{
  return ReadNumber(
    value, [](double number) { return number >= 0.0; }, "numbers from 0");
}

double
ReadAny(const Json & value)
{
  return ReadNumber(
    value, [](double) { return true; }, "finite numbers");
}

/** Returns "'a' or 'b'", which SpecProblem texts use to list values. */
std::string
Join(const std::vector<std::string> & names)
{
  std::string text;
  for (const std::string & name : names)
  {
    text += (text.empty() ? "'" : " or '") + name + "'";
  }
  return text;
}

/** Returns the metrics of a kind of stages. Demons and dense searches have their default only. */
std::vector<std::string>
MetricsOf(StageKind kind)
{
  if (kind == StageKind::Demons || kind == StageKind::Discrete)
  {
    return { WordOf(MakeStage(kind).metrics.front().kind) };
  }
  return GetMetricNames(kind >= StageKind::Syn ? HasFieldForce : HasParameterDerivative);
}

MetricKind
ReadMetricName(const Json & value)
{
  static const std::vector<std::string> names = GetMetricNames();
  const auto found = value.is_string() ? FindMetricByWord(ToLower(value.get<std::string>())) : std::nullopt;
  return found && IsForStages(*found) ? *found : *FindMetricByWord(names[ReadName(value, names)]);
}

/** Reads an entry of a list. Problems name the entry.
 *
 * \param[in] name name of the entry */
template <typename TRead>
auto
ReadEntry(const Json & entry, const std::string & name, const TRead & read)
{
  try
  {
    return read(entry);
  }
  catch (const ValueError & error)
  {
    const std::string value = entry.is_string() ? "'" + entry.get<std::string>() + "'" : entry.dump();
    std::string       text = error.what();
    text.replace(0, std::string("{value}").size(), name + value);
    ValueError ofEntry(text, error.isType);
    ofEntry.names = error.names;
    throw ofEntry;
  }
}

void
ReadMetrics(const Json & value, StageDraft & draft)
{
  constexpr double        maxWeight = 1e6; // a fraction smaller than a millionth is below the precision of floats
  std::vector<MetricTerm> terms;
  const Json              entries = value.is_array() ? value : Json::array({ value });
  for (const Json & entry : entries)
  {
    MetricTerm term;
    const bool isPair = entry.is_array() && entry.size() == 2;
    term.kind = ReadEntry(isPair ? entry[0] : entry, "", ReadMetricName);
    if (isPair)
    {
      term.weight = ReadEntry(entry[1], "the weight ", [](const Json & weight) {
        return ReadNumber(
          weight, [](double number) { return number > 0.0 && number <= maxWeight; }, "numbers above 0 and up to 1e6");
      });
    }
    terms.push_back(term);
  }
  if (terms.empty())
  {
    throw ValueError("the list is empty; at least one metric is needed");
  }
  const StageKind                kind = draft.stage.GetKind();
  const std::vector<std::string> allowed = MetricsOf(kind);
  for (const MetricTerm & term : terms)
  {
    if (std::find(allowed.begin(), allowed.end(), WordOf(term.kind)) == allowed.end())
    {
      throw ValueError("'" + std::string(WordOf(term.kind)) + "' cannot be used with '" + NameOf(kind) +
                       "'; allowed are " + Join(allowed));
    }
  }
  if (terms.size() > 1 && !ComparesPairs(kind))
  {
    throw ValueError(std::string("{value} cannot be used with '") + NameOf(kind) +
                     "', which compares only the first pair of images; 'syn', 'greedy' and 'tvf' compare several");
  }
  draft.stage.metrics = terms;
}

Json
WriteMetrics(const StageSpec & stage)
{
  if (stage.metrics.size() == 1)
  {
    return WordOf(stage.metrics.front().kind);
  }
  Json list = Json::array();
  for (const MetricTerm & term : stage.metrics)
  {
    list.push_back(Json::array({ WordOf(term.kind), term.weight }));
  }
  return list;
}

/** Returns the values of all levels. */
template <typename TValueOf>
Json
WriteLevels(const StageSpec & stage, const TValueOf & valueOf)
{
  Json list = Json::array();
  for (const PyramidLevel & level : stage.levels)
  {
    list.push_back(valueOf(level));
  }
  return list;
}

const std::vector<std::string> LinearOptimizers{ "regular-step", "gradient-descent", "conjugate-gradient" };
const std::vector<std::string> SplineOptimizers{ "lbfgs" };
const std::vector<std::string> FieldOptimizers{ "fixed-step", "momentum", "adam" };
const std::vector<std::string> InversionNames{ "fixed-point", "anderson" };
/** Returns the optimizers of a kind of stages. */
const std::vector<std::string> &
OptimizersOf(StageKind kind)
{
  return (Bit(kind) & Linear) != 0 ? LinearOptimizers : (Bit(kind) & Spline) != 0 ? SplineOptimizers : FieldOptimizers;
}

const std::vector<std::string> SamplingNames{ "none", "regular", "random" };
const std::vector<std::string> GradientNames{ "differences", "filter", "analytic", "grid" };

/** Returns the gradients of a kind of stages. */
std::vector<std::string>
GradientsOf(StageKind kind)
{
  return kind == StageKind::Syn            ? std::vector<std::string>{ "differences", "filter", "grid" }
         : (Bit(kind) & (Linear | Spline)) ? std::vector<std::string>{ "differences", "filter", "analytic" }
                                           : std::vector<std::string>{ "differences", "grid" };
}

void
ReadGradient(const Json & value, StageDraft & draft)
{
  const std::string              name = GradientNames[ReadName(value, GradientNames)];
  const std::vector<std::string> allowed = GradientsOf(draft.stage.GetKind());
  if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
  {
    throw ValueError("'" + name + "' cannot be used with '" + NameOf(draft.stage.GetKind()) + "'; allowed are " +
                     Join(allowed));
  }
  draft.stage.gradient = name == "filter"     ? MetricGradient::Image
                         : name == "analytic" ? MetricGradient::Analytic
                                              : MetricGradient::CentralDifferences;
  draft.stage.gradientsFollowGrid = name == "grid";
}

Json
WriteGradient(const StageSpec & stage)
{
  return GradientNames[stage.GradientsFollowGrid()                            ? 3
                       : stage.gradient == MetricGradient::CentralDifferences ? 0
                       : stage.gradient == MetricGradient::Image              ? 1
                                                                              : 2];
}

void
ReadOptimizer(const Json & value, StageDraft & draft)
{
  const std::size_t number = ReadName(value, OptimizersOf(draft.stage.GetKind()));
  if (auto * const linear = std::get_if<LinearModel>(&draft.stage.model))
  {
    linear->optimizer = static_cast<LinearDescent>(number);
  }
  else if (auto * const field = std::get_if<FieldModel>(&draft.stage.model))
  {
    field->optimizer = static_cast<FieldOptimizer>(number);
  }
}

std::string
WriteOptimizer(const StageSpec & stage)
{
  const auto * const linear = std::get_if<LinearModel>(&stage.model);
  const auto * const field = std::get_if<FieldModel>(&stage.model);
  const std::size_t  number = linear != nullptr  ? static_cast<std::size_t>(linear->optimizer)
                              : field != nullptr ? static_cast<std::size_t>(field->optimizer)
                                                 : 0;
  return OptimizersOf(stage.GetKind())[number];
}

/** Reads and writes options whose values are numbers of a model. */
template <typename TModel, double TModel::*VField, double (*VRead)(const Json &)>
void
ReadField(const Json & value, StageDraft & draft)
{
  std::get<TModel>(draft.stage.model).*VField = VRead(value);
}

template <typename TModel, double TModel::*VField>
Json
WriteField(const StageSpec & stage)
{
  return std::get<TModel>(stage.model).*VField;
}

/** The regularizers of a B-spline or a field. */
template <typename TStage>
auto &
RegularizersOf(TStage & stage)
{
  auto * const spline = std::get_if<SplineModel>(&stage.model);
  return spline != nullptr ? spline->regularizers : std::get<FieldModel>(stage.model).regularizers;
}

template <double Regularizers::*VWeight>
void
ReadRegularizer(const Json & value, StageDraft & draft)
{
  RegularizersOf(draft.stage).*VWeight = ReadFromZero(value);
}

template <double Regularizers::*VWeight>
Json
WriteRegularizer(const StageSpec & stage)
{
  return RegularizersOf(stage).*VWeight;
}

/** Reads and writes options whose values are weights of additional terms. */
template <std::optional<double> StageSpec::*VField>
void
ReadTermWeight(const Json & value, StageDraft & draft)
{
  draft.stage.*VField = ReadFromZero(value);
}

template <std::optional<double> StageSpec::*VField>
Json
WriteTermWeight(const StageSpec & stage)
{
  return stage.*VField ? Json(*(stage.*VField)) : Json();
}

VelocityOptions &
VelocityOf(StageSpec & stage)
{
  return std::get<FieldModel>(stage.model).velocity;
}

const VelocityOptions &
VelocityOf(const StageSpec & stage)
{
  return std::get<FieldModel>(stage.model).velocity;
}

DenseSearchOptions &
SearchOf(StageSpec & stage)
{
  return std::get<DiscreteModel>(stage.model).search;
}

const DenseSearchOptions &
SearchOf(const StageSpec & stage)
{
  return std::get<DiscreteModel>(stage.model).search;
}

template <unsigned int DenseSearchOptions::*VField, unsigned int VMaximum>
void
ReadSearchNumber(const Json & value, StageDraft & draft)
{
  SearchOf(draft.stage).*VField = static_cast<unsigned int>(ReadInteger(value, 1, VMaximum));
}

/** Condition of an option of metrics with a property. */
template <bool (*VHas)(MetricKind)>
constexpr OptionUse OfMetricThat{ [](const StageSpec & stage) { return stage.HasMetricThat(VHas); },
                                  [] { return "the metric " + Join(GetMetricNames(VHas)); } };

bool
DrawsSamples(const StageSpec & stage)
{
  return stage.samples.choice != SampleChoice::All;
}

constexpr OptionUse OfDrawnSamples{ DrawsSamples, [] { return std::string("sampling 'regular' or 'random'"); } };

/** Features are computed from the original images, without moving them. */
constexpr OptionUse OfMovedImages{ [](const StageSpec & stage) {
                                    return !stage.IsOfFields() || !stage.HasMetricThat(HasFeatures);
                                  },
                                   [] { return std::string("a metric other than 'mind'"); } };

constexpr OptionUse OfGivenStep{ [](const StageSpec & stage) { return std::get<LinearModel>(stage.model).step > 0.0; },
                                 [] { return std::string("step"); } };

/** Most linear levels end earlier, because their steps become short. */
constexpr unsigned int IterationsOfMatrices = 200;

/** Factor of the number of iterations to which a level continues by default if values still decrease fast. */
constexpr unsigned int LimitFactor = 5;

/** Levels of fields from fine to coarse, as in antsRegistrationSyN.sh. */
constexpr unsigned int IterationsOfFields[] = { 20, 50, 70, 100 };

} // namespace

std::int64_t
ReadInteger(const Json & value, std::int64_t minimum, std::int64_t maximum)
{
  const std::string allowed =
    "{value}: whole numbers from " + std::to_string(minimum) + " to " + std::to_string(maximum) + " are allowed";
  if (!value.is_number_integer()) // 2.0 is rejected, too, so that no value is rounded by accident
  {
    throw ValueError(allowed, true);
  }
  const bool isHuge = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (isHuge || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum)
  {
    throw ValueError(allowed);
  }
  return value.get<std::int64_t>();
}

bool
ComparesPairs(StageKind kind)
{
  return (Pairs & Bit(kind)) != 0;
}

bool
IsOptimizerOfOthers(const Json & value, StageKind kind)
{
  const std::string name = value.is_string() ? ToLower(value.get<std::string>()) : "";
  const auto        has = [&name](const std::vector<std::string> & names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return !has(OptimizersOf(kind)) && (has(LinearOptimizers) || has(SplineOptimizers) || has(FieldOptimizers));
}

std::size_t
ReadName(const Json & value, const std::vector<std::string> & names)
{
  const auto found =
    value.is_string() ? std::find(names.begin(), names.end(), ToLower(value.get<std::string>())) : names.end();
  if (found == names.end())
  {
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    std::string list;
    for (const std::string & name : sorted)
    {
      list += (list.empty() ? "" : ", ") + name;
    }
    ValueError error("{value} is not known; known are " + list, false);
    error.names = sorted;
    throw error;
  }
  return static_cast<std::size_t>(found - names.begin());
}

const std::vector<StageOption> &
AllStageOptions()
{
  static const std::vector<StageOption> options{
    { "metric", All, ReadMetrics, WriteMetrics },
    { "iterations",
      All,
      [](const Json & value, StageDraft & draft) {
        if (draft.iterations) // iterations of a preset, with their limits
        {
          draft.limits.reset();
        }
        draft.iterations = ReadIterations(value);
      },
      [](const StageSpec & stage) {
        return WriteLevels(stage, [](const PyramidLevel & level) { return level.iterations; });
      },
      {},
      true },
    { "iteration_limit",
      Linear | Spline,
      [](const Json & value, StageDraft & draft) { draft.limits = ReadIterations(value); },
      [](const StageSpec & stage) {
        return WriteLevels(stage, [](const PyramidLevel & level) { return level.limit; });
      },
      {},
      true },
    { "shrink",
      WithLevels,
      [](const Json & value, StageDraft & draft) {
        draft.shrink =
          ReadLevels(value, [](const Json & one) { return static_cast<unsigned int>(ReadInteger(one, 1, 1024)); });
      },
      [](const StageSpec & stage) {
        return WriteLevels(stage, [](const PyramidLevel & level) { return level.shrink; });
      },
      {},
      true },
    { "sigmas",
      WithLevels,
      [](const Json & value, StageDraft & draft) {
        draft.sigmas = ReadLevels(value, [](const Json & one) {
          return ReadNumber(
            one, [](double sigma) { return sigma >= 0.0 && sigma <= 1e6; }, "numbers from 0 to 1e6");
        });
      },
      [](const StageSpec & stage) {
        return WriteLevels(stage, [](const PyramidLevel & level) { return level.sigma; });
      },
      {},
      true },
    { "sigmas_in_mm",
      WithLevels,
      [](const Json & value, StageDraft & draft) { draft.stage.sigmasInMm = ReadFlag(value); },
      [](const StageSpec & stage) { return Json(stage.sigmasInMm); } },
    { "levels",
      WithLevels,
      [](const Json & value, StageDraft & draft) {
        draft.levels = static_cast<unsigned int>(ReadInteger(value, 1, MaxLevels));
      },
      nullptr },
    { "radius",
      Linear | Spline | Pairs,
      [](const Json & value, StageDraft & draft) {
        draft.stage.metricOptions.radius.fill(static_cast<int>(ReadInteger(value, 1, 100)));
      },
      [](const StageSpec & stage) { return Json(stage.metricOptions.radius[0]); },
      OfMetricThat<HasRadius> },
    { "variance_floor",
      Linear | Spline | Pairs,
      [](const Json & value, StageDraft & draft) { draft.stage.metricOptions.varianceFloor = ReadFromZero(value); },
      [](const StageSpec & stage) { return Json(stage.metricOptions.varianceFloor); },
      OfMetricThat<HasVarianceFloors> },
    { "edge_factor",
      Linear | Spline | Pairs,
      [](const Json & value, StageDraft & draft) { draft.stage.metricOptions.edgeFactor = ReadFromZero(value); },
      [](const StageSpec & stage) { return Json(stage.metricOptions.edgeFactor); },
      OfMetricThat<HasEdgeParameters> },
    { "bins",
      Linear | Spline | Pairs,
      [](const Json & value, StageDraft & draft) {
        draft.stage.metricOptions.bins = static_cast<int>(ReadInteger(value, MinHistogramBins, MaxHistogramBins));
      },
      [](const StageSpec & stage) { return Json(stage.metricOptions.bins); },
      OfMetricThat<HasHistogram> },
    { "convergence",
      Linear | Fields,
      [](const Json & value, StageDraft & draft) {
        auto * const linear = std::get_if<LinearModel>(&draft.stage.model);
        (linear != nullptr ? linear->convergence : std::get<FieldModel>(draft.stage.model).convergence) =
          ReadAny(value);
      },
      [](const StageSpec & stage) {
        const auto * const linear = std::get_if<LinearModel>(&stage.model);
        return Json(linear != nullptr ? linear->convergence : std::get<FieldModel>(stage.model).convergence);
      } },
    { "optimizer",
      Linear | Spline | Pairs,
      ReadOptimizer,
      [](const StageSpec & stage) { return Json(WriteOptimizer(stage)); } },
    { "step",
      Linear | Spline,
      [](const Json & value, StageDraft & draft) {
        auto * const linear = std::get_if<LinearModel>(&draft.stage.model);
        (linear != nullptr ? linear->step : std::get<SplineModel>(draft.stage.model).step) = ReadPositive(value);
      },
      [](const StageSpec & stage) {
        const auto * const linear = std::get_if<LinearModel>(&stage.model);
        const double       step = linear != nullptr ? linear->step : std::get<SplineModel>(stage.model).step;
        return step > 0.0 ? Json(step) : Json();
      } },
    { "step_in_voxels",
      Linear,
      [](const Json & value, StageDraft & draft) {
        std::get<LinearModel>(draft.stage.model).isStepInVoxels = ReadFlag(value);
      },
      [](const StageSpec & stage) { return Json(std::get<LinearModel>(stage.model).isStepInVoxels); },
      OfGivenStep },
    { "minimum_step",
      Linear,
      ReadField<LinearModel, &LinearModel::minimumStep, ReadPositive>,
      [](const StageSpec & stage) {
        const double step = std::get<LinearModel>(stage.model).minimumStep;
        return step > 0.0 ? Json(step) : Json();
      } },
    { "grid_spacing",
      Spline,
      [](const Json & value, StageDraft & draft) {
        std::vector<double> spacings;
        for (const Json & one : value.is_array() ? value : Json::array({ value }))
        {
          spacings.push_back(ReadPositive(one));
        }
        if (spacings.empty() || spacings.size() > 3)
        {
          throw ValueError("{value}: one number, or one for each axis is allowed, not " +
                           std::to_string(spacings.size()));
        }
        std::get<SplineModel>(draft.stage.model).gridSpacing = spacings;
      },
      [](const StageSpec & stage) {
        const std::vector<double> & spacing = std::get<SplineModel>(stage.model).gridSpacing;
        return spacing.empty() ? Json() : spacing.size() == 1 ? Json(spacing.front()) : Json(spacing);
      },
      {},
      true },
    { "bending_energy",
      Spline | Greedy,
      ReadRegularizer<&Regularizers::bending>,
      WriteRegularizer<&Regularizers::bending> },
    { "linear_elasticity",
      Spline | Greedy,
      ReadRegularizer<&Regularizers::elasticity>,
      WriteRegularizer<&Regularizers::elasticity> },
    { "total_variation",
      Spline | Greedy,
      ReadRegularizer<&Regularizers::variation>,
      WriteRegularizer<&Regularizers::variation> },
    { "jacobian_penalty",
      Spline | Greedy,
      ReadRegularizer<&Regularizers::jacobian>,
      WriteRegularizer<&Regularizers::jacobian> },
    { "landmark_weight",
      Linear | Spline | Pairs,
      ReadTermWeight<&StageSpec::landmarkWeight>,
      WriteTermWeight<&StageSpec::landmarkWeight> },
    { "label_weight",
      Linear | Spline | Pairs,
      ReadTermWeight<&StageSpec::labelWeight>,
      WriteTermWeight<&StageSpec::labelWeight> },
    { "sampling",
      Linear | Spline,
      [](const Json & value, StageDraft & draft) {
        draft.stage.samples.choice = static_cast<SampleChoice>(ReadName(value, SamplingNames));
      },
      [](const StageSpec & stage) { return Json(SamplingNames[static_cast<std::size_t>(stage.samples.choice)]); } },
    { "fraction",
      Linear | Spline,
      [](const Json & value, StageDraft & draft) {
        draft.fraction = ReadNumber(
          value, [](double part) { return part > 0.0 && part <= 1.0; }, "numbers above 0 and up to 1");
      },
      [](const StageSpec & stage) { return Json(stage.samples.fraction); },
      OfDrawnSamples },
    { "seed",
      Linear | Spline,
      [](const Json & value, StageDraft & draft) {
        draft.stage.samples.seed = static_cast<std::uint32_t>(ReadInteger(value, 0, 4294967295));
      },
      [](const StageSpec & stage) { return Json(stage.samples.seed); },
      OfDrawnSamples },
    { "order",
      Linear | Spline | Pairs,
      [](const Json & value, StageDraft & draft) {
        draft.stage.order = static_cast<unsigned int>(ReadInteger(value, 1, 5));
        if (draft.stage.IsOfFields() && draft.stage.order != 1 && draft.stage.order != 3)
        {
          throw ValueError(std::string("{value}: 1 and 3 are allowed with '") + NameOf(draft.stage.GetKind()) + "'");
        }
      },
      [](const StageSpec & stage) { return Json(stage.order); },
      OfMovedImages },
    { "gradient", Linear | Spline | Fields, ReadGradient, WriteGradient },
    { "restrict_deformation",
      Linear | Pairs,
      [](const Json & value, StageDraft & draft) {
        constexpr std::size_t most = LinearTransform::MaxParameters;
        std::vector<double>   factors;
        if (!value.is_array())
        {
          throw ValueError("{value}: a list of numbers is needed", true);
        }
        for (const Json & one : value)
        {
          factors.push_back(ReadNumber(
            one, [](double factor) { return factor >= 0.0 && factor <= 1.0; }, "numbers from 0 to 1"));
        }
        if (factors.empty() || factors.size() > most)
        {
          throw ValueError("{value}: a number for each axis of fields, or for each parameter of a matrix is needed");
        }
        draft.stage.restriction = factors;
      },
      [](const StageSpec & stage) { return stage.restriction.empty() ? Json() : Json(stage.restriction); },
      {},
      true },
    { "learning_rate",
      Fields,
      ReadField<FieldModel, &FieldModel::learningRate, ReadPositive>,
      [](const StageSpec & stage) { return WriteField<FieldModel, &FieldModel::learningRate>(stage); } },
    { "update_variance",
      Fields,
      ReadField<FieldModel, &FieldModel::updateVariance, ReadFromZero>,
      [](const StageSpec & stage) { return WriteField<FieldModel, &FieldModel::updateVariance>(stage); } },
    { "total_variance",
      Fields,
      ReadField<FieldModel, &FieldModel::totalVariance, ReadFromZero>,
      [](const StageSpec & stage) { return WriteField<FieldModel, &FieldModel::totalVariance>(stage); } },
    { "determinant_limit",
      Pairs,
      [](const Json & value, StageDraft & draft) {
        std::get<FieldModel>(draft.stage.model).determinantLimit = ReadNumber(
          value, [](double limit) { return limit > 1.0; }, "numbers above 1");
      },
      [](const StageSpec & stage) {
        const double limit = std::get<FieldModel>(stage.model).determinantLimit;
        return limit > 0.0 ? Json(limit) : Json();
      } },
    { "sliding",
      Greedy,
      [](const Json & value, StageDraft & draft) { std::get<FieldModel>(draft.stage.model).slides = ReadFlag(value); },
      [](const StageSpec & stage) {
        const std::optional<bool> slides = std::get<FieldModel>(stage.model).slides;
        return slides ? Json(*slides) : Json();
      } },
    { "time_points",
      Velocity,
      [](const Json & value, StageDraft & draft) {
        VelocityOf(draft.stage).timePoints = static_cast<unsigned int>(ReadInteger(value, 2, MaxTimePoints));
      },
      [](const StageSpec & stage) { return Json(VelocityOf(stage).timePoints); } },
    { "update_time_variance",
      Velocity,
      [](const Json & value, StageDraft & draft) { VelocityOf(draft.stage).updateTimeVariance = ReadFromZero(value); },
      [](const StageSpec & stage) { return Json(VelocityOf(stage).updateTimeVariance); } },
    { "total_time_variance",
      Velocity,
      [](const Json & value, StageDraft & draft) { VelocityOf(draft.stage).totalTimeVariance = ReadFromZero(value); },
      [](const StageSpec & stage) { return Json(VelocityOf(stage).totalTimeVariance); } },
    { "inversion",
      Fields,
      [](const Json & value, StageDraft & draft) {
        std::get<FieldModel>(draft.stage.model).inversion =
          static_cast<InversionMethod>(ReadName(value, InversionNames));
      },
      [](const StageSpec & stage) {
        return Json(InversionNames[static_cast<std::size_t>(std::get<FieldModel>(stage.model).inversion)]);
      } },
    { "smooth_under_masks",
      Pairs,
      [](const Json & value, StageDraft & draft) {
        std::get<FieldModel>(draft.stage.model).smoothsUnderMasks = ReadFlag(value);
      },
      [](const StageSpec & stage) { return Json(stage.SmoothsUnderMasks()); } },
    { "average_midpoint_gradients",
      Bit(StageKind::Syn),
      [](const Json & value, StageDraft & draft) {
        std::get<FieldModel>(draft.stage.model).averagesMidpointGradients = ReadFlag(value);
      },
      [](const StageSpec & stage) { return Json(stage.AveragesMidpointGradients()); } },
    { "control_spacing",
      Discrete,
      ReadSearchNumber<&DenseSearchOptions::spacing, DenseSearchOptions::MaxSpacing>,
      [](const StageSpec & stage) { return Json(SearchOf(stage).spacing); } },
    { "search_radius",
      Discrete,
      ReadSearchNumber<&DenseSearchOptions::radius, DenseSearchOptions::MaxRadius>,
      [](const StageSpec & stage) { return Json(SearchOf(stage).radius); } },
    { "search_step",
      Discrete,
      ReadSearchNumber<&DenseSearchOptions::step, DenseSearchOptions::MaxSpacing>,
      [](const StageSpec & stage) { return Json(SearchOf(stage).step); } },
    { "coupling",
      Discrete,
      [](const Json & value, StageDraft & draft) { SearchOf(draft.stage).coupling = ReadPositive(value); },
      [](const StageSpec & stage) { return Json(SearchOf(stage).coupling); } },
    { "symmetric",
      Discrete,
      [](const Json & value, StageDraft & draft) { SearchOf(draft.stage).isSymmetric = ReadFlag(value); },
      [](const StageSpec & stage) { return Json(SearchOf(stage).isSymmetric); } },
  };
  return options;
}

namespace
{

/** A dense search has one level, whose iterations are its passes. */
void
MakeSearchLevel(const StageDraft & draft, StageSpec & stage, int number, std::vector<SpecProblem> & problems)
{
  DenseSearchOptions & search = SearchOf(stage);
  if (draft.iterations && (draft.iterations->size() != 1 || draft.iterations->front() == 0))
  {
    problems.push_back({ "iterations",
                         number,
                         Json(*draft.iterations).dump(),
                         "{value}: a stage 'discrete' has one level; one number from 1 is allowed",
                         {},
                         false });
    return;
  }
  if (search.step > search.spacing)
  {
    problems.push_back({ "search_step",
                         number,
                         std::to_string(search.step),
                         "{value} is more than control_spacing, " + std::to_string(search.spacing),
                         {},
                         false });
  }
  PyramidLevel level;
  level.iterations = draft.iterations ? draft.iterations->front() : search.passes;
  search.passes = level.iterations;
  stage.levels.assign(1, level);
}

/** Values that are given for each level determine the number of levels. Other values are adapted to it. */
void
MakeLevels(const StageDraft & draft, StageSpec & stage, int number, std::vector<SpecProblem> & problems)
{
  const std::size_t iterations = draft.iterations && draft.iterations->size() > 1 ? draft.iterations->size() : 0;
  const std::size_t limits = draft.limits && draft.limits->size() > 1 ? draft.limits->size() : 0;
  const std::size_t shrink = draft.shrink ? draft.shrink->size() : 0;
  const std::size_t sigmas = draft.sigmas ? draft.sigmas->size() : 0;
  std::size_t       count = std::max({ iterations, limits, shrink, sigmas });
  const auto        isOther = [&count](std::size_t given) { return given != 0 && given != count; };
  if (isOther(iterations) || isOther(limits) || isOther(shrink) || isOther(sigmas))
  {
    const auto textOf = [&](std::size_t given, bool isThere) { return isThere ? std::to_string(given) : "none"; };
    problems.push_back({ "iterations, shrink, sigmas",
                         number,
                         "",
                         "they have values for different numbers of levels (" + textOf(iterations, iterations != 0) +
                           ", " + textOf(shrink, shrink != 0) + ", " + textOf(sigmas, sigmas != 0) + ")",
                         {},
                         false });
    return;
  }
  if (draft.levels)
  {
    if (isOther(*draft.levels) && count != 0)
    {
      problems.push_back({ "levels",
                           number,
                           std::to_string(*draft.levels),
                           "{value}: there are values for " + std::to_string(count) + " levels",
                           {},
                           false });
      return;
    }
    count = *draft.levels;
  }
  count = count == 0 ? (stage.IsOfFields() ? 4 : 3) : count;
  for (std::size_t level = 0; level < count; ++level)
  {
    const auto   coarseness = static_cast<unsigned int>(count - 1 - level);
    PyramidLevel made;
    made.iterations = draft.iterations     ? (*draft.iterations)[draft.iterations->size() == 1 ? 0 : level]
                      : stage.IsOfFields() ? IterationsOfFields[std::min(coarseness, 3U)]
                      : std::holds_alternative<LinearModel>(stage.model) ? IterationsOfMatrices
                                                                         : (coarseness == 0 ? 50 : 100);
    made.limit = stage.IsOfFields() ? 0
                 : draft.limits     ? (*draft.limits)[draft.limits->size() == 1 ? 0 : level]
                 : draft.iterations ? made.iterations
                                    : LimitFactor * made.iterations;
    made.shrink = draft.shrink ? (*draft.shrink)[level] : 1U << std::min(coarseness, 10U);
    made.sigma = draft.sigmas ? (*draft.sigmas)[level] : coarseness;
    made.isByAxis = true;
    stage.levels.push_back(made);
  }
}

} // namespace

StageSpec
FinishStage(const StageDraft & draft, int number, std::vector<SpecProblem> & problems)
{
  StageSpec  stage = draft.stage;
  const auto complain = [&](const char * option, const std::string & value, const std::string & text) {
    problems.push_back({ option, number, value, text, {}, false });
  };
  if (stage.GetKind() == StageKind::Discrete)
  {
    MakeSearchLevel(draft, stage, number, problems);
    return stage;
  }
  MakeLevels(draft, stage, number, problems);
  const std::string sampling = SamplingNames[static_cast<std::size_t>(stage.samples.choice)];
  stage.samples.fraction = draft.fraction.value_or(stage.samples.fraction);
  if (!stage.IsOfFields())
  {
    if (stage.samples.choice != SampleChoice::All && stage.HasMetricThat(HasWindows))
    {
      complain("sampling",
               Json(sampling).dump(),
               std::string("{value} is not for the metric '") + WordOf(stage.metrics.front().kind) +
                 "', which compares all samples");
    }
    if (stage.gradient == MetricGradient::Analytic && stage.order < 2)
    {
      complain("gradient",
               "\"analytic\"",
               "{value} is the gradient of a B-spline, whose order is 2 or more; order is " +
                 std::to_string(stage.order));
    }
  }
  return stage;
}

} // namespace itk::CudaSpline
