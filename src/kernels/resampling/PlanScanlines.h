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
#ifndef PlanScanlines_h
#define PlanScanlines_h

#include "kernels/resampling/MapShape.h"
#include "kernels/resampling/ResampleBackends.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Plans that need scanline ends, for a table that is computed on the device: the host computes a few of its
 * lines.
 */

namespace itk::CudaSpline
{

/** \brief Sets the values that MakeResampleArguments() and PlanMapTiles() derive from a table of scanline ends.
 *
 * \param[in] descriptor the resampling of the whole output
 * \param[in] source the source
 * \param[in] scanlines the map
 * \param[in,out] arguments its lane axis, steps and tiles are set */
template <unsigned int VDimension>
void
PlanScanlines(const ResampleDescriptor &          descriptor,
              const SourceDescriptor &            source,
              const AffineScanlines<VDimension> & scanlines,
              EvaluationArguments<VDimension> &   arguments)
{
  const std::int64_t                    rows = VDimension == 3 ? descriptor.sliceLines : descriptor.lines;
  const std::int64_t                    slices = descriptor.lines / rows;
  std::vector<ScanlineEnds<VDimension>> ofRows(static_cast<std::size_t>(rows));
  std::vector<ScanlineEnds<VDimension>> ofSlices(static_cast<std::size_t>(slices));
  for (std::int64_t row = 0; row < rows; ++row)
  {
    scanlines.EndsOf(row, ofRows[static_cast<std::size_t>(row)]);
  }
  for (std::int64_t slice = 0; slice < slices; ++slice)
  {
    scanlines.EndsOf(slice * rows, ofSlices[static_cast<std::size_t>(slice)]);
  }
  const EndpointTable table{ ofRows.front().start, VDimension, ofSlices.front().start, rows };
  arguments.tiles = PlanMapTiles(descriptor, source, table, ShapeOfMap(scanlines));

  // Functions that compute steps read the first two lines, and the first one of the second slice: a table of these.
  std::vector<double> few;
  for (const std::int64_t line : { std::int64_t{ 0 }, rows > 1 ? std::int64_t{ 1 } : rows, rows })
  {
    const double * const at = table.Start(line < descriptor.lines ? line : 0);
    few.insert(few.end(), at, at + std::size_t{ 2 } * VDimension);
  }
  ResampleDescriptor first = descriptor;
  first.scanlineEnds = few.data();
  if (rows > 1 && slices > 1)
  {
    first.lines = 3;
    first.sliceLines = 2;
  }
  else
  {
    first.lines = descriptor.lines > 1 ? 2 : 1;
    first.sliceLines = slices > 1 ? 1 : first.lines;
  }
  first.sliceLines = VDimension == 3 ? first.sliceLines : 0;
  arguments.laneAxis = LaneAxisOf(first, VDimension);
  SetSteps(first, arguments.steps);
}

} // namespace itk::CudaSpline

#endif
