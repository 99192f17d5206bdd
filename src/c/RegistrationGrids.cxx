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
#include "c/RegistrationGrids.h"

#include "c/Descriptors.h"

#include <stdexcept>

namespace itk::CudaSpline
{

unsigned int
CheckDimension(std::int32_t dimension, const std::string & name)
{
  if (dimension != 2 && dimension != 3)
  {
    throw std::invalid_argument(name + " is " + std::to_string(dimension) + "; it must be 2 or 3.");
  }
  return static_cast<unsigned int>(dimension);
}

ScalarType
RealOfCode(std::int32_t code, const std::string & name)
{
  const ScalarType type = ScalarTypeOfCode(code, name.c_str());
  if (type != ScalarType::Float32 && type != ScalarType::Float64)
  {
    throw std::invalid_argument(name + " is " + NameOf(type) + "; float32 and float64 are allowed.");
  }
  return type;
}

FieldGrid
DescribeGrid(const cudaspline_grid & from, unsigned int dimension, const std::string & name)
{
  FieldGrid grid;
  grid.dimension = dimension;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    if (from.size[d] < 1)
    {
      throw std::invalid_argument(name + ".size is " + std::to_string(from.size[d]) + " along axis " +
                                  std::to_string(d) + "; it must be at least 1.");
    }
    if (!(from.spacing[d] > 0.0))
    {
      throw std::invalid_argument(name + ".spacing is " + std::to_string(from.spacing[d]) + " along axis " +
                                  std::to_string(d) + "; it must be above 0.");
    }
    grid.size[d] = from.size[d];
    grid.origin[d] = from.origin[d];
    grid.spacing[d] = from.spacing[d];
    for (unsigned int c = 0; c < dimension; ++c)
    {
      grid.indexToPoint[d][c] = from.index_to_point[3 * d + c];
      grid.pointToIndex[d][c] = from.point_to_index[3 * d + c];
    }
  }
  return grid;
}

void
WriteGrid(const FieldGrid & grid, cudaspline_grid & to)
{
  for (unsigned int d = 0; d < 3; ++d)
  {
    to.size[d] = grid.size[d];
    to.origin[d] = grid.origin[d];
    to.spacing[d] = grid.spacing[d];
    for (unsigned int c = 0; c < 3; ++c)
    {
      to.index_to_point[3 * d + c] = grid.indexToPoint[d][c];
      to.point_to_index[3 * d + c] = grid.pointToIndex[d][c];
    }
  }
}

} // namespace itk::CudaSpline
