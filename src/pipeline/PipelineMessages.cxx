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
#include "pipeline/PipelineMessages.h"

#include <cstdio>
#include <utility>

namespace itk::CudaSpline
{

PipelineMessages::PipelineMessages(const PipelineCallbacks & callbacks)
  : m_Caller(callbacks)
{
  m_Callbacks.allocate = callbacks.allocate;
  m_Callbacks.iteration = [this](const PipelineIteration & iteration) { return this->Report(iteration); };
  m_Callbacks.warning = [this](const PipelineWarning & warning) { this->Warn(warning); };
}

void
PipelineMessages::Warn(PipelineWarning::Kind kind, int stage, const std::string & text)
{
  this->Warn({ kind, stage, text });
}

void
PipelineMessages::Warn(const PipelineWarning & warning)
{
  m_Warnings.push_back(warning);
}

void
PipelineMessages::ReleaseWarnings()
{
  for (const PipelineWarning & warning : std::exchange(m_Warnings, {}))
  {
    if (m_Caller.warning)
    {
      m_Caller.warning(warning);
    }
  }
}

bool
PipelineMessages::Report(const PipelineIteration & iteration)
{
  if (m_IsTrial)
  {
    m_TrialIterations.push_back(iteration);
    return true;
  }
  return !m_Caller.iteration || m_Caller.iteration(iteration);
}

void
PipelineMessages::BeginTrial()
{
  m_FirstWarnings = std::exchange(m_Warnings, {});
  m_IsTrial = true;
}

bool
PipelineMessages::EndTrial(bool isKept)
{
  m_IsTrial = false;
  const std::vector<PipelineIteration> iterations = std::exchange(m_TrialIterations, {});
  if (!isKept)
  {
    m_Warnings = std::exchange(m_FirstWarnings, {});
    return true;
  }
  bool goesOn = true;
  for (const PipelineIteration & iteration : iterations)
  {
    goesOn = this->Report(iteration) && goesOn;
  }
  return goesOn;
}

std::string
Brief(double number, int digits)
{
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, number);
  return text;
}

} // namespace itk::CudaSpline
