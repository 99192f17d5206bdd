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
#ifndef ArrayKernels_cuh
#define ArrayKernels_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/arrays/ArrayAxes.h"
#include "kernels/arrays/ArrayEvaluation.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief The kernels of InterpolateArray() with one thread per element. The computation is the same as on the host. */

namespace itk::CudaSpline
{

/** \brief Threads of a block. */
inline constexpr int ArrayThreads = 256;

/** \brief Division of the elements of an output into tiles, one per block. */
struct ArrayTiles
{
  std::int64_t samples;
  std::int64_t lines;
  std::int64_t tilesX;    ///< along a line
  int          width;     ///< samples of a tile; a power of two
  int          warpWidth; ///< samples of a warp; a power of two, at most 32
  int          times;     ///< number of elements of a thread, which are \c width apart

  /** \param[in] isSquare whether warps have 8 x 4 elements
   * \param[in] most maximum number of elements of a thread along a line; fewer if there would be few blocks */
  ArrayTiles(const ArrayShape & shape, bool isSquare, int most = 1)
    : samples(shape.Samples())
    , lines(shape.Lines())
    , width(isSquare ? 16 : (lines >= 8 ? 32 : ArrayThreads))
    , warpWidth(isSquare ? 8 : 32)
    , times(most)
  {
    constexpr double fewBlocks = 4096.0;
    while (times > 1 && (static_cast<double>(samples) * static_cast<double>(lines) < fewBlocks * ArrayThreads * times ||
                         samples < std::int64_t{ width } * times))
    {
      times /= 2;
    }
    const std::int64_t whole = std::int64_t{ width } * times;
    tilesX = (samples + whole - 1) / whole;
  }

  unsigned int
  Blocks() const
  {
    const int          height = ArrayThreads / width;
    const std::int64_t blocks = tilesX * ((lines + height - 1) / height);
    if (blocks > 0x7FFFFFFF)
    {
      throw DeviceError(DeviceError::Kind::Other, "The array has more elements than a grid of blocks can hold.");
    }
    return static_cast<unsigned int>(blocks);
  }

  /** Finds the first element of the calling thread.
   *
   * \return false if there is none */
  __device__ bool
  Find(std::int64_t & line, std::int64_t & sample) const
  {
    const auto tiles = static_cast<unsigned int>(tilesX);
    const int  warp = static_cast<int>(threadIdx.x) / 32;
    const int  lane = static_cast<int>(threadIdx.x) % 32;
    const int  warpsX = width / warpWidth;
    const int  x = warp % warpsX * warpWidth + lane % warpWidth;
    const int  y = warp / warpsX * (32 / warpWidth) + lane / warpWidth;
    sample = std::int64_t{ blockIdx.x % tiles } * (width * times) + x;
    line = std::int64_t{ blockIdx.x / tiles } * (ArrayThreads / width) + y;
    return sample < samples && line < lines;
  }
};

/** \brief Evaluates arrays of any dimension and size. */
template <typename TReal>
__global__ void
__launch_bounds__(ArrayThreads)
  ArrayPointKernel(const __grid_constant__ ArrayArguments arguments, const ArrayTiles tiles)
{
  std::int64_t line;
  std::int64_t sample;
  if (tiles.Find(line, sample))
  {
    EvaluateArrayElement<0, 0, TReal>(arguments, line, sample);
  }
}

template <unsigned int VTaps, typename TReal>
__global__ void
__launch_bounds__(ArrayThreads) ArrayCellKernel(const __grid_constant__ ArrayCells<TReal> cells, const ArrayTiles tiles)
{
  std::int64_t line;
  std::int64_t sample;
  if (tiles.Find(line, sample))
  {
    EvaluateArrayCell<VTaps>(cells, line, sample);
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(ArrayThreads)
  ArrayCopyKernel(const __grid_constant__ ArrayCopy copy, TReal * to, const ArrayTiles tiles)
{
  std::int64_t line;
  std::int64_t sample;
  if (tiles.Find(line, sample))
  {
    to[line * tiles.samples + sample] = CopiedArrayElement<TReal>(copy, line, sample);
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(ArrayThreads) ArrayStoreKernel(const TReal *                      elements,
                                                 const __grid_constant__ ArrayShape shape,
                                                 ScalarType                         type,
                                                 void *                             output,
                                                 const ArrayTiles                   tiles)
{
  std::int64_t line;
  std::int64_t sample;
  if (tiles.Find(line, sample))
  {
    std::int64_t index[MaximumArrayDimension];
    shape.IndexOf(line, sample, index);
    StoreRounded(output, type, shape.OffsetOf(index), static_cast<double>(elements[line * tiles.samples + sample]));
  }
}

template <typename TReal>
__global__ void
ArrayTableKernel(const ArrayAxis axis, const ArrayAxisTable<TReal> table)
{
  const std::int64_t element = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (element < axis.count)
  {
    FillArrayTable(axis, table, element);
  }
}

/** \brief Calls SumAlongAxis().
 *
 * \tparam TVector result of a thread: neighbours along a faster axis */
template <typename TVector, typename TReal>
__global__ void
__launch_bounds__(ArrayThreads) ArrayAxisKernel(const __grid_constant__ ArrayPass<TReal> pass, std::int64_t count)
{
  constexpr std::int64_t width = sizeof(TVector) / sizeof(TReal);
  const std::int64_t     vector = std::int64_t{ blockIdx.x } * ArrayThreads + threadIdx.x;
  if (vector < count)
  {
    const std::int64_t inner = pass.inner / width;
    std::int64_t       row;
    std::int64_t       i;
    if (vector <= 0xFFFFFFFF && inner <= 0xFFFFFFFF)
    {
      row = static_cast<std::uint32_t>(vector) / static_cast<std::uint32_t>(inner);
      i = static_cast<std::uint32_t>(vector) % static_cast<std::uint32_t>(inner);
    }
    else
    {
      row = vector / inner;
      i = vector % inner;
    }
    SumAlongAxis<TVector>(pass, row, i * width);
  }
}

/** \brief Number of blocks for a number of threads. */
inline unsigned int
BlocksOf(std::int64_t count)
{
  const std::int64_t blocks = (count + ArrayThreads - 1) / ArrayThreads;
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The array has more elements than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

} // namespace itk::CudaSpline

#endif
