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
#ifndef itkCudaSpline_kernels_coefficients_Prefilter_h
#define itkCudaSpline_kernels_coefficients_Prefilter_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include <cstddef>
#include <memory>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Converts a host image to the elements of a source and filters them to B-spline coefficients.
 *
 * \param[in] descriptor sizes, types, order, extensions. Elements must be real for orders of 2 or more. Axes of size 1
 * are not filtered, as in ITK
 * \param[in] pixels host memory, \c descriptor.Count() elements of \c descriptor.pixel, x fastest. On the Cpu backend
 * the array is borrowed, not copied, if no conversion or filter is needed (SourceDescriptor::NeedsPreparation()): it
 * must then outlive the source
 * \param[in] context backend, device, threads, progress
 * \return the source, in device memory (Cuda) or host memory (Cpu); complete when the function returns
 * \exception std::invalid_argument an order above 5, an empty image, or integer elements with a prefilter
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it
 *
 * \par Accuracy
 * see FilterSegment() */
std::shared_ptr<const SampleSource>
MakeSource(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context);

/** \brief MakeSource() into host memory of the caller.
 *
 * \param[in] descriptor as for MakeSource()
 * \param[in] pixels as for MakeSource()
 * \param[out] coefficients host memory for \c descriptor.Count() elements, x fastest; must not overlap \p pixels unless
 * it is the same array with the same element type
 * \param[in] context as for MakeSource()
 * \exception std::invalid_argument as for MakeSource()
 * \exception DeviceError as for MakeSource()
 * \exception OperationAborted as for MakeSource() */
void
Prefilter(const SourceDescriptor & descriptor,
          const void *             pixels,
          void *                   coefficients,
          const ExecutionContext & context);

/** \brief Replaces samples in place by their coefficients.
 *
 * \param[in] descriptor sizes, order, method, extensions; \c pixel and \c element are the same real type. Components
 * are in planes one after the other, as in a source
 * \param[in,out] elements descriptor.Elements() elements: host memory (Cpu), or memory of the context's device (Cuda)
 * in which all work is complete
 * \param[in] context backend, device, threads, progress
 *
 * The call waits for the result. On a device it allocates a second volume temporarily.
 *
 * \exception std::invalid_argument as for MakeSource(), or elements that do not have the pixel's type
 * \exception DeviceError a device that is out of memory or lost
 * \exception OperationAborted the progress callback stopped it; the elements are then neither samples nor coefficients
 * \par Accuracy
 * see FilterSegment() */
void
PrefilterInPlace(const SourceDescriptor & descriptor, void * elements, const ExecutionContext & context);

/** \brief Plans the memory of MakeSource() on a device.
 *
 * \param[in] source the source
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] isMade whether the source exists already: its bytes count, and no other memory is allocated */
MemoryPlan
PlanSource(const SourceDescriptor & source, std::size_t budget, bool isMade = false);

/** \brief Plans the memory of Prefilter() on a device. If source and workspace do not fit, the image is filtered in
 * slabs along the slowest axis with more than one sample, each with the samples that it needs beyond its ends.
 *
 * \c slabLines is then the number of coefficients of a slab along that axis, a multiple of LineSegmentLength; 0 if the
 * whole fits. Images with several components are filtered as a whole.
 *
 * \param[in] source the source
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \exception std::invalid_argument an unsupported order or number of taps */
MemoryPlan
PlanPrefilter(const SourceDescriptor & source, std::size_t budget);

/** \brief Work of MakeSource().
 *
 * \param[in] source the source */
OperationWork
CountSourceWork(const SourceDescriptor & source);

/** \brief Work of Prefilter(), including the transfer of its result to the host.
 *
 * \param[in] source the source */
OperationWork
CountPrefilterWork(const SourceDescriptor & source);

/** @} */
} // namespace itk::CudaSpline

#endif
