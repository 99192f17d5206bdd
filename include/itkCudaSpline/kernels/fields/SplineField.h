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
#include <memory>

/** \file
 * \brief The field of a free-form deformation on a whole grid, computed asynchronously (Residence). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Bytes of scratch memory of MakeSplineField().
 *
 * \param[in] shape shape of the output */
std::size_t
CountSplineFieldScratch(const FieldShape & shape);

/** \brief The displacements of an itk::BSplineTransform at each sample of a grid (mm).
 *
 * For cubic splines in 3D whose grid is parallel to that of the output, coefficients are summed along z and y once for
 * several rows of the output, and along x for each sample, in the field's type. Points within 1e-9 of a cell of the
 * border of the spline's valid region count as inside there; in ITK roundings decide. For all other splines it is
 * MakeField().
 *
 * \param[in] spline a stage of kind BSpline, with coefficients in the memory of the backend
 * \param[in] shape shape of the output
 * \param[out] output displacements
 * \param[out] scratch CountSplineFieldScratch() bytes
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument another kind of stage, or an invalid shape */
void
MakeSplineField(const TransformChain::Stage & spline,
                const FieldShape &            shape,
                void *                        output,
                void *                        scratch,
                const Residence &             residence);

/** \brief Parameters for smoothing a field with a cubic B-spline, as in
 * itk::BSplineSmoothingOnUpdateDisplacementFieldTransform: itk::DisplacementFieldToBSplineImageFilter over the field's
 * own domain, with one level.
 *
 * ITK computes the points of its samples, their weights, and the sums of these in float, for any type of the field.
 * With \c places the fit is rounded as in ITK, and differs from ITK's result only by rounding errors of double. Without
 * \c places, fields of 3 dimensions are fitted with sums along the axes in double: this is faster, closer to the exact
 * sums, and differs from ITK's result by about 1e-6 of the largest vector. */
struct FieldSplineFit
{
  std::array<std::int64_t, 3> controlPoints{ { 4, 4, 4 } }; ///< for each axis; at least 4
  bool                        stationaryBoundary{ true };   ///< the border of the grid is fitted to 0
  /** Points of the samples along the axes of the grid (mm: its origin, plus the spacing times the index), rounded as in
   * ITK (itkCudaSpline/itk/FitPlaces.h), in the memory of the backend. The coordinates of a sample are contiguous, x
   * fastest. May be null. */
  std::shared_ptr<const float> places{};
  /** The grid is not oblique: the points are the coordinates along x, then along y, then along z. */
  bool placesAreByAxis{ false };

  /** Whether two fits are equal: they have the same points. */
  bool
  operator==(const FieldSplineFit & other) const
  {
    return controlPoints == other.controlPoints && stationaryBoundary == other.stationaryBoundary &&
           places == other.places && placesAreByAxis == other.placesAreByAxis;
  }
};

/** \brief Bytes of scratch memory of SmoothFieldBySpline().
 *
 * \param[in] shape shape of the fields
 * \param[in] fit the fit
 * \param[in] hasConfidence whether samples have different weights */
std::size_t
CountSplineSmoothingScratch(const FieldShape & shape, const FieldSplineFit & fit, bool hasConfidence = false);

/** \brief Smooths a field with a B-spline.
 *
 * \param[in] shape shape of the fields: at least 2 samples along each axis, the first one with index 0
 * \param[in] input the field
 * \param[in] confidence weight of each sample: numbers of the field's type, x fastest. Samples with weights that are
 * not above 0 count only on a border that is fitted to 0. Null: all weights are 1
 * \param[in] fit the fit
 * \param[out] output field of the same shape; it may be \p input
 * \param[out] scratch CountSplineSmoothingScratch() bytes
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument an invalid shape, or too few control points */
void
SmoothFieldBySpline(const FieldShape &     shape,
                    const void *           input,
                    const void *           confidence,
                    const FieldSplineFit & fit,
                    void *                 output,
                    void *                 scratch,
                    const Residence &      residence);

/** \brief The control points of SmoothFieldBySpline(), which are in its scratch memory until that is used again: one
 * component after the other, x fastest.
 *
 * \param[in] shape shape of the fields
 * \param[in] fit the fit
 * \param[in] hasConfidence whether samples had different weights
 * \param[in] scratch scratch memory of that call */
const double *
FindSplineLattice(const FieldShape & shape, const FieldSplineFit & fit, bool hasConfidence, void * scratch);

/** @} */
} // namespace itk::CudaSpline

#endif
