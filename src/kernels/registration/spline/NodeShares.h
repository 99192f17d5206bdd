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
#ifndef kernels_registration_NodeShares_h
#define kernels_registration_NodeShares_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "kernels/registration/images/SpatialMask.h"

#include <vector>

/** \file
 * \brief How much of what each node of a B-spline moves is under a mask. */

namespace itk::CudaSpline
{

/** \brief What the nodes of a B-spline move, x first. */
struct NodeShares
{
  std::vector<double> weights; ///< sums of the basis function of each node at all samples, divided by their number
  std::vector<double> shares;  ///< shares of these sums that are under the mask: 0 to 1
};

/** \brief Measures how much of what each node of a cubic B-spline moves is under a mask.
 *
 * \param[in] spline grid of the spline; its axes are those of \p grid
 * \param[in] grid the samples
 * \param[in] mask a mask
 * \param[in] context threads of the host
 * \return sums that do not depend on the number of threads */
NodeShares
MeasureNodeShares(const TransformChain::Stage & spline,
                  const FieldGrid &             grid,
                  const SpatialMask &           mask,
                  const ExecutionContext &      context);

} // namespace itk::CudaSpline

#endif
