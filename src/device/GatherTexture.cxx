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

#include <cuda_runtime.h>

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
TextureArray
MakeArray(const GatherLayout & layout, std::int64_t width, std::int64_t height, std::int64_t depth)
{
  const std::int64_t slices = std::min(std::int64_t{ 1 } << layout.logSlices, depth);
  return TextureArray(layout.columns * width, slices * height, 0, cudaArrayTextureGather);
}
} // namespace

GatherTexture::GatherTexture(const float *  data,
                             std::int64_t   width,
                             std::int64_t   height,
                             std::int64_t   depth,
                             const Stream & stream)
  : m_Array(MakeArray(GatherLayout(width, height, depth), width, height, depth))
{
  const GatherLayout layout(width, height, depth);
  const std::int64_t columnSlices = std::int64_t{ 1 } << layout.logSlices;
  const auto         rowBytes = static_cast<std::size_t>(width) * sizeof(float);
  for (std::int64_t column = 0; column < layout.columns; ++column)
  {
    const std::int64_t first = column * columnSlices;
    const std::int64_t slices = std::min(columnSlices, depth - first);
    cudaMemcpy3DParms  copy{};
    copy.extent =
      make_cudaExtent(static_cast<std::size_t>(width), static_cast<std::size_t>(slices * height), std::size_t{ 1 });
    copy.srcPtr = make_cudaPitchedPtr(
      const_cast<float *>(data + first * height * width), rowBytes, copy.extent.width, copy.extent.height);
    copy.dstArray = m_Array.Get();
    copy.dstPos = make_cudaPos(static_cast<std::size_t>(column * width), 0, 0);
    copy.kind = cudaMemcpyDeviceToDevice;
    CheckCuda(cudaMemcpy3DAsync(&copy, stream.Get()), "cudaMemcpy3DAsync");
  }
  m_Array.MakeTexture(TextureFilter::Point);
}

} // namespace itk::CudaSpline
