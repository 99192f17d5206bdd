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
#ifndef GridCase_h
#define GridCase_h

#include "../fields/FieldCase.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <array>
#include <cmath>
#include <cstdint>

/** \file
 * \brief Grids with random positions, and the positions of their samples. */

namespace CudaSplineTest
{

/** A random grid: rotated, with three different spacings, and left-handed in half of the cases. */
inline FieldGrid
MakeGrid(FreshRandom & random, unsigned int dimension, std::array<std::int64_t, 3> size)
{
  const double a = random.Uniform(-3.0, 3.0);
  const double b = random.Uniform(-3.0, 3.0);
  const double ca = std::cos(a);
  const double sa = std::sin(a);
  const double cb = std::cos(b);
  const double sb = std::sin(b);
  const bool   isPlane = dimension == 2;
  const double direction[3][3] = { { ca, isPlane ? -sa : -sa * cb, sa * sb },
                                   { sa, isPlane ? ca : ca * cb, -ca * sb },
                                   { 0.0, sb, cb } };
  FieldGrid    grid;
  grid.dimension = dimension;
  const double side = random.Uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.size[d] = size[d];
    grid.origin[d] = random.Uniform(-50.0, 50.0);
    grid.spacing[d] = random.Uniform(0.6, 2.0);
  }
  for (unsigned int r = 0; r < dimension; ++r)
  {
    for (unsigned int c = 0; c < dimension; ++c)
    {
      grid.indexToPoint[r][c] = direction[r][c] * (c == 0 ? side : 1.0) * grid.spacing[c];
    }
  }
  grid.pointToIndex = InvertGridMatrix(grid.indexToPoint, dimension);
  return grid;
}

/** Index of a sample from its number in memory. */
inline std::array<std::int64_t, 3>
IndexOf(const FieldGrid & grid, std::int64_t number)
{
  return { { number % grid.size[0], number / grid.size[0] % grid.size[1], number / (grid.size[0] * grid.size[1]) } };
}

/** Position of a sample (mm). */
inline FieldGrid::Vector
PlaceOf(const FieldGrid & grid, std::int64_t number)
{
  const auto index = IndexOf(grid, number);
  return PlaceOfIndex(
    grid, { { static_cast<double>(index[0]), static_cast<double>(index[1]), static_cast<double>(index[2]) } });
}

} // namespace CudaSplineTest

#endif
