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
#include "c/Call.h"
#include "c/Descriptors.h"
#include "c/RegistrationGrids.h"

#include "itkCudaSpline/c/CudaSplineRegistrationC.h"
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

using Json = nlohmann::ordered_json;

/** Reports all problems of a document, and rethrows the exception. */
template <typename TBody>
void
ReportProblems(void (*message)(std::int32_t, const char *, void *), void * data, const TBody & body)
{
  try
  {
    body();
  }
  catch (const SpecError & error)
  {
    Json list = Json::array();
    for (const SpecProblem & problem : error.GetProblems())
    {
      list.push_back({ { "option", problem.option },
                       { "stage", problem.stage },
                       { "value", problem.value },
                       { "text", problem.text },
                       { "names", problem.names },
                       { "is_type", problem.isType } });
    }
    if (message != nullptr)
    {
      message(CUDASPLINE_MESSAGE_PROBLEMS, list.dump().c_str(), data);
    }
    throw;
  }
}

void
DescribeMask(const cudaspline_registration_image & mask,
             unsigned int                          dimension,
             const std::string &                   name,
             MaskedImage &                         image)
{
  if (mask.pixels != nullptr)
  {
    image.maskGrid = DescribeGrid(mask.grid, dimension, name + "_mask.grid");
    image.mask = static_cast<const std::uint8_t *>(mask.pixels);
  }
}

MaskedImage
DescribeMasked(const cudaspline_registration_image & image,
               const cudaspline_registration_image & mask,
               unsigned int                          dimension,
               ScalarType                            pixel,
               const std::string &                   name)
{
  RequirePointer(image.pixels, (name + ".pixels").c_str());
  MaskedImage described;
  described.grid = DescribeGrid(image.grid, dimension, name + ".grid");
  described.pixel = pixel;
  described.pixels = image.pixels;
  DescribeMask(mask, dimension, name, described);
  return described;
}

/** Returns the masks of all pairs in each stage. */
std::vector<std::vector<ImagePair>>
DescribeStageMasks(const cudaspline_pipeline & from, std::size_t stages, unsigned int dimension)
{
  std::vector<std::vector<ImagePair>> all(from.stage_masks == nullptr ? 0 : stages);
  const cudaspline_image_pair *       entry = from.stage_masks;
  for (std::size_t stage = 0; stage < all.size(); ++stage)
  {
    for (std::int32_t i = 0; i < from.pair_count; ++i, ++entry)
    {
      const std::string name = "pipeline.stage_masks[" + std::to_string(entry - from.stage_masks) + "].";
      ImagePair         pair;
      DescribeMask(entry->fixed_mask, dimension, name + "fixed", pair.fixed);
      DescribeMask(entry->moving_mask, dimension, name + "moving", pair.moving);
      all[stage].push_back(pair);
    }
  }
  return all;
}

std::vector<Landmark>
DescribeLandmarks(const cudaspline_pipeline & from, unsigned int dimension)
{
  if (from.landmark_count < 0)
  {
    throw std::invalid_argument("pipeline.landmark_count is " + std::to_string(from.landmark_count) +
                                "; it must be at least 0.");
  }
  std::vector<Landmark> landmarks(static_cast<std::size_t>(from.landmark_count));
  if (!landmarks.empty())
  {
    RequirePointer(from.fixed_landmarks, "pipeline.fixed_landmarks");
    RequirePointer(from.moving_landmarks, "pipeline.moving_landmarks");
  }
  for (std::size_t n = 0; n < landmarks.size(); ++n)
  {
    std::copy_n(from.fixed_landmarks + n * dimension, dimension, landmarks[n].fixed.begin());
    std::copy_n(from.moving_landmarks + n * dimension, dimension, landmarks[n].moving.begin());
  }
  return landmarks;
}

LabelMap
DescribeLabelMap(const cudaspline_registration_image & labels, unsigned int dimension, const std::string & name)
{
  RequirePointer(labels.pixels, (name + ".pixels").c_str());
  return { DescribeGrid(labels.grid, dimension, name + ".grid"), static_cast<const std::int32_t *>(labels.pixels) };
}

std::optional<LabelPair>
DescribeLabels(const cudaspline_pipeline & from, unsigned int dimension)
{
  if (from.fixed_labels.pixels == nullptr && from.moving_labels.pixels == nullptr)
  {
    return std::nullopt;
  }
  return LabelPair{ DescribeLabelMap(from.fixed_labels, dimension, "pipeline.fixed_labels"),
                    DescribeLabelMap(from.moving_labels, dimension, "pipeline.moving_labels") };
}

RegistrationInput
DescribeInput(const cudaspline_pipeline & from, const RegistrationSpec & spec)
{
  const ScalarType   pixel = spec.precision;
  RegistrationInput  input;
  const unsigned int dimension = CheckDimension(from.dimension, "pipeline.dimension");
  RequirePointer(from.pairs, "pipeline.pairs");
  if (from.pair_count < 1)
  {
    throw std::invalid_argument("pipeline.pair_count is " + std::to_string(from.pair_count) +
                                "; it must be at least 1.");
  }
  for (std::int32_t i = 0; i < from.pair_count; ++i)
  {
    const cudaspline_image_pair & pair = from.pairs[i];
    const std::string             name = "pipeline.pairs[" + std::to_string(i) + "].";
    input.pairs.push_back({ DescribeMasked(pair.fixed, pair.fixed_mask, dimension, pixel, name + "fixed"),
                            DescribeMasked(pair.moving, pair.moving_mask, dimension, pixel, name + "moving") });
  }
  if (from.stage_count >= 0)
  {
    input.initial = DescribeStages(from.stages, from.stage_count, dimension, "pipeline");
  }
  input.stageMasks = DescribeStageMasks(from, spec.stages.size(), dimension);
  input.landmarks = DescribeLandmarks(from, dimension);
  input.labels = DescribeLabels(from, dimension);
  if (from.sliding_regions.pixels != nullptr)
  {
    input.slidingRegions = DescribeLabelMap(from.sliding_regions, dimension, "pipeline.sliding_regions");
  }
  input.device = from.device;
  input.stream = static_cast<StreamHandle>(from.stream);
  return input;
}

/** Returns a number of a report; null if JSON does not have it. */
Json
NumberOf(double number)
{
  return std::isfinite(number) ? Json(number) : Json();
}

template <typename TNumbers>
Json
ListOf(const TNumbers & numbers, std::size_t count)
{
  return Json(std::vector<double>(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count)));
}

template <typename TMatrix>
Json
RowsOf(const TMatrix & matrix, unsigned int dimension)
{
  Json rows = Json::array();
  for (unsigned int r = 0; r < dimension; ++r)
  {
    rows.push_back(ListOf(matrix[r], dimension));
  }
  return rows;
}

Json
DescribeLinear(const LinearTransform & found)
{
  const unsigned int dimension = found.GetDimension();
  return { { "kind", NameOf(found.GetKind()) },
           { "centre", ListOf(found.GetCentre(), dimension) },
           { "matrix", RowsOf(found.GetMatrix(), dimension) },
           { "translation", ListOf(found.GetTranslation(), dimension) },
           { "parameters", ListOf(found.GetParameters(), found.CountParameters()) } };
}

Json
DescribeFound(const FoundTransform & found, unsigned int dimension)
{
  return std::visit(
    [dimension](const auto & transform) -> Json {
      using Found = std::decay_t<decltype(transform)>;
      if constexpr (std::is_same_v<Found, LinearTransform>)
      {
        return DescribeLinear(transform);
      }
      else if constexpr (std::is_same_v<Found, FoundSpline>)
      {
        return { { "size",
                   std::vector<std::int64_t>(transform.grid.size.begin(), transform.grid.size.begin() + dimension) },
                 { "origin", ListOf(transform.grid.origin, dimension) },
                 { "point_to_index", RowsOf(transform.grid.pointToIndex, dimension) } };
      }
      else
      {
        return Json();
      }
    },
    found);
}

Json
DescribeStageOutcome(const StageOutcome & outcome, const StageSpec & spec, unsigned int dimension)
{
  Json levels = Json::array();
  for (std::size_t i = 0; i < outcome.levels.size(); ++i)
  {
    const LevelRecord & level = outcome.levels[i];
    const double        fraction = i < outcome.fractions.size() ? outcome.fractions[i] : 1.0;
    levels.push_back({ { "shrink", spec.levels[i].shrink },
                       { "sigma", spec.levels[i].sigma },
                       { "iterations", level.iterations },
                       { "fraction", fraction },
                       { "value", NumberOf(level.value) },
                       { "convergence", NumberOf(level.convergence) },
                       { "seconds", level.seconds },
                       { "end", Describe(level.end, outcome.hasPenalties) } });
  }
  Json use;
  for (const Backend backend : { Backend::Cuda, Backend::Cpu })
  {
    use[NameOf(backend)] = { { "calls", outcome.use[backend].calls }, { "seconds", outcome.use[backend].seconds } };
  }
  return { { "kind", NameOf(spec.GetKind()) },
           { "seconds", outcome.seconds },
           { "backend", NameOf(outcome.run.backend) },
           { "device", outcome.run.backend == Backend::Cuda ? Json(outcome.run.devices.front()) : Json() },
           { "reason", outcome.run.DescribeFallback() },
           { "run_seconds", outcome.run.seconds },
           { "use", use },
           { "levels", levels },
           { "replaces", outcome.replacesPrevious },
           { "transform", DescribeFound(outcome.transform, dimension) } };
}

Json
DescribeAgreement(const ImageAgreement & agreement)
{
  return { { "overlap", agreement.overlap },
           { "explained", NumberOf(agreement.explained) },
           { "significance", NumberOf(agreement.significance) } };
}

Json
DescribeOutcome(const RegistrationOutcome & outcome, const RegistrationSpec & spec, unsigned int dimension)
{
  Json stages = Json::array();
  for (std::size_t i = 0; i < outcome.stages.size(); ++i)
  {
    stages.push_back(DescribeStageOutcome(outcome.stages[i], spec.stages[i], dimension));
  }
  return { { "stopped", outcome.isStopped },
           { "value_factors", outcome.valueFactors },
           { "start", outcome.start ? DescribeLinear(*outcome.start) : Json() },
           { "agreement", outcome.agreement ? DescribeAgreement(*outcome.agreement) : Json() },
           { "stages", stages } };
}

PipelineCallbacks
MakeCallbacks(const cudaspline_pipeline & pipeline, ScalarType fieldType)
{
  PipelineCallbacks callbacks;
  if (pipeline.iteration != nullptr)
  {
    callbacks.iteration = [&pipeline](const PipelineIteration & from) {
      const cudaspline_pipeline_iteration iteration{ static_cast<std::int32_t>(from.stage),
                                                     static_cast<std::int32_t>(from.level),
                                                     static_cast<std::int32_t>(from.number),
                                                     from.value,
                                                     from.convergence,
                                                     from.step,
                                                     from.progress,
                                                     pipeline.data };
      return pipeline.iteration(&iteration) != 0;
    };
  }
  callbacks.warning = [&pipeline](const PipelineWarning & warning) {
    static constexpr const char * names[] = { "faint_values",     "poor_rotation",     "still_levels",
                                              "skipped_level",    "kept_axes",         "undetermined",
                                              "undone_levels",    "few_iterations",    "found_rotation",
                                              "poor_agreement",   "outside_landmarks", "unpaired_labels",
                                              "restricted_start", "idle_devices",      "no_sliding_border" };
    static_assert(std::size(names) == static_cast<std::size_t>(PipelineWarning::Kind::NoSlidingBorder) + 1,
                  "Each kind has a name.");
    const Json text{ { "kind", names[static_cast<std::size_t>(warning.kind)] },
                     { "stage", warning.stage },
                     { "text", warning.text } };
    pipeline.message(CUDASPLINE_MESSAGE_WARNING, text.dump().c_str(), pipeline.data);
  };
  callbacks.allocate = [&pipeline, fieldType](const ResultArray & from) {
    static_assert(static_cast<int>(ResultArray::Kind::Forward) == CUDASPLINE_RESULT_FORWARD &&
                    static_cast<int>(ResultArray::Kind::Backward) == CUDASPLINE_RESULT_BACKWARD &&
                    static_cast<int>(ResultArray::Kind::Coefficients) == CUDASPLINE_RESULT_COEFFICIENTS,
                  "The kinds have the same numbers.");
    cudaspline_result_array array{};
    array.kind = static_cast<std::int32_t>(from.kind);
    array.stage = static_cast<std::int32_t>(from.stage);
    array.count = from.count;
    WriteGrid(from.grid, array.grid);
    array.data = pipeline.data;
    void * const memory = pipeline.allocate(&array);
    if (memory == nullptr)
    {
      throw std::bad_alloc();
    }
    return ResultMemory{ memory, from.kind == ResultArray::Kind::Coefficients ? ScalarType::Float64 : fieldType };
  };
  return callbacks;
}

} // namespace

std::int32_t
cudaspline_has_lost_geometry(const cudaspline_grid * mask, const cudaspline_grid * image, std::int32_t dimension)
{
  bool               isLost = false;
  const std::int32_t code = Call([&] {
    RequirePointer(mask, "mask");
    RequirePointer(image, "image");
    const unsigned int axes = CheckDimension(dimension, "dimension");
    isLost = HasLostGeometry(DescribeGrid(*mask, axes, "mask"), DescribeGrid(*image, axes, "image"));
  });
  return code == CUDASPLINE_OK && isLost ? 1 : 0;
}

std::int32_t
cudaspline_complete_registration(const char *         document,
                                 const std::int64_t * size,
                                 void (*message)(std::int32_t kind, const char * text, void * data),
                                 void * data)
{
  return Call([=] {
    RequirePointer(document, "document");
    ReportProblems(message, data, [&] {
      std::array<std::int64_t, 3> samples{};
      if (size != nullptr)
      {
        std::copy_n(size, 3, samples.begin());
      }
      const std::string complete = WriteSpec(ReadSpec(document, samples));
      if (message != nullptr)
      {
        message(CUDASPLINE_MESSAGE_RESULT, complete.c_str(), data);
      }
    });
  });
}

std::int32_t
cudaspline_list_registration_names(void (*message)(std::int32_t kind, const char * text, void * data), void * data)
{
  return Call([=] {
    RequirePointer(reinterpret_cast<const void *>(message), "message");
    std::vector<std::string> kinds;
    for (int kind = 0; kind <= static_cast<int>(StageKind::Discrete); ++kind)
    {
      kinds.emplace_back(NameOf(static_cast<StageKind>(kind)));
    }
    std::vector<std::string> options;
    for (const StageOptionInfo & option : GetStageOptions())
    {
      options.emplace_back(option.name);
    }
    const Json lists{ { "version", SpecVersion },
                      { "kinds", kinds },
                      { "metrics", GetMetricNames() },
                      { "presets", GetPresetNames() },
                      { "options", options } };
    message(CUDASPLINE_MESSAGE_RESULT, lists.dump().c_str(), data);
  });
}

std::int32_t
cudaspline_register(const char * document, const cudaspline_pipeline * pipeline, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(document, "document");
    RequirePointer(pipeline, "pipeline");
    RequirePointer(reinterpret_cast<const void *>(pipeline->message), "pipeline.message");
    RequirePointer(reinterpret_cast<const void *>(pipeline->allocate), "pipeline.allocate");
    RequirePointer(pipeline->pairs, "pipeline.pairs");
    CallExecution    call(execution);
    const ScalarType fieldType = RealOfCode(pipeline->field_type, "pipeline.field_type");
    ReportProblems(pipeline->message, pipeline->data, [&] {
      std::array<std::int64_t, 3> size{};
      std::copy_n(pipeline->pairs[0].fixed.grid.size, 3, size.begin());
      const RegistrationSpec  spec = ReadSpec(document, size);
      const RegistrationInput input = DescribeInput(*pipeline, spec);
      CheckSpec(spec, input.pairs.front().fixed.grid, input.pairs.size());
      const RegistrationOutcome outcome = Naming("registration", [&] {
        return RunRegistration(input, spec, MakeCallbacks(*pipeline, fieldType), call.GetWord(), call.GetContext());
      });
      if (!outcome.stages.empty())
      {
        call.Report(outcome.stages.back().run);
      }
      const std::string result = DescribeOutcome(outcome, spec, input.pairs.front().fixed.grid.dimension).dump();
      pipeline->message(CUDASPLINE_MESSAGE_RESULT, result.c_str(), pipeline->data);
    });
  });
}
