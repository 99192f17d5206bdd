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
#include "kernels/resampling/GatherSource.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include <functional>
#include <memory>

namespace itk::CudaSpline
{

const GatherTexture *
GatherTextureOf(const ResampleDescriptor &           descriptor,
                const SampleSource &                 source,
                const std::function<std::size_t()> & spareBytes)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  const GatherLayout       layout(samples.size[0], samples.size[1], samples.size[2]);
  const bool               can = descriptor.interpolation == Interpolation::Linear && samples.dimension == 3 &&
                   samples.components == 1 && samples.element == ScalarType::Float32 &&
                   samples.storage == CoefficientStorage::Element && descriptor.mode == EvaluationMode::Exact &&
                   descriptor.chain == nullptr && !descriptor.indexProvider && !descriptor.singleCoordinates &&
                   layout.fits;
  if (!can)
  {
    return nullptr;
  }
  const auto make = [&]() -> std::shared_ptr<const void> {
    if (spareBytes() / 2 < samples.Bytes())
    {
      return nullptr;
    }
    try
    {
      const Stream stream;
      const auto   texture = std::make_shared<const GatherTexture>(
        static_cast<const float *>(source.GetData()), samples.size[0], samples.size[1], samples.size[2], stream);
      stream.Synchronize();
      return texture;
    }
    catch (const DeviceError & error)
    {
      if (error.GetKind() != DeviceError::Kind::OutOfMemory)
      {
        throw;
      }
      return nullptr; // the samples are read from their original memory
    }
  };
  return static_cast<const GatherTexture *>(source.GetSecondForm(make));
}

} // namespace itk::CudaSpline
