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

#include "kernels/ColumnMarch.cuh"
#include "kernels/LineFilterCuda.h"
#include "kernels/LineTiles.cuh"
#include "kernels/PlaneTiles.cuh"
#include "kernels/SegmentFilterDispatch.h"

#include <cuda_runtime.h>

#include <utility>

/** \file
 * \brief LaunchPrefilter(), for the files that instantiate it: one a precision, so that they compile side by side. */

namespace itk::CudaSpline
{

/** \brief Number of blocks as the runtime takes it. \exception DeviceError more than a grid can have */
inline unsigned int
GridOf(std::int64_t blocks)
{
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The image has more lines than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

/** \brief Allows a kernel the shared memory that it needs, which may be more than the 48 KB that all may have. */
template <typename TKernel>
void
AllowSharedMemory(TKernel * kernel, std::size_t bytes)
{
  if (bytes > std::size_t{ 48 } << 10)
  {
    CheckCuda(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)),
              "cudaFuncSetAttribute");
  }
}

/** \brief Segments that a thread or block marches over: all of a line where there are lines enough for the device, else
 * fewer, for the price of some samples that are read twice.
 *
 * \param[in] segments segments of a line, \param[in] groups blocks that all lines make */
inline std::int64_t
SegmentsOfPart(std::int64_t segments, std::int64_t groups)
{
  constexpr std::int64_t enough = 1024; // twice what the largest devices hold at one time
  constexpr std::int64_t fewest = 4;    // below that too much is read twice
  const std::int64_t     parts = groups >= enough ? 1 : (enough + groups - 1) / groups;
  const std::int64_t     perPart = (segments + parts - 1) / parts;
  return perPart > fewest ? perPart : (segments < fewest ? segments : fewest);
}

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
  if constexpr (IsMarched<TReal, TFilter>)
  {
    const std::int64_t groups = (view.inner + MarchColumns - 1) / MarchColumns * view.outer;
    const std::int64_t segments = (view.wanted + LineSegmentLength - 1) / LineSegmentLength;
    const std::int64_t perPart = SegmentsOfPart(segments, groups);
    const std::int64_t parts = (segments + perPart - 1) / perPart;
    ColumnMarchKernel<TReal, TFilter><<<GridOf(groups * parts), MarchColumns, 0, stream.Get()>>>(
      input, output, view, static_cast<int>(perPart), extension, filter);
    CheckCuda(cudaGetLastError(), "ColumnMarchKernel");
    return;
  }
  const std::size_t  bytes = ColumnTileBytes<TReal>(filter.GetReach());
  const std::int64_t laneGroups = (view.inner + WarpSize - 1) / WarpSize;
  AllowSharedMemory(ColumnTileKernel<TReal, TFilter>, bytes);
  ColumnTileKernel<TReal, TFilter>
    <<<GridOf(tiles * laneGroups * view.outer), threads, bytes, stream.Get()>>>(input, output, view, extension, filter);
  CheckCuda(cudaGetLastError(), "ColumnTileKernel");
}

/** \brief Shared memory that a block of the current device can have. */
inline std::size_t
MostSharedMemory()
{
  int device = 0;
  int bytes = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

/** \brief True for filters and images whose first two axes are filtered at once.
 *
 * Recursions in single precision: FIR mode is one kernel an axis, as published, and of a ring of doubles a
 * multiprocessor holds one, which took longer than two kernels. Planes that hardly fill a batch are done axis by axis,
 * and so are all where a ring does not fit: it takes 42 KB for order 3. */
template <typename TReal, typename TFilter>
bool
IsFilteredByPlanes(const SourceDescriptor & descriptor, const TFilter &)
{
  if constexpr (IsRecursive<TFilter> && sizeof(TReal) == 4)
  {
    return descriptor.dimension >= 2 && descriptor.size[0] > StripColumns / 2 && descriptor.size[1] > BatchRows &&
           PlaneRingBytes<TReal>(TFilter::Reach) <= MostSharedMemory();
  }
  else
  {
    return false;
  }
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
  if constexpr (IsRecursive<TFilter> && sizeof(TReal) == 4)
  {
    const std::int64_t width = descriptor.size[0];
    const std::int64_t height = descriptor.size[1];
    const std::int64_t tilesX = (width + StripColumns - 1) / StripColumns;
    const std::int64_t planes = descriptor.Elements() / (width * height);
    const std::int64_t segments = (height + LineSegmentLength - 1) / LineSegmentLength;
    const std::int64_t perStrip = SegmentsOfPart(segments, tilesX * planes);
    const std::int64_t strips = (segments + perStrip - 1) / perStrip;
    const std::size_t  bytes = PlaneRingBytes<TReal>(TFilter::Reach);
    const dim3         threads(WarpSize, PlaneWarps);
    AllowSharedMemory(PlaneMarchKernel<TReal, TFilter>, bytes);
    PlaneMarchKernel<TReal, TFilter>
      <<<GridOf(planes * tilesX * strips), threads, bytes, stream.Get()>>>(input,
                                                                           output,
                                                                           width,
                                                                           height,
                                                                           static_cast<int>(perStrip),
                                                                           descriptor.extension[0],
                                                                           descriptor.extension[1],
                                                                           filter);
    CheckCuda(cudaGetLastError(), "PlaneMarchKernel");
  }
}

/** \brief Calls \p run with the segment filter of a descriptor.
 *
 * The taps of the papers, and of tolerances that are asked for often, have kernels that keep the samples in registers.
 */
template <typename TReal, typename TRun>
void
DispatchFilterOfDevice(const SourceDescriptor & descriptor, const TRun & run)
{
  DispatchSegmentFilter<TReal, 3, 4, 5, 6, 7, 9, 13>(descriptor, run);
}

template <typename TReal>
TReal *
LaunchPrefilter(const SourceDescriptor & descriptor,
                TReal *                  samples,
                TReal *                  other,
                const Stream &           stream,
                const AxisPart &         part)
{
  DispatchFilterOfDevice<TReal>(descriptor, [&](const auto & filter) {
    unsigned int axis = 0;
    if (part.axis > 1 && IsFilteredByPlanes<TReal>(descriptor, filter))
    {
      LaunchPlaneFilter(descriptor, static_cast<const TReal *>(samples), other, filter, stream);
      std::swap(samples, other);
      axis = 2;
    }
    for (; axis < descriptor.dimension; ++axis)
    {
      if (descriptor.size[axis] > 1)
      {
        LaunchLineFilter(static_cast<const TReal *>(samples),
                         other,
                         ViewAxis(descriptor, axis, part),
                         descriptor.extension[axis],
                         filter,
                         stream);
        std::swap(samples, other);
      }
    }
  });
  return samples;
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
