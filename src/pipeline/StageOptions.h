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
#ifndef pipeline_StageOptions_h
#define pipeline_StageOptions_h

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief The table of stage options, which alone defines an option's name, kinds, allowed values and field. */

namespace itk::CudaSpline
{

/** \brief JSON whose objects keep the order of their members. */
using Json = nlohmann::ordered_json;

/** \brief A value that is not allowed. */
struct ValueError : std::invalid_argument
{
  /** \param[in] text text the problem and the allowed values, as SpecProblem::text
   * \param[in] type whether the value has the wrong type */
  explicit ValueError(const std::string & text, bool type = false)
    : std::invalid_argument(text)
    , isType(type)
  {}
  bool                     isType; ///< see SpecProblem
  std::vector<std::string> names;  ///< see SpecProblem
};

/** \brief A stage while its options are read. Values that depend on each other are set by FinishStage(). */
struct StageDraft
{
  StageSpec                                stage;      ///< all other values
  std::optional<std::vector<unsigned int>> iterations; ///< one value: for all levels
  std::optional<std::vector<unsigned int>> limits;     ///< likewise
  std::optional<std::vector<unsigned int>> shrink;
  std::optional<std::vector<double>>       sigmas;
  std::optional<unsigned int>              levels; ///< their number
  std::optional<double>                    fraction;
};

/** \brief Which stages of its kinds use an option. */
struct OptionUse
{
  /** Whether a stage uses it; null: each does. */
  bool (*isUsed)(const StageSpec & stage){ nullptr };
  /** The requirement of a stage for using it, as "the metric 'cc' or 'lncc'". */
  std::string (*need)(){ nullptr };

  /** Whether a stage uses the option. */
  bool
  IsIn(const StageSpec & stage) const
  {
    return isUsed == nullptr || isUsed(stage);
  }
};

/** \brief An option of stages. */
struct StageOption
{
  const char * name;  ///< in documents
  unsigned int kinds; ///< one bit for each StageKind with the option
  /** Reads a value. \exception ValueError it is not allowed */
  void (*read)(const Json & value, StageDraft & draft);
  /** The value for a complete document: null for a default that depends on the images, or for none. No function: the
   * option is not written. */
  Json (*write)(const StageSpec & stage);
  OptionUse use{}; ///< which stages of these kinds use it
  /** Whether its value is a list of numbers. */
  bool isList{ false };

  /** Whether a kind has the option. */
  bool
  IsFor(StageKind kind) const
  {
    return (kinds >> static_cast<unsigned int>(kind) & 1U) != 0;
  }
};

/** \brief All options, in the order of documents. */
const std::vector<StageOption> &
AllStageOptions();

/** \brief Sets the levels, and checks values that depend on each other.
 *
 * \param[in] draft draft with all options
 * \param[in] number number of the stage
 * \param[in,out] problems receives the problems
 * \return the stage */
StageSpec
FinishStage(const StageDraft & draft, int number, std::vector<SpecProblem> & problems);

/** \brief Finds a name, ignoring case.
 *
 * \param[in] value JSON string
 * \param[in] names allowed names
 * \return its index
 * \exception ValueError the value is not one of them */
std::size_t
ReadName(const Json & value, const std::vector<std::string> & names);

/** \brief A whole number of a range.
 *
 * \exception ValueError the value is another one */
std::int64_t
ReadInteger(const Json & value, std::int64_t minimum, std::int64_t maximum);

/** \brief Whether a value names an optimizer of other kinds of stages, but none of this kind. */
bool
IsOptimizerOfOthers(const Json & value, StageKind kind);

/** \brief Whether a stage compares several pairs of images. */
bool
ComparesPairs(StageKind kind);

/** \brief Reads a number.
 *
 * \param[in] value JSON number
 * \param[in] isAllowed whether a finite number is allowed
 * \param[in] allowed description of the allowed numbers, as "numbers above 0"
 * \exception ValueError another value */
template <typename TCondition>
double
ReadNumber(const Json & value, const TCondition & isAllowed, const std::string & allowed)
{
  if (!value.is_number())
  {
    throw ValueError("{value}: " + allowed + " are allowed", true);
  }
  const auto number = value.get<double>();
  if (!(number - number == 0.0) || !isAllowed(number))
  {
    throw ValueError("{value}: " + allowed + " are allowed");
  }
  return number;
}

} // namespace itk::CudaSpline

#endif
