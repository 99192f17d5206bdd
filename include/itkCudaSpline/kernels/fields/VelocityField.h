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
#include <optional>

/** \file
 * \brief Exponentials and Jacobian determinants of fields (Residence). All operations are asynchronous.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The exponential of a velocity field by scaling and squaring: itk::ExponentialDisplacementFieldImageFilter.
 *
 * The field is divided by 2^squarings, and then composed with itself that many times: u(x) + u(x + u(x)), with linear
 * interpolation. The vectors at the border are continued outside.
 *
 * \param[in] shape shape of all fields
 * \param[in] velocity the field (mm)
 * \param[in] squarings number of squarings, 0 to 31
 * \param[in] inverse computes the exponential of the field times -1
 * \param[out] output the displacements (mm)
 * \param[out] scratch memory of the same shape; not used without squarings
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument an invalid shape, or too many squarings */
void
ExponentiateField(const FieldShape & shape,
                  const void *       velocity,
                  unsigned int       squarings,
                  bool               inverse,
                  void *             output,
                  void *             scratch,
                  const Residence &  residence);

/** \brief Composes two fields: out(x) = w(x) + d(x + w(x)), with linear interpolation of d, whose vectors at the border
 * are continued outside.
 *
 * It is itk::WarpVectorImageFilter with itk::VectorLinearInterpolateNearestNeighborExtrapolateImageFunction, and a sum.
 * ComposeFields() does not continue d outside.
 *
 * \param[in] shape shape of all fields
 * \param[in] displacement d
 * \param[in] warping w
 * \param[out] output another field
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument an invalid shape */
void
ComposeFieldsBeyond(const FieldShape & shape,
                    const void *       displacement,
                    const void *       warping,
                    void *             output,
                    const Residence &  residence);

/** \brief The derivatives of FindJacobianDeterminants(). */
struct FieldDerivatives
{
  /** Factor for each axis of the difference of two samples: half of 1 / spacing (1 / mm). */
  std::array<double, 3> weights{};
  /** Direction cosines of the grid, one column per axis, that rotate derivatives along the axes to those in physical
   * space, as ITK does since version 6. Without them the derivatives are not rotated. */
  std::optional<std::array<std::array<double, 3>, 3>> direction;
};

/** \brief The Jacobian determinants of x + u(x), as in itk::DisplacementFieldJacobianDeterminantFilter: with central
 * differences, and vectors at the border continued outside.
 *
 * \param[in] shape shape of the field
 * \param[in] field u (mm)
 * \param[in] derivatives factors of the differences, and their rotation
 * \param[in] real type of the arithmetic and of the output: Float32 or Float64
 * \param[out] output one number per sample
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument an invalid shape, or another type */
void
FindJacobianDeterminants(const FieldShape &       shape,
                         const void *             field,
                         const FieldDerivatives & derivatives,
                         ScalarType               real,
                         void *                   output,
                         const Residence &        residence);

/** @} */
} // namespace itk::CudaSpline

#endif
