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
#include "TextureRamp.h"

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/HalfPrecision.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

using namespace itk::CudaSpline;

namespace
{
__global__ void
TextureRampKernel(cudaTextureObject_t texture, float * values, int samples)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < samples)
  {
    // The centres of the two texels are at 1/2 and 3/2.
    values[i] = tex2D<float>(texture, 0.5F + static_cast<float>(i) / static_cast<float>(samples - 1), 0.5F);
  }
}

/** Array and texture, freed at the end. */
struct Ramp
{
  cudaArray_t         array{ nullptr };
  cudaTextureObject_t texture{ 0 };

  ~Ramp()
  {
    if (texture != 0)
    {
      static_cast<void>(cudaDestroyTextureObject(texture));
    }
    if (array != nullptr)
    {
      static_cast<void>(cudaFreeArray(array));
    }
  }
};
} // namespace

std::vector<float>
FetchRamp(RampFormat format, float value, int samples, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream;
  const bool        isInteger = format == RampFormat::Integer8 || format == RampFormat::Integer16;
  const int         bytes = format == RampFormat::Integer8 ? 1 : (format == RampFormat::Float ? 4 : 2);
  unsigned char     texels[8] = {};
  if (isInteger)
  {
    const auto whole = static_cast<std::uint16_t>(value);
    std::memcpy(texels + bytes, &whole, static_cast<std::size_t>(bytes)); // little endian
  }
  else if (format == RampFormat::Half)
  {
    const std::uint16_t half = FloatToHalf(value);
    std::memcpy(texels + 2, &half, 2);
  }
  else
  {
    std::memcpy(texels + 4, &value, 4);
  }
  Ramp                        ramp;
  const cudaChannelFormatDesc channel =
    cudaCreateChannelDesc(8 * bytes, 0, 0, 0, isInteger ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindFloat);
  CheckCuda(cudaMallocArray(&ramp.array, &channel, 2, 1), "cudaMallocArray");
  const auto row = static_cast<std::size_t>(2 * bytes);
  CheckCuda(cudaMemcpy2DToArray(ramp.array, 0, 0, texels, row, row, 1, cudaMemcpyHostToDevice), "cudaMemcpy2DToArray");
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = ramp.array;
  cudaTextureDesc description{};
  description.addressMode[0] = cudaAddressModeClamp;
  description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = isInteger ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  CheckCuda(cudaCreateTextureObject(&ramp.texture, &resource, &description, nullptr), "cudaCreateTextureObject");

  std::vector<float> values(static_cast<std::size_t>(samples));
  DeviceBuffer       buffer(values.size() * sizeof(float), stream);
  TextureRampKernel<<<static_cast<unsigned int>((samples + 127) / 128), 128, 0, stream.Get()>>>(
    ramp.texture, static_cast<float *>(buffer.Data()), samples);
  CheckCuda(cudaGetLastError(), "TextureRampKernel");
  CheckCuda(cudaMemcpyAsync(values.data(), buffer.Data(), buffer.Bytes(), cudaMemcpyDeviceToHost, stream.Get()),
            "cudaMemcpyAsync");
  stream.Synchronize();
  return values;
}
