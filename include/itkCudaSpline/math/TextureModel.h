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
#ifndef itkCudaSpline_math_TextureModel_h
#define itkCudaSpline_math_TextureModel_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief A model of a linearly filtered fetch from a texture of floats.
 *
 * It follows NVIDIA's documentation (CUDA C++ Programming Guide, Texture Fetching): a coordinate minus 1/2 is divided
 * into a texel and a fraction of 8 bits, and the value outside is that of the nearest texel. The guide does not
 * document the rounding of the fraction (to nearest here, as measured on an H200), nor the precision of the hardware's
 * sum. The Cpu backend computes texture mode with this model, and a test on a GPU (TextureGpu) compares the two.
 *
 * \tparam VDimension number of axes */
template <unsigned int VDimension>
struct TextureModel
{
  const float * texels;           ///< first texel, x fastest
  std::int64_t  size[VDimension]; ///< texels per axis

  /** The value at texture coordinates (texels; the centre of texel i is at i + 1/2). */
  CUDASPLINE_HOST_DEVICE float
  operator()(const float (&at)[VDimension]) const
  {
    std::int64_t offset[VDimension][2]; // of the two neighbours along an axis
    float        weight[VDimension][2];
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const float        steps = rintf((at[d] - 0.5F) * 256.0F);
      const float        texel = floorf(steps / 256.0F);
      const std::int64_t low = static_cast<std::int64_t>(texel);
      weight[d][1] = steps / 256.0F - texel;
      weight[d][0] = 1.0F - weight[d][1];
      for (int side = 0; side < 2; ++side)
      {
        const std::int64_t place = low + side < 0 ? 0 : (low + side < size[d] ? low + side : size[d] - 1);
        offset[d][side] = place * stride;
      }
      stride *= size[d];
    }
    float sum = 0.0F;
    for (unsigned int corner = 0; corner < 1U << VDimension; ++corner)
    {
      float        product = 1.0F;
      std::int64_t texel = 0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        product *= weight[d][corner >> d & 1U];
        texel += offset[d][corner >> d & 1U];
      }
      sum += product * texels[texel];
    }
    return sum;
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
