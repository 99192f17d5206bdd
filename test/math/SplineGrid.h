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
#ifndef CudaSplineTest_SplineGrid_h
#define CudaSplineTest_SplineGrid_h

#include "itkCudaSpline/math/SplineEvaluation.h"

#include "RandomData.h"
#include "ReferenceSpline.h"
#include "TestOrders.h"

#include <vector>

namespace CudaSplineTest
{

/** \brief What SplineValue() documents: VDimension (VOrder + 4) units of rounding of max|c|. */
template <typename T>
double
ValueBound(unsigned int order, unsigned int dimension, double largest)
{
  return dimension * (order + 4) * UnitOfRounding<T> * largest;
}

/** \brief The weights of a derivative have absolute values that sum to at most 2, and each is a difference. */
template <typename T>
double
DerivativeBound(unsigned int order, unsigned int dimension, double largest)
{
  return 2 * ValueBound<T>(order, dimension, largest) + 2 * (order + 1) * UnitOfRounding<T> * largest;
}

/** \brief A grid of coefficients and the same data for the reference. */
template <unsigned int VDimension, typename T>
struct Grid
{
  std::vector<T>                                  elements;
  itk::CudaSpline::CoefficientGrid<VDimension, T> grid;
  std::vector<std::int64_t>                       size;
  std::vector<std::int64_t>                       start;
  std::vector<Extension>                          extensions;

  Grid(const std::vector<std::int64_t> & gridSize, const std::vector<std::int64_t> & gridStart)
    : size(gridSize)
    , start(gridStart)
    , extensions(VDimension, Extension::Mirror)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      grid.extent.size[d] = size[d];
      grid.extent.start[d] = start[d];
    }
    elements.resize(static_cast<std::size_t>(grid.extent.Count()));
    grid.data = elements.data();
  }

  /** Values in [-1, 1], or of absolute value 1: the latter add up the errors of the weights. */
  void
  Fill(Random & random)
  {
    const bool signs = random.Integer(0, 1) == 0;
    for (T & element : elements)
    {
      element = static_cast<T>(signs ? random.Sign() : random.Uniform(-1.0, 1.0));
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extensions[d] = AllExtensions()[static_cast<std::size_t>(random.Integer(0, 2))];
      grid.extension[d] = extensions[d];
    }
  }

  ReferenceSpline
  Reference(unsigned int order) const
  {
    return ReferenceSpline(size, std::vector<double>(elements.begin(), elements.end()), order, extensions, start, true);
  }
};

} // namespace CudaSplineTest

#endif
