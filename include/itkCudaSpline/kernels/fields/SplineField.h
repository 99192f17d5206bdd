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
 * \brief The field of a free-form deformation over a whole grid: a step (Residence) that does not wait. */

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
 * it: itk::DisplacementFieldToBSplineImageFilter over the field's own domain, of one level.
 *
 * ITK computes in float where its samples are, their weights, and the sums of these, whatever the type of the field is.
 * With \c places the fit has ITK's roundings, and differs from it by those of double. Without, fields of 3 dimensions
 * are fitted by sums along the axes, in double: that is the quick way, nearer to the sums that are meant, and some 1e-6
 * of the largest vector off ITK's. */
struct FieldSplineFit
{
  std::array<std::int64_t, 3> controlPoints{ { 4, 4, 4 } }; ///< by axis; at least 4
  bool                        stationaryBoundary{ true };   ///< the border of the grid is drawn to 0
  /** Places of the samples along the axes of the grid (mm: its origin, and the spacing times the index), as ITK rounds
   * them (itkCudaSpline/itk/FitPlaces.h), in memory of the residence: the numbers of a sample side by side, x fastest.
   * Null: there are none. */
  std::shared_ptr<const float> places{};
  bool placesAreByAxis{ false }; ///< the grid is straight: places are those along x, then along y, then along z

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
 * \param[in] shape of the fields
 * \param[in] fit what is fitted
 * \param[in] hasConfidence whether samples count differently */
std::size_t
CountSplineSmoothingScratch(const FieldShape & shape, const FieldSplineFit & fit, bool hasConfidence = false);

/** \brief Smooths a field by a B-spline.
 *
 * \param[in] shape of the fields: at least 2 samples along each axis, the first of index 0
 * \param[in] input the field
 * \param[in] confidence how much each sample counts: numbers of the field's type, x fastest; those that are not above 0
 *   count only on a border that is drawn to 0. Null: all count 1
 * \param[out] output of the same shape; it may be \p input
 * \param[out] scratch CountSplineSmoothingScratch() bytes
 * \exception std::invalid_argument another shape, or too few control points
 * \param[in] fit what is fitted
 * \param[in] residence where */
void
SmoothFieldBySpline(const FieldShape &     shape,
                    const void *           input,
                    const void *           confidence,
                    const FieldSplineFit & fit,
                    void *                 output,
                    void *                 scratch,
                    const Residence &      residence);

/** \brief The control points that SmoothFieldBySpline() leaves in its scratch memory, which stay until that is used
 * again: a component after the other, x fastest.
 *
 * \param[in] shape of the fields
 * \param[in] fit what was fitted
 * \param[in] hasConfidence whether samples counted differently
 * \param[in] scratch of that call */
const double *
FindSplineLattice(const FieldShape & shape, const FieldSplineFit & fit, bool hasConfidence, void * scratch);

/** @} */
} // namespace itk::CudaSpline

#endif
