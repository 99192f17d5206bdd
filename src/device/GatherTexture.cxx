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
#include "itkCudaSpline/device/GatherTexture.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime.h>

#include <algorithm>

namespace itk::CudaSpline
{

GatherTexture::GatherTexture(const float *  data,
                             std::int64_t   width,
                             std::int64_t   height,
                             std::int64_t   depth,
                             const Stream & stream)
{
  const GatherLayout layout(width, height, depth);
  const std::int64_t columnSlices = std::int64_t{ 1 } << layout.logSlices;
  const auto         rowBytes = static_cast<std::size_t>(width) * sizeof(float);
  const auto         format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  const auto         extent = make_cudaExtent(static_cast<std::size_t>(layout.columns * width),
                                      static_cast<std::size_t>(std::min(columnSlices, depth) * height),
                                      0);
  CheckCuda(cudaGetDevice(&m_Device), "cudaGetDevice");
  CheckCuda(cudaMalloc3DArray(&m_Array, &format, extent, cudaArrayTextureGather), "cudaMalloc3DArray");
  try
  {
    for (std::int64_t column = 0; column < layout.columns; ++column)
    {
      const std::int64_t first = column * columnSlices;
      const std::int64_t slices = std::min(columnSlices, depth - first);
      cudaMemcpy3DParms  copy{};
      copy.extent =
        make_cudaExtent(static_cast<std::size_t>(width), static_cast<std::size_t>(slices * height), std::size_t{ 1 });
      copy.srcPtr = make_cudaPitchedPtr(
        const_cast<float *>(data + first * height * width), rowBytes, copy.extent.width, copy.extent.height);
      copy.dstArray = m_Array;
      copy.dstPos = make_cudaPos(static_cast<std::size_t>(column * width), 0, 0);
      copy.kind = cudaMemcpyDeviceToDevice;
      CheckCuda(cudaMemcpy3DAsync(&copy, stream.Get()), "cudaMemcpy3DAsync");
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = m_Array;
    cudaTextureDesc description{};
    for (cudaTextureAddressMode & mode : description.addressMode)
    {
      mode = cudaAddressModeClamp;
    }
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    CheckCuda(cudaCreateTextureObject(&m_Texture, &resource, &description, nullptr), "cudaCreateTextureObject");
  }
  catch (...)
  {
    this->Free();
    throw;
  }
}

GatherTexture::~GatherTexture()
{
  this->Free();
}

void
GatherTexture::Free() noexcept
{
  if (IsForkedChild())
  {
    return; // they are the parent's
  }
  // A texture object is a number of its own device's context, whichever is current where the last owner goes.
  int current = m_Device;
  IgnoreCuda(cudaGetDevice(&current));
  if (current != m_Device)
  {
    IgnoreCuda(cudaSetDevice(m_Device));
  }
  if (m_Texture != 0)
  {
    IgnoreCuda(cudaDestroyTextureObject(m_Texture));
  }
  if (m_Array != nullptr)
  {
    IgnoreCuda(cudaFreeArray(m_Array));
  }
  if (current != m_Device)
  {
    IgnoreCuda(cudaSetDevice(current));
  }
}

} // namespace itk::CudaSpline
