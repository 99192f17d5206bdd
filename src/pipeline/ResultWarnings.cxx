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
#include "pipeline/ResultWarnings.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <variant>

namespace itk::CudaSpline
{

namespace
{

/** Warns about levels whose results were clearly worse than their starts. */
void
WarnOfUndoneLevels(std::size_t number, const StageOutcome & outcome, PipelineMessages & messages)
{
  constexpr double clear = 0.05; // an optimizer that starts at a minimum may increase the value by less
  const auto       undone = std::find_if(outcome.levels.begin(), outcome.levels.end(), [](const LevelRecord & level) {
    return level.end == LevelEnd::Undone && level.loss > clear;
  });
  if (undone == outcome.levels.end())
  {
    return;
  }
  const std::string name =
    "level " + std::to_string(undone - outcome.levels.begin() + 1) + " of " + std::to_string(outcome.levels.size());
  const std::string reason = std::isinf(undone->loss)
                               ? " was undone because it moved the images apart: no sample was left to compare"
                               : " and later levels were undone because they made the metric " +
                                   std::string(outcome.hasPenalties ? "plus its penalties " : "") + "worse by " +
                                   Brief(100.0 * undone->loss) + " % of its value";
  messages.Warn(PipelineWarning::Kind::UndoneLevels, static_cast<int>(number), name + reason);
}

/** Warns about a level that ended by its number of iterations while values still decreased fast, if no later level
 * converged, or if all later ones were undone. */
void
WarnOfFewIterations(const StageSpec &    stage,
                    std::size_t          number,
                    const StageOutcome & outcome,
                    PipelineMessages &   messages)
{
  const auto last = std::find_if(outcome.levels.rbegin(), outcome.levels.rend(), [](const LevelRecord & level) {
    return level.iterations > 0 && level.end != LevelEnd::Undone;
  });
  if (last == outcome.levels.rend() || last->end != LevelEnd::Iterations ||
      !(last->fallRate > (stage.IsOfFields() ? FastFieldFall : ClearFall)))
  {
    return;
  }
  const unsigned int span = std::min(10U, last->iterations - 1); // iterations for the rate
  messages.Warn(
    PipelineWarning::Kind::FewIterations,
    static_cast<int>(number),
    "level " + std::to_string(outcome.levels.rend() - last) + " of " + std::to_string(outcome.levels.size()) +
      " ended after " + std::to_string(last->iterations) + " iterations while the metric still fell by " +
      Brief(100.0 * last->fallRate) + " % of its value in " +
      (span == 10 ? "ten" : "the last " + (span == 1 ? "one" : std::to_string(span))) + "; more iterations are needed");
}

} // namespace

void
WarnOfLevels(const StageSpec & stage, std::size_t number, const StageOutcome & outcome, PipelineMessages & messages)
{
  WarnOfUndoneLevels(number, outcome, messages);
  WarnOfFewIterations(stage, number, outcome, messages);
}

void
WarnOfRestrictedStart(const RegistrationSpec &  spec,
                      const RegistrationStart & start,
                      const FieldGrid &         fixed,
                      PipelineMessages &        messages)
{
  constexpr double  visible = 0.1; // of a voxel
  const StageSpec & stage = spec.stages.front();
  if (stage.restriction.empty() || !start.transform)
  {
    return;
  }
  // The axes of fields are those of space, like the axes of translations.
  const auto * const            linear = std::get_if<LinearModel>(&stage.model);
  const LinearTransform         moves(linear != nullptr ? linear->kind : LinearKind::Translation, fixed.dimension);
  const LinearTransform::Vector shift = start.transform->GetTranslation();
  const double voxel = *std::min_element(fixed.spacing.begin(), fixed.spacing.begin() + fixed.dimension);
  std::string  along;
  for (std::size_t parameter = 0; parameter < moves.CountParameters(); ++parameter)
  {
    const LinearTransform::Slope slope = moves.GetSlope(parameter);
    const auto                   axis =
      static_cast<std::size_t>(std::find(slope.shift.begin(), slope.shift.end(), 1.0) - slope.shift.begin());
    if (slope.matrix == LinearTransform::Matrix{} && stage.restriction[parameter] == 0.0 &&
        std::abs(shift[axis]) > visible * voxel)
    {
      along += (along.empty() ? "" : ", ") + Brief(shift[axis]) + " mm along " + "xyz"[axis];
    }
  }
  if (!along.empty())
  {
    messages.Warn(PipelineWarning::Kind::RestrictedStart,
                  0,
                  std::string("the restricted axes do not apply to the initial alignment '") + NameOf(spec.initial) +
                    "', which moves by " + along + "; use 'none' if these axes have to stay");
  }
}

void
WarnOfStillLevels(const RegistrationSpec & spec, const FieldGrid & fixed, PipelineMessages & messages)
{
  for (std::size_t number = 0; number < spec.stages.size(); ++number)
  {
    const StageSpec & stage = spec.stages[number];
    const std::size_t still = CountStillLevels(stage, fixed);
    if (still > 0)
    {
      messages.Warn(
        PipelineWarning::Kind::StillLevels,
        static_cast<int>(number),
        std::to_string(still) + " of " + std::to_string(stage.levels.size()) +
          " levels have no effect: an axis of the fixed image has at most 2 samples there, and displacements "
          "are 0 at the ends of an axis; use smaller shrink factors, or images with fewer axes");
    }
  }
}

} // namespace itk::CudaSpline
