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
#include "itkCudaSpline/kernels/metrics/PointForces.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/metrics/passes/PointForcesBody.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("Metric forces: ") + what + ".");
  }
}

} // namespace

std::size_t
CountPointForcesScratch(const FieldGrid & grid)
{
  return CountOrderedSums(grid) * sizeof(PointSums);
}

void
EvaluatePointForces(const PointForcesDescriptor &  descriptor,
                    const LocalCorrelationImages & images,
                    PointSums *                    sums,
                    void *                         movingDerivative,
                    void *                         fixedDerivative,
                    void *                         scratch,
                    const Residence &              residence)
{
  const MetricPass & pass = descriptor.passes[0];
  Require(PointContributions::Has(pass) && descriptor.passes[1].index() == pass.index(),
          "the metric does not support forces on single samples");
  Require(descriptor.grid.dimension == 2 || descriptor.grid.dimension == 3, "images must have 2 or 3 dimensions");
  Require(IsReal(descriptor.pixel) && IsReal(descriptor.derivative),
          "pixels and derivatives must be float32 or float64");
  const auto hasTable = [&descriptor](std::size_t direction) {
    const auto * const information = std::get_if<InformationPass>(&descriptor.passes[direction]);
    return information == nullptr || information->table != nullptr;
  };
  Require((movingDerivative == nullptr || hasTable(0)) && (fixedDerivative == nullptr || hasTable(1)),
          "mutual information needs a table for each direction");
  Require(images.fixed != nullptr && images.moving != nullptr, "two images are needed");
  Require(sums == nullptr || scratch != nullptr, "sums need scratch memory");
  const PointForcesResults results{ sums, movingDerivative, fixedDerivative, static_cast<PointSums *>(scratch) };
  if (residence.IsOnDevice())
  {
    WalkPointForcesOnCuda(descriptor, images, results, residence);
    return;
  }
  WalkPointForces(
    descriptor, images, results, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkPointForcesOnCuda(const PointForcesDescriptor &,
                      const LocalCorrelationImages &,
                      const PointForcesResults &,
                      const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
