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
#include "itkCudaSpline/kernels/fields/FieldFolding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

template <unsigned int VDimension>
double
DeterminantOf(const std::array<std::array<double, VDimension>, VDimension> & m)
{
  const double plane = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  if constexpr (VDimension == 2)
  {
    return plane;
  }
  else
  {
    return m[2][2] * plane + m[1][2] * (m[0][1] * m[2][0] - m[0][0] * m[2][1]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
}

template <typename TReal, unsigned int VDimension>
class FoldingOf
{
public:
  FoldingOf(const FieldGrid & grid, const TReal * field)
    : m_Grid(grid)
    , m_Field(field)
  {
    std::int64_t stride = VDimension;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Strides[d] = stride;
      stride *= grid.size[d];
    }
  }

  /** The determinant at a sample. */
  double
  At(const std::array<std::int64_t, 3> & index) const
  {
    std::int64_t offset = 0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      offset += index[d] * m_Strides[d];
    }
    const TReal * const vector = m_Field + offset;
    Matrix              byIndex{};
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      const std::int64_t behind = index[axis] > 0 ? m_Strides[axis] : 0;
      const std::int64_t ahead = index[axis] + 1 < m_Grid.size[axis] ? m_Strides[axis] : 0;
      const double       steps = (behind != 0 ? 1.0 : 0.0) + (ahead != 0 ? 1.0 : 0.0);
      for (unsigned int d = 0; d < VDimension && steps > 0.0; ++d)
      {
        byIndex[d][axis] = (static_cast<double>(vector[ahead + d]) - static_cast<double>(vector[d - behind])) / steps;
      }
    }
    Matrix derivative{}; // du/dx = du/di di/dx, of which the latter is the same everywhere
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        for (unsigned int i = 0; i < VDimension; ++i)
        {
          derivative[r][c] += byIndex[r][i] * m_Grid.pointToIndex[i][c];
        }
      }
      derivative[r][r] += 1.0;
    }
    return DeterminantOf<VDimension>(derivative);
  }

private:
  using Matrix = std::array<std::array<double, VDimension>, VDimension>;

  const FieldGrid &                    m_Grid;
  const TReal *                        m_Field;
  std::array<std::int64_t, VDimension> m_Strides{};
};

template <typename TReal, unsigned int VDimension>
FieldFolding
Measure(const FieldGrid & grid, const TReal * field, TReal * to, bool isLogarithm, const ExecutionContext & context)
{
  const FoldingOf<TReal, VDimension> folding(grid, field);
  FieldFolding                       whole;
  std::mutex                         mutex;
  whole.all = grid.Count();
  context.ParallelFor(grid.size[1] * grid.size[2], [&](std::int64_t begin, std::int64_t end) {
    FieldFolding here;
    for (std::int64_t line = begin; line < end; ++line)
    {
      std::array<std::int64_t, 3> index{ { 0, line % grid.size[1], line / grid.size[1] } };
      for (; index[0] < grid.size[0]; ++index[0])
      {
        const double determinant = folding.At(index);
        here.voxels += determinant > 0.0 ? 0 : 1;
        here.least = std::min(here.least, determinant);
        here.largest = std::max(here.largest, determinant);
        if (to != nullptr)
        {
          constexpr double leastOfLogarithm = 1e-4;
          to[line * grid.size[0] + index[0]] =
            static_cast<TReal>(isLogarithm ? std::log(std::max(determinant, leastOfLogarithm)) : determinant);
        }
      }
    }
    const std::lock_guard<std::mutex> lock(mutex);
    whole.voxels += here.voxels;
    whole.least = std::min(whole.least, here.least);
    whole.largest = std::max(whole.largest, here.largest);
  });
  return whole;
}

} // namespace

FieldFolding
MeasureFolding(const FieldShape &       shape,
               const void *             field,
               void *                   determinants,
               bool                     isLogarithm,
               const ExecutionContext & context)
{
  if ((shape.grid.dimension != 2 && shape.grid.dimension != 3) || shape.grid.Count() < 1 ||
      (shape.element != ScalarType::Float32 && shape.element != ScalarType::Float64))
  {
    throw std::invalid_argument("Fields have 2 or 3 dimensions and numbers of float or double.");
  }
  const auto measure = [&](auto zero) {
    using Real = decltype(zero);
    const auto * const from = static_cast<const Real *>(field);
    auto * const       to = static_cast<Real *>(determinants);
    return shape.grid.dimension == 2 ? Measure<Real, 2>(shape.grid, from, to, isLogarithm, context)
                                     : Measure<Real, 3>(shape.grid, from, to, isLogarithm, context);
  };
  return shape.element == ScalarType::Float32 ? measure(float{}) : measure(double{});
}

} // namespace itk::CudaSpline
