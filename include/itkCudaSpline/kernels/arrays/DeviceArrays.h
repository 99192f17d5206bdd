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
#ifndef itkCudaSpline_kernels_arrays_DeviceArrays_h
#define itkCudaSpline_kernels_arrays_DeviceArrays_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include <memory>

/** \file
 * \brief Operations on arrays in device memory, without transfers through the host.
 *
 * Each operation takes the stream in which the caller reads and writes the arrays, and enqueues its work, and the
 * memory that it needs, in that stream. The call waits for the work if the stream is the default stream (null), if host
 * memory is read, or for a persistent source. The context's backend is Cuda, and its device is that of the arrays and
 * the stream. SamplePoints() does the same for points (PointsDescriptor::onDevice). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief MakeSource() for pixels on a device.
 *
 * \param[in] descriptor as for MakeSource()
 * \param[in] pixels device memory, descriptor.Elements() numbers of descriptor.pixel, x fastest, the components of a
 * pixel contiguous
 * \param[in] borrow if no conversion or filter is needed (SourceDescriptor::NeedsPreparation()), the source reads the
 * pixels in their memory without a copy: they must then outlive the source, and must not change
 * \param[in] stream the caller's stream; null: the default stream
 * \param[in] context backend, device, progress
 * \return the source
 * \exception std::invalid_argument as for MakeSource()
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it */
std::shared_ptr<const SampleSource>
MakeSourceOnDevice(const SourceDescriptor & descriptor,
                   const void *             pixels,
                   bool                     borrow,
                   StreamHandle             stream,
                   const ExecutionContext & context);

/** \brief Prefilter() for pixels on a device.
 *
 * \param[in] descriptor as for Prefilter(), with storage Element
 * \param[in] pixels as for MakeSourceOnDevice()
 * \param[out] coefficients device memory for descriptor.Elements() elements, the components of a pixel contiguous; the
 * same array as \p pixels, or an array that does not overlap it
 * \param[in] stream the caller's stream; null: the default stream
 * \param[in] context backend, device, progress
 * \exception std::invalid_argument as for MakeSource()
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it */
void
PrefilterOnDevice(const SourceDescriptor & descriptor,
                  const void *             pixels,
                  void *                   coefficients,
                  StreamHandle             stream,
                  const ExecutionContext & context);

/** \brief Filters only the lines of one axis, of arrays on the host or on a device.
 *
 * \param[in] descriptor sizes, order, method and the axis' extension, with one component and storage Element; the
 * samples of an axis of size 1 are only converted to elements
 * \param[in] axis 0 for x, below descriptor.dimension
 * \param[in] pixels descriptor.Count() numbers of descriptor.pixel: host memory on the Cpu backend, device memory on
 * Cuda
 * \param[out] coefficients as many elements, in the same kind of memory; the same array, if element and pixel have the
 * same type, or an array that does not overlap it
 * \param[in] stream the caller's stream, for Cuda; null: the default stream
 * \param[in] context backend, device, threads, progress
 * \exception std::invalid_argument as for MakeSource(), or an axis that does not exist
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it */
void
PrefilterAxis(const SourceDescriptor & descriptor,
              unsigned int             axis,
              const void *             pixels,
              void *                   coefficients,
              StreamHandle             stream,
              const ExecutionContext & context);

/** \brief Resample() into an array on a device.
 *
 * \param[in] descriptor the resampling, without an index provider. Its table of scanline ends is in host memory. A
 * chain of affine stages (HasAffineScanlines()) replaces such a table of the whole output, which is then computed on
 * the device. Displacements of the chain are in host memory, or in device memory that is written in the order of \p
 * stream
 * \param[in] source source on the context's device
 * \param[out] output device memory, as for Resample()
 * \param[in] stream the caller's stream; null: the default stream
 * \param[in] context backend, device, threads of the host, progress
 * \exception std::invalid_argument as for Resample(), and an index provider
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it */
void
ResampleOnDevice(const ResampleDescriptor & descriptor,
                 const SampleSource &       source,
                 void *                     output,
                 StreamHandle               stream,
                 const ExecutionContext &   context);

/** \brief A stream of a device, and the memory that is read in it. */
class DeviceWork;

/** \brief Resamples or samples images on a device: MakeSourceOnDevice() followed by ResampleOnDevice(), in a stream of
 * the caller and without waiting between them.
 *
 * An object is for one thread and one operation. */
class DeviceOperation
{
public:
  /** \param[in] context backend, device
   * \param[in] stream the caller's stream; null: the default stream
   * \exception std::invalid_argument the backend is not Cuda
   * \exception DeviceError the device cannot be used */
  DeviceOperation(const ExecutionContext & context, StreamHandle stream);
  DeviceOperation(const DeviceOperation &) = delete;
  DeviceOperation &
  operator=(const DeviceOperation &) = delete;
  /** Must be called in the constructor's thread, in reverse order of construction: the sources are released after the
   * work. */
  ~DeviceOperation() = default;

  /** Makes a source, which only Resample() and, in the constructor's stream, SamplePoints() may read.
   *
   * \param[in] descriptor as for MakeSourceOnDevice()
   * \param[in] pixels as for MakeSourceOnDevice(); they are read in place, unless they need preparation
   * \param[in] stream the stream that writes the pixels; the constructor's stream then waits for it
   * \param[in] context backend, device, progress
   * \return the source, which exists as long as this object
   * \exception std::invalid_argument as for MakeSourceOnDevice()
   * \exception DeviceError a device that is out of memory or lost
   * \exception OperationAborted the progress callback stopped it */
  const SampleSource &
  MakeSource(const SourceDescriptor & descriptor,
             const void *             pixels,
             StreamHandle             stream,
             const ExecutionContext & context);

  /** Resamples a source.
   *
   * \param[in] descriptor as for ResampleOnDevice()
   * \param[in] source result of MakeSource(), or another source on the device
   * \param[out] output as for ResampleOnDevice()
   * \param[in] stream the caller's stream; null: the default stream
   * \param[in] context backend, device, threads of the host, progress
   * \exception std::invalid_argument as for ResampleOnDevice()
   * \exception DeviceError a device that is out of memory or lost
   * \exception OperationAborted the progress callback stopped it */
  void
  Resample(const ResampleDescriptor & descriptor,
           const SampleSource &       source,
           void *                     output,
           StreamHandle               stream,
           const ExecutionContext &   context);

private:
  std::shared_ptr<DeviceWork> m_Work;
};

/** @} */
} // namespace itk::CudaSpline

#endif
