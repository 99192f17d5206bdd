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
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include "pipeline/PreparedImages.h"
#include "pipeline/StageRun.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** How many times as much another rotation has to explain. */
constexpr double ClearlyMore = 1.1;

/** Less overlap than this explains why a stage failed. */
constexpr double LeastOverlap = 0.1;

std::string
Brief(double number)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

std::string
DescribeOverlap(std::size_t pair, int stage, const std::string & kind, double overlap, const std::string & detail)
{
  if (pair > 0)
  {
    return "additional pair " + std::to_string(pair) +
           ": no voxel of the fixed image is inside both of its images where the registration starts";
  }
  return "the images do not overlap: " + Brief(100.0 * overlap) + " % of the fixed image are inside the moving one " +
         (stage < 0 ? "where the registration starts" : "in stage " + std::to_string(stage + 1) + " (" + kind + ")") +
         (detail.empty() ? "" : " (" + detail + ")");
}

/** The centre between the first and the last sample of a grid. */
FieldGrid::Vector
FindMiddle(const FieldGrid & grid)
{
  FieldGrid::Vector first{};
  FieldGrid::Vector last{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    first[d] = static_cast<double>(grid.start[d]);
    last[d] = static_cast<double>(grid.start[d] + grid.size[d] - 1);
  }
  first = PlaceOfIndex(grid, first);
  last = PlaceOfIndex(grid, last);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    first[d] = 0.5 * (first[d] + last[d]);
  }
  return first;
}

/** The stages of a registration, one after the other. */
class Pipeline
{
public:
  Pipeline(const RegistrationInput & input,
           const RegistrationSpec &  spec,
           const PipelineCallbacks & callbacks,
           const std::string &       device,
           const ExecutionContext &  host)
    : m_Input(input)
    , m_Spec(spec)
    , m_Callbacks(callbacks)
    , m_Device(device)
    , m_Host(host)
    , m_Images(input, host)
  {
    m_Host.backend = Backend::Cpu;
    m_StageCallbacks.allocate = callbacks.allocate;
    m_StageCallbacks.iteration = [this](const PipelineIteration & iteration) { return this->Report(iteration); };
    m_StageCallbacks.warning = [this](const PipelineWarning & warning) { m_HeldWarnings.push_back(warning); };
  }

  RegistrationOutcome
  Run()
  {
    this->CheckImages();
    if (m_Spec.winsorize)
    {
      m_Images.Clip(*m_Spec.winsorize);
    }
    m_Outcome.valueFactors = m_Images.Rescale(m_Spec, m_StageCallbacks.warning);
    this->Initialize();
    this->ReleaseWarnings();
    for (std::size_t pair = 0; pair < m_Input.pairs.size() && this->Iterates(); ++pair)
    {
      if (m_Images.MeasureOverlap(pair, this->MakeStages(0)) == 0.0)
      {
        throw OverlapError(pair, -1, "", 0.0, "");
      }
    }
    const std::size_t linear = this->CountFirstLinear();
    for (std::size_t number = 0; number < m_Spec.stages.size() && !m_Outcome.isStopped; ++number)
    {
      this->RunNext(number);
      if (number + 1 == linear && this->MayRotate())
      {
        this->CheckRotation(linear);
      }
      this->ReleaseWarnings();
    }
    this->WarnOfStillLevels();
    this->CheckAgreement();
    this->ReleaseWarnings();
    return std::move(m_Outcome);
  }

private:
  void
  CheckImages() const
  {
    CheckSpec(m_Spec, m_Images.GetFixedGrid(), m_Input.pairs.size());
    if (!m_Input.stageMasks.empty() && m_Input.stageMasks.size() != m_Spec.stages.size())
    {
      throw std::invalid_argument("there are masks for " + std::to_string(m_Input.stageMasks.size()) +
                                  " stages, and the registration has " + std::to_string(m_Spec.stages.size()));
    }
    for (const ImagePair & pair : m_Input.pairs)
    {
      for (const MaskedImage * const image : { &pair.fixed, &pair.moving })
      {
        if (image->pixel != m_Spec.precision)
        {
          throw std::invalid_argument(std::string("the images have pixels of ") + NameOf(image->pixel) +
                                      ", and the precision is " + NameOf(m_Spec.precision));
        }
        if (image->grid.dimension != m_Images.GetFixedGrid().dimension)
        {
          throw std::invalid_argument("the images have different numbers of axes");
        }
      }
    }
  }

  /** A warning of what may still be replaced by a better result. */
  void
  Warn(PipelineWarning::Kind kind, int stage, const std::string & text)
  {
    m_HeldWarnings.push_back({ kind, stage, text });
  }

  void
  ReleaseWarnings()
  {
    for (const PipelineWarning & warning : m_HeldWarnings)
    {
      if (m_Callbacks.warning)
      {
        m_Callbacks.warning(warning);
      }
    }
    m_HeldWarnings.clear();
  }

  /** Reports an iteration, or keeps it where a second result is tried. */
  bool
  Report(const PipelineIteration & iteration)
  {
    if (m_IsTrial)
    {
      m_TrialIterations.push_back(iteration);
      return true;
    }
    return !m_Callbacks.iteration || m_Callbacks.iteration(iteration);
  }

  /** Whether any level has iterations. */
  bool
  Iterates() const
  {
    return std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [](const StageSpec & stage) {
      return std::any_of(
        stage.levels.begin(), stage.levels.end(), [](const PyramidLevel & level) { return level.iterations > 0; });
    });
  }

  /** Sets the centre of linear transforms, and where the first stage starts. */
  void
  Initialize()
  {
    const unsigned int dimension = m_Images.GetFixedGrid().dimension;
    m_Centre = FindMiddle(m_Images.GetFixedGrid());
    if (m_Input.initial || m_Spec.initial == InitialAlignment::None)
    {
      return;
    }
    FieldGrid::Vector other = FindMiddle(m_Images.GetMovingGrid());
    if (m_Spec.initial != InitialAlignment::Centre)
    {
      m_Centre = this->FindCentre(m_Images.GetPairs().front().fixed, "fixed");
      other = this->FindCentre(m_Images.GetPairs().front().moving, "moving");
    }
    LinearTransform::Vector shift{};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      shift[d] = other[d] - m_Centre[d];
    }
    LinearTransform             start(LinearKind::Rigid, dimension, m_Centre);
    LinearTransform::Parameters parameters{};
    std::copy_n(shift.begin(), dimension, parameters.begin() + (dimension == 2 ? 1 : 3));
    start.SetParameters(parameters);
    if (m_Spec.initial == InitialAlignment::Search)
    {
      start = this->SearchRotation(shift);
    }
    m_Outcome.start = start;
    m_Linear = start;
    m_LinearKind = m_Spec.initial == InitialAlignment::Search ? LinearKind::Rigid : LinearKind::Translation;
  }

  FieldGrid::Vector
  FindCentre(const MaskedImage & image, const std::string & name)
  {
    const MaskedImage there = m_Images.OnHost(image);
    const auto centre = FindCentreOfGravity(there.grid, there.pixels, there.pixel, there.maskGrid, there.mask, m_Host);
    if (!centre)
    {
      throw std::invalid_argument(
        "the " + name + " image is the same everywhere" +
        (image.mask == nullptr ? "" : " under its mask, or no voxel of it is there") +
        ", so it has no centre of gravity; another initial alignment, as 'centre', needs none");
    }
    return *centre;
  }

  FoundRotation
  FindBestRotation(const LinearTransform::Vector & shift)
  {
    const ImagePair & pair = m_Images.GetPairs().front();
    return FindRotation(m_Images.OnHost(pair.fixed), m_Images.OnHost(pair.moving), m_Centre, shift, m_Host);
  }

  LinearTransform
  SearchRotation(const LinearTransform::Vector & shift)
  {
    const FoundRotation found = this->FindBestRotation(shift);
    if (found.explained < PoorExplanation)
    {
      this->Warn(PipelineWarning::Kind::PoorRotation,
                 -1,
                 "the best rotation that was found explains " + Brief(100.0 * found.explained) +
                   " % of the fixed image's entropy (poor below " + Brief(100.0 * PoorExplanation) +
                   " %); check whether the images are aligned");
    }
    return found.transform;
  }

  /** How many linear stages there are before the first other one. */
  std::size_t
  CountFirstLinear() const
  {
    const auto isLinear = [](const StageSpec & stage) { return std::holds_alternative<LinearModel>(stage.model); };
    const auto other = std::find_if_not(m_Spec.stages.begin(), m_Spec.stages.end(), isLinear);
    return static_cast<std::size_t>(other - m_Spec.stages.begin());
  }

  /** Whether the linear stages may start from another rotation: nothing that was asked for is against it. */
  bool
  MayRotate() const
  {
    // In 3D the search takes longer than most registrations: 40 s of a processor's core, and 0.1 s in 2D.
    const bool isQuick = m_Images.GetFixedGrid().dimension == 2;
    const bool isStartOurs = m_Outcome.start && m_Spec.initial != InitialAlignment::Search;
    return isQuick && isStartOurs && !m_Outcome.isStopped && this->Iterates() &&
           std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [](const StageSpec & stage) {
             const auto * const linear = std::get_if<LinearModel>(&stage.model);
             return linear != nullptr && linear->kind != LinearKind::Translation && stage.restriction.empty();
           });
  }

  /** Starts the linear stages once more from the best of many rotations, where the images have little in common and a
   * rotation explains more. The better result is kept. */
  void
  CheckRotation(std::size_t linear)
  {
    const ImageAgreement before = this->MeasureLinear();
    if (!(before.significance < DoubtfulSignificance))
    {
      return;
    }
    const FoundRotation                      found = this->FindBestRotation(m_Outcome.start->GetTranslation());
    const std::vector<TransformChain::Stage> rotation{ found.transform.MakeStage() };
    if (!(m_Images.MeasureAgreement(rotation, rotation).explained > ClearlyMore * before.explained))
    {
      return;
    }
    const RegistrationOutcome          first = m_Outcome;
    const std::vector<PipelineWarning> warnings = std::exchange(m_HeldWarnings, {});
    const auto                         last = std::make_pair(m_Linear, m_LinearKind);
    const double                       after = this->TryStart(found.transform, linear);
    if (after > ClearlyMore * before.explained)
    {
      this->Warn(
        PipelineWarning::Kind::FoundRotation,
        -1,
        "the result from the initial alignment explained " + Brief(100.0 * before.explained) +
          " % of the fixed image's entropy; a search of rotations found another start, whose result explains " +
          Brief(100.0 * after) + " % and is kept");
      for (const PipelineIteration & iteration : std::exchange(m_TrialIterations, {}))
      {
        m_Outcome.isStopped = !this->Report(iteration) || m_Outcome.isStopped;
      }
      return;
    }
    m_TrialIterations.clear();
    m_Outcome = first;
    m_HeldWarnings = warnings;
    std::tie(m_Linear, m_LinearKind) = last;
  }

  /** Runs the linear stages from another start. \return what the result explains; -1 if they fail */
  double
  TryStart(const LinearTransform & start, std::size_t linear)
  {
    m_Outcome.start = start;
    m_Outcome.stages.clear();
    m_Linear = start;
    m_LinearKind = LinearKind::Rigid;
    m_IsTrial = true;
    double explained = -1.0;
    try
    {
      for (std::size_t number = 0; number < linear; ++number)
      {
        this->RunNext(number);
      }
      explained = this->MeasureLinear().explained;
    }
    catch (const std::invalid_argument &)
    {
      // The images do not overlap there.
    }
    m_IsTrial = false;
    return explained;
  }

  /** The agreement under what is found before the first stage that is not linear. */
  ImageAgreement
  MeasureLinear()
  {
    const std::vector<TransformChain::Stage> stages = this->MakeStages(0);
    return m_Images.MeasureAgreement(stages, stages);
  }

  void
  WarnOfStillLevels()
  {
    for (std::size_t number = 0; number < m_Spec.stages.size(); ++number)
    {
      const StageSpec & stage = m_Spec.stages[number];
      const std::size_t still = CountStillLevels(stage, m_Images.GetFixedGrid());
      if (still > 0)
      {
        this->Warn(PipelineWarning::Kind::StillLevels,
                   static_cast<int>(number),
                   std::to_string(still) + " of " + std::to_string(stage.levels.size()) +
                     " levels move nothing: an axis of the fixed image has no more than 2 samples there, and the ends "
                     "of axes stay where they are; smaller values of shrink, or images of fewer axes, help");
      }
    }
  }

  /** Levels whose results were clearly worse than their starts. */
  void
  WarnOfUndoneLevels(std::size_t number, const StageOutcome & outcome)
  {
    constexpr double clear = 0.05; // less is what an optimizer leaves at a start that was a minimum
    const auto       undone = std::find_if(outcome.levels.begin(), outcome.levels.end(), [](const LevelRecord & level) {
      return level.end == LevelEnd::Undone && level.loss > clear;
    });
    if (undone != outcome.levels.end())
    {
      this->Warn(PipelineWarning::Kind::UndoneLevels,
                 static_cast<int>(number),
                 "what level " + std::to_string(undone - outcome.levels.begin() + 1) + " of " +
                   std::to_string(outcome.levels.size()) +
                   " and those after it did was undone: it made the metric worse by " + Brief(100.0 * undone->loss) +
                   " % of its value");
    }
  }

  /** A level that ended by its number of iterations while values still fell fast, and no later level found an end. */
  void
  WarnOfFewIterations(std::size_t number, const StageOutcome & outcome)
  {
    const auto last = std::find_if(
      outcome.levels.rbegin(), outcome.levels.rend(), [](const LevelRecord & level) { return level.iterations > 0; });
    if (last == outcome.levels.rend() || last->end != LevelEnd::Iterations ||
        !(last->fallRate > (m_Spec.stages[number].IsOfFields() ? FastFieldFall : FastFall)))
    {
      return;
    }
    this->Warn(PipelineWarning::Kind::FewIterations,
               static_cast<int>(number),
               "level " + std::to_string(outcome.levels.rend() - last) + " of " +
                 std::to_string(outcome.levels.size()) + " ended after " + std::to_string(last->iterations) +
                 " iterations while the metric still fell by " + Brief(100.0 * last->fallRate) +
                 " % of its value in ten; more iterations are needed");
  }

  /** Whether the images can belong to each other. */
  void
  CheckAgreement()
  {
    if (m_Outcome.isStopped)
    {
      return;
    }
    m_Images.SetMasks(m_Input.pairs); // not those of the last stage
    m_Outcome.agreement = m_Images.MeasureAgreement(this->MakeStages(0), this->MakeLinearStages());
    if (!this->Iterates()) // what was given is not judged by what a registration finds by chance
    {
      m_Outcome.agreement->significance = std::numeric_limits<double>::quiet_NaN();
      m_Outcome.agreement->isConstant = false;
    }
    if (const std::string poor = DescribePoorAgreement(*m_Outcome.agreement); !poor.empty())
    {
      this->Warn(PipelineWarning::Kind::PoorAgreement, -1, poor);
    }
  }

  /** The stages that were given or are linear. */
  std::vector<TransformChain::Stage>
  MakeLinearStages() const
  {
    std::vector<TransformChain::Stage> stages;
    for (const FoundTransform & found : m_Outcome.GetChain())
    {
      if (std::holds_alternative<LinearTransform>(found))
      {
        stages.push_back(MakeChainStage(found));
      }
    }
    if (m_Input.initial)
    {
      stages.insert(stages.end(), m_Input.initial->begin(), m_Input.initial->end());
    }
    return stages;
  }

  /** What points go through after a stage: what was found before it, without the last ones, and the given transform. */
  std::vector<TransformChain::Stage>
  MakeStages(std::size_t without) const
  {
    std::vector<FoundTransform> chain = m_Outcome.GetChain();
    chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(without));
    std::vector<TransformChain::Stage> stages;
    for (const FoundTransform & found : chain)
    {
      stages.push_back(MakeChainStage(found));
    }
    if (m_Input.initial)
    {
      stages.insert(stages.end(), m_Input.initial->begin(), m_Input.initial->end());
    }
    return stages;
  }

  /** The factor of a stage's values for the units of the images. Sums over several pairs have no unit. */
  double
  UnitOf(const StageSpec & stage) const
  {
    const double factor = m_Outcome.valueFactors.front().front();
    return stage.metrics.size() == 1 && stage.HasMetric(MetricKind::MeanSquares) ? 1.0 / factor / factor : 1.0;
  }

  void
  RunNext(std::size_t number)
  {
    const StageSpec &  stage = m_Spec.stages[number];
    const unsigned int dimension = m_Images.GetFixedGrid().dimension;
    if (!m_Input.stageMasks.empty())
    {
      m_Images.SetMasks(m_Input.stageMasks[number]);
    }
    // A linear stage replaces the linear transform before it, if it can represent that.
    const auto * const linear = std::get_if<LinearModel>(&stage.model);
    const bool         replaces = linear != nullptr && m_Linear && m_LinearKind <= linear->kind;
    LinearTransform    start(LinearKind::Translation, dimension, m_Centre);
    if (replaces)
    {
      start = RestrictTo(linear->kind, *m_Linear);
    }
    const std::vector<TransformChain::Stage> behind = this->MakeStages(replaces ? 1 : 0);
    const std::size_t                        most = MaximumWarpStages - 1;
    if (behind.size() > most)
    {
      throw std::invalid_argument("the transforms before stage " + std::to_string(number + 1) + " are " +
                                  std::to_string(behind.size()) + ", and at most " + std::to_string(most) +
                                  " are possible");
    }
    const double            unit = this->UnitOf(stage);
    bool                    isStopped = false;
    const RegistrationWatch watch = [&](const RegistrationIteration & found) {
      PipelineIteration iteration;
      iteration.stage = number;
      iteration.level = found.level;
      iteration.number = found.number;
      iteration.value = found.value * unit;
      iteration.convergence = found.convergence;
      iteration.step = found.step;
      iteration.progress = EstimateProgress(m_Spec, dimension, number, found.level, found.number);
      isStopped = !this->Report(iteration);
      return !isStopped;
    };
    const auto         begin = std::chrono::steady_clock::now();
    const StageContext context{ stage,    number, m_Spec.precision, m_Images, behind, m_StageCallbacks, watch,
                                m_Device, m_Host };
    StageOutcome       outcome = this->RunGuarded(context, start);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    outcome.use = GetBackendUse();
    outcome.replacesPrevious = replaces;
    for (LevelRecord & level : outcome.levels)
    {
      level.value *= unit;
    }
    this->WarnOfUndoneLevels(number, outcome);
    this->WarnOfFewIterations(number, outcome);
    m_Linear.reset();
    if (const auto * const found = std::get_if<LinearTransform>(&outcome.transform))
    {
      m_Linear = *found;
      m_LinearKind = found->GetKind();
    }
    m_Outcome.stages.push_back(std::move(outcome));
    m_Outcome.isStopped = isStopped;
  }

  /** A linear transform as one of a smaller kind that can represent it: a rigid one without a rotation as a
   * translation. */
  static LinearTransform
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

  /** Runs a stage. Where it fails and the images hardly overlap, that is why. */
  StageOutcome
  RunGuarded(const StageContext & context, const LinearTransform & start)
  {
    const auto explain = [&](const std::string & detail, const std::optional<LinearTransform> & found) {
      std::vector<TransformChain::Stage> stages = found ? context.behind : this->MakeStages(0);
      if (found)
      {
        stages.insert(stages.begin(), found->MakeStage());
      }
      const double overlap = m_Images.MeasureOverlap(0, stages);
      if (overlap < LeastOverlap)
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
      throw std::invalid_argument("the images do not overlap under their masks in stage " +
                                  std::to_string(context.number + 1) + " (" + NameOf(context.spec.GetKind()) +
                                  "): " + error.what());
    }
    catch (const std::invalid_argument & error)
    {
      explain(error.what(), std::nullopt);
      throw;
    }
  }

  const RegistrationInput &      m_Input;
  const RegistrationSpec &       m_Spec;
  const PipelineCallbacks &      m_Callbacks;
  PipelineCallbacks              m_StageCallbacks; ///< of stages, whose results may be replaced
  std::vector<PipelineWarning>   m_HeldWarnings;
  std::vector<PipelineIteration> m_TrialIterations;
  bool                           m_IsTrial{ false };
  const std::string &            m_Device;
  ExecutionContext               m_Host;
  PreparedImages                 m_Images;
  RegistrationOutcome            m_Outcome;
  FieldGrid::Vector              m_Centre{};                              ///< of rotations, scales and matrices
  std::optional<LinearTransform> m_Linear;                                ///< what a linear stage may start from
  LinearKind                     m_LinearKind{ LinearKind::Translation }; ///< the smallest kind that represents it
};

} // namespace

const char *
Describe(LevelEnd end)
{
  static constexpr const char * texts[] = { "all iterations are done",
                                            "values hardly fall any more",
                                            "it was stopped",
                                            "steps are shorter than the minimum",
                                            "there is no direction in which values fall",
                                            "it made the metric worse and was undone" };
  return texts[static_cast<std::size_t>(end)];
}

std::vector<FoundTransform>
RegistrationOutcome::GetChain() const
{
  std::vector<FoundTransform> chain; // the last one first
  if (start)
  {
    chain.emplace_back(*start);
  }
  for (const StageOutcome & stage : stages)
  {
    if (stage.replacesPrevious)
    {
      chain.pop_back();
    }
    chain.push_back(stage.transform);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

OverlapError::OverlapError(std::size_t         pair,
                           int                 stage,
                           const std::string & kind,
                           double              overlap,
                           const std::string & detail)
  : std::invalid_argument(DescribeOverlap(pair, stage, kind, overlap, detail))
  , m_Pair(pair)
{}

RegistrationOutcome
RunRegistration(const RegistrationInput & input,
                const RegistrationSpec &  spec,
                const PipelineCallbacks & callbacks,
                const std::string &       device,
                const ExecutionContext &  context)
{
  return Pipeline(input, spec, callbacks, device, context).Run();
}

ImageAgreement
MeasureAgreement(const ImagePair &                          pair,
                 const std::vector<TransformChain::Stage> & stages,
                 const ExecutionContext &                   context)
{
  RegistrationInput input;
  input.pairs.push_back(pair);
  return PreparedImages(input, context).MeasureAgreement(stages, stages);
}

PairSimilarity
MeasureSimilarity(const ImagePair &                          pair,
                  const std::vector<TransformChain::Stage> & stages,
                  const ExecutionContext &                   context)
{
  RegistrationInput input;
  input.pairs.push_back(pair);
  PreparedImages   images(input, context);
  RegistrationSpec spec;
  images.Rescale(spec, {});
  ExecutionContext host = context;
  host.backend = Backend::Cpu;
  const Residence residence(host);
  const auto      valueOf = [&](MetricKind kind) {
    LinearMetric metric;
    metric.kind = kind;
    metric.arithmetic = pair.fixed.pixel;
    LinearLevel            level(pair.fixed.grid,
                      images.MakeFixed(1, residence).front(),
                      images.MakeMoving(1, stages, residence).front(),
                      metric,
                      residence);
    const LinearTransform  identity(LinearKind::Translation, pair.fixed.grid.dimension);
    const LinearEvaluation found = level.Evaluate(identity, false);
    if (found.count == 0)
    {
      throw std::invalid_argument("the images do not overlap");
    }
    return found.value;
  };
  PairSimilarity similarity;
  similarity.correlation = std::sqrt(std::max(0.0, -valueOf(MetricKind::Correlation))); // which is its square
  similarity.localCorrelation = -valueOf(MetricKind::LocalCorrelation);
  return similarity;
}

} // namespace itk::CudaSpline
