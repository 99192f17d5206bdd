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
#ifndef itkCudaSpline_kernels_fields_TransformInversion_h
#define itkCudaSpline_kernels_fields_TransformInversion_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <vector>

/** \file
 * \brief Inverts transforms that have no inverse in closed form. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Accuracy of an inverse: distances (mm) between points and their images under the inverse and the transform.
 */
struct InverseAccuracy
{
  double mean{ 0.0 };    ///< mean distance of all samples
  double largest{ 0.0 }; ///< largest distance
  double limit{ 0.0 };   ///< a sample with a larger distance has no inverse; users are warned of it
};

/** \brief Inverts transforms by fixed-point iteration at every sample of a grid: x becomes x - (T(x) - y) until T(x) is
 * y, with shorter steps if whole ones fail.
 *
 * The iteration ends at a distance of 1e-4 mm, after 100 steps, or when 10 consecutive steps come no closer. A sample
 * has no inverse if its distance remains above 0.1 mm. Both distances are multiplied by the smallest spacing of the
 * grid if that is below 1 mm. Samples without an inverse continue smoothly from their neighbours.
 *
 * \param[in] grid grid of the inverse, of 1 to 3 dimensions
 * \param[in] stages transforms in the order in which they map points; displacements in host memory
 * \param[out] output displacements of the inverse (mm) in host memory, x first in the fastest axis
 * \param[in] context threads of the host, and progress
 * \exception std::invalid_argument an unsupported dimension */
InverseAccuracy
InvertTransform(const FieldGrid &                          grid,
                const std::vector<TransformChain::Stage> & stages,
                double *                                   output,
                const ExecutionContext &                   context);

/** @} */
} // namespace itk::CudaSpline

#endif
