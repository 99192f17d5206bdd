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
#include "kernels/evaluation/ScanlinePlan.h"

#include "itkCudaSpline/device/GatherTexture.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace itk::CudaSpline
{

namespace
{

/** Plans everything except the bounds. */
bool
PlanBlocks(const EvaluationArguments<3> & arguments,
           std::int64_t                   lines,
           const ScanlineTuning &         tuning,
           ScanlinePlan &                 plan)
{
  const auto         blocksOf = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  const std::int64_t rows = arguments.sliceLines > 0 && arguments.sliceLines < lines ? arguments.sliceLines : lines;
  if (arguments.coordinates != Coordinates::Scanlines || arguments.singleCoordinates || arguments.alphas == nullptr ||
      arguments.components != 1 || arguments.inside != nullptr || arguments.defaultPixels != nullptr ||
      arguments.samples >= INT_MAX || rows >= INT_MAX)
  {
    return false;
  }
  plan.rows = static_cast<int>(rows);
  plan.extent[0] = tuning.samples * tuning.lanes;
  plan.extent[1] = 2 * (32 / tuning.lanes);
  plan.extent[2] = ScanlineThreads / 64;
  plan.blocks[0] = blocksOf(arguments.samples, plan.extent[0]);
  plan.blocks[1] = blocksOf(rows, plan.extent[1]);
  plan.blocks[2] = blocksOf(blocksOf(lines, rows), plan.extent[2]);
  for (int d = 0; d < 3; ++d)
  {
    plan.bounds.start[d] = static_cast<double>(arguments.extent.start[d]);
  }
  return plan.blocks[1] <= MaxGridBlocks && plan.blocks[2] <= MaxGridBlocks;
}

} // namespace

bool
PlanLinearScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan)
{
  if (!PlanBlocks(arguments, lines, LinearScanlineTuning, plan))
  {
    return false;
  }
  // Finds indices that have samples on both sides. There are at most 2^30 samples per axis, and 2^32 in total.
  constexpr std::int64_t largest = std::int64_t{ 1 } << 29;
  const auto &           extent = arguments.extent;
  ScanlineBounds &       bounds = plan.bounds;
  bool                   can = extent.size[0] * extent.size[1] < (std::int64_t{ 1 } << 32) / extent.size[2];
  for (int d = 0; d < 3; ++d)
  {
    const std::int64_t last = extent.start[d] + extent.size[d] - 1;
    can = can && extent.start[d] > -largest && last < largest;
    bounds.least[d] = std::max(arguments.lower[d], bounds.start[d]);
    bounds.most[d] = std::nextafter(std::min(arguments.upper[d], static_cast<double>(last)), -HUGE_VAL);
    // The same distinction between extension outside and ITK's rule as in LinearMethod.
    const bool   isNearest = arguments.extension[d] == Extension::Nearest;
    const double below = std::nextafter(arguments.upper[d], -HUGE_VAL);
    const double end = static_cast<double>(last) + 1.0;
    bounds.leastOfEdges[d] = isNearest ? std::max(arguments.lower[d], -static_cast<double>(largest)) : bounds.least[d];
    bounds.mostOfEdges[d] = std::min(below, isNearest ? std::nextafter(end, -HUGE_VAL) : static_cast<double>(last));
    bounds.first[d] = static_cast<int>(extent.start[d]);
    bounds.size[d] = static_cast<int>(extent.size[d]);
  }
  bounds.logSlices = GatherLayout(extent.size[0], extent.size[1], extent.size[2]).logSlices;
  bounds.slices = (1 << bounds.logSlices) - 1;
  return can;
}

bool
PlanTextureScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan)
{
  if (arguments.outputType != ScalarType::Float32 || !PlanBlocks(arguments, lines, TextureScanlineTuning, plan))
  {
    return false;
  }
  // Indices that need no folding. Texture mode does not treat edges differently.
  ScanlineBounds & bounds = plan.bounds;
  for (int d = 0; d < 3; ++d)
  {
    const auto size = static_cast<double>(arguments.extent.size[d]);
    bounds.least[d] = std::max(arguments.lower[d], bounds.start[d] - 0.5);
    bounds.most[d] = std::min(std::nextafter(arguments.upper[d], -HUGE_VAL), bounds.start[d] + size - 0.5);
    bounds.leastOfEdges[d] = bounds.least[d];
    bounds.mostOfEdges[d] = bounds.most[d];
  }
  return true;
}

} // namespace itk::CudaSpline
