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
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Texture.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/gaussian/GaussianPasses.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
/** Bytes as a message has them: rounded up to megabytes, or to kilobytes where there are few. */
std::string
Rounded(std::size_t bytes)
{
  const bool        few = bytes < std::size_t(1) << 20;
  const unsigned    shift = few ? 10 : 20;
  const std::size_t number = (bytes + (std::size_t(1) << shift) - 1) >> shift;
  return std::to_string(number) + (few ? " KB" : " MB");
}

void
RefuseUnlessWithin(MemoryPlan & plan, std::size_t budget)
{
  if (plan.PeakBytes() > budget)
  {
    plan.fits = false;
    plan.reason =
      "the device has " + Rounded(budget) + " of memory to give and the operation needs " + Rounded(plan.PeakBytes());
  }
}

/** Slabs shrink, to one scanline if need be, before the plan is given up. */
void
SetSlabLines(MemoryPlan & plan, std::int64_t lines, std::size_t lineBytes, std::size_t budget)
{
  const std::size_t kept = plan.sourceBytes + plan.tableBytes;
  const std::size_t room = budget > kept ? (budget - kept) / 2 : 0;
  const std::size_t slab = std::min(room, TransferChunkBytes);
  plan.slabLines = std::min<std::int64_t>(
    std::max<std::int64_t>(lines, 1),
    std::max<std::int64_t>(1, lineBytes > 0 ? static_cast<std::int64_t>(slab / lineBytes) : lines));
}
} // namespace

std::size_t
RawBytes(std::size_t bytes)
{
  const std::size_t pieces = (bytes + StagingBytes - 1) / StagingBytes;
  return pieces <= 1 ? bytes : std::min<std::size_t>(pieces, MaximumCopyLanes) * StagingBytes;
}

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
    making = std::max(making, source.ElementBytes() + plan.sourceBytes); // both, while the one becomes the other
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
                      " dimensions has at most " + std::to_string(most) + " texels an axis, and this one takes " +
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
  // Two volumes of each slab with its halo.
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

MemoryPlan
PlanResample(const SourceDescriptor & source, const ResampleDescriptor & resample, std::size_t budget, bool isMade)
{
  MemoryPlan        plan = PlanSource(source, budget, isMade);
  const std::size_t pixelBytes = SizeOf(resample.output) * source.components;
  // Indices that the host computes travel with each slab.
  const std::size_t indexBytes = resample.indexProvider ? source.dimension * sizeof(double) : 0;
  const std::size_t lineBytes = static_cast<std::size_t>(resample.samples) * (pixelBytes + indexBytes);
  if (resample.chain != nullptr)
  {
    plan.tableBytes = resample.chain->Bytes(source.dimension);
  }
  else if (!resample.indexProvider)
  {
    plan.tableBytes =
      (static_cast<std::size_t>(resample.lines) * 2 * source.dimension + static_cast<std::size_t>(resample.samples)) *
      sizeof(double);
  }
  SetSlabLines(plan, resample.lines, lineBytes, budget);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * lineBytes + (resample.indexProvider ? sizeof(double) : 0);
  RefuseUnlessWithin(plan, budget);
  return plan;
}

MemoryPlan
PlanDisplacements(const DisplacementDescriptor & displacements, std::size_t budget)
{
  MemoryPlan        plan;
  const std::size_t lineBytes =
    static_cast<std::size_t>(displacements.samples) * displacements.dimension * SizeOf(displacements.output);
  plan.tableBytes = displacements.chain != nullptr
                      ? displacements.chain->Bytes(displacements.dimension)
                      : static_cast<std::size_t>(displacements.lines) * 2 * displacements.dimension * sizeof(double);
  SetSlabLines(plan, displacements.lines, lineBytes, budget);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * lineBytes;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

MemoryPlan
PlanPoints(const SourceDescriptor & source, const PointsDescriptor & points, std::size_t budget)
{
  MemoryPlan plan;
  plan.sourceBytes = source.Bytes();
  const std::size_t element = SizeOf(points.output);
  const std::size_t bytes = source.dimension * SizeOf(points.pointType) + (points.values != nullptr ? element : 0) +
                            (points.gradients != nullptr ? element * source.dimension : 0) +
                            (points.hessians != nullptr ? element * SymmetricEntries(source.dimension) : 0) +
                            (points.inside != nullptr ? 1 : 0);
  const std::size_t room = budget > plan.sourceBytes ? (budget - plan.sourceBytes) / 2 : 0;
  const auto        chunk = static_cast<std::int64_t>(std::min(room, TransferChunkBytes) / bytes);
  // Of a multiple of 16, every array of a chunk is aligned.
  plan.slabLines = std::max<std::int64_t>(16, std::min(chunk, points.count + 15) / 16 * 16);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * bytes;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

MemoryPlan
PlanGaussian(const GaussianDescriptor & descriptor, GaussianOperation operation, std::size_t budget)
{
  const auto        count = static_cast<std::size_t>(descriptor.Count());
  const ScalarType  element = GaussianElementOf(descriptor.pixel);
  const std::size_t size = SizeOf(descriptor.output);
  std::size_t       making = count * SizeOf(element); // the pixels, and what is there with them
  std::size_t       notes = 0;
  for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
  {
    notes = std::max(notes, GaussianNotesBytes(LinesOf(descriptor, axis)));
  }
  // Pieces of raw pixels are gone when the volumes are made: the larger of the two counts.
  const std::size_t raw = element != descriptor.pixel ? RawBytes(count * SizeOf(descriptor.pixel)) : 0;
  MemoryPlan        plan;
  if (operation == GaussianOperation::Smoothing)
  {
    plan.sourceBytes = count * sizeof(float);
    plan.tableBytes = descriptor.output != ScalarType::Float32 ? std::min(count * size, TransferChunkBytes) : 0;
  }
  else
  {
    plan.sourceBytes = count * descriptor.dimension * sizeof(float);
    plan.tableBytes = count * descriptor.dimension * size;
    plan.tableBytes =
      operation == GaussianOperation::Gradient ? std::min(plan.tableBytes, TransferChunkBytes) : plan.tableBytes;
  }
  making += std::max(raw, plan.sourceBytes + notes);
  plan.workspaceBytes = making > plan.sourceBytes ? making - plan.sourceBytes : 0;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

} // namespace itk::CudaSpline
