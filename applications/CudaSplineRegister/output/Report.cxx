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
#include "output/Report.h"

#include "console/DeviceOption.h"
#include "console/Error.h"
#include "cli/FileNames.h"

#include "itkCudaSplineSystem.h"

#include "itkVersion.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>

namespace CudaSplineRegister
{

namespace
{

void
PrintTime(std::ostream & stream, const std::string & name, double seconds, const std::string & note)
{
  stream << std::left << std::setw(18) << name << std::right << std::fixed << std::setprecision(3) << std::setw(9)
         << seconds << " s   " << std::defaultfloat << note << '\n';
}

std::string
BackendText(const StageResult & stage)
{
  return std::string(itk::CudaSpline::NameOf(stage.backend)) + " (" + DeviceText(stage.backend, stage.devices) + "; " +
         DescribeUse(stage.use) + (stage.fallbackReason.empty() ? "" : "; " + stage.fallbackReason) + ")";
}

nlohmann::json
GridAsJson(const Grid & grid)
{
  nlohmann::json json;
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    json["size"].push_back(grid.size[axis]);
    json["spacing"].push_back(grid.spacing[axis]);
  }
  return json;
}

nlohmann::json
EvaluationAsJson(const Evaluation & evaluation)
{
  nlohmann::json json{ { "seconds", evaluation.seconds } };
  const auto     pair = [](double before, double after) {
    return nlohmann::json{ { "before", before }, { "after", after } };
  };
  if (evaluation.similarity)
  {
    const auto & [before, after] = *evaluation.similarity;
    json["correlation"] = pair(before.correlation, after.correlation);
    json["local_correlation"] = pair(before.localCorrelation, after.localCorrelation);
  }
  for (const auto & [label, overlap] : evaluation.overlaps)
  {
    json["dice"][std::to_string(label)] = pair(overlap.before, overlap.after);
  }
  if (!evaluation.overlaps.empty())
  {
    const Overlap mean = MeanOverlap(evaluation.overlaps);
    json["dice_mean"] = pair(mean.before, mean.after);
  }
  if (evaluation.landmarks > 0)
  {
    const auto & [before, after] = evaluation.distances;
    json["landmarks"] = { { "number", evaluation.landmarks },
                          { "mean_mm", pair(before.mean, after.mean) },
                          { "median_mm", pair(before.median, after.median) },
                          { "largest_mm", pair(before.largest, after.largest) } };
  }
  return json;
}

/** Returns the part of the report that every registration has. */
nlohmann::json
Heading(const Grid & fixed, const Grid & moving, const Options & options)
{
  nlohmann::json json;
  json["itk_version"] = itk::Version::GetITKVersion();
  json["cuda_toolkit"] =
    itk::CudaSpline::BuiltWithCuda() ? nlohmann::json(itk::CudaSpline::CudaToolkitVersion()) : nlohmann::json(nullptr);
  json["fixed"] = GridAsJson(fixed);
  json["fixed"]["file"] = options.fixed;
  json["moving"] = GridAsJson(moving);
  json["moving"]["file"] = options.moving;
  json["initialize"] = StartText(options);
  json["winsorize"] = options.spec.winsorize ? nlohmann::json(*options.spec.winsorize) : nlohmann::json(nullptr);
  json["precision"] = options.spec.precision == ScalarType::Float64 ? "double" : "float";
  for (const AdditionalFiles & pair : options.further)
  {
    json["further_pairs"].push_back({ { "fixed", pair.fixed }, { "moving", pair.moving } });
    if (pair.plane)
    {
      json["further_pairs"].back()["plane"] = *pair.plane;
    }
  }
  return json;
}

/** Returns a stage of the complete document. */
nlohmann::json
SpecOf(const Options & options, std::size_t number)
{
  return nlohmann::json::parse(itk::CudaSpline::WriteSpec(options.spec))["stages"][number];
}

/** Returns the options that a stage uses, from the user or from a preset. */
nlohmann::json
OptionsAsJson(const nlohmann::json & spec, const StageSpec & stage)
{
  nlohmann::json json = spec;
  for (const char * const name : { "kind", "metric", "optimizer", "sigmas_in_mm" })
  {
    json.erase(name);
  }
  json["sigma_unit"] = stage.sigmasInMm ? "mm" : "vox";
  if (json.contains("convergence"))
  {
    json["window"] = itk::CudaSpline::ConvergenceValues;
  }
  if (!stage.IsOfFields())
  {
    json["step"] = spec.value("step", nlohmann::json());
    json["fraction"] = spec.value("fraction", nlohmann::json(1.0));
  }
  return json;
}

nlohmann::json
StagesAsJson(const std::vector<StageResult> & stages, const Options & options)
{
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t number = 0; number < stages.size(); ++number)
  {
    const StageResult & stage = stages[number];
    nlohmann::json      entry;
    entry["kind"] = NameOf(stage.kind);
    const StageSpec &    asked = options.spec.stages[number];
    const nlohmann::json spec = SpecOf(options, number);
    entry["metric"] = NamesOf(asked.metrics);
    if (spec.contains("optimizer"))
    {
      entry["optimizer"] = spec["optimizer"];
    }
    entry["options"] = OptionsAsJson(spec, asked);
    entry["parameters"] = stage.parameters;
    entry["seconds"] = stage.seconds;
    entry["backend"] = itk::CudaSpline::NameOf(stage.backend);
    entry["device"] = DeviceText(stage.backend, stage.devices);
    entry["fallback_reason"] = stage.fallbackReason;
    entry["use"] = nlohmann::json::object();
    for (const auto backend : { itk::CudaSpline::Backend::Cuda, itk::CudaSpline::Backend::Cpu })
    {
      entry["use"][itk::CudaSpline::NameOf(backend)] = { { "calls", stage.use[backend].calls },
                                                         { "seconds", stage.use[backend].seconds } };
    }
    entry["levels"] = nlohmann::json::array();
    for (const LevelResult & level : stage.levels)
    {
      entry["levels"].push_back({ { "iterations", level.iterations },
                                  { "value", level.value },
                                  { "seconds", level.seconds },
                                  { "stop", level.stop } });
    }
    json.push_back(entry);
  }
  return json;
}

nlohmann::json
AgreementAsJson(const Agreement & agreement)
{
  return { { "overlap", agreement.overlap },
           { "explained", agreement.explained },
           { "significance", agreement.significance } };
}

/** Bytes of file names that are not valid UTF-8 are replaced. */
std::string
TextOfJson(const nlohmann::json & json)
{
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace

std::string
NamesOf(const std::vector<itk::CudaSpline::MetricTerm> & metrics)
{
  std::string names;
  for (const itk::CudaSpline::MetricTerm & metric : metrics)
  {
    names += (names.empty() ? "" : ",") + std::string(itk::CudaSpline::WordOf(metric.kind)) +
             (metrics.size() > 1 ? ":" + Brief(metric.weight) : "");
  }
  return names;
}

std::string
LevelText(const Iteration & iteration, const Options & options)
{
  const StageSpec & stage = options.spec.stages[iteration.stage];
  return "stage " + std::to_string(iteration.stage + 1) + "/" + std::to_string(options.spec.stages.size()) + " (" +
         NameOf(stage.GetKind()) + "), level " + std::to_string(iteration.level + 1) + "/" +
         std::to_string(stage.levels.size());
}

std::string
LineOf(const Iteration & iteration, const Options & options)
{
  const StageSpec & stage = options.spec.stages[iteration.stage];
  return LevelText(iteration, options) + ", iteration " + std::to_string(iteration.number) + ": value " +
         Brief(iteration.value) +
         (stage.IsOfFields() ? ", convergence " + Brief(iteration.convergence)
                             : ", step " + Brief(iteration.step) + " mm");
}

void
PrintStages(std::ostream & stream, const Report & report, const Options & options)
{
  const auto describe = [](const Grid & grid) { return SizeText(grid) + " voxels of " + SpacingText(grid); };
  PrintTime(stream,
            "read",
            report.readSeconds,
            "fixed " + describe(report.fixedGrid) + ", moving " + describe(report.movingGrid));
  for (const auto & factors : report.valueFactors)
  {
    if (factors != std::array<double, 2>{ { 1.0, 1.0 } })
    {
      stream << "values of fixed and moving were multiplied by " << Brief(factors[0]) << " and " << Brief(factors[1])
             << " to be compared\n";
    }
  }
  for (std::size_t number = 0; number < report.stages.size(); ++number)
  {
    const StageResult & stage = report.stages[number];
    const StageSpec &   asked = options.spec.stages[number];
    PrintTime(stream,
              std::string("stage ") + std::to_string(number + 1) + ", " + NameOf(stage.kind),
              stage.seconds,
              NamesOf(asked.metrics) + " by " + BackendText(stage) + ", " + std::to_string(stage.parameters) +
                " parameters" +
                (asked.IsOfFields() ? std::string() : ", " + SpecOf(options, number)["optimizer"].get<std::string>()));
    for (std::size_t level = 0; level < stage.levels.size(); ++level)
    {
      const LevelResult & result = stage.levels[level];
      PrintTime(stream,
                "  level " + std::to_string(level + 1),
                result.seconds,
                std::to_string(result.iterations) + " iterations, value " + Brief(result.value) + "; " + result.stop);
    }
  }
  double stages = 0.0;
  for (const StageResult & stage : report.stages)
  {
    stages += stage.seconds;
  }
  PrintTime(stream,
            "register",
            report.registerSeconds,
            "from images in memory to transforms in memory; " + Brief(1e3 * (report.registerSeconds - stages)) +
              " ms outside of the stages");
  if (report.evaluation)
  {
    PrintTime(stream, "evaluate", report.evaluation->seconds, "");
  }
  PrintTime(stream, "warp", report.warpSeconds, "");
  PrintTime(stream, "write", report.writeSeconds, "");
  if (report.folding)
  {
    stream << report.folding->voxels << " of " << report.folding->all << " voxels fold; determinants from "
           << Brief(report.folding->least) << " to " << Brief(report.folding->largest) << '\n';
  }
  stream << std::flush;
}

std::string
ToJson(const Report & report, const Options & options)
{
  nlohmann::json json = Heading(report.fixedGrid, report.movingGrid, options);
  json["stages"] = StagesAsJson(report.stages, options);
  json["spec"] = nlohmann::json::parse(itk::CudaSpline::WriteSpec(options.spec));
  json["value_factors"] = report.valueFactors;
  json["iterations"] = nlohmann::json::array();
  for (const Iteration & iteration : report.iterations)
  {
    nlohmann::json entry{ { "stage", iteration.stage + 1 },
                          { "level", iteration.level + 1 },
                          { "iteration", iteration.number },
                          { "value", iteration.value } };
    if (!options.spec.stages[iteration.stage].IsOfFields())
    {
      entry["step_mm"] = iteration.step;
    }
    else if (std::isfinite(iteration.convergence))
    {
      entry["convergence"] = iteration.convergence;
    }
    json["iterations"].push_back(entry);
  }
  json["seconds"] = { { "read", report.readSeconds },
                      { "register", report.registerSeconds },
                      { "warp", report.warpSeconds },
                      { "write", report.writeSeconds } };
  if (report.folding)
  {
    json["folding"] = { { "voxels", report.folding->voxels },
                        { "of", report.folding->all },
                        { "least_determinant", report.folding->least },
                        { "largest_determinant", report.folding->largest } };
  }
  if (report.before)
  {
    json["agreement_before"] = AgreementAsJson(*report.before);
  }
  if (report.agreement)
  {
    json["agreement"] = AgreementAsJson(*report.agreement);
  }
  if (report.evaluation)
  {
    json["evaluation"] = EvaluationAsJson(*report.evaluation);
  }
  return TextOfJson(json);
}

std::string
ToJson(const SeriesReport & report, const Options & options)
{
  nlohmann::json json = Heading(report.fixedGrid, report.movingGrid, options);
  json["fixed"]["volume"] = options.target == TargetKind::Volume ? nlohmann::json(options.targetVolume)
                            : options.target == TargetKind::Mean ? nlohmann::json("mean")
                                                                 : nlohmann::json(nullptr);
  json["volumes"] = nlohmann::json::array();
  const std::vector<double> * before = nullptr;
  for (const VolumeReport & volume : report.volumes)
  {
    nlohmann::json entry{ { "volume", json["volumes"].size() },
                          { "stages", StagesAsJson(volume.stages, options) },
                          { "agreement", AgreementAsJson(volume.agreement) },
                          { "value_factors", volume.valueFactors },
                          { "seconds", volume.seconds } };
    if (!volume.motion.empty())
    {
      entry["translation_mm"] = std::vector<double>(volume.motion.begin(), volume.motion.begin() + 3);
      entry["rotation_rad"] = std::vector<double>(volume.motion.begin() + 3, volume.motion.end());
      entry["framewise_displacement_mm"] =
        before == nullptr ? nlohmann::json(nullptr) : nlohmann::json(FramewiseDisplacement(*before, volume.motion));
      before = &volume.motion;
    }
    json["volumes"].push_back(entry);
  }
  json["seconds"] = { { "all", report.seconds } };
  return TextOfJson(json);
}

void
WriteReport(const std::string & text, const std::string & name, const std::string & file)
{
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream)
  {
    throw ProgramError("\"" + name + "\" could not be written");
  }
}

double
FramewiseDisplacement(const std::vector<double> & before, const std::vector<double> & now)
{
  constexpr double sphere = 50.0; // mm; radius of a head, as in Power and others
  double           sum = 0.0;
  for (std::size_t parameter = 0; parameter < now.size(); ++parameter)
  {
    // The smaller difference of two angles.
    const double difference = now[parameter] - before[parameter];
    sum += parameter < 3 ? std::abs(difference) : sphere * std::abs(std::remainder(difference, 2.0 * itk::Math::pi));
  }
  return sum;
}

} // namespace CudaSplineRegister
