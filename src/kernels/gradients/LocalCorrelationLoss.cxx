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
#include "itkCudaSpline/kernels/gradients/LocalCorrelationLoss.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/gradients/LocalCorrelationLossBackends.h"

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
Check(const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  constexpr std::int64_t longest = std::int64_t{ 1 } << 30;
  Require(pairs.dimension >= 1 && pairs.dimension <= 3,
          "dimension is " + std::to_string(pairs.dimension) + ", and 1 to 3 are supported.");
  Require(IsReal(pairs.element), std::string("Arithmetic is float32 or float64, not ") + NameOf(pairs.element) + ".");
  Require(pairs.images >= 0 && pairs.maskStride >= 0, "images and maskStride are 0 or more.");
  double elements = static_cast<double>(pairs.images);
  for (unsigned int axis = 0; axis < pairs.dimension; ++axis)
  {
    Require(pairs.size[axis] >= 1 && pairs.size[axis] < longest,
            "size is " + std::to_string(pairs.size[axis]) + ", and 1 to 2^30 - 1 are supported.");
    Require(pairs.radius[axis] >= 0, "radius is " + std::to_string(pairs.radius[axis]) + ", and 0 is the least.");
    elements *= static_cast<double>(pairs.size[axis]);
  }
  Require(elements < 0x1p58, "The arrays have more elements than can be addressed.");
  Require(pairs.place.onDevice == (context.backend == Backend::Cuda),
          std::string("Arrays on a device are for the Cuda backend, those in host memory for Cpu; the backend is ") +
            NameOf(context.backend) + ".");
}

} // namespace

void
EvaluateLocalCorrelationLoss(const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  Check(pairs, context);
  if (pairs.images == 0)
  {
    return;
  }
  Require(pairs.sums != nullptr, "sums is null.");
  Require(pairs.fixed != nullptr && pairs.moving != nullptr, "fixed or moving is null.");
  (context.backend == Backend::Cuda ? EvaluateLocalCorrelationLossOnCuda : EvaluateLocalCorrelationLossOnCpu)(pairs,
                                                                                                              context);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
EvaluateLocalCorrelationLossOnCuda(const LocalCorrelationPairs &, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
