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
#include "itkCudaSpline/kernels/transforms/StageIdentity.h"
#include "itkCudaSpline/device/Device.h"

#include "kernels/transforms/TransformStages.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace itk::CudaSpline
{

bool
MovesNothing(const TransformChain::Stage & stage, unsigned int dimension, const ExecutionContext & context)
{
  if (stage.kind == TransformKind::Affine)
  {
    bool isNothing = true;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      isNothing = isNothing && stage.offset[r] == 0.0;
      for (unsigned int c = 0; c < dimension; ++c)
      {
        isNothing = isNothing && stage.matrix[r][c] == (r == c ? 1.0 : 0.0);
      }
    }
    return isNothing;
  }
  if (stage.kind != TransformKind::DisplacementField || DeviceOfPointer(DisplacementsOf(stage)) >= 0)
  {
    return false;
  }
  constexpr std::int64_t block = 4096;
  const std::int64_t     count = TransformChain::CountOf(stage, dimension);
  std::atomic<bool>      isNothing{ true };
  const auto             look = [&](const auto * numbers) {
    context.ParallelFor((count + block - 1) / block, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end && isNothing.load(std::memory_order_relaxed); ++b)
      {
        const std::int64_t last = std::min(count, (b + 1) * block);
        if (!std::all_of(numbers + b * block, numbers + last, [](auto number) { return number == 0; }))
        {
          isNothing = false;
        }
      }
    });
  };
  stage.singleData != nullptr ? look(stage.singleData.get()) : look(stage.data.get());
  return isNothing;
}

} // namespace itk::CudaSpline
