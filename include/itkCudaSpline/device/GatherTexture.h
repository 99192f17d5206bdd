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
#ifndef itkCudaSpline_device_GatherTexture_h
#define itkCudaSpline_device_GatherTexture_h

#include "itkCudaSpline/device/TextureArray.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

class Stream;

/** \brief Layout of the slices of a volume in a two-dimensional array: columns of 2^logSlices slices, next to each
 * other.
 *
 * Sample (x, y, z) is the texel (x + (z >> logSlices) width, y + (z mod 2^logSlices) height). */
struct GatherLayout
{
  /** Maximum number of texels per axis of a two-dimensional array for gathers (CUDA C++ Programming Guide, technical
   * specifications by compute capability, from 5.0 on). */
  static constexpr std::int64_t Largest = 32768;

  bool         fits{ false };  ///< false: the array would be too large
  int          logSlices{ 0 }; ///< logarithm of the number of slices per column
  std::int64_t columns{ 0 };   ///< number of columns

  /** \param[in] width samples along x, \param[in] height along y, \param[in] depth along z; all at least 1 */
  GatherLayout(std::int64_t width, std::int64_t height, std::int64_t depth)
  {
    while (logSlices < 30 && (std::int64_t{ 1 } << logSlices) < depth && (height << (logSlices + 1)) <= Largest)
    {
      ++logSlices;
    }
    columns = ((depth - 1) >> logSlices) + 1;
    fits = height <= Largest && width <= Largest && columns * width <= Largest;
  }
};

/** \brief Owns a two-dimensional CUDA array with a volume of float, whose slices have a GatherLayout, and a texture
 * object for it. Move-only.
 *
 * A gather (tex2Dgather) at (u + 1, v + 1) returns the four texels u to u + 1, v to v + 1 unchanged: one instruction
 * reads half of the samples around a point in a volume through the texture cache. Coordinates are in texels, not
 * normalised. */
class GatherTexture
{
public:
  /** Copies samples into an array of the current device.
   *
   * \param[in] data device memory, width x height x depth samples, x fastest
   * \param[in] width samples along x
   * \param[in] height samples along y
   * \param[in] depth samples along z; the GatherLayout of the three must fit
   * \param[in] stream stream in which the copies are enqueued
   * \exception DeviceError out of memory, or a size beyond the device's limits */
  GatherTexture(const float * data, std::int64_t width, std::int64_t height, std::int64_t depth, const Stream & stream);

  /** The texture object, a cudaTextureObject_t, for kernels. */
  unsigned long long
  Get() const
  {
    return m_Array.GetTexture();
  }

private:
  TextureArray m_Array;
};

/** @} */
} // namespace itk::CudaSpline

#endif
