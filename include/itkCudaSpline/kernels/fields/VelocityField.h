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
#ifndef itkCudaSpline_kernels_fields_VelocityField_h
#define itkCudaSpline_kernels_fields_VelocityField_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include <array>

/** \file
 * \brief Exponentials and Jacobian determinants of fields, step by step (Residence): nothing here waits for a device.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The exponential of a velocity field by scaling and squaring: itk::ExponentialDisplacementFieldImageFilter.
 *
 * The field is divided by a power of 2, and then composed with itself as often: u(x) + u(x + u(x)), linear between the
 * samples, the outermost vectors standing outside.
 *
 * \param[in] shape of all fields
 * \param[in] velocity the field (mm)
 * \param[in] squarings how often, 0 to 31
 * \param[in] inverse of the field times -1
 * \param[out] output the displacements (mm)
 * \param[out] scratch memory of the same shape; not used where there is no squaring
 * \exception std::invalid_argument a shape that no field has, or too many squarings
 * \param[in] residence where */
void
ExponentiateField(const FieldShape & shape,
                  const void *       velocity,
                  unsigned int       squarings,
                  bool               inverse,
                  void *             output,
                  void *             scratch,
                  const Residence &  residence);

/** \brief Composes two fields: out(x) = w(x) + d(x + w(x)), d linear between its samples, its outermost vectors
 * standing outside: itk::WarpVectorImageFilter with
 * itk::VectorLinearInterpolateNearestNeighborExtrapolateImageFunction, and a sum. ComposeFields() has no d outside.
 *
 * \param[in] shape of all fields
 * \param[in] displacement d
 * \param[in] warping w
 * \param[out] output another field
 * \exception std::invalid_argument a shape that no field has
 * \param[in] residence where */
void
ComposeFieldsBeyond(const FieldShape & shape,
                    const void *       displacement,
                    const void *       warping,
                    void *             output,
                    const Residence &  residence);

/** \brief The Jacobian determinants of x + u(x), by itk::DisplacementFieldJacobianDeterminantFilter: central
 * differences, the outermost vectors standing outside.
 *
 * \param[in] shape of the field
 * \param[in] field u (mm)
 * \param[in] weights that the differences of two samples are multiplied by, an axis each: half of 1 / spacing (1 / mm)
 * \param[in] real type of the arithmetic and of the output: Float32 or Float64
 * \param[out] output a number a sample
 * \exception std::invalid_argument a shape that no field has, or another type
 * \param[in] residence where */
void
FindJacobianDeterminants(const FieldShape &            shape,
                         const void *                  field,
                         const std::array<double, 3> & weights,
                         ScalarType                    real,
                         void *                        output,
                         const Residence &             residence);

/** @} */
} // namespace itk::CudaSpline

#endif
