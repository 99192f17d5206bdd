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
#ifndef FieldGeometry_h
#define FieldGeometry_h

#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/Geometry.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

/** \file
 * \brief Grids for kernels, and the selection of compiled code for a field's run-time dimension and type. */

namespace itk::CudaSpline
{

/** \brief A grid with compile-time dimension. */
template <unsigned int VDimension>
GridGeometry<VDimension>
MakeGeometry(const FieldGrid & grid)
{
  GridGeometry<VDimension> geometry;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    geometry.extent.start[r] = grid.start[r];
    geometry.extent.size[r] = grid.size[r];
    geometry.origin[r] = grid.origin[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      geometry.indexToPoint[r][c] = grid.indexToPoint[r][c];
      geometry.pointToIndex[r][c] = grid.pointToIndex[r][c];
    }
  }
  return geometry;
}

/** \brief Number of samples along each axis, 1 for unused axes: the loops of kernels over a grid. */
struct FieldWalk
{
  std::int64_t size[3]; ///< x first
};

/** \brief The walk through a grid. */
inline FieldWalk
WalkOf(const FieldGrid & grid)
{
  return { { grid.size[0], grid.size[1], grid.dimension > 2 ? grid.size[2] : 1 } };
}

/** \brief Offset of a sample. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                         OffsetOf(const FieldWalk & walk, const std::int64_t (&at)[3])
{
  return (at[2] * walk.size[1] + at[1]) * walk.size[0] + at[0];
}

/** \brief True at a sample whose vectors ITK's registrations keep at 0.
 *
 * The upper one of an axis is ITK's <tt>size - start - 1</tt>, which is the border only for grids that start at 0.
 *
 * \param[in] extent the grid
 * \param[in] at the sample, from the first one of the grid */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
IsOnBorder(const GridExtent<VDimension> & extent, const std::int64_t (&at)[3])
{
  bool border = false;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    border = border || at[d] == 0 || at[d] + 2 * extent.start[d] == extent.size[d] - 1;
  }
  return border;
}

/** \brief The compile-time parameters of the operations of fields. */
template <unsigned int VDimension, typename TReal>
struct CompiledField
{
  using Real = TReal;
  static constexpr unsigned int Dimension = VDimension;
};

/** \brief Calls \p run with CompiledField.
 *
 * \exception std::invalid_argument an unsupported dimension or type */
template <typename TRun>
void
DispatchField(unsigned int dimension, ScalarType element, const TRun & run)
{
  if (dimension < 2 || dimension > 3)
  {
    throw std::invalid_argument("Fields must have 2 or 3 dimensions, not " + std::to_string(dimension) + ".");
  }
  if (element == ScalarType::Float32)
  {
    dimension == 2 ? run(CompiledField<2, float>()) : run(CompiledField<3, float>());
  }
  else if (element == ScalarType::Float64)
  {
    dimension == 2 ? run(CompiledField<2, double>()) : run(CompiledField<3, double>());
  }
  else
  {
    throw std::invalid_argument(std::string("Vectors of fields must be float32 or float64, not ") + NameOf(element) +
                                ".");
  }
}

} // namespace itk::CudaSpline

#endif
