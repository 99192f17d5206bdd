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
#ifndef pipeline_StageSequence_h
#define pipeline_StageSequence_h

#include "pipeline/RegistrationStart.h"
#include "pipeline/StageRun.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/** \file
 * \brief The stages of a registration, each of which starts from the result of the previous ones. */

namespace itk::CudaSpline
{

/** \brief Runs stages one after the other. */
class StageSequence
{
public:
  /** The results so far, and the initial transform of the next linear stage. */
  struct State
  {
    RegistrationOutcome            outcome;
    std::optional<LinearTransform> linear;
    LinearKind                     linearKind{ LinearKind::Translation }; ///< the smallest kind that represents it
  };

  /** All arguments must outlive this object. */
  StageSequence(const RegistrationInput & input,
                const RegistrationSpec &  spec,
                PreparedImages &          images,
                PipelineMessages &        messages,
                const std::string &       device,
                const ExecutionContext &  host);

  /** Removes all stages, and starts from an initial alignment. */
  void
  StartFrom(const RegistrationStart & start);

  /** Runs the next stage. \exception OverlapError,std::invalid_argument,DeviceError see RunRegistration() */
  void
  RunNext();

  /** The results so far. */
  ///@{
  const State &
  GetState() const
  {
    return m_State;
  }
  void
  SetState(const State & state)
  {
    m_State = state;
  }
  RegistrationOutcome &
  GetOutcome()
  {
    return m_State.outcome;
  }
  const RegistrationOutcome &
  GetOutcome() const
  {
    return m_State.outcome;
  }
  ///@}

  /** The stages that map points: the transforms found so far, except the last ones, and the caller's transform. */
  std::vector<TransformChain::Stage>
  MakeStages(std::size_t without = 0) const;

  /** Those of them that are linear or from the caller. */
  std::vector<TransformChain::Stage>
  MakeLinearStages() const;

private:
  std::vector<TransformChain::Stage>
  MakeStagesAfter(std::size_t number, bool replaces) const;
  double
  UnitOf(const StageSpec & stage) const;
  StageOutcome
  RunGuarded(const StageContext & context, const LinearTransform & start);

  const RegistrationInput & m_Input;
  const RegistrationSpec &  m_Spec;
  PreparedImages &          m_Images;
  PipelineMessages &        m_Messages;
  const std::string &       m_Device;
  const ExecutionContext &  m_Host;
  FieldGrid::Vector         m_Centre{}; ///< of rotations, scales and matrices
  State                     m_State;
};

} // namespace itk::CudaSpline

#endif
