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
#include "itkCudaSpline/device/Texture.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/common/MemoryBudget.h"

#include <algorithm>
#include <string>

namespace itk::CudaSpline
{

MemoryPlan
PlanSource(const SourceDescriptor & source, std::size_t budget, bool isMade)
{
  MemoryPlan plan;
  plan.sourceBytes = source.Bytes();
  std::size_t making = source.ElementBytes();
  if (source.NeedsFilter())
  {
    making += source.ElementBytes();
  }
  if (source.element != source.pixel || source.components > 1)
  {
    making += RawBytes(source.PixelBytes());
  }
  if (source.storage != CoefficientStorage::Element)
  {
    making = std::max(making, source.ElementBytes() + plan.sourceBytes); // both exist during the conversion
  }
  plan.workspaceBytes = isMade ? 0 : making - plan.sourceBytes;
  RefuseUnlessWithin(plan, budget);
  if (source.storage == CoefficientStorage::Texture)
  {
    const std::int64_t most = source.dimension == 3 ? LargestTexture3D : LargestTexture2D;
    for (unsigned int d = 0; d < source.dimension; ++d)
    {
      if (source.Texels(d) > most)
      {
        plan.fits = false;
        plan.reason = "a texture of " + std::string(source.dimension == 3 ? "three" : "two") +
                      " dimensions has at most " + std::to_string(most) + "  texels per axis, and this one needs  " +
                      std::to_string(source.Texels(d)) + " along axis " + std::to_string(d);
      }
    }
  }
  return plan;
}

MemoryPlan
PlanPrefilter(const SourceDescriptor & source, std::size_t budget)
{
  MemoryPlan whole = PlanSource(source, budget);
  if (whole.fits || !source.NeedsFilter() || source.components > 1)
  {
    return whole;
  }
  std::int64_t length = 1;
  for (unsigned int axis = 0; axis < source.dimension; ++axis)
  {
    length = source.size[axis] > 1 ? source.size[axis] : length;
  }
  const auto        halo = 2 * static_cast<std::size_t>(ReachOfPrefilter(source));
  const std::size_t slice = static_cast<std::size_t>(source.Count() / length) * SizeOf(source.element);
  const std::size_t raw = source.element != source.pixel ? RawBytes(source.PixelBytes()) : 0;
  // Each slab with its halo needs two volumes.
  const std::size_t slices = budget > raw ? (budget - raw) / (2 * slice) : 0;
  MemoryPlan        plan = whole;
  plan.slabLines = slices > halo ? static_cast<std::int64_t>(slices - halo) / LineSegmentLength * LineSegmentLength : 0;
  const std::size_t least = static_cast<std::size_t>(std::max<std::int64_t>(plan.slabLines, LineSegmentLength)) + halo;
  plan.sourceBytes = least * slice;
  plan.workspaceBytes = plan.sourceBytes + raw;
  plan.slabBytes = 0;
  plan.fits = true;
  plan.reason.clear();
  RefuseUnlessWithin(plan, budget);
  return plan;
}

} // namespace itk::CudaSpline
