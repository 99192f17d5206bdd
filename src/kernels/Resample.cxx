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
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/ResampleBackends.h"

namespace itk::CudaSpline
{

void
Resample(const ResampleDescriptor & descriptor,
         const SampleSource &       source,
         void *                     output,
         const ExecutionContext &   context)
{
  const bool cuda = context.backend == Backend::Cuda;
  if (source.GetBackend() != context.backend || (cuda && source.GetDevice() != context.device))
  {
    throw std::invalid_argument(std::string("The source was made by the ") + NameOf(source.GetBackend()) +
                                " backend or on another device; it is evaluated where it was made.");
  }
  if (descriptor.interpolation != Interpolation::Nearest && !IsReal(source.GetDescriptor().element))
  {
    throw std::invalid_argument(std::string("Linear and B-spline interpolation need float32 or float64 samples, not ") +
                                NameOf(source.GetDescriptor().element) + ".");
  }
  if (descriptor.samples > 0 && descriptor.lines > 0)
  {
    (cuda ? ResampleOnCuda : ResampleOnCpu)(descriptor, source, output, context);
  }
  context.Report(1.0);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
ResampleOnCuda(const ResampleDescriptor &, const SampleSource &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
