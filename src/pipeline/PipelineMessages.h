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
#ifndef pipeline_PipelineMessages_h
#define pipeline_PipelineMessages_h

#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include <string>
#include <vector>

/** \file
 * \brief What a registration reports to its caller, and what it holds back until a result is kept. */

namespace itk::CudaSpline
{

/** \brief Warnings and iterations on their way to the caller. */
class PipelineMessages
{
public:
  /** \param[in] callbacks of the caller, which outlive this object */
  explicit PipelineMessages(const PipelineCallbacks & callbacks);
  PipelineMessages(const PipelineMessages &) = delete;
  PipelineMessages &
  operator=(const PipelineMessages &) = delete;

  /** The callbacks of stages: those of the caller, by way of this object. */
  const PipelineCallbacks &
  GetCallbacks() const
  {
    return m_Callbacks;
  }

  /** Holds a warning until ReleaseWarnings(), as its result may still be replaced. */
  void
  Warn(PipelineWarning::Kind kind, int stage, const std::string & text);
  void
  Warn(const PipelineWarning & warning);

  /** Reports all warnings. */
  void
  ReleaseWarnings();

  /** Reports an iteration, or holds it in a trial. \return false: the caller ends the registration */
  bool
  Report(const PipelineIteration & iteration);

  /** Begins a second attempt, whose result may replace the first one. */
  void
  BeginTrial();

  /** Ends it. If its result is kept, its iterations are reported, and the warnings of the first attempt are dropped;
   * else its own are. \return false: the caller ends the registration */
  bool
  EndTrial(bool isKept);

private:
  const PipelineCallbacks &      m_Caller;
  PipelineCallbacks              m_Callbacks;
  std::vector<PipelineWarning>   m_Warnings;
  std::vector<PipelineWarning>   m_FirstWarnings; ///< of the first attempt
  std::vector<PipelineIteration> m_TrialIterations;
  bool                           m_IsTrial{ false };
};

/** \brief A number for a message. */
std::string
Brief(double number, int digits = 4);

} // namespace itk::CudaSpline

#endif
