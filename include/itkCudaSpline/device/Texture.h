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
#ifndef itkCudaSpline_device_Texture_h
#define itkCudaSpline_device_Texture_h

#include "itkCudaSpline/device/TextureArray.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

class Stream;

/** \brief Maximum number of texels per axis of a linearly filtered two-dimensional array, on every supported device
 * (CUDA C++ Programming Guide, technical specifications by compute capability; some devices support more). */
inline constexpr std::int64_t LargestTexture2D = 65536;

/** \brief Maximum number of texels per axis of a linearly filtered three-dimensional array; see LargestTexture2D. */
inline constexpr std::int64_t LargestTexture3D = 16384;

/** \brief Owns a 3D CUDA array of float with a texture object for it. Move-only.
 *
 * Coordinates are in texels, not normalised; the centre of texel i is at i + 1/2. The edge texel is repeated outside.
 * An image of two dimensions has depth 1. */
class FloatTexture3D
{
public:
  /** No texture. */
  FloatTexture3D() = default;

  /** Copies samples into an array of the current device.
   *
   * \param[in] data device memory, width x height x depth samples, x fastest
   * \param[in] width texels along x, at least 1
   * \param[in] height texels along y, at least 1
   * \param[in] depth texels along z, at least 1
   * \param[in] filter filter of a fetch
   * \param[in] stream stream in which the copy is enqueued
   * \exception DeviceError out of memory, or a size beyond the device's limit for 3D arrays */
  FloatTexture3D(const float *  data,
                 std::int64_t   width,
                 std::int64_t   height,
                 std::int64_t   depth,
                 TextureFilter  filter,
                 const Stream & stream);

  /** Creates an array of the current device that a kernel fills through GetSurface(), before the first fetch.
   *
   * \param[in] width texels along x, at least 1
   * \param[in] height texels along y, at least 1
   * \param[in] depth texels along z; 0 for a two-dimensional array, which is fetched by tex2D and written as such
   * \param[in] filter filter of a fetch
   * \exception DeviceError out of memory, or a size beyond the device's limits */
  FloatTexture3D(std::int64_t width, std::int64_t height, std::int64_t depth, TextureFilter filter);

  /** The texture object, a cudaTextureObject_t, for kernels. */
  unsigned long long
  Get() const
  {
    return m_Array.GetTexture();
  }

  /** The surface object, a cudaSurfaceObject_t, of an array that a kernel fills; else 0. */
  unsigned long long
  GetSurface() const
  {
    return m_Array.GetSurface();
  }

private:
  TextureArray m_Array;
};

/** @} */
} // namespace itk::CudaSpline

#endif
