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
#ifndef DeviceArrayBackends_h
#define DeviceArrayBackends_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/kernels/SampleSource.h"

#include <memory>

/** \file
 * \brief The operations of kernels/DeviceArrays.h, arguments checked, on a device. */

namespace itk::CudaSpline
{

std::shared_ptr<const SampleSource>
SourceOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             bool                     borrow,
             StreamHandle             stream,
             const ExecutionContext & context);

/** \param[in] axis MaximumDimension: all */
void
PrefilterArrayOnCuda(const SourceDescriptor & descriptor,
                     unsigned int             axis,
                     const void *             pixels,
                     void *                   coefficients,
                     StreamHandle             stream,
                     const ExecutionContext & context);

void
ResampleArrayOnCuda(const ResampleDescriptor & descriptor,
                    const SampleSource &       source,
                    void *                     output,
                    StreamHandle               stream,
                    const ExecutionContext &   context);

/** \brief Refuses what cannot be made into a source.
 *
 * \exception std::invalid_argument as for MakeSource() */
void
CheckSourceDescriptor(const SourceDescriptor & descriptor, const ExecutionContext & context);

/** \brief Refuses a source, or samples that continue outside, which the descriptor cannot read.
 *
 * \exception std::invalid_argument as for Resample() */
void
CheckResample(const ResampleDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context);

/** \brief PrefilterAxis() on the host's threads. */
void
PrefilterAxisOnCpu(const SourceDescriptor & descriptor,
                   unsigned int             axis,
                   const void *             pixels,
                   void *                   coefficients,
                   const ExecutionContext & context);

/** \brief Makes a stream go on only behind what is in the caller's, on the current device. */
inline void
OrderBehind(StreamHandle caller, const Stream & stream)
{
  Event event;
  event.RecordBehind(caller);
  event.RecordBehind(stream.Get());
}

} // namespace itk::CudaSpline

#endif
