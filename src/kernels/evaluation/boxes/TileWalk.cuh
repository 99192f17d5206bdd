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
#ifndef TileWalk_cuh
#define TileWalk_cuh

#include "kernels/evaluation/EvaluationTilePlan.h"

#include <cuda_runtime.h>

#include <climits>
#include <cstdint>

/** \file
 * \brief The box of the output that a block computes, and how its threads iterate over the box. */

namespace itk::CudaSpline
{

namespace
{

/** The box of the output that a block computes. */
struct OutputBox
{
  std::int64_t firstSample;
  std::int64_t firstLine;
  int          samples;  ///< number of existing samples
  int          rows;     ///< number of existing rows
  int          lines;    ///< lines of the slab starting at firstLine, limited to the largest number that is needed
  int          rowLines; ///< lines of a slice of the output

  /** Converts a line of the box to a line relative to firstLine; negative if it does not exist. */
  __device__ __forceinline__ int
  Line(int local, const TilePlan & plan) const
  {
    const int row = local & ((1 << plan.logExtent[1]) - 1);
    const int line = (local >> plan.logExtent[1]) * rowLines + row;
    return row < rows && line < lines ? line : -1;
  }
};

/** Finds the box of a block of a grid.
 *
 * \param[in] samples samples of a line
 * \param[in] lines lines of the slab
 * \param[in] block block of the grid */
__device__ __forceinline__ OutputBox
FindOutputBox(const TilePlan & plan, std::int64_t samples, std::int64_t lines, const uint3 & block)
{
  OutputBox output;
  output.firstSample = std::int64_t{ block.x } << plan.logExtent[0];
  const std::int64_t firstRow = std::int64_t{ block.y } << plan.logExtent[1];
  output.firstLine = (std::int64_t{ block.z } << plan.logExtent[2]) * plan.rows + firstRow;
  output.rowLines = plan.rows;
  const auto atMost = [](std::int64_t count, int most) { return count < most ? static_cast<int>(count) : most; };
  output.samples = atMost(samples - output.firstSample, 1 << plan.logExtent[0]);
  output.rows = atMost(plan.rows - firstRow, 1 << plan.logExtent[1]);
  output.lines = atMost(lines - output.firstLine, INT_MAX);
  return output;
}

/** Iterates over the samples of a block for each thread. Lanes are adjacent along the axes of the output that
 * correspond to the rows and columns of the input. */
struct ThreadWalk
{
  int sample;     ///< first sample of the thread
  int sampleStep; ///< distance to the next sample
  int line;       ///< first line of the thread
  int lineStep;   ///< distance to the next line of a group
  int groupStep;  ///< number of lines to the next group
  int tasks;      ///< number of groups times the lines of a group

  __device__ __forceinline__
  ThreadWalk(const TilePlan & plan)
  {
    constexpr int lanesF = TileShape::Lanes;
    constexpr int lanesM = 32 / lanesF;
    const int     lane = static_cast<int>(threadIdx.x) % 32;
    const auto    linesOf = [&plan](int axis) { return axis == 0 ? 0 : (axis == 1 ? 1 : 1 << plan.logExtent[1]); };
    const int     stepF = linesOf(plan.axis[0]);
    const int     stepM = linesOf(plan.axis[1]);
    const bool    fIsX = plan.axis[0] == 0;
    sample = fIsX ? lane % lanesF : lane / lanesF;
    sampleStep = fIsX ? lanesF : lanesM;
    line = lane % lanesF * stepF + lane / lanesF * stepM;
    lineStep = fIsX ? lanesM * stepM : lanesF * stepF;
    groupStep = linesOf(plan.axis[2]);
    tasks = 1 << (plan.logOther + plan.logExtent[plan.axis[2]]);
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
