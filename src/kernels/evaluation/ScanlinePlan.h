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
#ifndef ScanlinePlan_h
#define ScanlinePlan_h

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/EvaluationTuning.h"

#include <cstdint>

/** \file
 * \brief How the kernels that go along scanlines cut an output, and at which indices they need not look at edges. */

namespace itk::CudaSpline
{

/** \brief What the kernel reads often, ready for it. */
struct ScanlineBounds
{
  double least[3];        ///< of indices that need no folding and are inside
  double most[3];         ///< of those too
  double leastOfEdges[3]; ///< of indices that the kernel can do, if it looks at the edges
  double mostOfEdges[3];  ///< of those too
  double start[3];        ///< index of the first sample of the input
  int    first[3];        ///< the same
  int    size[3];         ///< samples of the input
  int    logSlices;       ///< of GatherLayout
  int    slices;          ///< 2^logSlices - 1
};

/** \brief How threads are arranged in the output: warps are 8 x 4 samples of a slice, blocks two adjacent warps in four
 * slices, and each thread continues along its line. */
struct ScanlinePlan
{
  int            rows{ 0 };   ///< lines of a slice of the output
  int            extent[3]{}; ///< samples of a block by axis of the output
  std::int64_t   blocks[3]{}; ///< of the grid
  ScanlineBounds bounds{};
};

/** \brief Plans the kernel of linear interpolation of floats.
 *
 * \param[in] arguments what is evaluated, along scanlines
 * \param[in] lines of the output
 * \param[out] plan the plan
 * \return false where other kernels have to do it */
bool
PlanLinearScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan);

/** \brief The same of linear fetches of a texture, which store floats. */
bool
PlanTextureScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan);

} // namespace itk::CudaSpline

#endif
