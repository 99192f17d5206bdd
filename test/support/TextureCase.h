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
#ifndef CudaSplineTest_TextureCase_h
#define CudaSplineTest_TextureCase_h

#include "itkCudaSpline/math/TextureModel.h"
#include "itkCudaSpline/math/TextureSpline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief Coefficients with margins for the tests of texture mode, and a fetch that is exact. */

namespace CudaSplineTest
{

/** \brief Coefficients as they lie in a texture; the margins are looked up by FoldIndex(). */
template <unsigned int VDimension>
struct TexelGrid
{
  itk::CudaSpline::GridExtent<VDimension> extent;
  itk::CudaSpline::Extension              extension[VDimension];
  std::vector<float>                      texels;
  std::int64_t                            size[VDimension]; ///< of the texels

  TexelGrid(const itk::CudaSpline::GridExtent<VDimension> & samples,
            const itk::CudaSpline::Extension (&extensions)[VDimension],
            const std::vector<float> & coefficients,
            unsigned int               order)
    : extent(samples)
  {
    const std::int64_t margin = itk::CudaSpline::TextureMargin(order);
    std::int64_t       count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extension[d] = extensions[d];
      size[d] = extent.size[d] + 2 * margin;
      count *= size[d];
    }
    for (std::int64_t i = 0; i < count; ++i)
    {
      std::int64_t rest = i;
      std::int64_t offset = 0;
      std::int64_t stride = 1;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        offset += stride * itk::CudaSpline::FoldIndex(rest % size[d] - margin, extent.size[d], extension[d]);
        stride *= extent.size[d];
        rest /= size[d];
      }
      texels.push_back(coefficients[static_cast<std::size_t>(offset)]);
    }
  }

  itk::CudaSpline::TextureModel<VDimension>
  Model() const
  {
    itk::CudaSpline::TextureModel<VDimension> model;
    model.texels = texels.data();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      model.size[d] = size[d];
    }
    return model;
  }

  /** Linear interpolation at the very coordinate, in double; a coordinate beyond the texels is a failure. */
  double
  Exact(const float (&at)[VDimension]) const
  {
    double sum = 0.0;
    for (unsigned int corner = 0; corner < 1U << VDimension; ++corner)
    {
      double       product = 1.0;
      std::int64_t offset = 0;
      std::int64_t stride = 1;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double       x = static_cast<double>(at[d]) - 0.5;
        const double       low = std::floor(x);
        const std::int64_t side = corner >> d & 1U;
        const std::int64_t texel = static_cast<std::int64_t>(low) + side;
        const double       weight = side == 1 ? x - low : 1.0 - (x - low);
        // A pair that ends in the last texel may be rounded to it.
        const bool there = texel >= 0 && texel < size[d];
        product *= there ? weight : (weight == 0.0 ? 0.0 : std::nan(""));
        offset += stride * (there ? texel : 0);
        stride *= size[d];
      }
      sum += product * static_cast<double>(texels[static_cast<std::size_t>(offset)]);
    }
    return sum;
  }

  /** Largest difference of neighbours by axis, the margins with them. */
  std::array<double, 3>
  Differences() const
  {
    std::array<double, 3> largest{};
    std::int64_t          stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(texels.size()); ++i)
      {
        if (i / stride % size[d] + 1 < size[d])
        {
          largest[d] = std::max(largest[d],
                                std::abs(static_cast<double>(texels[static_cast<std::size_t>(i + stride)]) -
                                         static_cast<double>(texels[static_cast<std::size_t>(i)])));
        }
      }
      stride *= size[d];
    }
    return largest;
  }
};

} // namespace CudaSplineTest

#endif
