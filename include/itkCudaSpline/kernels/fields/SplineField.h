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

#include <array>
#include <cstddef>
#include <cstdint>

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
 * \exception std::invalid_argument another stage, or a shape that no field has
 * \param[in] residence where */
void
MakeSplineField(const TransformChain::Stage & spline,
                const FieldShape &            shape,
                void *                        output,
                void *                        scratch,
                const Residence &             residence);

/** \brief How a field is smoothed by a cubic B-spline, as itk::BSplineSmoothingOnUpdateDisplacementFieldTransform does
 * it: itk::DisplacementFieldToBSplineImageFilter over the field's own domain, of one level. */
struct FieldSplineFit
{
  std::array<std::int64_t, 3> controlPoints{ { 4, 4, 4 } }; ///< by axis; at least 4
  bool                        stationaryBoundary{ true };   ///< the border of the grid is drawn to 0
};

/** \brief Bytes of scratch memory of SmoothFieldBySpline(). */
std::size_t
CountSplineSmoothingScratch(const FieldShape & shape, const FieldSplineFit & fit);

/** \brief Smooths a field of 3 dimensions by a B-spline.
 *
 * The sums of ITK's scattered data approximation are separable on a grid: along z, y and x one after the other, in
 * double, where ITK adds up in float all points one after the other.
 *
 * \param[in] shape of the fields: at least 2 samples along each of 3 axes, the first of index 0
 * \param[in] input the field
 * \param[out] output of the same shape; it may be \p input
 * \param[out] scratch CountSplineSmoothingScratch() bytes
 * \exception std::invalid_argument another shape, or too few control points
 * \param[in] fit what is fitted
 * \param[in] residence where */
void
SmoothFieldBySpline(const FieldShape &     shape,
                    const void *           input,
                    const FieldSplineFit & fit,
                    void *                 output,
                    void *                 scratch,
                    const Residence &      residence);

/** @} */
} // namespace itk::CudaSpline

#endif
