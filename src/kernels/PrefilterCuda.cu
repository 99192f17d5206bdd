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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/MemoryPlan.h"
#include "itkCudaSpline/math/LineRecursion.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/HostCopies.h"
#include "kernels/PrefilterBackends.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

constexpr int WarpSize = 32;

/** Segments of neighbouring samples that a block of the column kernel takes: their warm-ups share its cache. */
constexpr int ColumnSegments = 4;

/** Segments of each row that a block of the row kernel takes: its tile of 32 rows must fit 48 KB of shared memory. */
template <typename TReal>
constexpr int RowSegments = sizeof(TReal) == 4 ? 4 : 2;

/** Pixels of any type to real elements. */
template <typename TReal>
__global__ void
ConvertKernel(const void * pixels, ScalarType type, std::int64_t count, TReal * elements)
{
  const std::int64_t i = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (i < count)
  {
    elements[i] = LoadScalar<TReal>(pixels, type, i);
  }
}

/** Lines along a slower axis: a lane a line, neighbouring lanes are neighbours in memory; a warp a segment. */
template <unsigned int VOrder, typename TReal>
__global__ void
__launch_bounds__(WarpSize * ColumnSegments)
  ColumnKernel(const TReal * input, TReal * output, AxisView view, Extension extension)
{
  constexpr int      warmUp = RecursionWarmUp<VOrder, TReal>::Samples;
  const std::int64_t segmentGroups =
    (view.length + LineSegmentLength * ColumnSegments - 1) / (LineSegmentLength * ColumnSegments);
  const std::int64_t laneGroups = (view.inner + WarpSize - 1) / WarpSize;
  const std::int64_t block = blockIdx.x;
  const std::int64_t begin = ((block % segmentGroups) * ColumnSegments + threadIdx.y) * LineSegmentLength;
  const std::int64_t column = block / segmentGroups % laneGroups * WarpSize + threadIdx.x;
  if (column >= view.inner || begin >= view.length)
  {
    return;
  }
  const std::int64_t  first = block / segmentGroups / laneGroups * view.length * view.inner + column;
  const TReal * const from = input + first;
  TReal * const       to = output + first + begin * view.inner;
  const std::int64_t  stride = view.inner;
  const std::int64_t  length = view.length;
  if (begin >= warmUp && begin + LineSegmentLength + warmUp <= length)
  {
    FilterSegment<VOrder, TReal, TReal>(
      begin,
      [from, stride](std::int64_t n) { return from[n * stride]; },
      [to, stride](int k, TReal coefficient) { to[k * stride] = coefficient; });
  }
  else
  {
    FilterSegment<VOrder, TReal, TReal>(
      begin,
      [from, stride, length, extension](std::int64_t n) { return from[FoldIndex(n, length, extension) * stride]; },
      [to, stride, begin, length](int k, TReal coefficient) {
        if (begin + k < length)
        {
          to[k * stride] = coefficient;
        }
      });
  }
}

/** Lines along x: a block takes 32 rows through shared memory, so that global memory is read and written along them; a
 * lane a row. */
template <unsigned int VOrder, typename TReal>
__global__ void
__launch_bounds__(WarpSize * RowSegments<TReal>)
  RowKernel(const TReal * input, TReal * output, AxisView view, Extension extension)
{
  constexpr int    warmUp = RecursionWarmUp<VOrder, TReal>::Samples;
  constexpr int    tileLength = LineSegmentLength * RowSegments<TReal>;
  constexpr int    width = tileLength + 2 * warmUp;
  constexpr int    pitch = width | 1; // odd: the lanes of a warp, a row each, hit different banks
  __shared__ TReal tile[WarpSize * pitch];

  const std::int64_t tiles = (view.length + tileLength - 1) / tileLength;
  const std::int64_t tileBegin = std::int64_t{ blockIdx.x } % tiles * tileLength;
  const std::int64_t firstRow = std::int64_t{ blockIdx.x } / tiles * WarpSize;

  for (int row = static_cast<int>(threadIdx.y); row < WarpSize; row += RowSegments<TReal>)
  {
    if (firstRow + row < view.outer)
    {
      const TReal * const from = input + (firstRow + row) * view.length;
      for (int i = static_cast<int>(threadIdx.x); i < width; i += WarpSize)
      {
        tile[row * pitch + i] = from[FoldIndex(tileBegin - warmUp + i, view.length, extension)];
      }
    }
  }
  __syncthreads();

  // Every thread keeps what it needs of the tile in registers before any of them writes coefficients into it.
  TReal         coefficients[LineSegmentLength];
  TReal * const line = tile + threadIdx.x * pitch + warmUp + threadIdx.y * LineSegmentLength;
  const bool    mine = firstRow + threadIdx.x < view.outer;
  if (mine)
  {
    FilterSegment<VOrder, TReal, TReal>(
      0,
      [line](std::int64_t n) { return line[n]; },
      [&coefficients](int k, TReal coefficient) { coefficients[k] = coefficient; });
  }
  __syncthreads();
  if (mine)
  {
#pragma unroll
    for (int k = 0; k < LineSegmentLength; ++k)
    {
      line[k] = coefficients[k];
    }
  }
  __syncthreads();

  for (int row = static_cast<int>(threadIdx.y); row < WarpSize; row += RowSegments<TReal>)
  {
    if (firstRow + row < view.outer)
    {
      TReal * const to = output + (firstRow + row) * view.length;
      for (int i = static_cast<int>(threadIdx.x); i < tileLength && tileBegin + i < view.length; i += WarpSize)
      {
        to[tileBegin + i] = tile[row * pitch + warmUp + i];
      }
    }
  }
}

unsigned int
GridOf(std::int64_t blocks)
{
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The image has more lines than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

template <typename TReal>
void
LaunchConvert(const void * pixels, ScalarType type, std::int64_t count, TReal * elements, const Stream & stream)
{
  constexpr int threads = 256;
  ConvertKernel<TReal>
    <<<GridOf((count + threads - 1) / threads), threads, 0, stream.Get()>>>(pixels, type, count, elements);
  CheckCuda(cudaGetLastError(), "ConvertKernel");
}

template <unsigned int VOrder, typename TReal>
void
LaunchLineFilter(const TReal * input, TReal * output, const AxisView & view, Extension extension, const Stream & stream)
{
  if (view.inner == 1)
  {
    constexpr int      tileLength = LineSegmentLength * RowSegments<TReal>;
    const std::int64_t tiles = (view.length + tileLength - 1) / tileLength;
    const std::int64_t rowGroups = (view.outer + WarpSize - 1) / WarpSize;
    RowKernel<VOrder, TReal><<<GridOf(tiles * rowGroups), dim3(WarpSize, RowSegments<TReal>), 0, stream.Get()>>>(
      input, output, view, extension);
    CheckCuda(cudaGetLastError(), "RowKernel");
    return;
  }
  const std::int64_t segmentGroups =
    (view.length + LineSegmentLength * ColumnSegments - 1) / (LineSegmentLength * ColumnSegments);
  const std::int64_t laneGroups = (view.inner + WarpSize - 1) / WarpSize;
  ColumnKernel<VOrder, TReal>
    <<<GridOf(segmentGroups * laneGroups * view.outer), dim3(WarpSize, ColumnSegments), 0, stream.Get()>>>(
      input, output, view, extension);
  CheckCuda(cudaGetLastError(), "ColumnKernel");
}

/** Brings the pixels to the device as real elements, chunk by chunk. */
template <typename TReal>
void
UploadAsReal(const SourceDescriptor & descriptor,
             const void *             pixels,
             TReal *                  elements,
             const ExecutionContext & context,
             const Stream &           stream,
             Uploader &               uploader)
{
  const std::size_t  pixelBytes = SizeOf(descriptor.pixel);
  const std::int64_t count = descriptor.Count();
  const std::int64_t chunk = std::min<std::int64_t>(count, static_cast<std::int64_t>(TransferChunkBytes / pixelBytes));
  const bool         convert = descriptor.element != descriptor.pixel;
  const DeviceBuffer raw(convert ? static_cast<std::size_t>(chunk) * pixelBytes : 0, stream);
  for (std::int64_t begin = 0; begin < count; begin += chunk)
  {
    const std::int64_t length = std::min(chunk, count - begin);
    const void * const from = static_cast<const char *>(pixels) + static_cast<std::size_t>(begin) * pixelBytes;
    uploader.Copy(convert ? raw.Data() : elements + begin, from, static_cast<std::size_t>(length) * pixelBytes, stream);
    if (convert)
    {
      LaunchConvert(raw.Data(), descriptor.pixel, length, elements + begin, stream);
    }
    context.Report(static_cast<double>(begin + length) / static_cast<double>(count));
  }
}

/** Elements of real type on the device, filtered where the descriptor says so. */
template <typename TReal>
DeviceBuffer
MakeRealElements(const SourceDescriptor & descriptor,
                 const void *             pixels,
                 const ExecutionContext & context,
                 const Stream &           stream,
                 Uploader &               uploader)
{
  const std::size_t bytes = static_cast<std::size_t>(descriptor.Count()) * sizeof(TReal);
  DeviceBuffer      elements(bytes, stream);
  UploadAsReal(descriptor, pixels, static_cast<TReal *>(elements.Data()), context.Part(0.0, 0.8), stream, uploader);
  if (descriptor.order >= 2)
  {
    DeviceBuffer other(bytes, stream);
    for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
    {
      if (descriptor.size[axis] > 1)
      {
        DispatchSplineOrder(descriptor.order, [&](auto order) {
          if constexpr (SplinePoles<decltype(order)::value>::Count > 0)
          {
            LaunchLineFilter<decltype(order)::value>(static_cast<const TReal *>(elements.Data()),
                                                     static_cast<TReal *>(other.Data()),
                                                     ViewAxis(descriptor, axis),
                                                     descriptor.extension[axis],
                                                     stream);
          }
        });
        std::swap(elements, other);
      }
    }
  }
  return elements;
}

} // namespace

std::shared_ptr<const void>
PrefilterOnCuda(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  context.Report(0.0);
  const DeviceScope scope(context.device);
  const Stream      stream;
  DeviceBuffer      elements;
  Uploader          uploader(ParallelHostCopy(context));
  if (descriptor.element == ScalarType::Float32 && descriptor.NeedsPreparation())
  {
    elements = MakeRealElements<float>(descriptor, pixels, context, stream, uploader);
  }
  else if (descriptor.element == ScalarType::Float64 && descriptor.NeedsPreparation())
  {
    elements = MakeRealElements<double>(descriptor, pixels, context, stream, uploader);
  }
  else
  {
    const std::size_t bytes = descriptor.Bytes(); // elements are pixels
    elements = DeviceBuffer(bytes, stream);
    uploader.Copy(elements.Data(), pixels, bytes, stream);
  }
  stream.Synchronize();
  context.Report(1.0);
  const auto owner = std::make_shared<DeviceBuffer>(std::move(elements));
  return std::shared_ptr<const void>(owner, owner->Data());
}

void
DownloadFromCuda(const SampleSource & source, void * elements, const ExecutionContext & context)
{
  const DeviceScope scope(source.GetDevice());
  const Stream      stream;
  const std::size_t bytes = source.GetDescriptor().Bytes();
  DownloadThroughStaging(elements, source.GetData(), bytes, stream, ParallelHostCopy(context));
  context.Report(1.0);
}

} // namespace itk::CudaSpline
