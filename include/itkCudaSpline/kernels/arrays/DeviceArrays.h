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
 * \brief The operations for arrays that are in memory of a device before and after: nothing travels through the host.
 *
 * Each takes the stream in whose order the caller reads and writes the arrays, and enqueues its work there, with the
 * memory that it takes. The work is complete when the function returns where that is the default stream (null), where
 * memory of the host is read, and of a source that is kept. The context's backend is Cuda, its device that of the
 * arrays and the stream. SamplePoints() does the same for points (PointsDescriptor::onDevice). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief MakeSource() of pixels on a device.
 *
 * \param[in] descriptor as for MakeSource()
 * \param[in] pixels device memory, descriptor.Elements() numbers of descriptor.pixel, x fastest, those of a pixel
 *   after each other
 * \param[in] borrow where nothing has to be converted or filtered (SourceDescriptor::NeedsPreparation()), the pixels
 *   are read where they are, not copied: they must then outlive the source, and stay as they are
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

/** \brief Prefilter() of pixels on a device.
 *
 * \param[in] descriptor as for Prefilter(), of storage Element
 * \param[in] pixels as for MakeSourceOnDevice()
 * \param[out] coefficients device memory for descriptor.Elements() elements, those of a pixel after each other; the
 *   same array as \p pixels, or apart from them
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

/** \brief Filters the lines of one axis alone, of arrays on the host or on a device.
 *
 * \param[in] descriptor sizes, order, method, the axis' extension, of one component and storage Element; axes of one
 *   sample become elements as they are
 * \param[in] axis 0 for x, below descriptor.dimension
 * \param[in] pixels descriptor.Count() numbers of descriptor.pixel: host memory on the Cpu backend, device memory on
 *   Cuda
 * \param[out] coefficients as many elements, in the same kind of memory; the same array, where element and pixel are
 *   the same type, or apart
 * \param[in] stream the caller's stream, for Cuda; null: the default stream
 * \param[in] context backend, device, threads, progress
 * \exception std::invalid_argument as for MakeSource(), or an axis that there is not
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
 * \param[in] descriptor what is done. Its table of scanline ends is in host memory; a chain of affine stages
 *   (HasAffineScanlines()) stands for such a table of the whole output, which is then made on the device;
 *   displacements of its chain are in host memory, or in memory of the device, written in the order of \p stream.
 *   Without an index provider.
 * \param[in] source on the context's device
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

/** \brief A stream of a device, and what is read in it. */
class DeviceWork;

/** \brief Images on a device, resampled or sampled there: what MakeSourceOnDevice() and ResampleOnDevice() do, in a
 * stream of the caller's and without a wait between them.
 *
 * For one thread, and for one operation. */
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
  /** In the constructor's thread, in reverse order of construction: its sources end after the work. */
  ~DeviceOperation() = default;

  /** A source, which only Resample() and, in the constructor's stream, SamplePoints() may read.
   *
   * \param[in] descriptor as for MakeSourceOnDevice()
   * \param[in] pixels as there; they are read in place, unless they need preparation
   * \param[in] stream the stream that writes the pixels; the constructor's stream then waits for it
   * \param[in] context backend, device, progress
   * \return the source, which exists as long as this object
   * \exception std::invalid_argument as by MakeSourceOnDevice()
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
   * \param[in] source of MakeSource(), or another one on the device
   * \param[out] output as for ResampleOnDevice()
   * \param[in] stream the caller's stream; null: the default stream
   * \param[in] context backend, device, threads of the host, progress
   * \exception std::invalid_argument as by ResampleOnDevice()
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
