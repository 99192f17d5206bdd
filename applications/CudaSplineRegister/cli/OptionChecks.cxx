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
#include "cli/OptionChecks.h"

#include "console/Error.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace CudaSplineRegister
{

void
CheckOutputs(const Options & options)
{
  const bool writes =
    !(options.output.empty() && options.warped.empty() && options.picture.empty() && options.report.empty() &&
      options.prefix.empty() && options.field.empty() && options.inverse.empty() && options.jacobian.empty() &&
      options.parameters.empty() && options.specOutput.empty());
  if (!writes && !options.evaluate && !options.explain)
  {
    throw ProgramError(
      "there is nothing to write: name --output, --output-prefix, --warped, --field, --picture or --report");
  }
  if (options.fixedLabels.empty() != options.movingLabels.empty())
  {
    throw ProgramError(options.fixedLabels.empty() ? "--moving-labels needs --fixed-labels"
                                                   : "--fixed-labels needs --moving-labels");
  }
  if (options.fixedLandmarks.empty() != options.movingLandmarks.empty())
  {
    throw ProgramError(options.fixedLandmarks.empty() ? "--moving-landmarks needs --fixed-landmarks"
                                                      : "--fixed-landmarks needs --moving-landmarks");
  }
  if (options.composite && options.prefix.empty())
  {
    throw ProgramError("--composite needs --output-prefix");
  }
  if (options.logJacobian && options.jacobian.empty())
  {
    throw ProgramError("--log-jacobian needs --jacobian");
  }
}

void
CheckWarped(const Options & options)
{
  const bool asks = !options.reference.empty() || !options.grid.IsEmpty() || options.outputType;
  if (asks && options.warped.empty() && options.prefix.empty())
  {
    throw ProgramError("--reference, --crop, --spacing, --size, --origin, --direction and --output-type can only be "
                       "used with --warped or --output-prefix");
  }
}

void
CheckStages(const RawOptions & raw, const Options & options)
{
  const auto & stages = options.spec.stages;
  const bool   isRigid = std::all_of(
    stages.begin(), stages.end(), [](const StageSpec & stage) { return stage.GetKind() == StageKind::Rigid; });
  if (!options.parameters.empty() && (!isRigid || !raw.initial.empty()))
  {
    throw ProgramError(
      "--parameters can only be used with --stage rigid as the only stage, and without --initial-transform");
  }
}

} // namespace CudaSplineRegister
