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
#include "cli/FileNames.h"

#include "itkCudaSpline/pipeline/RegistrationSpec.h"

#include <algorithm>

namespace CudaSplineRegister
{

std::vector<NamedPath>
InputsOf(const Options & options)
{
  std::vector<NamedPath> inputs{ { "the fixed image", options.fixed },
                                 { "the moving image", options.moving },
                                 { "--reference", options.reference },
                                 { "--fixed-labels", options.fixedLabels },
                                 { "--moving-labels", options.movingLabels },
                                 { "--fixed-landmarks", options.fixedLandmarks },
                                 { "--moving-landmarks", options.movingLandmarks },
                                 { "--sliding-regions", options.slidingRegions } };
  for (const std::string & mask : options.fixedMasks)
  {
    inputs.push_back({ "--fixed-mask", mask });
  }
  for (const std::string & mask : options.movingMasks)
  {
    inputs.push_back({ "--moving-mask", mask });
  }
  for (const TransformArgument & transform : options.initial)
  {
    inputs.push_back({ "--initial-transform", transform.file });
  }
  for (const AdditionalFiles & pair : options.further)
  {
    if (!pair.plane)
    {
      inputs.push_back({ "--also-fixed", pair.fixed });
      inputs.push_back({ "--also-moving", pair.moving });
    }
  }
  return inputs;
}

std::vector<NamedPath>
OutputsOf(const Options & options)
{
  std::vector<NamedPath> outputs{ { "--output", options.output },
                                  { "--warped", options.warped },
                                  { "--picture", options.picture },
                                  { "--report", options.report },
                                  { "--field", options.field },
                                  { "--inverse", options.inverse },
                                  { "--jacobian", options.jacobian },
                                  { "--parameters", options.parameters },
                                  { "--dump-spec", options.specOutput == "-" ? std::string() : options.specOutput } };
  const auto             add = [&](const char * ending, bool isWritten) {
    if (!options.prefix.empty() && isWritten)
    {
      outputs.push_back({ "--output-prefix", options.prefix + ending });
    }
  };
  add("0GenericAffine.mat", !options.composite);
  add("1Warp.nii.gz", !options.composite);
  add("1InverseWarp.nii.gz", !options.composite);
  add("Composite.h5", options.composite);
  add("InverseComposite.h5", options.composite);
  add("Warped.nii.gz", true);
  add("InverseWarped.nii.gz", true);
  return outputs;
}

bool
MayBeWritten(const std::string & path, const Options & options)
{
  const auto & stages = options.spec.stages;
  const bool   isOfField = path == options.prefix + "1Warp.nii.gz" || path == options.prefix + "1InverseWarp.nii.gz";
  return !isOfField || !options.initial.empty() || std::any_of(stages.begin(), stages.end(), IsBending);
}

std::string
StartText(const Options & options)
{
  if (options.initial.empty())
  {
    return itk::CudaSpline::NameOf(options.spec.initial);
  }
  std::string text;
  for (const TransformArgument & transform : options.initial)
  {
    text += (text.empty() ? "" : " ") + transform.file + (transform.inverse ? ",inverse" : "");
  }
  return text;
}

} // namespace CudaSplineRegister
