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

#include "kernels/common/MemoryBudget.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
/** Formats bytes for a message: rounded up to megabytes, or to kilobytes for small numbers. */
std::string
Rounded(std::size_t bytes)
{
  const bool        few = bytes < std::size_t(1) << 20;
  const unsigned    shift = few ? 10 : 20;
  const std::size_t number = (bytes + (std::size_t(1) << shift) - 1) >> shift;
  return std::to_string(number) + (few ? " KB" : " MB");
}
} // namespace

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

std::size_t
RawBytes(std::size_t bytes)
{
  const std::size_t pieces = (bytes + StagingBytes - 1) / StagingBytes;
  return pieces <= 1 ? bytes : std::min<std::size_t>(pieces, MaximumCopyLanes) * StagingBytes;
}

} // namespace itk::CudaSpline
