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

/** \brief Part of an axis that is filtered. The coefficients that are needed begin at \c offset of the available
 * samples; the other samples only serve as neighbours. */
struct AxisPart
{
  unsigned int axis{ MaximumDimension }; ///< with MaximumDimension, all axes are filtered completely
  std::int64_t offset{ 0 };
  std::int64_t wanted{ 0 };
};

/** \brief One axis of an N-dimensional array, seen as lines. Components are adjacent planes and therefore like a
 * slowest axis. Element (i, n, o) is at (o * length + n) * inner + i of the input, and coefficient n of the requested
 * ones at (o * wanted + n) * inner + i of the output. */
struct AxisView
{
  /** Product of the sizes of the faster axes, which is the distance between neighbours on a line in elements. */
  std::int64_t inner;
  std::int64_t length; ///< samples in a line
  std::int64_t outer;  ///< product of the sizes of the slower axes
  std::int64_t offset; ///< first sample for which the coefficient is requested
  std::int64_t wanted; ///< coefficients in a line; \c length except for parts
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

/** \brief Number of samples that a filtered segment needs beyond each end; 0 if nothing is filtered.
 * \exception std::invalid_argument the order or the number of taps is invalid */
int
ReachOfPrefilter(const SourceDescriptor & descriptor);

/** \brief Checks whether a source can be made from the descriptor.
 *
 * \exception std::invalid_argument same as for MakeSource() */
void
CheckSourceDescriptor(const SourceDescriptor & descriptor, const ExecutionContext & context);

/** \brief Implements Prefilter() on the threads of the host. */
void
PrefilterOnCpu(const SourceDescriptor & descriptor,
               const void *             pixels,
               void *                   coefficients,
               const ExecutionContext & context);

/** \brief Implements PrefilterAxis() on the threads of the host. */
void
PrefilterAxisOnCpu(const SourceDescriptor & descriptor,
                   unsigned int             axis,
                   const void *             pixels,
                   void *                   coefficients,
                   const ExecutionContext & context);

/** \brief Implements MakeSource() in device memory; not available without the CUDA Toolkit. */
std::shared_ptr<const SampleSource>
PrefilterOnCuda(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context);

/** \brief Implements Prefilter() of one component if the memory of the device cannot hold the image: slab by slab along
 * the slowest axis.
 *
 * The result is bit-identical to that of the whole image, because the segments begin at the same samples.
 * \param[in] slabLength coefficients of a slab along that axis, a multiple of LineSegmentLength (MemoryPlan::slabLines)
 */
void
PrefilterSlabsOnCuda(const SourceDescriptor & descriptor,
                     const void *             pixels,
                     void *                   coefficients,
                     std::int64_t             slabLength,
                     const ExecutionContext & context);

/** \brief Implements PrefilterInPlace() in device memory. */
void
PrefilterInPlaceOnCuda(const SourceDescriptor & descriptor, void * elements, const ExecutionContext & context);

/** \brief Copies a source from device to host memory. */
void
DownloadFromCuda(const SampleSource & source, void * elements, const ExecutionContext & context);

} // namespace itk::CudaSpline

#endif
