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

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

FloatTexture3D::FloatTexture3D(const float *  data,
                               std::int64_t   width,
                               std::int64_t   height,
                               std::int64_t   depth,
                               TextureFilter  filter,
                               const Stream & stream)
  : m_Array(width, height, depth, cudaArrayDefault)
{
  cudaMemcpy3DParms copy{};
  copy.extent =
    make_cudaExtent(static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(depth));
  copy.srcPtr = make_cudaPitchedPtr(
    const_cast<float *>(data), copy.extent.width * sizeof(float), copy.extent.width, copy.extent.height);
  copy.dstArray = m_Array.Get();
  copy.kind = cudaMemcpyDeviceToDevice;
  CheckCuda(cudaMemcpy3DAsync(&copy, stream.Get()), "cudaMemcpy3DAsync");
  m_Array.MakeTexture(filter);
}

FloatTexture3D::FloatTexture3D(std::int64_t width, std::int64_t height, std::int64_t depth, TextureFilter filter)
  : m_Array(width, height, depth, cudaArraySurfaceLoadStore)
{
  m_Array.MakeSurface();
  m_Array.MakeTexture(filter);
}

} // namespace itk::CudaSpline
