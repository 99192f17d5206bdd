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
#include "kernels/resampling/MapShape.h"

#include "kernels/resampling/EndpointTable.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace itk::CudaSpline
{

namespace
{

/** Returns whether two numbers have the same bits, and are not NaN. */
bool
Same(double a, double b)
{
  return a == b && std::signbit(a) == std::signbit(b);
}

} // namespace

MapShape
ShapeOfMap(const ResampleDescriptor & descriptor, unsigned int dimension, const ExecutionContext & context)
{
  if (descriptor.scanlineEnds == nullptr || dimension < 2 || dimension > 3 || descriptor.lines < 1)
  {
    return MapShape::General;
  }
  if (dimension == 2)
  {
    return MapShape::InPlane;
  }
  const std::int64_t rows = descriptor.sliceLines;
  if (rows <= 0)
  {
    return MapShape::General;
  }
  const EndpointTable table{ descriptor.scanlineEnds, dimension };
  std::atomic<bool>   inPlane{ true };
  std::atomic<bool>   separable{ true };
  const auto          look = [&](std::int64_t begin, std::int64_t end) {
    bool isInPlane = true;
    bool isSeparable = true;
    for (std::int64_t line = begin; line < end && isInPlane; ++line)
    {
      const double * const start = table.Start(line);
      const double * const stop = table.End(line);
      const double * const ofRow = table.Start(line % rows);
      const double * const ofRowEnd = table.End(line % rows);
      const double * const ofSlice = table.Start(line / rows * rows);
      isInPlane = Same(start[2], stop[2]) && Same(start[2], ofSlice[2]) && Same(start[0], ofRow[0]) &&
                  Same(start[1], ofRow[1]) && Same(stop[0], ofRowEnd[0]) && Same(stop[1], ofRowEnd[1]);
      isSeparable =
        isSeparable && Same(start[0], table.Start(0)[0]) && Same(stop[0], table.End(0)[0]) && Same(start[1], stop[1]);
    }
    if (!isInPlane)
    {
      inPlane = false;
    }
    if (!isSeparable)
    {
      separable = false;
    }
  };
  // Most general maps are recognized in their first lines and first slices.
  look(0, std::min<std::int64_t>(rows + 2, descriptor.lines));
  if (inPlane && descriptor.lines > rows + 2)
  {
    context.ParallelFor(descriptor.lines, look);
  }
  return inPlane ? (separable ? MapShape::Separable : MapShape::InPlane) : MapShape::General;
}

} // namespace itk::CudaSpline
