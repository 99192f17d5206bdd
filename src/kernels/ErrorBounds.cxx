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
#include "itkCudaSpline/kernels/ErrorBounds.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/TextureBound.h"

#include "kernels/StoreCoefficients.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
template <typename TReal>
double
LargestElement(const SampleSource & source, const ExecutionContext & context)
{
  const auto * const elements = static_cast<const TReal *>(source.GetData());
  if (source.GetBackend() == Backend::Cpu)
  {
    return MeasureOnCpu(source.GetDescriptor(), elements, false, context).Largest();
  }
#if defined(CUDASPLINE_HAS_CUDA)
  const DeviceScope scope(source.GetDevice());
  const Stream      stream;
  return MeasureOnCuda(source.GetDescriptor(), elements, false, stream).Largest();
#else
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
#endif
}
} // namespace

double
StorageErrorBound(const SampleSource & source, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  if (IsPacked(samples.storage))
  {
    return source.GetScale().errorBound;
  }
  if (samples.storage == CoefficientStorage::Texture)
  {
    return samples.NeedsFilter() || samples.element != samples.pixel ? 0x1p-24 * source.GetTexture().largest : 0.0;
  }
  if (!samples.NeedsFilter() && samples.element == samples.pixel)
  {
    return 0.0;
  }
  return samples.element == ScalarType::Float64 ? 0x1p-53 * LargestElement<double>(source, context)
                                                : 0x1p-24 * LargestElement<float>(source, context);
}

double
ModeErrorBound(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context)
{
  const double             storage = StorageErrorBound(source, context);
  const SourceDescriptor & samples = source.GetDescriptor();
  if (method.mode == EvaluationMode::Exact)
  {
    return storage;
  }
  return storage + TextureErrorBound(std::max(samples.order, 1U),
                                     samples.dimension,
                                     samples.size,
                                     source.GetTexture().difference,
                                     source.GetTexture().largest,
                                     method.mode == EvaluationMode::TextureTable ? samples.tableEntries : 0);
}

} // namespace itk::CudaSpline
