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
#ifndef itkCudaSpline_itk_SplineGrid_h
#define itkCudaSpline_itk_SplineGrid_h

#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include "itkBSplineTransform.h"

#include <algorithm>

/** \file
 * \brief The grid of a B-spline transform over an image. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Sets the grid of a B-spline transform to that of CudaSpline::MakeSplineNodes(), which all registrations use.
 *
 * ITK's setters convert the domain to the grid and back one after another. A rounding in this conversion decides
 * whether the outermost samples are moved at all.
 *
 * \param[in,out] transform keeps its parameters if it already has the same number of cells, else they become zero
 * \param[in] image image that the grid covers
 * \param[in] direction direction of that image
 * \param[in] mesh cells per axis */
template <unsigned int VDimension>
void
SetSplineGrid(BSplineTransform<double, VDimension, 3> *                              transform,
              const CudaSpline::FieldGrid &                                          image,
              const Matrix<double, VDimension, VDimension> &                         direction,
              const typename BSplineTransform<double, VDimension, 3>::MeshSizeType & mesh)
{
  CudaSpline::SplineCells cells{ { 1, 1, 1 } };
  std::copy(mesh.begin(), mesh.end(), cells.begin());
  const CudaSpline::FieldGrid nodes = CudaSpline::MakeSplineNodes(image, cells);
  auto                        numbers = transform->GetFixedParameters();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    numbers[d] = static_cast<double>(nodes.size[d]);
    numbers[VDimension + d] = nodes.origin[d];
    numbers[2 * VDimension + d] = nodes.spacing[d];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      numbers[(3 + d) * VDimension + c] = direction[d][c];
    }
  }
  transform->SetFixedParameters(numbers);
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
