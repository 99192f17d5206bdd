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
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/math/TextureBound.h"

#include "kernels/coefficients/StoreCoefficients.h"

#include <algorithm>
#include <cmath>

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

/** Returns the largest magnitude of the finite coefficients, or a slightly larger number. */
double
LargestCoefficient(const SampleSource & source, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  const StorageScale &     scale = source.GetScale();
  switch (samples.storage)
  {
    case CoefficientStorage::Int16: // integers around the middle of the range
      return std::abs(scale.offset) + 32767.0 * std::abs(scale.scale);
    case CoefficientStorage::Half: // the bound is 2^-11 to 2^-12 of the magnitude
      return 0x1p12 * scale.errorBound;
    case CoefficientStorage::Texture:
      return source.GetTexture().largest;
    default:
      return samples.element == ScalarType::Float64 ? LargestElement<double>(source, context)
                                                    : LargestElement<float>(source, context);
  }
}

/** Returns the relative rounding error of a coefficient: half the distance from 1 to the next number of its type. */
double
UnitOf(const SourceDescriptor & samples)
{
  return samples.element == ScalarType::Float64 ? 0x1p-53 : 0x1p-24;
}

/** StorageErrorBound() for coefficients whose largest magnitude is known. */
double
StorageBoundOf(const SampleSource & source, double largest)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  if (IsPacked(samples.storage))
  {
    return source.GetScale().errorBound;
  }
  return samples.NeedsFilter() || samples.element != samples.pixel ? UnitOf(samples) * largest : 0.0;
}
} // namespace

double
StorageErrorBound(const SampleSource & source, const ExecutionContext & context)
{
  // The coefficients are not read if their bits are those of the samples.
  return StorageBoundOf(source, 1.0) > 0.0 ? StorageBoundOf(source, LargestCoefficient(source, context)) : 0.0;
}

double
ModeErrorBound(const InterpolationDescriptor & method, const SampleSource & source, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  const unsigned int       order = method.interpolation == Interpolation::Linear ? 1 : samples.order;
  const double             largest = LargestCoefficient(source, context);
  const double             storage = StorageBoundOf(source, largest);
  if (method.mode == EvaluationMode::Exact)
  {
    const double sum = order > 0 ? samples.dimension * (3.0 * order + 8.0) * UnitOf(samples) * largest : 0.0;
    return storage + sum;
  }
  return storage + TextureErrorBound(std::max(samples.order, 1U),
                                     samples.dimension,
                                     samples.size,
                                     source.GetTexture().difference,
                                     largest,
                                     method.mode == EvaluationMode::TextureTable ? samples.tableEntries : 0);
}

} // namespace itk::CudaSpline
