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
#include "itkCudaSpline/kernels/metrics/MappedImage.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/metrics/images/ImageMapping.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

void
MapImage(const ImageMapping &  mapping,
         const MappedSources & sources,
         const MappedImage &   output,
         const Residence &     residence)
{
  if (mapping.stages.size() > MaximumWarpStages)
  {
    throw std::invalid_argument("The chain has " + std::to_string(mapping.stages.size()) + " stages; at most " +
                                std::to_string(MaximumWarpStages) + " are supported.");
  }
  if (residence.IsOnDevice())
  {
    MapImageOnCuda(mapping, sources, output, residence);
    return;
  }
  DispatchMapping(mapping, sources, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
MapImageOnCuda(const ImageMapping &, const MappedSources &, const MappedImage &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
