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
#include "itkCudaSpline/device/Texture.h"
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
Resource(cudaArray * array)
{
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
} // namespace

FloatTexture3D::FloatTexture3D(const float *  data,
                               std::int64_t   width,
                               std::int64_t   height,
                               std::int64_t   depth,
                               TextureFilter  filter,
                               const Stream & stream)
{
  this->Allocate(width, height, depth, cudaArrayDefault);
  try
  {
    cudaMemcpy3DParms copy{};
    copy.extent = make_cudaExtent(
      static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(depth));
    copy.srcPtr = make_cudaPitchedPtr(
      const_cast<float *>(data), copy.extent.width * sizeof(float), copy.extent.width, copy.extent.height);
    copy.dstArray = m_Array;
    copy.kind = cudaMemcpyDeviceToDevice;
    CheckCuda(cudaMemcpy3DAsync(&copy, stream.Get()), "cudaMemcpy3DAsync");
    this->MakeTexture(filter);
  }
  catch (...)
  {
    this->Free();
    throw;
  }
}

FloatTexture3D::FloatTexture3D(std::int64_t width, std::int64_t height, std::int64_t depth, TextureFilter filter)
{
  this->Allocate(width, height, depth, cudaArraySurfaceLoadStore);
  try
  {
    const cudaResourceDesc resource = Resource(m_Array);
    CheckCuda(cudaCreateSurfaceObject(&m_Surface, &resource), "cudaCreateSurfaceObject");
    this->MakeTexture(filter);
  }
  catch (...)
  {
    this->Free();
    throw;
  }
}

void
FloatTexture3D::Allocate(std::int64_t width, std::int64_t height, std::int64_t depth, unsigned int flags)
{
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  const cudaExtent            extent =
    make_cudaExtent(static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(depth));
  CheckCuda(cudaMalloc3DArray(&m_Array, &format, extent, flags), "cudaMalloc3DArray");
}

void
FloatTexture3D::MakeTexture(TextureFilter filter)
{
  const cudaResourceDesc resource = Resource(m_Array);
  cudaTextureDesc        description{};
  for (cudaTextureAddressMode & mode : description.addressMode)
  {
    mode = cudaAddressModeClamp;
  }
  description.filterMode = filter == TextureFilter::Linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  CheckCuda(cudaCreateTextureObject(&m_Texture, &resource, &description, nullptr), "cudaCreateTextureObject");
}

FloatTexture3D::FloatTexture3D(FloatTexture3D && other) noexcept
  : m_Array(std::exchange(other.m_Array, nullptr))
  , m_Texture(std::exchange(other.m_Texture, 0))
  , m_Surface(std::exchange(other.m_Surface, 0))
{}

FloatTexture3D &
FloatTexture3D::operator=(FloatTexture3D && other) noexcept
{
  std::swap(m_Array, other.m_Array);
  std::swap(m_Texture, other.m_Texture);
  std::swap(m_Surface, other.m_Surface);
  return *this;
}

FloatTexture3D::~FloatTexture3D()
{
  this->Free();
}

void
FloatTexture3D::Free() noexcept
{
  if (IsForkedChild())
  {
    return; // they are the parent's
  }
  if (m_Texture != 0)
  {
    IgnoreCuda(cudaDestroyTextureObject(m_Texture));
    m_Texture = 0;
  }
  if (m_Surface != 0)
  {
    IgnoreCuda(cudaDestroySurfaceObject(m_Surface));
    m_Surface = 0;
  }
  if (m_Array != nullptr)
  {
    IgnoreCuda(cudaFreeArray(m_Array));
    m_Array = nullptr;
  }
}

} // namespace itk::CudaSpline
