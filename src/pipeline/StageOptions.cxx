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
#include <cmath>
#include <cstdint>
#include <limits>

namespace itk::CudaSpline
{

namespace
{

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

} // namespace

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
          throw ValueError("{value}: one number, or one number for each axis, is needed; it has " +
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
        draft.stage.samples.choice = static_cast<SampleChoice>(ReadName(value, GetSamplingNames()));
      },
      [](const StageSpec & stage) {
        return Json(GetSamplingNames()[static_cast<std::size_t>(stage.samples.choice)]);
      } },
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
          throw ValueError("{value}: one number is needed for each axis of a field, or for each parameter of a matrix");
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

} // namespace itk::CudaSpline
