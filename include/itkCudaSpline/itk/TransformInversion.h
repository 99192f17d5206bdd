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
#ifndef itkCudaSpline_itk_TransformInversion_h
#define itkCudaSpline_itk_TransformInversion_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/fields/TransformInversion.h"
#include "itkCudaSplineBackend.h"

#include "itkMultiThreaderBase.h"

#include <optional>

/** \file
 * \brief Inverts transforms of ITK that have no inverse in closed form. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Writes the inverse of a transform to a field, with CudaSpline::InvertTransform().
 *
 * \param[in] transform displacement field, B-spline or a composite of these
 * \param[in,out] field an allocated field
 * \return the accuracy; empty if the kernels do not support the transform */
template <unsigned int VDimension>
std::optional<CudaSpline::InverseAccuracy>
InvertOnField(const Transform<double, VDimension, VDimension> * transform,
              Image<Vector<double, VDimension>, VDimension> *   field)
{
  CudaSpline::TransformChain chain;
  if (!TransformDescriber<VDimension>::Append(transform, chain))
  {
    return {};
  }
  const CudaSplineHostExecutor host(MultiThreaderBase::New());
  CudaSpline::ExecutionContext context;
  context.host = &host;
  return CudaSpline::InvertTransform(DescribeFieldGrid<VDimension>(field, field->GetBufferedRegion()),
                                     chain.stages,
                                     field->GetBufferPointer()->GetDataPointer(),
                                     context);
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
