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
#ifndef itkCudaSpline_device_TextureArray_h
#define itkCudaSpline_device_TextureArray_h

#include <cstdint>

struct cudaArray;

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief How a texture fetch combines texels. */
enum class TextureFilter : unsigned char
{
  Point, ///< the nearest texel, exact
  Linear ///< the hardware's linear filtering: weights with 8 fractional bits
};

/** \brief Owns a CUDA array of float of two or three dimensions, and the texture and surface objects for it. Move-only.
 *
 * They are freed on the device on which they were created, for any current device. A forked child does not own them and
 * never frees them. */
class TextureArray
{
public:
  /** No array. */
  TextureArray() = default;

  /** Creates an array of the current device.
   *
   * \param[in] width texels along x, at least 1
   * \param[in] height texels along y, at least 1
   * \param[in] depth texels along z; 0 for a two-dimensional array
   * \param[in] flags flags of cudaMalloc3DArray()
   * \exception DeviceError out of memory, or a size beyond the device's limits */
  TextureArray(std::int64_t width, std::int64_t height, std::int64_t depth, unsigned int flags);
  TextureArray(const TextureArray &) = delete;
  TextureArray &
  operator=(const TextureArray &) = delete;
  /** Takes the array; \p other has no array afterwards. */
  TextureArray(TextureArray && other) noexcept;
  /** Swaps the arrays of both objects. */
  TextureArray &
  operator=(TextureArray && other) noexcept;
  ~TextureArray();

  /** Creates the texture object: coordinates are in texels, the edge texel is repeated outside.
   *
   * \param[in] filter filter of a fetch
   * \exception DeviceError error of the CUDA call */
  void
  MakeTexture(TextureFilter filter);

  /** Creates the surface object, for an array with cudaArraySurfaceLoadStore.
   *
   * \exception DeviceError error of the CUDA call */
  void
  MakeSurface();

  /** The array. */
  cudaArray *
  Get() const
  {
    return m_Array;
  }
  /** The texture object, a cudaTextureObject_t; 0: not created. */
  unsigned long long
  GetTexture() const
  {
    return m_Texture;
  }
  /** The surface object, a cudaSurfaceObject_t; 0: not created. */
  unsigned long long
  GetSurface() const
  {
    return m_Surface;
  }

private:
  int                m_Device{ 0 };
  cudaArray *        m_Array{ nullptr };
  unsigned long long m_Texture{ 0 };
  unsigned long long m_Surface{ 0 };
};

/** @} */
} // namespace itk::CudaSpline

#endif
