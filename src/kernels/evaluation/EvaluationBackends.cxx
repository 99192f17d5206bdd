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
#include "kernels/evaluation/EvaluationBackends.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
void
CheckMode(const InterpolationDescriptor & method, const SourceDescriptor & samples)
{
  const std::string mode = std::string("Mode ") + NameOf(method.mode);
  if ((samples.storage == CoefficientStorage::Texture) != (method.mode != EvaluationMode::Exact))
  {
    throw std::invalid_argument(mode + " does not read coefficients of storage " + NameOf(samples.storage) + ".");
  }
  if (method.mode == EvaluationMode::Exact)
  {
    return;
  }
  const bool isSpline = method.interpolation == Interpolation::BSpline && samples.order >= 1;
  const bool isLinear = method.interpolation == Interpolation::Linear && samples.order <= 1;
  if (!isSpline && !isLinear)
  {
    throw std::invalid_argument(
      mode + " supports only linear interpolation and B-splines of orders 1 to 5, not " +
      (method.interpolation == Interpolation::BSpline ? "order 0" : NameOf(method.interpolation)) + ".");
  }
  if (method.mode == EvaluationMode::TextureTable && samples.order >= 2 && samples.tableEntries == 0)
  {
    throw std::invalid_argument(mode + " needs a source with a table of weights; this source does not have one.");
  }
}
} // namespace

void
CheckSource(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  if (source.GetBackend() != context.backend ||
      (context.backend == Backend::Cuda && source.GetDevice() != context.device))
  {
    throw std::invalid_argument(std::string("The source was made by the ") + NameOf(source.GetBackend()) +
                                " backend on device " + std::to_string(source.GetDevice()) +
                                "; it can only be evaluated there, not by the " + NameOf(context.backend) +
                                " backend on device " + std::to_string(context.device) + ".");
  }
  const std::string name = std::string("Interpolation ") + NameOf(method.interpolation);
  if (!MovesPixels(method.interpolation) && !IsReal(samples.element))
  {
    throw std::invalid_argument(name + " needs float32 or float64 samples, not " + NameOf(samples.element) + ".");
  }
  if (IsPacked(samples.storage) && !HasCoefficients(method.interpolation))
  {
    throw std::invalid_argument(name + " does not support coefficients in storage " + NameOf(samples.storage) +
                                "; use BSpline.");
  }
  if (samples.isInterleaved && !ReadsInterleaved(method.interpolation))
  {
    throw std::invalid_argument(name +
                                " does not support interleaved components; store each component as a separate plane.");
  }
  CheckMode(method, samples);
  if (method.interpolation == Interpolation::WindowedSinc && (method.radius < 1 || method.radius > MaximumSincRadius))
  {
    throw std::invalid_argument(name + " has a radius of " + std::to_string(method.radius) + " samples; 1 to " +
                                std::to_string(MaximumSincRadius) + " are supported.");
  }
}

} // namespace itk::CudaSpline
