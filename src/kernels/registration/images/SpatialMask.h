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
#ifndef SpatialMask_h
#define SpatialMask_h

#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

/** \file
 * \brief Common functions for reading pixels on the host. */

namespace itk::CudaSpline
{

/** \brief Calls a functor with the pixels in their type. */
template <typename TFunctor>
auto
WithPixels(const void * pixels, ScalarType pixel, const TFunctor & functor)
{
  switch (pixel)
  {
    case ScalarType::Float32:
      return functor(static_cast<const float *>(pixels));
    case ScalarType::Float64:
      return functor(static_cast<const double *>(pixels));
    default:
      throw std::invalid_argument(std::string("Pixels of a registration must be float32 or float64, not ") +
                                  NameOf(pixel) + ".");
  }
}

/** \brief A mask in physical space, as itk::ImageMaskSpatialObject. */
class SpatialMask
{
public:
  SpatialMask(const FieldGrid & grid, const std::uint8_t * pixels)
    : m_Grid(grid)
    , m_Pixels(pixels)
  {}

  bool
  IsInside(const FieldGrid::Vector & place) const
  {
    if (m_Pixels == nullptr)
    {
      return true;
    }
    std::array<std::int64_t, 3> index{};
    for (unsigned int r = 0; r < m_Grid.dimension; ++r)
    {
      double sum = 0.0;
      for (unsigned int c = 0; c < m_Grid.dimension; ++c)
      {
        sum += m_Grid.pointToIndex[r][c] * (place[c] - m_Grid.origin[c]);
      }
      const double nearest = std::floor(sum + 0.5) - static_cast<double>(m_Grid.start[r]);
      if (!(nearest >= 0.0 && nearest < static_cast<double>(m_Grid.size[r])))
      {
        return false;
      }
      index[r] = static_cast<std::int64_t>(nearest);
    }
    return m_Pixels[index[0] + m_Grid.size[0] * (index[1] + m_Grid.size[1] * index[2])] != 0;
  }

private:
  const FieldGrid &    m_Grid;
  const std::uint8_t * m_Pixels;
};

} // namespace itk::CudaSpline

#endif
