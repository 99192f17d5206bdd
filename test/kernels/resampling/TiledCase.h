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
#ifndef TiledCase_h
#define TiledCase_h

#include "ResampleCase.h"

#include <array>

/** \file
 * \brief Resamplings along the axes, or rotated about one of them. */

namespace CudaSplineTest
{

/** An output grid over a map of indices: index of the input = offset + matrix x index of the output. */
struct Grid
{
  std::array<std::int64_t, 3>          size{ { 1, 1, 1 } };
  std::array<double, 3>                offset{ { 0, 0, 0 } };
  std::array<std::array<double, 3>, 3> matrix{};
};

inline Grid
ZoomGrid(const std::array<std::int64_t, 3> & size,
         const std::array<double, 3> &       step,
         const std::array<double, 3> &       offset)
{
  Grid grid;
  grid.size = size;
  grid.offset = offset;
  for (unsigned int d = 0; d < 3; ++d)
  {
    grid.matrix[d][d] = step[d];
  }
  return grid;
}

/** Rotated about the z axis, with a step along z. */
inline Grid
TurnedGrid(const std::array<std::int64_t, 3> & size, double angle, double stepZ, const std::array<double, 3> & offset)
{
  Grid grid = ZoomGrid(size, { { std::cos(angle), std::cos(angle), stepZ } }, offset);
  grid.matrix[0][1] = -std::sin(angle);
  grid.matrix[1][0] = std::sin(angle);
  return grid;
}

/** Sets the scanlines of a case to those of a grid, without the first \p skipped samples and the last three. */
inline void
SetGrid(Case & test, const Grid & grid, std::int64_t skipped = 0)
{
  const unsigned int dimension = test.source.dimension;
  test.resample.samples = grid.size[0];
  test.resample.lineOffset = skipped;
  test.resample.lineLength = grid.size[0] + skipped + 3;
  test.resample.sliceLines = dimension == 3 ? grid.size[1] : 0;
  test.resample.lines = grid.size[1] * (dimension == 3 ? grid.size[2] : 1);
  test.ends.clear();
  for (std::int64_t line = 0; line < test.resample.lines; ++line)
  {
    const double y = static_cast<double>(line % grid.size[1]);
    const double z = static_cast<double>(line / grid.size[1]);
    for (const std::int64_t x : { -skipped, grid.size[0] + 3 })
    {
      for (unsigned int d = 0; d < dimension; ++d)
      {
        // In the order of ITK: the sum of the row, then the offset; products with 0 have no effect.
        test.ends.push_back(grid.matrix[d][0] * static_cast<double>(x) + grid.matrix[d][1] * y + grid.matrix[d][2] * z +
                            grid.offset[d] + static_cast<double>(test.source.start[d]));
      }
    }
  }
  test.resample.scanlineEnds = test.ends.data();
}

inline double &
EndOf(Case & test, std::int64_t line, bool end, unsigned int axis)
{
  return test.ends[static_cast<std::size_t>((2 * line + (end ? 1 : 0)) * test.source.dimension + axis)];
}

inline Case
CubicCase(const std::vector<std::int64_t> & sizes, FreshRandom & random)
{
  return MakeCase(
    sizes, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
}

inline const std::array<std::int64_t, 3> OddSize{ { 37, 23, 11 } };
inline const std::array<double, 3>       Offset{ { 1.3, -1.6, 0.7 } };

} // namespace CudaSplineTest

#endif
