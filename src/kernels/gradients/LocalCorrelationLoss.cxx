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


#include "kernels/metrics/local_correlation/ExactCorrelation.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

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
          std::string("Arrays on a device need the Cuda backend, those in host memory Cpu; the backend is ") +
            NameOf(context.backend) + ".");
}

/** The pairs as those of metrics, whose axes are x first, with the memory of their sums. */
ExactCorrelation
Describe(const LocalCorrelationPairs & pairs)
{
  ExactCorrelation             correlation;
  LocalCorrelationDescriptor & descriptor = correlation.descriptor;
  descriptor.grid.dimension = pairs.dimension;
  descriptor.radius.fill(0);
  for (unsigned int axis = 0; axis < pairs.dimension; ++axis)
  {
    const unsigned int from = pairs.dimension - 1 - axis;
    descriptor.grid.size[axis] = pairs.size[from];
    descriptor.radius[axis] = static_cast<int>(std::min(pairs.radius[from], pairs.size[from] - 1));
  }
  descriptor.pixel = pairs.element;
  descriptor.derivative = pairs.element;
  descriptor.factorsAlone = true;
  correlation.images.fixed = pairs.fixed;
  correlation.images.moving = pairs.moving;
  correlation.images.fixedInside = pairs.mask;
  correlation.pairs = pairs.images;
  correlation.maskStride = pairs.maskStride;
  correlation.keepsNonFinite = true;
  correlation.movingDerivative = pairs.movingGradient;
  correlation.fixedDerivative = pairs.fixedGradient;
  return correlation;
}

void
EvaluateOnCpu(ExactCorrelation correlation, const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  const std::unique_ptr<std::byte[]> scratch(
    new std::byte[CountExactCorrelationScratch(correlation, CountFactors(correlation), -1)]);
  std::vector<LocalCorrelationSums> sums(static_cast<std::size_t>(pairs.images));
  correlation.scratch = scratch.get();
  correlation.sums = sums.data();
  EvaluateExactCorrelationOnCpu(correlation, context);
  const auto store = [&](auto * to) {
    std::transform(sums.begin(), sums.end(), to, [to](const LocalCorrelationSums & of) {
      return static_cast<std::remove_pointer_t<decltype(to)>>(of.correlation);
    });
  };
  pairs.element == ScalarType::Float32 ? store(static_cast<float *>(pairs.sums))
                                       : store(static_cast<double *>(pairs.sums));
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
  context.backend == Backend::Cuda
    ? EvaluateLossOnCuda(Describe(pairs), pairs.sums, static_cast<StreamHandle>(pairs.place.stream), context.device)
    : EvaluateOnCpu(Describe(pairs), pairs, context);
}

} // namespace itk::CudaSpline
