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
#include "KernelStage.h"

#include "DeviceWord.h"

#include "itkMacro.h"

#include <string>

namespace CudaSplineRegister
{

KernelStage::KernelStage(const RegistrationRequest & request, std::size_t number)
  : m_Request(request)
  , m_Stage(request.options->stages[number])
  , m_Number(number)
{}

void
KernelStage::Tell(Iteration iteration) const
{
  if (m_Request.progress)
  {
    iteration.stage = m_Number;
    m_Request.progress(iteration);
  }
}

void
KernelStage::Add(const itk::CudaSplineBackend & backend,
                 unsigned int                   evaluations,
                 double                         seconds,
                 bool                           hasSamples,
                 const LevelResult &            level)
{
  if (m_Result.levels.empty())
  {
    CheckDeviceDid(backend.GetLastBackend(), backend.GetFallbackReason(), m_Request.options->device, "the metric");
  }
  if (!hasSamples && m_Stage.FirstMetric() == MetricKind::Mattes)
  {
    itkGenericExceptionMacro("All samples map outside moving image buffer."); // as ITK's metric, alone of all
  }
  auto & count = m_Result.use.counts[static_cast<std::size_t>(backend.GetLastBackend())];
  count.calls += evaluations;
  count.seconds += seconds;
  m_Result.levels.push_back(level);
}

StageResult
KernelStage::Conclude(const itk::CudaSplineBackend & backend, std::size_t parameters, double seconds) const
{
  StageResult result = m_Result;
  result.kind = m_Stage.kind;
  result.parameters = parameters;
  result.seconds = seconds;
  result.backend = result.use.Most();
  result.fallbackReason = backend.GetLastBackend() == result.backend ? backend.GetFallbackReason() : std::string();
  return result;
}

} // namespace CudaSplineRegister
