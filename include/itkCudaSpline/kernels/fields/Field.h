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
#ifndef itkCudaSpline_kernels_fields_Field_h
#define itkCudaSpline_kernels_fields_Field_h

#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Grids in physical space, and the fields and images on them, in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A grid of samples in physical space, of 2 or 3 dimensions: an image's geometry as in ITK.
 *
 * Matrices are indexed by row and column. Only the first \c dimension rows and columns are used. */
struct FieldGrid
{
  using Vector = std::array<double, 3>;                ///< by axis, x first
  using Matrix = std::array<std::array<double, 3>, 3>; ///< by row and column

  unsigned int                dimension{ 3 };         ///< 2 or 3
  std::array<std::int64_t, 3> start{ { 0, 0, 0 } };   ///< index of the first sample in memory
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };    ///< samples per axis; 1 for unused axes
  Vector                      origin{};               ///< point of index 0 (mm)
  Vector                      spacing{ { 1, 1, 1 } }; ///< mm
  Matrix                      indexToPoint{};         ///< mm per index: direction times spacing
  Matrix                      pointToIndex{};         ///< indices per mm: ITK's own inverse

  /** Number of samples. */
  std::int64_t
  Count() const
  {
    return size[0] * size[1] * size[2];
  }

  /** Whether two grids are bitwise equal. */
  bool
  operator==(const FieldGrid & other) const
  {
    return dimension == other.dimension && start == other.start && size == other.size && origin == other.origin &&
           spacing == other.spacing && indexToPoint == other.indexToPoint && pointToIndex == other.pointToIndex;
  }
};

/** \brief The shape of a field: its grid, and the type of its components.
 *
 * The \c dimension components of a vector (mm, x first) are contiguous, as in itk::Image<itk::Vector>; x is fastest. */
struct FieldShape
{
  FieldGrid  grid;                           ///< grid of the vectors
  ScalarType element{ ScalarType::Float32 }; ///< Float32 or Float64

  /** Number of components of all vectors. */
  std::int64_t
  Numbers() const
  {
    return grid.Count() * static_cast<std::int64_t>(grid.dimension);
  }
  /** Bytes of all vectors. */
  std::size_t
  Bytes() const
  {
    return static_cast<std::size_t>(this->Numbers()) * SizeOf(element);
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
