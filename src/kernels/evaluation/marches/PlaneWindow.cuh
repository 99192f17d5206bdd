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
#ifndef PlaneWindow_cuh
#define PlaneWindow_cuh

#include "kernels/evaluation/marches/AxisPlaces.cuh"
#include "kernels/evaluation/marches/SliceWindow.cuh"

/** \file
 * \brief Tiles of maps whose x and y depend on sample and row: their threads and their windows. */

namespace itk::CudaSpline
{

namespace
{

/** The taps of a support in a window in shared memory. */
template <typename TStored>
struct WindowTaps
{
  const TStored * data; ///< the first tap of the support
  int             pitch;

  __device__ __forceinline__ int
  Offset(unsigned int, unsigned int tap) const
  {
    return static_cast<int>(tap) * pitch;
  }
  template <typename TReal>
  __device__ __forceinline__ TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return static_cast<TReal>(data[static_cast<int>(at) + static_cast<int>(tap)]);
  }
};

/** Rows of the output between two samples of a thread. */
constexpr int PlaneRowStep = TileThreads / 32;

/** Width of an in-plane tile in samples. */
constexpr int PlaneColumns = 32;

/** Position of the first output of a thread in an in-plane tile. Warps are 32 x 1 or 8 x 4 samples. */
struct PlaneThread
{
  int column;
  int row;

  __device__ __forceinline__ explicit PlaneThread(bool square)
  {
    const int thread = static_cast<int>(threadIdx.x);
    column = square ? thread / 32 % 4 * 8 + thread % 8 : thread % 32;
    row = square ? thread / 128 * 4 + thread % 32 / 8 : thread / 32;
  }
};

/** Computes the smallest and the largest of the numbers of the threads of a warp. */
__device__ __forceinline__ void
ReduceInWarp(int & least, int & largest)
{
#if __CUDA_ARCH__ >= 800
  least = __reduce_min_sync(0xFFFFFFFFU, least);
  largest = __reduce_max_sync(0xFFFFFFFFU, largest);
#else
  for (int step = 16; step > 0; step /= 2)
  {
    least = min(least, __shfl_xor_sync(0xFFFFFFFFU, least, step));
    largest = max(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, step));
  }
#endif
}

/** Finds the window of an in-plane tile. Every warp finds it from the corners of the tile.
 *
 * An index increases or decreases along a row, and from row to row except for a thousandth of a sample, which
 * PlanMapTiles() has checked. It is therefore extreme at a corner to within a sample. Indices out of bounds count as
 * the bound: there is always a window, even if it is not read.
 *
 * \param[in] firstSample first sample of the tile
 * \param[in] firstRow first row of the tile
 * \param[in] rows rows of the tile */
template <unsigned int VTaps, typename TReal, unsigned int VDimension>
__device__ __forceinline__ SliceWindow
WindowOfTile(const TapBasis<VTaps> &                 basis,
             const EvaluationArguments<VDimension> & arguments,
             const SlabSlices &                      slab,
             std::int64_t                            firstSample,
             std::int64_t                            firstRow,
             int                                     rows)
{
  constexpr int      wide = WideCopy<TReal>;
  const int          corner = static_cast<int>(threadIdx.x);
  const std::int64_t lastSample = min(firstSample + PlaneColumns, arguments.samples) - 1;
  std::int64_t       line = (corner & 1) == 0 ? firstRow : min(firstRow + rows, slab.rows) - 1;
  if constexpr (VDimension == 3)
  {
    line = slab.LineOnRow(slab.RowWithin(firstRow, firstRow + rows, (corner & 1) != 0));
  }
  double index[VDimension];
  arguments.ScanlineIndexOf(line >= 0 ? line : 0, (corner & 2) == 0 ? firstSample : lastSample, index);
  int least[2];
  int largest[2];
#pragma unroll
  for (unsigned int d = 0; d < 2; ++d)
  {
    least[d] = basis.First(fmin(fmax(index[d], arguments.lower[d]), arguments.upper[d])) -
               static_cast<int>(arguments.extent.start[d]);
    largest[d] = least[d];
    ReduceInWarp(least[d], largest[d]);
  }
  SliceWindow window;
  window.x = (least[0] - 1) & ~(wide - 1);
  window.y = least[1] - 1;
  window.vectors = (largest[0] + 1 + static_cast<int>(VTaps) - window.x + wide - 1) / wide;
  window.rows = largest[1] + 1 + static_cast<int>(VTaps) - window.y;
  window.pitch = arguments.tiles.pitch;
  if (window.vectors * wide > window.pitch || window.rows > arguments.tiles.rows)
  {
    __trap(); // PlanMapTiles() guarantees that the window fits
  }
  return window;
}

} // namespace
} // namespace itk::CudaSpline

#endif
