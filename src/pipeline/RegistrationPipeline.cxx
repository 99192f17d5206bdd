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

#include "pipeline/ResultWarnings.h"
#include "pipeline/StageSequence.h"

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** Factor by which another rotation has to explain more. */
constexpr double ClearlyMore = 1.05;

/** Cosine of the angle (20 degrees) beyond which the rotation of an axis by a linear result is doubtful: other
 * rotations are then searched. */
constexpr double CosineOfLargeRotation = 0.94;

/** Cosine of the angle (3 degrees) from which two rotations in a plane are different optima. */
constexpr double CosineOfOtherRotation = 0.9986;

/** Returns whether a transform rotates an axis from where another one rotates it, by an angle with at most some cosine.
 */
bool
IsRotatedFrom(const LinearTransform & other, const LinearTransform & transform, double cosine)
{
  const LinearTransform::Matrix from = other.GetMatrix();
  const LinearTransform::Matrix to = transform.GetMatrix();
  for (unsigned int axis = 0; axis < transform.GetDimension(); ++axis)
  {
    double product = 0.0;
    for (unsigned int row = 0; row < transform.GetDimension(); ++row)
    {
      product += from[row][axis] * to[row][axis];
    }
    const double lengths =
      std::hypot(from[0][axis], from[1][axis], from[2][axis]) * std::hypot(to[0][axis], to[1][axis], to[2][axis]);
    if (product < cosine * lengths)
    {
      return true;
    }
  }
  return false;
}

/** A registration: prepares images, runs stages, and checks the result. */
class Pipeline
{
public:
  Pipeline(const RegistrationInput & input,
           const RegistrationSpec &  spec,
           const PipelineCallbacks & callbacks,
           const std::string &       device,
           const ExecutionContext &  context)
    : m_Input(input)
    , m_Spec(spec)
    , m_Host(OnHost(context))
    , m_Messages(callbacks)
    , m_Images(input, context)
    , m_Stages(input, spec, m_Images, m_Messages, device, m_Host)
  {}

  RegistrationOutcome
  Run()
  {
    this->CheckImages();
    if (m_Spec.winsorize)
    {
      m_Images.Clip(*m_Spec.winsorize);
    }
    this->RefuseConstantImages();
    this->GetOutcome().valueFactors = m_Images.Rescale(m_Spec, m_Messages.GetCallbacks().warning);
    this->PrepareTerms();
    m_Start = FindStart(m_Input, m_Spec, m_Images, m_Messages);
    m_Stages.StartFrom(m_Start);
    WarnOfRestrictedStart(m_Spec, m_Start, m_Images.GetFixedGrid(), m_Messages);
    m_Messages.ReleaseWarnings();
    this->CheckOverlap();
    this->RunStages();
    WarnOfStillLevels(m_Spec, m_Images.GetFixedGrid(), m_Messages);
    this->CheckAgreement();
    m_Messages.ReleaseWarnings();
    return std::move(this->GetOutcome());
  }

private:
  static ExecutionContext
  OnHost(ExecutionContext context)
  {
    context.backend = Backend::Cpu;
    return context;
  }

  RegistrationOutcome &
  GetOutcome()
  {
    return m_Stages.GetOutcome();
  }

  void
  CheckImages() const
  {
    CheckSpec(m_Spec, m_Images.GetFixedGrid(), m_Input.pairs.size());
    if (!m_Input.stageMasks.empty() && m_Input.stageMasks.size() != m_Spec.stages.size())
    {
      throw std::invalid_argument("there are masks for " + std::to_string(m_Input.stageMasks.size()) +
                                  " stages, and the registration has " + std::to_string(m_Spec.stages.size()));
    }
    this->CheckTerm(&StageSpec::landmarkWeight, !m_Input.landmarks.empty(), "landmark_weight", "landmarks");
    this->CheckTerm(&StageSpec::labelWeight, m_Input.labels.has_value(), "label_weight", "label maps");
    this->CheckSliding();
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
    this->CheckGeometries();
  }

  /** \exception std::invalid_argument a mask or a label map has lost its geometry */
  void
  CheckGeometries() const
  {
    const ImagePair & images = m_Input.pairs.front();
    const auto        check = [](const FieldGrid & grid, const FieldGrid & image, const std::string & name) {
      if (HasLostGeometry(grid, image))
      {
        throw std::invalid_argument(name +
                                    " has no geometry (spacing 1, origin 0), but its image has one: they are not "
                                           "in the same position; give it the geometry of the image");
      }
    };
    const auto checkMasks = [&](const ImagePair & pair) {
      if (pair.fixed.mask != nullptr)
      {
        check(pair.fixed.maskGrid, images.fixed.grid, "the mask of the fixed image");
      }
      if (pair.moving.mask != nullptr)
      {
        check(pair.moving.maskGrid, images.moving.grid, "the mask of the moving image");
      }
    };
    checkMasks(images);
    for (const std::vector<ImagePair> & pairs : m_Input.stageMasks)
    {
      checkMasks(pairs.front());
    }
    if (m_Input.labels)
    {
      check(m_Input.labels->fixed.grid, images.fixed.grid, "the label map of the fixed image");
      check(m_Input.labels->moving.grid, images.moving.grid, "the label map of the moving image");
    }
    if (m_Input.slidingRegions)
    {
      check(m_Input.slidingRegions->grid, images.fixed.grid, "the map of sliding regions");
    }
  }

  /** Returns whether a stage has a weight of a term. A weight of 0 counts only if \p maybeZero is set. */
  bool
  HasWeight(std::optional<double> StageSpec::*weight, bool maybeZero = false) const
  {
    return std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [&](const StageSpec & stage) {
      return maybeZero ? (stage.*weight).has_value() : (stage.*weight).value_or(0.0) > 0.0;
    });
  }

  /** \exception SpecError a given term has no weight, or a weight has no term */
  void
  CheckTerm(std::optional<double> StageSpec::*weight,
            bool                              isGiven,
            const std::string &               option,
            const std::string &               term) const
  {
    const auto complain = [&](const std::string & text) { throw SpecError({ { option, -1, "", text, {}, false } }); };
    if (isGiven && !this->HasWeight(weight, true))
    {
      complain("there are " + term + ", but no stage has a weight of them");
    }
    if (!isGiven && this->HasWeight(weight))
    {
      complain("a stage has a weight above 0, but there are no " + term);
    }
  }

  /** Whether regions slide in any stage. \param[in] byDefault whether they do in a stage without that option */
  bool
  Slides(bool byDefault) const
  {
    return std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [byDefault](const StageSpec & stage) {
      return stage.GetKind() == StageKind::Greedy && std::get<FieldModel>(stage.model).slides.value_or(byDefault);
    });
  }

  /** \exception SpecError no stage uses the sliding regions, or a stage has none */
  void
  CheckSliding() const
  {
    const auto & stages = m_Spec.stages;
    const auto   isGreedy = [](const StageSpec & stage) { return stage.GetKind() == StageKind::Greedy; };
    const auto complain = [](const std::string & text) { throw SpecError({ { "sliding", -1, "", text, {}, false } }); };
    if (m_Input.slidingRegions && std::none_of(stages.begin(), stages.end(), isGreedy))
    {
      complain("a map of sliding regions is given (--sliding-regions, sliding_regions), but no stage uses it; only "
               "stages 'greedy' do; fields of 'syn' and 'tvf' are not on the fixed image, whose regions are known");
    }
    if (!m_Input.slidingRegions && this->Slides(false))
    {
      complain("a stage has sliding, but no map of sliding regions is given (--sliding-regions, sliding_regions)");
    }
  }

  /** Prepares landmarks and label maps. */
  void
  PrepareTerms()
  {
    if (m_Input.labels && this->HasWeight(&StageSpec::labelWeight))
    {
      m_Images.SetLabels(*m_Input.labels, m_Messages);
    }
    if (m_Input.slidingRegions && this->Slides(true) && !m_Images.HasRegionBorder())
    {
      m_Messages.Warn(PipelineWarning::Kind::NoSlidingBorder,
                      -1,
                      "the map of sliding regions has one label in the whole fixed image, so nothing slides; check "
                      "its labels and its geometry");
    }
    const std::size_t outside = m_Images.CountOutsideLandmarks();
    if (outside > 0 && this->HasWeight(&StageSpec::landmarkWeight))
    {
      m_Messages.Warn(PipelineWarning::Kind::OutsideLandmarks,
                      -1,
                      std::to_string(outside) + " of " + std::to_string(m_Input.landmarks.size()) +
                        " landmarks have a point outside of its image; only linear stages use them fully");
    }
  }

  /** \exception std::invalid_argument a stage compares an image that has only one value */
  void
  RefuseConstantImages()
  {
    std::size_t checked = 0; // number of pairs that were checked with the masks of all stages
    for (std::size_t number = 0; number < m_Spec.stages.size(); ++number)
    {
      const StageSpec & stage = m_Spec.stages[number];
      if (!m_Input.stageMasks.empty())
      {
        m_Images.SetMasks(m_Input.stageMasks[number]);
        checked = 0;
      }
      if (const std::string constant = m_Images.DescribeConstantImage(checked, stage.metrics.size()); !constant.empty())
      {
        throw std::invalid_argument(constant + "; stage " + std::to_string(number + 1) + " (" +
                                    NameOf(stage.GetKind()) + ", metric " + WordOf(stage.metrics.front().kind) +
                                    ") needs at least 2 different values");
      }
      checked = std::max(checked, stage.metrics.size());
    }
    m_Images.SetMasks(m_Input.pairs);
  }

  /** Returns whether any level has iterations. */
  bool
  Iterates() const
  {
    return std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [](const StageSpec & stage) {
      return std::any_of(
        stage.levels.begin(), stage.levels.end(), [](const PyramidLevel & level) { return level.iterations > 0; });
    });
  }

  void
  CheckOverlap()
  {
    for (std::size_t pair = 0; pair < m_Input.pairs.size() && this->Iterates(); ++pair)
    {
      if (m_Images.MeasureOverlap(pair, m_Stages.MakeStages()) == 0.0)
      {
        throw OverlapError(pair, -1, "", 0.0, "");
      }
    }
  }

  void
  RunStages()
  {
    const std::size_t linear = this->CountFirstLinear();
    for (std::size_t number = 0; number < m_Spec.stages.size() && !this->GetOutcome().isStopped; ++number)
    {
      m_Stages.RunNext();
      if (number + 1 == linear && this->MayRotate())
      {
        this->CheckRotation(linear);
      }
      m_Messages.ReleaseWarnings();
    }
  }

  static bool
  IsLinear(const StageSpec & stage)
  {
    return std::holds_alternative<LinearModel>(stage.model);
  }

  std::size_t
  CountLinear() const
  {
    return static_cast<std::size_t>(std::count_if(m_Spec.stages.begin(), m_Spec.stages.end(), IsLinear));
  }

  /** Returns the number of linear stages before the first other one. */
  std::size_t
  CountFirstLinear() const
  {
    const auto other = std::find_if_not(m_Spec.stages.begin(), m_Spec.stages.end(), IsLinear);
    return static_cast<std::size_t>(other - m_Spec.stages.begin());
  }

  /** Returns whether the linear stages may start from another rotation, so that no option excludes it. */
  bool
  MayRotate()
  {
    const bool isStartOurs = this->GetOutcome().start && m_Spec.initial != InitialAlignment::Search;
    // The check compares images only, so it cannot judge other terms.
    const bool hasTerms = this->HasWeight(&StageSpec::landmarkWeight) || this->HasWeight(&StageSpec::labelWeight);
    return isStartOurs && !hasTerms && !this->GetOutcome().isStopped && this->Iterates() &&
           std::any_of(m_Spec.stages.begin(), m_Spec.stages.end(), [](const StageSpec & stage) {
             const auto * const linear = std::get_if<LinearModel>(&stage.model);
             return linear != nullptr && linear->kind != LinearKind::Translation && stage.restriction.empty();
           });
  }

  /** Whether rotations have one axis: of 2D images, and of volumes of few slices. A search takes few evaluations there,
   * and optimizers capture smaller rotations than in space. */
  bool
  IsPlanar() const
  {
    constexpr std::int64_t few = 3; // slices
    const FieldGrid &      fixed = m_Images.GetFixedGrid();
    return std::any_of(fixed.size.begin(), fixed.size.end(), [](std::int64_t size) { return size <= few; });
  }

  /** Returns whether the rotation of the linear result may be wrong. */
  bool
  IsDoubtful(const ImageAgreement & agreement) const
  {
    const std::optional<LinearTransform> & found = m_Stages.GetState().linear;
    return agreement.significance < DoubtfulSignificance ||
           (!std::isnan(agreement.significance) && found &&
            IsRotatedFrom(LinearTransform(LinearKind::Rigid, found->GetDimension()), *found, CosineOfLargeRotation));
  }

  /** Runs the linear stages again from the best of many rotations, if the images have little in common or are rotated
   * by a large angle, and if a rotation explains more. In a plane other rotations are always tried. The better result
   * is kept. */
  void
  CheckRotation(std::size_t linear)
  {
    const ImageAgreement before = this->MeasureLinear();
    const bool           isDoubtful = this->IsDoubtful(before);
    if (!isDoubtful && !this->IsPlanar())
    {
      return;
    }
    const LinearTransform::Vector          shift = this->GetOutcome().start->GetTranslation();
    const FoundRotation                    found = FindBestRotation(m_Images, m_Start.centre, shift);
    const std::optional<LinearTransform> & result = m_Stages.GetState().linear;
    if (!isDoubtful && result && !IsRotatedFrom(*result, found.transform, CosineOfOtherRotation))
    {
      return;
    }
    const std::vector<TransformChain::Stage> rotation{ found.transform.MakeStage() };
    if (!(m_Images.MeasureAgreement(rotation, nullptr).explained > ClearlyMore * before.explained))
    {
      return;
    }
    const StageSequence::State first = m_Stages.GetState();
    m_Messages.BeginTrial();
    const double after = this->TryStart({ m_Start.centre, found.transform, LinearKind::Rigid }, linear);
    const bool   isBetter = after > ClearlyMore * before.explained;
    const bool   goesOn = m_Messages.EndTrial(isBetter);
    if (!isBetter)
    {
      m_Stages.SetState(first);
      m_OfLinear = before;
      return;
    }
    this->GetOutcome().isStopped = !goesOn;
    m_Messages.Warn(
      PipelineWarning::Kind::FoundRotation,
      -1,
      "the result from the initial alignment explained " + Brief(100.0 * before.explained) +
        " % of the fixed image's entropy; a search of rotations found another start, whose result explains " +
        Brief(100.0 * after) + " % and is kept");
  }

  /** Runs the linear stages from another start.
   *
   * \return the fraction that the result explains; -1 if the stages fail */
  double
  TryStart(const RegistrationStart & start, std::size_t linear)
  {
    m_Stages.StartFrom(start);
    try
    {
      for (std::size_t number = 0; number < linear; ++number)
      {
        m_Stages.RunNext();
      }
      return this->MeasureLinear().explained;
    }
    catch (const std::invalid_argument &)
    {
      return -1.0; // the images do not overlap
    }
  }

  /** Returns the agreement after the stages before the first one that is not linear. */
  ImageAgreement
  MeasureLinear()
  {
    const std::vector<TransformChain::Stage> stages = m_Stages.MakeStages();
    m_OfLinear = m_Images.MeasureAgreement(stages, &stages);
    return *m_OfLinear;
  }

  /** Returns the agreement of the result. The agreement of the linear stages is reused, unless masks or linear
   * transforms have changed. */
  ImageAgreement
  MeasureResult()
  {
    const bool isKnown = m_OfLinear && m_Input.stageMasks.empty() && this->CountLinear() == this->CountFirstLinear();
    if (isKnown && this->CountLinear() == m_Spec.stages.size())
    {
      return *m_OfLinear;
    }
    m_Images.SetMasks(m_Input.pairs); // instead of those of the last stage
    const std::vector<TransformChain::Stage> linear = m_Stages.MakeLinearStages();
    ImageAgreement agreement = m_Images.MeasureAgreement(m_Stages.MakeStages(), isKnown ? nullptr : &linear);
    agreement.significance = isKnown ? m_OfLinear->significance : agreement.significance;
    return agreement;
  }

  /** Checks whether the images can belong to each other. */
  void
  CheckAgreement()
  {
    if (this->GetOutcome().isStopped)
    {
      return;
    }
    ImageAgreement agreement = this->MeasureResult();
    if (!this->Iterates()) // a given transform is not compared with what a registration finds by chance
    {
      agreement.significance = std::numeric_limits<double>::quiet_NaN();
      agreement.isConstant = false;
    }
    this->GetOutcome().agreement = agreement;
    if (const std::string poor = DescribePoorAgreement(agreement); !poor.empty())
    {
      m_Messages.Warn(PipelineWarning::Kind::PoorAgreement, -1, poor);
    }
  }

  const RegistrationInput & m_Input;
  const RegistrationSpec &  m_Spec;
  ExecutionContext          m_Host;
  PipelineMessages          m_Messages;
  PreparedImages            m_Images;
  RegistrationStart         m_Start;
  StageSequence             m_Stages;
  /** Agreement after the linear stages before all others, if it was measured. */
  std::optional<ImageAgreement> m_OfLinear;
};

} // namespace

RegistrationOutcome
RunRegistration(const RegistrationInput & input,
                const RegistrationSpec &  spec,
                const PipelineCallbacks & callbacks,
                const std::string &       device,
                const ExecutionContext &  context)
{
  return Pipeline(input, spec, callbacks, device, context).Run();
}

} // namespace itk::CudaSpline
