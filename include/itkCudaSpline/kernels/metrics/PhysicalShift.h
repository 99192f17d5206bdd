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
#ifndef itkCudaSpline_kernels_metrics_PhysicalShift_h
#define itkCudaSpline_kernels_metrics_PhysicalShift_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cstddef>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How far the samples of a grid move at most when the displacements of a stage change.
 *
 * The change alone is evaluated, and where it is that of a B-spline, not everywhere: weights are not negative and sum
 * to 1, so in a block of samples no change is longer than the longest of the coefficients that the block depends on, of
 * a finer grid where cells have many samples.
 * Blocks are taken in the order of that bound, on all threads, until it is below what was found. The result does not
 * depend on how the work is shared.
 *
 * \par Accuracy
 * Each change is a difference of places: some units of rounding of the coordinates, as the difference of two mapped
 * points is.
 *
 * \param[in] chain the stages, and the grid as its output; what it says of an input does not matter
 * \param[in] dimension 1 to 3
 * \param[in] stage the stage, a B-spline or a displacement field of doubles; those after it are affine
 * \param[in] change what is added to its displacements (mm), as many numbers in the same order, host memory
 * \param[in] context threads of the host; the backend does not matter
 * \return the largest distance (mm); changes that are NaN do not count
 * \exception std::invalid_argument the stage, or those after it, are others; there is no change; a stage before it has
 * no displacements */
double
LargestPhysicalShift(const TransformChain &   chain,
                     unsigned int             dimension,
                     std::size_t              stage,
                     const double *           change,
                     const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
