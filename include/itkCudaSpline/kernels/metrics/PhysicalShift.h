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

/** \brief The longest displacement of the samples of a grid when the displacements of a stage change.
 *
 * Only the change is evaluated, and for a B-spline not at all samples. B-spline weights are not negative and sum to 1:
 * in a block of samples no change is longer than the longest of the coefficients on which the block depends. If cells
 * have many samples, the coefficients are those of a finer grid. Blocks are visited in the order of that bound, on all
 * threads, until the bound is below the longest displacement found. The result does not depend on the threads.
 *
 * \par Accuracy
 * Each change is a difference of points. Its error is some rounding errors of the coordinates, as for the difference of
 * two mapped points.
 *
 * \param[in] chain the stages, and the grid as its output; its input is not used
 * \param[in] dimension 1 to 3
 * \param[in] stage index of the stage, a B-spline or a displacement field of doubles; the stages after it are affine
 * \param[in] change change of its displacements (mm), in the same layout, in host memory
 * \param[in] context threads of the host; the backend has no effect
 * \return the longest displacement (mm); NaN changes do not count
 * \exception std::invalid_argument an unsupported stage, or unsupported stages after it; a null change; a stage before
 * it without displacements */
double
LargestPhysicalShift(const TransformChain &   chain,
                     unsigned int             dimension,
                     std::size_t              stage,
                     const double *           change,
                     const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
