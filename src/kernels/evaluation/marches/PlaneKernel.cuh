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
#ifndef PlaneKernel_cuh
#define PlaneKernel_cuh

#include "kernels/evaluation/marches/PlaneWindow.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Returns the shared memory of PlaneKernel in bytes. */
template <typename TReal>
std::size_t
PlaneBytes(const MapTiles & tiles)
{
  return sizeof(TReal) * static_cast<std::size_t>(tiles.pitch) * tiles.rows;
}

/** Evaluates a map in two dimensions. A block computes a tile of the output, 32 samples wide, from a window of the
 * input in shared memory.
 *
 * The sums are the same as in TensorProductSum().
 *
 * \tparam VColumns outputs of a thread */
template <unsigned int VTaps, typename TReal, int VColumns, int VBlocks, int VUnroll>
__global__ void
__launch_bounds__(TileThreads, VBlocks)
  PlaneKernel(const __grid_constant__ EvaluationArguments<2> arguments, const TiledPart part)
{
  using Place = AxisPlace<VTaps, TReal>;
  constexpr int         wide = WideCopy<TReal>;
  constexpr int         tileRows = VColumns * PlaneRowStep;
  const TapBasis<VTaps> basis{ part.isCubicConvolution, { arguments.cubic } };
  const SlabSlices &    slab = part.slab;
  const int             thread = static_cast<int>(threadIdx.x);

  extern __shared__ __align__(16) unsigned char sharedBytes[];
  TReal * const                                 shared = reinterpret_cast<TReal *>(sharedBytes);
  const std::int64_t                            firstSample = std::int64_t{ blockIdx.x } * PlaneColumns;
  const std::int64_t                            firstRow = std::int64_t{ blockIdx.y } * tileRows;
  const SliceWindow window = WindowOfTile<VTaps, TReal>(basis, arguments, slab, firstSample, firstRow, tileRows);

  const auto source = static_cast<const TReal *>(arguments.source);
  const auto sizeX = static_cast<int>(arguments.extent.size[0]);
  const auto sizeY = static_cast<int>(arguments.extent.size[1]);
  if (window.x >= 0 && window.y >= 0 && window.x + window.vectors * wide <= sizeX && window.y + window.rows <= sizeY &&
      IsWide(source, sizeX))
  {
    constexpr int lanes = 16; // lanes for a row; longer rows are rare
    const TReal * from = source + static_cast<std::int64_t>(window.y + thread / lanes) * sizeX + window.x;
    TReal *       to = shared + thread / lanes * window.pitch;
    for (int row = thread / lanes; row < window.rows; row += TileThreads / lanes)
    {
      for (int vector = thread % lanes; vector < window.vectors; vector += lanes)
      {
        CopyWide(to + vector * wide, from + vector * wide);
      }
      from += static_cast<std::int64_t>(TileThreads / lanes) * sizeX;
      to += TileThreads / lanes * window.pitch;
    }
  }
  else
  {
    const int width = window.vectors * wide;
    for (int i = thread; i < width * window.rows; i += TileThreads)
    {
      const std::int64_t x = FoldIndex(window.x + i % width, sizeX, arguments.extension[0]);
      const std::int64_t y = FoldIndex(window.y + i / width, sizeY, arguments.extension[1]);
      TReal * const      to = shared + i / width * window.pitch + i % width;
      if (x < 0 || y < 0)
      {
        *to = static_cast<TReal>(arguments.border);
      }
      else
      {
        CopyElement(to, source + y * sizeX + x);
      }
    }
  }

  const PlaneThread   place(arguments.tiles.square);
  const std::int64_t  sample = firstSample + place.column;
  const std::int64_t  row = firstRow + place.row;
  const bool          isFloat = arguments.outputType == ScalarType::Float32;
  const std::uint64_t outside =
    arguments.defaultPixels != nullptr ? arguments.defaultPixels[part.component] : arguments.defaultPixel;
  std::int64_t       at = (row * arguments.samples + sample) * arguments.components + part.component;
  const std::int64_t step = PlaneRowStep * arguments.samples * arguments.components;
  const int          rows =
    sample < arguments.samples
               ? static_cast<int>((min(slab.lines - row, std::int64_t{ tileRows }) + PlaneRowStep - 1) / PlaneRowStep)
               : 0; // outputs of the thread; there are none if this is not positive
  const double alpha = sample < arguments.samples ? arguments.FractionOf(sample) : 0.0;
  WaitForTile();
#pragma unroll VUnroll
  for (int c = 0; c < rows; ++c, at += step)
  {
    double index[2];
    arguments.ScanlineIndexAt(row + c * PlaneRowStep, alpha, index);
    const Place x(basis, arguments, 0, index[0]);
    const Place y(basis, arguments, 1, index[1]);
    const bool  inside = x.base != Place::Outside && y.base != Place::Outside;
    const int   from = inside ? (y.base - window.y) * window.pitch + x.base - window.x : 0;
    TensorWeights<2, VTaps, Derivatives::None, TReal> weights;
#pragma unroll
    for (int k = 0; k < static_cast<int>(VTaps); ++k)
    {
      weights.value[0][k] = x.weights[k];
      weights.value[1][k] = y.weights[k];
    }
    Jet<2, TReal> jet;
    TensorProductSum(WindowTaps<TReal>{ shared + from, window.pitch }, weights, jet);
    if (isFloat)
    {
      static_cast<float *>(arguments.output)[at] = FloatOf(inside, outside, jet.value);
    }
    else
    {
      StoreValue(arguments.output, arguments.outputType, at, inside, outside, jet.value);
    }
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
