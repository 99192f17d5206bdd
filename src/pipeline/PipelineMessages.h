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
 * \brief The messages of a registration to its caller, some of which are held until a result is kept. */

namespace itk::CudaSpline
{

/** \brief Warnings and iterations on their way to the caller. */
class PipelineMessages
{
public:
  /** \param[in] callbacks callbacks of the caller, which must outlive this object */
  explicit PipelineMessages(const PipelineCallbacks & callbacks);
  PipelineMessages(const PipelineMessages &) = delete;
  PipelineMessages &
  operator=(const PipelineMessages &) = delete;

  /** The callbacks of stages, which call those of the caller through this object. */
  const PipelineCallbacks &
  GetCallbacks() const
  {
    return m_Callbacks;
  }

  /** Holds a warning until ReleaseWarnings(), because its result may still be replaced. */
  void
  Warn(PipelineWarning::Kind kind, int stage, const std::string & text);
  void
  Warn(const PipelineWarning & warning);

  /** Reports all warnings. */
  void
  ReleaseWarnings();

  /** Reports an iteration, or holds it during a trial. \return false: the caller stops the registration */
  bool
  Report(const PipelineIteration & iteration);

  /** Begins a second attempt, whose result may replace the first one. */
  void
  BeginTrial();

  /** Ends the second attempt. If its result is kept, its iterations are reported, and the warnings of the first attempt
   * are dropped. Else its own warnings are dropped. \return false: the caller stops the registration */
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

/** \brief Formats a number for a message. */
std::string
Brief(double number, int digits = 4);

} // namespace itk::CudaSpline

#endif
