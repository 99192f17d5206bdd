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
#include "pipeline/StageSequence.h"

#include "pipeline/ResultWarnings.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** A smaller overlap explains why a stage failed. */
constexpr double MinOverlap = 0.1;

/** Returns a linear transform as one of a smaller kind that can represent it: a rigid one without a rotation becomes a
 * translation. */
LinearTransform
RestrictTo(LinearKind kind, const LinearTransform & transform)
{
  if (kind >= transform.GetKind())
  {
    return transform;
  }
  LinearTransform               made(LinearKind::Translation, transform.GetDimension(), transform.GetCentre());
  const LinearTransform::Vector shift = transform.GetTranslation();
  LinearTransform::Parameters   parameters{};
  std::copy(shift.begin(), shift.end(), parameters.begin());
  made.SetParameters(parameters);
  return made;
}

/** Appends the initial transform of the caller. */
void
AppendInitial(const RegistrationInput & input, std::vector<TransformChain::Stage> & stages)
{
  if (input.initial)
  {
    stages.insert(stages.end(), input.initial->begin(), input.initial->end());
  }
}

/** Converts an iteration for the caller.
 *
 * \param[in] unit unit of the metric's value */
PipelineIteration
Describe(const RegistrationIteration & found,
         std::size_t                   stage,
         double                        unit,
         const RegistrationSpec &      spec,
         unsigned int                  dimension)
{
  PipelineIteration iteration;
  iteration.stage = stage;
  iteration.level = found.level;
  iteration.number = found.number;
  iteration.value = found.value * unit;
  iteration.convergence = found.convergence;
  iteration.step = found.step;
  iteration.progress = EstimateProgress(spec, dimension, stage, found.level, found.number);
  return iteration;
}

} // namespace

StageSequence::StageSequence(const RegistrationInput & input,
                             const RegistrationSpec &  spec,
                             PreparedImages &          images,
                             PipelineMessages &        messages,
                             const std::string &       device,
                             const ExecutionContext &  host)
  : m_Input(input)
  , m_Spec(spec)
  , m_Images(images)
  , m_Messages(messages)
  , m_Device(device)
  , m_Host(host)
{}

void
StageSequence::StartFrom(const RegistrationStart & start)
{
  m_Centre = start.centre;
  m_State.outcome.start = start.transform;
  m_State.outcome.stages.clear();
  m_State.linear = start.transform;
  m_State.linearKind = start.kind;
}

std::vector<TransformChain::Stage>
StageSequence::MakeLinearStages() const
{
  std::vector<TransformChain::Stage> stages;
  for (const FoundTransform & found : m_State.outcome.GetChain())
  {
    if (std::holds_alternative<LinearTransform>(found))
    {
      stages.push_back(MakeChainStage(found));
    }
  }
  AppendInitial(m_Input, stages);
  return stages;
}

std::vector<TransformChain::Stage>
StageSequence::MakeStages(std::size_t without) const
{
  const std::vector<FoundTransform>  chain = m_State.outcome.GetChain();
  std::vector<TransformChain::Stage> stages;
  std::transform(chain.begin() + static_cast<std::ptrdiff_t>(without),
                 chain.end(),
                 std::back_inserter(stages),
                 [](const FoundTransform & found) { return MakeChainStage(found); });
  AppendInitial(m_Input, stages);
  return stages;
}

/** Returns the transforms after that of a stage. */
std::vector<TransformChain::Stage>
StageSequence::MakeStagesAfter(std::size_t number, bool replaces) const
{
  constexpr std::size_t              most = MaximumWarpStages - 1;
  std::vector<TransformChain::Stage> stages = this->MakeStages(replaces ? 1 : 0);
  if (stages.size() > most)
  {
    throw std::invalid_argument("there are " + std::to_string(stages.size()) + " transforms before stage " +
                                std::to_string(number + 1) + "; at most " + std::to_string(most) + " are supported");
  }
  return stages;
}

/** Returns the factor from the values of a stage to the units of the images. Sums of several terms have no unit. */
double
StageSequence::UnitOf(const StageSpec & stage) const
{
  const double factor = m_State.outcome.valueFactors.front().front();
  const bool   isSum = stage.metrics.size() > 1 || stage.UsesLabels() || stage.landmarkWeight.value_or(0.0) > 0.0;
  return !isSum && stage.HasMetricThat(HasSquaredUnit) ? 1.0 / factor / factor : 1.0;
}

void
StageSequence::RunNext()
{
  const std::size_t  number = m_State.outcome.stages.size();
  const StageSpec &  stage = m_Spec.stages[number];
  const unsigned int dimension = m_Images.GetFixedGrid().dimension;
  if (!m_Input.stageMasks.empty())
  {
    m_Images.SetMasks(m_Input.stageMasks[number]);
  }
  // A linear stage replaces the previous linear transform, if it can represent it.
  const auto * const linear = std::get_if<LinearModel>(&stage.model);
  const bool         replaces = linear != nullptr && m_State.linear && m_State.linearKind <= linear->kind;
  const auto         start = replaces ? RestrictTo(linear->kind, *m_State.linear)
                                      : LinearTransform(LinearKind::Translation, dimension, m_Centre);
  const std::vector<TransformChain::Stage> behind = this->MakeStagesAfter(number, replaces);
  const double                             unit = this->UnitOf(stage);
  bool                                     isStopped = false;
  const RegistrationWatch                  watch = [&](const RegistrationIteration & found) {
    isStopped = !m_Messages.Report(Describe(found, number, unit, m_Spec, dimension));
    return !isStopped;
  };
  const auto         begin = std::chrono::steady_clock::now();
  const StageContext context{ stage,    number, m_Spec.precision, m_Images, behind, m_Messages.GetCallbacks(), watch,
                              m_Device, m_Host };
  StageOutcome       outcome = this->RunGuarded(context, start);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.use = GetBackendUse();
  outcome.replacesPrevious = replaces;
  for (LevelRecord & level : outcome.levels)
  {
    level.value *= unit;
  }
  WarnOfLevels(stage, number, outcome, m_Messages);
  m_State.linear.reset();
  if (const auto * const found = std::get_if<LinearTransform>(&outcome.transform))
  {
    m_State.linear = *found;
    m_State.linearKind = found->GetKind();
  }
  m_State.outcome.stages.push_back(std::move(outcome));
  m_State.outcome.isStopped = isStopped;
}

/** Runs a stage. If it fails and the images hardly overlap, the overlap is reported as the reason. */
StageOutcome
StageSequence::RunGuarded(const StageContext & context, const LinearTransform & start)
{
  const auto explain = [&](const std::string & detail, const std::optional<LinearTransform> & found) {
    std::vector<TransformChain::Stage> stages = found ? context.behind : this->MakeStages();
    if (found)
    {
      stages.insert(stages.begin(), found->MakeStage());
    }
    const double overlap = m_Images.MeasureOverlap(0, stages);
    if (overlap < MinOverlap)
    {
      throw OverlapError(0, static_cast<int>(context.number), NameOf(context.spec.GetKind()), overlap, detail);
    }
  };
  try
  {
    return RunStage(context, start);
  }
  catch (const NoSamples & error)
  {
    explain("", error.GetTransform());
    const ImagePair & pair = m_Images.GetPairs().front();
    const bool        isMasked = pair.fixed.mask != nullptr || pair.moving.mask != nullptr;
    const std::string stage =
      " in stage " + std::to_string(context.number + 1) + " (" + NameOf(context.spec.GetKind()) + "): ";
    throw std::invalid_argument(
      isMasked
        ? "the images do not overlap under their masks" + stage + error.what() +
            " inside both images and both masks; check the initial transform and the masks"
        : error.what() + stage +
            "none is inside both images, although they overlap; use fewer levels, or check the initial transform");
  }
  catch (const std::invalid_argument & error)
  {
    explain(error.what(), std::nullopt);
    throw;
  }
}

} // namespace itk::CudaSpline
