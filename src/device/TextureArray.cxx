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
#include "itkCudaSpline/device/TextureArray.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime.h>

#include <utility>

namespace itk::CudaSpline
{

namespace
{
cudaResourceDesc
ResourceOf(cudaArray * array)
{
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
} // namespace

TextureArray::TextureArray(std::int64_t width, std::int64_t height, std::int64_t depth, unsigned int flags)
{
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  const cudaExtent            extent =
    make_cudaExtent(static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(depth));
  CheckCuda(cudaGetDevice(&m_Device), "cudaGetDevice");
  CheckCuda(cudaMalloc3DArray(&m_Array, &format, extent, flags), "cudaMalloc3DArray");
}

TextureArray::TextureArray(TextureArray && other) noexcept
  : m_Device(other.m_Device)
  , m_Array(std::exchange(other.m_Array, nullptr))
  , m_Texture(std::exchange(other.m_Texture, 0))
  , m_Surface(std::exchange(other.m_Surface, 0))
{}

TextureArray &
TextureArray::operator=(TextureArray && other) noexcept
{
  std::swap(m_Device, other.m_Device);
  std::swap(m_Array, other.m_Array);
  std::swap(m_Texture, other.m_Texture);
  std::swap(m_Surface, other.m_Surface);
  return *this;
}

TextureArray::~TextureArray()
{
  if (m_Array == nullptr || IsForkedChild())
  {
    return;
  }
  const DeviceScope scope(m_Device, std::nothrow); // a texture object belongs to the context of its device
  if (m_Texture != 0)
  {
    IgnoreCuda(cudaDestroyTextureObject(m_Texture));
  }
  if (m_Surface != 0)
  {
    IgnoreCuda(cudaDestroySurfaceObject(m_Surface));
  }
  IgnoreCuda(cudaFreeArray(m_Array));
}

void
TextureArray::MakeTexture(TextureFilter filter)
{
  const cudaResourceDesc resource = ResourceOf(m_Array);
  cudaTextureDesc        description{};
  for (cudaTextureAddressMode & mode : description.addressMode)
  {
    mode = cudaAddressModeClamp;
  }
  description.filterMode = filter == TextureFilter::Linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  CheckCuda(cudaCreateTextureObject(&m_Texture, &resource, &description, nullptr), "cudaCreateTextureObject");
}

void
TextureArray::MakeSurface()
{
  const cudaResourceDesc resource = ResourceOf(m_Array);
  CheckCuda(cudaCreateSurfaceObject(&m_Surface, &resource), "cudaCreateSurfaceObject");
}

} // namespace itk::CudaSpline
