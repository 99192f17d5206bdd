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
#include "itkCudaSpline/kernels/gradients/JointHistogram.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/gradients/JointHistogramBody.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const std::string & what)
{
  if (!holds)
  {
    throw std::invalid_argument(what);
  }
}

void
Check(const JointSamples & samples, const ExecutionContext & context)
{
  constexpr std::int64_t most = std::int64_t{ 1 } << 40;
  Require(samples.bins >= MinJointBins && samples.bins <= MaxJointBins,
          "bins is " + std::to_string(samples.bins) + ", and " + std::to_string(MinJointBins) + " to " +
            std::to_string(MaxJointBins) + " are supported.");
  Require(samples.count >= 0 && samples.count <= most,
          "count is " + std::to_string(samples.count) + ", and 0 to 2^40 are supported.");
  Require(IsReal(samples.element),
          std::string("Arithmetic is float32 or float64, not ") + NameOf(samples.element) + ".");
  Require(samples.place.onDevice == (context.backend == Backend::Cuda),
          std::string("Arrays on a device need the Cuda backend, those in host memory Cpu; the backend is ") +
            NameOf(context.backend) + ".");
  Require(samples.count == 0 || (samples.fixed != nullptr && samples.moving != nullptr && samples.ends != nullptr),
          "fixed, moving or ends is null.");
}

} // namespace

void
AccumulateJointHistogram(const JointSamples & samples, void * joint, const ExecutionContext & context)
{
  Check(samples, context);
  Require(joint != nullptr, "joint is null.");
  (context.backend == Backend::Cuda ? AccumulateJointHistogramOnCuda
                                    : AccumulateJointHistogramOnCpu)(samples, joint, context);
}

void
DifferentiateJointHistogram(const JointSamples &     samples,
                            const void *             weights,
                            void *                   fixedGradient,
                            void *                   movingGradient,
                            const ExecutionContext & context)
{
  Check(samples, context);
  if (samples.count == 0 || (fixedGradient == nullptr && movingGradient == nullptr))
  {
    return;
  }
  Require(weights != nullptr, "joint is null.");
  (context.backend == Backend::Cuda ? DifferentiateJointHistogramOnCuda : DifferentiateJointHistogramOnCpu)(
    samples, weights, fixedGradient, movingGradient, context);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
AccumulateJointHistogramOnCuda(const JointSamples &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
DifferentiateJointHistogramOnCuda(const JointSamples &, const void *, void *, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
