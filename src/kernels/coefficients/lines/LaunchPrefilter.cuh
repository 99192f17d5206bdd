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
#ifndef LaunchPrefilter_cuh
#define LaunchPrefilter_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/coefficients/LineFilterCuda.h"
#include "kernels/coefficients/SegmentFilterDispatch.h"
#include "kernels/coefficients/lines/ColumnRing.cuh"
#include "kernels/coefficients/lines/LineTiles.cuh"
#include "kernels/coefficients/lines/PlanePipe.cuh"
#include "kernels/coefficients/lines/PlaneStrips.cuh"
#include "kernels/coefficients/lines/SegmentsOfPart.h"
#include "kernels/common/SharedMemory.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

/** \file
 * \brief LaunchPrefilter(), for the files that instantiate it. There is one for each precision, so that they compile in
 * parallel. */

namespace itk::CudaSpline
{

/** \brief Number of blocks in the type of the CUDA runtime.
 *
 * \exception DeviceError there are more blocks than a grid can have */
inline unsigned int
GridOf(std::int64_t blocks)
{
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The image has more lines than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

/** \brief Maximum amount of shared memory of a block on the current device, in bytes. */
inline std::size_t
MaxSharedMemory()
{
  int device = 0;
  int bytes = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

/** \brief Number of blocks of a kernel that can run on the current device at the same time; at least 1. */
template <typename TKernel>
std::int64_t
BlocksOfDevice(TKernel * kernel, int threads, std::size_t bytes)
{
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  CheckCuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return std::max<std::int64_t>(1, std::int64_t{ multiprocessors } * blocks);
}

/** \brief Number of segments in a line of \p length samples. */
inline std::int64_t
SegmentsOf(std::int64_t length)
{
  return (length + LineSegmentLength - 1) / LineSegmentLength;
}

/** \brief Number of warps of a block of ColumnRingKernel.
 *
 * The warps of a block read adjacent columns at about the same time. For doubles, however, a multiprocessor can hold
 * only few rings, and small blocks fill it better. */
template <typename TReal>
constexpr int RingWarps = sizeof(TReal) == 4 ? 4 : 1;

/** \brief Filters the lines of one axis out of place. */
template <typename TReal, typename TFilter>
void
LaunchLineFilter(const TReal *    input,
                 TReal *          output,
                 const AxisView & view,
                 Extension        extension,
                 const TFilter &  filter,
                 const Stream &   stream)
{
  const dim3         threads(WarpSize, TileSegments<TReal>);
  const std::int64_t tiles = (view.wanted + TileLength<TReal> - 1) / TileLength<TReal>;
  if (view.inner == 1)
  {
    const std::size_t  bytes = RowTileBytes<TReal>(filter.GetReach());
    const std::int64_t rowGroups = (view.outer + WarpSize - 1) / WarpSize;
    AllowSharedMemory(RowTileKernel<TReal, TFilter>, bytes);
    RowTileKernel<TReal, TFilter>
      <<<GridOf(tiles * rowGroups), threads, bytes, stream.Get()>>>(input, output, view, extension, filter);
    CheckCuda(cudaGetLastError(), "RowTileKernel");
    return;
  }
  if constexpr (TFilter::IsUnrolled)
  {
    using March = ColumnRing<TReal, TFilter, RingWarps<TReal>>;
    const auto         kernel = ColumnRingKernel<TReal, TFilter, RingWarps<TReal>>;
    constexpr int      columns = WarpSize * March::Warps;
    const std::int64_t groups = (view.inner + columns - 1) / columns * view.outer;
    const std::int64_t segments = SegmentsOf(view.wanted);
    AllowSharedMemory(kernel, March::Bytes);
    const std::int64_t slots = BlocksOfDevice(kernel, columns, March::Bytes);
    const std::int64_t perPart = SegmentsOfPart(segments, groups, slots, March::Needed - 1);
    const std::int64_t parts = (segments + perPart - 1) / perPart;
    kernel<<<GridOf(groups * parts), dim3(WarpSize, March::Warps), March::Bytes, stream.Get()>>>(
      input, output, view, static_cast<int>(perPart), extension, filter);
    CheckCuda(cudaGetLastError(), "ColumnRingKernel");
  }
  else
  {
    const std::size_t  bytes = ColumnTileBytes<TReal>(filter.GetReach());
    const std::int64_t laneGroups = (view.inner + WarpSize - 1) / WarpSize;
    AllowSharedMemory(ColumnTileKernel<TReal, TFilter>, bytes);
    ColumnTileKernel<TReal, TFilter><<<GridOf(tiles * laneGroups * view.outer), threads, bytes, stream.Get()>>>(
      input, output, view, extension, filter);
    CheckCuda(cudaGetLastError(), "ColumnTileKernel");
  }
}

/** \brief Shared memory of a block on the devices that have the most, in bytes. */
constexpr std::size_t LargestSharedMemory = std::size_t{ 227 } << 10;

/** \brief Columns of a strip; wide strips, which are used if they fit, have twice as many. */
constexpr int StripColumns = 128;

/** \brief Bytes of shared memory that are required to filter the first two axes together; 0 if they are always filtered
 * one by one. */
template <typename TReal, typename TFilter>
constexpr std::size_t
MinPlaneBytes()
{
  if constexpr (!IsRecursive<TFilter>)
  {
    return 0;
  }
  else if constexpr (sizeof(TReal) == 4)
  {
    return PlaneStrip<TReal, TFilter, StripColumns>::Bytes;
  }
  else
  {
    constexpr std::size_t bytes = PlanePipe<TReal, TFilter, StripColumns>::Bytes;
    return bytes <= LargestSharedMemory ? bytes : 0;
  }
}

/** \brief True if the first two axes are filtered together for a filter and an image.
 *
 * Only recursions are filtered together, because the FIR mode uses one kernel per axis, as published. The axes are
 * filtered one by one if a plane hardly fills a batch, or if the rows do not fit into shared memory: for order 3, they
 * need 63 KB in single and 225 KB in double precision. Orders 4 and 5 in double precision do not fit on any device. */
template <typename TReal, typename TFilter>
bool
IsFilteredByPlanes(const SourceDescriptor & descriptor, const TFilter &)
{
  if constexpr (MinPlaneBytes<TReal, TFilter>() > 0)
  {
    constexpr std::int64_t longest = 0x7FFFFFFF; // maximum length of a row in StripCopy
    return descriptor.dimension >= 2 && descriptor.size[0] > 2 * LineSegmentLength && descriptor.size[0] <= longest &&
           descriptor.size[1] > RowsOfBatch && MinPlaneBytes<TReal, TFilter>() <= MaxSharedMemory();
  }
  else
  {
    return false;
  }
}

/** \brief Filters the first two axes with a kernel.
 *
 * \tparam TSizes PlaneStrip or PlanePipe */
template <typename TSizes, typename TReal, typename TKernel, typename TFilter>
void
LaunchPlanes(TKernel *                kernel,
             const SourceDescriptor & descriptor,
             const TReal *            input,
             TReal *                  output,
             const TFilter &          filter,
             const Stream &           stream)
{
  constexpr int threads = WarpSize * TSizes::Warps;
  AllowSharedMemory(kernel, TSizes::Bytes);
  PlaneView view{};
  view.width = descriptor.size[0];
  view.height = descriptor.size[1];
  view.alongX = descriptor.extension[0];
  view.alongY = descriptor.extension[1];
  const std::int64_t tilesX = (view.width + TSizes::Columns - 1) / TSizes::Columns;
  const std::int64_t planes = descriptor.Elements() / (view.width * view.height);
  const std::int64_t slots = std::max<std::int64_t>(1, BlocksOfDevice(kernel, threads, TSizes::Bytes) / tilesX);
  const std::int64_t segments = SegmentsOf(view.height);
  const std::int64_t perPart = SegmentsOfPart(segments, planes, slots, TSizes::Needed - 1);
  const std::int64_t parts = (segments + perPart - 1) / perPart;
  view.partSegments = static_cast<int>(perPart);
  view.parts = GridOf(parts);
  view.items = GridOf(parts * planes);
  view.tilesX = GridOf(tilesX);
  kernel<<<GridOf(tilesX * std::min(slots, parts * planes)),
           dim3(WarpSize, TSizes::Warps),
           TSizes::Bytes,
           stream.Get()>>>(input, output, view, filter);
  CheckCuda(cudaGetLastError(), "LaunchPlanes");
}

/** \brief True for filters whose segments need two batches, because there is enough memory for two blocks with wide
 * strips. */
template <typename TFilter>
constexpr bool HasWideStrips = BatchesOfSegment(TFilter::Reach) == 2;

/** \brief True if strips with twice as many columns have only few columns beyond the ends of the rows. */
inline bool
FillsWideStrips(std::int64_t width)
{
  const auto columns = [width](std::int64_t strip) { return (width + strip - 1) / strip * strip; };
  return columns(2 * StripColumns) <= columns(StripColumns) + columns(StripColumns) / 8;
}

/** \brief Filters the first two axes out of place. */
template <typename TReal, typename TFilter>
void
LaunchPlaneFilter(const SourceDescriptor & descriptor,
                  const TReal *            input,
                  TReal *                  output,
                  const TFilter &          filter,
                  const Stream &           stream)
{
  if constexpr (MinPlaneBytes<TReal, TFilter>() > 0)
  {
    const std::size_t most = MaxSharedMemory();
    if constexpr (sizeof(TReal) == 4 && HasWideStrips<TFilter>)
    {
      constexpr int columns = 2 * StripColumns;
      using Strip = PlaneStrip<TReal, TFilter, columns>;
      if (FillsWideStrips(descriptor.size[0]) && Strip::Bytes <= most)
      {
        LaunchPlanes<Strip>(PlaneStripKernel<TReal, TFilter, columns>, descriptor, input, output, filter, stream);
        return;
      }
    }
    if constexpr (sizeof(TReal) == 8 || !HasWideStrips<TFilter>)
    {
      using Pipe = PlanePipe<TReal, TFilter, StripColumns>;
      if (Pipe::Bytes <= most)
      {
        LaunchPlanes<Pipe>(PlanePipeKernel<TReal, TFilter, StripColumns>, descriptor, input, output, filter, stream);
        return;
      }
    }
    if constexpr (sizeof(TReal) == 4)
    {
      using Strip = PlaneStrip<TReal, TFilter, StripColumns>;
      LaunchPlanes<Strip>(PlaneStripKernel<TReal, TFilter, StripColumns>, descriptor, input, output, filter, stream);
    }
  }
}

/** \brief Calls \p run with the segment filter of a descriptor.
 *
 * The taps of the publications and for common tolerances have kernels that keep the samples in registers.
 */
template <typename TReal, typename TRun>
void
DispatchFilterOfDevice(const SourceDescriptor & descriptor, const TRun & run)
{
  DispatchSegmentFilter<TReal, 3, 4, 5, 6, 7, 9, 13>(descriptor, run);
}

template <typename TReal>
int
PrefilterPasses(const SourceDescriptor & descriptor)
{
  int passes = 0;
  DispatchFilterOfDevice<TReal>(descriptor, [&](const auto & filter) {
    const bool byPlanes = IsFilteredByPlanes<TReal>(descriptor, filter);
    passes = byPlanes ? 1 : 0;
    for (unsigned int axis = byPlanes ? 2 : 0; axis < descriptor.dimension; ++axis)
    {
      passes += descriptor.size[axis] > 1 ? 1 : 0;
    }
  });
  return passes;
}

template <typename TReal>
const TReal *
LaunchPrefilterFrom(const SourceDescriptor & descriptor,
                    const TReal *            samples,
                    TReal *                  first,
                    TReal *                  second,
                    const Stream &           stream,
                    const AxisPart &         part)
{
  DispatchFilterOfDevice<TReal>(descriptor, [&](const auto & filter) {
    const auto advance = [&] {
      samples = first;
      std::swap(first, second);
    };
    unsigned int axis = 0;
    if (part.axis > 1 && IsFilteredByPlanes<TReal>(descriptor, filter))
    {
      LaunchPlaneFilter(descriptor, samples, first, filter, stream);
      advance();
      axis = 2;
    }
    for (; axis < descriptor.dimension; ++axis)
    {
      if (descriptor.size[axis] > 1)
      {
        LaunchLineFilter(samples, first, ViewAxis(descriptor, axis, part), descriptor.extension[axis], filter, stream);
        advance();
      }
    }
  });
  return samples;
}

template <typename TReal>
TReal *
LaunchPrefilter(const SourceDescriptor & descriptor,
                TReal *                  samples,
                TReal *                  other,
                const Stream &           stream,
                const AxisPart &         part)
{
  const TReal * const from = samples;
  return LaunchPrefilterFrom(descriptor, from, other, samples, stream, part) == samples ? samples : other;
}

template <typename TReal>
void
LaunchAxisPrefilter(const SourceDescriptor & descriptor,
                    unsigned int             axis,
                    const TReal *            samples,
                    TReal *                  coefficients,
                    const Stream &           stream)
{
  DispatchFilterOfDevice<TReal>(descriptor, [&](const auto & filter) {
    LaunchLineFilter(samples, coefficients, ViewAxis(descriptor, axis), descriptor.extension[axis], filter, stream);
  });
}

} // namespace itk::CudaSpline

#endif
