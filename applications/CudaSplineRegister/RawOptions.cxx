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
#include "FieldMetric.h"
#include "Names.h"
#include "Numbers.h"
#include "Preset.h"
#include "ReadingProcess.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>

namespace CudaSplineRegister
{

namespace
{

constexpr std::size_t mostLevels = 10;

const std::map<std::string, StageKind> stageKinds{
  { "translation", StageKind::Translation }, { "rigid", StageKind::Rigid },     { "similarity", StageKind::Similarity },
  { "affine", StageKind::Affine },           { "bspline", StageKind::BSpline }, { "syn", StageKind::Syn },
  { "greedy", StageKind::Greedy },           { "demons", StageKind::Demons }
};
const std::map<std::string, MetricKind> metricKinds{
#define CUDASPLINE_METRIC_WORD(kind, word, name) { word, MetricKind::kind },
  CUDASPLINE_STAGE_METRICS(CUDASPLINE_METRIC_WORD)
#undef CUDASPLINE_METRIC_WORD
};
const std::map<std::string, OptimizerKind>      optimizerKinds{ { "regular-step", OptimizerKind::RegularStep },
                                                           { "gradient-descent", OptimizerKind::GradientDescent },
                                                           { "conjugate-gradient", OptimizerKind::ConjugateGradient },
                                                           { "lbfgs", OptimizerKind::Lbfgs } };
const std::map<std::string, SamplingKind>       samplingKinds{ { "none", SamplingKind::None },
                                                         { "regular", SamplingKind::Regular },
                                                         { "random", SamplingKind::Random } };
const std::map<std::string, GradientKind>       gradientKinds{ { "differences", GradientKind::Differences },
                                                         { "filter", GradientKind::Filter },
                                                         { "analytic", GradientKind::Analytic } };
const std::map<std::string, InitializationKind> initializationKinds{ { "moments", InitializationKind::Moments },
                                                                     { "centre", InitializationKind::Centre },
                                                                     { "search", InitializationKind::Search },
                                                                     { "none", InitializationKind::None } };

/** What ANTs, ITK, NumPy and others call values of options, in small letters, with the names here. */
const std::map<std::string, std::string> otherNames{ { "mi", "mattes" },
                                                     { "mattesmutualinformation", "mattes" },
                                                     { "msq", "meansquares" },
                                                     { "gc", "correlation" },
                                                     { "globalcorrelation", "correlation" },
                                                     { "center", "centre" },
                                                     { "cubic", "bspline" },
                                                     { "bspline[3]", "bspline" },
                                                     { "float32", "float" },
                                                     { "float64", "double" } };

/** The value of a name in letters of any case, or an error that says which names are allowed. */
template <typename TKind>
TKind
KindOf(const std::string & option, const std::string & word, const std::map<std::string, TKind> & kinds)
{
  const std::string lower = ToLower(word);
  const auto        other = otherNames.find(lower);
  const auto        found = kinds.find(other == otherNames.end() ? lower : other->second);
  if (found == kinds.end())
  {
    std::vector<std::string> names;
    for (const auto & entry : kinds)
    {
      names.push_back(entry.first);
    }
    throw ProgramError(DescribeUnknownName(option, word, names));
  }
  return found->second;
}

template <typename TKind>
const char *
WordOf(TKind kind, const std::map<std::string, TKind> & kinds)
{
  return std::find_if(kinds.begin(), kinds.end(), [kind](const auto & entry) { return entry.second == kind; })
    ->first.c_str();
}

/** The word of an option for a stage; empty where it was not given. */
std::string
WordOfStage(const std::string & option, const std::vector<std::string> & words, std::size_t stage, std::size_t stages)
{
  if (words.size() > 1 && words.size() != stages)
  {
    throw ProgramError(option + " is there " + std::to_string(words.size()) +
                       " times; it has to be once, or as often as there are stages (" + std::to_string(stages) + ")");
  }
  return words.empty() ? "" : words[words.size() == 1 ? 0 : stage];
}

/** A whole number of a range. */
unsigned int
WholeNumber(const std::string & option, const std::string & text, double least, double most)
{
  const std::optional<double> number = ParseNumber(text);
  if (!number || !(*number >= least && *number <= most) || *number != std::floor(*number))
  {
    throw ProgramError(option + " " + text + ": whole numbers from " + Brief(least) + " to " + Brief(most) +
                       " are allowed");
  }
  return static_cast<unsigned int>(*number);
}

/** A number above 0, up to a limit. */
double
PositiveNumber(const std::string & option, const std::string & text, double most)
{
  const std::optional<double> number = ParseNumber(text);
  if (!number || !(*number > 0.0 && *number <= most))
  {
    throw ProgramError(option + " " + text + ": numbers above 0" +
                       (std::isfinite(most) ? " and up to " + Brief(most) : "") + " are allowed");
  }
  return *number;
}

/** Whole numbers, one a level. */
std::vector<unsigned int>
WholeNumbers(const std::string & option, const std::string & text, double least, double most)
{
  std::vector<unsigned int> numbers;
  for (const double number : ParseNumbers(option, text, mostLevels))
  {
    numbers.push_back(WholeNumber(option, Brief(number), least, most));
  }
  return numbers;
}

/** What is given for each level decides how many there are; what is not given follows. */
void
InterpretLevels(const std::string & levels,
                const std::string & iterations,
                const std::string & shrink,
                const std::string & sigmas,
                StageOptions &      stage)
{
  const std::string millimetres = "mm";
  stage.sigmasInMm =
    sigmas.size() > 2 && sigmas.compare(sigmas.size() - millimetres.size(), millimetres.size(), millimetres) == 0;
  if (!iterations.empty())
  {
    stage.iterations = WholeNumbers("--iterations", iterations, 0, 1e6);
  }
  if (!shrink.empty())
  {
    stage.shrink = WholeNumbers("--shrink", shrink, 1, 1024);
  }
  if (!sigmas.empty())
  {
    stage.sigmas =
      ParseNumbers("--sigmas", stage.sigmasInMm ? sigmas.substr(0, sigmas.size() - 2) : sigmas, mostLevels);
    constexpr double most = 1e6; // no image is as large; of 1e9 the size of ITK's kernels has no integer
    const auto       range = std::minmax_element(stage.sigmas.begin(), stage.sigmas.end());
    if (*range.first < 0.0 || *range.second > most)
    {
      throw ProgramError("--sigmas " + sigmas + ": numbers from 0 to 1e6 are allowed");
    }
  }
  // A single number of iterations is for every level.
  std::size_t count = std::max({ stage.shrink.size(),
                                 stage.sigmas.size(),
                                 stage.iterations.size() > 1 ? stage.iterations.size() : std::size_t{ 0 } });
  if (!levels.empty())
  {
    const std::size_t wanted = WholeNumber("--levels", levels, 1, mostLevels);
    if (count != 0 && count != wanted)
    {
      throw ProgramError("--levels " + levels + ": there are values for " + std::to_string(count) + " levels");
    }
    count = wanted;
  }
  const bool isOfFields = IsOfFields(stage.kind);
  count = count == 0 ? (isOfFields ? 4 : 3) : count;
  if (stage.iterations.size() == 1)
  {
    stage.iterations.resize(count, stage.iterations.front());
  }
  for (std::size_t level = 0; level < count; ++level)
  {
    const auto coarseness = static_cast<unsigned int>(count - 1 - level);
    if (iterations.empty())
    {
      constexpr unsigned int ofSyn[] = { 20, 50, 70, 100 }; // as antsRegistrationSyN.sh, from fine to coarse
      stage.iterations.push_back(isOfFields ? ofSyn[std::min(coarseness, 3U)] : (coarseness == 0 ? 50 : 100));
    }
    if (shrink.empty())
    {
      stage.shrink.push_back(1U << coarseness);
    }
    if (sigmas.empty())
    {
      stage.sigmas.push_back(coarseness);
    }
  }
  for (const std::size_t size : { stage.iterations.size(), stage.shrink.size(), stage.sigmas.size() })
  {
    if (size != count)
    {
      throw ProgramError("--iterations, --shrink and --sigmas have values for different numbers of levels (" +
                         std::to_string(stage.iterations.size()) + ", " + std::to_string(stage.shrink.size()) + ", " +
                         std::to_string(stage.sigmas.size()) + ")");
    }
  }
}

/** A number from 0 on. */
double
NumberFromZero(const std::string & option, const std::string & text)
{
  const std::optional<double> number = ParseNumber(text);
  if (!number || !(*number >= 0.0 && std::isfinite(*number)))
  {
    throw ProgramError(option + " " + text + ": numbers from 0 are allowed");
  }
  return *number;
}

/** The metric of a stage where none is named. */
MetricKind
MetricOfKind(StageKind kind)
{
  return kind == StageKind::Demons ? MetricKind::MeanSquares
         : IsOfFields(kind)        ? MetricKind::LocalCorrelation
                                   : MetricKind::Mattes;
}

/** What fields and local correlation want. */
template <typename TWord>
void
InterpretFields(const RawOptions & raw, const TWord & word, StageOptions & stage)
{
  if (!raw.radii.empty())
  {
    stage.radius = WholeNumber("--radius", word("--radius", raw.radii), 1, 100);
  }
  if (stage.kind == StageKind::Demons) // as ITK's filters have it
  {
    stage.learningRate = 0.5;
    stage.updateVariance = 0.0;
    stage.totalVariance = 1.0;
  }
  if (!raw.learningRates.empty())
  {
    stage.learningRate = PositiveNumber("--learning-rate", word("--learning-rate", raw.learningRates), 10.0);
  }
  if (!raw.updateVariances.empty())
  {
    stage.updateVariance = NumberFromZero("--update-variance", word("--update-variance", raw.updateVariances));
  }
  if (!raw.totalVariances.empty())
  {
    stage.totalVariance = NumberFromZero("--total-variance", word("--total-variance", raw.totalVariances));
  }
  stage.convergence = IsOfFields(stage.kind) ? 1e-6 : 1e-7;
  if (!raw.convergences.empty())
  {
    const std::string           text = word("--convergence", raw.convergences);
    const std::optional<double> slope = ParseNumber(text);
    if (!slope || !std::isfinite(*slope))
    {
      throw ProgramError("--convergence \"" + text + "\" is no number");
    }
    stage.convergence = *slope; // below 0: all iterations, but where values get worse
  }
  if (IsOfFields(stage.kind) && stage.sampling != SamplingKind::None)
  {
    throw ProgramError(std::string("--sampling is not for --stage ") + NameOf(stage.kind) +
                       ", whose fields need every voxel; say none for it");
  }
  for (const PairMetric & metric : stage.metrics)
  {
    const MetricKind own = MetricOfKind(stage.kind);
    if (IsOfFields(stage.kind) && metric.kind != own &&
        (stage.kind == StageKind::Demons || !FieldMetricOf(metric.kind)))
    {
      throw ProgramError(std::string("--metric ") + NameOf(metric.kind) + " is not for --stage " + NameOf(stage.kind) +
                         "; say " + NameOf(own) + " for it");
    }
  }
}

/** The metrics of a stage: names with weights, one a pair of images. */
std::vector<PairMetric>
InterpretMetrics(const std::string & text, StageKind kind, std::size_t pairs)
{
  const std::string       option = "--metric \"" + text + "\"";
  std::vector<PairMetric> metrics;
  std::istringstream      entries(text + ","); // an empty one at the end is one, too
  for (std::string entry; std::getline(entries, entry, ',');)
  {
    PairMetric        metric;
    const std::size_t colon = entry.find(':');
    metric.kind = KindOf("--metric", entry.substr(0, colon), metricKinds);
    if (colon != std::string::npos)
    {
      constexpr double most = 1e6; // a millionth of another pair's share is less than floats of a field tell
      metric.weight = PositiveNumber(option + ": the weight", entry.substr(colon + 1), most);
    }
    metrics.push_back(metric);
  }
  if (metrics.size() > pairs)
  {
    throw ProgramError(option + " is of " + std::to_string(metrics.size()) + " pairs of images, and there " +
                       (pairs == 1 ? "is 1" : "are " + std::to_string(pairs)) +
                       "; --also-fixed and --also-moving name further ones");
  }
  if (metrics.size() > 1 && kind != StageKind::Syn && kind != StageKind::Greedy)
  {
    throw ProgramError(option + " is not for --stage " + NameOf(kind) +
                       ", which compares the first pair of images alone; syn and greedy compare several");
  }
  return metrics;
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
    options.further.push_back({ raw.alsoFixed[number], raw.alsoMoving[number] });
  }
}

/** Each pair of images is compared in a stage. */
void
CheckPairs(const Options & options)
{
  std::size_t most = 0;
  for (const StageOptions & stage : options.stages)
  {
    most = std::max(most, stage.metrics.size());
  }
  if (most <= options.further.size())
  {
    const FurtherFiles & left = options.further[most - 1];
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
    options.targetVolume = WholeNumber("--motion", raw.motion, 0, 1e6);
  }
  if (raw.preset.empty() && raw.stages.empty())
  {
    raw.stages = { "rigid" };
    if (raw.metrics.empty())
    {
      raw.metrics = { "correlation" }; // the volumes are alike
    }
    if (raw.levels.empty() && raw.iterations.empty() && raw.shrink.empty() && raw.sigmas.empty())
    {
      raw.levels = { "2" }; // and lie nearly over each other
    }
  }
  if (raw.initialization.empty())
  {
    raw.initialization = raw.initial.empty() ? "none" : "";
  }
}

/** The options of a stage. */
StageOptions
InterpretStage(const RawOptions & raw, std::size_t number, std::size_t stages)
{
  const auto word = [number, stages](const char * option, const std::vector<std::string> & all) {
    return WordOfStage(option, all, number, stages);
  };
  StageOptions stage;
  stage.kind = KindOf("--stage", raw.stages[number], stageKinds);
  stage.metrics.front().kind = MetricOfKind(stage.kind);
  if (!raw.metrics.empty())
  {
    stage.metrics = InterpretMetrics(word("--metric", raw.metrics), stage.kind, 1 + raw.alsoFixed.size());
  }
  stage.optimizer = stage.kind == StageKind::BSpline ? OptimizerKind::Lbfgs : OptimizerKind::RegularStep;
  if (!raw.optimizers.empty())
  {
    stage.optimizer = KindOf("--optimizer", word("--optimizer", raw.optimizers), optimizerKinds);
  }
  InterpretLevels(word("--levels", raw.levels),
                  word("--iterations", raw.iterations),
                  word("--shrink", raw.shrink),
                  word("--sigmas", raw.sigmas),
                  stage);
  if (!raw.samplings.empty())
  {
    stage.sampling = KindOf("--sampling", word("--sampling", raw.samplings), samplingKinds);
  }
  if (!raw.fractions.empty())
  {
    if (raw.samplings.empty())
    {
      throw ProgramError("--fraction needs --sampling regular or random");
    }
    stage.fraction = PositiveNumber("--fraction", word("--fraction", raw.fractions), 1.0);
  }
  if (!raw.steps.empty())
  {
    stage.step = PositiveNumber("--step", word("--step", raw.steps), HUGE_VAL);
  }
  if (!raw.minimumSteps.empty())
  {
    stage.minimumStep = PositiveNumber("--minimum-step", word("--minimum-step", raw.minimumSteps), HUGE_VAL);
  }
  if (!raw.gridSpacings.empty())
  {
    const std::string spacing = word("--grid-spacing", raw.gridSpacings);
    stage.gridSpacing = ParseNumbers("--grid-spacing", spacing);
    if (*std::min_element(stage.gridSpacing.begin(), stage.gridSpacing.end()) <= 0.0)
    {
      throw ProgramError("--grid-spacing " + spacing + ": values in mm above 0 are allowed");
    }
  }
  InterpretFields(raw, word, stage);
  return stage;
}

} // namespace

const char *
NameOf(StageKind kind)
{
  return WordOf(kind, stageKinds);
}

const char *
NameOf(MetricKind kind)
{
  return WordOf(kind, metricKinds);
}

std::string
NamesOf(const std::vector<PairMetric> & metrics)
{
  std::string names;
  for (const PairMetric & metric : metrics)
  {
    names += (names.empty() ? "" : ",") + std::string(NameOf(metric.kind)) +
             (metrics.size() > 1 ? ":" + Brief(metric.weight) : "");
  }
  return names;
}

const char *
NameOf(OptimizerKind kind)
{
  return WordOf(kind, optimizerKinds);
}

const char *
NameOf(SamplingKind kind)
{
  return WordOf(kind, samplingKinds);
}

const char *
NameOf(InitializationKind kind)
{
  return WordOf(kind, initializationKinds);
}

void
Interpret(RawOptions raw, Options & options)
{
  if (!raw.maxMemory.empty())
  {
    SetMaxMemory(raw.maxMemory);
  }
  raw.preset = ToLower(raw.preset);
  raw.initialization = ToLower(raw.initialization);
  InterpretMotion(raw, options);
  const bool writes = !(options.output.empty() && options.warped.empty() && options.picture.empty() &&
                        options.report.empty() && options.prefix.empty() && options.field.empty() &&
                        options.inverse.empty() && options.jacobian.empty() && options.parameters.empty());
  if (!writes && !options.evaluate)
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
  if (options.logJacobian && options.jacobian.empty())
  {
    throw ProgramError("--log-jacobian needs --jacobian");
  }
  RawOptions large = raw;
  ApplyPreset(large, true);
  ApplyPreset(raw, false);
  if (raw.stages.empty())
  {
    raw.stages = { "rigid", "affine" };
  }
  InterpretPairs(raw, options);
  const auto interpretStages = [](const RawOptions & from) {
    std::vector<StageOptions> stages;
    for (std::size_t number = 0; number < from.stages.size(); ++number)
    {
      stages.push_back(InterpretStage(from, number, from.stages.size()));
    }
    return stages;
  };
  options.stages = interpretStages(raw);
  if (large.shrink != raw.shrink)
  {
    options.stagesOfLarge = interpretStages(large);
  }
  CheckPairs(options);
  const bool isRigid = std::all_of(options.stages.begin(), options.stages.end(), [](const StageOptions & stage) {
    return stage.kind == StageKind::Rigid;
  });
  if (!options.parameters.empty() && (!isRigid || !raw.initial.empty()))
  {
    throw ProgramError("--parameters has translations and rotations: it needs --stage rigid alone, and no "
                       "--initial-transform");
  }
  const auto isThere = [&options](const auto & isIt) {
    return std::any_of(options.stages.begin(), options.stages.end(), isIt);
  };
  const bool hasSpline = isThere([](const StageOptions & stage) { return stage.kind == StageKind::BSpline; });
  if (!raw.gridSpacings.empty() && !hasSpline)
  {
    throw ProgramError("--grid-spacing is for --stage bspline");
  }
  const bool hasFields = isThere([](const StageOptions & stage) { return IsOfFields(stage.kind); });
  const bool hasLocal =
    isThere([](const StageOptions & stage) { return stage.HasMetric(MetricKind::LocalCorrelation); });
  if (!hasFields && !(raw.learningRates.empty() && raw.updateVariances.empty() && raw.totalVariances.empty()))
  {
    throw ProgramError(
      "--learning-rate, --update-variance and --total-variance are for --stage syn, greedy and demons");
  }
  if (!hasLocal && !raw.radii.empty())
  {
    throw ProgramError("--radius is for --metric cc");
  }
  if (!raw.initial.empty())
  {
    if (!raw.initialization.empty() && raw.initialization != "none")
    {
      throw ProgramError("--initialize " + raw.initialization + " and --initial-transform exclude each other");
    }
    options.initial = ParseTransform(raw.initial);
    options.initialization = InitializationKind::None;
  }
  else if (!raw.initialization.empty())
  {
    options.initialization = KindOf("--initialize", raw.initialization, initializationKinds);
  }
  options.gradient = KindOf("--gradient", raw.gradient, gradientKinds);
  for (const StageOptions & stage : options.stages)
  {
    if (IsOfFields(stage.kind) && stage.kind != StageKind::Syn && options.gradient == GradientKind::Filter)
    {
      throw ProgramError(std::string("--gradient filter is not for --stage ") + NameOf(stage.kind) +
                         ", which takes differences");
    }
  }
  raw.bins = raw.bins.empty() ? "50" : raw.bins;
  options.bins = WholeNumber("--bins", raw.bins, 5, 1024);
  if (!raw.winsorize.empty())
  {
    const std::vector<double> quantiles = ParseNumbers("--winsorize", raw.winsorize, 2);
    if (quantiles.size() != 2 || !(quantiles[0] >= 0.0 && quantiles[0] < quantiles[1] && quantiles[1] <= 1.0))
    {
      throw ProgramError("--winsorize " + raw.winsorize + ": two quantiles from 0 to 1 are needed, the lower first");
    }
    options.winsorize = { { quantiles[0], quantiles[1] } };
  }
  options.seed = WholeNumber("--seed", raw.seed, 1, 4294967295.0);
  static const std::map<std::string, unsigned int> orders{ { "linear", 1 }, { "bspline", 3 } };
  options.order = KindOf("--interpolation", raw.interpolation, orders);
  if (options.gradient == GradientKind::Analytic && options.order == 1)
  {
    throw ProgramError("--gradient analytic needs --interpolation bspline");
  }
  static const std::map<std::string, bool> precisions{ { "float", false }, { "double", true } };
  options.inDouble = KindOf("--precision", raw.precision, precisions);
  const std::optional<double> defaultValue = ParseNumber(raw.defaultValue);
  if (!defaultValue)
  {
    throw ProgramError("--default-value \"" + raw.defaultValue + "\" is no number");
  }
  options.defaultValue = *defaultValue;
  options.device = ParseDevice(raw.device, false);
  const bool hasMattes = std::any_of(options.stages.begin(), options.stages.end(), [](const StageOptions & stage) {
    return stage.HasMetric(MetricKind::Mattes);
  });
  for (const StageOptions & stage : options.stages)
  {
    if (stage.kind == StageKind::Greedy && stage.HasMetric(MetricKind::Mattes) && options.bins > mostBins)
    {
      throw ProgramError("--bins " + raw.bins + " with --stage greedy: it takes " + std::to_string(mostBins) +
                         " at most");
    }
  }
  if (hasMattes && options.bins > mostBins && !options.device.empty() && options.device != "cpu")
  {
    throw ProgramError("--bins " + raw.bins + " with --device " + options.device + ": a GPU takes " +
                       std::to_string(mostBins) + " at most");
  }
}

} // namespace CudaSplineRegister
