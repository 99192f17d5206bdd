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

#include "pipeline/StageDraft.h"
#include "pipeline/StageValues.h"

#include <string>
#include <vector>

/** \file
 * \brief The table of stage options, which alone defines an option's name, kinds, allowed values and field. */

namespace itk::CudaSpline
{

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

/** \brief Whether a value names an optimizer of other kinds of stages, but none of this kind. */
bool
IsOptimizerOfOthers(const Json & value, StageKind kind);

/** \brief Whether a stage compares several pairs of images. */
bool
ComparesPairs(StageKind kind);

} // namespace itk::CudaSpline

#endif
