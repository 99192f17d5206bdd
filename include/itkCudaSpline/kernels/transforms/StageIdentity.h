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
#ifndef itkCudaSpline_kernels_transforms_StageIdentity_h
#define itkCudaSpline_kernels_transforms_StageIdentity_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

/** \file
 * \brief Identity transforms, which need not be evaluated. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Whether a stage moves no point: its matrix is the identity without an offset, or its displacements are all 0.
 *
 * SyNImageRegistrationMethod warps both images first, and passes fields of zeros to its metrics. B-splines, and fields
 * in device memory, are not tested.
 *
 * \param[in] stage a transform
 * \param[in] dimension dimension of its points
 * \param[in] context threads of the host, which test displacements until the first one that is not 0 */
bool
MovesNothing(const TransformChain::Stage & stage, unsigned int dimension, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
