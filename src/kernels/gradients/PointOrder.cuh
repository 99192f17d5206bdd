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
#ifndef PointOrder_cuh
#define PointOrder_cuh

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/gradients/OrderedPoints.cuh"
#include "kernels/gradients/PointSupport.h"

#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief The order in which the points of a call are processed. Points are sorted by their position in the image if
 * the order of the caller is unrelated to it.
 *
 * If neighbours in memory are not neighbours in the image, each lane of a warp reads rows of its own: cubic values take
 * 12 times as long. In this case, points are sorted by the rows of the image first. This is a counting sort, in which
 * the cells of a key may be in any order, because results do not depend on it. The device decides whether sorting pays.
 * The host therefore does not wait, and a graph of the caller decides at each launch. */

namespace itk::CudaSpline
{

namespace PointOrderDetail
{
constexpr int          Threads = 256;
constexpr int          KeysOfThread = 8; // keys of a thread of RangeOfKeys
constexpr std::int64_t CellsOfKey = 8;   // along a row: the points of a warp are within a few lines of 128 bytes
constexpr std::int64_t MinPoints = std::int64_t{ 1 } << 22; // the check takes some 10 microseconds
constexpr std::int64_t MaxPoints = 0xFFFFFFFF;

/** Arguments that the kernels of the sort have in common. The arrays have a part for each image of the batch. */
struct Arrays
{
  int             most;   ///< maximum number of the Threads pairs that may be far apart in the order of the caller
  std::int64_t    images; ///< images that have their own points
  std::int64_t    keys;   ///< keys of an image
  std::int64_t    keysOfRow;
  std::uint32_t * begins; ///< for each key, its number of points, then the begin of its range
  std::uint32_t * taken;  ///< for each image, number of assigned positions of the order
  std::uint32_t * isScattered;
  std::uint32_t * ranks; ///< for each point, its number among those of its key
  std::uint32_t * order;
};

/** Returns the sample at or before a coordinate, clamped to the image; the first one for NaN. */
template <typename TReal>
__device__ __forceinline__ std::int64_t
                           CellOf(TReal coordinate, std::int64_t size)
{
  const auto last = static_cast<TReal>(size - 1);
  return coordinate > TReal(0) ? min(static_cast<std::int64_t>(coordinate < last ? coordinate : last), size - 1) : 0;
}

/** \param[out] along the cell along the row
 * \return the row of a point */
template <typename TReal>
__device__ __forceinline__ std::int64_t
                           RowOf(const PointArguments & arguments, const TReal * point, std::int64_t & along)
{
  const unsigned int dimension = arguments.dimension;
  along = CellOf(point[dimension - 1], arguments.size[2]);
  std::int64_t row = dimension > 1 ? CellOf(point[dimension - 2], arguments.size[1]) : 0;
  row += dimension > 2 ? CellOf(point[0], arguments.size[0]) * arguments.size[1] : 0;
  return row;
}

template <typename TReal>
__device__ __forceinline__ std::uint32_t &
BeginOf(const PointArguments & arguments, const Arrays & arrays, std::int64_t image, std::int64_t point)
{
  std::int64_t       along;
  const std::int64_t row = RowOf(arguments, CoordinatesOf<TReal>(arguments, image, point), along);
  return arrays.begins[image * arrays.keys + row * arrays.keysOfRow + along / CellsOfKey];
}

/** Calls \p body with all points, one image after the other. */
template <typename TBody>
__device__ __forceinline__ void
ForPoints(const PointArguments & arguments, const Arrays & arrays, const TBody & body)
{
  for (std::int64_t image = blockIdx.y; image < arrays.images; image += gridDim.y)
  {
    for (std::int64_t point = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; point < arguments.count;
         point += std::int64_t{ gridDim.x } * Threads)
    {
      body(image, point);
    }
  }
}

/** Returns whether too many consecutive points of the first image are in different rows, or far apart along a row. All
 * threads of a block decide it from Threads pairs. */
template <typename TReal>
__device__ __forceinline__ bool
AreScattered(const PointArguments & arguments, int most)
{
  constexpr std::int64_t far = 32; // in cells
  // Pairs are spread irregularly: equal steps would stay on one side of a grid whose sizes are powers of two.
  const std::uint64_t share = threadIdx.x * 2654435761U; // of 2^32, by multiples of the golden ratio
  const auto   point = static_cast<std::int64_t>((share * static_cast<std::uint64_t>(arguments.count - 1)) >> 32U);
  std::int64_t cell[2];
  const std::int64_t row = RowOf(arguments, CoordinatesOf<TReal>(arguments, 0, point), cell[0]);
  const std::int64_t next = RowOf(arguments, CoordinatesOf<TReal>(arguments, 0, point + 1), cell[1]);
  const std::int64_t step = cell[1] - cell[0];
  return __syncthreads_count(row != next || step > far || step < -far ? 1 : 0) > most;
}

/** Counts the points of each key, and gives each point a number among them. */
template <typename TReal>
__global__ void
__launch_bounds__(Threads)
  RankPoints(const __grid_constant__ PointArguments arguments, const __grid_constant__ Arrays arrays)
{
  if (!AreScattered<TReal>(arguments, arrays.most))
  {
    return;
  }
  if (threadIdx.x == 0)
  {
    *arrays.isScattered = 1; // all blocks decide the same
  }
  ForPoints(arguments, arrays, [&](std::int64_t image, std::int64_t point) {
    arrays.ranks[image * arguments.count + point] = atomicAdd(&BeginOf<TReal>(arguments, arrays, image, point), 1U);
  });
}

/** Gives each key a range of the order. The ranges of the keys of a block are adjacent. */
__global__ void
__launch_bounds__(Threads) RangeOfKeys(const __grid_constant__ Arrays arrays)
{
  using Scan = cub::BlockScan<std::uint32_t, Threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ std::uint32_t begin;
  if (*arrays.isScattered == 0)
  {
    return;
  }
  for (std::int64_t image = blockIdx.y; image < arrays.images; image += gridDim.y)
  {
    const std::int64_t first = (std::int64_t{ blockIdx.x } * Threads + threadIdx.x) * KeysOfThread;
    std::uint32_t *    of = arrays.begins + image * arrays.keys + first;
    std::uint32_t      counts[KeysOfThread];
    for (int i = 0; i < KeysOfThread; ++i)
    {
      counts[i] = first + i < arrays.keys ? of[i] : 0;
    }
    std::uint32_t all;
    Scan(storage).ExclusiveSum(counts, counts, all);
    if (threadIdx.x == 0)
    {
      begin = atomicAdd(arrays.taken + image, all);
    }
    __syncthreads();
    for (int i = 0; i < KeysOfThread; ++i)
    {
      if (first + i < arrays.keys)
      {
        of[i] = begin + counts[i];
      }
    }
    __syncthreads();
  }
}

/** Writes the order. */
template <typename TReal>
__global__ void
__launch_bounds__(Threads)
  PlacePoints(const __grid_constant__ PointArguments arguments, const __grid_constant__ Arrays arrays)
{
  if (*arrays.isScattered == 0)
  {
    return;
  }
  ForPoints(arguments, arrays, [&](std::int64_t image, std::int64_t point) {
    const std::int64_t first = image * arguments.count;
    arrays.order[first + BeginOf<TReal>(arguments, arrays, image, point) + arrays.ranks[first + point]] =
      static_cast<std::uint32_t>(point);
  });
}

} // namespace PointOrderDetail

/** \brief Fraction of pairs of points that may be far apart before sorting pays. The rows of a rotated grid are close
 * enough for reading. They are not close enough for sums, because neighbours along a row first add theirs to one sum.
 */
///@{
inline constexpr double ApartForReading = 0.75;
inline constexpr double ApartForSums = 0.25;
///@}

/** \brief Memory of an order of points, in a stream. */
class PointOrder
{
public:
  /** Enqueues the sort of points. They are sorted for orders of the spline that gain from it, if there are many points,
   * at least one for eight samples. If memory for the order is not available, points are not sorted.
   *
   * \param[in] apart ApartForReading, ApartForSums */
  template <typename TReal>
  static PointOrder
  Of(const PointArguments & arguments, double apart, const Stream & stream)
  {
    namespace Detail = PointOrderDetail;
    PointOrder         made;
    Detail::Arrays     arrays{};
    const std::int64_t rows = arguments.size[0] * arguments.size[1];
    arrays.most = static_cast<int>(apart * Detail::Threads);
    arrays.images = arguments.pointStride == 0 ? std::min<std::int64_t>(arguments.batches, 1) : arguments.batches;
    arrays.keysOfRow = (arguments.size[2] + Detail::CellsOfKey - 1) / Detail::CellsOfKey;
    arrays.keys = rows * arrays.keysOfRow;
    const std::int64_t points = arrays.images * arguments.count;
    if (arguments.order < OrderedPoints::MinOrder || points < Detail::MinPoints ||
        arguments.count > Detail::MaxPoints || arrays.keys > arguments.count || arguments.count < 2)
    {
      return made;
    }
    const std::int64_t zeroed = arrays.images * (arrays.keys + 1) + 1;
    try
    {
      made.m_Memory = DeviceBuffer(static_cast<std::size_t>(zeroed + 2 * points) * sizeof(std::uint32_t), stream);
    }
    catch (const DeviceError & error)
    {
      if (error.GetKind() != DeviceError::Kind::OutOfMemory)
      {
        throw;
      }
      return made;
    }
    arrays.begins = static_cast<std::uint32_t *>(made.m_Memory.Data());
    arrays.taken = arrays.begins + arrays.images * arrays.keys;
    arrays.isScattered = arrays.taken + arrays.images;
    arrays.ranks = arrays.begins + zeroed;
    arrays.order = arrays.ranks + points;
    CheckCuda(cudaMemsetAsync(arrays.begins, 0, static_cast<std::size_t>(zeroed) * sizeof(std::uint32_t), stream.Get()),
              "cudaMemsetAsync");
    constexpr std::int64_t mostRows = 65535;
    constexpr std::int64_t mostBlocks = 2048; // blocks that return immediately if points are not scattered
    const auto             images = static_cast<unsigned int>(std::min(arrays.images, mostRows));
    const auto             blocksOf = [images](std::int64_t count, std::int64_t most) {
      return dim3(static_cast<unsigned int>(std::min((count + Detail::Threads - 1) / Detail::Threads, most)), images);
    };
    const dim3 ofPoints = blocksOf(arguments.count, mostBlocks);
    Detail::RankPoints<TReal><<<ofPoints, Detail::Threads, 0, stream.Get()>>>(arguments, arrays);
    Detail::RangeOfKeys<<<blocksOf((arrays.keys + Detail::KeysOfThread - 1) / Detail::KeysOfThread, Detail::MaxPoints),
                          Detail::Threads,
                          0,
                          stream.Get()>>>(arrays);
    Detail::PlacePoints<TReal><<<ofPoints, Detail::Threads, 0, stream.Get()>>>(arguments, arrays);
    CheckCuda(cudaGetLastError(), "PointOrder");
    made.m_Points = { arrays.order, arrays.isScattered, arguments.pointStride == 0 ? 0 : arguments.count };
    return made;
  }

  /** The order for kernels in the stream. */
  const OrderedPoints &
  Points() const
  {
    return m_Points;
  }

private:
  DeviceBuffer  m_Memory;
  OrderedPoints m_Points;
};

} // namespace itk::CudaSpline

#endif
