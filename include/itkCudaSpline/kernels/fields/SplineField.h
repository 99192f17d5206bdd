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
#ifndef itkCudaSpline_kernels_fields_SplineField_h
#define itkCudaSpline_kernels_fields_SplineField_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cstddef>

/** \file
 * \brief The field of a free-form deformation over a whole grid: a step (Residence) that nobody waits for. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Bytes of scratch memory of MakeSplineField().
 *
 * \param[in] shape of the output */
std::size_t
CountSplineFieldScratch(const FieldShape & shape);

/** \brief The displacements of an itk::BSplineTransform at each sample of a grid (mm).
 *
 * In 3D, of cubic splines whose grid is parallel to that of the output, coefficients are summed along z and y once for
 * some rows of the output, and along x for each sample, in the field's type. What lies within 1e-9 of a cell of the
 * border of where the spline is valid counts as inside there: for ITK roundings decide. All others are MakeField()'s.
 *
 * \param[in] spline a stage of kind BSpline, whose coefficients are memory of the residence
 * \param[in] shape of the output
 * \param[out] output displacements
 * \param[out] scratch CountSplineFieldScratch() bytes
 * \exception std::invalid_argument another stage, or a shape that no field has */
void
MakeSplineField(const TransformChain::Stage & spline,
                const FieldShape &            shape,
                void *                        output,
                void *                        scratch,
                const Residence &             residence);

/** @} */
} // namespace itk::CudaSpline

#endif
