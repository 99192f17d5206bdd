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
#include "io/volume/GridCheck.h"

#include "console/Error.h"

#include "vnl/vnl_det.h"
#include "vnl/vnl_matrix_fixed.h"

#include <cmath>

namespace CudaSplineProgram
{

double
CountBytes(const Grid & grid, ScalarType type)
{
  return static_cast<double>(grid.size[0]) * static_cast<double>(grid.size[1]) * static_cast<double>(grid.size[2]) *
         static_cast<double>(itk::CudaSpline::SizeOf(type));
}

std::string
WhyNoGeometry(const Grid & grid)
{
  constexpr double               most = 1e15; // mm; scanners have no larger numbers, and their squares overflow
  vnl_matrix_fixed<double, 3, 3> directions;
  directions.set_identity();
  for (unsigned int axis = 0; axis < grid.dimension; ++axis)
  {
    if (!(grid.spacing[axis] > 1.0 / most && grid.spacing[axis] < most))
    {
      return std::string("has a spacing of ") + Brief(grid.spacing[axis]) + " mm along " + "xyz"[axis] +
             "; it has to be above 0, and below 1e15";
    }
    if (!(std::abs(grid.origin[axis]) < most))
    {
      return std::string("has an origin of ") + Brief(grid.origin[axis]) + " mm along " + "xyz"[axis] +
             "; it has to be below 1e15";
    }
    for (unsigned int row = 0; row < grid.dimension; ++row)
    {
      directions(row, axis) = grid.direction[row][axis];
    }
  }
  if (!(std::abs(vnl_det(directions)) > 1e-9)) // columns of length 1
  {
    return "has a direction whose axes are not independent (its determinant is " + Brief(vnl_det(directions)) + ")";
  }
  return {};
}

} // namespace CudaSplineProgram
