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
#ifndef PrefilterBackends_h
#define PrefilterBackends_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include <memory>

namespace itk::CudaSpline
{

/** \brief A part of an axis that is filtered: of the samples that are there, those that are wanted begin at \c offset
 * and the others serve as their neighbours. */
struct AxisPart
{
  unsigned int axis{ MaximumDimension }; ///< MaximumDimension: all axes are filtered whole
  std::int64_t offset{ 0 };
  std::int64_t wanted{ 0 };
};

/** \brief One axis of an N-dimensional array as lines; components are adjacent planes, so a slowest axis. Element (i,
 * n, o) is at (o * length + n) * inner + i of the input, and coefficient n of the wanted ones at (o * wanted + n) *
 * inner + i of the output. */
struct AxisView
{
  std::int64_t inner;  ///< product of the sizes of the faster axes: elements between neighbours on a line
  std::int64_t length; ///< samples of a line
  std::int64_t outer;  ///< product of the sizes of the slower axes
  std::int64_t offset; ///< first sample of which the coefficient is wanted
  std::int64_t wanted; ///< coefficients of a line; \c length except for parts
};

inline AxisView
ViewAxis(const SourceDescriptor & descriptor, unsigned int axis, const AxisPart & part = {})
{
  AxisView view{ 1, descriptor.size[axis], descriptor.components, 0, descriptor.size[axis] };
  for (unsigned int d = 0; d < MaximumDimension; ++d)
  {
    (d < axis ? view.inner : view.outer) *= d == axis ? 1 : descriptor.size[d];
  }
  if (part.axis == axis)
  {
    view.offset = part.offset;
    view.wanted = part.wanted;
  }
  return view;
}

/** \brief Samples that a filtered segment needs beyond its ends; 0 where nothing is filtered.
 * \exception std::invalid_argument the order, or the number of taps */
int
ReachOfPrefilter(const SourceDescriptor & descriptor);

/** \brief Refuses what cannot be made into a source.
 *
 * \exception std::invalid_argument as for MakeSource() */
void
CheckSourceDescriptor(const SourceDescriptor & descriptor, const ExecutionContext & context);

/** \brief Prefilter() on the host's threads. */
void
PrefilterOnCpu(const SourceDescriptor & descriptor,
               const void *             pixels,
               void *                   coefficients,
               const ExecutionContext & context);

/** \brief PrefilterAxis() on the host's threads. */
void
PrefilterAxisOnCpu(const SourceDescriptor & descriptor,
                   unsigned int             axis,
                   const void *             pixels,
                   void *                   coefficients,
                   const ExecutionContext & context);

/** \brief MakeSource() in device memory; there is none without the CUDA Toolkit. */
std::shared_ptr<const SampleSource>
PrefilterOnCuda(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context);

/** \brief Prefilter() of one component by a device whose memory does not hold the image: slab by slab along the slowest
 * axis.
 *
 * Segments begin at the same samples as in the whole, so the bits are the same.
 * \param[in] slabLength coefficients of a slab along that axis, a multiple of LineSegmentLength (MemoryPlan::slabLines)
 */
void
PrefilterSlabsOnCuda(const SourceDescriptor & descriptor,
                     const void *             pixels,
                     void *                   coefficients,
                     std::int64_t             slabLength,
                     const ExecutionContext & context);

/** \brief PrefilterInPlace() in device memory. */
void
PrefilterInPlaceOnCuda(const SourceDescriptor & descriptor, void * elements, const ExecutionContext & context);

/** \brief Copies a device source to host memory. */
void
DownloadFromCuda(const SampleSource & source, void * elements, const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
