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
#include "io/volume/Volume.h"

#include "console/Error.h"
#include "io/volume/GridCheck.h"

#include "vnl/vnl_det.h"
#include "vnl/vnl_inverse.h"
#include "vnl/vnl_matrix_fixed.h"

#include <new>

namespace CudaSplineProgram
{

Coordinates
PointOfIndex(const Grid & grid, const Coordinates & index)
{
  Coordinates point = grid.origin;
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      point[row] += grid.direction[row][column] * grid.spacing[column] * index[column];
    }
  }
  return point;
}

Coordinates
IndexOfPoint(const Grid & grid, const Coordinates & point)
{
  vnl_matrix_fixed<double, 3, 3> matrix;
  matrix.set_identity();
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      matrix(row, column) = grid.direction[row][column] * grid.spacing[column];
    }
  }
  if (vnl_det(matrix) == 0.0)
  {
    throw ProgramError("the direction of an image is singular; its columns must be linearly independent");
  }
  const vnl_matrix_fixed<double, 3, 3> inverse = vnl_inverse(matrix);
  Coordinates                          index{ 0.0, 0.0, 0.0 };
  for (unsigned int row = 0; row < grid.dimension; ++row)
  {
    for (unsigned int column = 0; column < grid.dimension; ++column)
    {
      index[row] += inverse(row, column) * (point[column] - grid.origin[column]);
    }
  }
  return index;
}

Coordinates
CentreIndex(const Grid & grid)
{
  Coordinates index{ 0.0, 0.0, 0.0 };
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    index[axis] = 0.5 * static_cast<double>(grid.size[axis] - 1);
  }
  return index;
}

std::string
SizeText(const Grid & grid)
{
  std::string text = std::to_string(grid.size[0]);
  for (unsigned int axis = 1; axis < grid.dimension; ++axis)
  {
    text += " x " + std::to_string(grid.size[axis]);
  }
  return text;
}

std::string
SpacingText(const Grid & grid)
{
  std::string text = Brief(grid.spacing[0]);
  for (unsigned int axis = 1; axis < grid.dimension; ++axis)
  {
    text += " x " + Brief(grid.spacing[axis]);
  }
  return text + " mm";
}

Volume
Volume::Allocate(const Grid & grid, ScalarType type)
{
  Volume volume;
  volume.grid = grid;
  volume.type = type;
  const double bytes = CountBytes(grid, type); // sizes that users specify may overflow the product
  void * const memory = bytes < 1e15 ? ::operator new(volume.GetNumberOfBytes(), std::nothrow) : nullptr;
  if (memory == nullptr)
  {
    throw ProgramError("not enough memory for an image of " + SizeText(grid) + " voxels (" + Brief(bytes / 1e6) +
                       " MB)");
  }
  volume.pixels = std::shared_ptr<void>(memory, [](void * pointer) { ::operator delete(pointer); });
  return volume;
}

} // namespace CudaSplineProgram
