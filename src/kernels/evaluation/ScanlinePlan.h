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
 * \brief Plans of the kernels that process scanlines: the division of the output, and the indices that need no test for
 * edges. */

namespace itk::CudaSpline
{

/** \brief Values that the kernel reads often. */
struct ScanlineBounds
{
  double least[3];        ///< lower bounds of indices that are inside and need no folding
  double most[3];         ///< upper bounds of those indices
  double leastOfEdges[3]; ///< lower bounds of indices that the kernel supports with a test for edges
  double mostOfEdges[3];  ///< upper bounds of those indices
  double start[3];        ///< index of the first sample of the input
  int    first[3];        ///< the same as integers
  int    size[3];         ///< samples of the input
  int    logSlices;       ///< of GatherLayout
  int    slices;          ///< 2^logSlices - 1
};

/** \brief Arrangement of threads in the output: warps are 8 x 4 samples of a slice, blocks are two adjacent warps in
 * four slices, and each thread continues along its line. */
struct ScanlinePlan
{
  int            rows{ 0 };   ///< lines of a slice of the output
  int            extent[3]{}; ///< samples of a block along each axis of the output
  std::int64_t   blocks[3]{}; ///< number of blocks of the grid
  ScanlineBounds bounds{};
};

/** \brief Plans the kernel of linear interpolation of floats.
 *
 * \param[in] arguments the arguments, along scanlines
 * \param[in] lines lines of the output
 * \param[out] plan the plan
 * \return false if other kernels must evaluate it */
bool
PlanLinearScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan);

/** \brief The same for linear texture fetches, which store floats. */
bool
PlanTextureScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, ScanlinePlan & plan);

} // namespace itk::CudaSpline

#endif
