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
#include "itkCudaSpline/kernels/arrays/DeviceArrays.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/coefficients/DeviceArrayBackends.h"
#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/resampling/ResampleBackends.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
CheckCudaBackend(const ExecutionContext & context)
{
  if (context.backend != Backend::Cuda)
  {
    throw std::invalid_argument(std::string("Arrays on a device need the Cuda backend; the backend is ") +
                                NameOf(context.backend) + ".");
  }
}

void
CheckResampleOnDevice(const ResampleDescriptor & descriptor,
                      const SampleSource &       source,
                      const ExecutionContext &   context)
{
  CheckCudaBackend(context);
  CheckResample(descriptor, source, context);
  if (descriptor.indexProvider)
  {
    throw std::invalid_argument("Indices that the host computes are not supported for an output on a device.");
  }
}

bool
HasSamples(const ResampleDescriptor & descriptor)
{
  return descriptor.samples > 0 && descriptor.lines > 0;
}

void
CheckHandedOut(const SourceDescriptor & descriptor)
{
  if (descriptor.storage != CoefficientStorage::Element || !IsReal(descriptor.element))
  {
    throw std::invalid_argument(
      std::string("Coefficients can only be returned as float32 or float64 elements, not as ") +
      NameOf(descriptor.element) + " in storage " + NameOf(descriptor.storage) + ".");
  }
}

} // namespace

std::shared_ptr<const SampleSource>
MakeSourceOnDevice(const SourceDescriptor & descriptor,
                   const void *             pixels,
                   bool                     borrow,
                   StreamHandle             stream,
                   const ExecutionContext & context)
{
  CheckCudaBackend(context);
  CheckSourceDescriptor(descriptor, context);
  if (borrow && !descriptor.NeedsPreparation())
  {
    return BorrowOnCuda(descriptor, pixels, stream, context);
  }
  const auto work = MakeDeviceWork(context.device);
  auto       source = SourceOnCuda(descriptor, pixels, borrow, stream, *work, context);
  WaitFor(*work);
  return source;
}

void
PrefilterOnDevice(const SourceDescriptor & descriptor,
                  const void *             pixels,
                  void *                   coefficients,
                  StreamHandle             stream,
                  const ExecutionContext & context)
{
  CheckCudaBackend(context);
  CheckSourceDescriptor(descriptor, context);
  CheckHandedOut(descriptor);
  PrefilterArrayOnCuda(descriptor, MaximumDimension, pixels, coefficients, stream, context);
}

void
PrefilterAxis(const SourceDescriptor & descriptor,
              unsigned int             axis,
              const void *             pixels,
              void *                   coefficients,
              StreamHandle             stream,
              const ExecutionContext & context)
{
  CheckSourceDescriptor(descriptor, context);
  CheckHandedOut(descriptor);
  if (axis >= descriptor.dimension)
  {
    throw std::invalid_argument("Axis " + std::to_string(axis) + " does not exist; the image has " +
                                std::to_string(descriptor.dimension) + " axes, numbered from 0.");
  }
  if (descriptor.components != 1)
  {
    throw std::invalid_argument(
      "Filtering along one axis supports only images with one component per pixel; this image has " +
      std::to_string(descriptor.components) + ".");
  }
  if (context.backend == Backend::Cuda)
  {
    PrefilterArrayOnCuda(descriptor, axis, pixels, coefficients, stream, context);
  }
  else
  {
    PrefilterAxisOnCpu(descriptor, axis, pixels, coefficients, context);
  }
}

void
ResampleOnDevice(const ResampleDescriptor & descriptor,
                 const SampleSource &       source,
                 void *                     output,
                 StreamHandle               stream,
                 const ExecutionContext &   context)
{
  CheckResampleOnDevice(descriptor, source, context);
  if (HasSamples(descriptor))
  {
    ResampleArrayOnCuda(descriptor, source, output, stream, *MakeDeviceWorkIn(context.device, stream), context);
  }
  context.Report(1.0);
}

DeviceOperation::DeviceOperation(const ExecutionContext & context, StreamHandle stream)
{
  CheckCudaBackend(context);
  m_Work = MakeDeviceWorkIn(context.device, stream);
}

const SampleSource &
DeviceOperation::MakeSource(const SourceDescriptor & descriptor,
                            const void *             pixels,
                            StreamHandle             stream,
                            const ExecutionContext & context)
{
  CheckSourceDescriptor(descriptor, context);
  return *SourceOnCuda(descriptor, pixels, true, stream, *m_Work, context);
}

void
DeviceOperation::Resample(const ResampleDescriptor & descriptor,
                          const SampleSource &       source,
                          void *                     output,
                          StreamHandle               stream,
                          const ExecutionContext &   context)
{
  CheckResampleOnDevice(descriptor, source, context);
  if (HasSamples(descriptor))
  {
    ResampleArrayOnCuda(descriptor, source, output, stream, *m_Work, context);
  }
  context.Report(1.0);
}

#if !defined(CUDASPLINE_HAS_CUDA)
namespace
{
[[noreturn]] void
RefuseWithoutCuda()
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
} // namespace

std::shared_ptr<DeviceWork>
MakeDeviceWork(int)
{
  RefuseWithoutCuda();
}

std::shared_ptr<DeviceWork>
MakeDeviceWorkIn(int, StreamHandle)
{
  RefuseWithoutCuda();
}

void
WaitFor(const DeviceWork &)
{
  RefuseWithoutCuda();
}

std::shared_ptr<const SampleSource>
SourceOnCuda(const SourceDescriptor &, const void *, bool, StreamHandle, DeviceWork &, const ExecutionContext &)
{
  RefuseWithoutCuda();
}

std::shared_ptr<const SampleSource>
BorrowOnCuda(const SourceDescriptor &, const void *, StreamHandle, const ExecutionContext &)
{
  RefuseWithoutCuda();
}

void
PrefilterArrayOnCuda(const SourceDescriptor &,
                     unsigned int,
                     const void *,
                     void *,
                     StreamHandle,
                     const ExecutionContext &)
{
  RefuseWithoutCuda();
}

void
ResampleArrayOnCuda(const ResampleDescriptor &,
                    const SampleSource &,
                    void *,
                    StreamHandle,
                    DeviceWork &,
                    const ExecutionContext &)
{
  RefuseWithoutCuda();
}
#endif

} // namespace itk::CudaSpline
