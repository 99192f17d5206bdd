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
#include "itkCudaSpline/pipeline/RegistrationForecast.h"

#include "itkCudaSpline/pipeline/SpecDocument.h"
#include "pipeline/PreparedImages.h"
#include "pipeline/StageRun.h"

namespace itk::CudaSpline
{

std::vector<StageForecast>
ForecastRegistration(const RegistrationInput & input,
                     const RegistrationSpec &  spec,
                     const std::string &       device,
                     const ExecutionContext &  context)
{
  PreparedImages images(input, context);
  CheckSpec(spec, images.GetFixedGrid(), input.pairs.size());
  PipelineCallbacks callbacks;
  callbacks.allocate = [](const ResultArray &) { return ResultMemory(); };
  const RegistrationWatch                  watch = [](const RegistrationIteration &) { return true; };
  const std::vector<TransformChain::Stage> behind;
  std::vector<StageForecast>               forecasts(spec.stages.size());
  for (std::size_t number = 0; number < spec.stages.size(); ++number)
  {
    images.ForecastInto(forecasts[number]);
    RunStage({ spec.stages[number], number, spec.precision, images, behind, callbacks, watch, device, context },
             LinearTransform(LinearKind::Translation, images.GetFixedGrid().dimension));
    const std::vector<bool> isNarrow = FindNarrowLevels(spec.stages[number], images.GetFixedGrid());
    for (std::size_t level = 0; level < isNarrow.size(); ++level)
    {
      if (isNarrow[level])
      {
        forecasts[number].narrowLevels.push_back(level);
      }
    }
  }
  return forecasts;
}

} // namespace itk::CudaSpline
